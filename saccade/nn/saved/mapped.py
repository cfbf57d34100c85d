"""Tensors of a file as they lie there: mapped, read when they are used, never written.

file = MappedFile(path)
file.tensor(offset, "bfloat16", (3, 4))
"""

from __future__ import annotations

import math
import mmap
import os
import stat
from collections.abc import Sequence

import numpy as np

from ...graph import dtypes
from ...runtime.memory.halves import storage_dtype
from ...tensor.tensor import Tensor


class StateError(ValueError):
    """A file of weights that cannot be read, or values that cannot be written; says which and why."""


class MappedFile:
    """The bytes of a file; the pages of tensors that nobody uses are never read."""

    def __init__(self, path: os.PathLike[str] | str) -> None:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ValueError("it is no regular file")
        with open(path, "rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self.size else b""
        self.data = memoryview(mapped)

    def forget(self) -> None:
        """Give back the memory of the pages that were read: those that are used again are read again. What
        was copied from here into another layout is not held twice so."""
        mapped = self.data.obj
        if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)

    def tensor(
        self,
        offset: int,
        dtype: str,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        count: int | None = None,
    ) -> Tensor:
        """The elements from a byte on, `count` of them if they are others than the shape has; strides are
        counted in elements."""
        own = dtypes.by_name(dtype)
        words = storage_dtype(own)
        total = math.prod(shape) if count is None else count
        if offset < 0 or offset + total * own.itemsize > self.size:
            raise ValueError(f"{total} elements of {dtype} at byte {offset} are not in {self.size} bytes")
        flat = np.frombuffer(self.data, words, total, offset) if total else np.empty(0, words)
        if strides is None:
            array = flat.reshape(tuple(shape))
        else:
            array = np.lib.stride_tricks.as_strided(flat, tuple(shape), [s * own.itemsize for s in strides])
        if not array.flags.c_contiguous or not array.flags.aligned:
            array = np.array(array, order="C")
        return Tensor._sharing(array, own, writes=False)
