"""Products of packed weights with activations of 8 bits: the inner loops are of integers.

    integer_product(3, raw, x)          # Q4_1: raw (rows, blocks, 20), x (..., columns) -> (..., rows)

32 activations become numbers of 8 bits with one scale: x is about e * n. A block of weights is d * q + m, so
its part of a product is d * e * sum(q * n) + m * e * sum(n): sums of small integers, and few floats. An
activation is off by up to e / 2, which is 1/254 of the largest among its 32. (With m * sum(x) the second part
would be exact, and the result worse: m is about the middle of d * q, so that errors of both cancel.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ..tensor.tensor import Tensor
from .quants import half, nibbles

#: Activations with one scale.
GROUP: Final = 32


@dataclass(frozen=True)
class Activations:
    """numbers: (..., 1, groups, 32) of int8; scales, and sums of numbers times them: (..., 1, groups)."""

    numbers: Tensor
    scales: Tensor
    sums: Tensor


def quantised(x: Tensor) -> Activations:
    """Activations (..., columns) in 8 bits. They are stored: every row of weights reads them."""
    groups = x.reshape(*x.shape[:-1], 1, -1, GROUP)
    scales = groups.abs().amax(-1, keepdim=True) / 127
    numbers = (groups / scales.clamp(min=1e-30)).round().cast("int8").contiguous()
    scales = scales.squeeze(-1).contiguous()
    return Activations(numbers, scales, (scales * numbers.cast("int32").sum(-1).float()).contiguous())


def _sixteen(raw: Tensor, at: int, given: Activations) -> Tensor:
    """Sums of 32 products with numbers of four bits in 16 bytes: (..., rows, blocks) of float32. 16 products
    of 4 and 8 bits fit 16."""
    numbers = given.numbers.cast("int16").unflatten(-1, (2, 16))
    parts = [
        (part.cast("int16") * numbers[..., place, :]).sum(-1, dtype="int16").cast("int32")
        for place, part in enumerate(nibbles(raw[..., at:]))
    ]
    return (parts[0] + parts[1]).float()


def _scale(raw: Tensor, at: int) -> Tensor:
    """The float16 of two bytes: (rows, blocks) of float32."""
    return half(raw, at).flatten(-3)


def _q4_0(raw: Tensor, given: Activations) -> Tensor:
    """d * (q - 8)."""
    found = given.scales * _sixteen(raw, 2, given) - 8.0 * given.sums
    return (_scale(raw, 0) * found).sum(-1)


def _q4_1(raw: Tensor, given: Activations) -> Tensor:
    """d * q + m."""
    found = _scale(raw, 0) * given.scales * _sixteen(raw, 4, given)
    return (found + _scale(raw, 2) * given.sums).sum(-1)


def _q8_0(raw: Tensor, given: Activations) -> Tensor:
    """d * q."""
    products = raw[..., 2:].bitcast("int8").cast("int32") * given.numbers.cast("int32")
    return (_scale(raw, 0) * given.scales * products.sum(-1).float()).sum(-1)


#: By the number of a format; for others, floats are multiplied. 2048 x 2048 and one token, busy cores of a
#: Neoverse N1: Q4_0 0.80 ms (floats 1.73), Q4_1 0.83 (1.65), Q8_0 0.93 (1.25). In formats with a K the scales
#: of a few bits take as long as the products: Q4_K 2.8 (2.9), which does not pay. Nor does it for several
#: tokens: floats are unpacked once for them.
PRODUCTS: Final[MappingProxyType[int, Callable[[Tensor, Activations], Tensor]]] = MappingProxyType(
    {2: _q4_0, 3: _q4_1, 8: _q8_0}
)


def integer_product(kind: int, raw: Tensor, x: Tensor) -> Tensor:
    """x @ values.T of packed weights: raw (rows, blocks, bytes) and x (..., columns) -> (..., rows)."""
    return PRODUCTS[kind](raw, quantised(x))
