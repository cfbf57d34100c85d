"""A softmax and the product with it in one pass: three reductions over the same scores become one.

    m = max_j s_j;  l = sum_j exp(s_j - m);  out = sum_j (exp(s_j - m) / l) * v_j
    ->  out = REDUCE(softmax)(s, v)      which carries (max, total, weighted sum), see graph.monoid

What is rewritten is any such expression, whatever made the scores: scaled, masked, biased, broadcast. It is
found by its indices: the sum, the maximum and the total run over the same axis, and the product's own axis is
that axis. In exact arithmetic both are the same; in floating point

- the division is of the sum, not of each weight, and weights are rounded to the product's type before it;
- scores stay in float32: what the expression rounds on the way (a product in bfloat16, its scaling) is not;
- a row whose scores are all -inf is NaN, as it is in the expression.

The scores must be made of one sum of products and be used nowhere else: then no kernel has to store them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernels.kernel import loop
from ...graph.monoid import ADD, MAX, SOFTMAX, Monoid
from ...graph.node import Node, Shape, make, walk
from ...graph.ops import MOVEMENT, Op
from ...graph.rewriting.passes import note, rewrite_pass
from ..walk.movement import ZERO, Indices, source_indices

HALVES = frozenset({dtypes.float16, dtypes.bfloat16})
Types = Collection[DType]
#: why something is stored, for people
ONE_PASS, READ = "a softmax and a product with it in one pass", "read by a softmax in one pass"
#: scores from which on a factor that is computed is stored: tiles are copied faster than computed, and a
#: kernel more is nothing beside them
LARGE = 1 << 22
_FOLDS = frozenset({Op.REDUCE, Op.TOPK})
#: what is in memory, or always stored: a kernel that reads it computes nothing below
STORED = frozenset({Op.BUFFER, Op.PARAM, Op.CONTIGUOUS, Op.COPY, Op.SCAN, Op.SORT, Op.SCATTER, Op.CAT})


@dataclass(frozen=True)
class Weighed:
    """A sum over j of softmax(scores)_j * values_j: `moves` lead from the product down to the weights."""

    scores: Node
    values: Node
    moves: tuple[Node, ...]
    product: Node  # the sum of products the scores are made of


@rewrite_pass("online softmax")
def online_softmax(
    roots: tuple[Node, ...],
    alone: Collection[Node] = (),
    refused: Collection[Node] = (),
    types: Types = HALVES,
) -> tuple[tuple[Node, ...], dict[Node, Node]]:
    """The same results with every sum of products with a softmax, but the `refused`, in one pass, if its
    factors are of these types; and what these are stored as, with the sum each was: a result that only turns
    it, or, for those in `alone`, it itself."""
    readers = readers_of(roots)
    done: dict[Node, Node] = {}
    stored: dict[Node, Node] = {}
    ends: dict[Node, Node] = {}
    for node in walk(roots):
        new = tuple([done[s] for s in node.src])
        made = node if new == node.src else make(node.op, node.dtype, new, node.arg)
        weighed = _weighed(node, readers, roots, types) if node not in refused else None
        if weighed is not None:
            made = _in_one_pass(node, weighed, done)
            note(_in_one_pass, node, made)
            ends[end_of(node, readers, roots, node in alone)] = node
        if node in ends:
            made = made if node in roots else contiguous(made, ONE_PASS)
            stored[made] = ends[node]
        done[node] = made
    return tuple(done[r] for r in roots), stored


def weighed_reductions(roots: tuple[Node, ...], types: Types = HALVES) -> set[Node]:
    """Sums of products with a softmax of factors of these types, and the maxima and totals of these: what one
    pass makes of them must find them whole."""
    readers = readers_of(roots)
    found: set[Node] = set()
    for node in walk(roots):
        weighed = _weighed(node, readers, roots, types)
        if weighed is not None:
            found |= {n for n in above_sum(weighed.product, node) if n.op is Op.REDUCE}
    return found


def readers_of(roots: tuple[Node, ...]) -> dict[Node, list[Node]]:
    readers: dict[Node, list[Node]] = {}
    for node in walk(roots):
        readers.setdefault(node, [])
        for source in node.src:
            readers[source].append(node)
    return readers


def end_of(
    sums: Node, readers: dict[Node, list[Node]], roots: tuple[Node, ...], alone: bool, views: bool = False
) -> Node:
    """Where a sum is stored: as it is cast, and in the order of a result that is nothing but a view of it, or
    in which a view of it is stored anyway; with `views`, in the order of what is nothing but a view of it in
    any case."""
    top = end = sums
    cast = turned = False
    while top not in roots and len(readers[top]) == 1:
        (above,) = readers[top]
        narrows = above.op is Op.CAST and above.dtype.is_float and not cast
        if not narrows and above.op not in (Op.PERMUTE, Op.RESHAPE):
            break
        cast, turned = cast or narrows, turned or above.op is Op.PERMUTE
        top = above
        end = top if narrows and not turned else end
    if alone:
        return end
    if top not in roots and [above.op for above in readers[top]] == [Op.CONTIGUOUS]:
        return readers[top][0]
    return top if views or top in roots else end


def contiguous(node: Node, reason: str) -> Node:
    """A node as it is stored, for this reason, whatever it was stored for before."""
    while node.op is Op.CONTIGUOUS:
        node = node.src[0]
    return make(Op.CONTIGUOUS, node.dtype, (node,), reason)


# --- what is found


def _weighed(
    node: Node, readers: dict[Node, list[Node]], roots: tuple[Node, ...], types: Types
) -> Weighed | None:
    """The sum of products, if one of its factors is a softmax over the axis it sums."""
    if node.op is not Op.REDUCE or node.arg[0] != ADD or len(node.arg[1]) != 1:
        return None
    product = node.src[0]
    if product.op is not Op.MUL or product.dtype is not dtypes.float32 or product.src[0] is product.src[1]:
        return None
    indices = loops_of(product.shape)
    over = indices[node.arg[1][0]]
    for side, values in (product.src, product.src[::-1]):
        weights, at, moves = below_movement(side, indices)
        found = softmax_of(weights)
        if found is None or over is ZERO or factor_type(side) not in types:
            continue
        # halves with halves: weights in float32 are not rounded to what their scores were made of
        alike = HALVES if factor_type(side) in HALVES else {dtypes.float32}
        if alike is not HALVES and factor_type(values) not in alike:
            continue
        scores, axis = found
        if at[axis] is not over or any(over in i.ranges for i in at if i is not at[axis]):
            continue
        sums = sum_of_products(scores, alike)
        if sums is not None and _is_private(side, sums, product, readers, roots):
            return Weighed(scores, values, moves, sums)
    return None


def loops_of(shape: Shape) -> Indices:
    return tuple(ZERO if n == 1 else loop(number, n) for number, n in enumerate(shape))


def below_movement(node: Node, indices: Indices) -> tuple[Node, Indices, tuple[Node, ...]]:
    """The first node below that computes something, the place in it, and the moves on the way."""
    moves = []
    while True:
        if node.op is Op.CAST and node.dtype.is_float and node.src[0].dtype.is_float:
            node = node.src[0]
        elif node.op in MOVEMENT and node.op is not Op.PAD:
            moves.append(node)
            indices, _ = source_indices(node, indices)
            node = node.src[0]
        else:
            return node, indices, tuple(moves)


def softmax_of(weights: Node) -> tuple[Node, int] | None:
    """Scores and axis, where the weights are exp(scores - max) / sum of the same."""
    if weights.op is not Op.DIV:
        return None
    exponentials, total = uncast(weights.src[0]), weights.src[1]
    if exponentials.op is not Op.EXP or exponentials.src[0].op is not Op.SUB:
        return None
    scores, most = exponentials.src[0].src
    axis = reduced_axis(total, ADD, exponentials)
    return (scores, axis) if axis is not None and axis == reduced_axis(most, MAX, scores) else None


def reduced_axis(node: Node, monoid: Monoid, source: Node) -> int | None:
    """The axis of `source` that `node`, of the same shape, is the reduction of, spread along it again."""
    indices = loops_of(node.shape)
    reduced, at, _ = below_movement(node, indices)
    if reduced.op is not Op.REDUCE or reduced.arg[0] != monoid or len(reduced.arg[1]) != 1:
        return None
    (axis,) = reduced.arg[1]
    same = uncast(reduced.src[0]) is uncast(source)
    return axis if same and at == (*indices[:axis], *indices[axis + 1 :]) else None


def uncast(node: Node) -> Node:
    while node.op is Op.CAST and node.dtype.is_float and node.src[0].dtype.is_float:
        node = node.src[0]
    return node


def sum_of_products(scores: Node, types: Types = HALVES) -> Node | None:
    """The one sum of products of factors of these types the scores are made of, element by element."""
    found = [n for n in folds_below(scores) if n.size == scores.size and multiplies(n, types)]
    return found[0] if len(found) == 1 else None


def multiplies(node: Node, types: Types = HALVES) -> bool:
    """Is it a sum of products of two factors of one of these types?"""
    if node.op is not Op.REDUCE or node.arg[0] != ADD or node.src[0].op is not Op.MUL:
        return False
    found = {factor_type(s) for s in node.src[0].src}
    return len(found) == 1 and found <= set(types)


def factor_type(factor: Node) -> DType:
    while factor.op in MOVEMENT or (factor.op is Op.CAST and factor.dtype is dtypes.float32):
        factor = factor.src[0]
    return factor.dtype


def folds_below(node: Node) -> list[Node]:
    """Reductions a kernel that computes the node would have to compute itself."""
    if node.op in _FOLDS:
        return [node]
    inside = node.toposort(lambda n: n.op not in _FOLDS and n.op not in STORED)
    return list(dict.fromkeys(s for n in inside for s in n.src if s.op in _FOLDS))


def _is_private(
    side: Node, sums: Node, product: Node, readers: dict[Node, list[Node]], roots: tuple[Node, ...]
) -> bool:
    """Does nobody but this product read the weights, or what they are made of down to the sum?"""
    above = above_sum(sums, side)
    return all(n not in roots and all(r in above or r is product for r in readers[n]) for n in above)


def above_sum(sums: Node, end: Node) -> set[Node]:
    """The sum, and what is made of it on the way to the end."""
    above = {sums}
    for node in end.toposort(lambda n: n is not sums):
        if any(s in above for s in node.src):
            above.add(node)
    return above


# --- what is made of it


def _in_one_pass(node: Node, weighed: Weighed, done: dict[Node, Node]) -> Node:
    """REDUCE(softmax) of the scores and the values; reductions that feed either are stored first, and so are
    factors that every block would compute again."""
    others = [n for n in folds_below(done[weighed.scores]) if n is not done[weighed.product]]
    apart = {n: contiguous(n, READ) for n in others}
    for factor in (*weighed.product.src[0].src, weighed.values):
        whole = done[factor]
        while whole.op in MOVEMENT or (whole.op is Op.CAST and whole.dtype is dtypes.float32):
            whole = whole.src[0]
        if folds_below(whole) or (whole.op not in STORED and weighed.scores.size >= LARGE):
            apart[whole] = contiguous(whole, READ)
    scores = done[weighed.scores].substitute(apart)
    scores = scores if scores.dtype is dtypes.float32 else scores.cast(dtypes.float32)
    for move in reversed(weighed.moves):
        scores = make(move.op, scores.dtype, (scores,), move.arg)
    values = done[weighed.values].substitute(apart)
    return make(Op.REDUCE, dtypes.float32, (scores, values), (SOFTMAX, node.arg[1]))
