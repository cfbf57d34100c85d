"""Factors stored as a GPU's products want them: the axis a sum runs along lies side by side.

    sum over c, y, x of  in[n, c, i + y, j + x] * w[o, c, y, x]
        -> the same sum, from copies of in as (n, height, width, c) and of w as (o, y, x, c)

A product loads chunks of 16 bytes along the axis it sums over. Windows make neighbours of `c` the only ones
that stay aligned for every tap, and where an input is padded it is stored anyway: this pass says how. One
copy serves every reader of the same input. Types that tensor cores take along that axis only (`along_sums`:
eight bits, and float32 as tf32, which is rounded on the way) are treated alike, windows or not, where the
product reuses a copy enough to pay for it. An axis that fills no chunk grows by zeros (the three channels of
a picture). Sums that are too small to gain are left as they are.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernels.kernel import loop, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, Shape, const, make
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...graph.rules.symbolic import affine
from ..walk.movement import Indices
from .product import casts_and_below, chain_of, factors_of, indices_of, product_of

#: bytes a product loads at once
CHUNK_BYTES = 16
_FLOATS = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32})
#: results of both kinds (positions and channels) that make a product of matrices
LEAST_SIDE = 16
#: multiplications that pay for two copies
LEAST_WORK = 1 << 20
#: zeros that fill the chunks of an axis are fewer than so many times its elements
MOST_GROWTH = 3
#: results that reuse each element of a copy which is made for its type alone
LEAST_REUSE = 256


@rewrite_pass("lay out factors")
def factors_laid_out(roots: tuple[Node, ...], along_sums: frozenset[DType] = frozenset()) -> tuple[Node, ...]:
    """The same results, with the factors of some products copied to where their sum is contiguous."""

    def change(made: Node, _: Node) -> Node:
        return _laid_out(made, along_sums) if made.op is Op.REDUCE and made.arg[0] == ADD else made

    return changed(roots, change)


def _laid_out(node: Node, along_sums: frozenset[DType]) -> Node:
    """A sum, its factors in other places where that helps."""
    casts, product = casts_and_below(node.src[0])
    if factors_of(node) is None or product.size < LEAST_WORK:
        return node
    ranges = tuple(loop(number, n) for number, n in enumerate(product.shape))
    chains = [chain_of(factor) for factor in product.src]
    windowed = any(_breaks_chunks(n, along_sums) for chain in chains for n in chain)
    if not {chain[-1].dtype for chain in chains} <= (along_sums | _FLOATS if windowed else along_sums):
        return node
    summed = [ranges[axis] for axis in node.arg[1] if product.shape[axis] > 1]
    places = [indices_of(chain, ranges) for chain in chains]
    if min(_sides(places, summed)) < (LEAST_SIDE if windowed else LEAST_REUSE):
        return node
    for r in sorted(summed, key=range_size, reverse=True):
        axes = [_axis_of(r, indices) for indices in places]
        if None in axes:
            continue
        more = _whole_chunks(range_size(r), chains) - range_size(r)
        factors = [
            _moved(chain, a, more, chain[-1].dtype is dtypes.float32 and dtypes.float32 in along_sums)
            for chain, a in zip(chains, axes, strict=True)
            if a is not None
        ]
        if more >= MOST_GROWTH * range_size(r) or None in factors:
            return node
        made = make(Op.MUL, product.dtype, tuple([f for f in factors if f is not None]))
        for cast in reversed(casts):
            made = make(Op.CAST, cast.dtype, (made,))
        return make(Op.REDUCE, node.dtype, (made,), node.arg)
    return node


def _breaks_chunks(node: Node, along_sums: frozenset[DType]) -> bool:
    """Is it a window whose elements do not lie in whole chunks along the last axis? Those of size 1 may; rows
    of float32 do in any case, where they are copied word by word."""
    if node.op is not Op.WINDOW:
        return False
    _, _, size, stride, _ = node.arg
    by_words = node.dtype is dtypes.float32 and node.dtype not in along_sums
    odd = node.src[0].shape[-1] * node.dtype.itemsize % CHUNK_BYTES != 0
    return bool(size > 1 or stride > 1 or (odd and not by_words))


def _sides(places: list[Indices], summed: list[Node]) -> list[int]:
    """How many results each factor has loops of its own for: the sides of the product."""
    mine, theirs = (frozenset().union(*[i.ranges for i in indices]) - set(summed) for indices in places)
    return [prod(map(range_size, own)) for own in (mine - theirs, theirs - mine)]


def _axis_of(r: Node, indices: Indices) -> int | None:
    """The axis of a source along which `r` walks: nothing else moves within it."""
    found = [axis for axis, index in enumerate(indices) if r in index.ranges]
    if len(found) != 1:
        return None
    terms, constant = affine(indices[found[0]])
    others = [c for term, c in terms.items() if term is not r]
    whole = all(c % range_size(r) == 0 for c in (*others, constant))
    return found[0] if terms.get(r) == 1 and whole else None


def _whole_chunks(size: int, chains: list[list[Node]]) -> int:
    """The size of an axis that fills chunks of either factor: zeros are added."""
    chunk = CHUNK_BYTES // min(chain[-1].dtype.itemsize for chain in chains)
    return -(-size // chunk) * chunk


def _moved(chain: list[Node], axis: int, more: int, rounds: bool) -> Node | None:
    """The factor again, over a copy of the chain's last node whose axis `axis` is the innermost, with so many
    zeros at its end; None where what is done to that axis does not allow for another size."""
    source = chain[-1]
    rank, size = len(source.shape), source.shape[axis] + more
    order = (*[a for a in range(rank) if a != axis], axis)
    if order == tuple(range(rank)) and not more and not rounds:
        return chain[0]
    source = _with_products_stored(source)
    if rounds:
        source = _as_tf32(source)
    if more:
        amounts = tuple((0, more) if a == axis else (0, 0) for a in range(rank))
        source = make(Op.PAD, source.dtype, (source,), amounts)
    turned = make(Op.PERMUTE, source.dtype, (source,), order)
    stored = make(Op.CONTIGUOUS, source.dtype, (turned,), "a product reads it along its sum")
    made = make(Op.PERMUTE, source.dtype, (stored,), tuple(order.index(a) for a in range(rank)))
    for node in reversed(chain[:-1]):
        arg, place = _resized(node, axis, size) if more else (node.arg, axis)
        if place is None:
            return None
        made, axis = make(node.op, node.dtype, (made,), arg), place
    return made


def _resized(node: Node, axis: int, size: int) -> tuple[Any, int | None]:
    """The arg of a movement or cast whose source has another size along an axis, and which of its own axes
    that is, if it is one."""
    if node.op is Op.CAST:
        return node.arg, axis
    if node.op is Op.PERMUTE:
        return node.arg, node.arg.index(axis)
    if node.op is Op.WINDOW and axis != node.arg[0]:
        return node.arg, axis + (axis > node.arg[0])
    if node.op is Op.EXPAND:
        return (*node.shape[:axis], size, *node.shape[axis + 1 :]), axis
    if node.op is Op.RESHAPE:
        source, shape = node.src[0].shape, node.shape
        before = prod(source[:axis])
        same = [a for a, n in enumerate(shape) if n == source[axis] and prod(shape[:a]) == before]
        return ((*shape[: same[0]], size, *shape[same[0] + 1 :]), same[0]) if same else (None, None)
    return None, None


def _as_tf32(value: Node) -> Node:
    """float32 rounded to the 10 bits behind the point that tensor cores see: by themselves they cut off."""
    bits = make(Op.BITCAST, dtypes.uint32, (value,))
    half, seen, exponent = (_everywhere(n, value.shape) for n in (0x1000, 0xFFFFE000, 0x7F800000))
    rounded = make(Op.BITCAST, dtypes.float32, ((bits + half) & seen,))
    return (bits & exponent).eq(exponent).where(value, rounded)  # infinite and no numbers as they are


def _everywhere(word: int, shape: Shape) -> Node:
    ones = make(Op.RESHAPE, dtypes.uint32, (const(word, dtypes.uint32),), (1,) * len(shape))
    return make(Op.EXPAND, dtypes.uint32, (ones,), shape)


def _with_products_stored(source: Node) -> Node:
    """Sums below a padding are stored first: as part of the copy they would be computed behind its mask. So
    are thin ones, as those of a depthwise convolution: threads sum along what lies side by side, and would
    write all over the copy (75 microseconds for 49 x 132 x 29 x 29 halves on an H200)."""
    if source.op is not Op.PAD:
        if not any(map(_is_thin, sums_below(source))):
            return source
        return make(Op.CONTIGUOUS, source.dtype, (source,), "threads sum it as its factors lie")
    if not makes_sums(source.src[0]):
        return source
    stored = make(Op.CONTIGUOUS, source.dtype, source.src, "padding would be in the way of its sums")
    return make(Op.PAD, source.dtype, (stored,), source.arg)


def makes_sums(node: Node) -> bool:
    """Would a reader of this node compute a reduction?"""
    return bool(sums_below(node))


def sums_below(node: Node) -> list[Node]:
    """The reductions that a reader of this node would compute."""
    inside = node.toposort(lambda n: n.op in ELEMENTWISE or n.op in MOVEMENT or n.op is Op.REDUCE)
    return [n for n in inside if n.op is Op.REDUCE]


def _is_thin(node: Node) -> bool:
    """Is it a sum of products with too few rows or columns for a matrix product?"""
    product = product_of(node)
    return product is not None and min(product.m, product.n) < LEAST_SIDE
