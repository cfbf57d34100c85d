"""Where two hypotheses differ most, by array expressions that compare every point with every other: what the
program of `saccade.cortex.goals` is held against.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.goals.goal_places import HypothesisSource, Standpoints
from saccade.cortex.goals.questions import (
    CONSIDERED,
    TRIED,
    Floats,
    GoalSettings,
    Places,
    Questions,
    cosine_between,
)
from saccade.reproducible import apply, cosine_of, matmul, norm, unit


def one_of(held: Standpoints, index: int) -> tuple[Floats, Floats]:
    """Location (3,) and rotation (3, 3) of one hypothesis."""
    return held.locations[index], held.rotations[index]


def telling_places(
    source: HypothesisSource, asked: Questions, settings: GoalSettings, tried: int = TRIED
) -> Places:
    """What `source.telling_places` finds."""
    answers = Places.none(len(asked.rows))
    for i, (row, *pair) in enumerate(zip(asked.rows, asked.top, asked.rival)):
        top, rival = map(int, pair)
        best, other = (source.strongest_of([(int(row), number)], CONSIDERED)[0] for number in (top, rival))
        empty = asked.empty[i, : asked.vain[i]]
        place = telling_place(source, top, rival, (best, other), asked.sensed[i], empty, settings, tried)
        if place is not None:
            answers.found[i], answers.location[i], answers.normal[i] = True, *place
    return answers


def telling_place(
    source: HypothesisSource,
    top: int,
    rival: int,
    held: tuple[Standpoints, Standpoints],
    sensed: Floats,
    empty: Floats,
    settings: GoalSettings,
    tried: int = TRIED,
) -> tuple[Floats, Floats] | None:
    """Surface point and normal (body frame) where two hypotheses differ most; None without a rival.

    The two are the best of those held of the objects `top` and `rival`, or two poses of `top` if they are the
    same. Those that put a surface at a place of `empty` (E, 3) are left out.
    """
    own = standing_hypotheses(source, top, held[0], sensed, empty, settings)
    if not len(own):
        return None
    first = one_of(own, int(np.argmax(own.evidence)))
    if rival == top:
        other = rival_pose(own.evidence, own.locations, own.rotations, settings)
        if other is None:
            return None
        second = one_of(own, other)
    else:
        others = standing_hypotheses(source, rival, held[1], sensed, empty, settings)
        if not len(others):
            return None
        second = one_of(others, int(np.argmax(others.evidence)))
    candidates = []
    for (model, mine), (other_model, foreign) in (
        ((top, first), (rival, second)),
        ((rival, second), (top, first)),
    ):
        positions, normals = source.points(model)
        some = slice(None, None, -(-len(positions) // tried) or 1)
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
    gaps = norm(moved[:, None] - other).min(axis=1)
    return int(np.argmax(gaps)), float(gaps.max())


def any_near(places: Floats, others: Floats, radius: float) -> NDArray[np.bool_]:
    """(N,) whether one of the others (M, 3) lies within the radius of each place (N, 3)."""
    return np.asarray((norm(places[:, None] - others) <= radius).any(axis=1))
