// The prelude of CUDA kernels, for a host: see cuda_emulator.py.
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;
typedef unsigned int u32; typedef int i32; typedef unsigned long long u64; typedef long long i64;
typedef float f32; typedef double f64;
struct uint2 { u32 x, y; };
struct alignas(16) uint4 { u32 x, y, z, w; };
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define DEVICE static inline
DEVICE void *__cvta_global_to_generic(u64 address) { return reinterpret_cast<void *>(address); }

namespace emulator {
const u32 MOST = 1024;                   // threads of a block
const size_t STACK = 256 << 10;
static char *stacks;
static jmp_buf fibers[MOST], scheduler;  // where each goes on; to jump takes no system call, unlike a context
static bool begun[MOST], finished[MOST];
static u32 current, threads, block_number;
struct Group { u32 arrived, rounds; };   // threads at a barrier, and how often all of them were there
static Group warps[MOST / 32], whole, others;
static u64 words[MOST];                  // what each thread brings to a shuffle
static void (*body)();
static bool stuck;

static void yield() { if (!_setjmp(fibers[current])) _longjmp(scheduler, 1); }
// wait until every thread of this one's group is here
static void meet(u32 first, u32 count) {
  Group &group = count == 32 ? warps[first / 32] : count == threads ? whole : others;
  if (count > threads - first) count = threads - first;
  if (++group.arrived == count) { group.arrived = 0; ++group.rounds; return; }
  for (const u32 mine = group.rounds; group.rounds == mine && !stuck; yield())
    if (memchr(finished + first, 1, count)) stuck = true;
}
static void start() { for (;; yield()) { body(); finished[current] = 1; } }
static void resume() {
  if (_setjmp(scheduler)) return;
  if (begun[current]) _longjmp(fibers[current], 1);
  begun[current] = true;
  static ucontext_t beginning;
  getcontext(&beginning);
  beginning.uc_stack.ss_sp = stacks + STACK * current;
  beginning.uc_stack.ss_size = STACK;
  makecontext(&beginning, start, 0);
  setcontext(&beginning);
}
}  // namespace emulator

struct ThreadIdx { operator u32() const { return emulator::current; } };
struct BlockIdx { operator u32() const { return emulator::block_number; } };
static struct { ThreadIdx x; } threadIdx;
static struct { BlockIdx x; } blockIdx;
#define shared_memory_declared
#define __shared__
static uint4 shared_memory_[16384];
#define shared_memory shared_memory_

static void __syncthreads() { emulator::meet(0, emulator::threads); }
static void __syncwarp() { emulator::meet(emulator::current / 32 * 32, 32); }
template <class T> static T shuffle_xor(T x, int distance) {
  u64 word = 0;
  memcpy(&word, &x, sizeof(T));
  u32 warp = emulator::current / 32 * 32;
  emulator::words[emulator::current] = word;
  emulator::meet(warp, 32);
  u64 other = emulator::words[(emulator::current ^ (u32)distance)];
  emulator::meet(warp, 32);
  T y;
  memcpy(&y, &other, sizeof(T));
  return y;
}
static bool warp_any(bool x) {
  u32 warp = emulator::current / 32 * 32;
  emulator::words[emulator::current] = x;
  emulator::meet(warp, 32);
  bool any = false;
  for (u32 lane = warp; lane < warp + 32; ++lane) any = any || emulator::words[lane];
  emulator::meet(warp, 32);
  return any;
}
static void team_barrier(int team) { if (team <= 32) __syncwarp(); else __syncthreads(); }
static void begin_next() {}
static void follow() {}

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
static void aligned(const void *p, size_t n) { if ((u64)p % n) { fprintf(stderr, "misaligned access of %zu bytes\n", n); abort(); } }
template <class T> DEVICE T load_once(const T *p) { return *p; }
template <int N, class T> DEVICE Vec<T, N> load_many(const T *p) {
  aligned(p, sizeof(T) * N); Vec<T, N> v; memcpy(&v, p, sizeof(v)); return v;
}
template <int N, class T> DEVICE Vec<T, N> load_many_once(const T *p) { return load_many<N>(p); }
template <int N, class T> DEVICE void store_many(T *p, const Vec<T, N> &v) { aligned(p, sizeof(v)); memcpy(p, &v, sizeof(v)); }
template <int N, class T> DEVICE Vec<T, N> load_many_passing(const T *p) { return load_many<N>(p); }
static void release(const void *) {}

DEVICE f32 f16_to_f32(u16 h) {
  u32 sign = (u32)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 1023;
  f32 x = e == 0 ? (f32)m * 0x1p-24f : bits_as<f32>((e == 31 ? 255 : e + 112) << 23 | m << 13);
  return bits_as<f32>(bits_as<u32>(x) | sign);
}
DEVICE u16 f32_to_f16(f32 x) {
  u16 sign = (u16)((bits_as<u32>(x) >> 16) & 0x8000);
  if (x != x) return sign | 0x7e00;
  f32 y = std::fabs(x);
  if (y >= 65520.0f) return sign | 0x7c00;
  int e = y == 0 ? -14 : std::ilogb(y);
  if (e < -14) e = -14;
  f32 r = std::nearbyint(std::ldexp(y, 10 - e));
  if (r >= 2048.0f) { r /= 2; ++e; }
  return r < 1024.0f ? (u16)(sign | (u16)r) : (u16)(sign | (u16)((e + 15) << 10) | (u16)((int)r - 1024));
}
template <class T, class F> DEVICE void atomic_update(T *p, F change) { *p = change(*p); }
template <class T> DEVICE void atomic_add(T *p, T x) { *p += x; }
DEVICE u32 take_number(u32 *counter) { return (*counter)++; }
template <class T, class F> DEVICE T saturated(F x, F low, F high, T least_, T most_) {
  return x != x ? (T)0 : x <= low ? least_ : x >= high ? most_ : (T)x;
}
template <class F> DEVICE i32 to_i32(F x) { return saturated<i32, F>(x, -2147483648.0, 2147483648.0, INT32_MIN, INT32_MAX); }
template <class F> DEVICE u32 to_u32(F x) { return saturated<u32, F>(x, 0.0, 4294967296.0, 0, UINT32_MAX); }
template <class F> DEVICE i64 to_i64(F x) { return saturated<i64, F>(x, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX); }
template <class F> DEVICE u64 to_u64(F x) { return saturated<u64, F>(x, 0.0, 18446744073709551616.0, 0, UINT64_MAX); }
DEVICE i32 minus_wide(i32 a, i32 b) { return a - b; }
DEVICE u32 negative_word(u32 a) { return 0u - a; }
DEVICE i32 magnitude_wide(i32 a) { return a < 0 ? -a : a; }
DEVICE f32 times(f32 a, f32 b) { return a * b; }
DEVICE f64 times(f64 a, f64 b) { return a * b; }

static int run_grid(u32 grid, u32 block, u32 shared, void (*kernel)()) {
  using namespace emulator;
  if (shared > sizeof(shared_memory_) || block > MOST) return 2;
  body = kernel;
  threads = block;
  stacks = (char *)malloc(STACK * block);  // not cleared: most of it is never used
  memset(begun, 0, block);
  stuck = false;
  for (block_number = 0; block_number < grid && !stuck; ++block_number) {
    memset(finished, 0, block);
    memset(warps, 0, sizeof(warps));
    whole = others = Group();
    memset(words, 0, sizeof(words));
    memset(shared_memory_, 0xff, shared);
    for (bool running = true; running;) {
      running = false;
      for (current = 0; current < block; ++current)
        if (!finished[current]) { running = true; resume(); }
    }
  }
  free(stacks);
  return stuck;
}
