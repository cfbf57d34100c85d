"""What a reduction combines: an identity and an associative combine over a tuple of accumulators.

Sum, product, maximum, argmax and top-k are the same op with another monoid, so every splitter, fuser and
renderer handles them once. A monoid builds its identity and its combine as graph nodes:

    >>> ADD.identity((float32,))          # one CONST 0.0
    >>> ARGMAX.combine(acc, element)      # two nodes: the better value, its index

Top-k keeps k (value, index) pairs sorted best first; combining with a single element is an insertion.
Ties keep the smaller index, whatever the order of combination, so splitting never changes the result.

The softmax monoid takes pairs (score, value) and carries three numbers: the largest score m so far, the sum
of exp(score - m), and the sum of exp(score - m) * value. A larger score rescales both sums, so that one pass
over the scores is enough; the last accumulator over the second is the mean of the values, weighted by the
softmax of the scores.

Two more are reductions of tensor terms only: `logsumexp` is that of the scores (in a kernel, of the softmax
monoid's first two numbers), `weighted` the sum of weight * value, with weights that are never stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .dtypes import DType
from .node import Node, const
from .ops import Op


@dataclass(frozen=True)
class Monoid:
    """`kind` is add, mul, max, min, argmax, argmin, topmax or topmin (the k best), or softmax."""

    kind: str
    k: int = 1

    def __str__(self) -> str:
        return f"{self.kind}{self.k}" if self.kind.startswith("top") else self.kind

    @property
    def elements(self) -> int:
        """How many values one element brings: a value, a value and its index, or a score and its value."""
        return 1 if self.kind in _PLAIN else 2

    @property
    def width(self) -> int:
        """How many accumulators there are: the k values, then the k indices; of a softmax, three."""
        return 1 if self.kind in _PLAIN else 3 if self.kind == "softmax" else 2 * self.k

    @property
    def wants_larger(self) -> bool:
        return self.kind in ("max", "argmax", "topmax")

    def identity(self, element: tuple[DType, ...]) -> tuple[Node, ...]:
        """The accumulators of an empty reduction, for elements of these dtypes."""
        value = element[0]
        if self.kind == "softmax":
            return (const(value.min, value), const(0, element[1]), const(0, element[1]))
        if self.kind == "add":
            return (const(0, value),)
        if self.kind == "mul":
            return (const(1, value),)
        worst = const(value.min if self.wants_larger else value.max, value)
        if self.elements == 1:
            return (worst,)
        return (worst,) * self.k + (const(element[1].max, element[1]),) * self.k

    def combine(self, accumulators: tuple[Node, ...], element: tuple[Node, ...]) -> tuple[Node, ...]:
        """The accumulators after one more element, whatever the order they come in."""
        if self.elements == 1:
            return (accumulators[0].alu(_PLAIN[self.kind], element[0]),)
        if self.kind == "softmax":
            score, value = element
            return _rescaled(accumulators, (score, const(1, value.dtype), value))
        return self._insert(accumulators, element, self._before)

    def append(self, accumulators: tuple[Node, ...], element: tuple[Node, ...]) -> tuple[Node, ...]:
        """The same for an element whose index is larger than all before: ties need no test, so it is
        cheaper."""
        if self.elements == 1 or self.kind == "softmax":
            return self.combine(accumulators, element)
        return self._insert(accumulators, element, self._before_in_order)

    @property
    def _nan_first(self) -> bool:
        """NaN counts as the largest number when sorting, and as the answer of argmax and argmin alike, as
        in torch."""
        return self.kind != "topmin"

    def _before(self, value: Node, index: Node, held: Node, held_index: Node) -> Node:
        """Does the pair (value, index) come before the held one?"""
        strictly = held.alu(Op.LT, value) if self.wants_larger else value.alu(Op.LT, held)
        tie = value.alu(Op.EQ, held)
        if value.dtype.is_float:
            nan, held_nan = value.alu(Op.ISNAN), held.alu(Op.ISNAN)
            strictly = strictly | (nan & ~held_nan if self._nan_first else held_nan & ~nan)
            tie = tie | (nan & held_nan)
        better = strictly | (tie & index.alu(Op.LT, held_index))
        return ~_is_empty(index) & (_is_empty(held_index) | better)

    def _before_in_order(self, value: Node, index: Node, held: Node, held_index: Node) -> Node:
        strictly = held.alu(Op.LT, value) if self.wants_larger else value.alu(Op.LT, held)
        if value.dtype.is_float:  # not (a <= b) is a > b or NaN on either side
            strictly = ~value.alu(Op.LE, held) if self.wants_larger else ~held.alu(Op.LE, value)
            strictly = strictly & ~(held if self._nan_first else value).alu(Op.ISNAN)
        return strictly | _is_empty(held_index)

    def _insert(
        self,
        accumulators: tuple[Node, ...],
        element: tuple[Node, ...],
        comes_before: Callable[[Node, Node, Node, Node], Node],
    ) -> tuple[Node, ...]:
        values, indices = accumulators[: self.k], accumulators[self.k :]
        value, index = element
        before = [comes_before(value, index, v, i) for v, i in zip(values, indices, strict=True)]
        new_values, new_indices = [before[0].where(value, values[0])], [before[0].where(index, indices[0])]
        for slot in range(1, self.k):
            # a slot the element belongs before takes the element, or what the slot above loses to it
            above = before[slot - 1]
            new_values.append(before[slot].where(above.where(values[slot - 1], value), values[slot]))
            new_indices.append(before[slot].where(above.where(indices[slot - 1], index), indices[slot]))
        return tuple(new_values + new_indices)

    def merge(self, left: tuple[Node, ...], right: tuple[Node, ...]) -> tuple[Node, ...]:
        """The accumulators of two partial reductions together."""
        if self.elements == 1:
            return self.combine(left, right)
        if self.kind == "softmax":
            return _rescaled(left, right)
        for value, index in zip(right[: self.k], right[self.k :], strict=True):
            left = self.combine(left, (value, index))
        return left


def _rescaled(left: tuple[Node, ...], right: tuple[Node, ...]) -> tuple[Node, ...]:
    """Two partial softmax reductions (largest score, total, weighted sum), both on the larger one's scale."""
    most = left[0].maximum(right[0])
    # while there is nothing but -inf all weights are 0: exp(-inf - 0), not exp(-inf + inf)
    base = most.eq(most.dtype.min).where(const(0, most.dtype), most)
    first, second = ((side[0] - base).alu(Op.EXP).cast(side[1].dtype) for side in (left, right))
    return (most, left[1] * first + right[1] * second, left[2] * first + right[2] * second)


def _is_empty(index: Node) -> Node:
    """The index of a slot nothing was put into."""
    return index.eq(index.dtype.max)


_PLAIN = {"add": Op.ADD, "mul": Op.MUL, "max": Op.MAX, "min": Op.MIN}

ADD, MUL, MAX, MIN = (Monoid(kind) for kind in _PLAIN)
ARGMAX, ARGMIN = Monoid("argmax"), Monoid("argmin")
#: A mark, the argument of a BITCAST that changes nothing, on a maximum or minimum that came with its
#: place: of equal elements the first has all of the slope. Else they share it.
FIRST_OF_EQUALS = "first of equals"
SOFTMAX, LOGSUMEXP, WEIGHTED = Monoid("softmax"), Monoid("logsumexp"), Monoid("weighted")
