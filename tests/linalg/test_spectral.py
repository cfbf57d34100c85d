"""Eigenvalues and singular values, of easy and of nasty matrices, and what is made of them; beside NumPy."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, jit, linalg
from saccade.explain import explain

from .matrices import Array, close, normal, transposed

pytestmark = pytest.mark.usefixtures("by_kernels")

slow = pytest.mark.slow


def orthogonal(*shape: int) -> Array:
    return np.linalg.qr(normal(*shape))[0]


def nasty(n: int) -> dict[str, Array]:
    graded = orthogonal(n, n) * 10.0 ** -np.linspace(0, 8, n) @ orthogonal(n, n)
    twins = orthogonal(n, n) * np.where(np.arange(n) % 2, 1.0, 1.0 + 1e-6) @ orthogonal(n, n)
    hilbert = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1)
    deficient = normal(n, 2) @ normal(2, n)
    return {
        "graded": graded,
        "twins": twins,
        "hilbert": hilbert,
        "deficient": deficient,
        "zero": np.zeros((n, n)),
        "identity": np.eye(n),
        "ones": np.ones((n, n)),
        "huge": normal(n, n) * 1e200,
        "tiny": normal(n, n) * 1e-200,
    }


def check_svd(x: Array, full: bool = True, limit: float = 1e-13) -> None:
    u, s, vh = (t.numpy() for t in linalg.svd(Tensor(x), full))
    theirs = np.linalg.svd(x, full)
    assert [t.shape for t in (u, s, vh)] == [t.shape for t in theirs]
    scale = max(float(np.abs(x).max(initial=0)), 1e-300) * max(x.shape[-2:])
    k = s.shape[-1]
    assert np.abs(s - theirs[1]).max(initial=0) <= limit * scale
    assert np.abs(u[..., :k] * s[..., None, :] @ vh[..., :k, :] - x).max(initial=0) <= limit * scale
    for basis in (transposed(u) @ u, vh @ transposed(vh)):
        assert np.abs(basis - np.eye(basis.shape[-1])).max(initial=0) <= 20 * limit


@pytest.mark.parametrize("n", [4, *[pytest.param(n, marks=slow) for n in (7, 13)]])
def test_singular_values_of_nasty_matrices(n: int) -> None:
    check_svd(np.stack(list(nasty(n).values())[:-2]))
    if n == 4:
        return
    for name in ("huge", "tiny"):
        check_svd(nasty(n)[name])


@pytest.mark.parametrize(
    "shape",
    [(2, 3), *[pytest.param(s, marks=slow) for s in ((2, 3, 1, 1), (2, 5), (3, 9, 4), (3, 0), (4, 2))]],
)
@pytest.mark.parametrize("full", [pytest.param(False, marks=slow), True])
def test_singular_values_of_any_shape(shape: tuple[int, ...], full: bool) -> None:
    check_svd(normal(*shape), full)
    close(linalg.svdvals(Tensor(normal(*shape)) * 0), np.zeros((*shape[:-2], min(shape[-2:]))))


@pytest.mark.parametrize("n", [4, *[pytest.param(n, marks=slow) for n in (7, 13)]])
def test_eigenvalues_of_nasty_matrices(n: int) -> None:
    x = np.stack(list(nasty(n).values())[:-2])
    x = (x + transposed(x)) / 2
    values, vectors = (t.numpy() for t in linalg.eigh(Tensor(x)))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(x), atol=1e-13 * n)
    np.testing.assert_allclose(vectors * values[:, None] @ transposed(vectors), x, atol=1e-13 * n)
    np.testing.assert_allclose(transposed(vectors) @ vectors, np.broadcast_to(np.eye(n), x.shape), atol=1e-12)


@slow
def test_one_triangle_is_read() -> None:
    x = normal(2, 4, 4)
    close(linalg.eigvalsh(Tensor(x)), np.linalg.eigvalsh(x))
    close(linalg.eigvalsh(Tensor(x), "U"), np.linalg.eigvalsh(x, "U"))
    assert linalg.eigh(Tensor([[5.0]])).eigenvalues.tolist() == [5]
    with pytest.raises(ValueError, match="unknown triangle"):
        linalg.eigh(Tensor(x), "X")


@slow
def test_float32() -> None:
    x = normal(50, 4, 4, dtype="float32")
    check_svd(x, limit=2e-6)
    symmetric = x + transposed(x)
    values, vectors = (t.numpy() for t in linalg.eigh(Tensor(symmetric)))
    np.testing.assert_allclose(vectors * values[:, None] @ transposed(vectors), symmetric, atol=2e-5)


@pytest.mark.parametrize("count", [1, 3, *[pytest.param(n, marks=slow) for n in (16, 17, 33)]])
def test_batches_that_fill_no_block(count: int) -> None:
    x = normal(count, 5, 5, dtype="float32")
    check_svd(x, limit=2e-6)
    q, r = (t.numpy() for t in linalg.qr(Tensor(x)))
    np.testing.assert_allclose(q @ r, x, atol=1e-5)
    assert not np.tril(r, -1).any()
    values, vectors = (t.numpy() for t in linalg.eigh(Tensor(x + transposed(x))))
    np.testing.assert_allclose(vectors * values[:, None] @ transposed(vectors), x + transposed(x), atol=2e-5)


@slow
def test_a_step_of_jacobi_is_one_kernel() -> None:
    """Angles stay beside the columns: 5 sweeps of 7 steps, and what is around them."""
    x = Tensor(normal(64, 8, 8, dtype="float32"))
    names = [
        kernel["name"]
        for run in explain(partial(jit(lambda x: linalg.svd(x)), x)).as_dict()["computations"]
        for kernel in run["kernels"]
    ]
    assert len(names) < 35 + 40


@slow
def test_in_jit() -> None:
    x = normal(2, 3, 3)
    values = jit(lambda x: linalg.svdvals(x))
    for _ in range(2):
        close(values(Tensor(x)), np.linalg.svd(x, compute_uv=False))


@slow
def test_the_gradient_of_singular_values() -> None:
    x = np.random.default_rng(3).standard_normal((3, 3))
    u, _, vh = np.linalg.svd(x)
    slope = grad(lambda x: linalg.svdvals(x).sum())(Tensor(x)).numpy()
    np.testing.assert_allclose(slope, u @ vh, atol=1e-9)


@slow
def of_eigh(x: Tensor) -> Tensor:
    """What does not depend on the signs of vectors."""
    values, vectors = linalg.eigh(x @ x.mT + x + x.mT)
    return (vectors * vectors * vectors * vectors * values.exp().unsqueeze(-2)).sum() + (values**3).sum()


def differences(function: Any, x: Array, step: float = 1e-5) -> Array:
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        by = np.zeros_like(x)
        by[place] = step
        found[place] = (function(Tensor(x + by)).item() - function(Tensor(x - by)).item()) / (2 * step)
    return found


def test_gradients_of_eigenvalues_and_eigenvectors() -> None:
    x = normal(3, 3) * 0.5
    np.testing.assert_allclose(
        grad(of_eigh)(Tensor(x)).numpy(), differences(of_eigh, x), rtol=1e-6, atol=1e-7
    )


@slow
def test_second_gradients_of_eigenvalues_and_eigenvectors() -> None:
    x, along = normal(3, 3) * 0.5, Tensor(normal(3, 3))

    def slope(x: Tensor) -> Tensor:
        return (grad(of_eigh)(x) * along).sum()

    expected = differences(slope, x)
    np.testing.assert_allclose(grad(slope)(Tensor(x)).numpy(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_that_are_nearly_equal_have_gradients(dtype: Any) -> None:
    """The sum of squares of eigenvalues is that of the elements, also where rounding alone tells values
    apart."""
    turn = orthogonal(5, 5)
    for values in ([1.0, 1.0, 1.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0, 3.0], [1.0] * 5):
        x = (turn * np.array(values) @ turn.T).astype(dtype)
        slope = grad(lambda x: (linalg.eigvalsh(x) ** 2).sum())(Tensor(x)).numpy()
        both = np.tril(slope) + np.tril(slope).T  # one triangle is read
        np.testing.assert_allclose(both, 2 * (x + x.T), atol=50 * np.finfo(dtype).eps)


def test_a_gradient_does_not_go_through_the_rotations() -> None:
    """Some tens of kernels more than the values, instead of several for each rotation."""
    x = Tensor(normal(4, 4))

    def value(x: Tensor) -> Tensor:
        return (linalg.eigvalsh(x) ** 3).sum()

    forward, both = jit(value), jit(grad(value))
    plain, more = (explain(partial(f, x)).kernels for f in (forward, both))
    assert 0 < plain < more <= plain + 30


def test_the_gradient_of_an_eigenvalue() -> None:
    # its vector times itself
    x = normal(3, 3)
    _, vectors = np.linalg.eigh(x + x.T)
    slope = grad(lambda x: linalg.eigvalsh(x + x.mT)[-1])(Tensor(x)).numpy()
    np.testing.assert_allclose(slope, 2 * np.outer(vectors[:, -1], vectors[:, -1]), atol=1e-9)


# --- least squares, rank, pseudo-inverse


@slow
def test_least_squares() -> None:
    for shape in ((5, 2), (2, 4)):
        x, b = normal(3, *shape), normal(3, shape[0], 2)
        made = linalg.lstsq(Tensor(x), Tensor(b))
        expected = np.stack([np.linalg.lstsq(a, y, rcond=None)[0] for a, y in zip(x, b, strict=True)])
        close(made.solution, expected)
        assert made.rank.tolist() == [2] * 3
        if shape[0] > shape[1]:
            close(made.residuals, ((x @ expected - b) ** 2).sum(-2))
        else:
            assert made.residuals.shape == (0,)
    line = linalg.lstsq(Tensor(x), Tensor(b[..., 0]))
    close(line.solution, expected[..., 0])


def test_the_smallest_solution() -> None:
    x = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    made = linalg.lstsq(Tensor(x), Tensor(np.array([[1.0], [2.0], [3.0]])))
    close(made.solution, np.array([[0.2], [0.4]]))
    assert made.rank.item() == 1


@slow
def test_pseudo_inverses_and_ranks() -> None:
    for x in (normal(2, 3, 5), normal(4, 2) @ normal(2, 4)):
        close(linalg.pinv(Tensor(x)), np.linalg.pinv(x), 1e-10)
        assert np.array_equal(linalg.matrix_rank(Tensor(x)).numpy(), np.linalg.matrix_rank(x))
    symmetric = normal(4, 2) @ np.eye(2)
    symmetric = symmetric @ symmetric.T
    close(linalg.pinv(Tensor(symmetric), hermitian=True), np.linalg.pinv(symmetric), 1e-10)
    assert linalg.matrix_rank(Tensor([[1.0, 0.0], [0.0, 0.01]]), atol=0.1).item() == 1
    assert linalg.pinv(Tensor.zeros(0, 3)).shape == (3, 0)


# --- norms and functions


@pytest.mark.parametrize(
    "kind", ["fro", 1, -math.inf, *[pytest.param(k, marks=slow) for k in ("nuc", -1, 2, -2, math.inf)]]
)
def test_norms_of_matrices(kind: Any) -> None:
    x = normal(2, 3, 4)
    expected = np.stack([np.linalg.norm(m, kind) for m in x])
    close(linalg.matrix_norm(Tensor(x), kind), expected)
    close(linalg.matrix_norm(Tensor(x.transpose(1, 0, 2)), kind, (0, 2), True), expected.reshape(1, 2, 1))
    if kind != "nuc" and kind != "fro":
        square = normal(3, 3)
        close(linalg.cond(Tensor(square), kind), np.linalg.cond(square, kind), 1e-9)


def test_norms_of_vectors() -> None:
    x = normal(3, 4)
    for order in (2, 1, 0, 3, math.inf, -math.inf):
        close(linalg.vector_norm(Tensor(x), order, -1), np.linalg.norm(x, order, -1))
    close(linalg.norm(Tensor(x)), np.linalg.norm(x))
    close(linalg.norm(Tensor(x), "fro"), np.linalg.norm(x))
    assert linalg.vector_norm(Tensor([3e30, 4e30])).item() == pytest.approx(5e30)
    assert linalg.vector_norm(Tensor([3e-30, 4e-30])).item() == pytest.approx(5e-30)
    assert linalg.vector_norm(Tensor([math.inf, 1.0])).item() == math.inf
    assert linalg.vector_norm(Tensor([0.0, 0.0])).item() == 0


@slow
def test_powers_and_exponentials() -> None:
    x = normal(2, 3, 3)
    for n in (-2, 0, 3):
        close(linalg.matrix_power(Tensor(x), n), np.linalg.matrix_power(x, n), 1e-9)
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    angles = np.array([0.0, 0.3, 3.0, 100.0])
    rotations = np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]])
    close(linalg.matrix_exp(Tensor(turn * angles[:, None, None])), rotations.transpose(2, 0, 1), 1e-12)
    stiff = np.diag([-1e6, -1.0, 2.0])
    close(linalg.matrix_exp(Tensor(stiff)), np.diag(np.exp(np.diag(stiff))), 1e-9)
    nilpotent = np.triu(np.full((3, 3), 1e4), 1)
    close(linalg.matrix_exp(Tensor(nilpotent)), np.eye(3) + nilpotent + nilpotent @ nilpotent / 2, 1e-10)
    close(
        linalg.matrix_exp(Tensor(normal(2, 2, 2, dtype="float32")) * 0), np.stack([np.eye(2, dtype="f4")] * 2)
    )


def test_small_powers() -> None:
    x = normal(2, 2)
    close(linalg.matrix_power(Tensor(x), 3), np.linalg.matrix_power(x, 3))


def test_products() -> None:
    a, b, c = normal(4, 2), normal(2, 7), normal(7, 3)
    close(linalg.multi_dot([Tensor(t) for t in (a, b, c)]), a @ b @ c)
    close(linalg.multi_dot([Tensor(t) for t in (b[0], c, c.T, b[1])]), b[0] @ c @ c.T @ b[1])
    close(linalg.vecdot(Tensor(a), Tensor(a[:1])), (a * a[:1]).sum(-1))
    x, y = normal(5, 3), normal(5, 3)
    close(linalg.cross(Tensor(x), Tensor(y)), np.cross(x, y))
    close(linalg.kron(Tensor(a), Tensor(b)), np.kron(a, b))
    close(linalg.trace(Tensor(normal(2, 3, 3) * 0 + np.eye(3))), np.array([3.0, 3.0]))
    close(linalg.vander(Tensor(a[:, 0]), N=3), np.vander(a[:, 0], 3, increasing=True))
    close(linalg.outer(Tensor(a[0]), Tensor(b[0])), np.outer(a[0], b[0]))
    with pytest.raises(ValueError, match="cannot multiply shapes"):
        linalg.multi_dot([Tensor(a), Tensor(c)])
