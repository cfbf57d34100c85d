"""Values side by side: a few are chosen between by their place, many are written to their places.

    CAT of 3     ->  WHERE(place < 10, PAD(a), WHERE(place < 20, PAD(b), PAD(c)))   part of any kernel
    CAT of 5000  ->  CAT of 157 groups of 32: memory that each group is stored into, at its place

In: a graph with CATs. Out: one in which a CAT has too many parts for an expression, or is a result or stored
and its large parts are rather copied to their places. A CAT of a CAT along the same axis that nobody else
reads is one of all their parts, so `acc = acc.cat(row)` in a loop copies each row once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..graph import dtypes
from ..graph.node import Node, make, walk
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op
from ..graph.param import Rows
from ..graph.rewriting.passes import rewrite_pass
from ..graph.rewriting.rewrite import changed
from .stores import below_reshapes
from .terms import full, reshaped

#: parts of one expression, whose every element asks for the places of all of them
FEW = 32
#: bytes that are close together: a part of the second cache
NEAR = 256 * 1024
#: the same of parts that are only copied: half a page, so that each page is written from one end to the other
NEAR_COPIES = 2048
#: work of asking for one, in the unit of `schedule.cost`
ASKING = 6.0


@rewrite_pass("resolve concatenations")
def cats_resolved(roots: tuple[Node, ...], launch: float, copies: bool = False) -> tuple[Node, ...]:
    """The same results, with CATs of few parts as expressions and those of many in groups; a group has as
    many parts as take less work than the `launch` of one more kernel. With `copies`, CATs that are results
    or stored are in groups too, however few their parts, and padded rows that are results are three: where
    vectors are wide, choosing costs more than copying. Eight columns of 8 x 10,000 side by side took 673 us
    of a Neoverse N1, and take 95."""
    cats = [n for n in walk(roots) if n.op is Op.CAT]
    copied = {below_reshapes(root) for root in roots} | _stored(roots) if copies else set()
    copied = {node for node in copied if not _is_straight(node)}
    if not cats and not any(n.op is Op.PAD for n in copied):
        return roots
    inner = _inner(roots, cats)

    def change(made: Node, node: Node) -> Node:
        if node.op is Op.PAD and node in copied and (beside := _beside_padding(made)) is not None:
            node = made = beside
            copied.add(node)
        if _in_memory(node) and below_reshapes(made.src[0]).op is Op.CAT:
            return made.src[0]  # in memory of its own by now
        if node.op is not Op.CAT or node in inner:
            return made
        parts = _parts(node, made, inner)
        if len(parts) <= FEW and node not in copied:
            return _chosen(parts, node.arg)
        groups = [_chosen(group, node.arg) for group in _groups(parts, launch)]
        if len(groups) == 1:
            return groups[0]
        return make(Op.CAT, node.dtype, tuple(groups), node.arg)

    return changed(roots, change)


def _is_straight(node: Node) -> bool:
    """Is a CAT a stack of few parts that lie close together? Code for all of them at once writes it (see
    `codegen.moves.analysis.part_axes`): eight columns of 80,000 beside each other 1,207 -> 261 us, matrices
    of 20,000 quaternions 345 -> 135. Parts that are far apart are streams that slow each other down: the same
    columns one after the other take 205 us copied, and 335 at once. Where nothing is computed they do so
    earlier: two of 1001 x 777, row by row, take 1.9 ms of a Skylake at once and 1.1 copied. Those that read
    the same, as the results of a butterfly, would read it again for each."""
    if node.op is not Op.CAT or len(node.src) > FEW:
        return False
    copied = all(below_reshapes(part).op in (Op.PARAM, Op.BUFFER) for part in node.src)
    near = prod(node.shape[node.arg :]) * node.dtype.itemsize <= (NEAR_COPIES if copied else NEAR)
    single = all(part.shape[node.arg] == 1 for part in node.src)
    return single and (near or _read_the_same(node.src))


def _read_the_same(parts: tuple[Node, ...]) -> bool:
    """Is what values read mostly read by others of them too?"""
    reads = [_reads(part) for part in parts]
    return sum(map(len, reads)) >= 2 * len(frozenset().union(*reads)) > 0


def _reads(value: Node) -> frozenset[Node]:
    """What a value is computed from, element by element."""
    made: set[Node] = set()
    for node in value.toposort(lambda n: n.op in ELEMENTWISE or n.op in MOVEMENT):
        if node.op in ELEMENTWISE or not made.isdisjoint(node.src):
            made.add(node)
    return frozenset(s for node in made for s in node.src if s not in made)


def _stored(roots: tuple[Node, ...]) -> set[Node]:
    """CATs that somebody asked to have in memory."""
    below = [below_reshapes(node.src[0]) for node in walk(roots) if _in_memory(node)]
    return {node for node in below if node.op is Op.CAT}


def _in_memory(node: Node) -> bool:
    """Is it asked to be in memory as it is?"""
    return node.op is Op.CONTIGUOUS and not isinstance(node.arg, Rows)


def _inner(roots: tuple[Node, ...], cats: list[Node]) -> set[Node]:
    """CATs that are part of another along the same axis, and nothing else."""
    readers: dict[Node, list[Node]] = {cat: [] for cat in cats}
    for node in walk(roots):
        for source in node.src:
            if source.op is Op.CAT:
                readers[source].append(node)
    return {
        cat
        for cat, found in readers.items()
        if cat not in roots and len(found) == 1 and found[0].op is Op.CAT and found[0].arg == cat.arg
    }


def _parts(cat: Node, made: Node, inner: set[Node]) -> list[Node]:
    """All that is side by side in a CAT, in order; `made` is the CAT over its changed sources."""
    parts = []
    stack = [(cat, made)]
    while stack:
        node, new = stack.pop()
        if node is cat or node in inner:
            stack += zip(node.src[::-1], new.src[::-1], strict=True)
        else:
            parts.append(new)
    return parts


def _beside_padding(pad: Node) -> Node | None:
    """Rows beside their padding, if they are padded at all: PAD(x) -> CAT(zeros, x, zeros)."""
    axis = max((a for a, n in enumerate(pad.shape) if n > 1), default=0)
    if not any(pad.arg[axis]):
        return None
    rest = tuple((0, 0) if a == axis else amounts for a, amounts in enumerate(pad.arg))
    rows = make(Op.PAD, pad.dtype, pad.src, rest) if any(map(any, rest)) else pad.src[0]
    before, after = (
        [full(0, pad, (*rows.shape[:axis], n, *rows.shape[axis + 1 :]))] if n else [] for n in pad.arg[axis]
    )
    return make(Op.CAT, pad.dtype, (*before, rows, *after), axis)


def _groups(parts: list[Node], launch: float) -> list[list[Node]]:
    """Neighbours that are stored by one kernel."""
    groups: list[list[Node]] = []
    elements = 0
    for part in parts:
        elements += part.size
        if not groups or len(groups[-1]) == FEW or elements * (len(groups[-1]) + 1) * ASKING > launch:
            groups.append([])
            elements = part.size
        groups[-1].append(part)
    return groups


def _chosen(parts: Sequence[Node], axis: int) -> Node:
    """Each part is padded to the whole, and masks choose between them."""
    if len(parts) == 1:
        return parts[0]
    total = sum(part.shape[axis] for part in parts)
    shape = tuple(total if a == axis else n for a, n in enumerate(parts[0].shape))
    line = tuple(total if a == axis else 1 for a in range(len(shape)))
    place = _expanded(reshaped(make(Op.IOTA, dtypes.int64, (), total), line), shape)
    placed, start = [], 0
    for part in parts:
        n = part.shape[axis]
        amounts = tuple((start, total - start - n) if a == axis else (0, 0) for a in range(len(shape)))
        start += n
        placed.append((start, make(Op.PAD, part.dtype, (part,), amounts) if n < total else part))
    while len(placed) > 1:  # a tree, so that the choice among many parts is not deep
        pairs = []
        for (middle, left), (end, right) in zip(placed[::2], placed[1::2], strict=False):
            pairs.append((end, place.alu(Op.LT, full(middle, place)).alu(Op.WHERE, left, right)))
        placed = pairs + placed[len(placed) // 2 * 2 :]
    return placed[0][1]


def _expanded(node: Node, shape: tuple[int, ...]) -> Node:
    return node if node.shape == shape else make(Op.EXPAND, node.dtype, (node,), shape)
