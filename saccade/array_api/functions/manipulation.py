"""Other shapes and other orders.

>>> concat([Tensor([1, 2]), Tensor([3])]).tolist()
[1, 2, 3]
"""

from __future__ import annotations

from collections.abc import Sequence

from ...tensor import build
from ...tensor.tensor import Tensor
from ..promotion import INTEGERS, all_agreed, need, need_array
from .creation import copied

Axes = int | tuple[int, ...]


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    return Tensor.broadcast_tensors(*arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    return build.broadcast_shapes(*shapes)


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    return need_array("broadcast_to", x).expand(shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Side by side along an axis; without one, all elements in a row."""
    parts = all_agreed(arrays, "concat")
    return Tensor.cat([part.ravel() for part in parts]) if axis is None else Tensor.cat(parts, axis)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    return Tensor.stack(all_agreed(arrays, "stack"), axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    return need_array("unstack", x).unbind(axis)


def expand_dims(x: Tensor, /, axis: Axes) -> Tensor:
    """With new axes of size one, at these places of the result."""
    array, wanted = need_array("expand_dims", x), (axis,) if isinstance(axis, int) else tuple(axis)
    rank = array.ndim + len(wanted)
    if any(not -rank <= place < rank for place in wanted) or len({p % rank for p in wanted}) < len(wanted):
        raise IndexError(
            f"cannot give shape {array.shape} new axes {axis}: use different ones, {-rank} to {rank - 1}"
        )
    for place in sorted(p % rank for p in wanted):
        array = array.unsqueeze(place)
    return array


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """Without these axes, which have size one."""
    array = need_array("squeeze", x)
    chosen = array._axes(axis) if axis != () else ()
    long = [a for a in chosen if array.shape[a] != 1]
    if long:
        raise ValueError(f"cannot squeeze axis {long[0]} of shape {array.shape}: its size is not 1")
    return array._dropped(chosen)


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    array = need_array("flip", x)
    return array.flip(tuple(range(array.ndim)) if axis is None else axis)


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    return need_array("moveaxis", x).movedim(source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    return need_array("permute_dims", x).permute(axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element several times in a row."""
    counts = repeats if isinstance(repeats, int) else need("repeat", INTEGERS, repeats)
    return need_array("repeat", x).repeat_interleave(counts, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """Another shape. A view where that can be, and an error where it cannot with `copy=False`."""
    array = need_array("reshape", x)
    if copy is False:
        return array.view(shape)
    return copied(array).reshape(shape) if copy else array.reshape(shape)


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """Elements that leave at one end come back at the other; one shift serves several axes."""
    if isinstance(shift, int) and isinstance(axis, tuple):
        shift = (shift,) * len(axis)
    return need_array("roll", x).roll(shift, axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    return need_array("tile", x).tile(repetitions)


__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]
