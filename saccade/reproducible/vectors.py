"""Vectors, small matrices and sums, added up in a fixed order.

In and out: float64 arrays; leading axes broadcast, vectors lie along the last axis and matrices along the
last two. A vector or a row of a small matrix is added up from its first element to its last; a long axis by
halves (`total`). Either way a row's result depends on that row alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def dot(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """(..., n) and (..., n) -> (...), n small."""
    products = np.multiply(a, b)
    found = products[..., 0]
    for number in range(1, products.shape[-1]):
        found = found + products[..., number]
    return np.asarray(found)


def norm(vector: npt.ArrayLike, keepdims: bool = False) -> Floats:
    """The length of vectors (..., n), n small: (...), or (..., 1) with `keepdims`."""
    found = np.sqrt(dot(vector, vector))
    return np.asarray(found[..., None] if keepdims else found)


def unit(vector: npt.ArrayLike, least: float = 0.0) -> Floats:
    """Vectors (..., n) divided by their length, or by `least` where they are shorter than that."""
    length = norm(vector, keepdims=True)
    return np.divide(vector, np.maximum(length, least) if least else length)


def cross(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """(..., 3) and (..., 3) -> (..., 3)."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    a0, a1, a2, b0, b1, b2 = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    found[..., 0] = a1 * b2 - a2 * b1
    found[..., 1] = a2 * b0 - a0 * b2
    found[..., 2] = a0 * b1 - a1 * b0
    return found


def columns(*parts: npt.ArrayLike) -> Floats:
    """Numbers (...) as vectors (..., n), or vectors (..., m) as the columns of matrices (..., m, n)."""
    found = np.empty((*np.shape(parts[0]), len(parts)))
    for number, part in enumerate(parts):
        found[..., number] = part
    return found


def matmul(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """(..., m, n) and (..., n, k) -> (..., m, k), n small."""
    a, b = np.asarray(a), np.asarray(b)
    if b.shape[-1] < 8:
        return dot(a[..., :, None, :], np.swapaxes(b, -1, -2)[..., None, :, :])
    # the same sums, an operation for each product: faster where rows are long
    found = a[..., :, 0, None] * b[..., None, 0, :]
    for number in range(1, a.shape[-1]):
        found = found + a[..., :, number, None] * b[..., None, number, :]
    return np.asarray(found)


def apply(matrix: npt.ArrayLike, vector: npt.ArrayLike) -> Floats:
    """(..., m, n) and (..., n) -> (..., m), n small."""
    return dot(matrix, np.asarray(vector)[..., None, :])


def total(values: npt.ArrayLike, axis: int = -1) -> Floats:
    """The sum along an axis by halves: the second half is added to the first, and so on, a last one left
    over to the first. As accurate as a pairwise sum; of nothing it is 0."""
    left = np.asarray(values, np.float64)
    if axis not in (-1, left.ndim - 1):
        left = np.moveaxis(left, axis, -1)
    count = left.shape[-1]
    if count == 0:
        return np.zeros(left.shape[:-1])
    while count > 1:
        half = count // 2
        folded = left[..., :half] + left[..., half : 2 * half]
        if count % 2:
            folded[..., 0] += left[..., -1]
        left, count = folded, half
    return np.asarray(left[..., 0])


def mean(values: npt.ArrayLike, axis: int = -1) -> Floats:
    """The `total` along an axis, divided by how many there are."""
    array = np.asarray(values, np.float64)
    return np.asarray(total(array, axis) / array.shape[axis])


def median(values: npt.ArrayLike) -> float:
    """The middle of some numbers, or half way between the two that are there."""
    ordered = np.sort(np.asarray(values, np.float64), axis=None)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def linspace(start: npt.ArrayLike, stop: npt.ArrayLike, count: int, endpoint: bool = True) -> Floats:
    """`count` numbers, or arrays along a new first axis, from `start` on evenly apart: to `stop`, or up to
    one step before it."""
    begin, end = np.asarray(start, np.float64), np.asarray(stop, np.float64)
    numbers = np.arange(count, dtype=np.float64).reshape(-1, *(1,) * np.broadcast(begin, end).ndim)
    found = begin + numbers * ((end - begin) / max(count - endpoint, 1))
    if endpoint and count > 1:
        found[-1] = end
    return np.asarray(found)


def interpolate(x: npt.ArrayLike, at: npt.ArrayLike, values: npt.ArrayLike) -> Floats:
    """Along straight lines between points (at, values), `at` rising; beyond the ends their values."""
    x, at, values = (np.asarray(each, np.float64) for each in (x, at, values))
    if len(at) == 1:
        return np.full(x.shape, values[0])
    last = np.clip(np.searchsorted(at, x, side="right"), 1, len(at) - 1)
    width = at[last] - at[last - 1]
    share = np.where(width > 0, (x - at[last - 1]) / np.where(width > 0, width, 1.0), 1.0)
    share = np.clip(share, 0.0, 1.0)
    found = values[last - 1] + share * (values[last] - values[last - 1])
    return np.where(share == 1.0, values[last], found)
