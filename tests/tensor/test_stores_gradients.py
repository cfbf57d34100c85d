"""Gradients through writes in place, and stores in graphs that are cut into parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade import Tensor, grad, jit
from saccade.explain import explain
from saccade.runtime.config import settings
from saccade.schedule import schedule
from saccade.tensor.jit.trace import buffer_of
from saccade.tensor.programs import realize

W = np.arange(1.0, 5.0, dtype=np.float32)


def test_a_part_that_is_written_passes_its_gradient_on() -> None:
    def loss(w: Tensor) -> Tensor:
        y = w * 2
        y[1:3] = w[:2] * 10
        return y.sum()

    assert grad(loss)(Tensor(W)).tolist() == [12.0, 10.0, 0.0, 2.0]


@pytest.mark.parametrize("reads", [False, True])
def test_through_memory_that_is_overwritten_again(reads: bool) -> None:
    """What was computed from the old contents has its gradient, whoever looks at the memory in between."""
    memory = Tensor(np.zeros(4, np.float32)).realize()
    place = buffer_of(memory.node).address

    def loss(w: Tensor) -> Tensor:
        memory.assign(w * w)
        if reads:
            assert memory.sum().item() == 30.0
        made = memory * w
        memory.zero_()
        if reads:
            assert memory.sum().item() == 0.0
        return made.sum()

    assert grad(loss)(Tensor(W)).tolist() == (3 * W * W).tolist()
    assert (memory.tolist(), buffer_of(memory.realize().node).address) == ([0.0] * 4, place)


def test_a_training_step_writes_its_state() -> None:
    weights, running = Tensor(W.copy()), Tensor(np.zeros(4, np.float32))

    def loss(w: Tensor) -> Tensor:
        running.assign(0.5 * running + w)
        return (w * w).sum()

    @jit
    def step(w: Tensor) -> None:
        w -= 0.25 * grad(loss)(w)

    places = [buffer_of(t.realize().node).address for t in (weights, running)]
    for _ in range(3):
        step(weights)
    assert weights.tolist() == (W / 8).tolist()
    assert running.tolist() == (W * (0.25 + 0.25 + 0.25)).tolist()
    assert [buffer_of(t.realize().node).address for t in (weights, running)] == places


def test_a_graph_in_parts_stores_what_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (schedule, realize):
        monkeypatch.setattr(module, "settings", replace(settings, graph_nodes=64))
    monkeypatch.setattr(realize, "_executables", realize.Families())
    x, y = Tensor(np.zeros((5, 7), np.float32)).realize(), Tensor(np.ones((5, 7), np.float32)).realize()
    expected, other = np.zeros((5, 7), np.float32), np.ones((5, 7), np.float32)
    places = [buffer_of(t.node).address for t in (x, y)]
    for n in range(60):
        x += y
        x[n % 5] = y[(n + 1) % 5] * 0.5
        y += x.flip(1) * 0.0625
        expected += other
        expected[n % 5] = other[(n + 1) % 5] * 0.5
        other += expected[:, ::-1] * 0.0625
    total = (x + y).sum(0)
    (computation,) = explain(lambda: x.realize(y, total)).computations
    assert computation.graph.parts is not None
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(y.numpy(), other, rtol=1e-5)
    np.testing.assert_allclose(total.numpy(), (expected + other).sum(0), rtol=1e-5)
    assert [buffer_of(t.node).address for t in (x, y)] == places
