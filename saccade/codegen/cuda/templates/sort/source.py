"""Sorting on a GPU: a stable merge sort of each row by one block, and merges of two sorted rows by many.

Rows of narrow elements have a sort of their own (`rows`). Otherwise runs of 1, 2, 4 are merged
from one half of a tile to the other. Every thread finds the places of its elements by itself: an element's
place in the merged run is its place in its own run plus the number of elements of the other run that come
before it, which a binary search tells. NaN counts as the largest number.

A merge of long rows has a block for every 2048 results. Of the first d results some come from the first run
and the rest from the second, and a binary search tells how many: so a block knows what it needs of both
(`split` of its first and last place), fetches that into shared memory, and every thread finds its eight
results there in the same way.
"""

from __future__ import annotations

from typing import Final

from .....graph.dtypes import DType
from .....graph.kernels.kernel import Kernel, Sorting
from .....graph.node import Node
from .....graph.ops import Op
from .....runtime.program import Source
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import NARROW_NAMES, address, pointer, type_name
from ..template import Template
from .rows import fits_rows, row_sort_source

#: tiles that fit here are in shared memory
SHARED_BYTES = 48 * 1024
#: results of a block that merges, its threads, and the results of each
MERGED, MERGERS, EACH = 2048, 256, 8
#: blocks at once, where tiles are in a workspace
PERSISTENT = 528


def sort_of(kernel: Kernel) -> Node | None:
    """The SORT a kernel is."""
    node = kernel.sink.src[0]
    return node if node.op is Op.SORT else None


def sort_source(kernel: Kernel, name: str) -> Source:
    """The source of a kernel that is one SORT."""
    node = kernel.sink.src[0]
    sorting: Sorting = node.arg
    if sorting.run:
        return _merge_source(kernel, name)
    if fits_rows(node.src[0].dtype, sorting):
        return row_sort_source(kernel, name)
    assert not sorting.carries, "only merges carry indices along"
    source, *targets = node.src
    n, rows = sorting.length, sorting.outer * sorting.inner
    value = type_name(source.dtype)
    values_bytes = -(-2 * n * source.dtype.itemsize // 16) * 16
    nbytes = values_bytes + -(-2 * n * 4 // 16) * 16
    in_shared = nbytes <= SHARED_BYTES
    grid = min(rows, PERSISTENT)
    block = 1024 if n > 2048 else 256 if n > 256 else 64
    memories, kept = [source, *targets], sorting.keep * sorting.inner
    pointers = "\n".join(pointer(m.dtype, m.arg.slot) for m in memories)
    slots = len(kernel.params)
    tile = (
        "extern __shared__ uint4 shared_memory[];\n  u8 *const tile = reinterpret_cast<u8 *>(shared_memory);"
        if in_shared
        else f"u8 *const tile = buffer_at<u8>({address(slots)}) + (u64)blockIdx.x * {nbytes};"
    )
    writes = "\n".join(
        f"      p{t.arg.slot}[target + (i64)i * {sorting.inner}] = "
        f"{want if want == 'values' else 'places'}[from + i];"
        for want, t in zip(sorting.wants, targets, strict=True)
    )
    text = f"""{PRELUDE}{COMMON}
DEVICE bool before({value} b, {value} a) {{ {_before(source.dtype, sorting.descending)} }}
{kernel_head(name, slots + (not in_shared), block)}
{pointers}
  {tile}
  {value} *const values = reinterpret_cast<{value} *>(tile);
  i32 *const places = reinterpret_cast<i32 *>(tile + {values_bytes});
  const i32 n = {n};
  for (i32 row = (i32)(u32)blockIdx.x; row < {rows}; row += {grid}) {{
    const i64 start = (i64)(row / {sorting.inner}) * {n * sorting.inner}ll + row % {sorting.inner};
    const i64 target = (i64)(row / {sorting.inner}) * {kept}ll + row % {sorting.inner};
    for (i32 i = (i32)(u32)threadIdx.x; i < n; i += {block}) {{
      values[i] = p{source.arg.slot}[start + (i64)i * {sorting.inner}];
      places[i] = i;
    }}
    team_barrier({block});
    i32 from = 0, to = n;
    for (i32 width = 1; width < n; width *= 2) {{
      for (i32 i = (i32)(u32)threadIdx.x; i < n; i += {block}) {{
        const {value} mine = values[from + i];
        const i32 first = i / (2 * width) * (2 * width);
        const i32 middle = least<i32>(first + width, n), end = least<i32>(middle + width, n);
        const bool left = i < middle;
        i32 low = left ? middle : first, high = left ? end : middle;
        const i32 begin = low;
        while (low < high) {{
          const i32 half = (low + high) / 2;
          const {value} other = values[from + half];
          if (left ? before(other, mine) : !before(mine, other)) low = half + 1; else high = half;
        }}
        const i32 place = to + first + (left ? i - first : i - middle) + (low - begin);
        values[place] = mine;
        places[place] = places[from + i];
      }}
      team_barrier({block});
      const i32 other = from;
      from = to;
      to = other;
    }}
    for (i32 i = (i32)(u32)threadIdx.x; i < {sorting.keep}; i += {block}) {{
{writes}
    }}
    team_barrier({block});
  }}
}}
"""
    return Source(
        name, text, tasks=rows, params=slots, grid=grid, block=block,
        shared=nbytes if in_shared else 0, workspace=0 if in_shared else nbytes * grid,
    )  # fmt: skip


def _merge_source(kernel: Kernel, name: str) -> Source:
    node = kernel.sink.src[0]
    sorting: Sorting = node.arg
    source, *targets = node.src
    carried = targets.pop(0) if sorting.carries else None
    rows, keep, inner = sorting.outer * sorting.inner, sorting.keep, sorting.inner
    value = type_name(source.dtype)
    chunks = -(-keep // MERGED)
    pointers = "\n".join(pointer(m.dtype, m.arg.slot) for m in node.src)
    index = "place" if carried is None else f"p{carried.arg.slot}[start + place * {inner}]"
    writes = "\n".join(
        f"    p{t.arg.slot}[target + (i64)i * {inner}] = {'values[from]' if want == 'values' else index};"
        for want, t in zip(sorting.wants, targets, strict=True)
    )
    slots = len(kernel.params)
    values_bytes = -(-MERGED * source.dtype.itemsize // 16) * 16
    text = f"""{PRELUDE}{COMMON}
DEVICE bool before({value} b, {value} a) {{ {_before(source.dtype, sorting.descending)} }}
// how many of the first d results come from a, which wins where both are equal
DEVICE i64 split(const {value} *a, i64 size_a, const {value} *b, i64 size_b, i64 stride, i64 d) {{
  i64 low = d > size_b ? d - size_b : 0, high = d < size_a ? d : size_a;
  while (low < high) {{
    const i64 half = (low + high) / 2;
    if (before(b[(d - 1 - half) * stride], a[half * stride])) high = half; else low = half + 1;
  }}
  return low;
}}
{kernel_head(name, slots, MERGERS)}
{pointers}
  extern __shared__ uint4 shared_memory[];
  {value} *const values = reinterpret_cast<{value} *>(shared_memory);
  i32 *const order = reinterpret_cast<i32 *>(reinterpret_cast<u8 *>(shared_memory) + {values_bytes});
  i64 *const ends = reinterpret_cast<i64 *>(order + {MERGED});
  const i32 thread = (i32)(u32)threadIdx.x;
  const i64 row = blockIdx.x / {chunks}u, first = (i64)(blockIdx.x % {chunks}u) * {MERGED};
  const i64 last = first + {MERGED} < {keep}ll ? first + {MERGED} : {keep}ll;
  const i64 start = row / {inner} * {sorting.length * inner}ll + row % {inner};
  const i64 target = row / {inner} * {keep * inner}ll + row % {inner} + first * {inner};
  const {value} *const a = p{source.arg.slot} + start, *const b = a + {sorting.run * inner}ll;
  if (thread < 2) {{
    const i64 d = thread ? last : first;
    ends[thread] = split(a, {sorting.run}ll, b, {sorting.length - sorting.run}ll, {inner}, d);
  }}
  team_barrier({MERGERS});
  const i64 first_a = ends[0], first_b = first - first_a;
  const i32 size_a = (i32)(ends[1] - first_a), count = (i32)(last - first);
  for (i32 i = thread; i < count; i += {MERGERS}) {{
    values[i] = i < size_a ? a[(first_a + i) * {inner}] : b[(first_b + i - size_a) * {inner}];
  }}
  team_barrier({MERGERS});
  const i32 mine = thread * {EACH};
  if (mine < count) {{
    i32 i = (i32)split(values, size_a, values + size_a, count - size_a, 1, mine), j = size_a + mine - i;
    for (i32 k = 0; k < {EACH}; ++k) {{
      if (mine + k < count) {{
        const bool second = j < count && (i >= size_a || before(values[j], values[i]));
        order[mine + k] = second ? j++ : i++;
      }}
    }}
  }}
  team_barrier({MERGERS});
  for (i32 i = thread; i < count; i += {MERGERS}) {{
    const i32 from = order[i];
    const i64 place = from < size_a ? first_a + from : {sorting.run}ll + first_b + (from - size_a);
{writes}
  }}
}}
"""
    return Source(
        name, text, tasks=rows * chunks, params=slots, grid=rows * chunks, block=MERGERS,
        shared=values_bytes + MERGED * 4 + 16,
    )  # fmt: skip


def _before(dtype: DType, descending: bool) -> str:
    """Must b come before a? Equal elements keep their order."""
    if not dtype.is_float:
        return f"return {'b > a' if descending else 'b < a'};"
    x, y = "b", "a"
    lines = ""
    if dtype in NARROW_NAMES:
        name = NARROW_NAMES[dtype]
        lines = f"const f32 x = {name}_to_f32(b), y = {name}_to_f32(a); "
        x, y = "x", "y"
    if descending:
        return f"{lines}return {x} > {y} || ({x} != {x} && {y} == {y});"
    return f"{lines}return {x} < {y} || ({y} != {y} && {x} == {x});"


SORT: Final = Template(
    "a sort", sort_of, lambda kernel, found, name, card, move: (sort_source(kernel, name), None)
)
