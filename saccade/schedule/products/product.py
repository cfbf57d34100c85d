"""The one answer to "is this sum a matrix product, and of which size?" in tensor terms.

    REDUCE add over k of MUL(a[z, m, k], b[z, n, k])     is one: batches z, rows m, columns n, the sum k
    REDUCE add over k of MUL(a[m, k], a[m, k])           is none: a sum of squares has one factor
    REDUCE max over k of MUL(a[m, k], b[n, k])           is none

A convolution is one too: its windows are in the indices of a factor. Loops that both factors depend on are
batches, those of one factor its side.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import prod
from weakref import WeakKeyDictionary

from ...codegen.cuda.templates.product.tiles import Way
from ...graph.dtypes import DType
from ...graph.kernels.kernel import loop, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, Shape, below_casts, index_const
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rules.symbolic import affine, simplify
from ..walk.movement import Indices, source_indices

#: bytes a product loads at once
CHUNK_BYTES = 16
#: results of both kinds (positions and channels) that make a product of matrices: each element of the larger
#: factor is shared by so many
LEAST_SIDE = 16


@dataclass(frozen=True)
class Product:
    """A product of m x k by n x k, `batches` times, of elements of this type; does the larger factor run
    along k in memory? Do both lie in memory as `matrices`? Are their rows whole `chunks` of 16 bytes? How do
    the factors come, that of the results' last axis second: in chunks along k or across it, or singly? Is one
    of them read by `windows`, and how many results lie side by side?"""

    batches: int
    m: int
    n: int
    k: int
    dtype: DType
    along: bool = True
    matrices: bool = False
    chunks: bool = True
    ways: tuple[Way, Way] = ("across", "across")
    windows: bool = False
    beside: int = 0
    symmetric: bool = False

    @property
    def multiplications(self) -> int:
        return self.batches * self.m * self.n * self.k


_products: WeakKeyDictionary[Node, Product] = WeakKeyDictionary()


def factors_of(node: Node) -> tuple[Node, Node] | None:
    """The two factors of a sum of products; None for any other node."""
    if node.op is not Op.REDUCE or node.arg[0] != ADD:
        return None
    product = below_casts(node.src[0])
    if product.op is not Op.MUL or product.src[0] is product.src[1]:
        return None
    return product.src[0], product.src[1]


def product_of(node: Node) -> Product | None:
    """The sizes of a sum of products; None for any other node. Many passes ask, so it is kept with a node."""
    factors = factors_of(node)
    if factors is None:
        return None
    found = _products.get(node)
    if found is None:
        found = _products[node] = _sizes(node, factors)
    return found


def _sizes(node: Node, factors: tuple[Node, Node]) -> Product:
    shape = node.src[0].shape
    ranges = tuple(loop(number, n) for number, n in enumerate(shape))
    chains = [chain_of(factor) for factor in factors]
    summed = {ranges[axis] for axis in node.arg[1]}
    places = [indices_of(chain, ranges) for chain in chains]
    mine, theirs = (frozenset().union(*[i.ranges for i in indices]) - summed for indices in places)
    m, n, batches = (prod(map(range_size, r)) for r in (mine - theirs, theirs - mine, mine & theirs))
    widest = max((chain[-1].dtype for chain in chains), key=lambda t: t.itemsize)
    last = places[0 if m >= n else 1][-1:]
    along = any(i.ranges & summed for i in last)
    groups = (summed, mine - theirs, theirs - mine, mine & theirs)
    matrices = all(
        _is_matrix(chain[-1].shape, indices, groups) for chain, indices in zip(chains, places, strict=True)
    )
    chunks = all(chain[-1].shape[-1] * chain[-1].dtype.itemsize % CHUNK_BYTES == 0 for chain in chains)
    kept = [r for r in ranges if r not in summed and range_size(r) > 1]
    ways = [_way_of(factor, ranges, summed) for factor in factors]
    first = bool(kept) and kept[-1] in mine - theirs
    side = mine - theirs if first else theirs - mine
    swapped = [r for r in ranges if r in mine - theirs], [r for r in ranges if r in theirs - mine]
    return Product(
        batches, m, n, prod(map(range_size, summed)), widest, along, matrices, chunks,
        ways=(ways[first], ways[not first]),
        windows=any(_slides(node) for factor in factors for node in chain_of(factor)),
        beside=prod(map(range_size, takewhile(side.__contains__, reversed(kept)))),
        symmetric=_are_the_same(factors, ranges, *swapped),
    )  # fmt: skip


def _are_the_same(factors: tuple[Node, Node], ranges: Indices, mine: list[Node], theirs: list[Node]) -> bool:
    """Are two factors the same but for the names of their own loops?"""
    if list(map(range_size, mine)) != list(map(range_size, theirs)):
        return False
    chains, names = [_to_memory(factor) for factor in factors], dict(zip(mine, theirs, strict=True))
    if chains[0][-1] is not chains[1][-1]:
        return False
    first, second = (indices_of(chain, ranges) for chain in chains)
    return all(simplify(i.substitute(names)) is simplify(j) for i, j in zip(first, second, strict=True))


def axes_in_memory(node: Node) -> frozenset[int]:
    """The axes of a sum of products along which a factor lies side by side in memory."""
    ranges = tuple(loop(number, n) for number, n in enumerate(node.src[0].shape))
    last = [indices_of(_to_memory(factor), ranges)[-1:] for factor in factors_of(node) or ()]
    return frozenset(
        [a for a in node.arg[1] if any(ranges[a] in i.ranges for indices in last for i in indices)]
    )


def _way_of(factor: Node, ranges: Indices, summed: AbstractSet[Node]) -> Way:
    """How a factor lies in memory: in whole chunks along the sum or across it, or neither."""
    chain = _to_memory(factor)
    indices = indices_of(chain, ranges)
    chunk = CHUNK_BYTES // chain[-1].dtype.itemsize
    if not indices or chain[-1].shape[-1] % chunk:
        return "singly"
    terms, constant = affine(indices[-1])
    steps = [r for r, c in terms.items() if c == 1 and r.op is Op.RANGE and range_size(r) % chunk == 0]
    others = [c for r, c in terms.items() if r not in steps]
    if len(steps) != 1 or any(c % chunk for c in (*others, constant)):
        return "singly"
    return "along" if steps[0] in summed else "across"


def _slides(node: Node) -> bool:
    return node.op is Op.WINDOW and bool(node.arg[2] > 1)


def _is_matrix(shape: Shape, indices: Indices, groups: Sequence[AbstractSet[Node]]) -> bool:
    """Do the places of a factor, in memory of this shape, go by one distance along each group of loops?"""
    place = index_const(0)
    for axis, index in enumerate(indices):
        place = place + index * prod(shape[axis + 1 :])
    terms, _ = affine(simplify(place))  # an axis that was taken apart is one again
    for group in groups:
        loops = sorted([(c, range_size(r)) for r, c in terms.items() if r in group], reverse=True)
        if any(far != near * size for (far, _), (near, size) in pairwise(loops)):
            return False
    return all(any(term in group for group in groups) for term in terms)


def casts_and_below(node: Node) -> tuple[list[Node], Node]:
    """The casts of a node, and what they are casts of."""
    casts, below = [], below_casts(node)
    while node is not below:
        casts.append(node)
        node = node.src[0]
    return casts, below


def chain_of(factor: Node) -> list[Node]:
    """From a factor down to what a copy is made of: past movements and widening casts, to the windows' source
    where there are windows, else to the bottom (memory itself has no axes)."""
    chain = _to_memory(factor)
    windows = [number for number, node in enumerate(chain) if node.op is Op.WINDOW]
    return chain[: windows[-1] + 2] if windows else chain


def _to_memory(factor: Node) -> list[Node]:
    """From a factor down to the bottom, past movements and widening casts."""
    chain = [factor]
    while (node := chain[-1]).op in MOVEMENT - {Op.PAD} or (_widens(node) and node.dtype is factor.dtype):
        if not node.src[0].src:
            break
        chain.append(node.src[0])
    return chain


def is_near(node: Node) -> bool:
    """Is it made where it is read, and no product with a kernel of its own?"""
    if node.op is Op.REDUCE:
        return factors_of(node) is None
    return node.op in ELEMENTWISE or node.op in MOVEMENT


def is_computed(factor: Node) -> bool:
    """Is it made of memory element by element? What is made of anything else has a kernel of its own."""
    made = set(chain_of(factor)[-1].toposort(is_near))
    elementwise = any(n.op in ELEMENTWISE and n.op is not Op.CAST for n in made)
    return elementwise and all(s in made or not s.src for n in made for s in n.src)


def _widens(node: Node) -> bool:
    return node.op is Op.CAST and node.dtype.itemsize > node.src[0].dtype.itemsize


def indices_of(chain: list[Node], ranges: Indices) -> Indices:
    """The place in the last node of a chain of the element of the first at `ranges`."""
    for node in chain[:-1]:
        if node.op is not Op.CAST:
            ranges, _ = source_indices(node, ranges)
    return ranges
