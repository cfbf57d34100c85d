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

from ...graph.node import Node, make, walk
from ...graph.ops import Op
from ...graph.origin import carry
from ...graph.rewriting.passes import Kernels, Roots
from ..joining.rematerialise import nbytes_of
from ..products.online import contiguous
from .placement import ALWAYS_STORED

#: why something is stored, for people
STORED = "a product or a reduction that several kernels read"
#: bytes that are no longer stored, as a share of all that is: a decomposition by rotations, 480 kernels, has
#: a 35th, and a training step an eighth to a half
LEAST_SHARE = 1 / 16


def reductions_read_again(roots: Roots, kernels: Kernels) -> set[Node]:
    """Stored products and reductions, one of them as large, of which an elementwise value is stored too; none
    where all such values are a small share of what is stored, which another walk would not be worth."""
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
    saved = sum(nbytes_of(n) for n, sources in below.items() if sources)
    if saved < LEAST_SHARE * sum(map(nbytes_of, makers)):
        return set()
    return {m for sources in below.values() for m in sources}


def with_stored(roots: Roots, nodes: set[Node]) -> tuple[Roots, dict[Node, Node]]:
    """The same results with these nodes stored, and what each node became."""
    done: dict[Node, Node] = {}
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        done[node] = contiguous(made, STORED) if node in nodes else made
        carry(node, done[node])
    return tuple([done[r] for r in roots]), done
