"""Indices that are data, against NumPy: gather, scatter, x[...], x[...] = y, masks, searching, order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from saccade import Tensor

from .compare import agree

rng = np.random.default_rng(3)
X = rng.integers(-99, 99, (4, 5, 6))
I = np.array([2, 0, -1])
J = np.array([[1], [4]])

INDICES: dict[str, Any] = {
    "array": I,
    "grid": (slice(None), J),
    "pair": (I, np.array([1, 1, 0])),
    "broadcast": (J % 4, I),
    "apart": (I, slice(None), I),
    "last": (slice(None), slice(None), I),
    "inner_pair": (slice(None), I, np.array([1, 1, 0])),
    "then_sliced": (slice(None), I, slice(1, 5, 2)),
    "then_apart": (slice(None, None, 2), I, slice(None)),
    "number": (np.array(2),),
    "after_none": (None, I),
    "sliced": (slice(1, 3), I, slice(None, None, 2)),
    "mask": X > 0,
    "mask_axis": (slice(None), X[0, :, 0] > -200),
    "mask_plane": X[..., 0] > 0,
    "mask_and_index": (X[:, 0, 0] > -200, np.array([0, 1, 2, 3])),
    "empty": np.array([], int),
}


@pytest.mark.parametrize("name", INDICES)
def test_reading(name: str) -> None:
    index = INDICES[name]
    agree(Tensor(X)[index], X[index])
    as_tensors = tuple(
        Tensor(i) if isinstance(i, np.ndarray) else i
        for i in (index if isinstance(index, tuple) else (index,))
    )
    agree(Tensor(X)[as_tensors], X[index])


@pytest.mark.parametrize("name", INDICES)
def test_writing(name: str) -> None:
    index = INDICES[name]
    expected, ours = X.copy(), Tensor(X)
    values = np.arange(expected[index].size).reshape(expected[index].shape)
    expected[index] = values
    ours[index] = values
    agree(ours, expected)
    expected[index] = 7
    ours[index] = 7
    agree(ours, expected)


@given(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3), st.data())
def test_integer_arrays_are_numpys(shape: tuple[int, ...], data: st.DataObject) -> None:
    index = data.draw(hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(max_dims=2, max_side=3)))
    x = np.arange(int(np.prod(shape))).reshape(shape)
    agree(Tensor(x)[index], x[index])
    agree(Tensor(x)[tuple(Tensor(i) for i in index)], x[index])


def test_writing_leaves_other_tensors_alone() -> None:
    x = Tensor([1, 2, 3])
    y, z = x + 1, x.clone()
    x[0] = 9
    assert (x.tolist(), y.tolist(), z.tolist()) == ([9, 2, 3], [2, 3, 4], [1, 2, 3])


def test_gather_is_take_along_axis() -> None:
    for axis in (0, 1, 2, -1):
        index = rng.integers(0, X.shape[axis], X.shape)
        agree(Tensor(X).gather(axis, Tensor(index)), np.take_along_axis(X, index, axis))
    agree(Tensor(X).take_along_dim(np.array([[[1]], [[0]]]).reshape(1, 1, 2), 2), X[:, :, [1, 0]])
    agree(Tensor(X).index_select(1, [3, 3, 0]), X[:, [3, 3, 0]])
    agree(Tensor(X).take(J), X.ravel()[J])


@pytest.mark.parametrize("mode", ["sum", "prod", "amax"])
@pytest.mark.parametrize(
    "places",
    [
        lambda: Tensor(np.arange(60)) % 4,
        lambda: Tensor.arange(60) % 4,
        lambda: Tensor.zeros(60, dtype="int64"),
    ],
    ids=["computed", "counted", "constant"],
)
def test_updates_meet_where_the_compiler_knows_the_places(places: Any, mode: str) -> None:
    ufunc = {"sum": np.add, "prod": np.multiply, "amax": np.maximum}[mode]
    values = np.linspace(0.9, 1.1, 60)
    for updates in (values, np.ones(60)):
        expected = np.ones(4)
        ufunc.at(expected, places().numpy(), updates)
        made = Tensor.ones(4, dtype="float64").scatter_reduce(0, places(), Tensor(updates), mode)
        agree(made, expected, rtol=1e-12)
    constant = Tensor.ones(4, 2).scatter_add(0, Tensor.zeros(9, 2, dtype="int64"), Tensor.ones(9, 2))
    agree(constant, np.float32([[10, 10], [1, 1], [1, 1], [1, 1]]))


def test_the_last_of_updates_at_a_known_place_stays() -> None:
    updates = Tensor.arange(500)
    agree(
        Tensor.zeros(3, dtype="int64").scatter(0, Tensor.arange(500) % 3, updates), np.array([498, 499, 497])
    )


def test_scatter_after_gather_is_the_identity() -> None:
    order = np.argsort(rng.random(X.shape), axis=1)
    gathered = Tensor(X).gather(1, Tensor(order))
    agree(Tensor.zeros(*X.shape, dtype="int64").scatter(1, Tensor(order), gathered), X)


@pytest.mark.parametrize(
    ("mode", "ufunc"), [("sum", np.add), ("prod", np.multiply), ("amax", np.maximum), ("amin", np.minimum)]
)
def test_scatter_combines(mode: str, ufunc: Any) -> None:
    start, updates = rng.standard_normal(5), rng.standard_normal(40)
    index = rng.integers(0, 5, 40)
    expected = start.copy()
    ufunc.at(expected, index, updates)
    agree(Tensor(start).scatter_reduce(0, Tensor(index), Tensor(updates), mode), expected, rtol=1e-12)


def test_index_put_and_add() -> None:
    x = np.zeros((3, 4))
    places, values = (Tensor([0, 0, 2]), Tensor([1, 1, 3])), Tensor([1.0, 2.0, 4.0])
    expected = np.array([[0, 3, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4.0]])
    agree(Tensor(x).index_put(places, values, accumulate=True), expected)
    agree(Tensor(x).index_add(0, [1, 1], np.ones((2, 4))), np.array([[0.0] * 4, [2.0] * 4, [0.0] * 4]))
    agree(Tensor(x).index_fill(1, [0, 2], 5.0)[0], np.array([5.0, 0, 5.0, 0]))
    agree(Tensor(x).index_copy(0, [2], np.ones((1, 4)))[2], np.ones(4))


def test_masks() -> None:
    agree(Tensor(X).nonzero(), np.argwhere(X))
    agree(Tensor(X > 50).nonzero(as_tuple=True), tuple(np.nonzero(X > 50)))
    agree(Tensor(X).masked_select(Tensor(X > 0)), X[X > 0])
    agree(Tensor(np.zeros(4)).nonzero(), np.zeros((0, 1), int))
    x = Tensor(X)
    x[x < 0] = 0
    agree(x, np.maximum(X, 0))


def test_searching() -> None:
    edges, values = np.sort(rng.standard_normal(9)), rng.standard_normal((3, 5))
    for side in ("left", "right"):
        agree(
            Tensor(edges).searchsorted(Tensor(values), side=side), np.searchsorted(edges, values, side=side)
        )
        agree(Tensor(edges).searchsorted(Tensor(edges), side=side), np.searchsorted(edges, edges, side=side))
    agree(Tensor(values).bucketize(Tensor(edges)), np.searchsorted(edges, values))
    assert Tensor.zeros(0).searchsorted(Tensor([1.0])).tolist() == [0]


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_order(n: int) -> None:
    x = rng.integers(0, 9, (3, n)).astype("float32")
    agree(tuple(Tensor(x).sort(1)), (np.sort(x, 1), np.argsort(x, 1, kind="stable")))
    down = np.argsort(-x, 1, kind="stable")
    agree(tuple(Tensor(x).sort(1, descending=True)), (np.take_along_axis(x, down, 1), down))
    for k in {0, 1, min(n, 3), n}:
        agree(tuple(Tensor(x).topk(k, 1)), (np.take_along_axis(x, down[:, :k], 1), down[:, :k]))
        up = np.argsort(x, 1, kind="stable")[:, :k]
        agree(tuple(Tensor(x).topk(k, 1, largest=False)), (np.take_along_axis(x, up, 1), up))
    agree(Tensor(x).argsort(0), np.argsort(x, 0, kind="stable"))


def test_counting() -> None:
    x = rng.integers(0, 6, 30)
    agree(
        Tensor(x).unique(return_inverse=True, return_counts=True),
        np.unique(x, return_inverse=True, return_counts=True),
    )
    agree(Tensor(x).isin([1, 4]), np.isin(x, [1, 4]))
    agree(Tensor(x).bincount(minlength=8), np.bincount(x, minlength=8))
    agree(Tensor(x).bincount(Tensor(x * 0.5)), np.bincount(x, x * 0.5))
    agree(Tensor(x).repeat_interleave(2), np.repeat(x, 2))
    agree(Tensor(x[:4]).repeat_interleave(Tensor([0, 2, 1, 3])), np.repeat(x[:4], [0, 2, 1, 3]))
    y = rng.standard_normal((4, 7))
    agree(Tensor(y).quantile(0.3, 1), np.quantile(y, 0.3, 1))
    agree(Tensor(y).quantile(np.array([0.0, 0.25, 1.0]), 0), np.quantile(y, [0.0, 0.25, 1.0], 0))
    agree(Tensor(y).median(1).values, np.median(y, 1))
    agree(Tensor(y).kthvalue(3, 1).values, np.sort(y, 1)[:, 2])


@pytest.mark.parametrize(
    ("program", "error", "words"),
    [
        (lambda x: x[[0, 4]], IndexError, "index 4 is out of range for an axis of size 4"),
        (lambda x: x[:, np.array([-6])], IndexError, "index -6 is out of range"),
        pytest.param(
            lambda x: x[Tensor([1, 4])],
            IndexError,
            "index 4 is out of range .* use -4 to 3",
            marks=pytest.mark.host_memory,
        ),
        pytest.param(
            lambda x: x.gather(0, Tensor([[[-1]]])),
            IndexError,
            "index -1 is out of range .* use 0 to 3",
            marks=pytest.mark.host_memory,
        ),
        (lambda x: x[[0.5]], TypeError, "indices are integers or bools"),
        (lambda x: x[Tensor([0.5])], TypeError, "cast with"),
        (lambda x: x[Tensor([True, False])], IndexError, r"a mask of shape \(2,\) does not fit"),
        (lambda x: x.gather(0, [0, 1]), ValueError, "as many axes"),
        (lambda x: x.gather(0, np.zeros((1, 9, 1), int)), ValueError, "larger than"),
        (
            lambda x: x.scatter(0, np.zeros((1, 1, 1), int), Tensor.zeros(1, 1, 1)),
            TypeError,
            "updates of that dtype",
        ),
        (
            lambda x: x.scatter_reduce(0, np.zeros((1, 1, 1), int), 1, "max"),
            ValueError,
            "unknown reduction 'max'",
        ),
        (
            lambda x: x.__setitem__(0, np.zeros(7)),
            ValueError,
            r"cannot assign shape \(7,\) to a part of shape \(5, 6\)",
        ),
        (lambda x: x.topk(9, 0), ValueError, "top 9 of 4"),
        (lambda x: x.kthvalue(0, 0), ValueError, "no 0-th smallest"),
        (lambda x: x.searchsorted([1], side="up"), ValueError, "unknown side 'up'"),
        (lambda x: x.index_select(0, [9]), IndexError, "index 9 is out of range"),
    ],
)
def test_errors(program: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        program(Tensor(X))


def test_quantiles_between_elements_and_without_nan() -> None:
    x = np.array([[3.0, 1, 2, 10], [np.nan, 4, 0, 1]])
    for kind in ("linear", "lower", "higher", "midpoint", "nearest"):
        agree(Tensor(x[0]).quantile(0.4, interpolation=kind), np.quantile(x[0], 0.4, method=kind))
        agree(Tensor(x).nanquantile(0.4, 1, interpolation=kind), np.nanquantile(x, 0.4, 1, method=kind))
    assert Tensor(x).nanmedian(1).values.tolist() == [2.0, 1.0]
    with pytest.raises(ValueError, match="not 2"):
        Tensor(x).quantile(2)


def test_runs_of_equal_values() -> None:
    found, inverse, counts = Tensor([1, 1, 3, 3, 3, 1]).unique_consecutive(True, True)
    assert (found.tolist(), counts.tolist()) == ([1, 3, 1], [2, 3, 1])
    assert inverse.tolist() == [0, 0, 1, 1, 1, 2]


def test_counting_negative_values_is_refused() -> None:
    with pytest.raises(ValueError, match="-2"):
        Tensor([1, -2]).bincount()
    assert Tensor([0, 2, 2]).bincount(Tensor([1, 2, 3])).tolist() == [1.0, 0.0, 5.0]


def test_rows_that_meet_are_reduced() -> None:
    x, rows = Tensor.ones(3, 2), Tensor([[2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])
    assert x.index_reduce(0, [0, 2, 0], rows, "prod").tolist() == [[12.0, 21.0], [1.0, 1.0], [4.0, 5.0]]
    kept = x.clone()
    assert kept.scatter_reduce_(0, Tensor([[0, 0]]), Tensor([[9.0, -9.0]]), "amax") is kept
    assert kept.tolist() == [[9.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    mean = Tensor([1, 2], dtype="uint8").scatter_reduce(0, [0], Tensor([4], dtype="uint8"), "mean")
    assert (mean.tolist(), mean.dtype.name) == ([2, 2], "uint8")
    assert Tensor([False, True]).index_add(0, [0], Tensor([True]), alpha=2).tolist() == [True, True]


@pytest.mark.parametrize("side", ["left", "right"])
def test_searching_for_nan_and_among_nans(side: Any) -> None:
    nan = float("nan")
    values = np.array([nan, 0.0, 4.0, 2.0, np.inf], np.float32)
    for edges in ([1.0, 2.0, 3.0], [1.0, 2.0, np.inf, nan], [nan, nan], [1.0, 2.0, 3.0, 4.0, nan, nan, nan]):
        line = np.array(edges, np.float32)
        agree(Tensor(line).searchsorted(Tensor(values), side=side), np.searchsorted(line, values, side=side))


@pytest.mark.parametrize(("shape", "mask"), [((2, 3), (0,)), ((0, 1), (0, 0)), ((2, 3), (2, 0))])
def test_a_mask_of_nothing_selects_nothing(shape: tuple[int, ...], mask: tuple[int, ...]) -> None:
    empty = np.zeros(mask, np.bool_)
    assert Tensor.zeros(shape)[Tensor(empty)].shape == (0, *shape[len(mask) :])
    with pytest.raises(IndexError, match="does not fit"):
        Tensor.zeros(2, 3)[Tensor(np.zeros((3,), np.bool_))]


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("shape", [(7, 3, 2), (4, 0, 3), (5, 1, 1)])
@pytest.mark.parametrize("dtype", ["int64", "float32", "bool"])
def test_different_parts_along_an_axis(dim: int, shape: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(0).integers(-1, 1, shape).astype(dtype)
    found = Tensor(x).unique(return_inverse=True, return_counts=True, dim=dim)
    wanted = np.unique(x, return_inverse=True, return_counts=True, axis=dim)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.reshape(ours.shape))
    line = [*np.moveaxis(x, dim, 0)]
    new = [n == 0 or (line[n] != line[n - 1]).any() for n in range(len(line))]
    runs, number, counts = Tensor(x).unique_consecutive(True, True, dim)
    np.testing.assert_array_equal(runs.numpy(), np.compress(new, x, dim))
    np.testing.assert_array_equal(number.numpy(), np.cumsum(new) - 1)
    assert counts.sum().item() == shape[dim]


def test_a_range_is_a_list_of_places() -> None:
    x = Tensor(np.arange(12).reshape(4, 3))
    assert x[range(1, 4, 2)].tolist() == x[[1, 3]].tolist()
    x[range(2), range(1, 3)] = 0
    assert x[:2].tolist() == [[0, 0, 2], [3, 4, 0]]
