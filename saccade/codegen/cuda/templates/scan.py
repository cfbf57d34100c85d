"""Running reductions along rows: a block has a row and walks along it in tiles.

    tile of 2048     each of 256 threads takes eight neighbours and runs over them in registers;
                     the threads of a warp exchange their totals, the warps theirs in shared memory;
                     what came before the tile is carried along

So memory is read and written once, side by side, whatever is computed before and after: the elements and
the results are functions written from the kernel's expression. Rows that are too few for all processors are
cut into parts before (`transform.spread`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from ....graph import dtypes
from ....graph.kernels.kernel import UNROLL, Kernel, loop, range_size
from ....graph.monoid import Monoid
from ....graph.node import Node, make
from ....graph.ops import Op
from ....graph.rules.symbolic import coefficient_of, simplify
from ....runtime.program import Source
from ...linear.gpu.code import NO_BUFFER, WARP
from ..pieces import C, Piece, V, Z, element_of, given, stored_lines
from ..prelude import COMMON, PRELUDE, kernel_head
from ..renderer import expression, literal, pointer, type_name
from ..schemes.layout import digits
from ..types import gpu_types
from .template import Template

#: neighbours of a thread, and the most threads of a block
EACH, MOST_THREADS = 8, 256
#: rows shorter than this are one thread's work
SHORTEST = 64
#: blocks that are in work at the same time; more rows than these are taken in turn
PERSISTENT = 1 << 16
_OPS = {"add": Op.ADD, "mul": Op.MUL, "max": Op.MAX, "min": Op.MIN}
_DTYPES = frozenset(
    {dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64}
)


@dataclass(frozen=True)
class Scan:
    """A kernel that is one running reduction along its last loop, for the rows of the others."""

    prefix: Node
    rows: tuple[Node, ...]
    over: Node


def scan_of(kernel: Kernel) -> Scan | None:
    """The running reduction a kernel is, if its rows lie side by side in memory."""
    found = [n for n in kernel.nodes if n.op is Op.PREFIX]
    if len(found) != 1 or not kernel.order or any(n.op in (Op.FOLD, Op.STAGE) for n in kernel.nodes):
        return None
    (prefix,), (*rows, over) = found, kernel.order
    monoid: Monoid = prefix.arg
    plain = monoid.kind in _OPS and prefix.dtype in _DTYPES and prefix.src[-1] is over
    if not plain or any(r.src[0].op is not Op.CONST for r in kernel.order) or range_size(over) < SHORTEST:
        return None
    for store in kernel.sink.src:
        if len(store.src) != 3 or store.arg is not None or coefficient_of(store.src[1], over) != 1:
            return None
    return Scan(prefix, tuple(rows), over)


def scan_source(kernel: Kernel, scan: Scan, name: str) -> Source:
    """The source of a kernel that is one running reduction."""
    n, rows = range_size(scan.over), prod(map(range_size, scan.rows))
    threads = WARP
    while threads < MOST_THREADS and threads * EACH < n:
        threads *= 2
    warps, grid = threads // WARP, min(rows, PERSISTENT)
    dtype = scan.prefix.dtype
    value, kind = type_name(dtype), scan.prefix.arg
    identity = literal(kind.identity((dtype,))[0].arg, dtype)
    both = expression(_OPS[kind.kind], ["a", "b"], [dtype, dtype], True)
    memories = [m for m in kernel.nodes if m.op is Op.PARAM]
    slots = len(kernel.params)
    between = f"""
      if (lane == 0) totals[warp] = total;
      team_barrier({threads});
      {value} block = {identity};
      for (i32 w = 0; w < {warps}; ++w) {{
        if (w == warp) before = both(block, before);
        block = both(block, totals[w]);
      }}
      team_barrier({threads});
      total = block;"""
    text = f"""{PRELUDE}{COMMON}
DEVICE {value} both({value} a, {value} b) {{ return {both}; }}
{kernel_head(name, slots, threads)}
{chr(10).join(pointer(m.dtype, m.arg.slot) for m in memories)}
  extern __shared__ uint4 shared_memory[];
  {value} *const totals = reinterpret_cast<{value} *>(shared_memory);
  const i32 lane = (i32)(u32)threadIdx.x % {WARP}, warp = (i32)(u32)threadIdx.x / {WARP};
{_functions(kernel, scan)}
  for (i32 row = (i32)(u32)blockIdx.x; row < {rows}; row += {grid}) {{
    {value} carry = {identity};
    for (i32 first = 0; first < {-(-n // EACH)}; first += {threads}) {{
      const i32 chunk = first + (i32)(u32)threadIdx.x;
      Vec<{value}, {EACH}> run;
      if (chunk < {-(-n // EACH)}) run = elements(row, chunk);
      else for (i32 i = 0; i < {EACH}; ++i) run.at[i] = {identity};
      for (i32 i = 1; i < {EACH}; ++i) run.at[i] = both(run.at[i - 1], run.at[i]);
      // of the lanes that differ in the bits seen so far: all of them, and those before this one
      {value} total = run.at[{EACH - 1}], before = {identity};
      for (i32 bit = 1; bit < {WARP}; bit *= 2) {{
        const {value} other = shuffle_xor(total, bit);
        if (lane & bit) before = both(other, before);
        total = lane & bit ? both(other, total) : both(total, other);
      }}{between if warps > 1 else ""}
      before = both(carry, before);
      carry = both(carry, total);
      if (chunk < {-(-n // EACH)}) {{
        for (i32 i = 0; i < {EACH}; ++i) run.at[i] = both(before, run.at[i]);
        write(row, chunk, run);
      }}
    }}
  }}
}}
"""
    return Source(
        name, text, tasks=rows * threads, params=slots, grid=grid, block=threads,
        shared=-(-warps * dtype.itemsize // 16) * 16,
    )  # fmt: skip


def _functions(kernel: Kernel, scan: Scan) -> str:
    """`elements(row, chunk)`, what is combined, and `write(row, chunk, run)`, what becomes of the results."""
    n, rows = range_size(scan.over), prod(map(range_size, scan.rows))
    chunks, v = given(C, -(-n // EACH)), loop(V, EACH, UNROLL)
    place = chunks * EACH + v
    inside = None if n % EACH == 0 else place < n
    mapping = digits(scan.rows, given(Z, max(rows, 1))) if scan.rows else {}
    mapping |= {scan.over: simplify(place if inside is None else place.minimum(n - 1))}
    body = scan.prefix.src[0].substitute(mapping)
    if inside is not None:
        body = inside.where(body, scan.prefix.arg.identity((body.dtype,))[0])
    written = frozenset(s.src[0].arg.slot for s in kernel.sink.src)
    taken = gpu_types(simplify(body))
    piece = Piece(taken)
    lanes = ", ".join(piece.ref(taken, lane) for lane in range(EACH))
    value = type_name(scan.prefix.dtype)
    head = "  const auto {} = [&](i32 given_z, i32 given_c{}) -> {} {{"
    lines = [head.format("elements", "", f"Vec<{value}, {EACH}>"), *piece.lines(written)]
    lines += [f"    return {{{{{lanes}}}}};", "  };"]
    result = element_of(scan.prefix.dtype, 0, EACH, v)
    stores = [s.substitute({scan.prefix: result}).substitute(mapping) for s in kernel.sink.src]
    if inside is not None:
        stores = [make(Op.STORE, s.dtype, (*s.src, inside), None) for s in stores]
    sink = gpu_types(simplify(make(Op.SINK, dtypes.bool_, tuple(stores))))
    given_run = f", const Vec<{value}, {EACH}> &run"
    write = stored_lines(sink.src, {NO_BUFFER: "run.at"}, written)
    lines += [head.format("write", given_run, "void"), *write, "  };"]
    return "\n".join(lines)


SCAN: Final = Template(
    "a scan", scan_of, lambda kernel, found, name, card, move: (scan_source(kernel, found, name), None)
)
