"""Memory for tensors: a buffer that holds an array, and the array of a buffer."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ..graph.dtypes import DType
from ..runtime.device import Device
from ..runtime.memory.buffer import Buffer


def buffer_of(array: NDArray[Any], dtype: DType, device: str) -> Buffer:
    """A buffer with these elements; on the CPU it shares the array's memory."""
    if device == "cpu":
        return Buffer.from_numpy(array, dtype)
    buffer = Buffer(array.size, dtype, device)
    buffer.copy_from(array)
    return buffer


def array_of_buffer(buffer: Buffer) -> NDArray[Any]:
    """The elements of a buffer as a flat array of its storage type."""
    return buffer.numpy()


def default_device() -> str:
    return Device.default


def device_name(name: str) -> str:
    return Device.canonical(name)
