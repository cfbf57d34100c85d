"""Numbers that are given with each call, on a real card: what is computed is what the CPU computes."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import saccade
from saccade import Device, Tensor, jit
from saccade.tensor.programs import realize
from tests.codegen.test_cuda_values import KINDS, given
from tests.tensor.test_family import LOOPS, in_numpy
from tests.tensor.test_numbers import TAKEN, matrix

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    function, array, values = LOOPS[name]
    x = Tensor(array, device="cuda")
    for i in values:
        np.testing.assert_allclose(function(x, i).numpy(), in_numpy(function, array, i), rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_given_numbers_compute_what_the_cpu_does(kind: str) -> None:
    program, arrays, tolerance = KINDS[kind]
    executable, addresses, _keep = given(program, arrays)
    ours = executable.run(addresses)[0].numpy().astype(np.float64)
    theirs = program(*map(Tensor, arrays)).numpy().astype(np.float64).reshape(-1)
    assert np.linalg.norm(ours - theirs) <= max(tolerance, 1e-7) * np.linalg.norm(theirs)


@pytest.mark.parametrize("name", TAKEN)
def test_jit_functions(name: str) -> None:
    function, values = TAKEN[name]
    x, y, f = Tensor(matrix(), device="cpu"), Tensor(matrix(), device="cuda"), jit(function)
    for value in values:
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(f(y, value).numpy(), function(x, value).numpy(), rtol=1e-5, atol=1e-6)
    assert f.traces == 3


def test_calls_in_a_row_keep_their_numbers() -> None:
    """Nothing waits between them, and each has its own words."""
    f = jit(lambda x, rate: ((x * rate).flip(0) + 1).contiguous().flip(0) * rate)
    x = Tensor(np.ones(1 << 20, np.float32), device="cuda")
    results = [f(x, float(i)) for i in range(200)]
    for i, result in enumerate(results):
        assert result[-1].item() == (i + 1) * i


def test_streams_have_numbers_of_their_own() -> None:
    x = Tensor(np.ones(1 << 18, np.float32), device="cuda").realize()
    streams = [saccade.stream(device="cuda") for _ in range(3)]
    made = []
    for i in range(60):
        with streams[i % 3]:
            made.append((x * float(i))[i : i + 4].realize())
    assert [m.tolist() for m in made] == [[float(i)] * 4 for i in range(60)]


def test_kernels_that_nobody_has_are_unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realize, "_MOST_FAMILIES", 4)
    device = Device["cuda"]
    x = Tensor(np.ones(300, np.float32), device="cuda")
    for n in range(1, 40):
        part = (x[:n] * 2).contiguous()
        assert (part.cumsum(0) + part.flip(0)).sum().item() == n * (n + 1) + 2 * n
        gc.collect()
    assert len(device.unused) <= 8  # type: ignore[attr-defined]
