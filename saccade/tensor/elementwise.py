"""Arithmetic, one element at a time: operators, comparisons, bit operations, choice.

Each method promotes its operands as torch does, broadcasts them, and adds one node per primitive. What is not a
primitive of `graph.ops` is composed of primitives. The functions of analysis (exp, sin, ...) are in `analysis.py`.

    >>> (Tensor([1, 2]) + 0.5).dtype
    dtypes.float32
"""

from __future__ import annotations

from typing import Self

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.node import Node, Scalar
from ..graph.ops import Op
from . import build
from .casts import Casts
from .core import Core, Operand

_SCALARS = (bool, int, float)


def scalar_node(value: Scalar, dtype: DType) -> Node:
    """A constant of a dtype that can hold it; an integer that cannot raises instead of wrapping far."""
    if dtype.is_int and isinstance(value, int) and not -(1 << dtype.bits) < value < 1 << dtype.bits:
        raise OverflowError(
            f"{value} does not fit {dtype.name} ({dtype.min} to {dtype.max}): cast the tensor to a wider dtype"
        )
    return build.full(value, dtype, ())


class Elementwise(Casts):
    __slots__ = ()

    # --- bringing operands together

    def _pair(self, other: Operand, floats: bool = False) -> tuple[Node, Node]:
        """Both operands with one dtype and one shape; `floats` lifts integers to float32."""
        mine = self.node
        if isinstance(other, Core):
            theirs = other.node
            if (
                mine.dtype is theirs.dtype
                and mine.shape == theirs.shape
                and (mine.dtype.is_float or not floats)
            ):
                if mine.device != theirs.device:
                    same_device(mine, theirs)
                return mine, theirs
        elif isinstance(other, _SCALARS):
            dtype = dtypes.promote_scalar(mine.dtype, other)
            if floats and not dtype.is_float:
                dtype = dtypes.float32
            mine = build.cast(mine, dtype)
            return mine, build.broadcast(scalar_node(other, dtype), mine.shape)
        elif isinstance(other, np.generic):
            return self._pair(other.item(), floats)
        else:
            theirs = self._coerce(other).node
        dtype = build.result_type((mine, theirs))
        if floats and not dtype.is_float:
            dtype = dtypes.float32
        return _aligned((build.cast(mine, dtype), build.cast(theirs, dtype)))

    def _binary(self, op: Op, other: Operand, floats: bool = False) -> Self:
        left, right = self._pair(other, floats)
        return self._new(build.binary(op, left, right))

    def _reflected(self, op: Op, other: Operand, floats: bool = False) -> Self:
        right, left = self._pair(other, floats)
        return self._new(build.binary(op, left, right))

    def _unary(self, op: Op) -> Self:
        return self._new(build.unary(op, self.node))

    def _floating(self) -> Self:
        """Integers and bools as float32, as torch does before exp, sqrt and the like."""
        return self if self.node.dtype.is_float else self.cast(dtypes.float32)

    def _constant(self, value: Scalar) -> Self:
        """A constant with our dtype and shape."""
        return self._new(build.full(value, self.dtype, self.shape))

    def _no_bool(self, verb: str, remedy: str) -> None:
        if self.dtype.is_bool:
            raise TypeError(f"cannot {verb} bool tensors: {remedy}")

    # --- arithmetic

    def __add__(self, other: Operand) -> Self:
        return self._binary(Op.OR if self._both_bool(other) else Op.ADD, other)

    __radd__ = __add__

    def __mul__(self, other: Operand) -> Self:
        return self._binary(Op.AND if self._both_bool(other) else Op.MUL, other)

    __rmul__ = __mul__

    def __sub__(self, other: Operand) -> Self:
        if self._both_bool(other):
            raise TypeError("cannot subtract bool tensors: use a ^ b, or a & ~b")
        return self._binary(Op.SUB, other)

    def __rsub__(self, other: Operand) -> Self:
        if self._both_bool(other):
            raise TypeError("cannot subtract bool tensors: use a ^ b, or a & ~b")
        return self._reflected(Op.SUB, other)

    def __truediv__(self, other: Operand) -> Self:
        return self._binary(Op.DIV, other, floats=True)

    def __rtruediv__(self, other: Operand) -> Self:
        return self._reflected(Op.DIV, other, floats=True)

    def __floordiv__(self, other: Operand) -> Self:
        return self._floor_quotient(*self._pair(other))

    def __rfloordiv__(self, other: Operand) -> Self:
        right, left = self._pair(other)
        return self._floor_quotient(left, right)

    def _floor_quotient(self, left: Node, right: Node) -> Self:
        if left.dtype.is_float:
            return self._new(build.unary(Op.FLOOR, build.binary(Op.DIV, left, right)))
        self._no_bool("divide", "cast to an integer first")
        return self._new(build.binary(Op.IDIV, left, right))

    def __mod__(self, other: Operand) -> Self:
        self._no_bool("take remainders of", "cast to an integer first")
        return self._binary(Op.MOD, other)

    def __rmod__(self, other: Operand) -> Self:
        return self._reflected(Op.MOD, other)

    def __neg__(self) -> Self:
        self._no_bool("negate", "use ~x")
        return self._unary(Op.NEG)

    def __pos__(self) -> Self:
        return self

    def _both_bool(self, other: Operand) -> bool:
        if not self.node.dtype.is_bool:
            return False
        return isinstance(other, (bool, np.bool_)) or (
            not isinstance(other, (int, float)) and self._coerce(other).dtype.is_bool
        )

    def add(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self + other if alpha == 1 else self + self._scaled(other, alpha)

    def sub(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self - other if alpha == 1 else self - self._scaled(other, alpha)

    subtract = sub

    def _scaled(self, other: Operand, alpha: Scalar) -> Operand:
        return other * alpha if isinstance(other, (*_SCALARS, Core)) else self._coerce(other) * alpha

    def mul(self, other: Operand) -> Self:
        return self * other

    multiply = mul

    def div(self, other: Operand, *, rounding_mode: str | None = None) -> Self:
        if rounding_mode is None:
            return self / other
        if rounding_mode == "floor":
            return self // other
        if rounding_mode != "trunc":
            raise ValueError(f"unknown rounding_mode {rounding_mode!r}: use None, 'floor' or 'trunc'")
        left, right = self._pair(other)
        if left.dtype.is_float:
            return self._new(build.unary(Op.TRUNC, build.binary(Op.DIV, left, right)))
        return self._new(build.binary(Op.TDIV, left, right))

    divide = div
    true_divide = __truediv__

    def floor_divide(self, other: Operand) -> Self:
        return self // other

    def remainder(self, other: Operand) -> Self:
        """The remainder with the sign of the divisor, as Python's %."""
        return self % other

    def fmod(self, other: Operand) -> Self:
        """The remainder with the sign of the dividend, as C's fmod."""
        left, right = self._pair(other)
        if left.dtype.is_float:
            rest = build.binary(Op.MOD, build.unary(Op.ABS, left), build.unary(Op.ABS, right))
            negative = build.binary(Op.LT, left, build.full(0, left.dtype, left.shape))
            return self._new(build.where(negative, build.unary(Op.NEG, rest), rest))
        quotient = build.binary(Op.TDIV, left, right)
        return self._new(build.binary(Op.SUB, left, build.binary(Op.MUL, quotient, right)))

    def neg(self) -> Self:
        return -self

    negative = neg

    def reciprocal(self) -> Self:
        return self._floating()._unary(Op.RECIP)

    def square(self) -> Self:
        return self * self

    def abs(self) -> Self:
        return self if self.dtype.is_unsigned or self.dtype.is_bool else self._unary(Op.ABS)

    absolute = abs
    __abs__ = abs

    def sign(self) -> Self:
        """-1, 0 or 1; NaN stays."""
        if self.dtype.is_bool:
            return self
        one = self._constant(1)
        positive = (self > 0)._choose(one, self)
        return positive if self.dtype.is_unsigned else (self < 0)._choose(self._constant(-1), positive)

    sgn = sign

    def positive(self) -> Self:
        return self

    # --- powers

    def __pow__(self, exponent: Operand) -> Self:
        if isinstance(exponent, np.generic):
            exponent = exponent.item()
        if isinstance(exponent, _SCALARS):
            return self._power_of_constant(exponent)
        left, right = self._pair(exponent)
        if left.dtype.is_float:
            return self._new(build.binary(Op.POW, left, right))
        return self._integer_power(self._new(left), self._new(right))

    def _power_of_constant(self, exponent: Scalar) -> Self:
        base = self.cast(dtypes.promote_scalar(self.dtype, exponent))
        if not base.dtype.is_float:
            if exponent < 0:
                raise ValueError(
                    f"an integer tensor cannot be raised to {exponent}: cast it to a float first"
                )
            return base._repeated_product(int(exponent))
        if abs(exponent) <= 4 and exponent == int(exponent):
            whole = base._repeated_product(abs(int(exponent)))
            return whole if exponent >= 0 else whole._unary(Op.RECIP)
        if exponent == 0.5:
            return base._unary(Op.SQRT)
        if exponent == -0.5:
            return base._unary(Op.SQRT)._unary(Op.RECIP)
        return base._binary(Op.POW, exponent)

    def _repeated_product(self, exponent: int) -> Self:
        """x to a known whole power by squaring."""
        result, square = None, self
        while exponent:
            if exponent & 1:
                result = square if result is None else result * square
            exponent >>= 1
            if exponent:
                square = square * square
        return self._constant(1) if result is None else result

    def _integer_power(self, base: Self, exponent: Self) -> Self:
        """Integer powers with the wrap-around of multiplication; a negative power is 0 except of 1 and -1."""
        result = base._constant(1)
        square = base
        for bit in range(exponent.dtype.bits - (0 if exponent.dtype.is_unsigned else 1)):
            odd = ((exponent >> bit) & 1).cast(dtypes.bool_)
            result = odd._choose(result * square, result)
            square = square * square
        if exponent.dtype.is_unsigned:
            return result
        inverse = (base == 1)._choose(base, (base == -1)._choose(1 - 2 * (exponent & 1), base._constant(0)))
        return (exponent < 0)._choose(inverse, result)

    def __rpow__(self, base: Operand) -> Self:
        if isinstance(base, (int, float)) and base == 2 and self.dtype.is_float:
            return self._unary(Op.EXP2)
        right, left = self._pair(base)
        return self._new(left) ** self._new(right)

    def pow(self, exponent: Operand) -> Self:
        return self**exponent

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
        return self._binary(Op.EQ, other)

    def __ne__(self, other: Operand) -> Self:  # type: ignore[override]
        return self._binary(Op.NE, other)

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
        if left.dtype.is_float:
            raise TypeError(
                f"bit operations need integers or bools, not {self.dtype.name} and {other!r:.40}: cast first"
            )
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
        if self.dtype.is_float:
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
        return bool(other) if isinstance(other, _SCALARS) else self._coerce(other).cast(dtypes.bool_)

    # --- the larger, the smaller, the chosen

    def maximum(self, other: Operand) -> Self:
        return self._binary(Op.MAX, other)

    def minimum(self, other: Operand) -> Self:
        return self._binary(Op.MIN, other)

    def fmax(self, other: Operand) -> Self:
        """The larger one; a NaN loses."""
        return self._ignoring_nan(Op.MAX, other)

    def fmin(self, other: Operand) -> Self:
        """The smaller one; a NaN loses."""
        return self._ignoring_nan(Op.MIN, other)

    def _ignoring_nan(self, op: Op, other: Operand) -> Self:
        left, right = self._pair(other)
        both = build.binary(op, left, right)
        if not left.dtype.is_float:
            return self._new(both)
        chosen = build.where(build.unary(Op.ISNAN, right), left, both)
        return self._new(build.where(build.unary(Op.ISNAN, left), right, chosen))

    def clamp(self, min: Operand | None = None, max: Operand | None = None) -> Self:
        if min is None and max is None:
            raise ValueError("clamp needs min, max or both")
        low = self if min is None else self.maximum(min)
        return low if max is None else low.minimum(max)

    clip = clamp

    def clamp_min(self, min: Operand) -> Self:
        return self.maximum(min)

    def clamp_max(self, max: Operand) -> Self:
        return self.minimum(max)

    def where(self, condition: Operand, other: Operand) -> Self:
        """This value where the condition holds, else `other` (torch's order: `x.where(x > 0, 0)`)."""
        return self._coerce(condition)._choose(self, other)

    def _choose(self, yes: Operand, no: Operand) -> Self:
        """With a bool as self: `yes` where it holds, else `no`."""
        if not self.dtype.is_bool:
            raise TypeError(
                f"a condition is a bool tensor, not {self.dtype.name}: compare first, for instance x != 0"
            )
        tensors = [v if isinstance(v, _SCALARS) else self._coerce(v).node for v in (yes, no)]
        nodes = [v for v in tensors if isinstance(v, Node)]
        scalars = [v for v in tensors if not isinstance(v, Node)]
        dtype = build.result_type(nodes, scalars)
        first, second = (
            build.cast(v, dtype) if isinstance(v, Node) else scalar_node(v, dtype) for v in tensors
        )
        return self._new(build.where(*_aligned((self.node, first, second))))

    def masked_fill(self, mask: Operand, value: Operand) -> Self:
        chosen = self._coerce(mask)._choose(self._new(self._filling(value)), self)
        if chosen.shape != self.shape:
            raise ValueError(f"a mask of shape {self._coerce(mask).shape} does not broadcast to {self.shape}")
        return chosen

    def _filling(self, value: Operand) -> Node:
        if isinstance(value, _SCALARS):
            return scalar_node(value, self.dtype)
        filling = self._coerce(value)
        if filling.ndim:
            raise ValueError(f"masked_fill takes one value, not shape {filling.shape}: use where for more")
        return build.cast(filling.node, self.dtype)


def _aligned(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes broadcast to their common shape, all on one device."""
    same_device(*nodes)
    shape = build.broadcast_shapes(*[node.shape for node in nodes])
    return tuple([build.broadcast(node, shape) for node in nodes])


def same_device(*nodes: Node) -> None:
    devices = {node.device for node in nodes} - {None}
    if len(devices) > 1:
        listed = " and ".join(sorted(str(device) for device in devices))
        raise ValueError(f"operands live on different devices ({listed}): move one with .to(device)")


__all__ = ["Elementwise", "same_device", "scalar_node"]
