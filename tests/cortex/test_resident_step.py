"""Steps of a world on a device: percepts go to the modules there, and the host waits once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.cortex import ops
from saccade.cortex.bank.results import ModuleResult, object_number
from saccade.cortex.features import FeatureLayout
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules import block_sizes, row_blocks
from saccade.cortex.modules.backend import make_backend
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.motor import RandomWalk
from saccade.cortex.rows import take_rows
from saccade.cortex.sense import ChangeThresholds, NoiseSettings, sense
from saccade.cortex.sense.change_program import ResidentChanges
from saccade.cortex.sense.percept_program import ResidentPercepts
from saccade.cortex.sense.sense_program import DeviceSense
from saccade.cortex.settings import BurstSettings, EvidenceSettings, PlainSettings
from saccade.cortex.step import Cortex, StepReport, StepSettings
from saccade.world import MeshWorld, Placement, Scene, builtin_objects, distant_rig, looking_at
from saccade.world.protocol import Pose

from ..runtime.fake_gpu import build_driver, run
from .patches import random_rotations
from .test_dispatch import needs_a_driver

NAMES = ("mug", "banana")


def model(name: str, channels: Sequence[str], nodes: int = 30) -> ObjectModel:
    """Points of an object's mesh with the normals of its triangles."""
    (thing,) = builtin_objects((name,))
    corners = thing.mesh.triangles
    rng = np.random.default_rng(len(name))
    chosen = corners[rng.choice(len(corners), nodes, replace=False)]
    normal = np.cross(chosen[:, 1] - chosen[:, 0], chosen[:, 2] - chosen[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    first = np.cross(normal, rng.normal(size=3))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    pose = np.stack([normal, first, np.cross(normal, first)], axis=1)
    features = {"hsv": rng.random((nodes, 3)), "principal_curvatures_log": rng.normal(size=(nodes, 2))}
    own = NodeSet(chosen.mean(axis=1), pose, np.ones(nodes, bool), features)
    return ObjectModel(name, dict.fromkeys(channels, own))


def above(sensor: str, heard: Sequence[str], settings: EvidenceSettings) -> EvidenceModule:
    """A module that hears a sensor and other modules, of wholes with the parts all over them."""
    named = (("object_id", (1.0,)),)
    channels = sensor, *heard
    wholes = []
    for number, name in enumerate(NAMES):
        felt = model(name, [sensor]).channels[sensor]
        part = np.full((len(felt.positions), 1), float(object_number(NAMES[number])))
        told = replace(felt, features={"object_id": part})
        wholes.append(ObjectModel(name, {sensor: felt, **dict.fromkeys(heard, told)}))
    own = replace(settings, channel_tolerances=tuple((name, named) for name in heard))
    return EvidenceModule("above", channels, own, wholes)


class Run:
    """Rows in front of things, on the host or on a device, and how often a step waited. apart: what is felt
    there is read, and percepts come from the host."""

    def __init__(
        self,
        resident: bool,
        apart: bool = False,
        rows: int = 4,
        sensors: int = 1,
        together: bool = False,
        updater: BurstSettings | PlainSettings | None = None,
        change: ChangeThresholds | None = None,
        device: str = "cpu",
        backend: str = "stacked",
        noise: NoiseSettings | None = None,
        aim: float = 0.02,
        votes: bool = False,
        levels: bool = False,
    ) -> None:
        rig = distant_rig(sensors, 7)
        self.device = device if resident else None
        self.world = MeshWorld(builtin_objects(NAMES), rig, rows=rows, device=self.device)
        settings = EvidenceSettings(updater=updater or BurstSettings())
        heard = [tuple(rig.names)] if together else [(name,) for name in rig.names]
        modules = [
            EvidenceModule(f"lm{i}", names, settings, [model(each, names) for each in NAMES])
            for i, names in enumerate(heard)
        ]
        if levels:
            # any pose of the best object will do, so that parts are sent up soon
            quick = replace(
                settings,
                path_similarity_threshold=1.0,
                pose_similarity_threshold=4.0,
                x_percent_threshold=0.1,
                object_evidence_threshold=-9.0,
            )
            modules = [EvidenceModule(one.name, one.channels, quick, one.memory.values()) for one in modules]
            modules.append(above(rig.names[0], [one.name for one in modules], settings))
        chosen = StepSettings(
            seed=3,
            change=change or ChangeThresholds(distance=0.004),
            noise=noise,
            sense=DeviceSense(device) if resident else sense,
        )
        names = [each.name for each in modules]
        voting = {name: [other for other in names if other != name] for name in names} if votes else None
        engine = make_backend(backend, rows, device, voting)
        self.cortex: Cortex[Any] = Cortex(modules, rig.names, RandomWalk(amount=0.03), engine, chosen)
        if apart:
            self.cortex._wirings = None
        self.state = self.cortex.start(np.arange(rows))
        turns = random_rotations(4 * rows, 1)
        self.scenes = [Scene((Placement(NAMES[i % 2], rotation=turns[i]),)) for i in range(4 * rows)]
        rng = np.random.default_rng(0)
        away = rng.normal(size=(4 * rows, 3))
        eyes = 0.3 * away / np.linalg.norm(away, axis=1, keepdims=True)
        self.agents = looking_at(eyes, aim * rng.normal(size=(4 * rows, 3)))
        self.begun = rows
        starts = Pose(self.agents.position[:rows], self.agents.rotation[:rows])
        self.seen = self.world.reset(np.ones(rows, bool), self.scenes[:rows], starts)
        self.waits: list[int] = []

    def step(self, check: bool = False, begin: Sequence[int] = (), keep: Sequence[int] = ()) -> StepReport:
        """One step, after which some rows begin anew, or some alone go on."""
        before, rows = ops.waits, self.world.rows
        asked = np.full(rows, check)
        actions, self.state, report = self.cortex.step(self.state, self.seen, asked)
        self.waits.append(ops.waits - before)
        if keep:
            kept = np.array(keep)
            self.world.keep(kept)
            self.state = self.cortex.keep(self.state, kept)
            actions = take_rows(actions, kept)
        if begin:
            mask = np.isin(np.arange(self.world.rows), begin)
            scenes: list[Scene | None] = [None] * self.world.rows
            position, rotation = self.world.agent.position.copy(), self.world.agent.rotation.copy()
            for row in begin:
                scenes[row] = self.scenes[self.begun]
                position[row] = self.agents.position[self.begun]
                rotation[row] = self.agents.rotation[self.begun]
                self.begun += 1
            self.state = self.cortex.reset(self.state, mask, np.where(mask, 100 + self.begun, 0))
            self.seen = self.world.reset(mask, scenes, Pose(position, rotation), actions)
        else:
            self.seen = self.world.step(actions)
        return report


def assert_alike(one: StepReport, other: StepReport, atol: float = 1e-5) -> None:
    np.testing.assert_array_equal(one.felt.usable, other.felt.usable)
    np.testing.assert_array_equal(one.news, other.news)
    np.testing.assert_allclose(one.felt.location, other.felt.location, atol=1e-12)
    for name, wanted in one.results.items():
        assert_results(wanted, other.results[name], atol)


def assert_results(wanted: ModuleResult, found: ModuleResult, atol: float) -> None:
    assert wanted.failure is None
    assert found.failure is None
    np.testing.assert_array_equal(wanted.processed, found.processed)
    np.testing.assert_array_equal(wanted.counts, found.counts)
    np.testing.assert_allclose(wanted.evidence, found.evidence, atol=atol)
    assert wanted.terminal == found.terminal
    assert wanted.possible == found.possible
    np.testing.assert_array_equal(wanted.symmetry, found.symmetry)


def history(run: Run, left: Sequence[int] = (-1, 0)) -> list[StepReport]:
    """Steps with and without checks, rows that begin anew, and some, `left`, that go on alone."""
    last, kept = run.world.rows - 1, [row % run.world.rows for row in left]
    reports = [run.step(), run.step(check=True, begin=(1, last)), run.step(check=True)]
    reports += [run.step(keep=kept), run.step(check=True, begin=(1,)), run.step(check=True), run.step()]
    return reports


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({}, id="one module"),
        pytest.param(
            {"noise": NoiseSettings(0.001, 2.0, 0.05, 0.05, 0.1)}, id="noise", marks=pytest.mark.slow
        ),
        pytest.param({"sensors": 2}, id="two modules", marks=pytest.mark.slow),
        pytest.param({"sensors": 2, "together": True}, id="two channels", marks=pytest.mark.slow),
        pytest.param({"sensors": 2, "votes": True}, id="votes", marks=pytest.mark.slow),
        pytest.param({"sensors": 2, "levels": True}, id="levels", marks=pytest.mark.slow),
        pytest.param(
            {"sensors": 3, "votes": True, "backend": "streams"}, id="votes of banks", marks=pytest.mark.slow
        ),
    ],
)
def test_percepts_that_stay_on_the_device_are_those_that_come_from_the_host(how: dict[str, Any]) -> None:
    apart, device = Run(True, apart=True, **how), Run(True, **how)
    news, told = [], list[bool]()
    # of four rows two go on in programs of their own, which take long to make; three in those of four
    left = (-1, 0) if how else (-1, 0, 1)
    for one, other in zip(history(apart, left), history(device, left), strict=True):
        assert_alike(one, other)
        news.append(one.news)
        told += [each is not None for result in one.results.values() for each in result.outputs]
    assert (set(apart.waits), set(device.waits)) == ({2}, {1})
    assert isinstance(device.state.changes, ResidentChanges)
    assert any(each.any() and not each.all() for each in news)
    assert not how.get("levels") or any(told)


@pytest.mark.slow
def test_a_step_on_the_device_finds_what_one_on_the_host_does() -> None:
    """Evidence in single precision is a root of what may round otherwise: 3e-4 where it is near 0."""
    host, device = Run(False, sensors=2, votes=True), Run(True, sensors=2, votes=True)
    for one, other in zip(history(host), history(device), strict=True):
        assert_alike(one, other, 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("votes", [False, True])
def test_rows_in_blocks(votes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of which is not full. Percepts of all blocks are packed at once."""
    one_row = EvidenceModule.bank(
        [
            EvidenceModule(
                "a",
                ["patch_0"],
                EvidenceSettings(updater=BurstSettings()),
                [model(n, ["patch_0"]) for n in NAMES],
            )
        ]
    )
    monkeypatch.setattr(block_sizes, "BLOCK_PLACES", 2 * (1 + votes) * one_row.known.row_places)
    how: dict[str, Any] = {"rows": 5, "votes": votes, "sensors": 1 + votes}
    host, device = Run(True, apart=True, **how), Run(True, **how)
    bank = device.cortex.backend.seats(device.cortex.groups)[0].bank
    assert isinstance(bank, row_blocks.RowBlocks)
    assert len(bank.blocks) == 3
    packed, packings = ResidentPercepts.packed, list[int]()

    def counted(self: ResidentPercepts, heading: Any, ways: Any) -> Any:
        packings.append(len(heading))
        return packed(self, heading, ways)

    monkeypatch.setattr(ResidentPercepts, "packed", counted)
    reports = history(device)
    for one, other in zip(history(host), reports, strict=True):
        assert_alike(one, other)
    assert set(device.waits) == {1}
    assert packings == [6] * len(reports)


@pytest.mark.slow
def test_steps_after_a_rehearsal_find_their_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_blocks, "block_rows", lambda rows, places, gpu: 2)
    run = Run(True)
    run.cortex.settings = replace(run.cortex.settings, resident_goals=True)
    for part in reversed(run.cortex.rehearsals(4)):  # any order will do
        part()
    bank = run.cortex.backend.seats(run.cortex.groups)[0].bank
    assert isinstance(bank, row_blocks.RowBlocks)
    made = bank.compilations
    for check in (False, True, True):
        run.step(check=check)
    assert bank.compilations == made > 0


@pytest.mark.slow
def test_the_plain_updater_asks_the_host_where_hypotheses_begin() -> None:
    """Then what was felt is read first, and a step waits twice."""
    host, device = (Run(each, rows=3, updater=PlainSettings(), aim=0.0) for each in (False, True))
    for number in range(6):
        begin = (2,) if number == 2 else ()
        assert_alike(host.step(begin=begin), device.step(begin=begin))
    assert device.waits[0] == 2
    assert device.waits[2:] == [1, 2, 1, 1]


@pytest.mark.parametrize("backend", ["sequential", "threads"])
def test_backends_that_take_percepts_from_the_host_are_given_them(backend: str) -> None:
    host, device = Run(False, backend=backend), Run(True, backend=backend)
    for _ in range(3):
        assert_alike(host.step(), device.step())


def test_a_bank_whose_percepts_nobody_read_says_so() -> None:
    run = Run(True)
    run.step()
    (group,) = run.cortex.groups
    (bank,) = [seat.bank for seat in run.cortex.backend.seats([group])]

    class Nothing:
        def packed(self, heading: Any, ways: Any) -> Any:
            from saccade import Tensor
            from saccade.cortex.sense.percept_program import ResidentPercepts, Wiring
            from saccade.cortex.sense.sense_program import COLUMNS

            layouts: tuple[FeatureLayout, ...] = group.modules[0].layouts
            wiring = Wiring(1, ((0,),), layouts, (0,))
            return ResidentPercepts(Tensor(np.zeros((4, COLUMNS))), wiring, None).packed(heading, ways)

    bank.launch_felt(Nothing(), np.arange(4))
    for act in (bank.reset, lambda: bank.keep(np.arange(2)), lambda: bank.launch(group.empty_batch(4))):
        with pytest.raises(RuntimeError, match="has not heard of"):
            act()


COUNTED = """
from saccade.cortex.modules import row_blocks
from tests.cortex.test_resident_step import Run

row_blocks.block_rows = lambda rows, places, gpu: 1
run = Run(True, rows=2, device="cuda")
for _ in range(3):
    run.step()
log()
run.cortex.step(run.state, run.seen, np.zeros(2, bool))
print(*(line.split()[-1] if line.startswith("copy") else line.split()[0] for line in log()))
print(run.waits[-1])
"""


@needs_a_driver
def test_what_a_step_copies_to_and_from_a_gpu(tmp_path: Path) -> None:
    """In: the steps of the rows, and what the bank knows of them, of all blocks at once. Out, after all is
    queued: what was found, of each of two blocks, and what was felt."""
    build_driver(tmp_path)
    copies, waits = run(tmp_path, COUNTED).splitlines()
    queued, read = copies.split(" out", 1)
    assert queued.split().count("in") == 2
    assert {"launch", "graph"} & set(queued.split())
    assert read.split() == ["out", "out"]
    assert waits == "1"
