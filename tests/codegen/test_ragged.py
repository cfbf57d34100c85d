"""Loops over what is there: a fold behind a mask ends where the mask does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.codegen.compile import shaped, source_of
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Bind, Split, apply
from saccade.codegen.moves.ragged import end_loop, shorten_folds, shorten_tiles
from saccade.graph import dtypes
from saccade.graph.constants import anything
from saccade.graph.kernels.kernel import LOOP, VECTOR, Kernel, load, loop, param, sink, store
from saccade.graph.node import index_const
from saccade.graph.ops import Op
from saccade.tensor.tensor import where
from tests.codegen.kernels import kernels_of, run_source
from tests.schedule.programs import scheduled

PLACES = 16
INFINITY = float("inf")

Reduce = Callable[[Tensor, Tensor], Tensor]

REDUCTIONS: dict[str, tuple[Reduce, Callable[[np.ndarray], object]]] = {  # type: ignore[type-arg]
    "sum": (lambda taken, x: where(taken, x, 0.0).sum(-1), lambda row: row.sum()),
    "prod": (lambda taken, x: where(taken, x, 1.0).prod(-1), lambda row: row.prod()),
    "max": (lambda taken, x: where(taken, x, -INFINITY).amax(-1), lambda row: row.max(initial=-np.inf)),
    "min": (lambda taken, x: where(taken, x, INFINITY).amin(-1), lambda row: row.min(initial=np.inf)),
}


def masked(reduce: Reduce) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda x, counts: reduce(Tensor.arange(PLACES) < counts.int().unsqueeze(-1), x)


def computed_ends(kernel: Kernel) -> int:
    return sum(r.src[0].op is not Op.CONST for r in kernel.ranges())


@pytest.mark.parametrize("name", REDUCTIONS)
def test_the_loop_ends_at_the_count(name: str) -> None:
    kernel = scheduled(masked(REDUCTIONS[name][0]), (8, PLACES), (8,)).items[0].kernel
    assert computed_ends(kernel) == 0
    assert computed_ends(shorten_folds(kernel)) == 1


@pytest.mark.parametrize("name", REDUCTIONS)
@settings(max_examples=15)
@given(st.lists(st.integers(-3, PLACES + 5), min_size=1, max_size=6), st.integers(0, 1000))
def test_counts_of_every_kind(name: str, counts: list[int], seed: int) -> None:
    """None, all, fewer than none and more than there are."""
    reduce, expected = REDUCTIONS[name]
    x = np.random.default_rng(seed).integers(-3, 4, (len(counts), PLACES)).astype(np.float32)
    taken = Tensor.arange(PLACES) < Tensor(np.array(counts, np.int64)).unsqueeze(-1)
    found = reduce(taken, Tensor(x)).numpy()
    np.testing.assert_array_equal(found, [expected(x[i, : max(n, 0)]) for i, n in enumerate(counts)])


def test_an_axis_that_sets_the_end_of_another_is_not_split() -> None:
    """The other went on ending at the axis that was gone."""
    above = Tensor.arange(5).reshape(5, 1) < Tensor.arange(8).reshape(1, 8)
    masked = where(above, Tensor(np.ones((5, 8), np.float32)), -INFINITY)
    (kernel,) = kernels_of(masked.permute(1, 0).amax((0, 1)))
    short = shorten_folds(kernel)
    (inner,) = [r for r in short.ranges() if r.src[0].op is not Op.CONST]
    (outer,) = inner.src[0].ranges
    with pytest.raises(IllegalMove, match="ends at a value of axis"):
        apply(short, [Split(outer.arg.number, 2, LOOP)])


@settings(max_examples=15)
@given(st.lists(st.integers(0, PLACES + 2), min_size=1, max_size=6), st.integers(0, 1000), st.integers(1, 4))
def test_the_best_of_what_is_there(counts: list[int], seed: int, k: int) -> None:
    """With fewer than k, the rest are the first padded places, as if all had been looked at."""
    x = np.random.default_rng(seed).integers(-3, 4, (len(counts), PLACES)).astype(np.float32)
    limits = np.array(counts, np.int64)[:, None]
    taken = Tensor.arange(PLACES) < Tensor(limits)
    best = where(taken, Tensor(x), INFINITY).topk(k, -1, largest=False)
    padded = np.where(np.arange(PLACES) < limits, x, np.inf)
    order = np.argsort(padded, -1, kind="stable")[:, :k]
    assert best.indices.tolist() == order.tolist()
    np.testing.assert_array_equal(best.values.numpy(), np.take_along_axis(padded, order, -1))


def test_a_mask_that_is_no_identity_is_kept() -> None:
    """Beyond the count there are ones: they take part in the sum."""

    def ones_beyond(x: Tensor, counts: Tensor) -> Tensor:
        return where(Tensor.arange(PLACES) < counts.int().unsqueeze(-1), x, 1.0).sum(-1)

    kernel = scheduled(ones_beyond, (8, PLACES), (8,)).items[0].kernel
    assert computed_ends(shorten_folds(kernel)) == 0


def test_what_else_the_mask_says_is_kept() -> None:
    x, counts = np.arange(2.0 * PLACES, dtype=np.float32).reshape(2, PLACES), np.array([[3], [9]])
    taken = (Tensor.arange(PLACES) < Tensor(counts)) & (Tensor(x) > 1)
    found = where(taken, Tensor(x), 0.0).sum(-1)
    wanted = np.where((np.arange(PLACES) < counts) & (x > 1), x, 0).sum(-1)
    assert found.tolist() == wanted.tolist()


def test_a_mask_around_the_whole_list_does_not_change_its_loop() -> None:
    """Behind a padding, the end of the loop was simplified inside the mask, and became another loop."""
    x, counts = np.arange(3.0 * PLACES, dtype=np.float32).reshape(3, PLACES), np.array([2, 0, 5])
    taken = Tensor.arange(PLACES) < Tensor(counts).unsqueeze(-1)
    found = where(taken, Tensor(x), -INFINITY).amax(-1, keepdim=True).expand(3, 2).pad([1, 0])
    assert found.tolist() == [[0.0, 1.0, 1.0], [0.0, -INFINITY, -INFINITY], [0.0, 36.0, 36.0]]


@pytest.mark.parametrize("padding", [-INFINITY, -2.0])
def test_a_condition_on_the_whole_row_decides_whether_there_is_a_loop(padding: float) -> None:
    def guarded(x: Tensor, counts: Tensor, wanted: Tensor) -> Tensor:
        there = Tensor.arange(PLACES) < counts.int().unsqueeze(-1)
        return where(there & (wanted > 0).unsqueeze(-1), x, padding).amax(-1)

    kernel = scheduled(guarded, (8, PLACES), (8,), (8,)).items[0].kernel
    (end,) = [r.src[0] for r in shorten_folds(kernel).ranges() if r.src[0].op is not Op.CONST]
    assert end.op is Op.WHERE
    x = np.random.default_rng(0).integers(-9, -3, (8, PLACES)).astype(np.float32)
    counts, wanted = np.arange(8) * 3, np.arange(8) % 2
    found = guarded(*[Tensor(a.astype(np.float32)) for a in (x, counts, wanted)])
    taken = (np.arange(PLACES) < counts[:, None]) & (wanted > 0)[:, None]
    np.testing.assert_array_equal(found.numpy(), np.where(taken, x, padding).max(-1))


def test_ordered_loops_end_at_the_count() -> None:
    """Compacting rows: one kernel runs along each row in order, as far as there is anything."""
    rng = np.random.default_rng(3)
    keep, count = rng.random((5, 300)) < 0.5, np.array([0, 7, 300, 120, 299], np.int32)

    def places(keep: Tensor, count: Tensor) -> Tensor:
        there = keep & (Tensor.arange(300, dtype="int32") < count.unsqueeze(-1))
        place = there.cast("int32").cumsum(-1) - 1
        target = where(there, place, -1)
        entry = Tensor.arange(300, dtype="int32").expand(5, 300)
        return Tensor.zeros(5, 300, dtype="int32").scatter_add(-1, target, entry)

    inputs = Tensor(keep), Tensor(count)
    kernels = [shaped(kernel) for kernel in kernels_of(places(*inputs))]
    ordered = [kernel for kernel in kernels if any(len(s.src) == 4 for s in kernel.sink.src)]
    assert len(kernels) == 2  # zeros, and the updates with the running sum
    assert [computed_ends(kernel) for kernel in ordered] == [1]
    found = places(*inputs).numpy()
    for row in range(5):
        kept = np.nonzero(keep[row] & (np.arange(300) < count[row]))[0]
        np.testing.assert_array_equal(found[row], np.pad(kept, (0, 300 - len(kept))))


@pytest.mark.parametrize("padding", [0.0, -2.0])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_loop_ends_at_loops_around_it_only(axis: int | None, padding: float) -> None:
    """The columns of a triangle end at their row, wherever the row's loop is."""
    x = np.random.default_rng(0).integers(-9, -3, (5, 7)).astype(np.float32)
    for held in (np.tril(np.ones((5, 7), bool)), np.triu(np.ones((5, 7), bool), 1)):
        mask = Tensor.ones(5, 7, dtype="bool")
        mask = mask.tril() if held[1, 0] else mask.triu(1)
        part, expected = where(mask, Tensor(x), padding), np.where(held, x, np.float32(padding))
        for ours, theirs in ((part, expected), (part.T, expected.T)):
            assert ours.sum(axis).tolist() == theirs.sum(axis).tolist()
            assert ours.amax(axis).tolist() == theirs.max(axis).tolist()


@pytest.mark.parametrize("own_count", [True, False])
def test_a_loop_around_lanes_ends_at_what_is_the_same_for_all_of_them(own_count: bool) -> None:
    """Lanes with counts of their own: the loop around them cannot end at eight places."""
    k, i = loop(0, 10), loop(1, 8)
    count = load(param(1, dtypes.int32, 8), i if own_count else index_const(0))
    place = k * 8 + i
    value = (k.cast(dtypes.int32) < count).where(
        load(param(2, dtypes.float32, 80), place), anything(dtypes.float32)
    )
    memory = (dtypes.float32, 80), (dtypes.int32, 8), (dtypes.float32, 80)
    kernel = Kernel(sink((store(param(0, dtypes.float32, 80), place, value),)), (k, i), memory, (0,))
    moved = end_loop(apply(kernel, (Bind(1, VECTOR),)))
    assert computed_ends(moved) == (not own_count)
    counts, x = np.arange(3, 11, dtype=np.int32), np.random.default_rng(0).random((10, 8), np.float32)
    found = np.zeros_like(x)
    run_source(source_of(kernel, moved), [found, counts, x])
    there = np.arange(10)[:, None] < (counts if own_count else np.full(8, 3))
    np.testing.assert_array_equal(found[there], x[there])


def nearest_of_lists(x: Tensor, queries: Tensor, lists: Tensor, there: Tensor) -> Tensor:
    """(B, H) least squared distance of queries (B, H) to what is computed of the first `lists` (B,) of x
    (B, P); infinite for the queries from `there` (B,) on."""
    points = ((x * 0.5).exp() + (x * 0.25).exp()).unsqueeze(1)
    known = Tensor.arange(queries.shape[1]) < there.int().unsqueeze(-1)
    number = where(known, lists.int().unsqueeze(-1), 0)
    taken = Tensor.arange(x.shape[1]) < number.unsqueeze(-1)
    return where(taken, (queries.unsqueeze(-1) - points) ** 2, INFINITY).amin(-1)


@pytest.mark.parametrize("places", [256, 200, 250])
def test_a_tile_is_filled_as_far_as_it_is_read(places: int) -> None:
    """Lists of a few votes in room for thousands: the tile was filled to its end for every one of them."""
    kernels = [item.kernel for item in scheduled(nearest_of_lists, (6, places), (6, 70), (6,), (6,)).items]
    (kernel,) = [k for k in kernels if any(n.op is Op.STAGE for n in k.nodes)]
    short = shorten_folds(kernel)
    assert computed_ends(short) == 1
    # 250 places are no blocks of eight
    assert computed_ends(shorten_tiles(short)) == (1 if places == 250 else 2)
    rng = np.random.default_rng(places)
    x, queries = (rng.random(s).astype(np.float32) for s in ((6, places), (6, 70)))
    lists, there = np.array([0, 1, 8, 65, places, places + 9]), np.array([70, 0, 3, 70, 90, 69])
    found = nearest_of_lists(*[Tensor(a.astype(np.float32)) for a in (x, queries, lists, there)]).numpy()
    points = np.exp(x * np.float32(0.5)) + np.exp(x * np.float32(0.25))
    taken = (np.arange(places) < lists[:, None])[:, None] & (np.arange(70) < there[:, None])[..., None]
    wanted = np.where(taken, (queries[..., None] - points[:, None]) ** 2, np.inf).min(-1)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_a_tile_that_is_read_anywhere_is_filled_to_its_end() -> None:
    def other_reader(x: Tensor, queries: Tensor, lists: Tensor) -> Tensor:
        points = ((x * 0.5).exp() + (x * 0.25).exp()).unsqueeze(1)
        taken = Tensor.arange(x.shape[1]) < lists.int().reshape(-1, 1, 1)
        distances = (queries.unsqueeze(-1) - points) ** 2
        return where(taken, distances, INFINITY).amin(-1) + distances.amax(-1)

    plan = scheduled(other_reader, (6, 256), (6, 70), (6,))
    tiled = [item.kernel for item in plan.items if any(n.op is Op.STAGE for n in item.kernel.nodes)]
    for kernel in tiled:
        short = shorten_folds(kernel)
        assert computed_ends(shorten_tiles(short)) == computed_ends(short) == 1
    assert tiled
