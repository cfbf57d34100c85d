"""Things of the kitchen: to drink from, to eat from, to cook with. See `shapes` for the tools."""

from __future__ import annotations

import numpy as np

from saccade.reproducible import cos, interpolate, linspace, sin
from saccade.world.meshes.mesh import Mesh, joined
from saccade.world.objects.shapes import (
    BLACK,
    STEEL,
    WHITE,
    Color,
    arc,
    around,
    blob,
    box,
    curve,
    from_axis,
    middles,
    painted,
    polyline,
    revolve,
    rod,
    sweep,
    turn,
)

WOOD, BRASS = (0.62, 0.42, 0.22), (0.8, 0.62, 0.2)


def mug() -> Mesh:
    """A straight blue mug with a yellow band, white inside, and one handle."""
    wall = polyline(
        [(0, 0), (0.038, 0), (0.04, 0.004), (0.04, 0.095), (0.036, 0.095), (0.036, 0.007), (0, 0.007)], 46
    )
    body = revolve(wall, 44, (0.12, 0.25, 0.65))
    p = middles(body)
    inner = (from_axis(p) < 0.0362) & (p[:, 1] > 0.006)
    band = (from_axis(p) > 0.0385) & (np.abs(p[:, 1] - 0.07) < 0.008)
    body = painted(body, (inner, WHITE), (band, (0.95, 0.8, 0.15)))
    grip = sweep(arc((0.038, 0.047, 0), 0.029, -88, 88, 30), 0.006, (0.12, 0.25, 0.65), flat=1.3)
    return joined([body, grip])


def teacup() -> Mesh:
    """A small flared white cup with a thin handle and a pink spot opposite to it."""
    wall = curve([(0.018, 0), (0.022, 0.006), (0.036, 0.025), (0.045, 0.055)], 20)
    inner = curve([(0.042, 0.055), (0.033, 0.027), (0.019, 0.009)], 16)
    body = revolve(np.concatenate([[(0, 0)], wall, inner, [(0, 0.009)]]), 48, WHITE)
    p = middles(body)
    spot = (np.abs(around(p)) > 150) & (np.abs(p[:, 1] - 0.033) < 0.012)
    body = painted(body, (spot, (0.9, 0.35, 0.5)), (p[:, 1] > 0.0525, BRASS))
    grip = sweep(
        curve([(0.035, 0.018, 0), (0.055, 0.02, 0), (0.062, 0.036, 0), (0.043, 0.047, 0)], 26), 0.003, WHITE
    )
    return joined([body, grip])


def bowl() -> Mesh:
    """A red bowl, cream inside; any turn about y leaves it as it is."""
    outside = curve([(0.025, 0.004), (0.05, 0.018), (0.07, 0.042), (0.078, 0.06)], 22)
    inside = curve([(0.074, 0.06), (0.066, 0.043), (0.046, 0.021), (0.02, 0.009)], 20)
    foot = [(0, 0), (0.025, 0)]
    body = revolve(np.concatenate([foot, outside, inside, [(0, 0.007)]]), 52, (0.75, 0.12, 0.1))
    p = middles(body)
    is_inside = inner_side(p, inside)
    return painted(body, (is_inside, (0.96, 0.9, 0.75)))


def inner_side(points: np.ndarray, profile: np.ndarray) -> np.ndarray:
    """Faces whose middle lies no further out than an inner profile (n, 2) of radius over falling height, or
    1 mm more."""
    radius = from_axis(points)
    limit = interpolate(points[:, 1], profile[::-1, 1], profile[::-1, 0])
    return np.asarray((radius < limit + 0.001) & (points[:, 1] > profile[:, 1].min() - 0.003))


def plate() -> Mesh:
    """A flat white plate with a green rim; any turn about y leaves it as it is."""
    profile = np.concatenate(
        [
            [(0, 0), (0.055, 0)],
            curve([(0.06, 0.002), (0.085, 0.01), (0.115, 0.018)], 18),
            curve([(0.115, 0.021), (0.085, 0.0135), (0.06, 0.006)], 18),
            polyline([(0.055, 0.004), (0, 0.004)], 12),
        ]
    )
    body = revolve(profile, 60, WHITE)
    p = middles(body)
    return painted(body, (from_axis(p) > 0.098, (0.15, 0.5, 0.3)))


def wine_glass() -> Mesh:
    """A pale glass on a stem with a foot; any turn about y leaves it as it is."""
    outside = curve(
        [
            (0.034, 0),
            (0.03, 0.003),
            (0.006, 0.01),
            (0.0045, 0.05),
            (0.0055, 0.085),
            (0.028, 0.105),
            (0.036, 0.135),
            (0.031, 0.175),
        ],
        60,
    )
    inside = curve([(0.0295, 0.175), (0.034, 0.136), (0.026, 0.108), (0.004, 0.095)], 28)
    glass = revolve(np.concatenate([[(0, 0)], outside, inside, [(0, 0.095)]]), 44, (0.7, 0.85, 0.88))
    p = middles(glass)
    return painted(glass, ((p[:, 1] > 0.092) & (p[:, 1] < 0.135), (0.5, 0.05, 0.15)))


def bottle() -> Mesh:
    """A green wine bottle with a cream label on one side and a red cap."""
    profile = curve(
        [(0.034, 0.003), (0.037, 0.01), (0.037, 0.16), (0.032, 0.185), (0.016, 0.215), (0.014, 0.28)], 66
    )
    body = revolve(
        np.concatenate([[(0, 0.0)], profile, [(0.0155, 0.281), (0.0155, 0.297), (0, 0.297)]]),
        44,
        (0.05, 0.3, 0.12),
    )
    p = middles(body)
    label = (np.abs(around(p)) < 75) & (p[:, 1] > 0.045) & (p[:, 1] < 0.13)
    stamp = (np.abs(around(p) - 20) < 22) & (p[:, 1] > 0.09) & (p[:, 1] < 0.115)
    return painted(
        body,
        (label, (0.93, 0.88, 0.7)),
        (stamp, (0.6, 0.1, 0.1)),
        (p[:, 1] > 0.26, (0.65, 0.08, 0.1)),
    )


def can() -> Mesh:
    """A soup can: red above, white below, a gold seal in front, steel rims."""
    profile = polyline(
        [
            (0, 0.002),
            (0.031, 0.002),
            (0.0335, 0),
            (0.0335, 0.004),
            (0.033, 0.006),
            (0.033, 0.096),
            (0.0335, 0.098),
            (0.0335, 0.102),
            (0.031, 0.1),
            (0, 0.1),
        ],
        70,
    )
    body = revolve(profile, 48, STEEL)
    p = middles(body)
    side = (from_axis(p) > 0.0324) & (p[:, 1] > 0.006) & (p[:, 1] < 0.096)
    upper = side & (p[:, 1] > 0.05)
    seal = side & (np.square(around(p) / 32) + np.square((p[:, 1] - 0.05) / 0.018) < 1)
    code = side & (np.abs(around(p) - 150) < 16) & (p[:, 1] < 0.04)
    return painted(body, (side, WHITE), (upper, (0.8, 0.08, 0.1)), (seal, BRASS), (code, BLACK))


def soda_can() -> Mesh:
    """A narrow can with tapered ends, blue with a slanting white stripe and a tab on top."""
    profile = curve(
        [(0.022, 0.001), (0.026, 0.003), (0.0315, 0.012), (0.0315, 0.108), (0.026, 0.12), (0.0255, 0.122)], 50
    )
    body = revolve(np.concatenate([[(0, 0.005)], profile, [(0.024, 0.119), (0, 0.119)]]), 48, STEEL)
    p = middles(body)
    side = (p[:, 1] > 0.008) & (p[:, 1] < 0.114)
    stripe = side & (np.abs(np.mod(around(p) + p[:, 1] * 2600, 360) - 180) < 40)
    tab = box((0.018, 0.002, 0.011), 0.0008, (0.55, 0.56, 0.58), 6).moved((0.006, 0.1205, 0))
    return joined([painted(body, (side, (0.05, 0.2, 0.7)), (stripe, WHITE)), tab])


def teapot() -> Mesh:
    """A round brown teapot with spout, handle and a knobbed lid."""
    brown = (0.45, 0.2, 0.1)
    profile = curve([(0.035, 0), (0.056, 0.012), (0.068, 0.045), (0.055, 0.082), (0.03, 0.094)], 34)
    lid = curve([(0.03, 0.096), (0.02, 0.103), (0.007, 0.107), (0.011, 0.117), (0.006, 0.125)], 20)
    body = revolve(np.concatenate([[(0, 0)], profile, lid, [(0, 0.126)]]), 46, brown)
    p = middles(body)
    body = painted(
        body, (p[:, 1] > 0.0955, (0.9, 0.75, 0.4)), ((np.abs(p[:, 1] - 0.06) < 0.006), (0.9, 0.75, 0.4))
    )
    spout_path = curve([(0.05, 0.03, 0), (0.085, 0.045, 0), (0.1, 0.075, 0), (0.12, 0.09, 0)], 24)
    spout = sweep(spout_path, linspace(0.018, 0.007, 24), brown, 20)
    grip = sweep(
        curve([(-0.055, 0.08, 0), (-0.095, 0.085, 0), (-0.105, 0.05, 0), (-0.062, 0.025, 0)], 28),
        0.007,
        brown,
    )
    return joined([body, spout, grip])


def pan() -> Mesh:
    """A black frying pan with a long wooden handle."""
    profile = np.concatenate(
        [
            polyline([(0, 0), (0.075, 0)], 10),
            curve([(0.08, 0.003), (0.09, 0.02), (0.096, 0.036)], 14),
            curve([(0.093, 0.037), (0.086, 0.021), (0.077, 0.006)], 14),
            polyline([(0.072, 0.004), (0, 0.004)], 10),
        ]
    )
    dish = revolve(profile, 56, (0.12, 0.12, 0.13))
    bridge = rod((0.09, 0.027, 0), (0.125, 0.036, 0), 0.006, STEEL)
    path = curve([(0.12, 0.035, 0), (0.17, 0.046, 0), (0.225, 0.05, 0)], 26)
    grip = sweep(path, 0.011 - 0.004 * cos(linspace(0, 2 * np.pi, 26)), WOOD, 18, flat=0.8)
    return joined([dish, bridge, grip])


def cutlery(head: Mesh, color: Color, length: float = 0.12) -> Mesh:
    """A head at the end of a flat handle along x that widens away from it and bends a little."""
    x = linspace(0, length, 34)
    path = np.stack([x, 0.006 * sin(x / length * np.pi), np.zeros_like(x)], axis=1)
    handle = sweep(path, 0.0035 + 0.006 * np.square(x / length), color, 16, flat=0.28, up=(0, 1, 0))
    return joined([head, handle])


def spoon() -> Mesh:
    """A steel soup spoon: a hollow oval bowl and a handle."""
    v = linspace(0, 1, 18)
    outer = np.stack([0.022 * sin(v * np.pi / 2), -0.013 * cos(v * np.pi / 2)], axis=1)
    inner = outer[::-1] * np.array([0.93, 0.86])
    shell = (
        revolve(np.concatenate([outer, inner]), 44, STEEL, squash=0.72)
        .scaled((1.5, 1, 1))
        .moved((-0.029, 0.003, 0))
    )
    return cutlery(shell, STEEL)


def fork() -> Mesh:
    """A fork with four tines and a black handle."""
    plate_ = sweep(
        curve([(0.004, 0, 0), (-0.012, -0.002, 0), (-0.03, -0.004, 0)], 16),
        np.concatenate([linspace(0.004, 0.0125, 8), np.full(8, 0.0125)]),
        STEEL,
        18,
        flat=0.14,
        up=(0, 1, 0),
    )
    tines = [
        sweep(
            curve([(-0.026, -0.0035, z), (-0.048, -0.004, z), (-0.07, 0.003, z)], 16),
            linspace(0.0017, 0.0008, 16),
            STEEL,
            10,
        )
        for z in linspace(-0.0105, 0.0105, 4)
    ]
    return cutlery(joined([plate_, *tines]), (0.1, 0.1, 0.12), 0.11)


def knife() -> Mesh:
    """A kitchen knife: a tapered blade with a straight back and a dark red handle with rivets."""
    x = linspace(0, 1, 30)
    drop = 0.016 * np.sqrt(np.maximum(1 - x * x * x, 0.0)) + 0.001
    path = np.stack([-0.16 * x, 0.016 - drop, np.zeros_like(x)], axis=1)
    blade = sweep(path, drop, STEEL, 20, flat=0.07)
    handle = blob((0.055, 0.014, 0.0085), (0.4, 0.06, 0.06), 0.5, 0.4).moved((0.05, 0.006, 0))
    rivets = [rod((u, 0.006, -0.0092), (u, 0.006, 0.0092), 0.0032, BRASS, 12) for u in (0.025, 0.05, 0.075)]
    return joined([blade, handle, *rivets])


def ladle() -> Mesh:
    """A deep half-round scoop on a long upright handle that ends in a hook."""
    v = linspace(0, np.pi / 2, 18)
    outer = np.stack([0.04 * sin(v), -0.036 * cos(v)], axis=1)
    scoop = revolve(np.concatenate([outer, outer[::-1] * 0.94]), 44, (0.85, 0.45, 0.1))
    path = curve(
        [
            (0.038, -0.004, 0),
            (0.046, 0.06, 0),
            (0.05, 0.15, 0),
            (0.046, 0.19, 0),
            (0.03, 0.2, 0),
            (0.024, 0.185, 0),
        ],
        46,
    )
    return joined([scoop, sweep(path, 0.0048, (0.2, 0.2, 0.22), 14, flat=1.7)])


def funnel() -> Mesh:
    """A yellow funnel; any turn about y leaves it as it is."""
    outside = polyline([(0.006, 0), (0.008, 0.05), (0.05, 0.1), (0.05, 0.112)], 44)
    inside = polyline([(0.048, 0.112), (0.048, 0.101), (0.006, 0.051), (0.0045, 0.0), (0.006, 0)], 44)
    body = revolve(np.concatenate([outside, inside]), 46, (0.95, 0.75, 0.05))
    p = middles(body)
    return painted(body, (p[:, 1] < 0.03, (0.9, 0.45, 0.05)))


def rolling_pin() -> Mesh:
    """A wooden cylinder with a red and a blue handle, so that its ends differ; any turn about x leaves it
    as it is."""
    profile = polyline(
        [
            (0, -0.14),
            (0.008, -0.14),
            (0.01, -0.1),
            (0.007, -0.087),
            (0.025, -0.085),
            (0.025, 0.085),
            (0.007, 0.087),
            (0.01, 0.1),
            (0.008, 0.14),
            (0, 0.14),
        ],
        72,
    )
    body = revolve(profile, 40, (0.85, 0.68, 0.45))
    p = middles(body)
    body = painted(body, (p[:, 1] < -0.0865, (0.8, 0.1, 0.1)), (p[:, 1] > 0.0865, (0.1, 0.2, 0.75)))
    return turn(body, "z", -90)
