"""Tensors over arrays that are made for them: written by NumPy, aligned as kernels like it, never copied.

array = aligned((48, 16), np.uint8)         # zeros
array[...] = weights
tensor_over(array)                          # the array belongs to the tensor now
sparse((48, 16), np.uint8)                  # zeros, of which pages that nobody writes to take no memory

slabs = Slabs()
slabs.array((48, 16), np.uint8)             # the same, side by side with others on huge pages
"""

from __future__ import annotations

import contextlib
import math
import mmap
import threading
from functools import cache
from typing import Any, Final

import numpy as np

from ...graph.dtypes import DType, by_name
from ...runtime.memory.blocks import ALIGNMENT
from ...tensor.core import buffer_node
from ...tensor.memory import default_device
from ...tensor.tensor import Tensor

Array = np.ndarray[Any, Any]


def aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros whose first byte is where a cache line begins."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    whole = np.zeros(size + ALIGNMENT, np.uint8)
    skipped = -whole.ctypes.data % ALIGNMENT
    made: Array = whole[skipped : skipped + size].view(dtype).reshape(shape)
    return made


def sparse(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros on small pages, each of which takes memory when it is first written to. NumPy asks for huge ones
    from 4 MB on: of a cache for thousands of tokens, the first few would take all of it."""
    if not hasattr(mmap, "MAP_PRIVATE"):  # no POSIX
        return aligned(shape, dtype)
    size = math.prod(shape) * np.dtype(dtype).itemsize
    pages = mmap.mmap(-1, max(size, 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without huge pages
            pages.madvise(mmap.MADV_NOHUGEPAGE)
    made: Array = np.frombuffer(pages, np.uint8, size).view(dtype).reshape(shape)
    return made


#: Memory in pieces of which NumPy asks for huge pages (2 MB), as it does from 4 MB on. At both ends of one
#: pages are small: pieces of 16 MB took a thousand faults more for a model of 90 MB.
SLAB: Final = 1 << 26


class Slabs:
    """Arrays that are all written, and live as long as each other: those of a model's weights. They share
    large pieces of memory on huge pages, so that fewer faults are taken to fill them (62 -> 25 ms for 90 MB)
    and fewer pages are looked up to read them. Threads may ask at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: Array = np.empty(0, np.uint8)

    def array(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Zeros whose first byte is where a cache line begins."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        taken = size + -size % ALIGNMENT
        with self._lock:
            if taken > SLAB // 4:
                return aligned(shape, dtype)
            if taken > len(self._free):
                self._free = aligned((SLAB,), np.uint8)
            made, self._free = self._free[:size], self._free[taken:]
        array: Array = made.view(dtype).reshape(shape)
        return array


def tensor_over(array: Array) -> Tensor:
    """On the CPU the memory of the array itself, which nobody else uses from here on."""
    if default_device() != "cpu":
        return Tensor(array)
    return Tensor._of(buffer_node(array, _own(array.dtype), "cpu"))


@cache
def _own(dtype: np.dtype[Any]) -> DType:
    return by_name(dtype.name)
