"""Small linear algebra, many matrices at once, without LAPACK.

In: float64 arrays whose last axes are the vectors and matrices. Out: solutions, eigenvectors. Each matrix is
worked on in the same order of operations whatever stands beside it.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .functions import hypot
from .vectors import apply, total

Floats = npt.NDArray[np.float64]

#: An off-diagonal element so much smaller than what it couples is zero.
_NEGLIGIBLE = 2.0**-54
#: Jacobi's method converges quadratically; matrices of six rows take five or six sweeps.
_MOST_SWEEPS = 16


def solve_positive(matrix: Floats, right: Floats) -> tuple[Floats, Floats]:
    """x with matrix (..., n, n) x = right (..., n), and the condition (...) of the matrix, by Gauss-Jordan
    elimination. Matrices are symmetric and positive definite, so no row is exchanged.

    The condition is the trace times the trace of the inverse: at least the ratio of the largest to the
    smallest eigenvalue, and at most n * n times that. Where a pivot is not positive it is infinity, and x
    means nothing.
    """
    size = matrix.shape[-1]
    identity = np.broadcast_to(np.eye(size), matrix.shape)
    rows = np.concatenate([matrix, right[..., None], identity], axis=-1)
    definite = np.ones(matrix.shape[:-2], bool)
    for number in range(size):
        pivot = rows[..., number, number]
        definite &= pivot > 0
        scaled = rows[..., number, :] / np.where(pivot > 0, pivot, 1.0)[..., None]
        rows -= rows[..., :, number, None] * scaled[..., None, :]
        rows[..., number, :] = scaled
    inverse = rows[..., size + 1 :]
    condition = _trace(matrix) * _trace(inverse)
    return rows[..., size], np.where(definite, condition, np.inf)


def _trace(matrix: Floats) -> Floats:
    return total(np.diagonal(matrix, axis1=-2, axis2=-1))


def half_angle(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Cosine and sine of half the angle of (x, y), the cosine not negative; (1, 0) where both are 0.

    The main axis of the symmetric matrix ((a, b), (b, c)) is at half the angle of (a - c, 2 b).
    """
    length = hypot(x, y)
    safe = np.where(length > 0, length, 1.0)
    larger = np.where(length > 0, np.sqrt((safe + np.abs(x)) / (2 * safe)), 1.0)
    smaller = np.abs(y) / (2 * safe * larger)
    ahead = x >= 0
    return np.where(ahead, larger, smaller), np.copysign(np.where(ahead, smaller, larger), y)


def eigen_symmetric(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues (..., n), rising, and eigenvectors as columns (..., n, n) of symmetric matrices, by
    Jacobi's method, one matrix after the other. Of either sign of a vector, its largest component is
    positive.
    """
    size = matrix.shape[-1]
    found = [_jacobi(each.tolist()) for each in matrix.reshape(-1, size, size)]
    values = np.array([each for each, _ in found]).reshape(matrix.shape[:-1])
    vectors = np.array([each for _, each in found]).reshape(matrix.shape).swapaxes(-1, -2)
    order = np.argsort(values, axis=-1, kind="stable")
    vectors = np.take_along_axis(vectors, order[..., None, :], axis=-1)
    largest = np.argmax(np.abs(vectors), axis=-2)[..., None, :]
    signs = np.where(np.take_along_axis(vectors, largest, axis=-2) < 0, -1.0, 1.0)
    return np.take_along_axis(values, order, axis=-1), vectors * signs


def _jacobi(rows: list[list[float]]) -> tuple[list[float], list[list[float]]]:
    """Eigenvalues and eigenvectors, a row each, of one symmetric matrix, which is used up: rotations in
    planes (p, q) until nothing is left beside the diagonal."""
    size = len(rows)
    vectors = np.eye(size).tolist()
    for _ in range(_MOST_SWEEPS):
        turned = False
        for p in range(size):
            for q in range(p + 1, size):
                corner, high, low = rows[p][q], rows[p][p], rows[q][q]
                if not abs(corner) > _NEGLIGIBLE * math.sqrt(abs(high)) * math.sqrt(abs(low)):
                    continue
                turned = True
                slope = (low - high) / (2 * corner)
                tangent = math.copysign(1.0 / (abs(slope) + math.sqrt(1.0 + slope * slope)), slope)
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = tangent * cosine
                for row in rows:
                    row[p], row[q] = cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]
                for table in (rows, vectors):
                    one, other = table[p], table[q]
                    table[p] = [cosine * a - sine * b for a, b in zip(one, other)]
                    table[q] = [sine * a + cosine * b for a, b in zip(one, other)]
                rows[p][q] = rows[q][p] = 0.0
        if not turned:
            break
    return [rows[number][number] for number in range(size)], vectors


def least_squares(design: Floats, target: Floats, cut: float) -> Floats:
    """x (k,) that makes design (n, k) x nearest to target (n,); directions in which the design is `cut` times
    weaker than in its strongest are left alone.

    By the normal equations, so `cut` must be well above 1e-8, the root of float64's precision.
    """
    normal = total(design[:, :, None] * design[:, None, :], axis=0)
    values, vectors = eigen_symmetric(normal)
    kept = values > cut * cut * values[-1]
    along = apply(vectors.T, total(design * target[:, None], axis=0))
    return apply(vectors, np.where(kept, along / np.where(kept, values, 1.0), 0.0))
