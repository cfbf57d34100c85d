"""The functions of analysis, one element at a time: exponentials, circular and hyperbolic functions,
rounding, activations.

Integers become float32 first, as in torch. A function composed of several primitives is computed in float32
for the half types and rounded once at the end.

    >>> Tensor([0.0]).gelu().tolist()
    [0.0]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Self

from ...graph import dtypes
from ...graph.node import Scalar
from ...graph.ops import Op
from .. import build
from ..core import Operand
from ..operands import SCALARS
from .arithmetic import Arithmetic
from .casts import Casts


class Analysis(Arithmetic, Casts):
    __slots__ = ()

    def _wide(self, function: Callable[[Self], Self]) -> Self:
        """A composed function, computed in at least float32 and rounded once."""
        x = self._floating()
        if x.dtype.bits >= 32:
            return function(x)
        return function(x.cast(dtypes.float32)).cast(x.dtype)

    # --- roots, exponentials, logarithms

    def sqrt(self) -> Self:
        return self._floating()._unary(Op.SQRT)

    def rsqrt(self) -> Self:
        return self._floating()._unary(Op.SQRT)._unary(Op.RECIP)

    def exp(self) -> Self:
        return self._floating()._unary(Op.EXP)

    def exp2(self) -> Self:
        return self._floating()._unary(Op.EXP2)

    def expm1(self) -> Self:
        """exp(x) - 1 without cancellation near zero."""
        return self._floating()._unary(Op.EXPM1)

    def log(self) -> Self:
        return self._floating()._unary(Op.LOG)

    def log2(self) -> Self:
        return self._floating()._unary(Op.LOG2)

    def log10(self) -> Self:
        return self._wide(lambda x: x.log() * (1 / math.log(10)))

    def log1p(self) -> Self:
        """log(1 + x) without cancellation near zero."""
        return self._floating()._unary(Op.LOG1P)

    def logaddexp(self, other: Operand) -> Self:
        """log(exp(x) + exp(y)), from the larger one so that nothing overflows."""
        left, right = self._pair(other, floats=True)
        x, y = self._new(left), self._new(right)
        larger, same = x.maximum(y), x.eq(y)
        gap = same._choose(0.0, (x > y)._choose(y - x, x - y))  # not -|x - y|, which has no slope at NaN
        together = larger + gap.exp().log1p()
        return same._choose(larger + math.log(2), (larger.isinf())._choose(larger, together))

    def logit(self, eps: float | None = None) -> Self:
        """log(x / (1 - x)). At 0 and 1 log(x) and -log(1 - x), which have a slope there: the ratio's would be
        NaN."""

        def function(x: Self) -> Self:
            one = x.eq(1)
            end = one | x.eq(0)
            inside = end._choose(0.5, x)
            ratio = end._choose(one._choose(1 - x, x), inside / (1 - inside))
            return ratio.log() * one._choose(-1.0, x._constant(1.0))

        return (self if eps is None else self.clamp(eps, 1 - eps))._wide(function)

    def xlogy(self, other: Operand) -> Self:
        """x * log(y), 0 where x is 0."""
        left, right = self._pair(other, floats=True)
        x, y = self._new(left), self._new(right)
        # where x is 0 the slope by x is log(y), as far as that is finite
        log = (x.eq(0) & ((y <= 0) | y.isinf()))._choose(0.0, y.log())
        return (y.isnan())._choose(y, x * log)

    # --- circular and hyperbolic

    def sin(self) -> Self:
        return self._floating()._unary(Op.SIN)

    def cos(self) -> Self:
        return self._floating()._unary(Op.COS)

    def tan(self) -> Self:
        return self._floating()._unary(Op.TAN)

    def asin(self) -> Self:
        return self._floating()._unary(Op.ASIN)

    def acos(self) -> Self:
        return self._floating()._unary(Op.ACOS)

    def atan(self) -> Self:
        return self._floating()._unary(Op.ATAN)

    def atan2(self, other: Operand) -> Self:
        return self._binary(Op.ATAN2, other, floats=True)

    def sinh(self) -> Self:
        return self._floating()._unary(Op.SINH)

    def cosh(self) -> Self:
        return self._floating()._unary(Op.COSH)

    def tanh(self) -> Self:
        return self._floating()._unary(Op.TANH)

    def asinh(self) -> Self:
        if self.dtype.is_complex:
            return self._of_complex("asinh")

        def function(size: Self) -> Self:
            # beyond 1e8 the square would overflow, and log(2x) is exact to float64
            large = size > 1e8
            far, x = large._choose(size, 1.0), large._choose(1.0, size)
            near = (x + x * x / (1 + (x * x + 1).sqrt())).log1p()
            return large._choose(far.log() + math.log(2), near)

        return self._wide(lambda x: x._odd(function))

    def acosh(self) -> Self:
        if self.dtype.is_complex:
            return self._of_complex("acosh")

        def function(x: Self) -> Self:
            large = x > 1e8
            far, above = large._choose(x, 1.0), large._choose(1.0, x - 1)
            # two roots: that of the product has the slope infinity times 0 at 1
            near = (above + above.sqrt() * (above + 2).sqrt()).log1p()
            return large._choose(far.log() + math.log(2), near)

        return self._wide(function)

    def atanh(self) -> Self:
        if self.dtype.is_complex:
            return self._of_complex("atanh")

        def function(size: Self) -> Self:
            # at 1 -log(1 - x), which has a slope there: that of the ratio would be NaN
            one = size.eq(1)
            inside = one._choose(0.5, size)
            ratio = one._choose(-size, 2 * inside / (1 - inside))
            return ratio.log1p() * one._choose(-0.5, size._constant(0.5))

        return self._wide(lambda x: x._odd(function))

    def _odd(self, function: Callable[[Self], Self]) -> Self:
        """f(|x|) with the sign of x, where f(0) is 0. Signs are factors, so that the slope at 0 is f's: that
        of |x| is 0 there."""
        sign = self.signbit()._choose(-1.0, self._constant(1.0))
        return function(self * sign) * sign

    arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
    arcsinh, arccosh, arctanh = asinh, acosh, atanh

    def hypot(self, other: Operand) -> Self:
        """The length of (x, y), scaled by the larger so that squares neither overflow nor vanish."""
        left, right = self._pair(other, floats=True)
        if left.dtype.is_complex:
            raise TypeError(f"hypot is not defined for {left.dtype.name}: use abs(x) and abs(y)")
        x, y = self._new(left), self._new(right)
        # signs stay, and the larger is chosen, not computed: at y = 0 this bends by 1 / |x|, as abs does not
        swapped, endless = y.abs() > x.abs(), x.isinf() | y.isinf()
        larger, smaller = swapped._choose(y, x), swapped._choose(x, y)
        ratio = smaller / (larger.eq(0) | endless)._choose(1.0, larger)
        length = endless._choose(0.0, larger).abs() * (endless._choose(0.0, ratio).square() + 1).sqrt()
        return endless._choose(x.isinf()._choose(x, y).abs(), length)

    def deg2rad(self) -> Self:
        return self * (math.pi / 180)

    def rad2deg(self) -> Self:
        return self * (180 / math.pi)

    def erf(self) -> Self:
        return self._floating()._unary(Op.ERF)

    def sinc(self) -> Self:
        """sin(pi x) / (pi x), 1 at 0."""

        def function(x: Self) -> Self:
            angle = x * math.pi
            # near 0 the first terms of its series, which have a slope there too
            small = angle.abs() < 1e-3
            safe, near = small._choose(1.0, angle), small._choose(angle, 0.0)
            square = near * near
            # by multiplication: a division takes longer than all of the rest but the sine
            return small._choose(1 - square * (1 / 6) * (1 - square * (1 / 20)), safe.sin() / safe)

        return self._wide(function)

    # --- rounding and parts

    def _rounded(self, op: Op) -> Self:
        return self._unary(op) if self.dtype.has_gradient else self

    def floor(self) -> Self:
        return self._rounded(Op.FLOOR)

    def ceil(self) -> Self:
        return self._rounded(Op.CEIL)

    def trunc(self) -> Self:
        return self._rounded(Op.TRUNC)

    fix = trunc

    def round(self, decimals: int = 0) -> Self:
        """To the nearest, halves to even."""
        if decimals < 0 and not self.dtype.is_float:
            raise TypeError(f"round(decimals={decimals}) needs floats, not {self.dtype.name}: cast first")
        if decimals == 0 or not self.dtype.has_gradient:
            return self._rounded(Op.ROUND)
        scale = 10.0 ** abs(decimals)
        return (self * scale).round() / scale if decimals > 0 else (self / scale).round() * scale

    def frac(self) -> Self:
        return self - self.trunc()

    def isnan(self) -> Self:
        return self._unary(Op.ISNAN) if self.dtype.has_gradient else self._never()

    def isinf(self) -> Self:
        if self.dtype.is_complex:
            return self._of_complex("isinf")
        return self.abs().eq(math.inf) if self.dtype.is_float else self._never()

    def isfinite(self) -> Self:
        if self.dtype.is_complex:
            return self._of_complex("isfinite")
        return self.abs() < math.inf if self.dtype.is_float else ~self._never()

    def isposinf(self) -> Self:
        self._need_order("isposinf")
        return self.eq(math.inf) if self.dtype.is_float else self._never()

    def isneginf(self) -> Self:
        self._need_order("isneginf")
        return self.eq(-math.inf) if self.dtype.is_float else self._never()

    def _never(self) -> Self:
        return self._new(build.full(False, dtypes.bool_, self.shape))

    def signbit(self) -> Self:
        """Is the sign bit set? True for -0.0."""
        if not self.dtype.is_float:
            return self < 0
        whole = self.bitcast(dtypes.by_name(f"int{self.dtype.bits}"))
        return whole < 0

    def copysign(self, other: Operand) -> Self:
        size, sign = (self._new(node) for node in self._pair(other, floats=True))
        size = size.abs()
        return sign.signbit()._choose(-size, size)

    def heaviside(self, values: Operand) -> Self:
        """1 above 0, 0 below, and `values` at 0."""
        return self.eq(0)._choose(values, (self > 0).cast(self.dtype))

    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Self:
        if self.dtype.is_complex:
            re, im = self._new(build.real(self.node)), self._new(build.imag(self.node))
            parts = (part.nan_to_num(nan, posinf, neginf).node for part in (re, im))
            return self._new(build.complex_(*parts))
        if not self.dtype.is_float:
            return self
        largest = largest_finite(self)
        high = largest if posinf is None else posinf
        low = -largest if neginf is None else neginf
        x = self.eq(math.inf)._choose(self._constant(high), self)
        x = x.eq(-math.inf)._choose(self._constant(low), x)
        return self.isnan()._choose(self._constant(nan), x)

    def isclose(
        self, other: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
    ) -> Self:
        left, right = self._pair(other)
        x, y = self._new(left), self._new(right)
        same = x == y
        if not x.dtype.has_gradient:
            x, y = x.cast(dtypes.int64), y.cast(dtypes.int64)  # where differences have a sign
            return same | ((x - y).abs() <= atol + rtol * y.abs())
        near = ((x - y).abs() <= atol + rtol * y.abs()) & y.isfinite()
        result = same | near
        return result | (x.isnan() & y.isnan()) if equal_nan else result

    def lerp(self, end: Operand, weight: Operand) -> Self:
        """start + weight (end - start), from the end that is nearer, so that weight 1 gives exactly `end`."""
        end = self._coerce(end)
        away = end - self
        if isinstance(weight, SCALARS):
            return self + away * weight if abs(weight) < 0.5 else end + away * (weight - 1)
        weight = self._coerce(weight)
        near = weight.abs() < 0.5
        return near._choose(self, end) + away * near._choose(weight, weight - 1)

    def addcmul(self, tensor1: Operand, tensor2: Operand, *, value: Scalar = 1) -> Self:
        return self + self._coerce(tensor1) * tensor2 * value

    def addcdiv(self, tensor1: Operand, tensor2: Operand, *, value: Scalar = 1) -> Self:
        return self + self._coerce(tensor1) / tensor2 * value

    # --- activations

    def sigmoid(self) -> Self:
        return self._wide(lambda x: ((-x).exp() + 1)._unary(Op.RECIP))

    def logsigmoid(self) -> Self:
        return -(-self).softplus(threshold=math.inf)

    def relu(self) -> Self:
        return self._beyond(Op.MAX, 0)

    def relu6(self) -> Self:
        return self.hardtanh(0, 6)

    def leaky_relu(self, negative_slope: float = 0.01) -> Self:
        return (self > 0)._choose(self, self * negative_slope)

    def elu(self, alpha: float = 1.0) -> Self:
        return self._wide(lambda x: (x > 0)._choose(x, x._not_above_zero().expm1() * alpha))

    def celu(self, alpha: float = 1.0) -> Self:
        return self._wide(lambda x: (x > 0)._choose(x, (x._not_above_zero() / alpha).expm1() * alpha))

    def selu(self) -> Self:
        scale, alpha = 1.0507009873554805, 1.6732632423543772
        return self._wide(lambda x: (x > 0)._choose(x, x._not_above_zero().expm1() * alpha) * scale)

    def _not_above_zero(self) -> Self:
        """x where it is not above 0, else 0: where an exponential is infinite, a slope of 0 would be NaN."""
        return (self > 0)._choose(0.0, self)

    def gelu(self, approximate: str = "none") -> Self:
        if approximate == "none":
            return self._wide(lambda x: x * 0.5 * ((x * math.sqrt(0.5)).erf() + 1))
        if approximate != "tanh":
            raise ValueError(f"unknown approximation {approximate!r}: use 'none' or 'tanh'")
        slope = math.sqrt(2 / math.pi)
        return self._wide(lambda x: x * 0.5 * (((x + x * x * x * 0.044715) * slope).tanh() + 1))

    def silu(self) -> Self:
        return self._wide(lambda x: x * x.sigmoid())

    swish = silu

    def mish(self) -> Self:
        """x tanh(log(1 + e^x)), which is x n / (n + 2) with n = e^x (e^x + 2): one exponential."""

        def function(x: Self) -> Self:
            grown = x.minimum(20.0).exp()  # beyond, the fraction is 1
            n = grown * (grown + 2)
            return x * (n / (n + 2))

        return self._wide(function)

    def softplus(self, beta: float = 1.0, threshold: float = 20.0) -> Self:
        """log(1 + exp(beta x)) / beta; the line x itself beyond the threshold."""

        def function(x: Self) -> Self:
            scaled = x * beta
            # from the larger of x and 0, so that the exponential never overflows; chosen, so that NaN has NaN
            above = scaled > 0
            soft = (above._choose(scaled, 0.0) + above._choose(-scaled, scaled).exp().log1p()) / beta
            return soft if threshold == math.inf else (scaled > threshold)._choose(x, soft)

        return self._wide(function)

    def softsign(self) -> Self:
        return self / (self.abs() + 1)

    def tanhshrink(self) -> Self:
        return self - self.tanh()

    def hardtanh(self, min_val: float = -1.0, max_val: float = 1.0) -> Self:
        return self._beyond(Op.MAX, min_val)._beyond(Op.MIN, max_val)

    def hardsigmoid(self) -> Self:
        return self._wide(lambda x: (x + 3).relu6() * (1 / 6))

    def hardswish(self) -> Self:
        return self._wide(lambda x: x * (x + 3).relu6() * (1 / 6))

    def softshrink(self, lambd: float = 0.5) -> Self:
        return (self > lambd)._choose(self - lambd, (self < -lambd)._choose(self + lambd, self * 0))

    def hardshrink(self, lambd: float = 0.5) -> Self:
        return ((self > lambd) | (self < -lambd))._choose(self, self * 0)

    def threshold(self, threshold: float, value: float) -> Self:
        return (self <= threshold)._choose(self._constant(value), self)


def largest_finite(x: Arithmetic) -> float:
    """The largest finite value of a float dtype."""
    bits = x.dtype
    if bits is dtypes.float8_e4m3:
        return 448.0
    top = (1 << (bits.exponent_bits - 1)) - 1
    return (2.0 - 2.0**-bits.mantissa_bits) * 2.0**top
