"""Casts, and questions about dtypes.

>>> finfo(dtypes.float32).eps == 2.0**-23, isdtype(dtypes.uint8, "integral")
(True, True)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ...graph import dtypes
from ...graph.dtypes import DType, Kind
from ...graph.node import Scalar
from ...tensor.tensor import Tensor
from ..promotion import (
    BOOLS,
    COMPLEX,
    FLOATS,
    INTEGERS,
    NUMBERS,
    Kinds,
    need_array,
    number_of,
    promote,
    scalar_dtype,
)
from .creation import asarray

#: the standard's names of kinds
KINDS: Final[dict[str, Kinds]] = {
    "bool": BOOLS,
    "signed integer": frozenset({Kind.INT}),
    "unsigned integer": frozenset({Kind.UINT}),
    "integral": INTEGERS,
    "real floating": FLOATS,
    "complex floating": COMPLEX,
    "numeric": NUMBERS,
}


class FloatInfo(NamedTuple):
    """What finfo tells of a float dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(NamedTuple):
    """What iinfo tells of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


def astype(x: Tensor, dtype: DType, /, *, copy: bool = True, device: str | None = None) -> Tensor:
    """The array in another dtype; the array itself where it has that dtype already and no copy is asked."""
    return asarray(need_array("astype", x), dtype=dtype, device=device, copy=True if copy else None)


def can_cast(from_: DType | Tensor, to: DType, /) -> bool:
    """Would promotion take `from_` to `to`?"""
    own = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return promote(own, to) is to
    except TypeError:
        return False


def finfo(type: DType | Tensor, /) -> FloatInfo:
    """The limits of a float dtype, or of the parts of a complex one."""
    dtype = (type.dtype if isinstance(type, Tensor) else dtypes.of(type)).part
    if dtype not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
        raise TypeError(f"finfo takes a float dtype, not {dtype.name}: use iinfo for integers")
    top = 1 << (dtype.exponent_bits - 1)
    eps = 2.0**-dtype.mantissa_bits
    largest = (2.0 - eps) * 2.0 ** (top - 1)
    return FloatInfo(dtype.bits, eps, largest, -largest, 2.0 ** (2 - top), dtype)


def iinfo(type: DType | Tensor, /) -> IntegerInfo:
    """The limits of an integer dtype."""
    dtype = type.dtype if isinstance(type, Tensor) else dtypes.of(type)
    if not dtype.is_int:
        raise TypeError(f"iinfo takes an integer dtype, not {dtype.name}: use finfo for floats")
    return IntegerInfo(dtype.bits, int(dtype.max), int(dtype.min), dtype)


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Is the dtype of that kind (a name of the standard's, a dtype, or several of them)?"""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"unknown kind {kind!r}: use one of {', '.join(KINDS)}")
        return dtype.kind in KINDS[kind]
    return dtype is kind


def result_type(*arrays_and_dtypes: Tensor | DType | Scalar) -> DType:
    """The dtype of an operation on all of these."""
    known = [
        each.dtype if isinstance(each, Tensor) else each
        for each in arrays_and_dtypes
        if isinstance(each, (Tensor, DType))
    ]
    if not known:
        raise ValueError("result_type takes at least one array or dtype: Python numbers alone have none")
    result = known[0]
    for dtype in known[1:]:
        result = promote(result, dtype)
    for each in arrays_and_dtypes:
        if not isinstance(each, (Tensor, DType)):
            scalar_dtype(result, number_of(each, "result_type"), "result_type")
    return result


__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]
