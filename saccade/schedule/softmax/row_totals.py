"""The logsumexp of rows of scores, stored by the kernel that weighs them.

    out[r, n] = PROJECT 2 / PROJECT 1 of FOLD(softmax)(s[r, j], v[j, n])
    l[r]      = PROJECT 0 + log(PROJECT 1) of FOLD(softmax)(s[r, j], 1)        one kernel, two stores

The walk makes two kernels, each with the scores in it. The second knows nothing the first does not: it goes,
and the first stores one number more for each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...graph.kernels import kernel
from ...graph.kernels.kernel import Kernel, loop
from ...graph.monoid import SOFTMAX
from ...graph.node import Node, const, own_ranges
from ...graph.ops import MOVEMENT, Op
from ...graph.rewriting.passes import Kernels
from ...graph.rules.symbolic import simplify
from ..walk.finish import numbered
from ..walk.movement import ZERO, Indices, flatten, source_indices


def with_totals(kernels: Kernels, totals: Mapping[Node, Node]) -> Kernels:
    """The kernels, with each logsumexp that is in `totals` stored by the kernel of the mean it has there.
    That runs where the logsumexp was made, with what it needs: others may read it from there on."""
    made = list(kernels)
    for total, mean in totals.items():
        places = {memories[0]: place for place, (_, memories) in enumerate(made)}
        if total not in places or mean not in places:
            continue
        first, last = places[total], places[mean]
        joined = _with_total(*made[last], total)
        if first > last:
            made[last] = joined
            del made[first]
            continue
        between = made[first + 1 : last]
        needed = _needed(between, made[last])
        if any(total in memories for _, memories in needed):  # the values are made with the weights
            continue
        rest = [each for each in between if each not in needed]
        made[first : last + 1] = [*needed, joined, *rest]
    return made


def _needed(kernels: Kernels, end: tuple[Kernel, tuple[Node, ...]]) -> Kernels:
    """Those of the kernels, in order, that have to run before the last one."""
    wanted, found = set(end[1]), []
    for each in reversed(kernels):
        made, memories = each
        if wanted & {memories[slot] for slot in made.outputs}:
            found.append(each)
            wanted |= set(memories)
    return found[::-1]


def _with_total(mean: Kernel, memories: tuple[Node, ...], total: Node) -> tuple[Kernel, tuple[Node, ...]]:
    (fold,) = (n for n in mean.nodes if n.op is Op.FOLD and n.arg == SOFTMAX)
    score = fold.src[0]
    summed = kernel.fold(SOFTMAX, (score, const(1.0, score.dtype)), own_ranges(fold))
    value = kernel.project(summed, 0) + kernel.project(summed, 1).alu(Op.LOG)
    place = simplify(flatten(_place(memories[0], total), total.shape))
    memory = kernel.param(len(memories), total.dtype, total.size)
    root, slots = numbered(kernel.sink((*mean.sink.src, kernel.store(memory, place, value))))
    order = [(*memories, total)[slot.arg.slot] for slot in slots]
    params = tuple([(slot.dtype, slot.arg.size) for slot in slots])
    return replace(mean, sink=root, params=params, outputs=(0, 1)), tuple(order)


def _place(end: Node, total: Node) -> Indices:
    """Where in the totals the row is of the element of `end` that a kernel's loops say."""
    number, made = 0, []
    for n in end.shape:
        made.append(ZERO if n == 1 else loop(number, n))
        number += n != 1
    indices: Indices = tuple(made)
    while end.op is not Op.REDUCE:
        indices = source_indices(end, indices)[0] if end.op in MOVEMENT else indices
        end = end.src[0]
    (axis,), moved = end.arg[1], end.src[0]
    indices = (*indices[:axis], loop(number, moved.shape[axis]), *indices[axis:])
    (scores,), (_, (keys,)) = total.src[0].src, total.src[0].arg
    while moved is not scores:
        indices, _ = source_indices(moved, indices)
        moved = moved.src[0]
    return (*indices[:keys], *indices[keys + 1 :])
