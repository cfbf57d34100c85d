"""Packed weights laid out for a GPU: a block of 32 is whole words, and dots of bytes multiply them (dp4a).

    weight = in_words(packed)           # or as it was: no such layout for this format or device
    weight.forward(x)                   # (..., in) -> (..., out)

In a file the bytes of a block lie as a processor with short vectors reads them. A lane of a GPU takes 16
bytes at a time, so a block of 32 numbers has 16 bytes of four-bit codes here, and its scale and offset are
one load:

    codes[row, block, 4]    byte b of word w: number 4 w + b in its low half, number 16 + 4 w + b in its high
    upper[row, block, 2]    of six-bit codes: bits 2 w of byte b of word h: the rest of number 16 h + 4 w + b
    steps[row, block]       two bytes: the integers that scale and offset are made of, or two scales
    heads[row, block / 8]   two float16: what eight blocks multiply these with

There are nearly as many bytes as in the file (148 for 144 in Q4_K), and the numbers are the same.

For few tokens activations become integers of 16 bits, 32 of them by one step: two words of bytes, an upper
and a lower one, meet each word of codes. A rounding of 2**-16 of the largest of 32 is finer than bfloat16's,
and a weight takes two instructions; unpacked to a float first it takes ten. For many tokens the weights are
unpacked and multiplied by tensor cores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ...nn.module import Module
from ...tensor.tensor import Tensor
from .lanes import LaneWeight
from .packed import FEW_TOKENS, PackedWeight, in_halves
from .quants import FORMATS, ROUNDED, scales_and_mins

#: formats by the numbers of GGUF, and the bits of their codes
BITS: Final = {12: 4, 14: 6}
#: blocks of 32 that share a head
EIGHT: Final = 8
#: the largest integer of an activation
LARGEST: Final = 32767.0
#: Tokens at once that are multiplied as dots of bytes, each with a walk over all weights of its own; more
#: take tensor cores. 8B shapes in Q4_K on an H200, ms: 1 token 1.67 as dots; 2 tokens 2.97 as dots; 4 and 8
#: 2.79 by tensor cores, 16 2.84.
FEW_WORDS: Final = 1
#: Tokens at once up to which a product takes as long as its weights take to unpack: two at a time, by scales
#: that are rounded. 32 tokens, 8B shapes in Q4_K, 32 layers and the head on an H200: 3.96 -> 3.62 ms.
ROUNDED_SCALES: Final = 64
#: what no activation is below, but zero: its inverse is a number
TINY: Final = 1e-30
#: a mask for each byte of a word
_NIBBLES: Final = 0x0F0F0F0F
_UPPER: Final = 0x30303030
#: of float32
_BITS_OF_128: Final = 0x43000000
#: the code of zero in Q6_K
_ZERO: Final = 32


class WordWeight(Module):
    """A matrix (out, in) in words, and a bias if it has one. upper: of six-bit codes, else None."""

    #: is a token computed the same way alone and beside others?
    alike = False

    def __init__(
        self, codes: Tensor, upper: Tensor | None, steps: Tensor, heads: Tensor, bias: Tensor | None
    ) -> None:
        self.codes, self.upper, self.steps, self.heads, self.bias = codes, upper, steps, heads, bias

    def rows(self, first: int, end: int) -> WordWeight:
        """Some of its rows, as a part of the program that multiplies with them."""
        return _of_parts([self], lambda parts: parts[0][first:end])

    def forward(self, x: Tensor) -> Tensor:
        """(..., in) -> (..., out)."""
        tokens = math.prod(x.shape[:-1])
        if tokens > FEW_WORDS:
            stored = x.cast("bfloat16").contiguous().cast(x.dtype)
            made = stored.linear(in_halves(self._near_values(rounded=tokens <= ROUNDED_SCALES)))
        else:
            return self.product(rounded(x.reshape(tokens, -1))).reshape(*x.shape[:-1], -1)
        return made if self.bias is None else made + self.bias

    def values(self) -> Tensor:
        """The numbers, (out, in) of float32."""
        device = self.codes.device
        half, word, byte = (
            Tensor.arange(n, dtype="uint32", device=device).reshape(*shape)
            for n, shape in ((2, (2, 1, 1)), (4, (4, 1)), (4, (4,)))
        )
        # (out, blocks, 2, 4, 4): each of its own word and bits, with nothing to choose
        numbers = (self.codes[:, :, None, :, None] >> (half * 4 + byte * 8)) & 15
        if self.upper is not None:
            numbers = numbers | (((self.upper[:, :, :, None, None] >> (word * 2 + byte * 8)) & 3) << 4)
        scale, offset = (each[..., None, None] for each in self._scales())
        return (scale * numbers.float() + offset).reshape(self.codes.shape[0], -1)

    def _near_values(self, rounded: bool = False) -> Tensor:
        """The numbers to 2**-17 of a step, for products that round them to bfloat16. The byte of a code goes
        into the bits of a float32 between 128 and 256, where its unit is bit 16: no integer is converted.

        `rounded`: of scales and offsets that are bfloat16, too, as instructions for two numbers at once take
        them (`codegen.cuda.scaled_bytes`). Codes are counted from their middle, where an offset is small and
        its rounding smaller than that of a number. Weights of a normal distribution in Q4_K are 7.8 % off
        (root mean square) what they were before; their rounding adds 0.17 %, and 0.25 % with that of scales.
        Products, whose activations are rounded too, are 0.24 % off, and 0.29 %."""
        device = self.codes.device
        half, word, byte = (
            Tensor.arange(n, dtype="uint32", device=device).reshape(*shape)
            for n, shape in ((2, (2, 1)), (4, (4,)), (4, (4,)))
        )
        words = (self.codes[:, :, None] >> (half * 4)) & _NIBBLES  # (out, blocks, 2, 4)
        if self.upper is not None:
            words = words | (((self.upper[..., None] >> (word * 2)) << 4) & _UPPER)
        codes = (words[..., None] >> (byte * 8)).cast("uint8").cast("uint32")
        scale, offset = (each[..., None, None] for each in self._scales())
        near = ((codes << 16) | _BITS_OF_128).bitcast("float32")
        if rounded:
            middle = 8.0 if self.upper is None else float(_ZERO)
            scale, offset = (x.cast("bfloat16").float() for x in (scale, offset + scale * middle))
            made = scale * (near - (128.0 + middle)) + offset
        else:
            made = scale * near + (offset - scale * 128.0)
        return made.reshape(self.codes.shape[0], -1)

    def _half(self, half: int) -> Tensor:
        """Words (out, blocks, 4) of the codes of 16 neighbours, one in each byte."""
        low = (self.codes >> (4 * half)) & _NIBBLES
        if self.upper is None:
            return low
        places = Tensor.arange(4, dtype="uint32", device=low.device) * 2
        return low | (((self.upper[..., half : half + 1] >> places) << 4) & _UPPER)

    def _scales(self) -> tuple[Tensor, Tensor]:
        """Of each 16: (out, blocks, 2), or of each 32: (out, blocks, 1). A number is scale * code +
        offset."""
        heads = [
            (self.heads >> (16 * n)).cast("uint16").bitcast("float16").float().repeat_interleave(EIGHT, -1)
            for n in range(2)
        ]
        if self.upper is None:
            first, second = heads[0] * (self.steps & 255).float(), heads[1] * (self.steps >> 8).float()
            return first.unsqueeze(-1), -second.unsqueeze(-1)
        bytes_of = [(self.steps >> (8 * n)).cast("int8").float() for n in range(2)]
        scale = Tensor.stack([heads[0] * each for each in bytes_of], -1)
        return scale, scale * -float(_ZERO)

    def product(self, given: Tensor, factor: Tensor | None = None) -> Tensor:
        """What `rounded` made, times a factor of each token (tokens, 1) -> (tokens, out)."""
        step, *totals = (given[:, 4, :, n].bitcast("float32").unsqueeze(1) for n in range(3))
        dots = []
        for half in range(2):
            # four bits that stay in the upper half of their byte are 16 times as much: no word is shifted
            low = self.codes & (_NIBBLES << 4 * half)
            codes = _bytes_of(low if self.upper is None else self._half(half), "uint8")
            upper, lower = (
                (codes * _bytes_of(given[:, at + half].unsqueeze(1), kind)).sum(-1, dtype="int32")
                for at, kind in ((0, "int8"), (2, "uint8"))
            )
            dots.append(upper.sum(-1, dtype="int32") * 256 + lower.sum(-1, dtype="int32"))
        scale, offset = self._scales()
        if self.upper is None:
            # 16 times a sum below 2**24, so that it is still a float32 without rounding
            terms = scale[..., 0] * (step * ((dots[0] * 16 + dots[1]).float() * (1 / 16)))
            terms = terms + offset[..., 0] * totals[0] + offset[..., 0] * totals[1]
        else:
            first, second = (scale[..., n] * (step * dots[n].float() - totals[n] * _ZERO) for n in range(2))
            terms = first + second
        made = terms.sum(-1) if factor is None else terms.sum(-1) * factor
        return made if self.bias is None else made + self.bias


def rounded(x: Tensor, squares: Tensor | None = None) -> Tensor:
    """(tokens, columns) as integers of 16 bits with a step for each 32: uint32 (tokens, 5, blocks, 4), in
    memory. Of each block two times four words with the upper bytes, two times four with the lower ones, and
    the step, what the two halves sum up to, and `squares` (tokens, blocks, 1), as float32."""
    blocks = x.unflatten(-1, (-1, ROUNDED))
    largest = blocks.abs().amax(-1, keepdim=True)
    step = largest * (1 / LARGEST)
    numbers = (blocks * (LARGEST / largest.where(largest > TINY, math.inf))).round().cast("int32")
    # sums over all 32, whichever half they are of: lanes that have one number each exchange them, where a sum
    # for every word of the result would be a loop of its lane
    early = Tensor.arange(ROUNDED, device=x.device) < ROUNDED // 2
    first, whole = (each.sum(-1, keepdim=True, dtype="int32") for each in (numbers.where(early, 0), numbers))
    totals = [each.float() * step for each in (first, whole - first)]
    ends = Tensor.cat([step, *totals, step if squares is None else squares], -1).bitcast("uint32")
    shifts = (1 - Tensor.arange(2, dtype="int32", device=x.device).reshape(2, 1, 1, 1)) * 8
    halves = numbers.unflatten(-1, (2, -1)).transpose(1, 2).unsqueeze(1)  # (tokens, 1, 2, blocks, 16)
    parts = ((halves >> shifts) & 255).cast("uint8").flatten(1, 2)
    words = parts.unflatten(-1, (4, 4)).bitcast("uint32").squeeze(-1)
    return Tensor.cat([words, ends.unsqueeze(1)], 1).contiguous()


def rounded_normal(x: Tensor, weight: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """RMSNorm of (tokens, columns): `rounded` before it is divided by the root of its mean square, and what
    to multiply products with instead, (tokens, 1). Squares are summed block by block beside the rounding, and
    then by every reader: no kernel waits for the sum of a whole row."""
    squares = (x * x).unflatten(-1, (-1, ROUNDED)).sum(-1, keepdim=True)
    words = rounded(x * weight, squares)
    mean = words[:, 4, :, 3].bitcast("float32").sum(-1, keepdim=True) / x.shape[-1]
    return words, (mean + epsilon).rsqrt()


def _bytes_of(words: Tensor, kind: str) -> Tensor:
    """uint32 (...) -> their bytes (..., 4) as int32."""
    places = Tensor.arange(4, dtype="uint32", device=words.device) * 8
    return (words.unsqueeze(-1) >> places).cast(kind).cast("int32")


#: what multiplies with a weight
Linear = PackedWeight | LaneWeight | WordWeight


def are_few(tokens: int, weight: Linear) -> bool:
    """Are so many tokens multiplied one by one, and not by tiles?"""
    return tokens <= (FEW_WORDS if isinstance(weight, WordWeight) else FEW_TOKENS)


def in_words(weight: Linear) -> Linear:
    """The weight in words, if it is on a GPU and its format has such a layout; else as it is."""
    if not isinstance(weight, PackedWeight) or weight.integers or weight.kind not in BITS:
        return weight
    return laid_out(weight) if "cuda" in weight.raw.device.split(":") else weight


def side_by_side(weights: list[Linear]) -> list[Linear]:
    """Weights that multiply with the same, as one in memory, (out + out + ..., in), if all are in words and
    of one format; else as they are."""
    words = [each for each in weights if isinstance(each, WordWeight)]
    formats = {(each.upper is None, each.bias is None) for each in words}
    if len(words) < len(weights) or len(formats) > 1:
        return weights
    return [_of_parts(words, lambda parts: Tensor.cat(parts, 0).contiguous().realize())]


def _of_parts(weights: list[WordWeight], made: Callable[[list[Tensor]], Tensor]) -> WordWeight:
    """A weight whose tensors are made of the same tensors of others, which have a bias or upper bits all of
    them or none."""

    def made_if_there(parts: list[Tensor | None]) -> Tensor | None:
        there = [part for part in parts if part is not None]
        return made(there) if there else None

    return WordWeight(
        made([each.codes for each in weights]), made_if_there([each.upper for each in weights]),
        made([each.steps for each in weights]), made([each.heads for each in weights]),
        made_if_there([each.bias for each in weights]),
    )  # fmt: skip


def laid_out(weight: PackedWeight) -> WordWeight:
    """The weight in words, in memory."""
    raw, form = weight.raw, FORMATS[weight.kind]
    assert form.unpack is not None
    parts = [part.integers for part in form.unpack(raw)]
    rows, device = raw.shape[0], raw.device
    signed = weight.kind == 14
    numbers = Tensor.stack(parts, -2).reshape(rows, -1, 2, 16)
    numbers = (numbers + _ZERO).cast("uint8") if signed else numbers
    low = (numbers[:, :, 0] & 15) | (numbers[:, :, 1] << 4)
    codes = low.unflatten(-1, (4, 4)).bitcast("uint32").squeeze(-1).contiguous().realize()
    if not signed:
        heads = raw[..., :4].bitcast("uint32").squeeze(-1).contiguous().realize()
        pairs = Tensor.stack(list(scales_and_mins(raw[..., 4:16])), -1)  # (rows, blocks / 8, 8, 2)
        steps = pairs.bitcast("uint16").reshape(rows, -1).contiguous().realize()
        return WordWeight(codes, None, steps, heads, weight.bias)
    places = Tensor.arange(4, dtype="uint8", device=device).unsqueeze(-1) * 2
    rest = ((numbers >> 4).unflatten(-1, (4, 4)) << places).sum(-2, dtype="uint8")  # (rows, blocks, 2, 4)
    upper = rest.bitcast("uint32").squeeze(-1).contiguous().realize()
    steps = raw[..., 192:208].unflatten(-1, (EIGHT, 2)).bitcast("uint16").reshape(rows, -1)
    heads = raw[..., 208:210].bitcast("uint16").squeeze(-1).cast("uint32")
    return WordWeight(codes, upper, steps.contiguous().realize(), heads.contiguous().realize(), weight.bias)
