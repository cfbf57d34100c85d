"""Names that change a tensor in place: `x.add_(1)`, `x += 1`, `x.copy_(y)`.

In place means: the memory stays, and so do shape and dtype. Views of it see the new value, as in torch; what
was computed from the old value keeps that, computed yet or not (see `storage` and `stores`).

    >>> x = Tensor([1.0, 2.0])
    >>> x.add_(1).tolist()
    [2.0, 3.0]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Self

from ...graph import dtypes
from ...graph.dtypes import CATEGORY
from ...graph.node import Scalar
from ...graph.ops import Op
from .. import build
from ..core import Core, Operand
from ..functional.random import Random
from ..programs.realize import is_realized


def _in_place(name: str) -> Callable[..., Any]:
    """The method `name`, with its arguments, as one that changes the tensor it is called on."""

    def method(self: InPlace, *args: Any, **options: Any) -> InPlace:
        return self._become(getattr(self, name)(*args, **options), f"{name}_")

    method.__name__ = f"{name}_"
    return method


class InPlace(Random):
    __slots__ = ()

    def _become(self, value: Self, verb: str) -> Self:
        if value.shape != self.shape:
            raise ValueError(
                f"{verb} cannot change shape {self.shape} to {value.shape}: use {verb.rstrip('_')}"
            )
        if value.dtype.has_gradient and CATEGORY[value.dtype.kind] > CATEGORY[self.dtype.kind]:
            raise TypeError(
                f"{verb} cannot put {value.dtype.name} into a tensor of {self.dtype.name}: cast it first"
            )
        self._write(value.cast(self.dtype).node)
        del value
        return self._written()

    def assign(self, value: Operand) -> Self:
        """Write another value of the same shape, in this tensor's dtype."""
        source = self._coerce(value)
        if source.shape != self.shape:
            raise ValueError(
                f"cannot assign shape {source.shape} to a tensor of shape {self.shape}: use "
                "copy_ to broadcast"
            )
        self._write(source.cast(self.dtype).node)
        if isinstance(value, Core):
            self._answer_for(value)
        del value, source
        return self._written()

    def _answer_for(self, value: Core) -> None:
        """What was assigned and not computed yet is computed once, and finds its value where it is stored."""
        store = self.node
        waits = value.storage is None and not is_realized(value.node)
        if waits and store.op is Op.ASSIGN and store.src[0] is value.node:
            value.node = store

    def copy_(self, value: Operand) -> Self:
        """Write a value broadcast to this shape, in this tensor's dtype."""
        if isinstance(value, (bool, int, float, complex)):
            self._write(build.full(value, self.dtype, self.shape))
        else:
            self._write(self._coerce(value).expand(self.shape).cast(self.dtype).node)
        del value
        return self._written()

    def fill_(self, value: Scalar) -> Self:
        return self.copy_(value)

    def zero_(self) -> Self:
        return self.copy_(0)

    # --- operators

    def __iadd__(self, other: Operand) -> Self:
        return self._become(self + other, "add_")

    def __isub__(self, other: Operand) -> Self:
        return self._become(self - other, "sub_")

    def __imul__(self, other: Operand) -> Self:
        return self._become(self * other, "mul_")

    def __itruediv__(self, other: Operand) -> Self:
        return self._become(self / other, "div_")

    def __ifloordiv__(self, other: Operand) -> Self:
        return self._become(self // other, "floor_divide_")

    def __imod__(self, other: Operand) -> Self:
        return self._become(self % other, "remainder_")

    def __ipow__(self, other: Operand) -> Self:
        return self._become(self**other, "pow_")

    def __iand__(self, other: Operand) -> Self:
        return self._become(self & other, "bitwise_and_")

    def __ior__(self, other: Operand) -> Self:
        return self._become(self | other, "bitwise_or_")

    def __ixor__(self, other: Operand) -> Self:
        return self._become(self ^ other, "bitwise_xor_")

    def __ilshift__(self, other: Operand) -> Self:
        return self._become(self << other, "bitwise_left_shift_")

    def __irshift__(self, other: Operand) -> Self:
        return self._become(self >> other, "bitwise_right_shift_")

    def add_(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self._become(self.add(other, alpha=alpha), "add_")

    def sub_(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self._become(self.sub(other, alpha=alpha), "sub_")

    def mul_(self, other: Operand) -> Self:
        return self._become(self * other, "mul_")

    def div_(self, other: Operand, *, rounding_mode: str | None = None) -> Self:
        return self._become(self.div(other, rounding_mode=rounding_mode), "div_")

    # --- functions

    abs_ = _in_place("abs")
    absolute_ = _in_place("absolute")
    acos_ = _in_place("acos")
    acosh_ = _in_place("acosh")
    addbmm_ = _in_place("addbmm")
    addcdiv_ = _in_place("addcdiv")
    addcmul_ = _in_place("addcmul")
    addmm_ = _in_place("addmm")
    addmv_ = _in_place("addmv")
    addr_ = _in_place("addr")
    alpha_dropout_ = _in_place("alpha_dropout")
    arccos_ = _in_place("arccos")
    arccosh_ = _in_place("arccosh")
    arcsin_ = _in_place("arcsin")
    arcsinh_ = _in_place("arcsinh")
    arctan_ = _in_place("arctan")
    arctan2_ = _in_place("arctan2")
    arctanh_ = _in_place("arctanh")
    asin_ = _in_place("asin")
    asinh_ = _in_place("asinh")
    atan_ = _in_place("atan")
    atan2_ = _in_place("atan2")
    atanh_ = _in_place("atanh")
    baddbmm_ = _in_place("baddbmm")
    bitwise_and_ = _in_place("bitwise_and")
    bitwise_left_shift_ = _in_place("bitwise_left_shift")
    bitwise_not_ = _in_place("bitwise_not")
    bitwise_or_ = _in_place("bitwise_or")
    bitwise_right_shift_ = _in_place("bitwise_right_shift")
    bitwise_xor_ = _in_place("bitwise_xor")
    ceil_ = _in_place("ceil")
    celu_ = _in_place("celu")
    clamp_ = _in_place("clamp")
    clamp_max_ = _in_place("clamp_max")
    clamp_min_ = _in_place("clamp_min")
    clip_ = _in_place("clip")
    copysign_ = _in_place("copysign")
    cos_ = _in_place("cos")
    cosh_ = _in_place("cosh")
    cumprod_ = _in_place("cumprod")
    cumsum_ = _in_place("cumsum")
    deg2rad_ = _in_place("deg2rad")
    digamma_ = _in_place("digamma")
    divide_ = _in_place("divide")
    dropout_ = _in_place("dropout")
    elu_ = _in_place("elu")
    eq_ = _in_place("eq")
    erf_ = _in_place("erf")
    erfc_ = _in_place("erfc")
    erfinv_ = _in_place("erfinv")
    exp_ = _in_place("exp")
    exp2_ = _in_place("exp2")
    expm1_ = _in_place("expm1")
    feature_alpha_dropout_ = _in_place("feature_alpha_dropout")
    fix_ = _in_place("fix")
    float_power_ = _in_place("float_power")
    floor_ = _in_place("floor")
    floor_divide_ = _in_place("floor_divide")
    fmod_ = _in_place("fmod")
    frac_ = _in_place("frac")
    gcd_ = _in_place("gcd")
    ge_ = _in_place("ge")
    greater_ = _in_place("greater")
    greater_equal_ = _in_place("greater_equal")
    gt_ = _in_place("gt")
    hardtanh_ = _in_place("hardtanh")
    heaviside_ = _in_place("heaviside")
    hypot_ = _in_place("hypot")
    i0_ = _in_place("i0")
    lcm_ = _in_place("lcm")
    ldexp_ = _in_place("ldexp")
    le_ = _in_place("le")
    leaky_relu_ = _in_place("leaky_relu")
    lerp_ = _in_place("lerp")
    less_ = _in_place("less")
    less_equal_ = _in_place("less_equal")
    lgamma_ = _in_place("lgamma")
    log_ = _in_place("log")
    log10_ = _in_place("log10")
    log1p_ = _in_place("log1p")
    log2_ = _in_place("log2")
    logical_and_ = _in_place("logical_and")
    logical_not_ = _in_place("logical_not")
    logical_or_ = _in_place("logical_or")
    logical_xor_ = _in_place("logical_xor")
    logit_ = _in_place("logit")
    lt_ = _in_place("lt")
    masked_fill_ = _in_place("masked_fill")
    masked_scatter_ = _in_place("masked_scatter")
    multiply_ = _in_place("multiply")
    nan_to_num_ = _in_place("nan_to_num")
    ne_ = _in_place("ne")
    neg_ = _in_place("neg")
    negative_ = _in_place("negative")
    nextafter_ = _in_place("nextafter")
    not_equal_ = _in_place("not_equal")
    polygamma_ = _in_place("polygamma")
    pow_ = _in_place("pow")
    put_ = _in_place("put")
    rad2deg_ = _in_place("rad2deg")
    reciprocal_ = _in_place("reciprocal")
    relu_ = _in_place("relu")
    remainder_ = _in_place("remainder")
    renorm_ = _in_place("renorm")
    round_ = _in_place("round")
    rrelu_ = _in_place("rrelu")
    rsqrt_ = _in_place("rsqrt")
    selu_ = _in_place("selu")
    sgn_ = _in_place("sgn")
    sigmoid_ = _in_place("sigmoid")
    sign_ = _in_place("sign")
    sin_ = _in_place("sin")
    sinc_ = _in_place("sinc")
    sinh_ = _in_place("sinh")
    sqrt_ = _in_place("sqrt")
    square_ = _in_place("square")
    subtract_ = _in_place("subtract")
    tan_ = _in_place("tan")
    tanh_ = _in_place("tanh")
    threshold_ = _in_place("threshold")
    tril_ = _in_place("tril")
    triu_ = _in_place("triu")
    true_divide_ = _in_place("true_divide")
    trunc_ = _in_place("trunc")
    xlogy_ = _in_place("xlogy")

    # --- parts

    def scatter_(self, dim: int, index: Operand, src: Operand, *, reduce: str | None = None) -> Self:
        return self._become(self.scatter(dim, index, src, reduce=reduce), "scatter_")

    def scatter_add_(self, dim: int, index: Operand, src: Operand) -> Self:
        return self._become(self.scatter_add(dim, index, src), "scatter_add_")

    def scatter_reduce_(
        self, dim: int, index: Operand, src: Operand, reduce: str, *, include_self: bool = True
    ) -> Self:
        reduced = self.scatter_reduce(dim, index, src, reduce, include_self=include_self)
        return self._become(reduced, "scatter_reduce_")

    def index_reduce_(
        self, dim: int, index: Operand, source: Operand, reduce: str, *, include_self: bool = True
    ) -> Self:
        reduced = self.index_reduce(dim, index, source, reduce, include_self=include_self)
        return self._become(reduced, "index_reduce_")

    def fill_diagonal_(self, fill_value: Scalar) -> Self:
        """The main diagonal of a matrix set to one value."""
        if self.ndim != 2:
            raise ValueError(f"fill_diagonal_ takes a matrix, not shape {self.shape}")
        here = self.eye(*self.shape, dtype="bool", device=self.device)
        return self._become(self.masked_fill(here, fill_value), "fill_diagonal_")

    # --- random numbers

    def uniform_(self, a: float = 0.0, b: float = 1.0) -> Self:
        self._need_floats("uniform_")
        return self._become(
            self.uniform(*self.shape, low=a, high=b, dtype=self.dtype, device=self.device), "uniform_"
        )

    def normal_(self, mean: float = 0.0, std: float = 1.0) -> Self:
        self._need_floats("normal_")
        return self._become(
            self.normal(mean, std, self.shape, dtype=self.dtype, device=self.device), "normal_"
        )

    def bernoulli_(self, p: Operand = 0.5) -> Self:
        return self._become(self.bernoulli(p), "bernoulli_")

    def exponential_(self, lambd: float = 1.0) -> Self:
        """Waiting times of a process with `lambd` events a unit."""
        if lambd <= 0:
            raise ValueError(f"exponential_ needs a rate above 0, not {lambd}")
        return self._drawn("exponential_", lambda u: u.log1p() / -lambd)

    def geometric_(self, p: float) -> Self:
        """Trials up to the first success, 1 or more, each of which succeeds with probability p."""
        if not 0 < p < 1:
            raise ValueError(f"geometric_ needs a probability between 0 and 1, not {p}")
        if self.dtype.is_bool:
            raise TypeError("geometric_ counts trials: use a dtype of numbers, not bool")
        return self._drawn("geometric_", lambda u: (u.log1p() / math.log1p(-p)).ceil().clamp(min=1), False)

    def cauchy_(self, median: float = 0.0, sigma: float = 1.0) -> Self:
        if sigma <= 0:
            raise ValueError(f"cauchy_ needs a sigma above 0, not {sigma}")
        return self._drawn("cauchy_", lambda u: ((-u - 0.5) * math.pi).tan() * sigma + median)

    def random_(self, low: int | None = None, high: int | None = None) -> Self:
        """Integers from low to high - 1: `random_()`, `random_(high)` or `random_(low, high)`. Without a high
        all that the dtype has from 0 on, of floats those that it tells apart."""
        if high is None:
            low, high = 0, self._most_random() if low is None else low
        drawn = self.randint(low or 0, high, self.shape, device=self.device)
        return self._become(drawn.cast(self.dtype), "random_")

    def _most_random(self) -> int:
        if self.dtype.is_bool:
            return 2
        if self.dtype.is_int:
            return min(1 << (self.dtype.bits - (not self.dtype.is_unsigned)), (1 << 63) - 1)
        self._need_floats("random_")
        return (1 << (self.dtype.mantissa_bits + 1)) + 1

    def log_normal_(self, mean: float = 1.0, std: float = 2.0) -> Self:
        """exp of a normal distribution with this mean and deviation."""
        self._need_floats("log_normal_")
        drawn = self.normal(mean, std, self.shape, dtype=dtypes.float64, device=self.device).exp()
        return self._become(drawn.cast(self.dtype), "log_normal_")

    def _drawn(self, verb: str, function: Callable[[Self], Self], floats: bool = True) -> Self:
        """Become a function of numbers in (-1, 0], drawn in float64: tails are as long as its exponent."""
        if floats:
            self._need_floats(verb)
        drawn = self.uniform(*self.shape, dtype=dtypes.float64, device=self.device)
        return self._become(function(-drawn).cast(self.dtype), verb)

    # --- axes: these do change the shape, as in torch

    def _turn_into(self, view: Self) -> Self:
        """Be the view that was made of this tensor: a sharer as any other."""
        self.moves, self.node = view.moves, view.node
        return self

    def unsqueeze_(self, dim: int) -> Self:
        return self._turn_into(self.unsqueeze(dim))

    def squeeze_(self, dim: Any = None) -> Self:
        return self._turn_into(self.squeeze() if dim is None else self.squeeze(dim))

    def transpose_(self, dim0: int, dim1: int) -> Self:
        return self._turn_into(self.transpose(dim0, dim1))

    swapaxes_ = swapdims_ = transpose_

    def t_(self) -> Self:
        return self._turn_into(self.t())

    def index_add_(self, dim: int, index: Operand, source: Operand, *, alpha: Scalar = 1) -> Self:
        return self._become(self.index_add(dim, index, source, alpha=alpha), "index_add_")

    def index_copy_(self, dim: int, index: Operand, source: Operand) -> Self:
        return self._become(self.index_copy(dim, index, source), "index_copy_")

    def index_fill_(self, dim: int, index: Operand, value: Scalar) -> Self:
        return self._become(self.index_fill(dim, index, value), "index_fill_")

    def index_put_(self, indices: Sequence[Operand], values: Operand, accumulate: bool = False) -> Self:
        return self._become(self.index_put(indices, values, accumulate), "index_put_")
