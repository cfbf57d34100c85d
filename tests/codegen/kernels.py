"""Kernels made by hand, and what it takes to run them on the CPU."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from saccade import Tensor
from saccade.codegen.compile import shaped, source_for, source_of
from saccade.codegen.cpu.llvm.llvm import render
from saccade.codegen.linear.lower import Lowering
from saccade.codegen.numerics.decompose import decompose
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import Kernel, load, loop, param, sink, store
from saccade.graph.node import Node
from saccade.runtime.cpu.machine import AVX2, AVX512, SSE, Registers, assuming, host_registers
from saccade.runtime.device import Device
from saccade.runtime.memory.halves import WORDS, from_float32, storage_dtype
from saccade.runtime.program import Launch, Source
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from saccade.tensor.programs.realize import without_copies

Array = np.ndarray[Any, Any]
#: processors without VNNI whose code this one runs
WITHOUT_VNNI = [
    registers
    for registers in (SSE, AVX2, AVX512)
    if platform.machine().lower() in ("x86_64", "amd64") and registers.bytes <= host_registers().bytes
]


def elementwise(make_value: Callable[..., Node], inputs: Sequence[DType], size: int) -> Kernel:
    """out[i] = make_value(in0[i], in1[i], ...)."""
    i = loop(0, size)
    value = make_value(*[load(param(slot + 1, dtype, size), i) for slot, dtype in enumerate(inputs)])
    memory = ((value.dtype, size), *((dtype, size) for dtype in inputs))
    return Kernel(sink((store(param(0, value.dtype, size), i, value),)), (i,), memory, (0,))


def run_on_cpu(kernel: Kernel, arrays: Sequence[Array]) -> None:
    """Compile the kernel and run it on arrays of its parameters' storage types, outputs included."""
    run_source(source_for(kernel, "cpu"), arrays)


def run_source(source: Source, arrays: Sequence[Array]) -> None:
    """Compile what was rendered for the CPU and run it."""
    device = Device["cpu"]
    (program,) = device.compile([source])
    launch = Launch(program, tuple((slot, 0) for slot in range(len(arrays))))
    device.plan([launch], len(arrays))([a.ctypes.data for a in arrays])


def run_shaped_for(kernel: Kernel, registers: Registers, arrays: Sequence[Array]) -> None:
    """Run what a kernel is on another processor, whose instructions this one has."""
    with assuming(registers):  # what is known of kernels is known of this host
        source = source_of(kernel, shaped.__wrapped__(kernel))
    run_source(source, arrays)


def apply(make_value: Callable[..., Node], dtypes_in: Sequence[DType], *arrays: Array) -> Array:
    """The elementwise kernel on arrays of one size."""
    kernel = elementwise(make_value, dtypes_in, arrays[0].size)
    out = np.zeros(arrays[0].size, storage_dtype(kernel.params[0][0]))
    run_on_cpu(kernel, [out, *map(np.ascontiguousarray, arrays)])
    return out


def kernels_of(*tensors: Tensor) -> list[Kernel]:
    """The kernels that compute these tensors, before any moves."""
    form, _ = canonical(without_copies([t.node for t in tensors]))
    roots, inputs = graph_of(form)
    return [item.kernel for item in schedule(roots, inputs).items]


def random_arrays(kernel: Kernel, seed: int = 0) -> list[Array]:
    """Memory for every parameter: small numbers, so that indices are mostly in range."""
    rng = np.random.default_rng(seed)
    arrays = []
    for dtype, size in kernel.params:
        values = rng.normal(size=size) if dtype.is_float else rng.integers(0, 2 if dtype.is_bool else 5, size)
        memory = from_float32(values, dtype) if dtype in WORDS else values.astype(dtype.name)
        arrays.append(np.ascontiguousarray(memory))
    return arrays


def run_moved_on_cpu(kernel: Kernel, arrays: Sequence[Array], quick: bool = True) -> None:
    """Compile a kernel as it is, its own moves and no others, and run it."""
    code = Lowering(replace(kernel, sink=decompose(kernel.sink))).code("moved")
    source = Source("moved", render(code), code.tasks, len(kernel.params), code.scratch, quick=quick)
    run_source(source, arrays)
