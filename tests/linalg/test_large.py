"""Large matrices on the CPU: LAPACK's results, and programs where a gradient or a trace is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, grad, jit, linalg, vmap
from saccade.explain import explain
from saccade.linalg.host import LARGE, on_host

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


def test_who_needs_a_graph_gets_one() -> None:
    small, large = Tensor.ones(LARGE, LARGE), Tensor.ones(LARGE + 1, LARGE + 1)
    assert on_host(small) is None
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
