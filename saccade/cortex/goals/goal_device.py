"""Goals where the hypotheses are: questions go to the device, places come back.

Comes in: what `goal_places` asks. Goes out: the same places, to rounding. The points of all models are sent
once for every bank; a question is some 400 bytes, an answer 56. On the host each question reads two lists of
hypotheses and compares two models.

    source = ResidentSource(bank, 0, "patch_0", rows)
    places = source.telling_places(questions, settings)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from saccade.cortex.bank.held import Comparison
from saccade.cortex.goals.goal_places import CONSIDERED, TRIED, Clouds, GoalSettings, Places, Questions
from saccade.cortex.goals.goal_program import MODEL, QUESTION, Shape, Surfaces, telling
from saccade.cortex.goals.goal_source import BankSource, RankingBank
from saccade.cortex.goals.goals import EMPTY_PLACES, Floats
from saccade.cortex.hypotheses.tables import stepped
from saccade.cortex.ops import upload


@runtime_checkable
class ComparingBank(RankingBank, Protocol):
    """A bank that compares the strongest hypotheses where they are."""

    device: str | None

    def compared(
        self, module: int, pairs: Sequence[tuple[int, str, str]], told: Floats, comparison: Comparison
    ) -> Floats:
        """As `HeldRoom.compared`."""
        ...


class Known(NamedTuple):
    """The surfaces of all models of a module, and the points that the largest has at most."""

    surfaces: Surfaces
    longest: int


#: by what they are of: the module of a bank, the channel and the scale of colours
_known: WeakKeyDictionary[ComparingBank, dict[tuple[int, str, float], Known]] = WeakKeyDictionary()


@dataclass(frozen=True)
class ResidentSource(BankSource):
    """As `BankSource`; models are compared on the device of the bank."""

    bank: ComparingBank

    def telling_places(self, questions: Questions, settings: GoalSettings) -> Places:
        """An answer for each question; waits once."""
        count = len(questions.rows)
        names = [model.name for model in self.models]
        columns = zip(
            *(each.tolist() for each in (questions.rows, questions.top, questions.rival)), strict=True
        )
        pairs = [(self.row(row), names[top], names[rival]) for row, top, rival in columns]
        known = self._known(settings.colour_scale)
        shape = Shape(known.longest, TRIED)
        key = ("telling", settings, shape)
        empty = questions.empty.reshape(count, -1)
        nobody = np.zeros(QUESTION + empty.shape[1])
        nobody[:2] = len(names)  # a model without points
        ask = partial(telling, settings, shape)
        comparison = Comparison(key, ask, known.surfaces, CONSIDERED, nobody)
        numbers = np.column_stack([questions.top, questions.rival, questions.vain, questions.sensed, empty])
        found = self.bank.compared(self.index, pairs, numbers.astype(np.float64), comparison)
        return Places(found[:, 0] > 0.5, found[:, 1:4].copy(), found[:, 4:7].copy())

    def rehearse(self, settings: GoalSettings) -> None:
        """Make the program of questions while there is time, by one that nobody asked."""
        nobody, places = np.zeros(1, np.int64), np.zeros((1, EMPTY_PLACES, 3))
        self.telling_places(Questions(nobody, nobody, nobody, places[:, 0], places, nobody), settings)

    def _known(self, colour_scale: float) -> Known:
        held = _known.setdefault(self.bank, {})
        key = (self.index, self.channel, colour_scale)
        if key not in held:
            held[key] = surfaces_of(Clouds.of(self, range(len(self.models)), colour_scale), self.bank.device)
        return held[key]


def surfaces_of(clouds: Clouds, device: str | None) -> Known:
    """The points of models on a device; after the last is a model without any."""
    counts = np.diff(clouds.bounds)
    models = np.zeros((len(counts) + 1, MODEL), np.int32)
    models[:-1] = np.column_stack([clouds.bounds[:-1], counts, clouds.coloured])
    surfaces = Surfaces(
        upload(clouds.points.reshape(-1), "float64", device),
        upload(clouds.normals.reshape(-1), "float64", device),
        upload(models.reshape(-1), "int32", device),
    )
    return Known(surfaces, stepped(int(counts.max()), 1))
