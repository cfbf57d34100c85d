"""The loop over visited places that comparing headings takes, compiled: most places do not matter."""

from __future__ import annotations

from saccade.reproducible.native import F64, I64, F64s, I64s, native, sqrt


@native
def conflicts(
    places: F64s,
    normals: F64s,
    counts: I64s,
    location: F64s,
    normal: F64s,
    headings: F64s,
    rows: I64,
    capacity: I64,
    ways: I64,
    radius: F64,
    facing: F64,
    cone: F64,
    weights: F64s,
    found: F64s,
) -> None:
    """found (rows, ways): as `Inhibition.conflict`, of places and normals (rows, capacity, 3). facing and
    cone: the least cosines of one surface and of ahead. weights (5, capacity): room to work in."""
    for row in range(rows):
        x, y, z = location[3 * row], location[3 * row + 1], location[3 * row + 2]
        nx, ny, nz = normal[3 * row], normal[3 * row + 1], normal[3 * row + 2]
        matter = 0
        known = min(counts[row], capacity)
        for place in range(capacity):
            weights[place] = 0.0
            if place >= known:
                continue
            at = 3 * (row * capacity + place)
            if not normals[at] * nx + normals[at + 1] * ny + normals[at + 2] * nz >= facing:
                continue
            dx, dy, dz = places[at] - x, places[at + 1] - y, places[at + 2] - z
            distance = sqrt(dx * dx + dy * dy + dz * dz)
            # a place closer than a tenth of a millimetre is the present one: no heading leads away from it
            if distance <= radius and distance > 1e-4:
                weights[place] = 1.0 - distance / radius + 1e-3
                weights[capacity + place] = dx / distance
                weights[2 * capacity + place] = dy / distance
                weights[3 * capacity + place] = dz / distance
                matter += 1
        for way in range(ways):
            h = 3 * (row * ways + way)
            found[row * ways + way] = 0.0
            if matter == 0:
                continue
            left = 4 * capacity
            for place in range(capacity):
                weights[left + place] = 0.0
                if weights[place] > 0.0:
                    ahead = (
                        headings[h] * weights[capacity + place]
                        + headings[h + 1] * weights[2 * capacity + place]
                        + headings[h + 2] * weights[3 * capacity + place]
                    )
                    if ahead >= cone:
                        weights[left + place] = weights[place]
            # by halves, as `reproducible.total`
            count = capacity
            while count > 1:
                half = count // 2
                for place in range(half):
                    weights[left + place] += weights[left + half + place]
                if count % 2 == 1:
                    weights[left] += weights[left + count - 1]
                count = half
            found[row * ways + way] = weights[left]
