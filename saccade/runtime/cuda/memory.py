"""Device memory: the driver's stream-ordered pool, with the blocks freed last kept by size class.

    >>> block = allocator.allocate(1000)
    >>> del block                          # reusable at once by work that is queued later

A block is given back while kernels that use it may still run. That is safe on the queue it was used on,
because whoever gets it next queues work after them. Blocks used on other queues too go back only after those
queues have been waited for (on the device; no thread waits)."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from cuda.bindings import driver

from ..memory import describe, size_class
from .errors import check

#: Smallest block: the alignment of every address the driver gives.
_LEAST = 512


class DeviceBlock:
    """Memory of a GPU; goes back to its allocator with the last reference."""

    __slots__ = ("__weakref__", "_allocator", "address", "nbytes")

    def __init__(self, address: int, nbytes: int, allocator: CudaAllocator) -> None:
        self.address, self.nbytes, self._allocator = address, nbytes, allocator

    def __del__(self) -> None:
        self._allocator.release(self.address, self.nbytes)


class CudaAllocator:
    """Blocks of one GPU. `settle` orders the queue after all others; see the module."""

    def __init__(self, stream: Any, use: Callable[[], None], settle: Callable[[], None]) -> None:
        self._stream, self._use, self._settle = stream, use, settle
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        self._lock = threading.RLock()  # collecting garbage inside it may release a block
        self.cached = 0
        self.used = 0

    def allocate(self, nbytes: int) -> DeviceBlock:
        if nbytes < 0:
            raise ValueError(f"cannot allocate {nbytes} bytes")
        size = max(_LEAST, size_class(nbytes))
        with self._lock:
            free = self._free.get(size)
            if free:
                self.cached -= size
                self.used += size
                return DeviceBlock(free.pop(), size, self)
        return DeviceBlock(self._fresh(size, nbytes), size, self)

    def _fresh(self, size: int, nbytes: int) -> int:
        self._use()
        status, address = driver.cuMemAllocAsync(size, self._stream)
        if status == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            self.clear()
            status, address = driver.cuMemAllocAsync(size, self._stream)
        if status == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise MemoryError(
                f"cannot allocate {nbytes} bytes ({describe(nbytes)}) on the GPU, "
                f"{describe(self.used)} are in use: "
                f"use smaller tensors or a narrower dtype, or drop references to tensors no longer needed"
            )
        check((status,), f"allocating {nbytes} bytes")
        with self._lock:
            self.used += size
        return int(address)

    def release(self, address: int, size: int) -> None:
        """Keep a block for the next request of its class."""
        self._settle()
        with self._lock:
            self._free[size].append(address)
            self.cached += size
            self.used -= size

    def clear(self) -> None:
        """Give all cached memory back to the driver, and wait until it has it."""
        with self._lock:
            blocks = [a for addresses in self._free.values() for a in addresses]
            self._free.clear()
            self.cached = 0
        self._use()
        for address in blocks:
            check(driver.cuMemFreeAsync(address, self._stream), "freeing memory")
        check(driver.cuStreamSynchronize(self._stream), "waiting for freed memory")
