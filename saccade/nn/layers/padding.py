"""Padding as modules: amounts in torch's order, (left, right) of the last axis first."""

from __future__ import annotations

from typing import Any, ClassVar

from ...tensor.tensor import Tensor
from ..module import Module


class _Pad(Module):
    """The same amount on both sides of the last `dims` axes, or one for each side."""

    dims: ClassVar[int]
    mode: ClassVar[str] = "constant"
    value: Any = 0.0

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        amounts = (padding,) * (2 * self.dims) if isinstance(padding, int) else tuple(padding)
        if len(amounts) != 2 * self.dims:
            raise ValueError(
                f"{type(self).__name__} takes a number or {2 * self.dims} of them, not {padding!r}"
            )
        self.padding = amounts

    def forward(self, input: Tensor) -> Tensor:
        return input.pad(self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPad(_Pad):
    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    dims = 1


class ConstantPad2d(_ConstantPad):
    dims = 2


class ConstantPad3d(_ConstantPad):
    dims = 3


class ZeroPad1d(_Pad):
    dims = 1


class ZeroPad2d(_Pad):
    dims = 2


class ZeroPad3d(_Pad):
    dims = 3


class ReflectionPad1d(_Pad):
    dims, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    dims, mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    dims, mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    dims, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    dims, mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    dims, mode = 3, "replicate"


class CircularPad1d(_Pad):
    dims, mode = 1, "circular"


class CircularPad2d(_Pad):
    dims, mode = 2, "circular"


class CircularPad3d(_Pad):
    dims, mode = 3, "circular"
