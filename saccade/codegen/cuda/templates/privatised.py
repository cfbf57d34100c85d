"""Updates that are added to a small target, privatised: histograms, counts, sums of few groups.

    target[index(i)] += value(i)      for millions of i and a few thousand places

Atomic operations on one place of memory wait for each other across the whole card. Here every block adds to a
copy of the target in its shared memory, several warps to copies of their own where these are small, and the
sums are added to the target once, at the end. In any order, like all updates that meet (`segments`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Final

from ....graph import dtypes
from ....graph.kernels.kernel import UNROLL, Kernel, loop, range_size
from ....graph.node import Node, make
from ....graph.ops import NESTS, Op
from ....graph.rules.symbolic import simplify
from ....runtime.program import Source
from ...linear.code import Memory
from ...linear.gpu.code import NO_BUFFER, WARP
from ..pieces import C, Piece, V, given
from ..prelude import COMMON, PRELUDE, kernel_head
from ..renderer import pointer, type_name
from ..schemes.layout import digits, is_next
from ..search.moves import Card
from ..types import gpu_types
from .template import Template

#: threads of a block, neighbours that each takes at once, blocks of a processor
THREADS, EACH, BLOCKS = 256, 4, 4
#: bytes of the largest target that is copied, and of the copies of a small one
LARGEST, COPIES = 32 * 1024, 16 * 1024
#: places of floats, which shared memory adds by comparing and swapping: with more of them memory is faster
FLOAT_PLACES = 1024
#: updates of a block for each place of its copy, which is cleared and added in the end
UPDATES = 8
_DTYPES = frozenset(
    {dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64}
)


@dataclass(frozen=True)
class Updates:
    """A kernel whose one store adds `points` values to `places` of a target."""

    store: Node
    places: int
    points: int

    @property
    def bytes(self) -> int:
        return self.places * self.store.src[0].dtype.itemsize

    def blocks(self, card: Card) -> int:
        """As many as have enough to do."""
        busy = min(self.points // (UPDATES * self.places), -(-self.points // (THREADS * EACH)))
        return max(1, min(BLOCKS * card.processors, busy))

    def copies(self) -> int:
        return max(1, min(THREADS // WARP, COPIES // self.bytes))


def updates_of(kernel: Kernel) -> Updates | None:
    """The updates a kernel makes, if their target fits into shared memory and they are many for it."""
    if len(kernel.sink.src) != 1 or any(n.op in NESTS for n in kernel.nodes):
        return None
    (store,) = kernel.sink.src
    target = store.src[0]
    if store.arg != "add" or target.op is not Op.PARAM or target.dtype not in _DTYPES:
        return None
    if any(r.src[0].op is not Op.CONST for r in kernel.order) or any(
        n.op is Op.LOAD and n.src[0] is target for n in kernel.nodes
    ):
        return None
    found = Updates(store, target.arg.size, prod(map(range_size, kernel.order)))
    many = UPDATES * found.places * Card.processors // 2
    if target.dtype.is_float and found.places > FLOAT_PLACES:
        return None
    return found if found.bytes <= LARGEST and many <= found.points < 1 << 31 else None


def updates_source(kernel: Kernel, found: Updates, name: str, card: Card) -> Source:
    """The source of a kernel that adds to a small target."""
    places, copies, grid = found.places, found.copies(), found.blocks(card)
    target = found.store.src[0]
    value = type_name(target.dtype)
    memories = [m for m in kernel.nodes if m.op is Op.PARAM]
    slots, chunks = len(kernel.params), -(-found.points // EACH)
    sums = " + ".join(f"copies[place + {copy * places}]" for copy in range(copies))
    text = f"""{PRELUDE}{COMMON}
{kernel_head(name, slots, THREADS)}
{chr(10).join(pointer(m.dtype, m.arg.slot) for m in memories)}
  extern __shared__ uint4 shared_memory[];
  {value} *const copies = reinterpret_cast<{value} *>(shared_memory);
  const i32 thread = (i32)(u32)threadIdx.x;
  {value} *const own = copies + thread / {WARP} % {copies} * {places};
  for (i32 place = thread; place < {copies * places}; place += {THREADS}) copies[place] = ({value})0;
  team_barrier({THREADS});
{_update(kernel, found)}
  for (i64 chunk = (i64)(u32)blockIdx.x * {THREADS} + thread; chunk < {chunks}; chunk += {grid * THREADS}) {{
    update((i32)chunk);
  }}
  team_barrier({THREADS});
  for (i32 place = thread; place < {places}; place += {THREADS}) {{
    const {value} sum = {sums};
    if (sum != ({value})0) atomic_add(p{target.arg.slot} + place, sum);
  }}
}}
"""
    return Source(
        name, text, tasks=grid * THREADS, params=slots, grid=grid, block=THREADS,
        shared=-(-copies * found.bytes // 16) * 16,
    )  # fmt: skip


def _update(kernel: Kernel, found: Updates) -> str:
    """`update(chunk)` adds some neighbouring values to the block's own copy."""
    v = loop(V, EACH, UNROLL)
    place = given(C, -(-found.points // EACH)) * EACH + v
    store, inside = found.store, None
    if found.points % EACH:
        inside, place = place < found.points, place.minimum(found.points - 1)
    mapping = digits(_in_memory_order(kernel), simplify(place))
    src = [s.substitute(mapping) for s in store.src]
    if inside is not None:
        src[3:] = [inside & src[3] if len(src) == 4 else inside]
    whole = make(Op.SINK, dtypes.bool_, (make(Op.STORE, store.dtype, tuple(src), store.arg),))
    (made,) = gpu_types(simplify(whole)).src
    piece = Piece(made)
    lanes = [r for r in made.toposort() if r.op is Op.RANGE and r.arg.number == V]
    piece.kernel = replace(piece.kernel, order=tuple(lanes) or (v,))
    piece.memories[made.src[0]] = Memory("own", made.src[0].dtype, NO_BUFFER)
    piece.store(made)
    lines = piece.lines(frozenset({store.src[0].arg.slot}))
    return "\n".join(["  const auto update = [&](i32 given_c) {", *lines, "  };"])


def _in_memory_order(kernel: Kernel) -> tuple[Node, ...]:
    """The loops, last the one along which most is read side by side."""
    loads = [n for n in kernel.nodes if n.op is Op.LOAD]
    return tuple(sorted(kernel.order, key=lambda r: sum(is_next(load, r) for load in loads)))


PRIVATISED: Final = Template(
    "updates of a private copy",
    updates_of,
    lambda kernel, found, name, card, move: (updates_source(kernel, found, name, card), None),
)
