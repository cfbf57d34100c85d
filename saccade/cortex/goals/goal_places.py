"""Where two hypotheses differ most: the one place whose look tells them apart.

Comes in: questions about hypotheses, and on demand these hypotheses and model points. Goes out: a surface
point and its normal in the body frame, or none where no place is worth a look.

How it is found is `goal_program`; here hypotheses that are read on demand are brought to it, for all
questions of a step at once. Those on a device are compared there without the host (`goal_device`).

    places = source.telling_places(questions, GoalSettings())
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.bank.program import Program
from saccade.cortex.goals.goal_program import ANSWER, Shape, telling
from saccade.cortex.goals.questions import CONSIDERED, TRIED, Floats, GoalSettings, Places, Questions
from saccade.cortex.goals.surfaces import Known, Models, Surfaces, surfaces_of
from saccade.cortex.hypotheses.tables import capacity
from saccade.cortex.ops import read, upload
from saccade.tensor import Tensor

#: questions that a launch has room for: at least, so that few programs serve all, and at most, 13 kB each
LEAST, MOST = 8, 64


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


class HypothesisSource(Models, Protocol):
    """Read on demand, for the few rows that make a goal."""

    def hypotheses(self, row: int, number: int) -> tuple[Floats, Floats, Floats]:
        """Evidence (H,), locations (H, 3) and rotations (H, 3, 3) of object `number` in one row."""
        ...

    @property
    def device(self) -> str | None:
        """Where hypotheses are compared."""
        return None

    def strongest_of(self, wanted: Sequence[tuple[int, int]], most: int) -> list[Standpoints]:
        """At most so many of the `hypotheses` of each row and object, those with the most evidence first."""
        every = [Standpoints(*self.hypotheses(row, number)) for row, number in wanted]
        return [each.at(np.argsort(-each.evidence, kind="stable")[:most]) for each in every]

    def known(self, colour_scale: float) -> Known:
        """The points of all models, where they are compared."""
        return surfaces_of(self, colour_scale, self.device)

    def telling_places(self, questions: Questions, settings: GoalSettings) -> Places:
        """An answer for each question. Of what is on a device the strongest hypotheses alone are read, of all
        questions at once, and then all answers."""
        sides = zip(*(each.tolist() for each in (questions.rows, questions.top, questions.rival)))
        pairs = [((row, top), (row, rival)) for row, top, rival in sides]
        wanted = list(dict.fromkeys(each for pair in pairs for each in pair))
        held = dict(zip(wanted, self.strongest_of(wanted, CONSIDERED), strict=True))
        known, number = self.known(settings.colour_scale), as_numbers(questions)
        program = _program(settings, Shape(known.longest, TRIED))
        size, answers = min(capacity(len(pairs), LEAST), MOST), list[Tensor]()
        for begin in range(0, len(pairs), size):
            some = [held[each] for pair in pairs[begin : begin + size] for each in pair]
            asked = np.zeros((size, number.shape[1]))
            asked[:, :2] = self.objects  # of nobody: a model without points
            asked[: len(some) // 2] = number[begin : begin + size]
            hypotheses = upload(side_by_side(some, 2 * size), "float64", self.device, True)
            told = program(hypotheses, upload(asked, "float64", self.device, True), known.surfaces)
            answers.append(told)
        found = np.concatenate([np.zeros((0, ANSWER)), *read(answers)])[: len(pairs)]
        return Places(found[:, 0] > 0.5, found[:, 1:4], found[:, 4:])


@cache
def _program(settings: GoalSettings, shape: Shape) -> Program[[Tensor, Tensor, Surfaces], Tensor]:
    """One for all runs of a process."""
    return Program(partial(telling, settings, shape))


def as_numbers(questions: Questions) -> Floats:
    """(W, QUESTION + 3 E) questions as `goal_program` takes them."""
    empty = questions.empty.reshape(len(questions.rows), 3 * questions.empty.shape[1])
    return np.column_stack([questions.top, questions.rival, questions.vain, questions.sensed, empty])


def side_by_side(held: Sequence[Standpoints], room: int) -> Floats:
    """(room, CONSIDERED, 13) hypotheses as `goal_program` takes them."""
    values = np.zeros((room, CONSIDERED, 13))
    values[..., 0] = -np.inf
    for to, each in zip(values, held, strict=False):
        count = len(each)
        to[:count, 0], to[:count, 1:4] = each.evidence, each.locations
        to[:count, 4:] = each.rotations.reshape(count, 9)
    return values
