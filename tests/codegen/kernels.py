"""Kernels made by hand, and what it takes to run them on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from saccade.codegen.compile import source_for
from saccade.graph.dtypes import DType
from saccade.graph.kernel import Kernel, load, loop, param, sink, store
from saccade.graph.node import Node
from saccade.runtime.device import Device
from saccade.runtime.halves import storage_dtype
from saccade.runtime.program import Launch

Array = np.ndarray[Any, Any]


def elementwise(make_value: Callable[..., Node], inputs: Sequence[DType], size: int) -> Kernel:
    """out[i] = make_value(in0[i], in1[i], ...)."""
    i = loop(0, size)
    value = make_value(*[load(param(slot + 1, dtype, size), i) for slot, dtype in enumerate(inputs)])
    memory = ((value.dtype, size), *((dtype, size) for dtype in inputs))
    return Kernel(sink((store(param(0, value.dtype, size), i, value),)), (i,), memory, (0,))


def run_on_cpu(kernel: Kernel, arrays: Sequence[Array]) -> None:
    """Compile the kernel and run it on arrays of its parameters' storage types, outputs included."""
    device = Device["cpu"]
    (program,) = device.compile([source_for(kernel, "cpu")])
    launch = Launch(program, tuple((slot, 0) for slot in range(len(arrays))))
    device.plan([launch], len(arrays))([a.ctypes.data for a in arrays])


def apply(make_value: Callable[..., Node], dtypes_in: Sequence[DType], *arrays: Array) -> Array:
    """The elementwise kernel on arrays of one size."""
    kernel = elementwise(make_value, dtypes_in, arrays[0].size)
    out = np.zeros(arrays[0].size, storage_dtype(kernel.params[0][0]))
    run_on_cpu(kernel, [out, *map(np.ascontiguousarray, arrays)])
    return out
