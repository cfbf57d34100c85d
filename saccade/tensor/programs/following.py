"""Numbers in a program that follow a length: the n of a mean, the 1/n, sqrt(n) and 1/sqrt(n) of scalings.

    >>> mean = following([(2, 1 / 2), (3, 1 / 3), (10, 0.1)], dtypes.float64)
    >>> mean(4)
    0.25

Python computed them before there was a graph, so a graph at another length has others. What was seen at a few
lengths is tried as a function of a + b*v with whole a and b; it has to give every number seen, to the last
bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from ...graph.dtypes import DType
from .form import as_number

Follows = Callable[[int], Any]

#: a function, and the one that undoes it
_SHAPES: Final[tuple[tuple[Callable[[Any], Any], Callable[[Any], Any]], ...]] = (
    (lambda x: x, lambda y: y),
    (lambda x: 1 / x, lambda y: 1 / y),
    (math.sqrt, lambda y: y * y),
    (lambda x: 1 / math.sqrt(x), lambda y: 1 / (y * y)),
    (lambda x: x**-0.5, lambda y: 1 / (y * y)),
)


def following(seen: Sequence[tuple[int, Any]], dtype: DType) -> Follows | None:
    """The function of a length that gives these numbers, as they stand in a hole of a dtype; None if none of
    those known here does."""
    (v1, first), (v2, second) = seen[:2]
    for shape, undo in _SHAPES:
        try:
            low, high = round(undo(first)), round(undo(second))
            per, rest = divmod(high - low, v2 - v1)
            if rest == 0:
                found = _follows(shape, low - per * v1, per, dtype)
                if all(found(v) == number for v, number in seen):
                    return found
        except (ArithmeticError, ValueError):  # a root of something negative, 1 / 0, infinity
            continue
    return None


def _follows(shape: Callable[[Any], Any], base: int, per: int, dtype: DType) -> Follows:
    return lambda v: as_number(shape(base + per * v), dtype)
