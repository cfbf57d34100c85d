"""Graphs past the budget are scheduled in parts: the same results, the same part once, few bytes across."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from saccade import jit
from saccade.explain import explain
from saccade.fuzz.programs.draw import draw
from saccade.graph import dtypes
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.runtime.config import settings
from saccade.schedule import schedule as schedule_module
from saccade.schedule.cost import CPU, GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.parts import Budget, Part, parts_of
from saccade.schedule.schedule import schedule
from saccade.tensor import Tensor
from saccade.tensor.programs import realize as realize_module
from tests.schedule.programs import inputs, scheduled
from tests.schedule.test_kernel_graph import consistent

WHOLE = Budget(1 << 40, 1 << 60)


def within(monkeypatch: pytest.MonkeyPatch, nodes: int = 1 << 40, nbytes: int = 1 << 60) -> None:
    """Compile with this budget, and anew."""
    budget = replace(settings, graph_nodes=nodes, graph_bytes=nbytes)
    for module in (schedule_module, realize_module):
        monkeypatch.setattr(module, "settings", budget)
    monkeypatch.setattr(realize_module, "_executables", realize_module.Families())


def layers(x: Tensor, *weights: Tensor) -> Tensor:
    for w in weights:
        x = x + (x @ w).relu()
    return x


# --- what the parts are


def test_a_graph_within_the_budget_is_one() -> None:
    x, w = inputs((4, 8), (8, 8))
    assert parts_of((layers(x, w).node,), 2, WHOLE) == ([], "")
    assert scheduled(layers, (4, 8), (8, 8)).parts is None


def nearest(x: Tensor, y: Tensor) -> Tensor:
    """For each point the mean height of its nearest others, and how many are close: the distances are read
    by what is of another size, and stored by nobody."""
    gaps = (x.unsqueeze(1) - y).square().sum(-1)
    close = gaps.topk(3, dim=1, largest=False)
    return y[:, 0][close.indices].mean(1) * (gaps < 0.5).sum(1)


def test_a_cut_that_would_store_more_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = ((4096, 3), (512, 3))
    whole = scheduled(nearest, *shapes)
    within(monkeypatch, nbytes=whole.arena - 1)
    assert parts_of((nearest(*inputs(*shapes)).node,), 2, Budget(1 << 40, whole.arena - 1))[0]
    again = scheduled(nearest, *shapes)
    assert again.parts is None
    assert again.arena == whole.arena < 4096 * 512 * 4


def chain_of(n: int) -> tuple[list[Part], str]:
    (x,) = inputs((16,))
    for _ in range(n):
        x = x * x + 1
    return parts_of((x.node,), 1, Budget(256, 1 << 60))


def test_equal_parts_are_the_same_nodes() -> None:
    parts, why = chain_of(500)
    assert why.endswith("operations, of which 256 are compiled as one")
    assert 12 <= len(parts) <= 18
    assert len({part.roots for part in parts}) <= 4
    for part in parts:
        assert sum(bool(n.src) for n in walk(part.roots)) <= 256 / 4 * 1.5


def test_every_part_reads_what_is_there_already() -> None:
    x, *weights = inputs((4, 8), *[(8, 8)] * 40)
    root = layers(x, *weights).node
    parts, _ = parts_of((root,), 41, Budget(64, 1 << 60))
    there = {n for n in walk((root,)) if n.op is Op.PARAM}
    for part in parts:
        assert set(part.inputs.values()) <= there
        there |= set(part.outputs)
    assert parts[-1].outputs == (root,)


def test_cuts_are_where_few_bytes_cross() -> None:
    """Between layers four numbers go on, inside of them thousands do."""
    (x,) = inputs((4,))
    for _ in range(60):
        x = (x.reshape(4, 1).expand(4, 1000) * 2 + 1).sin().sum(1)
    parts, _ = parts_of((x.node,), 1, Budget(64, 1 << 60))
    assert len(parts) > 5
    assert {output.size for part in parts for output in part.outputs} == {4}


def test_small_sides_are_made_where_they_are_needed() -> None:
    """Of `f(w) + x`, layer by layer, f(w) is written first; but nothing waits while all others are made."""
    x, *weights = inputs((64,), *[(64,)] * 50)
    for w in weights:
        x = w.sin().flip(0).cumsum(0) + x
    parts, _ = parts_of((x.node,), 51, Budget(64, 1 << 60))
    assert len(parts) > 5
    assert max(len(part.outputs) for part in parts) <= 2


# --- what they compute


def random_graph(seed: int, ops: int) -> list[Tensor]:
    """Some tensors over two arrays, made of each other by every kind of op."""
    rng = np.random.default_rng(seed)
    made = [Tensor(rng.random((4, 6), np.float32) + 0.5) for _ in range(2)]
    index = Tensor(rng.permutation(4))
    for _ in range(ops):
        a, b = (made[rng.integers(max(0, len(made) - 8), len(made))] for _ in range(2))
        match rng.integers(10):
            case 0:
                new = a + b * 0.5
            case 1:
                new = a.where(b > a.mean(), b - 1)
            case 2:
                new = a[index]
            case 3:
                new = a / (1 + b.abs().sum(1, keepdim=True))
            case 4:
                new = (a @ b.transpose(0, 1)).softmax(1) @ b
            case 5:
                new = a.flip(1).pad((0, 1))[:, 1:]
            case 6:
                new = Tensor.cat([a[:2], b[2:]])
            case 7:
                new = a.sort(1)[0] + a.argmax(1, keepdim=True)
            case 8:
                new = a.cumsum(0) * 0.3
            case _:
                new = a.transpose(0, 1).reshape(4, 6).sin() + Tensor.arange(6)
        made.append(new)
    return [made[-1], made[len(made) // 2], made[-2].sum()]


# bytes alone cut only where that takes less memory
BUDGETS = [{"nodes": 6}, {"nodes": 16}, {"nodes": 12, "nbytes": 400}]


@pytest.mark.parametrize("budget", BUDGETS)
def test_parts_compute_what_the_whole_does(budget: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    compare(range(2), 9, budget, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS)
def test_parts_of_larger_graphs_do_too(budget: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    compare(range(2, 12), 80, budget, monkeypatch)


def compare(seeds: range, ops: int, budget: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Random graphs as one, and in parts."""
    for seed in seeds:
        within(monkeypatch)
        expected = [t.numpy() for t in random_graph(seed, ops)]
        within(monkeypatch, **budget)
        made = random_graph(seed, ops)
        told = explain(lambda made=made: made[0].realize(*made[1:]))  # type: ignore[misc]
        (computation,) = told.computations
        assert computation.graph.parts is not None
        consistent(computation.graph)
        for tensor, value in zip(made, expected, strict=True):
            np.testing.assert_allclose(tensor.numpy(), value, rtol=2e-4, atol=1e-5)


def test_random_programs_in_parts_are_consistent(monkeypatch: pytest.MonkeyPatch) -> None:
    within(monkeypatch, nodes=4)
    cut = 0
    for seed in range(12):
        program = draw(seed)
        for machine in (CPU, GPU):
            graph = schedule(program.roots, len(program.inputs), machine)
            consistent(graph)
            cut += graph.parts is not None
    assert cut > 6


def test_a_place_that_is_long_to_make_is_stored_for_those_that_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What depends on places alone is made again where it is read, as long as that is short work."""
    within(monkeypatch, nodes=4)
    x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
    assert Tensor(x).avg_pool1d(2, 3, 1, True, False).tolist() == [[[0.0, 2.5]]]


def test_jit_replays_parts_with_the_numbers_of_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    within(monkeypatch, nodes=16)

    @jit
    def f(x: Tensor, rate: float, start: int) -> Tensor:
        for _ in range(30):
            x = x + (x * rate).sin()
        return x[start : start + 4]

    for n in range(5):
        x = np.random.default_rng(n).random(16, np.float32)
        expected = x.copy()
        for _ in range(30):
            expected = expected + np.sin(expected * np.float32(n / 10))
        found = f(Tensor(x), n / 10, n).numpy()
        np.testing.assert_allclose(found, expected[n : n + 4], rtol=1e-3)


# --- what is said of them, and what they are good for


def deep(n: int) -> Tensor:
    x = Tensor(np.ones(16, np.float32))
    for _ in range(n):
        x = x * x + 1e-3
    return x


def test_explain_tells_parts_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    within(monkeypatch, nodes=64)
    x = deep(100)
    told = explain(lambda: x.realize())
    (computation,) = told.computations
    parts = computation.graph.parts
    assert parts is not None
    assert parts.starts[0] == 0
    assert list(parts.starts) == sorted(parts.starts)
    assert f"in {len(parts.starts)} parts, {parts.distinct} of them distinct: " in str(told)
    assert "operations, of which 64 are compiled as one" in str(told)
    data = told.as_dict()["computations"][0]
    assert data["parts"]["why"] == parts.why
    assert KernelGraph.from_data(json.loads(json.dumps(data))).parts == parts


def test_equal_layers_have_equal_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    within(monkeypatch, nodes=64)
    graph = scheduled(layers, (4, 16), *[(16, 16)] * 200)
    assert graph.parts is not None
    assert graph.parts.distinct <= 4
    assert len({item.kernel for item in graph.items}) <= 8 < len(graph.items)


def test_parts_bound_the_memory_between_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of many products: kernels that add are joined, and want all products at once."""

    def program(*factors: Tensor) -> Tensor:
        return sum([(x @ x).softmax(1) @ x for x in factors[1:]], start=factors[0])

    within(monkeypatch)
    whole = scheduled(program, *[(256, 256)] * 24)
    within(monkeypatch, nbytes=16 * 256 * 256 * 4)
    parts = scheduled(program, *[(256, 256)] * 24)
    assert parts.parts is not None
    assert "values to store" in parts.parts.why
    assert parts.arena <= whole.arena // 4
    assert len(parts.items) <= 2 * len(whole.items)


def test_moves_that_are_asked_for_reach_the_kernel_that_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    within(monkeypatch, nodes=8)
    x = deep(5)
    for _ in range(20):
        x = (x + 1).sin().contiguous(moves=["split 0 4 vector"])
    told = explain(lambda: x.realize())
    items = [item for item in told.computations[0].graph.items if item.kernel.asked]
    assert len(items) == 20
    assert all(any(n.op is Op.SIN for n in item.kernel.nodes) for item in items)


def test_no_cut_goes_through_what_a_sum_adds_up() -> None:
    """Two sums of products over the same axes are one sum of a sum: as wide as the products are."""
    x, *weights = inputs((64, 64), *[(64, 64)] * 40)
    for a, b in zip(weights[::2], weights[1::2], strict=True):
        x = (x.unsqueeze(2) * a + x.unsqueeze(2) * b).sum(1)
    parts, _ = parts_of((x.node,), 41, Budget(1 << 20, 1 << 18))
    assert len(parts) > 1
    assert max(output.size for part in parts for output in part.outputs) == 64 * 64


def test_narrow_factors_cross_a_cut_as_they_are() -> None:
    """Widened, they would be products of float32, without tensor cores, and twice the bytes."""
    shapes = [(64, 64)] * 7
    given = inputs(*shapes, dtype=dtypes.bfloat16)
    parts, _ = parts_of((layers(*given).node,), len(shapes), Budget(16, 1 << 60))
    assert len(parts) > 2
    assert {param.dtype for part in parts for param in part.inputs} == {dtypes.bfloat16}


def test_places_do_not_cross_a_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many operations they take: a gather at places that are loaded is no movement."""
    place = Tensor.arange(8)
    dealt = place.eq(1)._choose(7, (place - 1).maximum(0))
    other = 7 - dealt

    def program(x: Tensor) -> Tensor:
        for _ in range(12):
            x = (x.index_select(0, dealt) + x.index_select(0, other) * 0.5).contiguous()
        return x

    parts, _ = parts_of((program(*inputs((8, 64))).node,), 1, Budget(40, 1 << 60))
    assert len(parts) > 2
    assert all(node.dtype is dtypes.float32 for part in parts for node in part.outputs)
    x = np.random.default_rng(0).standard_normal((8, 64)).astype("float32")
    expected = program(Tensor(x)).numpy()
    within(monkeypatch, nodes=40)
    np.testing.assert_array_equal(program(Tensor(x)).numpy(), expected)
