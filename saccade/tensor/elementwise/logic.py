"""Comparison, bits and choice, one element at a time.

>>> x = Tensor([1, 5])
>>> ((x > 2) & (x < 9)).tolist(), x.where(x > 2, 0).tolist()
([False, True], [0, 5])
"""

from __future__ import annotations

from typing import Self

from ...graph import dtypes
from ...graph.node import Node
from ...graph.ops import Op
from .. import build
from ..core import Core, Operand
from ..operands import SCALARS, Operands, aligned, scalar_node


class Logic(Operands):
    __slots__ = ()

    # --- comparisons

    def __lt__(self, other: Operand) -> Self:
        return self._binary(Op.LT, other)

    def __le__(self, other: Operand) -> Self:
        return self._binary(Op.LE, other)

    def __gt__(self, other: Operand) -> Self:
        return self._reflected(Op.LT, other)

    def __ge__(self, other: Operand) -> Self:
        return self._reflected(Op.LE, other)

    def __eq__(self, other: Operand) -> Self:  # type: ignore[override]  # elementwise, as in torch and NumPy
        return NotImplemented if other is None else self._binary(Op.EQ, other)

    def __ne__(self, other: Operand) -> Self:  # type: ignore[override]
        return NotImplemented if other is None else self._binary(Op.NE, other)

    __hash__ = object.__hash__

    lt = less = __lt__
    le = less_equal = __le__
    gt = greater = __gt__
    ge = greater_equal = __ge__
    eq = __eq__
    ne = not_equal = __ne__

    # --- bits and logic

    def _bits(self, op: Op, other: Operand) -> Self:
        left, right = self._pair(other)
        if left.dtype.has_gradient:
            # the dtype, not the value: printing a tensor would compute it
            second = other.dtype.name if isinstance(other, Core) else f"{other!r:.40}"
            given = f"{self.dtype.name} and {second}"
            raise TypeError(f"bit operations need integers or bools, not {given}: cast first")
        return self._new(build.binary(op, left, right))

    def __and__(self, other: Operand) -> Self:
        return self._bits(Op.AND, other)

    def __or__(self, other: Operand) -> Self:
        return self._bits(Op.OR, other)

    def __xor__(self, other: Operand) -> Self:
        return self._bits(Op.XOR, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    bitwise_and, bitwise_or, bitwise_xor = __and__, __or__, __xor__

    def __invert__(self) -> Self:
        if self.dtype.has_gradient:
            raise TypeError(f"cannot invert the bits of {self.dtype.name}: cast to an integer or bool first")
        return self._unary(Op.NOT)

    bitwise_not = __invert__

    def _shift(self, op: Op, left: Node, right: Node) -> Self:
        if not left.dtype.is_int:
            raise TypeError(f"shifts need integers, not {left.dtype.name}: cast first")
        # a shift by the width or more leaves nothing, on every device
        bits = left.dtype.bits
        far = build.binary(Op.LE, build.full(bits, left.dtype, left.shape), right)
        near = build.where(far, build.full(0, left.dtype, left.shape), right)
        emptied = build.full(0, left.dtype, left.shape)
        if op is Op.SHR and not left.dtype.is_unsigned:
            emptied = build.binary(Op.SHR, left, build.full(bits - 1, left.dtype, left.shape))
        return self._new(build.where(far, emptied, build.binary(op, left, near)))

    def _known_shift(self, op: Op, amount: int) -> Self:
        if amount < 0:
            raise ValueError(f"cannot shift by {amount}: use the opposite shift by {-amount}")
        if self.dtype.is_bool:
            return self.cast(dtypes.int64)._known_shift(op, amount)
        if not self.dtype.is_int:
            raise TypeError(f"shifts need integers, not {self.dtype.name}: cast first")
        if amount >= self.dtype.bits:
            if op is Op.SHL or self.dtype.is_unsigned:
                return self._constant(0)
            amount = self.dtype.bits - 1
        return self._new(build.binary(op, self.node, build.full(amount, self.dtype, self.shape)))

    def __lshift__(self, other: Operand) -> Self:
        return (
            self._known_shift(Op.SHL, other)
            if isinstance(other, int)
            else self._shift(Op.SHL, *self._pair(other))
        )

    def __rshift__(self, other: Operand) -> Self:
        return (
            self._known_shift(Op.SHR, other)
            if isinstance(other, int)
            else self._shift(Op.SHR, *self._pair(other))
        )

    def __rlshift__(self, other: Operand) -> Self:
        right, left = self._pair(other)
        return self._shift(Op.SHL, left, right)

    def __rrshift__(self, other: Operand) -> Self:
        right, left = self._pair(other)
        return self._shift(Op.SHR, left, right)

    bitwise_left_shift, bitwise_right_shift = __lshift__, __rshift__

    def logical_not(self) -> Self:
        return ~self.cast(dtypes.bool_)

    def logical_and(self, other: Operand) -> Self:
        return self.cast(dtypes.bool_) & self._truth(other)

    def logical_or(self, other: Operand) -> Self:
        return self.cast(dtypes.bool_) | self._truth(other)

    def logical_xor(self, other: Operand) -> Self:
        return self.cast(dtypes.bool_) ^ self._truth(other)

    def _truth(self, other: Operand) -> Operand:
        return bool(other) if isinstance(other, SCALARS) else self._coerce(other).cast(dtypes.bool_)

    # --- the larger, the smaller, the chosen

    def maximum(self, other: Operand) -> Self:
        return self._binary(Op.MAX, other)

    def minimum(self, other: Operand) -> Self:
        return self._binary(Op.MIN, other)

    def fmax(self, other: Operand) -> Self:
        """The larger one; a NaN loses."""
        return self._better(Op.MAX, other, nan_loses=True)

    def fmin(self, other: Operand) -> Self:
        """The smaller one; a NaN loses."""
        return self._better(Op.MIN, other, nan_loses=True)

    def _better(self, op: Op, other: Operand, nan_loses: bool) -> Self:
        """The larger or smaller of two, chosen by a comparison: of two that are equal the first is taken, and
        has the whole gradient, which a maximum would share out. A NaN loses or wins."""
        left, right = self._pair(other)
        if not left.dtype.is_float:
            return self._new(build.binary(op, left, right))
        worse = build.binary(Op.LT, *((left, right) if op is Op.MAX else (right, left)))
        # of a number known when programs are made, nothing is left of the question
        second = build.binary(Op.OR, worse, build.unary(Op.ISNAN, left if nan_loses else right))
        return self._new(build.where(second, right, left))

    def clamp(self, min: Operand | None = None, max: Operand | None = None) -> Self:
        """No less than `min` and no more than `max`. What equals a bound has its whole gradient, as in
        torch."""
        if min is None and max is None:
            raise ValueError("clamp needs min, max or both")
        low = self if min is None else self.clamp_min(min)
        return low if max is None else low.clamp_max(max)

    clip = clamp

    def clamp_min(self, min: Operand) -> Self:
        return self._better(Op.MAX, min, nan_loses=False)

    def clamp_max(self, max: Operand) -> Self:
        return self._better(Op.MIN, max, nan_loses=False)

    def _beyond(self, op: Op, bound: float) -> Self:
        """The larger or smaller of x and a number, without a slope where x is that number."""
        left, right = self._pair(bound)
        if not left.dtype.is_float:
            return self._new(build.binary(op, left, right))
        order = (left, right) if op is Op.MAX else (right, left)
        return self._new(build.where(build.binary(Op.LE, *order), right, left))

    def where(self, condition: Operand, other: Operand) -> Self:
        """This value where the condition holds, else `other` (torch's order: `x.where(x > 0, 0)`)."""
        return self._coerce(condition)._choose(self, other)

    def _choose(self, yes: Operand, no: Operand) -> Self:
        """With a bool as self: `yes` where it holds, else `no`."""
        if not self.dtype.is_bool:
            raise TypeError(
                f"a condition is a bool tensor, not {self.dtype.name}: compare first, for instance x != 0"
            )
        tensors = [v if isinstance(v, SCALARS) else self._coerce(v).node for v in (yes, no)]
        nodes = [v for v in tensors if isinstance(v, Node)]
        scalars = [v for v in tensors if not isinstance(v, Node)]
        dtype = build.result_type(nodes, scalars)
        first, second = (
            build.cast(v, dtype) if isinstance(v, Node) else scalar_node(v, dtype) for v in tensors
        )
        return self._new(build.where(*aligned(self.node, first, second)))

    def masked_fill(self, mask: Operand, value: Operand) -> Self:
        chosen = self._coerce(mask)._choose(self._new(self._filling(value)), self)
        if chosen.shape != self.shape:
            raise ValueError(f"a mask of shape {self._coerce(mask).shape} does not broadcast to {self.shape}")
        return chosen

    def _filling(self, value: Operand) -> Node:
        if isinstance(value, SCALARS):
            return scalar_node(value, self.dtype)
        filling = self._coerce(value)
        if filling.ndim:
            raise ValueError(f"masked_fill takes one value, not shape {filling.shape}: use where for more")
        return build.cast(filling.node, self.dtype)
