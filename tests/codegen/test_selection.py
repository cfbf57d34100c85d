"""Top-k in two passes gives what one pass gives, bit for bit, whatever the keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.codegen.compile import shaped
from saccade.codegen.folds.fold import Fold
from saccade.codegen.folds.screen import screen_of
from saccade.codegen.folds.selection import may_contract, selects
from saccade.codegen.moves.moves import Move, Split, apply
from saccade.graph.kernels.kernel import UNROLL, Kernel
from saccade.graph.node import own_ranges
from saccade.graph.ops import Op
from tests.codegen.kernels import kernels_of, run_moved_on_cpu

Array = np.ndarray[Any, Any]
Program = Callable[..., tuple[Tensor, Tensor]]


def both_ways(program: Program, *arrays: Array) -> tuple[list[Array], list[Array]]:
    """Values and indices in two passes, and in one."""
    (kernel,) = kernels_of(*program(*[Tensor(a) for a in arrays]))
    return moved_both_ways(shaped(kernel), arrays)


def moved_both_ways(moved: Kernel, arrays: tuple[Array, ...]) -> tuple[list[Array], list[Array]]:
    answers: list[bool] = []

    def watched(fold: Fold) -> bool:
        answers.append(selects(fold))
        return answers[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("saccade.codegen.folds.fold.selects", watched)
        two = results(moved, arrays)
        assert any(answers), "this kernel is meant for two passes"
        patch.setattr("saccade.codegen.folds.fold.selects", lambda fold: False)
        return two, results(moved, arrays)


def results(kernel: Kernel, arrays: tuple[Array, ...]) -> list[Array]:
    memory = [np.zeros(size, dtype.name) for dtype, size in kernel.params]
    inputs = [slot for slot in range(len(memory)) if slot not in kernel.outputs]
    for slot, array in zip(inputs, arrays, strict=True):
        memory[slot][:] = array.reshape(-1)
    run_moved_on_cpu(kernel, memory, quick=False)  # so that both ways fuse the same products
    return [memory[slot] for slot in kernel.outputs]


def test_keys_without_a_screen_have_the_same_bits_in_both_passes() -> None:
    """A compiler fuses products and sums as it likes: the key of one pass was worse than its own bound of the
    other, and the element was lost."""
    weights, values = Tensor(np.ones((64, 3), np.float32)), Tensor(np.ones((3, 16), np.float32))
    products = weights.reshape(64, 3, 1) * values.reshape(1, 3, 16)
    (kernel,) = kernels_of(*products.sum(1).topk(2, 0, largest=False))
    assert not may_contract(shaped(kernel).nodes)
    points = Tensor(np.ones((64, 3, 1), np.float32)) - Tensor(np.ones((1, 3, 16), np.float32))
    (distances,) = kernels_of(*(points * points).sum(1).topk(2, 0, largest=False))
    assert may_contract(shaped(distances).nodes)  # a screen has its slack


def assert_same(program: Program, *arrays: Array) -> None:
    for two, one in zip(*both_ways(program, *arrays), strict=True):
        np.testing.assert_array_equal(two, one)


def nearest(k: int) -> Program:
    def search(queries: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
        return ((queries[:, None, :] - nodes[None, :, :]) ** 2).sum(-1).topk(k, largest=False)

    return search


def columns(k: int, largest: bool) -> Program:
    return lambda x: x.topk(k, 0, largest=largest)


@settings(max_examples=12, deadline=None)
@given(
    n=st.integers(96, 300),
    rows=st.integers(16, 70),
    k=st.integers(1, 3),
    dims=st.integers(1, 4),
    offset=st.sampled_from([0.0, 1000.0, -1e6]),
    scale=st.sampled_from([1.0, 1e-3, 1e-25, 1e15]),
    whole=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_nearest_points(
    n: int, rows: int, k: int, dims: int, offset: float, scale: float, whole: bool, seed: int
) -> None:
    """Points near and far from the origin, large, and so small that squares underflow; whole numbers tie."""
    rng = np.random.default_rng(seed)
    queries, nodes = rng.standard_normal((rows, dims)), rng.standard_normal((n, dims))
    if whole:
        queries, nodes = np.round(queries * 2), np.round(nodes * 2)
    inputs = [((points + offset) * scale).astype(np.float32) for points in (queries, nodes)]
    assert_same(nearest(k), *inputs)


@settings(max_examples=12, deadline=None)
@given(
    n=st.integers(128, 400),
    rows=st.integers(16, 70),
    k=st.integers(1, 4),
    largest=st.booleans(),
    values=st.sampled_from([2, 50, 10**6]),
    dtype=st.sampled_from(["float32", "int32", "float64"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_key(n: int, rows: int, k: int, largest: bool, values: int, dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert_same(columns(k, largest), rng.integers(0, values, (n, rows)).astype(dtype))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, -0.0])
def test_odd_keys(odd: float, largest: bool) -> None:
    """A few in some columns, all of some others."""
    x = np.random.default_rng(0).standard_normal((200, 40)).astype(np.float32)
    x[[3, 17, 18, 190, 199], 2:9] = odd
    x[:, 20:30] = odd
    x[:-2, 30:33] = odd
    assert_same(columns(3, largest), x)


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e30, 3e38, 1e-40])
@pytest.mark.parametrize("where", ["query", "node", "both"])
def test_odd_coordinates(odd: float, where: str) -> None:
    rng = np.random.default_rng(1)
    queries, nodes = (rng.standard_normal((m, 3)).astype(np.float32) for m in (33, 150))
    if where != "node":
        queries[5:8, 1] = odd
    if where != "query":
        nodes[[0, 60, 149], 2] = odd
    assert_same(nearest(3), queries, nodes)


def test_the_best_in_one_block_and_in_the_overlap() -> None:
    """200 is no multiple of a block: elements 184 to 191 are in the last block, too, and must not count
    twice."""
    x = np.full((200, 32), 9.0, np.float32)
    x[[185, 186, 187], :8] = [[1.0], [2.0], [3.0]]
    x[[190, 191, 192], 8:16] = [[3.0], [2.0], [1.0]]
    x[[185, 40, 199], 16:24] = [[1.0], [2.0], [3.0]]
    (values, indices), one = (floats_first(each) for each in both_ways(columns(3, False), x))
    np.testing.assert_array_equal(values, one[0])
    np.testing.assert_array_equal(indices, one[1])
    np.testing.assert_array_equal(values.reshape(3, 32)[:, :24], np.repeat([[1.0], [2.0], [3.0]], 24, 1))
    assert indices.reshape(3, 32)[:, 0].tolist() == [185, 186, 187]
    assert indices.reshape(3, 32)[:, 30].tolist() == [0, 1, 2], "ties keep the smaller index"


def floats_first(outputs: list[Array]) -> list[Array]:
    return sorted(outputs, key=lambda a: a.dtype.kind != "f")


@pytest.mark.parametrize("vectors", [1, 3, 5])
def test_any_number_of_rows_at_once(vectors: int) -> None:
    rng = np.random.default_rng(3)
    arrays = tuple(rng.standard_normal((m, 3)).astype(np.float32) for m in (60, 150))
    (kernel,) = kernels_of(*nearest(2)(*map(Tensor, arrays)))
    moves: list[Move] = []
    for move in cast("tuple[Move, ...]", shaped(kernel).moves):
        if isinstance(move, Split) and move.kind == UNROLL:
            move = replace(move, factor=move.factor // 4 * vectors)
        moves.append(move)
    for two, one in zip(*moved_both_ways(apply(kernel, moves), arrays), strict=True):
        np.testing.assert_array_equal(two, one)


def test_against_numpy() -> None:
    rng = np.random.default_rng(2)
    queries, nodes = (rng.standard_normal((m, 3)).astype(np.float32) for m in (50, 500))
    exact = ((queries[:, None].astype(float) - nodes[None]) ** 2).sum(-1)
    values, indices = (r.numpy() for r in nearest(4)(Tensor(queries), Tensor(nodes)))
    np.testing.assert_array_equal(indices, np.argsort(exact, 1)[:, :4])
    np.testing.assert_allclose(values, np.sort(exact, 1)[:, :4], rtol=1e-6)


def test_what_the_screen_knows() -> None:
    """Sums of squared differences of the row's and the element's values, nothing else."""
    q, n = Tensor(np.ones((64, 3), np.float32)), Tensor(np.ones((200, 3), np.float32))
    difference = q[:, None, :] - n[None, :, :]
    assert has_screen((difference**2).sum(-1))
    assert has_screen(difference[..., 0] ** 2 + difference[..., 2] ** 2)
    assert not has_screen(difference.abs().sum(-1))
    assert not has_screen((difference**2).sum(-1).sqrt())
    assert not has_screen((difference**2).sum(-1) + q[:, None, 0])


def has_screen(keys: Tensor) -> bool:
    (kernel,) = kernels_of(*keys.topk(3, largest=False))
    moved = shaped(kernel)
    (top,) = {n for n in moved.nodes if n.op is Op.FOLD and n.arg.kind == "topmin"}
    lanes = next(r for r in top.ranges if r.arg.kind == "vector")
    return screen_of(top.src[0], own_ranges(top)[0], lanes, moved.next_axis()) is not None
