"""Reading values out, and living beside other libraries: NumPy, DLPack, Python's own protocols.

Everything here computes the value first (`realize`); on the CPU the result is a view of the tensor's memory.

    >>> float(Tensor([1.5, 2.5]).sum())
    4.0
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..graph import dtypes
from ..graph.ops import Op
from ..runtime.halves import to_float32
from .core import Core, buffer_node
from .host import has_numpy
from .memory import array_of_buffer
from .realize import realize


class Interop(Core):
    __slots__ = ()

    def realize(self, *others: Core) -> Self:
        """Compute this tensor (and others with it, sharing what they share); the graph behind it is let
        go."""
        tensors: list[Core] = [self, *others]
        for tensor, node in zip(tensors, realize([t.node for t in tensors]), strict=True):
            tensor.node = node
        return self

    def _storage(self) -> NDArray[Any]:
        node = self.realize().node
        buffer = node if node.op is Op.BUFFER else node.src[0]
        return array_of_buffer(buffer.arg).reshape(self.shape)

    def numpy(self) -> NDArray[Any]:
        """The value as a NumPy array: a view of the tensor's memory on the CPU, a copy from elsewhere."""
        if not has_numpy(self.dtype):
            raise TypeError(f"NumPy has no {self.dtype.name}: use x.float().numpy()")
        return self._storage()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = self.numpy()
        if dtype is not None and array.dtype != np.dtype(dtype):
            if copy is False:
                raise ValueError(
                    f"cannot see {self.dtype.name} as {np.dtype(dtype)} without a copy: allow the copy"
                )
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        array = self.numpy()
        return array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        if self.device != "cpu":
            raise BufferError(f"cannot share memory of device {self.device!r} by DLPack: use .cpu() first")
        return (1, 0)

    def tolist(self) -> Any:
        """Nested lists of Python numbers; one number for a 0-dim tensor."""
        storage = self._storage()
        return (storage if has_numpy(self.dtype) else to_float32(storage, self.dtype)).tolist()

    def item(self) -> bool | int | float:
        if self.numel() != 1:
            raise ValueError(
                f"item() takes a tensor with one element, not shape {self.shape}: index it, or use tolist()"
            )
        value = self.tolist()
        while isinstance(value, list):
            value = value[0]
        result: bool | int | float = value
        return result

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise ValueError(
                f"the truth of a tensor of shape {self.shape} is ambiguous: use .any() or .all()"
            )
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        if self.dtype.is_float:
            raise TypeError(f"only an integer tensor is an index, not {self.dtype.name}: use int(x)")
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a 0-dim tensor has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        storage = self._storage()
        values = storage if has_numpy(self.dtype) else to_float32(storage, self.dtype)
        text = np.array2string(
            values, separator=", ", prefix="Tensor(", threshold=200, precision=4, suppress_small=True
        )
        where = "" if self.device == "cpu" else f", device={self.device!r}"
        return f"Tensor({text}, dtype={self.dtype.name}{where})"

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and self.numel() == 1 else repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), self._storage().copy(), self.dtype.name, self.device))


def _restored(cls: type[Interop], storage: NDArray[Any], dtype: str, device: str) -> Interop:
    return cls._of(buffer_node(storage, dtypes.by_name(dtype), device))
