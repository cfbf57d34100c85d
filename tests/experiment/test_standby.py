"""Processes that are forked before there is work for them: they do what others do, know what they are given,
and say what they lack."""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from saccade.experiment.config.probe import Card
from saccade.experiment.engine.episode import Outcome
from saccade.experiment.plan.plan import Unit, shown_in
from saccade.experiment.processes import ProcessEngine, divided
from saccade.experiment.standby import Part, Standby, parts_of
from saccade.runtime.process.shared import SharedPlace
from saccade.world.meshes.mesh import MeshWarning
from tests.experiment.fake_engine import NAMES, FakeEngine
from tests.experiment.test_processes import config, units
from tests.patience import HANG

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked under Linux alone")

KNOWN = np.arange(12.0).reshape(3, 4)


class Waiting(FakeEngine):
    """Is made in another process, and is told there what it knows and which objects are shown."""

    def __init__(self, parts: Sequence[Part], lacks: str = "") -> None:
        super().__init__(config())
        self.expected, self.lacks = {(part.units, part.rows) for part in parts}, lacks
        self.known_there: npt.NDArray[np.float64] | None = None
        self.shown: frozenset[str] = frozenset()
        self.prepared = self.opened = False
        self.rehearsed: tuple[int, int] | None = None

    def know(self, known: npt.NDArray[np.float64]) -> None:
        self.known_there = known

    def show(self, names: Collection[str] | None) -> None:
        assert names is not None
        warnings.warn(MeshWarning("the handle of the mug is open"), stacklevel=1)
        self.shown = frozenset(names)

    def prepare_objects(self) -> None:
        assert self.shown
        self.prepared = True

    def open(self) -> Card:
        if self.lacks:
            raise ValueError(self.lacks)
        self.opened = True
        return Card(1 << 30, f"opened by {os.getpid()}", "none")

    def rehearse(self, units: int, rows: int) -> None:
        if self.lacks:
            raise RuntimeError("there is no device")
        self.rehearsed = units, rows

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        assert self.known_there is not None
        assert (self.known_there == KNOWN).all()
        assert self.shown >= shown_in(units)
        assert self.prepared
        assert self.opened
        assert self.rehearsed in self.expected
        return super().recognise(units, rows)


def nobody_is_left() -> bool:
    """Whether all processes end, those that have told all by themselves."""
    for each in multiprocessing.active_children():
        each.join(HANG)
    return not multiprocessing.active_children()


def waiting(count: int, rows: int = 4, early: bool = True, lacks: str = "") -> Standby:
    shown = [shown_in(part) if early else None for part in divided(units(), count)]
    parts = [
        replace(part, shown=names) for part, names in zip(parts_of(units(), count, rows), shown, strict=True)
    ]
    return Standby(partial(Waiting, parts, lacks), parts, "cpu")


@pytest.mark.parametrize("early", [False, True])
def test_processes_that_wait_do_what_others_do(early: bool) -> None:
    """Whether they were told before which objects there will be, or not."""
    alone = list(FakeEngine(config()).recognise(units(), rows=4))
    engine, standby = FakeEngine(config()), waiting(2, early=early)
    standby.give(KNOWN)
    standby.expect(units())
    with pytest.warns(MeshWarning, match="handle of the mug") as told:
        card = standby.ready()
    assert len(told) == 1  # what several have to say is said once
    assert card.about.startswith("opened by ")
    assert card.about != f"opened by {os.getpid()}"
    found = list(ProcessEngine(engine, 2, standby=standby).recognise(units(), rows=4))
    assert not engine.episodes_run
    assert sorted(repr(each.row.results()) for each in found) == sorted(
        repr(each.row.results()) for each in alone
    )
    assert nobody_is_left()


def test_those_for_whom_there_is_nothing_to_do_are_sent_away() -> None:
    standby = waiting(3)
    standby.give(KNOWN)
    with pytest.warns(MeshWarning):
        standby.ready()
    shared = ProcessEngine(FakeEngine(config()), 2, standby=standby)
    assert len(list(shared.recognise(units(), 4))) == len(units())
    assert nobody_is_left()


def test_those_who_wait_with_other_models_are_sent_away() -> None:
    shared = ProcessEngine(FakeEngine(config()), 2, standby=waiting(2))
    shared.finish_learning([])
    assert shared.standby is None
    assert not multiprocessing.active_children()
    few = ProcessEngine(FakeEngine(config()), 2, standby=waiting(2))
    assert len(list(few.recognise(units()[:3], 4))) == 3
    assert not multiprocessing.active_children()


def test_what_a_device_lacks_is_told_before_what_comes_of_it() -> None:
    standby = waiting(2, lacks="this machine has no such GPU")
    standby.give(KNOWN)
    with pytest.raises(ValueError, match="no such GPU"):
        standby.ready()
    standby.close()
    assert not multiprocessing.active_children()


def test_an_engine_that_cannot_be_made_elsewhere_says_why_here() -> None:
    def broken() -> Waiting:
        raise ValueError("these models are of another version")

    standby = Standby(broken, parts_of(units(), 2, 4), "cpu")
    standby.give(KNOWN)
    with pytest.raises(ValueError, match="another version"):
        standby.ready()
    standby.close()
    assert not multiprocessing.active_children()


def test_objects_that_most_processes_show_are_not_loaded_by_all_at_once() -> None:
    seldom = [part.shown for part in parts_of(units()[: len(NAMES)], 2, 4)]
    assert frozenset().union(*(names or () for names in seldom)) == frozenset(NAMES)
    often = parts_of(units(), 3, 8)
    assert [part.shown for part in often] == [None] * 3
    assert [part.rows for part in often] == [3, 3, 2]


def test_arrays_of_a_shared_value_are_mapped_and_each_changes_its_own() -> None:
    place = SharedPlace()
    one = np.arange(1000.0)
    value = {"one": one, "again": one, "none": np.zeros((0, 3)), "word": "mug", "turned": KNOWN.T}
    place.put({"first": np.ones(10_000)})
    place.put(value)
    first, second = place.get(), place.get()
    place.close()
    assert first["again"] is first["one"]
    assert first["one"].ctypes.data % 64 == 0
    assert first["none"].shape == (0, 3)
    assert (first["turned"] == KNOWN.T).all()
    first["one"][:] = 0.0
    assert (second["one"] == one).all()
