"""Products of a factor that is computed again: which kernels are one, and as what matrix products.

    s[z, m, j] = sum over k of A[z, m, k] * B[z, j, k]             one or two of these
    out[z, m, n] = epilogue(sum over j of weight(s, ..)[z, m, j] * V[z, j, n])      one or two of these
    out[z, j, n] = epilogue(sum over m of weight(s, ..)[z, m, j] * A[z, m, n])      beside two of them, one

The gradients of attention are three of them (`scores_again`): rows are queries and j the keys, or
the other way round. `weight` is any expression of the inner sums and the loops. Loops that B or V depend on
are z, those of the weight alone m, those of V alone n. The last line is a sum `across`: dq beside dk and dv,
made of the same weights (`across.py`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from .....graph import dtypes
from .....graph.kernels.kernel import Kernel, range_size, sink
from .....graph.monoid import ADD
from .....graph.node import Node, const, index_const, is_const, own_ranges
from .....graph.ops import NESTS, Op
from .....graph.rules.symbolic import coefficient_of, simplify
from ....moves.ordered import conjuncts
from ....moves.ragged import uncast
from ...pieces import factor, runs
from ..attention.match import LEAST, grows, unmerged, unrounded
from ..product.match import HALVES, Contraction, narrow

#: longer rows of sums do not fit in registers beside the scores
MOST = 128

Inner = tuple[Contraction, ...]


@dataclass(frozen=True)
class Sum:
    """A sum over j: `product.a` is the weight and `product.b` the values. `weight` is that in float32,
    `inside` what it is where no bound has to be looked at."""

    product: Contraction
    weight: Node
    inside: Node


@dataclass(frozen=True)
class Across:
    """A sum over the rows of the others, for each of their keys. It is a `product` of its own (its rows are
    their keys) with the weights of sum number `weight`; its values are the rows of inner product `tile`."""

    product: Contraction
    weight: int
    tile: int


@dataclass(frozen=True)
class Recomputed:
    """A kernel as such products. Where `low` and `high` are given, row m has weights from key low(m) to
    high(m) alone, and both grow along the rows."""

    inner: Inner
    sums: tuple[Sum, ...]
    low: Node | None
    high: Node | None
    across: Across | None = None

    @property
    def outer(self) -> Contraction:
        return self.sums[0].product

    @property
    def bounded(self) -> bool:
        return self.low is not None or self.high is not None


@lru_cache(maxsize=256)  # the scheduler asks before codegen does
def recomputed_of(kernel: Kernel) -> Recomputed | None:
    """The kernel as products with factors made of one or two others, if it is that."""
    stores = kernel.sink.src
    if len(stores) == 3:
        return _with_across(kernel)
    if len(stores) > 2 or any(s.op is not Op.STORE or len(s.src) != 3 or s.arg is not None for s in stores):
        return None
    folds = [n for n in kernel.nodes if n.op in NESTS]
    if not 1 <= len(folds) - len(stores) <= 2 or any(n.op is not Op.FOLD or n.arg != ADD for n in folds):
        return None
    kernel = unmerged(kernel)
    nodes = kernel.sink.toposort()
    if any(r.src[0].op is not Op.CONST for r in nodes if r.op is Op.RANGE):
        return None
    outer = [next(n for n in reversed(s.toposort()) if n.op is Op.FOLD) for s in kernel.sink.src]
    inner = [n for n in nodes if n.op is Op.FOLD and n not in outer]
    if not 1 <= len(inner) <= 2 or len({own_ranges(fold) for fold in outer}) != 1:
        return None
    (keys, *others) = own_ranges(outer[0])
    products = _inner(kernel, inner, keys)
    if others or products is None:
        return None
    sums = [_sum(kernel, store, fold, products) for store, fold in zip(kernel.sink.src, outer, strict=True)]
    return _bounded(products, [s for s in sums if s is not None]) if None not in sums else None


def _with_across(kernel: Kernel) -> Recomputed | None:
    """Two sums side by side, and a third across them."""
    for lone in kernel.sink.src:
        others = tuple([store for store in kernel.sink.src if store is not lone])
        first, second = (recomputed_of(replace(kernel, sink=sink(stores))) for stores in (others, (lone,)))
        if first is not None and second is not None and len(first.sums) == 2:
            across = _across(first, second)
            if across is not None:
                return replace(first, across=across)
    return None


def _across(first: Recomputed, second: Recomputed) -> Across | None:
    """The sum of the second as one across those of the first: its rows are their keys."""
    ours, theirs = first.outer, second.outer
    if any(len(loops) != 1 for c in (ours, theirs) for loops in (c.m, c.k)):
        return None
    if (theirs.z, theirs.n) != (ours.z, ours.n) or ours.size(ours.m) != ours.size(ours.k):
        return None
    tiles = [tile_of_values(first.inner, s.product) for s in first.sums]
    if None in tiles or not all(_is_copied(c, side) for c in first.inner for side in (c.a, c.b)):
        return None
    swapped = {theirs.m[0]: ours.k[0], theirs.k[0]: ours.m[0]}
    weight = simplify(second.sums[0].weight.substitute(swapped))
    known = {
        fold: c.fold for fold in weight.toposort() if fold.op is Op.FOLD
        for c in first.inner if same_fold(fold, c.fold)
    }  # fmt: skip
    weight = weight.substitute(known)
    alike = [i for i, s in enumerate(first.sums) if simplify(s.weight) is weight]
    value = simplify(theirs.b.substitute(swapped))
    rows = [i for i, c in enumerate(first.inner) if _by_column(c, c.a, ours) is value]
    return Across(theirs, alike[0], rows[0]) if alike and rows else None


def _is_copied(c: Contraction, side: Node) -> bool:
    """Does a factor lie in memory as it is multiplied? Who copies has no registers to compute one."""
    loops = c.m if side is c.a else c.n
    return factor("", side, c, loops, c.types[0], True).copied


def same_fold(fold: Node, other: Node) -> bool:
    """Are two reductions one, whatever their loops are called?"""
    ranges = dict(zip(own_ranges(fold), own_ranges(other), strict=False))
    return len(own_ranges(fold)) == len(own_ranges(other)) and simplify(fold.substitute(ranges)) is simplify(
        other
    )


def _inner(kernel: Kernel, folds: list[Node], key: Node) -> list[Contraction] | None:
    """The sums the weights are made of; only their depth, factors and types are known yet."""
    made = []
    for fold in folds:
        body, depth = fold.src[0], own_ranges(fold)
        if body.op is not Op.MUL:
            return None
        factors = [narrow(s) for s in body.src]
        by_key = [f for f in factors if key in f.ranges]
        if len(by_key) != 1 or any(f.dtype not in HALVES or not runs(f, depth[-1]) for f in factors):
            return None
        row = factors[0] if by_key[0] is factors[1] else factors[1]
        made.append(Contraction(kernel.sink, fold, row, by_key[0], (), (), (key,), depth, (row.dtype,) * 2))
    return made


def _sum(kernel: Kernel, store: Node, fold: Node, inner: list[Contraction]) -> Sum | None:
    if fold.src[0].op is not Op.MUL or fold.src[0].dtype is not dtypes.float32:
        return None
    sides = fold.src[0].src
    if not any(n.op is Op.FOLD for n in sides[0].toposort()):
        sides = sides[::-1]
    weight, value = sides[0], narrow(sides[1])
    made = [n for n in weight.toposort() if n.op is Op.FOLD]
    keys = own_ranges(fold)
    if not made or any(n.op is Op.FOLD for n in value.toposort()) or keys[0] not in value.ranges:
        return None
    # the tensor cores take the weight in the type of the values: it has to be of that type anyway
    if narrow(weight).dtype is not value.dtype or any(n.op is Op.BITCAST for n in weight.toposort()):
        return None
    shared = value.ranges.union(*[c.b.ranges for c in inner])
    rows = frozenset().union(*[c.fold.ranges for c in inner])
    loops = sorted(kernel.order, key=lambda r: -abs(coefficient_of(store.src[1], r) or 0))
    n = tuple(r for r in loops if r in value.ranges and r not in rows)
    m = tuple(r for r in loops if r in rows and r not in shared)
    z = tuple(r for r in kernel.order if r not in n and r not in m)
    if not n or not m or value.dtype not in HALVES or not runs(value, n[-1]):
        return None
    if weight.ranges & set(n) or any(c.b.ranges & set(n) for c in inner):
        return None
    product = Contraction(store, fold, weight, value, z, m, n, keys, (value.dtype, value.dtype))
    whole = unrounded(weight, *made)
    return Sum(product, whole, whole)


def _bounded(inner: list[Contraction], sums: list[Sum]) -> Recomputed | None:
    """All of it, if it is of one type and of sizes that tiles are made for; and where the keys of a row begin
    and end, if a mask says so: the weight is exp(-inf) = 0 elsewhere."""
    outer = sums[0].product
    if any((s.product.z, s.product.m, s.product.n) != (outer.z, outer.m, outer.n) for s in sums):
        return None
    inner = [replace(c, store=outer.store, z=outer.z, m=outer.m) for c in inner]
    widths = [*(c.size(c.k) for c in inner), outer.size(outer.n)]
    if min(outer.size(outer.k), outer.size(outer.m), *widths) < LEAST or max(widths) > MOST:
        return None
    if len({t for c in (*inner, *(s.product for s in sums)) for t in c.types}) != 1:
        return None
    low, high, true = _bounds(sums, outer)
    inside = [replace(s, inside=simplify(s.weight.substitute(true)) if true else s.weight) for s in sums]
    return Recomputed(tuple(inner), tuple(inside), low, high)


def _bounds(sums: list[Sum], outer: Contraction) -> tuple[Node | None, Node | None, dict[Node, Node]]:
    (key,), low, high, true = outer.k, None, None, {}
    exponents = [[n for n in s.weight.toposort() if n.op is Op.EXP] for s in sums]
    masks = [frozenset(m for e in each for n in e.toposort() if _masks(n) for m in conjuncts(n.src[0]))
             for each in exponents]  # fmt: skip
    for part in frozenset.intersection(*masks):
        bound, ends = _bound(part, key)
        if bound is None or not grows(bound, outer.m) or (high if ends else low) is not None:
            continue
        high, low = (bound, low) if ends else (high, bound)
        true[part] = const(True, dtypes.bool_)
    return low, high, true


def _masks(node: Node) -> bool:
    return node.op is Op.WHERE and is_const(node.src[2], float("-inf"))


def _bound(part: Node, key: Node) -> tuple[Node | None, bool]:
    """b of key < b (it ends there), or of b <= key (it begins there)."""
    if part.op is not Op.LT:
        return None, False
    left, right = part.src
    if uncast(left, key) is key and key not in right.ranges:
        return right, True
    if left.dtype is not dtypes.index or key in left.ranges or coefficient_of(right, key) != 1:
        return None, False
    # left < key + rest
    return simplify(left - right.substitute({key: index_const(0)}) + 1), False


def tile_of_values(inner: Inner, product: Contraction) -> int | None:
    """The inner product whose factor by key is the value, column for column: one tile serves both."""
    for number, c in enumerate(inner):
        if _by_column(c, c.b, product) is simplify(product.b):
            return number
    return None


def _by_column(inner: Contraction, side: Node, product: Contraction) -> Node | None:
    """A factor of an inner product, its columns named as those of another product."""
    if [range_size(r) for r in inner.k] != [range_size(r) for r in product.n]:
        return None
    return simplify(side.substitute(dict(zip(inner.k, product.n, strict=True))))
