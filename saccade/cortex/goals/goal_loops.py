"""The loops of comparing two models laid over each other, compiled, with early exits.

Arrays are flat. A model point is 6 numbers: place, and its colour as three further places; a hypothesis is
its evidence, a location of 3 numbers and a rotation of 9. Those of a model, or of what is held of an object
in a row, lie side by side: the numbers in `bounds` say where they begin and end.
"""

from __future__ import annotations

from saccade.reproducible.native import F64, I64, F64s, I64s, native, scratch_f64, scratch_i64, sqrt

#: numbers of a model point
POINT = 6


@native
def farthest(
    points: F64s, count: I64, others: F64s, begin: I64, end: I64, width: I64, found: I64s, gap: F64s
) -> None:
    """found[0]: the first of the points that is farthest from its nearest of the others, begin to end - 1, by
    the first `width` numbers of each; gap[0]: the square of how far. A point with one of the others nearer
    than that is given up at once, and neighbours tend to have the same one, so it is tried first."""
    best, at, hint = -1.0, 0, begin
    last = end + 1 if end > begin else end
    for p in range(count):
        least = 1e300
        for k in range(begin, last):
            o = hint if k == begin else k - 1
            squared = 0.0
            for i in range(width):
                away = points[POINT * p + i] - others[POINT * o + i]
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
    x: F64, y: F64, z: F64, points: F64s, begin: I64, end: I64, boxes: F64s, model: I64, reach: F64,
    flag: I64s,
) -> None:  # fmt: skip
    """flag[0]: 1 where one of the points begin to end - 1 of a model lies within `reach` of a place; boxes
    (M, 6) are the low and the high corners of those that hold the models."""
    at = 6 * model
    flag[0] = 0
    beside = x < boxes[at] - reach or x > boxes[at + 3] + reach
    beside = beside or y < boxes[at + 1] - reach or y > boxes[at + 4] + reach
    if not (beside or z < boxes[at + 2] - reach or z > boxes[at + 5] + reach):
        for o in range(begin, end):
            dx, dy, dz = x - points[POINT * o], y - points[POINT * o + 1], z - points[POINT * o + 2]
            if dx * dx + dy * dy + dz * dz <= reach * reach:
                flag[0] = 1
                break


@native
def standing(
    question: I64, first: I64, last: I64, model: I64, locations: F64s, rotations: F64s,
    sensed: F64s, empty: F64s, room: I64, vain: I64s, points: F64s, bounds: I64s, boxes: F64s, reach: F64,
    stands: I64s,
) -> None:  # fmt: skip
    """stands (last - first): 1 for hypotheses first to last - 1 of a model that put no surface at one of the
    places empty (W, room, 3) of a question, of which vain[question] count."""
    flag = scratch_i64(1)
    for h in range(first, last):
        stands[h - first] = 1
        for e in range(vain[question]):
            at, s, turn = 3 * (question * room + e), 3 * question, 9 * h
            u, v, w = empty[at] - sensed[s], empty[at + 1] - sensed[s + 1], empty[at + 2] - sensed[s + 2]
            x = locations[3 * h] + (rotations[turn] * u + rotations[turn + 1] * v + rotations[turn + 2] * w)
            y = locations[3 * h + 1] + (
                rotations[turn + 3] * u + rotations[turn + 4] * v + rotations[turn + 5] * w
            )
            z = locations[3 * h + 2] + (
                rotations[turn + 6] * u + rotations[turn + 7] * v + rotations[turn + 8] * w
            )
            near(x, y, z, points, bounds[model], bounds[model + 1], boxes, model, reach, flag)
            if flag[0] == 1:
                stands[h - first] = 0
                break


@native
def strongest(evidence: F64s, first: I64, last: I64, wanted: I64s, found: I64s) -> None:
    """found[0]: the first of hypotheses first to last - 1 with the most evidence, of those wanted (last -
    first); -1 without one."""
    best, at = 0.0, -1
    for h in range(first, last):
        if wanted[h - first] == 1 and (at < 0 or evidence[h] > best):
            best = evidence[h]
            at = h
    found[0] = at


@native
def other_poses(
    best: I64, first: I64, last: I64, locations: F64s, rotations: F64s, cosine: F64, way: F64, wanted: I64s
) -> None:
    """wanted (last - first): 0 from now on for hypotheses first to last - 1 that say the same as the best:
    the cosine of the angle between them is not below `cosine`, and they put the origin of the object, -R^T L
    from the sensor, not farther than `way` from where it does."""
    product = scratch_f64(9)
    for h in range(first, last):
        for i in range(9):
            product[i] = rotations[9 * h + i] * rotations[9 * best + i]
        # added up by halves, as `reproducible.total` does
        a, b = product[0] + product[4] + product[8], product[1] + product[5]
        c, d = product[2] + product[6], product[3] + product[7]
        trace = (a + c) + (b + d)
        squared = 0.0
        for i in range(3):
            here, there = 0.0, 0.0
            for k in range(3):
                here += rotations[9 * h + 3 * k + i] * locations[3 * h + k]
                there += rotations[9 * best + 3 * k + i] * locations[3 * best + k]
            squared += (there - here) * (there - here)
        if (trace - 1.0) / 2.0 >= cosine and sqrt(squared) <= way:
            wanted[h - first] = 0


@native
def laid_over(
    mine: I64, foreign: I64, locations: F64s, rotations: F64s, points: F64s, begin: I64, end: I64,
    step: I64, moved: F64s,
) -> None:  # fmt: skip
    """moved: every step-th of the points begin to end - 1, from where hypothesis `mine` puts them into the
    object frame of hypothesis `foreign`; colours stay as they are."""
    turn = scratch_f64(9)
    for i in range(3):
        for j in range(3):
            sum = rotations[9 * foreign + 3 * i] * rotations[9 * mine + 3 * j]
            sum += rotations[9 * foreign + 3 * i + 1] * rotations[9 * mine + 3 * j + 1]
            sum += rotations[9 * foreign + 3 * i + 2] * rotations[9 * mine + 3 * j + 2]
            turn[3 * i + j] = sum
    to, at = 0, begin
    while at < end:
        x = points[POINT * at] - locations[3 * mine]
        y = points[POINT * at + 1] - locations[3 * mine + 1]
        z = points[POINT * at + 2] - locations[3 * mine + 2]
        for i in range(3):
            placed = turn[3 * i] * x + turn[3 * i + 1] * y + turn[3 * i + 2] * z
            moved[POINT * to + i] = placed + locations[3 * foreign + i]
            moved[POINT * to + 3 + i] = points[POINT * at + 3 + i]
        to += 1
        at += step


@native
def telling(
    begin: I64, end: I64, top: I64s, rival: I64s, held: I64s, held_bounds: I64s, evidence: F64s,
    locations: F64s, rotations: F64s, sensed: F64s, empty: F64s, room: I64, vain: I64s, points: F64s,
    normals: F64s, bounds: I64s, boxes: F64s, coloured: I64s, tried: I64, limits: F64s, moved: F64s,
    stands: I64s, found: I64s, location: F64s, normal: F64s,
) -> None:  # fmt: skip
    """Questions begin to end - 1: the models top (W,) and rival (W,), and which of what is held, held (W, 2),
    are hypotheses of them. found (W,): 1 where a place tells the best two apart, which is location (W, 3)
    with its normal (W, 3). limits: cosine and metres by which poses differ, the least gap, and metres from an
    empty place within which a point is refuted. moved and stands: room for the points of a model that are
    `tried` and for the hypotheses of an object."""
    chosen = scratch_i64(2)
    one = scratch_i64(1)
    gap = scratch_f64(1)
    for q in range(begin, end):
        found[q] = 0
        chosen[0], chosen[1] = -1, -1
        for side in range(2):
            model = top[q] if side == 0 else rival[q]
            first, last = held_bounds[held[2 * q + side]], held_bounds[held[2 * q + side] + 1]
            if side == 1 and rival[q] == top[q]:
                # those of the first that stand are still marked
                if chosen[0] >= 0:
                    other_poses(chosen[0], first, last, locations, rotations, limits[0], limits[1], stands)
            else:
                standing(
                    q, first, last, model, locations, rotations, sensed, empty, room, vain, points, bounds,
                    boxes, limits[3], stands,
                )  # fmt: skip
            strongest(evidence, first, last, stands, one)
            chosen[side] = one[0]
        if chosen[0] >= 0 and chosen[1] >= 0:
            best, at, whose = -1.0, 0, 0
            for side in range(2):
                model = top[q] if side == 0 else rival[q]
                other = rival[q] if side == 0 else top[q]
                low, high = bounds[model], bounds[model + 1]
                step = max((high - low + tried - 1) // tried, 1)
                count = (high - low + step - 1) // step
                mine, foreign = chosen[side], chosen[1 - side]
                laid_over(mine, foreign, locations, rotations, points, low, high, step, moved)
                width = POINT if coloured[model] == 1 and coloured[other] == 1 else 3
                farthest(moved, count, points, bounds[other], bounds[other + 1], width, one, gap)
                if sqrt(gap[0]) > best:
                    best = sqrt(gap[0])
                    at = low + one[0] * step
                    whose = chosen[side]
            if best > limits[2]:
                found[q] = 1
                x = points[POINT * at] - locations[3 * whose]
                y = points[POINT * at + 1] - locations[3 * whose + 1]
                z = points[POINT * at + 2] - locations[3 * whose + 2]
                u, v, w = normals[3 * at], normals[3 * at + 1], normals[3 * at + 2]
                square = 0.0
                for i in range(3):
                    a, b, c = (
                        rotations[9 * whose + i], rotations[9 * whose + 3 + i], rotations[9 * whose + 6 + i],
                    )  # fmt: skip
                    location[3 * q + i] = sensed[3 * q + i] + (a * x + b * y + c * z)
                    normal[3 * q + i] = a * u + b * v + c * w
                    square += normal[3 * q + i] * normal[3 * q + i]
                length = max(sqrt(square), 1e-12)
                for i in range(3):
                    normal[3 * q + i] = normal[3 * q + i] / length
