"""Which sums of products are convolutions, told by how the places of their factors go along loops.

sum over c, y, x of in[n, c, i + y, j + x] * w[o, c, y, x]      is one: windows over the last two axes
sum over c, y of in[n, c, 2 * i + y, j] * w[o, c, y]            is none: its windows step by two
sum over c, y of in[n, g * 4 + c, i + y] * w[g, o, c, y]        is none: channels of groups
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from ...graph import dtypes
from ...graph.kernels.kernel import loop
from ...graph.node import Node, Shape, make, walk
from ...graph.ops import Op
from ...graph.rules.symbolic import affine
from ..products.product import casts_and_below, chain_of, factors_of, indices_of
from .estimate import Filter


class Windows(NamedTuple):
    """Windows along an axis of the source: the axes of the product along their places and along each of them,
    and where in the source the first one begins."""

    axis: int
    places: int
    along: int
    first: int


@dataclass(frozen=True)
class Convolution:
    """A sum of products as a convolution. Its numbers are axes of `source`, the input that windows slide
    over, and of `product`."""

    node: Node
    product: Node
    source: Node
    weight: Node
    spatial: tuple[Windows, ...]
    #: pairs of axes, in the source and in the product
    batch: tuple[tuple[int, int], ...]
    channels: tuple[tuple[int, int], ...]
    #: axes of the product that only the weights have
    outputs: tuple[int, ...]

    def sizes(self, axes: Sequence[int]) -> Shape:
        return tuple([self.product.shape[a] for a in axes])

    @property
    def filter(self) -> Filter:
        """Its sizes, which are all an estimate needs."""
        return Filter(
            prod(self.sizes([a for _, a in self.batch])),
            prod(self.sizes([a for _, a in self.channels])),
            prod(self.sizes(self.outputs)),
            self.places,
            self.windows,
        )

    @property
    def places(self) -> Shape:
        return self.sizes([s.places for s in self.spatial])

    @property
    def windows(self) -> Shape:
        return self.sizes([s.along for s in self.spatial])

    def counts(self, tile: Shape) -> Shape:
        """How many tiles there are along each axis with windows."""
        return tuple([-(-n // m) for n, m in zip(self.places, tile, strict=True)])


def convolution_of(node: Node) -> Convolution | None:
    """The sum as a dense convolution of float32 with steps of one, if it is one."""
    if factors_of(node) is None or node.dtype is not dtypes.float32:
        return None
    casts, product = casts_and_below(node.src[0])
    if casts or any(n.dtype is not node.dtype for f in product.src for n in chain_of(f)):
        return None
    for signal, weight in (product.src, product.src[::-1]):
        if any(n.op is Op.WINDOW for n in chain_of(signal)):
            return _convolution(node, product, signal, weight)
    return None


def _convolution(node: Node, product: Node, signal: Node, weight: Node) -> Convolution | None:
    ranges = tuple(loop(number, n) for number, n in enumerate(product.shape))
    axis_of = {r: a for a, r in enumerate(ranges) if product.shape[a] > 1}
    chain = chain_of(signal)
    weighed = {r for i in indices_of(chain_of(weight), ranges) for r in i.ranges}
    summed = {ranges[a] for a in node.arg[1]}
    spatial, batch, channels, seen = [], [], [], set[Node]()
    for axis, index in enumerate(indices_of(chain, ranges)):
        steps, first = affine(index)
        if any(r not in axis_of or r in seen or step != 1 for r, step in steps.items()):
            return None
        seen |= steps.keys()
        inside = [r for r in steps if r in summed]
        outside = [r for r in steps if r not in summed]
        if not steps:
            if chain[-1].shape[axis] > 1:
                return None
        elif len(inside) == len(outside) == 1 and inside[0] in weighed and outside[0] not in weighed:
            spatial.append(Windows(axis, axis_of[outside[0]], axis_of[inside[0]], first))
        elif len(steps) > 1 or first:
            return None
        elif inside and inside[0] in weighed:
            channels.append((axis, axis_of[inside[0]]))
        elif outside and outside[0] not in weighed:
            batch.append((axis, axis_of[outside[0]]))
        else:
            return None  # groups, or a factor without an axis of the sum
    outputs = tuple(a for r, a in axis_of.items() if r not in seen)
    # whatever else is summed or varies has to be known to both factors as it should
    if not spatial or not channels or any(ranges[a] in summed for a in outputs):
        return None
    return Convolution(
        node, product, chain[-1], weight, tuple(spatial), tuple(batch), tuple(channels), outputs
    )


def cut(roots: tuple[Node, ...]) -> set[Node]:
    """The convolutions of which only a part is read, as of a gradient by what was padded."""
    readers: dict[Node, list[Node]] = {}
    for node in walk(roots):
        for source in node.src:
            readers.setdefault(source, []).append(node)
    return {
        source
        for source, above in readers.items()
        if len(above) == 1
        and above[0].op is Op.SLICE
        and all(step == 1 and isinstance(start, int) for start, _, step in above[0].arg)
        and source not in roots
        and convolution_of(source) is not None
    }


def of_a_part(part: Node) -> Node:
    """A slice of a sum of products, as the sum of products of slices."""
    (sums,) = part.src
    (whole,) = sums.src
    kept = iter(part.arg)
    slices = tuple([(0, n, 1) if a in sums.arg[1] else next(kept) for a, n in enumerate(whole.shape)])
    factors = tuple([make(Op.SLICE, factor.dtype, (factor,), slices) for factor in whole.src])
    return make(Op.REDUCE, sums.dtype, (make(Op.MUL, whole.dtype, factors),), sums.arg)
