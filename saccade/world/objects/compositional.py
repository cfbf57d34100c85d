"""Objects made of objects: three plain bodies, two emblems, every body with every emblem on it, and stacks
of two of those.

A lower module learns bodies and emblems, a higher one learns what is where on the wholes, and a third which
whole stands on which. A whole states its parts as placements in its own frame, so a scene can show it as one
object or as parts, told apart by pixel:

    whole = composed("block_star")
    Scene(as_parts(Placement("block_star", rotation=turn), whole))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from saccade.reproducible import apply, matmul
from saccade.world.meshes.mesh import Mesh, WorldObject, joined
from saccade.world.objects.shapes import box, polyline, revolve, turn
from saccade.world.protocol import Placement
from saccade.world.symmetry.symmetry import Symmetry, about, generated, rotation_about

HALF = np.pi


def block() -> Mesh:
    """A grey cube of 8 cm."""
    return box((0.08, 0.08, 0.08), 0.006, (0.55, 0.55, 0.6), 16)


def disc() -> Mesh:
    """A flat tan disc of 10 cm lying in the xy plane."""
    profile = polyline(
        [(0, -0.01), (0.047, -0.01), (0.05, -0.007), (0.05, 0.007), (0.047, 0.01), (0, 0.01)], 44
    )
    return turn(revolve(profile, 48, (0.8, 0.65, 0.4)), "x", 90)


def drum() -> Mesh:
    """A green barrel standing on y, 11 cm tall."""
    profile = polyline(
        [(0, -0.055), (0.03, -0.055), (0.04, -0.02), (0.04, 0.02), (0.03, 0.055), (0, 0.055)], 50
    )
    return revolve(profile, 44, (0.25, 0.5, 0.35))


def star() -> Mesh:
    """A flat red star with five points, facing z."""
    profile = polyline([(0, -0.003), (0.017, -0.003), (0.017, 0.002), (0.016, 0.003), (0, 0.003)], 22)
    flat = revolve(profile, 60, (0.85, 0.1, 0.1), wave=0.35, waves=5)
    return turn(flat, "x", 90)


def arrow() -> Mesh:
    """A flat blue arrow that points up, facing z."""
    shaft = box((0.009, 0.036, 0.006), 0.001, (0.1, 0.25, 0.85), 12).moved((0, -0.004, 0))
    wings = [
        turn(box((0.008, 0.022, 0.006), 0.001, (0.1, 0.25, 0.85), 10), "z", s * 45).moved(
            (s * 0.006, 0.0095, 0)
        )
        for s in (-1, 1)
    ]
    return joined([shaft, *wings])


def quarter(axis: tuple[int, int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A quarter turn about an axis."""
    return rotation_about(axis, np.pi / 2)


BODIES: dict[str, tuple[Callable[[], Mesh], Symmetry, float]] = {
    # the last number is how far from the middle the front lies, where an emblem sits
    "block": (block, Symmetry(rotations=generated(quarter((1, 0, 0)), quarter((0, 1, 0)))), 0.04),
    "disc": (disc, Symmetry(axis=(0.0, 0.0, 1.0), rotations=about((1, 0, 0), 2)), 0.01),
    "drum": (drum, Symmetry(axis=(0.0, 1.0, 0.0), rotations=about((1, 0, 0), 2)), 0.04),
}
EMBLEMS: dict[str, tuple[Callable[[], Mesh], Symmetry]] = {
    "star": (star, Symmetry(rotations=generated(*about((0, 0, 1), 5), rotation_about((1, 0, 0), HALF)))),
    "arrow": (arrow, Symmetry(rotations=about((0, 1, 0), 2))),
}
PARTS = (*BODIES, *EMBLEMS)
WHOLES = tuple(f"{body}_{emblem}" for body in BODIES for emblem in EMBLEMS)
#: metres from the middle of a body to its top
TOPS = {"block": 0.04, "disc": 0.05, "drum": 0.055}
#: what stands on what; no two of them have the same bodies
STACKS = {
    f"{upper}_on_{lower}": (upper, lower)
    for upper, lower in (
        ("drum_star", "block_arrow"),
        ("disc_arrow", "block_arrow"),
        ("block_star", "block_arrow"),
        ("disc_arrow", "drum_star"),
    )
}


def composed(name: str) -> WorldObject:
    """A part, a whole or a stack by name; a whole keeps the frame of its body, a stack has the seam of its
    two wholes in the middle."""
    if name in BODIES:
        make, symmetry, _ = BODIES[name]
        return WorldObject(name, make(), symmetry)
    if name in EMBLEMS:
        make_emblem, symmetry = EMBLEMS[name]
        return WorldObject(name, make_emblem(), symmetry)
    if name in STACKS:
        upper, lower = (
            Placement(each, (0.0, sign * TOPS[each.partition("_")[0]], 0.0))
            for each, sign in zip(STACKS[name], (1, -1))
        )
        return _made_of(name, (lower, upper), Symmetry())
    body, _, emblem = name.partition("_")
    parts = (Placement(body), Placement(emblem, (0.0, 0.0, BODIES[body][2] + 0.001)))
    return _made_of(name, parts, whole_symmetry(body, emblem))


def _made_of(name: str, parts: tuple[Placement, ...], symmetry: Symmetry) -> WorldObject:
    pieces = [composed(p.name).mesh.moved(p.position, p.rotation) for p in parts]
    return WorldObject(name, joined(pieces), symmetry, parts)


def levels_of(name: str) -> int:
    """How many levels an object has: 1 for one that is made of no others, and one more than its parts."""
    return 3 if name in STACKS else 2 if name in WHOLES else 1


def whole_symmetry(body: str, emblem: str) -> Symmetry:
    """An emblem leaves a body the turns about z that both allow: some only for a disc with a star."""
    return Symmetry(rotations=about((0, 0, 1), 5)) if (body, emblem) == ("disc", "star") else Symmetry()


def as_parts(whole: Placement, thing: WorldObject) -> tuple[Placement, ...]:
    """The placements of the parts of a placed whole; of an object without parts, the placement itself."""
    if not thing.parts:
        return (whole,)
    turned = np.asarray(whole.rotation, np.float64)
    made = []
    for part in thing.parts:
        where = np.asarray(whole.position) + whole.scale * apply(turned, part.position)
        x, y, z = (float(v) for v in where)
        made.append(Placement(part.name, (x, y, z), matmul(turned, part.rotation), whole.scale * part.scale))
    return tuple(made)
