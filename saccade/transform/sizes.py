"""Sizes of axes that follow a length: base + per * v, from what they are at two lengths.

span = Span(100, 120, 128, n)
span.size(200, 240)               # Size(0, 2): 2 v
span.number(Size(0, 2))           # 2 n, at each call
"""

from __future__ import annotations

from dataclasses import dataclass

from ..graph import dtypes
from ..graph.node import Node, const


class Unbounded(ValueError):
    """A graph that is not the same for all lengths."""


@dataclass(frozen=True)
class Size:
    """The size base + per * v of an axis."""

    base: int
    per: int = 0

    def at(self, v: int) -> int:
        return self.base + self.per * v

    def times(self, other: Size) -> Size:
        if self.per and other.per:
            raise Unbounded("the product of two lengths is not affine")
        return Size(self.base * other.base, self.base * other.per + self.per * other.base)


@dataclass(frozen=True)
class Span:
    """The two lengths a graph was seen at, the most it is compiled for, and the number that is given."""

    first: int
    second: int
    capacity: int
    n: Node  # a scalar of int64

    def size(self, first: int, second: int) -> Size:
        """The affine size that is this at the two lengths."""
        per, rest = divmod(second - first, self.second - self.first)
        if rest:
            raise Unbounded(f"a size of {first} and {second} at {self.first} and {self.second} is not affine")
        return Size(first - per * self.first, per)

    def number(self, size: Size) -> Node:
        """A size as the number it is at each call."""
        if not size.per:
            return const(size.base, dtypes.int64)
        scaled = self.n if size.per == 1 else self.n * size.per
        return scaled + size.base if size.base else scaled
