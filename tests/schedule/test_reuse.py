"""Large values in the memory of what they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.explain import explain
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.kernel_graph import BETWEEN, KernelGraph
from saccade.schedule.reuse import LEAST_BYTES
from saccade.schedule.schedule import schedule
from tests.schedule.programs import inputs


def weighed(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
    """Scores, and two products with their exponentials: the scores are read for those alone."""
    scores = (a @ b).contiguous()
    weights = (scores - scores.amax(1, keepdim=True).contiguous()).exp().contiguous()
    return weights @ c, weights.T @ d


def turned(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, Tensor]:
    """Scores that are read at other places too."""
    scores = (a @ b).contiguous()
    weights = (scores + scores.T).tanh().contiguous()
    return weights @ c, weights.T @ d


def planned(function: object, n: int, machine: Machine) -> KernelGraph:
    assert callable(function)
    made = function(*inputs((n, 16), (16, n), (n, 8), (n, 8)))
    return schedule(tuple(t.node for t in made), 4, machine)


def large(made: KernelGraph, n: int) -> int:
    return sum(buffer.size == n * n for buffer in made.of_role(BETWEEN))


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_map_of_what_nobody_reads_later_takes_its_memory(machine: Machine) -> None:
    assert large(planned(weighed, 640, machine), 640) == 1


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_what_is_read_elsewhere_or_small_is_not_overwritten(machine: Machine) -> None:
    assert large(planned(turned, 640, machine), 640) == 2
    small = int((LEAST_BYTES // 4) ** 0.5) - 1
    assert large(planned(weighed, small, machine), small) == 2


@pytest.mark.parametrize("n", [523, 640, 1031])
@pytest.mark.parametrize("function", [weighed, turned])
def test_values_are_the_same(function: object, n: int) -> None:
    """At sizes that vectors divide and that they do not."""
    assert callable(function)
    random = np.random.default_rng(n)
    shapes = (n, 16), (16, n), (n, 8), (n, 8)
    a, b, c, d = (random.standard_normal(shape).astype(np.float32) for shape in shapes)
    results: list[np.ndarray] = []

    def once() -> None:
        results[:] = [t.numpy() for t in jit(function)(*map(Tensor, (a, b, c, d)))]

    graphs = [computation.graph for computation in explain(once).computations]
    assert max(large(graph, n) for graph in graphs) == (1 if function is weighed else 2)
    scores = a.astype(np.float64) @ b
    if function is weighed:
        weights = np.exp(scores - scores.max(1, keepdims=True))
    else:
        weights = np.tanh(scores + scores.T)
    for found, wanted in zip(results, (weights @ c, weights.T @ d), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-4 * np.abs(wanted).max())
