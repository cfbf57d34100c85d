"""A second walk that knows what is stored: what is made of that costs a load, not a product or a sum.

    h = x @ w + b;  y = gelu(h)        backward reads h * 0.5, h * 0.707 and erf(h * 0.707) + 1 again
    n = (c - mean) / deviation         of a convolution's result c; backward reads c - mean, n and relu(n) > 0

The walk goes from the results down, so when it comes to `h * 0.5`, which forward and backward read, it does
not know yet that `h` will be stored too: computing it twice would take the product twice, and it is stored.
Three values more wait for the backward pass of each layer; of a batch norm it was five. Here the products and
reductions that the first walk stored are marked, and the walk is made again: each reader makes what it needs
of `h`. Its kernels stay if the target's estimate of all of them is less. The arena of a training step of
ResNet-18 went from 559 MB to 351.
"""

from __future__ import annotations

from collections.abc import Collection

from ...graph.node import Node, make, walk
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.origin import carry
from ...graph.rewriting.passes import Kernels, Roots
from ..joining.rematerialise import nbytes_of
from ..softmax.online import contiguous
from .facts import ALWAYS_STORED

#: why something is stored, for people
STORED = "a product or a reduction that several kernels read"
#: bytes that are no longer stored, as a share of all that is: a decomposition by rotations, 480 kernels, has
#: a 35th, and a training step an eighth to a half
LEAST_SHARE = 1 / 16
#: elements of a row at least, and operations that are looked at around one value
ROW, MOST_NEAR = 32, 64
_IN_MEMORY = frozenset({Op.BUFFER, Op.PARAM, *ALWAYS_STORED})


def reductions_read_again(roots: Roots, kernels: Kernels, rows: bool) -> set[Node]:
    """Stored products and reductions, one of them as large, of which an elementwise value is stored too; none
    where all such values are a small share of what is stored, which another walk would not be worth. With
    `rows`, reductions that such a value has in its own kernel, too: a core has the row in its cache."""
    makers = {memories[slot]: (kernel, memories) for kernel, memories in kernels for slot in kernel.outputs}
    folds = {node: any(n.op is Op.FOLD for n in kernel.nodes) for node, (kernel, _) in makers.items()}
    own = {n for n in makers if n not in roots and n.op not in ALWAYS_STORED}
    below = {
        n: [m for m in makers[n][1] if m in own and folds[m] and m.size <= n.size]
        for n in own
        if not folds[n]
    }
    # one as large among them: of sums alone (x / x.sum(), again and again) each reader would begin with the
    # first x, and no two kernels would be alike
    below = {n: sources for n, sources in below.items() if any(m.size == n.size for m in sources)}
    of_rows = _of_rows({n for n in own if folds[n]}, makers) if rows else {}
    below |= of_rows
    saved = sum(nbytes_of(n) for n, sources in below.items() if sources)
    if saved < LEAST_SHARE * sum(map(nbytes_of, makers)):
        return set()
    return {m for sources in below.values() for m in sources} - of_rows.keys()


def _of_rows(stored: set[Node], makers: Collection[Node]) -> dict[Node, list[Node]]:
    """Stored values that take no more to read as what they are made of, `x - mean` in float32 as x and its
    means: x and reductions of its rows. Not of one that is such a value itself: its readers would begin with
    the first."""
    found: dict[Node, list[Node]] = {}
    for node in walk(tuple(stored)):  # sources first
        if node not in stored or node.op not in ELEMENTWISE:
            continue
        rows, memories = _rows_and_memories(node, makers)
        if not rows or not memories or any(m in found for m in memories):
            continue
        if sum(map(nbytes_of, memories)) <= nbytes_of(node):
            found[node] = [*rows, *(m for m in memories if m in stored)]
    return found


def _rows_and_memories(node: Node, makers: Collection[Node]) -> tuple[list[Node], list[Node]]:
    """The numbers of rows that a value is made of, each a reduction or made of one, and the memories; none of
    the first where it takes larger reductions."""
    rows: list[Node] = []
    memories: list[Node] = []
    near, seen = [node], {node}
    for each in near:  # which grows
        if each is not node and (each in makers or each.op in _IN_MEMORY):
            memories.append(each)
            continue
        if each.op is Op.EXPAND and each.src[0].size * ROW <= node.size:
            rows.append(each.src[0])
            continue
        if (each.op not in ELEMENTWISE and each.op not in MOVEMENT) or len(near) > MOST_NEAR:
            return [], memories
        near += [s for s in dict.fromkeys(each.src) if s not in seen]
        seen.update(each.src)
    return [r for r in rows if any(n.op is Op.REDUCE for n in _above_memory(r, makers))], memories


def _above_memory(node: Node, makers: Collection[Node]) -> list[Node]:
    """A value and what it is made of, down to the first reductions and memories."""
    near, seen = [node], {node}
    for each in near:  # which grows
        if each.op is not Op.REDUCE and each not in makers and len(near) <= MOST_NEAR:
            near += [s for s in dict.fromkeys(each.src) if s not in seen]
            seen.update(each.src)
    return near


def with_stored(roots: Roots, nodes: set[Node]) -> tuple[Roots, dict[Node, Node]]:
    """The same results with these nodes stored, and what each node became."""
    done: dict[Node, Node] = {}
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        done[node] = contiguous(made, STORED) if node in nodes else made
        carry(node, done[node])
    return tuple([done[r] for r in roots]), done
