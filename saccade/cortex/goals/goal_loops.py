"""The loops of comparing two models laid over each other, compiled, with early exits.

Points lie one after the other in flat arrays, `width` numbers each: place, and colours as further places.
"""

from __future__ import annotations

from saccade.reproducible.native import I64, F64s, I64s, native


@native
def farthest(points: F64s, count: I64, others: F64s, number: I64, width: I64, found: I64s, gap: F64s) -> None:
    """found[0]: the first of the points that is farthest from its nearest of the others; gap[0]: the square
    of how far. A point with one of the others nearer than that is given up at once, and neighbours tend to
    have the same one, so it is tried first."""
    best, at, hint = -1.0, 0, 0
    for p in range(count):
        least = 1e300
        for k in range(number + 1):
            o = hint if k == 0 else k - 1
            squared = 0.0
            for i in range(width):
                away = points[p * width + i] - others[o * width + i]
                squared += away * away
            if squared < least:
                least = squared
                if least <= best:
                    hint = o
                    break
        if least > best:
            best = least
            at = p
    found[0] = at
    gap[0] = best


@native
def near(
    places: F64s, count: I64, others: F64s, number: I64, low: F64s, high: F64s, radius: F64s, flags: I64s
) -> None:
    """flags (count): 1 where one of the others lies within radius[0] of a place, all of three numbers; low
    and high (3,) are the corners of the box that holds the others."""
    reach = radius[0]
    for p in range(count):
        x, y, z = places[3 * p], places[3 * p + 1], places[3 * p + 2]
        flags[p] = 0
        beside = x < low[0] - reach or x > high[0] + reach or y < low[1] - reach or y > high[1] + reach
        if beside or z < low[2] - reach or z > high[2] + reach:
            continue
        for o in range(number):
            dx, dy, dz = x - others[3 * o], y - others[3 * o + 1], z - others[3 * o + 2]
            if dx * dx + dy * dy + dz * dz <= reach * reach:
                flags[p] = 1
                break
