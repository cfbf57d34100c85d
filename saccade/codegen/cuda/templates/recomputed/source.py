"""Products with a factor that is computed again, as one CUDA kernel: the parts that depend on the expression.

    recomputed_source(kernel, recomputed_of(kernel), name, card)

Factors come as those of a matrix product do (`pieces.factor`), results go as its results. What makes a weight
of inner sums is a function of its place, written from the graph; an exponential in it is a power of two."""

from __future__ import annotations

from typing import Final

from .....graph.kernels.kernel import Kernel, range_size
from .....runtime.program import Source
from ....moves.legal import IllegalMove
from ...prelude import kernel_head
from ...renderer import pointer
from ...search.moves import WARPGROUPS, WARPS, Attend, Card
from ..attention.hopper import COPIERS
from ..attention.match import PANEL
from ..attention.scores import chunks_text
from ..attention.source import RUN
from ..template import Template
from .across_source import across_source
from .hopper import COPY, MULTIPLY
from .match import Recomputed, recomputed_of
from .parts import (
    Plan,
    bound_text,
    first_lines,
    held_line,
    inner_lines,
    outer_lines,
    plan_of,
    sums_text,
    tiles_text,
    written_text,
)
from .text import PLACE, PRODUCTS, WALK

#: rows, keys and stages that are tried in turn, until they fit in shared memory and registers
GROUP_SIZES: Final = ((128, 128, 2), (128, 64, 4), (128, 64, 3), (128, 64, 2), (128, 32, 4), (128, 32, 2))
SIZES: Final = ((128, 64, 2), (64, 64, 2), (64, 32, 2), (64, 32, 1), (32, 32, 1))
#: rows that are worth no warpgroups
FEW_ROWS: Final = 64


def recomputed_source(
    kernel: Kernel, found: Recomputed, name: str, card: Card, move: Attend | None = None
) -> tuple[Source, Attend]:
    """The source of a kernel of products computed again, and its tiles: as the move says, or chosen here."""
    plan = plan_of(found)
    if found.across is not None:
        return across_source(kernel, found, plan, name, card, move)
    # factors that are computed would have to be so by the few registers of who copies
    groups = card.wgmma and all(tile.made.copied for tile in (*plan.rows, *plan.keys))
    if move is None:
        move = _chosen(plan, card.shared, groups and found.outer.size(found.outer.m) > FEW_ROWS)
    else:
        _require(plan, move, card.shared, groups)
    by_groups, outer = move.by == WARPGROUPS, found.outer
    threads = move.rows * 2 + (COPIERS if by_groups else 0)
    bounded = found.bounded and (len(outer.m) == 1 or range_size(outer.m[-1]) % move.rows == 0)
    ends = bounded and found.high is not None
    text = "\n".join(
        [
            *first_lines(found, plan, move, {"BULK_KEYS": 0, "BOUNDED": int(bounded), "ENDS": int(ends)}),
            "" if by_groups else PRODUCTS,
            kernel_head(name, len(kernel.params), threads, blocks=1),
            *(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params)),
            *(chunks_text(tile.name, tile.made) for tile in (*plan.rows, *plan.keys)),
            bound_text("low_of", found.low if bounded else None, found, "0"),
            bound_text("high_of", found.high if bounded else None, found, "KEYS"),
            PLACE, *tiles_text(plan), COPY if by_groups else "", sums_text(found),
            *(_by_groups(plan) if by_groups else _by_warps(plan)),
            plan.weights.text(bounded),
            MULTIPLY if by_groups else WALK,
            *(written_text(s.product, number) for number, s in enumerate(found.sums)), "}", "",
        ]
    )  # fmt: skip
    grid = -(-outer.size(outer.m) // move.rows) * max(outer.size(outer.z), 1)
    source = Source(name, text, grid, len(kernel.params), grid=grid, block=threads, shared=plan.nbytes(move))
    return source, move


def _chosen(plan: Plan, shared: int, groups: bool) -> Attend:
    """The first layout that fits in shared memory and in registers."""
    moves = [Attend(WARPGROUPS, *size) for size in GROUP_SIZES] if groups else []
    moves += [Attend(WARPS, *size) for size in SIZES]
    return next((move for move in moves if plan.fits(move, shared)), moves[-1])


def _require(plan: Plan, move: Attend, shared: int, groups: bool) -> None:
    """Raise IllegalMove unless the text is written for these tiles."""
    what = f"products again in tiles of {move.rows} rows and {move.keys} keys, {move.stages} at a time"
    by_groups = move.by == WARPGROUPS
    if (move.strips, move.parts) != (1, 1) or move.by not in (WARPS, WARPGROUPS):
        raise IllegalMove(f"{what}: warps or warpgroups have them, in one strip and one part")
    if by_groups and (not groups or move.rows != 128 or move.stages < 2):
        raise IllegalMove(f"{what}: not by two warpgroups of 64 rows, on this card and with these factors")
    if move.rows not in (32, 64, 128) or move.keys not in (32, 48, 64, 128) or not 1 <= move.stages <= 4:
        raise IllegalMove(f"{what}: there are 32, 64 or 128 rows, as many keys or 48, in up to four stages")
    if move.keys * PANEL % (RUN * (COPIERS if by_groups else 2 * move.rows)):
        raise IllegalMove(f"{what}: threads do not share the copies of a tile evenly")
    if not plan.fits(move, shared):
        raise IllegalMove(f"{what}: {plan.nbytes(move)} bytes of shared memory (of {shared}), or registers")


def _by_warps(plan: Plan) -> list[str]:
    """`make_sums`, the inner sums of a tile, and `add_sums`, the outer ones."""
    inner = [
        f"    multiply_rows<{-(-t.length // 16)}>"
        f"(made{i}, tile_{t.name}, tile_{keys.name}(stage), first, lane);"
        for i, (t, keys) in enumerate(zip(plan.rows, plan.keys, strict=False))
    ]
    outer = [
        f"    add_products(sum{i}, weight{i}, tile_{t.name}(stage), lane);" for i, t in enumerate(plan.values)
    ]
    return [
        "  const auto make_sums = [&](i32 stage, int first, int lane) {", *inner, "  };",
        "  const auto add_sums = [&](i32 stage, int lane) {", *outer, "  };",
    ]  # fmt: skip


def _by_groups(plan: Plan) -> list[str]:
    """`begin_inner`, `hold`, which rounds the weights, and `begin_outer`: the same for warpgroups."""
    inner = [line for i in range(len(plan.rows)) for line in inner_lines(plan, i)]
    outer = [line for i in range(len(plan.values)) for line in outer_lines(plan, i)]
    held = [held_line(i) for i in range(len(plan.values))]
    words = ", ".join(f"held{i}[BN / 16][4]" for i in range(len(plan.values)))
    begin, end = "    products_begin();", "    products_commit();"
    return [
        f"  u32 {words};",
        "  const auto begin_inner = [&](i32 stage, int warpgroup) {", begin, *inner, end, "  };",
        "  const auto hold = [&]() {", "#pragma unroll",
        "    for (int e = 0; e < BN / 4; ++e) {", *(f"      {line}" for line in held), "    }", "  };",
        "  const auto begin_outer = [&](i32 stage) {", begin, *outer, end, "  };",
    ]  # fmt: skip


RECOMPUTED: Final = Template("products computed again", recomputed_of, recomputed_source, Attend)
