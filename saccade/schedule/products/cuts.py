"""Where a sum of products may be cut into parts: the axes of the sum, and how many parts of each.

    sum over n < 52, y < 29, x < 29, n side by side in memory
        -> 29 parts by y; 13 by n, a chunk each; 377 by both; or 12 by n, of 4 each, and a rest of 4

Parts of equal length leave no rest, which would be a product of its own with as few tiles as the whole. Where
each place of an outer axis is a part, rows stay as long as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod
from typing import NamedTuple

from ...graph.node import Node
from .product import CHUNK_BYTES, axes_in_memory, casts_and_below, chain_of

#: parts at most
MOST_PARTS = 512


class Cut(NamedTuple):
    """A sum in `parts` along an axis, each a multiple of a length, for every place of the axes that are cut
    `whole`; and the products of a result that fill no part."""

    axis: int
    parts: int
    multiple: int = 1
    rest: int = 0
    whole: tuple[int, ...] = ()

    def count(self, shape: tuple[int, ...]) -> int:
        """All parts of a product of this shape."""
        return self.parts * prod(shape[a] for a in self.whole)


def even_cuts(node: Node) -> Iterator[Cut]:
    """The cuts of a sum into equal parts, whole chunks each, those that leave rows as they are first."""
    _, product = casts_and_below(node.src[0])
    shape, chunk = product.shape, _chunk(product)
    near = axes_in_memory(node)
    far = [a for a in sorted(node.arg[1]) if a not in near and shape[a] > 1]
    for axis in (*far, *sorted(set(node.arg[1]) - set(far))):
        multiple = chunk if axis in near and shape[axis] % chunk == 0 else 1
        others = [a for a in far if a != axis]
        for parts in divisors(shape[axis] // multiple):
            for number in range(len(others) + 1):
                for whole in combinations(others, number):
                    cut = Cut(axis, parts, multiple, 0, whole)
                    if 1 < cut.count(shape) <= MOST_PARTS:
                        yield cut


def divisors(n: int) -> list[int]:
    return [d for d in range(1, min(n, MOST_PARTS) + 1) if n % d == 0]


def cut_in(node: Node, parts: int) -> Cut | None:
    """The longest axis of a sum that so many parts divide into whole chunks; if there is none, the longest
    in chunks as far as its rows begin at whole ones."""
    _, product = casts_and_below(node.src[0])
    chunk = _chunk(product)
    cuts = []
    for axis in node.arg[1]:
        length = product.shape[axis]
        multiple = chunk if length % chunk == 0 else 1
        each = length // parts // multiple * multiple
        others = prod(product.shape[a] for a in node.arg[1] if a != axis)
        if each:
            rest = (length - parts * each) * others
            cuts.append((length % (parts * chunk) == 0, length, Cut(axis, parts, multiple, rest)))
    return max(cuts)[-1] if cuts else None


def _chunk(product: Node) -> int:
    """Elements of the narrower factor in a chunk."""
    return CHUNK_BYTES // min(chain_of(factor)[-1].dtype.itemsize for factor in product.src)
