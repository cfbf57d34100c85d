"""What does not fit between the tensors of a model and a state that is given: all of it, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...tensor.tensor import Tensor

#: names told of one kind of difference, before the rest is a number
_MOST: Final = 20


def differences(
    own: Mapping[str, Tensor], state: Mapping[str, Any], missing: Sequence[str], unexpected: Sequence[str]
) -> list[str]:
    """A line for each difference; none if the state fits."""
    shapes = [
        f"{name} has shape {_shape(state[name])} instead of {tensor.shape}"
        for name, tensor in own.items()
        if name in state and _shape(state[name]) != tensor.shape
    ]
    return [
        *_few([f"{name} is missing" for name in missing]),
        *_few([f"{name} is not in the model" for name in unexpected]),
        *_few(shapes),
    ]


def _shape(value: Any) -> tuple[int, ...] | str:
    shape = getattr(value, "shape", None)
    return type(value).__name__ if shape is None else tuple(shape)


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MOST else [*lines[:_MOST], f"and {len(lines) - _MOST} more of this kind"]
