"""Functions of the standard against NumPy's of the same name, and where the standard says more than NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import saccade.array_api as xp
from saccade import Tensor, jit

from . import names

RNG = np.random.default_rng(7)
FLOATS = np.array([[0.5, -1.5, 2.0], [3.25, 0.0, -0.75]])
INTS = np.array([[5, -3, 7], [2, 0, -8]])
BOOLS = np.array([[True, False, True], [False, False, True]])
#: what takes other numbers than those above
POSITIVE = ["sqrt", "log", "log2", "log10", "log1p", "reciprocal"]
WITHIN = ["acos", "asin", "atanh"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
SHIFTS = ["bitwise_left_shift", "bitwise_right_shift"]
LOGIC = ["logical_and", "logical_or", "logical_xor", "logical_not"]


def inputs(name: str) -> np.ndarray[Any, Any]:
    if name in POSITIVE:
        return np.abs(FLOATS) + 0.5
    if name in WITHIN:
        return FLOATS / 4
    if name == "acosh":
        return np.abs(FLOATS) + 1
    return BOOLS if name in LOGIC else INTS if name in (*BITS, "bitwise_invert") else FLOATS


def agree(ours: Tensor, theirs: Any) -> None:
    assert ours.shape == np.shape(theirs)
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", [n for n in names.UNARY.split() if n != "imag"])
def test_one_argument(name: str) -> None:
    data = inputs(name)
    agree(getattr(xp, name)(xp.asarray(data)), getattr(np, name)(data))


@pytest.mark.parametrize("name", names.BINARY.split())
def test_two_arguments(name: str) -> None:
    data = np.abs(INTS) if name in SHIFTS else inputs(name)
    other = data[:1] + 2 if data.dtype != np.bool_ else data[:1]
    left = np.abs(data) + 1 if name == "pow" else data
    agree(getattr(xp, name)(xp.asarray(left), xp.asarray(other)), getattr(np, name)(left, other))


X = xp.asarray(FLOATS)
CASES: dict[str, tuple[Callable[[], Tensor], Callable[[], Any]]] = {
    "arange": (lambda: xp.arange(7, 1, -2), lambda: np.arange(7, 1, -2)),
    "clip": (lambda: xp.clip(X, max=1.0), lambda: FLOATS.clip(max=1.0)),
    "concat": (lambda: xp.concat([X, X], axis=None), lambda: np.concatenate([FLOATS, FLOATS], None)),
    "count_nonzero": (lambda: xp.count_nonzero(X, axis=1), lambda: np.count_nonzero(FLOATS, axis=1)),
    "cross": (lambda: xp.linalg.cross(X, X[::-1, :]), lambda: np.cross(FLOATS, FLOATS[::-1])),
    "cumulative_prod": (
        lambda: xp.cumulative_prod(X, axis=1, include_initial=True),
        lambda: np.cumulative_prod(FLOATS, axis=1, include_initial=True),
    ),
    "diff": (lambda: xp.diff(X, n=2), lambda: np.diff(FLOATS, n=2)),
    "expand_dims": (lambda: xp.expand_dims(X, (0, -1)), lambda: np.expand_dims(FLOATS, (0, -1))),
    "eye": (lambda: xp.eye(3, 4, k=-1), lambda: np.eye(3, 4, k=-1)),
    "flip": (lambda: xp.flip(X), lambda: np.flip(FLOATS)),
    "isin": (lambda: xp.isin(X, 0.5, invert=True), lambda: np.isin(FLOATS, 0.5, invert=True)),
    "linspace": (lambda: xp.linspace(0, 3, 4, endpoint=False), lambda: np.linspace(0, 3, 4, endpoint=False)),
    "meshgrid": (lambda: xp.meshgrid(X[0], X[1])[0], lambda: np.meshgrid(*FLOATS)[0]),
    "moveaxis": (lambda: xp.moveaxis(X, 0, 1), lambda: np.moveaxis(FLOATS, 0, 1)),
    "pinv": (
        lambda: xp.linalg.pinv(xp.stack([X, X]), rtol=xp.asarray([0.5, 1e-9], dtype=xp.float64)),
        lambda: np.linalg.pinv(np.stack([FLOATS, FLOATS]), rcond=np.array([0.5, 1e-9])),
    ),
    "repeat": (
        lambda: xp.repeat(X, xp.asarray([2, 0, 1]), axis=1),
        lambda: np.repeat(FLOATS, [2, 0, 1], axis=1),
    ),
    "roll": (lambda: xp.roll(X, 1, axis=(0, 1)), lambda: np.roll(FLOATS, 1, axis=(0, 1))),
    "searchsorted": (
        lambda: xp.searchsorted(X[0, :], X, side="right", sorter=xp.argsort(X[0, :])),
        lambda: np.searchsorted(FLOATS[0], FLOATS, side="right", sorter=np.argsort(FLOATS[0])),
    ),
    "solve": (
        lambda: xp.linalg.solve(xp.ones((2, 3, 3), dtype=xp.float64) + 2 * xp.eye(3, dtype=xp.float64), X.T),
        lambda: np.linalg.solve(np.ones((2, 3, 3)) + 2 * np.eye(3), FLOATS.T),
    ),
    "std": (lambda: xp.std(X, axis=0, correction=1), lambda: FLOATS.std(axis=0, ddof=1)),
    "sum_of_no_axes": (lambda: xp.sum(X, axis=()), lambda: FLOATS),
    "take": (lambda: xp.take(X, xp.asarray([2, 0]), axis=-1), lambda: FLOATS.take([2, 0], axis=-1)),
    "take_along_axis": (
        lambda: xp.take_along_axis(X, xp.asarray([[-1], [0]])),
        lambda: np.take_along_axis(FLOATS, np.array([[-1], [0]]), axis=-1),
    ),
    "tensordot": (lambda: xp.tensordot(X, X.T, axes=1), lambda: np.tensordot(FLOATS, FLOATS.T, 1)),
    "tile": (lambda: xp.tile(X, (2,)), lambda: np.tile(FLOATS, (2,))),
    "vector_norm": (lambda: xp.linalg.vector_norm(X, axis=0), lambda: np.linalg.norm(FLOATS, axis=0)),
    "where": (lambda: xp.where(X > 0, X, 0), lambda: np.where(FLOATS > 0, FLOATS, 0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_against_numpy(case: str) -> None:
    ours, theirs = CASES[case]
    agree(ours(), theirs())


def test_unique() -> None:
    data = np.array([3, 1, 3, 2, 1])
    for ours, theirs in zip(xp.unique_all(xp.asarray(data)), np.unique_all(data), strict=True):
        agree(ours, theirs)
    apart = xp.unique_counts(xp.asarray([math.nan, math.nan]))
    assert apart.counts.tolist() == [1, 1]


def test_quotients_and_remainders_of_the_standard() -> None:
    inf = math.inf
    floor = xp.floor_divide(xp.asarray([inf, 1.0, -7.0]), xp.asarray([2.0, -inf, 2.0]))
    assert str(floor.tolist()) == "[inf, -0.0, -4.0]"
    assert str(xp.remainder(xp.asarray([-0.0, 0.0]), xp.asarray([1.0, -1.0])).tolist()) == "[0.0, -0.0]"
    assert math.isnan(xp.sign(xp.asarray(math.nan)).item())


def test_copies() -> None:
    host = np.arange(3.0)
    shared, copied = xp.asarray(host, copy=False), xp.asarray(host)
    host[0] = 9
    assert (shared.tolist(), copied.tolist()) == ([9.0, 1.0, 2.0], [0.0, 1.0, 2.0])
    row = xp.asarray(xp.asarray(host.reshape(1, 3), copy=False)[0, :], copy=True)
    host[0] = 8
    assert row.tolist() == [9.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="allow the copy"):
        xp.asarray([1.0], copy=False)
    for call in (
        xp.abs,
        xp.positive,
        lambda x: xp.astype(x, x.dtype),
        lambda x: xp.reshape(x, (2,), copy=True),
    ):
        x = xp.asarray([1, 2], dtype=xp.uint8)
        y = call(x)
        y[0] = 7
        assert x.tolist() == [1, 2]


def test_copies_inside_jit() -> None:
    @jit
    def twice(x: Tensor) -> Tensor:
        return xp.astype(x, x.dtype) + xp.reshape(x, (3,), copy=True)

    host = np.arange(3.0)
    shared = xp.asarray(host, copy=False)
    assert twice(shared).tolist() == [0.0, 2.0, 4.0]
    host[0] = 5
    assert twice(shared).tolist() == [10.0, 2.0, 4.0]


def test_dlpack_both_ways() -> None:
    host = np.arange(6.0).reshape(2, 3)
    x = xp.from_dlpack(host)
    np.testing.assert_array_equal(np.from_dlpack(x), host)
    apart = xp.from_dlpack(host, copy=True)
    host[0, 0] = 5
    assert (x[0, 0].item(), apart[0, 0].item()) == (5.0, 0.0)


def test_errors_of_the_standard() -> None:
    with pytest.raises(ValueError, match="would be a copy"):
        xp.reshape(X.T, (6,), copy=False)
    with pytest.raises(ValueError, match="its size is not 1"):
        xp.squeeze(X, 0)
    with pytest.raises(ValueError, match="at least one axis"):
        xp.nonzero(xp.asarray(1))
    with pytest.raises(IndexError, match="new axes"):
        xp.expand_dims(X, (0, 0))
    with pytest.raises(ValueError, match="needs an axis"):
        xp.cumulative_sum(X)
    with pytest.raises(TypeError, match="imag takes complex"):
        xp.imag(X)
    with pytest.raises(TypeError, match="iinfo takes an integer"):
        xp.iinfo(xp.float32)


def test_limits() -> None:
    for name in ("float32", "float64"):
        ours, theirs = xp.finfo(getattr(xp, name)), np.finfo(name)
        assert [ours.bits, ours.eps, ours.max, ours.min, ours.smallest_normal] == [
            float(v) for v in (theirs.bits, theirs.eps, theirs.max, theirs.min, theirs.smallest_normal)
        ]
    assert xp.iinfo(xp.int8)[:3] == (8, 127, -128)


def test_to_device() -> None:
    assert X.to_device(X.device) is X
    with pytest.raises(ValueError, match="no stream"):
        X.to_device("cpu", stream=1)
