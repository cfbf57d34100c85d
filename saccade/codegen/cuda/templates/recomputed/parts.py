"""Products computed again: the tiles of a kernel, and the lines that all its forms share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .....graph import dtypes
from .....graph.node import Node
from .....graph.rules.symbolic import simplify
from ...pieces import Factor, M, Z, factor, row_digits, value_function
from ...prelude import COMMON, PRELUDE
from ...search.moves import WARPGROUPS, Attend
from ..attention.hopper import COPIERS, REGISTERS, ROLES_PRELUDE, products_prelude
from ..attention.match import PANEL
from ..attention.source import ELEMENTS, RUN
from ..attention.text import TILES_PRELUDE, WEIGHT_PRELUDE
from ..product.check import ALIGNMENT, MOST_REGISTERS
from ..product.match import Contraction
from ..product.matrix import MATRIX_PRELUDE, WRITE_RUNS
from ..product.source import epilogue
from ..product.wgmma import DESCRIPTOR, WGMMA_PRELUDE
from .across import ACROSS_REGISTERS
from .match import Recomputed, tile_of_values
from .text import FILL_KEYS, FILL_ROWS
from .weights import Weights

#: registers of a thread that hold neither sums nor scores
OTHERS: Final = 32
#: descriptors of both sides of an inner product, and the rows of their tiles
SIDES: Final = (("rows", "BM"), ("keys", "BN"))


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
    weights: Weights

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
        inner = len(self.rows) * move.keys // 2 + len(self.weights.by_key) * move.keys // 4
        return len(self.values) * (self.columns // 2 + held) + inner + OTHERS

    def fits(self, move: Attend, shared: int) -> bool:
        most = REGISTERS[move.rows // 64][1] if move.by == WARPGROUPS else MOST_REGISTERS
        return self.nbytes(move) <= shared and self.registers(move) <= most


def plan_of(found: Recomputed) -> Plan:
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
    return Plan(tuple(rows), tuple(keys), tuple(values), columns, Weights(found))


def first_lines(found: Recomputed, plan: Plan, move: Attend, more: dict[str, int]) -> list[str]:
    """What all forms begin with: sizes and `more` of them, types, and what warpgroups multiply with."""
    c, by_groups = found.outer, move.by == WARPGROUPS
    few, many = ACROSS_REGISTERS if found.across is not None else REGISTERS.get(move.rows // 64, (0, 0))
    constants = {
        "M": c.size(c.m), "KEYS": c.size(c.k), "N": c.size(c.n), "BM": move.rows, "BN": move.keys,
        "STAGES": move.stages, "TILES_M": -(-c.size(c.m) // move.rows), "WEIGHERS": move.rows * 2,
        "COPIERS": COPIERS if by_groups else move.rows * 2, "STREAMED": plan.streamed,
        "COPIER_REGISTERS": few, "WEIGHER_REGISTERS": many, "COLUMNS": plan.columns, "LANES": RUN,
        "CHUNK": RUN, **more,
    }  # fmt: skip
    element = ELEMENTS[c.types[0]]
    products = [
        WGMMA_PRELUDE, DESCRIPTOR, ROLES_PRELUDE,
        products_prelude("multiply_inner", element, move.keys, (True, True)),
        products_prelude("multiply_outer", element, plan.columns, (False,)),
    ]  # fmt: skip
    return [
        PRELUDE, COMMON, MATRIX_PRELUDE, WRITE_RUNS, WEIGHT_PRELUDE, *(products if by_groups else ()),
        *(f"#define {key} {value}" for key, value in constants.items()),
        f"typedef u16 Word;\ntypedef f32 Sum;\ntypedef {element} Element;",
        "#define exp2f power_of_two  // as attention has it",
        TILES_PRELUDE,
    ]  # fmt: skip


def tiles_text(plan: Plan) -> list[str]:
    """Where tiles lie, and how they are filled."""
    texts, at = [], "tile"
    for tile in plan.rows:
        texts.append(f"  Word *const tile_{tile.name} = {at};")
        texts.append(_filled(FILL_ROWS, tile))
        at = f"tile_{tile.name} + BM * {tile.width}"
    whole, before = sum(t.width for t in plan.keys), 0
    texts.append(f"  Word *const streamed = {at}, *const behind = streamed + STAGES * BN * STREAMED;")
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


def sums_text(found: Recomputed) -> str:
    """What a thread holds: inner sums, weights and outer sums."""
    made = "".join(f" made{i}[BN / 2]," for i in range(len(found.inner)))
    sums = ", ".join(f"sum{i}[COLUMNS / 2] = {{}}, weight{i}[BN / 2]" for i in range(len(found.sums)))
    return f"  f32{made} {sums};"


def inner_lines(plan: Plan, number: int) -> list[str]:
    """A warpgroup's part of an inner product is begun."""
    i, t, keys = number, plan.rows[number], plan.keys[number]
    row, key = (f"{name}{i} + k / 4 * ({size} * 8) + k % 4 * 2" for name, size in SIDES)
    return [
        f"    const u64 rows{i} = tile_descriptor(tile_{t.name} + warpgroup * 64 * 64, 16);",
        f"    const u64 keys{i} = tile_descriptor(tile_{keys.name}(stage), 16);",
        "#pragma unroll", f"    for (int k = 0; k < {-(-t.length // 16)}; ++k)",
        f"      multiply_inner(made{i}, {row}, {key}, k > 0);",
    ]  # fmt: skip


def outer_lines(plan: Plan, number: int) -> list[str]:
    """And of a sum, with the weights it holds."""
    i, t = number, plan.values[number]
    return [
        f"    const u64 values{i} = tile_descriptor(tile_{t.name}(stage), 128 * BN);",
        "#pragma unroll", "    for (int k = 0; k < BN / 16; ++k)",
        f"      multiply_outer(sum{i}, held{i}[k], values{i} + k * 128, 1);",
    ]  # fmt: skip


def held_line(number: int) -> str:
    """Two weights of a sum are rounded."""
    pair = f"weight{number}[e * 2], weight{number}[e * 2 + 1]"
    return f"held{number}[e / 4][e % 4] = pair_of(Element(), {pair});"


def bound_text(name: str, bound: Node | None, found: Recomputed, otherwise: str) -> str:
    """`name(z, m)`: where the keys of row m begin, or end."""
    if bound is None:
        return f"  const auto {name} = [&](i32, i32) -> i32 {{ return {otherwise}; }};"
    c = found.outer
    node = simplify(bound.substitute(row_digits(c)).cast(dtypes.index).maximum(0).minimum(c.size(c.k)))
    written = frozenset(s.product.store.src[0].arg.slot for s in found.sums)
    return value_function(name, (Z, M), node, written, kind="i32")


def written_text(product: Contraction, number: int) -> str:
    """The results of a sum, in a block of their own: every epilogue has the same names."""
    write = (
        f"  write_runs(sum{number}, lane, [&](i32 half, i32 n, Vec<f32, 8> run) {{"
        " put_lanes(z, m + half * 8, n, run); });"
    )
    return "\n".join(["  {", epilogue(product, RUN), write, "  }"])
