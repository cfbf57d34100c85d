"""A matrix product as CUDA C++: tiles of shared memory, filled while the last ones are multiplied.

Each block has a BM x BN tile of the result and walks along k in steps of BK. Factors come in chunks of 16
bytes, along k or across it, whichever is side by side in memory; a chunk that lies in memory as it is needed
is copied asynchronously, others (cast, gathered, padded) are computed in registers. float16 and bfloat16 go
to the tensor cores, float32 is multiplied by each thread for an 8 x 8 tile. What happens to the sum (bias,
activation, cast) happens where it is written.

Chunks are swizzled: chunk c of row r lies at c ^ f(r), so that the eight rows a matrix load reads are in
different banks."""

from __future__ import annotations

from typing import Final

from ...graph import dtypes
from ...graph.kernel import UNROLL, Kernel, Param, loop, range_size
from ...graph.node import make
from ...graph.ops import Op
from ...graph.symbolic import simplify
from ...runtime.program import Source
from ..gpu_code import NO_BUFFER
from ..gpu_types import gpu_types
from ..linear import Memory
from ..opt.gpu_contraction import Contraction
from .cuda import pointer
from .cuda_matrix import MATRIX_PRELUDE
from .cuda_pieces import C, K, M, Piece, V, Z, digits, factor, given
from .cuda_prelude import COMMON, PRELUDE
from .cuda_tiles import BLOCK, BY_THREAD, COMMON_TILES, TENSOR_CORES
from .cuda_wgmma import WARPGROUPS, wgmma_prelude

THREADS: Final = 256
#: bytes to spare where tiles must begin at a multiple of them
ALIGNMENT: Final = 1024


def product_source(kernel: Kernel, c: Contraction, name: str, shared: int, wgmma: bool = False) -> Source:
    """The source of a kernel that is a matrix product, in at most `shared` bytes of shared memory.

    `wgmma` allows Hopper's instructions for whole warpgroups, which large products gain from."""
    halves = c.element is not dtypes.float32
    big_m, big_n, big_k, batches = (c.size(x) for x in (c.m, c.n, c.k, c.z))
    chunk = 8 if halves else 4
    bm, bn = _tile(big_m, big_n, batches, halves)
    a = factor("A", c.a, c, c.m, chunk)
    b = factor("B", c.b, c, c.n, chunk)
    # factors gathered piece by piece leave warpgroups waiting: 0.17 against 0.23 of cuDNN for a convolution
    by_groups = wgmma and halves and bm == 128 and a.copied and b.copied
    bk = 64 if by_groups else 32 if halves else 16
    if by_groups and big_k <= 4 * bk:  # short sums: two blocks, one writes its results while the other sums
        bn = 128
    stage_bytes = (bm + bn) * bk * (2 if halves else 4)
    most = 3 if by_groups and bn == 128 else 4
    stages = max(2, min(most, shared // stage_bytes)) if halves else 2
    lanes = 8 if by_groups else 2 if halves else 4
    put = _epilogue(c, lanes)
    tiles_m, tiles_n, steps = -(-big_m // bm), -(-big_n // bn), -(-big_k // bk)
    pointers = "\n".join(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params))
    arguments = "".join(f", u64 a{i}, u64 o{i}" for i in range(len(kernel.params)))
    constants = {
        "BM": bm, "BN": bn, "BK": bk, "STAGES": stages, "CHUNK": chunk, "M": big_m, "N": big_n, "K": big_k,
        "STEPS": steps, "TILES_M": tiles_m, "TILES_N": tiles_n, "THREADS": THREADS,
        "A_ALONG_K": int(a.along_k), "B_ALONG_K": int(b.along_k), "A_COPIED": int(a.copied),
        "B_COPIED": int(b.copied), "LANES": lanes,
    }  # fmt: skip
    element = {dtypes.float16: "F16", dtypes.bfloat16: "BF16"}.get(c.element, "f32")
    words = "u16" if halves else "f32"
    head = [f"#define {key} {value}" for key, value in constants.items()]
    if by_groups:
        head.insert(0, wgmma_prelude(element, bn, a.along_k, b.along_k))
    multiply = WARPGROUPS if by_groups else TENSOR_CORES if halves else BY_THREAD
    # two blocks hide each other's barriers, where the sums leave registers for them
    together = 2 if not halves or (by_groups and bn == 128) else 1
    bounds = f"__launch_bounds__({THREADS}, {together})"
    text = "\n".join(
        [
            PRELUDE, COMMON, MATRIX_PRELUDE, *head, f"typedef {words} Word;", f"typedef {element} Element;",
            COMMON_TILES,
            f'extern "C" __global__ void {bounds} {name}(const u64 *table{arguments}) {{',
            pointers, a.text, b.text, put, BLOCK, multiply, "}", "",
        ]
    )  # fmt: skip
    grid = tiles_m * tiles_n * batches
    return Source(
        name,
        text,
        tasks=grid,
        params=len(kernel.params),
        grid=grid,
        block=THREADS,
        shared=stage_bytes * stages + (ALIGNMENT if by_groups else 0),
    )


def _tile(m: int, n: int, batches: int, halves: bool) -> tuple[int, int]:
    """The largest tile that still gives every multiprocessor something to do, and is not half empty."""
    sizes = ((128, 256), (128, 128), (64, 64)) if halves else ((128, 128),)
    for bm, bn in sizes:
        if n > bn // 2 and -(-m // bm) * -(-n // bn) * batches >= 128:
            return bm, bn
    return sizes[-1]


def _epilogue(c: Contraction, lanes: int) -> str:
    """The function that writes `lanes` neighbouring results: (z, m, chunk of n, sums)."""
    last = range_size(c.n[-1])
    width = lanes if last % lanes == 0 else 1
    v = loop(V, width, UNROLL) if width > 1 else None
    sums = make(Op.PARAM, dtypes.float32, (), Param(NO_BUFFER, lanes))
    lane = v if v is not None else given(K, lanes)
    mapping = digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(c.m, given(M, c.size(c.m)))
    mapping |= digits(c.n, given(C, c.size(c.n) // width), width, v)
    total = make(Op.LOAD, dtypes.float32, (sums, lane))
    store = c.store.substitute({c.fold: total.cast(c.fold.dtype)}).substitute(mapping)
    piece = Piece(gpu_types(simplify(store)))
    for node in piece.kernel.sink.toposort():
        if node.op is Op.PARAM and node.arg.slot == NO_BUFFER:
            piece.memories[node] = Memory("sums.at", dtypes.float32, NO_BUFFER)
    piece._store(piece.kernel.sink.src[0])
    body = piece.lines(frozenset({c.store.src[0].arg.slot}))
    extra = "" if width > 1 else ", i32 given_k"
    head = f"  const auto put = [&](i32 given_z, i32 given_m, i32 given_c, Vec<f32, LANES> sums{extra}) {{"
    whole = (
        "  const auto put_lanes = [&](i32 z, i32 m, i32 n, Vec<f32, LANES> sums) {\n    if (m >= M) return;\n"
    )
    if width > 1:
        whole += f"    if (n < N) put(z, m, n / {width}, sums);\n  }};"
    else:
        whole += "    for (i32 i = 0; i < LANES; ++i) if (n + i < N) put(z, m, n + i, sums, i);\n  };"
    return "\n".join([head, *body, "  };", whole])
