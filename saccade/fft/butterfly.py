"""Transforms of a few points as straight code, from the parts of complex numbers.

    butterfly([x0, x1, x2, x3])        the four results: 16 additions, no product

Each point is a pair of real tensors of one shape; a part that is None is 0 and costs nothing. Of n = p * m
points with a prime p, every p-th make a transform of m points; what those have in one place, turned by roots
of unity, is transformed by p points. Roots that are 1, -1, i and -i are no products.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..tensor.tensor import Tensor
from .tables import roots

Part = Tensor | None
#: the real and the imaginary part
Point = tuple[Part, Part]
#: a point, and a number it is to be multiplied with
Scaled = tuple[Point, float]
#: how far from 1 the ratio of a sine and a cosine is by rounding alone
EIGHTH: Final = 1e-12


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
        rows.append(_two(*column) if prime == 2 else _odd([_whole(*scaled) for scaled in column]))
    return [row[j] for j in range(prime) for row in rows]


def turned(point: Point, c: Tensor, s: Tensor) -> Point:
    """A point times c + i s: two products, and two that are added as they are made."""
    re, im = point
    if re is None or im is None:
        return _minus(_times(re, c), _times(im, s)), _plus(_times(re, s), _times(im, c))
    return re._times_plus(c, -(im * s)), re._times_plus(s, im * c)


def _two(first: Scaled, second: Scaled) -> list[Point]:
    """Of two points: the first, which is turned by nothing, and a second that is added as it is scaled."""
    (a, b), _ = first
    (c, d), scale = second
    return [
        (_plus_times(a, c, scale), _plus_times(b, d, scale)),
        (_plus_times(a, c, -scale), _plus_times(b, d, -scale)),
    ]


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
            even = _point_plus_times(even, sums[j], float(cosines[j]))
            odd = _point_plus_times(odd, differences[j], float(sines[j]))
        done[k] = _minus(even[0], odd[1]), _plus(even[1], odd[0])
        done[n - k] = _plus(even[0], odd[1]), _minus(even[1], odd[0])
    return done


def _turned(point: Point, k: int, n: int) -> Scaled:
    """A point times exp(-2 pi i k / n), as a point and a number it is still to be multiplied with: the larger
    part of the root, so that the other one over it is at most 1."""
    re, im = point
    k %= n
    if k == 0:
        return point, 1.0
    if 2 * k == n:
        return point, -1.0
    if 4 * k == n or 4 * k == 3 * n:
        return (im, _minus(None, re)), 1.0 if 4 * k == n else -1.0
    cosines, sines = roots(n, np.array([k]))
    c, s = float(cosines[0]), float(sines[0])
    if abs(s) > abs(c):
        return (_plus_times(_minus(None, im), re, _ratio(c, s)), _plus_times(re, im, _ratio(c, s))), s
    return (_plus_times(re, im, -_ratio(s, c)), _plus_times(im, re, _ratio(s, c))), c


def _ratio(a: float, b: float) -> float:
    """One over the other, which for odd eighths of a turn is 1 or -1."""
    ratio = a / b
    return round(ratio) if abs(abs(ratio) - 1) < EIGHTH else ratio


def _whole(point: Point, scale: float) -> Point:
    """A point that has been multiplied."""
    return _times(point[0], scale), _times(point[1], scale)


def _point_plus_times(point: Point, other: Point, factor: float) -> Point:
    return _plus_times(point[0], other[0], factor), _plus_times(point[1], other[1], factor)


def _plus_times(a: Part, b: Part, factor: float) -> Part:
    """a + b * factor, rounded once."""
    if b is None or factor == 1:
        return _plus(a, b)
    if factor == -1:
        return _minus(a, b)
    return b * factor if a is None else b._times_plus(factor, a)


def _plus(a: Part, b: Part) -> Part:
    return b if a is None else a if b is None else a + b


def _minus(a: Part, b: Part) -> Part:
    return a if b is None else -b if a is None else a - b


def _times(a: Part, factor: Tensor | float) -> Part:
    return a if a is None or (isinstance(factor, float) and factor == 1) else a * factor


__all__ = ["Point", "butterfly", "turned"]
