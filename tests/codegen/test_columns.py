"""Reductions down long columns take wide steps, and give what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.opt import columns
from saccade.codegen.opt.columns import widen_columns
from saccade.graph.kernel import UNROLL, Kernel
from tests.schedule.programs import scheduled

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "settings", replace(columns.settings, threads=2))


def kernel_of(program: Callable[..., Tensor], *shapes: tuple[int, ...]) -> Kernel:
    (item,) = scheduled(program, *shapes).items
    return item.kernel


def wide(kernel: Kernel) -> int:
    """Columns of a step."""
    return int(np.prod([int(r.src[0].arg) for r in widen_columns(kernel).order if r.arg.kind != "loop"]))


def test_steps_are_as_wide_as_there_is_work_for_the_threads() -> None:
    assert wide(kernel_of(lambda a: a.sum(0), (1024, 4096))) == 512
    assert wide(kernel_of(lambda a: a.sum(0), (1024, 1024))) == 128
    assert wide(kernel_of(lambda a: a.sum(1), (16, 1024, 512))) == 512
    assert wide(kernel_of(lambda v, a: v @ a, (1024,), (1024, 4096))) == 512


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        (lambda a: a.sum(1), (1024, 4096)),  # along rows
        (lambda a: a.sum(0), (64, 4096)),  # little memory
        (lambda a: a.sum(0), (8192, 64)),  # rows are close together
        (lambda a: a.argmax(0), (1024, 4096)),
        (lambda a: a.exp().sum(0), (1024, 4096)),
        (lambda a: a.sum(0), (1024, 4100)),
    ],
)
def test_others_are_left_alone(program: Callable[[Tensor], Tensor], shape: tuple[int, ...]) -> None:
    kernel = kernel_of(program, shape)
    assert widen_columns(kernel) is kernel


@pytest.mark.parametrize("rows", [600, 601])
def test_results(rows: int, rng: np.random.Generator) -> None:
    a, v = rng.integers(-4, 5, (rows, 1024)).astype(np.float32), rng.integers(-4, 5, rows).astype(np.float32)
    assert any(r.arg.kind == UNROLL for r in widen_columns(kernel_of(lambda x: x.sum(0), a.shape)).order)
    np.testing.assert_array_equal(Tensor(a).sum(0).numpy(), a.sum(0))
    np.testing.assert_array_equal(Tensor(a).amin(0).numpy(), a.min(0))
    np.testing.assert_array_equal((Tensor(v) @ Tensor(a)).numpy(), v @ a)
    np.testing.assert_array_equal((Tensor(a) * 2 + 1).relu().sum(0).numpy(), np.maximum(a * 2 + 1, 0).sum(0))
