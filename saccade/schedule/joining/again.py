"""A short reduction that every reader on a GPU computes again, where that takes less time than a launch.

    rms_norm(x) @ w     one vector x of 576: a team of threads has a result of the product, and reads all of x
        ->  each team sums the squares of x for itself; no kernel in front stores the norm

A kernel for the norm alone is a launch, one block at work on 576 numbers. The teams of the product read them
anyway, from the nearest cache. It pays as long as they are few: the estimate is the work of all of them, with
what they read in that cache, against a launch. Codegen lays such a kernel out by the rows of the
product (`codegen.cuda.schemes.rows`).
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Final

from ...graph.kernels.kernel import range_size
from ...graph.node import Node
from ..cost import Machine
from ..walk.draft import Request
from ..walk.idle import nearest_reductions, reduction_length

#: bytes that stay in a processor's first cache while its blocks stream something else
NEAR_BYTES: Final = 64 * 1024


def made_again(
    node: Node, requests: list[Request], near: float, memories: Collection[Node] | None, machine: Machine
) -> bool:
    """Does a value with a reduction in it take less than a launch if all its readers compute it? `near` is
    the work for one element with what it reads in the first cache; `memories` is what it is made of."""
    if memories is None or sum(m.size * m.dtype.itemsize for m in memories) > NEAR_BYTES:
        return False
    found = nearest_reductions(node)
    longest = max(map(reduction_length, found), default=0)
    if not found or any(n.size != 1 for n in found):
        return False
    work = 0.0
    for request in requests:
        context = request.context
        inner = prod(map(range_size, context.inner))
        # a team is at work on a reduction around it that is as long
        if (
            context.streamed
            or not context.inner
            or inner < longest
            or request.free & frozenset(context.outer)
        ):
            return False
        teams = prod(map(range_size, context.outer))
        work += teams * near * (inner if request.free else 1)
    return work <= machine.launch
