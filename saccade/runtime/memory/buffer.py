"""A buffer: `size` elements of one dtype on one device, allocated when first used.

    >>> b = Buffer(4, dtypes.float32, "cpu")
    >>> b.allocated, b.nbytes
    (False, 16)
    >>> b.numpy()[:] = 1                      # a view of its memory
    >>> c = Buffer.from_numpy(np.arange(3))   # shares the array's memory and keeps the array alive

Buffers are compared by identity. Elements NumPy has no type for (bfloat16, float8) appear as words; `halves`
converts. On the CPU `numpy()` is a view; a device with memory of its own copies, after waiting for the work
that writes it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from saccade.graph import dtypes
from saccade.graph.dtypes import DType

from ..device import Device, Memory, PeerQueue
from .blocks import Absent
from .halves import storage_dtype

#: How memory is seen outside: NumPy or another library was given it, or it is theirs.
LENT: Final = 1
BORROWED: Final = 2


class Buffer:
    """Memory that exists, or will when somebody asks for its address."""

    __slots__ = ("__weakref__", "_address", "_owner", "claim", "device", "dtype", "kept", "shared", "size",
                 "writable")  # fmt: skip

    # kept for those who write to it (`stores.storage`, `jit.replay`): the storage whose memory it is; and,
    # of few buffers, LENT or BORROWED, and a list of results that may be handed out again
    claim: Any
    shared: int
    kept: Any

    def __init__(self, size: int, dtype: DType, device: str | None = None) -> None:
        if size < 0:
            raise ValueError(f"a buffer cannot have {size} elements: give a size of 0 or more")
        self.size = size
        self.dtype = dtype
        self.device = Device.canonical(device)
        self.writable = True
        self.claim, self.shared = None, 0
        self._address: int | None = None
        self._owner: object = None  # what keeps the memory: a device's block or somebody's array

    @classmethod
    def from_numpy(cls, array: NDArray[Any], dtype: DType | None = None) -> Buffer:
        """A CPU buffer on the memory of `array`, nothing copied; `dtype` says what words mean."""
        wanted = dtypes.of(array.dtype) if dtype is None else dtype
        if array.dtype != storage_dtype(wanted):
            raise TypeError(f"an array of {array.dtype} cannot hold {wanted.name}: "
                            f"convert it to {storage_dtype(wanted)} first")  # fmt: skip
        if not array.flags.c_contiguous or not array.flags.aligned:
            raise ValueError(f"cannot share an array of shape {array.shape} and strides {array.strides}: "
                             f"make it contiguous with np.ascontiguousarray")  # fmt: skip
        buffer = cls(array.size, wanted, "cpu")
        buffer._address, buffer._owner = array.ctypes.data, array
        buffer.writable = bool(array.flags.writeable)
        return buffer

    @classmethod
    def on(cls, memory: Memory, size: int, dtype: DType, device: str) -> Buffer:
        """A buffer on a device's memory that was just allocated; `device` is a canonical name."""
        buffer = object.__new__(cls)
        buffer.size, buffer.dtype, buffer.device, buffer.writable = size, dtype, device, True
        buffer._owner, buffer._address = memory, memory.address
        buffer.claim, buffer.shared = None, 0
        return buffer

    def again(self) -> Buffer:
        """Another buffer on the same memory."""
        made = object.__new__(Buffer)
        made.size, made.dtype, made.device, made.writable = self.size, self.dtype, self.device, self.writable
        made._address, made._owner = self.address, self._owner
        made.claim, made.shared = self.claim, 0
        return made

    def move_to(self, other: Buffer) -> None:
        """Have the memory of another buffer, which holds the same elements; nobody outside sees that."""
        self._owner, self._address, self.writable, self.shared = other._owner, other.address, True, 0
        self.claim = None

    def __repr__(self) -> str:
        return f"Buffer({self.size}, {self.dtype.name}, {self.device!r})"

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def allocated(self) -> bool:
        return self._address is not None

    @property
    def in_host_memory(self) -> bool:
        """Do the elements lie where Python can read them at once?"""
        return self.allocated and not isinstance(self._owner, Absent) and Device[self.device].host_memory

    @property
    def address(self) -> int:
        """Where the memory is, allocating it on first use."""
        if self._address is None:
            block = Device[self.device].allocate(self.nbytes)
            self._owner, self._address = block, block.address
        return self._address

    def numpy(self) -> NDArray[Any]:
        """The elements as a flat array: on the CPU a view (read-only where the memory is), else a copy."""
        device, address = Device[self.device], self.address
        if isinstance(self._owner, Absent):
            raise RuntimeError(self._owner.refusal(repr(self)))
        if not device.host_memory:
            host = np.empty(self.size, storage_dtype(self.dtype))
            device.queue.copy_out(host.ctypes.data, address, self.nbytes)
            device.queue.synchronize()
            return host
        if self.size == 0:
            return np.empty(0, storage_dtype(self.dtype))
        if isinstance(self._owner, np.ndarray):
            return self._owner.reshape(-1)
        return np.asarray(self._owner)[: self.nbytes].view(storage_dtype(self.dtype))

    def copy_from(self, array: NDArray[Any]) -> None:
        """Overwrite all elements with those of `array`, which has this buffer's size and storage type."""
        if array.size != self.size or array.dtype != storage_dtype(self.dtype):
            raise ValueError(f"cannot copy {array.size} elements of {array.dtype} into {self!r}")
        if not self.writable:
            raise ValueError(f"{self!r} shares a read-only array: copy the array before assigning to it")
        device = Device[self.device]
        if device.host_memory:
            np.copyto(self.numpy(), array.reshape(-1))
        else:
            contiguous = np.ascontiguousarray(array)
            device.queue.copy_in(self.address, contiguous.ctypes.data, self.nbytes)
            pinned = getattr(device, "is_pinned", None)
            # an array with memory of NumPy's own is never pinned, and was copied to memory that is
            if contiguous.base is not None and pinned is not None and pinned(contiguous.ctypes.data):
                device.queue.synchronize()  # it is read where it is, and may be gone when this returns

    def copy_from_buffer(self, other: Buffer) -> None:
        """Overwrite all elements with those of a buffer of another device; between GPUs without the host."""
        here, there = Device[self.device].queue, Device[other.device].queue
        if isinstance(here, PeerQueue) and isinstance(there, PeerQueue):
            here.copy_from_peer(self.address, other.address, self.nbytes, there)
        else:
            self.copy_from(other.numpy())
