"""Element types and how they combine.

A `DType` is a small immutable value; there is one instance per type, so identity is equality. The rules of
promotion follow torch: types of one category widen, a Python scalar never widens a tensor of its own
category, and sums of half types are accumulated in float32 (`accumulator`).

A complex number is two floats side by side, its `part`s. Kernels know none: `transform.complex_parts` takes
them apart before anything is scheduled.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

import numpy as np


class Kind(StrEnum):
    """The category of a type, by NumPy's letters: libraries ask for them (`x.dtype.kind in "iu"`). They are
    in order: promotion goes to the higher one."""

    BOOL = "b"
    UINT = "u"
    INT = "i"
    FLOAT = "f"
    COMPLEX = "c"

    def __lt__(self, other: str) -> bool:
        return _ORDER.index(self) < _ORDER.index(other)

    def __le__(self, other: str) -> bool:
        return _ORDER.index(self) <= _ORDER.index(other)

    def __gt__(self, other: str) -> bool:
        return not self <= other

    def __ge__(self, other: str) -> bool:
        return not self < other


_ORDER: Final = ("b", "u", "i", "f", "c")


@dataclass(frozen=True, eq=False)
class DType:
    """An element type: `bits` wide, of one `kind`; floats also say how their bits are divided."""

    name: str
    kind: Kind
    bits: int
    exponent_bits: int = 0
    mantissa_bits: int = 0

    def __repr__(self) -> str:
        return f"dtypes.{self.name}"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (by_name, (self.name,))

    # asked for at every step of every pass and call, so they are worked out once

    @cached_property
    def itemsize(self) -> int:
        return (self.bits + 7) // 8

    @cached_property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @cached_property
    def is_complex(self) -> bool:
        return self.kind is Kind.COMPLEX

    @cached_property
    def has_gradient(self) -> bool:
        """Floats and complex numbers: what varies smoothly."""
        return self.is_float or self.is_complex

    @property
    def part(self) -> DType:
        """The dtype of the real and the imaginary part; of one that is real, its own."""
        if not self.is_complex:
            return self
        return float32 if self.bits == 64 else float64

    @property
    def complex(self) -> DType:
        """The complex dtype whose parts hold these numbers: halves and integers have parts of float32."""
        return self if self.is_complex else complex128 if self is float64 else complex64

    @cached_property
    def is_int(self) -> bool:
        return self.kind is Kind.INT or self.kind is Kind.UINT

    @cached_property
    def is_unsigned(self) -> bool:
        return self.kind is Kind.UINT

    @cached_property
    def is_bool(self) -> bool:
        return self.kind is Kind.BOOL

    @property
    def min(self) -> int | float:
        """Smallest value (-inf for floats)."""
        self._need_order()
        if self.is_float:
            return float("-inf")
        return -(1 << (self.bits - 1)) if self.kind is Kind.INT else 0

    @property
    def max(self) -> int | float:
        """Largest value (inf for floats)."""
        self._need_order()
        if self.is_float:
            return float("inf")
        if self.is_bool:
            return 1
        return (1 << (self.bits - 1)) - 1 if self.kind is Kind.INT else (1 << self.bits) - 1

    def _need_order(self) -> None:
        if self.is_complex:
            raise TypeError(f"{self.name} has no smallest or largest number: complex numbers have no order")

    @property
    def accumulator(self) -> DType:
        """The type sums and products of this type are gathered in, before the result is cast back."""
        if self.is_complex:
            return self
        if self.is_float:
            return float32 if self.bits < 32 else self
        return int64 if self.kind is not Kind.UINT or self.bits < 64 else self


bool_: Final = DType("bool", Kind.BOOL, 8)
int8: Final = DType("int8", Kind.INT, 8)
int16: Final = DType("int16", Kind.INT, 16)
int32: Final = DType("int32", Kind.INT, 32)
int64: Final = DType("int64", Kind.INT, 64)
uint8: Final = DType("uint8", Kind.UINT, 8)
uint16: Final = DType("uint16", Kind.UINT, 16)
uint32: Final = DType("uint32", Kind.UINT, 32)
uint64: Final = DType("uint64", Kind.UINT, 64)
float8_e4m3: Final = DType("float8_e4m3", Kind.FLOAT, 8, 4, 3)
float8_e5m2: Final = DType("float8_e5m2", Kind.FLOAT, 8, 5, 2)
float16: Final = DType("float16", Kind.FLOAT, 16, 5, 10)
bfloat16: Final = DType("bfloat16", Kind.FLOAT, 16, 8, 7)
float32: Final = DType("float32", Kind.FLOAT, 32, 8, 23)
float64: Final = DType("float64", Kind.FLOAT, 64, 11, 52)
complex64: Final = DType("complex64", Kind.COMPLEX, 64)
complex128: Final = DType("complex128", Kind.COMPLEX, 128)

#: the types of kernels
ALL: Final = (
    bool_, uint8, int8, uint16, int16, uint32, int32, uint64, int64,
    float8_e4m3, float8_e5m2, float16, bfloat16, float32, float64,
)  # fmt: skip
INTS: Final = tuple(d for d in ALL if d.is_int)
FLOATS: Final = tuple(d for d in ALL if d.is_float)
COMPLEX: Final = (complex64, complex128)

#: The type of index arithmetic inside kernels.
index: Final = int64

_BY_NAME: Final = {d.name: d for d in (*ALL, *COMPLEX)}
_ALIASES: Final = {
    "float": float32, "double": float64, "half": float16, "int": int32, "long": int64, "short": int16,
    "uchar": uint8, "byte": uint8, "char": int8, "bool_": bool_,
    "float8_e4m3fn": float8_e4m3, "cfloat": complex64, "cdouble": complex128, "complex": complex64,
}  # fmt: skip


def by_name(name: str) -> DType:
    """`by_name("float32") is float32`; unknown names raise with the list of known ones."""
    found = _BY_NAME.get(name) or _ALIASES.get(name)
    if found is None:
        known = ", ".join(_BY_NAME)
        raise TypeError(f"unknown dtype {name!r}: use one of {known}")
    return found


def of(value: object) -> DType:
    """The DType meant by a DType, a name, a Python type, or anything NumPy (or torch) calls a dtype."""
    if isinstance(value, DType):
        return value
    if value is bool:
        return bool_
    if value is int:
        return int64
    if value is float:
        return float32
    if value is complex:
        return complex64
    if isinstance(value, str):
        return by_name(value)
    name = str(value)
    if name.startswith("torch."):
        return by_name(name.removeprefix("torch."))
    try:
        return by_name(np.dtype(value).name)  # type: ignore[call-overload]
    except TypeError:
        known = ", ".join(_BY_NAME)
        raise TypeError(f"cannot use {value!r} as a dtype: use one of {known}") from None


def promote(a: DType, b: DType) -> DType:
    """The type of `a + b`, as torch has it: promote(int32, float16) is float16, promote(uint8, int8) is
    int16."""
    if a is b:
        return a
    if a.is_complex or b.is_complex:
        wide = a.part is float64 or b.part is float64  # integers widen no float
        return complex128 if wide else complex64
    if a.is_float or b.is_float:
        return _promote_floats(a, b) if a.is_float and b.is_float else (a if a.is_float else b)
    if a.is_bool:
        return b
    if b.is_bool:
        return a
    if a.kind is b.kind:
        return a if a.bits >= b.bits else b
    signed, unsigned = (a, b) if a.kind is Kind.INT else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    if unsigned.bits == 64:
        return float32  # as NumPy and torch: no integer holds both
    return by_name(f"int{unsigned.bits * 2}")


def _promote_floats(a: DType, b: DType) -> DType:
    """The wider one; two different types of one width need the next width."""
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return float32 if a.bits == 16 else float16


def of_scalar(value: bool | int | float | complex) -> DType:
    """The type a Python scalar has on its own."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    return float32 if isinstance(value, float) else complex64


#: what a scalar, or a tensor without axes, has to be above to count
CATEGORY: Final = {Kind.BOOL: 0, Kind.UINT: 1, Kind.INT: 1, Kind.FLOAT: 2, Kind.COMPLEX: 3}


def lifted(tensor: DType, other: DType) -> DType:
    """The type of a tensor beside what only counts by its category: float64 beside a complex number is
    complex128."""
    if CATEGORY[other.kind] <= CATEGORY[tensor.kind]:
        return tensor
    return tensor.complex if other.is_complex and tensor.is_float else other


def promote_scalar(tensor: DType, value: bool | int | float | complex) -> DType:
    """The type of `tensor + scalar`: the scalar only counts when its category is higher."""
    return lifted(tensor, of_scalar(value))
