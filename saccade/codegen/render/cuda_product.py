"""A matrix product as CUDA C++: tiles of shared memory, filled while the last ones are multiplied.

Each block has a BM x BN tile of the result and walks along k in steps of BK. Factors come in chunks of 16
bytes, along k or across it, whichever is side by side in memory; a chunk that lies in memory as it is needed
is copied asynchronously, others (cast, gathered, padded) are computed in registers. float16 and bfloat16 go
to the tensor cores, float32 is multiplied by each thread for an 8 x 8 tile. What happens to the sum (bias,
activation, cast) happens where it is written.

Chunks are swizzled: chunk c of row r lies at c ^ f(r), so that the eight rows a matrix load reads are in
different banks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...graph import dtypes
from ...graph.kernel import UNROLL, Kernel, Param, loop, range_size
from ...graph.node import Node, const, make
from ...graph.ops import Op
from ...graph.symbolic import coefficient_of, simplify
from ...runtime.program import Source
from ..gpu_code import GIVEN, GIVEN_FIRST, NO_BUFFER, GpuCode
from ..gpu_types import gpu_types
from ..linear import Memory
from ..lower_gpu import GpuLowering
from ..opt.gpu_contraction import Contraction
from .cuda import Renderer, pointer
from .cuda_matrix import MATRIX_PRELUDE
from .cuda_prelude import COMMON, PRELUDE
from .cuda_wgmma import WARPGROUPS, wgmma_prelude

THREADS: Final = 256
#: bytes to spare where tiles must begin at a multiple of them
ALIGNMENT: Final = 1024
_Z, _M, _N, _K, _C, _V = range(GIVEN_FIRST, GIVEN_FIRST + 6)


@dataclass(frozen=True)
class Factor:
    """How a factor is read: along k or across, copied or computed; `text` is the function for it."""

    name: str
    along_k: bool
    copied: bool
    text: str


class Piece(GpuLowering):
    """A small expression over given indices, as the body of a function."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel, THREADS)

    def lines(self, written: frozenset[int]) -> list[str]:
        slots = frozenset(m.slot for m in self.memories.values() if m.slot >= 0) - written
        code = GpuCode("", self.stack[0].block, [], slots, [], [], 0, 1, 1, THREADS, 0, 0)
        printer = Renderer(code)
        printer.depth = 2
        printer.block(code.body)
        return printer.lines


def product_source(kernel: Kernel, c: Contraction, name: str, shared: int, wgmma: bool = False) -> Source:
    """The source of a kernel that is a matrix product, in at most `shared` bytes of shared memory.

    `wgmma` allows Hopper's instructions for whole warpgroups, which large products gain from."""
    halves = c.element is not dtypes.float32
    big_m, big_n, big_k, batches = (c.size(x) for x in (c.m, c.n, c.k, c.z))
    chunk = 8 if halves else 4
    bm, bn = _tile(big_m, big_n, batches, halves)
    a = factor_of("A", c.a, c, c.m, chunk)
    b = factor_of("B", c.b, c, c.n, chunk)
    # factors gathered piece by piece leave warpgroups waiting: 0.17 against 0.23 of cuDNN for a convolution
    by_groups = wgmma and halves and bm == 128 and a.copied and b.copied
    bk = 64 if by_groups else 32 if halves else 16
    if by_groups and big_k <= 4 * bk:  # short sums: two blocks, one writes its results while the other sums
        bn = 128
    stage_bytes = (bm + bn) * bk * (2 if halves else 4)
    most = 3 if by_groups and bn == 128 else 4
    stages = max(2, min(most, shared // stage_bytes)) if halves else 2
    lanes = 8 if by_groups else 2 if halves else 4
    put = epilogue_of(c, lanes)
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


def given(number: int, size: int) -> Node:
    return loop(number, size, GIVEN)


def digits(
    loops: tuple[Node, ...], whole: Node, width: int = 1, lane: Node | None = None
) -> dict[Node, Node]:
    """Loops from one index, the last of them from chunks of `width`."""
    mapping: dict[Node, Node] = {}
    rest = whole
    for number, r in reversed(list(enumerate(loops))):
        size = range_size(r) // (width if number == len(loops) - 1 else 1)
        digit = rest if number == 0 else rest % size
        rest = rest // size
        if number == len(loops) - 1 and lane is not None:
            digit = digit * width + lane
        mapping[r] = simplify(digit)
    return mapping


def factor_of(name: str, value: Node, c: Contraction, outer: tuple[Node, ...], chunk: int) -> Factor:
    """The function (z, index across the chunks, chunk) that gives a chunk of a factor, or its address."""
    value = value if value.dtype is c.element else value.cast(c.element)
    along_k = _runs(value, c.k[-1]) or not _runs(value, outer[-1])
    inner = c.k if along_k else outer
    other = outer if along_k else c.k
    whole = range_size(inner[-1]) % chunk == 0
    total = c.size(inner)
    v = loop(_V, chunk, UNROLL)
    mapping = digits(c.z, given(_Z, max(c.size(c.z), 1))) | digits(other, given(_M, c.size(other)))
    chunks = given(_C, -(-total // chunk))
    if whole:
        mapping |= digits(inner, chunks, chunk, v)
    else:
        mapping |= digits(inner, simplify((chunks * chunk + v).minimum(total - 1)))
    made = simplify(value.substitute(mapping))
    if not whole and along_k:  # what lies beyond the end must not be summed
        made = (chunks * chunk + v < total).where(made, const(0, made.dtype))
    made = gpu_types(made)
    piece = _piece(made)
    copied = whole and _is_copied(piece, made, chunk)
    written = frozenset({c.store.src[0].arg.slot})
    if copied:
        axes = piece.unroll_axes(made)
        where, offset = piece.base(made.src[1], axes, (0,))
        printer = Renderer(GpuCode("", piece.stack[0].block, [], frozenset(), [], [], 0, 1, 1, 1, 0, 0))
        result = f"return p{made.src[0].arg.slot} + {printer.ref(where)} + {offset};"
        body = [*piece.lines(written), "    " + result]
        kind = "const Word *"
    else:
        points = piece.emit(made)
        printer = Renderer(GpuCode("", piece.stack[0].block, [], frozenset(), [], [], 0, 1, 1, 1, 0, 0))
        lanes = [printer.ref(points.project((_v_of(made, piece),), (lane,))) for lane in range(chunk)]
        body = [*piece.lines(written), f"    return {{{{{', '.join(lanes)}}}}};"]
        kind = "Vec<Word, CHUNK>"
    head = f"  const auto chunk_{name} = [&](i32 given_z, i32 given_m, i32 given_c) -> {kind} {{"
    return Factor(name, along_k, copied, "\n".join([head, *body, "  };"]))


def _v_of(node: Node, piece: Piece) -> Node:
    axes = piece.unroll_axes(node)
    return axes[0] if axes else loop(_V, 1, UNROLL)


def _piece(node: Node) -> Piece:
    stores = make(Op.SINK, dtypes.bool_, (node,))
    return Piece(Kernel(stores, (), (), ()))


def _runs(value: Node, r: Node) -> bool:
    """Do neighbours along `r` lie side by side in the memory this factor reads?"""
    loads = [n for n in value.toposort() if n.op is Op.LOAD and r in n.ranges and n.src[0].op is Op.PARAM]
    return any(coefficient_of(n.src[1], r) == 1 for n in loads)


def _is_copied(piece: Piece, node: Node, chunk: int) -> bool:
    if node.op is not Op.LOAD or len(node.src) != 2 or node.src[0].op is not Op.PARAM:
        return False
    return piece.run_of(piece.memories[node.src[0]], node.src[1], piece.unroll_axes(node))[1] == chunk


def epilogue_of(c: Contraction, lanes: int) -> str:
    """The function that writes `lanes` neighbouring results: (z, m, chunk of n, sums)."""
    last = range_size(c.n[-1])
    width = lanes if last % lanes == 0 else 1
    v = loop(_V, width, UNROLL) if width > 1 else None
    sums = make(Op.PARAM, dtypes.float32, (), Param(NO_BUFFER, lanes))
    lane = v if v is not None else given(_K, lanes)
    mapping = digits(c.z, given(_Z, max(c.size(c.z), 1))) | digits(c.m, given(_M, c.size(c.m)))
    mapping |= digits(c.n, given(_C, c.size(c.n) // width), width, v)
    total = make(Op.LOAD, dtypes.float32, (sums, lane))
    store = c.store.substitute({c.fold: total.cast(c.fold.dtype)}).substitute(mapping)
    piece = Piece(Kernel(make(Op.SINK, dtypes.bool_, (gpu_types(simplify(store)),)), (), (), ()))
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


#: Where chunks lie, and which tile a block has.
COMMON_TILES: Final = r"""
template <int CHUNKS> DEVICE int swizzled(int row, int c) {
  if constexpr (CHUNKS >= 8) return row * CHUNKS + (c ^ (row & 7));
  else return row * CHUNKS + (c ^ ((row >> 1) & (CHUNKS - 1)));
}
"""

BLOCK: Final = r"""
  extern __shared__ uint4 shared_memory[];
  const i32 thread = (i32)(u32)threadIdx.x;
  // neighbouring blocks share rows and columns: they go down groups of eight rows of tiles
  i32 tile = (i32)(u32)blockIdx.x;
  const i32 z = tile / (TILES_M * TILES_N);
  tile -= z * (TILES_M * TILES_N);
  const i32 group = tile / (8 * TILES_N), first = group * 8, rows = TILES_M - first < 8 ? TILES_M - first : 8;
  const i32 m0 = (first + (tile - group * 8 * TILES_N) % rows) * BM,
      n0 = (tile - group * 8 * TILES_N) / rows * BN;
"""

TENSOR_CORES: Final = r"""
  constexpr int A_ROW = A_ALONG_K ? BK / 8 : BM / 8, B_ROW = B_ALONG_K ? BK / 8 : BN / 8;
  constexpr int A_MINE = BM * BK / 8 / THREADS, B_MINE = BN * BK / 8 / THREADS;
  constexpr int WM = BM / 2, WN = BN / 4;
  Word *const tiles = reinterpret_cast<Word *>(shared_memory);
  const auto tile_a = [&](i32 stage) { return tiles + stage * (BM + BN) * BK; };
  const auto tile_b = [&](i32 stage) { return tiles + stage * (BM + BN) * BK + BM * BK; };
  Vec<Word, 8> held_a[A_COPIED ? 1 : A_MINE], held_b[B_COPIED ? 1 : B_MINE];
  // read the chunks of a step, or write those that were computed: each thread has a few of both factors
  const auto fill = [&](i32 step, i32 stage, bool write) {
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS, row = id / A_ROW, c = id % A_ROW;
      Word *const to = tile_a(stage) + swizzled<A_ROW>(row, c) * 8;
      const i32 k = step * BK + (A_ALONG_K ? c * 8 : row);
      const i32 m = A_ALONG_K ? least<i32>(m0 + row, M - 1) : least<i32>(m0 / 8 + c, (M + 7) / 8 - 1);
      const i32 inside = least<i32>(k, K - 1);
#if A_COPIED
      if (!write) copy_async(to, A_ALONG_K ? chunk_A(z, m, inside / 8) : chunk_A(z, inside, m), k < K);
#else
      if (write) *reinterpret_cast<Vec<Word, 8> *>(to) = held_a[i];
      else if (k < K) held_a[i] = A_ALONG_K ? chunk_A(z, m, k / 8) : chunk_A(z, k, m);
      else held_a[i] = Vec<Word, 8>{};
#endif
    }
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS, row = id / B_ROW, c = id % B_ROW;
      Word *const to = tile_b(stage) + swizzled<B_ROW>(row, c) * 8;
      const i32 k = step * BK + (B_ALONG_K ? c * 8 : row);
      const i32 n = B_ALONG_K ? least<i32>(n0 + row, N - 1) : least<i32>(n0 / 8 + c, (N + 7) / 8 - 1);
      const i32 inside = least<i32>(k, K - 1);
#if B_COPIED
      if (!write) copy_async(to, B_ALONG_K ? chunk_B(z, n, inside / 8) : chunk_B(z, inside, n), k < K);
#else
      if (write) *reinterpret_cast<Vec<Word, 8> *>(to) = held_b[i];
      else if (k < K) held_b[i] = B_ALONG_K ? chunk_B(z, n, k / 8) : chunk_B(z, k, n);
      else held_b[i] = Vec<Word, 8>{};
#endif
    }
  };
  const int lane = thread % 32, warp = thread / 32, wm = warp / 4 * WM, wn = warp % 4 * WN;
  const int eight = lane / 8, in_eight = lane % 8;
  f32 sum[WM / 16][WN / 8][4] = {};
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < STEPS) { fill(stage, stage, false); fill(stage, stage, true); }
    copies_commit();
  }
  for (i32 step = 0; step < STEPS; ++step) {
    copies_wait<STAGES - 2>();
    __syncthreads();
    const i32 next = step + STAGES - 1;
    if (next < STEPS) fill(next, next % STAGES, false);
    copies_commit();
    const Word *const a = tile_a(step % STAGES), *const b = tile_b(step % STAGES);
#pragma unroll
    for (int k = 0; k < BK / 16; ++k) {
      u32 left[WM / 16][4], right[WN / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
        if constexpr (A_ALONG_K)
          load_matrices<false>(left[i], a + swizzled<A_ROW>(wm + i * 16 + lane % 16, k * 2 + lane / 16) * 8);
        else
          load_matrices<true>(left[i], a + swizzled<A_ROW>(k * 16 + eight / 2 * 8 + in_eight,
              wm / 8 + i * 2 + eight % 2) * 8);
      }
#pragma unroll
      for (int j = 0; j < WN / 16; ++j) {
        if constexpr (B_ALONG_K)
          load_matrices<false>(right[j], b + swizzled<B_ROW>(wn + j * 16 + eight / 2 * 8 + in_eight,
              k * 2 + eight % 2) * 8);
        else
          load_matrices<true>(right[j], b + swizzled<B_ROW>(k * 16 + eight % 2 * 8 + in_eight,
              wn / 8 + j * 2 + eight / 2) * 8);
      }
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) {
          const u32 pair[2] = {right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]};
          multiply_add(Element(), sum[i][j], left[i], pair);
        }
    }
    if (next < STEPS) fill(next, next % STAGES, true);
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      const i32 m = m0 + wm + i * 16 + lane / 4, n = n0 + wn + j * 8 + lane % 4 * 2;
      put_lanes(z, m, n, {{sum[i][j][0], sum[i][j][1]}});
      put_lanes(z, m + 8, n, {{sum[i][j][2], sum[i][j][3]}});
    }
"""

BY_THREAD: Final = r"""
  // tiles are k rows of the outer index; chunks along k are turned while they are stored
  constexpr int A_MINE = BM * BK / 4 / THREADS, B_MINE = BN * BK / 4 / THREADS;
  f32 *const tiles = reinterpret_cast<f32 *>(shared_memory);
  Vec<f32, 4> held_a[A_MINE], held_b[B_MINE];
  const auto get_a = [&](i32 outer, i32 k) -> Vec<f32, 4> {
    if (k >= K) return Vec<f32, 4>{};
#if A_COPIED
    return load_many_once<4>(A_ALONG_K ? chunk_A(z, outer, k / 4) : chunk_A(z, k, outer));
#else
    return A_ALONG_K ? chunk_A(z, outer, k / 4) : chunk_A(z, k, outer);
#endif
  };
  const auto get_b = [&](i32 outer, i32 k) -> Vec<f32, 4> {
    if (k >= K) return Vec<f32, 4>{};
#if B_COPIED
    return load_many_once<4>(B_ALONG_K ? chunk_B(z, outer, k / 4) : chunk_B(z, k, outer));
#else
    return B_ALONG_K ? chunk_B(z, outer, k / 4) : chunk_B(z, k, outer);
#endif
  };
  const auto fetch = [&](i32 step) {
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (A_ALONG_K) held_a[i] = get_a(least<i32>(m0 + id / (BK / 4), M - 1),
          step * BK + id % (BK / 4) * 4);
      else held_a[i] = get_a(least<i32>(m0 / 4 + id % (BM / 4),
          (M + 3) / 4 - 1), step * BK + id / (BM / 4));
    }
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (B_ALONG_K) held_b[i] = get_b(least<i32>(n0 + id / (BK / 4), N - 1),
          step * BK + id % (BK / 4) * 4);
      else held_b[i] = get_b(least<i32>(n0 / 4 + id % (BN / 4),
          (N + 3) / 4 - 1), step * BK + id / (BN / 4));
    }
  };
  const auto keep = [&](i32 stage) {
    f32 *const a = tiles + stage * (BM + BN) * BK, *const b = a + BM * BK;
#pragma unroll
    for (int i = 0; i < A_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (A_ALONG_K)
        for (int e = 0; e < 4; ++e) { const int k = id % (BK / 4) * 4 + e, m = id / (BK / 4);
            a[k * BM + (m ^ (k / 4 * 8))] = held_a[i].at[e]; }
      else {
        const int k = id / (BM / 4), m = id % (BM / 4) * 4;
        *reinterpret_cast<Vec<f32, 4> *>(a + k * BM + (m ^ (k / 4 * 8))) = held_a[i];
      }
    }
#pragma unroll
    for (int i = 0; i < B_MINE; ++i) {
      const int id = thread + i * THREADS;
      if constexpr (B_ALONG_K)
        for (int e = 0; e < 4; ++e) { const int k = id % (BK / 4) * 4 + e, n = id / (BK / 4);
            b[k * BN + (n ^ (k / 4 * 8))] = held_b[i].at[e]; }
      else {
        const int k = id / (BN / 4), n = id % (BN / 4) * 4;
        *reinterpret_cast<Vec<f32, 4> *>(b + k * BN + (n ^ (k / 4 * 8))) = held_b[i];
      }
    }
  };
  // a warp has 32 x 64 of the tile, a thread four by four in each quarter of it
  const int lane = thread % 32, warp = thread / 32;
  const int tm = warp / 2 * 32 + lane / 8 * 4, tn = warp % 2 * 64 + lane % 8 * 4;
  f32 sum[8][8] = {};
  fetch(0);
  keep(0);
  __syncthreads();
  for (i32 step = 0; step < STEPS; ++step) {
    if (step + 1 < STEPS) fetch(step + 1);
    const f32 *const a = tiles + step % 2 * (BM + BN) * BK, *const b = a + BM * BK;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      f32 x[8], y[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const Vec<f32, 4> p = *reinterpret_cast<const Vec<f32,
            4> *>(a + k * BM + ((tm + h * 16) ^ (k / 4 * 8)));
        const Vec<f32, 4> q = *reinterpret_cast<const Vec<f32,
            4> *>(b + k * BN + ((tn + h * 32) ^ (k / 4 * 8)));
#pragma unroll
        for (int e = 0; e < 4; ++e) { x[h * 4 + e] = p.at[e]; y[h * 4 + e] = q.at[e]; }
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
    if (step + 1 < STEPS) keep((step + 1) % 2);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      put_lanes(z, m0 + tm + i / 4 * 16 + i % 4, n0 + tn + h * 32, {{sum[i][h * 4], sum[i][h * 4 + 1],
          sum[i][h * 4 + 2], sum[i][h * 4 + 3]}});
"""
