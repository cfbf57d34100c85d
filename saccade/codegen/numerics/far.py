"""Circular functions of float32 far from zero, where a quotient by pi/2 has more digits than three constants.

    SIN(x)  ->  sin(2 pi t),    t = x / (2 pi) without its whole turns

1 / (2 pi) is a sum of numbers of 28 bits. Times 24 bits of x each is exact in float64, and so is what is left
of it without its whole turns, so nothing is lost however large x is. A quarter of a turn is taken off before
the parts are added up, the largest first: next to a multiple of pi/2 they cancel to the last bit of x.
`FAR` has what `transcendental` asks for beyond its own reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const, make
from ...graph.ops import Op
from .transcendental import sine_or_cosine, tangent

#: the first 224 bits of 1 / (2 pi), and how many are in each number
_TURNS: Final = 0x28BE60DB9391054A7F09D5F47D4D377036D8A5664F10E4107F9458EA
_BITS: Final = 224
_PART: Final = 28
#: adding this rounds to an integer, which is then in the low bits of the sum
_ROUNDER: Final = 1.5 * 2.0**52


def _parts() -> list[float]:
    """1 / (2 pi) in numbers of 28 bits, the largest first."""
    shifts = range(_BITS - _PART, -1, -_PART)
    return [((_TURNS >> shift) & ((1 << _PART) - 1)) * 2.0 ** (shift - _BITS) for shift in shifts]


def _reduced(x: Node) -> tuple[Node, Node]:
    """(an integer whose low bits hold q, r) with x = q pi/2 + r and |r| <= pi/4, in float64."""
    wide = x.cast(dtypes.float64)
    turns = [wide * part for part in _parts()]
    turns = [t - t.alu(Op.ROUND) for t in turns]
    about = turns[0]
    for turn in turns[1:]:
        about = about + turn
    shifted = about * 4.0 + _ROUNDER
    rest = turns[0] - (shifted - _ROUNDER) * 0.25
    for turn in turns[1:]:
        rest = rest + turn
    return make(Op.BITCAST, dtypes.int64, (shifted,)), rest * const(2 * math.pi, dtypes.float64)


def _sin_or_cos(op: Op, x: Node) -> Node:
    q, r = _reduced(x)
    return sine_or_cosine(r.cast(dtypes.float32), q.cast(dtypes.int32), op)


def _tan(x: Node) -> Node:
    q, r = _reduced(x)
    return tangent(r, q).cast(dtypes.float32)


FAR: Final[dict[Op, Callable[[Node], Node]]] = {
    Op.SIN: partial(_sin_or_cos, Op.SIN), Op.COS: partial(_sin_or_cos, Op.COS), Op.TAN: _tan
}  # fmt: skip
