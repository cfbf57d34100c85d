"""Reductions of the same elements on a GPU share one loop, and so one pass through memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.runtime.device import Device
from saccade.tensor.programs import realize
from saccade.transform.parallel import moments
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_render import Collector

Array = np.ndarray[Any, Any]


def weights_of_dots(x: Tensor) -> tuple[Tensor, ...]:
    """The largest dot of a short row goes through its dots in a loop of its own."""
    dots = (x * x[:, :1]).sum(-1)
    raised = (dots - dots.amax(-1, True)).exp()
    return dots, raised, raised / raised.sum(-1, True)


PROGRAMS: dict[str, tuple[Callable[[Tensor], tuple[Tensor, ...]], tuple[int, ...]]] = {
    "a sum, one of squares, the largest": (lambda x: (x.sum(1), (x * x).sum(1), x.amax(1)), (3, 70_000)),
    "sums over two loops": (lambda x: (x.sum((0, 2)), (x * x).sum((0, 2))), (9, 3, 9_000)),
    "one that reads another's result": (
        lambda x: (x.amax(1), (x - x.amax(1, True)).exp().sum(1)),
        (3, 70_000),
    ),
    "two of a third": (lambda x: (x.mean((0, 2)), x.var((0, 2))), (9, 3, 9_000)),
    "sums of dots that are made again in a short row": (weights_of_dots, (81, 99, 13, 16)),
    "of other rows as well": (lambda x: (x.sum(1), (x * x).sum(1), (x[:, :9] * 2).sum(1)), (3, 70_000)),
}


def results(program: Callable[[Tensor], tuple[Tensor, ...]], array: Array, device: str) -> list[Array]:
    first, *others = program(Tensor(array, device=device))
    return [y.numpy() for y in (first.realize(*others), *others)]


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_results(name: str, rng: np.random.Generator) -> None:
    program, shape = PROGRAMS[name]
    array = rng.standard_normal(shape).astype(np.float32)
    with emulated_gpu():
        ours = results(program, array, "cuda")
    for mine, theirs in zip(ours, results(program, array, "cpu"), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=1e-3)


@pytest.mark.parametrize(
    ("name", "loops"),
    [
        ("a sum, one of squares, the largest", 1),
        ("one that reads another's result", 2),
        ("two of a third", 2),
    ],
)
def test_rows_are_read_as_seldom_as_can_be(name: str, loops: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program, shape = PROGRAMS[name]
    shape = tuple(140 if n == 3 else n for n in shape)  # as many rows as a card has processors
    device = Collector()
    monkeypatch.setitem(Device._open, "cuda:0", device)
    monkeypatch.setattr(realize, "_executables", realize.Families())
    monkeypatch.setattr(moments, "LARGE", 1 << 40)  # otherwise parts are read once (`test_moments`)
    results(program, np.zeros(shape, np.float32), "cuda")
    (source,) = device.sources
    assert source.text.count("for (i32 v") == loops


def test_sums_of_other_matrices_have_loops_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two matrices times one vector share next to nothing of what they read."""
    device = Collector()
    monkeypatch.setitem(Device._open, "cuda:0", device)
    monkeypatch.setattr(realize, "_executables", realize.Families())
    a, b, x = (
        Tensor(np.zeros(shape, np.float32), device="cuda") for shape in ((640, 70_000),) * 2 + ((70_000,),)
    )
    ((a * x).sum(1) + (b * x).amax(1)).realize()
    assert sum(source.text.count("for (i32 v") for source in device.sources) >= 2
