"""The shape of a kernel on a GPU: which loops become blocks, teams and threads, and what a thread holds in
registers.

    flat    every thread has its own points of the output (`flat`)
    rows    a team, a warp or a block, has a row (`rows`)
    steps   the same, where a row is made in steps that exchange it (`steps`)

All spread loops as `layout` says. The heuristic (`choose`) and a search say how in the moves `Flat` and
`Rows`.
"""

from __future__ import annotations

from dataclasses import replace

from ....graph.kernels.kernel import LOOP, UNROLL, Kernel, loop, range_size
from ....graph.node import Node, own_ranges
from ....graph.ops import Op
from ....graph.rules.symbolic import simplify
from ...moves.tile_values import tile_value
from ..search.moves import Flat, Rows
from .flat import FLAT, choose_flat, flat, points_of
from .parts import with_parts_apart
from .row_work import possible_rows, team_rows
from .rows import by_rows, choose_rows, rows_again
from .shape import SHORT, Shape, folds_of, length_of, tiles_of
from .steps import by_steps, choose_steps, columns_together, step_rows


def shape(kernel: Kernel, move: Flat | Rows | None = None) -> Shape:
    """The kernel laid out as the move says, or as the heuristics choose; IllegalMove if it has no place for
    that."""
    kernel = _prepared(kernel)
    chosen = choose(kernel) if move is None else move
    steps = step_rows(kernel)
    if steps is not None and isinstance(chosen, Rows):
        return by_steps(kernel, steps, chosen)
    return flat(kernel, chosen) if isinstance(chosen, Flat) else by_rows(kernel, chosen)


def choose(kernel: Kernel) -> Flat | Rows:
    """The layout a person would choose for a kernel whose short folds are written out."""
    steps = step_rows(kernel)
    if steps is not None:
        return choose_steps(kernel, steps)
    rows = team_rows(kernel)
    rows = rows_again(kernel) if rows is None else rows
    return choose_flat(kernel) if rows is None else choose_rows(kernel, rows)


def alternatives(kernel: Kernel) -> list[Flat | Rows]:
    """The choice, and the best guess of the other scheme where the kernel can be laid out so."""
    kernel = _prepared(kernel)
    chosen = choose(kernel)
    if step_rows(kernel) is not None:
        return [chosen]
    other = possible_rows(kernel) if isinstance(chosen, Flat) else None
    if other is not None:
        return [chosen, choose_rows(kernel, other)]
    if isinstance(chosen, Rows) and not tiles_of(kernel) and points_of(kernel) >= FLAT:
        return [chosen, choose_flat(kernel)]
    return [chosen]


def _prepared(kernel: Kernel) -> Kernel:
    """The kernel as its layout is chosen for."""
    return columns_together(with_folds_beside(with_short_folds(with_parts_apart(kernel))))


def with_short_folds(kernel: Kernel) -> Kernel:
    """Folds over a few elements are written out, so that what they read can leave the loops around them."""
    mapping: dict[Node, Node] = {}
    for fold in folds_of(kernel):
        own = own_ranges(fold)
        if all(r.src[0].op is Op.CONST and r.arg.kind == LOOP for r in own) and length_of(fold) <= SHORT:
            mapping |= {r: loop(r.arg.number, range_size(r), UNROLL) for r in own}
    return replace(kernel, sink=kernel.sink.substitute(mapping)) if mapping else kernel


def with_folds_beside(kernel: Kernel) -> Kernel:
    """Folds over loops of the same lengths that load the same get the same loops, so that it is loaded once.

    sum over i of x[i] - sum over j of x[j] * x[j]  ->  sum over i of x[i] - sum over i of x[i] * x[i]
    """
    loops: dict[tuple[Node, ...], list[Node]] = {}
    for fold in folds_of(kernel):
        own = own_ranges(fold)
        if all(r.src[0].op is Op.CONST and r.arg.kind == LOOP for r in own):
            loops.setdefault(own, []).append(fold)
    mapping: dict[Node, Node] = {}
    first: list[tuple[Node, ...]] = []
    for own, folds in loops.items():
        beside = next((other for other in first if _read_the_same(own, folds, other, loops[other])), None)
        if beside is None:
            first.append(own)
        else:
            mapping |= dict(zip(own, beside, strict=True))
            loops[beside] += folds
    return replace(kernel, sink=kernel.sink.substitute(mapping)) if mapping else kernel


def _read_the_same(
    own: tuple[Node, ...], folds: list[Node], other: tuple[Node, ...], others: list[Node]
) -> bool:
    """Are some folds beside others, over as many elements, one of which both load?"""
    if list(map(range_size, own)) != list(map(range_size, other)) or set(own) & set(other):
        return False
    inside, theirs = ({n for f in some for n in f.toposort()} for some in (folds, others))
    if not inside.isdisjoint(others) or not theirs.isdisjoint(folds):
        return False
    renamed = dict(zip(own, other, strict=True))
    return any(n.op is Op.LOAD and n.ranges & set(own) and n.substitute(renamed) in theirs for n in inside)


def without_cheap_tiles(kernel: Kernel) -> Kernel:
    """Tiles become their values where no fold is behind each element: their makers have them at hand."""
    while True:
        mapping: dict[Node, Node] = {}
        for node in kernel.sink.toposort():
            tile = node.src[0] if node.op is Op.LOAD else node
            if node.op is Op.LOAD and tile.op is Op.STAGE and len(node.src) == 2 and not tile.arg.exchanges:
                value = tile_value(node.src[0], node.src[1])
                if value is not None:
                    mapping[node] = value
        if not mapping:
            return kernel
        kernel = replace(kernel, sink=simplify(kernel.sink.substitute(mapping)))
