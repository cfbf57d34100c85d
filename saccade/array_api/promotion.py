"""The standard's rules of promotion: bools and integers each among themselves, floats also with complex
numbers, and nothing else.

Tensor's own operators follow torch, which mixes kinds. The functions of this package check first and then
call them: what passes the check has one meaning in both.

    >>> promote(dtypes.uint8, dtypes.int8)
    dtypes.int16
    >>> agreed("add", NUMBERS, Tensor([1, 2]), 0.5)
    Traceback (most recent call last):
    TypeError: add: a Python float does not combine with int64: cast the array to a float first
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DType, Kind
from ..graph.node import Scalar
from ..tensor.tensor import Tensor

#: what the functions of two arguments take; at least one of them is an array
Arg: TypeAlias = "Tensor | bool | int | float | complex"
Kinds: TypeAlias = frozenset[Kind]

BOOLS: Kinds = frozenset({Kind.BOOL})
INTEGERS: Kinds = frozenset({Kind.UINT, Kind.INT})
FLOATS: Kinds = frozenset({Kind.FLOAT})
COMPLEX: Kinds = frozenset({Kind.COMPLEX})
BITS: Kinds = BOOLS | INTEGERS
REALS: Kinds = INTEGERS | FLOATS
FLOATING: Kinds = FLOATS | COMPLEX
NUMBERS: Kinds = REALS | COMPLEX
ANYTHING: Kinds = BOOLS | NUMBERS

_WORDS = {
    BOOLS: "bools", INTEGERS: "integers", FLOATS: "floats", BITS: "integers or bools", NUMBERS: "numbers",
    REALS: "real numbers", FLOATING: "floats or complex numbers", COMPLEX: "complex numbers",
}  # fmt: skip


def promote(first: DType, second: DType) -> DType:
    """The dtype that holds both; TypeError where the standard has none."""
    if first is second:
        return first
    one_kind = first.has_gradient is second.has_gradient and first.is_bool is second.is_bool
    both = dtypes.promote(first, second)
    if not one_kind or both.has_gradient is not first.has_gradient:  # uint64 beside signed integers
        raise TypeError(
            f"{first.name} and {second.name} have no common dtype in the standard: cast one of them"
        )
    return both


def scalar_dtype(dtype: DType, value: Scalar | complex, name: str) -> DType:
    """The dtype of an array beside a Python number: its own, if the number is of its kind or below; floats
    beside a complex number are complex."""
    if isinstance(value, complex) and dtype.has_gradient:
        return dtype.complex
    lower = (
        dtype.is_bool
        if isinstance(value, bool)
        else dtype.has_gradient or (dtype.is_int and isinstance(value, int))
    )
    if not lower:
        remedy = "compare, or use another number" if dtype.is_bool else "cast the array to a float first"
        remedy = "use an int" if isinstance(value, bool) else remedy
        raise TypeError(
            f"{name}: a Python {type(value).__name__} does not combine with {dtype.name}: {remedy}"
        )
    return dtype


def number_of(value: object, name: str) -> Scalar | complex:
    """A Python number, also from one of NumPy's; TypeError for everything else."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float, complex)):
        return value
    kind = type(value).__name__
    raise TypeError(f"{name} takes arrays of this namespace and Python numbers, not {kind}: use asarray")


def need_array(name: str, x: object) -> Tensor:
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} takes an array of this namespace, not {type(x).__name__}: use asarray")
    return x


def need(name: str, kinds: Kinds, x: object) -> Tensor:
    """The array, if its dtype is of these kinds."""
    array = need_array(name, x)
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} takes {_WORDS[kinds]}, not {array.dtype.name}: cast with astype")
    return array


def agreed(name: str, kinds: Kinds, x1: object, x2: object) -> tuple[Tensor, Tensor | Scalar | complex]:
    """Both arguments in one dtype of these kinds. A Python number on the right stays one, and has been
    found to fit; on the left it becomes an array of no axes."""
    if not isinstance(x2, Tensor):
        array = need(name, kinds, x1)
        number = number_of(x2, name)
        scalar_dtype(array.dtype, number, name)
        return array, number
    right = need(name, kinds, x2)
    if not isinstance(x1, Tensor):
        number = number_of(x1, name)
        return Tensor.full((), number, dtype=scalar_dtype(right.dtype, number, name)), right
    left = need(name, kinds, x1)
    dtype = promote(left.dtype, right.dtype)
    return left.cast(dtype), right.cast(dtype)


def all_agreed(arrays: object, name: str) -> list[Tensor]:
    """Several arrays in one dtype."""
    if not isinstance(arrays, (list, tuple)) or not arrays:
        raise ValueError(f"{name} takes a list or tuple of at least one array, not {arrays!r:.40}")
    parts = [need_array(name, part) for part in arrays]
    dtype = parts[0].dtype
    for part in parts[1:]:
        dtype = promote(dtype, part.dtype)
    return [part.cast(dtype) for part in parts]


__all__ = [
    "ANYTHING",
    "BITS",
    "BOOLS",
    "COMPLEX",
    "FLOATING",
    "FLOATS",
    "INTEGERS",
    "NUMBERS",
    "REALS",
    "Arg",
    "Kinds",
    "agreed",
    "all_agreed",
    "need",
    "need_array",
    "number_of",
    "promote",
    "scalar_dtype",
]
