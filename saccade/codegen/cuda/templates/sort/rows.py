"""Rows of up to a few thousand elements sorted by a block each: a merge sort with keys in shared memory.

    row_sort_source(kernel, name)      # of a SORT of elements of at most 32 bits

An element becomes a key of 32 bits whose order as a number is the order wanted (NaN last, both zeros equal,
all bits turned over for a descending sort), and its place in the row, of 16 bits. A thread sorts EACH
neighbours in registers. Then runs of EACH, 2 EACH, ... are merged in pairs: of the first d results of a pair
some come from its first run, and a binary search tells a thread how many (the merge path), so that it takes
its EACH results one after the other. All of it is stable, so keys alone are compared; places beyond the row
have the last key and stay behind. Values are fetched by their places at the end.

Elements lie with a gap after every 32, which keeps threads that read EACH apart in different banks."""

from __future__ import annotations

from typing import Final

from .....graph.dtypes import DType
from .....graph.kernels.kernel import Kernel, Sorting
from .....runtime.program import Source
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import NARROW_NAMES, pointer, type_name
from .select import CANDIDATES, SELECT, SELECT_BYTES, selects

#: elements of a thread, threads of a block, and blocks of a launch: each takes rows in turn
EACH: Final = 8
MOST_THREADS: Final = 512
MOST_BLOCKS: Final = 1 << 14
#: bytes of a key and its place
_KEY, _PLACE = 4, 2


def fits_rows(dtype: DType, sorting: Sorting) -> bool:
    """Is it a sort of rows that a block holds?"""
    return dtype.itemsize <= _KEY and not sorting.run and sorting.length <= EACH * MOST_THREADS


def row_sort_source(kernel: Kernel, name: str) -> Source:
    """The source of a kernel that is one SORT of whole rows."""
    node = kernel.sink.src[0]
    sorting: Sorting = node.arg
    source, *targets = node.src
    n, rows, inner = sorting.length, sorting.outer * sorting.inner, sorting.inner
    threads = -(-n // (32 * EACH)) * 32
    padded = threads * EACH + threads * EACH // 32
    grid = min(rows, MOST_BLOCKS)
    few = selects(sorting)
    constants = {"LENGTH": n, "THREADS": threads, "EACH": EACH}
    constants |= {"KEEP": sorting.keep, "CANDIDATES": CANDIDATES} if few else {"PADDED": padded}
    pointers = "\n".join(pointer(m.dtype, m.arg.slot) for m in (source, *targets))
    element = f"p{source.arg.slot}[start + (i64)place * {inner}]"
    writes = "\n".join(
        f"      p{t.arg.slot}[target + (i64)rank * {inner}] = {element if want == 'values' else 'place'};"
        for want, t in zip(sorting.wants, targets, strict=True)
    )
    slots = len(kernel.params)
    text = "\n".join(
        [
            PRELUDE, COMMON, *(f"#define {key} {value}" for key, value in constants.items()),
            _key(source.dtype, sorting.descending), SELECT if few else SORT_ROW,
            kernel_head(name, slots, threads),
            pointers,
            "  extern __shared__ uint4 shared_memory[];", "" if few else SORTED,
            "  const i32 thread = (i32)(u32)threadIdx.x;",
            f"  for (i32 row = (i32)(u32)blockIdx.x; row < {rows}; row += {grid}) {{",
            f"    const i64 start = (i64)(row / {inner}) * {n * inner}ll + row % {inner};",
            f"    const i64 target = (i64)(row / {inner}) * {sorting.keep * inner}ll + row % {inner};",
            "    u32 own[EACH];" if few else "",
            "#pragma unroll",
            "    for (i32 k = 0; k < EACH; ++k) {",
            "      const i32 i = thread + k * THREADS;",
            f"      {'own[k]' if few else 'keys[at(i)]'} = i < LENGTH",
            f"          ? key_of(p{source.arg.slot}[start + (i64)i * {inner}]) : ~0u;",
            "    }",
            *(
                ["    select_first(own, shared_memory, thread, [&](i32 rank, i32 place) {", writes, "    });"]
                if few
                else [
                    "    team_barrier(THREADS);",
                    "    sort_row(keys, places, thread);",
                    f"    for (i32 rank = thread; rank < {sorting.keep}; rank += THREADS) {{",
                    "      const i32 place = places[at(rank)];",
                    writes, "    }", "    team_barrier(THREADS);",
                ]
            ),
            "  }", "}", "",
        ]
    )  # fmt: skip
    shared = SELECT_BYTES if few else -(-padded * (_KEY + _PLACE) // 16) * 16
    return Source(name, text, tasks=rows, params=slots, grid=grid, block=threads, shared=shared)


def _key(dtype: DType, descending: bool) -> str:
    """`key_of`: the number that stands for an element in the order wanted."""
    value = type_name(dtype)
    if dtype.is_float:
        wide = f"{NARROW_NAMES[dtype]}_to_f32(x)" if dtype in NARROW_NAMES else "x"
        body = f"""  const f32 wide = {wide};
  const u32 bits = bits_as<u32>(wide);
  u32 key = bits >> 31 ? ~bits : bits | 0x80000000u;
  if (wide == 0.0f) key = 0x80000000u;
  if (wide != wide) key = ~0u;"""
    elif dtype.min < 0:
        body = "  const u32 key = (u32)(i32)x ^ 0x80000000u;"
    else:
        body = "  const u32 key = (u32)x;"
    return f"DEVICE u32 key_of({value} x) {{\n{body}\n  return {'~' if descending else ''}key;\n}}"


#: Where a row is sorted.
SORTED: Final = """
  u32 *const keys = reinterpret_cast<u32 *>(shared_memory);
  u16 *const places = reinterpret_cast<u16 *>(keys + PADDED);
"""

SORT_ROW: Final = r"""
DEVICE i32 at(i32 i) { return i + (i >> 5); }
DEVICE void sort_row(u32 *keys, u16 *places, i32 thread) {
  const i32 first = thread * EACH;
  u32 key[EACH];
  u32 place[EACH];
#pragma unroll
  for (i32 k = 0; k < EACH; ++k) { key[k] = keys[at(first + k)]; place[k] = (u32)(first + k); }
  // neighbours change places as long as the second is less: equal ones never do
#pragma unroll
  for (i32 round = 0; round < EACH; ++round)
#pragma unroll
    for (i32 k = round % 2; k + 1 < EACH; k += 2) {
      const bool swaps = key[k + 1] < key[k];
      const u32 low = swaps ? key[k + 1] : key[k], high = swaps ? key[k] : key[k + 1];
      const u32 left = swaps ? place[k + 1] : place[k], right = swaps ? place[k] : place[k + 1];
      key[k] = low; key[k + 1] = high;
      place[k] = left; place[k + 1] = right;
    }
#pragma unroll 1
  for (i32 width = EACH;; width *= 2) {
    team_barrier(THREADS);
#pragma unroll
    for (i32 k = 0; k < EACH; ++k) {
      keys[at(first + k)] = key[k];
      places[at(first + k)] = (u16)place[k];
    }
    team_barrier(THREADS);
    if (width >= LENGTH) return;
    const i32 begin = first / (2 * width) * (2 * width), d = first - begin;
    const i32 middle = least<i32>(begin + width, THREADS * EACH);
    const i32 end = least<i32>(middle + width, THREADS * EACH);
    i32 low = d > end - middle ? d - (end - middle) : 0, high = d < width ? d : width;
    while (low < high) {
      const i32 half = (low + high) / 2;
      if (keys[at(middle + d - 1 - half)] < keys[at(begin + half)]) high = half; else low = half + 1;
    }
    i32 i = begin + low, j = middle + d - low;
    u32 one = keys[at(least<i32>(i, middle - 1))], other = keys[at(least<i32>(j, end - 1))];
#pragma unroll
    for (i32 k = 0; k < EACH; ++k) {
      const bool second = j < end && (i >= middle || other < one);
      key[k] = second ? other : one;
      const i32 from = second ? j++ : i++;
      place[k] = places[at(from)];
      if (second) other = keys[at(least<i32>(j, end - 1))]; else one = keys[at(least<i32>(i, middle - 1))];
    }
  }
}
"""
