"""Where a value lives: nowhere (computed by its reader), in a tile of fast memory at some loop, or in memory.

Every request for the node is known here (see draft.py), so one comparison of costs settles it:

    inline   its work, once per evaluation          cheap, or asked for once
    tile     its work once, and cache traffic       read again within one iteration of a loop, and it fits
    store    its work once, memory traffic, launch  anything else
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from math import prod

from ....graph import dtypes
from ....graph.constants import constant_of
from ....graph.forms import PLAIN
from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ....graph.ops import ELEMENTWISE, MOVEMENT, TRANSCENDENTAL, Op
from ....transform.stores import below_reshapes
from ...cost import Machine, in_memory
from ...joining.again import cost_again, made_again
from ...limits import too_large
from ...products.product import factors_of, product_of
from ..draft import Request, fold_free, tiled_times
from ..facts import ALWAYS_STORED
from ..movement import reductions_at
from ..scalars import parts_of
from .columns import down_columns, turned
from .idle import idle_reason, tile_leaves_idle
from .in_blocks import FIRST_BYTES, made_by_blocks, products_in
from .lanes import loses_lanes, loses_tile
from .region import Region, leaves_loops, lies_across, region_of, times_begun
from .windows import slides_over

#: a fold inside another fold's loop is kept only when it is this short; longer ones cannot be tiled well
#: there
SHORT_FOLD = 64
#: work on positions and constants alone that is never worth a load
ARITHMETIC = 16.0
#: the same for places and conditions, beyond what a load of them would take
PLACES = 6.0
#: bytes that a vector of a CPU computes in the time of a word
OF_BYTES = 4
#: bytes of a word, whose parts are bits that a GPU takes out of it as often as it reads it
WORD = 4
#: elements of a factor that a thread of a GPU makes at once
AT_ONCE = 8
#: how much longer a second sum of products takes beside another, whose tile in registers it has to share
SECOND = 3.0
#: bytes of a line of a CPU's cache, and how much longer it takes to write rows of a product that end inside
#: of one: 15 of 333 x 40 x 333 2,700 microseconds, of 336 x 40 x 336 1,500. In attention of 333 keys 40 wide
#: that is what a tile of scores saves: 2,960 and 4,262
LINE, ODD_ROWS = 64, 2.0
#: how much longer a factor with reductions takes, as of rows that are normalised, that a tile holds for a few
#: rows of a product and once more for each panel of the other factor. RMS norm and product on one thread of a
#: Cascade Lake, in a tile and stored: 256 x 384 x 1536 2.74 and 2.48 ms, 64 x 768 x 3072 5.46 and 3.55, 16384
#: x 512 x 16 17.2 and 12.6, 65536 x 64 x 16 6.30 and 6.52
IN_TURNS = 1.0
#: elements that may share a reduction by their places, as the channels of a group do
NEIGHBOURS = 16
#: operations that are gone through for reductions of a value: a gradient of transforms of 105 x 231 points
#: has 1,250, 480 times. Of the sweep's programs a median (214), PPO (73) and a GRU (165) have more, and the
#: same kernels with either limit
MOST_BELOW = 64
#: uses of an element of a padded factor from which on a product wants all of its loops for itself
MANY_USES = 64
#: what a core takes to write and read an element of a tile and to begin its loop, where it is computed by
#: itself. One thread of a Cascade Lake, s / s.sum(1), computed again and in a tile: of x * y + 1 of 1000 x 77
#: 41 and 62 us, of 100 x 4096 277 and 302, of 20 x 30000 612 and 428; of 512 x 512 sigmoids 292 and 214
HELD = 5.0
#: elements a thread of a GPU has of a map, and kernels that are worth another for what they have in common
PER_THREAD, MANY = 4, 4
#: results of a product, of sums this long, and functions of each result, as exp and erf of a gelu's slope,
#: from which on it is stored without them: tensor cores stand still while a block writes its tile. 16,384 x
#: 3,072 results of sums of 768 with that slope take 309 microseconds on an H200, without it 150
MANY_RESULTS, LEAST_FOLD, HEAVY_EPILOGUE = 1 << 20, 64, 2
#: a number that takes longer than to read so many bytes is made once, not by every thread. Both numbers that
#: a step of Adam divides by are made of seven others, which every thread would look up and load
NUMBER = 12

#: how much longer reductions take one by one than side by side. A norm over the channels of a depthwise
#: convolution, stored with channels last: 33 of 29 x 29 take 1,510 us of a Skylake in a tile, 170 in memory
ACROSS = 8.0


@dataclass(frozen=True)
class Placement:
    """`how` is inline, tile or store; `reason` says why, for people; a tile has its region."""

    how: str
    reason: str = ""
    region: Region | None = None


@dataclass(frozen=True)
class Facts:
    """What is known of a node before its requests are: the work of one element, reductions below included,
    and the same with what it reads in the nearest cache of a GPU, or on a core with the reductions that it
    shares with many; whether there is a reduction in it; the memories it is made from, None for many; whether
    it is a sum of products."""

    cost: float
    near: float
    has_fold: bool
    memories: frozenset[Node] | None
    is_product: bool

    @property
    def reads_memory(self) -> bool:
        return self.memories != frozenset()


INLINE = Placement("inline")

_ALWAYS_INLINE = (MOVEMENT - {Op.PAD}) | {Op.GATHER}


def asked_moves(node: Node) -> tuple[str, ...]:
    """The moves a tensor wants for the kernel that stores it."""
    return node.arg if node.op is Op.CONTIGUOUS and isinstance(node.arg, tuple) else ()


def reason_to_store(node: Node) -> str:
    """Why a node is stored whatever it costs."""
    if asked_moves(node):
        return "asked for, with moves of its own"
    if node.op is Op.CONTIGUOUS and isinstance(node.arg, str):
        return node.arg
    return ALWAYS_STORED.get(node.op, "asked for")


def _is_masked_memory(node: Node) -> bool:
    """Is it memory of which only a part is there? It is read under a mask, and cost nothing else."""
    if node.op is not Op.WHERE or constant_of(node.src[2]) is None:
        return False
    below = below_reshapes(node.src[1])
    return below.op is Op.PARAM and bool(below.arg.partial)


def place(node: Node, requests: list[Request], facts: Facts, machine: Machine) -> Placement:
    """Decide for one node, given everyone who asks for it."""
    cost, has_fold, reads_memory = facts.cost, facts.has_fold, facts.reads_memory
    if not node.src:
        return INLINE
    if node.op in ALWAYS_STORED:
        return Placement("store", reason_to_store(node))
    if not reads_memory and cost <= ARITHMETIC:
        return INLINE
    if (reason := too_large(node, requests, reads_memory, facts.is_product)) is not None:
        return Placement("store", reason)
    if node.op in _ALWAYS_INLINE or _is_masked_memory(node):
        return INLINE
    if machine.casts_are_free and node.op is Op.CAST and node.dtype.itemsize > node.src[0].dtype.itemsize:
        return INLINE
    in_lanes = node.dtype in (dtypes.int8, dtypes.uint8) and not machine.is_gpu
    light = PLACES * (OF_BYTES if in_lanes else 1)
    if not node.dtype.is_float and not has_fold and cost - in_memory(node, machine) <= light:
        return INLINE
    if machine.is_gpu and node.op is Op.PAD and all(map(slides_over, requests)):
        return INLINE
    if machine.is_gpu and _is_part_of_word(node) and cost <= WORD * machine.memory_byte + PLACES:
        return INLINE
    if has_fold and all(r.context.streamed for r in requests):
        return INLINE
    if machine.wanted and has_fold:
        if made_again(node, requests, facts.near, facts.memories, machine):
            return INLINE
        reason = idle_reason(node, requests, machine)
        if reason is not None:
            return Placement("store", reason)
    drafts = {r.draft for r in requests}
    if machine.is_gpu and _is_large_product(node) and all(_is_heavy_behind(node, d.node) for d in drafts):
        return Placement("store", "tensor cores would wait for what is made of each result")
    heavy = node.op in TRANSCENDENTAL or (node.op in ELEMENTWISE and cost > NUMBER * machine.memory_byte)
    is_number = node.size == 1 and heavy
    if machine.is_gpu and is_number and reads_memory and not has_fold:
        # outside of all loops is once a thread there
        threads = sum(prod(map(range_size, d.outer)) for d in drafts) / PER_THREAD
        if threads * cost > machine.launch or len(drafts) >= MANY:
            return Placement("store", "a number that every thread would compute for itself")
    # a function of columns alone does not turn the loops of a kernel over rows: sines of 8,192 angles that
    # 32 heads are turned by
    in_order = node.op in TRANSCENDENTAL and not has_fold and not machine.is_gpu
    parted = not has_fold and not machine.is_gpu
    evaluations = sum(_evaluations(node, r, in_order) // (parts_of(r) if parted else 1) for r in requests)
    if not has_fold and any(draft.tiles for draft in drafts):
        evaluations = sum(tiled_times(r, _evaluations(node, r)) for r in requests)
    work = node.size * cost
    again = cost
    if has_fold and node.size < evaluations <= 2 * node.size:
        again = cost_again(node, cost, facts.near, facts.memories, machine)
        if not machine.is_gpu and not any(map(partial(_reduces_again, node), requests)):
            again = facts.near
    elif not has_fold and not machine.is_gpu and node.op is not Op.PAD and _in_step(node, requests):
        again = facts.near
    inline = work + (evaluations - node.size) * again
    inline *= _penalty(node, requests, work, facts.is_product, machine)
    inline += down_columns(node, requests, machine)
    columns = has_fold and not machine.is_gpu and loses_lanes(node, requests)
    inline *= ACROSS if columns else 1.0
    if has_fold and not machine.is_gpu and loses_tile(node, requests):
        inline *= machine.multiply[PLAIN]
    factor = all(r.context.operand for r in requests) and not has_fold
    if not factor and _is_half_in_memory(node):
        return INLINE
    packed = factor and node.op is not Op.PAD and len(drafts) == 1
    if packed:
        # packing evaluates it about once, or once for each tile of results along the other factor; what
        # neighbours along the sum share is made once for those that a thread makes at once
        together = _shared_along_sum(node, requests) if machine.shares else 1
        times = evaluations / (max(node.size, 1) * machine.shares * together) if machine.shares else 1.0
        inline = min(inline, work * max(1.0 if together == AT_ONCE else 2.0, times))
    if inline <= work:  # nothing is computed twice: neither a tile nor a store takes less
        _accept(node, requests)
        return INLINE
    moved = node.size * in_memory(node, machine)  # written once, and read by each kernel that asks
    store = work + moved * (1 + len(drafts)) + machine.launch
    streamed = any(r.context.streamed for r in requests)
    in_product = facts.is_product or any(r.context.operand for r in requests)
    most = machine.tile_bytes if in_product else machine.row_bytes
    # a tile of what is packed anyway would only hold loops the product wants otherwise: half types, which are
    # all cast, ran at a third to a half of the speed
    tiled = len(drafts) == 1 and not streamed and not packed
    # what is padded may be a sum that is stored below, as of one convolution behind another
    padded = factor or (node.op is Op.PAD and all(r.context.operand for r in requests))
    if padded and not machine.pads_in_tiles and evaluations > MANY_USES * node.size:
        tiled = False
    region = region_of(node, requests, machine, most, columns) if tiled else None
    if factor and region is not None and not any(leaves_loops(r, region) for r in requests):
        region = None
    shared = machine.wanted and has_fold
    if region is not None and shared and tile_leaves_idle(node, region.held, requests, machine):
        region = None
    tile = float("inf")
    # a product made row by row runs well only where another product takes whole blocks of rows from it
    alone = facts.is_product and not any(d.contracts for d in drafts) and not _is_short_and_thin(node)
    if region is not None and not alone and (machine.tiles_products or not in_product):
        # what overlapping tiles compute again comes from the cache
        again = max(region.elements - node.size, 0) * (cost if has_fold else cost / 4)
        tile = work + again + region.elements * node.dtype.itemsize * machine.tile_byte
        if not has_fold and not in_product and not machine.is_gpu:
            tile += _held(node, region) + turned(region, requests[0].draft, machine)
        if has_fold and not machine.is_gpu and work > machine.launch:
            tile += work * times_begun(region, machine)
            tile += work * ACROSS if lies_across(region, requests[0].draft.outer) else 0.0
        if has_fold and in_product:
            products = products_in(node)
            tile += made_by_blocks(node, products, region, requests, machine)
            if not products and not machine.is_gpu and all(r.context.operand for r in requests):
                tile += work * IN_TURNS
            if products and not machine.is_gpu and node.shape[-1] * node.dtype.itemsize % LINE:
                store += ODD_ROWS * moved
    best = min(inline, tile, store)
    if best == inline:
        _accept(node, requests)
        return INLINE
    if best == tile:
        assert region is not None
        requests[0].draft.hold(region.held)
        return Placement("tile", "read again within the loop, and fits in cache", region)
    times = evaluations / max(node.size, 1)
    return Placement(
        "store", f"needed {times:.3g} times per element by {len(drafts)} kernel(s), too costly to repeat"
    )


def _held(node: Node, region: Region) -> float:
    """What a tile of elements costs a core that could compute them again from the first cache."""
    return region.elements * HELD if prod(region.extent) * node.dtype.itemsize <= FIRST_BYTES else 0.0


def _in_step(node: Node, requests: list[Request]) -> bool:
    """Does one kernel ask for it along the same loops, at places beside each other or in a reduction of its
    row? Then what it is made of comes from the nearest cache for the second time; not for x.exp() +
    x.exp().T, nor for factors of a product, nor where that cache does not hold all that is reduced."""
    if len({r.draft for r in requests}) > 1 or any(r.context.operand for r in requests):
        return False
    inner = max(prod(range_size(r) for r in request.context.inner) for request in requests)
    if inner * node.dtype.itemsize > FIRST_BYTES:
        return False
    outer = frozenset(requests[0].draft.outer)
    axes = zip(*[r.indices for r in requests], strict=True)
    return all(len({i.ranges & outer for i in axis} - {frozenset()}) <= 1 for axis in axes)


def _reduces_again(node: Node, request: Request) -> bool:
    """Would a reduction that a value is made of be computed for many more than it has results? That of x -
    x.mean(axis) is not, where its variance asks along the same axis: it reads x again, and no more. Nor is it
    for the channels of a group, which share a tile of it."""
    return any(
        request.context.evaluations(frozenset().union(*[i.ranges for i in at]), True)
        > NEIGHBOURS * below.size
        for below, at in reductions_at(node, request.indices, MOST_BELOW)
    )


def _is_large_product(node: Node) -> bool:
    """Is it a product of many results, rounded to the type it is written in?"""
    if node.op is Op.CAST:
        (node,) = node.src
        while node.op is Op.RESHAPE:
            (node,) = node.src
    if node.size < MANY_RESULTS or factors_of(node) is None:
        return False
    return node.src[0].size >= LEAST_FOLD * node.size


def _is_heavy_behind(node: Node, result: Node) -> bool:
    """Does a kernel compute several functions of elements between a value and its result?"""
    made = result.toposort(lambda n: n is not node and (n.op in ELEMENTWISE or n.op in MOVEMENT))
    return sum(n.op in TRANSCENDENTAL for n in made) >= HEAVY_EPILOGUE


def _shared_along_sum(node: Node, requests: list[Request]) -> int:
    """Neighbours along the sum that share an element of a factor, as a block of weights its scale, of those
    that a thread makes at once."""
    counts = []
    for request in requests:
        free = fold_free(node, request)
        rows = prod(range_size(r) for r in request.context.outer if r not in free)
        counts.append(_evaluations(node, request) // max(node.size * rows, 1))
    return max(min(*counts, AT_ONCE), 1)


def _is_short_and_thin(node: Node) -> bool:
    """Is it made of short sums of products with a vector, or of one with another, as each of many small
    matrices has them? No tile of registers is lost where they are made in a tile of memory."""
    sizes = [product_of(product) for product in products_in(node)]
    return all(size is not None and min(size.m, size.n) == 1 and size.k <= SHORT_FOLD for size in sizes)


def _is_part_of_word(node: Node) -> bool:
    """Bits of an integer, or those of a float: a shift takes them out of what is read."""
    return node.op is Op.BITCAST or (node.op is Op.CAST and not node.dtype.is_float)


def _is_half_in_memory(node: Node) -> bool:
    """A float16 that is stored, as float32: an instruction widens it, and a copy is twice as long to read."""
    if node.op is not Op.CAST or node.dtype is not dtypes.float32 or node.src[0].dtype is not dtypes.float16:
        return False
    (source,) = node.src
    while source.op in MOVEMENT and source.op is not Op.PAD:
        source = source.src[0]
    return source.op in (Op.BUFFER, Op.PARAM, Op.CONTIGUOUS)


def _evaluations(node: Node, request: Request, in_order: bool = False) -> int:
    """How often it is computed; `in_order` if no loop is moved for it."""
    free = fold_free(node, request)
    outer = frozenset(request.context.outer)
    if in_order and not free & frozenset(request.context.inner):
        times = request.times_in_order(free)
    else:
        times = request.context.evaluations(free, request.draft.fits(free & outer))
    return times * node.arg[0] if node.op is Op.TOPK else times


def _penalty(node: Node, requests: list[Request], work: float, is_product: bool, machine: Machine) -> float:
    """What inlining a fold costs beyond its work: a nest that cannot be tiled, or too few iterations for
    the threads."""
    made = _before_rounding(node) if machine.is_gpu else node
    if made.op is not Op.REDUCE and made.op is not Op.TOPK:
        return 1.0
    penalty = 1.0
    length = made.src[0].size // max(made.size, 1)
    second = machine.tiles_products and length > SHORT_FOLD and is_product
    times = Counter(request.draft for request in requests)  # parts of it, as the gates of a cell, are several
    for request in requests:
        free = fold_free(node, request)
        others = request.draft.contracts or times[request.draft] > 1
        if second and others and not request.context.inner and not request.context.operand:
            penalty = max(penalty, SECOND)
        if free & frozenset(request.context.inner):
            penalty = max(penalty, 1.0 if length <= SHORT_FOLD else 4.0)
        elif free != frozenset(request.context.outer):
            iterations = prod(range_size(r) for r in request.context.outer if r in free)
            # a block of a GPU shares the work on a row among its threads
            if iterations < 2 * (machine.processors or machine.threads) and work > machine.launch:
                penalty = max(penalty, 2.0 * machine.threads)
    return penalty


def _before_rounding(node: Node) -> Node:
    """What is rounded to a narrower type at once, as a sum of halves: where it is not made inline it is
    stored as rounded, in half the bytes."""
    if node.op is Op.CAST and node.dtype.itemsize < node.src[0].dtype.itemsize:
        return below_reshapes(node.src[0])
    return node


def _accept(node: Node, requests: list[Request]) -> None:
    """An inlined fold outside some of the kernel's loops wants those it depends on first."""
    if node.op is not Op.REDUCE and node.op is not Op.TOPK:
        return
    for request in requests:
        free = fold_free(node, request)
        outer = frozenset(request.context.outer)
        if (
            not free & frozenset(request.context.inner)
            and free & outer != outer
            and request.draft.fits(free & outer)
        ):
            request.draft.hold(free & outer)
