"""Products with few results and long sums, split along the sum: parts side by side, then their total.

    out[m, n] = sum over k of a[m, k] * b[n, k]
        ->  part[s, m, n] = sum over k of a[m, s * K + k] * b[n, s * K + k], stored;  out = sum over s of part

A GPU makes a tile of results with each of its blocks, and walks along the sum with it. A product with fewer
tiles than there are processors leaves some of them idle, and few blocks have few bytes on their way: those of
16 x 4096 x 4096 half floats take 64 blocks four times as long as memory would. Parts are batches of the same
product, so every kind of kernel makes them, and the second kernel adds them up in order: the same bits come
out every time. What happens to the result (bias, activation, cast) happens there, and the products that fill
no part are added there.

Whether it pays is estimated from tiles, processors and bytes; see `microseconds`.

A core packs panels of its factors that are as long as the sum. Those of a very long one leave the cache
before they meet the next rows, so its parts are as long as stays there (`parts_in_cache`). One thread of a
Cascade Lake, x.T @ x: 3.2 -> 1.6 ms for 10,007 x 65, 11 -> 4.4 for 129 columns, 190 -> 15 for 256. Factors
that lie across the sum, in few columns, stay in the first cache as they lie if parts are shorter: on a
Neoverse N1 20,000 x 20 takes 0.5 ms instead of 1.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from ...codegen.cuda.templates.product.match import least_side, lone_tile, thread_tile, tile_of
from ...codegen.cuda.templates.product.shares import LONE_REACHED, STEP, TILE_ROWS, StreamK, stream_k
from ...codegen.cuda.templates.product.turns import MOST_ROWS, packed_microseconds
from ...graph import dtypes
from ...graph.monoid import ADD, MAX
from ...graph.node import Node, make
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...runtime.config import settings
from ...transform.terms import cut, permuted, reduced
from ..cost import Machine
from .layout import CHUNK_BYTES
from .product import Product, casts_and_below, chain_of, factors_of, product_of

#: sums shorter than these are never split, the second in float64
LEAST_SUM, LEAST_SUM_DOUBLE = 512, 256
#: no part is shorter than these: of tiles, of thin products
LEAST_PART, LEAST_THIN_PART = 128, 32
#: steps of a part that stays in a core's first cache, at least
LEAST_NEAR = 128
PARTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
#: results that are written at once, in one vector
VECTOR = 4
#: what a split must save to be worth its memory: of the time (where results would go by vectors but for their
#: odd rows, parts cost more than is estimated), and in microseconds, which are known better of packed weights
LEAST_GAIN, LEAST_GAIN_ODD, LEAST_SAVED, LEAST_SAVED_PACKED = 0.15, 0.5, 4.0, 2.0
#: the least rows and columns of a product whose panels are packed, and of one that is read more than once
LEAST_PACKED, LEAST_TILED = 24, 9
_EXPONENTIALS = frozenset({Op.EXP, Op.EXP2})
_TYPES = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int8,
                    dtypes.uint8, dtypes.float8_e4m3, dtypes.float8_e5m2})  # fmt: skip

# Fitted to an H200: 16 x 4096 x 4096 halves took 30 microseconds whole and 21 in 8 parts, 512 x 512 x 16384
# 112 and 38 in 16, 256 x 4096 x 4096 44 and 31 in 4; 256 x 256 x 8192 float32 999 and 38 in 32. A convolution
# of 512 channels over 7 x 7, whose results lie in runs of 7, took 83 whole and 98 in 2.
#: operations a processor does in a microsecond: by its tensor cores in halves, and in float64
HALF_RATE, DOUBLE_RATE = 6.0e6, 0.16e6
#: bytes its memory moves in a microsecond, and those that the parts of a result take through the cache
MEMORY_RATE, PART_RATE = 4.3e6, 5.0e6
#: microseconds a copy is on its way, a kernel takes to begin, and a second kernel to follow
LATENCY, START, SECOND = 0.8, 2.0, 6.0
#: the second kernel of a product with packed weights, which is as short as its first is long
SECOND_PACKED = 1.2
#: times as long a tile of float32 takes where a factor is computed: it goes through registers, and little of
#: the next steps is on its way meanwhile. By 777 x 129 on an H200, whole and in parts: 265 rows and bytes
#: times a scale 39.8 and 12.2 us, relu of the rows 30.6 and 12.5 (plain floats 18.0 and 20.5)
COMPUTED = 1.6
#: products that fill no part, which plain loops do in a microsecond (`Machine.multiply`)
REST_RATE = 0.2e6
#: threads of a thin product that keep the memory busy
ENOUGH_THREADS = 1 << 17
#: by the columns of a tile: the share of the rate it reaches, with so many blocks on a processor, and the
#: stages that are on their way for each
_REACHED = {256: (1.0, 1, 3), 128: (0.75, 2, 2), 64: (0.5, 3, 3)}


def is_thin(product: Product) -> bool:
    """Is it one of those that read their large factor once?"""
    return min(product.m, product.n) < least_side(product.dtype)


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
    if not {chain_of(f)[-1].dtype for f in factors} <= _TYPES or _is_weighed(product):
        return node
    sizes = product_of(node)
    if sizes is None or min(sizes.m, sizes.n) < 2:
        return node
    if not machine.processors:
        if any(n.op is Op.WINDOW for f in factors for n in chain_of(f)):
            return node  # windows are read where they lie, and the weights packed once for all of them
        parts = parts_in_cache(sizes, machine)
        where = _cut_for(node, product, parts)
        if parts == 1 or where is None:
            return node
        return _in_parts(node, product, casts, where, parts, "stays in the cache")
    least = LEAST_THIN_PART if is_thin(sizes) else LEAST_PART
    cuts = {
        parts: found
        for parts in PARTS
        if sizes.k // parts >= least and (found := _cut_for(node, product, parts)) is not None
    }
    if any(parts > 1 and found.is_whole for parts, found in cuts.items()):
        cuts = {parts: found for parts, found in cuts.items() if found.is_whole}
    packed, computed = is_packed(factors, sizes), any(map(_is_computed, factors))
    times = {
        parts: microseconds(sizes, parts, machine, packed, computed) + found.rest * node.size / REST_RATE
        for parts, found in cuts.items()
    }
    best = min(times, key=times.__getitem__, default=1)
    whole = microseconds(sizes, 1, machine, packed, computed)
    by_vectors = node.shape[-1] % VECTOR == 0 or computed or sizes.dtype.itemsize == 8
    gain = LEAST_GAIN if by_vectors else LEAST_GAIN_ODD
    least_saved = LEAST_SAVED_PACKED if packed else LEAST_SAVED
    if best == 1 or whole - times[best] < max(gain * whole, least_saved):
        return node
    return _in_parts(node, product, casts, cuts[best], best, "keeps more processors busy")


def _is_weighed(product: Node) -> bool:
    """Is a factor a softmax, or the numerator of one? The product with it may be one pass over memory.

    exp(s - s.max()) @ v is; silu(x @ a) @ v has an exponential and a sum, too, and is not. Nor is a product
    with what attention came to, or with anything behind it."""
    inside = product.toposort(_is_near)
    if not any(n.op in _EXPONENTIALS for n in inside):
        return False
    return any(n.op is Op.REDUCE and (n.arg[0] == MAX or _sums_exponentials(n)) for n in inside)


def _is_near(node: Node) -> bool:
    """Is it made where it is read, and no product with a kernel of its own?"""
    if node.op is Op.REDUCE:
        return factors_of(node) is None
    return node.op in ELEMENTWISE or node.op in MOVEMENT


def _sums_exponentials(node: Node) -> bool:
    inside = node.src[0].toposort(lambda n: n.op in ELEMENTWISE or n.op in MOVEMENT)
    return any(n.op in _EXPONENTIALS for n in inside)


class Cut(NamedTuple):
    """The axis of a sum that is cut, what the length of a part is a multiple of, and the products of a result
    that fill no part."""

    axis: int
    multiple: int
    rest: int

    @property
    def is_whole(self) -> bool:
        """Are all parts whole chunks?"""
        return self.multiple > 1 and self.rest == 0


def _cut_for(node: Node, product: Node, parts: int) -> Cut | None:
    """The longest axis of the sum that so many parts divide into whole chunks; if there is none, the longest
    in chunks as far as its rows begin at whole ones."""
    chunk = CHUNK_BYTES // min(chain_of(factor)[-1].dtype.itemsize for factor in product.src)
    cuts = []
    for axis in node.arg[1]:
        length = product.shape[axis]
        multiple = chunk if length % chunk == 0 else 1
        each = length // parts // multiple * multiple
        others = prod(product.shape[a] for a in node.arg[1] if a != axis)
        if each:
            cuts.append(
                (length % (parts * chunk) == 0, length, Cut(axis, multiple, (length - parts * each) * others))
            )
    return max(cuts)[-1] if cuts else None


def is_packed(factors: tuple[Node, Node], sizes: Product) -> bool:
    """Is the larger factor of few rows made of words with several of its elements in each?"""
    larger = max(factors, key=lambda factor: chain_of(factor)[-1].size)
    memory = {n for n in larger.toposort() if n.op in (Op.BUFFER, Op.PARAM)}
    read = sum(n.size * n.dtype.itemsize for n in memory)
    few = sizes.dtype.itemsize == 2 and min(sizes.m, sizes.n) <= MOST_ROWS
    whole = sizes.batches * max(sizes.m, sizes.n) * sizes.k * sizes.dtype.itemsize
    return few and 2 * read <= whole and not all(n.dtype.is_float for n in memory)


def _is_computed(factor: Node) -> bool:
    """Is it made of memory element by element? What is made of anything else has a kernel of its own."""
    made = set(chain_of(factor)[-1].toposort(_is_near))
    elementwise = any(n.op in ELEMENTWISE and n.op is not Op.CAST for n in made)
    return elementwise and all(s in made or not s.src for n in made for s in n.src)


def microseconds(
    sizes: Product, parts: int, machine: Machine, packed: bool = False, computed: bool = False
) -> float:
    """How long a product in so many parts takes, about; `packed` if its larger factor is, `computed` if one
    is made of memory on its way."""
    item = sizes.dtype.itemsize
    if packed and sizes.k % parts == 0:
        few, many = sorted((sizes.m, sizes.n))
        alone = packed_microseconds(few, many, sizes.k // parts, sizes.batches * parts, machine.processors)
        if alone is not None:
            return alone + (SECOND_PACKED + 8.0 * parts * sizes.batches * few * many / PART_RATE) * (
                parts > 1
            )
    tensor_cores = item < 4 or (settings.tf32 and item == 4)
    moving = sizes.batches * (sizes.m + sizes.n) * sizes.k * item / MEMORY_RATE
    later = SECOND + 8.0 * parts * sizes.batches * sizes.m * sizes.n / PART_RATE if parts > 1 else 0.0
    if is_thin(sizes):
        # threads of a thin product have a few vectors on their way, and warps whole rows
        threads = sizes.batches * parts * max(sizes.m, sizes.n) * (32.0 if sizes.along else 0.25)
        return START + moving * max(1.0, ENOUGH_THREADS / threads) + later
    k = -(-sizes.k // parts)
    if item == 4 and not tensor_cores:
        _, each_1024 = thread_tile(sizes.m, sizes.n, k, sizes.batches * parts, machine.processors)
        each_1024 *= COMPUTED if computed else 1.0
        return START + max(each_1024 * k / 1024, moving) + later
    if tensor_cores:
        rate = HALF_RATE * 2 / item
        helped = _helped(sizes, machine) if parts == 1 else None
        if helped is not None:
            each = 2.0 * TILE_ROWS * helped.columns * STEP / (rate * LONE_REACHED[helped.columns])
            return START + max(each * helped.steps, moving)
        lone = _lone(sizes, parts, machine)
        if lone is not None:
            bm, bn = lone
            return START + max(2.0 * bm * bn * k / (rate * LONE_REACHED[bn]), moving) + later
        bm, bn = tile_of(sizes.m, sizes.n, sizes.batches * parts)
        reached, together, stages = _REACHED[bn]
    else:
        bm = bn = 64
        reached, together, stages = 1.0, 1, 1
        rate = DOUBLE_RATE
    blocks = -(-sizes.m // bm) * -(-sizes.n // bn) * sizes.batches * parts
    each = -(-blocks // machine.processors)
    multiplying = each * 2.0 * bm * bn * k / (rate * reached * min(1.0, each / together))
    rows = min(bm, sizes.m) + min(bn, sizes.n)
    step = 128 if bn > 64 else 64  # bytes along k
    copying = -(-each // together) * rows * k * item / (rows * step * stages / LATENCY)
    return START + max(multiplying, copying, moving) + later


def _helped(sizes: Product, machine: Machine) -> StreamK | None:
    """Tiles with helpers, of a product whose factors both lie in memory as matrices."""
    if not settings.wgmma or sizes.dtype.itemsize != 2 or not sizes.matrices:
        return None
    return stream_k(sizes.m, sizes.n, sizes.k, sizes.batches, machine.processors, sizes.along)


def _lone(sizes: Product, parts: int, machine: Machine) -> tuple[int, int] | None:
    """The tile of blocks that are alone on their processors, of products whose tiles have `TILE_ROWS` as they
    are."""
    if not settings.wgmma or sizes.dtype.itemsize != 2:
        return None
    whole, lone = (
        lone_tile(sizes.m, sizes.n, sizes.batches * n, machine.processors, sizes.along) for n in (1, parts)
    )
    return lone if whole is not None and whole[0] == TILE_ROWS else None


def parts_in_cache(sizes: Product, machine: Machine) -> int:
    """The parts of a sum on a core, each about as long as stays in the cache: the first, if that is not too
    short, or packed in the second. 1 where panels stay in the cache as they are, or the parts of all results
    would be more memory than the factors."""
    deep, least = machine.deep if sizes.along else machine.deep_across, LEAST_PACKED
    near = machine.near // (max(sizes.m, sizes.n) * sizes.dtype.itemsize)
    if not sizes.along and near >= LEAST_NEAR:
        deep, least = min(near, deep), LEAST_TILED
    parts = round(sizes.k / deep)
    small = min(sizes.m, sizes.n) < least
    if sizes.k <= 2 * deep or small or parts * sizes.m * sizes.n > (sizes.m + sizes.n) * sizes.k:
        return 1
    return parts


def _in_parts(node: Node, product: Node, casts: list[Node], where: Cut, parts: int, reason: str) -> Node:
    """The sum of `parts` sums, of which each has its part of an axis, and of what is left."""
    main, rest = zip(*[cut(f, where.axis, parts, where.multiple) for f in product.src], strict=True)
    order = (where.axis, *[a for a in range(len(product.shape) + 1) if a != where.axis])
    sums = _summed([permuted(f, order) for f in main], casts, tuple([a + 1 for a in node.arg[1]]))
    stored = make(Op.CONTIGUOUS, node.dtype, (sums,), f"a sum in {parts} parts {reason}")
    total = reduced(stored, ADD, (0,))
    if rest[0] is None:
        return total
    return total.alu(Op.ADD, _summed(rest, casts, node.arg[1]))


def _summed(factors: Sequence[Node], casts: list[Node], axes: tuple[int, ...]) -> Node:
    """The products of factors, cast as they were, and summed."""
    made = make(Op.MUL, factors[0].dtype, tuple(factors))
    for cast in reversed(casts):
        made = make(Op.CAST, cast.dtype, (made,))
    return reduced(made, ADD, axes)
