"""Folds that share a list of the elements that pass give what each would give alone."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.codegen.compile import shaped
from saccade.codegen.cuda.source import cuda_source
from saccade.codegen.folds.listing import canonical, lists_of
from saccade.graph.kernels.kernel import loop
from saccade.graph.node import Node, make
from saccade.graph.ops import Op
from saccade.tensor.tensor import where
from tests.codegen.cuda_emulator import COMPILER, emulated_gpu
from tests.codegen.kernels import kernels_of

PLACES = 24
K = 5
NEAR = 9.0
INFINITY = float("inf")
Array = np.ndarray[Any, Any]


def search(points: Tensor, entries: Tensor, counts: Tensor, worth: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """For every row the number of its entries whose point is near, the K-th nearest of them where there are
    more than K, and the largest worth among the K nearest that are worth more than 1."""
    slot = Tensor.arange(PLACES, dtype="int32", device=points.device)

    def parts(axes: int) -> tuple[Tensor, Tensor, Tensor]:
        """As one loop sees it: axes of its own keep the loops apart."""
        number, listed = counts, entries.reshape(-1, *[1] * axes, PLACES)
        for _ in range(axes + 1):
            number = number.unsqueeze(-1)
        index = listed.cast("int64")
        x, y = points.gather(0, index.reshape(-1)), worth.gather(0, index.reshape(-1))
        x, y = x.reshape(listed.shape), y.reshape(listed.shape)
        return slot < number, x * x + x * x * 0.25 + (x - 1.0) * (x - 1.0) * 0.125, y

    there, away, _ = parts(1)
    one = Tensor.full((), 1, dtype="int64", device=points.device)
    near = where(there & (away < NEAR), one, one * 0).sum(-1).squeeze(-1)
    there, away, _ = parts(2)
    crowded = (near > K).unsqueeze(-1).unsqueeze(-1).unsqueeze(-1)
    found = where(there & crowded & (away < NEAR), away, INFINITY).topk(K, -1, largest=False)
    limit, end = found.values[..., 0, 0, K - 1].unsqueeze(-1), found.indices[..., 0, 0, K - 1].unsqueeze(-1)
    there, away, value = parts(0)
    among = (away < limit) | ((away == limit) & (slot <= end))
    costly = (value.exp() + 1.0).sqrt() > float(np.sqrt(np.exp(1.0) + 1.0))
    best = where(there & (away < NEAR) & among & costly, value, -INFINITY).amax(-1)
    return near, limit.squeeze(-1), best


def expected(points: Array, entries: Array, counts: Array, worth: Array) -> tuple[Array, Array, Array]:
    near, limits, best = [], [], []
    for row, count in zip(entries, counts, strict=True):
        x, y = points[row[:count]], worth[row[:count]]
        away = x * x + x * x * np.float32(0.25) + (x - 1) * (x - 1) * np.float32(0.125)
        passed = away < NEAR
        order = np.argsort(np.where(passed, away, np.inf), kind="stable")[:K]
        crowded = passed.sum() > K
        chosen = order if crowded else np.flatnonzero(passed)
        near.append(passed.sum())
        limits.append(away[order[K - 1]] if crowded else np.inf)
        best.append(max((y[i] for i in chosen if y[i] > 1), default=-np.inf))
    return np.array(near), np.array(limits, np.float32), np.array(best, np.float32)


def check(points: Array, entries: Array, counts: Array, worth: Array, device: str | None = None) -> None:
    arrays = (points, entries.astype(np.int32), counts.astype(np.int32), worth)
    found = search(*[Tensor(a, device=device) for a in arrays])
    for ours, right in zip(found, expected(*arrays), strict=True):
        np.testing.assert_allclose(ours.numpy(), right, rtol=1e-6)


def test_three_folds_share_a_list() -> None:
    arrays = (np.ones(40, "f4"), np.zeros((300, PLACES), "i4"), np.ones(300, "i4"), np.ones(40, "f4"))
    *_, kernel = kernels_of(search(*[Tensor(a) for a in arrays])[2])
    listed = lists_of(shaped(kernel))
    assert len(listed) == 3
    assert len({one.list.count for one in listed.values()}) == 1
    assert {one.guard is None for one in listed.values()} == {True, False}, "the search for K may not run"
    assert all(len(one.kept) == 1 for one in listed.values()), "distances are computed once"


def test_addresses_that_are_added_in_another_order_are_the_same() -> None:
    """Simplifying may leave (a + b) + r in one loop and (a + s) + b in the other, where a and b are what a
    table's number is made of."""
    a, b, over, r, s = (loop(number, 64) for number in range(5))

    def added(*terms: Node) -> Node:
        return reduce(lambda left, right: make(Op.ADD, left.dtype, (left, right)), terms)

    one, other = added(a, b, r) < 99, added(added(a, s), b) < 99
    assert canonical(one, r, over) is canonical(other, s, over)
    assert canonical(one, r, over) is not canonical(added(a, a, s) < 99, s, over)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(0, 4), st.booleans())
def test_any_numbers(seed: int, coarse: int, full: bool) -> None:
    """Few and many that pass, lists of no length, and with coarse points equal distances."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=40) * 3
    if coarse:
        points = np.round(points / coarse) * coarse
    counts = np.full(30, PLACES) if full else rng.integers(0, PLACES + 1, 30)
    worth = rng.normal(size=40).astype("f4") + 1
    check(points.astype("f4"), rng.integers(0, 40, (30, PLACES)), counts, worth)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_odd_distances_are_not_near(odd: float) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=40).astype(np.float32)
    points[::3] = odd
    check(
        points, rng.integers(0, 40, (30, PLACES)), np.full(30, PLACES), rng.normal(size=40).astype("f4") + 1
    )


def test_all_equal() -> None:
    """The K-th of many equal ones is the K-th in order: found by insertion, for no value tells them apart."""
    rng = np.random.default_rng(0)
    entries = np.tile(np.arange(PLACES), (30, 1))
    check(np.ones(40, "f4"), entries, np.full(30, PLACES), rng.permutation(40).astype("f4"))


# --- the same for the threads of a GPU


def example(name: str) -> tuple[Array, Array, Array, Array]:
    """Rows of all lengths, with equal distances, with distances that are no numbers, all of them equal."""
    rng = np.random.default_rng(3)
    points, entries = rng.normal(size=40) * 3, rng.integers(0, 40, (70, PLACES))
    counts, worth = rng.integers(0, PLACES + 1, 70), rng.normal(size=40).astype("f4") + 1
    if name == "ties":
        points = np.round(points)
    elif name == "odd":
        points[::3], points[1::9] = np.nan, np.inf
    elif name == "equal":
        points, counts = np.ones(40), np.full(70, PLACES)
    return points.astype("f4"), entries, counts, worth


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler for the emulator")
@pytest.mark.parametrize("name", ["lengths", "ties", "odd", "equal"])
def test_threads_have_lists_of_their_own(name: str) -> None:
    with emulated_gpu():
        check(*example(name), device="cuda")


def test_long_lists_take_too_much_memory_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.codegen.linear.gpu.memory.MOST_LISTED", PLACES - 1)
    arrays = (np.ones(41, "f4"), np.zeros((301, PLACES), "i4"), np.ones(301, "i4"), np.ones(41, "f4"))
    *_, kernel = kernels_of(search(*[Tensor(a) for a in arrays])[2])
    assert not re.findall(r" l\d\[24\];", cuda_source(kernel).text)


def test_a_gpu_searches_an_element_once() -> None:
    """The loop that lists is the only one that looks points up for all; the k best are ranked by value."""
    arrays = (np.ones(40, "f4"), np.zeros((300, PLACES), "i4"), np.ones(300, "i4"), np.ones(40, "f4"))
    *_, kernel = kernels_of(search(*[Tensor(a) for a in arrays])[2])
    text = cuda_source(kernel).text
    assert len(re.findall(r"u8 l\d\[24\];", text)) == 2, "what is near, and what is worth something too"
    assert len(re.findall(r"f32 l\d\[24\];", text)) == 1, "distances"
    assert text.count("= least(") == K


def test_threads_that_end_at_counts_of_their_own_are_in_small_blocks() -> None:
    """A block stays as long as its longest thread; those of folds of one length end together."""
    rows = 1 << 16
    arrays = (np.ones(40, "f4"), np.zeros((rows, PLACES), "i4"), np.ones(rows, "i4"), np.ones(40, "f4"))
    *_, kernel = kernels_of(search(*[Tensor(a) for a in arrays])[2])
    assert cuda_source(kernel).block == 64
    *_, kernel = kernels_of(Tensor(np.ones((rows, PLACES), "f4")).topk(K, -1).values)
    assert cuda_source(kernel).block == 128
