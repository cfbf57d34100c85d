"""Bringing operands together: one dtype (by torch's rules), one shape (by broadcasting), one device.

>>> left, right = Tensor([[1], [2]])._pair(0.5)
>>> left.dtype, right.dtype, right.shape
(dtypes.float32, dtypes.float32, (2, 1))
"""

from __future__ import annotations

from typing import Final, Self

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.node import Node, Scalar, Shape
from ..graph.ops import Op
from . import build
from .core import Core, Operand
from .jit.number import is_number

SCALARS: Final = (bool, int, float, complex)


def scalar_node(value: Scalar | complex, dtype: DType, shape: Shape = ()) -> Node:
    """A constant of a dtype that can hold it; an integer that cannot raises instead of wrapping far."""
    if dtype.is_int and isinstance(value, int) and not (is_number(value) or _fits(value, dtype)):
        raise OverflowError(
            f"{value} does not fit {dtype.name} ({dtype.min} to {dtype.max}): "
            "cast the tensor to a wider dtype"
        )
    return build.full(value, dtype, shape)


def _fits(value: int, dtype: DType) -> bool:
    return -(1 << dtype.bits) < value < 1 << dtype.bits


def _scalar_type(tensor: DType, value: Scalar | complex, floats: bool) -> DType:
    """The dtype of an operation with a Python scalar; `floats` lifts integers to float32."""
    key = (tensor, value.__class__, floats)  # a number that is not known says what it stands for
    found = _scalar_types.get(key)
    if found is None:
        found = dtypes.promote_scalar(tensor, value)
        if floats and not found.has_gradient:
            found = dtypes.float32
        _scalar_types[key] = found
    return found


_scalar_types: dict[tuple[DType, object, bool], DType] = {}


class Operands(Core):
    __slots__ = ()

    def _pair(self, other: Operand, floats: bool = False) -> tuple[Node, Node]:
        """Both operands with one dtype and one shape; `floats` lifts integers to float32."""
        mine = self.node
        if isinstance(other, Core):
            theirs = other.node
            dtype = mine.dtype
            if dtype is theirs.dtype and mine.shape == theirs.shape and (not floats or dtype.has_gradient):
                if mine.device != theirs.device:
                    same_device(mine, theirs)
                return mine, theirs
        elif isinstance(other, SCALARS):
            dtype = _scalar_type(mine.dtype, other, floats)
            left = mine if dtype is mine.dtype else build.cast(mine, dtype)
            return left, scalar_node(other, dtype, mine.shape)
        elif isinstance(other, np.generic):
            return self._pair(other.item(), floats)
        else:
            theirs = self._coerce(other).node
        dtype = build.result_type((mine, theirs))
        if floats and not dtype.has_gradient:
            dtype = dtypes.float32
        left, right = aligned(build.cast(mine, dtype), build.cast(theirs, dtype))
        return left, right

    def _binary(self, op: Op, other: Operand, floats: bool = False) -> Self:
        left, right = self._pair(other, floats)
        return self._new(build.binary(op, left, right))

    def _reflected(self, op: Op, other: Operand, floats: bool = False) -> Self:
        right, left = self._pair(other, floats)
        return self._new(build.binary(op, left, right))

    def _unary(self, op: Op) -> Self:
        return self._new(build.unary(op, self.node))

    def _floating(self) -> Self:
        """Integers and bools as float32, as torch does before exp, sqrt and the like."""
        return self if self.node.dtype.has_gradient else self.cast(dtypes.float32)

    def _constant(self, value: Scalar | complex) -> Self:
        """A constant with our dtype and shape."""
        return self._new(build.full(value, self.dtype, self.shape))

    def _need_order(self, verb: str) -> None:
        if self.dtype.is_complex:
            raise TypeError(
                f"{verb} is not defined for {self.dtype.name}: complex numbers have no order; use x.real, "
                "x.imag or abs(x)"
            )

    def _need_real(self, verb: str) -> None:
        if self.dtype.is_complex:
            raise TypeError(f"{verb} takes real numbers, not {self.dtype.name}: use abs(x), x.real or x.imag")

    def _no_bool(self, verb: str, remedy: str) -> None:
        if self.dtype.is_bool:
            raise TypeError(f"cannot {verb} bool tensors: {remedy}")


def aligned(*nodes: Node) -> tuple[Node, ...]:
    """The nodes broadcast to their common shape, all on one device."""
    same_device(*nodes)
    shape = build.broadcast_shapes(*[node.shape for node in nodes])
    return tuple([build.broadcast(node, shape) for node in nodes])


def same_device(*nodes: Node) -> None:
    devices = {node.device for node in nodes} - {None}
    if len(devices) > 1:
        listed = " and ".join(sorted(str(device) for device in devices))
        raise ValueError(f"operands live on different devices ({listed}): move one with .to(device)")
