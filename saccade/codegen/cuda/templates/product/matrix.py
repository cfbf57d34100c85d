"""What the matrix kernels use of the hardware: tensor cores, matrix loads, asynchronous copies.

A fragment is spread over the lanes of a warp in words of 32 bits: 2, 4 or 1 elements of k. Whatever the type,
a product takes 32 bytes of k, so that one kernel serves all of them.

Cards before 8.0 have no asynchronous copies and no tensor cores for bfloat16: copies go through registers
there, and the product is computed from the same fragments by shuffles. Cards before 8.9 multiply eight-bit
floats as float16, which holds them exactly."""

from __future__ import annotations

from typing import Final

from .....graph import dtypes
from .....graph.dtypes import DType

#: the types tensor cores multiply, by the names of their tags below; in lower case those of the instructions
TAGS: Final[dict[DType, str]] = {
    dtypes.float16: "F16",
    dtypes.bfloat16: "BF16",
    dtypes.float32: "TF32",
    dtypes.float8_e4m3: "E4M3",
    dtypes.float8_e5m2: "E5M2",
    dtypes.int8: "S8",
    dtypes.uint8: "U8",
}

MATRIX_PRELUDE: Final = r"""
DEVICE u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
DEVICE void copy_async(void *to, const void *from, bool valid) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
      "r"(valid ? 16 : 0) : "memory");
#else
  uint4 zero = {0, 0, 0, 0};
  *reinterpret_cast<uint4 *>(to) = valid ? __ldg(reinterpret_cast<const uint4 *>(from)) : zero;
#endif
}
// one address for many offsets: what it was added up from is not added to each of them
template <class T> DEVICE T *as_pointer(T *p) { asm volatile("" : "+l"(p)); return p; }
// a word of four bytes
DEVICE void copy_word_async(void *to, const void *from, bool valid) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)), "l"(from),
      "r"(valid ? 4 : 0) : "memory");
#else
  *reinterpret_cast<u32 *>(to) = valid ? __ldg(reinterpret_cast<const u32 *>(from)) : 0;
#endif
}
DEVICE void copies_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int N> DEVICE void copies_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}
// lanes 8j to 8j+7 give the rows of matrix j; lane l gets row l/4, elements 2(l%4) and the next, of each
template <bool TRANSPOSED> DEVICE void load_matrices(u32 (&r)[4], const void *row) {
  if constexpr (TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
}
struct F16 { static __device__ __forceinline__ f32 wide(u32 x) { return f16_to_f32((u16)x); } };
struct BF16 { static __device__ __forceinline__ f32 wide(u32 x) { return bf16_to_f32((u16)x); } };
// a call, not a copy each time: a kernel may have hundreds of these
template <class E>
__device__ __noinline__ void multiply_shuffled(f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  const int lane = threadIdx.x % 32, row = lane / 4 * 4, column = lane % 4 * 8;
  for (int k = 0; k < 16; ++k) {
    const int word = k % 8 / 2, high = k / 8;
    const u32 above = __shfl_sync(0xffffffffu, a[high * 2], row + word), below = __shfl_sync(0xffffffffu,
        a[high * 2 + 1], row + word);
    const u32 left = __shfl_sync(0xffffffffu, b[high], column + word), right = __shfl_sync(0xffffffffu,
        b[high], column + 4 + word);
    const int shift = k % 2 * 16;
    const f32 x = E::wide(above >> shift & 0xffffu), y = E::wide(below >> shift & 0xffffu);
    const f32 p = E::wide(left >> shift & 0xffffu), q = E::wide(right >> shift & 0xffffu);
    c[0] = fmaf(x, p, c[0]); c[1] = fmaf(x, q, c[1]); c[2] = fmaf(y, p, c[2]); c[3] = fmaf(y, q, c[3]);
  }
}
#define MATRIX_PRODUCT(shape, types, letter) \
  asm volatile("mma.sync.aligned." shape ".row.col." types \
               " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+" letter(c[0]), "+" letter(c[1]), "+" letter(c[2]), "+" letter(c[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
// c (16 x 8) += a (16 x 16) * b (16 x 8), spread over the lanes of a warp
DEVICE void multiply_add(F16, F16, f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  MATRIX_PRODUCT("m16n8k16", "f32.f16.f16.f32", "f");
#else
  for (int half = 0; half < 2; ++half)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[half * 2]), "r"(a[half * 2 + 1]),
                     "r"(b[half]));
#endif
}
DEVICE void multiply_add(BF16, BF16, f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  MATRIX_PRODUCT("m16n8k16", "f32.bf16.bf16.f32", "f");
#else
  multiply_shuffled<BF16>(c, a, b);
#endif
}
struct TF32 {};
DEVICE void multiply_add(TF32, TF32, f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  MATRIX_PRODUCT("m16n8k8", "f32.tf32.tf32.f32", "f");
#endif
}
struct E4M3 {
  static __device__ __forceinline__ u32 halves(u32 x) {
#if __CUDA_ARCH__ >= 890
    u32 y; asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(y) : "h"((u16)x)); return y;
#else
    return f32_to_f16(e4m3_to_f32((u8)x)) | (u32)f32_to_f16(e4m3_to_f32((u8)(x >> 8))) << 16;
#endif
  }
};
struct E5M2 {
  static __device__ __forceinline__ u32 halves(u32 x) { return (x & 0xffu) << 8 | (x & 0xff00u) << 16; }
};
// the order along k is the same for both, and otherwise free
template <class A, class B>
DEVICE void multiply_as_halves(f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const u32 above = a[half * 2], below = a[half * 2 + 1];
    const u32 left[4] = {A::halves(above), A::halves(below), A::halves(above >> 16), A::halves(below >> 16)};
    const u32 right[2] = {B::halves(b[half]), B::halves(b[half] >> 16)};
    multiply_add(F16(), F16(), c, left, right);
  }
}
#if __CUDA_ARCH__ >= 890
#define MULTIPLY_FLOATS(A, B, left, right) \
  DEVICE void multiply_add(A, B, f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) { \
    MATRIX_PRODUCT("m16n8k32", "f32." #left "." #right ".f32", "f"); \
  }
#else
#define MULTIPLY_FLOATS(A, B, left, right) \
  DEVICE void multiply_add(A, B, f32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) { \
    multiply_as_halves<A, B>(c, a, b); \
  }
#endif
MULTIPLY_FLOATS(E4M3, E4M3, e4m3, e4m3)
MULTIPLY_FLOATS(E4M3, E5M2, e4m3, e5m2)
MULTIPLY_FLOATS(E5M2, E4M3, e5m2, e4m3)
MULTIPLY_FLOATS(E5M2, E5M2, e5m2, e5m2)
struct S8 {};
struct U8 {};
#if __CUDA_ARCH__ >= 800
#define MULTIPLY_INTEGERS(A, B, left, right) \
  DEVICE void multiply_add(A, B, i32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) { \
    MATRIX_PRODUCT("m16n8k32", "s32." #left "." #right ".s32", "r"); \
  }
#else
#define MULTIPLY_INTEGERS(A, B, left, right) \
  DEVICE void multiply_add(A, B, i32 (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) { \
    for (int part = 0; part < 4; ++part) \
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32." #left "." #right ".s32 " \
                   "{%0,%1}, {%2}, {%3}, {%0,%1};" \
                   : "+r"(c[part % 2 * 2]), "+r"(c[part % 2 * 2 + 1]) : "r"(a[part]), "r"(b[part / 2])); \
  }
#endif
MULTIPLY_INTEGERS(S8, S8, s8, s8)
MULTIPLY_INTEGERS(S8, U8, s8, u8)
MULTIPLY_INTEGERS(U8, S8, u8, s8)
MULTIPLY_INTEGERS(U8, U8, u8, u8)
"""

#: Results of eight columns, as the lanes of a warp hold them after a product, become whole runs.
WRITE_RUNS: Final = r"""
// four lanes have eight neighbours of a row between them: they swap until each has all eight of another run
template <class T, int COUNT, class F> DEVICE void write_runs(const T (&sum)[COUNT], i32 lane, const F &put) {
  const int quarter = lane % 4;
#pragma unroll
  for (int j = 0; j < COUNT / 4; j += 4)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      T run[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int e = 0; e < 2; ++e) run[i][e] = sum[(j + i) * 4 + half * 2 + e];
#pragma unroll
      for (int distance = 2; distance > 0; distance /= 2)
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            if (i & distance) continue;
            T &low = run[i][e], &high = run[i + distance][e];
            const bool upper = quarter & distance;
            const T other = shuffle_xor(upper ? low : high, distance);
            if (upper) low = other; else high = other;
          }
      put(half, (j + quarter) * 8, {{run[0][0], run[0][1], run[1][0], run[1][1], run[2][0], run[2][1],
          run[3][0], run[3][1]}});
    }
}
// two neighbours as each lane has them, for results that are written one by one: four lanes are at a line at
// once, which with runs would be written to eight times
template <class T, int COUNT, class F>
DEVICE void write_pairs(const T (&sum)[COUNT], i32 lane, const F &put) {
#pragma unroll
  for (int j = 0; j < COUNT / 4; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      put(half, j * 8 + lane % 4 * 2, {{sum[j * 4 + half * 2], sum[j * 4 + half * 2 + 1]}});
}
// rows of odd length: a warp's 16 rows go through shared memory of its own, 8 of 32 columns at a time, and
// lanes side by side write neighbours
template <int LINE, class T, int COUNT, class F>
DEVICE void write_lines(const T (&sum)[COUNT], T *lines, i32 lane, const F &put) {
#pragma unroll
  for (int j = 0; j < COUNT / 4; j += 4) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        *reinterpret_cast<Vec<T, 2> *>(lines + lane / 4 * LINE + i * 8 + lane % 4 * 2) =
            {{sum[(j + i) * 4 + half * 2], sum[(j + i) * 4 + half * 2 + 1]}};
      __syncwarp();
#pragma unroll
      for (int row = 0; row < 8; ++row) put(half * 8 + row, j * 8 + lane, {{lines[row * LINE + lane]}});
      __syncwarp();
    }
  }
}
"""
