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

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import EvidenceBank, Outcome
from saccade.cortex.features import FeatureLayout
from saccade.cortex.messages import Percept, PerceptBatch
from saccade.cortex.model import ObjectModel
from saccade.cortex.results import MATCH, NO_MATCH, ModuleResult, Pose, object_number
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

Bools = npt.NDArray[np.bool_]


class Bank(Protocol):
    """Device state of modules of one kind that step together. Nothing here waits for the device."""

    rows: int

    def advance(self, batch: PerceptBatch, check: Bools | None = None) -> Any:
        """Enqueue the update by the percepts (rows, modules, channels) of one step."""

    def conclude(self, step: Any) -> Any:
        """Enqueue what follows when votes, if any, have been received."""

    def results_of(self, pending: Any) -> list[Tensor]:
        """The tensors to read when the step is gathered."""

    def outcome_of(self, pending: Any, values: Sequence[npt.NDArray[Any]]) -> Any:
        """What the step found, from the values of those tensors."""

    def reset(self, rows: Bools | None = None) -> None:
        """Forget the current episode of the marked rows."""


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


class EvidenceModule:
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
    ) -> EvidenceBank:
        memories = [list(module.memory.values()) for module in modules]
        return EvidenceBank(memories, [m.channels for m in modules], modules[0].settings, rows, device)

    def reset(self, rows: Bools | None = None) -> None:
        if rows is None:
            self._terminal: dict[int, str | None] = {}
            self._steps: dict[int, int] = {}
        else:
            for row in np.flatnonzero(rows).tolist():
                self._terminal.pop(row, None)
                self._steps.pop(row, None)

    def steps(self, row: int) -> int:
        """Percepts with features that were matched in this episode."""
        return self._steps.get(row, 0)

    def conclude(self, outcome: Outcome, index: int) -> ModuleResult:
        objects = tuple(self.memory)
        n = len(objects)
        beliefs = outcome.beliefs
        rows = beliefs.possible.shape[0]
        best = self._best(beliefs.best, index, objects)
        possible: list[list[str]] = [[] for _ in range(rows)]
        for row, o in np.argwhere(beliefs.possible[:, index, :n]).tolist():
            possible[row].append(objects[o])
        terminal = []
        for row, processed in enumerate(outcome.processed[:, index].tolist()):
            self._steps[row] = self.steps(row) + int(processed)
            terminal.append(self._settled(row, index, outcome, len(possible[row])))
        result = ModuleResult(
            module=self.name,
            objects=objects,
            best=best,
            evidence=np.asarray(beliefs.best.per_object[:, index, :n], np.float64),
            counts=np.asarray(beliefs.counts[:, index, :n], np.int64),
            possible=possible,
            prediction_error=np.asarray(outcome.update.prediction_error[:, index, :n], np.float64),
            terminal=terminal,
            symmetry=np.asarray(beliefs.symmetry[:, index], np.int64),
            possible_hypotheses=np.asarray(beliefs.possible_hypotheses[:, index, :n], np.int64),
            outputs=[None] * rows,
            processed=outcome.processed[:, index],
        )
        for row in range(rows):
            on_object = bool(outcome.on_object[row, index])
            if terminal[row] == MATCH and on_object and best[row] is not None:
                result.outputs[row] = self.output(result, row)
        return result

    def _best(self, best: Any, index: int, objects: Sequence[str]) -> list[Pose | None]:
        """The most likely hypothesis of every row, None where there is none."""
        evidence = np.asarray(best.evidence[:, index], np.float64)
        if not objects:
            return [None] * len(evidence)
        location = np.stack([part[:, index] for part in best.location], axis=-1).astype(np.float64)
        rotation = np.stack([part[:, index] for part in best.rotation], axis=-1).astype(np.float64)
        rotation = rotation.reshape(-1, 3, 3)
        named = zip(best.object[:, index].tolist(), best.id[:, index].tolist(), evidence.tolist())
        return [
            None if value == -np.inf else Pose(objects[o], number, value, location[row], rotation[row])
            for row, (o, number, value) in enumerate(named)
        ]

    def _settled(self, row: int, index: int, outcome: Outcome, matches: int) -> str | None:
        """The terminal state after this step; between end checks only losing the last match changes it."""
        state = self._terminal.get(row)
        if outcome.processed[row, index] and matches == 0:
            state = NO_MATCH
        elif outcome.checked[row, index]:
            found = outcome.beliefs.unique[row, index] or outcome.beliefs.symmetric[row, index]
            if matches == 1 and found:
                state = MATCH
            elif state == MATCH:
                state = None
        self._terminal[row] = state
        return state

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
