"""What every CUDA kernel begins with: words for what the language lacks, in terms of the hardware.

Narrow floats travel as their bits; conversions are the hardware's where it has them and the same arithmetic
on bits where it has not. No header is included, so nothing but NVRTC is needed."""

from __future__ import annotations

from typing import Final


def kernel_head(name: str, buffers: int, threads: int, blocks: int = 0, follows: bool = False) -> str:
    """The first line of a kernel; `blocks` of it are to fit on a multiprocessor. One that `follows` has the
    line FOLLOW, and lets the next one begin."""
    bounds = f"{threads}, {blocks}" if blocks else f"{threads}"
    given = "".join(f", u64 a{i}, u64 o{i}" for i in range(buffers))
    head = f'extern "C" __global__ void __launch_bounds__({bounds}) {name}(const u64 *table{given}) {{'
    return f"{head}\n  begin_next();" if follows else head


#: The line at which a kernel waits for the one in front of it, which may not have ended when it begins: see
#: `runtime.cuda.plan`. Before it stands what reads nothing that is written there, as where buffers are and
#: `ahead`; behind it nothing reads by `load_once`, whose cache is told of nothing that is written while a
#: kernel runs. Weights may be read before it (`Source.settled`).
FOLLOW: Final = "  follow();"


def ahead_line(start: str, block: str, share: int) -> str:
    """Ask for a block's share of a buffer before it is read."""
    return f"  ahead({start} + (u64){block} * {share}u, {share}u);"


PRELUDE: Final = r"""
typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;
typedef unsigned int u32; typedef int i32; typedef unsigned long long u64; typedef long long i64;
typedef float f32; typedef double f64;
#define DEVICE static __device__ __forceinline__

template <int N> struct Raw;
template <> struct Raw<1> { typedef u8 type; };
template <> struct Raw<2> { typedef u16 type; };
template <> struct Raw<4> { typedef u32 type; };
template <> struct Raw<8> { typedef uint2 type; };
template <> struct Raw<16> { typedef uint4 type; };
template <class T, int N> struct alignas(sizeof(T) * N) Vec { T at[N]; };

template <class To, class From> DEVICE To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From), "bits of another size");
  To y; memcpy(&y, &x, sizeof(y)); return y;
}
template <class T> DEVICE T load_once(const T *p) {
  return bits_as<T>(__ldg(reinterpret_cast<const typename Raw<sizeof(T)>::type *>(p)));
}
template <int N, class T> DEVICE Vec<T, N> load_many_once(const T *p) {
  return bits_as<Vec<T, N>>(__ldg(reinterpret_cast<const typename Raw<sizeof(T) * N>::type *>(p)));
}
template <int N, class T> DEVICE Vec<T, N> load_many(const T *p) { return *reinterpret_cast<const Vec<T,
    N> *>(p); }
template <int N, class T> DEVICE void store_many(T *p, const Vec<T, N> &v) {
  *reinterpret_cast<typename Raw<sizeof(T) * N>::type *>(p) = bits_as<typename Raw<sizeof(T) * N>::type>(v);
}
// of what passes once: it leaves the second cache after what is written there; released, it is like the rest
template <int N, class T> DEVICE Vec<T, N> load_many_passing(const T *p) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) * N == 16) {
    u64 rule; uint4 v;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(rule));
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p), "l"(rule));
    return bits_as<Vec<T, N>>(v);
  }
#endif
  return load_many<N>(p);
}
DEVICE void release(const void *p) {
#if __CUDA_ARCH__ >= 800
  if ((u64)p % 128) return;  // one thread for each line
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" :: "l"(p) : "memory");
#endif
}

DEVICE f32 f16_to_f32(u16 x) { f32 y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }
DEVICE u16 f32_to_f16(f32 x) { u16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }

template <class T> DEVICE T shuffle_xor(T x, int distance) {
  if constexpr (sizeof(T) == 8) {
    return bits_as<T>(__shfl_xor_sync(0xffffffffu, bits_as<u64>(x), distance));
  } else if constexpr (sizeof(T) == 4) {
    return bits_as<T>(__shfl_xor_sync(0xffffffffu, bits_as<u32>(x), distance));
  } else {
    return bits_as<T>((typename Raw<sizeof(T)>::type)__shfl_xor_sync(0xffffffffu,
        (u32)bits_as<typename Raw<sizeof(T)>::type>(x), distance));
  }
}
DEVICE bool warp_any(bool x) { return __any_sync(0xffffffffu, x); }
// Lets blocks of the next kernel take the places that this one leaves.
DEVICE void begin_next() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
// Waits for what was written before.
DEVICE void follow() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
DEVICE void team_barrier(int team) { if (team <= 32) __syncwarp(); else __syncthreads(); }

// compare and swap on the word around an element of any size; what changes nothing needs no swap, and of many
// values for a maximum few change it
template <class W, class F> DEVICE void swap_until(W *word, F change) {
  W old = *word, seen;
  do {
    seen = old;
    const W made = change(seen);
    if (made == seen) return;
    old = atomicCAS(word, seen, made);
  } while (old != seen);
}
template <class T, class F> DEVICE void atomic_update(T *p, F change) {
  if constexpr (sizeof(T) == 8) {
    swap_until(reinterpret_cast<u64 *>(p), [=](u64 old) { return bits_as<u64>(change(bits_as<T>(old))); });
  } else if constexpr (sizeof(T) == 4) {
    swap_until(reinterpret_cast<u32 *>(p), [=](u32 old) { return bits_as<u32>(change(bits_as<T>(old))); });
  } else {
    typedef typename Raw<sizeof(T)>::type Bits;
    const u64 address = reinterpret_cast<u64>(p);
    const u32 shift = (u32)(address & 3ull) * 8, mask = (u32)(Bits)~(Bits)0 << shift;
    swap_until(reinterpret_cast<u32 *>(address & ~3ull), [=](u32 old) {
      return (old & ~mask) | (u32)bits_as<Bits>(change(bits_as<T>((Bits)(old >> shift)))) << shift;
    });
  }
}
DEVICE void atomic_add(f32 *p, f32 x) { atomicAdd(p, x); }
DEVICE void atomic_add(f64 *p, f64 x) { atomicAdd(p, x); }
DEVICE void atomic_add(i32 *p, i32 x) { atomicAdd(p, x); }
DEVICE void atomic_add(u32 *p, u32 x) { atomicAdd(p, x); }
DEVICE void atomic_add(i64 *p, i64 x) { atomicAdd(reinterpret_cast<u64 *>(p), (u64)x); }
DEVICE void atomic_add(u64 *p, u64 x) { atomicAdd(p, x); }
DEVICE u32 take_number(u32 *counter) { return atomicAdd(counter, 1u); }
DEVICE i32 to_i32(f32 x) { return __float2int_rz(x); }
DEVICE u32 to_u32(f32 x) { return __float2uint_rz(x); }
DEVICE i64 to_i64(f32 x) { return x != x ? 0 : __float2ll_rz(x); }
DEVICE u64 to_u64(f32 x) { return x != x ? 0 : __float2ull_rz(x); }
DEVICE i32 to_i32(f64 x) { return x != x ? 0 : __double2int_rz(x); }
DEVICE u32 to_u32(f64 x) { return x != x ? 0 : __double2uint_rz(x); }
DEVICE i64 to_i64(f64 x) { return x != x ? 0 : __double2ll_rz(x); }
DEVICE u64 to_u64(f64 x) { return x != x ? 0 : __double2ull_rz(x); }
// In 16 bits the assembler gets signs wrong: it compares the magnitude of the least number as a positive one,
// and takes min(-x) for -max(|x|). In 32 it does not; as C++ these would be narrowed again.
DEVICE i32 minus_wide(i32 a, i32 b) {
  i32 c; asm("sub.s32 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b)); return c;
}
// Of three numbers whose least it takes at once (VIMNMX3), the assembler of CUDA 13.0 forgets the sign of the
// second where that is a negative of 32 bits. It does not see one in ~a + 1.
DEVICE u32 negative_word(u32 a) {
  u32 b; asm("{.reg .b32 t; not.b32 t, %1; add.u32 %0, t, 1;}" : "=r"(b) : "r"(a)); return b;
}
DEVICE i32 magnitude_wide(i32 a) { i32 b; asm("abs.s32 %0, %1;" : "=r"(b) : "r"(a)); return b; }
DEVICE f32 times(f32 a, f32 b) { return __fmul_rn(a, b); }
DEVICE f64 times(f64 a, f64 b) { return __dmul_rn(a, b); }
"""

#: The part that is plain C++ for who has no __CUDA_ARCH__: a test runs kernels with it on the host.
COMMON: Final = r"""
// where a buffer is: see `runtime.cuda.plan`
#ifdef FIXED_ADDRESSES
#define ADDRESS(a, o) (a)
#else
#define ADDRESS(a, o) ((table ? table[a] : a) + o)
#endif
// a pointer that is known to be one to global memory: a generic access asks which memory is meant, and none
// moves past one of shared memory
template <class T> DEVICE T *buffer_at(u64 address) {
  return reinterpret_cast<T *>(__cvta_global_to_generic(address));
}
// brings the lines of some bytes to the second cache, while nothing waits for them
DEVICE void ahead(u64 start, u32 bytes) {
#if __CUDA_ARCH__ >= 900
  for (u32 at = threadIdx.x * 128; at < bytes; at += blockDim.x * 128)
    asm volatile("prefetch.global.L2 [%0];" :: "l"(start + at));
#endif
}
// what nobody writes, or zeros: a load that may not happen, where a choice between vectors would be a branch
template <int N, class T> DEVICE Vec<T, N> load_many_once_where(bool there, const T *p) {
#if __CUDA_ARCH__ >= 700
  if constexpr (sizeof(T) * N == 16) {
    uint4 v;
    asm("{.reg .pred p; setp.ne.u32 p, %5, 0; mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; mov.u32 %3, 0;"
        " @p ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];}"
        : "=&r"(v.x), "=&r"(v.y), "=&r"(v.z), "=&r"(v.w) : "l"(p), "r"((u32)there));
    return bits_as<Vec<T, N>>(v);
  } else if constexpr (sizeof(T) * N == 8) {
    uint2 v;
    asm("{.reg .pred p; setp.ne.u32 p, %3, 0; mov.u32 %0, 0; mov.u32 %1, 0;"
        " @p ld.global.nc.v2.u32 {%0, %1}, [%2];}"
        : "=&r"(v.x), "=&r"(v.y) : "l"(p), "r"((u32)there));
    return bits_as<Vec<T, N>>(v);
  }
#endif
  return there ? load_many_once<N>(p) : Vec<T, N>{};
}
// the sum of the products of the bytes of two words, each signed or not, added to another
template <class A, class B> DEVICE i32 dot_bytes(u32 a, u32 b, i32 sum) {
#if __CUDA_ARCH__ >= 610
  constexpr bool left = (A)-1 < 0, right = (B)-1 < 0;
  if constexpr (left && right) asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
  else if constexpr (left) asm("dp4a.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
  else if constexpr (right) asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
  else asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
#else
  for (int n = 0; n < 32; n += 8) sum += (i32)(A)(a >> n) * (i32)(B)(b >> n);
#endif
  return sum;
}
// the byte of a word that begins at a bit, put into another word at a bit where that has zeros
template <int TO> DEVICE u32 put_byte(u32 word, u32 start, u32 rest) {
#ifdef __CUDA_ARCH__
  return __byte_perm(word, rest, (0x7654u & ~(15u << TO / 2)) | start / 8 << TO / 2);
#else
  return (word >> start & 255u) << TO | rest;
#endif
}
// the 16 bytes that begin at one of the first 16 of two chunks that lie one behind the other
DEVICE Vec<u32, 4> shifted(const Vec<u32, 4> &first, const Vec<u32, 4> &second, u32 bytes) {
  u32 words[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) words[i] = i < 4 ? first.at[i] : second.at[i - 4];
#pragma unroll
  for (int i = 0; i < 6; ++i) words[i] = bytes & 8 ? words[i + 2] : words[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) words[i] = bytes & 4 ? words[i + 1] : words[i];
  Vec<u32, 4> made;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#ifdef __CUDA_ARCH__
    made.at[i] = __funnelshift_r(words[i], words[i + 1], bytes * 8);  // by the last five bits
#else
    made.at[i] = (u32)(((u64)words[i + 1] << 32 | words[i]) >> bytes % 4 * 8);
#endif
  return made;
}
// a chunk, and zeros for what lies beyond so many of its bytes
DEVICE Vec<u32, 4> first_bytes(const Vec<u32, 4> &chunk, i32 bytes) {
  Vec<u32, 4> made;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const i32 left = bytes - i * 4;
    made.at[i] = left >= 4 ? chunk.at[i] : left > 0 ? chunk.at[i] & ((1u << left * 8) - 1) : 0;
  }
  return made;
}
// 2**23 + x, less 2**23: both at full rate, which the conversion of integers is not
DEVICE f32 byte_to_f32(u8 x) { return bits_as<f32>(0x4b000000u | x) - 8388608.0f; }
DEVICE f32 byte_to_f32(i8 x) { return bits_as<f32>(0x4b000000u | (u8)(x ^ 0x80)) - 8388736.0f; }
template <class T> DEVICE T least(T a, T b) { return a < b ? a : b; }
template <class T> DEVICE T most(T a, T b) { return a > b ? a : b; }
DEVICE f32 least(f32 a, f32 b) { return fminf(a, b); }
DEVICE f32 most(f32 a, f32 b) { return fmaxf(a, b); }
#if __CUDA_ARCH__ >= 800  // an instruction that keeps NaN, instead of two tests around one that does not
DEVICE f32 maximum(f32 a, f32 b) {
  f32 y; asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y;
}
DEVICE f32 minimum(f32 a, f32 b) {
  f32 y; asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y;
}
#else
DEVICE f32 maximum(f32 a, f32 b) { return a != a ? a : b != b ? b : fmaxf(a, b); }
DEVICE f32 minimum(f32 a, f32 b) { return a != a ? a : b != b ? b : fminf(a, b); }
#endif
DEVICE f64 maximum(f64 a, f64 b) { return a != a ? a : b != b ? b : fmax(a, b); }
DEVICE f64 minimum(f64 a, f64 b) { return a != a ? a : b != b ? b : fmin(a, b); }
template <class T> DEVICE T maximum(T a, T b) { return a > b ? a : b; }
template <class T> DEVICE T minimum(T a, T b) { return a < b ? a : b; }

template <class T> struct Unsigned;
template <> struct Unsigned<i8> { typedef u8 type; };    template <> struct Unsigned<u8> { typedef u8 type; };
template <> struct Unsigned<i16> { typedef u16 type; };  template <> struct Unsigned<u16> {
    typedef u16 type; };
template <> struct Unsigned<i32> { typedef u32 type; };  template <> struct Unsigned<u32> {
    typedef u32 type; };
template <> struct Unsigned<i64> { typedef u64 type; };  template <> struct Unsigned<u64> {
    typedef u64 type; };
template <class T> struct IsSigned { static const bool value = (T)-1 < (T)0; };

// wrapping arithmetic; x // 0 is 0, x % 0 is x; shifts by the width or more give 0 or the sign
template <class T> DEVICE T plus(T a, T b) { typedef typename Unsigned<T>::type U;
    return (T)(U)((U)a + (U)b); }
template <class T> DEVICE T minus(T a, T b) {
  typedef typename Unsigned<T>::type U;
  if constexpr (sizeof(T) >= 4) return (T)(U)((U)a - (U)b);
  else return (T)minus_wide((i32)a, (i32)b);
}
template <class T> DEVICE T negative(T a) {
  if constexpr (sizeof(T) == 4) return (T)negative_word((u32)a);
  else return minus<T>(0, a);
}
template <class T> DEVICE T multiply(T a, T b) {
  typedef typename Unsigned<T>::type U;
  if constexpr (sizeof(T) < 4) return (T)(U)((u32)(U)a * (u32)(U)b);
  else return (T)(U)((U)a * (U)b);
}
template <class T> DEVICE T divide_towards_zero(T a, T b) {
  if (b == 0) return 0;
  if constexpr (IsSigned<T>::value) { if (b == (T)-1) return minus<T>(0, a); }
  return (T)(a / b);
}
template <class T> DEVICE T divide_down(T a, T b) {
  T q = divide_towards_zero(a, b);
  if constexpr (IsSigned<T>::value) {
    T rest = minus<T>(a, multiply<T>(q, b));
    if (b != 0 && rest != 0 && ((rest < 0) != (b < 0))) return (T)(q - 1);
  }
  return q;
}
template <class T> DEVICE T rest_of(T a, T b) { return b == 0 ? a : minus<T>(a, multiply<T>(divide_down(a,
    b), b)); }
template <class T> DEVICE T power(T x, T n) {
  if constexpr (IsSigned<T>::value) {
    if (n < 0) return x == 1 ? (T)1 : x == (T)-1 ? (T)(n & 1 ? -1 : 1) : (T)0;
  }
  T result = 1;
  for (; n != 0; n = (T)(n >> 1)) {
    if (n & 1) result = multiply<T>(result, x);
    x = multiply<T>(x, x);
  }
  return result;
}
template <class T> DEVICE T shift_left(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return (U)b >= sizeof(T) * 8 ? (T)0 : (T)(U)((U)a << (U)b);
}
template <class T> DEVICE T shift_right(T a, T b) {
#if __CUDA_ARCH__ >= 320
  if constexpr ((T)-1 > (T)0 && sizeof(T) == 4) return __funnelshift_rc(a, 0u, b);  // 0 beyond, by itself
#endif
  typedef typename Unsigned<T>::type U;
  if ((U)b >= sizeof(T) * 8) return IsSigned<T>::value && a < 0 ? (T)-1 : (T)0;
  return (T)(a >> b);
}
template <class T> DEVICE T magnitude(T a) {
  if constexpr (sizeof(T) >= 4) return a < 0 ? minus<T>(0, a) : a;
  else return (T)magnitude_wide((i32)a);
}
DEVICE f32 rest_of(f32 a, f32 b) {
  f32 r = fmodf(a, b);
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : copysignf(r, b);
}
DEVICE f64 rest_of(f64 a, f64 b) {
  f64 r = fmod(a, b);
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : copysign(r, b);
}
template <class F> DEVICE i8 to_i8(F x) { return (i8)least(127, most(-128, to_i32(x))); }
template <class F> DEVICE i16 to_i16(F x) { return (i16)least(32767, most(-32768, to_i32(x))); }
template <class F> DEVICE u8 to_u8(F x) { return (u8)least(255, most(0, to_i32(x))); }
template <class F> DEVICE u16 to_u16(F x) { return (u16)least(65535, most(0, to_i32(x))); }

// a / b. Zero over anything would take the way of extremes, ten times as long as that of other numbers: what
// is divided instead is so small that no quotient is infinite but one by zero
DEVICE f32 quotient(f32 a, f32 b) {
  const f32 q = (a == 0.0f ? 0x1p-30f : a) / b;
  return a == 0.0f ? a * q : q;
}
// full range, without the branch that the last bit takes: for what is rounded to 16 bits next
DEVICE f32 quotient_within_2_ulp(f32 a, f32 b) {
#ifdef __CUDA_ARCH__
  f32 y; asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y;
#else
  return a / b;
#endif
}
DEVICE f32 bf16_to_f32(u16 x) { return bits_as<f32>((u32)x << 16); }
DEVICE u16 f32_to_bf16(f32 x) {
#if __CUDA_ARCH__ >= 800
  u16 y; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y;
#endif
  u32 b = bits_as<u32>(x);
  return x != x ? (u16)((b >> 16) | 0x40u) : (u16)((b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}
// there and back: the upper half of a pair is the number itself, in one instruction of the fast pipe
DEVICE f32 bf16_rounded(f32 x) {
#if __CUDA_ARCH__ >= 800
  u32 y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(x), "f"(0.0f)); return bits_as<f32>(y);
#endif
  return bf16_to_f32(f32_to_bf16(x));
}
// sums of neighbours as one vector, where the card has that
template <int N> DEVICE void atomic_add_f32(f32 *p, const Vec<f32, N> &x) {
#if __CUDA_ARCH__ >= 900
  const u64 to = __cvta_generic_to_global(p);
  if constexpr (N == 4) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "l"(to), "f"(x.at[0]), "f"(x.at[1]), "f"(x.at[2]), "f"(x.at[3]) : "memory");
    return;
  }
  if constexpr (N == 2) {
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(to), "f"(x.at[0]), "f"(x.at[1]) : "memory");
    return;
  }
#endif
  for (int i = 0; i < N; ++i) atomicAdd(p + i, x.at[i]);
}
// the same of halves, which other cards compare and swap
#if __CUDA_ARCH__ >= 900
#define HALVES_ADDED(name) \
template <int N> DEVICE void atomic_add_##name(u16 *p, const Vec<u16, N> &x) { \
  const u64 to = __cvta_generic_to_global(p); \
  if constexpr (N == 8) \
    asm volatile("red.global.add.noftz.v8." #name " [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" \
                 :: "l"(to), "h"(x.at[0]), "h"(x.at[1]), "h"(x.at[2]), "h"(x.at[3]), "h"(x.at[4]), \
                    "h"(x.at[5]), "h"(x.at[6]), "h"(x.at[7]) : "memory"); \
  else if constexpr (N == 4) \
    asm volatile("red.global.add.noftz.v4." #name " [%0], {%1, %2, %3, %4};" \
                 :: "l"(to), "h"(x.at[0]), "h"(x.at[1]), "h"(x.at[2]), "h"(x.at[3]) : "memory"); \
  else if constexpr (N == 2) \
    asm volatile("red.global.add.noftz.v2." #name " [%0], {%1, %2};" \
                 :: "l"(to), "h"(x.at[0]), "h"(x.at[1]) : "memory"); \
  else \
    asm volatile("red.global.add.noftz." #name " [%0], %1;" :: "l"(to), "h"(x.at[0]) : "memory"); \
}
#else
#define HALVES_ADDED(name) \
template <int N> DEVICE void atomic_add_##name(u16 *p, const Vec<u16, N> &x) { \
  for (int i = 0; i < N; ++i) { \
    const f32 more = name##_to_f32(x.at[i]); \
    atomic_update(p + i, [=](u16 old) -> u16 { return f32_to_##name(name##_to_f32(old) + more); }); \
  } \
}
#endif
HALVES_ADDED(f16)
HALVES_ADDED(bf16)
DEVICE f32 e5m2_to_f32(u8 x) { return f16_to_f32((u16)((u16)x << 8)); }
DEVICE f32 e4m3_to_f32(u8 x) {
  if ((x & 0x7fu) == 0x7fu) return bits_as<f32>(0x7fc00000u);
  f32 small = bits_as<f32>(((u32)(x & 0x7fu) << 20) | ((u32)(x & 0x80u) << 24));
  return small * bits_as<f32>(0x7b800000u);  // 2**120
}
// rounds to `mantissa` bits with the smallest normal exponent `least_exponent`, ties to even, as a float
DEVICE f32 rounded_to(f32 x, int mantissa, int least_exponent) {
  u32 b = bits_as<u32>(x);
  int exponent = (int)((b >> 23) & 0xffu) - 127;
  if (exponent < least_exponent) exponent = least_exponent;
  f32 unit = bits_as<f32>((u32)(exponent - mantissa + 127) << 23);
  return rintf(x / unit) * unit;
}
DEVICE u8 f32_to_e4m3(f32 x) {
  u8 sign = (u8)((bits_as<u32>(x) >> 24) & 0x80u);
  if (x != x) return (u8)(sign | 0x7fu);
  f32 y = rounded_to(fabsf(x) > 480.0f ? 480.0f : fabsf(x), 3, -6);
  if (y > 448.0f) return (u8)(sign | 0x7eu);
  u32 b = bits_as<u32>(y);
  int exponent = (int)(b >> 23) - 127;
  if (y == 0) return sign;
  if (exponent < -6) return (u8)(sign | (u8)(y * 512.0f));
  return (u8)(sign | (u8)(((u32)(exponent + 7) << 3) | ((b >> 20) & 7u)));
}
DEVICE u8 f32_to_e5m2(f32 x) {
  u8 sign = (u8)((bits_as<u32>(x) >> 24) & 0x80u);
  if (x != x) return (u8)(sign | 0x7eu);
  f32 y = fabsf(x) > 65536.0f ? 65536.0f : rounded_to(fabsf(x), 2, -14);
  if (y > 57344.0f) return (u8)(sign | 0x7cu);
  u32 b = bits_as<u32>(y);
  int exponent = (int)(b >> 23) - 127;
  if (y == 0) return sign;
  if (exponent < -14) return (u8)(sign | (u8)(y * 65536.0f));
  return (u8)(sign | (u8)(((u32)(exponent + 15) << 2) | ((b >> 21) & 3u)));
}
"""
