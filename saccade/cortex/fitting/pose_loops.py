"""The loops of telling poses apart and of trying many, compiled: they run in threads, without Python's lock.

Poses are 12 numbers, a rotation, row after row, and a shift.
"""

from __future__ import annotations

from saccade.reproducible.native import F64, I64, F64s, I64s, native


@native
def list_near(points: F64s, number: I64, near: F64, fill: I64, starts: I64s, listed: I64s) -> None:
    """starts (number + 1): how many of the points (number, 9) are at a squared distance below `near` from
    each, one place on; or, to fill, which: listed, in order."""
    for k in range(number):
        for i in range(number):
            dx = points[9 * k] - points[9 * i]
            dy = points[9 * k + 1] - points[9 * i + 1]
            dz = points[9 * k + 2] - points[9 * i + 2]
            if dx * dx + dy * dy + dz * dz < near:
                if fill > 0:
                    listed[starts[k]] = i
                starts[k + 1 - fill] += 1


@native
def order_sums(starts: I64s, listed: I64s, number: I64, slots: I64s, onto: I64s, added: I64s) -> None:
    """The additions of `mean_around`, which do not depend on what is added. Those of k begin at starts[k] -
    k: part added[] of what is near k goes onto part onto[]. They are those of `reproducible.total` of all
    costs where the others are 0: by halves, the odd one onto the first. slots (number): room."""
    for k in range(number):
        for i in range(number):
            slots[i] = -1
        for i in range(starts[k], starts[k + 1]):
            slots[listed[i]] = i - starts[k]
        at = starts[k] - k
        count = number
        while count > 1:
            half = count // 2
            for i in range(half + count % 2):
                # of an odd number the last goes onto the first
                to = i % half
                other = slots[half + i]
                if other >= 0:
                    if slots[to] >= 0:
                        onto[at] = slots[to]
                        added[at] = other
                        at += 1
                    else:
                        slots[to] = other
            count = half


@native
def mean_around(
    starts: I64s, listed: I64s, onto: I64s, added: I64s, number: I64, costs: F64s, parts: F64s, out: F64s
) -> None:
    """out (number): the mean of the costs (number) of what is near each, listed[starts[k]:starts[k + 1]], in
    the order of `order_sums`. parts (number): room."""
    for k in range(number):
        begin, there = starts[k], starts[k + 1] - starts[k]
        for i in range(there):
            parts[i] = costs[listed[begin + i]]
        whole = 0
        for at in range(begin - k, begin - k + there - 1):
            whole = onto[at]
            parts[whole] += parts[added[at]]
        out[k] = parts[whole] / there


@native
def turned(poses: F64s, first: I64, last: I64, turns: F64s, number: I64, middle: F64s, out: F64s) -> None:
    """out (last - first, number, 12): poses first to last - 1 turned about the middle (3) of a model in each
    of the ways (number, 9)."""
    for p in range(first, last):
        for t in range(number):
            to = 12 * ((p - first) * number + t)
            for i in range(3):
                a, b, c = turns[9 * t + 3 * i], turns[9 * t + 3 * i + 1], turns[9 * t + 3 * i + 2]
                for j in range(3):
                    out[to + 3 * i + j] = (
                        a * poses[12 * p + j] + b * poses[12 * p + 3 + j] + c * poses[12 * p + 6 + j]
                    )
                x, y, z = (
                    poses[12 * p + 9] - middle[0],
                    poses[12 * p + 10] - middle[1],
                    poses[12 * p + 11] - middle[2],
                )
                out[to + 9 + i] = a * x + b * y + c * z + middle[i]


@native
def cheapest_of_each(
    costs: F64s, bounds: I64s, first: I64, last: I64, most: I64, kept: I64s, count: I64s
) -> None:
    """Of claims first to last - 1, claim b from bounds[b] to bounds[b + 1]: kept (claims, most) the entries
    that cost least, cheapest first and equals in order, count (claims) how many."""
    for b in range(first, last):
        begin, end = bounds[b], bounds[b + 1]
        found = 0
        for k in range(begin, end):
            cost = costs[k]
            if found < most or cost < costs[kept[b * most + found - 1]]:
                if found < most:
                    found += 1
                place = found - 1
                while place > 0:
                    if costs[kept[b * most + place - 1]] <= cost:
                        break
                    kept[b * most + place] = kept[b * most + place - 1]
                    place -= 1
                kept[b * most + place] = k
        count[b] = found


@native
def less_the_anchors(poses: F64s, bounds: I64s, groups: I64, anchors: F64s) -> None:
    """Of the poses bounds[g] to bounds[g + 1] of each group, whose shift is where its anchor (groups, 3)
    lies: the shift."""
    for group in range(groups):
        x, y, z = anchors[3 * group], anchors[3 * group + 1], anchors[3 * group + 2]
        for pose in range(bounds[group], bounds[group + 1]):
            at = 12 * pose
            for i in range(3):
                turned = poses[at + 3 * i] * x + poses[at + 3 * i + 1] * y + poses[at + 3 * i + 2] * z
                poses[at + 9 + i] -= turned


@native
def as_percepts(nodes: F64s, number: I64, pose: F64s, out: F64s) -> None:
    """out (number, 9): nodes of a model in a pose (12) as percepts, in the body frame."""
    for k in range(number):
        x, y, z = nodes[9 * k] - pose[9], nodes[9 * k + 1] - pose[10], nodes[9 * k + 2] - pose[11]
        a, b, c = nodes[9 * k + 3], nodes[9 * k + 4], nodes[9 * k + 5]
        for i in range(3):
            out[9 * k + i] = pose[i] * x + pose[3 + i] * y + pose[6 + i] * z
            out[9 * k + 3 + i] = pose[i] * a + pose[3 + i] * b + pose[6 + i] * c
            out[9 * k + 6 + i] = nodes[9 * k + 6 + i]


@native
def pass_over(places: F64s, number: I64, x: F64, y: F64, z: F64, near: F64, value: F64s) -> None:
    """value (number): nothing for the percepts (number, 9) whose squared distance from a place is below
    `near`."""
    for k in range(number):
        dx, dy, dz = places[9 * k] - x, places[9 * k + 1] - y, places[9 * k + 2] - z
        if dx * dx + dy * dy + dz * dz < near:
            value[k] = 0.0


@native
def most_telling(
    places: F64s, number: I64, seen: F64s, seen_number: I64, near: F64, most: I64, value: F64s, found: I64s
) -> None:
    """found (most): the percepts (number, 9) of most value (number), the first of equals, none near another
    or near a place that was seen (seen_number, 3); -1 where there are no more of any value."""
    for k in range(seen_number):
        pass_over(places, number, seen[3 * k], seen[3 * k + 1], seen[3 * k + 2], near, value)
    for k in range(most):
        found[k] = -1
    for k in range(most):
        best, at = 0.0, -1
        for p in range(number):
            if value[p] > best:
                best = value[p]
                at = p
        if at < 0:
            break
        found[k] = at
        pass_over(places, number, places[9 * at], places[9 * at + 1], places[9 * at + 2], near, value)
