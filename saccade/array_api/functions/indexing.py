"""Elements by their places, given as an array.

>>> take(Tensor([[1, 2], [3, 4]]), Tensor([1]), axis=1).tolist()
[[2], [4]]
"""

from __future__ import annotations

from ...tensor.tensor import Tensor
from ..promotion import INTEGERS, need, need_array


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Along an axis, which may be left out of one axis alone; the axes of `indices` take its place."""
    array, places = need_array("take", x), need("take", INTEGERS, indices)
    if axis is None:
        if array.ndim != 1:
            raise ValueError(
                f"take needs the axis for shape {array.shape}: only one axis alone needs no name"
            )
        axis = 0
    return array[(slice(None),) * array._axis(axis) + (places,)]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """One element of each line along an axis for every index; the other axes broadcast."""
    array, places = need_array("take_along_axis", x), need("take_along_axis", INTEGERS, indices)
    counted = array._index_tensor(places, array.shape[array._axis(axis)])
    return array.take_along_dim(counted, axis)


__all__ = ["take", "take_along_axis"]
