"""The few tensor operations the cortex is written in, by the names the cortex uses.

Everything here takes and returns `Tensor`s of fixed shapes and never waits, except `read` and `read_each`,
the only functions of the cortex that do. Tables of objects are stored flat and addressed by computed indices,
because one gather from a flat table fuses into the loop that needs it.

    >>> take(Tensor([10.0, 20.0, 30.0]), Tensor([[2, 0]])).tolist()
    [[30.0, 10.0]]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from saccade import Device, stream
from saccade.tensor import Tensor

Scalar = bool | int | float


def where(condition: Tensor, yes: Tensor | Scalar, no: Tensor | Scalar) -> Tensor:
    """`yes` where the condition holds, else `no`; at least one of them is a tensor that gives the dtype."""
    if not isinstance(yes, Tensor):
        assert isinstance(no, Tensor)
        yes = constant(yes, no)
    if not isinstance(no, Tensor):
        no = constant(no, yes)
    return yes.where(condition, no)


def constant(value: Scalar, like: Tensor) -> Tensor:
    """A scalar of the dtype and device of `like`."""
    return Tensor.full((), value, dtype=like.dtype, device=like.device)


def existing(condition: Tensor, value: Tensor) -> Tensor:
    """`value` where the condition holds; the rest is padding that nobody reads, and it may stay unwritten."""
    return value.where(condition, Tensor.empty((), dtype=value.dtype, device=value.device))


def maximum(a: Tensor, b: Tensor | Scalar) -> Tensor:
    """The larger one; NaN wins."""
    return a.maximum(b if isinstance(b, Tensor) else constant(b, a))


def minimum(a: Tensor, b: Tensor | Scalar) -> Tensor:
    return a.minimum(b if isinstance(b, Tensor) else constant(b, a))


def clip(a: Tensor, low: float, high: float) -> Tensor:
    return minimum(maximum(a, low), high)


def integers(n: int, like: Tensor) -> Tensor:
    """0, 1, ..., n-1 as int32 on the device of `like`."""
    return Tensor.arange(n, dtype="int32", device=like.device)


def take(table: Tensor, index: Tensor) -> Tensor:
    """table (n,), index of any shape -> table[index] of that shape. Indices must be in range."""
    return table.gather(0, index.reshape(-1)).reshape(index.shape)


def pick(values: Tensor, index: Tensor) -> Tensor:
    """values (..., n), index (...) -> values[..., index]: one entry of the last axis per leading position."""
    return values.gather(-1, index.unsqueeze(-1)).squeeze(-1)


def put(index: Tensor, values: Tensor, size: int) -> Tensor:
    """(..., size) with values[..., k] at index[..., k], 0 where there is none; what shares a place is added,
    and what has a place below 0 is left out.

    Sums may be written in any order, so that a device with many threads need not take turns.
    """
    zeros = Tensor.zeros((*values.shape[:-1], size), dtype=values.dtype, device=values.device)
    return zeros.scatter_add(-1, index, values)


def logical_and(first: Tensor, *rest: Tensor) -> Tensor:
    for condition in rest:
        first = first & condition
    return first


def cast(value: Tensor, like: Tensor | str) -> Tensor:
    """`value` in the dtype named, or in that of another tensor."""
    return value.cast(like if isinstance(like, str) else like.dtype)


def highest(value: Tensor) -> Tensor:
    """Maximum over the last axis."""
    return value.amax(-1)


def lowest(value: Tensor) -> Tensor:
    """Minimum over the last axis."""
    return value.amin(-1)


def first_highest(value: Tensor) -> Tensor:
    """Index of the first maximum along the last axis, int32."""
    return value.argmax(-1).cast("int32")


def nearest(distances: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k smallest along the last axis, nearest first: values and indices."""
    values, indices = distances.topk(k, -1, largest=False)
    return values, indices


def ascending_order(values: Tensor) -> Tensor:
    """Indices that sort the last axis, smallest first, equal values in index order."""
    return values.argsort(-1, stable=True)


def upload(array: npt.ArrayLike, dtype: str, device: str | None, given: bool = False) -> Tensor:
    """A host array on the device. given: nobody else has it, or will write to it, so the tensor may share it;
    else it is copied."""
    own = np.ascontiguousarray(array, dtype) if given else np.array(array, dtype, order="C")
    return Tensor.from_numpy(own) if device is None else Tensor(own, device=device)


def in_host_memory(device: str | None) -> bool:
    """Whether tensors of the device live in the host's memory and its work is done when it is queued."""
    return bool(Device[Device.canonical(device)].host_memory)


def blank(shape: tuple[int, ...], dtype: str, device: str | None) -> Tensor:
    """Zeros in the device's memory, made there: an input of programs like any other, not a constant."""
    return Tensor.zeros(shape, dtype=dtype, device=device).contiguous().realize()


#: how often the host waited for a device, for tests and reports
waits = 0


class Readable(Protocol):
    """A tensor, or what has the values of one."""

    def numpy(self) -> npt.NDArray[Any]: ...


def read(tensors: Iterable[Readable]) -> list[npt.NDArray[Any]]:
    """The values on the host, after one wait for all of them."""
    return read_each([tensors])[0]


def read_each(groups: Sequence[Iterable[Readable]]) -> list[list[npt.NDArray[Any]]]:
    """The same for several groups of them, with one wait for all."""
    global waits
    waits += 1
    values = []
    for group in groups:  # written out: a comprehension is a call, and this is done in every step
        found = []
        for tensor in group:
            found.append(tensor.numpy())
        values.append(found)
    return values


def queue(device: str | None, number: int) -> AbstractContextManager[object]:
    """Work inside goes to queue `number` of the device; devices with a single queue keep the order of
    dispatch.
    """
    return stream(number, device=device)
