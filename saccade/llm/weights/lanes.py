"""Packed weights laid out for dot instructions: sixteen rows side by side, four bytes of each.

    weight = in_lanes(file["blk.0.attn_q.weight"])      # or None: no such layout for this format or shape
    weight.forward(x)                                   # (..., in) -> (..., out), with x rounded to bytes

A block of 32 numbers of sixteen rows becomes words of four bytes, row after row:

    codes[group, block, word, row, 0:4]     scale[group, block, row]     offset[group, block, row]

So one load fills a register with four neighbours of each of sixteen rows, the same four bytes of x meet all
of them, and every lane is the sum of one row: nothing is added up across lanes (`lane_dots.py`).
There are as many bytes as in the file. Each token is rounded by itself, 32 activations with one step, so that
its results do not depend on those beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

import numpy as np

from ...nn.module import Module
from ...runtime.cpu.machine import host_registers
from ...tensor.tensor import Tensor
from .own_memory import Array, Slabs, tensor_over
from .quants import ROUNDED, Weight

#: rows side by side, bytes of each
ROWS: Final = 16
FOUR: Final = 4


@dataclass(frozen=True)
class Layout:
    """A format whose blocks of 32 are float16 numbers and then codes. head: how many of them, the scale
    first, then an offset if any; bits: of a code; zero: the code of zero; signed: codes are int8, or numbers
    of four bits with a sign, which are multiplied in the upper half of a byte."""

    head: int
    bits: int
    zero: int = 0
    signed: bool = False

    @property
    def unit(self) -> float:
        """What 1 stands for in the bytes that are multiplied."""
        return 1 / 16 if self.signed and self.bits == 4 else 1.0


#: By the numbers of GGUF: Q4_0, Q4_1, Q8_0.
LAYOUTS: Final = MappingProxyType({2: Layout(1, 4, 8), 3: Layout(2, 4), 8: Layout(1, 8, 0, signed=True)})


@dataclass(frozen=True)
class Rounded:
    """Activations as bytes. numbers: int8 (tokens, blocks, 32), stored; step: (tokens, blocks), what a number
    stands for, stored; total: the sum of each block's, which is for the reader to store."""

    numbers: Tensor
    step: Tensor
    total: Tensor


def rounded(x: Tensor) -> Rounded:
    """(tokens, columns) as bytes. Every row of a matrix reads them."""
    blocks = x.unflatten(-1, (-1, ROUNDED))
    step = blocks.abs().amax(-1, keepdim=True) / 127
    numbers = (blocks / step.where(step != 0, 1.0)).round().cast("int8").contiguous()
    total = numbers.cast("int32").sum(-1, dtype="int32")
    return Rounded(numbers, step.squeeze(-1).contiguous(), total)


class LaneWeight(Module):
    """A matrix (out, in) in lanes, and a bias if it has one."""

    #: a token is computed the same way alone and beside others
    alike = True

    def __init__(self, codes: Tensor, heads: list[Tensor], layout: Layout, bias: Tensor | None) -> None:
        self.codes, self.layout, self.bias = codes, layout, bias
        self.scale, *offsets = heads
        self.offset = offsets[0] if offsets else None

    def forward(self, x: Tensor) -> Tensor:
        """(..., in) -> (..., out), with x rounded."""
        made = self._product(rounded(x.reshape(-1, x.shape[-1])))
        return made.reshape(*x.shape[:-1], -1)

    def finely(self, x: Tensor) -> Tensor:
        """The same with x as the sum of two rounded numbers, which is as good as 15 bits. They are two tokens
        to the product: weights are read once for both."""
        whole = x.reshape(-1, x.shape[-1]).contiguous()
        coarse = rounded(whole)
        rest = whole - (coarse.numbers.float() * coarse.step.unsqueeze(-1)).flatten(-2)
        made = self._product(rounded(Tensor.cat([whole, rest], 0)))
        first, second = made[: whole.shape[0]], made[whole.shape[0] :]
        return (first + second).reshape(*x.shape[:-1], -1)

    def rows(self, ids: Tensor) -> Tensor:
        """(...) numbers of rows -> (..., in): the numbers of the file. A row lies in steps of four bytes."""
        group, lane = ids // ROWS, ids % ROWS
        codes = self.codes.movedim(3, 1)[group, lane]  # (..., blocks, words, 4)
        scale = self.scale.movedim(2, 1)[group, lane].float().unsqueeze(-1)  # (..., blocks, 1)
        halves = Tensor.cat([part.flatten(-2) for part in self._parts(codes)], -1)
        made = (halves.cast("int32") - self.layout.zero).float() * self.layout.unit * scale
        if self.offset is not None:
            made = made + self.offset.movedim(2, 1)[group, lane].float().unsqueeze(-1)
        return made.flatten(-2)

    def _product(self, given: Rounded) -> Tensor:
        """(tokens, out)."""
        groups, blocks, words = self.codes.shape[:3]
        tokens, halves = given.numbers.shape[0], 8 // self.layout.bits
        # (tokens, 1, blocks, halves, words, 1, 4) beside codes (groups, blocks, words, rows, 4)
        numbers = given.numbers.reshape(tokens, 1, blocks, halves, words, 1, FOUR)
        terms = [
            part.cast("int32") * numbers[:, :, :, half].cast("int32")
            for half, part in enumerate(self._parts(self.codes))
        ]
        dots = sum(terms[1:], terms[0]).sum((-3, -1), dtype="int32")  # (tokens, groups, blocks, rows)
        unit = self.layout.unit
        by = given.step if unit == 1 else (given.step * unit).contiguous()
        step, total = (each.reshape(tokens, 1, blocks, 1) for each in (by, given.total))
        if self.layout.zero:
            dots = dots - (total * self.layout.zero).contiguous()
        made = self.scale.float() * (step * dots.float())
        if self.offset is not None:
            made = made + self.offset.float() * (step * total.float()).contiguous()
        found = made.sum(2).reshape(tokens, groups * ROWS)
        return found if self.bias is None else found + self.bias

    def _parts(self, codes: Tensor) -> list[Tensor]:
        """Codes of the first and of the second half of a block, or of all of it."""
        if self.layout.bits == 4 and self.layout.signed:
            return [each.bitcast("int8") for each in (codes << 4, codes & 0xF0)]
        if self.layout.bits == 4:
            return [codes & 15, codes >> 4]
        return [codes.bitcast("int8") if self.layout.signed else codes]


def in_lanes(weight: Weight, bias: Weight | None = None, slabs: Slabs | None = None) -> LaneWeight | None:
    """The weight in lanes; None where its format has no such layout, or its rows do not fill them. slabs:
    memory that it shares with others."""
    layout = LAYOUTS.get(weight.kind)
    if layout is None or weight.shape[0] % ROWS or len(weight.shape) != 2:
        return None
    raw = weight.raw().numpy()
    rows, blocks, size = raw.shape
    words = (size - 2 * layout.head) // FOUR
    side_by_side = raw.reshape(rows, -1).view(_block(layout.head, words)).reshape(rows // ROWS, ROWS, blocks)
    room = Slabs() if slabs is None else slabs
    lying = _laid_out(side_by_side["codes"].transpose(0, 2, 3, 1), room)
    if layout.signed and _wants_unsigned():
        lying ^= np.uint32(0x80808080)
        layout = Layout(layout.head, layout.bits, zero=128)
    elif layout.zero == 8 and not _wants_unsigned():
        lying ^= np.uint32(0x88888888)  # as signed numbers of four bits: no sum of activations is subtracted
        layout = Layout(layout.head, layout.bits, signed=True)
    codes = tensor_over(lying.view(np.uint8).reshape(*lying.shape, FOUR))
    heads = side_by_side["heads"].transpose(3, 0, 2, 1)
    numbers = [tensor_over(_laid_out(each, room)) for each in heads]
    return LaneWeight(codes, numbers, layout, None if bias is None else bias.dequantised())


@cache
def _block(head: int, words: int) -> np.dtype[np.void]:
    """A block as it lies in a file."""
    return np.dtype([("heads", "<f2", (head,)), ("codes", "<u4", (words,))])


def _laid_out(array: Array, slabs: Slabs) -> Array:
    """A copy in the order of its axes."""
    made = slabs.array(array.shape, array.dtype)
    made[...] = array
    return made


def _wants_unsigned() -> bool:
    """Do the dot instructions here take one factor as unsigned, as those of x86 do?"""
    return "sdot" not in host_registers().dots
