"""The gradient of attention without its scores in memory: FlashAttention's backward computes them again.

    s = q k^T;  w = softmax(s);  out = w v                       forward
    g = dout v^T;  ds = w * (g - sum_j w_j g_j)                  backward
    dv = w^T dout;  dq = ds k;  dk = ds^T q

Forward and backward share w, so storing it looks cheap and is not: it has a number for every pair of places.
Three rewrites take it out of memory. None of them knows where the scores come from (scale, mask, bias), and
in exact arithmetic none changes a result:

    (g / total + c) * e  ->  w * (g - d)          the slope of a softmax, e = exp(s - max), w = e / total
    sum_j w_j sum_n a_n v_jn  ->  sum_n a_n out_n       d: exchanged sums, a row of `out` instead of one of w
    w  ->  exp(s - l), l = logsumexp(s)           a number for each row is kept, by the kernel of `out`

What is left are sums of products with a factor that is a function of other products, element by element:
REDUCE(weighted) of (factor, other). Each is one kernel, which makes the factor tile by tile.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from ...graph import dtypes
from ...graph.monoid import ADD, LOGSUMEXP, SOFTMAX, WEIGHTED
from ...graph.node import Node, Shape, make, walk
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.rewriting.passes import note, rewrite_pass
from ...transform.terms import expanded, permuted, reduced, reshaped, sliced
from ..products.results import inverse, stored_once, stored_order
from .online import (
    HALVES,
    LARGE,
    READ,
    STORED,
    below_movement,
    contiguous,
    end_of,
    factor_type,
    folds_below,
    loops_of,
    multiplies,
    readers_of,
    softmax_of,
    sum_of_products,
)
from .slopes import slope_of

#: why something is stored, for people
AGAIN = "a product with scores that are computed again"
MEAN, TOTALS = "a softmax and a product with it in one pass", "of each row what computes its weights again"

Readers = dict[Node, list[Node]]
_MOVES = MOVEMENT - {Op.PAD}


@dataclass
class Again:
    """What became of a graph: `sums` is what is stored, with the sum it was; `weights` has for each such sum
    the softmax it belongs to; `totals` for every logsumexp of rows that is stored the mean whose kernel makes
    it, as it is stored."""

    by_rows: dict[Node, Node] = field(default_factory=dict)  # what a node became first, and then
    done: dict[Node, Node] = field(default_factory=dict)
    sums: dict[Node, Node] = field(default_factory=dict)
    weights: dict[Node, Node] = field(default_factory=dict)
    totals: dict[Node, Node] = field(default_factory=dict)

    def became(self, node: Node) -> Node:
        first = self.by_rows.get(node, node)
        return self.done.get(first, first)


@dataclass(frozen=True)
class Softmax:
    """`weights` are the softmax of `scores` along an axis, and these are made of one sum of products."""

    weights: Node
    scores: Node
    axis: int


@dataclass(frozen=True)
class Group:
    """A softmax and all sums of products that its weights are in: with the weights themselves, along their
    axis (`means`), and others; for each the factor that the weights are in and the other one."""

    softmax: Softmax
    means: dict[Node, tuple[Node, Node]]
    others: dict[Node, tuple[Node, Node]]


@rewrite_pass("scores of attention again")
def scores_again(
    roots: tuple[Node, ...], alone: Collection[Node] = (), refused: Collection[Node] = ()
) -> tuple[tuple[Node, ...], Again]:
    """The same results with the weights of every softmax that is in several products, but the `refused`,
    computed again by each; sums in `alone` are stored as they are, and not as a view of them."""
    again = Again()
    roots = _with_slopes_by_rows(roots, refused, again.by_rows)
    readers = readers_of(roots)
    groups = [g for s in _softmaxes(readers) if (g := _group(s, readers, roots)) is not None]
    groups = [g for g in groups if g.softmax.weights not in refused]
    if groups:
        roots = _computed_again(again, roots, groups, readers, alone)
    return roots, again


def _with_slopes_by_rows(
    roots: tuple[Node, ...], refused: Collection[Node], done: dict[Node, Node]
) -> tuple[Node, ...]:
    """The slope of every softmax by a sum over a row of the mean. `done` gets what each node became."""
    readers = readers_of(roots)
    slopes = {n: s for n in readers if (s := _slope(n, readers)) is not None and s.weights not in refused}
    if not slopes:
        return roots
    # what a slope will read and its own sources do not: first
    for node in walk((*(s.mean for s in slopes.values() if s.mean is not None), *roots)):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        if node in slopes:
            made = _by_rows(slopes[node], done)
            note(_by_rows, node, made)
        done[node] = made
    return tuple([done[r] for r in roots])


def reductions_again(roots: tuple[Node, ...]) -> set[Node]:
    """The reductions of all that may be computed again, which have to be found whole."""
    readers = readers_of(roots)
    found: set[Node] = set()
    tops: list[Node] = []
    for node in readers:
        if (slope := _slope(node, readers)) is not None:
            tops += (slope.weights, *node.src, *([slope.mean] if slope.mean is not None else ()))
            found.update(_sums_above(node, readers) + _sums_above(slope.weights, readers))
    return found | {n for n in walk(tops, lambda n: n.op not in STORED) if n.op is Op.REDUCE}


# --- slopes


@dataclass(frozen=True)
class Slope:
    """w * (g - sum_j w_j g_j), as a gradient has it, with g = sum over n of `along` * `across`, of which only
    `across` follows the keys. `mean` is the sum over the keys of w * across in a half type, if there is one.

    `axes` are n and the axis of the keys in the product of which g is the sum."""

    weights: Node
    scores: Node
    axis: int
    incoming: Node
    along: Node
    across: Node
    axes: tuple[int, int]
    mean: Node | None


def _slope(node: Node, readers: Readers) -> Slope | None:
    """(g / total + c) * e where c is the sum over a row of -(g * w / total)"""
    found = slope_of(node) if node.dtype is dtypes.float32 else None
    if found is None or sum_of_products(found[1]) is None:
        return None
    return _with_sums(*found, readers)


def _with_sums(weights: Node, scores: Node, axis: int, g: Node, readers: Readers) -> Slope | None:
    """The slope, if what comes in is a sum of products of halves in the shape of the weights."""
    loops = loops_of(scores.shape)
    sums, at, moves = below_movement(g, loops)
    if not multiplies(sums) or len(sums.arg[1]) != 1 or any(m.op is not Op.RESHAPE for m in moves):
        return None
    places = [place for place, index in enumerate(at) if index is loops[axis]]
    (n,) = sums.arg[1]
    if len(places) != 1:
        return None
    keys = places[0] + (places[0] >= n)
    product = sums.src[0]
    inside = loops_of(product.shape)
    follows = [inside[keys] in _ranges(below_movement(f, inside)[1]) for f in product.src]
    if follows[0] == follows[1]:
        return None
    along, across = product.src if follows[1] else product.src[::-1]
    mean = _mean_in(weights, axis, across, keys, readers)
    return Slope(weights, scores, axis, g, along, across, (n, keys), mean)


def _ranges(indices: tuple[Node, ...]) -> frozenset[Node]:
    return frozenset().union(*[i.ranges for i in indices])


def _mean_in(weights: Node, axis: int, values: Node, keys: int, readers: Readers) -> Node | None:
    """The weighted sum of the values as the graph has it, narrowed to a half type."""
    for product in readers.get(values, ()):
        if product.op is not Op.MUL or product.src[0] is product.src[1]:
            continue
        other = product.src[0] if product.src[1] is values else product.src[1]
        inside = loops_of(product.shape)
        found, at, _ = below_movement(other, inside)
        if found is not weights or at[axis] is not inside[keys]:
            continue
        for sums in readers[product]:
            if sums.op is Op.REDUCE and sums.arg == (ADD, (keys,)):
                return _narrowed(sums, readers)
    return None


def _narrowed(sums: Node, readers: Readers) -> Node:
    """The sum cast to a half type, where the graph does that."""
    node = sums
    while len(readers[node]) == 1:
        (above,) = readers[node]
        if above.op is Op.CAST and above.dtype in HALVES:
            return above
        if above.op is not Op.RESHAPE:
            break
        node = above
    return sums


def _by_rows(slope: Slope, done: dict[Node, Node]) -> Node:
    """w * (g - d), d the sum along a row of what comes into the mean times the mean."""
    n, keys = slope.axes
    shape = slope.across.shape
    kept = tuple([size for axis, size in enumerate(shape) if axis != keys])
    if slope.mean is not None:
        mean = done[slope.mean]
    else:
        wide = tuple([1 if axis == n else size for axis, size in enumerate(shape)])
        half = factor_type(slope.across)
        weights = reshaped(done[slope.weights].cast(half).cast(dtypes.float32), wide)
        mean = reduced(expanded(weights, shape).alu(Op.MUL, done[slope.across]), ADD, (keys,)).cast(half)
    mean = reshaped(mean if mean.dtype is dtypes.float32 else mean.cast(dtypes.float32), kept)
    along = reshaped(sliced(done[slope.along], keys, 0, 1), kept)
    row = contiguous(reduced(along.alu(Op.MUL, mean), ADD, (n - (n > keys),)), READ)
    row = _spread(row, slope.scores.shape, slope.axis)
    return done[slope.weights].alu(Op.MUL, done[slope.incoming].alu(Op.SUB, row))


def _spread(row: Node, shape: Shape, axis: int) -> Node:
    """A number for each row, along that axis of a shape."""
    return expanded(reshaped(row, (*shape[:axis], 1, *shape[axis + 1 :])), shape)


# --- groups


def _softmaxes(readers: Readers) -> list[Softmax]:
    made = []
    for node in readers:
        found = softmax_of(node) if node.dtype is dtypes.float32 else None
        if found is not None and found[0].dtype is dtypes.float32 and sum_of_products(found[0]) is not None:
            made.append(Softmax(node, *found))
    return made


def _group(softmax: Softmax, readers: Readers, roots: tuple[Node, ...]) -> Group | None:
    """All sums the weights are in, if they are in nothing else and there are both kinds."""
    above, stack = {softmax.weights}, [softmax.weights]
    means: dict[Node, tuple[Node, Node]] = {}
    others: dict[Node, tuple[Node, Node]] = {}
    while stack:
        node = stack.pop()
        if node in roots:
            return None
        for reader in readers[node]:
            ends = readers[reader] if reader.op is Op.MUL else []
            if ends and reader not in roots and all(map(_adds, ends)):
                side, other = reader.src if reader.src[0] is node else reader.src[::-1]
                if len(ends) > 1 or side is other or not {factor_type(side), factor_type(other)} <= HALVES:
                    return None
                (means if _is_mean(softmax, side, ends[0]) else others)[ends[0]] = (side, other)
            elif reader.op not in ELEMENTWISE and reader.op not in _MOVES:
                return None
            elif reader not in above:
                above.add(reader)
                stack.append(reader)
    both = means.keys() | others.keys()
    if not means or not others or any(n.src[0].src[0] in above and n.src[0].src[1] in above for n in both):
        return None
    return Group(softmax, means, others)


def _adds(node: Node) -> bool:
    return node.op is Op.REDUCE and node.arg[0] == ADD and len(node.arg[1]) == 1


def _is_mean(softmax: Softmax, side: Node, end: Node) -> bool:
    loops = loops_of(side.shape)
    over = loops[end.arg[1][0]]
    found, at, _ = below_movement(side, loops)
    return found is softmax.weights and at[softmax.axis] is over


def _sums_above(node: Node, readers: Readers) -> list[Node]:
    """The sums of products that a node is a factor of, element by element."""
    seen, stack, found = {node}, [node], []
    while stack:
        for reader in readers[stack.pop()]:
            if reader.op is Op.REDUCE:
                found.append(reader)
            elif (reader.op in ELEMENTWISE or reader.op in _MOVES) and reader not in seen:
                seen.add(reader)
                stack.append(reader)
    return found


# --- what is made of it


def _computed_again(
    again: Again, roots: tuple[Node, ...], groups: list[Group], readers: Readers, alone: Collection[Node]
) -> tuple[Node, ...]:
    done = again.done
    softmaxes = {g.softmax.weights: g.softmax for g in groups}
    means = {end: (g, *pair) for g in groups for end, pair in g.means.items()}
    others = {end: (g, *pair) for g in groups for end, pair in g.others.items()}
    ends: dict[Node, Node] = {}
    apart = _apart(groups)
    mean_of: dict[Node, Node] = {}
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        if node in softmaxes:
            made = _weights(softmaxes[node], done)
            note(_weights, node, made)
        elif node in means or node in others:
            group, side, other = means[node] if node in means else others[node]
            pair = _moved_scores(group.softmax, side, done) if node in means else done[side], done[other]
            monoid = SOFTMAX if node in means else WEIGHTED
            made = make(Op.REDUCE, dtypes.float32, pair, (monoid, node.arg[1]))
            ends[end_of(node, readers, roots, node in alone, views=node in others)] = node
            again.weights[node] = group.softmax.weights
        if node in apart:
            made = contiguous(made, READ)
        if node in ends:
            order = stored_order(node, readers) if node not in roots else None
            made = permuted(made, order) if order is not None else made
            made = made if node in roots else contiguous(made, MEAN if ends[node] in means else AGAIN)
            again.sums[made] = ends[node]
            if ends[node] in means:
                mean_of.setdefault(again.weights[ends[node]], made)
            made = permuted(made, inverse(order)) if order is not None else made
        done[node] = stored_once(made)
    for softmax in softmaxes.values():
        again.totals[_total(softmax, done)] = mean_of[softmax.weights]
    return tuple([done[r] for r in roots])


def _apart(groups: list[Group]) -> set[Node]:
    """What is stored first: factors that would be computed by every tile, and reductions in the scores."""
    found: set[Node] = set()
    for group in groups:
        scores = group.softmax.scores
        inner = sum_of_products(scores)
        assert inner is not None
        found |= {n for n in folds_below(scores) if n is not inner}
        products, factors = {inner}, [other for _, other in (*group.means.values(), *group.others.values())]
        for side, _ in group.others.values():
            products |= {n for n in folds_below(side) if multiplies(n)}
        for product in products:
            factors += product.src[0].src
        for factor in factors:
            whole = factor
            while whole.op in MOVEMENT or (whole.op is Op.CAST and whole.dtype is dtypes.float32):
                whole = whole.src[0]
            if folds_below(whole) or (whole.op not in STORED and scores.size >= LARGE):
                found.add(whole)
    return {n for n in found if n.op not in STORED}


def _total(softmax: Softmax, done: dict[Node, Node]) -> Node:
    return contiguous(reduced(done[softmax.scores], LOGSUMEXP, (softmax.axis,)), TOTALS)


def _weights(softmax: Softmax, done: dict[Node, Node]) -> Node:
    """exp(s - l), l the logsumexp of a row"""
    row = _spread(_total(softmax, done), softmax.scores.shape, softmax.axis)
    return make(Op.EXP, dtypes.float32, (done[softmax.scores].alu(Op.SUB, row),))


def _moved_scores(softmax: Softmax, side: Node, done: dict[Node, Node]) -> Node:
    """The scores as the weights are moved on their way into a sum."""
    _, _, moves = below_movement(side, loops_of(side.shape))
    scores = done[softmax.scores]
    for move in reversed(moves):
        scores = make(move.op, scores.dtype, (scores,), move.arg)
    return scores
