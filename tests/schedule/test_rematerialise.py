"""Rematerialisation under a budget: the same values in less memory, by kernels that run twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, jit, keep_within, value_and_grad
from saccade.explain import explain
from saccade.explain.memory import explain_memory
from saccade.schedule.kernel_graph import BETWEEN, KernelGraph
from saccade.tensor.gradients.budget import within

LAYERS, ROWS, WIDTH = 6, 64, 16
#: bytes of a layer's values
LAYER = ROWS * WIDTH * 4


def loss(weights: list[Tensor], x: Tensor) -> Tensor:
    for w in weights:
        x = (x @ w).tanh()
    return (x * x).mean()


@pytest.fixture(scope="module")
def given() -> tuple[list[Tensor], Tensor]:
    random = np.random.default_rng(0)
    weights = [Tensor(random.standard_normal((WIDTH, WIDTH)).astype(np.float32) * 0.2) for _ in range(LAYERS)]
    return weights, Tensor(random.standard_normal((ROWS, WIDTH)).astype(np.float32))


def run(
    function: Callable[..., Any], given: tuple[list[Tensor], Tensor], budget: int | None
) -> tuple[list[Any], KernelGraph]:
    results: list[Any] = []

    def once() -> None:
        value, slopes = function(*given)
        results[:] = [value.numpy(), *[slope.numpy() for slope in slopes]]

    if budget is None:
        (computation,) = explain(once).computations
    else:
        with keep_within(budget):
            (computation,) = explain(once).computations
    return results, computation.graph


def test_less_memory_and_the_same_bits(given: tuple[list[Tensor], Tensor]) -> None:
    step = jit(value_and_grad(loss))
    wanted, whole = run(step, given, None)
    found, graph = run(step, given, whole.arena // 2)
    assert graph.arena <= whole.arena // 2
    assert any(buffer.again for buffer in graph.of_role(BETWEEN))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert step.traces == 2
    _, graph = run(step, given, None)  # which is the first trace
    assert step.traces == 2
    assert graph.arena == whole.arena


def test_what_is_asked_for_in_vain_is_not_worse_than_nothing(given: tuple[list[Tensor], Tensor]) -> None:
    step = jit(value_and_grad(loss))
    assert run(step, given, 0)[1].arena < run(step, given, None)[1].arena


def test_inputs_that_are_overwritten_are_not_read_again() -> None:
    """Values made of old parameters are kept, once a step has changed those."""
    random = np.random.default_rng(0)
    start = [random.standard_normal((WIDTH, WIDTH)).astype(np.float32) * 0.2 for _ in range(4)]
    x = Tensor(random.standard_normal((ROWS, WIDTH)).astype(np.float32))

    def step(weights: list[Tensor], x: Tensor) -> None:
        for w, slope in zip(weights, grad(loss)(weights, x), strict=True):
            w.assign(w - slope * 0.1)

    results = []
    for budget in (None, 3 * LAYER):
        weights = [Tensor(array) for array in start]
        traced = jit(step)
        for _ in range(2):
            if budget is None:
                traced(weights, x)
            else:
                keep_within(budget)(traced)(weights, x)
        results.append([w.numpy() for w in weights])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_backward_outside_of_jit_keeps_within_too(given: tuple[list[Tensor], Tensor]) -> None:
    weights, x = given
    peaks = []
    for budget in (1 << 40, 4 * LAYER):
        leaves = [w.clone().detach().requires_grad_() for w in weights]

        def both(leaves: list[Tensor] = leaves) -> None:
            loss(leaves, x).backward()

        peaks.append(max(c.graph.arena for c in explain(keep_within(budget)(both)).computations))
    assert peaks[1] <= 4 * LAYER < peaks[0]


def test_memory_is_explained(given: tuple[list[Tensor], Tensor]) -> None:
    step = jit(value_and_grad(loss))
    explained = explain_memory(keep_within(4 * LAYER)(lambda: step(*given)))
    (report,) = explained.reports
    assert sum(again.nbytes for again in report.again) >= LAYER
    assert "computed again" in str(explained)


def test_budgets_nest_and_are_checked() -> None:
    with keep_within(1000):
        with keep_within(10):
            assert within.nbytes == 10
        assert within.nbytes == 1000
    assert within.nbytes is None
    with pytest.raises(ValueError, match="takes a number of bytes, 0 or more, not -1"):
        keep_within(-1)
