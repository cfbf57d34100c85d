"""Processes that are forked before there is work for them: they do what others do, know what they are given,
and say what they lack."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.experiment import starting
from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.config.probe import Card
from saccade.experiment.engine.engine import CortexEngine
from saccade.experiment.engine.episode import Outcome
from saccade.experiment.engine.memory import Memory, save_memory
from saccade.experiment.plan.plan import Unit, shown_in
from saccade.experiment.processes import ProcessEngine, divided
from saccade.experiment.standby import Part, Standby, parts_of
from saccade.runtime.process import mps
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
        self.parts, self.lacks = parts, lacks
        self.tables: list[npt.NDArray[np.float64]] = []
        self.shown: frozenset[str] = frozenset()
        self.prepared = self.opened = False
        self.rehearsed: tuple[int, int] | None = None

    def tables_of(self, number: int, count: int) -> npt.NDArray[np.float64]:
        assert count == len(self.parts)
        return KNOWN + number

    def take_tables(self, parts: Sequence[npt.NDArray[np.float64]]) -> None:
        self.tables = list(parts)

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

    def rehearse(self, units: int, rows: int, number: int, count: int) -> None:
        if self.lacks:
            raise RuntimeError("there is no device")
        assert (units, rows) == (self.parts[number].units, self.parts[number].rows)
        assert count == len(self.parts)
        self.rehearsed = units, rows

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        assert len(self.tables) == len(self.parts)
        assert all((each == KNOWN + number).all() for number, each in enumerate(self.tables))
        assert self.shown >= shown_in(units)
        assert self.prepared
        assert self.opened
        assert self.rehearsed in {(part.units, part.rows) for part in self.parts}
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
    with pytest.raises(ValueError, match="no such GPU"):
        standby.ready()
    standby.close()
    assert not multiprocessing.active_children()


def test_an_engine_that_cannot_be_made_elsewhere_says_why_here() -> None:
    def broken() -> Waiting:
        raise ValueError("these models are of another version")

    standby = Standby(broken, parts_of(units(), 2, 4), "cpu")
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


def test_tables_of_models_that_others_have_made_are_those_made_here() -> None:
    gpu = override(preset("all_surface_noise"), ["device=cuda", "objects.names=mug"])
    places = np.random.default_rng(3).uniform(-0.05, 0.05, (4, 40, 3))
    models = {
        name: ObjectModel(name, {"patch_0": felt(each)})
        for name, each in zip(("mug", "bowl", "can", "box"), places, strict=True)
    }
    alone, *makers, taker = (CortexEngine(gpu, ()) for _ in range(4))
    for each in (alone, *makers, taker):  # each has read the models for itself
        each.memory = pickle.loads(pickle.dumps(Memory.of([models])))
    alone.prepare_models()
    rooms = [SharedPlace() for _ in makers]
    for number, (maker, room) in enumerate(zip(makers, rooms, strict=True)):
        room.put(maker.tables_of(number, 2))
    taker.take_tables([room.get() for room in rooms])
    made, taken = (
        [each._surfaces, [nodes.voxels for nodes in each._nodes.values()]] for each in (alone, taker)
    )
    assert made[0] is not None
    assert list(made[0][1]) == list(models)
    assert all(made[1])
    assert alike(made, taken)


def test_a_service_that_does_not_work_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What processes lack that use it is told by those that do not, if they lack it, too."""
    here = override(preset("all_surface_noise"), ["device=cpu", "objects.names=mug", "sensor.features=hsv"])
    places = np.random.default_rng(3).uniform(-0.05, 0.05, (40, 3))
    save_memory(Memory.of([{"mug": ObjectModel("mug", {"patch_0": felt(places)})}]), tmp_path / "memory")
    monkeypatch.setattr(CortexEngine, "rehearse", lambda self, *part: None)
    monkeypatch.setattr(CortexEngine, "open", lambda self: opened(os.environ.get(mps.FOLDER)))
    parts = [Part(1, 1, frozenset(["mug"]))] * 2

    def opened(service: str | None) -> Card:
        if service or lacks:
            raise ValueError(f"no GPU by {service}")
        return Card(None, "by time slices", "none")

    for lacks in (False, True):
        asked = here, parts, "cpu", tmp_path / "memory", mps.MpsService("a service", -1)
        if lacks:
            with pytest.raises(ValueError, match="no GPU by None"):
                starting._waiting_for(*asked)
        else:
            standby = starting._waiting_for(*asked)[1]
            assert len(standby) == 2
            standby.close()
        assert not multiprocessing.active_children()


def felt(positions: npt.NDArray[np.float64]) -> NodeSet:
    """Nodes at these places (N, 3), all facing one way."""
    frames = np.tile(np.eye(3), (len(positions), 1, 1))
    colours = np.full((len(positions), 3), 0.5, np.float32)
    return NodeSet(positions, frames, np.ones(len(positions), bool), {"hsv": colours})


def alike(one: object, other: object) -> bool:
    """Whether two values have the same parts in the same order, and arrays of the same bits."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return isinstance(other, dict) and alike([*one.items()], [*other.items()])
    if isinstance(one, (list, tuple)):
        return isinstance(other, (list, tuple)) and len(one) == len(other) and all(map(alike, one, other))
    return alike(vars(one), vars(other)) if hasattr(one, "__dict__") else one == other


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
