"""Kernels in the making: who asks for which value at which indices.

The scheduler walks the graph from the results down. Whoever needs a node's value at some indices leaves a
`Request` with it; when the walk reaches the node, all its requests are known, so where it lives is decided
once, with everything in view.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from ...graph.kernels.kernel import loop, range_size
from ...graph.node import Node, Shape
from ...graph.ops import Op
from .movement import ZERO, Indices


@dataclass(frozen=True)
class Context:
    """The loops around a request: the kernel's own (`outer`), then those of the folds and tiles it is
    inside (`inner`)."""

    outer: tuple[Node, ...]
    inner: tuple[Node, ...] = ()
    operand: bool = False  # a factor of a sum of products: read many times, but packed by codegen
    streamed: bool = False  # a score of a softmax in one pass: made tile by tile, never in memory

    def inside(self, free: frozenset[Node], ranges: tuple[Node, ...]) -> Context:
        """The context of the body of a fold over `ranges` that depends on `free`, and is computed outside
        all other loops."""
        depth = max((position + 1 for position, r in enumerate(self.inner) if r in free), default=0)
        outer = self.outer if depth else tuple(r for r in self.outer if r in free)
        return Context(outer, self.inner[:depth] + ranges, self.operand)

    def evaluations(self, free: frozenset[Node], can_hoist: bool) -> int:
        """How often a value that depends on `free` is computed here."""
        inside = [position for position, r in enumerate(self.inner) if r in free]
        if inside:
            return prod(map(range_size, self.outer)) * prod(map(range_size, self.inner[: inside[-1] + 1]))
        needed = [r for r in self.outer if r in free] if can_hoist else self.outer
        return prod(map(range_size, needed))


@dataclass(eq=False)
class Draft:
    """A kernel being put together: one loop per axis of what it stores."""

    number: int
    node: Node
    reason: str
    ranges: Indices = ()
    next_number: int = 0
    #: sets of outer ranges that hold a fold or a tile; each has to be a prefix of the loop order
    chain: list[frozenset[Node]] = field(default_factory=list)
    products: list[Node] = field(default_factory=list)  # the sums of products in it, the outermost first
    stores: list[Node] = field(default_factory=list)  # the tensor nodes it stores, `node` first
    part: Request | None = None  # of a part of a CAT: its value, and the bytes that come before it
    before: int = 0
    fold_ranges: dict[object, tuple[Node, ...]] = field(default_factory=dict)
    # how large it is already (see limits.py): operations and reductions, memories it reads, and nodes it has
    # asked for that are not placed yet, each of which may become a memory
    operations: int = 0
    folds: int = 0
    memories: set[Node] = field(default_factory=set)
    waiting: set[Node] = field(default_factory=set)
    #: loops over results that are parts of tiles, and how many parts a tile has: what they have in common is
    #: made once for all of them
    tiles: dict[Node, int] = field(default_factory=dict)
    #: of places and what they are worked out from: operations in a row
    steps: dict[Node, int] = field(default_factory=dict)

    @staticmethod
    def start(number: int, node: Node, reason: str, shape: Shape | None = None) -> Draft:
        draft = Draft(number, node, reason, stores=[node])
        draft.ranges = draft.new_ranges(node.shape if shape is None else shape)
        return draft

    def new_ranges(self, shape: Shape) -> Indices:
        """One new range per axis; an axis of one element needs none."""
        made = []
        for n in shape:
            made.append(ZERO if n == 1 else loop(self.next_number, n))
            self.next_number += n != 1
        return tuple(made)

    def steps_to(self, places: Indices) -> int:
        """The operations in a row that work out places."""
        known = self.steps
        for place in places:
            if place not in known:
                for node in place.toposort(lambda n: n not in known):
                    known[node] = 1 + max([known[s] for s in node.src], default=0)
        return max([known[place] for place in places], default=0)

    @property
    def outer(self) -> tuple[Node, ...]:
        return tuple(r for r in self.ranges if r is not ZERO)

    @property
    def contracts(self) -> bool:
        """Is there a sum of products in it?"""
        return bool(self.products)

    def fits(self, free: frozenset[Node]) -> bool:
        """Can the loops be ordered so that `free` come first, and those of every set accepted before?"""
        return all(free <= held or held <= free for held in self.chain)

    def hold(self, free: frozenset[Node]) -> None:
        if free not in self.chain:
            self.chain.append(free)

    def loop_order(self) -> tuple[Node, ...]:
        """The loops, those every fold and tile depends on first, otherwise in the order of the axes."""
        order: list[Node] = []
        for held in sorted(self.chain, key=len):
            order += [r for r in self.outer if r in held and r not in order]
        return (*order, *(r for r in self.outer if r not in order))


#: ("" or the role of a special request, kernel, indices, valid)
Key = tuple[str, int, Indices, Node | None]


@dataclass(eq=False)
class Request:
    """The value of a node, at `indices`, where `valid` holds, for one kernel."""

    draft: Draft
    indices: Indices
    valid: Node | None
    context: Context
    children: list[tuple[Node, Key]] = field(default_factory=list)
    folded: tuple[Node, ...] = ()  # the ranges a fold made for itself
    inside: Node | None = None  # where the index of a GATHER is in range
    tile: tuple[Node, ...] = ()  # the ranges of the tile this request fills
    # the longest way from the kernel's result to here: in operations, and in reductions and tiles
    depth: int = 0
    nested: int = 0
    steps: int = 0  # the operations in a row that work out its place
    by_teams: bool = False  # is a reduction beside it long enough for a team of threads?

    def key(self, role: str = "") -> Key:
        """What tells requests for one node apart; `role` marks those of the node itself (own, updates,
        tile)."""
        return (role, self.draft.number, self.indices, self.valid)

    def times_in_order(self, free: frozenset[Node]) -> int:
        """How often a value that depends on `free` is computed if no loop is moved for it."""
        loops = [r for r in self.draft.loop_order() if r in self.context.outer]
        inside = [position for position, r in enumerate(loops) if r in free]
        return prod(map(range_size, loops[: max(inside, default=-1) + 1]))

    @property
    def free(self) -> frozenset[Node]:
        """The loops this value depends on."""
        parts = [i.ranges for i in self.indices]
        if self.valid is not None:
            parts.append(self.valid.ranges)
        return frozenset().union(*parts)


def tiled_times(request: Request, times: int) -> int:
    """How often a value is computed that would be `times`, were it not the same for all parts of a tile."""
    places = request.indices if request.valid is None else (*request.indices, request.valid)
    for r, size in request.draft.tiles.items():
        tile = {r // size: ZERO}
        if r in request.free and not any(r in place.substitute(tile).ranges for place in places):
            times = times // range_size(r) * -(-range_size(r) // size)
    return times


def fold_free(node: Node, request: Request) -> frozenset[Node]:
    """The loops the fold of a REDUCE or TOPK depends on: not those that only choose among its k results."""
    if node.op is not Op.TOPK:
        return request.free
    axis = node.arg[1]
    parts = [i.ranges for position, i in enumerate(request.indices) if position != axis]
    if request.valid is not None:
        parts.append(request.valid.ranges)
    return frozenset().union(*parts)
