"""Exponentials, logarithms and what is made of them, for both float types: `Precision` has what differs.

    EXP(x)  ->  2**n * (1 + r + r**2 * p(r)),    n = round(x / log 2),  r = x - n * log 2
    LOG(x)  ->  e log 2 + log(1 + f),            x = (1 + f) * 2**e,  sqrt(1/2) <= 1 + f < sqrt(2)

`transcendental` has the numbers of float32 and `double` those of float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, const, make
from ...graph.ops import Op
from .bits import bits_of, float_of, left, right, with_sign_of

_LOG2_E: Final = 1 / math.log(2)


def fma(a: Node, b: Node | float, c: Node | float) -> Node:
    """a * b + c, rounded once."""
    b, c = (v if isinstance(v, Node) else const(v, a.dtype) for v in (b, c))
    return make(Op.FMA, a.dtype, (a, b, c))


def polynomial(x: Node, coefficients: tuple[float, ...]) -> Node:
    """Horner's rule, the constant first in `coefficients`."""
    result = const(coefficients[-1], x.dtype)
    for c in reversed(coefficients[:-1]):
        result = fma(result, x, c)
    return result


def in_pairs(x: Node, coefficients: tuple[float, ...]) -> Node:
    """The same as (a + b x) + (c + d x) x**2 + ..., by Horner's rule in x**2: half its latency, and half as
    many constants that are added to."""
    terms = [
        fma(const(b, x.dtype), x, a) for a, b in zip(coefficients[::2], coefficients[1::2], strict=False)
    ]
    if len(coefficients) % 2:
        terms.append(const(coefficients[-1], x.dtype))
    square, result = x * x, terms[-1]
    for term in reversed(terms[:-1]):
        result = fma(result, square, term)
    return result


@dataclass(frozen=True)
class Precision:
    """The numbers of a float type; exp(r) - 1 for |r| <= log(2) / 2, and log((1 + f) 2**e)."""

    dtype: DType
    #: bits of the fraction, what is added to exponents, and the bits of sqrt(1/2)
    places: int
    bias: int
    split: int
    #: log 2 in two parts, of which the first times an exponent is exact
    ln2: tuple[float, float]
    #: exp of more than this is infinite, and that of less is nothing beside 1
    most: float
    least: float
    #: powers of two that lift subnormals, and beyond which 1 + x loses nothing that counts
    lift: int
    far: int
    expm1_of_reduced: Callable[[Node], Node]
    log_of_parts: Callable[[Node, Node], Node]

    def number(self, value: float) -> Node:
        return const(value, self.dtype)

    @property
    def rounder(self) -> float:
        """Adding this rounds to an integer, which is then in the low bits of the sum."""
        return 1.5 * 2.0**self.places

    # --- exponentials

    def reduced(self, x: Node, shift: int) -> tuple[Node, Node]:
        """(the sum whose low bits hold n + shift, x - n log 2) for n = round(x / log 2)."""
        rounder = self.rounder + shift
        shifted = fma(x, _LOG2_E, rounder)
        n = shifted - self.number(rounder)
        return shifted, fma(n, -self.ln2[1], fma(n, -self.ln2[0], x))

    def exp_of_reduced(self, r: Node) -> Node:
        """exp(r) for |r| <= log(2) / 2."""
        return self.expm1_of_reduced(r) + self.number(1.0)

    def times_power(self, value: Node, shifted: Node) -> Node:
        """value * 2**n, where the low bits of `shifted` hold n + 2 bias; the result may be subnormal or
        infinite. For n = -2 bias it is zero times zero: what a mask of a softmax leaves out gets there.
        Between there and the subnormals, a product that is too small takes x86 150 cycles (causal attention,
        3 x 5 x 333 x 40, on a Cascade Lake: 9.8 -> 5.5 ms)."""
        bits = bits_of(shifted)
        half = right(bits, 1)
        # the high bits of the sum end in zeros or leave at the top, so only the two exponents remain
        return value * float_of(left(half, self.places)) * float_of(left(bits - half, self.places))

    def exp(self, x: Node) -> Node:
        near = x.maximum(self.number(-2 * self.bias * math.log(2))).minimum(self.number(self.most))
        shifted, r = self.reduced(near, 2 * self.bias)
        return self.times_power(self.exp_of_reduced(r), shifted)

    def exp2(self, x: Node) -> Node:
        x = x.maximum(self.number(-2.0 * self.bias)).minimum(self.number(self.bias + 2.0))
        rounder = self.number(self.rounder + 2 * self.bias)
        shifted = x + rounder
        r = (x - (shifted - rounder)) * self.number(math.log(2))
        return self.times_power(self.exp_of_reduced(r), shifted)

    def expm1(self, x: Node) -> Node:
        """2 (h p + h - 1/2) with h = 2**(n - 1) and p = exp(r) - 1: h is finite for every x, and near 0 only
        p is left."""
        near = x.maximum(self.number(self.least)).minimum(self.number(self.most))
        shifted, r = self.reduced(near, self.bias - 1)
        half = float_of(left(bits_of(shifted), self.places))
        value = fma(half, self.expm1_of_reduced(r), half - self.number(0.5))
        return x.eq(0.0).where(x, value + value)

    def half_exp(self, x: Node) -> Node:
        """exp(x) / 2 for x >= 0, which is finite a little longer."""
        shifted, r = self.reduced(x.minimum(self.number(self.most + 2.0)), 2 * self.bias)
        return self.times_power(self.exp_of_reduced(r), shifted - self.number(1.0))

    def sinh(self, x: Node, series: Callable[[Node], Node]) -> Node:
        """`series` is (sinh(x) / x - 1) / x**2, of x**2 for |x| <= 1."""
        magnitude = x.alu(Op.ABS)
        square = magnitude * magnitude
        small = fma(magnitude * square, series(square), magnitude)
        e = self.half_exp(magnitude)
        large = e - self.number(0.25) / e
        return with_sign_of((magnitude < self.number(1.0)).where(small, large), x)

    def cosh(self, x: Node) -> Node:
        e = self.half_exp(x.alu(Op.ABS))
        return e + self.number(0.25) / e

    # --- logarithms

    def exponent(self, bits: Node) -> Node:
        """e of m * 2**e with sqrt(1/2) <= m < sqrt(2), from the bits of a float that is not subnormal."""
        return right(bits - self.split, self.places)

    def as_float(self, e: Node) -> Node:
        return e.cast(dtypes.int32).cast(self.dtype)

    def split_exponent(self, x: Node) -> tuple[Node, Node]:
        """x = (1 + f) * 2**e as (f, e), subnormals included."""
        tiny = x < self.number(2.0 ** (1 - self.bias))
        bits = bits_of(tiny.where(x * self.number(2.0**self.lift), x))
        e = self.exponent(bits)
        lifted = tiny.where(self.number(float(self.lift)), self.number(0.0))
        return float_of(bits - left(e, self.places)) - self.number(1.0), self.as_float(e) - lifted

    def log(self, x: Node) -> Node:
        return at_the_ends(x, self.log_of_parts(*self.split_exponent(x)))

    def log1p(self, x: Node) -> Node:
        """The logarithm of 1 + x and of what its rounding lost, which is exact (a two-sum)."""
        one = self.number(1.0)
        total = x + one
        added = total - one
        lost = (one - (total - added)) + (x - added)
        bits = bits_of(total)  # 1 + x is never subnormal
        e = self.exponent(bits)
        scale = float_of(left(const(self.bias, e.dtype) - e.minimum(const(self.far, e.dtype)), self.places))
        f = fma(lost, scale, float_of(bits - left(e, self.places)) - one)
        return x.eq(0.0).where(x, at_the_ends(total, self.log_of_parts(f, self.as_float(e))))


def at_the_ends(x: Node, value: Node) -> Node:
    """log of 0, infinity, negative numbers and NaN. A constant chosen last would look like padding, which is
    branched around."""
    zero, infinity = const(0.0, x.dtype), const(math.inf, x.dtype)
    value = (zero <= x).where(value, const(math.nan, x.dtype))
    value = x.eq(zero).where(const(-math.inf, x.dtype), value)
    return x.eq(infinity).where(x, value)


@dataclass(frozen=True)
class ErrorFunction:
    """erf: a series near 0, (erf(x) / x - 1) over x**2 up to `near`; further out 1 - 2**q with
    q = log2(erfc(x)) up to `most`, where it is 1: a constant, the slope, and what x**2 is multiplied by.
    `power` is 2**f for |f| <= 1/2."""

    of: Precision
    near: float
    most: float
    series: tuple[float, ...]
    line: tuple[float, float]
    square: tuple[float, ...]
    power: Callable[[Node], Node]

    def __call__(self, x: Node) -> Node:
        number, rounder = self.of.number, self.of.number(self.of.rounder)
        magnitude = x.alu(Op.ABS).minimum(number(self.most))
        square = magnitude * magnitude
        small = fma(magnitude, in_pairs(square, self.series), magnitude)
        constant, slope = self.line
        rest = fma(in_pairs(magnitude, self.square), square, constant)
        shifted = fma(magnitude, slope, rest) + rounder
        # the fraction is taken from the parts of the exponent, which have more digits than their sum
        fraction = fma(magnitude, slope, rest - (shifted - rounder))
        large = number(1.0) - float_of(bits_of(self.power(fraction)) + left(bits_of(shifted), self.of.places))
        return with_sign_of((magnitude < number(self.near)).where(small, large), x)
