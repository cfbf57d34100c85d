"""Vectors, sums and small matrices: what they should be, in an order that nothing changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from saccade.reproducible import (
    Draws,
    apply,
    columns,
    cross,
    dot,
    eigen_symmetric,
    half_angle,
    interpolate,
    least_squares,
    linspace,
    matmul,
    mean,
    median,
    norm,
    solve_positive,
    total,
    unit,
)


def test_vectors_and_matrices_are_those_of_algebra() -> None:
    draws = Draws(1)
    a, b = draws.normal(5, 3), draws.normal(5, 3)
    m, n = draws.normal(5, 3, 3), draws.normal(5, 3, 20)
    assert np.allclose(dot(a, b), np.einsum("ij,ij->i", a, b))
    assert np.allclose(cross(a, b), np.cross(a, b))
    assert np.allclose(norm(unit(a)), 1)
    assert unit(np.zeros(3), least=1e-12).tolist() == [0.0, 0.0, 0.0]
    assert np.allclose(apply(m, a), np.einsum("nij,nj->ni", m, a))
    assert np.allclose(matmul(m, m), m @ m)
    assert np.allclose(matmul(m, n), m @ n)  # long rows, the other loop
    # which is the same loop to the last bit
    assert (matmul(m, n)[..., :3] == matmul(m, n[..., :3])).all()
    assert (columns(a, b) == np.stack([a, b], axis=-1)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 1000, 1023])
def test_sums_are_taken_by_halves(count: int) -> None:
    values = Draws(2).normal(3, count)
    assert np.allclose(total(values), [math.fsum(row) for row in values.tolist()], atol=1e-12)
    # a row's sum is its own, wherever it lies and however it is stored
    assert total(values).tolist() == [float(total(row)) for row in values]
    assert (total(np.asfortranarray(values)) == total(values)).all()
    assert (total(values.T, axis=0) == total(values)).all()
    if count:
        assert np.allclose(mean(values), values.mean(axis=1))


def test_the_order_of_a_sum_is_stated() -> None:
    """(1 + 3 + 5) + (2 + 4): the second half on the first, the odd one on the first element."""
    big = 2.0**53
    assert float(total([big, 1.0, -big, 1.0])) == 2.0  # (big - big) + (1 + 1)
    assert float(total([1.0, big, 1.0, -big, 0.5])) == 2.5  # ((1 + 1) + 0.5) + (big - big)


def test_points_between() -> None:
    assert linspace(0, 1, 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert linspace(0, 1, 4, endpoint=False).tolist() == [0.0, 0.25, 0.5, 0.75]
    assert linspace([0, 1], [2, 1], 3).tolist() == [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    assert (linspace(3, 4, 1).tolist(), linspace(3, 4, 0).tolist()) == ([3.0], [])
    x = np.linspace(-1, 4, 41)
    at, values = [0.0, 1.0, 1.0, 3.0], [5.0, 2.0, 7.0, 1.0]
    assert np.allclose(interpolate(x, at, values), np.interp(x, at, values))
    assert interpolate([9.0], [1.0], [3.0]).tolist() == [3.0]


@pytest.mark.parametrize("size", [1, 3, 6])
def test_systems_are_solved_and_their_condition_told(size: int) -> None:
    rows = Draws(3).normal(4, size, 9)
    matrix, right = matmul(rows, np.swapaxes(rows, 1, 2)), Draws(4).normal(4, size)
    solution, condition = solve_positive(matrix, right)
    assert np.allclose(apply(matrix, solution), right)
    true = np.linalg.cond(matrix)
    assert (condition >= true * (1 - 1e-9)).all()
    assert (condition <= true * size * size * (1 + 1e-9)).all()


def test_what_is_singular_is_told() -> None:
    line = np.array([[[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]], [[np.nan] * 2] * 2])
    _, condition = solve_positive(line, np.ones((3, 2)))
    assert (~(condition < 1e12)).all()


def test_eigenvectors() -> None:
    rows = Draws(5).normal(6, 5, 5)
    matrix = rows + np.swapaxes(rows, 1, 2)
    values, vectors = eigen_symmetric(matrix)
    assert np.allclose(values, np.linalg.eigvalsh(matrix))
    assert np.allclose(matmul(matrix, vectors), vectors * values[:, None])
    assert np.allclose(matmul(np.swapaxes(vectors, 1, 2), vectors), np.eye(5))
    # alone as beside others, and with a sign that is stated
    alone = eigen_symmetric(matrix[3])
    assert (alone[0] == values[3]).all()
    assert (alone[1] == vectors[3]).all()
    assert (np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1)[:, None], 1) > 0).all()
    assert eigen_symmetric(np.diag([2.0, 1.0]))[0].tolist() == [1.0, 2.0]


def test_half_of_an_angle() -> None:
    angles = np.concatenate([2 * math.pi * Draws(6).uniform(200) - math.pi, [0.0, math.pi]])
    cosine, sine = half_angle(3 * np.cos(angles), 3 * np.sin(angles))
    assert np.allclose(cosine, np.cos(angles / 2), atol=1e-15)
    assert np.allclose(sine, np.sin(angles / 2), atol=1e-15)
    nothing = half_angle(np.zeros(1), np.zeros(1))
    assert (float(nothing[0][0]), float(nothing[1][0])) == (1.0, 0.0)


def test_weak_directions_are_left_alone() -> None:
    design = Draws(7).normal(50, 4) * [1.0, 2.0, 1.5, 0.01]
    target = Draws(8).normal(50)
    assert np.allclose(least_squares(design, target, 0.1), np.linalg.lstsq(design, target, rcond=0.1)[0])
    assert np.allclose(least_squares(design, target, 1e-4), np.linalg.lstsq(design, target, rcond=None)[0])


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_median_is_the_middle_or_half_way(count: int) -> None:
    values = np.random.default_rng(count).standard_normal(count)
    assert median(values) == np.median(values)
