"""Products with a factor that is computed again, as one CUDA kernel: the parts that depend on the expression.

    recomputed_source(kernel, recomputed_of(kernel), name, card)

Factors come as those of a matrix product do (`pieces.factor`), results go as its results. What makes a weight
of inner sums is a function of its place, written from the graph; an exponential in it is a power of two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from .....graph import dtypes
from .....graph.kernel import UNROLL, Kernel, loop, range_size
from .....graph.node import Node, const, is_const, make
from .....graph.ops import Op
from .....graph.param import Param
from .....graph.symbolic import simplify
from .....runtime.program import Source
from ....linear.code import Memory
from ....linear.gpu_code import NO_BUFFER
from ....moves.legal import IllegalMove
from ...pieces import C, Factor, K, M, Piece, V, Z, factor, given
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import pointer
from ...schemes.layout import digits
from ...search.moves import WARPS, Attend, Card
from ...types import gpu_types
from ..attention.source import ELEMENTS, PANEL, RUN, chunks_text
from ..attention.text import TILES_PRELUDE, WEIGHT_PRELUDE
from ..product.check import ALIGNMENT, MOST_REGISTERS
from ..product.match import Contraction
from ..product.matrix import MATRIX_PRELUDE, WRITE_RUNS
from ..product.source import epilogue
from ..template import Template
from .match import Recomputed, recomputed_of, tile_of_values
from .text import FILL_KEYS, FILL_ROWS, PLACE, PRODUCTS, WALK

#: rows, keys and stages that are tried in turn, until they fit in shared memory and registers
SIZES: Final = ((128, 64, 2), (64, 64, 2), (64, 32, 2), (64, 32, 1), (32, 32, 1))
#: registers of a thread that hold neither sums nor scores
OTHERS: Final = 48


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

    def nbytes(self, rows: int, keys: int, stages: int) -> int:
        """Of shared memory."""
        words = rows * sum(t.width for t in self.rows) + stages * keys * sum(t.width for t in self.keys)
        return 2 * words + ALIGNMENT

    def registers(self, keys: int) -> int:
        return len(self.values) * self.columns // 2 + len(self.rows) * keys // 2 + OTHERS


def recomputed_source(
    kernel: Kernel, found: Recomputed, name: str, card: Card, move: Attend | None = None
) -> tuple[Source, Attend]:
    """The source of a kernel of products computed again, and its tiles: as the move says, or chosen here."""
    plan = _plan(found)
    chosen = _chosen(plan, card.shared) if move is None else (move.rows, move.keys, move.stages)
    if move is not None:
        _require(plan, move, card.shared)
    rows, keys, stages = chosen
    threads, outer = rows * 2, found.outer
    bounded = found.bounded and (len(outer.m) == 1 or range_size(outer.m[-1]) % rows == 0)
    sizes = {"M": outer.size(outer.m), "KEYS": outer.size(outer.k), "N": outer.size(outer.n)}
    tiles_m, batches = -(-sizes["M"] // rows), max(outer.size(outer.z), 1)
    constants = sizes | {
        "BM": rows, "BN": keys, "STAGES": stages, "THREADS": threads, "TILES_M": tiles_m,
        "COLUMNS": plan.columns, "LANES": RUN, "CHUNK": RUN, "BOUNDED": int(bounded),
        "ENDS": int(bounded and found.high is not None),
    }  # fmt: skip
    text = "\n".join(
        [
            PRELUDE, COMMON, MATRIX_PRELUDE, WRITE_RUNS, WEIGHT_PRELUDE,
            *(f"#define {key} {value}" for key, value in constants.items()),
            f"typedef u16 Word;\ntypedef f32 Sum;\ntypedef {ELEMENTS[outer.types[0]]} Element;",
            "#define exp2f power_of_two  // as attention has it", TILES_PRELUDE, PRODUCTS,
            kernel_head(name, len(kernel.params), threads, blocks=1),
            *(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params)),
            *(chunks_text(tile.name, tile.made) for tile in (*plan.rows, *plan.keys)),
            _bound_text("low_of", found.low if bounded else None, found, "0"),
            _bound_text("high_of", found.high if bounded else None, found, "KEYS"),
            PLACE, *_tiles_text(plan), *_products_text(found, plan),
            _weights_text("weigh_masked", [s.weight for s in found.sums], found),
            _weights_text("weigh_inside", [s.inside if bounded else s.weight for s in found.sums], found),
            WALK, *(_written(s.product, number) for number, s in enumerate(found.sums)), "}", "",
        ]
    )  # fmt: skip
    grid = tiles_m * batches
    nbytes = plan.nbytes(*chosen)
    source = Source(name, text, grid, len(kernel.params), grid=grid, block=threads, shared=nbytes)
    return source, Attend(WARPS, rows, keys, stages)


def _plan(found: Recomputed) -> Plan:
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
    return Plan(tuple(rows), tuple(keys), tuple(values), columns)


def _chosen(plan: Plan, shared: int) -> tuple[int, int, int]:
    fitting = (s for s in SIZES if plan.nbytes(*s) <= shared and plan.registers(s[1]) <= MOST_REGISTERS)
    return next(fitting, SIZES[-1])


def _require(plan: Plan, move: Attend, shared: int) -> None:
    """Raise IllegalMove unless the text is written for these tiles."""
    what = (
        f"products computed again in tiles of {move.rows} rows and {move.keys} keys, {move.stages} at a time"
    )
    if move.by != WARPS or (move.strips, move.parts) != (1, 1):
        raise IllegalMove(f"{what}: warps alone have them, in one strip and one part")
    if move.rows not in (32, 64, 128) or move.keys not in (32, 64, 128) or not 1 <= move.stages <= 4:
        raise IllegalMove(f"{what}: warps have 32, 64 or 128 rows and keys in up to four stages")
    if move.keys * PANEL % (RUN * 2 * move.rows):
        raise IllegalMove(f"{what}: {2 * move.rows} threads do not share the copies of a tile evenly")
    if plan.nbytes(move.rows, move.keys, move.stages) > shared:
        raise IllegalMove(f"{what}: more shared memory than the {shared} bytes of a block")
    if plan.registers(move.keys) > MOST_REGISTERS:
        raise IllegalMove(f"{what}: sums and scores do not fit the registers of a thread")


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
    rows = " ".join(f"fill_{t.name}();" for t in plan.rows)
    keys = " ".join(f"fill_{t.name}(stage, n0);" for t in plan.keys)
    texts.append(f"  const auto fill_rows = [&]() {{ {rows} }};")
    texts.append(f"  const auto fill_keys = [&](i32 stage, i32 n0) {{ {keys} }};")
    return texts


def _filled(text: str, tile: Tile) -> str:
    return (
        text.replace("NAME", tile.name).replace("WIDTH", str(tile.width)).replace("LENGTH", str(tile.length))
    )


def _products_text(found: Recomputed, plan: Plan) -> list[str]:
    """`make_sums`, the inner sums of a tile, and `add_sums`, the outer ones."""
    made = "".join(f" made{i}[BN / 2]," for i in range(len(found.inner)))
    sums = ", ".join(f"sum{i}[COLUMNS / 2] = {{}}, weight{i}[BN / 2]" for i in range(len(found.sums)))
    inner = [
        f"    multiply_rows<{-(-t.length // 16)}>"
        f"(made{i}, tile_{t.name}, tile_{keys.name}(stage), first, lane);"
        for i, (t, keys) in enumerate(zip(plan.rows, plan.keys, strict=False))
    ]
    outer = [
        f"    add_products(sum{i}, weight{i}, tile_{t.name}(stage), lane);" for i, t in enumerate(plan.values)
    ]
    return [
        f"  f32{made} {sums};",
        "  const auto make_sums = [&](i32 stage, int first, int lane) {", *inner, "  };",
        "  const auto add_sums = [&](i32 stage, int lane) {", *outer, "  };",
    ]  # fmt: skip


def _weights_text(name: str, weights: list[Node], found: Recomputed) -> str:
    """`name(m, n0, lane)`: a tile of inner sums becomes one of weights, which are 0 beyond the last key."""
    c = found.outer
    keys = c.size(c.k)
    width = 2 if keys % 2 == 0 else 1
    v = loop(V, width, UNROLL) if width > 1 else None
    mapping = digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(c.m, given(M, c.size(c.m)))
    mapping |= digits(c.k, given(C, keys // width), width, v)
    held = {}
    for number, each in enumerate(found.inner):
        memory = make(Op.PARAM, dtypes.float32, (), Param(NO_BUFFER - number, width))
        held[each.fold] = make(Op.LOAD, dtypes.float32, (memory, v if v is not None else given(K, 1)))
    nodes = [gpu_types(simplify(powers_of_two(w).substitute(held).substitute(mapping))) for w in weights]
    piece = Piece(*nodes)
    for node in piece.kernel.sink.toposort():
        if node.op is Op.PARAM and node.arg.slot <= NO_BUFFER:
            piece.memories[node] = Memory(f"made{NO_BUFFER - node.arg.slot}.at", node.dtype, NO_BUFFER)
    refs = [", ".join(piece.ref(node, lane) for lane in range(width)) for node in nodes]
    written = frozenset(s.product.store.src[0].arg.slot for s in found.sums)
    given_sums = "".join(f", Vec<f32, {width}> made{i}" for i in range(len(found.inner)))
    results = ", ".join(f"Vec<f32, {width}> &weight{i}" for i in range(len(nodes)))
    lines = [
        f"  const auto {name}_one = [&](i32 given_z, i32 given_m, i32 given_c{given_sums}, {results}) {{",
        *([] if width > 1 else ["    const i32 given_k = 0;"]), *piece.lines(written),
        *(f"    weight{i} = {{{{{ref}}}}};" for i, ref in enumerate(refs)), "  };",
        f"  const auto {name} = [&](i32 m, i32 n0, int lane) {{", "#pragma unroll",
        "    for (int i = 0; i < BN / 2; i += 2) {",
        "      const i32 row = least<i32>(m + i / 2 % 2 * 8, M - 1), n = n0 + i / 4 * 8 + lane % 4 * 2;",
    ]  # fmt: skip
    for part in range(2 // width):
        at = "i" if part == 0 else "i + 1"
        place = f"z, row, least<i32>(n + {part}, KEYS - 1)" + (" / 2" if width > 1 else "")
        sums = "".join(
            f", {{{{{', '.join(f'made{j}[{at} + {e}]' for e in range(width))}}}}}"
            for j in range(len(found.inner))
        )
        made = ", ".join(f"w{part}_{i}" for i in range(len(nodes)))
        lines.append(f"      Vec<f32, {width}> {made};")
        lines.append(f"      {name}_one({place}{sums}, {made});")
        for i in range(len(nodes)):
            lines += [
                f"      weight{i}[{at} + {e}] = n + {part + e} < KEYS ? w{part}_{i}.at[{e}] : 0.0f;"
                for e in range(width)
            ]
    return "\n".join([*lines, "    }", "  };"])


def powers_of_two(weight: Node) -> Node:
    """exp(x) -> 2 ** (x * log2(e)), with the factor where it costs least."""
    done = {n: make(Op.EXP2, n.dtype, (_scaled(n.src[0]),)) for n in weight.toposort() if n.op is Op.EXP}
    return weight.substitute(done) if done else weight


def _scaled(x: Node) -> Node:
    """x * log2(e)"""
    if x.op is Op.SUB:
        return make(Op.SUB, x.dtype, (_scaled(x.src[0]), _scaled(x.src[1])))
    if x.op is Op.WHERE and is_const(x.src[2], float("-inf")):
        return make(Op.WHERE, x.dtype, (x.src[0], _scaled(x.src[1]), x.src[2]))
    if x.op is Op.MUL and is_const(x.src[1]):
        return make(Op.MUL, x.dtype, (x.src[0], const(x.src[1].arg * math.log2(math.e), x.dtype)))
    return make(Op.MUL, x.dtype, (x, const(math.log2(math.e), x.dtype)))


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
