"""The loops over pairs of points that the misfit of two surfaces takes, compiled.

In: points of 6 numbers each, place and unit normal, one after the other. Out: how far each is off the other
surface, and that averaged over patches.
"""

from __future__ import annotations

from saccade.cortex.models.model import SAME_SIDE
from saccade.reproducible.native import F64, I64, F64s, native, scratch_f64, scratch_i64, sqrt

#: points of the other surface, the nearest, that tell where it is
NEAREST = 4


@native
def offsets(
    points: F64s, count: I64, others: F64s, other_count: I64, reach: F64, own: I64, off: F64s, across: F64s
) -> None:
    """off (count): how far each point is off the surface of its nearest others within reach that face as it
    does, NaN where there are none; across (count, 3): in which direction that is. own 1: points and others
    are the same, and none counts for itself.

    Between two points it is (p - q).(m + n) / |m + n| with both normals (symmetric ICP), which is 0 between
    any two points of a sphere: where few points were felt, a curve is no offset."""
    near = scratch_f64(NEAREST)
    which = scratch_i64(NEAREST)
    for i in range(count):
        x, y, z = points[6 * i], points[6 * i + 1], points[6 * i + 2]
        u, v, w = points[6 * i + 3], points[6 * i + 4], points[6 * i + 5]
        found = 0
        for j in range(other_count):
            a, b, c = x - others[6 * j], y - others[6 * j + 1], z - others[6 * j + 2]
            facing = u * others[6 * j + 3] + v * others[6 * j + 4] + w * others[6 * j + 5]
            square = a * a + b * b + c * c
            if square < reach * reach and facing >= SAME_SIDE and (own == 0 or i != j):
                # into its place among the nearest so far
                place = found
                while place > 0 and near[max(place - 1, 0)] > square:
                    if place < NEAREST:
                        near[place] = near[place - 1]
                        which[place] = which[place - 1]
                    place -= 1
                if place < NEAREST:
                    near[place] = square
                    which[place] = j
                    found = min(found + 1, NEAREST)
        sum, p, q, r = 0.0, 0.0, 0.0, 0.0
        for k in range(found):
            j = which[k]
            a, b, c = u + others[6 * j + 3], v + others[6 * j + 4], w + others[6 * j + 5]
            length = sqrt(a * a + b * b + c * c)
            a, b, c = a / length, b / length, c / length
            sum += (x - others[6 * j]) * a + (y - others[6 * j + 1]) * b + (z - others[6 * j + 2]) * c
            p, q, r = p + a, q + b, r + c
        # 0 / 0 where nothing was found
        off[i] = sum / found
        across[3 * i], across[3 * i + 1], across[3 * i + 2] = p / found, q / found, r / found


@native
def patches(
    points: F64s, count: I64, others: F64s, other_count: I64, radius: F64, off: F64s, told: F64s
) -> None:
    """told (count, 3): the mean of `off` (count,) within radius of each point, on the side that faces as it
    does, how many points that were, and how many others there are."""
    for i in range(count):
        x, y, z = points[6 * i], points[6 * i + 1], points[6 * i + 2]
        u, v, w = points[6 * i + 3], points[6 * i + 4], points[6 * i + 5]
        sum, mine, theirs = 0.0, 0.0, 0.0
        for j in range(count):
            a, b, c = x - points[6 * j], y - points[6 * j + 1], z - points[6 * j + 2]
            facing = u * points[6 * j + 3] + v * points[6 * j + 4] + w * points[6 * j + 5]
            if a * a + b * b + c * c < radius * radius and facing >= SAME_SIDE and off[j] == off[j]:
                sum += off[j]
                mine += 1.0
        for j in range(other_count):
            a, b, c = x - others[6 * j], y - others[6 * j + 1], z - others[6 * j + 2]
            facing = u * others[6 * j + 3] + v * others[6 * j + 4] + w * others[6 * j + 5]
            if a * a + b * b + c * c < radius * radius and facing >= SAME_SIDE:
                theirs += 1.0
        told[3 * i], told[3 * i + 1], told[3 * i + 2] = sum / max(mine, 1.0), mine, theirs
