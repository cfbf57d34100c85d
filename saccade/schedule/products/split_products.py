"""Products with few results and long sums, split along the sum: parts side by side, then their total.

    out[m, n] = sum over k of a[m, k] * b[n, k]
        ->  part[s, m, n] = sum over k of a[m, s * K + k] * b[n, s * K + k], stored;  out = sum over s of part

A GPU makes a tile of results with each of its blocks, and walks along the sum with it. A product with fewer
tiles than there are processors leaves some of them idle, and few blocks have few bytes on their way: those of
16 x 4096 x 4096 half floats take 64 blocks four times as long as memory would. Parts are batches of the same
product, so every kind of kernel makes them, and the second kernel adds them up in order: the same bits come
out every time. What happens to the result (bias, activation, cast) happens there, and the products that fill
no part are added there.

Whether it pays is estimated from tiles, processors and bytes; see `estimate.py`.

A core packs panels of its factors that are as long as the sum. Those of a very long one leave the cache
before they meet the next rows, so its parts are as long as stays there (`parts_in_cache`). One thread of a
Cascade Lake, x.T @ x: 3.2 -> 1.6 ms for 10,007 x 65, 11 -> 4.4 for 129 columns, 190 -> 15 for 256. Factors
that lie across the sum, in few columns, stay in the first cache as they lie if parts are shorter: on a
Neoverse N1 20,000 x 20 takes 0.5 ms instead of 1.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from math import prod

from ...codegen.cuda.schemes.thin import MOST_SUMS
from ...codegen.cuda.templates.product.turns import MOST_ROWS
from ...graph import dtypes
from ...graph.kernels.kernel import loop, range_size
from ...graph.monoid import ADD, MAX
from ...graph.node import Node, make
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...transform.lying import memory_of
from ...transform.terms import cut, permuted, reduced, reshaped
from ..cost import Machine
from ..softmax.online import loops_of
from ..walk.movement import reductions_at
from .cuts import Cut, cut_in, even_cuts
from .estimate import (
    LEAST_PART,
    LEAST_THREAD_PART,
    PARTS,
    VECTOR,
    is_by_threads,
    is_thin,
    microseconds,
)
from .product import (
    Product,
    casts_and_below,
    chain_of,
    factors_of,
    indices_of,
    is_computed,
    is_near,
    product_of,
)

#: sums shorter than these are never split, the second in float64
LEAST_SUM, LEAST_SUM_DOUBLE = 512, 256
#: no part of a thin product is shorter than this
LEAST_THIN_PART = 32
#: steps of a part that stays in a core's first cache, at least
LEAST_NEAR = 128
#: what a split must save to be worth its memory: of the time (where results would go by vectors but for their
#: rows, or factors are read by windows, parts cost more than is estimated), and in microseconds, which are
#: known better of packed weights
LEAST_GAIN, LEAST_GAIN_ODD, LEAST_SAVED, LEAST_SAVED_PACKED = 0.15, 0.5, 4.0, 2.0
#: the least rows and columns of a product whose panels are packed, and of one that is read more than once
LEAST_PACKED, LEAST_TILED = 24, 9
_EXPONENTIALS = frozenset({Op.EXP, Op.EXP2})
_TYPES = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int8,
                    dtypes.uint8, dtypes.bool_, dtypes.float8_e4m3, dtypes.float8_e5m2})  # fmt: skip

#: why a sum is in parts
BUSY = "keeps more processors busy"
#: warps that have sums at the places of windows, times fewer that whole images may be, and the least elements
#: of each
WARPS, FEWER, LEAST_WINDOWED = 4096, 4, 256
#: products that fill no part, which plain loops do in a microsecond (`Machine.multiply`)
REST_RATE = 0.2e6


@rewrite_pass("split-K of products")
def products_split(roots: tuple[Node, ...], machine: Machine) -> tuple[Node, ...]:
    """The same results, with the sums of some products in parts."""

    def change(made: Node, _: Node) -> Node:
        return _split(made, machine) if made.op is Op.REDUCE and made.arg[0] == ADD else made

    return changed(roots, change)


def _split(node: Node, machine: Machine) -> Node:
    """A sum, in parts where that is faster."""
    least = 2 * (LEAST_NEAR if machine.near else machine.deep) + 1
    if machine.processors:
        least = LEAST_SUM if node.dtype.itemsize < 8 else LEAST_SUM_DOUBLE
    factors = factors_of(node) if prod(node.src[0].shape[a] for a in node.arg[1]) >= least else None
    if factors is None:
        return node
    casts, product = casts_and_below(node.src[0])
    if not {chain_of(f)[-1].dtype for f in factors} <= _TYPES or _is_weighed(node, product):
        return node
    sizes = product_of(node)
    if sizes is not None and machine.processors and _slides(factors, sizes):
        return _windows_in_parts(node, product, casts, sizes)
    if sizes is None or min(sizes.m, sizes.n) < 2:
        return node
    if not machine.processors:
        if any(n.op is Op.WINDOW for f in factors for n in chain_of(f)):
            return node  # windows are read where they lie, and the weights packed once for all of them
        parts = parts_in_cache(sizes, machine)
        where = cut_in(node, parts)
        if parts == 1 or where is None:
            return node
        return _in_parts(node, product, casts, where, "stays in the cache")
    packed, computed = is_packed(factors, sizes), any(map(is_computed, factors))

    def microseconds_in(cut: Cut) -> float:
        parts = cut.count(product.shape)
        rest = cut.rest * node.size / REST_RATE
        return microseconds(sizes, parts, machine, packed, computed) + rest

    best = min(_cuts(node, product, sizes), key=microseconds_in, default=None)
    whole = microseconds(sizes, 1, machine, packed, computed)
    # rows of odd length that tensor cores make leave by lanes side by side, as vectors do
    run = node.shape[-1] if sizes.dtype.itemsize == 2 else _run_of(node, product)
    by_lines = sizes.dtype.itemsize == 2 and run % 2 == 1
    known = run % VECTOR == 0 or by_lines or computed or sizes.dtype.itemsize == 8
    gain = LEAST_GAIN if known else LEAST_GAIN_ODD
    least_saved = LEAST_SAVED_PACKED if packed else LEAST_SAVED
    if best is None or whole - microseconds_in(best) < max(gain * whole, least_saved):
        return node
    return _in_parts(node, product, casts, best, BUSY)


def _cuts(node: Node, product: Node, sizes: Product) -> list[Cut]:
    """The cuts of a sum that are looked at on a GPU."""
    cuts = [*even_cuts(node), *[cut for parts in PARTS[1:] if (cut := cut_in(node, parts)) is not None]]
    counts = [cut.count(product.shape) for cut in cuts]
    return [cut for cut, parts in zip(cuts, counts, strict=True) if sizes.k // parts >= _least(sizes, parts)]


def _least(sizes: Product, parts: int) -> int:
    """The least part of a sum that is in so many."""
    if is_thin(sizes, parts):
        return LEAST_THIN_PART
    return LEAST_THREAD_PART if is_by_threads(sizes) else LEAST_PART


def _run_of(node: Node, product: Node) -> int:
    """Results side by side along the loops of one factor: all places of a window and their channels, in the
    gradient of a convolution by its weights."""
    ranges = tuple(loop(axis, n) for axis, n in enumerate(product.shape))
    places = [indices_of(chain_of(factor), ranges) for factor in product.src]
    followed = [frozenset().union(*[i.ranges for i in indices]) for indices in places]
    sides = [
        (range_size(r), [r in loops for loops in followed])
        for axis, r in enumerate(ranges)
        if axis not in node.arg[1]
    ]
    return prod(n for n, _ in takewhile(lambda one: one[1] == sides[-1][1], reversed(sides)))


def _slides(factors: tuple[Node, Node], sizes: Product) -> bool:
    """Is each result of a batch the sum at a place of a window, as the gradient by the weights of a depthwise
    convolution? The other factor has one row, and the windows share their memory."""
    windows = factors[sizes.m < sizes.n]
    shared = memory_of(chain_of(windows)[-1])
    few = max(sizes.m, sizes.n)
    return min(sizes.m, sizes.n) == 1 < few <= MOST_SUMS and 2 * shared < sizes.batches * few * sizes.k


def _windows_in_parts(node: Node, product: Node, casts: list[Node], sizes: Product) -> Node:
    """The sums over windows in parts, of which a warp has each: whole images where they are enough."""
    wanted = min(-(-WARPS // sizes.batches), sizes.k // LEAST_WINDOWED)
    whole: list[int] = []
    for axis in sorted(node.arg[1]):
        length = product.shape[axis]
        if wanted < (FEWER if whole else 2):
            break
        if length > wanted:
            parts = min(range(wanted, 2 * wanted), key=lambda n: length % n)
            return _in_parts(node, product, casts, Cut(axis, parts, 1, length % parts, tuple(whole)), BUSY)
        wanted = -(-wanted // length)
        whole.append(axis)
    if not whole:
        return node
    axis = whole.pop()
    return _in_parts(node, product, casts, Cut(axis, product.shape[axis], whole=tuple(whole)), BUSY)


def _is_weighed(node: Node, product: Node) -> bool:
    """Is a factor a softmax along the sum, or the numerator of one? The product with it may be one pass over
    memory.

    exp(s - s.max(-1)) @ v is. silu(x @ a) @ v has an exponential and a sum, too, and is not; nor is x.mT @ w,
    where w has a softmax in each of the rows that are summed. Nor is a product with what attention came to,
    or with anything behind it."""
    if not any(n.op in _EXPONENTIALS for n in product.toposort(is_near)):
        return False
    places = loops_of(product.shape)
    summed = {r for axis in node.arg[1] for r in places[axis].ranges}
    return any(
        (below.arg[0] == MAX or _sums_exponentials(below)) and not any(i.ranges & summed for i in at)
        for below, at in reductions_at(product, places)
    )


def _sums_exponentials(node: Node) -> bool:
    inside = node.src[0].toposort(lambda n: n.op in ELEMENTWISE or n.op in MOVEMENT)
    return any(n.op in _EXPONENTIALS for n in inside)


def is_packed(factors: tuple[Node, Node], sizes: Product) -> bool:
    """Is the larger factor of few rows made of words with several of its elements in each?"""
    if sizes.dtype.itemsize != 2 or min(sizes.m, sizes.n) > MOST_ROWS:
        return False
    larger = max(factors, key=lambda factor: chain_of(factor)[-1].size)
    memory = {n for n in larger.toposort() if n.op in (Op.BUFFER, Op.PARAM)}
    read = sum(n.size * n.dtype.itemsize for n in memory)
    whole = sizes.batches * max(sizes.m, sizes.n) * sizes.k * sizes.dtype.itemsize
    return 2 * read <= whole and not all(n.dtype.is_float for n in memory)


def parts_in_cache(sizes: Product, machine: Machine) -> int:
    """The parts of a sum on a core, each about as long as stays in the cache: the first, if that is not too
    short, or packed in the second. 1 where panels stay in the cache as they are, or the parts of all results
    would be more memory than the factors."""
    deep, least = machine.deep if sizes.along else machine.deep_across, LEAST_PACKED
    near = machine.near // (max(sizes.m, sizes.n) * sizes.dtype.itemsize)
    if not sizes.along and near >= LEAST_NEAR:
        deep, least = min(near, deep), LEAST_TILED
    elif not sizes.along and not machine.near:  # read as they lie, and again for other rows
        least = LEAST_TILED
    parts = round(sizes.k / deep)
    small = min(sizes.m, sizes.n) < least
    if sizes.k <= 2 * deep or small or parts * sizes.m * sizes.n > (sizes.m + sizes.n) * sizes.k:
        return 1
    return parts


def _in_parts(node: Node, product: Node, casts: list[Node], where: Cut, reason: str) -> Node:
    """The sum of the sums of all parts, and of what is left."""
    main, rest = zip(*[cut(f, where.axis, where.parts, where.multiple) for f in product.src], strict=True)
    # an axis behind the one that is cut is one further now
    first = (*[a + (a > where.axis) for a in where.whole], where.axis)
    order = (*first, *[a for a in range(len(product.shape) + 1) if a not in first])
    inside = [a for a in (where.axis + 1, *[a + (a > where.axis) for a in node.arg[1]]) if a not in first]
    sums = _summed([permuted(f, order) for f in main], casts, tuple(map(order.index, dict.fromkeys(inside))))
    parts = where.count(product.shape)
    stored = make(Op.CONTIGUOUS, node.dtype, (sums,), f"a sum in {parts} parts {reason}")
    total = reduced(reshaped(stored, (parts, *node.shape)), ADD, (0,))
    if rest[0] is None:
        return total
    return total.alu(Op.ADD, _summed(rest, casts, node.arg[1]))


def _summed(factors: Sequence[Node], casts: list[Node], axes: tuple[int, ...]) -> Node:
    """The products of factors, cast as they were, and summed."""
    made = make(Op.MUL, factors[0].dtype, tuple(factors))
    for cast in reversed(casts):
        made = make(Op.CAST, cast.dtype, (made,))
    return reduced(made, ADD, axes)
