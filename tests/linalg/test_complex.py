"""Linear algebra of complex matrices beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, linalg

pytestmark = pytest.mark.usefixtures("by_kernels")


def numbers(*shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def close(got: Tensor, want: Any, tolerance: float = 1e-12) -> None:
    value = got.numpy()
    assert (value.dtype, value.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(value, want, rtol=tolerance, atol=tolerance)


def together(*tensors: Tensor) -> None:
    """Computed by one program."""
    tensors[0].realize(*tensors[1:])


def hermitian(a: Any) -> Any:
    return a @ a.conj().swapaxes(-1, -2) + np.eye(a.shape[-1])


def test_solving() -> None:
    a, b = numbers(2, 2, 2), numbers(2, 2, 1, seed=1)
    A = Tensor(a)
    found, det, (sign, size) = linalg.solve(A, Tensor(b)), linalg.det(A), linalg.slogdet(A)
    together(found, det, sign, size)
    close(found, np.linalg.solve(a, b))
    close(det, np.linalg.det(a))
    close(sign, np.linalg.slogdet(a)[0])
    close(size, np.linalg.slogdet(a)[1])


def test_cholesky() -> None:
    h = hermitian(numbers(2, 2))
    lower, upper = linalg.cholesky(Tensor(h)), linalg.cholesky(Tensor(h), upper=True)
    together(lower, upper)
    close(lower, np.linalg.cholesky(h))
    close(upper, np.linalg.cholesky(h).conj().T.copy())


def test_qr() -> None:
    a = numbers(3, 2)
    Q, R = linalg.qr(Tensor(a))
    together(Q, R)
    q, r = Q.numpy(), R.numpy()
    np.testing.assert_allclose(q @ r, a, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(2), atol=1e-14)
    assert np.abs(np.tril(r, -1)).max() < 1e-15


@pytest.mark.parametrize("n", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_eigh(n: int) -> None:
    h = hermitian(numbers(n, n, seed=2))
    values, vectors = linalg.eigh(Tensor(h))
    together(values, vectors)
    close(values, np.linalg.eigvalsh(h))
    v = vectors.numpy()
    np.testing.assert_allclose((v * values.numpy()) @ v.conj().T, h, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(v.conj().T @ v, np.eye(n), atol=1e-13)


@pytest.mark.parametrize("shape", [(2, 2), pytest.param((3, 5), marks=pytest.mark.slow)])
def test_svd(shape: tuple[int, int]) -> None:
    a = numbers(*shape, seed=3)
    U, S, Vh = linalg.svd(Tensor(a), full_matrices=False)
    together(U, S, Vh)
    close(S, np.linalg.svd(a, compute_uv=False))
    u = U.numpy()
    np.testing.assert_allclose((u * S.numpy()) @ Vh.numpy(), a, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(u.conj().T @ u, np.eye(min(shape)), atol=1e-13)


def test_eig_of_any_matrix() -> None:
    for a in (
        np.float32([[0, -1], [1, 0]]),
        np.random.default_rng(0).standard_normal((2, 3, 3)),
        numbers(3, 3),
    ):
        values, vectors = linalg.eig(Tensor(a))
        assert values.dtype is vectors.dtype is Tensor(a).dtype.complex
        wide = a.astype(vectors.numpy().dtype)
        got = wide @ vectors.numpy()
        np.testing.assert_allclose(got, vectors.numpy() * values.numpy()[..., None, :], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(linalg.eigvals(Tensor(a)).numpy(), np.linalg.eigvals(a), rtol=1e-5)


def test_eig_says_what_it_cannot() -> None:
    A = Tensor(np.eye(2))
    with pytest.raises(TypeError, match="cannot be part of a jit function"):
        jit(linalg.eigvals)(A)
    with pytest.raises(ValueError, match="square matrices"):
        linalg.eig(Tensor([[1.0, 2.0]]))


def test_products_take_conjugates() -> None:
    a, b = numbers(2, 3), numbers(2, 3, seed=1)
    close(linalg.vecdot(Tensor(a), Tensor(b)), (a.conj() * b).sum(-1))
    close(linalg.vector_norm(Tensor(a)), np.asarray(np.linalg.norm(a)))
    close(linalg.matrix_norm(Tensor(a), 1), np.asarray(np.linalg.norm(a, 1)))
