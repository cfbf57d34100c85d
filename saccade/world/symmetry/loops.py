"""How much of a surface a rotation brings to a place like it: the loop that a search for symmetries runs
thousands of times.

Kept places lie in cells as wide as others may be away from one of them, sorted by the number of their cell,
in which z counts fastest. So those near a place are nine runs of three cells each, found by bisection, and a
place is done with as soon as one like it is met.
"""

from __future__ import annotations

from saccade.reproducible.native import F64, I64, F64s, I64s, floor, native


@native
def count_missed(
    rotations: F64s,
    turns: I64,
    position: F64s,
    normal: F64s,
    colour: F64s,
    count: I64,
    keys: I64s,
    kept_position: F64s,
    kept_normal: F64s,
    kept_colour: F64s,
    kept: I64,
    low: I64s,
    span: I64s,
    reach: F64,
    facing: F64,
    apart: F64,
    most: I64,
    missed: I64s,
) -> None:
    """missed[t]: how many of `count` places, turned by rotation t of `rotations` (9 numbers each), have no
    kept place within `reach` that faces the same way (cosine at least `facing`) and differs by at most
    `apart` in colour; counted no further than one more than `most`.

    position, normal, colour (3 numbers a place) of both; keys: the cells of those kept, rising; low, span (3
    numbers): the first cell and how many there are, the outermost of which are empty.
    """
    for t in range(turns):
        r = t * 9
        missed[t] = 0
        for place in range(count):
            p = place * 3
            a, b, c = position[p], position[p + 1], position[p + 2]
            x = rotations[r] * a + rotations[r + 1] * b + rotations[r + 2] * c
            y = rotations[r + 3] * a + rotations[r + 4] * b + rotations[r + 5] * c
            z = rotations[r + 6] * a + rotations[r + 7] * b + rotations[r + 8] * c
            a, b, c = normal[p], normal[p + 1], normal[p + 2]
            nx = rotations[r] * a + rotations[r + 1] * b + rotations[r + 2] * c
            ny = rotations[r + 3] * a + rotations[r + 4] * b + rotations[r + 5] * c
            nz = rotations[r + 6] * a + rotations[r + 7] * b + rotations[r + 8] * c
            i = int(floor(x / reach)) - low[0]
            j = int(floor(y / reach)) - low[1]
            k = int(floor(z / reach)) - low[2]
            first_k = min(max(k - 1, 0), span[2] - 1)
            last_k = min(max(k + 1, 0), span[2] - 1)
            found = 0
            for side in range(9):
                u = min(max(i + side // 3 - 1, 0), span[0] - 1)
                v = min(max(j + side % 3 - 1, 0), span[1] - 1)
                run = (u * span[1] + v) * span[2]
                lower, upper = 0, kept
                while lower < upper:
                    middle = (lower + upper) // 2
                    if keys[middle] < run + first_k:
                        lower = middle + 1
                    else:
                        upper = middle
                while lower < kept and keys[lower] <= run + last_k:
                    q = lower * 3
                    lower += 1
                    dx, dy, dz = x - kept_position[q], y - kept_position[q + 1], z - kept_position[q + 2]
                    if dx * dx + dy * dy + dz * dz > reach * reach:
                        continue
                    if nx * kept_normal[q] + ny * kept_normal[q + 1] + nz * kept_normal[q + 2] < facing:
                        continue
                    red, green = abs(colour[p] - kept_colour[q]), abs(colour[p + 1] - kept_colour[q + 1])
                    if max(max(red, green), abs(colour[p + 2] - kept_colour[q + 2])) > apart:
                        continue
                    found = 1
                    break
                if found > 0:
                    break
            if found == 0:
                missed[t] += 1
                if missed[t] > most:
                    break
