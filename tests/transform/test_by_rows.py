"""Reductions over everything of what is made of whole rows: of each row first, and the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.schedule.cost import GPU
from saccade.transform.parallel.by_rows import REASON, rows_reduced_first
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.schedule.programs import scheduled


def divergence(x: Tensor, y: Tensor) -> Tensor:
    return x.log_softmax(1).kl_div(y.softmax(1), reduction="batchmean")


def of_rows(made: Tensor) -> tuple[Tensor, list[tuple[int, ...]]]:
    """The program with rows reduced first, and the shapes of what is stored of them."""
    made = Tensor._of(*rows_reduced_first((made.node,)))
    return made, [n.shape for n in walk((made.node,)) if n.op is Op.CONTIGUOUS and n.arg == REASON]


def numbers(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


PROGRAMS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "entropy": (lambda x: -(x.softmax(1) * x.log_softmax(1)).sum(), (512,)),
    "spread within rows": (lambda x: ((x - x.mean(1, keepdim=True)) ** 4).mean(), (512,)),
    "largest share": (lambda x: (x / x.abs().sum(1, keepdim=True)).amax(), (512,)),
    "of three axes": (lambda x: x.reshape(256, 2, 256).softmax(2).square().sum(), (256, 2)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_are_reduced_first(name: str) -> None:
    program, stored = PROGRAMS[name]
    x = numbers(512, 256)
    made, shapes = of_rows(program(Tensor(x)))
    assert shapes == [stored]
    np.testing.assert_allclose(made.numpy(), program(Tensor(x).double()).numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x / x.square().sum()).sum(),  # a number, not rows
        lambda x: x.softmax(0).square().sum(),  # columns
        lambda x: (x.softmax(0) * x.softmax(1)).sum(),  # both
        lambda x: (x.softmax(1) * x).sum(0),  # across the rows
        lambda x: (x * x[:, :1]).sum(),  # nothing is reduced
        lambda x: x.reshape(-1, 8).softmax(1).square().sum(),  # rows of a thread
        lambda x: x.reshape(16, -1).softmax(1).square().sum(),  # few rows
    ],
)
def test_other_reductions_stay(program: Callable[[Tensor], Tensor]) -> None:
    assert of_rows(program(Tensor(numbers(512, 256))))[1] == []


def test_a_divergence_reads_its_rows_once() -> None:
    """A kernel of rows and the sum of them, on a GPU."""
    items = scheduled(divergence, (4096, 512), (4096, 512), machine=GPU).items
    assert [item.reason for item in items] == [REASON, "asked for"]


@needs_compiler
def test_a_divergence_on_a_gpu() -> None:
    x, y = numbers(513, 300), numbers(513, 300, seed=1)
    wanted = divergence(Tensor(x).double(), Tensor(y).double()).numpy()
    with emulated_gpu():
        made = divergence(Tensor(x, device="cuda"), Tensor(y, device="cuda")).numpy()
    np.testing.assert_allclose(made, wanted, rtol=1e-5)
