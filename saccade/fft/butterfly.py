"""Transforms of a few points as straight code, from the parts of complex numbers.

    butterfly([x0, x1, x2, x3])        the four results: 16 additions, no product

Each point is a pair of real tensors of one shape; a part that is None is 0 and costs nothing. Of n = p * m
points with a prime p, every p-th make a transform of m points; what those have in one place, turned by roots
of unity, is transformed by p points. Roots that are 1, -1, i and -i are no products.
"""

from __future__ import annotations

import numpy as np

from ..tensor.tensor import Tensor
from .tables import roots

Part = Tensor | None
#: the real and the imaginary part
Point = tuple[Part, Part]


def butterfly(points: list[Point]) -> list[Point]:
    """sum_j x[j] exp(-2 pi i jk / n) for each k of n points."""
    n = len(points)
    if n == 1:
        return points
    prime = next(p for p in range(2, n + 1) if n % p == 0)
    each = n // prime
    parts = [butterfly(points[first::prime]) for first in range(prime)]
    rows = []
    for k in range(each):
        column = [_turned(part[k], first * k, n) for first, part in enumerate(parts)]
        rows.append(_two(column) if prime == 2 else _odd(column))
    return [row[j] for j in range(prime) for row in rows]


def _two(points: list[Point]) -> list[Point]:
    (a, b), (c, d) = points
    return [(_plus(a, c), _plus(b, d)), (_minus(a, c), _minus(b, d))]


def _odd(points: list[Point]) -> list[Point]:
    """Of an odd number: with x[j] and x[n - j] come their sums, times cosines, and their differences, times
    sines, for k and n - k alike."""
    n, half = len(points), len(points) // 2
    sums, differences = [], []
    for j in range(1, half + 1):
        (a, b), (c, d) = points[j], points[n - j]
        sums.append((_plus(a, c), _plus(b, d)))
        differences.append((_minus(a, c), _minus(b, d)))
    first = points[0]
    for a, b in sums:
        first = _plus(first[0], a), _plus(first[1], b)
    done = [first] * n
    for k in range(1, half + 1):
        cosines, sines = roots(n, np.arange(1, half + 1) * k)
        even: Point = points[0]
        odd: Point = (None, None)
        for j in range(half):
            even = _plus_times(even, sums[j], float(cosines[j]))
            odd = _plus_times(odd, differences[j], float(sines[j]))
        done[k] = _minus(even[0], odd[1]), _plus(even[1], odd[0])
        done[n - k] = _plus(even[0], odd[1]), _minus(even[1], odd[0])
    return done


def _turned(point: Point, k: int, n: int) -> Point:
    """A point times exp(-2 pi i k / n)."""
    re, im = point
    k %= n
    if k == 0:
        return point
    if 2 * k == n:
        return _minus(None, re), _minus(None, im)
    if 4 * k == n:
        return im, _minus(None, re)
    if 4 * k == 3 * n:
        return _minus(None, im), re
    cosines, sines = roots(n, np.array([k]))
    c, s = float(cosines[0]), float(sines[0])
    return _minus(_times(re, c), _times(im, s)), _plus(_times(re, s), _times(im, c))


def _plus_times(point: Point, other: Point, factor: float) -> Point:
    return _plus(point[0], _times(other[0], factor)), _plus(point[1], _times(other[1], factor))


def _plus(a: Part, b: Part) -> Part:
    return b if a is None else a if b is None else a + b


def _minus(a: Part, b: Part) -> Part:
    return a if b is None else -b if a is None else a - b


def _times(a: Part, factor: float) -> Part:
    return None if a is None else a * factor


__all__ = ["Point", "butterfly"]
