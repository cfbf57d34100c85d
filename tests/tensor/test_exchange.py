"""Tensors that leave and come back: torch and NumPy on the same memory, pickles, copies."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from saccade import Key, Tensor
from saccade.graph import dtypes

NAMES = [d.name for d in dtypes.ALL]


@pytest.mark.parametrize("name", NAMES)
def test_pickles_hold_data(name: str) -> None:
    x = Tensor([[0, 1, 1], [1, 0, 1]]).cast(name)
    for given in (x, x * 1, x[1:], x.T, x[:0], x.sum()):
        back = pickle.loads(pickle.dumps(given))
        assert (back.dtype, back.shape, back.device) == (given.dtype, given.shape, given.device)
        assert back.tolist() == given.tolist()


def test_a_pickle_of_a_view_holds_what_it_shows() -> None:
    x = Tensor(np.zeros(100_000, np.float32))
    assert len(pickle.dumps(x[:3])) < 1000
    assert pickle.loads(pickle.dumps(Key(3))).words.tolist() == Key(3).words.tolist()


def test_deep_copies_have_memory_of_their_own() -> None:
    x = Tensor([1.0, 2.0])
    for given in (x, x * 2, x[1:], x.reshape(2, 1)):
        before = given.tolist()
        made = copy.deepcopy(given)
        made += 1
        assert given.tolist() == before
        assert made.tolist() != before


def test_what_shares_memory_shares_the_copy() -> None:
    base = Tensor([1.0, 2.0, 3.0])
    tail, turned = base[1:], base.reshape(3, 1).T
    again, end, other, same = copy.deepcopy([base, tail, turned, base])
    assert again is same
    again += 1
    end[0] = 9
    assert again.tolist() == [2, 9, 4]
    assert other.tolist() == [[2, 9, 4]]
    assert base.tolist() == [1, 2, 3]
    model = copy.deepcopy({"weights": tail, "tied": {"weights": tail}})
    assert model["weights"] is model["tied"]["weights"]  # type: ignore[index]


def test_the_deep_copy_of_a_leaf_is_another_leaf() -> None:
    leaf = Tensor([1.0, 2.0], requires_grad=True)
    (leaf * 3).sum().backward()
    first, made = copy.deepcopy([leaf, leaf * 2])
    assert (first.is_leaf, first.requires_grad, made.requires_grad) == (True, True, False)
    (first * 4).sum().backward()
    assert (first.grad.tolist(), leaf.grad.tolist()) == ([7, 7], [3, 3])


def test_shallow_copies_share() -> None:
    x = Tensor([1.0, 2.0])
    y = copy.copy(x)
    assert y is not x
    y += 1
    assert x.tolist() == [2, 3]


@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith(("float8", "uint"))])
def test_torch_sees_the_same_memory(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = Tensor([[0, 1], [1, 1]]).cast(name).realize()
    theirs = torch.from_dlpack(x)
    assert str(theirs.dtype).removeprefix("torch.") == name
    theirs[0, 0] = 1
    assert x.tolist()[0][0] == 1
    x[1, 1] = 0
    assert theirs[1, 1] == 0
    back = Tensor.from_dlpack(theirs)
    back[1, 0] = 0
    assert (theirs[1, 0] == 0, x.tolist()[1][0] == 0) == (True, True)


@pytest.mark.host_memory
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.T, lambda x: x[1:], lambda x: x[:0]])
def test_views_of_torch_are_shared(view: Any) -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(6.0).reshape(2, 3)
    ours = Tensor.from_dlpack(view(x))
    assert ours.tolist() == view(x).tolist()
    x += 1
    assert ours.tolist() == view(x).tolist()
    assert torch.from_dlpack(ours).tolist() == view(x).tolist()


def test_gradients_of_torch_stay_there() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(2, requires_grad=True)
    assert Tensor(x).tolist() == [1, 1]
    assert (Tensor([1.0, 2.0]) + x.detach()).tolist() == [2, 3]


class Column:
    """A column as pyarrow has it: its memory is of bits, or has nulls, which DLPack refuses."""

    def __init__(self, *values: float | None) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array([np.nan if value is None else value for value in self.values], dtype)

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        raise NotImplementedError

    def __dlpack__(self, **options: Any) -> Any:
        raise TypeError("Can only use DLPack on arrays with no nulls.")


def test_columns_with_nulls_and_bits() -> None:
    np.testing.assert_array_equal(Tensor(Column(1.0, None)).numpy(), [1, np.nan])
    assert Tensor(Column(True, False)).tolist() == [True, False]


def test_columns_of_other_libraries_as_indices() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    assert x[Column(2, 0)].tolist() == [3.0, 1.0]
    assert x[Column(True, False, True)].tolist() == [1.0, 3.0]
    x[Column(0, 1)] = 5.0
    assert x.tolist() == [5.0, 5.0, 3.0]


def test_pandas_and_pyarrow() -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    x, column = Tensor([1.0, 2.0]), pandas.Series([3.0, 4.0])
    for made in (column * x, x * column):
        assert isinstance(made, Tensor)
        assert made.tolist() == [3.0, 8.0]
    assert pandas.DataFrame({"x": x})["x"].dtype == np.float32
    assert arrow.array(x).to_pylist() == arrow.table({"x": x})["x"].to_pylist() == [1.0, 2.0]
    assert Tensor(arrow.array([1.5, None])).isnan().tolist() == [False, True]
    assert Tensor(arrow.array([True, False])).dtype.is_bool
