"""A map that turns what it reads, as CUDA C++: tiles go through shared memory.

A block has a tile of the two loops, ACROSS x ALONG. Its threads read along `across` into the tile, wait, and
write along `along` out of it: both sides touch whole lines of memory. Only the loads that run the other way
pass through tiles; everything else of the expression is computed where the result is written.

A row of a tile is one word longer than its elements, so that neither side meets a bank twice."""

from __future__ import annotations

from math import prod
from typing import Final

from .....graph import dtypes
from .....graph.dtypes import DType
from .....graph.kernels.kernel import UNROLL, Kernel, loop, range_size
from .....graph.node import Node, const, index_const
from .....graph.rules.symbolic import coefficient_of, simplify
from .....runtime.program import Source
from ....linear.gpu.code import NO_BUFFER, SHARED_BYTES
from ....moves.legal import IllegalMove
from ...pieces import C, M, N, V, Z, element_of, function, given, stored_lines, value_function
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import pointer, type_name
from ...schemes.layout import digits
from ...search.moves import Turn
from ...types import gpu_types
from ..template import Template
from .match import LEAST_SIDE, Transpose, transpose_of

THREADS: Final = 256
#: the sides of a tile; where one loop is short, the other side is longer
SIDE: Final = 64
WORD: Final = 4


def transpose_source(
    kernel: Kernel, t: Transpose, name: str, move: Turn | None = None
) -> tuple[Source, Turn]:
    """The source of a kernel that turns what it reads, and its tiles: as the move says, or chosen here."""
    across, along = range_size(t.across), range_size(t.along)
    # 6.7 -> 5.7 us for weights of 512x3x3x512 in float16, on an H200
    length = _power(along, SIDE if across > SIDE // 2 else 2 * SIDE)
    side = max(_power(across, min(SIDE * SIDE // length, THREADS)), WORD * THREADS // length)
    if move is not None:
        _require(t, move)
        length, side = move.along, move.across
    lanes = max(1, WORD // max(n.dtype.itemsize for n in (t.store, *t.loads)))
    lanes = lanes if along % lanes == 0 else 1
    sizes = [_row(length, load.dtype) * side * load.dtype.itemsize for load in t.loads]
    tiles_across, tiles_along = -(-across // side), -(-along // length)
    rest = prod(map(range_size, t.rest))
    constants = {
        "ACROSS": side, "ALONG": length, "LANES": lanes, "SIZE_ACROSS": across, "SIZE_ALONG": along,
        "TILES_ACROSS": tiles_across, "TILES_ALONG": tiles_along, "THREADS": THREADS,
        "MINE": side * length // THREADS, "STEP": THREADS // side,
    }  # fmt: skip
    pointers = "\n".join(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params))
    text = "\n".join(
        [
            PRELUDE, COMMON, *[f"#define {key} {value}" for key, value in constants.items()],
            kernel_head(name, len(kernel.params), THREADS),
            pointers, BLOCK, *_tiles(t, sizes), *_reads(t, length), "  __syncthreads();",
            _write(t, length, lanes), "}", "",
        ]
    )  # fmt: skip
    grid = rest * tiles_across * tiles_along
    source = Source(
        name,
        text,
        tasks=grid,
        params=len(kernel.params),
        grid=grid,
        block=THREADS,
        shared=sum(-(-n // 16) * 16 for n in sizes),
    )
    return source, Turn(length, side)


def _require(t: Transpose, move: Turn) -> None:
    """Tiles have sides of powers of two, at least a word for each thread, and fit in shared memory."""
    sides = (move.along, move.across)
    if any(n < LEAST_SIDE or n & (n - 1) for n in sides) or move.across > THREADS:
        raise IllegalMove(f"{move}: the sides are powers of two from {LEAST_SIDE} on")
    nbytes = sum(_row(move.along, load.dtype) * move.across * load.dtype.itemsize + 16 for load in t.loads)
    if move.along * move.across < WORD * THREADS or nbytes > SHARED_BYTES:
        raise IllegalMove(f"{move}: {THREADS} threads need {WORD} elements each, in {SHARED_BYTES} bytes")


def _power(size: int, most: int) -> int:
    """The power of two that covers a loop, within limits."""
    return min(most, max(LEAST_SIDE, 1 << (size - 1).bit_length()))


def _row(length: int, dtype: DType) -> int:
    """Elements of a row of a tile."""
    return length + max(1, WORD // dtype.itemsize)


BLOCK: Final = r"""
  extern __shared__ uint4 shared_memory[];
  const i32 thread = (i32)(u32)threadIdx.x;
  const i32 tile = (i32)((u32)blockIdx.x % (TILES_ACROSS * TILES_ALONG));
  const i32 z = (i32)((u32)blockIdx.x / (TILES_ACROSS * TILES_ALONG));
  const i32 across0 = tile % TILES_ACROSS * ACROSS, along0 = tile / TILES_ACROSS * ALONG;"""


def _tiles(t: Transpose, sizes: list[int]) -> list[str]:
    lines, start = [], 0
    for number, (load, nbytes) in enumerate(zip(t.loads, sizes, strict=True)):
        kind = type_name(load.dtype)
        where = f"reinterpret_cast<u8 *>(shared_memory) + {start}"
        lines.append(f"  {kind} *const tile_{number} = reinterpret_cast<{kind} *>({where});")
        start += -(-nbytes // 16) * 16
    return lines


def _loops(t: Transpose, along: Node) -> dict[Node, Node]:
    """The loops from what a thread is given: z, its place across (m), and the place along."""
    mapping = digits(t.rest, given(Z, prod(map(range_size, t.rest))))
    return mapping | {t.across: given(M, range_size(t.across)), t.along: along}


def _reads(t: Transpose, length: int) -> list[str]:
    """Each load, by threads that are neighbours across: from one address on, in equal strides along."""
    lines = []
    along = given(N, range_size(t.along))
    for number, load in enumerate(t.loads):
        memory, index, *mask = load.src
        stride = coefficient_of(index, t.along)
        first = simplify(index.substitute({t.along: index_const(0)}).substitute(_loops(t, along)))
        lines.append(value_function(f"start_{number}", (Z, M), first))
        valid = simplify(mask[0].substitute(_loops(t, along))) if mask else const(True, dtypes.bool_)
        lines.append(value_function(f"inside_{number}", (Z, M, N), valid))
        kind = type_name(load.dtype)
        lines.append(
            f"""  {{
    {kind} held[MINE];
    const i32 m = across0 + thread % ACROSS, n = along0 + thread / ACROSS;
    const {kind} *const from = p{memory.arg.slot} + start_{number}(z, m) + (i64)n * {stride};
#pragma unroll
    for (int i = 0; i < MINE; ++i) {{
      const bool there = m < SIZE_ACROSS && (SIZE_ALONG % ALONG == 0 || n + i * STEP < SIZE_ALONG)
          && inside_{number}(z, m, n + i * STEP);
      held[i] = there ? load_once(from + i * STEP * {stride}ll) : ({kind})0;
    }}
    {kind} *const to = tile_{number} + thread % ACROSS * {_row(length, load.dtype)} + thread / ACROSS;
#pragma unroll
    for (int i = 0; i < MINE; ++i) to[i * STEP] = held[i];
  }}"""
        )
    return lines


def _write(t: Transpose, length: int, lanes: int) -> str:
    """The results, by threads that are neighbours along."""
    v = loop(V, lanes, UNROLL)
    whole = given(C, range_size(t.along) // lanes)
    held = {load: element_of(load.dtype, number, lanes, v) for number, load in enumerate(t.loads)}
    store = t.store.substitute(held).substitute(_loops(t, simplify(whole * lanes + v)))
    names = {NO_BUFFER - number: f"turned_{number}.at" for number in range(len(t.loads))}
    written = frozenset({t.store.src[0].arg.slot})
    body = stored_lines((gpu_types(simplify(store)),), names, written)
    turned = [
        f"    const auto turned_{number} = load_many<LANES>(tile_{number} "
        f"+ (given_m - across0) * {_row(length, load.dtype)} + (given_c * LANES - along0));"
        for number, load in enumerate(t.loads)
    ]
    return function("write", (Z, M, C), "void", [*turned, *body]) + WRITE


WRITE: Final = r"""
#pragma unroll
  for (int i = 0; i < MINE / LANES; ++i) {
    const int id = thread + i * THREADS;
    const i32 m = across0 + id / (ALONG / LANES), n = along0 + id % (ALONG / LANES) * LANES;
    if (m < SIZE_ACROSS && n < SIZE_ALONG) write(z, m, n / LANES);
  }"""


TRANSPOSE: Final = Template(
    "a transpose",
    transpose_of,
    lambda kernel, found, name, card, move: transpose_source(kernel, found, name, move),
    Turn,
)
