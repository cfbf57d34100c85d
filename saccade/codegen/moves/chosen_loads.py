"""Loads of one memory that a condition chooses between are one load of a chosen place.

    where(i < 4, x[(4 - i) * 177 + j], x[(i - 4) * 177 + j])    ->    x[where(i < 4, 4 - i, i - 4) * 177 + j]

Rows of a picture that is padded by its reflection are read once so, in vectors along j, not once for each
place they may come from. Only where the condition is the same along a loop that both places advance with
alike: lanes that choose for themselves would each need an address. Reflected padding of 3 x 3 x 177 took 125
us of a Neoverse N1.
"""

from __future__ import annotations

from dataclasses import replace

from ...graph import dtypes
from ...graph.kernels.kernel import Kernel
from ...graph.node import Node, const, index_const, make
from ...graph.ops import Op
from ...graph.rules.sums import affine
from ...graph.rules.symbolic import coefficient_of, simplify


def with_chosen_loads(kernel: Kernel) -> Kernel:
    """The kernel with one load for two, as often as there are two."""
    while True:
        found = {n: one for n in kernel.nodes if (one := _one_load(kernel, n)) is not None}
        if not found:
            return kernel
        first = next(iter(found))
        kernel = replace(kernel, sink=kernel.sink.substitute({first: found[first]}))


def _one_load(kernel: Kernel, node: Node) -> Node | None:
    """The load that a choice between two loads is, or None."""
    if node.op is not Op.WHERE or any(n.op is not Op.LOAD for n in node.src[1:]):
        return None
    condition, first, second = node.src
    memory = first.src[0]
    if memory is not second.src[0] or memory.op is not Op.PARAM:
        return None
    places = [load.src[1] for load in (first, second)]
    shared = [r for r in kernel.order if r in node.ranges and r not in condition.ranges]
    alike = [r for r in shared if _moves_alike(places, r)]
    if not any(coefficient_of(places[0], r) in (1, -1) for r in alike):
        return None
    at = {r: index_const(0) for r in alike}
    index = _choice(condition, *[simplify(place.substitute(at)) for place in places])
    for r in alike:
        index = index + r * (coefficient_of(places[0], r) or 0)
    masks = [load.src[2] if len(load.src) == 3 else const(True, dtypes.bool_) for load in (first, second)]
    if all(len(load.src) == 2 for load in (first, second)):
        return make(Op.LOAD, node.dtype, (memory, simplify(index)))
    return make(Op.LOAD, node.dtype, (memory, simplify(index), simplify(_choice(condition, *masks))))


def chosen_places(sink: Node) -> Node:
    """The same with one load for two of a tile that a team exchanges, wherever each of them is: of a row
    whose first element comes again at its end `where(i < n, tile[i], tile[0])` is `tile[where(i < n, i, 0)]`.
    A choice by values, as the larger of two, needs both of them: `where(tile[i] < tile[j], tile[j], tile[i])`
    stays.
    """
    return sink.rebuilt(lambda node, src: _chosen_place(made := node.over(src)) or made)


def _chosen_place(node: Node) -> Node | None:
    """One load of a tile for a choice between two that are there where they are chosen, or None."""
    if node.op is not Op.WHERE or any(n.op is not Op.LOAD for n in node.src[1:]):
        return None
    condition, first, second = node.src
    tile = first.src[0]
    if tile is not second.src[0] or tile.op is not Op.STAGE or not tile.arg.exchanges:
        return None
    if any(n.op is Op.LOAD for n in condition.toposort()):
        return None
    there = len(first.src) == 2 or first.src[2] is condition
    if not there or not (len(second.src) == 2 or second.src[2] is _opposite(condition)):
        return None
    start = min(affine(load.src[1])[1] for load in (first, second))
    places = [simplify(load.src[1] - start) for load in (first, second)]
    return make(Op.LOAD, node.dtype, (tile, simplify(_choice(condition, *places) + start)))


def _opposite(condition: Node) -> Node | None:
    """n - 1 < i for i < n, and i < n + 1 for n < i."""
    if condition.op is not Op.LT:
        return None
    small, large = condition.src
    if large.op is Op.CONST:
        return const(large.arg - 1, large.dtype) < small
    return large < const(small.arg + 1, small.dtype) if small.op is Op.CONST else None


def _moves_alike(places: list[Node], r: Node) -> bool:
    steps = [coefficient_of(place, r) for place in places]
    return steps[0] is not None and steps[0] == steps[1]


def _choice(condition: Node, first: Node, second: Node) -> Node:
    return make(Op.WHERE, first.dtype, (condition, first, second))
