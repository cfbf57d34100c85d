"""An engine that only pretends: results are hashes of all they may depend on, so a wrong state shows at once.

Run as a script it starts or continues a run folder and is meant to be killed:

    python fake_engine.py RUN [KEY=VALUE ...]
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from saccade.experiment.config.config import override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.episode import EpisodeRow, Outcome
from saccade.experiment.plan.plan import Episode, Unit, waves
from saccade.experiment.progress import Silent
from saccade.experiment.record.record import RunFolder
from saccade.experiment.resume import reopen
from saccade.experiment.run import execute

NAMES = ["mug", "bowl", "can", "box"]


def digest(*parts: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=4).digest(), "little")


class FakeEngine:
    """Each episode takes `pause` seconds. `order` reverses the order in which units finish side by side."""

    def __init__(self, config: ExperimentConfig, pause: float = 0.0, reverse: bool = False) -> None:
        self.config, self.pause, self.reverse = config, pause, reverse
        self.parts: dict[str, int] = {}
        self.memory: list[int] = []
        self.episodes_run: list[str] = []

    @property
    def known(self) -> frozenset[str]:
        """Each model is of the object at its place in the list of names."""
        return frozenset(NAMES[: len(self.memory)])

    def _outcome(self, episode: Episode, state: int, explored: bool = False) -> Outcome:
        time.sleep(self.pause)
        self.episodes_run.append(episode.id)
        value = digest(episode.id, episode.object, episode.seed, episode.rotation.round(9).tolist(), state)
        right = value % 10 < 8
        row = EpisodeRow(
            id=episode.id,
            phase=episode.phase,
            index=episode.index,
            epoch=episode.epoch,
            object=episode.object,
            detected=episode.object if right else "other",
            ending="explored" if explored else "match" if value % 3 else "mlh",
            correct=right and not explored,
            steps=value % 500,
            rotation_error=(value % 18000) / 100,
            evidence=value / 7,
            seed=episode.seed,
            seconds=self.pause,
        )
        trace = {"best_evidence": np.arange(value % 7 + 2) * 1.0} if self.config.recording.traces else {}
        return Outcome(row, trace)

    def _waves(self, units: Sequence[Unit], rows: int) -> Iterator[Unit]:
        for start in range(0, len(units), rows):
            wave = list(units[start : start + rows])
            yield from reversed(wave) if self.reverse else wave

    def learn(self, units: Sequence[Unit], rows: int) -> Iterator[tuple[Unit, list[Outcome]]]:
        for unit in self._waves(units, rows):
            state, outcomes = 0, []
            for episode in unit.episodes:
                outcome = self._outcome(episode, state, explored=True)
                state = digest(state, outcome.row.evidence)
                outcomes.append(outcome)
            self.parts[unit.id] = state
            yield unit, outcomes

    def discover(self, unit: Unit, first: int) -> Iterator[Outcome]:
        left = replace(unit, episodes=unit.episodes[first:])
        for wave in waves(left, self.config.train.together):
            # all of a wave know what was known before it
            known = digest(*self.memory)
            for episode in wave:
                outcome = self._outcome(episode, known)
                self.memory.append(digest(outcome.row.evidence))
                yield outcome

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        for unit in self._waves(units, rows):
            state = digest(*self.memory)
            for episode in unit.episodes:
                outcome = self._outcome(episode, state)
                state = digest(state, outcome.row.evidence)
                yield outcome

    def save_unit(self, unit: Unit, path: Path) -> None:
        path.write_text(json.dumps(self.parts[unit.id]))

    def load_unit(self, unit: Unit, path: Path) -> None:
        self.parts[unit.id] = json.loads(path.read_text())

    def save_memory(self, path: Path) -> None:
        path.mkdir()
        (path / "memory.json").write_text(json.dumps(self.memory))

    def load_memory(self, path: Path) -> None:
        self.memory = json.loads((path / "memory.json").read_text())

    def finish_learning(self, units: Sequence[Unit]) -> None:
        self.memory = [self.parts[unit.id] for unit in units]


def run(path: Path, settings: Sequence[str], pause: float = 0.0, reverse: bool = False) -> dict[str, object]:
    """Start the run, or continue it if it exists."""
    if (path / "run.json").exists():
        folder = reopen(path)
    else:
        folder = RunFolder.create(path, override(ExperimentConfig(), settings))
    with folder:
        return execute(folder, FakeEngine(folder.config, pause, reverse), NAMES, Silent())


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2:], pause=0.002)
