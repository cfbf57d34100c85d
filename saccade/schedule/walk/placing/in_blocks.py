"""What a product costs that is made in a tile of another, a block of rows at a time.

    relu(x @ a) @ b     for 16 rows or 32: { tile = relu(x[rows] @ a);  result[rows] = tile @ b }

A tile spares a store and a load. But lone factors meet a vector or two of rows only, and every block reads
all of a and b again: nothing where they stay in the first cache, a lot where no near cache holds them. Rows
too few for a block are made one by one, each a vector times a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from ....graph.forms import TILED
from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ....graph.ops import ELEMENTWISE, MOVEMENT, Op
from ....transform.lying import memory_of
from ...cost import Machine
from ...limits import MOST_IN_A_ROW
from ...products.product import factors_of, product_of
from ..draft import Request
from .region import Region

#: bytes of a factor that stay in the first cache of a core, and in its second. One thread of a Cascade Lake,
#: relu(x @ a) @ b in a tile and stored: 2048 x 64 x 256 x 64 1.20 and 1.26 ms, 512 x 128 x 512 x 128 1.30 and
#: 1.09, 1024 x 128 x 1024 x 128 6.7 and 4.7, 2048 x 8 x 128 x 1024 6.8 and 5.0, 4096 x 8 x 512 x 512 37 and
#: 18
FIRST_BYTES, CACHE_BYTES = 1 << 16, 1 << 20
#: rows that read a factor once
ROWS_OF_A_BLOCK = 16
#: how much longer a product takes in blocks, as a share. A store and a load cost less from sums of about 150
#: on: 10.6 -> 8.4 ms for softmax(x @ a) @ b of 1024 x 256 x 256 on one core, 0.51 -> 0.42 for 64 x 784 x 128
#: x 10, and the other way round 1.44 -> 1.52 for 4096 x 16 x 64 x 4
SLOWER = 0.1
#: the same of rows that are too few for a block. One thread of a Cascade Lake, in a tile and stored: 8 x 64 x
#: 64 x 64 11.3 and 9.7 us, 12 x 128 x 128 x 128 33.2 and 14.4, 4 x 784 x 128 x 10 51.2 and 15.5
ROW_BY_ROW = 1.0
#: what is made where it is read
_NEAR = ELEMENTWISE | MOVEMENT | {Op.REDUCE}


def made_by_blocks(
    node: Node, products: list[Node], region: Region, requests: list[Request], machine: Machine
) -> float:
    """What it costs to make a node of products, or of rows of them, in tiles, and to multiply these."""
    rows = prod(map(range_size, region.held))
    met = _met_by_tile(node, requests)
    factors = [*_shared_by_rows(node, products, region, requests, rows), *met.values()]
    read = sum(nbytes * _of_byte(nbytes, machine) for nbytes in factors)
    slower = SLOWER * sum(p.src[0].size for p in products)
    if 1 < rows < ROWS_OF_A_BLOCK * min([_batches(p) for p in products], default=1):
        slower = ROW_BY_ROW * sum(p.src[0].size for p in {*products, *met})
    return rows / ROWS_OF_A_BLOCK * read + slower * machine.multiply[TILED]


def _batches(product: Node) -> int:
    sizes = product_of(product)
    return sizes.batches if sizes is not None else 1


def _of_byte(nbytes: float, machine: Machine) -> float:
    """The cost to read a byte of so many in each block, from the cache they stay in."""
    if nbytes <= FIRST_BYTES:
        return 0.0
    return machine.tile_byte if nbytes <= CACHE_BYTES else machine.memory_byte


def _shared_by_rows(
    node: Node, products: list[Node], region: Region, requests: list[Request], rows: int
) -> Iterator[float]:
    """Bytes of each factor that all rows of tiles have in common, as weights."""
    held = [
        bool(i.ranges & region.held) for i, n in zip(requests[0].indices, node.shape, strict=True) if n > 1
    ]
    for product in products:
        shape = product.src[0].shape
        kept = [a for a, n in enumerate(shape) if a not in product.arg[1] and n > 1]
        if len(kept) != len(held):
            continue
        for factor in factors_of(product) or ():
            shared = factor.op is Op.EXPAND
            varies = prod(
                shape[a]
                for a, own in zip(kept, held, strict=True)
                if own and not (shared and factor.src[0].shape[a] == 1)
            )
            if varies < rows:
                yield memory_of(factor) / varies * factor.dtype.itemsize


def _met_by_tile(node: Node, requests: list[Request]) -> dict[Node, float]:
    """The products of rows of a tile, and the bytes of what these are multiplied with."""
    met = {}
    for product in dict.fromkeys(p for r in requests for p in r.draft.products):
        factors, sizes = factors_of(product), product_of(product)
        if factors is None or sizes is None:
            continue
        for mine, other in (factors, factors[::-1]):
            if _is_made_of(mine, node):
                met[product] = memory_of(other) / sizes.batches * other.dtype.itemsize
    return met


def _is_made_of(value: Node, node: Node) -> bool:
    """Is a value made of a node, with no product between them?"""
    near, seen = [value], {value}
    for below in near:  # which grows
        if below is node:
            return True
        if factors_of(below) is None and below.op in _NEAR and len(near) < MOST_IN_A_ROW:
            near += [s for s in dict.fromkeys(below.src) if s not in seen]
            seen.update(below.src)
    return False


def products_in(node: Node) -> list[Node]:
    """The products that elements of a node are computed from directly, as far as one kernel reaches: a
    residual network goes on from layer to layer."""
    found: list[Node] = []
    near = [node]
    seen = {node}
    for below in near:  # which grows
        if factors_of(below) is not None:
            found.append(below)
        elif (below.op in ELEMENTWISE or below.op is Op.RESHAPE) and len(near) < MOST_IN_A_ROW:
            new = [s for s in dict.fromkeys(below.src) if s not in seen]
            near += new
            seen.update(new)
    return found
