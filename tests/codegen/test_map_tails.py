"""Maps of so many elements that vectors do not come out even: vectors on a GPU all the same, and the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.runtime.device import Device
from saccade.tensor.programs import realize
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_render import Collector

Array = np.ndarray[Any, Any]


def results(array: Array, device: str) -> list[Array]:
    x = Tensor(array, device=device)
    first, second = x * 2 + 1, -x
    first.realize(second)
    return [y.numpy().astype(np.float32) for y in (first, second)]


@needs_compiler
@pytest.mark.parametrize("shape", [(1025, 1025), pytest.param((1 << 20 | 3,), marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_results(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> None:
    array = rng.integers(-50, 50, shape).astype(dtype)
    with emulated_gpu():
        ours = results(array, "cuda")
    for mine, theirs in zip(ours, results(array, "cpu"), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(("shape", "stores"), [((1025, 1025), 2), ((1024, 1024), 2), ((129, 33), 0)])
def test_vectors_are_stored(shape: tuple[int, ...], stores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    device = Collector()
    monkeypatch.setitem(Device._open, "cuda:0", device)
    monkeypatch.setattr(realize, "_executables", realize.Families())
    (Tensor(np.zeros(shape, np.float32), device="cuda") * 2 + 1).realize()
    (source,) = device.sources
    assert source.text.partition('extern "C"')[2].count("store_many") == stores
