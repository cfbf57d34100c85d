"""Kernels for GPUs whose numbers are given with each call: on the emulator, and compiled by NVRTC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.runtime.device import Device
from saccade.runtime.executable import Executable
from saccade.tensor.programs import realize
from saccade.tensor.programs.family import Family
from saccade.tensor.programs.form import Given, canonical
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_render import Collector, nvrtc_missing

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(11)


def floats(*shape: int, dtype: str = "float32") -> Array:
    return RNG.standard_normal(shape).astype(dtype)


def half(*shape: int) -> Array:
    return floats(*shape, dtype="float16")


def written(x: Tensor) -> Tensor:
    y = x + 0
    y[5:7, 1:4] = 2.5
    return y


#: programs with numbers and places in them, what they read, and how far they may be from the CPU's
KINDS: dict[str, tuple[Callable[..., Tensor], list[Array], float]] = {
    "a map and a row": (lambda a: (a * 3.5 - 0.5)[5] * 2, [floats(37, 64)], 1e-7),
    "a product": (lambda a, b: a[5] @ b * 0.125, [half(9, 130, 64), half(64, 136)], 2e-3),
    "halves and bytes": (
        lambda a: (a.half() * 0.3 + 7).cast("bfloat16").float() + a.cast("int8") * 3, [4 * floats(37, 64)],
        1e-3,
    ),
    "a part that is written": (written, [floats(37, 64)], 0.0),
    "rows": (lambda a: (a[5:13] * 1.5).softmax(1), [floats(37, 700)], 1e-6),
    "attention": (
        lambda q, k, v: ((q @ k.mT) * 0.15).softmax(-1) @ v, [half(2, 40, 16) for _ in range(3)], 4e-3,
    ),
    "a running sum": (lambda a: a[5].cumsum(1) * 3, [floats(9, 3, 700)], 1e-5),
    "turned": (lambda a: (a[5].mT * 1.5).contiguous(), [floats(9, 64, 96)], 0.0),
    "integers": (lambda a: a * 5 // 8 % 7 + (a >> 1), [RNG.integers(0, 99, (37, 64))], 0.0),
}  # fmt: skip
#: those that are run by default: compiling for the emulator takes seconds
FEW = ("a map and a row", "a product")


def given(program: Callable[..., Tensor], arrays: list[Array]) -> tuple[Executable, list[int], object]:
    """The program for the GPU with all its numbers given, and what it is run on."""
    tensor = program(*[Tensor(a, device="cuda") for a in arrays])
    (structure, numbers), inputs = canonical([tensor.node])
    held = tuple(map(Given, range(len(numbers))))
    general = Family(structure, "cuda:0").given(held, realize.make_executable)
    words = general.words(numbers)
    assert words is not None
    memory = general.executable.written(words)
    return general.executable, [*(b.address for b in inputs), memory.address], (inputs, memory)


@pytest.fixture(name="emulator")
def emulator_fixture() -> Iterator[None]:
    with emulated_gpu():
        yield


@needs_compiler
@pytest.mark.parametrize("kind", [k if k in FEW else pytest.param(k, marks=pytest.mark.slow) for k in KINDS])
def test_given_numbers_compute_what_the_cpu_does(kind: str, emulator: None) -> None:
    program, arrays, tolerance = KINDS[kind]
    executable, addresses, _keep = given(program, arrays)
    ours = executable.run(addresses)[0].numpy().astype(np.float64)
    theirs = program(*map(Tensor, arrays)).numpy().astype(np.float64).reshape(-1)
    assert np.linalg.norm(ours - theirs) <= tolerance * np.linalg.norm(theirs)


@pytest.mark.slow
@needs_compiler
def test_jit_gives_numbers_too(emulator: None) -> None:
    f = jit(lambda a, i: a[i] * 0.5)
    array = floats(9, 64)
    a = Tensor(array, device="cuda")
    for i in range(5):
        np.testing.assert_array_equal(f(a, i).numpy(), array[i] * np.float32(0.5))
    assert f.traces == 3


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_with_given_numbers_compile(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = nvrtc_missing()
    if reason is not None:
        pytest.skip(reason)
    from saccade.runtime.cuda.compiler import compile_cubin

    device = Collector()
    monkeypatch.setitem(Device._open, "cuda:0", device)
    given(*KINDS[kind][:2])
    assert device.sources
    for source in device.sources:
        assert compile_cubin(source, "sm_90a")[:4] == b"\x7fELF"
