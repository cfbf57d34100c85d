"""What attention computes besides its products, as functions of a place: written from the graph.

    counted(z, m)               how many keys row m looks at
    modified(z, m, n, a, b)     the sums of products at keys n and n + 1 become scores
    put_total(z, m, total)      the logsumexp of a row is stored

`at_X(z, index across the chunks, chunk)` is a chunk of a factor, or where it lies if it is copied."""

from __future__ import annotations

from .....graph import dtypes
from .....graph.kernels.kernel import UNROLL, loop
from .....graph.kernels.kernel import store as kernel_store
from .....graph.rules.symbolic import simplify
from ....linear.gpu.code import NO_BUFFER
from ...pieces import C, Factor, M, Piece, V, Z, element_of, given, row_digits, stored_lines, value_function
from ...renderer import literal
from ...schemes.layout import digits
from ...search.moves import Attend
from ...types import gpu_types
from .join import JOINED
from .match import Attention


def constants_of(
    a: Attention, move: Attend, chunk: int, factors: tuple[Factor, Factor, Factor]
) -> dict[str, int]:
    """What all texts of attention are written in terms of: the layout, chunks of so many elements, and how
    queries, keys and values are read."""
    rows, keys, depth, columns = (a.scores.size(x) for x in (a.scores.m, a.scores.n, a.scores.k, a.output.n))
    made = {f"{n}_ALONG_K": int(x.along_k) for n, x in zip("QKV", factors, strict=True)}
    return made | {
        "BM": move.rows, "BN": move.keys, "STAGES": move.stages, "PARTS": move.parts,
        "BATCHES": max(a.scores.size(a.scores.z), 1), "M": rows, "N": columns, "KEYS": keys, "DEPTH": depth,
        "TILES_M": -(-rows // move.rows), "CHUNK": chunk, "JOINED": JOINED,
        "MODIFIED": int(a.score is not a.scores.fold), "COUNTED": int(a.count is not None),
        "COUNTED_ONLY": int(a.count_only),
    }  # fmt: skip


def chunks_text(name: str, made: Factor) -> str:
    """`at_X(z, index across the chunks, chunk)`: a chunk of a factor, or where it lies if it is copied."""
    if made.copied:
        row, step = ("m", "c") if made.along_k else ("c", "m")
        kind, value = "const Word *", f"start_{name} + row_{name}(z, {row}) + step_{name}({step})"
    else:
        kind, value = "Vec<Word, CHUNK>", f"chunk_{name}(load_{name}(z, m, c), z, m, c)"
    return f"{made.text}\n  const auto at_{name} = [&](i32 z, i32 m, i32 c) -> {kind} {{ return {value}; }};"


def count_text(a: Attention, early: bool) -> str:
    """`counted(z, m)`: the keys that row m looks at."""
    if a.count is None:
        return "  const auto counted = [&](i32, i32) -> i32 { return KEYS; };"
    keys = a.scores.size(a.scores.n)
    count = simplify(a.count.substitute(row_digits(a.scores)).cast(dtypes.index).maximum(0).minimum(keys))
    return value_function("counted", (Z, M), count, _written(a), early, "i32")


def _written(a: Attention) -> frozenset[int]:
    stores = [a.output.store] if a.total is None else [a.output.store, a.total]
    return frozenset({store.src[0].arg.slot for store in stores})


def score_text(a: Attention, early: bool) -> str:
    """`modified(z, m, n, a, b)`: the sums of products at keys n and n + 1 become scores."""
    head = "  const auto modified = [&](i32 z, i32 m, i32 n, f32 &a, f32 &b) {"
    if a.score is a.scores.fold:
        return head + "};"
    keys = a.scores.size(a.scores.n)
    width = 2 if keys % 2 == 0 else 1
    v = loop(V, width, UNROLL) if width > 1 else None
    chunks = given(C, keys // width)
    total = element_of(dtypes.float32, 0, width, v)
    mapping = row_digits(a.scores) | digits(a.scores.n, chunks, width, v)
    node = gpu_types(simplify(a.score.substitute({a.scores.fold: total}).substitute(mapping)))
    piece = Piece(node, held={NO_BUFFER: "sums.at"})
    refs = [piece.ref(node, lane) for lane in range(width)]
    one = f"  const auto scored = [&](i32 given_z, i32 given_m, i32 given_c, Vec<f32, {width}> sums) {{"
    zero = [] if width > 1 else ["    const i32 given_k = 0;"]
    made = f"    return Vec<f32, {width}>{{{{{', '.join(refs)}}}}};"
    body = [*zero, *piece.lines(_written(a), early), made, "  };"]
    place = "least<i32>(m, M - 1), least<i32>(n{}, KEYS - 1)"
    if width > 1:
        use = [
            f"    const Vec<f32, 2> made = scored(z, {place.format('')} / 2, {{{{a, b}}}});",
            "    a = made.at[0];", "    b = made.at[1];",
        ]  # fmt: skip
    else:
        use = [
            f"    a = scored(z, {place.format('')}, {{{{a}}}}).at[0];",
            f"    b = scored(z, {place.format(' + 1')}, {{{{b}}}}).at[0];",
        ]
    return "\n".join([one, *body, head, *use, "  };"])


def total_text(a: Attention, early: bool) -> list[str]:
    """`put_total(z, m, total)`: the logsumexp of a row is stored."""
    if a.total is None:
        return []
    memory, place, _ = a.total.src
    total = element_of(dtypes.float32, 0, 1)
    store = gpu_types(simplify(kernel_store(memory, place.substitute(row_digits(a.scores)), total)))
    body = stored_lines((store,), {NO_BUFFER: "sums.at"}, _written(a), early)
    head = "  const auto put_total = [&](i32 given_z, i32 given_m, f32 total) {"
    first = ["    const i32 given_k = 0;", "    const Vec<f32, 1> sums = {{total}};"]
    scale = f"  constexpr f32 SCORE_SCALE = {literal(a.scale, dtypes.float32)};"
    return [scale, head, *first, *body, "  };"]
