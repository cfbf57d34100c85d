"""How much one kernel holds: a graph may be of any size, a kernel may not.

    x = x + 1, 10,000 times      ->  40 equal kernels of 256 additions, compiled once
    x = x / x.sum(), 100 times   ->  a kernel for every 16 sums
    x = x.T.reshape(3, 4)        ->  a kernel for about every 12 of them

Compilers take more than linear time for one function, and generated code nests as deeply as its loops do. A
value beyond a limit is stored, whatever it costs to load it again. No limit is near what programs without
hundreds of operations in a row reach: of some 2,400 programs (of this package and of its tests) the largest
kernels had 205 operations in a row, 11 nested reductions or tiles, 1,398 operations in all, 85 memories, and
places of 31 operations in a row, 767 in all.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.node import Node
from ..graph.ops import MOVEMENT, TRANSCENDENTAL, Op
from ..transform.lying import memory_of
from .walk.draft import Request

#: operations in a row, from a result down
MOST_IN_A_ROW = 256
#: reductions and tiles that are inside of each other, or made from each other
MOST_NESTED = 16
#: loads in a row, each at a place that another found: masks grow with each
MOST_LOADS = 10
#: the same where they are of so many elements of memory as it is, as in a binary search: a cache keeps them.
#: Beyond it, a processor has fewer misses on their way at once where an element has more loads (one thread of
#: a Cascade Lake, 2**20 numbers: among 4,096 36 -> 23 ms, among 2**24 325 -> 370)
MOST_SEARCHED, SEARCHED = 20, 1 << 17
#: operations in a row that work out a place, and of all places of a kernel: a chain of views that do not
#: simplify (`x.T.reshape(3, 4)` again and again) is divisions all the way
MOST_IN_A_PLACE, MOST_OF_PLACES = 64, 1024
#: operations of a kernel, reductions among them, each of which has moves of its own, and memories it
#: touches: a GPU passes at most 4 KiB of addresses
MOST_OPERATIONS, MOST_REDUCTIONS, MOST_MEMORIES = 2048, 64, 128
#: the same for kernels that are joined, where places count too
MOST_JOINED = 2 * MOST_OPERATIONS
#: what an operation counts for, by the time that compiling it takes: 400 sines in one kernel took 8 s
OPERATIONS = (
    dict.fromkeys(MOVEMENT, 0) | dict.fromkeys(TRANSCENDENTAL, 4) | {Op.SIN: 32, Op.COS: 32, Op.TAN: 32}
)
#: how far beyond its limits a kernel goes to end at a value that is no larger than what it is made from
SPARE_IN_A_ROW, SPARE_NESTED = 64, 4


def too_large(node: Node, asked: list[Request], reads_memory: bool, is_product: bool) -> str | None:
    """Why a kernel that asks for a node cannot hold it and what is below it too; None if it can."""
    narrow: bool | None = None
    for request in asked:
        if request.depth > MOST_IN_A_ROW or request.nested > MOST_NESTED:
            if narrow is None:
                narrow = _is_narrow(node, is_product)
            if request.depth > MOST_IN_A_ROW + (0 if narrow else SPARE_IN_A_ROW):
                return f"a kernel computes at most {MOST_IN_A_ROW} operations in a row"
            if request.nested > MOST_NESTED + (0 if narrow else SPARE_NESTED):
                return f"a kernel nests at most {MOST_NESTED} reductions and tiles"
        if request.steps > MOST_IN_A_PLACE:
            return f"a place is at most {MOST_IN_A_PLACE} operations in a row"
        draft = request.draft
        if len(draft.steps) > MOST_OF_PLACES:
            return f"the places of a kernel are at most {MOST_OF_PLACES} operations"
        if draft.operations > MOST_OPERATIONS:
            return f"a kernel computes at most {MOST_OPERATIONS} operations"
        if draft.folds > MOST_REDUCTIONS:
            return f"a kernel computes at most {MOST_REDUCTIONS} reductions"
        # the node is one of those the draft waits for
        if reads_memory and len(draft.memories) + len(draft.waiting) + len(node.src) - 1 > MOST_MEMORIES:
            return f"a kernel reads at most {MOST_MEMORIES} memories"
    return None


def weight(nodes: Iterable[Node]) -> int:
    """What the operations of a kernel count for, those of its places among them."""
    return sum([OPERATIONS.get(node.op, 1) for node in nodes])


def _is_narrow(node: Node, is_product: bool) -> bool:
    """Is it a good place to end a kernel? A view is not, perhaps it is a wide one of what comes next, nor is
    an outer product. And whoever reads a sum often reads what is summed as well: with that stored, one kernel
    serves both."""
    if node.op in MOVEMENT:
        return False
    if node.op is Op.REDUCE or node.op is Op.TOPK:
        return is_product
    return node.size <= max(map(memory_of, node.src))
