"""Factorisations and what is solved with them, beside NumPy; laws; gradients by finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, jit, linalg
from saccade.explain import explain
from saccade.linalg import factor, solving
from saccade.schedule.cost import GPU
from tests.schedule.programs import scheduled

from .matrices import close, definite, normal, transposed

pytestmark = pytest.mark.usefixtures("by_kernels")

#: every size is compiled, so the default run has few
SIZES = [1, 3, *[pytest.param(n, marks=pytest.mark.slow) for n in (2, 5, 11)]]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_cholesky(n: int, dtype: str) -> None:
    x = definite(2, 3, n, n, dtype=dtype)
    close(linalg.cholesky(Tensor(x)), np.linalg.cholesky(x))
    other = np.triu(np.full_like(x, np.nan), 1) + x  # the upper triangle is not read
    close(linalg.cholesky(Tensor(other)), np.linalg.cholesky(x))
    if n == 3:
        close(linalg.cholesky(Tensor(x), upper=True), transposed(np.linalg.cholesky(x)))
        b = normal(2, 3, n, 4, dtype=dtype)
        close(linalg.cholesky_solve(Tensor(b), linalg.cholesky(Tensor(x))), np.linalg.solve(x, b))


def test_an_exchange_of_rows_moves_one_row() -> None:
    """All others stay where they are: a step is the place of the pivot, its row and what is left."""
    told = explain(lambda: linalg.solve(Tensor(normal(4, 12, 12)), Tensor(normal(4, 12, 2))).realize())
    kernels = [item for computation in told.computations for item in computation.graph.items]
    assert len(kernels) <= 12 * 8


def test_what_is_not_positive_definite_gives_nan() -> None:
    assert np.isnan(linalg.cholesky(Tensor([[1.0, 2.0], [2.0, 1.0]])).numpy()).any()


@pytest.mark.parametrize(
    "shape",
    [(3, 2), (0, 3), *[pytest.param(s, marks=pytest.mark.slow) for s in ((1, 1), (2, 5), (4, 4), (9, 11))]],
)
def test_qr(shape: tuple[int, int]) -> None:
    x = normal(2, *shape)
    for mode in ("reduced", "complete"):
        q, r = linalg.qr(Tensor(x), mode)
        theirs = np.linalg.qr(x, mode)
        close(q, theirs[0])
        close(r, theirs[1])
    close(linalg.qr(Tensor(x), "r").R, np.linalg.qr(x, "r"))


def test_qr_of_what_has_no_full_rank() -> None:
    x = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [2.0, 4.0, 7.0]])
    q, r = (t.numpy() for t in linalg.qr(Tensor(x)))
    np.testing.assert_allclose(q @ r, x, atol=1e-14)
    np.testing.assert_allclose(q.T @ q, np.eye(3), atol=1e-14)
    q, r = (t.numpy() for t in linalg.qr(Tensor.zeros(3, 2, dtype="float64")))
    assert np.array_equal(q, np.eye(3)[:, :2])


@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 2), (2, 5), (4, 4), pytest.param((11, 9), marks=pytest.mark.slow)]
)
def test_lu(shape: tuple[int, int]) -> None:
    x = normal(2, *shape)
    p, lower, upper = (t.numpy() for t in linalg.lu(Tensor(x)))
    np.testing.assert_allclose(p @ lower @ upper, x, atol=1e-13)
    k = min(shape)
    assert (lower.shape, upper.shape) == ((2, shape[0], k), (2, k, shape[1]))
    assert np.abs(np.tril(lower[:, :k], -1)).max(initial=0) <= 1  # the largest element is the pivot
    assert np.array_equal(lower[:, :k] * np.eye(k), np.broadcast_to(np.eye(k), (2, k, k)))
    assert not np.tril(upper, -1).any()
    assert np.array_equal(p.sum(1), np.ones((2, shape[0])))


@pytest.mark.parametrize("n", SIZES)
def test_systems_and_inverses(n: int) -> None:
    x, b = normal(2, 3, n, n), normal(2, 3, n, 2)
    close(linalg.solve(Tensor(x), Tensor(b)), np.linalg.solve(x, b))
    close(linalg.inv(Tensor(x)), np.linalg.inv(x))
    close(linalg.det(Tensor(x)), np.linalg.det(x))
    sign, size = linalg.slogdet(Tensor(x))
    theirs = np.linalg.slogdet(x)
    close(sign, theirs[0])
    close(size, theirs[1])


@pytest.mark.slow
def test_right_sides_of_other_shapes() -> None:
    x, b = normal(3, 3), normal(2, 3, 4)
    close(linalg.solve(Tensor(x), Tensor(b)), np.linalg.solve(np.broadcast_to(x, (2, 3, 3)), b))
    close(linalg.solve(Tensor(x), Tensor(b[0, :, 0])), np.linalg.solve(x, b[0, :, 0]))
    right = linalg.solve(Tensor(x), Tensor(b[:, :2, :3]), left=False).numpy()
    np.testing.assert_allclose(right @ x, b[:, :2, :3], atol=1e-12)


@pytest.mark.parametrize(
    ("upper", "unit"),
    [(False, True), (True, False), *[pytest.param(u, u, marks=pytest.mark.slow) for u in (False, True)]],
)
def test_triangles(upper: bool, unit: bool) -> None:
    x, b = normal(2, 4, 4), normal(2, 4, 3)
    triangle = (np.triu if upper else np.tril)(x)
    if unit:
        triangle = triangle * (1 - np.eye(4)) + np.eye(4)
    made = linalg.solve_triangular(Tensor(x), Tensor(b), upper=upper, unitriangular=unit).numpy()
    np.testing.assert_allclose(triangle @ made, b, atol=1e-11)
    other = linalg.solve_triangular(
        Tensor(x), Tensor(transposed(b)), upper=upper, left=False, unitriangular=unit
    )
    np.testing.assert_allclose(other.numpy() @ triangle, transposed(b), atol=1e-11)


@pytest.mark.slow
def test_factors_are_used_again() -> None:
    x, b = normal(2, 4, 4), normal(2, 4, 3)
    factors, pivots = linalg.lu_factor(Tensor(x))
    close(linalg.lu_solve(factors, pivots, Tensor(b)), np.linalg.solve(x, b))
    scipy = pytest.importorskip("scipy.linalg")
    for n in range(2):
        theirs, exchanges = scipy.lu_factor(x[n])
        np.testing.assert_allclose(factors[n].numpy(), theirs, atol=1e-13)
        assert np.array_equal(pivots[n].numpy() - 1, exchanges)


@pytest.mark.slow
def test_singular_matrices() -> None:
    x = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert linalg.det(Tensor(x)).item() == 0
    sign, size = linalg.slogdet(Tensor(x))
    assert (sign.item(), size.item()) == (0, -np.inf)
    assert not np.isfinite(linalg.inv(Tensor(x)).numpy()).all()
    assert linalg.det(Tensor.zeros(2, 0, 0)).tolist() == [1, 1]


@pytest.mark.slow
def test_half_types_are_computed_in_float32() -> None:
    x = definite(3, 4, 4, dtype="float32").astype("float16")
    made = linalg.cholesky(Tensor(x))
    assert made.dtype.name == "float16"
    expected = np.linalg.cholesky(x.astype(np.float32)).astype("float16")
    np.testing.assert_allclose(made.numpy(), expected, rtol=2e-3, atol=2e-3)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="has other rows"):
        linalg.solve(Tensor(normal(3, 3)), Tensor(normal(4, 2)))
    with pytest.raises(ValueError, match="solve takes square matrices"):
        linalg.solve(Tensor(normal(3, 2)), Tensor(normal(3, 2)))
    with pytest.raises(TypeError, match="takes floats, not int64"):
        linalg.inv(Tensor([[1, 2], [3, 4]]))


# --- in jit, and with gradients


def test_in_jit() -> None:
    x, b = definite(4, 5, 5), normal(4, 5, 2)
    solved = jit(linalg.solve)
    for _ in range(2):
        close(solved(Tensor(x), Tensor(b)), np.linalg.solve(x, b))


def symmetric(x: Tensor) -> Tensor:
    return x @ x.mT + Tensor.eye(x.shape[-1], dtype=x.dtype)


PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "cholesky": lambda x: linalg.cholesky(symmetric(x)),
    "qr": lambda x: linalg.qr(x).Q + linalg.qr(x).R,
    "solve": lambda x: linalg.solve(x, x[:, :1] * x[:, :1]),
    "inv": linalg.inv,
    "det": linalg.det,
    "slogdet": lambda x: linalg.slogdet(x).logabsdet,
}


@pytest.mark.parametrize(
    "name", [n if n == "cholesky" else pytest.param(n, marks=pytest.mark.slow) for n in PROGRAMS]
)
def test_gradients(name: str) -> None:
    program, x = PROGRAMS[name], normal(3, 3)
    weights = Tensor(normal(*program(Tensor(x)).shape))

    def value(x: Any) -> Tensor:
        return (program(x) * weights).sum()

    slope = grad(value)(Tensor(x)).numpy()
    step = 1e-6
    for place in np.ndindex(x.shape):
        away = np.zeros_like(x)
        away[place] = step
        numeric = (value(Tensor(x + away)).item() - value(Tensor(x - away)).item()) / (2 * step)
        assert slope[place] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


def test_methods_of_tensors() -> None:
    A = Tensor([[2.0, 1.0], [0.0, 4.0]])
    assert A.det().item() == pytest.approx(8)
    assert A.logdet().item() == pytest.approx(np.log(8), rel=1e-6)
    assert np.isnan(A.flip(0).logdet().item())  # its determinant is -8
    np.testing.assert_allclose((A.inverse() @ A).numpy(), np.eye(2), atol=1e-6)
    np.testing.assert_allclose((A.pinverse() @ A).numpy(), np.eye(2), atol=1e-5)
    assert A.H.tolist() == [[2.0, 0.0], [1.0, 4.0]]
    with pytest.raises(ValueError, match="use mH"):
        _ = Tensor.ones(3).H


@pytest.mark.parametrize(("n", "most"), [(3, 10), (5, 20)])
def test_a_step_of_an_inverse_is_few_kernels_of_a_gpu(
    n: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row is moved before it is read. Parts are not computed: there is no GPU to do so."""
    for module in (factor, solving):
        monkeypatch.setattr(module, "settle", lambda *tensors: None)
    assert len(scheduled(linalg.inv, (1 << 16, n, n), machine=GPU, device="cuda:0").items) <= most


def test_triangles_are_solved_a_few_rows_at_a_time() -> None:
    """A block of rows by one kernel, what is left of the others by the next two; nothing above is read."""

    def solved(x: Tensor, b: Tensor) -> Tensor:
        return linalg.solve_triangular(x, b, upper=False)

    x, b = np.tril(normal(2, 20, 20)) + 4 * np.eye(20), normal(2, 20, 3)
    other = np.triu(np.full_like(x, np.nan), 1) + x
    np.testing.assert_allclose(x @ jit(solved)(Tensor(other), Tensor(b)).numpy(), b, atol=1e-12)
    assert len(scheduled(jit(solved), (32, 64, 64), (32, 64, 4), machine=GPU).items) <= 3 * 64 // 8 + 3
