"""Kernels for processors that this machine is not: LLVM compiles them; as x86-64 and as arm64 they run."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.kernels.platforms import (
    EMULATED,
    PLATFORMS,
    Leaves,
    compiled,
    emulate,
    has_emulator,
    source_on,
)
from saccade.fuzz.kernels.replay import emulates
from saccade.graph.kernels.kernel import Kernel
from saccade.runtime.cpu.machine import Registers, assuming, host_registers
from saccade.runtime.program import CompileError, Source
from tests.codegen.kernels import kernels_of

needs_emulator = pytest.mark.skipif(
    not has_emulator() or sys.platform != "linux", reason="needs Linux and the package unicorn"
)


def some_kernels() -> list[Kernel]:
    x = Tensor(np.ones((24, 40), np.float32))
    half = x.cast("float16")
    made = (
        x.softmax(1),
        x @ x.T,
        half @ half.T,
        x.argmax(1),
        x.cumsum(1),
        x.sort(1)[0],
        (x * 2).cast("int8"),
    )
    return [kernel for each in made for kernel in kernels_of(each)]


@pytest.mark.parametrize("name", list(PLATFORMS))
def test_kernels_compile_for(name: str) -> None:
    platform = PLATFORMS[name]
    for kernel in some_kernels():
        assert len(compiled(source_on(kernel, platform), platform)) > 200


def test_a_pooling_with_its_numbers_given_compiles_where_masks_are_registers() -> None:
    """In a process of its own: what LLVM cannot select ends it."""
    program = """
from saccade import Tensor
from saccade.fuzz.programs.given import given
from saccade.fuzz.kernels.platforms import PLATFORMS, compiled, source_on
from saccade.fuzz.programs.programs import Input, Program
from saccade.graph import dtypes
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

pooled = Tensor.zeros(8, 3, 64, dtype="float16").contiguous().realize().max_pool1d(2, 2, padding=1)
roots, _ = graph_of(canonical([pooled.node])[0])
program = Program(0, tuple(roots), (Input(dtypes.float16, 8 * 3 * 64, "normal", 0),))
roots, arrays = given(program, program.arrays())
(item,) = schedule(roots, len(arrays)).items
platform = PLATFORMS["x86-64-v4 linux"]
print(len(compiled(source_on(item.kernel, platform), platform)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:400]
    assert int(done.stdout) > 200


def test_kernels_are_shaped_for_the_registers_of_a_platform() -> None:
    product = kernels_of(Tensor(np.ones((64, 64), np.float32)) @ Tensor(np.ones((64, 64), np.float32)))[0]
    narrow, wide = (source_on(product, PLATFORMS[f"x86-64-v{n} linux"]).text for n in (2, 4))
    assert "<64 x float>" in wide  # four registers of sixteen
    assert "<64 x float>" not in narrow
    before = host_registers()
    with assuming(Registers(128, 8)):
        assert host_registers() == Registers(128, 8)
    assert host_registers() == before


def test_what_a_platform_cannot_compile_is_refused() -> None:
    nothing = Source("nothing", "define void @something() { ret void }", 1, 0)
    with pytest.raises(CompileError, match="no function @nothing"):
        compiled(nothing, EMULATED["arm64"])


def code_of(text: str, processor: str) -> tuple[Source, bytes]:
    head = "define void @kernel(ptr %params, i64 %begin, i64 %end, ptr %scratch)"
    source = Source("kernel", f"declare float @expf(float)\n{head} {{\n{text}\nret void\n}}", 3, 1)
    return source, compiled(source, EMULATED[processor])


@needs_emulator
@pytest.mark.parametrize("processor", EMULATED)
def test_code_runs_on_the_memory_it_is_given(processor: str) -> None:
    source, code = code_of("%p = load ptr, ptr %params\nstore i64 %end, ptr %p", processor)
    words = np.zeros(4, np.int64)
    emulate(source, code, [words.ctypes.data], [words.nbytes])
    assert words.tolist() == [3, 0, 0, 0]


@needs_emulator
@pytest.mark.parametrize("processor", EMULATED)
def test_code_that_leaves_its_memory_or_calls_its_system_is_told(processor: str) -> None:
    source, code = code_of("%p = inttoptr i64 64 to ptr\nstore i64 %end, ptr %p", processor)
    with pytest.raises(AssertionError, match=f"kernel on {processor}, at byte"):
        emulate(source, code, [], [])
    source, code = code_of(
        "%p = load ptr, ptr %params\n%x = load float, ptr %p\n%y = call float @expf(float %x)\n"
        "store float %y, ptr %p",
        processor,
    )
    one = np.ones(1, np.float32)
    with pytest.raises(Leaves, match="calls a function of its system"):
        emulate(source, code, [one.ctypes.data], [4])


@needs_emulator
@pytest.mark.parametrize("processor", EMULATED)
def test_kernels_run_as_the_interpreter_says(processor: str) -> None:
    """Some leave for a function of their system; most do not."""
    ran = [emulates(kernel, processor, np.random.default_rng(1)) for kernel in some_kernels()]
    assert sum(ran) > len(ran) // 2
