"""Kernels that compare two results where they are: what would take seconds on the host takes none.

    compare_sources(dtypes.float16, 1 << 28, 1e-3)     # kernels `largest` and `differing`, one text

`largest` finds the largest finite size of a wanted value; `differing` counts the elements that are further
apart than the tolerance times that. Integers have to be equal. Both leave their result in two words of
memory: the bits of the largest as float32, and the count."""

from __future__ import annotations

from typing import Final

from ....graph import dtypes
from ....graph.dtypes import DType
from ....runtime.program import Source
from ..prelude import COMMON, PRELUDE
from ..renderer import type_name

THREADS: Final = 256
BLOCKS: Final = 1024
#: an element as a double, by its type
_WIDE: Final = {
    dtypes.float16: "(f64)f16_to_f32(x)",
    dtypes.bfloat16: "(f64)bits_as<f32>((u32)x << 16)",
    dtypes.float8_e4m3: "(f64)e4m3_to_f32(x)",
    dtypes.float8_e5m2: "(f64)e5m2_to_f32(x)",
}


def compare_sources(dtype: DType, size: int, tolerance: float) -> tuple[Source, Source]:
    """`largest(wanted, result)` and `differing(found, wanted, result)` for so many elements."""
    blocks = max(1, min(BLOCKS, -(-size // THREADS)))
    words = {
        "ELEMENT": type_name(dtype), "WIDE": _WIDE.get(dtype, "(f64)x"),
        "EXACT": str(int(not dtype.is_float)),
        "SIZE": f"{size}ll", "TOLERANCE": f"{tolerance:.17e}", "BLOCK": str(THREADS),
        "GRID": f"{blocks * THREADS}ll",
    }  # fmt: skip
    text = TEXT
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    made = [
        Source(name, PRELUDE + COMMON + text, tasks=blocks, params=params, grid=blocks, block=THREADS)
        for name, params in (("largest", 2), ("differing", 3))
    ]
    return made[0], made[1]


TEXT: Final = r"""
DEVICE f64 wide(ELEMENT x) { return WIDE; }
DEVICE const ELEMENT *elements(const u64 *table, u64 a, u64 o) {
  return reinterpret_cast<const ELEMENT *>(ADDRESS(a, o));
}
extern "C" __global__ void largest(const u64 *table, u64 a0, u64 o0, u64 a1, u64 o1) {
  const ELEMENT *const wanted = elements(table, a0, o0);
  u32 *const result = reinterpret_cast<u32 *>(ADDRESS(a1, o1));
  f32 found = 0;
  for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < SIZE; i += GRID) {
    const f64 x = wide(wanted[i]), size = x < 0 ? -x : x;
    if (size < 3.0e38 && (f32)size > found) found = (f32)size;
  }
  const u32 bits = bits_as<u32>(found);
  if (bits) atomic_update(result, [=](u32 old) { return most<u32>(old, bits); });
}
extern "C" __global__ void differing(const u64 *table, u64 a0, u64 o0, u64 a1, u64 o1, u64 a2, u64 o2) {
  const ELEMENT *const found = elements(table, a0, o0), *const wanted = elements(table, a1, o1);
  u32 *const result = reinterpret_cast<u32 *>(ADDRESS(a2, o2));
  const f64 allowed = TOLERANCE * (f64)bits_as<f32>(result[0]);
  u32 count = 0;
  for (i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x; i < SIZE; i += GRID) {
    bool equal = found[i] == wanted[i];
    if (!equal && !EXACT) {
      const f64 a = wide(found[i]), b = wide(wanted[i]), apart = a < b ? b - a : a - b;
      equal = apart <= allowed || a == b || (a != a && b != b);
    }
    count += !equal;
  }
  if (count) atomic_add(result + 1, count);
}
"""
