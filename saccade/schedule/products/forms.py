"""Products in forms the target is fast at: the walk, and where a kernel has lost its form, another walk.

    silu(x @ a) * (x @ b)     one kernel of two products: no matrix units for either
        ->  h = x @ a, stored;  silu(h) * (x @ b), a product with an epilogue

The walk fuses what costs the fewest bytes. A product shares a kernel with another product, a running sum, a
window or a mask only if the target has a form for the whole; otherwise the target says so (`plain loops`),
the product is stored, or where that is no help what it is made of, and the walk is made again. What is stored
more stays if the target's estimate of all kernels is less than before.
"""

from __future__ import annotations

from ...graph.forms import LEAST_SUM, LEAST_WORK, PLAIN
from ...graph.node import Node
from ...graph.ops import ELEMENTWISE, Op
from ...graph.rewriting.passes import Kernels, Roots
from ...transform.stores import Targets
from ..cost import Machine
from ..target import Target, target_of
from ..walk.draft import Draft
from ..walk.movement import forget_places
from ..walk.ranges import Walk
from .product import chain_of, factors_of, product_of

#: walks at most: each splits every kernel that is slow, so more than a few are for products inside of others
MOST_WALKS = 8


def kernels_in_forms(roots: Roots, machine: Machine, targets: Targets) -> Kernels:
    """Kernels that store the results, no product of theirs in plain loops where storing it helps."""
    try:
        return _in_forms(roots, machine, targets)
    finally:
        forget_places()


def _in_forms(roots: Roots, machine: Machine, targets: Targets) -> Kernels:
    walk = Walk(roots, machine, targets)
    kernels = walk.kernels()
    if not any(draft.contracts for draft in walk.drafts):
        return kernels
    target = target_of(machine)
    refused: frozenset[Node] = frozenset()
    for _ in range(MOST_WALKS):
        more = _to_store(walk, kernels, target, refused)
        if not more:
            break
        other = Walk(roots, machine, targets, walk.apart | more)
        made = other.kernels()
        if _seconds(made, target) < _seconds(kernels, target):
            walk, kernels = other, made
        else:
            refused |= more
    return kernels


def _seconds(kernels: Kernels, target: Target) -> float:
    return sum(target.seconds(kernel) for kernel, _ in kernels)


def _to_store(walk: Walk, kernels: Kernels, target: Target, refused: frozenset[Node]) -> frozenset[Node]:
    """What to store so that kernels with products in plain loops get others: all of their products but one,
    which then has the epilogue, or the only one; else what these are made of. Not what was refused."""
    products: list[Node] = []
    for draft, (kernel, _) in zip(walk.finished, kernels, strict=True):
        large = _large_products(draft)
        if large and target.form(kernel) == PLAIN:
            products += large[1:] or large
    if not products:
        return frozenset()
    readers: dict[Node, list[Node]] = {}
    for node in walk.order:
        for source in dict.fromkeys(node.src):
            readers.setdefault(source, []).append(node)
    kept = walk.roots | frozenset(walk.stored) | walk.apart | refused
    ends = frozenset([_end_of(p, walk, readers) for p in products]) - kept
    factors = _computed_factors(products) - walk.roots - refused
    # with one of them stored apart, the walk may keep another in a tile that it stored before
    return ends or (factors if factors - walk.apart else frozenset())


def _computed_factors(products: list[Node]) -> frozenset[Node]:
    """What products are made of that is computed, under movements: as rows that are normalised for each
    product in a tile of their own, they leave a product no loops for a tile of registers."""
    factors = [chain_of(f)[-1] for p in products for f in factors_of(p) or ()]
    return frozenset([f for f in factors if f.op in ELEMENTWISE or f.op is Op.REDUCE])


def _large_products(draft: Draft) -> list[Node]:
    """The products of matrices in a draft that need a form of their own."""
    found = []
    for node in dict.fromkeys(draft.products):
        sizes = product_of(node)
        if sizes is None or min(sizes.m, sizes.n) < 2 or sizes.k < LEAST_SUM:
            continue
        if sizes.multiplications >= LEAST_WORK:
            found.append(node)
    return found


def _end_of(product: Node, walk: Walk, readers: dict[Node, list[Node]]) -> Node:
    """The product, or what is made of it alone by casts and constants, if nobody reads it otherwise and it is
    no wider: that takes fewer bytes."""
    end = product
    while end not in walk.roots and len(readers.get(end, ())) == 1:
        (above,) = readers[end]
        if above.op not in ELEMENTWISE or above not in walk.products:
            break
        if above.dtype.itemsize > end.dtype.itemsize:
            break
        end = above
    return end
