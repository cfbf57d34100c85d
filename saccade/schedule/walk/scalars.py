"""The way up, op by op: the scalar of a node at one place, from the scalars of its sources.

PAD     value where the place is inside, else 0
REDUCE  FOLD of the value over the ranges made for it
TOPK    one of the components of a FOLD, picked by the index along the k axis
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from ...graph import dtypes
from ...graph.kernels import kernel
from ...graph.monoid import ADD, SOFTMAX, Monoid
from ...graph.node import Node, const, index_const, is_const
from ...graph.ops import Op
from ...graph.rules.symbolic import simplify
from .draft import Request
from .movement import ZERO, Indices, flatten, source_indices

#: parts that take turns and become straight code, at most
MOST_PARTS = 32


def with_axis(indices: Indices, axis: int, index: Node) -> Indices:
    return (*indices[:axis], index, *indices[axis + 1 :])


def without_axis(indices: Indices, axis: int) -> Indices:
    return (*indices[:axis], *indices[axis + 1 :])


def padded(value: Node, inside: Node | None) -> Node:
    """A value that is there where `inside` holds, 0 elsewhere."""
    if inside is None:
        return value
    if value.op is Op.LOAD and len(value.src) == 3 and conjuncts(inside) <= conjuncts(value.src[2]):
        return value  # a load with that mask is 0 outside by itself; one below may have another mask only
    return inside.where(value, const(0, value.dtype))


def read_where(sources: tuple[Node, ...], partial: Collection[Node]) -> tuple[Node, ...]:
    """The sources of a choice. An element of memory that is only partly there is read where it is chosen: a
    choice computes both sides.

        where(p, load(m, i), y)  ->  where(p, load(m, i, p), y)
    """
    inside, value, other = sources
    if value.op is not Op.LOAD or value.src[0] not in partial:
        return sources
    valid = inside if len(value.src) == 2 else simplify(value.src[2] & inside)
    return inside, kernel.load(value.src[0], value.src[1], valid), other


def read_where_both(sources: tuple[Node, ...], partial: Collection[Node]) -> tuple[Node, ...]:
    """The same of a condition and an element that is one.

    p & load(m, i)  ->  p & load(m, i, p)
    """
    one, other = sources
    if other.op is Op.LOAD and other.src[0] in partial:
        return read_where((one, other, one), partial)[:2]
    return read_where((other, one, other), partial)[:2]


def conjuncts(condition: Node) -> frozenset[Node]:
    """What has to hold for it, each."""
    if condition.op is not Op.AND:
        return frozenset((condition,))
    return conjuncts(condition.src[0]) | conjuncts(condition.src[1])


def reduced(node: Node, request: Request, value: Node) -> Node:
    monoid: Monoid = node.arg[0]
    ranges = tuple(r for r in request.folded if r is not ZERO)
    if monoid.elements == 1:
        return kernel.fold(monoid, (value,), ranges) if ranges else value
    shape = tuple(node.src[0].shape[a] for a in node.arg[1])
    position = flatten(request.folded, shape)
    if not ranges:
        return index_const(0)
    return kernel.project(kernel.fold(monoid, (value, _narrow(position, prod(shape))), ranges), 1).cast(
        dtypes.int64
    )


def below_expansion(node: Node, indices: Indices) -> Indices:
    while node.op is Op.EXPAND or node.op is Op.CAST:
        indices = source_indices(node, indices)[0] if node.op is Op.EXPAND else indices
        node = node.src[0]
    return indices


def weighed(request: Request, score: Node, value: Node) -> Node:
    """The mean of the values: what the softmax monoid has summed over the total of its weights."""
    ranges = tuple(r for r in request.folded if r is not ZERO)
    if not ranges:
        return value
    folded = kernel.fold(SOFTMAX, (score, value), ranges)
    return kernel.project(folded, 2) / kernel.project(folded, 1)


def total_of(request: Request, score: Node) -> Node:
    """The logsumexp of the scores: the largest, and the logarithm of the sum below it."""
    ranges = tuple(r for r in request.folded if r is not ZERO)
    if not ranges:
        return score
    folded = kernel.fold(SOFTMAX, (score, const(1.0, score.dtype)), ranges)
    return kernel.project(folded, 0) + kernel.project(folded, 1).alu(Op.LOG)


def weighted(request: Request, weight: Node, value: Node) -> Node:
    ranges = tuple(r for r in request.folded if r is not ZERO)
    return kernel.fold(ADD, (weight * value,), ranges) if ranges else weight * value


def chosen(node: Node, request: Request, value: Node) -> Node:
    """Component idx of a top-k: picked by the index along the k axis."""
    k, axis, largest, want = node.arg
    position = request.folded[0]
    which = request.indices[axis]
    monoid = Monoid("topmax" if largest else "topmin", k)
    if position is ZERO:
        return value if want == "values" else index_const(0)
    folded = kernel.fold(monoid, (value, _narrow(position, node.src[0].shape[axis])), (position,))
    first = 0 if want == "values" else k
    result = kernel.project(folded, first + k - 1)
    for component in range(k - 2, -1, -1):
        result = which.eq(component).where(kernel.project(folded, first + component), result)
    return simplify(result.cast(node.dtype))


def _narrow(position: Node, size: int) -> Node:
    """Positions are carried along in 32 bits where they fit: twice as many to a register."""
    return position.cast(dtypes.int32) if size < dtypes.int32.max else position


def scanned(monoid: Monoid, value: Node, over: Node) -> Node:
    if over is ZERO:
        return value if monoid.elements == 1 else index_const(0)
    if monoid.elements == 1:
        return kernel.prefix(monoid, (value,), over)
    return kernel.project(kernel.prefix(monoid, (value, over), over), 1)


def narrowed(value: Node) -> Node:
    """What a tile holds of a value: integers as narrow as they come, widened where they are read."""
    source = value.src[0].dtype if value.op is Op.CAST else value.dtype
    plain = not (source.is_float or source.is_bool or value.dtype.is_float)
    return value.src[0] if plain and source.itemsize < value.dtype.itemsize else value


def parts_of(request: Request) -> int:
    """Of how many parts that take turns along a loop a value is one, as x of where(r % 2 < 1, x, y): each is
    made for its own share of the loop, in straight code."""
    parts = 1
    for condition in conjuncts(request.valid) if request.valid is not None else ():
        turn = next((s for s in condition.src if condition.op is Op.LT and not is_const(s)), condition)
        length = turn.src[1] if turn.op is Op.MOD and turn.src[0].op is Op.RANGE else turn
        if is_const(length) and 0 < length.arg <= MOST_PARTS:
            holds = [simplify(condition.substitute({turn: index_const(n)})) for n in range(length.arg)]
            if all(map(is_const, holds)):
                parts *= max(length.arg // max(sum(h.arg for h in holds), 1), 1)
    return parts
