"""Weights in the format of their file, and what multiplies with them.

weight = linear(file["blk.0.attn_q.weight"], None, slabs=None)
weight.forward(x)                       # (..., in) -> (..., out)
"""

from __future__ import annotations

import math
from typing import Final

from ...nn.module import Module
from ...tensor.tensor import Tensor
from .lanes import LaneWeight, in_lanes
from .own_memory import Slabs
from .quants import FORMATS, Weight

#: Tokens at once up to which unpacking again for each of them pays: 5 take 0.98 ms, not 1.6, for 576 x 1536
#: in Q4_1 on a Neoverse N1.
FEW_TOKENS: Final = 8

#: kinds whose weights are not rounded to bfloat16 on a GPU: F32 and F16
_EXACT: Final = frozenset({0, 1})


class PackedWeight(Module):
    """A matrix (out, in) in the format of its file, and a bias if it has one. integers: few tokens are
    rounded to bytes."""

    def __init__(self, weight: Weight, bias: Weight | None = None, integers: bool = False) -> None:
        self.raw, self.kind, self.integers = weight.raw(), weight.kind, integers
        self.bias = None if bias is None else bias.dequantised()

    @property
    def alike(self) -> bool:
        """Is a token computed the same way alone and beside others?"""
        return not self.integers or FORMATS[self.kind].unpack is None

    def rows(self, ids: Tensor) -> Tensor:
        """(...) numbers of rows -> (..., in)."""
        return FORMATS[self.kind].dequantised(self.raw[ids]).reshape(*ids.shape, -1)

    def forward(self, x: Tensor) -> Tensor:
        """(..., in) -> (..., out)."""
        made = _product(self.kind, self.raw, x, "int8" if self.integers else "float")
        return made if self.bias is None else made + self.bias


def _product(kind: int, raw: Tensor, x: Tensor, activations: str) -> Tensor:
    """(..., in) -> (..., out). For few tokens the time is that of reading the weights: their bytes are
    multiplied as they are unpacked. For many, they are unpacked once."""
    form = FORMATS[kind]
    if math.prod(x.shape[:-1]) > FEW_TOKENS:
        weight = form.dequantised(raw).reshape(raw.shape[0], -1)
        if x.device == "cpu" and form.unpack is not None:
            # in memory: a panel that a product packs is read element by element, for which bits are slow
            weight = weight.contiguous()
        if x.device != "cpu" and kind not in _EXACT:
            x, weight = (in_halves(each) for each in (x, weight))
        return x.linear(weight)
    return form.product(raw, x, activations)


def in_halves(x: Tensor) -> Tensor:
    """Rounded to bfloat16, as tensor cores take it; they sum in float32."""
    return x.cast("bfloat16").cast(x.dtype)


def linear(weight: Weight, bias: Weight | None, slabs: Slabs | None) -> PackedWeight | LaneWeight:
    """What multiplies with a weight: with activations of 8 bits in lanes, where its format can lie so.
    slabs: memory for that, None for activations that are floats."""
    found = None if slabs is None else in_lanes(weight, bias, slabs)
    return PackedWeight(weight, bias, slabs is not None) if found is None else found
