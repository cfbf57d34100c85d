"""Division by a value that a loop does not change: three fused operations instead of a divide.

    x / y    ->    r = 1 / y, once before the loop;  q = x * r;  q + (x - q * y) * r

That is the rounded quotient, bit for bit, as long as nothing comes near the ends of the exponent range. So
the lowering gives the renderer x, y, r and a *window* of x: magnitudes in [2^-99, 2^101) for a y in
[2^-24, 2^24], none for any other y (small, large, negative, zero, NaN). Where a lane of x is not in the
window (zero, whose sign could be lost; infinite, NaN, tiny or huge) the renderer divides.

Why the result is right. Scale x and y to [1, 2); r is off by at most 2^-25, q by at most 2^-25 (1 + x) where
x < y, and what is rounded last by at most 3 * 2^-48 from x / y. It rounds to another number only if a
midpoint m of two neighbours is between, so |x - m y| <= 3 * 2^-48 y. With X, Y, M the integers that x, y, m
are in units of 2^-23, 2^-23 and 2^-25, that is X * 2^25 - M * Y = k with |k| <= 6: for each Y and k at most a
few X, found by inverting Y modulo a power of two. All of them (|k| <= 16, both x < y and x >= y, every Y: 93
million pairs) were computed and agree with division; the test repeats that for a part of the Y. Scaling by
powers of two changes nothing: the quotient stays normal, and its remainder, a multiple of 2^(e-47) for an x
of exponent e, stays a number.

x86 divides at once: its divider takes less than a cycle a lane, and a test of all lanes' exponents costs more
(a row of 1,000 on a Cascade Lake: 0.2 against 0.4 microseconds).
"""

from __future__ import annotations

from typing import Final

from ...graph import dtypes
from ...graph.node import Node, const, make
from ...graph.ops import Op
from ...runtime.cpu.machine import host_registers
from ..linear.values import Values

#: the divisors that have a window
DIVISORS: Final = (2.0**-24, 2.0**24)
#: The upper seven bits of a float's exponent, doubled, say whether it is in the window: that number, less
#: START, as an unsigned byte, is less than WINDOW.
START: Final = 28
WINDOW: Final = 200
#: fewer lanes than this divide at once
LANES: Final = 4


def with_reciprocal(lowering: Values, node: Node) -> tuple[Node, ...]:
    """The sources of an elementwise op: x, y, 1/y and the window if it is a division worth replacing. The
    memory of a lookup is none."""
    if node.op is Op.LOOKUP:
        return node.src[:1]
    if node.op is not Op.DIV or node.dtype is not dtypes.float32 or lowering.width(node) < LANES:
        return node.src
    if not host_registers().by_lane:
        return node.src
    y, home = node.src[1], lowering.home(node)
    if home == 0 or lowering.width(y) > 1 or (y.op is not Op.CONST and lowering.home(y) == home):
        return node.src
    low, high = (const(bound, dtypes.float32) for bound in DIVISORS)
    safe = low.alu(Op.LE, y) & y.alu(Op.LE, high)
    window = safe.where(const(WINDOW, dtypes.uint8), const(0, dtypes.uint8))
    return (*node.src, make(Op.RECIP, dtypes.float32, (y,)), window)
