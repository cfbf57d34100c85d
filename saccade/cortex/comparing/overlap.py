"""Whether what was felt and a model are one thing: laid on each other by ICP (iterative closest point, with
normals and colours), how much of either lies on the other.

In: percepts of a thing and the nodes of a model. Out: the movement that lays the percepts on the nodes, and
the share of both that then agree.

    found = overlap(felt.in_object_frame(rotation, anchor, location), nodes, reach=0.0125)    # as recognised
    found = compared(felt, nodes, reach=0.0125)                                               # from scratch
    found.share                  # 0.9: one object; 0.4: two that are alike in places
    found.moved(felt)            # the percepts where they belong, to extend the model with

A hypothesis rests on a few dozen percepts near each other. It is right to some degrees, and may be of an
object that is the same there and nowhere else: the inside of a mug is much like that of a glass. Once all
sides of a thing were felt, the whole decides. Agreement is mutual, for a part of a thing lies wholly on it:
a percept agrees with a node within reach that faces the same way, where colour counts as a distance too, and
a node with a percept likewise; the smaller share is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.comparing.overlap_loops import blur, pair_squares
from saccade.cortex.geometry import uniform_rotations
from saccade.cortex.models.model import NodeSet, Observations
from saccade.reproducible import apply, cos_sin, cross, dot, least_squares, linspace, matmul, mean, norm
from saccade.world.symmetry.symmetry import rotation_about

Floats = npt.NDArray[np.float64]

#: points of either side that a movement is found from; more do not make it better
_ENOUGH = 400
#: points that are enough to see whether a turn is promising
_GLANCE = 60
#: turns that are settled on half the points, and those of them that are on all
_PROMISING, _FINAL = 10, 2
#: how many times the reach counts as near, round by round
_WIDTHS = (3.0, 2.75, 2.5, 2.25, 2.0, 1.8, 1.6, 1.4, 1.2, *[1.0] * 6)
#: a movement smaller than this (metres) is none
_STILL = 1e-4
#: a movement that brings the percepts so little nearer to the surface, beside others, is left alone: the turn
#: of a bowl about its axis
_OPEN = 0.1
#: surfaces that are so many times the reach away from each other on average hardly touch
_APART = 1.25
#: mean distances from the middle that differ by more than this share are those of two things
_OTHER_SIZE = 0.25
#: colours are averaged over so many times the reach, as each alone is noisy
_BLUR = 1.5
#: how far apart two colours are, in the cone of hue, saturation and value, that differ as much as two points
#: out of reach of each other
_OTHER_COLOUR = 0.25


@dataclass(frozen=True)
class Overlap:
    """rotation (3, 3) and translation (3,) lay the percepts on the model. share: how much of either then lies
    on the other."""

    rotation: Floats
    translation: Floats
    share: float

    def moved(self, percepts: Observations) -> Observations:
        return percepts.in_object_frame(self.rotation, np.zeros(3), self.translation)


NOTHING = Overlap(np.eye(3), np.zeros(3), 0.0)


def overlap(percepts: Observations, nodes: NodeSet, reach: float) -> Overlap:
    """Lay percepts, in the model's frame but for a few degrees and centimetres, on the nodes of a model."""
    if not len(percepts) or not len(nodes):
        return NOTHING
    return _laid(_Surface.of(percepts, reach), _Surface.of(Observations.of(nodes), reach), reach)


def shared(
    percepts: Observations, nodes: NodeSet, rotation: Floats, translation: Floats, reach: float
) -> Overlap:
    """How much of percepts and of a model agrees when the percepts are moved like this."""
    felt, known = _Surface.of(percepts, reach), _Surface.of(Observations.of(nodes), reach)
    return _shared(felt, known, rotation, translation, reach)


def compared(percepts: Observations, nodes: NodeSet, reach: float) -> Overlap:
    """Lay percepts of all sides of a thing on a model without knowing how: middle on middle, turned in every
    way there is, and the most promising few settled. Where these stay apart the share is given as 0.
    """
    if not len(percepts) or not len(nodes):
        return NOTHING
    felt, known = _Surface.of(percepts, reach), _Surface.of(Observations.of(nodes), reach)
    mine, theirs = felt.even(reach), known.even(reach)
    if abs(mine.size - theirs.size) > _OTHER_SIZE * theirs.size:
        return NOTHING
    turns = uniform_rotations()
    shifts = theirs.middle - apply(turns, mine.middle)
    few, some = mine.some(_GLANCE), theirs.some(4 * _GLANCE)
    glances = [few.moved(turn, shift).farness(some, theirs.size) for turn, shift in zip(turns, shifts)]
    few = mine.some(_ENOUGH // 2)
    settled: list[tuple[float, Floats, Floats]] = []
    for number in np.argsort(glances, kind="stable")[:_PROMISING]:
        rotation, translation = _settled(few.moved(turns[number], shifts[number]), some, reach)
        translation = apply(rotation, shifts[number]) + translation
        rotation = matmul(rotation, turns[number])
        settled.append((few.moved(rotation, translation).farness(some, 3 * reach), rotation, translation))
    best = NOTHING
    for far, rotation, translation in sorted(settled, key=lambda each: each[0])[:_FINAL]:
        if far > _APART * reach:
            break
        found = _laid(felt.moved(rotation, translation), known, reach)
        if found.share > best.share:
            shift = apply(found.rotation, translation) + found.translation
            best = Overlap(matmul(found.rotation, rotation), shift, found.share)
    return best


@dataclass(frozen=True)
class _Surface:
    """Points (n, 3) with unit normals (n, 3) and colours (n, 3) as distances in metres."""

    points: Floats
    normals: Floats
    colours: Floats

    @staticmethod
    def of(felt: Observations, reach: float) -> _Surface:
        where, normals = _packed(felt.locations), _packed(felt.pose_vectors[:, 0])
        if "hsv" not in felt.features:
            return _Surface(where, normals, np.zeros((len(felt), 0)))
        hue, saturation, value = felt.features["hsv"].T
        chroma, (cosine, sine) = saturation * value, cos_sin(2 * np.pi * hue)
        cone = np.stack([chroma * cosine, chroma * sine, value], axis=1)
        seen = np.ones(len(felt)) if felt.seen is None else felt.seen.astype(np.float64)
        colours = np.empty_like(cone)
        blur(where, normals, cone, seen, len(felt), _BLUR * reach, colours)
        return _Surface(where, normals, colours * (reach / _OTHER_COLOUR))

    @property
    def middle(self) -> Floats:
        return mean(self.points, axis=0)

    @property
    def size(self) -> float:
        """Metres from the middle, on average."""
        return float(mean(norm(self.points - self.middle)))

    def even(self, cell: float) -> _Surface:
        """The first point of each cell of a grid, so that what was felt often counts once."""
        cells = np.floor(self.points / cell).astype(np.int64)
        return self.chosen(np.sort(np.unique(cells, axis=0, return_index=True)[1]))

    def some(self, most: int) -> _Surface:
        """At most so many of the points, evenly chosen."""
        return self.chosen(linspace(0, len(self.points) - 1, min(len(self.points), most)).astype(np.int64))

    def chosen(self, numbers: npt.NDArray[np.int64]) -> _Surface:
        return _Surface(self.points[numbers], self.normals[numbers], self.colours[numbers])

    def moved(self, rotation: Floats, translation: Floats) -> _Surface:
        return _Surface(
            apply(rotation, self.points) + translation, apply(rotation, self.normals), self.colours
        )

    def squares(self, other: _Surface) -> Floats:
        """(n, m) squared distances between points that face the same way, infinity between others."""
        own, theirs = np.hstack([self.points, self.colours]), np.hstack([other.points, other.colours])
        away = np.empty((len(own), len(theirs)))
        facing = _packed(self.normals), _packed(other.normals)
        pair_squares(own, facing[0], len(own), theirs, facing[1], len(theirs), own.shape[1], away)
        return away

    def farness(self, other: _Surface, most: float) -> float:
        """How far the points are from the other surface on average, where `most` is as far as can be."""
        nearest = np.minimum(self.squares(other).min(axis=1), most * most)
        return float(mean(np.sqrt(nearest)))


def _packed(values: Floats) -> Floats:
    return np.ascontiguousarray(values, np.float64)


def _laid(felt: _Surface, known: _Surface, reach: float) -> Overlap:
    """The surfaces settled, and how much of them agrees."""
    rotation, translation = _settled(felt.some(_ENOUGH), known, reach)
    return _shared(felt, known, rotation, translation, reach)


def _shared(felt: _Surface, known: _Surface, rotation: Floats, translation: Floats, reach: float) -> Overlap:
    """How much of two surfaces agrees when one is moved like this."""
    away = felt.moved(rotation, translation).squares(known)
    near = [away.min(axis=axis) < reach * reach for axis in (0, 1)]
    share = min(np.count_nonzero(each) / len(each) for each in near)
    return Overlap(rotation, translation, float(share))


def _settled(felt: _Surface, known: _Surface, reach: float) -> tuple[Floats, Floats]:
    """The rotation and translation that bring the points of one surface into the tangent planes of the points
    of another that are nearest to them, found by small movements one after the other.
    """
    middle, size = felt.middle, max(felt.size, 1e-6)
    rotation, translation = np.eye(3), np.zeros(3)
    for width in _WIDTHS:
        away = felt.squares(known)
        nearest = away.argmin(axis=1)
        near = away[np.arange(len(away)), nearest] < width * reach * width * reach
        if np.count_nonzero(near) < 6:
            break
        points, to = felt.points[near], nearest[near]
        normals = known.normals[to]
        # A turn w about m and a shift t move p by w x (p - m) + t: along the node's normal n, that is
        # ((p - m) x n) . w + n . t. With turns in units of the size both weigh the same.
        effect = np.hstack([cross((points - middle) / size, normals), normals])
        lack = dot(known.points[to] - points, normals)
        movement = least_squares(effect, lack, _OPEN)
        angle = float(norm(movement[:3])) / size
        turn = rotation_about(movement[:3], angle) if angle else np.eye(3)
        shift = middle + movement[3:] - apply(turn, middle)
        rotation, translation = matmul(turn, rotation), apply(turn, translation) + shift
        felt = felt.moved(turn, shift)
        if width == 1.0 and np.abs(movement).max() < _STILL:
            break
    return rotation, translation
