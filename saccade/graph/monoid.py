"""What a reduction combines: an identity and an associative combine over a tuple of accumulators.

Sum, product, maximum, argmax and top-k are the same op with another monoid, so every splitter, fuser and
renderer handles them once. A monoid builds its identity and its combine as graph nodes:

    >>> ADD.identity((float32,))          # one CONST 0.0
    >>> ARGMAX.combine(acc, element)      # two nodes: the better value, its index

Top-k keeps k (value, index) pairs sorted best first; combining with a single element is an insertion.
Ties keep the smaller index, whatever the order of combination, so splitting never changes the result.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import dtypes
from .dtypes import DType
from .node import Node, const
from .ops import Op


@dataclass(frozen=True)
class Monoid:
    """`kind` is add, mul, max, min, argmax, argmin, topmax or topmin (the k largest or smallest)."""

    kind: str
    k: int = 1

    def __str__(self) -> str:
        return f"{self.kind}{self.k}" if self.kind.startswith("top") else self.kind

    @property
    def elements(self) -> int:
        """How many values one element brings: a value, or a value and its index."""
        return 1 if self.kind in _PLAIN else 2

    @property
    def width(self) -> int:
        """How many accumulators there are: the k values, then the k indices."""
        return 1 if self.kind in _PLAIN else 2 * self.k

    @property
    def wants_larger(self) -> bool:
        return self.kind in ("max", "argmax", "topmax")

    def identity(self, element: tuple[DType, ...]) -> tuple[Node, ...]:
        """The accumulators of an empty reduction, for elements of these dtypes."""
        value = element[0]
        if self.kind == "add":
            return (const(0, value),)
        if self.kind == "mul":
            return (const(1, value),)
        worst = const(value.min if self.wants_larger else value.max, value)
        if self.elements == 1:
            return (worst,)
        return (worst,) * self.k + (const(dtypes.int64.max if element[1] is dtypes.int64 else element[1].max, element[1]),) * self.k

    def combine(self, accumulators: tuple[Node, ...], element: tuple[Node, ...]) -> tuple[Node, ...]:
        """The accumulators after one more element."""
        if self.elements == 1:
            return (accumulators[0].alu(_PLAIN[self.kind], element[0]),)
        return self._insert(accumulators, element)

    def better(self, value: Node, index: Node, than_value: Node, than_index: Node) -> Node:
        """A bool: does (value, index) come before the other pair? NaN is the best of all, as in torch."""
        first, second = (than_value, value) if self.wants_larger else (value, than_value)
        strictly = first.alu(Op.LT, second)
        tie = value.alu(Op.EQ, than_value)
        if value.dtype.is_float:
            nan, than_nan = value.alu(Op.ISNAN), than_value.alu(Op.ISNAN)
            strictly = strictly | (nan & ~than_nan)
            tie = tie | (nan & than_nan)
        return strictly | (tie & index.alu(Op.LT, than_index))

    def _insert(self, accumulators: tuple[Node, ...], element: tuple[Node, ...]) -> tuple[Node, ...]:
        values, indices = list(accumulators[: self.k]), list(accumulators[self.k :])
        value, index = element
        before = [self.better(value, index, v, i) for v, i in zip(values, indices, strict=True)]
        new_values, new_indices = [], []
        for slot in range(self.k):
            # slot takes the element if it belongs before it, and what the slot above lost if it belongs further up
            moved_value, moved_index = (values[slot - 1], indices[slot - 1]) if slot else (value, index)
            pushed = before[slot - 1] if slot else const(False, dtypes.bool_)
            new_values.append(before[slot].where(pushed.where(moved_value, value), values[slot]))
            new_indices.append(before[slot].where(pushed.where(moved_index, index), indices[slot]))
        return tuple(new_values + new_indices)

    def merge(self, left: tuple[Node, ...], right: tuple[Node, ...]) -> tuple[Node, ...]:
        """The accumulators of two partial reductions together."""
        if self.elements == 1:
            return self.combine(left, right)
        for value, index in zip(right[: self.k], right[self.k :], strict=True):
            left = self._insert(left, (value, index))
        return left


_PLAIN = {"add": Op.ADD, "mul": Op.MUL, "max": Op.MAX, "min": Op.MIN}

ADD, MUL, MAX, MIN = (Monoid(kind) for kind in _PLAIN)
ARGMAX, ARGMIN = Monoid("argmax"), Monoid("argmin")
