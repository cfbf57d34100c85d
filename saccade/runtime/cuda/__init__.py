"""NVIDIA GPUs: NVRTC compiles, the driver runs; streams are queues, captured graphs are plans.

    >>> Device["cuda"].queue.submit(plan, addresses)      # returns at once

Only `open_device` needs `cuda-bindings` and a driver: code for a GPU can be written on a machine without one.
"""

from __future__ import annotations

from ..device import DeviceRuntime


def open_device(name: str) -> DeviceRuntime:
    """The device of that name; RuntimeError says what is missing."""
    from .device import CudaDevice

    return CudaDevice(name)
