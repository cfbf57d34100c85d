"""Products with a factor that is computed again, as one CUDA kernel: the parts that depend on the expression.

    recomputed_source(kernel, recomputed_of(kernel), name, card)

Factors come as those of a matrix product do (`pieces.factor`), results go as its results. What makes a weight
of inner sums is a function of its place, written from the graph; an exponential in it is a power of two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .....graph import dtypes
from .....graph.kernels.kernel import Kernel, range_size
from .....graph.node import Node
from .....graph.rules.symbolic import simplify
from .....runtime.program import Source
from ....moves.legal import IllegalMove
from ...pieces import Factor, M, Piece, Z, factor, given
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import pointer
from ...schemes.layout import digits
from ...search.moves import WARPGROUPS, WARPS, Attend, Card
from ...types import gpu_types
from ..attention.hopper import COPIERS, REGISTERS, ROLES_PRELUDE, products_prelude
from ..attention.source import ELEMENTS, PANEL, RUN, chunks_text
from ..attention.text import TILES_PRELUDE, WEIGHT_PRELUDE
from ..product.check import ALIGNMENT, MOST_REGISTERS
from ..product.match import Contraction
from ..product.matrix import MATRIX_PRELUDE, WRITE_RUNS
from ..product.source import epilogue
from ..product.wgmma import DESCRIPTOR, WGMMA_PRELUDE
from ..template import Template
from .hopper import COPY, MULTIPLY
from .match import Recomputed, recomputed_of, tile_of_values
from .text import FILL_KEYS, FILL_ROWS, PLACE, PRODUCTS, WALK
from .weights import Weights

#: rows, keys and stages that are tried in turn, until they fit in shared memory and registers
GROUP_SIZES: Final = ((128, 128, 2), (128, 64, 4), (128, 64, 3), (128, 64, 2), (128, 32, 4), (128, 32, 2))
SIZES: Final = ((128, 64, 2), (64, 64, 2), (64, 32, 2), (64, 32, 1), (32, 32, 1))
#: registers of a thread that hold neither sums nor scores
OTHERS: Final = 32
#: descriptors of both sides of an inner product, and the rows of their tiles
SIDES: Final = (("rows", "BM"), ("keys", "BN"))
#: rows that are worth no warpgroups
FEW_ROWS: Final = 64


@dataclass(frozen=True)
class Tile:
    """A factor in shared memory: its elements of a row, and those in whole panels; or a tile of values that
    is also that of an inner product."""

    name: str
    made: Factor
    length: int

    @property
    def width(self) -> int:
        return -(-self.length // PANEL) * PANEL


@dataclass(frozen=True)
class Plan:
    """All tiles of a kernel: of rows, of keys, and the one that each sum has its values in."""

    rows: tuple[Tile, ...]
    keys: tuple[Tile, ...]
    values: tuple[Tile, ...]
    columns: int  # of a sum, in whole runs of four lanes
    reads: int  # numbers of a key that weights are made with

    @property
    def streamed(self) -> int:
        """Elements of all tiles for each key."""
        return sum(t.width for t in self.keys)

    def nbytes(self, move: Attend) -> int:
        """Of shared memory: tiles, and the barriers of those who copy."""
        words = move.rows * sum(t.width for t in self.rows) + move.stages * move.keys * self.streamed
        return 2 * words + ALIGNMENT + 8 * (1 + 2 * move.stages)

    def registers(self, move: Attend) -> int:
        """Of a thread that multiplies: sums, inner sums, what is read for its keys and, of warpgroups,
        weights that are being used."""
        held = move.keys // 4 if move.by == WARPGROUPS else 0
        inner = len(self.rows) * move.keys // 2 + self.reads * move.keys // 4
        return len(self.values) * (self.columns // 2 + held) + inner + OTHERS

    def fits(self, move: Attend, shared: int) -> bool:
        most = REGISTERS[move.rows // 64][1] if move.by == WARPGROUPS else MOST_REGISTERS
        return self.nbytes(move) <= shared and self.registers(move) <= most


def recomputed_source(
    kernel: Kernel, found: Recomputed, name: str, card: Card, move: Attend | None = None
) -> tuple[Source, Attend]:
    """The source of a kernel of products computed again, and its tiles: as the move says, or chosen here."""
    weights = Weights(found)
    plan = _plan(found, weights)
    # factors that are computed would have to be so by the few registers of who copies
    groups = card.wgmma and all(tile.made.copied for tile in (*plan.rows, *plan.keys))
    if move is None:
        move = _chosen(plan, card.shared, groups and found.outer.size(found.outer.m) > FEW_ROWS)
    else:
        _require(plan, move, card.shared, groups)
    by_groups, outer = move.by == WARPGROUPS, found.outer
    workers = move.rows * 2
    threads = workers + (COPIERS if by_groups else 0)
    bounded = found.bounded and (len(outer.m) == 1 or range_size(outer.m[-1]) % move.rows == 0)
    sizes = {"M": outer.size(outer.m), "KEYS": outer.size(outer.k), "N": outer.size(outer.n)}
    tiles_m, batches = -(-sizes["M"] // move.rows), max(outer.size(outer.z), 1)
    few, many = REGISTERS.get(move.rows // 64, (0, 0))
    constants = sizes | {
        "BM": move.rows, "BN": move.keys, "STAGES": move.stages, "TILES_M": tiles_m, "WEIGHERS": workers,
        "COPIERS": COPIERS if by_groups else threads, "STREAMED": plan.streamed,
        "COPIER_REGISTERS": few, "WEIGHER_REGISTERS": many, "COLUMNS": plan.columns, "LANES": RUN,
        "CHUNK": RUN, "BOUNDED": int(bounded), "ENDS": int(bounded and found.high is not None),
    }  # fmt: skip
    element = ELEMENTS[outer.types[0]]
    instructions = [
        WGMMA_PRELUDE, DESCRIPTOR, ROLES_PRELUDE,
        products_prelude("multiply_inner", element, move.keys, (True, True)),
        products_prelude("multiply_outer", element, plan.columns, (False,)),
    ]  # fmt: skip
    text = "\n".join(
        [
            PRELUDE, COMMON, MATRIX_PRELUDE, WRITE_RUNS, WEIGHT_PRELUDE, *(instructions if by_groups else ()),
            *(f"#define {key} {value}" for key, value in constants.items()),
            f"typedef u16 Word;\ntypedef f32 Sum;\ntypedef {element} Element;",
            "#define exp2f power_of_two  // as attention has it",
            TILES_PRELUDE, "" if by_groups else PRODUCTS,
            kernel_head(name, len(kernel.params), threads, blocks=1),
            *(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params)),
            *(chunks_text(tile.name, tile.made) for tile in (*plan.rows, *plan.keys)),
            _bound_text("low_of", found.low if bounded else None, found, "0"),
            _bound_text("high_of", found.high if bounded else None, found, "KEYS"),
            PLACE, *_tiles_text(plan), COPY if by_groups else "", _sums_text(found),
            *(_by_groups(found, plan) if by_groups else _by_warps(found, plan)),
            weights.text(bounded),
            MULTIPLY if by_groups else WALK,
            *(_written(s.product, number) for number, s in enumerate(found.sums)), "}", "",
        ]
    )  # fmt: skip
    grid = tiles_m * batches
    source = Source(name, text, grid, len(kernel.params), grid=grid, block=threads, shared=plan.nbytes(move))
    return source, move


def _plan(found: Recomputed, weights: Weights) -> Plan:
    rows, keys, values = [], [], []
    for number, c in enumerate(found.inner):
        kind = c.types[0]
        rows.append(Tile(f"rows{number}", factor(f"rows{number}", c.a, c, c.m, kind, True), c.size(c.k)))
        keys.append(Tile(f"keys{number}", factor(f"keys{number}", c.b, c, c.n, kind, True), c.size(c.k)))
    for number, each in enumerate(found.sums):
        same = tile_of_values(found.inner, each.product)
        if same is None:
            c = each.product
            made = factor(f"values{number}", c.b, c, c.n, c.types[1], True)
            keys.append(Tile(f"values{number}", made, c.size(c.n)))
        values.append(keys[-1 if same is None else same])
    columns = -(-found.outer.size(found.outer.n) // (4 * RUN)) * 4 * RUN  # four lanes write four runs
    return Plan(tuple(rows), tuple(keys), tuple(values), columns, len(weights.by_key))


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


def _tiles_text(plan: Plan) -> list[str]:
    """Where tiles lie, and how they are filled."""
    texts, at = [], "tile"
    for tile in plan.rows:
        texts.append(f"  Word *const tile_{tile.name} = {at};")
        texts.append(_filled(FILL_ROWS, tile))
        at = f"tile_{tile.name} + BM * {tile.width}"
    whole, before = sum(t.width for t in plan.keys), 0
    texts.append(f"  Word *const streamed = {at};")
    for tile in plan.keys:
        place = f"streamed + BN * (stage * {whole} + {before})"
        texts.append(f"  const auto tile_{tile.name} = [&](i32 stage) {{ return {place}; }};")
        texts.append(_filled(FILL_KEYS, tile))
        before += tile.width
    rows = " ".join(f"fill_{t.name}(copier);" for t in plan.rows)
    keys = " ".join(f"fill_{t.name}(copier, stage, n0);" for t in plan.keys)
    texts.append(f"  const auto fill_rows = [&](u32 copier) {{ {rows} }};")
    texts.append(f"  const auto fill_keys = [&](u32 copier, i32 stage, i32 n0) {{ {keys} }};")
    return texts


def _filled(text: str, tile: Tile) -> str:
    return (
        text.replace("NAME", tile.name).replace("WIDTH", str(tile.width)).replace("LENGTH", str(tile.length))
    )


def _sums_text(found: Recomputed) -> str:
    """What a thread holds: inner sums, weights and outer sums."""
    made = "".join(f" made{i}[BN / 2]," for i in range(len(found.inner)))
    sums = ", ".join(f"sum{i}[COLUMNS / 2] = {{}}, weight{i}[BN / 2]" for i in range(len(found.sums)))
    return f"  f32{made} {sums};"


def _by_warps(found: Recomputed, plan: Plan) -> list[str]:
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


def _by_groups(found: Recomputed, plan: Plan) -> list[str]:
    """`begin_inner`, `hold`, which rounds the weights, and `begin_outer`: the same for warpgroups."""
    inner, outer, held = [], [], []
    for i, (t, keys) in enumerate(zip(plan.rows, plan.keys, strict=False)):
        rows, key = (f"{name}{i} + k / 4 * ({size} * 8) + k % 4 * 2" for name, size in SIDES)
        inner += [
            f"    const u64 rows{i} = tile_descriptor(tile_{t.name} + warpgroup * 64 * 64, 16);",
            f"    const u64 keys{i} = tile_descriptor(tile_{keys.name}(stage), 16);",
            "#pragma unroll", f"    for (int k = 0; k < {-(-t.length // 16)}; ++k)",
            f"      multiply_inner(made{i}, {rows}, {key}, k > 0);",
        ]  # fmt: skip
    for i, t in enumerate(plan.values):
        pair = f"weight{i}[e * 2], weight{i}[e * 2 + 1]"
        held.append(f"held{i}[e / 4][e % 4] = pair_of(Element(), {pair});")
        outer += [
            f"    const u64 values{i} = tile_descriptor(tile_{t.name}(stage), 128 * BN);",
            "#pragma unroll", "    for (int k = 0; k < BN / 16; ++k)",
            f"      multiply_outer(sum{i}, held{i}[k], values{i} + k * 128, 1);",
        ]  # fmt: skip
    words = ", ".join(f"held{i}[BN / 16][4]" for i in range(len(plan.values)))
    begin, end = "    products_begin();", "    products_commit();"
    return [
        f"  u32 {words};",
        "  const auto begin_inner = [&](i32 stage, int warpgroup) {", begin, *inner, end, "  };",
        "  const auto hold = [&]() {", "#pragma unroll",
        "    for (int e = 0; e < BN / 4; ++e) {", *(f"      {line}" for line in held), "    }", "  };",
        "  const auto begin_outer = [&](i32 stage) {", begin, *outer, end, "  };",
    ]  # fmt: skip


def _bound_text(name: str, bound: Node | None, found: Recomputed, otherwise: str) -> str:
    """`name(z, m)`: where the keys of row m begin, or end."""
    if bound is None:
        return f"  const auto {name} = [&](i32, i32) -> i32 {{ return {otherwise}; }};"
    c = found.outer
    rows = digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(c.m, given(M, c.size(c.m)))
    node = gpu_types(simplify(bound.substitute(rows).cast(dtypes.index).maximum(0).minimum(c.size(c.k))))
    piece = Piece(node)
    result = f"    return (i32){piece.ref(node)};"
    written = frozenset(s.product.store.src[0].arg.slot for s in found.sums)
    head = f"  const auto {name} = [&](i32 given_z, i32 given_m) -> i32 {{"
    return "\n".join([head, *piece.lines(written), result, "  };"])


def _written(product: Contraction, number: int) -> str:
    """The results of a sum, in a block of their own: every epilogue has the same names."""
    write = (
        f"  write_runs(sum{number}, lane, [&](i32 half, i32 n, Vec<f32, 8> run) {{"
        " put_lanes(z, m + half * 8, n, run); });"
    )
    return "\n".join(["  {", epilogue(product, RUN), write, "  }"])


RECOMPUTED: Final = Template("products computed again", recomputed_of, recomputed_source, Attend)
