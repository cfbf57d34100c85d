"""`Tensor`: all method families together, the names that change a tensor in place, and the free functions.

    >>> x = Tensor([1.0, 2.0])
    >>> x.add_(1).tolist()
    [2.0, 3.0]

In place means: this Python object stands for the new value from now on. Other tensors that were made from it keep the
value they saw, so nothing that was computed can change under its reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from ..graph import dtypes
from ..graph.node import Scalar
from . import build
from .core import Core, Operand
from .random import Key, Random, default_generator


class Tensor(Random):
    """A lazy n-dimensional array. See the method families in this folder; names and keywords follow torch."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise TypeError("cannot iterate over a 0-dim tensor: use item()")
        return iter(self.unbind(0))

    def __contains__(self, value: Operand) -> bool:
        return bool((self == value).any())

    # --- in place

    def assign(self, value: Operand) -> Self:
        """Stand for another value of the same shape, in this tensor's dtype."""
        source = self._coerce(value)
        if source.shape != self.shape:
            raise ValueError(
                f"cannot assign shape {source.shape} to a tensor of shape {self.shape}: use copy_ to broadcast"
            )
        self.node = source.cast(self.dtype).node
        return self

    def copy_(self, value: Operand) -> Self:
        """Stand for a value broadcast to this shape."""
        source = (
            self._new(build.full(value, self.dtype, ()))
            if isinstance(value, (bool, int, float))
            else self._coerce(value)
        )
        return self._become(source.expand(self.shape), "copy_")

    def _become(self, value: Self, verb: str) -> Self:
        if value.shape != self.shape:
            raise ValueError(
                f"{verb} cannot change shape {self.shape} to {value.shape} in place: use {verb.rstrip('_')}"
            )
        if (
            build.result_type((self.node, value.node)).kind > self.dtype.kind
            and value.dtype.is_float
            and not self.dtype.is_float
        ):
            raise TypeError(
                f"{verb} cannot put {value.dtype.name} into a tensor of {self.dtype.name}: cast it first"
            )
        self.node = value.cast(self.dtype).node
        return self

    def zero_(self) -> Self:
        return self._become(self._constant(0), "zero_")

    def fill_(self, value: Scalar) -> Self:
        return self.copy_(value)

    def __iadd__(self, other: Operand) -> Self:  # type: ignore[misc]
        return self._become(self + other, "add_")

    def __isub__(self, other: Operand) -> Self:  # type: ignore[misc]
        return self._become(self - other, "sub_")

    def __imul__(self, other: Operand) -> Self:  # type: ignore[misc]
        return self._become(self * other, "mul_")

    def __itruediv__(self, other: Operand) -> Self:  # type: ignore[misc]
        return self._become(self / other, "div_")


def _in_place(name: str) -> Callable[..., Tensor]:
    method = getattr(Tensor, name)

    def changed(self: Tensor, *args: Any, **options: Any) -> Tensor:
        return self._become(method(self, *args, **options), f"{name}_")

    changed.__name__ = changed.__qualname__ = f"{name}_"
    changed.__doc__ = f"`{name}`, in place."
    return changed


_IN_PLACE = (
    "add", "sub", "mul", "div", "pow", "clamp", "clamp_min", "clamp_max", "neg", "abs", "exp", "log", "sqrt", "rsqrt", "sigmoid",
    "tanh", "relu", "floor", "ceil", "round", "trunc", "masked_fill", "scatter", "scatter_add", "scatter_reduce", "index_add",
    "index_copy", "index_fill", "index_put", "tril", "triu", "lerp", "addcmul", "addcdiv", "reciprocal", "square",
)  # fmt: skip
for _name in _IN_PLACE:
    setattr(Tensor, f"{_name}_", _in_place(_name))


def where(condition: Operand, yes: Operand, no: Operand) -> Tensor:
    """`yes` where the condition holds, else `no`: torch.where."""
    mask = condition if isinstance(condition, Tensor) else Tensor(condition)
    return mask._choose(yes, no)


__all__ = ["Core", "Key", "Tensor", "default_generator", "dtypes", "where"]
