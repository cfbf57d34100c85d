"""Complex values as pairs of real ones: nothing below this pass has heard of complex numbers.

    REAL(RESHAPE(COMPLEX(a, b)))      ->  RESHAPE(a)
    ADD(z, w)                         ->  ADD(real z, real w), ADD(imag z, imag w)
    memory of n complex64             ->  memory of 2n float32, as (n, 2): NumPy's and torch's layout
    a result of shape (3, 4)          ->  CAT of both parts along a new last axis: (3, 4, 2)

In: a graph in which complex values are made of two parts, moved, chosen and added up: all these are linear,
so they are done to each part. Arithmetic and functions were written out on the parts when the graph was
built (`complex_rules`). Out: the same results in real numbers; complex ones have an axis more, and
the memory that holds them is the same. What is only moved from memory to memory stays in one piece.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..graph.node import Node, index_const, make, walk
from ..graph.ops import Op
from ..graph.param import Rows
from ..graph.rewriting.passes import Roots, rewrite_pass
from .terms import reshaped

#: what may be done to each part alone; the sources that are real (places, conditions) are shared
_LINEAR: Final = frozenset({
    Op.RESHAPE, Op.PERMUTE, Op.EXPAND, Op.PAD, Op.SLICE, Op.WINDOW, Op.GATHER, Op.SCATTER, Op.UPDATE, Op.CAT,
    Op.COPY, Op.WHERE, Op.ADD, Op.SUB, Op.NEG, Op.REDUCE, Op.SCAN, Op.BITCAST,
})  # fmt: skip

Pair = tuple[Node, Node]


def without_complex(roots: Roots) -> Roots:
    """The roots as they are where there are no complex numbers, as in most programs."""
    return complex_apart(roots) if any(node.dtype.is_complex for node in walk(roots)) else roots


@rewrite_pass("take complex numbers apart")
def complex_apart(roots: Roots) -> Roots:
    """The same results, with complex ones as pairs along a new last axis."""
    parts = _Parts()
    for node in walk(roots):
        parts.take(node)
    return tuple([parts.joined(root) if root.dtype.is_complex else parts.real[root] for root in roots])


class _Parts:
    """What became of the nodes so far: real ones, the parts of complex ones, and those in one piece."""

    def __init__(self) -> None:
        self.real: dict[Node, Node] = {}
        self._pairs: dict[Node, Pair] = {}
        #: (..., 2), of what is in memory as it is
        self._whole: dict[Node, Node] = {}

    def take(self, node: Node) -> None:
        if not node.dtype.is_complex:
            self.real[node] = self._real(node)
            return
        whole = self._in_one_piece(node)
        if whole is not None:
            self._whole[node] = whole
            self._pairs[node] = _part(whole, 0), _part(whole, 1)
        else:
            self._pairs[node] = self._pair(node)

    def joined(self, node: Node) -> Node:
        """A complex value as (..., 2)."""
        whole = self._whole.get(node)
        if whole is not None:
            return whole
        both = tuple([reshaped(part, (*part.shape, 1)) for part in self._pairs[node]])
        return make(Op.CAT, node.dtype.part, both, len(node.shape))

    def _real(self, node: Node) -> Node:
        if node.op is Op.REAL:
            return self._pairs[node.src[0]][0]
        if node.op is Op.IMAG:
            return self._pairs[node.src[0]][1]
        if any(source.dtype.is_complex for source in node.src):
            raise NotImplementedError(f"{node.op.name} of complex numbers is written out when it is built")
        made = tuple([self.real[source] for source in node.src])
        return node if made == node.src else make(node.op, node.dtype, made, node.arg)

    def _in_one_piece(self, node: Node) -> Node | None:
        """Memory, what is stored, and parts of memory that are moved or replaced."""
        op, part = node.op, node.dtype.part
        if op is Op.PARAM:
            given = node.arg
            twice = replace(given, size=2 * given.size, rows=given.rows and _in_pairs(given.rows))
            return reshaped(make(Op.PARAM, part, (), twice), (given.size, 2))
        if op is Op.CONTIGUOUS:
            order = _in_pairs(node.arg) if isinstance(node.arg, Rows) else node.arg
            return make(op, part, (self.joined(node.src[0]),), order)
        if op is Op.ASSIGN:
            value, target = node.src
            memory = self._whole[target].src[0]
            return make(op, part, (self.joined(value), memory), node.arg)
        source = self._whole.get(node.src[0]) if node.src else None
        if source is None:
            return None
        if op is Op.RESHAPE:
            return reshaped(source, (*node.arg, 2))
        if op is Op.PERMUTE:
            return make(op, part, (source,), (*node.arg, len(node.arg)))
        if op is Op.SLICE:
            return make(op, part, (source,), (*node.arg, (0, 2, 1)))
        if op is Op.UPDATE:
            return make(op, part, (source, self.joined(node.src[1])), (*node.arg, (0, 2, 1)))
        return None

    def _pair(self, node: Node) -> Pair:
        if node.op is Op.COMPLEX:
            real, imaginary = node.src
            return self.real[real], self.real[imaginary]
        if node.op not in _LINEAR:
            raise NotImplementedError(f"{node.op.name} of complex numbers is written out when it is built")
        return self._of_part(node, 0), self._of_part(node, 1)

    def _of_part(self, node: Node, which: int) -> Node:
        sources = [self._pairs[s][which] if s.dtype.is_complex else self.real[s] for s in node.src]
        return make(node.op, node.dtype.part, tuple(sources), node.arg)


def _in_pairs(rows: Rows) -> Rows:
    """How the parts of complex numbers lie that lie so."""
    return Rows((*rows.shape, 2), (*rows.counts, index_const(2)))


def _part(whole: Node, which: int) -> Node:
    """One of the parts of (..., 2)."""
    shape = whole.shape[:-1]
    chosen = (*((0, n, 1) for n in shape), (which, 1, 1))
    return reshaped(make(Op.SLICE, whole.dtype, (whole,), chosen), shape)


__all__ = ["complex_apart", "without_complex"]
