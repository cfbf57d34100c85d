"""Packed weights laid out for dot instructions: sixteen rows side by side, four bytes of each.

    weight = in_lanes(file["blk.0.attn_q.weight"])      # or None: no such layout for this format or shape
    weight.forward(x)                                   # (..., in) -> (..., out), with x rounded to bytes

A block of 32 numbers of sixteen rows (`blocks_of_32.py`) becomes words of four bytes, row after row. Of
formats with a K eight blocks share the first factors of their scales and offsets:

    codes[group, eight, block, word, row, 0:4]      upper[group, eight, block, word, row, 0:4]
    scales[0][group, eight, 0, row]                 scales[1][group, eight, block, row]

So one load fills a register with four neighbours of each of sixteen rows, the same four bytes of x meet all
of them, and every lane is the sum of one row: nothing is added up across lanes (`lane_dots.py`).
There are as many bytes as in the file, or a few more. Each token is rounded by itself, 32 activations with
one step, so that its results do not depend on those beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np

from ...nn.module import Module
from ...runtime.cpu.machine import host_registers
from ...tensor.tensor import Tensor
from .blocks_of_32 import ROWS, Blocks, taken_apart
from .own_memory import Array, Slabs, tensor_over
from .quants import FP4_VALUES, IQ4_VALUES, ROUNDED, Weight

#: bytes of each row side by side
FOUR: Final = 4
#: bytes of a file that are laid out at a time
TOGETHER: Final = 1 << 18


@dataclass(frozen=True)
class Layout:
    """What the codes of a format are. bits: of what lies together; upper: those that lie apart; zero: the
    code of zero; signed: codes are int8, or numbers of four bits with a sign, which are multiplied in the
    upper half of a byte; halves: 16 numbers have a scale, not 32; values: what codes stand for, if not for
    themselves."""

    bits: int = 4
    zero: int = 0
    signed: bool = False
    upper: int = 0
    halves: bool = False
    values: tuple[int, ...] = ()

    @property
    def unit(self) -> float:
        """What 1 stands for in the bytes that are multiplied."""
        return 1 / 16 if self.signed and self.bits == 4 else 1.0


#: By the numbers of GGUF.
LAYOUTS: Final = MappingProxyType(
    {
        2: Layout(zero=8),
        3: Layout(),
        6: Layout(zero=16, upper=1),
        7: Layout(upper=1),
        8: Layout(bits=8, signed=True),
        12: Layout(),
        13: Layout(upper=1),
        14: Layout(zero=32, upper=2, halves=True),
        20: Layout(values=IQ4_VALUES),
        23: Layout(values=IQ4_VALUES),
        39: Layout(values=FP4_VALUES),
    }
)


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

    def __init__(
        self,
        codes: Tensor,
        upper: Tensor | None,
        scales: list[Tensor],
        offsets: list[Tensor],
        layout: Layout,
        bias: Tensor | None,
    ) -> None:
        self.codes, self.upper, self.layout, self.bias = codes, upper, layout, bias
        self.scales, self.offsets = scales, offsets
        self.table: Tensor | None = None
        if layout.values:
            numbers = np.array(layout.values) + layout.zero
            self.table = Tensor(numbers.astype(np.uint8 if layout.zero else np.int8))

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

        def of_rows(lying: Tensor, axis: int) -> Tensor:
            return lying.movedim(axis, 1)[group, lane]

        codes = of_rows(self.codes, -2)  # (..., groups of blocks, blocks, words, 4)
        upper = None if self.upper is None else of_rows(self.upper, -2)
        parts = Tensor.stack([part.flatten(-2) for part in self._parts(codes, upper, -2)], -2)
        numbers = (parts.cast("int32") - self.layout.zero).float() * self.layout.unit
        # scales (..., groups of blocks, blocks, halves or 1, 1)
        factors = [[of_rows(each, -1) for each in some] for some in (self.scales, self.offsets)]
        scale, offset = (self._of_blocks(each) for each in factors)
        assert scale is not None
        made = numbers * (scale if self.layout.halves else scale.unsqueeze(-1)).unsqueeze(-1)
        if offset is not None:
            made = made + offset.unsqueeze(-1).unsqueeze(-1)
        return made.reshape(*ids.shape, -1)

    def _product(self, given: Rounded) -> Tensor:
        """(tokens, out)."""
        groups, outer, inner, words = self.codes.shape[:4]
        tokens, halves = given.numbers.shape[0], 8 // self.layout.bits
        # (tokens, 1, outer, inner, halves, words, 1, 4) beside codes (groups, outer, inner, words, rows, 4)
        numbers = given.numbers.reshape(tokens, 1, outer, inner, halves, words, 1, FOUR)
        unit = self.layout.unit
        by = given.step if unit == 1 else (given.step * unit).contiguous()
        step = by.reshape(tokens, 1, outer, inner, 1)
        terms = [
            part.cast("int32") * numbers[:, :, :, :, half].cast("int32")
            for half, part in enumerate(self._parts(self.codes, self.upper, -3))
        ]
        scale, offset = self._of_blocks(self.scales), self._of_blocks(self.offsets)
        assert scale is not None
        if self.layout.halves:
            totals = numbers.cast("int32").sum((-3, -1), dtype="int32")  # (tokens, 1, outer, inner, 2, 1)
            dots = [term.sum((-3, -1), dtype="int32") for term in terms]
            first, second = (
                scale[..., half, :] * self._less(each, totals[..., half, :]).float()
                for half, each in enumerate(dots)
            )
            made = step * (first + second)
        else:
            # (tokens, groups, outer, inner, rows)
            whole = sum(terms[1:], terms[0]).sum((-3, -1), dtype="int32")
            total = given.total.reshape(tokens, 1, outer, inner, 1)
            made = scale * (step * self._less(whole, total).float())
            if offset is not None:
                made = made + offset * (step * total.float()).contiguous()
        found = made.sum((2, 3)).reshape(tokens, groups * ROWS)
        return found if self.bias is None else found + self.bias

    def _less(self, dots: Tensor, total: Tensor) -> Tensor:
        """Sums of products with codes as those with numbers."""
        return dots - (total * self.layout.zero).contiguous() if self.layout.zero else dots

    def _of_blocks(self, factors: list[Tensor]) -> Tensor | None:
        """The scales of blocks, or the offsets."""
        if not factors:
            return None
        first, *others = (
            (each.bitcast("bfloat16") if each.dtype.name == "uint16" else each).float() for each in factors
        )
        return first * others[0] if others else first

    def _above(self, upper: Tensor, half: int, words: int) -> Tensor:
        """What codes of a half have above their lowest four bits, in its place; words: the axis of words."""
        bits = self.layout.upper
        places = Tensor.arange(FOUR, dtype="uint8").reshape(FOUR, *[1] * (-1 - words))
        if bits == 2:
            upper, places = upper.narrow(words, half, 1), places * 2
        else:
            places = places + FOUR * half
        made: Tensor = ((upper >> places) & (2**bits - 1)) << 4
        return made

    def _parts(self, codes: Tensor, upper: Tensor | None, words: int) -> list[Tensor]:
        """(.., words, .., 4): codes of the first and of the second half of a block, or of all of it."""
        if self.layout.bits == 4 and self.layout.signed:
            return [each.bitcast("int8") for each in (codes << 4, codes & 0xF0)]
        if self.layout.bits == 8:
            return [codes.bitcast("int8") if self.layout.signed else codes]
        parts = [codes & 15, codes >> 4]
        if upper is not None:
            parts = [part | self._above(upper, half, words) for half, part in enumerate(parts)]
        table = self.table
        return parts if table is None else [table[part.cast("int32")] for part in parts]


def in_lanes(weight: Weight, bias: Weight | None = None, slabs: Slabs | None = None) -> LaneWeight | None:
    """The weight in lanes; None where its format has no such layout, or its rows do not fill them. slabs:
    memory that it shares with others."""
    layout = LAYOUTS.get(weight.kind)
    if layout is None or len(weight.shape) != 2 or not weight.shape[0] or weight.shape[0] % ROWS:
        return None
    room = Slabs() if slabs is None else slabs
    found = _in_order(weight.kind, weight.raw().numpy(), room)
    codes = found.codes.view(np.uint32)  # the same memory
    if layout.values and _wants_unsigned():
        layout = replace(layout, zero=-min(layout.values))
    elif layout.signed and _wants_unsigned():
        codes ^= np.uint32(0x80808080)
        layout = replace(layout, signed=False, zero=128)
    elif layout == LAYOUTS[2] and not _wants_unsigned():
        codes ^= np.uint32(0x88888888)  # as signed numbers of four bits: no sum of activations is subtracted
        layout = replace(layout, signed=True, zero=0)
    return LaneWeight(
        tensor_over(found.codes),
        None if found.upper is None else tensor_over(found.upper),
        [tensor_over(each) for each in found.scales],
        [tensor_over(each) for each in found.offsets],
        layout,
        None if bias is None else bias.dequantised(),
    )


def _in_order(kind: int, raw: Array, slabs: Slabs) -> Blocks:
    """Blocks of 32 with sixteen rows side by side: codes (groups of rows, .., words, rows, 4), scales
    (groups, .., rows). What is taken apart at a time stays in a cache."""
    rows, *_ = raw.shape
    step = max(TOGETHER // max(raw[0].nbytes, 1) // ROWS, 1) * ROWS
    made: list[Array] = []
    for at in range(0, rows, step):
        part = taken_apart(kind, raw[at : at + step])
        words = [part.codes, *([] if part.upper is None else [part.upper])]
        arrays = [*words, *part.scales, *part.offsets]
        if not made:
            made = [slabs.array((rows // ROWS, *each.shape[1:]), each.dtype) for each in arrays]
        for whole, each in zip(made, arrays, strict=True):
            whole[at // ROWS : at // ROWS + len(each)] = each
    bytes_of = [each.view(np.uint8).reshape(*each.shape, FOUR) for each in made[: len(words)]]
    numbers, scales = made[len(words) :], len(part.scales)
    return Blocks(bytes_of[0], numbers[:scales], numbers[scales:], bytes_of[1] if len(bytes_of) > 1 else None)


def _wants_unsigned() -> bool:
    """Do the dot instructions here take one factor as unsigned, as those of x86 do?"""
    return "sdot" not in host_registers().dots
