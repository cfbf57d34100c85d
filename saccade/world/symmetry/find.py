"""The rotations that leave a mesh as it is, found by trying.

Comes in: a mesh and what a sensor cannot tell apart, in metres and in colour. Goes out: a `Symmetry`.

    find_symmetry(mesh)                      # a can without a print: any turn about its axis, and upside down
    find_symmetry(mesh, distance=0.0005)     # a better sensor sees the rim that only one of its ends has

A rotation counts if it brings every place of the surface (99 in 100, for a sample has chance in it) to a
place of the surface that is at most `distance` away, faces the same way and differs by at most `colour` in
each of red, green and blue. The default is the noise of one look in the presets, and less than half of the
distance between the points of a model. A mark that exceeds it on one hundredth of the surface makes an object
one without that symmetry, however seldom a sensor meets the mark.

Scans are not so exact: highlights and shadows of the day they were made are part of their colours. A bowl of
one colour keeps 93 to 97 places in 100 under a turn by the default rule, and 97 or more if colours may differ
by a quarter; a printed can keeps 86, a bottle with a label 83. So scans are judged by the rule `SCANNED`, and
by `SHAPE`, which does not look at colours at all.

Few rotations need to be tried. A symmetry keeps the middle of the surface and the axes along which it
spreads: where the three spreads differ only half turns about those are left; where two are equal, turns about
the third axis and half turns across it. Of bodies as wide in all directions (a ball, a cube) the axes of the
mesh are tried as well, and the directions in which much of its surface faces; an odd axis that is none of
these is not found, and the object is then judged without it.

What is found is a group: every one of its rotations was tried. Rotations that each keep what a sensor can
tell need not do so one after the other (a body that is nearly a ball keeps thousands), so they are not
multiplied; the largest of the groups that a solid can have (cyclic, dihedral, of a regular solid) is taken.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.files.reading import FAILURES
from saccade.reproducible import Draws, apply, cross, dot, eigen_symmetric, matmul, mean, norm, total, unit
from saccade.world.meshes.mesh import Mesh, MeshWarning, WorldObject
from saccade.world.symmetry.loops import count_missed
from saccade.world.symmetry.symmetry import Symmetry, about, dihedral, polyhedral, rotation_about

Array = npt.NDArray[np.float64]

DISTANCE, COLOUR = 0.002, 0.1
# Share of the places that must find one like them, and the cosine of the angle between normals that is alike.
SHARE, FACING = 0.99, 0.7
# Of small things a place may not be farther away than this part of their radius: a die of 16 mm whose places
# may be 2 mm away is nearly a ball.
SMALL = 0.125
# Places that stand for the surface and that are tried; fewer of both for a first look at a rotation.
KEPT, TRIED, FEW_KEPT, FEW_TRIED = 16_000, 1_000, 4_000, 60
# Places fewer than are needed that a first look may miss.
GLANCE_LACK = 0.09
# Spacing of kept places below which more of them tell nothing more, in parts of the distance.
FINEST = 0.25
# Turns about an axis: if it keeps these angles all are free; else it may keep these parts of a circle.
FREE = (0.7, 1.0, 1.9, 2.6)
ORDERS = (12, 10, 9, 8, 7, 6, 5, 4, 3, 2)
# Rotations about odd axes: what keeps these is a ball.
SCATTERED = [
    rotation_about((3, 1, 2), 0.6),
    rotation_about((-1, 4, 2), 1.1),
    rotation_about((2, -3, 5), 1.7),
    rotation_about((5, 2, -4), 2.3),
    rotation_about((-2, -5, 1), 2.9),
    rotation_about((1, -1, -6), 1.4),
]
# Share of the surface that is much of it; cosine of angles that are alike (8 degrees), and of one that is
# nearly a right one (80 degrees); entries of matrices of one rotation.
MUCH, NEAR, UPRIGHT, SAME = 0.03, 0.99, 0.17, 1e-9
# Directions and frames that are tried of a body as wide in all directions.
MOST_LINES, MOST_FRAMES = 10, 24
# Part of the key of what is cached: raise it when the rule changes.
VERSION = "3"


@dataclass(frozen=True)
class Rule:
    """What counts as alike: metres, colour (of 1), and the share of places that must be."""

    distance: float = DISTANCE
    colour: float = COLOUR
    share: float = SHARE

    def __post_init__(self) -> None:
        if not (self.distance > 0 and self.colour >= 0):
            raise ValueError(
                f"distance = {self.distance} must be above 0 and colour = {self.colour} at least 0"
            )


EXACT = Rule()
SCANNED = Rule(colour=0.25, share=0.97)
SHAPE = Rule(colour=np.inf, share=0.97)


@dataclass(frozen=True)
class Surface:
    """Places spread evenly over a mesh in random order: position, normal and colour, each (N, 3)."""

    position: Array
    normal: Array
    colour: Array

    def first(self, count: int) -> Surface:
        return Surface(self.position[:count], self.normal[:count], self.colour[:count])

    def about(self, middle: Array) -> Surface:
        return Surface(self.position - middle, self.normal, self.colour)


@dataclass(frozen=True)
class Sample:
    """What stands for the surface of a mesh about its middle: the places kept, those tried, and the area."""

    every: Surface
    tried: Surface
    area: float

    @staticmethod
    def of(mesh: Mesh) -> Sample:
        areas = mesh.area
        every, tried = spread(mesh, areas, KEPT, 0), spread(mesh, areas, TRIED, 1)
        middle = mean(every.position, axis=0)
        return Sample(every.about(middle), tried.about(middle), float(total(areas)))


def spread(mesh: Mesh, areas: Array, count: int, seed: int) -> Surface:
    """`count` places of a mesh whose faces have these areas."""
    random = Draws(seed)
    area = np.cumsum(areas)
    if not (len(area) and 0 < area[-1] < np.inf):
        raise ValueError("its faces have no area")
    # one place in each of `count` equal shares of the area
    marks = (np.arange(count) + random.uniform(count)) / count * area[-1]
    face = np.minimum(np.searchsorted(area, marks), len(area) - 1)[random.order(count)]
    root, along = np.sqrt(random.uniform(count, 1)), random.uniform(count, 1)
    weights = np.concatenate([1 - root, root * (1 - along), root * along], axis=1)
    chosen = Mesh(mesh.vertices, mesh.faces[face], mesh.colors[face])
    return Surface(
        dot(weights[:, None], np.swapaxes(chosen.triangles, 1, 2)),
        chosen.face_normals(),
        dot(weights[:, None], np.swapaxes(chosen.colors, 1, 2)),
    )


def find_symmetry(mesh: Mesh, distance: float = DISTANCE, colour: float = COLOUR) -> Symmetry:
    """The rotations of a mesh that a sensor cannot tell from none."""
    return Finder(Sample.of(mesh), Rule(distance, colour)).find()


def judged(each: WorldObject, rules: tuple[Rule, Rule] = (SCANNED, SHAPE)) -> WorldObject:
    """An object with its symmetry and that of its shape, each by its rule. A mesh that cannot be judged is
    judged as one without symmetry, with a warning that names it."""
    try:
        sample = Sample.of(each.mesh)
        whole, shape = (Finder(sample, rule).find() for rule in rules)
    except FAILURES as error:
        told = f"the symmetry of mesh {each.name!r} cannot be judged ({error}): it is judged as one without"
        warnings.warn(MeshWarning(told), stacklevel=2)
        whole = shape = Symmetry()
    return replace(each, symmetry=whole, shape=shape)


def told_symmetry(found: Symmetry) -> dict[str, Any]:
    """A symmetry as JSON has it."""
    rotations = np.asarray(found.rotations).tolist()
    return {"axis": found.axis, "rotations": rotations, "every": found.every}


def symmetry_of(kept: dict[str, Any]) -> Symmetry:
    """A symmetry out of JSON; one of `FAILURES` if it holds none."""
    axis, rotations = kept["axis"], np.array(kept["rotations"], np.float64)
    if rotations.ndim != 3 or rotations.shape[1:] != (3, 3) or not np.isfinite(rotations).all():
        raise ValueError(f"rotations of shape {rotations.shape}")
    if axis is not None:
        x, y, z = map(float, axis)
        axis = (x, y, z)
    return Symmetry(axis, list(rotations), bool(kept["every"]))


class Kept:
    """Places that stand for the surface, sorted by cells as wide as others may be away from one of them (see
    `loops`): of 16,000 some dozen are looked at."""

    def __init__(self, surface: Surface, reach: float) -> None:
        cell = np.floor(surface.position / reach).astype(np.int64)
        self.low, self.span = cell.min(axis=0) - 2, np.ptp(cell, axis=0) + 5
        x, y, z = np.moveaxis(cell - self.low, -1, 0)
        keys = (x * self.span[1] + y) * self.span[2] + z
        order = np.argsort(keys, kind="stable")
        self.keys, self.reach = keys[order], reach
        self.surface = Surface(surface.position[order], surface.normal[order], surface.colour[order])


class Finder:
    """The surface of one mesh, and which rotations keep it."""

    def __init__(self, sample: Sample, rule: Rule) -> None:
        self.every, self.tried = sample.every, sample.tried
        self.radius = float(norm(self.every.position).max())
        distance = min(rule.distance, SMALL * self.radius)
        self.distance, self.colour, self.least = distance, rule.colour, rule.share
        area = sample.area
        # where the surface is the same the nearest of the places kept may still be their spacing away
        enough = max(FEW_TRIED, int(area / (FINEST * distance) ** 2))
        self.all, self.few = (
            Kept(self.every.first(count), distance + np.sqrt(area / count))
            for count in (min(KEPT, enough), min(FEW_KEPT, enough))
        )

    def shares(self, rotations: Array, some: Surface, kept: Kept, least: float = 0.0) -> Array:
        """How many of some places each of some rotations (T, 3, 3) brings to a place like them; where that
        is below `least`, any number below it."""
        turns, count = len(rotations), len(some.position)
        missed = np.empty(turns, np.int64)
        count_missed(
            np.ascontiguousarray(rotations).ravel(),
            turns,
            some.position.ravel(),
            some.normal.ravel(),
            some.colour.ravel(),
            count,
            kept.keys,
            kept.surface.position.ravel(),
            kept.surface.normal.ravel(),
            kept.surface.colour.ravel(),
            len(kept.keys),
            kept.low,
            kept.span,
            float(kept.reach),
            FACING,
            float(self.colour),
            int((1 - least) * count) + 1,
            missed,
        )
        return np.asarray((count - missed) / count)

    def glance(self, rotations: Array, least: float = 0.0) -> Array:
        """The share of few places, which never is much less than that of all."""
        return self.shares(rotations, self.tried.first(FEW_TRIED), self.few, least)

    def keeps(self, rotation: Array) -> bool:
        """Whether a rotation leaves everything as it is."""
        one, promising = rotation[None], self.least - GLANCE_LACK
        if not self.glance(one, promising)[0] > promising:
            return False
        return bool(self.shares(one, self.tried, self.all, self.least)[0] >= self.least)

    def find(self) -> Symmetry:
        where = self.every.position  # about its middle
        squares, axes = eigen_symmetric(mean(where[:, :, None] * where[:, None, :], axis=0))
        equal = np.diff(np.sqrt(np.maximum(squares, 0))) < self.distance
        if not equal.any():
            half_turns = [[np.eye(3), half_turn(axis)] for axis in axes.T]
            return self.largest([dihedral(axes[:, 0], axes[:, 1], 2), *half_turns])
        if equal.all():
            return self.wide_everywhere(axes.T)
        axis = axes[:, 2] if equal[0] else axes[:, 0]
        return self.turned_freely([axis]) or self.turned_in_steps([axis])

    def largest(self, groups: Sequence[Sequence[Array]]) -> Symmetry:
        """The largest of some groups of which every rotation is kept; none if there is no such."""
        for group in sorted(groups, key=len, reverse=True):
            if self.keeps_all(group):
                return Symmetry(rotations=list(group))
        return Symmetry()

    def keeps_all(self, group: Sequence[Array]) -> bool:
        """Whether all rotations of a group are kept."""
        return all(map(self.keeps, up_to_inverse(group)))

    def wide_everywhere(self, axes: Array) -> Symmetry:
        """Of a body as wide in all directions: a ball, one that turns about an axis, a regular solid."""
        if all(map(self.keeps, SCATTERED)):
            return Symmetry(every=True)
        facing = self.facing()
        pairs = [a + sign * b for a, b in itertools.combinations(facing, 2) for sign in (1, -1)]
        lines = distinct([*facing, *np.eye(3), *axes, *pairs])
        free = self.turned_freely(lines)
        if free is not None:
            return free
        halves = [line for line in lines if self.keeps(half_turn(line))]
        frames = [frame for a, b in itertools.permutations(halves, 2) if (frame := upright(a, b)) is not None]
        for group, some in solids():
            for frame in frames[:MOST_FRAMES]:
                if all(self.keeps(matmul(matmul(frame, member), frame.T)) for member in some):
                    return Symmetry(rotations=[matmul(matmul(frame, member), frame.T) for member in group])
        return self.turned_in_steps(lines[:MOST_LINES])

    def facing(self) -> list[Array]:
        """Directions, up to their sign, in which much of the surface faces."""
        left = self.every.first(TRIED).normal
        found: list[Array] = []
        least = MUCH * len(left)
        while len(found) < MOST_LINES:
            near = np.abs(matmul(left, left.T)) > NEAR
            counts = near.sum(axis=1)
            if not len(left) or counts.max() < least:
                break
            members = near[int(np.argmax(counts))]
            # the main axis of the normals there, whichever way each of them looks
            found.append(eigen_symmetric(matmul(left[members].T, left[members]))[1][:, 2])
            left = left[~members]
        return found

    def turned_freely(self, axes: Sequence[Array]) -> Symmetry | None:
        """Any turn about one of the axes, and half turns across it."""
        for axis in axes:
            if all(self.keeps(rotation_about(axis, angle)) for angle in FREE):
                x, y, z = axis.tolist()
                across_it = half_turn(across(axis))
                return Symmetry((x, y, z), [np.eye(3), *([across_it] if self.keeps(across_it) else [])])
        return None

    def turned_in_steps(self, axes: Sequence[Array]) -> Symmetry:
        """The largest group about one of the axes: parts of a circle, with half turns across it or not."""
        found = []
        for axis in axes:
            order = next((n for n in ORDERS if self.keeps_all(about(axis, n))), 1)
            # the half turn that keeps most, if it keeps all
            flips = self.flips(axis)
            flip = flips[int(np.argmax(self.glance(half_turn(flips))))]
            groups = [dihedral(axis, flip, order), about(axis, order), [np.eye(3), half_turn(flip)]]
            found.append(self.largest([group for group in groups if len(group) > 1]))
        return max(found, key=lambda each: len(each.rotations))

    def flips(self, axis: Array) -> Array:
        """Directions (N, 3) across an axis, so close that none is farther off than the distance."""
        count = int(np.clip(np.ceil(np.pi * self.radius / self.distance), 8, 180))
        return apply(rotation_about(axis, np.array([np.pi * k / count for k in range(count)])), across(axis))


def half_turn(axis: Array) -> Array:
    """(..., 3) -> (..., 3, 3)."""
    return rotation_about(axis, np.full(axis.shape[:-1], np.pi))


def across(axis: Array) -> Array:
    """Some unit vector perpendicular to an axis."""
    return unit(cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))]))


def up_to_inverse(group: Sequence[Array]) -> Iterator[Array]:
    """The rotations of a group but for the identity, of one and its inverse the first: both keep as much."""
    found = [np.eye(3)]
    for rotation in group:
        if not (np.abs(rotation.T - np.stack(found)).max(axis=(1, 2)) < SAME).any():
            found.append(rotation)
            yield rotation


@cache
def solids() -> list[tuple[tuple[Array, ...], list[Array]]]:
    """The groups of the regular solids, and the rotations of each that need to be tried."""
    return [(group, list(up_to_inverse(group))) for group in polyhedral()]


def distinct(lines: Sequence[Array]) -> list[Array]:
    """Unit vectors along some directions, of those within a few degrees of each other the first."""
    found: list[Array] = []
    for line in lines:
        length = norm(line)
        if length > 0.1 and not any(abs(dot(line, known)) > NEAR * length for known in found):
            found.append(line / length)
    return found


def upright(first: Array, second: Array) -> Array | None:
    """The frame (3, 3) whose first two columns are two axes at right angles, None if they are not."""
    along = dot(first, second)
    if abs(along) > UPRIGHT:
        return None
    side = unit(second - along * first)
    return np.stack([first, side, cross(first, side)], axis=1)
