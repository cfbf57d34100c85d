"""Tensors over arrays that are made for them: written by NumPy, aligned as kernels like it, never copied.

array = aligned((48, 16), np.uint8)         # zeros, of which pages that nobody writes to take no memory
array[...] = weights
tensor_over(array)                          # the array belongs to the tensor now
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..graph.dtypes import by_name
from ..runtime.memory import ALIGNMENT
from ..tensor.core import buffer_node
from ..tensor.memory import default_device
from ..tensor.tensor import Tensor

Array = np.ndarray[Any, Any]


def aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros whose first byte is where a cache line begins."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    whole = np.zeros(size + ALIGNMENT, np.uint8)
    skipped = -whole.ctypes.data % ALIGNMENT
    made: Array = whole[skipped : skipped + size].view(dtype).reshape(shape)
    return made


def tensor_over(array: Array) -> Tensor:
    """On the CPU the memory of the array itself, which nobody else uses from here on."""
    if default_device() != "cpu":
        return Tensor(array)
    return Tensor._of(buffer_node(array, by_name(array.dtype.name), "cpu"))
