"""Things of the workshop and the desk. See `shapes` for the tools that make them."""

from __future__ import annotations

import numpy as np

from saccade.reproducible import cos, hypot, interpolate, linspace, sin
from saccade.world.meshes.mesh import Mesh, joined
from saccade.world.objects.shapes import (
    BLACK,
    STEEL,
    WHITE,
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

DARK, WOOD = (0.3, 0.31, 0.33), (0.72, 0.5, 0.28)


def hammer() -> Mesh:
    """A claw hammer: steel head with a face on one side and two claws on the other, orange handle."""
    handle = sweep(
        curve([(0, -0.15, 0), (0, -0.05, 0), (0, 0.095, 0)], 34),
        0.011 + 0.003 * cos(linspace(0, 2 * np.pi, 34)),
        (0.95, 0.45, 0.08),
        20,
        flat=0.75,
    )
    p = middles(handle)
    handle = painted(handle, (p[:, 1] > 0.0, WOOD))
    neck = box((0.04, 0.026, 0.022), 0.004, DARK, 8).moved((0, 0.095, 0))
    face = turn(
        revolve(
            polyline([(0, 0), (0.014, 0), (0.014, 0.018), (0.009, 0.026), (0.009, 0.034), (0, 0.034)], 30),
            28,
            STEEL,
        ),
        "z",
        90,
    ).moved((0.052, 0.097, 0))
    claws = [
        sweep(
            curve(
                [(-0.014, 0.098, side * 0.004), (-0.038, 0.099, side * 0.007), (-0.064, 0.08, side * 0.009)],
                20,
            ),
            linspace(0.009, 0.0022, 20),
            DARK,
            14,
            flat=0.55,
        )
        for side in (-1, 1)
    ]
    return joined([handle, neck, face, *claws])


def mallet() -> Mesh:
    """A wooden mallet with one rubber end."""
    handle = rod((0, -0.15, 0), (0, 0.06, 0), 0.0115, (0.55, 0.35, 0.16), 22)
    head = turn(
        revolve(
            polyline(
                [
                    (0, -0.055),
                    (0.028, -0.055),
                    (0.03, -0.05),
                    (0.034, 0),
                    (0.03, 0.05),
                    (0.028, 0.055),
                    (0, 0.055),
                ],
                50,
            ),
            40,
            (0.8, 0.6, 0.35),
        ),
        "z",
        90,
    ).moved((0, 0.08, 0))
    p = middles(head)
    return joined([handle, painted(head, (p[:, 0] > 0.03, (0.12, 0.12, 0.12)))])


def screwdriver() -> Mesh:
    """A fluted red handle with two yellow stripes, a steel shaft and a flat tip; half a turn about its
    length leaves it as it is."""
    handle = revolve(
        curve(
            [
                (0, -0.11),
                (0.011, -0.107),
                (0.0165, -0.09),
                (0.0155, -0.045),
                (0.009, -0.02),
                (0.011, -0.008),
                (0, -0.004),
            ],
            40,
        ),
        48,
        (0.75, 0.06, 0.08),
        wave=0.07,
        waves=6,
    )
    p = middles(handle)
    stripes = np.abs(np.mod(around(p) + 90, 180) - 90) < 28
    handle = painted(
        handle,
        (stripes, (0.95, 0.8, 0.1)),
        (p[:, 1] < -0.1, BLACK),
        (np.abs(p[:, 1] + 0.02) < 0.006, BLACK),
    )
    shaft = sweep(np.stack([np.zeros(30), linspace(-0.01, 0.1, 30), np.zeros(30)], 1), 0.0034, STEEL, 16)
    y = linspace(0.098, 0.116, 12)
    tip = sweep(
        np.stack([np.zeros(12), y, np.zeros(12)], 1), linspace(0.0034, 0.0052, 12), DARK, 16, flat=0.3
    )
    return joined([handle, shaft, tip])


def wrench() -> Mesh:
    """An open-ended spanner: a flat bar, blue on one side, with a large jaw at one end and a ring at the
    other, tilted to each other."""
    bar = sweep(
        curve([(-0.07, 0, 0), (0, 0.003, 0), (0.07, 0, 0)], 30), 0.008, (0.55, 0.58, 0.62), 18, flat=0.42
    )
    p = middles(bar)
    bar = painted(bar, (p[:, 2] > 0.0005, (0.1, 0.35, 0.7)))
    jaw = sweep(arc((0.084, 0.004, 0), 0.0155, 55, 335, 34), 0.0068, (0.55, 0.58, 0.62), 16, flat=0.7)
    ring = sweep(
        arc((-0.082, 0, 0), 0.0125, 0, 345, 24), 0.0045, (0.55, 0.58, 0.62), 16, flat=1.2, closed=True
    )
    return joined([bar, jaw, ring])


def pliers() -> Mesh:
    """Pliers: two crossed arms with blue grips, round jaws on one side only."""
    arms = []
    for side in (-1, 1):
        grip = sweep(
            curve([(-0.12, side * 0.03, 0), (-0.07, side * 0.026, 0), (-0.012, side * 0.008, 0)], 26),
            0.0075,
            (0.1, 0.3, 0.75),
            16,
        )
        jaw = sweep(
            curve(
                [
                    (-0.014, side * 0.009, 0),
                    (0.008, -side * 0.008, 0),
                    (0.03, -side * 0.0085, 0),
                    (0.055, -side * 0.003, 0),
                ],
                24,
            ),
            linspace(0.009, 0.0035, 24),
            DARK,
            16,
            flat=0.75,
        )
        p = middles(grip)
        arms += [painted(grip, (p[:, 0] < -0.1, (0.95, 0.8, 0.1))) if side > 0 else grip, jaw]
    pivot = rod((0, 0, -0.0085), (0, 0, 0.011), 0.008, STEEL, 20)
    return joined([*arms, pivot])


def scissors() -> Mesh:
    """Scissors a little open: two blades and two unlike handles, one teal ring and one long teal loop."""
    parts = []
    teal = (0.0, 0.5, 0.5)
    for side, length, width in ((1, 0.024, 0.016), (-1, 0.034, 0.018)):
        x = linspace(-0.01, 0.095, 26)
        blade = np.stack(
            [x, side * (0.002 + 0.09 * np.maximum(x, 0) * 0.2), np.full_like(x, side * 0.0015)], axis=1
        )
        parts.append(
            sweep(blade, interpolate(x, [-0.01, 0.02, 0.095], [0.007, 0.0075, 0.0012]), STEEL, 16, flat=0.18)
        )
        parts.append(
            sweep(
                curve([(0.005, side * 0.002, 0), (-0.02, -side * 0.008, 0), (-0.04, -side * 0.014, 0)], 14),
                0.0055,
                teal,
                14,
                flat=0.7,
            )
        )
        angle = linspace(0, 2 * np.pi, 36, endpoint=False)
        centre = np.array([-0.036 - length, -side * 0.02, 0])
        ring = centre + np.stack([length * cos(angle), width * sin(angle), np.zeros_like(angle)], 1)
        parts.append(sweep(ring, 0.0042, teal, 12, closed=True))
    return joined([*parts, rod((0, 0, -0.0035), (0, 0, 0.0045), 0.0045, (0.9, 0.75, 0.2), 16)])


def torch() -> Mesh:
    """A flashlight: black barrel, wide yellow head with a pale lens, a red button, a white name opposite
    and a green strip."""
    profile = polyline(
        [
            (0, -0.09),
            (0.014, -0.09),
            (0.016, -0.086),
            (0.016, 0.03),
            (0.026, 0.052),
            (0.026, 0.078),
            (0.022, 0.078),
            (0.018, 0.068),
            (0, 0.066),
        ],
        80,
    )
    body = revolve(profile, 40, BLACK)
    p = middles(body)
    knurl = (p[:, 1] > -0.07) & (p[:, 1] < 0.0) & (np.mod(p[:, 1], 0.014) < 0.006)
    lens = (p[:, 1] > 0.06) & (from_axis(p) < 0.0222)
    name = (p[:, 1] > -0.08) & (p[:, 1] < 0.02) & (np.abs(around(p)) > 130)
    clip = (p[:, 1] < 0.03) & (np.abs(around(p) - 80) < 25)
    body = painted(
        body,
        (knurl, DARK),
        (clip, (0.3, 0.5, 0.35)),
        (name, WHITE),
        (p[:, 1] > 0.031, (0.95, 0.8, 0.1)),
        (lens, (0.85, 0.93, 1.0)),
    )
    button = blob((0.0055, 0.01, 0.0055), (0.85, 0.1, 0.1), 0.7, 0.8, 14, 20).moved((0.0165, 0.012, 0))
    return joined([body, button])


def padlock() -> Mesh:
    """A brass padlock with a steel shackle and a black keyhole on its blue front."""
    body = box((0.05, 0.042, 0.02), 0.005, (0.8, 0.6, 0.15), 24)
    p = middles(body)
    hole = (p[:, 2] > 0.0095) & (hypot(p[:, 0], p[:, 1] + 0.004) < 0.008)
    foot = p[:, 1] < -0.0155
    front = p[:, 2] > 0.0092
    body = painted(body, (front, (0.15, 0.3, 0.55)), (foot, (0.5, 0.35, 0.1)), (hole, BLACK))
    legs = np.concatenate([[(0.016, 0.015, 0)], arc((0, 0.034, 0), 0.016, 0, 180, 26), [(-0.016, 0.015, 0)]])
    return joined([body, sweep(polyline(legs, 36), 0.0045, STEEL, 18)]).moved((0, -0.01, 0))


def key() -> Mesh:
    """A large old key: a ring, a shaft with collars and a bit with two teeth."""
    iron = (0.45, 0.3, 0.2)
    angle = linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = sweep(
        np.stack([-0.05 + 0.017 * cos(angle), 0.022 * sin(angle), np.zeros(40)], 1),
        0.0038,
        iron,
        14,
        closed=True,
    )
    shaft = turn(
        revolve(
            polyline(
                [
                    (0, -0.075),
                    (0.0042, -0.075),
                    (0.0042, 0.012),
                    (0.0075, 0.014),
                    (0.0075, 0.02),
                    (0.0042, 0.022),
                    (0.0042, 0.033),
                    (0, 0.033),
                ],
                44,
            ),
            20,
            iron,
        ),
        "z",
        90,
    )
    teeth = [
        box((0.008, 0.022, 0.0035), 0.0008, (0.85, 0.7, 0.3), 8).moved((u, -0.012, 0)) for u in (0.056, 0.069)
    ]
    back = box((0.022, 0.01, 0.0035), 0.0008, (0.85, 0.7, 0.3), 8).moved((0.0625, -0.006, 0))
    return joined([ring, shaft, *teeth, back])


def remote() -> Mesh:
    """A remote control: a dark curved bar with a red button at one end and rows of grey ones."""
    body = blob((0.024, 0.085, 0.01), (0.16, 0.16, 0.2), 0.28, 0.4, 34, 40)
    buttons = [
        blob((0.0042, 0.0042, 0.003), (0.75, 0.75, 0.78), 0.8, 0.9, 8, 14).moved((x, y, 0.0095))
        for y in (0.03, 0.012, -0.006, -0.024)
        for x in (-0.012, 0.0, 0.012)
    ]
    power = blob((0.006, 0.006, 0.0035), (0.9, 0.08, 0.08), 0.8, 0.9, 10, 18).moved((-0.011, 0.06, 0.0095))
    pad = blob((0.013, 0.013, 0.003), (0.1, 0.45, 0.85), 0.5, 1.0, 12, 26).moved((0, -0.052, 0.0095))
    return joined([body, *buttons, power, pad])


def stapler() -> Mesh:
    """A stapler: purple arm hinged over a black base, open to the front."""
    base = box((0.13, 0.01, 0.034), 0.003, BLACK, 22).moved((0, -0.02, 0))
    arm = sweep(
        curve([(-0.055, 0.002, 0), (-0.02, 0.009, 0), (0.03, 0.008, 0), (0.06, 0.0, 0)], 34),
        interpolate(linspace(0, 1, 34), [0, 0.1, 0.85, 1], [0.009, 0.014, 0.014, 0.006]),
        (0.45, 0.15, 0.6),
        22,
        flat=1.05,
    )
    hinge = rod((-0.05, -0.006, -0.02), (-0.05, -0.006, 0.02), 0.011, DARK, 22)
    rail = box((0.09, 0.006, 0.014), 0.001, STEEL, 14).moved((0.01, -0.007, 0))
    return joined([base, arm, hinge, rail])


def tape_roll() -> Mesh:
    """A ring of brown tape with a loose end, printed blue on one part, pale on one side."""
    side = [(0.032, -0.012), (0.05, -0.012), (0.05, 0.012), (0.032, 0.012), (0.032, -0.012)]
    ring = revolve(polyline(side, 40), 56, (0.7, 0.5, 0.25))
    p = middles(ring)
    ring = painted(
        ring,
        (from_axis(p) < 0.0325, WHITE),
        (np.abs(around(p)) < 50, (0.2, 0.3, 0.6)),
        (p[:, 1] > 0.0115, (0.85, 0.75, 0.5)),
    )
    end = box((0.03, 0.024, 0.0016), 0.0006, (0.8, 0.15, 0.3), 10).moved((0.015, 0, 0.0505))
    return turn(joined([ring, end]), "x", 90)


def pencil_cup() -> Mesh:
    """A green cup with six flutes, one of them yellow, and three coloured pencils leaning out of it."""
    outside, inside = [(0, 0), (0.036, 0), (0.036, 0.08)], [(0.033, 0.08), (0.033, 0.004), (0, 0.004)]
    cup = revolve(polyline(outside + inside, 40), 48, (0.2, 0.55, 0.3), wave=0.05, waves=6)
    p = middles(cup)
    cup = painted(cup, (np.abs(around(p) - 60) < 28, (0.9, 0.9, 0.4)))
    pencils = []
    for color, top in (
        ((0.9, 0.2, 0.15), (0.045, 0.15, 0.01)),
        ((0.15, 0.3, 0.85), (-0.03, 0.165, 0.025)),
        ((0.95, 0.75, 0.1), (0.0, 0.14, -0.045)),
    ):
        foot = (-0.4 * top[0], 0.006, -0.4 * top[2])
        pencils.append(
            sweep(linspace(foot, top, 20), np.r_[np.full(17, 0.004), 0.003, 0.0018, 0.0006], color, 12)
        )
    return joined([cup, *pencils])
