"""Sums of rows and a sum across them as one kernel for Hopper: what `across` leaves open, from the kernel."""

from __future__ import annotations

from .....graph.kernels.kernel import Kernel
from .....runtime.program import Source
from ....moves.legal import IllegalMove
from ...prelude import kernel_head
from ...renderer import address, pointer
from ...search.moves import WARPGROUPS, Attend, Card
from ..attention.hopper import COPIERS, products_prelude
from ..attention.match import PANEL
from ..attention.scores import chunks_text
from ..attention.source import ELEMENTS, RUN
from ..product.bulk import BULK_PRELUDE, map_constants
from ..product.check import MAP_BYTES
from ..product.source import epilogue
from .across import (
    ACROSS_PRELUDE,
    ACROSS_SIZES,
    FINISHERS,
    FIRST,
    JOIN_ACROSS,
    MULTIPLY_ACROSS,
    PLACE_IN_TURN,
    TURNS,
)
from .hopper import COPY
from .match import Recomputed
from .parts import (
    Plan,
    bound_text,
    first_lines,
    held_line,
    inner_lines,
    outer_lines,
    sums_text,
    tiles_text,
    written_text,
)


def across_source(
    kernel: Kernel, found: Recomputed, plan: Plan, name: str, card: Card, move: Attend | None
) -> tuple[Source, Attend]:
    """The source of a kernel with a sum across, which has one layout, on cards with warpgroups."""
    assert found.across is not None
    tile = plan.rows[found.across.tile]
    half = tile.width // 2
    moves = [Attend(WARPGROUPS, *sizes) for sizes in ACROSS_SIZES]
    only = next((each for each in moves if _nbytes(plan, each, half) <= card.shared), moves[-1])
    if move not in (None, only):
        raise IllegalMove(f"{move}: a sum across has the layout {only} alone")
    nbytes = _nbytes(plan, only, half)
    if not card.wgmma or nbytes > card.shared:
        raise IllegalMove(f"a sum across takes warpgroups and {nbytes} bytes of shared memory")
    outer, across = found.outer, found.across.product
    keys, batches, params = outer.size(outer.k), max(outer.size(outer.z), 1), len(kernel.params)
    tiles_m, tiles_keys = -(-outer.size(outer.m) // only.rows), -(-keys // only.keys)
    threads = 2 * only.rows + COPIERS
    bulk = all(each.made.box is not None and each.made.along_k for each in plan.keys)
    maps = len(plan.keys) * MAP_BYTES if bulk else 0
    constants = {
        "BOUNDED": int(found.bounded), "BACKWARDS": int(found.low is not None), "BATCHES": batches,
        "TILES_KEYS": tiles_keys, "WIDTH": tile.width, "HALF": half, "TURNS": TURNS, "FINISHERS": FINISHERS,
        "GROUP": max(1, min(batches, card.processors // tiles_m)), "BULK_KEYS": int(bulk), "MAPS_BYTES": maps,
    }  # fmt: skip
    for tile in plan.keys if bulk else ():
        constants |= map_constants(tile.name, tile.made, 2, (keys, tile.length, batches))
    pointers = [pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params)]
    text = "\n".join(
        [
            *first_lines(found, plan, only, constants), ACROSS_PRELUDE, BULK_PRELUDE if bulk else "",
            products_prelude("multiply_across", ELEMENTS[outer.types[0]], half, (False, False)),
            f"#define WORKSPACE ({address(params)})",
            kernel_head(f"{name}_first", params + 1, FINISHERS),
            *([*pointers, *(each.made.text for each in plan.keys), _maps(plan)] if bulk else []), FIRST, "}",
            kernel_head(name, params + 1, threads, blocks=1), *pointers,
            *(chunks_text(each.name, each.made) for each in (*plan.rows, *plan.keys)),
            bound_text("low_of", found.low, found, "0"), bound_text("high_of", found.high, found, "KEYS"),
            PLACE_IN_TURN, *_tiles(plan, only), _asked(plan) if bulk else "", COPY, _multiply(found, plan),
            *(written_text(s.product, number) for number, s in enumerate(found.sums)), "}",
            kernel_head(f"{name}_join", params + 1, FINISHERS), *pointers, epilogue(across, RUN), JOIN_ACROSS,
            "}", "",
        ]
    )  # fmt: skip
    grid, sums = tiles_m * batches, batches * tiles_keys
    source = Source(
        name, text, grid, params, grid=grid, block=threads, shared=nbytes,
        workspace=maps + sums * (only.keys * tile.width + TURNS) * 4 + 4,
        join_grid=sums, join_block=FINISHERS,
        first_grid=-(-(sums * TURNS + 1) // FINISHERS), first_block=FINISHERS,
    )  # fmt: skip
    return source, only


def _nbytes(plan: Plan, move: Attend, half: int) -> int:
    """Of shared memory: what the other forms have, two tiles of weights, a tile of sums that go out, and
    what is read of keys."""
    kept = move.stages * plan.weights.kept_bytes(move.keys)
    return plan.nbytes(move) + 4 * move.rows * move.keys + 8 * move.keys * half + kept


def _tiles(plan: Plan, move: Attend) -> list[str]:
    """Where tiles lie, and how they are filled; barriers lie behind them all."""
    *others, fill = tiles_text(plan)
    return [
        *(line.replace("*const behind =", "*const tile_weights =") for line in others),
        "  f32 *const sums_out = reinterpret_cast<f32 *>(tile_weights + 2 * BM * BN);",
        "  u8 *const kept_keys = reinterpret_cast<u8 *>(sums_out + 2 * BN * HALF);",
        f"  u8 *const behind = kept_keys + {move.stages * plan.weights.kept_bytes(move.keys)};",
        plan.weights.keep_text(move.keys),
        fill.replace(" };", " keep_keys(copier, stage, n0); };"),
    ]


def _maps(plan: Plan) -> str:
    """`make_maps(lane)`, by which a warp of the first function makes maps of all tiles of keys."""
    lines = [
        f"    make_map<sizeof(Word)>(maps + {i}, drafts + {i}, lane, start_{n} + {n}_FIRST, {n}_INNER,\n"
        f"        {n}_OUTER, {n}_BATCHES, {n}_ROW_BYTES, {n}_BATCH_BYTES, {PANEL}, BN);"
        for i, n in enumerate(each.name for each in plan.keys)
    ]
    return "\n".join(
        [
            f"  __shared__ TensorMap drafts[{len(plan.keys)}];",
            "  TensorMap *const maps = reinterpret_cast<TensorMap *>(WORKSPACE);",
            "  const auto make_maps = [&](int lane) {", *lines, "  };",
        ]
    )  # fmt: skip


def _asked(plan: Plan) -> str:
    """`ask_keys(stage, n0, barrier)`, by which a thread asks for all tiles of keys in panels."""
    lines = [
        f"    for (int panel = 0; panel < {each.width // PANEL}; ++panel)\n"
        f"      copy_box(tile_{each.name}(stage) + panel * {PANEL} * BN, maps + {i}, panel * {PANEL}, n0,\n"
        f"          {each.name}_APART ? z : 0, barrier);"
        for i, each in enumerate(plan.keys)
    ]
    made = " ".join(f"map_made(maps + {i});" for i in range(len(plan.keys)))
    return "\n".join(
        [
            "  const TensorMap *const maps = reinterpret_cast<const TensorMap *>(WORKSPACE);",
            f"  const auto maps_made = [&]() {{ {made} }};",
            "  const auto ask_keys = [&](i32 stage, i32 n0, u64 *barrier) {", *lines, "  };",
        ]
    )  # fmt: skip


def _multiply(found: Recomputed, plan: Plan) -> str:
    """The role of those who multiply, for these products."""
    assert found.across is not None
    first, early = plan.weights.early
    second = [i for i in range(len(found.inner)) if i != first]
    words = ", ".join(f"held{i}[BN / 16][4]" for i in range(len(found.sums)))

    def held(numbers: tuple[int, ...]) -> str:
        lines = [f"      {held_line(i)}" for i in numbers]
        return "\n".join(["", "#pragma unroll", "    for (int e = 0; e < BN / 4; ++e) {", *lines, "    }"])

    holes = {
        "BEGIN_FIRST_INNER": "\n".join(inner_lines(plan, first)),
        "BEGIN_SECOND_INNER": "\n".join([line for i in second for line in inner_lines(plan, i)]),
        "HOLD_EARLY": held(early),
        "HOLD_LATE": held(plan.weights.late),
        "BEGIN_EARLY_SUMS": "\n".join([line for i in early for line in outer_lines(plan, i)]),
        "BEGIN_LATE_SUMS": "\n".join([line for i in plan.weights.late for line in outer_lines(plan, i)]),
        "FIRST_MADE": f"made{first}",
        "SECOND_MADE": f"made{second[0] if second else first}",
        "SETTLE_SUMS": " ".join(f"settled(sum{i});" for i in range(len(found.sums))),
        "CROSSING": f"held{found.across.weight}",
        "TILE_ACROSS": f"tile_{plan.rows[found.across.tile].name}",
    }
    text = MULTIPLY_ACROSS
    for hole, lines in holes.items():
        text = text.replace(hole, lines)
    return "\n".join([sums_text(found), f"  u32 {words};", plan.weights.text_in_two(found.bounded), text])
