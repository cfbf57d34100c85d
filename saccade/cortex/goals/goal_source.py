"""What goal generation needs to know of a module: read from its result each step, from its bank on demand.

Comes in: a `ModuleResult` (small, already on the host) and the bank the module sits in. Goes out: a
`Standing` for `goals.propose`, and a `BankSource` that reads the hypotheses of single objects in the few rows
that make a goal."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.goals.goal_places import HypothesisSource, Standpoints
from saccade.cortex.goals.goals import Floats, Standing
from saccade.cortex.goals.surfaces import Known, surfaces_of
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.module import LearningModule


@runtime_checkable
class ReadableBank(Protocol):
    """A bank whose models and hypotheses can be read; reading waits for the device."""

    @property
    def memories(self) -> Sequence[Sequence[ObjectModel]]:
        """The models of each module, in memory order."""
        ...

    def hypotheses_of(self, row: int, module: int, name: str) -> Mapping[str, NDArray[Any]]:
        """Arrays "evidence" (H,), "locations" (H, 3) and "rotations" (H, 3, 3) of one object."""
        ...


@runtime_checkable
class RankingBank(ReadableBank, Protocol):
    """A bank that finds the strongest hypotheses where they are, on its device."""

    @property
    def device(self) -> str | None:
        """Where it is."""
        ...

    def strongest(
        self, module: int, wanted: Sequence[tuple[int, str]], most: int
    ) -> list[tuple[Floats, ...]]:
        """As `BankSource.strongest`."""
        ...


#: models of banks, by number of the module, channel and scale of colours, and their points that were sent
_sent: WeakKeyDictionary[
    ReadableBank, dict[tuple[int, str, float], tuple[tuple[ObjectModel, ...], Known]]
] = WeakKeyDictionary()


def same(some: Sequence[ObjectModel], others: Sequence[ObjectModel]) -> bool:
    """Whether they are the same models, one by one."""
    return len(some) == len(others) and all(map(operator.is_, some, others))


@dataclass(frozen=True)
class BankSource(HypothesisSource):
    """The hypotheses and model points of module number `index` of a bank; points are those of one channel.
    rows (r,): which of the bank's rows those asked about are, None where they are the same."""

    bank: ReadableBank
    index: int
    channel: str
    rows: NDArray[np.int64] | None = None

    def row(self, number: int) -> int:
        """Of the bank."""
        return number if self.rows is None else int(self.rows[number])

    @property
    def models(self) -> Sequence[ObjectModel]:
        """The module's objects, in memory order."""
        return self.bank.memories[self.index]

    @property
    def objects(self) -> int:
        return len(self.models)

    @property
    def device(self) -> str | None:
        """Of the bank."""
        return self.bank.device if isinstance(self.bank, RankingBank) else None

    def known(self, colour_scale: float) -> Known:
        """The points of all models, sent again only when these are others."""
        key, models = (self.index, self.channel, colour_scale), tuple(self.models)
        held = _sent.setdefault(self.bank, {}).get(key)
        if held is None or not same(held[0], models):
            held = _sent[self.bank][key] = models, surfaces_of(self, colour_scale, self.device)
        return held[1]

    def hypotheses(self, row: int, number: int) -> tuple[Floats, Floats, Floats]:
        """Evidence (H,), locations (H, 3) and rotations (H, 3, 3) of object `number`."""
        found = self.bank.hypotheses_of(self.row(row), self.index, self.models[number].name)
        evidence, locations, rotations = (
            np.asarray(found[name], np.float64) for name in ("evidence", "locations", "rotations")
        )
        return evidence, locations, rotations

    def strongest(self, wanted: Sequence[tuple[int, str]], most: int) -> list[tuple[Floats, ...]]:
        """Evidence (H,), locations (H, 3) and rotations (H, 3, 3) of the `most` strongest hypotheses of each
        row and object, the best first."""
        numbers = {model.name: number for number, model in enumerate(self.models)}
        found = self.strongest_of([(row, numbers[name]) for row, name in wanted], most)
        return [(each.evidence, each.locations, each.rotations) for each in found]

    def strongest_of(self, wanted: Sequence[tuple[int, int]], most: int) -> list[Standpoints]:
        """The same for objects given by their numbers."""
        if not isinstance(self.bank, RankingBank):
            return super().strongest_of(wanted, most)
        named = [(self.row(row), self.models[number].name) for row, number in wanted]
        return [Standpoints(*each) for each in self.bank.strongest(self.index, named, most)]

    def points(self, number: int) -> tuple[Floats, Floats]:
        """Positions (N, 3) and normals (N, 3) of the model of object `number`."""
        return self._nodes(number).surface

    def colours(self, number: int) -> Floats:
        """(N, 3) places in the cone of colours; (N, 0) where the model knows none."""
        return self._nodes(number).cone

    def _nodes(self, number: int) -> NodeSet:
        channels = self.models[number].channels
        return channels.get(self.channel, next(iter(channels.values())))


def standing_of(
    module: LearningModule, result: ModuleResult, sensed: Floats, source: BankSource | None = None
) -> Standing:
    """What a module believes after a step; sensed (R, 3) is where its inputs came from, body frame. source:
    where its hypotheses are, whose rows are those of the module, too."""
    rows = len(result.best)
    best_object, rotation = np.zeros(rows, np.int64), np.tile(np.eye(3), (rows, 1, 1))
    confidence = np.zeros(rows)
    steps = getattr(module, "steps", None)
    numbers = {name: number for number, name in enumerate(result.objects)}
    for row, best in enumerate(result.best):
        if best is not None:
            best_object[row], rotation[row] = numbers[best.object], best.rotation
            matched = 1 if steps is None else steps(row if source is None else source.row(row))
            confidence[row] = min(max(best.evidence / max(matched, 1), 0.0), 1.0)
    return Standing(
        per_object=result.evidence,
        best_object=best_object,
        best_rotation=rotation,
        counts=result.counts,
        sensed=sensed,
        ready=result.processed,
        confidence=confidence,
    )
