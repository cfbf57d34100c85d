"""`axis` and `keepdims` where torch says `dim` and `keepdim`, as torch itself allows."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor

X = np.arange(12, dtype="float32").reshape(3, 4)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "amax", "amin", "any", "all", "argmax", "argmin"])
def test_reductions(name: str) -> None:
    numpy_name = {"amax": "max", "amin": "min"}.get(name, name)
    expected = getattr(X, numpy_name)(axis=1, keepdims=True)
    np.testing.assert_allclose(getattr(Tensor(X), name)(axis=1, keepdims=True).numpy(), expected)


def test_pairs_windows_and_lists() -> None:
    values, places = Tensor(X).max(axis=0, keepdims=True)
    assert values.tolist() == X.max(0, keepdims=True).tolist()
    assert places.tolist() == [[2] * 4]
    assert Tensor(X).softmax(axis=0).shape == (3, 4)
    assert Tensor(X).cumsum(axis=1).tolist() == X.cumsum(1).tolist()
    assert Tensor.cat([Tensor(X), Tensor(X)], axis=1).shape == (3, 8)
    assert Tensor.stack([Tensor(X), Tensor(X)], axis=2).shape == (3, 4, 2)
    assert Tensor(X).unsqueeze(axis=1).shape == (3, 1, 4)


def test_in_place_names_take_them_too() -> None:
    x = Tensor(X)
    x.cumsum_(axis=0)
    assert x.tolist() == X.cumsum(0).tolist()


def test_one_of_two_words() -> None:
    with pytest.raises(TypeError, match=r"sum\(\) got both dim= and axis="):
        Tensor(X).sum(dim=0, axis=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'axes'"):
        Tensor(X).sum(axes=0)


def test_names_and_documentation_stay() -> None:
    assert Tensor.logsumexp.__name__ == "logsumexp"
    assert Tensor.logcumsumexp.__doc__


def test_lists_of_sizes_have_names() -> None:
    x = Tensor([[1, 2, 3], [4, 5, 6]])
    assert x.reshape(shape=(3, 2)).tolist() == x.view(size=(3, 2)).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert x.flip(dims=[0, 1]).tolist() == x.flip(0, 1).tolist() == [[6, 5, 4], [3, 2, 1]]
    assert x[:, :1].expand(size=(2, 2)).tolist() == [[1, 1], [4, 4]]
    assert x[0].repeat(repeats=(2,)).tolist() == x[0].tile(dims=(2,)).tolist() == [1, 2, 3, 1, 2, 3]
    assert x.sum().reshape(1).reshape(shape=()).shape == ()


def test_a_number_is_scattered_by_its_name() -> None:
    start, places = Tensor.zeros(2, 3), Tensor([[2], [0]])
    assert start.scatter(1, places, value=4).tolist() == [[0, 0, 4], [4, 0, 0]]
    with pytest.raises(TypeError, match="give one of them"):
        start.scatter(1, places)
