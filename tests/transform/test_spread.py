"""Columns, scans and ordered writes in parts give what they gave whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.transform.parallel.spread import spread

THREADS = 1 << 16


def spread_out(tensor: Tensor, threads: int = THREADS) -> Tensor:
    return Tensor._of(*spread((tensor.node,), threads))


def numbers(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


def count(tensor: Tensor, op: Op) -> int:
    return sum(n.op is op for n in walk((tensor.node,)))


@settings(max_examples=12)
@given(st.integers(64, 300), st.integers(2, 40), st.sampled_from(["sum", "amax", "amin"]), st.booleans())
def test_columns(length: int, width: int, name: str, deep: bool) -> None:
    x = numbers(3, length, width) if deep else numbers(length, width)
    axes = (0, 1) if deep else (0,)
    whole = getattr(Tensor(x), name)(axes)
    made = spread_out(whole)
    assert count(made, Op.REDUCE) > count(whole, Op.REDUCE)
    np.testing.assert_array_equal(made.numpy(), getattr(np, name)(x, axes))


@settings(max_examples=12)
@given(st.integers(64, 300), st.integers(2, 40), st.sampled_from(["argmax", "argmin"]), st.integers(0, 3))
def test_places_of_the_best_in_columns(length: int, width: int, name: str, missing: int) -> None:
    """Of equals the first, whatever part it is in; NaN is the best of all."""
    x = numbers(length, width)
    rng = np.random.default_rng(length)
    x[rng.integers(0, length, missing), rng.integers(0, width, missing)] = np.nan
    whole = getattr(Tensor(x), name)(0)
    made = spread_out(whole)
    assert count(made, Op.REDUCE) > count(whole, Op.REDUCE)
    np.testing.assert_array_equal(made.numpy(), getattr(np, name)(x, 0))


@pytest.mark.parametrize("turned_first", [True, False])
def test_columns_of_what_lies_in_two_ways_are_in_parts(turned_first: bool) -> None:
    """As the gradient of a bias of queries, keys and values side by side, one of which comes turned."""
    x, y = numbers(30, 200), numbers(200, 30, seed=1)
    both = [Tensor(x).mT.pad((0, 30)), Tensor(y).pad((30, 0))]
    whole = (
        (both[0] + both[1] if turned_first else both[1] + both[0]).reshape(200, 2, 30).reshape(200, 60).sum(0)
    )
    made = spread_out(whole)
    assert count(made, Op.REDUCE) > count(whole, Op.REDUCE)
    np.testing.assert_array_equal(made.numpy(), np.concatenate([x.sum(1), y.sum(0)]))


def test_one_column_of_records_has_no_neighbours_in_memory() -> None:
    x = numbers(200, 30, 4)
    made = spread_out(Tensor(x)[..., 1].sum(0))
    np.testing.assert_array_equal(made.numpy(), x[..., 1].sum(0))


def test_a_vector_times_a_matrix_is_a_sum_of_columns_and_a_matrix_product_is_not() -> None:
    row, matrix = numbers(200), numbers(200, 30, seed=1)
    made = spread_out(Tensor(row) @ Tensor(matrix))
    assert count(made, Op.REDUCE) > 1
    np.testing.assert_array_equal(made.numpy(), row @ matrix)
    product = Tensor(numbers(20, 200)) @ Tensor(matrix)
    assert spread_out(product).node is product.node


def test_rows_short_columns_and_many_columns_are_left_alone() -> None:
    for whole in (
        Tensor(numbers(200, 30)).sum(1),
        Tensor(numbers(20, 30)).sum(0),
        Tensor(numbers(200, 30)).argmax(1),
        Tensor(numbers(20, 30)).argmin(0),
    ):
        assert spread_out(whole).node is whole.node
    wide = Tensor(numbers(200, 30)).sum(0)
    assert spread_out(wide, threads=32).node is wide.node


@settings(max_examples=10)
@given(st.integers(1024, 3000), st.integers(1, 3), st.sampled_from([0, 1]), st.sampled_from(["add", "max"]))
def test_scans(length: int, rows: int, axis: int, kind: str) -> None:
    x = numbers(length, rows) if axis == 0 else numbers(rows, length)
    whole = Tensor(x).cumsum(axis) if kind == "add" else Tensor(x).cummax(axis).values
    wanted = np.cumsum(x, axis) if kind == "add" else np.maximum.accumulate(x, axis)
    np.testing.assert_array_equal(spread_out(whole).numpy(), wanted)


def test_a_scan_over_many_parts_is_spread_twice() -> None:
    x = numbers(100_000, 2)
    made = spread_out(Tensor(x).cumsum(0))
    assert count(made, Op.SCAN) == 3
    np.testing.assert_array_equal(made.numpy(), np.cumsum(x, 0))


@pytest.mark.parametrize("length", [1 << 16, 100_003])
def test_a_row_that_lies_side_by_side_is_cut_into_parts_for_blocks(length: int) -> None:
    x = numbers(length)
    made = spread_out(Tensor(x).cumsum(0))
    parts = [n.src[0].shape[2] for n in walk((made.node,)) if n.op is Op.SCAN and len(n.shape) == 4]
    assert len(parts) == 1
    assert parts[0] >= 2048
    np.testing.assert_array_equal(made.numpy(), np.cumsum(x))


@pytest.mark.parametrize("shape", [(2000, 1, 3), (50_000,)])
def test_scans_of_nan_and_infinity(shape: tuple[int, ...]) -> None:
    x = numbers(*shape)
    x[700], x[1500] = np.inf, np.nan
    np.testing.assert_array_equal(spread_out(Tensor(x).cumsum(0)).numpy(), np.cumsum(x, 0))


@settings(max_examples=12)
@given(st.integers(1, 60), st.integers(16, 200), st.sampled_from([0, 1]), st.integers(0, 9))
def test_the_last_of_several_writes_wins(size: int, writes: int, axis: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    base = random.standard_normal((size, 7) if axis == 0 else (7, size)).astype(np.float32)
    shape = (writes, 5) if axis == 0 else (5, writes)
    index = random.integers(-2, size + 2, shape)  # some write nothing
    updates = random.standard_normal(shape).astype(np.float32)
    wanted = base.copy()
    for at in np.ndindex(*shape):
        place = index[at]
        if 0 <= place < size:
            wanted[(place, at[1]) if axis == 0 else (at[0], place)] = updates[at]
    lazy = Tensor(index) + Tensor(np.zeros_like(index))
    made = spread_out(Tensor(base).scatter(axis, lazy, Tensor(updates)))
    assert count(made, Op.GATHER) == 1
    np.testing.assert_array_equal(made.numpy(), wanted)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("want", [0, 1])
def test_the_best_of_few_long_rows_are_found_in_parts(largest: bool, want: int) -> None:
    whole = Tensor(numbers(2, 3, 1 << 15)).topk(5, -1, largest)[want]
    made = spread_out(whole)
    assert count(made, Op.TOPK) > count(whole, Op.TOPK)
    np.testing.assert_array_equal(made.numpy(), whole.numpy())


@pytest.mark.parametrize("axis", [0, 1])
def test_rows_with_one_place_have_one_number(axis: int) -> None:
    """The last of the rows that go to a place wins; which one it is does not depend on the element."""
    base, updates = numbers(40, 50), numbers(40, 50, seed=1)
    at = np.random.default_rng(2).integers(0, base.shape[axis], 30)
    updates = updates[:30] if axis == 0 else updates[:, :30]
    made = spread_out(Tensor(base).index_copy(axis, at, Tensor(updates)))
    (scatter,) = [n for n in walk((made.node,)) if n.op is Op.SCATTER]
    assert (scatter.size, scatter.src[1].size) == (base.shape[axis], 30)
    wanted = np.moveaxis(base.copy(), axis, 0)
    for number, place in enumerate(at):
        wanted[place] = np.moveaxis(updates, axis, 0)[number]
    np.testing.assert_array_equal(made.numpy(), np.moveaxis(wanted, 0, axis))


@pytest.mark.parametrize("writes", [1, 15])
def test_few_writes_stay_in_order(writes: int) -> None:
    whole = Tensor(numbers(40)).scatter(0, np.zeros(writes, int), Tensor(numbers(writes)))
    assert spread_out(whole).node is whole.node


@pytest.mark.parametrize("wide", [False, True])
def test_one_value_for_all_places_needs_no_order(wide: bool) -> None:
    """Whole rows of one place are marked, single elements are written as they come; places beyond are not."""
    x = numbers(40, 6)
    index = np.random.default_rng(2).integers(0, 50 if wide else 40, (30, 1) if wide else (30, 6))
    places = Tensor(index).expand(30, 6) if wide else Tensor(index)
    whole = Tensor(x).scatter(0, places, 7.0)
    made = spread_out(whole)
    (scatter,) = [n for n in walk((made.node,)) if n.op is Op.SCATTER]
    assert scatter.src[1].size == index.size
    wanted = x.copy()
    for row in range(30):
        for column in range(6):
            place = index[row, 0 if wide else column]
            if place < 40:
                wanted[place, column] = 7
    np.testing.assert_array_equal(made.numpy(), wanted)


def test_parts_of_columns_are_of_equal_length_where_that_is_near() -> None:
    """What is left over would be a sum of its own, and the step of an optimiser behind it two kernels."""
    x = Tensor(np.zeros((16384, 768), "float16"))
    (made,) = spread((x.sum(0).node,), 1 << 17)
    lengths = [n.src[0].size // n.size for n in made.toposort() if n.op is Op.REDUCE]
    assert sorted(lengths) == [64, 256]
    (odd,) = spread((Tensor(np.zeros((16411, 768), "float16")).sum(0).node,), 1 << 17)  # a prime number
    assert len([n for n in odd.toposort() if n.op is Op.REDUCE]) == 3
