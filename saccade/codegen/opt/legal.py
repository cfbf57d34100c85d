"""What a kernel must be for the lowering to be right: checked after every move, so that whatever is accepted
is correct.

Most moves cannot change a result by themselves (a loop is a loop). What can go wrong is a loop turned
into something the values around it do not allow:

    vector and unroll axes   a value has lanes along one axis only; a tile is one memory, not one for each lane or point; a loop
                             cannot end at a different place in each lane
    order                    a running reduction and stores that may meet in one place need their iterations in order
    parallel                 only the outermost loop, and only one whose number of iterations is known
"""

from __future__ import annotations

from ...graph.kernel import LOOP, PARALLEL, REGISTER_KINDS, UNROLL, VECTOR, Kernel
from ...graph.node import Node, own_ranges
from ...graph.ops import Op


class IllegalMove(ValueError):
    """A move that would change the result or that this kernel has no place for."""


def require_legal(kernel: Kernel) -> None:
    """Raise IllegalMove unless the kernel can be lowered as it is."""
    _require_order(kernel)
    vectors = sum(r.arg.kind == VECTOR for r in kernel.ranges())
    for node in kernel.nodes:
        op = node.op
        if op is Op.RANGE:
            _require_range(node)
        elif op is Op.STAGE:
            _require_tile(node)
        elif op is Op.PREFIX:
            _require_running(kernel, node)
        elif op is Op.STORE and len(node.src) == 4:
            registers = [r for r in (*node.ranges, *kernel.order) if r.arg.kind in REGISTER_KINDS]
            _refuse(registers, "a store that may not happen, or that combines, is made one element at a time")
        elif op is Op.FOLD:
            _require_fold(node)
        if vectors > 1:
            _require_one_vector(node)


def _refuse(axes: list[Node], reason: str) -> None:
    if axes:
        raise IllegalMove(f"axis {axes[0].arg.number} cannot be {axes[0].arg.kind}: {reason}")


def _require_order(kernel: Kernel) -> None:
    """Only the first loop is parallel."""
    inner = [r for r in kernel.ranges() if r.arg.kind == PARALLEL and r is not kernel.order[0]]
    _refuse(inner, "only the outermost loop can be")


def _require_range(node: Node) -> None:
    size = node.src[0]
    if size.op is Op.CONST:
        return
    if node.arg.kind != LOOP:
        _refuse([node], "it ends at a computed value")
    _refuse(
        [r for r in size.ranges if r.arg.kind in REGISTER_KINDS],
        f"axis {node.arg.number} ends at a value that depends on it",
    )


def _require_tile(node: Node) -> None:
    _refuse(
        [r for r in node.ranges if r.arg.kind in REGISTER_KINDS],
        f"tile {node.arg.number} is filled inside it: widen the tile first",
    )


def _require_running(kernel: Kernel, node: Node) -> None:
    """One accumulator runs along its loop: that loop is the innermost of those it depends on."""
    over = node.src[-1]
    if over.op is not Op.RANGE or over.arg.kind != LOOP or over not in kernel.order:
        raise IllegalMove("a running reduction needs its axis as a loop of its own")
    place = kernel.order.index(over)
    later = [r for r in kernel.order[place + 1 :] if r in node.ranges and r.arg.kind not in REGISTER_KINDS]
    if later:
        raise IllegalMove(
            f"axis {later[0].arg.number} cannot be inside axis {over.arg.number}, along which a reduction runs"
        )


def _require_fold(node: Node) -> None:
    """Pairs (a value and its index) are combined in order: an unrolled axis is inside the loops."""
    if node.arg.width == 1:
        return
    kinds = [r.arg.kind for r in own_ranges(node) if r.arg.kind != VECTOR]
    if UNROLL in kinds and LOOP in kinds[kinds.index(UNROLL) :]:
        unrolled = next(r for r in own_ranges(node) if r.arg.kind == UNROLL)
        _refuse([unrolled], f"{node.arg} takes its elements in order, and a loop is inside it")


def _require_one_vector(node: Node) -> None:
    lanes = [r for r in node.ranges if r.arg.kind == VECTOR]
    if node.op is Op.FOLD or node.op is Op.STAGE:
        lanes += [r for r in own_ranges(node) if r.arg.kind == VECTOR]
    if len(lanes) > 1:
        numbers = sorted(r.arg.number for r in lanes)
        raise IllegalMove(f"axes {numbers} cannot both be vector: a value has lanes along one axis")
