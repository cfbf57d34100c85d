"""What attention computes besides its products, as functions of a place: written from the graph.

    counted(z, m)               how many keys row m looks at
    modified(z, m, n, a, b)     the sums of products at keys n and n + 1 become scores
    put_total(z, m, total)      the logsumexp of a row is stored

`at_X(z, index across the chunks, chunk)` is a chunk of a factor, or where it lies if it is copied."""

from __future__ import annotations

from .....graph import dtypes
from .....graph.kernels.kernel import UNROLL, loop
from .....graph.kernels.kernel import store as kernel_store
from .....graph.node import Node, make
from .....graph.ops import Op
from .....graph.param import Param
from .....graph.rules.symbolic import simplify
from ....linear.code import Memory
from ....linear.gpu.code import NO_BUFFER, GpuCode
from ...pieces import C, Factor, K, M, Piece, V, Z, given
from ...renderer import Renderer, literal
from ...schemes.layout import digits
from ...types import gpu_types
from .match import Attention


def chunks_text(name: str, made: Factor) -> str:
    """`at_X(z, index across the chunks, chunk)`: a chunk of a factor, or where it lies if it is copied."""
    if made.copied:
        row, step = ("m", "c") if made.along_k else ("c", "m")
        kind, value = "const Word *", f"start_{name} + row_{name}(z, {row}) + step_{name}({step})"
    else:
        kind, value = "Vec<Word, CHUNK>", f"chunk_{name}(load_{name}(z, m, c), z, m, c)"
    return f"{made.text}\n  const auto at_{name} = [&](i32 z, i32 m, i32 c) -> {kind} {{ return {value}; }};"


def _piece(node: Node, sums: str = "") -> tuple[Piece, Renderer]:
    piece = Piece(node)
    for each in node.toposort():
        if each.op is Op.PARAM and each.arg.slot == NO_BUFFER:
            piece.memories[each] = Memory(sums, dtypes.float32, NO_BUFFER)
    return piece, Renderer(GpuCode("", piece.stack[0].block, [], frozenset(), [], [], 0, 1, 1, 1, 0, 0))


def _rows_of(a: Attention) -> dict[Node, Node]:
    c = a.scores
    return digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(c.m, given(M, c.size(c.m)))


def count_text(a: Attention, early: bool) -> str:
    """`counted(z, m)`: the keys that row m looks at."""
    if a.count is None:
        return "  const auto counted = [&](i32, i32) -> i32 { return KEYS; };"
    keys = a.scores.size(a.scores.n)
    count = a.count.substitute(_rows_of(a)).cast(dtypes.index).maximum(0).minimum(keys)
    node = gpu_types(simplify(count))
    piece, printer = _piece(node)
    result = printer.ref(piece.emit(node).at[()])
    body = [*piece.lines(_written(a), early), f"    return (i32){result};"]
    return "\n".join(["  const auto counted = [&](i32 given_z, i32 given_m) -> i32 {", *body, "  };"])


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
    sums = make(Op.PARAM, dtypes.float32, (), Param(NO_BUFFER, width))
    total = make(Op.LOAD, dtypes.float32, (sums, v if v is not None else given(K, 1)))
    mapping = _rows_of(a) | digits(a.scores.n, chunks, width, v)
    node = gpu_types(simplify(a.score.substitute({a.scores.fold: total}).substitute(mapping)))
    piece, printer = _piece(node, "sums.at")
    points = piece.emit(node)
    axes = piece.unroll_axes(node)  # none, where both scores of a pair are the same
    refs = [printer.ref(points.project(axes, (lane,) if axes else ())) for lane in range(width)]
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
    sums = make(Op.PARAM, dtypes.float32, (), Param(NO_BUFFER, 1))
    total = make(Op.LOAD, dtypes.float32, (sums, given(K, 1)))
    memory, place, _ = a.total.src
    store = gpu_types(simplify(kernel_store(memory, place.substitute(_rows_of(a)), total)))
    piece = Piece(store)
    for node in store.toposort():
        if node.op is Op.PARAM and node.arg.slot == NO_BUFFER:
            piece.memories[node] = Memory("sums.at", dtypes.float32, NO_BUFFER)
    piece.store(piece.kernel.sink.src[0])
    head = "  const auto put_total = [&](i32 given_z, i32 given_m, f32 total) {"
    first = ["    const i32 given_k = 0;", "    const Vec<f32, 1> sums = {{total}};"]
    scale = f"  constexpr f32 SCORE_SCALE = {literal(a.scale, dtypes.float32)};"
    return [scale, head, *first, *piece.lines(_written(a), early), "  };"]
