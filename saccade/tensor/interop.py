"""Reading values out, and living beside other libraries: NumPy, DLPack, Python's own protocols.

Everything here computes the value first (`realize`); on the CPU the result is a view of the tensor's memory.

    >>> float(Tensor([1.5, 2.5]).sum())
    4.0
"""

from __future__ import annotations

import copy
import importlib
from typing import Any, Self

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..graph import dtypes
from ..graph.node import hold
from ..graph.ops import Op
from ..runtime.device import Device
from ..runtime.memory.halves import to_float32
from .core import Core, buffer_node, inverse
from .gradients.leaves import no_grad
from .host import has_numpy, view_of
from .jit.trace import buffer_of
from .memory import array_of_buffer
from .programs.realize import realize_one
from .stores.storage import BORROWED, LENT, is_of_another, pending, share
from .stores.stores import realize_tensors, take_own_memory
from .stores.views import layout_of

#: DLPack's numbers for kinds of devices
CPU, CUDA = 1, 2


def _lent(words: NDArray[Any], dtype: dtypes.DType) -> Any:
    """A DLPack capsule of host memory that holds numbers of `dtype`, which NumPy takes for words."""
    from ..runtime.memory.dlpack import pack

    kept = [np.ascontiguousarray(words)]
    return pack(kept[0].ctypes.data, words.shape, dtype, (CPU, 0), kept.clear)


class Interop(Core):
    __slots__ = ()

    def realize(self, *others: Core) -> Self:
        """Compute this tensor (and others with it, sharing what they share); the graph behind it is let
        go."""
        if not others and self.storage is None and not pending:  # most calls
            self.node = realize_one(self.node)
        else:
            realize_tensors((self, *others))
        return self

    def _array(self) -> NDArray[Any]:
        """The elements in words of their width, in memory that others may have too."""
        window = None if self._is_whole() else self._window()
        if window is not None:
            return window
        return array_of_buffer(buffer_of(self.realize().node)).reshape(self.shape)

    def _window(self) -> NDArray[Any] | None:
        """What a view shows of memory; None where what it is a view of is not in the host's memory, or no
        strides lead there."""
        whole = self.storage
        assert whole is not None
        if whole.memory() is None or not Device[self.device].host_memory:
            return None
        layout = layout_of(whole.node.shape, self.moves)
        if layout is None or whole.node.dtype is not self.dtype:
            return None
        base = self.whole()
        realize_tensors((base,))
        flat = array_of_buffer(buffer_of(base.node))
        strides = [stride * flat.itemsize for stride in layout.strides]
        return as_strided(flat[layout.offset :], layout.shape, strides, writeable=not layout.overlaps)

    def numpy(self) -> NDArray[Any]:
        """The value as a NumPy array: a view of the tensor's memory on the CPU, a copy from elsewhere."""
        if not has_numpy(self.dtype):
            raise TypeError(f"NumPy has no {self.dtype.name}: use x.float().numpy()")
        if self.storage is None or not self.moves:  # most calls
            buffer = buffer_of(self.realize().node)
            if Device[buffer.device].host_memory and not is_of_another(buffer, self.storage):
                share(self, LENT)
                return array_of_buffer(buffer).reshape(self.shape)
        return self._lent_array() if Device[self.device].host_memory else self._array()

    def _lent_array(self) -> NDArray[Any]:
        """`_array`, given away: what is written here is to be seen there. (A view of what is not in memory
        has a copy of its own, until somebody writes.)"""
        take_own_memory(self.whole())
        array = self._array()
        share(self, LENT)
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        array = self.numpy()
        if dtype is not None and array.dtype != np.dtype(dtype):
            if copy is False:
                raise ValueError(
                    f"cannot see {self.dtype.name} as {np.dtype(dtype)} without a copy: allow the copy"
                )
            return array.astype(dtype)
        return array.copy() if copy else array

    def __arrow_array__(self, type: Any = None) -> Any:
        """What `pyarrow.array` asks for: an array of a tensor with one axis."""
        return importlib.import_module("pyarrow").array(self.numpy(), type)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The memory as a DLPack capsule. On a GPU, `stream` is the stream the consumer works on: it waits
        for our work there, and the memory is used again only after the consumer's."""
        if not self.device.startswith("cuda") or (dl_device is not None and dl_device[0] == CPU):
            if not has_numpy(self.dtype):  # torch has bfloat16 and the 8-bit floats
                return _lent(self._array().copy() if copy else self._lent_array(), self.dtype)
            array = self.numpy().copy() if copy else self.numpy()
            return array.__dlpack__(stream=stream if self.device == "cpu" else None, max_version=max_version)
        own = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != own:
            raise BufferError(f"cannot share memory of {self.device} as DLPack device {dl_device}: copy it")
        from ..runtime.cuda.memory.sharing import lend

        shared = self.clone() if copy else self
        take_own_memory(shared.whole())
        memory = buffer_of(shared.realize().node)
        share(shared, LENT)
        return lend(memory, self.shape, stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, _, number = self.device.partition(":")
        if kind not in ("cpu", "cuda"):
            raise BufferError(f"cannot share memory of device {self.device!r} by DLPack: use .cpu() first")
        return (CPU, 0) if kind == "cpu" else (CUDA, int(number or 0))

    @classmethod
    def from_dlpack(cls, source: Any) -> Self:
        """Share memory with an array that speaks DLPack (torch, JAX, CuPy, NumPy): on the CPU, or on a GPU,
        where our queue waits for the producer's work."""
        if not hasattr(source, "__dlpack_device__"):
            raise TypeError(f"from_dlpack takes an array that speaks DLPack, not {type(source).__name__}")
        kind, _ = source.__dlpack_device__()
        if kind == CPU:
            return cls._sharing(*view_of(source, None))
        from ..runtime.cuda.memory.sharing import borrow

        buffer, array = borrow(source)
        order = sorted(range(len(array.shape)), key=lambda axis: -array.strides[axis])
        step = 1
        for axis in reversed(order):
            # of no elements, none can be elsewhere
            if buffer.size and array.shape[axis] != 1 and array.strides[axis] != step:
                raise ValueError(
                    f"cannot share an array of shape {array.shape} and strides {array.strides}: its elements "
                    "do not lie side by side; make it contiguous first"
                )
            step *= array.shape[axis]
        memory = cls._of(hold(buffer, array.dtype, tuple(array.shape[axis] for axis in order)))
        share(memory, BORROWED)
        return memory if order == sorted(order) else memory._view((Op.PERMUTE, inverse(order)))

    def tolist(self) -> Any:
        """Nested lists of Python numbers; one number for a 0-dim tensor."""
        storage = self._array()
        return (storage if has_numpy(self.dtype) else to_float32(storage, self.dtype)).tolist()

    def item(self) -> Any:  # a Python number: typed as one, every caller would have to tell which
        if self.numel() != 1:
            raise ValueError(
                f"item() takes a tensor with one element, not shape {self.shape}: index it, or use tolist()"
            )
        value = self.tolist()
        while isinstance(value, list):
            value = value[0]
        return value

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
        storage = self._array()
        values = storage if has_numpy(self.dtype) else to_float32(storage, self.dtype)
        text = np.array2string(
            values, separator=", ", prefix="Tensor(", threshold=200, precision=4, suppress_small=True
        )
        where = "" if self.device == "cpu" else f", device={self.device!r}"
        gathers = ", requires_grad=True" if hasattr(self, "leaf") else ""
        return f"Tensor({text}, dtype={self.dtype.name}{where}{gathers})"

    def __format__(self, spec: str) -> str:
        """As Python's number where there are no axes, or one element and a format; else as repr."""
        return format(self.item(), spec) if not self.shape or (spec and self.numel() == 1) else repr(self)

    def __copy__(self) -> Self:
        """Another tensor on the same memory, as in torch."""
        return self._view()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A tensor with a copy of the memory. What shares memory is copied together, and shares the copy. No
        gradient flows from it to what it was copied from: the copy of a leaf is another leaf, with a copy of
        its gradient."""
        with no_grad():
            made = self._copied(memo)
        memo[id(self)] = made
        leaf = getattr(self, "leaf", None)
        if leaf is not None:
            made.requires_grad_().leaf.set(copy.deepcopy(leaf.grad, memo))
        return made

    def _copied(self, memo: dict[int, Any]) -> Self:
        storage = self.storage
        if storage is None:
            return self.clone().realize()
        whole: Self | None = memo.get(id(storage))
        if whole is None:
            memo[id(storage)] = whole = self._new(self.whole().node).clone().realize()
            memo.setdefault(id(memo), []).append(storage)  # deepcopy's way to keep it alive meanwhile
        return whole._view(*self.moves)

    def __reduce__(self) -> tuple[Any, ...]:
        told = (type(self), self._array().copy(), self.dtype.name, self.device, hasattr(self, "leaf"))
        return (_restored, told)


def _restored(
    cls: type[Any], storage: NDArray[Any], dtype: str, device: str, requires_grad: bool = False
) -> Interop:
    made: Any = cls._of(buffer_node(storage, dtypes.by_name(dtype), device))
    restored: Interop = made.requires_grad_() if requires_grad else made
    return restored
