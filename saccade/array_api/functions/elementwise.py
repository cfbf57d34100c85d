"""One element at a time: a table of the methods of Tensor, with the kinds of dtypes the standard allows.

>>> add(Tensor([1, 2]), 3).tolist()
[4, 5]
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...tensor.tensor import Tensor
from ..promotion import (
    ANYTHING,
    BITS,
    BOOLS,
    COMPLEX,
    FLOATING,
    FLOATS,
    INTEGERS,
    NUMBERS,
    REALS,
    Arg,
    Kinds,
    agreed,
    need,
    promote,
)

Unary = Callable[[Tensor], Tensor]
Binary = Callable[[Arg, Arg], Tensor]


def _unary(name: str, kinds: Kinds, method: Callable[[Any], Tensor]) -> Unary:
    def function(x: Tensor, /) -> Tensor:
        made = method(need(name, kinds, x))
        return Tensor(x) if made is x else made  # a write to the result is not to be seen in x

    function.__name__ = function.__qualname__ = name
    return function


def _binary(name: str, kinds: Kinds, method: Callable[[Any, Any], Tensor]) -> Binary:
    def function(x1: Arg, x2: Arg, /) -> Tensor:
        return method(*agreed(name, kinds, x1, x2))

    function.__name__ = function.__qualname__ = name
    return function


# --- one array

abs = _unary("abs", NUMBERS, Tensor.abs)
acos = _unary("acos", FLOATING, Tensor.acos)
acosh = _unary("acosh", FLOATING, Tensor.acosh)
asin = _unary("asin", FLOATING, Tensor.asin)
asinh = _unary("asinh", FLOATING, Tensor.asinh)
atan = _unary("atan", FLOATING, Tensor.atan)
atanh = _unary("atanh", FLOATING, Tensor.atanh)
bitwise_invert = _unary("bitwise_invert", BITS, operator.invert)
ceil = _unary("ceil", REALS, Tensor.ceil)
conj = _unary("conj", NUMBERS, Tensor.conj)
cos = _unary("cos", FLOATING, Tensor.cos)
cosh = _unary("cosh", FLOATING, Tensor.cosh)
exp = _unary("exp", FLOATING, Tensor.exp)
expm1 = _unary("expm1", FLOATING, Tensor.expm1)
floor = _unary("floor", REALS, Tensor.floor)
imag = _unary("imag", COMPLEX, operator.attrgetter("imag"))
isfinite = _unary("isfinite", NUMBERS, Tensor.isfinite)
isinf = _unary("isinf", NUMBERS, Tensor.isinf)
isnan = _unary("isnan", NUMBERS, Tensor.isnan)
log = _unary("log", FLOATING, Tensor.log)
log10 = _unary("log10", FLOATING, Tensor.log10)
log1p = _unary("log1p", FLOATING, Tensor.log1p)
log2 = _unary("log2", FLOATING, Tensor.log2)
logical_not = _unary("logical_not", BOOLS, Tensor.logical_not)
negative = _unary("negative", NUMBERS, operator.neg)
positive = _unary("positive", NUMBERS, Tensor.positive)
real = _unary("real", NUMBERS, operator.attrgetter("real"))
reciprocal = _unary("reciprocal", FLOATING, Tensor.reciprocal)
round = _unary("round", NUMBERS, Tensor.round)
signbit = _unary("signbit", FLOATS, Tensor.signbit)
sin = _unary("sin", FLOATING, Tensor.sin)
sinh = _unary("sinh", FLOATING, Tensor.sinh)
sqrt = _unary("sqrt", FLOATING, Tensor.sqrt)
square = _unary("square", NUMBERS, Tensor.square)
tan = _unary("tan", FLOATING, Tensor.tan)
tanh = _unary("tanh", FLOATING, Tensor.tanh)
trunc = _unary("trunc", REALS, Tensor.trunc)


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1, and NaN of NaN; of a complex number x / abs(x)."""
    array = need("sign", NUMBERS, x)
    return array.isnan()._choose(array, array.sign()) if array.dtype.is_float else array.sign()


# --- two arrays, or an array and a number

add = _binary("add", NUMBERS, operator.add)
atan2 = _binary("atan2", FLOATS, Tensor.atan2)
bitwise_and = _binary("bitwise_and", BITS, operator.and_)
bitwise_left_shift = _binary("bitwise_left_shift", INTEGERS, operator.lshift)
bitwise_or = _binary("bitwise_or", BITS, operator.or_)
bitwise_right_shift = _binary("bitwise_right_shift", INTEGERS, operator.rshift)
bitwise_xor = _binary("bitwise_xor", BITS, operator.xor)
copysign = _binary("copysign", FLOATS, Tensor.copysign)
divide = _binary("divide", FLOATING, operator.truediv)
equal = _binary("equal", ANYTHING, operator.eq)
greater = _binary("greater", REALS, operator.gt)
greater_equal = _binary("greater_equal", REALS, operator.ge)
hypot = _binary("hypot", FLOATS, Tensor.hypot)
less = _binary("less", REALS, operator.lt)
less_equal = _binary("less_equal", REALS, operator.le)
logaddexp = _binary("logaddexp", FLOATS, Tensor.logaddexp)
logical_and = _binary("logical_and", BOOLS, Tensor.logical_and)
logical_or = _binary("logical_or", BOOLS, Tensor.logical_or)
logical_xor = _binary("logical_xor", BOOLS, Tensor.logical_xor)
maximum = _binary("maximum", REALS, Tensor.maximum)
minimum = _binary("minimum", REALS, Tensor.minimum)
multiply = _binary("multiply", NUMBERS, operator.mul)
nextafter = _binary("nextafter", FLOATS, Tensor.nextafter)
not_equal = _binary("not_equal", ANYTHING, operator.ne)
pow = _binary("pow", NUMBERS, operator.pow)
remainder = _binary("remainder", REALS, operator.mod)
subtract = _binary("subtract", NUMBERS, operator.sub)


def floor_divide(x1: Arg, x2: Arg, /) -> Tensor:
    """The floor of the quotient. Where one of the two is infinite it is the quotient, as the standard has it;
    the operator // follows Python there, as NumPy and torch do."""
    left, right = agreed("floor_divide", REALS, x1, x2)
    if not left.dtype.is_float:
        return left // right
    divisor = right if isinstance(right, Tensor) else Tensor.full((), right, dtype=left.dtype)
    one_infinite = left.isinf() ^ divisor.isinf()
    return one_infinite._choose(left / divisor, left // divisor)


def clip(x: Tensor, /, min: Arg | None = None, max: Arg | None = None) -> Tensor:
    """The elements, none below min or above max; of the dtype of x."""
    array = need("clip", REALS, x)
    for bound in (min, max):
        if isinstance(bound, Tensor):
            promote(array.dtype, bound.dtype)
        elif bound is not None:
            agreed("clip", REALS, array, bound)
    if min is None and max is None:
        return Tensor(array)
    return array.clamp(min, max).cast(array.dtype)


__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]
