"""Food, toys and things that stand about. See `shapes` for the tools that make them."""

from __future__ import annotations

import numpy as np

from saccade.reproducible import arctan2, cos, degrees, hypot, interpolate, linspace, radians, sin
from saccade.world.meshes.mesh import Mesh, joined
from saccade.world.objects.shapes import (
    BLACK,
    WHITE,
    around,
    blob,
    box,
    curve,
    grid,
    middles,
    outward,
    painted,
    polyline,
    revolve,
    rod,
    sweep,
    turn,
)


def cereal_box() -> Mesh:
    """A tall thin box: a picture in front, text on the back, plain sides."""
    body = box((0.13, 0.19, 0.045), 0.0015, (0.95, 0.75, 0.1), 34)
    p = middles(body)
    front = p[:, 2] > 0.0215
    bowl = front & (hypot(p[:, 0] + 0.01, p[:, 1] + 0.035) < 0.04) & (p[:, 1] < -0.02)
    title = front & (p[:, 1] > 0.045) & (p[:, 1] < 0.08) & (p[:, 0] < 0.04)
    back = p[:, 2] < -0.0215
    table = back & (p[:, 0] > 0.01) & (np.abs(p[:, 1] + 0.02) < 0.05)
    lid = p[:, 1] > 0.0938
    side = p[:, 0] > 0.0638
    return painted(
        body,
        (front, (0.85, 0.2, 0.1)),
        (title, WHITE),
        (bowl, (0.15, 0.3, 0.7)),
        (back, (0.93, 0.9, 0.82)),
        (table, (0.3, 0.3, 0.3)),
        (side, (0.2, 0.6, 0.3)),
        (lid, (0.75, 0.5, 0.1)),
    )


def juice_carton() -> Mesh:
    """A square carton with a sloping gable top, a screw cap on one slope and an orange on the front."""
    body = box((0.07, 0.14, 0.07), 0.0015, (0.2, 0.65, 0.3), 26).moved((0, -0.02, 0))
    roof = prism(0.035, 0.05, 0.085)
    p = middles(body)
    fruit = (p[:, 2] > 0.034) & (hypot(p[:, 0], p[:, 1] + 0.03) < 0.024)
    body = painted(body, (p[:, 1] > 0.02, WHITE), (fruit, (0.95, 0.55, 0.05)))
    cap = turn(
        revolve(polyline([(0, 0), (0.012, 0), (0.012, 0.012), (0, 0.012)], 20), 28, (0.9, 0.3, 0.1)), "x", 45
    )
    return joined([body, roof, cap.moved((0, 0.066, 0.016))])


def prism(half: float, low: float, high: float) -> Mesh:
    """A roof over a square of half side `half` from height `low` to a ridge along x at `high`."""
    u, v = np.meshgrid(linspace(-1, 1, 17), linspace(-1, 1, 17), indexing="ij")
    top = np.stack([half * u, low + (high - low) * (1 - np.abs(v)), half * v], -1)
    floor = np.stack([half * u, np.full_like(u, low), half * v], -1)
    count = top[..., 0].size
    faces = np.concatenate([grid(top, False, False), grid(floor, False, False)[:, ::-1] + count])
    ends = []
    index = np.arange(17)
    for row, flip in ((0, False), (16, True)):
        upper, lower = row * 17 + index, row * 17 + index + count
        quads = np.concatenate(
            [
                np.stack([upper[:-1], lower[:-1], upper[1:]], 1),
                np.stack([upper[1:], lower[:-1], lower[1:]], 1),
            ]
        )
        ends.append(quads[:, ::-1] if flip else quads)
    return outward(
        Mesh.of(
            np.concatenate([top.reshape(-1, 3), floor.reshape(-1, 3)]), np.concatenate([faces, *ends]), WHITE
        )
    )


def banana() -> Mesh:
    """A bent yellow fruit with five soft edges, a stalk and a dark tip."""
    angle = radians(linspace(205, 335, 46))
    path = np.stack([0.095 * cos(angle), 0.095 * sin(angle), np.zeros_like(angle)], 1)
    along = linspace(0, 1, 46)
    radius = interpolate(
        along,
        [0, 0.04, 0.12, 0.3, 0.6, 0.88, 0.97, 1],
        [0.005, 0.006, 0.011, 0.0175, 0.018, 0.011, 0.005, 0.003],
    )
    body = sweep(path, radius, (0.95, 0.82, 0.15), 25, flat=0.92)
    p = middles(body)
    spots = sin(210 * p[:, 0]) * sin(190 * p[:, 1]) * cos(150 * p[:, 2]) > 0.72
    stalk = degrees(arctan2(p[:, 1], p[:, 0])) % 360 < 217
    tip = degrees(arctan2(p[:, 1], p[:, 0])) % 360 > 331
    return painted(
        body, (spots, (0.6, 0.4, 0.1)), (stalk, (0.55, 0.6, 0.15)), (tip, (0.2, 0.12, 0.05))
    ).centred()


def apple() -> Mesh:
    """A red apple with a yellow cheek, a dent, a leaning stalk and one leaf."""
    profile = curve(
        [(0, 0.006), (0.014, 0.0), (0.033, 0.016), (0.04, 0.043), (0.031, 0.067), (0.014, 0.071), (0, 0.058)],
        50,
    )
    profile[0, 0] = profile[-1, 0] = 0.0
    body = revolve(np.maximum(profile, [0, -1]), 46, (0.8, 0.1, 0.1), wave=0.025, waves=5)
    p = middles(body)
    body = painted(body, (np.abs(around(p) - 40) < 38, (0.9, 0.7, 0.2)))
    stalk = sweep(
        curve([(0, 0.056, 0), (0.002, 0.07, 0.001), (0.008, 0.084, 0.003)], 14), 0.0016, (0.35, 0.22, 0.1), 10
    )
    leaf = blob((0.016, 0.0012, 0.008), (0.2, 0.55, 0.15), 1.0, 1.0, 10, 24)
    return joined([body, stalk, turn(leaf, "z", 20).moved((-0.013, 0.078, 0))])


def pear() -> Mesh:
    """A green pear leaning to one side, brownish on its foot."""
    profile = curve(
        [(0, 0.0), (0.02, 0.002), (0.036, 0.024), (0.033, 0.05), (0.019, 0.075), (0.014, 0.092), (0, 0.1)], 50
    )
    profile[0, 0] = profile[-1, 0] = 0.0
    body = revolve(np.maximum(profile, [0, -1]), 44, (0.65, 0.75, 0.2))
    p = middles(body)
    body = painted(
        body,
        ((np.abs(around(p) + 60) < 50) & (p[:, 1] < 0.06), (0.85, 0.6, 0.2)),
        (p[:, 1] < 0.006, (0.45, 0.3, 0.12)),
    )
    height = np.maximum(body.vertices[:, 1], 0) / 0.1
    leaned = Mesh(
        body.vertices + np.stack([0.014 * height * height, 0 * height, 0 * height], 1),
        body.faces,
        body.colors,
    )
    stalk = sweep(
        curve([(0.014, 0.098, 0), (0.018, 0.112, 0), (0.027, 0.123, 0)], 14), 0.0018, (0.35, 0.22, 0.1), 10
    )
    return joined([leaned, stalk])


def carrot() -> Mesh:
    """An orange taper, paler on one side, with a tuft of three green leaves; each leaf its own length."""
    profile = curve(
        [(0, -0.09), (0.004, -0.082), (0.011, -0.02), (0.0165, 0.05), (0.012, 0.064), (0, 0.066)], 54
    )
    profile[0, 0] = profile[-1, 0] = 0.0
    body = revolve(np.maximum(profile, [0, -1]), 34, (0.95, 0.45, 0.05))
    p = middles(body)
    body = painted(
        body,
        (np.abs(around(p) - 30) < 50, (0.98, 0.7, 0.3)),
        (np.mod(p[:, 1] * 1000, 17) < 2.0, (0.75, 0.3, 0.03)),
    )
    leaves = [
        sweep(
            curve([(0, 0.06, 0), (0.4 * x, 0.09, 0.4 * z), (x, y, z)], 18),
            interpolate(linspace(0, 1, 18), [0, 0.6, 1], [0.002, 0.007, 0.001]),
            (0.15, g, 0.12),
            12,
            flat=0.5,
        )
        for x, y, z, g in ((0.03, 0.12, 0.0, 0.5), (-0.018, 0.145, 0.022, 0.65), (-0.012, 0.105, -0.025, 0.4))
    ]
    return joined([body, *leaves])


def die() -> Mesh:
    """A large die of 5 cm: every face has its own colour and its own number of pips."""
    body = box((0.05, 0.05, 0.05), 0.005, WHITE, 26)
    pips = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
        5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
        6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
    }
    faces = {
        (0, 1): (1, (0.9, 0.2, 0.2)),
        (0, -1): (6, (0.95, 0.85, 0.3)),
        (1, 1): (2, (0.3, 0.6, 0.9)),
        (1, -1): (5, (0.3, 0.75, 0.4)),
        (2, 1): (3, (0.95, 0.95, 0.93)),
        (2, -1): (4, (0.75, 0.5, 0.85)),
    }
    p = middles(body)
    for (axis, sign), (count, color) in faces.items():
        on = sign * p[:, axis] > 0.0235
        body = painted(body, (on, color))
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for i, j in pips[count]:
            spot = on & (hypot(p[:, u] - 0.013 * i, p[:, v] - 0.013 * j) < 0.005)
            body = painted(body, (spot, BLACK))
    return body


def toy_brick() -> Mesh:
    """A building brick of two by four studs, 6.4 cm long; half a turn about y leaves it as it is."""
    red = (0.8, 0.1, 0.12)
    body = box((0.064, 0.0192, 0.032), 0.0008, red, 22)
    stud = revolve(polyline([(0, 0), (0.005, 0), (0.005, 0.0036), (0, 0.0036)], 14), 18, red)
    places = [(x, z) for x in (-0.024, -0.008, 0.008, 0.024) for z in (-0.008, 0.008)]
    return joined([body, *(stud.moved((x, 0.0095, z)) for x, z in places)])


def vase() -> Mesh:
    """A blue and white vase with a twisted pattern; any sixth of a turn about y leaves it as it is."""
    outside = curve([(0.03, 0), (0.035, 0.01), (0.055, 0.06), (0.045, 0.11), (0.02, 0.145), (0.03, 0.17)], 56)
    inside = curve([(0.027, 0.17), (0.017, 0.146), (0.02, 0.13)], 16)
    body = revolve(np.concatenate([[(0, 0)], outside, inside, [(0, 0.13)]]), 60, WHITE, wave=0.04, waves=6)
    p = middles(body)
    return painted(body, (np.mod(around(p) + 900 * p[:, 1], 60) < 24, (0.1, 0.2, 0.6)))


def table_lamp() -> Mesh:
    """A lamp whose olive shade has a red panel and a blue patch, on a brass stand, and a black switch on
    its foot."""
    foot = revolve(
        polyline(
            [(0, 0), (0.045, 0), (0.045, 0.008), (0.012, 0.016), (0.006, 0.022), (0.006, 0.12), (0, 0.12)], 50
        ),
        40,
        (0.8, 0.62, 0.2),
    )
    shade = revolve(
        polyline([(0.06, 0.1), (0.035, 0.19), (0.033, 0.19), (0.058, 0.1), (0.06, 0.1)], 40),
        44,
        (0.45, 0.5, 0.2),
    )
    bulb = blob((0.016, 0.022, 0.016), (1.0, 0.97, 0.8), 1.0, 1.0, 18, 24).moved((0, 0.135, 0))
    switch = box((0.012, 0.006, 0.018), 0.001, BLACK, 6).moved((0.034, 0.012, 0))
    p = middles(shade)
    panel = np.abs(around(p)) < 60
    patch = np.abs(around(p) - 130) < 30
    edge = p[:, 1] < 0.108
    shade = painted(shade, (panel, (0.75, 0.35, 0.25)), (patch, (0.2, 0.35, 0.5)), (edge, (0.8, 0.7, 0.3)))
    p = middles(foot)
    return joined(
        [
            painted(foot, ((around(p) > 90) & (p[:, 1] < 0.02), (0.35, 0.25, 0.15))),
            shade,
            bulb,
            switch,
        ]
    )


def candle() -> Mesh:
    """A pink candle in a shallow holder with a ring to carry it by."""
    dish = revolve(
        polyline(
            [
                (0, 0),
                (0.04, 0),
                (0.046, 0.012),
                (0.043, 0.012),
                (0.038, 0.004),
                (0.014, 0.004),
                (0.014, 0.018),
                (0, 0.018),
            ],
            50,
        ),
        40,
        (0.3, 0.32, 0.35),
    )
    wax = revolve(
        polyline([(0, 0.01), (0.0105, 0.01), (0.0105, 0.125), (0.008, 0.13), (0, 0.127)], 40),
        30,
        (0.92, 0.45, 0.6),
    )
    p = middles(wax)
    wax = painted(wax, (np.abs(around(p) + 0.5e4 * p[:, 1] - 400) < 60, (0.98, 0.85, 0.4)))
    p = middles(dish)
    dish = painted(dish, (np.abs(around(p)) > 120, (0.2, 0.45, 0.45)))
    wick = rod((0, 0.125, 0), (0.002, 0.14, 0), 0.0012, BLACK, 10)
    angle = linspace(0, 2 * np.pi, 28, endpoint=False)
    ring = sweep(
        np.stack([0.058 + 0.015 * cos(angle), 0.012 + 0.015 * sin(angle), np.zeros(28)], 1),
        0.003,
        (0.3, 0.32, 0.35),
        12,
        closed=True,
    )
    return joined([dish, wax, wick, ring])


def rubber_duck() -> Mesh:
    """A yellow duck with an orange beak, a raised tail and a wing on each side."""
    yellow = (0.98, 0.83, 0.1)
    body = blob((0.042, 0.027, 0.03), yellow, 0.9, 1.0, 28, 40)
    head = blob((0.021, 0.021, 0.02), yellow, 1.0, 1.0, 24, 32).moved((0.025, 0.038, 0))
    p = middles(head)
    eyes = np.minimum(hypot(p[:, 0] - 0.036, p[:, 1] - 0.043), 1) < 0.0045
    tail = sweep(
        curve([(-0.03, 0.008, 0), (-0.045, 0.018, 0), (-0.052, 0.033, 0)], 14),
        linspace(0.014, 0.002, 14),
        yellow,
        16,
        flat=1.2,
    )
    beak = blob((0.011, 0.004, 0.011), (0.95, 0.4, 0.05), 1.0, 1.0, 12, 20).moved((0.048, 0.034, 0))
    wings = [
        turn(blob((0.02, 0.012, 0.004), (0.9, 0.68, 0.05), 1.0, 1.0, 12, 24), "z", 18).moved(
            (-0.008, 0.004, s * 0.029)
        )
        for s in (-1, 1)
    ]
    return joined([body, painted(head, (eyes, BLACK)), tail, beak, *wings])


def spray_bottle() -> Mesh:
    """A white bottle with a turquoise trigger head that points one way."""
    flask = revolve(
        curve(
            [(0, 0), (0.03, 0.001), (0.036, 0.012), (0.035, 0.07), (0.02, 0.12), (0.012, 0.14), (0, 0.145)],
            56,
        ),
        44,
        (0.85, 0.9, 0.95),
        squash=0.75,
    )
    p = middles(flask)
    flask = painted(flask, ((p[:, 2] > 0.005) & (np.abs(p[:, 1] - 0.05) < 0.022), (0.9, 0.3, 0.6)))
    turquoise = (0.1, 0.7, 0.7)
    neck = rod((0, 0.13, 0), (0, 0.16, 0), 0.0115, turquoise, 24)
    head = box((0.06, 0.022, 0.02), 0.004, turquoise, 14).moved((0.012, 0.168, 0))
    nozzle = rod((0.04, 0.17, 0), (0.052, 0.17, 0), 0.006, WHITE, 18)
    trigger = sweep(
        curve([(0.026, 0.16, 0), (0.034, 0.145, 0), (0.028, 0.122, 0)], 18),
        linspace(0.0055, 0.0035, 18),
        (0.95, 0.45, 0.1),
        14,
    )
    return joined([flask, neck, head, nozzle, trigger])


def toothbrush() -> Mesh:
    """A turquoise toothbrush: a bent handle and a head with blue and white bristles on one side."""
    handle = sweep(
        curve([(-0.1, 0, 0), (-0.04, 0.004, 0), (0.02, 0.0, 0), (0.05, 0.003, 0), (0.09, 0.003, 0)], 50),
        interpolate(
            linspace(0, 1, 50),
            [0, 0.05, 0.3, 0.55, 0.7, 0.8, 0.97, 1],
            [0.003, 0.006, 0.0075, 0.005, 0.0035, 0.006, 0.006, 0.003],
        ),
        (0.1, 0.65, 0.6),
        20,
        flat=0.7,
        up=(0, 1, 0),
    )
    p = middles(handle)
    handle = painted(handle, (np.abs(p[:, 0] + 0.05) < 0.02, (0.95, 0.95, 0.95)))
    tufts = [
        rod((x, 0.004, z), (x, 0.017, z), 0.0018, (0.2, 0.35, 0.85) if i % 2 else WHITE, 8)
        for i, x in enumerate(linspace(0.063, 0.087, 6))
        for z in (-0.0035, 0.0, 0.0035)
    ]
    return joined([handle, *tufts])
