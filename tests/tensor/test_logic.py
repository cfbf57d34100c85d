"""Comparison, bits and choice against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, dtypes, where

from .compare import agree

X = np.array([[1.0, np.nan, -3.0], [np.inf, 0.0, -np.inf]], "float32")
Y = np.array([0.5, 0.5, np.nan], "float32")
I = np.array([-8, -1, 0, 1, 5, 127], "int8")


def test_comparisons_with_nan() -> None:
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        function = getattr(np, {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
                                "eq": "equal", "ne": "not_equal"}[name])  # fmt: skip
        agree(getattr(Tensor(X), name)(Tensor(Y)), function(X, Y))


def test_maximum_lets_nan_win_and_fmax_does_not() -> None:
    agree(Tensor(X).maximum(Tensor(Y)), np.maximum(X, Y))
    agree(Tensor(X).minimum(Tensor(Y)), np.minimum(X, Y))
    agree(Tensor(X).fmax(Tensor(Y)), np.fmax(X, Y))
    agree(Tensor(X).fmin(Tensor(Y)), np.fmin(X, Y))
    agree(Tensor(X).clamp(-1, 1), np.clip(X, -1, 1))
    agree(Tensor(X).clamp(max=0.5), np.minimum(X, np.float32(0.5)))


def test_bits() -> None:
    other = np.array([3, 5, 7, 1, 0, 2], "int8")
    agree(Tensor(I) & Tensor(other), I & other)
    agree(Tensor(I) | 3, I | np.int8(3))
    agree(6 ^ Tensor(I), 6 ^ I)
    agree(~Tensor(I), ~I)
    agree(Tensor(I) << 2, I << 2)
    agree(Tensor(I) >> Tensor(other), I >> other)
    assert (Tensor([1, -1], dtype="int32") >> 40).tolist() == [0, -1]
    assert (Tensor([1, -1], dtype="int32") << 40).tolist() == [0, 0]
    assert (Tensor([1, -1, 5]) >> Tensor([70, 64, 1])).tolist() == [0, -1, 2]
    with pytest.raises(TypeError, match="bit operations need integers"):
        Tensor(X) & 1
    with pytest.raises(ValueError, match="opposite shift by 2"):
        Tensor(I) << -2


def test_logical() -> None:
    a, b = np.array([0.0, 2.0, np.nan]), np.array([1, 0, 3])
    agree(Tensor(a).logical_and(Tensor(b)), np.logical_and(a, b))
    agree(Tensor(a).logical_or(Tensor(b)), np.logical_or(a, b))
    agree(Tensor(a).logical_xor(b), np.logical_xor(a, b))
    agree(Tensor(a).logical_not(), np.logical_not(a))


def test_where() -> None:
    agree(where(X > 0, Tensor(X), 0.0), np.where(X > 0, X, np.float32(0)))
    agree(Tensor(X).where(Tensor(X) > 0, Tensor(Y)), np.where(X > 0, X, Y))
    assert where([True, False], 1, 2.5).dtype is dtypes.float32
    assert where(Tensor([[True], [False]]), Tensor([1, 2]), 0).tolist() == [[1, 2], [0, 0]]
    agree(Tensor(X).masked_fill(Tensor(X) > 0, -1), np.where(X > 0, np.float32(-1), X))
    with pytest.raises(TypeError, match="a condition is a bool tensor, not float32"):
        where(Tensor(X), 1, 2)


def test_a_tensor_is_a_key_and_compares_with_none() -> None:
    x = Tensor([1.0])
    assert {x: 1}[x] == 1
    assert (x == None) is False  # noqa: E711
