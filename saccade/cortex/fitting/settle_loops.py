"""The loops of laying percepts on a model: how well poses fit, and iterated closest points (ICP), compiled.

Arrays are flat, a point after the other; percepts and nodes are 9 numbers each: position, normal, colour. A
pose is 12 numbers, a rotation, row after row, and a shift; it brings percepts into the object frame. Nodes
lie in the cells of a grid whose edge is the reach, cell after cell, so that what is in reach of a place is in
its cell or one of the 26 around it. The first number of all nodes comes first, `stride` of them, then the
second: neighbours are the lanes of a vector. LANES of them are a group. A column of cells begins with a group
of its own; where nodes are lacking there are NaN, which cost nothing that compares. A group has a box: the
least of its positions, the greatest, and the same of its normals, 12 numbers, `width` groups each.

A percept at x with normal m and colour c costs, by a node at p with normal n and colour d,

    ((x - p).n / sp)^2 + (|x - p|^2 - ((x - p).n)^2) / st^2 + 2 (1 - m.n) / sn^2 + |c - d|^2 / sc^2

of which the least over nodes counts, and never more than `most`: what fits nowhere says no more than that.
`scales` holds the edge of a cell, 1/sp^2, 1/st^2, 2/sn^2, 1/sc^2 and most.
"""

from __future__ import annotations

from saccade.reproducible.native import F64, I64, F64s, I64s, floor, native, scratch_f64, scratch_i64, sqrt

#: damping of the normal equations, in parts of their mean diagonal: what percepts do not determine stays
DAMPING = 0.02
#: nodes that are priced at once
LANES = 4
#: what a percept may cost less than the box of a group says: normals are of unit length to single precision
SLACK = 1e-3
#: metres from the grid's corner beyond which a place is as good as there
BEYOND = 100.0


@native
def cheapest(
    percept: F64s, nodes: F64s, stride: I64, boxes: F64s, width: I64, starts: I64s, low: F64s, extent: I64s,
    scales: F64s, found: I64s, cost: F64s,
) -> None:  # fmt: skip
    """found[0]: the node that costs a percept (in the object frame) least, -1 if all cost the most; cost[0]:
    how much. starts (cells + 1): the first node of each cell.

    The nodes of a group are priced at once, and each lane keeps its best: without a branch these are vector
    instructions. Groups next to a cell hold nodes of its neighbours, which are out of reach or priced twice.
    Cells that are farther than what was found costs are left out, and groups whose box is, or faces another
    way by as much (branch and bound)."""
    best = scratch_f64(LANES)
    node = scratch_i64(LANES)
    floors = scratch_f64(LANES)
    x, y, z = percept[0], percept[1], percept[2]
    u, v, w = percept[3], percept[4], percept[5]
    r, g, b = percept[6], percept[7], percept[8]
    edge, across_plane, in_plane, tilt, colour = scales[0], scales[1], scales[2], scales[3], scales[4]
    for lane in range(LANES):
        best[lane] = scales[5]
        node[lane] = -1
    i = floor(min(max(x - low[0], -BEYOND), BEYOND) / edge)
    j = floor(min(max(y - low[1], -BEYOND), BEYOND) / edge)
    k = floor(min(max(z - low[2], -BEYOND), BEYOND) / edge)
    # how far the place is from the lower sides of its cell; d metres away a node costs d^2 in_plane or more
    fx, fy, fz = x - low[0] - i * edge, y - low[1] - j * edge, z - low[2] - k * edge
    bound = scales[5]
    # of the normals in a box those that face the percept's way most are at one of its corners
    ahead_x, ahead_y, ahead_z = (9 if u > 0.0 else 6), (10 if v > 0.0 else 7), (11 if w > 0.0 else 8)
    for step in range(9):
        # the column of cells with the place in it comes first: what it holds rules others out
        column = (step + 4) % 9
        across, along = column // 3, column % 3
        a, c = i + across - 1, j + along - 1
        if a >= 0 and a < extent[0] and c >= 0 and c < extent[1]:
            gx = fx if across == 0 else (edge - fx if across == 2 else 0.0)
            gy = fy if along == 0 else (edge - fy if along == 2 else 0.0)
            away = gx * gx + gy * gy
            if away * in_plane < bound:
                bottom, top = k, k + 1
                if (away + fz * fz) * in_plane < bound:
                    bottom = k - 1
                if (away + (edge - fz) * (edge - fz)) * in_plane < bound:
                    top = k + 2
                bottom, top = max(bottom, 0), min(top, extent[2])
                row = (a * extent[1] + c) * extent[2]
                begin, end = 0, 0
                if bottom < top:
                    begin, end = starts[row + bottom] // LANES, (starts[row + top] + LANES - 1) // LANES
                while begin < end:
                    for lane in range(LANES):
                        n = begin + lane
                        dx = max(max(boxes[n] - x, x - boxes[n + 3 * width]), 0.0)
                        dy = max(max(boxes[n + width] - y, y - boxes[n + 4 * width]), 0.0)
                        dz = max(max(boxes[n + 2 * width] - z, z - boxes[n + 5 * width]), 0.0)
                        facing = u * boxes[n + ahead_x * width] + v * boxes[n + ahead_y * width]
                        facing = facing + w * boxes[n + ahead_z * width]
                        turned = max(1.0 - facing, 0.0) * tilt
                        floors[lane] = (dx * dx + dy * dy + dz * dz) * in_plane + turned
                    group = begin
                    while group < min(begin + LANES, end):
                        if floors[group - begin] < bound + SLACK:
                            for lane in range(LANES):
                                n = LANES * group + lane
                                dx, dy, dz = x - nodes[n], y - nodes[n + stride], z - nodes[n + 2 * stride]
                                nx, ny = nodes[n + 3 * stride], nodes[n + 4 * stride]
                                nz = nodes[n + 5 * stride]
                                dr, dg = r - nodes[n + 6 * stride], g - nodes[n + 7 * stride]
                                db = b - nodes[n + 8 * stride]
                                plane = dx * nx + dy * ny + dz * nz
                                off = (dx * dx + dy * dy + dz * dz) - plane * plane
                                price = plane * plane * across_plane + off * in_plane
                                price = price + (1.0 - (u * nx + v * ny + w * nz)) * tilt
                                price = price + (dr * dr + dg * dg + db * db) * colour
                                better = price < best[lane]
                                best[lane] = price if better else best[lane]
                                node[lane] = n if better else node[lane]
                            for lane in range(LANES):
                                bound = min(bound, best[lane])
                        group += 1
                    begin += LANES
    least, first = best[0], node[0]
    for lane in range(1, LANES):
        if best[lane] < least or (best[lane] == least and node[lane] < first):
            least = best[lane]
            first = node[lane]
    found[0] = first
    cost[0] = least


@native
def carried(percepts: F64s, number: I64, poses: F64s, pose: I64, percept: F64s) -> None:
    """One of the percepts in the object frame of one of the poses."""
    at, to = 9 * number, 12 * pose
    for i in range(3):
        a, b, c = poses[to + 3 * i], poses[to + 3 * i + 1], poses[to + 3 * i + 2]
        percept[i] = a * percepts[at] + b * percepts[at + 1] + c * percepts[at + 2] + poses[to + 9 + i]
        percept[3 + i] = a * percepts[at + 3] + b * percepts[at + 4] + c * percepts[at + 5]
        percept[6 + i] = percepts[at + 6 + i]


@native
def own_costs(nodes: F64s, number: I64, asked: I64s, count: I64, scales: F64s, out: F64s) -> None:
    """out (count): what each of the nodes `asked` costs as a percept by the cheapest of all others."""
    for k in range(count):
        a = 9 * asked[k]
        least = scales[5]
        for n in range(number):
            b = 9 * n
            dx, dy, dz = nodes[a] - nodes[b], nodes[a + 1] - nodes[b + 1], nodes[a + 2] - nodes[b + 2]
            square = dx * dx + dy * dy + dz * dz
            if n != asked[k] and square * scales[2] < least:
                u, v, w = nodes[b + 3], nodes[b + 4], nodes[b + 5]
                plane = dx * u + dy * v + dz * w
                facing = nodes[a + 3] * u + nodes[a + 4] * v + nodes[a + 5] * w
                r, g, h = (
                    nodes[a + 6] - nodes[b + 6],
                    nodes[a + 7] - nodes[b + 7],
                    nodes[a + 8] - nodes[b + 8],
                )
                price = plane * plane * scales[1] + (square - plane * plane) * scales[2]
                price += (1.0 - facing) * scales[3] + (r * r + g * g + h * h) * scales[4]
                least = min(least, price)
        out[k] = least


@native
def costs(
    percepts: F64s, count: I64, poses: F64s, number: I64,
    nodes: F64s, stride: I64, boxes: F64s, width: I64, starts: I64s, low: F64s, extent: I64s, scales: F64s,
    least: F64s, most: I64, limit: F64, told: F64s,
) -> None:  # fmt: skip
    """told (number): what all percepts cost in each pose. With `most` above 0 only those of so many poses are
    wanted that cost least, which least (most) is for: of another it is told what was added up when it was
    clear that so many cost less. So it is of one that costs more than `limit`."""
    percept = scratch_f64(9)
    found = scratch_i64(1)
    cost = scratch_f64(1)
    known = 0
    for pose in range(number):
        sum = 0.0
        for p in range(count):
            carried(percepts, p, poses, pose, percept)
            cheapest(percept, nodes, stride, boxes, width, starts, low, extent, scales, found, cost)
            sum += cost[0]
            if sum > limit:
                break
            # `and` computes both sides: without `most` the first of `least` is read, and ignored
            if most > 0 and known == most and sum > least[max(most - 1, 0)]:
                break
        told[pose] = sum
        if most > 0:
            # sorted in, so that the last is the limit
            if known < most:
                known += 1
                least[known - 1] = sum
            else:
                least[most - 1] = min(sum, least[most - 1])
            k = known - 1
            while k > 0:
                if least[k - 1] > least[k]:
                    least[k - 1], least[k] = least[k], least[k - 1]
                k -= 1


@native
def each_cost(
    percepts: F64s, count: I64, pose: F64s,
    nodes: F64s, stride: I64, boxes: F64s, width: I64, starts: I64s, low: F64s, extent: I64s, scales: F64s,
    told: F64s,
) -> None:  # fmt: skip
    """told (count): what each percept costs in a pose."""
    percept = scratch_f64(9)
    found = scratch_i64(1)
    cost = scratch_f64(1)
    for p in range(count):
        carried(percepts, p, pose, 0, percept)
        cheapest(percept, nodes, stride, boxes, width, starts, low, extent, scales, found, cost)
        told[p] = cost[0]


@native
def count_costly(
    percepts: F64s, count: I64, stride_of: I64, pose: F64s,
    nodes: F64s, stride: I64, boxes: F64s, width: I64, starts: I64s, low: F64s, extent: I64s, scales: F64s,
    least: F64, most: I64, told: I64s,
) -> None:  # fmt: skip
    """told (1): how many of the percepts cost more than `least` in a pose; counted no further than one more
    than `most`. They are taken `stride_of` apart, around and around, which has no factor in common with their
    number: what is far apart on a model comes first."""
    percept = scratch_f64(9)
    found = scratch_i64(1)
    cost = scratch_f64(1)
    costly = 0
    for k in range(count):
        carried(percepts, (k * stride_of) % count, pose, 0, percept)
        cheapest(percept, nodes, stride, boxes, width, starts, low, extent, scales, found, cost)
        if cost[0] > least:
            costly += 1
        if costly > most:
            break
    told[0] = costly


@native
def distinct(
    poses: F64s, bounds: I64s, groups: I64, limits: F64s, kept: I64s, most: I64, count: I64s
) -> None:
    """kept (groups, most), of which count (groups) are written: the first of the poses bounds[g] to
    bounds[g + 1] of each group that differ from all of it kept before, at most `most`. limits: the trace of
    the turn between two above which, and the square of the way between their origins in the body frame below
    which, they are one."""
    origin = scratch_f64(3)
    for group in range(groups):
        found = 0
        into = group * most
        for pose in range(bounds[group], bounds[group + 1]):
            at = 12 * pose
            for i in range(3):
                origin[i] = (
                    poses[at + i] * poses[at + 9]
                    + poses[at + 3 + i] * poses[at + 10]
                    + poses[at + 6 + i] * poses[at + 11]
                )
            known = 0
            for k in range(found):
                to = 12 * kept[into + k]
                trace = 0.0
                for i in range(9):
                    trace += poses[at + i] * poses[to + i]
                if trace > limits[0]:
                    way = 0.0
                    for i in range(3):
                        other = (
                            poses[to + i] * poses[to + 9]
                            + poses[to + 3 + i] * poses[to + 10]
                            + poses[to + 6 + i] * poses[to + 11]
                        )
                        way += (origin[i] - other) * (origin[i] - other)
                    if way < limits[1]:
                        known = 1
                        break
            if known == 0:
                kept[into + found] = pose
                found += 1
                if found == most:
                    break
        count[group] = found


@native
def solve(matrix: F64s, right: F64s) -> None:
    """right (6) becomes the solution of a positive definite system (6, 6), which is destroyed."""
    for k in range(6):
        pivot = matrix[7 * k]
        for i in range(k + 1, 6):
            factor = matrix[6 * i + k] / pivot
            for j in range(k, 6):
                matrix[6 * i + j] -= factor * matrix[6 * k + j]
            right[i] -= factor * right[k]
    for back in range(6):
        k = 5 - back
        value = right[k]
        for j in range(k + 1, 6):
            value -= matrix[6 * k + j] * right[j]
        right[k] = value / matrix[7 * k]


@native
def weigh(matrix: F64s, right: F64s, weight: F64, lack: F64, i: I64, a: F64, j: I64, b: F64, k: I64) -> None:
    """Add an equation to the normal equations (6, 6): `a` times unknown i, `b` times j and k itself are
    `lack`."""
    matrix[7 * i] += weight * a * a
    matrix[6 * i + j] += weight * a * b
    matrix[6 * i + k] += weight * a
    matrix[6 * j + i] += weight * b * a
    matrix[7 * j] += weight * b * b
    matrix[6 * j + k] += weight * b
    matrix[6 * k + i] += weight * a
    matrix[6 * k + j] += weight * b
    matrix[7 * k] += weight
    right[i] += weight * a * lack
    right[j] += weight * b * lack
    right[k] += weight * lack


@native
def settled(
    percepts: F64s, count: I64, poses: F64s, number: I64, rounds: I64, size: F64s,
    nodes: F64s, stride: I64, boxes: F64s, width: I64, starts: I64s, low: F64s, extent: I64s, scales: F64s,
) -> None:  # fmt: skip
    """Move each of the poses by rounds of ICP: every percept to its cheapest node, along that node's normal
    and, with the weight of st, across it. size[0]: metres that a radian is worth."""
    percept = scratch_f64(9)
    found = scratch_i64(1)
    cost = scratch_f64(1)
    matrix = scratch_f64(36)
    right = scratch_f64(6)
    middle = scratch_f64(3)
    row = scratch_f64(6)
    turn = scratch_f64(9)
    before = scratch_f64(12)
    radius = size[0]
    for pose in range(number):
        to = 12 * pose
        for _ in range(rounds):
            for i in range(3):
                middle[i] = 0.0
            for p in range(count):
                carried(percepts, p, poses, pose, percept)
                for i in range(3):
                    middle[i] += percept[i] / count
            for i in range(36):
                matrix[i] = 0.0
            for i in range(6):
                right[i] = 0.0
            for p in range(count):
                carried(percepts, p, poses, pose, percept)
                cheapest(percept, nodes, stride, boxes, width, starts, low, extent, scales, found, cost)
                if found[0] >= 0:
                    at = found[0]
                    nx, ny, nz = nodes[at + 3 * stride], nodes[at + 4 * stride], nodes[at + 5 * stride]
                    x, y, z = (
                        (percept[0] - middle[0]) / radius,
                        (percept[1] - middle[1]) / radius,
                        (percept[2] - middle[2]) / radius,
                    )
                    dx = nodes[at] - percept[0]
                    dy = nodes[at + stride] - percept[1]
                    dz = nodes[at + 2 * stride] - percept[2]
                    # one equation along the normal, and three with the lower weight of st
                    row[0], row[1], row[2] = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
                    row[3], row[4], row[5] = nx, ny, nz
                    weight, lack = scales[1] - scales[2], dx * nx + dy * ny + dz * nz
                    for i in range(6):
                        right[i] += weight * row[i] * lack
                        for j in range(6):
                            matrix[6 * i + j] += weight * row[i] * row[j]
                    weigh(matrix, right, scales[2], dx, 1, z, 2, -y, 3)
                    weigh(matrix, right, scales[2], dy, 0, -z, 2, x, 4)
                    weigh(matrix, right, scales[2], dz, 0, y, 1, -x, 5)
            trace = 0.0
            for i in range(6):
                trace += matrix[7 * i] / 6.0
            if trace > 0.0:
                for i in range(6):
                    matrix[7 * i] += DAMPING * trace
                solve(matrix, right)
                # the turn of the unit quaternion (1, w / 2)
                a, b, c = right[0] / radius / 2.0, right[1] / radius / 2.0, right[2] / radius / 2.0
                length = sqrt(1.0 + a * a + b * b + c * c)
                w, a, b, c = 1.0 / length, a / length, b / length, c / length
                turn[0], turn[1], turn[2] = (
                    1.0 - 2.0 * (b * b + c * c),
                    2.0 * (a * b - c * w),
                    2.0 * (a * c + b * w),
                )
                turn[3], turn[4], turn[5] = (
                    2.0 * (a * b + c * w),
                    1.0 - 2.0 * (a * a + c * c),
                    2.0 * (b * c - a * w),
                )
                turn[6], turn[7], turn[8] = (
                    2.0 * (a * c - b * w),
                    2.0 * (b * c + a * w),
                    1.0 - 2.0 * (a * a + b * b),
                )
                for i in range(12):
                    before[i] = poses[to + i]
                for i in range(3):
                    for j in range(3):
                        poses[to + 3 * i + j] = (
                            turn[3 * i] * before[j]
                            + turn[3 * i + 1] * before[3 + j]
                            + turn[3 * i + 2] * before[6 + j]
                        )
                    poses[to + 9 + i] = (
                        turn[3 * i] * (before[9] - middle[0])
                        + turn[3 * i + 1] * (before[10] - middle[1])
                        + turn[3 * i + 2] * (before[11] - middle[2])
                        + middle[i]
                        + right[3 + i]
                    )
