"""Large sums of products for the oracle, without all the products: matrix products and convolutions.

    REDUCE(add, MUL(EXPAND(a), EXPAND(b)))      (512, 512, 512) products become one product of matrices

The value and the radius are sums of products too: of values, of magnitudes, of radii. What is lost is to know
of each product whether it was exact, so small ones, where that matters, go the usual way (`reference`).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...graph.dtypes import DType
from ...graph.monoid import ADD
from ...graph.node import Node
from ...graph.ops import Op
from .precision import largest, smallest, ulp

Array = NDArray[Any]
Pair = tuple[Array, Array]

#: products that fit in memory, all of them
LARGE: Final = 1 << 22


@dataclass(frozen=True)
class Contraction:
    """A sum of products: `total` is the REDUCE, `product` its MUL; the factors have axes of one element where
    they are the same for all of them."""

    total: Node
    product: Node
    factors: tuple[Node, Node]

    @property
    def inside(self) -> list[Node]:
        """Nodes that are not evaluated on their own."""
        return [self.product, *(f for f in self.product.src if f not in self.factors)]


def contractions(order: list[Node], roots: set[Node]) -> dict[Node, Contraction]:
    """The large sums of products of a graph, by their REDUCE."""
    users = Counter(source for node in order for source in set(node.src))
    found = {}
    for node in order:
        if node.op is not Op.REDUCE or node.arg[0] != ADD or not node.dtype.is_float:
            continue
        product = node.src[0]
        alone = users[product] == 1 and product not in roots
        if product.op is not Op.MUL or product.size < LARGE or not alone:
            continue
        left, right = (_unexpanded(factor, users, roots) for factor in product.src)
        found[node] = Contraction(node, product, (left, right))
    return found


def _unexpanded(factor: Node, users: Counter[Node], roots: set[Node]) -> Node:
    alone = factor.op is Op.EXPAND and users[factor] == 1 and factor not in roots
    return factor.src[0] if alone else factor


def contract(made: Contraction, factors: list[Pair], multiplied: DType, summed: DType) -> Pair:
    """Value and radius of the sum; products are rounded to `multiplied`, sums to `summed`."""
    (a, ra), (b, rb) = factors
    shape, axes = made.product.shape, made.total.arg[1]

    def product(x: Array, y: Array) -> Array:
        return _product(x, y, shape, axes)

    value = product(a, b)
    length = math.prod(shape[axis] for axis in axes)
    a, b = np.abs(a), np.abs(b)
    total = product(a, b)
    spread = total * 2.0**-multiplied.mantissa_bits + length * smallest(multiplied)
    if ra.any():
        spread = spread + product(ra, b + rb)
    if rb.any():
        spread = spread + product(a, rb)
    rounding = np.where(total < largest(summed), length * ulp(total, summed), math.inf)
    return value, spread + rounding


def _product(x: Array, y: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """The products of two arrays that broadcast to `shape`, summed over `axes`: as matrices."""
    # an axis that only one of them has is summed first; one that neither has counts its length
    repeats = math.prod(n for a, n in enumerate(shape) if a in axes and x.shape[a] == y.shape[a] == 1)
    x, y = (p.sum(tuple(a for a in axes if q.shape[a] == 1), keepdims=True) for p, q in ((x, y), (y, x)))
    kept = [a for a in range(len(shape)) if a not in axes]
    both = [a for a in kept if x.shape[a] > 1 and y.shape[a] > 1]
    rows = [a for a in kept if a not in both and y.shape[a] == 1]
    columns = [a for a in kept if a not in both and a not in rows]
    left = x.transpose(*both, *rows, *columns, *axes).reshape(
        *_sizes(x, both), -1, math.prod(_sizes(x, axes))
    )
    right = y.transpose(*both, *axes, *rows, *columns).reshape(
        *_sizes(y, both), math.prod(_sizes(y, axes)), -1
    )
    made = np.matmul(left, right) * repeats
    order = [*both, *rows, *columns]
    made = made.reshape([shape[a] if a in both else max(x.shape[a], y.shape[a]) for a in order])
    turned = made.transpose([order.index(a) for a in kept])
    return np.array(np.broadcast_to(turned, [shape[a] for a in kept]))


def _sizes(x: Array, axes: list[int] | tuple[int, ...]) -> list[int]:
    return [x.shape[a] for a in axes]
