"""Questions about two hypotheses, and answers.

A question: a row with two objects, or with one twice. An answer: a surface point and its normal in the body
frame, or none where no place is worth a look. Settings say when to ask, and what is worth it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.reproducible import total

Floats = NDArray[np.float64]

# Hypotheses of an object that are considered, the best ones: the others have no say in what to look at.
CONSIDERED = 96
# Points of a model that are tried as goals, evenly picked: 2,000 would take four times as long to compare.
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


def cosine_between(rotations: Floats, others: Floats) -> Floats:
    """The cosine of the angle from rotations (..., 3, 3) to others: half of one less than the trace."""
    return np.asarray((total((rotations * others).reshape(*rotations.shape[:-2], 9)) - 1) / 2)
