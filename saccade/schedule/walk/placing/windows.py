"""Windows over a padded value, on a GPU: who reads them tells what is inside, and no padded copy is made.

    sum over i of x[y + i - 1] * w[i]       a thread has neighbours y, and reads what their windows share once
    sum over y of x[y + i - 1] * g[y]       a warp has a run of y, and a sum for each place i of a window

Both are thin products (`codegen/cuda/schemes/thin.py`). In a product of matrices a condition costs
more than a copy."""

from __future__ import annotations

from collections.abc import Set
from math import prod

from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ...products.product import LEAST_SIDE, product_of
from ..draft import Request

#: the longest window whose overlap a thread reads once
MOST_WINDOW = 8
#: places of a window each of which has a sum and a condition of its own; beyond, a copy costs less
MOST_PLACES = 16


def slides_over(request: Request) -> bool:
    """Is it asked for by windows of a thin product, whose neighbours share what a thread or a warp has read?
    A padded copy would be written and read: depthwise 3x3 of 128 x 64 x 56 x 56 halves has to move 103 MB,
    and moved 217."""
    if not request.context.operand or len(request.draft.products) != 1:
        return False
    product = product_of(request.draft.products[0])
    if product is None or min(product.m, product.n) >= LEAST_SIDE:
        return False
    outer, inner = frozenset(request.context.outer), frozenset(request.context.inner)
    if min(product.m, product.n) == 1 and 1 < _places(request, outer, inner) <= MOST_PLACES:
        return True
    # neighbours along the last axis are other threads
    return any(
        i.ranges & outer and 1 < prod(map(range_size, i.ranges & inner)) <= MOST_WINDOW
        for i in request.indices[:-1]
    )


def _places(request: Request, window: Set[Node], along: Set[Node]) -> int:
    """The places of a window of some loops that slides along others, all its axes together."""
    sliding = [i.ranges & window for i in request.indices if i.ranges & along]
    return prod(range_size(r) for loops in sliding for r in loops)
