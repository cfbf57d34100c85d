"""What one operation of a kernel means, in NumPy: the definitions in `graph.ops`, written out.

A value of a dtype NumPy has is an array of it. bfloat16 and float8 are float32 arrays that hold nothing the
type cannot: `rounded` sees to that after every op. float32 functions and sums are computed in float64 and
rounded once, so a device's result is compared with the best one there is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...graph.dtypes import DType
from ...graph.monoid import Monoid
from ...graph.ops import TRANSCENDENTAL, Op
from ..memory.halves import WORDS, from_float32, storage_dtype, to_float32

Array = NDArray[Any]


def value_dtype(dtype: DType) -> np.dtype[Any]:
    """The NumPy type that values of `dtype` are computed in."""
    return np.dtype(np.float32) if dtype in WORDS else np.dtype(dtype.name)


def from_memory(memory: Array, dtype: DType) -> Array:
    return to_float32(memory, dtype) if dtype in WORDS else memory


def to_memory(values: Array, dtype: DType) -> Array:
    return from_float32(values, dtype) if dtype in WORDS else values


def rounded(values: Any, dtype: DType) -> Array:
    """The values as `dtype` holds them; integers wrap."""
    array = np.asarray(values)
    if dtype in WORDS:
        return to_float32(from_float32(array.astype(np.float32), dtype), dtype)
    return array.astype(value_dtype(dtype), copy=False)


def elementwise(op: Op, dtype: DType, sources: tuple[DType, ...], args: list[Array]) -> Array:
    """The op on arrays that broadcast against each other."""
    if op is Op.CAST:
        return _cast(args[0], dtype)
    if op is Op.BITCAST:
        words = np.ascontiguousarray(to_memory(args[0], sources[0])).reshape(args[0].shape)
        return from_memory(words.view(storage_dtype(dtype)), dtype)
    if op is Op.WHERE:
        return np.where(*args)
    if op is Op.FMA:
        wide = np.float64 if dtype.bits <= 32 else np.longdouble
        return rounded(args[0].astype(wide) * args[1] + args[2], dtype)
    if op in TRANSCENDENTAL:
        return rounded(_FUNCTIONS[op](*[a.astype(np.float64) for a in args]), dtype)
    return rounded(_FUNCTIONS[op](*args), dtype)


def _cast(x: Array, dtype: DType) -> Array:
    """Integers wrap; floats go to integers towards zero, to the nearest end when too large, and NaN to 0."""
    if dtype.is_bool:
        return np.not_equal(x, 0)
    if not dtype.is_int or x.dtype.kind != "f":
        return rounded(x, dtype)
    whole = np.trunc(x.astype(np.float64))
    low, beyond = float(dtype.min), float(dtype.max + 1)
    inside = (whole >= low) & (whole < beyond)
    result: Array = np.where(inside, whole, 0.0).astype(dtype.name)
    result = np.where(whole >= beyond, np.array(dtype.max, dtype.name), result)
    return np.where(whole < low, np.array(dtype.min, dtype.name), result)


# --- integer division and shifts, total


def _floor_divide(x: Array, y: Array) -> Array:
    safe = np.where((y == 0) | (y == -1 if y.dtype.kind == "i" else False), np.ones_like(y), y)
    quotient = x // safe
    if y.dtype.kind == "i":  # the smallest integer over -1 wraps
        quotient = np.where(y == -1, np.zeros_like(x) - x, quotient)
    return np.where(y == 0, np.zeros_like(x), quotient)


def _modulo(x: Array, y: Array) -> Array:
    result: Array = np.mod(x, y) if x.dtype.kind == "f" else x - _floor_divide(x, y) * y
    return result


def _truncated_divide(x: Array, y: Array) -> Array:
    quotient = _floor_divide(x, y)
    inexact = (
        (quotient * y != x) & (quotient < 0) if x.dtype.kind == "i" else np.zeros(quotient.shape, np.bool_)
    )
    result: Array = quotient + (inexact & (y != 0)).astype(x.dtype)
    return result


def _power(x: Array, n: Array) -> Array:
    result, square, left = np.ones_like(x * n), x + np.zeros_like(n), n + np.zeros_like(x)
    for _ in range(8 * x.dtype.itemsize):
        result = np.where(left & 1 == 1, result * square, result)
        square, left = square * square, left >> 1
    if x.dtype.kind == "u":
        return result
    inverse = np.where(x == 1, x, np.where(x == -1, 1 - 2 * (n & 1), 0)).astype(x.dtype)
    return np.where(n < 0, inverse, result)


def _float_power(x: Array, n: Array) -> Array:
    """C's pow. Where one n of 0.5 serves all, NumPy 2.4 takes a root, which differs at -inf and -0.0."""
    differs = (n == 0.5) & ((x == 0) | (x == -np.inf))
    result: Array = np.power(np.where(differs, np.abs(x), x), n)
    return result


def _shift_left(x: Array, y: Array) -> Array:
    bits = 8 * x.dtype.itemsize
    far = (y < 0) | (y >= bits)
    return np.where(far, np.zeros_like(x), np.left_shift(x, np.where(far, np.zeros_like(y), y)))


def _shift_right(x: Array, y: Array) -> Array:
    bits = 8 * x.dtype.itemsize
    if x.dtype.kind == "i":
        return np.right_shift(x, np.where((y < 0) | (y >= bits), np.full_like(y, bits - 1), y))
    return np.where(y >= bits, np.zeros_like(x), np.right_shift(x, np.where(y >= bits, np.zeros_like(y), y)))


_FUNCTIONS: Final[dict[Op, Callable[..., Any]]] = {
    Op.NEG: np.negative, Op.NOT: np.invert, Op.ABS: np.abs, Op.SQRT: np.sqrt, Op.RECIP: lambda x:
    np.ones_like(x) / x,
    Op.EXP: np.exp, Op.EXP2: np.exp2, Op.LOG: np.log, Op.LOG2: np.log2, Op.SIN: np.sin, Op.COS: np.cos,
    Op.TAN: np.tan, Op.ASIN: np.arcsin, Op.ACOS: np.arccos, Op.ATAN: np.arctan, Op.SINH: np.sinh, Op.COSH:
    np.cosh, Op.TANH: np.tanh, Op.ERF: np.vectorize(math.erf, otypes=[np.float64]), Op.FLOOR: np.floor,
    Op.CEIL: np.ceil, Op.TRUNC: np.trunc, Op.EXPM1: np.expm1, Op.LOG1P: np.log1p,
    Op.ROUND: np.rint, Op.ISNAN: np.isnan, Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply,
    Op.DIV: np.divide, Op.IDIV: _floor_divide, Op.MOD: _modulo, Op.TDIV: _truncated_divide,
    Op.POW: _float_power, Op.IPOW: _power,
    Op.ATAN2: np.arctan2, Op.MAX: np.maximum, Op.MIN: np.minimum, Op.LT: np.less, Op.LE: np.less_equal,
    Op.EQ: np.equal, Op.NE: np.not_equal, Op.AND: np.bitwise_and, Op.OR: np.bitwise_or, Op.XOR:
    np.bitwise_xor, Op.SHL: _shift_left, Op.SHR: _shift_right,
}  # fmt: skip

# --- reductions

UFUNCS: Final[dict[str, np.ufunc]] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def accumulator_dtype(monoid: Monoid, dtype: DType) -> np.dtype[Any]:
    """The type a reduction is carried out in: floats are summed and multiplied in float64."""
    if dtype.is_float and monoid.kind in ("add", "mul", "softmax"):
        return np.dtype(np.float64)
    return value_dtype(dtype)


def reduced(monoid: Monoid, element: tuple[DType, ...], elements: list[Array], live: Array) -> list[Array]:
    """The accumulators after all elements along the last axis of each array, where `live`."""
    if monoid.elements == 1:
        (values,) = elements
        identity = np.array(monoid.identity(element)[0].arg, values.dtype)
        kept = np.where(live, values, identity)
        return [UFUNCS[monoid.kind].reduce(kept, axis=-1, initial=identity, dtype=values.dtype)]
    return _best(monoid, element, elements, live)


def weighed(held: list[Array], new: list[Array], live: Array) -> list[Array]:
    """The accumulators of a softmax (largest score, total, weighted sum) after more scores and values."""
    scores, values = new
    scores = np.where(live, scores, -np.inf)
    most = np.maximum(held[0], scores.max(axis=-1, initial=-np.inf))
    base = np.where(most == -np.inf, 0.0, most)  # nothing but -inf so far: weights are 0
    weights, before = np.exp(scores - base[..., None]), np.exp(held[0] - base)
    summed = np.where(live, weights * values, 0.0).sum(axis=-1)
    return [most, held[1] * before + weights.sum(axis=-1), held[2] * before + summed]


def running(monoid: Monoid, element: tuple[DType, ...], elements: list[Array]) -> list[Array]:
    """The accumulators after each element along the last axis."""
    if monoid.elements == 1:
        return [UFUNCS[monoid.kind].accumulate(elements[0], axis=-1, dtype=elements[0].dtype)]
    count = elements[0].shape[-1]
    steps = [
        _best(monoid, element, [e[..., : n + 1] for e in elements], np.array(True)) for n in range(count)
    ]
    return [
        np.stack([step[c] for step in steps], axis=-1) if count else elements[0] for c in range(monoid.width)
    ]


def _best(monoid: Monoid, element: tuple[DType, ...], elements: list[Array], live: Array) -> list[Array]:
    """The k best pairs: by value, then by smaller index; a slot with nothing in it has the largest index."""
    values, indices = elements
    empty = indices.dtype.type(element[1].max)
    # positions in sorted order, equal values equal; NaN is the largest, -0.0 equals 0.0
    rank = np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.int64)
    if monoid.wants_larger:
        rank = -rank
    elif monoid.kind == "argmin" and values.dtype.kind == "f":
        rank = np.where(np.isnan(values), np.int64(-1), rank)
    absent = ~np.broadcast_to(live, values.shape) | (indices == empty)
    order = np.lexsort((indices, rank, absent), axis=-1)[..., : monoid.k]
    worst, nothing = (monoid.identity(element)[c].arg for c in (0, monoid.k))
    missing = np.take_along_axis(absent, order, -1)
    best = np.where(missing, values.dtype.type(worst), np.take_along_axis(values, order, -1))
    places = np.where(missing, indices.dtype.type(nothing), np.take_along_axis(indices, order, -1))
    short = [(0, 0)] * (best.ndim - 1) + [(0, monoid.k - best.shape[-1])]
    best = np.pad(best, short, constant_values=worst)
    places = np.pad(places, short, constant_values=nothing)
    return [*np.moveaxis(best, -1, 0), *np.moveaxis(places, -1, 0)]
