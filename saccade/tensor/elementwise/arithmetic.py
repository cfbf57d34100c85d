"""Arithmetic, one element at a time: operators, quotients and remainders, powers.

Each method promotes its operands as torch does, broadcasts them, and adds one node per primitive. What is not
a primitive of `graph.ops` is composed of primitives.

    >>> (Tensor([1, 2]) + 0.5).dtype
    dtypes.float32
"""

from __future__ import annotations

from math import frexp
from typing import Self

import numpy as np

from ...graph import dtypes
from ...graph.constants import constant_of
from ...graph.node import Node, Scalar, make
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from .. import build
from ..core import Operand
from ..jit.number import is_number, require_divisor
from ..operands import SCALARS, aligned, scalar_node
from .logic import Logic

#: exponents of at most so many bits are taken apart in straight code; larger ones take a loop
FEW_BITS = 4
#: powers of complex numbers that are taken by squaring
WHOLE_POWERS = 64

#: named once: asking an enum for a member takes Python 3.11 as long as six names do
_ADD, _AND, _DIV, _MUL, _NEG = Op.ADD, Op.AND, Op.DIV, Op.MUL, Op.NEG
_OR, _SUB = Op.OR, Op.SUB


class Arithmetic(Logic):
    __slots__ = ()

    def __add__(self, other: Operand) -> Self:
        logic = self.node.dtype.is_bool and self._both_bool(other)
        return self._binary(_OR if logic else _ADD, other)

    __radd__ = __add__

    def __mul__(self, other: Operand) -> Self:
        logic = self.node.dtype.is_bool and self._both_bool(other)
        return self._binary(_AND if logic else _MUL, other)

    __rmul__ = __mul__

    def __sub__(self, other: Operand) -> Self:
        if self._both_bool(other):
            raise TypeError("cannot subtract bool tensors: use a ^ b, or a & ~b")
        return self._binary(_SUB, other)

    def __rsub__(self, other: Operand) -> Self:
        if self._both_bool(other):
            raise TypeError("cannot subtract bool tensors: use a ^ b, or a & ~b")
        return self._reflected(_SUB, other)

    def __truediv__(self, other: Operand) -> Self:
        return self._binary(_DIV, other, floats=True)

    def __rtruediv__(self, other: Operand) -> Self:
        return self._reflected(_DIV, other, floats=True)

    def __floordiv__(self, other: Operand) -> Self:
        self._check_divisor(other, "divide")
        return self._floor_quotient(*self._pair(other))

    def __rfloordiv__(self, other: Operand) -> Self:
        right, left = self._pair(other)
        return self._floor_quotient(left, right)

    def _floor_quotient(self, left: Node, right: Node) -> Self:
        if not left.dtype.is_float:
            return self._whole(Op.IDIV, left, right)
        quotient = build.binary(_DIV, left, right)
        constant = constant_of(right)
        if constant is not None and frexp(constant.arg)[0] in (0.5, -0.5):  # it divides without rounding
            return self._new(build.unary(Op.FLOOR, quotient))
        return self._new(_whole_quotient(left, right, quotient))

    def __mod__(self, other: Operand) -> Self:
        self._check_divisor(other, "take remainders of")
        return self._whole(Op.MOD, *self._pair(other))

    def __rmod__(self, other: Operand) -> Self:
        right, left = self._pair(other)
        return self._whole(Op.MOD, left, right)

    def _check_divisor(self, divisor: Operand, verb: str) -> None:
        if is_number(divisor):
            require_divisor(divisor)
        elif isinstance(divisor, int) and divisor == 0 and not self.dtype.is_float:
            raise ZeroDivisionError(f"cannot {verb} {self.dtype.name} by 0: cast to a float first")

    def _whole(self, op: Op, left: Node, right: Node) -> Self:
        """A quotient or remainder of numbers."""
        if left.dtype.is_bool:
            raise TypeError("cannot divide bool tensors: cast to an integer first")
        return self._new(build.binary(op, left, right))

    def __neg__(self) -> Self:
        self._no_bool("negate", "use ~x")
        return self._unary(_NEG)

    def __pos__(self) -> Self:
        return self

    def _both_bool(self, other: Operand) -> bool:
        if not self.node.dtype.is_bool:
            return False
        return isinstance(other, (bool, np.bool_)) or (
            not isinstance(other, (int, float, complex)) and self._coerce(other).dtype.is_bool
        )

    def add(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self + other if alpha == 1 else self + self._scaled(other, alpha)

    def sub(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self - other if alpha == 1 else self - self._scaled(other, alpha)

    subtract = sub

    def _scaled(self, other: Operand, alpha: Scalar) -> Operand:
        return other * alpha if isinstance(other, SCALARS) else self._coerce(other) * alpha

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
            return self._new(build.unary(Op.TRUNC, build.binary(_DIV, left, right)))
        self._check_divisor(other, "divide")
        return self._whole(Op.TDIV, left, right)

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
            return self._new(_signed_remainder(left, right))
        self._check_divisor(other, "take remainders of")
        quotient = self._whole(Op.TDIV, left, right).node
        return self._new(build.binary(_SUB, left, build.binary(_MUL, quotient, right)))

    def neg(self) -> Self:
        return -self

    negative = neg

    def reciprocal(self) -> Self:
        return self._floating()._unary(Op.RECIP)

    def square(self) -> Self:
        return self**2

    def abs(self) -> Self:
        return self if self.dtype.is_unsigned or self.dtype.is_bool else self._unary(Op.ABS)

    absolute = abs
    __abs__ = abs

    def _times_plus(self, factor: Self | float, addend: Self) -> Self:
        """self * factor + addend of one float dtype, rounded once."""
        by = scalar_node(factor, self.dtype) if isinstance(factor, float) else factor.node
        return self._new(make(Op.FMA, self.dtype, aligned(self.node, by, addend.node)))

    def sign(self) -> Self:
        """-1, 0 or 1; of NaN 0, as in torch."""
        if self.dtype.is_bool:
            return self
        if self.dtype.is_complex:
            return self._of_complex("sign")
        positive = (self > 0).cast(self.dtype)
        return positive if self.dtype.is_unsigned else (self < 0)._choose(self._constant(-1), positive)

    sgn = sign

    def _of_complex(self, name: str) -> Self:
        """A function of complex numbers that is no op."""
        return self._new(build.complex_rules().function(name, self.node))

    def positive(self) -> Self:
        return self

    # --- powers

    def __pow__(self, exponent: Operand) -> Self:
        if isinstance(exponent, np.generic):
            exponent = exponent.item()
        if isinstance(exponent, SCALARS):
            return self._power_of_constant(exponent)
        left, right = self._pair(exponent)
        if left.dtype.has_gradient:
            return self._new(build.binary(Op.POW, left, right))
        bits = _bits(self._coerce(exponent).node)
        if bits > FEW_BITS:
            return self._new(build.binary(Op.IPOW, left, right))
        return self._integer_power(self._new(left), self._new(right), bits)

    def _power_of_constant(self, exponent: Scalar | complex) -> Self:
        base = self.cast(dtypes.promote_scalar(self.dtype, exponent))
        if isinstance(exponent, complex) or base.dtype.is_complex:
            return base._complex_power(complex(exponent))
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

    def _complex_power(self, exponent: complex) -> Self:
        """Whole powers are products, so that they are exact where products are."""
        if exponent.imag == 0 and abs(exponent.real) <= WHOLE_POWERS and exponent.real.is_integer():
            whole = self._repeated_product(abs(int(exponent.real)))
            return whole if exponent.real >= 0 else whole._unary(Op.RECIP)
        return self._unary(Op.SQRT) if exponent == 0.5 else self._binary(Op.POW, exponent)

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

    def _integer_power(self, base: Self, exponent: Self, bits: int) -> Self:
        """Integer powers with the wrap-around of multiplication, for exponents of at most so many bits; a
        negative power is 0 except of 1 and -1."""
        result = base._constant(1)
        square = base
        for bit in range(bits):
            odd = ((exponent >> bit) & 1).cast(dtypes.bool_)
            result = odd._choose(result * square, result)
            square = square * square
        if exponent.dtype.is_unsigned:
            return result
        inverse = base.eq(1)._choose(base, base.eq(-1)._choose(1 - 2 * (exponent & 1), base._constant(0)))
        return (exponent < 0)._choose(inverse, result)

    def __rpow__(self, base: Operand) -> Self:
        if isinstance(base, (int, float)) and base == 2 and self.dtype.is_float:
            return self._unary(Op.EXP2)
        right, left = self._pair(base)
        return self._new(left) ** self._new(right)

    def pow(self, exponent: Operand) -> Self:
        return self**exponent


def _signed_remainder(left: Node, right: Node) -> Node:
    """The remainder of floats with the sign of the dividend."""
    negative = build.binary(Op.LT, left, build.full(0, left.dtype, left.shape))
    size = build.where(negative, build.unary(_NEG, left), left)  # not |x|, whose slope at 0 is 0
    rest = build.binary(Op.MOD, size, build.unary(Op.ABS, right))
    return build.where(negative, build.unary(_NEG, rest), rest)


def _whole_quotient(left: Node, right: Node, quotient: Node) -> Node:
    """How often `right` fits into `left` (Python's //): 1.0 // 0.1 is 9, although 1.0 / 0.1 rounds to 10."""
    zero = build.full(0, left.dtype, left.shape)
    rest = _signed_remainder(left, right)
    whole = build.binary(_DIV, build.binary(_SUB, left, rest), right)
    opposite = build.binary(Op.NE, build.binary(Op.LT, rest, zero), build.binary(Op.LT, right, zero))
    below = build.binary(_AND, opposite, build.binary(Op.NE, rest, zero))
    whole = build.where(below, build.binary(_SUB, whole, build.full(1, left.dtype, left.shape)), whole)
    whole = build.unary(Op.ROUND, whole)
    signed_zero = build.binary(_MUL, quotient, zero)
    whole = build.where(build.binary(Op.EQ, whole, zero), signed_zero, whole)
    return build.where(build.binary(Op.EQ, right, zero), quotient, whole)


def _bits(exponent: Node) -> int:
    """How many bits the largest of some integers has, by their type and by what they were made of."""
    from ...graph.rules.bounds import bounds  # few programs raise integers to integers

    return max(int(bounds(_anywhere(exponent))[1]), 0).bit_length()


def _anywhere(node: Node, levels: int = 8) -> Node:
    """An element of a tensor, wherever it is: an expression whose interval holds them all. What lies deeper
    than so many levels may be anything of its type."""
    while node.op in MOVEMENT and node.op is not Op.PAD:
        node = node.src[0]
    if node.op is Op.CONST:
        return node
    if node.op in ELEMENTWISE and levels:
        return make(node.op, node.dtype, tuple(_anywhere(s, levels - 1) for s in node.src), node.arg)
    return make(Op.PARAM, node.dtype, (), ("element", node.dtype.name))
