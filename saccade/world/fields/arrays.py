"""The few array operations the field world is written in, for NumPy and for our own Tensor.

The field world computes with operators and these functions alone, so one program runs as NumPy on the host,
where it is tested, and as compiled kernels on a device, where nothing leaves it between steps:

    arrays = NumpyArrays()                      # or TensorArrays("cuda")
    lookup = arrays.compiled(lambda table, y: (arrays.take(table, arrays.whole(arrays.floor(y))),))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from saccade import Tensor, dtypes, where
from saccade.tensor.jit.jit import jit

Value = Any  # an array of the namespace in use: np.ndarray or Tensor
Function = Callable[..., tuple[Value, ...]]


class Arrays(Protocol):
    """What a namespace must offer. Floats are float32 and indices int32 throughout."""

    def put(self, value: npt.NDArray[Any]) -> Value:
        """A host array as an array here; floats become float32, integers int32."""
        ...

    def fetch(self, value: Value) -> npt.NDArray[Any]:
        """An array here as a host array."""
        ...

    def fetch_all(self, values: Sequence[Value]) -> list[npt.NDArray[Any]]:
        """Several arrays as host arrays, for one wait."""
        ...

    def compiled(self, function: Function) -> Function:
        """The same function of arrays, made fast: it is called many times with arrays of the same shapes."""
        ...

    def take(self, table: Value, index: Value) -> Value:
        """table[index] for a one-dimensional table and indices of any shape, all in range."""
        ...

    def where(self, condition: Value, yes: Value, no: Value) -> Value:
        """Choose for each element."""
        ...

    def minimum(self, a: Value, b: Value) -> Value:
        """The lesser, for each element."""
        ...

    def maximum(self, a: Value, b: Value) -> Value:
        """The greater, for each element."""
        ...

    def floor(self, a: Value) -> Value:
        """The next whole number below, as a float."""
        ...

    def sqrt(self, a: Value) -> Value:
        """The square root."""
        ...

    def whole(self, a: Value) -> Value:
        """A float that holds a whole number, as int32."""
        ...

    def stack(self, values: list[Value]) -> Value:
        """Along a new last axis."""
        ...

    def stored(self, value: Value) -> Value:
        """The same value, kept in memory at this point: what follows is a kernel of its own."""
        ...


class NumpyArrays:
    """On the host, at once."""

    def put(self, value: npt.NDArray[Any]) -> Value:
        return np.asarray(value, host_dtype(np.asarray(value)))

    def fetch(self, value: Value) -> npt.NDArray[Any]:
        return np.asarray(value)

    def fetch_all(self, values: Sequence[Value]) -> list[npt.NDArray[Any]]:
        return [np.asarray(value) for value in values]

    def compiled(self, function: Function) -> Function:
        return function

    def take(self, table: Value, index: Value) -> Value:
        return np.take(table, index)

    def where(self, condition: Value, yes: Value, no: Value) -> Value:
        return np.where(condition, yes, no)

    def minimum(self, a: Value, b: Value) -> Value:
        return np.minimum(a, b)

    def maximum(self, a: Value, b: Value) -> Value:
        return np.maximum(a, b)

    def floor(self, a: Value) -> Value:
        return np.floor(a)

    def sqrt(self, a: Value) -> Value:
        return np.sqrt(a)

    def whole(self, a: Value) -> Value:
        return a.astype(np.int32)

    def stack(self, values: list[Value]) -> Value:
        return np.stack(values, axis=-1)

    def stored(self, value: Value) -> Value:
        return value


class TensorArrays:
    """On a device of the tensor half, in kernels traced and compiled once."""

    def __init__(self, device: str | None = None) -> None:
        self.device = device

    def put(self, value: npt.NDArray[Any]) -> Value:
        host = np.asarray(value)
        return Tensor(np.ascontiguousarray(host, host_dtype(host)), device=self.device)

    def fetch(self, value: Value) -> npt.NDArray[Any]:
        return np.asarray(value.numpy())

    def fetch_all(self, values: Sequence[Value]) -> list[npt.NDArray[Any]]:
        # the first one waits; by then everything queued before is there too
        return [np.asarray(value.numpy()) for value in values]

    def compiled(self, function: Function) -> Function:
        return jit(function)

    def take(self, table: Value, index: Value) -> Value:
        return table.take(index)

    def where(self, condition: Value, yes: Value, no: Value) -> Value:
        return where(condition, yes, no)

    def minimum(self, a: Value, b: Value) -> Value:
        return a.minimum(b)

    def maximum(self, a: Value, b: Value) -> Value:
        return a.maximum(b)

    def floor(self, a: Value) -> Value:
        return a.floor()

    def sqrt(self, a: Value) -> Value:
        return a.sqrt()

    def whole(self, a: Value) -> Value:
        return a.cast(dtypes.int32)

    def stack(self, values: list[Value]) -> Value:
        return Tensor.stack(values, -1)

    def stored(self, value: Value) -> Value:
        return value.contiguous()


def host_dtype(value: npt.NDArray[Any]) -> type[np.generic]:
    """float32 for floats, int32 for integers, bool for bool."""
    return np.float32 if value.dtype.kind == "f" else np.bool_ if value.dtype.kind == "b" else np.int32
