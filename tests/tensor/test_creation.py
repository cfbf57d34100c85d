"""Tensors from nothing and from several others, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, dtypes

from .compare import agree


@pytest.mark.parametrize("args", [(5,), (2, 9), (9, 2, -3), (0, 10, 4), (5, 5), (3, 1)])
def test_integer_ranges(args: tuple[int, ...]) -> None:
    agree(Tensor.arange(*args), np.arange(*args))


def test_float_ranges() -> None:
    agree(Tensor.arange(0, 1, 0.1), np.arange(0, 1, 0.1).astype("float32"))
    agree(Tensor.arange(3, dtype="float64"), np.arange(3.0))
    agree(Tensor.linspace(-1, 1, 9), np.linspace(-1, 1, 9, dtype="float32"))
    assert Tensor.linspace(0.1, 0.7, 23, dtype="float64").numpy()[-1] == 0.7
    agree(Tensor.logspace(0, 3, 4), np.logspace(0, 3, 4, dtype="float32"))


def test_constants() -> None:
    agree(Tensor.zeros(2, 3), np.zeros((2, 3), "float32"))
    agree(Tensor.ones((2,), dtype="int8"), np.ones(2, "int8"))
    agree(Tensor.full((2, 2), 7), np.full((2, 2), 7))
    agree(Tensor.full((), 1.5), np.float32(1.5))
    agree(Tensor.eye(3, 4), np.eye(3, 4, dtype="float32"))
    agree(Tensor.tri(3, 4, 1), np.tri(3, 4, 1, dtype="float32"))
    x = Tensor([[1, 2]], dtype="int16")
    assert (x.zeros_like().dtype, x.ones_like(dtype="float32").dtype) == (dtypes.int16, dtypes.float32)
    assert x.full_like(3).tolist() == [[3, 3]]
    assert x.new_zeros(2).dtype is dtypes.int16
    assert np.signbit(Tensor.full((2,), -0.0).numpy()).all()
    assert not np.signbit(Tensor.full((2,), 0.0).numpy()).any()


def test_triangles_and_diagonals() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for k in (-1, 0, 2):
        agree(Tensor(x).tril(k), np.tril(x, k))
        agree(Tensor(x).triu(k), np.triu(x, k))
        agree(Tensor(x[0, 0]).diag(k), np.diag(x[0, 0], k))
        agree(Tensor(x[0]).diag(k), np.diag(x[0], k))
    agree(Tensor(x[0]).trace(), np.trace(x[0]))


def test_joining() -> None:
    parts = [np.full((2, n), n) for n in (1, 0, 3, 2, 4)]
    agree(Tensor.cat(parts, 1), np.concatenate(parts, 1))
    agree(Tensor.stack([Tensor([1, 2]), Tensor([3, 4])], -1), np.array([[1, 3], [2, 4]]))
    agree(Tensor.cat([Tensor([1]), Tensor([0.5])]), np.array([1, 0.5], "float32"))
    agree(Tensor.cat([Tensor([-0.0]), Tensor([np.nan])]), np.array([-0.0, np.nan], "float32"))
    agree(
        Tensor.meshgrid(Tensor([1, 2]), Tensor([3, 4, 5])),
        tuple(np.meshgrid([1, 2], [3, 4, 5], indexing="ij")),
    )
    agree(Tensor([0, 2]).one_hot(3), np.array([[1, 0, 0], [0, 0, 1]]))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (lambda: Tensor.arange(0, 5, 0), "steps of 0"),
        (lambda: Tensor.cat([]), "at least one"),
        (lambda: Tensor.cat([Tensor(1), Tensor(2)]), "use stack"),
        (lambda: Tensor.cat([Tensor.zeros(2, 3), Tensor.zeros(3, 2)]), "the other sizes differ"),
        (lambda: Tensor.stack([Tensor.zeros(2), Tensor.zeros(3)]), "equal shapes"),
        (lambda: Tensor.zeros(3).tril(), "at least 2 axes"),
        (lambda: Tensor.meshgrid(Tensor([1]), indexing="yx"), "unknown indexing"),
    ],
)
def test_errors(program: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        program()


def test_matrices_from_several() -> None:
    a, b = Tensor([[1, 2]]), Tensor([[3], [4]])
    assert Tensor.block_diag(a, b).tolist() == [[1, 2, 0], [0, 0, 3], [0, 0, 4]]
    assert Tensor.column_stack([a[0], b[:, 0]]).tolist() == [[1, 3], [2, 4]]
    assert Tensor.dstack([a, a]).tolist() == [[[1, 1], [2, 2]]]
    assert Tensor.cartesian_prod(a[0], b[:, 0]).tolist() == [[1, 3], [1, 4], [2, 3], [2, 4]]
    assert a.diag_embed(1, 0, 2).shape == (3, 1, 3)
    assert a[0].one_hot().tolist() == [[0, 1, 0], [0, 0, 1]]
    assert Tensor.zeros(2, 3).diagonal_scatter(Tensor([1, 2]), 1).tolist() == [[0, 1, 0], [0, 0, 2]]
    assert Tensor.zeros(2, 2).fill_diagonal_(3).tolist() == [[3, 0], [0, 3]]


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: Tensor([float("nan")], dtype="int32"), ValueError, "nan_to_num"),
        (lambda: Tensor(np.array([3e9]), dtype="int32"), ValueError, "int32"),
        (lambda: Tensor([1, "one"]), TypeError, "'one'"),
        (lambda: Tensor([2**70]), TypeError, "neither int64"),
        (lambda: Tensor(1, device=3), TypeError, "'cuda:0'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: Tensor.full((2,), "a"), TypeError, "'a'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: Tensor.arange(float("inf")), ValueError, "inf"),
        (lambda: Tensor.randperm(-1), ValueError, "-1"),
        (lambda: Tensor.manual_seed("x"), ValueError, "'x'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: Tensor.from_dlpack(3), TypeError, "int"),
        (lambda: Tensor.meshgrid(Tensor.ones(2, 2)), ValueError, "ravel"),
        (lambda: Tensor.normal(0, -1, (3,)), ValueError, "-1"),
        (lambda: Tensor.ones(1, 1, 4, 4).max_pool2d(0), ValueError, "at least 1"),
        (lambda: Tensor.ones(1, 1, 4, 4).conv2d(Tensor.ones(1, 1, 3, 3), padding=-1), ValueError, "-1"),
        (lambda: Tensor([15]).round(decimals=-1), TypeError, "decimals"),
        (lambda: Tensor.ones(3).glu(), ValueError, "odd"),
    ],
)
def test_bad_values_are_refused_where_they_are_given(make: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make()
    assert Tensor([1.0, 2.0]).sum().item() == 3


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64"])
def test_floats_that_fit_become_integers(dtype: str) -> None:
    info = np.iinfo(dtype)
    held = np.array([info.min, 0.9, 2.0**62 if info.bits == 64 else info.max])
    agree(Tensor(held, dtype=dtype), held.astype(dtype))


def test_integers_of_two_widths_are_exact() -> None:
    """NumPy takes 0 beside 2**64 - 1 for floats."""
    assert Tensor([0, 2**64 - 1]).dtype is dtypes.uint64
    assert Tensor([[0], [2**64 - 1]], dtype="uint64").tolist() == [[0], [2**64 - 1]]
    assert Tensor([-1, 2**63], dtype="float64").tolist() == [-1.0, 2.0**63]


def test_what_is_created_gathers_gradients_when_asked() -> None:
    like = Tensor([[1.0, 2.0]])
    made = {
        "full": Tensor.full((2,), 3.0, requires_grad=True),
        "zeros": Tensor.zeros(2, requires_grad=True),
        "ones": Tensor.ones((2, 1), requires_grad=True),
        "empty": Tensor.empty(2, requires_grad=True),
        "eye": Tensor.eye(2, requires_grad=True),
        "arange": Tensor.arange(3.0, requires_grad=True),
        "linspace": Tensor.linspace(0, 1, 3, requires_grad=True),
        "rand": Tensor.rand(2, requires_grad=True),
        "randn": Tensor.randn(2, dtype="complex64", requires_grad=True),
        "normal": Tensor.normal(1.0, 2.0, (3,), requires_grad=True),
        "uniform": Tensor.uniform(3, low=1.0, requires_grad=True),
        "zeros_like": like.zeros_like(requires_grad=True),
        "ones_like": like.ones_like(requires_grad=True),
        "empty_like": like.empty_like(requires_grad=True),
        "full_like": like.full_like(2.0, requires_grad=True),
        "rand_like": like.rand_like(requires_grad=True),
        "randn_like": like.randn_like(requires_grad=True),
    }
    for name, leaf in made.items():
        assert (leaf.requires_grad, leaf.is_leaf) == (True, True), name
        (leaf * 2).abs().sum().backward()
        assert leaf.grad.shape == leaf.shape, name
    with pytest.raises(RuntimeError, match="only floats"):
        Tensor.zeros(2, dtype="int32", requires_grad=True)
    assert not Tensor.randn(2).requires_grad


def test_what_comes_from_numpy_begins_with_a_line() -> None:
    """Each vector of 64 bytes of it is in one line of memory then."""
    memory = np.zeros(4096 + 1, "float32")
    for shift in range(2):
        assert Tensor(memory[shift : shift + 4096]).numpy().ctypes.data % 64 == 0
    assert Tensor(list(range(1024))).numpy().ctypes.data % 64 == 0
