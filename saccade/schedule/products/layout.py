"""Factors stored as a GPU's products want them: the axis a sum runs along lies side by side.

    sum over c, y, x of  in[n, c, i + y, j + x] * w[o, c, y, x]
        -> the same sum, from copies of in as (n, height, width, c) and of w as (o, y, x, c)

A product loads chunks of 16 bytes along the axis it sums over. Windows make neighbours of `c` the only ones
that stay aligned for every tap, and where an input is padded it is stored anyway: this pass says how. One
copy serves every reader of the same input. Types that tensor cores take along that axis only (`along_sums`:
eight bits, and float32 as tf32, which is rounded on the way) are treated alike, windows or not, where the
product reuses a copy enough to pay for it. An axis that fills no chunk grows by zeros (the three channels of
a picture). Halves in rows of odd length are copied, too, where the copies and the product from whole chunks
take less time than the product that shifts chunks on its way (`estimate.py`). Sums that are too small to gain
are left as they are.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from math import prod
from typing import Any

from ...codegen.cuda.templates.product.match import HALVES, least_side
from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernels.kernel import loop, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, Shape, const, make, walk
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...graph.rules.symbolic import affine
from ..cost import Machine
from ..walk.movement import Indices
from .estimate import MEMORY_RATE, ODD_BLOCK, least_microseconds
from .product import (
    CHUNK_BYTES,
    LEAST_SIDE,
    casts_and_below,
    chain_of,
    factors_of,
    indices_of,
    is_computed,
    product_of,
)

_FLOATS = HALVES | {dtypes.float32}
#: multiplications that pay for two copies
LEAST_WORK = 1 << 20
#: zeros that fill the chunks of an axis are fewer than so many times its elements
MOST_GROWTH = 3
#: results that reuse each element of a copy which is made for its type alone
LEAST_REUSE = 256
#: and one that is made for whole chunks: a side of a tile
LEAST_PADDED = 64
#: microseconds a copy takes beside its bytes. Measured on an H200, from the rows as they are and from copies:
#: 2665 x 777 x 129 15.8 and 10 to 12, 2665 x 777 x 777 beside an adapter 73 and 47, 265 x 333 x 8003 26 and
#: 15, three layers of 2665 x 257 x 257 29.7 and 31.3
COPY = 2.0


@rewrite_pass("lay out factors")
def factors_laid_out(
    roots: tuple[Node, ...], machine: Machine, around: Set[Node] = frozenset()
) -> tuple[Node, ...]:
    """The same results, with the factors of some products copied to where their sum is contiguous. Products
    of odd rows that are `around` a softmax stay: one pass over memory may be made of them."""
    kept = around | _products_below(around)

    def change(made: Node, before: Node) -> Node:
        return (
            _laid_out(made, machine, before not in kept)
            if made.op is Op.REDUCE and made.arg[0] == ADD
            else made
        )

    return changed(roots, change)


def _products_below(around: Set[Node]) -> set[Node]:
    """The products that these reductions are made of, as scores."""

    def is_inside(node: Node) -> bool:
        return node in around or node.op in ELEMENTWISE or node.op in MOVEMENT

    return {s for n in walk(around, is_inside) for s in n.src if s.op is Op.REDUCE}


def _laid_out(node: Node, machine: Machine, pads: bool) -> Node:
    """A sum, its factors in other places where that helps."""
    casts, product = casts_and_below(node.src[0])
    along_sums = machine.along_sums
    if factors_of(node) is None or product.size < LEAST_WORK:
        return node
    ranges = tuple(loop(number, n) for number, n in enumerate(product.shape))
    chains = [chain_of(factor) for factor in product.src]
    windowed = any(_breaks_chunks(n, along_sums) for chain in chains for n in chain)
    types = {chain[-1].dtype for chain in chains}
    padded = pads and not windowed and len(types) == 1 and types <= HALVES
    if not (padded or types <= (along_sums | _FLOATS if windowed else along_sums)):
        return node
    summed = [ranges[axis] for axis in node.arg[1] if product.shape[axis] > 1]
    places = [indices_of(chain, ranges) for chain in chains]
    few, many = sorted(_sides(places, summed))
    window = max(LEAST_SIDE, *[least_side(t, many, prod(map(range_size, summed))) for t in types])
    least = window if windowed else LEAST_PADDED if padded else LEAST_REUSE
    if few < least or (padded and not _padding_pays(node, chains, machine)):
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


def _padding_pays(node: Node, chains: list[list[Node]], machine: Machine) -> bool:
    """Is a product of halves in odd rows faster by copies of its factors whose rows are whole chunks, copying
    counted? A factor that is computed on its way stays so."""
    sizes = product_of(node)
    if (
        sizes is None
        or sizes.chunks
        or not machine.processors
        or any(is_computed(chain[0]) for chain in chains)
    ):
        return False
    k = _whole_chunks(sizes.k, chains)
    sources = {chain[-1] for chain in chains}
    nbytes = sum(source.size * source.dtype.itemsize for source in sources) * (1 + k / sizes.k)
    copies = len(sources) * COPY + nbytes / MEMORY_RATE
    whole = replace(sizes, k=k, along=True, matrices=True, chunks=True)
    return least_microseconds(whole, machine) + ODD_BLOCK + copies < least_microseconds(sizes, machine)


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
    source = _with_products_stored(source, bool(more))
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


def _with_products_stored(source: Node, grows: bool) -> Node:
    """Sums below a padding, or of an axis that grows, are stored first: as part of the copy they would be
    computed behind its mask. So are thin ones, as those of a depthwise convolution: threads sum along what
    lies side by side, and would write all over the copy (75 microseconds for 49 x 132 x 29 x 29 halves on an
    H200)."""
    if source.op is not Op.PAD:
        why = "threads sum it as its factors lie" if any(map(_is_thin, sums_below(source))) else None
        if grows and makes_sums(source):
            why = "zeros would be in the way of its sums"
        return source if why is None else make(Op.CONTIGUOUS, source.dtype, (source,), why)
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
