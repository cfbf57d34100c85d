"""The walk: from the results back to what is asked for, each node's cotangents added up before they go on.

A cotangent of a node has its shape and dtype. Integers, bools and what only chooses (comparisons, indices,
rounding) pass none on. The cotangent of a complex node a + bi is dL/da + i dL/db, as torch has it. Nothing is
computed here, and a gradient is a graph like any other: it can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ...graph.monoid import FIRST_OF_EQUALS
from ...graph.node import Node, walk
from ...graph.ops import Op
from ...graph.origin import differentiating
from . import custom
from .collective import COLLECTIVE, first_of_equals
from .elementwise import ELEMENTWISE, PARTS, logistic, logistic_slope, power_below, slope_of_power_below
from .movement import MOVEMENT
from .windows import WINDOWS

#: From a node and its cotangent to those of its sources; None where there is none.
Derivative = Callable[[Node, Node], Sequence[Node | None]]

DERIVATIVES: Final[Mapping[Op, Derivative]] = {**ELEMENTWISE, **PARTS, **MOVEMENT, **WINDOWS, **COLLECTIVE}
#: What ends a path: memory, constants, and functions that are flat wherever they have a slope.
_FLAT: Final = frozenset({
    Op.BUFFER, Op.PARAM, Op.CONST, Op.VALUE, Op.IOTA, Op.FLOOR, Op.CEIL, Op.TRUNC, Op.ROUND, Op.BITCAST,
})  # fmt: skip


class NoGradient(TypeError):
    """An op that has no derivative here; its name and what to do."""


def gradients(
    results: Sequence[Node],
    cotangents: Sequence[Node],
    wanted: Sequence[Node],
    past: Mapping[Node, Node] | None = None,
) -> list[Node | None]:
    """The gradient of the results, weighted by their cotangents, for each node that is wanted; None where
    they do not depend on it.

    `past` has the graphs that realised nodes were computed from: the walk goes on there, and their values
    are not computed again."""
    past = past or {}
    ends = frozenset(wanted)
    order = _dependent(results, ends, past)
    found: dict[Node, Node] = {}
    for result, cotangent in zip(results, cotangents, strict=True):
        if result in order:
            _add(found, result, cotangent)
    for node in reversed(order):
        whole = found.get(node)
        if whole is None or node in ends:
            continue
        if node in past:  # the same value, as it was computed
            _add(found, past[node], whole)
            continue
        with differentiating(node):
            for source, part in _parts(node, whole, ends):
                if part is not None and source in order:
                    _add(found, source, part)
    return [found.get(node) for node in wanted]


def _dependent(results: Sequence[Node], ends: frozenset[Node], past: Mapping[Node, Node]) -> dict[Node, None]:
    """The nodes between what is wanted and the results, sources first: those that pass cotangents on."""
    order: dict[Node, None] = {}
    for node in _walk(results, ends, past):
        sources = _sources(node, ends, past)
        if node in ends or (node.dtype.has_gradient and any(source in order for source in sources)):
            order[node] = None
    return order


def _sources(node: Node, ends: frozenset[Node], past: Mapping[Node, Node]) -> Sequence[Node]:
    """Where a cotangent of a node goes."""
    if node in ends:
        return ()
    if node in past:
        return (past[node],)
    return tuple(custom.arguments_of(node).values()) if custom.is_result(node) else node.src


def _walk(results: Sequence[Node], ends: frozenset[Node], past: Mapping[Node, Node]) -> list[Node]:
    """All nodes, sources first, through the past of what is realised."""
    if not past:
        return list(walk(tuple(results)))
    done: dict[Node, None] = {}
    stack = list(results)
    while stack:
        node = stack[-1]
        sources = () if node in ends else (past[node],) if node in past else node.src
        waiting = [source for source in sources if source not in done]
        if waiting and node not in done:
            stack += waiting
            continue
        stack.pop()
        done[node] = None
    return list(done)


def _parts(node: Node, cotangent: Node, ends: frozenset[Node]) -> Iterable[tuple[Node, Node | None]]:
    """What a node's cotangent adds to that of each of its sources."""
    if custom.is_result(node):
        return custom.cotangents(node, cotangent)
    if node.op is Op.BITCAST and node.arg == FIRST_OF_EQUALS:
        best = node.src[0]
        inside = best.op is Op.REDUCE and best not in ends
        return [(best.src[0], first_of_equals(best, cotangent)) if inside else (best, cotangent)]
    grown = logistic(node)
    if grown is not None and not ends.intersection((grown, *node.src)):
        return [(grown.src[0], logistic_slope(node, grown, cotangent))]
    x, n = power_below(node, ends)
    if n > 1:
        above = zip(node.src[:-1], _derivative(node, cotangent)[:-1], strict=True)
        return [*above, (x, slope_of_power_below(node, x, n, cotangent))]
    return zip(node.src, _derivative(node, cotangent), strict=True)


def _derivative(node: Node, cotangent: Node) -> Sequence[Node | None]:
    if node.op in _FLAT:
        return (None,) * len(node.src)
    derivative = DERIVATIVES.get(node.op)
    if derivative is None:
        raise NoGradient(
            f"{node.op.name} of {node.dtype.name} has no gradient: detach() what does not need one"
        )
    return derivative(node, cotangent)


def _add(found: dict[Node, Node], node: Node, part: Node) -> None:
    before = found.get(node)
    found[node] = part if before is None else before.alu(Op.ADD, part)
