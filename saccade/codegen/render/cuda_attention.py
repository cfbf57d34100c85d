"""Attention as one CUDA kernel: the parts that depend on the expression, around the texts that do not.

    attention_source(kernel, attention_of(kernel), name, shared, wgmma)

Queries, keys and values come as the factors of a matrix product do (`cuda_product`), results go as its
results. What happens to a score is a function of its place, written from the graph. On Hopper warpgroups
multiply (`cuda_attention_hopper`), elsewhere warps (`cuda_attention_text`)."""

from __future__ import annotations

import math
from typing import Final

from ...graph import dtypes
from ...graph.kernel import UNROLL, Kernel, Param, loop
from ...graph.node import Node, make
from ...graph.ops import Op
from ...graph.symbolic import simplify
from ...runtime.program import Source
from ..gpu_code import NO_BUFFER, GpuCode
from ..gpu_types import gpu_types
from ..linear import Memory
from ..opt.gpu_attention import ROWS, Attention
from .cuda import Renderer, literal, pointer
from .cuda_attention_hopper import COPIERS, HOPPER, REGISTERS, ROLES_PRELUDE, products_prelude
from .cuda_attention_text import FILL, WARPS, WEIGH, WEIGHT_PRELUDE
from .cuda_matrix import MATRIX_PRELUDE
from .cuda_pieces import C, Factor, K, M, Piece, V, Z, digits, factor, given
from .cuda_prelude import COMMON, PRELUDE
from .cuda_product import ALIGNMENT, epilogue
from .cuda_tiles import COMMON_TILES
from .cuda_wgmma import DESCRIPTOR, WGMMA_PRELUDE

#: neighbours that are written, and those of a factor that are copied, together
RUN: Final = 8
#: elements of a row of a tile: what is shorter is filled up with zeros
PANEL: Final = 64
ELEMENTS: Final = {dtypes.float16: "F16", dtypes.bfloat16: "BF16"}


def attention_source(kernel: Kernel, a: Attention, name: str, shared: int, wgmma: bool = False) -> Source:
    """The source of a kernel that is attention, in at most `shared` bytes of shared memory."""
    scores, output = a.scores, a.output
    q = factor("Q", scores.a, scores, scores.m, scores.types[0], turns=True)
    k = factor("K", scores.b, scores, scores.n, scores.types[1], turns=True)
    v = factor("V", output.b, output, output.n, output.types[1], turns=True)
    rows, keys, depth, columns = (scores.size(x) for x in (scores.m, scores.n, scores.k, output.n))
    dq, dv = (-(-n // PANEL) * PANEL for n in (depth, columns))
    whole = -(-columns // (4 * RUN)) * 4 * RUN  # four lanes write four runs
    # factors that are computed would have to be so by the few registers of who copies
    by_groups = wgmma and q.copied and k.copied and v.copied
    bm, bn, stages = _hopper_tiles(a, dq, dv) if by_groups else _tiles(dq, dv, shared)
    threads = bm * 2 + (COPIERS if by_groups else 0)
    tiles, batches = -(-rows // bm), max(scores.size(scores.z), 1)
    constants = {
        "BM": bm, "BN": bn, "DQ": dq, "DV": dv, "STAGES": stages, "M": rows, "N": columns, "KEYS": keys,
        "DEPTH": depth, "COLUMNS": whole, "TILES_M": tiles, "LANES": RUN, "CHUNK": RUN,
        "COPIERS": COPIERS if by_groups else threads,
        "SCALE": literal(a.scale * math.log2(math.e), dtypes.float32),
        "Q_ALONG_K": int(q.along_k), "K_ALONG_K": int(k.along_k), "V_ALONG_K": int(v.along_k),
        "MODIFIED": int(a.score is not scores.fold), "COUNTED": int(a.count is not None),
        "COUNTED_ONLY": int(a.count_only),
        # a thread that has the same chunk of several rows needs few registers for their places
        "TOGETHER": 16 if all(COPIERS % (n // RUN) == 0 for n in (dq, dv)) else 4,
    }  # fmt: skip
    preludes = [PRELUDE, COMMON, MATRIX_PRELUDE, WEIGHT_PRELUDE]
    if by_groups:
        few, many = REGISTERS[bm // 64]
        constants |= {"WEIGHERS": bm * 2, "COPIER_REGISTERS": few, "WEIGHER_REGISTERS": many}
        preludes += [
            WGMMA_PRELUDE, DESCRIPTOR, ROLES_PRELUDE,
            products_prelude("multiply_scores", ELEMENTS[scores.types[0]], bn, (q.along_k, k.along_k)),
            products_prelude("multiply_values", ELEMENTS[output.types[1]], whole, (v.along_k,)),
        ]  # fmt: skip
    types = [f"typedef {ELEMENTS[scores.types[0]]} Scored;", f"typedef {ELEMENTS[output.types[1]]} Element;"]
    arguments = "".join(f", u64 a{i}, u64 o{i}" for i in range(len(kernel.params)))
    bounds = f"__launch_bounds__({threads}, 1)"
    head = f'extern "C" __global__ void {bounds} {name}(const u64 *table{arguments}) {{'
    text = "\n".join(
        [
            *preludes, *(f"#define {key} {value}" for key, value in constants.items()),
            "typedef u16 Word;\ntypedef f32 Sum;", *types, COMMON_TILES, WEIGH, head,
            *(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params)),
            _chunks("Q", q), _chunks("K", k), _chunks("V", v),
            _count_text(a), _score_text(a), epilogue(output, RUN), FILL, HOPPER if by_groups else WARPS,
            "}", "",
        ]
    )  # fmt: skip
    nbytes = 2 * (bm * dq + stages * bn * (dq + dv)) + ALIGNMENT + 8 * (1 + 4 * stages)
    grid = tiles * batches
    return Source(
        name, text, tasks=grid, params=len(kernel.params), grid=grid, block=threads, shared=nbytes
    )  # fmt: skip


def _hopper_tiles(a: Attention, dq: int, dv: int) -> tuple[int, int, int]:
    """Rows, keys and stages: the sums, a tile of scores and its weights have to fit in registers."""
    if max(dq, dv) > 128:
        return ROWS, 64, 2
    # narrow sums leave room for another warpgroup: 1.14 against 1.27 ms for 64 columns; a block whose keys
    # end at a count must not go over several heads
    if max(dq, dv) == PANEL and (a.count is None or len(a.scores.m) == 1):
        return 192, 128, 3
    return ROWS, 128, 2


def _tiles(dq: int, dv: int, shared: int) -> tuple[int, int, int]:
    """The same for warps: the most that fits in shared memory."""
    sizes = ((ROWS, 64, 2), (64, 64, 2), (64, 64, 1), (32, 64, 1), (32, 32, 1))
    fitting = [s for s in sizes if 2 * (s[0] * dq + s[2] * s[1] * (dq + dv)) + 2 * ALIGNMENT <= shared]
    return fitting[0] if fitting else sizes[-1]


def _chunks(name: str, made: Factor) -> str:
    """`chunk_X(z, index across the chunks, chunk)`: a chunk of a factor, or where it lies if it is copied."""
    if not made.copied:
        return made.text
    row, step = ("m", "c") if made.along_k else ("c", "m")
    place = f"start_{name} + row_{name}(z, {row}) + step_{name}({step})"
    head = f"  const auto chunk_{name} = [&](i32 z, i32 m, i32 c) -> const Word * {{"
    return f"{made.text}\n{head} return {place}; }};"


def _piece(node: Node, sums: str = "") -> tuple[Piece, Renderer]:
    piece = Piece(node)
    for each in node.toposort():
        if each.op is Op.PARAM and each.arg.slot == NO_BUFFER:
            piece.memories[each] = Memory(sums, dtypes.float32, NO_BUFFER)
    return piece, Renderer(GpuCode("", piece.stack[0].block, [], frozenset(), [], [], 0, 1, 1, 1, 0, 0))


def _rows_of(a: Attention) -> dict[Node, Node]:
    c = a.scores
    return digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(c.m, given(M, c.size(c.m)))


def _count_text(a: Attention) -> str:
    """`counted(z, m)`: the keys that row m looks at."""
    if a.count is None:
        return "  const auto counted = [&](i32, i32) -> i32 { return KEYS; };"
    keys = a.scores.size(a.scores.n)
    count = a.count.substitute(_rows_of(a)).cast(dtypes.index).maximum(0).minimum(keys)
    node = gpu_types(simplify(count))
    piece, printer = _piece(node)
    result = printer.ref(piece.emit(node).at[()])
    body = [*piece.lines(_written(a)), f"    return (i32){result};"]
    return "\n".join(["  const auto counted = [&](i32 given_z, i32 given_m) -> i32 {", *body, "  };"])


def _written(a: Attention) -> frozenset[int]:
    return frozenset({a.output.store.src[0].arg.slot})


def _score_text(a: Attention) -> str:
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
    body = [*zero, *piece.lines(_written(a)), made, "  };"]
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
