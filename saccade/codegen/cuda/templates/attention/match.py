"""Softmax folds on a GPU: which kernels are attention, and as what two matrix products.

    s[z, m, j] = score(sum over k of Q[z, m, k] * K[z, j, k])
    out[z, m, n] = epilogue(sum over j of softmax_j(s[z, m, j]) * V[z, j, n])

Loops that the keys or the values depend on are z, those of the scores alone m, those of the values alone n.
What happens to a sum of products before it is weighed (`score`: scale, mask, bias) is any expression of it
and the loops."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .....graph import dtypes
from .....graph.kernels.kernel import Kernel, fold, loop, project, range_size
from .....graph.monoid import ADD, SOFTMAX
from .....graph.node import Node, const, is_const, make, own_ranges
from .....graph.ops import ELEMENTWISE, NESTS, Op
from .....graph.rules.symbolic import coefficient_of, simplify
from ....moves.analysis import runs_along
from ....moves.ordered import conjuncts
from ....moves.ragged import uncast
from ..product.match import HALVES, Contraction, narrow

#: fewer keys and shorter factors are not worth a tile; longer rows of sums do not fit in registers
LEAST, MOST = 16, 256
#: of float32, which threads multiply: fewer rows are thin products, and longer rows too many sums
LEAST_ROWS, MOST_WORDS = 32, 128
#: elements of a row of a tile: what is shorter is filled up with zeros
PANEL = 64
#: a block has as many rows, or a part of it, where it must not go over several heads
ROWS = 128


@dataclass(frozen=True)
class Attention:
    """A kernel as attention. `scores.fold` is what `score` is made of, times `scale` (a positive number)
    which is applied last; elements with a key of `count` or more, if there is a count, do not count."""

    scores: Contraction
    output: Contraction
    score: Node
    scale: float
    count: Node | None
    count_only: bool  # is the mask by the count all that happens to a sum of products?
    total: Node | None = None  # the store of the logsumexp of each row's scores, where that is kept

    @property
    def rows_of_one_head(self) -> bool:
        """Must a block not go over several heads, because its keys end at a count of their rows?"""
        counted = self.count is not None and not self.count.ranges.isdisjoint(self.scores.m)
        return counted and len(self.scores.m) > 1


def attention_of(kernel: Kernel) -> Attention | None:
    """The kernel as attention, if it is."""
    if not any(n.op is Op.FOLD and n.arg == SOFTMAX for n in kernel.nodes):
        return None
    if len(kernel.sink.src) > 2 or any(len(s.src) != 3 or s.arg is not None for s in kernel.sink.src):
        return None
    kernel = unmerged(kernel)
    store, *totals = kernel.sink.src
    nodes = store.toposort()
    special = [n for n in nodes if n.op in NESTS]
    if len(special) != 2 or [n.op for n in special] != [Op.FOLD, Op.FOLD]:
        return None
    if any(r.src[0].op is not Op.CONST for r in nodes if r.op is Op.RANGE):
        return None
    sums, softmax = special  # sources come first
    if sums.arg != ADD or softmax.arg != SOFTMAX or len(own_ranges(softmax)) != 1:
        return None
    mean = [n for n in nodes if n.op is Op.DIV and [s.op for s in n.src] == [Op.PROJECT, Op.PROJECT]]
    if len(mean) != 1:
        return None
    found = _classified(kernel, store, mean[0], softmax, sums)
    if found is None or not totals:
        return found
    if found.scores.types[0] not in HALVES:  # threads keep no totals
        return None
    return replace(found, total=totals[0]) if _is_total(totals[0], softmax, found) else None


def _is_total(store: Node, softmax: Node, found: Attention) -> bool:
    """Is the logsumexp of the same scores stored, for each row?"""
    summed = fold(SOFTMAX, (softmax.src[0], const(1.0, softmax.src[0].dtype)), own_ranges(softmax))
    logarithm = make(Op.LOG, summed.dtype, (project(summed, 1),))
    rows = set(found.scores.z) | set(found.scores.m)
    return store.src[2] is project(summed, 0) + logarithm and store.src[1].ranges == rows


def unmerged(kernel: Kernel) -> Kernel:
    """Loops that are taken apart become two: h and d of a result in which heads lie side by side."""
    number, order, parts = kernel.next_axis(), [], {}
    for r in kernel.order:
        factors = {n.src[1] for n in kernel.nodes if n.op in (Op.IDIV, Op.MOD) and n.src[0] is r}
        factor = factors.pop() if len(factors) == 1 else r
        if factor.op is Op.CONST and range_size(r) % factor.arg == 0:
            outer, inner = loop(number, range_size(r) // factor.arg), loop(number + 1, factor.arg)
            parts[r] = outer * factor + inner
            order += [outer, inner]
            number += 2
        else:
            order.append(r)
    return (
        replace(kernel, sink=simplify(kernel.sink.substitute(parts)), order=tuple(order)) if parts else kernel
    )


def _classified(kernel: Kernel, store: Node, mean: Node, softmax: Node, sums: Node) -> Attention | None:
    body, keys = sums.src[0], own_ranges(softmax)
    score, value = softmax.src[0], narrow(softmax.src[1])
    if body.op is not Op.MUL or sums not in score.toposort():
        return None
    factors = [narrow(s) for s in body.src]
    depth = own_ranges(sums)
    by_key = [f for f in factors if keys[0] in f.ranges]
    if len(by_key) != 1 or not all(set(depth) <= f.ranges and f.dtype is by_key[0].dtype for f in factors):
        return None
    (key,) = by_key
    query = factors[0] if key is factors[1] else factors[1]
    shared = key.ranges | value.ranges
    loops = sorted(kernel.order, key=lambda r: -abs(coefficient_of(store.src[1], r) or 0))
    n = tuple(r for r in loops if r in value.ranges and r not in score.ranges)
    m = tuple(r for r in loops if r in score.ranges and r not in shared)
    z = tuple(r for r in kernel.order if r not in n and r not in m)
    halves = key.dtype in HALVES and value.dtype in HALVES
    if not halves and not key.dtype is value.dtype is dtypes.float32:
        return None
    if not n or keys[0] not in value.ranges or key.ranges & set(n):
        return None
    scores = Contraction(store, sums, query, key, z, m, keys, depth, (key.dtype, key.dtype))
    output = Contraction(store, mean, score, value, z, m, n, keys, (value.dtype, value.dtype))
    sizes = [scores.size(x) for x in (m, keys, depth, n)]
    if min(sizes[1:]) < LEAST or max(sizes[2:]) > MOST or any(n.op is Op.BITCAST for n in score.toposort()):
        return None
    if not halves:
        fits = sizes[0] >= LEAST_ROWS and max(sizes[2:]) <= MOST_WORDS
        return _scored(scores, output, unrounded(score, sums)) if fits else None
    # turned factors need tiles of 64 keys, and wide ones of these do not fit on every card
    turned = _runs(key, keys[-1]) or _runs(value, keys[-1]) or not _runs(value, n[-1])
    if turned and sum(sizes[2:]) > MOST:
        return None
    return _scored(scores, output, unrounded(score, sums))


def _runs(factor: Node, r: Node) -> bool:
    """Do neighbours along `r` lie side by side?"""
    return any(n.op is Op.LOAD and runs_along(n, r) == "next" for n in factor.toposort())


def _scored(scores: Contraction, output: Contraction, score: Node) -> Attention:
    raw, scale = _scaled(score)
    count, rest = _count(raw, scores)
    return Attention(scores, output, raw, scale, count, rest is scores.fold)


def unrounded(score: Node, *sums: Node) -> Node:
    """The score in float32, without what rounds it to narrower floats between the sums and the weight."""
    done = {each: each for each in sums}
    for node in score.toposort():
        if node in sums or not any(s in done for s in node.src) or node.op not in ELEMENTWISE:
            continue
        src = tuple([done.get(s, s) for s in node.src])
        if node.op is Op.CAST and node.dtype in (*HALVES, dtypes.float32):
            done[node] = src[0] if src[0].dtype is dtypes.float32 else src[0].cast(dtypes.float32)
            continue
        wide = tuple([_widened(s) for s in src])
        done[node] = make(node.op, dtypes.float32 if node.dtype in HALVES else node.dtype, wide, node.arg)
    return done[score]


def _widened(node: Node) -> Node:
    if node.dtype not in HALVES:
        return node
    return const(node.arg, dtypes.float32) if node.op is Op.CONST else node.cast(dtypes.float32)


def _scaled(score: Node) -> tuple[Node, float]:
    """raw * c -> (raw, c) for c > 0, also below a mask: where(b, raw * c, -inf) is where(b, raw, -inf) * c"""
    scale = 1.0
    masks: list[Node] = []
    while True:
        if score.op is Op.WHERE and is_const(score.src[2], float("-inf")):
            masks.append(score)
            score = score.src[1]
            continue
        pairs = (score.src, score.src[::-1]) if score.op is Op.MUL else ()
        found = [(v, c.arg) for v, c in pairs if is_const(c) and 0 < c.arg < float("inf")]
        if not found:
            break
        score, scale = found[0][0], scale * found[0][1]
    for mask in reversed(masks):
        score = make(Op.WHERE, mask.dtype, (mask.src[0], score, mask.src[2]))
    return score, scale


def _count(score: Node, scores: Contraction) -> tuple[Node | None, Node]:
    """n of a mask that lets pass what has a key less than n, and what is left of the score inside it.

    n may grow along the rows, so that the last row of a block has the largest: causal masks, padded lists."""
    if score.op is not Op.WHERE or not is_const(score.src[2], float("-inf")):
        return None, score
    parts = conjuncts(score.src[0])
    (key,) = scores.n
    for part in parts:
        if part.op is not Op.LT or uncast(part.src[0], key) is not key:
            continue
        count = part.src[1]
        one_head = len(scores.m) == 1 or count.ranges.isdisjoint(scores.m)
        whole = one_head or range_size(scores.m[-1]) % ROWS == 0
        if key not in count.ranges and whole and grows(count, scores.m):
            return count, score.src[1] if len(parts) == 1 else score
    return None, score


def grows(bound: Node, m: tuple[Node, ...]) -> bool:
    """Is it the same for all rows of a block, or does it grow along them?"""
    if bound.ranges.isdisjoint(m):
        return True
    row = m[-1]
    stride = coefficient_of(uncast(bound, row), row)
    return bound.ranges & set(m) == {row} and stride is not None and stride >= 0
