"""Large matrices on the CPU, and few: LAPACK's results, and programs where somebody asks for a graph."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, grad, jit, linalg, vmap
from saccade.explain import explain
from saccade.linalg.host import LARGE, on_host

from .matrices import normal

N = 60
RANDOM = np.random.default_rng(0)
A = RANDOM.standard_normal((2, N, N))
POSITIVE = A @ A.swapaxes(-1, -2) + N * np.eye(N)
B = RANDOM.standard_normal((2, N, 3))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_laws_hold(dtype: str) -> None:
    a, b = Tensor(A, dtype=dtype), Tensor(B, dtype=dtype)
    positive = Tensor(POSITIVE, dtype=dtype)
    eye = np.eye(N)
    near = {"rtol": 2e-3, "atol": 2e-3} if dtype == "float32" else {"rtol": 1e-9, "atol": 1e-9}
    lower = linalg.cholesky(positive)
    np.testing.assert_allclose((lower @ lower.mH).numpy(), POSITIVE, **near)
    upper = linalg.cholesky(positive, upper=True)
    np.testing.assert_allclose((upper.mH @ upper).numpy(), POSITIVE, **near)
    q, r = linalg.qr(a)
    np.testing.assert_allclose((q @ r).numpy(), A, **near)
    np.testing.assert_allclose(linalg.qr(a, "r").R.numpy(), r.numpy(), **near)
    assert linalg.qr(a[..., :40], "complete").Q.shape == (2, N, N)
    np.testing.assert_allclose((positive @ linalg.solve(positive, b)).numpy(), B, **near)
    np.testing.assert_allclose((positive @ linalg.inv(positive)).numpy(), np.stack([eye] * 2), **near)
    np.testing.assert_allclose((lower @ linalg.solve_triangular(lower, b, upper=False)).numpy(), B, **near)
    np.testing.assert_allclose(
        linalg.slogdet(positive).logabsdet.numpy(), np.linalg.slogdet(POSITIVE)[1], **near
    )
    u, s, vh = linalg.svd(a, full_matrices=False)
    np.testing.assert_allclose((u * s.unsqueeze(-2) @ vh).numpy(), A, **near)
    np.testing.assert_allclose(linalg.svdvals(a).numpy(), s.numpy(), **near)
    values, vectors = linalg.eigh(positive)
    np.testing.assert_allclose((vectors * values.unsqueeze(-2) @ vectors.mH).numpy(), POSITIVE, **near)
    assert s.dtype.name == values.dtype.name == ("float64" if dtype == "complex128" else dtype)
    assert u.dtype.name == lower.dtype.name == dtype


def test_one_that_is_not_positive_definite_is_nan_and_the_others_are_not() -> None:
    both = np.stack([POSITIVE[0], -POSITIVE[0]])
    found = linalg.cholesky(Tensor(both)).numpy()
    np.testing.assert_allclose(found[0], np.linalg.cholesky(POSITIVE[0]), rtol=1e-4)
    assert np.isnan(found[1]).all()
    assert np.isnan(linalg.solve(Tensor(np.zeros((N, N))), Tensor(B[0])).numpy()).all()


def test_no_kernel_is_compiled() -> None:
    x = Tensor(POSITIVE.astype(np.float32)).realize()
    assert explain(lambda: linalg.svd(x)).kernels == 0


def test_a_few_small_ones_compile_nothing() -> None:
    x = Tensor(normal(7, 4, 4)).realize()
    for function in (
        linalg.svd,
        linalg.svdvals,
        linalg.eigh,
        linalg.qr,
        linalg.lu,
        linalg.lu_factor,
        linalg.det,
    ):
        assert explain(lambda f=function: f(x)).kernels == 0, function.__name__


@pytest.mark.parametrize("shape", [(3, 5, 5), (2, 2, 4, 7), (7, 4), (N, N)])
def test_lu(shape: tuple[int, ...]) -> None:
    x = normal(*shape)
    P, L, U = (t.numpy() for t in linalg.lu(Tensor(x)))
    np.testing.assert_allclose(P @ L @ U, x, atol=1e-12)
    np.testing.assert_array_equal(P.sum(-1), 1)
    np.testing.assert_array_equal(P.sum(-2), 1)
    assert np.abs(L).max() <= 1  # the largest of a column is the pivot
    np.testing.assert_array_equal(L, np.tril(L, -1) + np.eye(*L.shape[-2:]))
    np.testing.assert_array_equal(U, np.triu(U))
    if shape[-1] == shape[-2]:
        b = normal(*shape[:-1], 2)
        found = linalg.lu_solve(*linalg.lu_factor(Tensor(x)), Tensor(b))
        np.testing.assert_allclose(x @ found.numpy(), b, atol=1e-9)


@pytest.mark.parametrize("n", [4, LARGE + 1])
def test_what_is_not_finite_is_nan_and_the_others_are_not(n: int) -> None:
    x = normal(2, n, n)
    x[1, 0, 0] = np.nan
    for function in (linalg.svd, linalg.svdvals, linalg.eigh):
        made = function(Tensor(x))
        for part in made if isinstance(made, tuple) else (made,):
            assert np.isfinite(part.numpy()[0]).all(), function.__name__
            assert np.isnan(part.numpy()[1]).all(), function.__name__
    x[1, 0, 0] = 0
    x[:, 0, 1] = np.nan  # in the triangle that is not read
    assert np.isfinite(linalg.eigvalsh(Tensor(x)).numpy()).all()


def test_who_needs_a_graph_gets_one() -> None:
    small, large = Tensor.ones(2000, 9, 9), Tensor.ones(LARGE + 1, LARGE + 1)
    assert on_host(small) is None
    assert on_host(small[:1000]) is not None
    assert on_host(large) is not None
    assert on_host(large.requires_grad_()) is None
    assert on_host(Tensor.ones(LARGE + 1, LARGE + 1, device="interpreter")) is None
    seen = []

    def look(x: Tensor) -> Tensor:
        seen.append(on_host(x))
        return x * 2

    for transform in (jit, vmap):
        transform(look)(Tensor.ones(2, LARGE + 1, LARGE + 1))
    grad(lambda x: look(x).sum())(Tensor.ones(LARGE + 1, LARGE + 1))
    assert seen == [None] * 3
