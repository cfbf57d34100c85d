"""How long a product takes on a GPU, about: from its tiles, processors, bytes and the way its factors come.

    least_microseconds(Product(1, 2665, 129, 777, bfloat16, chunks=False), GPU)      # rows of 1,554 bytes

Decides whether a sum is split (`split_products.py`) and whether rows of odd length are copied to where chunks
of 16 bytes are whole (`layout.py`).
"""

from __future__ import annotations

from ...codegen.cuda.templates.product.match import is_tall, least_side
from ...codegen.cuda.templates.product.shares import LONE_REACHED, STEP, TILE_ROWS, StreamK, stream_k
from ...codegen.cuda.templates.product.tiles import lone_tile, thread_tile, tile_of, tiles_in, tiles_of
from ...codegen.cuda.templates.product.turns import packed_microseconds
from ...runtime.config import settings
from ..cost import Machine
from .product import Product

#: no part of a sum is shorter than this; the numbers of parts that are looked at
LEAST_PART = 128
#: the same where threads multiply: a tile has begun sooner
LEAST_THREAD_PART = 96
PARTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512)

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
#: times as long a tile of float32 takes that is alone on its processor where a factor is read by windows: its
#: steps are at no constant distances. On an H200, 32 x 64 for 3 x 3: 6,272 of the sum 283 us, 3,364 141
WINDOWED = 1.6
#: results that are written at once, in one vector
VECTOR = 4
#: threads of a thin product that keep the memory busy
ENOUGH_THREADS = 1 << 17
#: by the columns of a tile: the share of the rate it reaches, with so many blocks on a processor, and the
#: stages that are on their way for each
_REACHED = {256: (1.0, 1, 3), 128: (0.75, 2, 2), 64: (0.5, 3, 3)}
#: of the rate of 128 rows, what a tile of 64 reaches that is alone on its processor, and the longest sum of
#: it, of which half is on its way from the start: 2665 x 784 x 129 in whole chunks takes 6 us
LONE_HALF, LONE_SHORT = 0.6, 1024
#: Halves in rows that are no whole chunks come through registers, one step of 64 ahead (`pieces.SHIFTED`), so
#: a step takes as long as memory answers. Of 64 x 64, alone on its processor and beside another: 2665 x 777 x
#: 129 takes 15.8 us, 8 x 1777 x 3333 28.7, three of 2665 x 257 x 257 29.7. Of 128 x 128 warpgroups: 2665 x
#: 777 x 777 52, 265 x 333 x 8003 26
ODD_STEP, ODD_ALONE, ODD_BESIDE, ODD_LARGE = 64, 0.86, 1.06, 1.9
#: what a block does beside such a sum; of one from copies in whole chunks too, whose results lie as they do
ODD_BLOCK = 2.6


def is_by_threads(product: Product) -> bool:
    """Do threads multiply for tiles of it?"""
    return product.dtype.itemsize == 4 and not settings.tf32


def is_thin(product: Product, parts: int = 1) -> bool:
    """Is it, in so many parts, one of those that read their large factor once? Parts of a tall product may be
    so short that they are; of one with windows they count as tiles like the whole."""
    few, many = sorted((product.m, product.n))
    parts = 1 if product.windows else parts
    if is_tall(product.m, product.n, product.k // parts):
        return False
    return few < least_side(product.dtype, many * product.batches * parts)


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
    if is_thin(sizes, parts):
        # threads of a thin product have a few vectors on their way, and warps whole rows
        threads = sizes.batches * parts * max(sizes.m, sizes.n) * (32.0 if sizes.along else 0.25)
        return START + moving * max(1.0, ENOUGH_THREADS / threads) + later
    k = -(-sizes.k // parts)
    if is_by_threads(sizes):
        tiles = tiles_of(*sizes.ways, sizes.beside % VECTOR == 0)
        batches = sizes.batches * parts
        tile, each_1024 = thread_tile(
            sizes.m, sizes.n, k, batches, machine.processors, tiles, sizes.symmetric
        )
        each_1024 *= COMPUTED if computed else 1.0
        blocks = tiles_in(sizes.m, sizes.n, tile.rows, tile.columns, sizes.symmetric) * batches
        each_1024 *= WINDOWED if sizes.windows and blocks <= machine.processors else 1.0
        return START + max(each_1024 * k / 1024, moving) + later
    if tensor_cores:
        if item == 2 and not sizes.chunks:
            return START + max(_shifted(sizes, parts, k, machine), moving) + later
        rate = HALF_RATE * 2 / item
        helped = _helped(sizes, machine) if parts == 1 else None
        if helped is not None:
            each = 2.0 * TILE_ROWS * helped.columns * STEP / (rate * LONE_REACHED[helped.columns])
            return START + max(each * helped.steps, moving)
        lone = _lone(sizes, parts, machine)
        if lone is not None:
            bm, bn = lone
            reached = LONE_REACHED[bn] * (1.0 if bm == TILE_ROWS else LONE_HALF)
            return START + max(2.0 * bm * bn * k / (rate * reached), moving) + later
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


def least_microseconds(sizes: Product, machine: Machine) -> float:
    """How long a product takes in as many parts as are best for it."""
    parts = [n for n in PARTS if n == 1 or sizes.k // n >= LEAST_PART]
    return min(microseconds(sizes, n, machine) for n in parts)


def _shifted(sizes: Product, parts: int, k: int, machine: Machine) -> float:
    """How long halves take whose chunks are made of two in registers, `k` of the sum."""
    bm, bn = tile_of(sizes.m, sizes.n, sizes.batches * parts)
    bn = min(bn, 128) if bm == 128 else bn
    blocks = -(-sizes.m // bm) * -(-sizes.n // bn) * sizes.batches * parts
    each, steps = -(-blocks // machine.processors), -(-k // ODD_STEP)
    if bn > 64:
        return each * steps * ODD_LARGE * bm * bn / (128 * 128)
    return -(-each // 2) * (ODD_BLOCK + steps * (ODD_ALONE if each == 1 else ODD_BESIDE))


def _helped(sizes: Product, machine: Machine) -> StreamK | None:
    """Tiles with helpers, of a product whose factors both lie in memory as matrices."""
    if not settings.wgmma or sizes.dtype.itemsize != 2 or not sizes.matrices:
        return None
    return stream_k(sizes.m, sizes.n, sizes.k, sizes.batches, machine.processors, sizes.along)


def _lone(sizes: Product, parts: int, machine: Machine) -> tuple[int, int] | None:
    """The tile of blocks that are alone on their processors, of products whose tiles have `TILE_ROWS` as they
    are, or short sums."""
    if not settings.wgmma or sizes.dtype.itemsize != 2:
        return None
    whole, lone = (
        lone_tile(sizes.m, sizes.n, sizes.batches * n, machine.processors, sizes.along) for n in (1, parts)
    )
    if whole is None:
        return None
    short = parts == 1 and sizes.m > 64 and sizes.k <= LONE_SHORT
    return lone if whole[0] == TILE_ROWS or short else None
