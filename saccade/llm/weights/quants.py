"""The formats of weights in GGUF files: what a block of bytes means, as a program on tensors.

    FORMATS[12].name, FORMATS[12].items, FORMATS[12].bytes      # Q4_K, 256 values in 144 bytes
    FORMATS[12].dequantised(blocks)     # uint8 (..., blocks, 144) -> float32 (..., blocks, 256)
    FORMATS[12].product(blocks, x)      # (rows, blocks, 144), (..., blocks * 256) -> (..., rows)
    FORMATS[12].product(blocks, x, "int8")      # the same, with x rounded to bytes

A block has a scale d, sometimes an offset m, and small integers q: a value is d * q, or d * q + m. In formats
with a K, 256 values share one d, and each 16 or 32 of them a scale of a few bits beside. Everything is a byte
that is shifted, masked and multiplied, so that a product with the values can read the bytes itself.

A byte holds several integers, whose values are not neighbours: in Q4_0 the low four bits are values 0 to 15,
the high ones 16 to 31. So a block is unpacked in *parts*, one for each shift, and a product goes part by
part: its loop runs over bytes, and chooses nothing. That is 3 to 5 times as fast as one with the values in
their order (576 x 1536 in Q4_1 and one token: 0.4 ms, not 1.9, on two cores of a Neoverse N1).

Where x is rounded to bytes too, each 32 of them with a scale of their own, the integers are multiplied as
they are, by the processor's dot instructions, and scales are applied to sums of 16 or 32 products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from ...tensor.tensor import Tensor

#: All names that the format has, by number; those without a line in FORMATS are not read.
NAMES: Final = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 10: "Q2_K",
    11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS",
    19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32",
    27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}  # fmt: skip

#: What the 4 bits of IQ4_NL and IQ4_XS stand for: finer where most weights are.
IQ4_VALUES: Final = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
#: Twice the numbers that a float of 4 bits (a sign, two of exponent, one of mantissa) can be.
FP4_VALUES: Final = (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)


class Weight(Protocol):
    """A tensor of a file. kind: the number of its format; raw: as it is there."""

    @property
    def kind(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def raw(self) -> Tensor: ...
    def dequantised(self) -> Tensor: ...


class Part(NamedTuple):
    """Values of blocks (..., bytes) that one shift unpacks: scale * integers + offset.

    integers (..., outer, inner) of int8 or uint8, none above 127; scale, offset: (..., outer, groups) of
    float32, where each inner / groups neighbours have one.
    """

    integers: Tensor
    scale: Tensor
    offset: Tensor | None = None

    @property
    def groups(self) -> int:
        return self.scale.shape[-1]

    def grouped(self, x: Tensor) -> Tensor:
        """(..., inner) -> (..., groups, inner / groups)."""
        return x.unflatten(-1, (self.groups, -1))

    def values(self) -> Tensor:
        """(..., outer, inner) of float32."""
        found = self.scale.unsqueeze(-1) * self.grouped(self.integers.float())
        return (found if self.offset is None else found + self.offset.unsqueeze(-1)).flatten(-2)


#: How many neighbours of x have one scale where it is rounded to bytes.
ROUNDED: Final = 32


@dataclass(frozen=True)
class Format:
    """How values lie in a file.

    items, bytes: of a block. A block's values are (outer, parts, inner). unpack: blocks (..., bytes) of uint8
    -> its parts; None where the elements are plain numbers of `dtype`.
    """

    name: str
    items: int
    bytes: int
    dtype: str | None = None
    unpack: Callable[[Tensor], list[Part]] | None = None

    def dequantised(self, raw: Tensor) -> Tensor:
        """The values of blocks (..., bytes): (..., items); of plain numbers, those."""
        if self.unpack is None:
            return raw.float()
        return Tensor.stack([part.values() for part in self.unpack(raw)], -2).flatten(-3)

    def product(self, raw: Tensor, x: Tensor, activations: str = "float") -> Tensor:
        """x @ values.T: raw (rows, blocks, bytes), or (rows, columns) of plain numbers, and x (..., columns)
        -> (..., rows). With "int8" activations, x is rounded to bytes where the values are packed."""
        if self.unpack is None:
            return x.linear(raw.float())
        parts = self.unpack(raw)
        blocks, outer, inner = parts[0].integers.shape[-3:]
        given = x.reshape(*x.shape[:-1], 1, blocks, outer, len(parts), inner)
        if activations == "int8":
            return _product_of_bytes(parts, given)
        terms = [part.values() * given[..., number, :] for number, part in enumerate(parts)]
        return sum(terms[1:], terms[0]).sum((-3, -2, -1))


def _product_of_bytes(parts: list[Part], x: Tensor) -> Tensor:
    """parts with rows before blocks, and x (..., 1, blocks, outer, parts, inner) -> (..., rows)."""
    together = x.shape[-1] < ROUNDED  # several parts have one scale of x
    step = x.abs().amax((-2, -1) if together else -1, keepdim=True) / 127
    rounded = (x / step.where(step != 0, 1.0)).round().cast("int8")
    step = step.squeeze(-1).expand(*x.shape[:-1])
    one = together and all(part.scale is parts[0].scale for part in parts)
    dots, terms = [], []
    for number, part in enumerate(parts):
        mine = part.grouped(rounded[..., number, :]).cast("int32")
        dots.append((part.grouped(part.integers).cast("int32") * mine).sum(-1, dtype="int32"))
        size = step[..., number].unsqueeze(-1)
        if not one:
            terms.append(part.scale * size * dots.pop().float())
        if part.offset is not None:
            terms.append(part.offset * (size * mine.sum(-1, dtype="int32").float()))
    if dots:
        terms.append(parts[0].scale * step[..., 0].unsqueeze(-1) * sum(dots[1:], dots[0]).float())
    return sum(terms[1:], terms[0]).sum((-3, -2, -1))


# --- parts of a block


def _half(blocks: Tensor, at: int) -> Tensor:
    """The float16 of two bytes, as float32 (..., 1, 1)."""
    return blocks[..., at : at + 2].bitcast("float16").float().unsqueeze(-1)


def _nibbles(packed: Tensor) -> list[Tensor]:
    """The low and the high four bits of bytes."""
    return [packed & 15, packed >> 4]


def _looked_up(values: tuple[int, ...], codes: Tensor) -> Tensor:
    return Tensor(list(values), dtype="int8", device=codes.device)[codes.cast("int32")]


def _signed(numbers: Tensor, zero: int) -> Tensor:
    """Numbers of a few bits as int8, with one of them as zero."""
    return numbers.cast("int8") - zero


# --- blocks of 32: a scale of 16 bits; (1, 2, 16), or (1, 1, 32)


def _sixteen(b: Tensor, at: int) -> list[Tensor]:
    """The numbers of four bits in 16 bytes, (..., 1, 16) each."""
    return _nibbles(b[..., at:].unsqueeze(-2))


def _with(numbers: list[Tensor], scale: Tensor, offset: Tensor | None = None) -> list[Part]:
    """Parts that have one scale, and one offset."""
    return [Part(each, scale, offset) for each in numbers]


def _q4_0(b: Tensor) -> list[Part]:
    return _with([_signed(part, 8) for part in _sixteen(b, 2)], _half(b, 0))


def _q4_1(b: Tensor) -> list[Part]:
    return _with(_sixteen(b, 4), _half(b, 0), _half(b, 2))


def _five_bits(b: Tensor, at: int) -> list[Tensor]:
    """Numbers whose fifth bits are those of 4 bytes, before the bytes with the other four."""
    bits = (b[..., at : at + 4].unsqueeze(-1) >> Tensor.arange(8, dtype="uint8", device=b.device)) & 1
    fifth = bits.reshape(*b.shape[:-1], 2, 16) << 4
    return [part | fifth[..., n : n + 1, :] for n, part in enumerate(_sixteen(b, at + 4))]


def _q5_0(b: Tensor) -> list[Part]:
    return _with([_signed(part, 16) for part in _five_bits(b, 2)], _half(b, 0))


def _q5_1(b: Tensor) -> list[Part]:
    return _with(_five_bits(b, 4), _half(b, 0), _half(b, 2))


def _q8_0(b: Tensor) -> list[Part]:
    return _with([b[..., 2:].bitcast("int8").unsqueeze(-2)], _half(b, 0))


def _iq4_nl(b: Tensor) -> list[Part]:
    return _with([_looked_up(IQ4_VALUES, part) for part in _sixteen(b, 2)], _half(b, 0))


def _mxfp4(b: Tensor) -> list[Part]:
    """The scale is an exponent e of 8 bits alone: half of 2 ** (e - 127), for the values are doubled."""
    exponent = b[..., :1].cast("int32").unsqueeze(-1)
    # 2 ** -128 and -127 are subnormal
    small = Tensor(0x00200000, dtype="int32", device=b.device) << exponent.minimum(1)
    scale = small.where(exponent < 2, (exponent - 1).maximum(1) << 23).bitcast("float32")
    return _with([_looked_up(FP4_VALUES, part) for part in _sixteen(b, 1)], scale)


# --- blocks of 256: scales of scales


def scales_and_mins(packed: Tensor) -> tuple[Tensor, Tensor]:
    """12 bytes -> 8 scales and 8 offsets of 6 bits each. Bytes 0 to 3 hold scales 0 to 3, and above them
    the upper two bits of scales 4 to 7, whose lower four are in bytes 8 to 11; offsets likewise from byte 4
    on."""
    low, middle, rest = packed[..., 0:4], packed[..., 4:8], packed[..., 8:12]
    scales = Tensor.cat([low & 63, (rest & 15) | ((low >> 2) & 48)], -1)
    mins = Tensor.cat([middle & 63, (rest >> 4) | ((middle >> 2) & 48)], -1)
    return scales, mins


def _scaled_with_mins(b: Tensor, numbers: list[Tensor]) -> list[Part]:
    """Numbers of a block of Q4_K or Q5_K (4, 2, 32), by parts (..., 4, 32) -> parts; 32 have one scale."""
    scales, mins = (x.float().reshape(*b.shape[:-1], 4, 2) for x in scales_and_mins(b[..., 4:16]))
    scales, mins = _half(b, 0) * scales, -(_half(b, 2) * mins)
    return [Part(each, scales[..., n : n + 1], mins[..., n : n + 1]) for n, each in enumerate(numbers)]


def _q4_k(b: Tensor) -> list[Part]:
    return _scaled_with_mins(b, _nibbles(b[..., 16:].reshape(*b.shape[:-1], 4, 32)))


def _q5_k(b: Tensor) -> list[Part]:
    """Bit 2 i + n of byte l is the fifth of number (i, n, l)."""
    places = Tensor.arange(4, dtype="uint8", device=b.device).unsqueeze(-1) * 2
    high = b[..., 16:48].unsqueeze(-2)
    parts = _nibbles(b[..., 48:].reshape(*b.shape[:-1], 4, 32))
    return _scaled_with_mins(b, [part | (((high >> (places + n)) & 1) << 4) for n, part in enumerate(parts)])


def _q6_k(b: Tensor) -> list[Part]:
    """(2, 4, 32): four bits in a nibble, two in a byte that has those of four numbers; scales for each 16."""
    shape = b.shape[:-1]
    low = _nibbles(b[..., :128].reshape(*shape, 2, 64))
    high = b[..., 128:192].reshape(*shape, 2, 32)
    scales = (_half(b, 208) * b[..., 192:208].bitcast("int8").float().unsqueeze(-1)).reshape(*shape, 2, 4, 2)
    parts = []
    for n in range(4):
        four = low[n // 2][..., n % 2 * 32 : n % 2 * 32 + 32]
        parts.append(Part(_signed(four | (((high >> (2 * n)) & 3) << 4), 32), scales[..., n, :]))
    return parts


def _iq4_xs(b: Tensor) -> list[Part]:
    """(8, 2, 16): scales of six bits for each 32."""
    shape = b.shape[:-1]
    low = (b[..., 4:8].unsqueeze(-1) >> (Tensor.arange(2, dtype="uint8", device=b.device) * 4)) & 15
    high = (b[..., 2:4].unsqueeze(-1) >> (Tensor.arange(4, dtype="uint8", device=b.device) * 2)) & 3
    scales = _signed(low.reshape(*shape, 8, 1) | (high.reshape(*shape, 8, 1) << 4), 32).float()
    parts = _nibbles(b[..., 8:].reshape(*shape, 8, 16))
    return _with([_looked_up(IQ4_VALUES, part) for part in parts], _half(b, 0) * scales)


#: Formats by number. A mapping that nobody can change: jit functions that use it need not look again.
FORMATS: Final = MappingProxyType(
    {
        0: Format("F32", 1, 4, "float32"),
        1: Format("F16", 1, 2, "float16"),
        30: Format("BF16", 1, 2, "bfloat16"),
        2: Format("Q4_0", 32, 18, unpack=_q4_0),
        3: Format("Q4_1", 32, 20, unpack=_q4_1),
        6: Format("Q5_0", 32, 22, unpack=_q5_0),
        7: Format("Q5_1", 32, 24, unpack=_q5_1),
        8: Format("Q8_0", 32, 34, unpack=_q8_0),
        12: Format("Q4_K", 256, 144, unpack=_q4_k),
        13: Format("Q5_K", 256, 176, unpack=_q5_k),
        14: Format("Q6_K", 256, 210, unpack=_q6_k),
        20: Format("IQ4_NL", 32, 18, unpack=_iq4_nl),
        23: Format("IQ4_XS", 256, 136, unpack=_iq4_xs),
        39: Format("MXFP4", 32, 17, unpack=_mxfp4),
    }
)
