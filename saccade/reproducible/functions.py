"""Functions of float64 arrays from additions, multiplications, divisions and roots alone.

In: numbers or arrays. Out: float64 arrays of the same shape. Each is a reduction of the argument to a small
range and a truncated series whose coefficients are ratios of integers, so nothing is fitted and nothing is
looked up; errors are below five units of the last place (`tests/reproducible/test_functions.py` measures
them). Every step is one elementwise operation of NumPy, so no compiler can fuse a product with a sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: pi / 2 in parts of 33 bits, so that products with whole numbers below 2**20 are exact, and what is left
_HALF_PI: Final = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)
#: log(2) in a part of 32 bits and the rest
_LOG_2: Final = (0.6931471803691238, 1.9082149292705877e-10)
_TWO_OVER_PI: Final = 0.6366197723675814
_LOG2_E: Final = 1.4426950408889634
#: what the nearest float64 leaves of pi
_PI_LOW: Final = 1.2246467991473532e-16

# Taylor series in the square of the argument: cos(r) beside sin(r) / r, atan(t) / t, and
# log((1 + s) / (1 - s)) / s
_CIRCLE: Final = np.array(
    [[(-1) ** n / math.factorial(2 * n), (-1) ** n / math.factorial(2 * n + 1)] for n in range(9)]
)[:, :, None]
_ATAN: Final = [(-1) ** n / (2 * n + 1) for n in range(13)]
_LOG: Final = [2 / (2 * n + 1) for n in range(11)]
# and in the argument: exp(r)
_EXP: Final = [1 / math.factorial(n) for n in range(15)]
#: signs of what becomes the cosine and the sine after 0, 1, 2 and 3 quarter turns
_SIGNS: Final = np.array([[1.0, -1.0, -1.0, 1.0], [1.0, 1.0, -1.0, -1.0]])


def _floats(value: npt.ArrayLike) -> Floats:
    return np.asarray(value, np.float64)


def _series(x: Floats, coefficients: Sequence[float] | Floats) -> Floats:
    """Horner's rule, the constant first in `coefficients`."""
    value = x * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        value += coefficient
        value *= x
    value += coefficients[0]
    return value


# --- circular functions


def cos_sin(angle: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Cosine and sine of angles in radians, |angle| up to a million."""
    x = _floats(angle).ravel()
    quarter = np.rint(x * _TWO_OVER_PI)
    rest = x - quarter * _HALF_PI[0]
    for part in _HALF_PI[1:]:
        rest -= quarter * part
    both = _series(rest * rest, _CIRCLE)  # (2, n)
    both[1] *= rest
    with np.errstate(invalid="ignore"):  # infinity has no quarter; its sine is not a number by now
        turns = quarter.astype(np.int64) & 3
    # a quarter turn makes (c, s) into (-s, c)
    both = np.where(turns & 1, both[::-1], both) * _SIGNS[:, turns]
    shape = np.shape(angle)
    return both[0].reshape(shape), both[1].reshape(shape)


def cos(angle: npt.ArrayLike) -> Floats:
    return cos_sin(angle)[0]


@lru_cache(maxsize=256)
def cosine_of(angle: float) -> float:
    """The cosine of a setting, which is asked for again and again."""
    return float(cos(angle))


@lru_cache(maxsize=256)
def sine_of(angle: float) -> float:
    """The sine of a setting."""
    return float(sin(angle))


def sin(angle: npt.ArrayLike) -> Floats:
    return cos_sin(angle)[1]


def tan(angle: npt.ArrayLike) -> Floats:
    cosine, sine = cos_sin(angle)
    return np.asarray(sine / cosine)


def arctan2(y: npt.ArrayLike, x: npt.ArrayLike) -> Floats:
    """The angle of (x, y) in [-pi, pi], with the signs of zero as in C; finite arguments."""
    y, x = _floats(y), _floats(x)
    up, along = np.abs(y), np.abs(x)
    high = np.maximum(up, along)
    ratio = np.minimum(up, along) / np.where(high > 0, high, 1.0)
    # Half the angle twice: tan(a / 2) = t / (1 + sqrt(1 + t t)) is at most 0.2 then.
    for _ in range(2):
        ratio = ratio / (1.0 + np.sqrt(1.0 + ratio * ratio))
    angle = 4.0 * (ratio * _series(ratio * ratio, _ATAN))
    angle = np.where(up > along, (math.pi / 2 - angle) + _PI_LOW / 2, angle)
    angle = np.where(np.signbit(x), (math.pi - angle) + _PI_LOW, angle)
    return np.copysign(angle, y)


def arctan(value: npt.ArrayLike) -> Floats:
    return arctan2(value, 1.0)


def degrees(angle: npt.ArrayLike) -> Floats:
    return np.asarray(_floats(angle) * (180.0 / math.pi))


def radians(angle: npt.ArrayLike) -> Floats:
    return np.asarray(_floats(angle) * (math.pi / 180.0))


# --- exponentials


def exp(value: npt.ArrayLike) -> Floats:
    x = np.clip(_floats(value), -760.0, 720.0)
    whole = np.rint(x * _LOG2_E)
    rest = (x - whole * _LOG_2[0]) - whole * _LOG_2[1]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.asarray(np.ldexp(_series(rest, _EXP), whole.astype(np.int32)))


def log(value: npt.ArrayLike) -> Floats:
    """The natural logarithm; of 0 it is minus infinity, of less not a number."""
    x = _floats(value)
    with np.errstate(divide="ignore", invalid="ignore"):
        mantissa, exponent = np.frexp(x)
        low = mantissa < math.sqrt(0.5)
        mantissa = np.where(low, 2 * mantissa, mantissa)
        whole = (exponent - low).astype(np.float64)
        s = (mantissa - 1.0) / (mantissa + 1.0)
        # The low part of n log(2) goes in with the series, which is smaller than the high part.
        found = (s * _series(s * s, _LOG) + whole * _LOG_2[1]) + whole * _LOG_2[0]
    found = np.where(x > 0, found, np.where(x == 0, -np.inf, np.nan))
    return np.where(np.isposinf(x), x, found)


def log1p(value: npt.ArrayLike) -> Floats:
    """log(1 + x), near x where x is small."""
    x = _floats(value)
    one = 1.0 + x
    with np.errstate(divide="ignore", invalid="ignore"):
        # what was rounded away from 1 + x, as a share of it
        lost = np.where(one > 0, (x - (one - 1.0)) / one, 0.0)
        found = log(one) + lost
    return np.where(one == 1.0, x, found)


def power(base: npt.ArrayLike, exponent: float) -> Floats:
    """base ** exponent of numbers that are not negative; some more units of the last place are lost."""
    with np.errstate(divide="ignore"):
        return exp(exponent * log(base))


def hypot(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """The root of x x + y y, of numbers whose squares are in range."""
    x, y = _floats(x), _floats(y)
    return np.asarray(np.sqrt(x * x + y * y))
