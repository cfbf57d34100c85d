"""Changing the dtype or the device of a tensor, with torch's short names: `x.float()`, `x.to("cpu")`,
`x.bitcast("int32")`.

These methods are called like Python's types, so they live in a class of their own where `int` and `float` are
not needed as annotations."""

from __future__ import annotations

from typing import Any, Self

from ...graph import dtypes
from ...graph.node import make
from ...graph.ops import Op
from ..core import Core, DTypeLike
from ..memory import device_name
from .bits import reread


class Casts(Core):
    __slots__ = ()

    def to(self, *args: Any, dtype: DTypeLike = None, device: str | None = None) -> Self:
        """`to(dtype)`, `to(device)`, `to(device, dtype)` or `to(other)`: the dtype and device of another
        tensor."""
        for arg in args:
            if isinstance(arg, Core):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, str) and not _names_dtype(arg):
                device = arg
            else:
                dtype = arg
        moved = self if dtype is None else self.cast(dtype)
        if device is None or device_name(device) == moved.device:
            return moved
        return self._new(make(Op.COPY, moved.dtype, (moved.node,), device_name(device)))

    def to_device(self, device: str, /, *, stream: object = None) -> Self:
        """On another device: the array API standard's word for `to`. Our queues order the work themselves,
        so there is no stream to give."""
        if stream is not None:
            raise ValueError(f"to_device takes no stream, not {stream!r}: use `with saccade.stream(...)`")
        return self.to(device=device)

    def type(self, dtype: DTypeLike) -> Self:
        return self.cast(dtype)

    def type_as(self, other: Core) -> Self:
        return self.cast(other.dtype)

    def bitcast(self, dtype: DTypeLike) -> Self:
        """The same bits read as another dtype: a view if it has the same width; a change of width splits or
        joins along the last axis."""
        wanted = dtypes.of(dtype)
        if wanted is self.dtype:
            return self
        if wanted.is_complex or self.dtype.is_complex:
            raise TypeError(
                f"cannot read {self.dtype.name} as {wanted.name}: use view_as_real and view_as_complex"
            )
        if wanted.itemsize == self.dtype.itemsize and not {wanted, self.dtype} & {dtypes.bool_}:
            return self._view((Op.BITCAST, wanted))
        return self._new(reread(self.node, wanted))

    def float(self) -> Self:
        return self.cast(dtypes.float32)

    def double(self) -> Self:
        return self.cast(dtypes.float64)

    def half(self) -> Self:
        return self.cast(dtypes.float16)

    def bfloat16(self) -> Self:
        return self.cast(dtypes.bfloat16)

    def cfloat(self) -> Self:
        return self.cast(dtypes.complex64)

    def cdouble(self) -> Self:
        return self.cast(dtypes.complex128)

    def int(self) -> Self:
        return self.cast(dtypes.int32)

    def long(self) -> Self:
        return self.cast(dtypes.int64)

    def short(self) -> Self:
        return self.cast(dtypes.int16)

    def bool(self) -> Self:
        return self.cast(dtypes.bool_)

    def cpu(self) -> Self:
        return self.to(device="cpu")

    def cuda(self) -> Self:
        return self.to(device="cuda")


def _names_dtype(text: str) -> bool:
    try:
        dtypes.by_name(text)
    except TypeError:
        return False
    return True
