"""What things cost: the figures behind every decision to store, to keep in a tile, or to compute again.

The unit is one vector instruction's share for one element (about 1/8 of a cycle of one core). What matters is
the ratio of arithmetic to memory, which differs little between machines of one kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from ..graph import dtypes
from ..graph.dtypes import DType
from ..graph.forms import ATTENTION, MATRIX, PLAIN, THIN, TILED
from ..graph.node import Node
from ..graph.ops import MOVEMENT, TRANSCENDENTAL, Op
from ..runtime.config import settings
from ..runtime.cpu.machine import host_registers, near_caches
from ..runtime.device import Device
from .products.product import factors_of

Bundles = Literal["alike", "any"]


@dataclass(frozen=True)
class Machine:
    """The numbers of a device a schedule depends on. Costs are in units of `unit` seconds."""

    is_gpu: bool = False
    unit: float = 4e-11
    #: one multiplication and addition of a large product, all cores busy, by the form codegen has for it
    multiply: Mapping[str, float] = field(default_factory=lambda: {TILED: 1.0, PLAIN: 23.0}, hash=False)
    threads: int = 2
    launch: float = 100_000.0  # one more kernel: waking the threads and a barrier, about 4 microseconds
    memory_byte: float = 2.0  # moving one byte to or from memory, all cores busy
    tile_byte: float = 0.2  # the same for a tile in cache
    tile_bytes: int = 128 * 1024  # the largest tile per iteration of the loop that holds it
    row_bytes: int = 512 * 1024  # the same outside of products, where no blocks of rows meet it
    tiles_products: bool = True  # whether sums of products may be made in a tile, or from one
    #: whether padded factors of products may be tiles: on x86 one is filled anew for every packed panel of
    #: the other factor (3x3 of 256 channels at 14 pixels: 5.3 ms from tiles, 3.4 from a padded copy)
    pads_in_tiles: bool = True
    #: whether loops of products end where a mask leaves out the rest
    leaves_out: bool = False
    casts_are_free: bool = False  # a value wider than what it was cast from is never stored
    joins_chains: bool = False  # whether kernels that follow each other over the same loops become one
    #: which small maps that share nothing become sections of one kernel: any of them, or those alike whose
    #: results are inputs or results of the program, as those of an optimiser are
    bundles: Bundles = "alike"
    lays_out_factors: bool = False  # whether factors of convolutions are copied to where sums are contiguous
    #: whether convolutions of float32 may be products of transformed tiles (`winograd/tiles.py`), where
    #: the estimate says so
    filters_tiles: bool = False
    along_sums: frozenset[DType] = frozenset()  # types a product takes side by side along its sum only
    wanted: int = 0  # threads that columns, scans and ordered writes are spread over; 0: they are not
    processors: int = 0  # those that share the tiles of a product; 0: cores, which have one each
    #: where they are cores: the length of a sum of products whose packed factors stay in the second cache
    deep: int = 1024
    #: the same where the larger factor lies across the sum
    deep_across: int = 1024
    #: bytes of a part of the larger factor that stay in the first cache as they lie; 0: they are packed
    near: int = 0
    shares: int = 0  # results of a product that share what is computed of a factor; 0: all of them
    attends: frozenset[DType] = frozenset()  # types of which a softmax and a product with it may be one pass
    #: whether blocks add to the same sums in turn: the gradients of attention are one kernel then
    adds_across: bool = False
    #: times the operations of the budget (`parts.py`) that are scheduled as one: forward and backward of
    #: attention have to be, or its scores cross a cut and are stored
    budgets: int = 1
    parts: int = 256  # parts a long reduction to few results is split into
    whole: int = (
        16  # elements of the widest vector: maps in place are cut where whole ones end; 0: they need not
    )
    #: whether slopes of windows are a product with windows of slopes, or one that is stored and added up
    convolves_slopes: bool = True
    #: whether the k-th element of a row is found by counting, or by sorting
    counts_ranks: bool = True
    most_stores: int = (
        4  # results of one kernel: a core writes a few streams well, eight at a fifth of the rate
    )


CPU = Machine()
#: The unit is one thread's instruction on one element, of which an H200 does 33e12 a second. Tiles are rows
#: that codegen
#: keeps in the registers of a block; sums of products are better off in kernels of their own, for the tensor
#: cores.
GPU = Machine(
    is_gpu=True,
    unit=3e-14,
    # two products of 512 x 1024 x 2048 halves took 11 ms in plain loops, 5 ps a multiplication
    multiply={
        MATRIX: 0.1,
        ATTENTION: 0.15,
        TILED: 1.6,
        THIN: 4.0,
        PLAIN: 165.0,
    },
    threads=1056,
    launch=5e7,
    memory_byte=8.0,
    tile_byte=1.0,
    tile_bytes=256 * 1024,
    row_bytes=256 * 1024,
    tiles_products=False,
    parts=1024,
    casts_are_free=True,
    joins_chains=True,
    bundles="any",
    wanted=1 << 17,
    lays_out_factors=True,
    along_sums=frozenset({dtypes.int8, dtypes.uint8, dtypes.float8_e4m3, dtypes.float8_e5m2}),
    processors=132,
    shares=128,
    attends=frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32}),
    budgets=8,
    whole=0,
    # 512 channels at 7 x 7 in float32, batch 8: 122 us added up and 204 as windows, on an H200; a training
    # step of ResNet-18 10.7 and 11.5 ms
    convolves_slopes=False,
    # a block waits for every count: 25 us instead of 15 for 333 rows of 777, 75 instead of 69 for 4096 of
    # 1024
    counts_ranks=False,
    most_stores=8,
)


def machine_of(device: str) -> Machine:
    """The numbers for a device of this name ("cpu", "cuda:0", or "null:cuda", which plans for one)."""
    if device.removeprefix("null:").partition(":")[0] != "cuda":
        if not host_registers().by_lane:
            return replace(CPU, pads_in_tiles=False, leaves_out=True)
        # one thread of a Neoverse N1, x.T @ y in parts of 384, not 1,024: 4.2 -> 3.3 ms for 10,007 x 65,
        # 20.1 -> 17.4 for 16,384 x 128; in parts of 248 8.2 -> 5.3 for 60,000 x 33
        return replace(CPU, deep_across=384, near=near_caches()[0] // 2)
    # as tf32, tensor cores multiply float32, in kernels of their own
    tf32 = frozenset({dtypes.float32} if settings.tf32 else ())
    gpu = replace(
        GPU,
        along_sums=GPU.along_sums | tf32,
        attends=GPU.attends - tf32,
        filters_tiles=settings.winograd and not settings.tf32,
    )
    return replace(gpu, adds_across=settings.wgmma and _is_hopper(device))


def _is_hopper(device: str) -> bool:
    """Is it a card with warpgroups, or none, which plans as for one of those?"""
    if device.startswith("null:"):
        return True
    try:
        gpu = Device[device]
    except (RuntimeError, ImportError, OSError):
        return False
    return getattr(gpu, "arch", "") == "sm_90a"


def in_cache(machine: Machine) -> Machine:
    """The numbers for what is read from the nearest cache."""
    return replace(machine, memory_byte=machine.tile_byte)


#: elements that share a reduction, from which on it is made once for all of them
SHARED = 64

#: to load what lies anywhere, a lane at a time, from the nearest cache. Pictures of 177 x 177 made 160 x 160
#: on a thread of a Cascade Lake: 0.85 ms with what is between both steps computed twice, 0.56 with it stored
LOOKED_UP = 8.0

#: to compute the mask of a padding, in two axes or three, and to load under it: where the second of three
#: rolls was computed twice, a map of 17 x 65 x 129 took 198 us, and 168 with it stored
MASKED = 8.0

#: beyond this a value is simply expensive; keeps the estimate of a deep network finite
EXPENSIVE = 1e7

#: multiplications of a product that has a kernel of its own on a GPU
LARGE_PRODUCT = 1 << 20

_IN_MEMORY = frozenset({Op.BUFFER, Op.PARAM, Op.CONTIGUOUS, Op.SCAN, Op.SORT, Op.SCATTER, Op.CAT})
_PLACES = {Op.GATHER: LOOKED_UP, Op.PAD: MASKED}
_MOVES = MOVEMENT - {Op.EXPAND} | {Op.GATHER}
_HEAVY = {
    Op.DIV: 4.0, Op.SQRT: 6.0, Op.RECIP: 4.0, Op.IDIV: 10.0, Op.MOD: 12.0, Op.TDIV: 10.0, Op.IPOW: 60.0,
}  # fmt: skip


def element_costs(order: list[Node], machine: Machine, again: bool = False) -> dict[Node, float]:
    """The work to make one element of each node, if everything below it is computed for it; or to make it
    `again` in the same kernel, which has the reductions that many elements share, and where a move is another
    place to read at.

    Sharing by broadcast is counted: a row's maximum that 4,096 elements read costs each of them 1/4,096th.
    """
    costs: dict[Node, float] = {}
    # what a reduction pays for what it reads: no product is made in the loop of a reduction there
    read = costs if machine.tiles_products else {}
    for node in order:
        reduces = node.op is Op.REDUCE or node.op is Op.TOPK
        if again and node.op is Op.EXPAND and node.size >= SHARED * node.src[0].size:
            costs[node] = 0.0
            continue
        if again and node.op in _MOVES:
            costs[node] = sum(costs[s] for s in node.src) + _PLACES.get(node.op, 0.0)
            continue
        costs[node] = min(_element_cost(node, read if reduces else costs, machine), EXPENSIVE)
        if read is not costs:
            stored = reduces and _is_large_product(node)
            read[node] = (
                in_memory(node, machine) if stored else min(_element_cost(node, read, machine), EXPENSIVE)
            )
    return costs


def _is_large_product(node: Node) -> bool:
    return factors_of(node) is not None and node.src[0].size >= LARGE_PRODUCT


def in_memory(node: Node, machine: Machine) -> float:
    """The work to load one element of a node."""
    return float(node.dtype.itemsize * machine.memory_byte)


def _element_cost(node: Node, costs: dict[Node, float], machine: Machine) -> float:
    op = node.op
    if op in _IN_MEMORY:  # whatever it took to get there
        return in_memory(node, machine)
    if not node.src:
        return 0.0
    below: float = sum(costs[s] for s in node.src)
    if op is Op.EXPAND:
        return below * node.src[0].size / max(node.size, 1)
    if op is Op.REDUCE:
        return (below + 1) * node.src[0].size / max(node.size, 1)
    if op is Op.TOPK:
        return (below + 2 + int(node.arg[0])) * node.src[0].size / max(node.size, 1)
    if op in TRANSCENDENTAL:
        return below + 12
    return below + _HEAVY.get(op, 1.0)
