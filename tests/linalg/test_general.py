"""Gradients of eigenvalues and eigenvectors of matrices that are not symmetric, beside finite differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from saccade import Tensor, grad, linalg

from .matrices import Array, normal


def differences(function: Callable[[Tensor], Tensor], x: Array, step: float = 1e-5) -> Array:
    """The gradient of a real function of a real matrix, by central differences."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        by = np.zeros_like(x)
        by[place] = step
        found[place] = (function(Tensor(x + by)).item() - function(Tensor(x - by)).item()) / (2 * step)
    return found


def of_values(x: Tensor) -> Tensor:
    values = linalg.eigvals(x)
    return (values * values * values).real.sum() + values.abs().sum()


def of_vectors(x: Tensor) -> Tensor:
    """What does not depend on the directions of vectors in the complex plane, nor on their order."""
    values, vectors = linalg.eig(x)
    size = vectors.abs()
    return (size * size * size * (values.real + values.imag * values.imag).unsqueeze(-2)).sum()


@pytest.mark.slow
@pytest.mark.parametrize("function", [of_values, of_vectors])
def test_gradients(function: Callable[[Tensor], Tensor]) -> None:
    x = normal(3, 3)
    expected = differences(function, x)
    np.testing.assert_allclose(grad(function)(Tensor(x)).numpy(), expected, atol=2e-6)
    leaf = Tensor(x, requires_grad=True)
    function(leaf).backward()
    assert leaf.grad is not None
    np.testing.assert_allclose(leaf.grad.numpy(), expected, atol=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("function", [of_values, of_vectors])
def test_second_gradients(function: Callable[[Tensor], Tensor]) -> None:
    x, along = normal(3, 3), Tensor(normal(3, 3))

    def slope(x: Tensor) -> Tensor:
        return (grad(function)(x) * along).sum()

    np.testing.assert_allclose(grad(slope)(Tensor(x)).numpy(), differences(slope, x), atol=2e-5)


def test_values_under_a_gradient_are_those_of_lapack() -> None:
    x = normal(2, 3, 3)
    seen = []

    def look(x: Tensor) -> Tensor:
        made = linalg.eig(x)
        seen.extend(t.numpy() for t in made)
        return made.eigenvalues.real.sum()

    slope = grad(look)(Tensor(x))
    for found, theirs in zip(seen, np.linalg.eig(x), strict=True):
        np.testing.assert_array_equal(found, theirs)
    # the sum of the eigenvalues is the trace
    np.testing.assert_allclose(slope.numpy(), np.broadcast_to(np.eye(3), x.shape), atol=1e-12)


@pytest.mark.slow
def test_equal_values_have_gradients() -> None:
    slope = grad(lambda x: linalg.eigvals(x).real.sum())(Tensor(np.eye(3)))
    np.testing.assert_allclose(slope.numpy(), np.eye(3))


def test_a_matrix_with_nan_is_nan_and_the_others_are_not() -> None:
    x = normal(2, 3, 3)
    x[1, 0, 0] = np.nan
    for part, theirs in zip(linalg.eig(Tensor(x)), np.linalg.eig(x[0]), strict=True):
        np.testing.assert_array_equal(part.numpy()[0], theirs)
        assert np.isnan(part.numpy()[1]).all()
