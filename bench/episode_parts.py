"""Where the seconds of an episode go, by part: the methods that begin and end each part are timed while a
block runs.

    with timed() as seconds:
        list(engine.recognise(units, rows))
    seconds["world"], seconds["sensing"], seconds["goals"]

| part | what |
|---|---|
| preparing | the world, and the models' tables on the device; once, whatever the number of episodes |
| world | what the sensors see |
| sensing | patches become sensations, with noise; percepts |
| modules | updates of hypotheses: queued, waited for, read |
| goals | where to look next |
| motor | the policy's movement |
| leaving out | going on with fewer rows |
| compiling | programs that were not compiled before, in whatever part |

A part inside another is not counted with it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from saccade.cortex.goals.goal_device import DeviceGoals
from saccade.cortex.modules.backend import SequentialBackend, StackedBackend, StreamsBackend, ThreadsBackend
from saccade.cortex.modules.hearing import Hearing
from saccade.cortex.motor import GoalDriven
from saccade.cortex.motor_programs.policy import DevicePolicy
from saccade.cortex.step import Cortex
from saccade.experiment.engine import build
from saccade.experiment.recognise.mind import CortexMind
from saccade.tensor.jit.function import JitFunction
from saccade.world.fields.field_world import FieldWorld
from saccade.world.images import ImageWorld
from saccade.world.meshes.mesh_world import MeshWorld

PARTS: dict[str, tuple[tuple[type[Any] | ModuleType, str], ...]] = {
    "preparing": ((build, "make_world"), (CortexMind, "__init__")),
    "world": tuple((kind, "_observe") for kind in (MeshWorld, FieldWorld, ImageWorld)),
    "sensing": ((Cortex, "_sense"), (Hearing, "inputs")),
    "modules": tuple(
        (kind, verb)
        for kind in (SequentialBackend, StackedBackend, StreamsBackend, ThreadsBackend)
        for verb in ("dispatch", "gather")
        if verb in vars(kind)
    ),
    "goals": ((Cortex, "_goals"), (DeviceGoals, "enqueue")),
    "motor": ((GoalDriven, "act"), (DevicePolicy, "enqueue")),
    "leaving out": ((Cortex, "keep"),),
    "compiling": ((JitFunction, "_trace"),),
}


@contextlib.contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Seconds of each part, added up while the block runs."""
    seconds = dict.fromkeys(PARTS, 0.0)
    open_parts: list[str] = []
    since = [0.0]

    def switch(part: str | None) -> None:
        """What was open until now gets its seconds; `part` opens, or with None the last one closes."""
        now = time.perf_counter()
        if open_parts:
            seconds[open_parts[-1]] += now - since[0]
        since[0] = now
        if part is None:
            open_parts.pop()
        else:
            open_parts.append(part)

    def watched(part: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            switch(part)
            try:
                return method(*given, **named)
            finally:
                switch(None)

        return call

    kept = [(kind, name, vars(kind)[name]) for each in PARTS.values() for kind, name in each]
    try:
        for part, places in PARTS.items():
            for kind, name in places:
                setattr(kind, name, watched(part, vars(kind)[name]))
        yield seconds
    finally:
        for kind, name, method in kept:
            setattr(kind, name, method)
