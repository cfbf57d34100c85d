"""Runs CUDA kernels on the host, for tests without a GPU: slow, and exact about what threads may do.

The text of a kernel is compiled as C++ with another prelude. The threads of a block are fibers of one thread;
a barrier or a shuffle switches to the next fiber until all have arrived, so a missing barrier shows as a
wrong result and one that not all threads reach ends the test.

    with emulated_gpu():
        (Tensor([1.0], device="cuda") + 1).numpy()
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from saccade.codegen.cuda.prelude import PRELUDE
from saccade.codegen.cuda.templates.attention.hopper import ROLES_PRELUDE
from saccade.codegen.cuda.templates.attention.text import WEIGHT_PRELUDE
from saccade.codegen.cuda.templates.product.bulk import BULK_PRELUDE
from saccade.codegen.cuda.templates.product.matrix import MATRIX_PRELUDE
from saccade.codegen.cuda.templates.product.shares import SHARES_PRELUDE
from saccade.codegen.cuda.templates.product.wgmma import WGMMA_PRELUDE
from saccade.codegen.cuda.templates.recomputed.across import ACROSS_PRELUDE
from saccade.runtime.device import Device, Runnable
from saccade.runtime.host import HostDevice
from saccade.runtime.memory.blocks import allocate
from saccade.runtime.program import ARENA, Launch, Program, Source
from saccade.tensor.programs import realize

SHIM = (Path(__file__).parent / "cuda_emulator.h").read_text()
#: what the matrix kernels use, computed by gathering what all lanes of a warp hold
MATRIX = r"""
DEVICE u32 shared_address(const void *p) { return (u32)((const u8 *)p - (const u8 *)shared_memory); }
DEVICE void copy_async(void *to, const void *from, bool valid) {
  aligned(to, 16); aligned(from, 16);
  if (valid) memcpy(to, from, 16); else memset(to, 0, 16);
}
template <class T> DEVICE T *as_pointer(T *p) { return p; }
DEVICE void copy_word_async(void *to, const void *from, bool valid) {
  aligned(to, 4); aligned(from, 4);
  if (valid) memcpy(to, from, 4); else memset(to, 0, 4);
}
DEVICE void copies_commit() {}
template <int N> DEVICE void copies_wait() {}
template <bool TRANSPOSED> DEVICE void load_matrices(u32 (&r)[4], const void *row) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  aligned(row, 16);
  emulator::words[threadIdx.x] = (u64)row;
  __syncwarp();
  for (u32 j = 0; j < 4; ++j) {
    u16 pair[2];
    for (u32 e = 0; e < 2; ++e) {
      const u32 which = TRANSPOSED ? lane % 4 * 2 + e : lane / 4, at = TRANSPOSED ? lane / 4
          : lane % 4 * 2 + e;
      pair[e] = reinterpret_cast<const u16 *>(emulator::words[warp + j * 8 + which])[at];
    }
    r[j] = pair[0] | (u32)pair[1] << 16;
  }
  __syncwarp();
}
// an element type: how many lie in a word, and the value of one of them
struct F16 { typedef u16 Bits; static f32 wide(u16 x) { return f16_to_f32(x); } };
struct BF16 { typedef u16 Bits; static f32 wide(u16 x) { return bits_as<f32>((u32)x << 16); } };
struct TF32 { typedef u32 Bits; static f32 wide(u32 x) { return bits_as<f32>(x & 0xffffe000u); } };
struct E4M3 { typedef u8 Bits; static f32 wide(u8 x) { return e4m3_to_f32(x); } };
struct E5M2 { typedef u8 Bits; static f32 wide(u8 x) { return e5m2_to_f32(x); } };
struct S8 { typedef u8 Bits; static i32 wide(u8 x) { return (i8)x; } };
struct U8 { typedef u8 Bits; static i32 wide(u8 x) { return x; } };
static u32 fragments[1024][6];
template <class E> DEVICE auto element_of(const u32 *words, u32 quad, u32 low, u32 stride, u32 k) {
  constexpr u32 each = 4 / sizeof(typename E::Bits), bits = 32 / each;
  const u32 lane = quad + k % (4 * each) / each, word = low + k / (4 * each) * stride;
  return E::wide((typename E::Bits)(words[lane * 6 + word] >> k % each * bits));
}
// what two rows and two columns, made wide once, add to four sums
template <class S, class X, class Y, u32 K>
DEVICE void add_products(S *sum, const X (&x)[2][K], const Y (&y)[2][K]) {
  for (u32 e = 0; e < 4; ++e)
    for (u32 k = 0; k < K; ++k) sum[e] += x[e / 2][k] * y[e % 2][k];
}
template <class A, class B, class S>
DEVICE void multiply_add(A, B, S (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  constexpr u32 K = 32 / sizeof(typename A::Bits);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  for (int i = 0; i < 4; ++i) fragments[threadIdx.x][i] = a[i];
  for (int i = 0; i < 2; ++i) fragments[threadIdx.x][4 + i] = b[i];
  __syncwarp();
  decltype(A::wide(0)) x[2][K];
  decltype(B::wide(0)) y[2][K];
  for (u32 i = 0; i < 2; ++i)
    for (u32 k = 0; k < K; ++k) {
      x[i][k] = element_of<A>(fragments[0], warp + lane / 4 * 4, i, 2, k);
      y[i][k] = element_of<B>(fragments[0], warp + (lane % 4 * 2 + i) * 4, 4, 1, k);
    }
  add_products(c, x, y);
  __syncwarp();
}
"""
#: the same for the products of warpgroups; a descriptor's address is that of the emulated shared memory
WARPGROUP = r"""
DEVICE void products_begin() {}
DEVICE void products_commit() {}
template <int COUNT> DEVICE void products_wait() {}
DEVICE void written_for_products() {}
DEVICE void store_matrices(void *row, const u32 (&r)[4]) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  aligned(row, 16);
  emulator::words[threadIdx.x] = (u64)row;
  __syncwarp();
  for (u32 j = 0; j < 4; ++j)
    reinterpret_cast<u32 *>(emulator::words[warp + j * 8 + lane / 4])[lane % 4] = r[j];
  __syncwarp();
}
// element (i of m or n, k) of a tile: pieces of eight rows of 128 bytes, 16-byte chunks swizzled by address
template <class E> DEVICE auto tile_element(u64 tile, bool along_k, u32 i, u32 k) {
  typedef typename E::Bits Bits;
  const u32 start = (u32)(tile & 0x3fff) << 4, panel = (u32)(tile >> 16 & 0x3fff) << 4;
  const u32 rows = (u32)(tile >> 32 & 0x3fff) << 4, length = 128 / sizeof(Bits);
  const u32 row = along_k ? i : k, column = along_k ? k : i;
  u32 at = start + row / 8 * rows + row % 8 * 128 + column / length * panel + column % length * sizeof(Bits);
  at ^= (at >> 7 & 7) << 4;
  return E::wide(*reinterpret_cast<const Bits *>((const u8 *)shared_memory + at));
}
template <class E, class Y, u32 K>
DEVICE void tile_columns(Y (&y)[2][K], u64 tile, bool along_k, u32 column) {
  for (u32 i = 0; i < 2; ++i)
    for (u32 k = 0; k < K; ++k) y[i][k] = tile_element<E>(tile, along_k, column + i, k);
}
template <class A, class B, class S>
DEVICE void emulate_tiles(S *sum, int columns, u64 a, u64 b, bool a_k, bool b_k, bool kept) {
  constexpr u32 K = 32 / sizeof(typename A::Bits);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  decltype(A::wide(0)) x[2][K];
  decltype(B::wide(0)) y[2][K];
  for (u32 i = 0; i < 2; ++i)
    for (u32 k = 0; k < K; ++k) x[i][k] = tile_element<A>(a, a_k, warp * 16 + lane / 4 + i * 8, k);
  if (!kept)
    for (int i = 0; i < columns / 2; ++i) sum[i] = 0;
  for (int j = 0; j < columns / 8; ++j) {
    tile_columns<B>(y, b, b_k, j * 8 + lane % 4 * 2);
    add_products(sum + j * 4, x, y);
  }
}
// the same with the rows of a held by the lanes
template <class E> DEVICE void emulate_rows(f32 *sum, int columns, const u32 *a, u64 b, bool b_k) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  for (int i = 0; i < 4; ++i) fragments[threadIdx.x][i] = a[i];
  __syncwarp();
  f32 x[2][16], y[2][16];
  for (u32 i = 0; i < 2; ++i)
    for (u32 k = 0; k < 16; ++k)
      x[i][k] = E::wide(fragments[warp + lane / 4 * 4 + k % 8 / 2][i + k / 8 * 2] >> k % 2 * 16 & 0xffff);
  for (int j = 0; j < columns / 8; ++j) {
    tile_columns<E>(y, b, b_k, j * 8 + lane % 4 * 2);
    add_products(sum + j * 4, x, y);
  }
  __syncwarp();
}
"""
#: barriers in shared memory: arrivals expected, arrivals missing, the parity of the phase, and the bytes it
#: waits for
ROLES = r"""
struct Barrier { u32 expected : 16, missing : 15, parity : 1; u32 bytes; };
DEVICE Barrier &barrier_at(u64 *at) { return *reinterpret_cast<Barrier *>(at); }
DEVICE void barrier_init(u64 *at, u32 arrivals) { barrier_at(at) = {arrivals, arrivals, 0, 0}; }
DEVICE void barrier_arrive(u64 *at) {
  Barrier &barrier = barrier_at(at);
  if (--barrier.missing == 0) { barrier.missing = barrier.expected; barrier.parity ^= 1; }
}
DEVICE bool barrier_passed(u64 *at, u32 parity) { return barrier_at(at).parity != parity; }
DEVICE void barrier_wait(u64 *at, u32 parity) { while (!barrier_passed(at, parity)) emulator::yield(); }
template <int COUNT> DEVICE void settled(f32 (&)[COUNT]) {}
DEVICE i32 of_the_warp(i32 x) { return x; }
template <int COUNT> DEVICE void registers_fewer() {}
template <int COUNT> DEVICE void registers_more() {}
"""
#: maps as plain numbers; a box is copied at once, and completes the barrier's phase with its last byte
BULK = r"""
struct TensorMap {
  const u8 *start;
  u64 row_bytes, batch_bytes;
  u32 item, inner, rows, batches, box_inner, box_rows;
};
template <int ITEM_BYTES>
DEVICE void make_map(TensorMap *map, TensorMap *, int lane, const void *start, u32 inner, u32 rows,
    u32 batches, u64 row_bytes, u64 batch_bytes, u32 box_inner, u32 box_rows) {
  aligned(start, 16);
  if (row_bytes % 16 || batch_bytes % 16 || box_inner * ITEM_BYTES != 128 || box_rows > 256) abort();
  if (lane == 0)
    *map = {(const u8 *)start, row_bytes, batch_bytes, ITEM_BYTES, inner, rows, batches, box_inner, box_rows};
}
DEVICE void map_made(const TensorMap *) {}
DEVICE void barrier_expect(u64 *at, u32 bytes) { barrier_at(at).bytes = bytes; }
DEVICE void copy_box(void *to, const TensorMap *map, i32 inner, i32 row, i32 batch, u64 *barrier) {
  const u32 start = shared_address(to);
  if (start % 1024) abort();
  for (u32 r = 0; r < map->box_rows; ++r)
    for (u32 i = 0; i < map->box_inner; ++i) {
      u8 *const at = (u8 *)to + r * 128 + ((i * map->item) ^ (r % 8 * 16));
      const u8 *const line = map->start + batch * map->batch_bytes + (row + r) * map->row_bytes;
      if (inner + i < map->inner && row + r < map->rows && (u32)batch < map->batches)
        memcpy(at, line + (u64)(inner + i) * map->item, map->item);
      else
        memset(at, 0, map->item);
    }
  if ((barrier_at(barrier).bytes -= map->box_rows * 128) == 0) barrier_arrive(barrier);
}
"""
#: blocks run one after the other, so a part that is not there never comes
SHARES = r"""
DEVICE void await_part(const u32 *flag) { if (!*flag) { fprintf(stderr, "a part never comes\n"); abort(); } }
DEVICE void part_done(u32 *flag) { *flag = 1; }
"""
WEIGHTS = r"""
DEVICE f32 power_of_two(f32 x) { return exp2f(x); }
DEVICE u32 pair_of(F16, f32 low, f32 high) { return f32_to_f16(low) | (u32)f32_to_f16(high) << 16; }
DEVICE u32 pair_of(BF16, f32 low, f32 high) { return f32_to_bf16(low) | (u32)f32_to_bf16(high) << 16; }
"""
#: blocks run one after the other, so a turn that has not come never comes; what goes out is there at once
ACROSS = r"""
DEVICE void await_turn(const u32 *turn, u32 number) {
  if (*turn == number) return;
  fprintf(stderr, "turn %u is waited for, and it is that of %u\n", number, *turn);
  abort();
}
DEVICE void pass_turn(u32 *turn, u32 number) { *turn = number; }
DEVICE void store_out(f32 *to, const f32 *from, u32 bytes) {
  aligned(to, 16); aligned(from, 16);
  memcpy(to, from, bytes);
}
DEVICE void add_out(f32 *to, const f32 *from, u32 bytes) {
  aligned(to, 16); aligned(from, 16);
  for (u32 i = 0; i < bytes / 4; ++i) to[i] += from[i];
}
DEVICE void out_commit() {}
DEVICE void out_wait() {}
template <int COUNT> DEVICE void multipliers_meet() { emulator::meet(0, COUNT); }
"""
_TILES = re.compile(
    r"asm volatile\(\"\{ \.reg .*?m64n(\d+)k\d+\.\w+\.(\w+)\.(\w+) "
    r".*?kept(?:, 1, 1)?(?:, (\d))?(?:, (\d))?; .*?\"r\"\((\w+)\)\);\n",
    re.DOTALL,
)
_SHARED = "extern __shared__ uint4 shared_memory[];"
_DEFINED = re.compile(r"^ *#define (\w+)", re.MULTILINE)
COMPILER = shutil.which("g++") or shutil.which("clang++")
needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="needs a C++ compiler to run kernels without a GPU"
)


@cache
def _folder() -> Path:
    """Where compiled kernels are kept, with the shim compiled once for all of them."""
    key = hashlib.sha256(SHIM.encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"saccade-emulated-{key}"
    header = folder / "shim.h"
    if not header.with_suffix(".h.gch").exists():
        folder.mkdir(exist_ok=True)
        # threads and processes may be here at once: each makes its own, and the last one stays
        with tempfile.TemporaryDirectory(dir=folder) as own:
            made = Path(own) / "shim.h"
            made.write_text(SHIM)
            _compile(["-x", "c++-header", "-o", str(made.with_suffix(".h.gch")), str(made)])
            made.replace(header)
            made.with_suffix(".h.gch").replace(header.with_suffix(".h.gch"))
    return folder


def _compile(arguments: list[str]) -> None:
    assert COMPILER is not None, "no C++ compiler"
    command = [COMPILER, "-std=c++17", "-O1", "-w", "-fPIC", "-ffp-contract=off", *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:3000]


@dataclass(frozen=True, eq=False)
class EmulatedProgram:
    source: Source
    run: Any
    join: Any = None
    first: Any = None


def _for_host(text: str) -> str:
    """The text with what a host has not in terms of what it has."""

    def tiles(found: re.Match[str]) -> str:
        columns, left, right, a, b, kept = found.groups()
        if a is not None and b is None:  # the rows of the first factor are in registers
            clear = f"if (!({kept})) memset(sum, 0, sizeof(sum));\n  "
            return clear + f"emulate_rows<{left.upper()}>(sum, {columns}, a, b, {int(a == '0')});\n"
        types, sides = f"{left.upper()}, {right.upper()}", f"{int(a != '1')}, {int(b != '1')}"
        return f"emulate_tiles<{types}>(sum, {columns}, a, b, {sides}, {kept});\n"

    text = text.replace(PRELUDE, "").replace(MATRIX_PRELUDE, MATRIX).replace("__restrict__", "")
    text = text.replace(WEIGHT_PRELUDE, WEIGHTS).replace(ROLES_PRELUDE, ROLES)
    text = text.replace(SHARES_PRELUDE, SHARES).replace(BULK_PRELUDE, BULK).replace(ACROSS_PRELUDE, ACROSS)
    return _TILES.sub(tiles, text.replace(WGMMA_PRELUDE, WARPGROUP))


def callers(source: Source, suffix: str = "", space: str = "") -> str:
    """The text of `run`, `join` and `first` with a suffix, which run a grid of a source's kernels; those are
    in the namespace `space`."""
    arguments = ", ".join(f"args[{i}]" for i in range(1 + 2 * (source.params + bool(source.workspace))))
    return "".join(
        f"""
extern "C" int {function}{suffix}(u64 *given, unsigned grid, unsigned block, unsigned shared) {{
  static u64 *args;
  args = given;
  return run_grid(grid, block, shared, [] {{ {space}::{kernel}((const u64 *){arguments}); }});
}}
"""
        for function, kernel in _functions(source).items()
    )


def _functions(source: Source) -> dict[str, str]:
    """The functions of a source in its library, and the kernel that each runs."""
    kernels = {"run": source.name}
    kernels |= {"join": f"{source.name}_join"} if source.join_grid else {}
    return kernels | ({"first": f"{source.name}_first"} if source.first_grid else {})


def build(source: Source) -> EmulatedProgram:
    return build_all([source])[0]


def build_all(sources: Sequence[Source]) -> list[EmulatedProgram]:
    """Programs for `sources`, in order. Those that nobody has compiled yet are compiled together: of 0.2 s of
    a small one, half is the compiler's start."""
    folder, made, missing = _folder(), [], dict[Path, str]()
    for source in sources:
        # names of a namespace, and not those of the whole library
        text = _for_host(source.text).replace('extern "C" __global__', "__global__").replace(_SHARED, "")
        name = hashlib.sha256((text + callers(source)).encode()).hexdigest()[:32]
        space = f"kernel_{name}"
        # a link to the library that has it: which others are in that one is another program's affair
        path = folder / f"{name}.so"
        if not path.exists():
            own_words = "".join(f"\n#undef {word}" for word in _DEFINED.findall(text))
            kernels = f"namespace {space} {{\n{text}{own_words}\n}}\n"
            missing[path] = kernels + callers(source, f"_{name}", space)
        made.append((source, name, path))
    if missing:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            unit, library = Path(own) / "kernels.cpp", Path(own) / "kernels.so"
            unit.write_text('#include "shim.h"\n' + "\n".join(missing.values()))
            _compile(["-shared", "-I", str(folder), "-o", str(library), str(unit)])
            for path in missing:
                os.link(library, Path(own) / path.name)
                (Path(own) / path.name).replace(path)
    programs = []
    for source, name, path in made:
        library = ctypes.CDLL(str(path))
        run, join, first = (getattr(library, f"{f}_{name}", None) for f in ("run", "join", "first"))
        programs.append(EmulatedProgram(source, run, join, first))
    return programs


#: the kernels of a library have one set of fibers, whichever thread runs them
_running = Lock()


class EmulatedPlan:
    def __init__(self, launches: Sequence[Launch], slots: int, arena: int) -> None:
        self.launches, self.slots, self.arena = launches, slots, arena

    def __call__(self, addresses: Sequence[int]) -> None:
        arena = allocate(max(self.arena, 1))
        for launch in self.launches:
            program = launch.program
            assert isinstance(program, EmulatedProgram)
            source = program.source
            args = [0]
            for slot, offset in launch.params:
                args += [arena.address if slot == ARENA else addresses[slot], offset]
            workspace = allocate(max(source.workspace, 1))
            if source.workspace:
                args += [workspace.address, 0]
            block = (ctypes.c_uint64 * len(args))(*args)
            failed = False
            with _running:
                if source.first_grid:
                    failed = program.first(block, source.first_grid, source.first_block, 0)
                failed = failed or program.run(block, source.grid, source.block, source.shared)
                if source.join_grid and not failed:
                    failed = program.join(block, source.join_grid, source.join_block, 0)
            assert not failed, f"{source.name}: threads of a block wait at different barriers"


class EmulatedDevice(HostDevice):
    """Looks like the device "cuda:0"."""

    def __init__(self) -> None:
        super().__init__("cuda:0")
        self._begun: list[Source] = []
        self._built: dict[Source, Program] = {}
        self._building = Lock()

    def compile(self, sources: Sequence[Source]) -> list[Program]:
        return list(build_all(sources))

    def begin(self, source: Source) -> Callable[[], Program]:
        """The first that is asked for brings all that were begun."""
        with self._building:
            self._begun.append(source)

        def finish() -> Program:
            with self._building:
                self._built |= zip(self._begun, build_all(self._begun), strict=True)
                self._begun.clear()
                return self._built[source]

        return finish

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        return EmulatedPlan(launches, slots, arena)


@contextmanager
def emulated_gpu() -> Iterator[None]:
    """ "cuda:0" is the emulator inside the block. Where a GPU has that name the test is skipped: what the
    process keeps for one (constants, plans) would be taken for the other's."""
    from ..conftest import gpu_missing  # which changes the environment of the process

    if gpu_missing() is None:
        pytest.skip("a GPU has the emulator's name: what is kept for one would be taken for the other's")
    realize._executables.clear()  # a plan for another architecture would be taken for one of this
    Device._open["cuda:0"] = EmulatedDevice()
    try:
        yield
    finally:
        del Device._open["cuda:0"]
