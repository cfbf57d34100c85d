"""Graphs of any depth and width: nothing recurses over a graph, and work is linear in the number of nodes."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from saccade import Device, Tensor, jit
from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import laid_out
from saccade.explain import explain
from saccade.explain.passes import explain_passes
from saccade.graph import node as node_module
from saccade.graph.node import Node
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from saccade.tensor.programs import realize as realize_module
from saccade.tensor.programs.form import canonical, graph_of

#: frames that a test may add to those below it: far fewer than any of the graphs here is deep
FRAMES = 300


@pytest.fixture(autouse=True)
def few_frames() -> Iterator[None]:
    """Whatever recursed over a graph would fail: what remains goes into a kernel, which has limits."""
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + FRAMES)
    yield
    sys.setrecursionlimit(before)


def ones(n: int = 8) -> Tensor:
    return Tensor(np.ones(n, np.float32))


def chain(n: int, size: int = 8) -> Tensor:
    x = ones(size)
    for _ in range(n):
        x = x + 1
    return x


# --- programs: a size, and what to expect


def adds(n: int) -> tuple[Tensor, float]:
    return chain(n).sum(), 8.0 * (n + 1)


def normalised(n: int) -> tuple[Tensor, float]:
    x = ones()
    for _ in range(n):
        x = x / x.sum()
    return x.sum(), 1.0


def residual(n: int) -> tuple[Tensor, float]:
    rng = np.random.default_rng(0)
    expected = rng.standard_normal((4, 8)).astype(np.float32)
    x = Tensor(expected)
    for _ in range(n):
        w = rng.standard_normal((8, 8)).astype(np.float32) / np.float32(8 * n)
        x = x + (x @ Tensor(w)).relu()
        expected = expected + np.maximum(expected @ w, 0)
    return x.sum(), float(expected.sum())


def side_by_side(n: int) -> tuple[Tensor, float]:
    return Tensor.cat([Tensor(np.full(3, i, np.float32)) for i in range(n)]).sum(), 3.0 * n * (n - 1) / 2


def chosen(n: int) -> tuple[Tensor, float]:
    x, expected = Tensor(np.float32([-1, 0.5, 3])), np.float32([-1, 0.5, 3])
    for _ in range(n):
        x = (x * 0.5).where(x > 1, x + 0.75)
        expected = np.where(expected > 1, expected * np.float32(0.5), expected + np.float32(0.75))
    return x.sum(), float(expected.sum())


def gathered(n: int) -> tuple[Tensor, float]:
    order = np.random.default_rng(0).permutation(16)
    x, expected, index = Tensor(np.arange(16)), np.arange(16), Tensor(order)
    for _ in range(n):
        x, expected = x[index], expected[order]
    return (x * Tensor(np.arange(16))).sum(), float((expected * np.arange(16)).sum())


def mixed(n: int) -> tuple[Tensor, float]:
    """Products, softmaxes, choices, turns and gathers one after the other; rows end as shares of one."""
    x = Tensor(np.random.default_rng(0).random((6, 6), np.float32))
    index = Tensor(np.random.default_rng(1).permutation(6))
    for i in range(n):
        match i % 5:
            case 0:
                x = x.where(x > 0.5, -x)
            case 1:
                x = x[index]
            case 2:
                x = x / (x.abs().sum(1, keepdim=True) + 1)
            case 3:
                x = x.transpose(0, 1) @ x
            case _:
                x = x.softmax(0)
    return x.softmax(1).sum(), 6.0


def summed(n: int) -> tuple[Tensor, float]:
    """A sum of n sums, added up one by one."""
    x = ones(4)
    total = x.sum()
    for i in range(n):
        total = total + (x * float(i)).sum()
    return total, 4.0 + 2.0 * n * (n - 1)


def intertwined(n: int) -> tuple[Tensor, float]:
    """Two values that are made from each other: the paths through them are more than can be counted."""
    a = b = ones()
    for _ in range(n):
        a, b = b, (a + b) * 0.5
    return b.sum(), 8.0


PROGRAMS: dict[Callable[[int], tuple[Tensor, float]], tuple[int, int]] = {
    adds: (600, 100_000),
    normalised: (110, 4_000),
    residual: (80, 1_000),
    side_by_side: (150, 10_000),
    chosen: (160, 4_000),
    gathered: (40, 4_000),
    mixed: (40, 2_000),
    summed: (40, 2_000),
    intertwined: (200, 20_000),
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_deep_graphs_are_computed(program: Callable[[int], tuple[Tensor, float]]) -> None:
    result, expected = program(PROGRAMS[program][0])
    assert result.item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_deeper_graphs_are_computed(program: Callable[[int], tuple[Tensor, float]]) -> None:
    result, expected = program(PROGRAMS[program][1])
    assert result.item() == pytest.approx(expected, rel=1e-4)


# --- routes


def test_a_function_of_a_deep_graph_is_replayed() -> None:
    f = jit(lambda x: chain(0) + _more(x, 1000))
    assert f(ones()).tolist() == f(ones()).tolist() == [1002.0] * 8


def _more(x: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = x + 1
    return x


def test_what_does_not_compute_does_not_recurse() -> None:
    x = chain(4_000)
    assert (x.shape, x.dtype.name, x.device) == ((8,), "float32", Device.default)
    assert len(repr(x.node)) < 200
    form, _ = canonical([x.node])
    assert graph_of(form)[0][0].shape == (8,)
    assert len(repr(form)) > 4_000


@pytest.mark.parametrize(
    "read", [repr, lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy, bool, np.asarray]
)
def test_deep_tensors_are_read_in_every_way(read: Callable[[Tensor], Any]) -> None:
    x = chain(400, size=1)
    assert "401" in repr(read(x)) or read(x) is True


def test_a_deep_graph_that_nobody_computes_goes_away() -> None:
    gc.collect()
    before = len(node_module._interned)
    x = chain(10_000)
    assert len(node_module._interned) >= before + 10_000
    del x
    gc.collect()
    assert len(node_module._interned) <= before + 100


def test_deep_graphs_are_explained() -> None:
    x, y = chain(300), chain(280)
    told = str(explain(lambda: x.realize()))
    assert "a kernel computes at most 256 operations in a row" in told
    assert "simplify" in str(explain_passes(lambda: y.realize()))


@pytest.mark.parametrize("program", [adds, chosen, gathered], ids=lambda p: p.__name__)
def test_deep_graphs_become_kernels_of_a_gpu(program: Callable[[int], tuple[Tensor, float]]) -> None:
    """As far as that goes without one: scheduled, laid out and rendered."""
    form, _ = canonical([program(PROGRAMS[program][0])[0].node])
    made = schedule(*graph_of(form), GPU)
    for kernel in dict.fromkeys(item.kernel for item in made.items):
        assert laid_out(kernel, Card()).source.text


# --- work


def visits(program: Callable[[int], tuple[Tensor, float]], n: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Nodes that are listed or looked at while a program of this size is built and compiled."""
    count = 0
    listed = Node.toposort

    def counted(self: Node, enter: Callable[[Node], bool] | None = None) -> list[Node]:
        nonlocal count
        order = listed(self, enter)
        count += len(order) + 1
        return order

    with monkeypatch.context() as patch:
        patch.setattr(Node, "toposort", counted)
        patch.setattr(realize_module, "_executables", realize_module.Families())
        program(n)[0].realize()
    return count


@pytest.mark.parametrize(
    ("program", "n"),
    [(adds, 300), (normalised, 30), (residual, 16), (side_by_side, 66), (chosen, 30)],
    ids=lambda p: getattr(p, "__name__", str(p)),
)
def test_work_is_linear(
    program: Callable[[int], tuple[Tensor, float]], n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits(program, 2 * n, monkeypatch)  # kernels that both sizes have are rendered once
    few = visits(program, n, monkeypatch)
    assert visits(program, 4 * n, monkeypatch) <= 5 * few
