"""Names that change a tensor in place: `x.add_(1)`, `x += 1`, `x.copy_(y)`.

In place means: this Python object stands for the new value from now on. Other tensors that were made from it
keep the value they saw, so nothing that was computed can change under its reader. Shape and dtype stay.

    >>> x = Tensor([1.0, 2.0])
    >>> x.add_(1).tolist()
    [2.0, 3.0]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ..graph.node import Scalar
from . import build
from .core import Operand
from .random import Random


class InPlace(Random):
    __slots__ = ()

    def _become(self, value: Self, verb: str) -> Self:
        if value.shape != self.shape:
            raise ValueError(
                f"{verb} cannot change shape {self.shape} to {value.shape}: use {verb.rstrip('_')}"
            )
        if value.dtype.is_float and not self.dtype.is_float:
            raise TypeError(
                f"{verb} cannot put {value.dtype.name} into a tensor of {self.dtype.name}: cast it first"
            )
        self.node = value.cast(self.dtype).node
        return self

    def assign(self, value: Operand) -> Self:
        """Stand for another value of the same shape, in this tensor's dtype."""
        source = self._coerce(value)
        if source.shape != self.shape:
            raise ValueError(
                f"cannot assign shape {source.shape} to a tensor of shape {self.shape}: use "
                "copy_ to broadcast"
            )
        self.node = source.cast(self.dtype).node
        return self

    def copy_(self, value: Operand) -> Self:
        """Stand for a value broadcast to this shape, in this tensor's dtype."""
        if isinstance(value, (bool, int, float)):
            self.node = build.full(value, self.dtype, self.shape)
        else:
            self.node = self._coerce(value).expand(self.shape).cast(self.dtype).node
        return self

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

    def add_(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self._become(self.add(other, alpha=alpha), "add_")

    def sub_(self, other: Operand, *, alpha: Scalar = 1) -> Self:
        return self._become(self.sub(other, alpha=alpha), "sub_")

    def mul_(self, other: Operand) -> Self:
        return self._become(self * other, "mul_")

    def div_(self, other: Operand, *, rounding_mode: str | None = None) -> Self:
        return self._become(self.div(other, rounding_mode=rounding_mode), "div_")

    def pow_(self, exponent: Operand) -> Self:
        return self._become(self**exponent, "pow_")

    # --- functions

    def clamp_(self, min: Operand | None = None, max: Operand | None = None) -> Self:
        return self._become(self.clamp(min, max), "clamp_")

    def lerp_(self, end: Operand, weight: Operand) -> Self:
        return self._become(self.lerp(end, weight), "lerp_")

    def addcmul_(self, tensor1: Operand, tensor2: Operand, *, value: Scalar = 1) -> Self:
        return self._become(self.addcmul(tensor1, tensor2, value=value), "addcmul_")

    def addcdiv_(self, tensor1: Operand, tensor2: Operand, *, value: Scalar = 1) -> Self:
        return self._become(self.addcdiv(tensor1, tensor2, value=value), "addcdiv_")

    def masked_fill_(self, mask: Operand, value: Operand) -> Self:
        return self._become(self.masked_fill(mask, value), "masked_fill_")

    def tril_(self, diagonal: int = 0) -> Self:
        return self._become(self.tril(diagonal), "tril_")

    def triu_(self, diagonal: int = 0) -> Self:
        return self._become(self.triu(diagonal), "triu_")

    def neg_(self) -> Self:
        return self._become(self.neg(), "neg_")

    def abs_(self) -> Self:
        return self._become(self.abs(), "abs_")

    def exp_(self) -> Self:
        return self._become(self.exp(), "exp_")

    def log_(self) -> Self:
        return self._become(self.log(), "log_")

    def sqrt_(self) -> Self:
        return self._become(self.sqrt(), "sqrt_")

    def rsqrt_(self) -> Self:
        return self._become(self.rsqrt(), "rsqrt_")

    def sigmoid_(self) -> Self:
        return self._become(self.sigmoid(), "sigmoid_")

    def tanh_(self) -> Self:
        return self._become(self.tanh(), "tanh_")

    def relu_(self) -> Self:
        return self._become(self.relu(), "relu_")

    def floor_(self) -> Self:
        return self._become(self.floor(), "floor_")

    def ceil_(self) -> Self:
        return self._become(self.ceil(), "ceil_")

    def round_(self) -> Self:
        return self._become(self.round(), "round_")

    def trunc_(self) -> Self:
        return self._become(self.trunc(), "trunc_")

    def reciprocal_(self) -> Self:
        return self._become(self.reciprocal(), "reciprocal_")

    def square_(self) -> Self:
        return self._become(self.square(), "square_")

    # --- parts

    def scatter_(self, dim: int, index: Operand, src: Operand, *, reduce: str | None = None) -> Self:
        return self._become(self.scatter(dim, index, src, reduce=reduce), "scatter_")

    def scatter_add_(self, dim: int, index: Operand, src: Operand) -> Self:
        return self._become(self.scatter_add(dim, index, src), "scatter_add_")

    def index_add_(self, dim: int, index: Operand, source: Operand, *, alpha: Scalar = 1) -> Self:
        return self._become(self.index_add(dim, index, source, alpha=alpha), "index_add_")

    def index_copy_(self, dim: int, index: Operand, source: Operand) -> Self:
        return self._become(self.index_copy(dim, index, source), "index_copy_")

    def index_fill_(self, dim: int, index: Operand, value: Scalar) -> Self:
        return self._become(self.index_fill(dim, index, value), "index_fill_")

    def index_put_(self, indices: Sequence[Operand], values: Operand, accumulate: bool = False) -> Self:
        return self._become(self.index_put(indices, values, accumulate), "index_put_")
