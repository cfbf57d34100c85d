"""The formats of GGUF tensors once more, a value at a time in plain loops: what tensor programs must equal.

`VALUES["Q4_0"](block)` takes the bytes of one block and gives its values as float32, rounded after each
multiplication and addition.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np

F = np.float32
IQ4 = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
FP4 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def half(b: bytes, at: int) -> np.float32:
    return F(struct.unpack_from("<e", b, at)[0])


def bf16(b: bytes) -> list[np.float32]:
    return [F(struct.unpack("<f", b"\0\0" + b)[0])]


def nibble(packed: bytes, i: int) -> int:
    """Value i of 2 * len(packed): the low halves of all bytes come first."""
    return packed[i % len(packed)] >> (4 if i >= len(packed) else 0) & 15


def q4_0(b: bytes) -> list[np.float32]:
    return [half(b, 0) * F(nibble(b[2:], i) - 8) for i in range(32)]


def q4_1(b: bytes) -> list[np.float32]:
    return [half(b, 0) * F(nibble(b[4:], i)) + half(b, 2) for i in range(32)]


def q5_0(b: bytes) -> list[np.float32]:
    bits = int.from_bytes(b[2:6], "little")
    return [half(b, 0) * F(nibble(b[6:], i) + 16 * (bits >> i & 1) - 16) for i in range(32)]


def q5_1(b: bytes) -> list[np.float32]:
    bits = int.from_bytes(b[4:8], "little")
    return [half(b, 0) * F(nibble(b[8:], i) + 16 * (bits >> i & 1)) + half(b, 2) for i in range(32)]


def q8_0(b: bytes) -> list[np.float32]:
    return [half(b, 0) * F(struct.unpack_from("<b", b, 2 + i)[0]) for i in range(32)]


def iq4_nl(b: bytes) -> list[np.float32]:
    return [half(b, 0) * F(IQ4[nibble(b[2:], i)]) for i in range(32)]


def mxfp4(b: bytes) -> list[np.float32]:
    scale = 2.0 ** (b[0] - 127)
    codes = [nibble(b[1:], i) for i in range(32)]
    return [F(scale * FP4[code & 7] * (-1 if code & 8 and code != 8 else 1)) for code in codes]


def scale_and_min(packed: bytes, j: int) -> tuple[int, int]:
    if j < 4:
        return packed[j] & 63, packed[j + 4] & 63
    both = packed[j + 4]
    return both & 15 | packed[j - 4] >> 6 << 4, both >> 4 | packed[j] >> 6 << 4


def q4_k(b: bytes) -> list[np.float32]:
    return [_k(b, i, nibble(b[16 + i // 64 * 32 :][:32], i % 64)) for i in range(256)]


def q5_k(b: bytes) -> list[np.float32]:
    fifth = [b[16 + i % 32] >> i // 32 & 1 for i in range(256)]
    return [_k(b, i, nibble(b[48 + i // 64 * 32 :][:32], i % 64) + 16 * fifth[i]) for i in range(256)]


def _k(b: bytes, i: int, number: int) -> np.float32:
    scale, least = scale_and_min(b[4:16], i // 32)
    return half(b, 0) * F(scale) * F(number) - half(b, 2) * F(least)


def q6_k(b: bytes) -> list[np.float32]:
    found = []
    for i in range(256):
        low = nibble(b[i // 128 * 64 :][:64], i % 128)
        high = b[128 + i // 128 * 32 + i % 32] >> i % 128 // 32 * 2 & 3
        scale = struct.unpack_from("<b", b, 192 + i // 16)[0]
        found.append(half(b, 208) * F(scale) * F(low + 16 * high - 32))
    return found


def iq4_xs(b: bytes) -> list[np.float32]:
    found = []
    for i in range(256):
        j = i // 32
        low = b[4 + j // 2] >> j % 2 * 4 & 15
        high = int.from_bytes(b[2:4], "little") >> 2 * j & 3
        value = IQ4[nibble(b[8 + 16 * j :][:16], i % 32)]
        found.append(half(b, 0) * F(low + 16 * high - 32) * F(value))
    return found


VALUES: dict[str, Callable[[bytes], list[np.float32]]] = {
    "F32": lambda b: [F(struct.unpack("<f", b)[0])],
    "F16": lambda b: [half(b, 0)],
    "BF16": bf16,
    "Q4_0": q4_0,
    "Q4_1": q4_1,
    "Q5_0": q5_0,
    "Q5_1": q5_1,
    "Q8_0": q8_0,
    "Q4_K": q4_k,
    "Q5_K": q5_k,
    "Q6_K": q6_k,
    "IQ4_NL": iq4_nl,
    "IQ4_XS": iq4_xs,
    "MXFP4": mxfp4,
}
