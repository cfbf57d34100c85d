"""Learning modules: what they share (the Protocol), and the one that gathers evidence.

A module owns what it learned (its memory of object models), which senders it listens to, and per row how
far the current episode has come. Its hypotheses live in a *bank*, possibly stacked with those of other
modules; a bank is made for modules of one kind with equal settings, and a backend decides how many of them
share one.

    in   percepts, batched by the backend, into the bank;  Outcome, read from it, into `conclude`
    out  ModuleResult per step: best hypothesis, possible objects, terminal state, the percept for the level
    above
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.outcome import Outcome
from saccade.cortex.bank.results import MATCH, NO_MATCH, ModuleResult, Pose, object_number
from saccade.cortex.features import FeatureLayout
from saccade.cortex.messages import Percept, PerceptBatch
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.modules.row_blocks import RowBlocks, bank_of
from saccade.cortex.ops import Readable
from saccade.cortex.settings import EvidenceSettings

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Bank(Protocol):
    """Device state of modules of one kind that step together. Nothing here waits for the device."""

    @property
    def rows(self) -> int:
        """Episodes side by side."""

    def launch(self, batch: PerceptBatch, check: Bools | None = None) -> Any:
        """Enqueue a whole step, where nobody votes: `advance` and `conclude` in one."""

    def advance(self, batch: PerceptBatch, check: Bools | None = None) -> Any:
        """Enqueue the update by the percepts (rows, modules, channels) of one step."""

    def conclude(self, step: Any) -> Any:
        """Enqueue what follows when votes, if any, have been received."""

    def results_of(self, pending: Any) -> Sequence[Readable]:
        """The tensors to read when the step is gathered."""

    def outcome_of(self, pending: Any, values: Sequence[npt.NDArray[Any]]) -> Any:
        """What the step found, from the values of those tensors."""

    def reset(self, rows: Bools | None = None) -> None:
        """Forget the current episode of the marked rows."""

    def keep(self, rows: Ints) -> None:
        """Go on with the rows of these numbers alone, in this order; the others are gone."""


@runtime_checkable
class LearningModule(Protocol):
    """What groups and backends need to know about a module, of whatever kind."""

    name: str
    channels: tuple[str, ...]

    @property
    def group_key(self) -> Hashable:
        """Modules with equal keys can share a bank."""

    @property
    def layouts(self) -> tuple[FeatureLayout, ...]:
        """The feature columns it wants from each channel."""

    @classmethod
    def bank(cls, modules: Sequence[Any], rows: int = 1, device: str | None = None) -> Bank:
        """The shared state of several modules of this kind."""

    def conclude(self, outcome: Any, index: int) -> ModuleResult:
        """Turn what the bank found for its module number `index` into a result, and take note of it."""

    def reset(self, rows: Bools | None = None) -> None:
        """Begin a new episode in the marked rows."""

    def keep(self, rows: Ints) -> None:
        """Go on with the rows of these numbers alone, in this order."""


class Episodes:
    """How far a module is in the episode of each row: percepts it matched, and how it ended."""

    def reset(self, rows: Bools | None = None) -> None:
        if rows is None:
            self._terminal: dict[int, str | None] = {}
            self._steps: dict[int, int] = {}
        else:
            for row in np.flatnonzero(rows).tolist():
                self._terminal.pop(row, None)
                self._steps.pop(row, None)

    def keep(self, rows: Ints) -> None:
        kept = list(enumerate(rows.tolist()))
        self._terminal = {row: self._terminal[old] for row, old in kept if old in self._terminal}
        self._steps = {row: self._steps[old] for row, old in kept if old in self._steps}

    def steps(self, row: int) -> int:
        """Percepts with features that were matched in this episode."""
        return self._steps.get(row, 0)


class EvidenceModule(Episodes):
    """Recognises objects and poses by evidence for thousands of hypotheses."""

    def __init__(
        self,
        name: str,
        channels: Sequence[str],
        settings: EvidenceSettings | None = None,
        models: Sequence[ObjectModel] = (),
    ) -> None:
        self.name, self.channels = name, tuple(channels)
        self.settings = EvidenceSettings() if settings is None else settings
        self.memory: dict[str, ObjectModel] = {}
        self._names: tuple[str, ...] = ()
        for model in models:
            self.remember(model)
        self.reset()

    def remember(self, model: ObjectModel) -> None:
        """Add an object to memory; a name that is taken is an error (use `replace_model` to extend one)."""
        if model.name in self.memory:
            raise ValueError(
                f"module {self.name!r} already knows an object {model.name!r}; choose another name"
            )
        self.memory[model.name] = model
        self._names = tuple(self.memory)

    def replace_model(self, model: ObjectModel) -> None:
        """Put a newer version of a known object into memory."""
        if model.name not in self.memory:
            raise KeyError(
                f"module {self.name!r} knows no object {model.name!r}; it knows {list(self.memory)}"
            )
        self.memory[model.name] = model

    @property
    def group_key(self) -> Hashable:
        return ("evidence", self.settings, self.layouts)

    @property
    def layouts(self) -> tuple[FeatureLayout, ...]:
        return tuple(self.settings.layout(channel) for channel in self.channels)

    @classmethod
    def bank(
        cls, modules: Sequence[EvidenceModule], rows: int = 1, device: str | None = None
    ) -> EvidenceBank | RowBlocks:
        memories = [list(module.memory.values()) for module in modules]
        return bank_of(memories, [m.channels for m in modules], modules[0].settings, rows, device)

    def conclude(self, outcome: Outcome, index: int) -> ModuleResult:
        (processed, on_object), matches = outcome.step.marked.lists, outcome.matches
        checks = outcome.checks if outcome.step.checks else None
        steps, states = self._steps, self._terminal
        terminal = []
        for row, modules in enumerate(processed):
            state = states.get(row)
            if modules[index]:
                steps[row] = steps.get(row, 0) + 1
            found = matches[row * len(modules) + index]
            if state == NO_MATCH and outcome.step.voted and found:
                state = states[row] = None  # what others believe gave it a match again
            if modules[index] and not found:
                state = states[row] = NO_MATCH
            elif checks is not None and checks[0][row][index]:
                state = states[row] = self._settled(state, checks[1][row][index], found)
            terminal.append(state)
        result = EvidenceResult(self.name, self._names, terminal, outcome, index)
        if MATCH in terminal:
            for row, ended in enumerate(terminal):
                if ended == MATCH and on_object[row][index] and result.best[row] is not None:
                    result.outputs[row] = self.output(result, row)
        return result

    @staticmethod
    def _settled(state: str | None, found: bool, matches: float) -> str | None:
        """The terminal state after an end check; between checks only losing the last match changes it."""
        if matches == 1 and found:
            return MATCH
        return None if state == MATCH else state

    def output(self, result: ModuleResult, row: int) -> Percept:
        """What the module believes, as a percept for the level above."""
        best = result.best[row]
        if best is None:
            raise ValueError(f"module {self.name!r} has no hypothesis to report in row {row}")
        average = best.evidence / max(self.steps(row), 1)
        return Percept(
            location=best.location,
            pose_vectors=best.rotation,
            features={"object_id": [float(object_number(best.object))]},
            pose_fully_defined=bool(result.symmetry[row] < self.settings.required_symmetry_evidence),
            confidence=float(np.clip(average, 0.0, 1.0)),
            sender=self.name,
        )


class EvidenceResult(ModuleResult):
    """A result whose larger parts are made when they are first read: who needs only the terminal state pays
    for nothing else.
    """

    def __init__(
        self, module: str, objects: tuple[str, ...], terminal: list[str | None], outcome: Outcome, index: int
    ) -> None:
        self.module, self.objects, self.terminal = module, objects, terminal
        self.outputs = [None] * len(terminal)
        self.failure = None
        self._outcome, self._index = outcome, index

    def of_rows(self, rows: Ints) -> EvidenceResult:
        numbers = rows.tolist()
        terminal = [self.terminal[row] for row in numbers]
        part = EvidenceResult(self.module, self.objects, terminal, self._outcome.of_rows(rows), self._index)
        part.outputs, part.failure = [self.outputs[row] for row in numbers], self.failure
        return part

    def __getattr__(self, name: str) -> Any:
        make = _PARTS.get(name)
        if make is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        value = make(self._outcome, self._index, self.objects)
        setattr(self, name, value)
        return value


def _best(outcome: Outcome, index: int, objects: tuple[str, ...]) -> list[Pose | None]:
    """The most likely hypothesis of every row."""
    at = outcome.beliefs_at.best
    place, turn = at.location[0], at.rotation[0]
    found: list[Pose | None] = []
    for row, modules in enumerate(outcome.told):
        told, values = modules[index], outcome.values[row, index]
        if not objects or told[at.evidence] == -np.inf:
            found.append(None)
            continue
        pose = Pose(
            object=objects[int(told[at.object])],
            id=int(told[at.id]),
            evidence=told[at.evidence],
            location=values[place : place + 3],
            rotation=values[turn : turn + 9].reshape(3, 3),
        )
        found.append(pose)
    return found


def _possible(outcome: Outcome, index: int, objects: tuple[str, ...]) -> list[list[str]]:
    at = outcome.beliefs_at.possible
    return [
        [name for name, flag in zip(objects, modules[index][at], strict=False) if flag]
        for modules in outcome.told
    ]


_PARTS: dict[str, Callable[[Outcome, int, tuple[str, ...]], Any]] = {
    "best": _best,
    "possible": _possible,
    "evidence": lambda outcome, m, objects: outcome.per_object[0][:, m, : len(objects)],
    "counts": lambda outcome, m, objects: outcome.per_object[1][:, m, : len(objects)],
    "prediction_error": lambda outcome, m, objects: outcome.per_object[2][:, m, : len(objects)],
    "possible_hypotheses": lambda outcome, m, objects: outcome.per_object[3][:, m, : len(objects)],
    "symmetry": lambda outcome, m, _: outcome.symmetry[:, m],
    "processed": lambda outcome, m, _: outcome.processed[:, m],
}
