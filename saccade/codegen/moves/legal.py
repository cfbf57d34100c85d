"""What a kernel must be for the lowering to be right: checked after every move, so that whatever is accepted
is correct.

Most moves cannot change a result by themselves (a loop is a loop). What can go wrong is a loop turned
into something the values around it do not allow:

    vector, unroll   a value has lanes along one axis only; a tile is one memory, not one a lane; a loop
                     cannot end at a different place in each lane, nor have no iterations
    order            a running reduction, and stores that may meet in one place, need iterations in order
    parallel         only the outermost loop, and only one whose number of iterations is known
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...graph.kernels.kernel import LOOP, PARALLEL, REGISTER_KINDS, UNROLL, VECTOR, Kernel, is_update
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.rules.symbolic import coefficient_of


class IllegalMove(ValueError):
    """A move that would change the result or that this kernel has no place for."""


def require_legal(kernel: Kernel) -> None:
    """Raise IllegalMove unless the kernel can be lowered as it is."""
    for place, r in enumerate(kernel.order):
        if r.src[0].op is not Op.CONST and not r.src[0].ranges.isdisjoint(kernel.order[place:]):
            raise IllegalMove(f"axis {r.arg.number} ends at a value of a loop that is inside of it")
    for node in kernel.nodes:
        check = _CHECKS.get(node.op)
        if check is not None:
            check(kernel, node)


def _refuse(axes: list[Node], reason: str) -> None:
    if axes:
        raise IllegalMove(f"axis {axes[0].arg.number} cannot be {axes[0].arg.kind}: {reason}")


def _check_range(kernel: Kernel, node: Node) -> None:
    if node.arg.kind == PARALLEL and node is not kernel.order[0]:
        _refuse([node], "only the outermost loop can be")
    size = node.src[0]
    if size.op is Op.CONST:
        if size.arg == 0 and node.arg.kind in REGISTER_KINDS:
            _refuse([node], "it has no iterations, and registers hold some")
        return
    if node.arg.kind != LOOP:
        _refuse([node], "it ends at a computed value")
    _refuse(_registers(size), f"axis {node.arg.number} ends at a value that depends on it")


def _check_tile(kernel: Kernel, node: Node) -> None:
    _refuse(_registers(node), f"tile {node.arg.number} is filled inside it: widen the tile first")
    _check_lanes(node, own_ranges(node))


def _check_fold(kernel: Kernel, node: Node) -> None:
    """Pairs (a value and its index) are combined in order: an unrolled axis is inside the loops."""
    own = own_ranges(node)
    _check_lanes(node, own)
    if node.arg.width == 1:
        return
    kinds = [r.arg.kind for r in own if r.arg.kind != VECTOR]
    if UNROLL in kinds and LOOP in kinds[kinds.index(UNROLL) :]:
        unrolled = next(r for r in own if r.arg.kind == UNROLL)
        _refuse([unrolled], f"{node.arg} takes its elements in order, and a loop is inside it")


def _check_running(kernel: Kernel, node: Node) -> None:
    """One accumulator runs along its loop: that loop is the innermost of those it depends on."""
    over = node.src[-1]
    if over.op is not Op.RANGE or over.arg.kind != LOOP or over not in kernel.order:
        raise IllegalMove("a running reduction needs its axis as a loop of its own")
    place = kernel.order.index(over)
    later = [r for r in kernel.order[place + 1 :] if r in node.ranges and r.arg.kind not in REGISTER_KINDS]
    if later:
        inner, outer = later[0].arg.number, over.arg.number
        raise IllegalMove(f"axis {inner} cannot be inside axis {outer}, along which a reduction runs")


def _check_store(kernel: Kernel, node: Node) -> None:
    _check_lanes(node, ())
    if is_update(node):
        registers = [r for r in kernel.order if r.arg.kind in REGISTER_KINDS and not _has_lanes(node, r)]
        _refuse(registers, "a store that may not happen, or that combines, is made one element at a time")


def _has_lanes(update: Node, r: Node) -> bool:
    """Are the lanes of an axis neighbours in memory that are all updated, or none?"""
    together = r.arg.kind == VECTOR and r not in update.src[3].ranges
    return together and coefficient_of(update.src[1], r) == 1


def _check_lanes(node: Node, own: tuple[Node, ...]) -> None:
    """A value has lanes along one axis. Whatever had two would end in a fold, a tile or a store with both."""
    lanes = [r for r in (*node.ranges, *own) if r.arg.kind == VECTOR]
    if len(lanes) > 1:
        numbers = sorted(r.arg.number for r in lanes)
        raise IllegalMove(f"axes {numbers} cannot both be vector: a value has lanes along one axis")


def _registers(node: Node) -> list[Node]:
    return [r for r in node.ranges if r.arg.kind in REGISTER_KINDS]


_CHECKS: Final[dict[Op, Callable[[Kernel, Node], None]]] = {
    Op.RANGE: _check_range,
    Op.STAGE: _check_tile,
    Op.FOLD: _check_fold,
    Op.PREFIX: _check_running,
    Op.STORE: _check_store,
}
