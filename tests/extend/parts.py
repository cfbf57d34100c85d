"""Parts of somebody else's: importing this registers one of each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from saccade import extend
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.motor import RandomWalk
from saccade.cortex.sense import sense
from saccade.experiment.engine import build
from saccade.world.meshes.mesh_world import MeshWorld

CALLS: list[str] = []


@extend.sensor_module("grey")
def grey(config: Any) -> Any:
    def without_colour(points: Any, rgb: Any, *rest: Any) -> Any:
        CALLS.append("sense")
        return sense(points, rgb * 0 + 128, *rest)

    return without_colour


@extend.learning_module("careful")
def careful(name: str, channels: list[str], models: list[Any], config: Any) -> Any:
    CALLS.append("module")
    return EvidenceModule(name, channels, build.evidence_settings(config), models)


class Brittle(EvidenceModule):
    """Fails from its third step on."""

    concluded = 0

    def conclude(self, outcome: Any, index: int) -> Any:
        self.concluded += 1
        if self.concluded >= 3:
            raise KeyError("what it never learned")
        return super().conclude(outcome, index)


@extend.learning_module("brittle")
def brittle(name: str, channels: list[str], models: list[Any], config: Any) -> Any:
    return Brittle(name, channels, build.evidence_settings(config), models)


@extend.motor_policy("stroll")
def stroll(config: Any) -> Any:
    CALLS.append("policy")
    return RandomWalk(amount=0.05)


class Remembering(RandomWalk):
    """Its state is no array."""

    def start(self, rows: int) -> Any:
        return {"steps": 0}


@extend.motor_policy("remembering")
def remembering(config: Any) -> Any:
    return Remembering()


@extend.world("room")
def room(config: Any, things: Any, rows: int, noisy: bool) -> Any:
    CALLS.append("world")
    return MeshWorld(things, build.make_rig(config), rows=rows)


class Counting:
    """Counts what it is told."""

    def __init__(self) -> None:
        self.told: dict[str, int] = {}

    def _count(self, what: str) -> None:
        self.told[what] = self.told.get(what, 0) + 1

    def begin(self, config: Any) -> None:
        self._count("begin")

    def step(self, news: Any) -> None:
        self._count("step")

    def episode(self, row: Any) -> None:
        self._count("episode")

    def end(self, summary: Any) -> None:
        self._count("end")


class Failing(Counting):
    def step(self, news: Any) -> None:
        raise RuntimeError("the disk of the logger is full")


for register in (
    extend.sensor_module, extend.learning_module, extend.motor_policy, extend.world, extend.logger
):  # fmt: skip
    register("empty")(lambda *given: object())

LOGGERS: list[Counting] = []


@extend.logger("counting")
def counting(config: Any, folder: Path) -> Counting:
    LOGGERS.append(Counting())
    return LOGGERS[-1]


@extend.logger("failing")
def failing(config: Any, folder: Path) -> Counting:
    return Failing()
