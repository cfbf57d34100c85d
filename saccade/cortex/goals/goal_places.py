"""Where two hypotheses differ most: the one place whose look tells them apart.

Comes in: rows with two objects each, or one object twice, and on demand their hypotheses and model points.
Goes out: a surface point and its normal in the body frame, or none where no place is worth a look.

A hypothesis (location L, rotation R) puts a model point x at the body-frame place `sensed + R^T (x - L)`, so
two hypotheses lay two models over each other; the place is the point of one that is farthest from every point
of the other. Both directions are tried: a mug differs from a cup at its handle even when the cup is the
better hypothesis, and no point of the cup could tell.

Far means in space and in looks. Colours are coordinates beside the three of space, scaled to metres, so that
the label of a can, which is nowhere but on its side, is a place that tells its turns apart.

    places = source.telling_places(questions, GoalSettings())
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.goals.goal_loops import farthest, near
from saccade.reproducible import apply, cosine_of, matmul, norm, total, unit
from saccade.reproducible.threads import in_threads

Floats = NDArray[np.float64]

# Hypotheses of an object that are considered, the best ones: the others have no say in what to look at.
CONSIDERED = 96
# Points of a model that are tried as goals, evenly picked: 2,000 against 2,000 take 75 ms, 500 take 17.
TRIED = 500


@dataclass(frozen=True)
class Questions:
    """W times: the row, its best object and the rival's number (the same where poses are in question), each
    (W,); sensed (W, 3): where the hypotheses' locations lie in the body frame; empty (W, E, 3): places
    without a surface, of which the first vain (W,) count.
    """

    rows: NDArray[np.int64]
    top: NDArray[np.int64]
    rival: NDArray[np.int64]
    sensed: Floats
    empty: Floats
    vain: NDArray[np.int64]


@dataclass(frozen=True)
class Places:
    """Answers: found (W,) whether some place is worth a look, location (W, 3) and normal (W, 3) of it."""

    found: NDArray[np.bool_]
    location: Floats
    normal: Floats

    @staticmethod
    def none(count: int) -> Places:
        return Places(np.zeros(count, bool), np.zeros((count, 3)), np.zeros((count, 3)))


class HypothesisSource(Protocol):
    """Read on demand, for the few rows that make a goal."""

    def hypotheses(self, row: int, number: int) -> tuple[Floats, Floats, Floats]:
        """Evidence (H,), locations (H, 3) and rotations (H, 3, 3) of object `number` in one row."""
        ...

    def strongest_of(self, wanted: Sequence[tuple[int, int]], most: int) -> list[Standpoints]:
        """At most so many of the `hypotheses` of each row and object, those with the most evidence first."""
        every = [Standpoints(*self.hypotheses(row, number)) for row, number in wanted]
        return [each.at(np.argsort(-each.evidence, kind="stable")[:most]) for each in every]

    def points(self, number: int) -> tuple[Floats, Floats]:
        """Positions (N, 3) and unit normals (N, 3) of the model of object `number`."""
        ...

    def colours(self, number: int) -> Floats:
        """(N, 3) of the same points: coordinates in which colours that look alike are near, 1 apart at most
        in each; (N, 0) where the model knows none."""
        ...

    def telling_places(self, questions: Questions, settings: GoalSettings) -> Places:
        """An answer for each question, by all threads of the host: loops that end early compare two models in
        6 ms where a program that compares all nodes takes 18. Of what is on a device the strongest hypotheses
        alone are read, of all questions at once."""
        asked = list(zip(*(each.tolist() for each in (questions.rows, questions.top, questions.rival))))
        wanted = list(dict.fromkeys((row, number) for row, *pair in asked for number in pair))
        held = dict(zip(wanted, self.strongest_of(wanted, CONSIDERED), strict=True))

        def answer(i: int) -> tuple[Floats, Floats] | None:
            row, top, rival = asked[i]
            empty = questions.empty[i, : int(questions.vain[i])]
            pair = held[row, top], held[row, rival]
            return telling_place(self, top, rival, pair, questions.sensed[i], empty, settings)

        places = Places.none(len(asked))
        for i, found in enumerate(in_threads(answer, range(len(asked)))):
            if found is not None:
                places.location[i], places.normal[i] = found
                places.found[i] = True
        return places


@dataclass(frozen=True)
class GoalSettings:
    """min_steps: steps that must pass between goals. elapsed_steps: after so many a goal is made without
    other cause; the wait is multiplied by `wait_growth` each time. x_percent and pose_focus_scale: how clear
    the best object must be to test its pose instead of its identity. tolerance: metres from the goal that
    count as reached. new_rotation: radians by which the best rotation must have changed to test again;
    pose_difference: radians and location_difference: metres by which a pose must differ from the best to be
    its rival. min_gap: metres; models that agree this well everywhere are not worth a goal. colour_scale:
    metres that a colour's full range is worth. same_place: metres from an empty place within which a model
    point is refuted.
    """

    min_steps: int = 10
    elapsed_steps: int = 10
    wait_growth: int = 2
    x_percent: float = 20.0
    pose_focus_scale: float = 0.75
    tolerance: float = 0.015
    new_rotation: float = math.radians(5.0)
    pose_difference: float = math.radians(20.0)
    location_difference: float = 0.02
    min_gap: float = 0.005
    colour_scale: float = 0.03
    same_place: float = 0.006


@dataclass(frozen=True)
class Standpoints:
    """Hypotheses of one object: evidence (H,), locations (H, 3), rotations (H, 3, 3)."""

    evidence: Floats
    locations: Floats
    rotations: Floats

    def __len__(self) -> int:
        return len(self.evidence)

    def at(self, which: NDArray[np.intp]) -> Standpoints:
        """Some of them."""
        return Standpoints(self.evidence[which], self.locations[which], self.rotations[which])

    def of(self, index: int) -> tuple[Floats, Floats]:
        """Location (3,) and rotation (3, 3) of one."""
        return self.locations[index], self.rotations[index]


def telling_place(
    source: HypothesisSource,
    top: int,
    rival: int,
    held: tuple[Standpoints, Standpoints],
    sensed: Floats,
    empty: Floats,
    settings: GoalSettings,
) -> tuple[Floats, Floats] | None:
    """Surface point and normal (body frame) where two hypotheses differ most; None without a rival.

    The two are the best of those held of the objects `top` and `rival`, or two poses of `top` if they are the
    same. Those that put a surface at a place of `empty` (E, 3) are left out.
    """
    own = standing_hypotheses(source, top, held[0], sensed, empty, settings)
    if not len(own):
        return None
    first = own.of(int(np.argmax(own.evidence)))
    if rival == top:
        other = rival_pose(own.evidence, own.locations, own.rotations, settings)
        if other is None:
            return None
        second = own.of(other)
    else:
        others = standing_hypotheses(source, rival, held[1], sensed, empty, settings)
        if not len(others):
            return None
        second = others.of(int(np.argmax(others.evidence)))
    candidates = []
    for (model, mine), (other_model, foreign) in (
        ((top, first), (rival, second)),
        ((rival, second), (top, first)),
    ):
        positions, normals = source.points(model)
        some = slice(None, None, -(-len(positions) // TRIED) or 1)
        positions, normals = positions[some], normals[some]
        looks = settings.colour_scale * source.colours(model)[some]
        other_looks = settings.colour_scale * source.colours(other_model)
        index, gap = most_different_point(
            positions, mine, source.points(other_model)[0], foreign, looks, other_looks
        )
        candidates.append((gap, positions[index], normals[index], mine))
    gap, position, normal, (location, rotation) = max(candidates, key=lambda candidate: candidate[0])
    if gap <= settings.min_gap:
        return None
    return sensed + apply(rotation.T, position - location), unit(apply(rotation.T, normal), least=1e-12)


def standing_hypotheses(
    source: HypothesisSource,
    number: int,
    best: Standpoints,
    sensed: Floats,
    empty: Floats,
    settings: GoalSettings,
) -> Standpoints:
    """Those of the best hypotheses of an object that no empty place (E, 3) refutes."""
    if not len(empty):
        return best
    places = best.locations[:, None] + apply(best.rotations[:, None], empty - sensed)
    met = any_near(places.reshape(-1, 3), source.points(number)[0], settings.same_place)
    return best.at(np.flatnonzero(~met.reshape(len(best), -1).any(axis=1)))


def rival_pose(evidence: Floats, locations: Floats, rotations: Floats, settings: GoalSettings) -> int | None:
    """The best hypothesis (H,) that puts the object differently than the best one does; None if all agree.

    The next best number as such would nearly always be the same pose from a neighbouring node. Two hypotheses
    agree if their rotations do and they put the object's origin, -R^T L from the sensor, in one place.
    """
    best = int(np.argmax(evidence))
    turned = cosine_between(rotations, rotations[best]) < cosine_of(settings.pose_difference)
    origins = -apply(np.swapaxes(rotations, 1, 2), locations)
    differs = turned | (norm(origins - origins[best]) > settings.location_difference)
    if not differs.any():
        return None
    return int(np.argmax(np.where(differs, evidence, -np.inf)))


def cosine_between(rotations: Floats, others: Floats) -> Floats:
    """The cosine of the angle from rotations (..., 3, 3) to others: half of one less than the trace."""
    return np.asarray((total((rotations * others).reshape(*rotations.shape[:-2], 9)) - 1) / 2)


def most_different_point(
    positions: Floats,
    own: tuple[Floats, Floats],
    other: Floats,
    foreign: tuple[Floats, Floats],
    looks: Floats | None = None,
    other_looks: Floats | None = None,
) -> tuple[int, float]:
    """The point of one model (N, 3) farthest from every point of the other (M, 3), and that distance.

    own and foreign are (location (3,), rotation (3, 3)) of the hypotheses that lay the models over each
    other. looks (N, C) and other_looks (M, C) are further coordinates of the points, in metres.
    """
    (location, rotation), (other_location, other_rotation) = own, foreign
    moved = apply(matmul(other_rotation, rotation.T), positions - location) + other_location
    if looks is not None and other_looks is not None and looks.shape[1] == other_looks.shape[1]:
        moved = np.concatenate([moved, looks], axis=1)
        other = np.concatenate([other, other_looks], axis=1)
    if not len(other):
        return 0, np.inf
    found, gap = np.empty(1, np.int64), np.empty(1)
    others = np.ascontiguousarray(other, np.float64)
    farthest(np.ascontiguousarray(moved), len(moved), others, len(others), others.shape[1], found, gap)
    return int(found[0]), float(np.sqrt(gap[0]))


def any_near(places: Floats, others: Floats, radius: float) -> NDArray[np.bool_]:
    """(N,) whether one of the others (M, 3) lies within the radius of each place (N, 3)."""
    if not len(others):
        return np.zeros(len(places), bool)
    flags, nodes = np.empty(len(places), np.int64), np.ascontiguousarray(others, np.float64)
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    near(np.ascontiguousarray(places), len(places), nodes, len(nodes), low, high, np.array([radius]), flags)
    return flags.astype(bool)
