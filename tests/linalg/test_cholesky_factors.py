"""What is made of a Cholesky factor: solutions and inverses, of either triangle, real and complex; gradients
beside finite differences and beside torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, linalg

from .matrices import Array, close, normal

#: of a factor and what is solved for
FUNCTIONS: dict[str, Callable[[Any, Any, bool], Any]] = {
    "solve": lambda L, B, upper: linalg.cholesky_solve(B, L, upper=upper),
    "inverse": lambda L, B, upper: linalg.cholesky_inverse(L, upper=upper),
}


def factor(*shape: int, dtype: str = "float64", upper: bool = False) -> Array:
    """A triangle with a positive diagonal, and numbers in the other triangle, which is not read."""
    found = normal(*shape)
    if dtype.startswith("complex"):
        found = found + 1j * normal(*shape)
    n = shape[-1]
    found[..., np.arange(n), np.arange(n)] = 1 + np.abs(normal(*shape[:-1]))
    return (found.swapaxes(-1, -2) if upper else found).astype(dtype)


def product(L: Array, upper: bool) -> Array:
    half = np.triu(L) if upper else np.tril(L)
    turned = half.conj().swapaxes(-1, -2)
    return turned @ half if upper else half @ turned


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "complex128", pytest.param("float32", marks=pytest.mark.slow)])
def test_values(upper: bool, dtype: str) -> None:
    for shape in ((3, 3), (2, 1, 4, 4)):
        L = factor(*shape, dtype=dtype, upper=upper)
        b = normal(2, 3, shape[-1], 2).astype(dtype)
        full = product(L, upper)
        close(linalg.cholesky_solve(Tensor(b), Tensor(L), upper=upper), np.linalg.solve(full, b), 1e-4)
        close(linalg.cholesky_inverse(Tensor(L), upper=upper), np.linalg.inv(full), 1e-4)


@pytest.mark.usefixtures("by_kernels")
@pytest.mark.parametrize("dtype", ["float64", pytest.param("complex128", marks=pytest.mark.slow)])
def test_values_by_kernels(dtype: str) -> None:
    for upper in (False, True):
        L = factor(5, 3, 3, dtype=dtype, upper=upper)
        b = normal(5, 3, 2).astype(dtype)
        full = product(L, upper)
        close(linalg.cholesky_solve(Tensor(b), Tensor(L), upper=upper), np.linalg.solve(full, b), 1e-10)
        close(linalg.cholesky_inverse(Tensor(L), upper=upper), np.linalg.inv(full), 1e-10)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="cholesky_inverse takes square matrices"):
        linalg.cholesky_inverse(Tensor.ones(3, 2))
    with pytest.raises(ValueError, match="cholesky_solve takes square matrices"):
        linalg.cholesky_solve(Tensor.ones(3, 2), Tensor.ones(3, 2))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients(name: str, upper: bool, dtype: str) -> None:
    """Of the sum of squared sizes, by every part of what is read."""
    L, b = factor(2, 3, 3, dtype=dtype, upper=upper), normal(2, 3, 2).astype(dtype)

    def value(L: Any, B: Any) -> Any:
        found = FUNCTIONS[name](L, B, upper)
        return (found.real**2).sum() if not found.dtype.is_complex else (found * found.conj()).real.sum()

    given = Tensor(L, requires_grad=True), Tensor(b, requires_grad=True)
    value(*given).backward()
    step = 1e-6
    for number, (tensor, array) in enumerate(zip(given, (L, b), strict=True)):
        if name == "inverse" and number:
            assert tensor.grad is None
            continue
        found = tensor.grad.numpy()
        for place in ((0, 0, 0), (1, 2, 0), (1, 0, 1), (0, 2, 1)):
            for part in (1, 1j) if dtype == "complex128" else (1,):
                away = np.zeros_like(array)
                away[place] = step * part
                ends = []
                for sign in (1, -1):
                    arrays = [L, b]
                    arrays[number] = array + sign * away
                    ends.append(value(*map(Tensor, arrays)).item())
                slope = (ends[0] - ends[1]) / (2 * step)
                mine = found[place].imag if part == 1j else found[place].real
                assert mine == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_like_torch(upper: bool, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    L, b = factor(2, 3, 3, dtype=dtype, upper=upper), normal(2, 3, 2).astype(dtype)
    half = np.triu if upper else np.tril
    mine, its = Tensor(half(L), requires_grad=True), torch.tensor(half(L), requires_grad=True)
    results = [
        linalg.cholesky_solve(Tensor(b), mine, upper=upper),
        linalg.cholesky_inverse(mine, upper=upper),
    ]
    expected = [
        torch.cholesky_solve(torch.tensor(b), its, upper=upper),
        torch.cholesky_inverse(its, upper=upper),
    ]
    for found, wanted in zip(results, expected, strict=True):
        close(found.detach(), wanted.detach().numpy(), 1e-10)
    sum((x * x.conj()).real.sum() for x in results).backward()
    sum((x * x.conj()).real.sum() for x in expected).backward()
    close(mine.grad, half(its.grad.numpy()), 1e-9)
