"""An engine that lets another keep the models: what those who run episodes elsewhere have in common.

In: an engine. Out: the same `Engine`, all of whose work the other does until a method is written anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from saccade.experiment.engine.episode import Engine, Outcome
from saccade.experiment.plan.plan import Unit


class Delegate:
    """Implements `Engine` by another one, `local`."""

    def __init__(self, local: Engine) -> None:
        self.local = local

    @property
    def known(self) -> frozenset[str]:
        return self.local.known

    def learn(self, units: Sequence[Unit], rows: int) -> Iterator[tuple[Unit, list[Outcome]]]:
        return self.local.learn(units, rows)

    def discover(self, unit: Unit, first: int) -> Iterator[Outcome]:
        return self.local.discover(unit, first)

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        return self.local.recognise(units, rows)

    def save_unit(self, unit: Unit, path: Path) -> None:
        self.local.save_unit(unit, path)

    def load_unit(self, unit: Unit, path: Path) -> None:
        self.local.load_unit(unit, path)

    def save_memory(self, path: Path) -> None:
        self.local.save_memory(path)

    def load_memory(self, path: Path) -> None:
        self.local.load_memory(path)

    def finish_learning(self, units: Sequence[Unit]) -> None:
        self.local.finish_learning(units)
