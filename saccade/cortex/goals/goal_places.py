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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.goals.goal_loops import POINT, telling
from saccade.reproducible import cosine_of, total
from saccade.reproducible.threads import in_threads, pieces

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
        6 ms where a program that compares all nodes takes 18, and one call answers many questions, so that
        threads do not wait for Python's lock. Of what is on a device the strongest hypotheses alone are read,
        of all questions at once."""
        asked = list(zip(*(each.tolist() for each in (questions.rows, questions.top, questions.rival))))
        wanted = list(dict.fromkeys((row, number) for row, *pair in asked for number in pair))
        held = Held.of(wanted, self.strongest_of(wanted, CONSIDERED))
        clouds = Clouds.of(self, [number for _, number in wanted], settings.colour_scale)
        count, room = len(asked), questions.empty.shape[1]
        top, rival = (clouds.places(each) for each in (questions.top, questions.rival))
        which = held.places([(row, number) for row, *pair in asked for number in pair])
        sensed, empty = (
            np.ascontiguousarray(each, np.float64) for each in (questions.sensed, questions.empty)
        )
        vain, limits = np.ascontiguousarray(questions.vain, np.int64), settings.limits
        found, places = np.zeros(count, np.int64), Places.none(count)

        def answer(low: int, high: int) -> None:
            telling(
                low, high, top, rival, which, *held.arrays, sensed, empty, room, vain, *clouds.arrays, TRIED,
                limits, np.empty(POINT * TRIED), np.empty(held.longest, np.int64), found,
                places.location, places.normal,
            )  # fmt: skip

        in_threads(answer, *pieces(count))
        return replace(places, found=found.astype(bool))


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

    @property
    def limits(self) -> Floats:
        """(4,) as `goal_loops.telling` takes them."""
        differ = cosine_of(self.pose_difference), self.location_difference
        return np.array([*differ, self.min_gap, self.same_place])


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


@dataclass(frozen=True)
class Held:
    """Hypotheses of several rows and objects side by side: numbers, which of them are whose, bounds (K + 1,),
    evidence (H,), locations (H, 3) and rotations (H, 3, 3)."""

    numbers: Mapping[tuple[int, int], int]
    bounds: NDArray[np.int64]
    evidence: Floats
    locations: Floats
    rotations: Floats

    @staticmethod
    def of(wanted: Sequence[tuple[int, int]], found: Sequence[Standpoints]) -> Held:
        """Those of each row and object that is wanted."""
        ends = np.cumsum([len(each) for each in found])
        return Held(
            {each: place for place, each in enumerate(wanted)},
            np.concatenate([[0], ends]).astype(np.int64),
            np.concatenate([np.zeros(0), *(each.evidence for each in found)]),
            np.concatenate([np.zeros((0, 3)), *(each.locations for each in found)]),
            np.concatenate([np.zeros((0, 3, 3)), *(each.rotations for each in found)]),
        )

    def places(self, wanted: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
        """Which of them are those of each row and object."""
        return np.array([self.numbers[each] for each in wanted], np.int64)

    @property
    def longest(self) -> int:
        return int(np.diff(self.bounds).max(initial=1))

    @property
    def arrays(self) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
        """As loops take them."""
        return self.bounds, self.evidence, self.locations, self.rotations


@dataclass(frozen=True)
class Clouds:
    """The points of several models side by side: numbers (O,), -1 for those that are none of them, points
    (N, 6) with colours as places, normals (N, 3), bounds (M + 1,), boxes (M, 6), coloured (M,) 1 or 0."""

    numbers: NDArray[np.int64]
    points: Floats
    normals: Floats
    bounds: NDArray[np.int64]
    boxes: Floats
    coloured: NDArray[np.int64]

    @staticmethod
    def of(source: HypothesisSource, wanted: Iterable[int], colour_scale: float) -> Clouds:
        """Those of the models that are wanted."""
        chosen = sorted(set(wanted))
        surfaces = [source.points(number) for number in chosen]
        looks = [source.colours(number) for number in chosen]
        numbers = np.full(max(chosen, default=-1) + 1, -1)
        numbers[chosen] = np.arange(len(chosen))
        bounds = np.cumsum([0, *(len(positions) for positions, _ in surfaces)])
        points = np.zeros((int(bounds[-1]), POINT))
        normals, boxes = np.empty((len(points), 3)), np.zeros((len(chosen), 6))
        for model, ((positions, facing), colours) in enumerate(zip(surfaces, looks, strict=True)):
            here = slice(int(bounds[model]), int(bounds[model + 1]))
            points[here, :3], normals[here] = positions, facing
            points[here, 3 : 3 + colours.shape[1]] = colour_scale * colours
            if len(positions):
                boxes[model] = *positions.min(axis=0), *positions.max(axis=0)
        coloured = np.array([colours.shape[1] > 0 for colours in looks], np.int64)
        return Clouds(numbers, points, normals, bounds.astype(np.int64), boxes, coloured)

    def places(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which of them are the models of these numbers."""
        return np.ascontiguousarray(self.numbers[numbers], np.int64)

    @property
    def arrays(self) -> tuple[Floats, Floats, NDArray[np.int64], Floats, NDArray[np.int64]]:
        """As loops take them."""
        return self.points, self.normals, self.bounds, self.boxes, self.coloured


def cosine_between(rotations: Floats, others: Floats) -> Floats:
    """The cosine of the angle from rotations (..., 3, 3) to others: half of one less than the trace."""
    return np.asarray((total((rotations * others).reshape(*rotations.shape[:-2], 9)) - 1) / 2)
