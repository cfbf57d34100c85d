"""A reduction that readers on a GPU compute again, where that takes less time than a launch.

    rms_norm(x) @ w     one vector x of 576: a team of threads has a result of the product, and reads all of x
        ->  each team sums the squares of x for itself; no kernel in front stores the norm

A kernel for the norm alone is a launch, one block at work on 576 numbers. The teams of the product read them
anyway, from the nearest cache. It pays as long as they are few: the estimate is the work of all of them, with
what they read in that cache, against a launch. Codegen lays such a kernel out by the rows of the
product (`codegen.cuda.schemes.rows`).

    k = w @ x;  k * c + swapped(k) * s      RoPE: a product's results are asked for twice, in pairs

The second time w comes from the second cache (L2), if that holds it: the product is made twice, and neither k
is stored nor is there a launch for what it becomes.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Final

from ...graph.kernels.kernel import range_size
from ...graph.node import Node
from ...graph.ops import MOVEMENT
from ..cost import Machine
from ..walk.draft import Request
from ..walk.placing.idle import nearest_reductions, reduction_length

#: bytes that stay in a processor's first cache while its blocks stream something else
NEAR_BYTES: Final = 64 * 1024
#: bytes that stay in the second cache from one reading to the next, and how much faster than memory it is
FAR_BYTES: Final = 8 << 20
FASTER: Final = 3.0


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


def cost_again(
    node: Node, cost: float, near: float, memories: Collection[Node] | None, machine: Machine
) -> float:
    """The work for one element when it is computed for the second time: what it reads is in the second cache
    of a GPU, if that is little."""
    if not machine.is_gpu or memories is None:
        return cost
    if (
        sum(m.size * m.dtype.itemsize for m in memories) > FAR_BYTES
        and _bytes_read(node, memories) > FAR_BYTES
    ):
        return cost
    return near + (cost - near) / FASTER


def _bytes_read(node: Node, memories: Collection[Node]) -> int:
    """Of these memories: where a value is made of a slice of one, as some rows of a matrix, no more than
    that."""
    read: dict[Node, int] = {}
    seen, waiting = {node}, [node]
    while waiting:
        for source in waiting.pop().src:
            least, chain = source.size, source
            while chain.op in MOVEMENT and chain not in memories:
                chain = chain.src[0]
                least = min(least, chain.size)
            if chain in memories:
                read[chain] = max(read.get(chain, 0), least * chain.dtype.itemsize)
            elif chain not in seen:
                seen.add(chain)
                waiting.append(chain)
    return sum(read.values())
