"""What a trace keeps of an episode: arrays of steps, for those who look at it afterwards (docs/viz.md).

    trace = EpisodeTrace(hypotheses=500, objects=3)
    trace.add(thought, seen, row, mind)         # one step of one row
    trace.arrays()                              # name -> array, steps first

Of T steps, M modules and S sensors; objects are numbered as in `objects`, or in `module_objects`, which has
those of all modules. Of the first module alone: object_evidence (T, O), hypotheses (T,), best_object (T,),
best_location (T, 3), best_rotation (T, 3, 3). Of each module: `module_` and the same, with M after T, the
number of its possible matches and its decision (`ENDINGS`). Of each sensor: where it is and how it is turned,
what it feels (`felt_`), how far the nearest thing in its patch is, and the patch as colours. Of the motor
system: the goal it was asked for, and by whom. The recogniser adds the pose that was reported, report_pose
(12,): model = rotation @ world + shift, row after row.

With `hypotheses`, the strongest of them that a module has of its likeliest `objects` are kept too, of all
steps and modules one after the other: cloud_location (N, 3), cloud_evidence (N,), cloud_object (N,); those of
step t and module m are from place cloud_start[t, m] to the next. `second_` is the strongest hypothesis of the
object that is believed in second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.results import MATCH, NO_MATCH, TIME_OUT, ModuleResult
from saccade.cortex.sense import Sensation
from saccade.experiment.recognise.thought import TellsHypotheses, Thought
from saccade.world.protocol import Observation

Floats = npt.NDArray[np.float64]
Arrays = dict[str, npt.NDArray[Any]]

#: What `module_terminal` numbers mean.
ENDINGS: Final = ("", MATCH, NO_MATCH, TIME_OUT)
#: Pixels along a side of a patch that are kept.
PATCH: Final = 16


@dataclass
class EpisodeTrace:
    """The steps of an episode so far. `hypotheses` of the `objects` likeliest ones are kept at each step."""

    hypotheses: int = 0
    objects: int = 1
    steps: dict[str, list[npt.NDArray[Any]]] = field(default_factory=dict)
    clouds: list[tuple[Floats, Floats, npt.NDArray[np.int16]]] = field(default_factory=list)
    names: tuple[str, ...] = ()
    first_names: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    def add(self, thought: Thought, seen: Observation, row: int, mind: object) -> None:
        """Append one step of one row."""
        results = thought.results
        if not self.steps:
            self.modules = tuple(result.module for result in results)
            self.first_names = results[0].objects
            self.names = tuple(dict.fromkeys(name for result in results for name in result.objects))
        entries = first_module(results, row) | self._of_modules(results, row)
        entries["sensed"], entries["processed"] = thought.sensed[row], thought.processed[row]
        entries |= _goal(thought, row) | _patches(seen, thought, row)
        if self.hypotheses and isinstance(mind, TellsHypotheses):
            entries |= self._clouds(results, row, mind)
        for name, value in entries.items():
            self.steps.setdefault(name, []).append(np.asarray(value))

    def arrays(self) -> Arrays:
        """All of it; nothing for an episode without steps."""
        if not self.steps:
            return {}
        found: Arrays = {name: np.stack(values) for name, values in self.steps.items()}
        named = {"objects": self.first_names, "module_objects": self.names, "modules": self.modules}
        found |= {name: np.array(values) for name, values in named.items()}
        if self.clouds:
            locations, evidence, objects = zip(*self.clouds, strict=True)
            counts = np.array([len(each) for each in evidence], np.int64)
            starts = np.cumsum(counts) - counts
            found["cloud_start"] = starts.reshape(-1, len(self.modules))
            found["cloud_location"] = np.concatenate(locations).astype(np.float32)
            found["cloud_evidence"] = np.concatenate(evidence).astype(np.float32)
            found["cloud_object"] = np.concatenate(objects)
        return found

    def _of_modules(self, results: Sequence[ModuleResult], row: int) -> Arrays:
        numbers = {name: number for number, name in enumerate(self.names)}
        evidence = np.full((len(results), len(numbers)), -np.inf, np.float32)
        best = [result.best[row] for result in results]
        for module, result in enumerate(results):
            evidence[module, [numbers[name] for name in result.objects]] = result.evidence[row]
        nowhere, unturned = np.full(3, np.nan), np.full((3, 3), np.nan)
        return {
            "module_evidence": evidence,
            "module_best": np.array([-1 if b is None else numbers[b.object] for b in best], np.int16),
            "module_location": np.stack([nowhere if b is None else b.location for b in best]).astype("f4"),
            "module_rotation": np.stack([unturned if b is None else b.rotation for b in best]).astype("f4"),
            "module_hypotheses": np.array([result.counts[row].sum() for result in results], np.int64),
            "module_possible": np.array([len(result.possible[row]) for result in results], np.int16),
            "module_terminal": np.array([ENDINGS.index(r.terminal[row] or "") for r in results], np.int8),
            "module_processed": np.array([result.processed[row] for result in results], bool),
        }

    def _clouds(self, results: Sequence[ModuleResult], row: int, mind: TellsHypotheses) -> Arrays:
        numbers = {name: number for number, name in enumerate(self.names)}
        second: Arrays = {
            "second_object": np.full(len(results), -1, np.int16),
            "second_location": np.full((len(results), 3), np.nan, np.float32),
            "second_rotation": np.full((len(results), 3, 3), np.nan, np.float32),
        }
        for module, result in enumerate(results):
            kept: list[tuple[Floats, Floats, npt.NDArray[np.int16]]] = []
            for rank, name in enumerate(likeliest(result, row)[: max(self.objects, 2)]):
                held = mind.held(row, module, name).strongest(self.hypotheses)
                count = len(held.evidence)
                if rank < self.objects:
                    kept.append((held.locations, held.evidence, np.full(count, numbers[name], np.int16)))
                if rank == 1 and count:
                    second["second_object"][module] = numbers[name]
                    second["second_location"][module] = held.locations[0]
                    second["second_rotation"][module] = held.rotations[0]
            parts = [np.concatenate(part) for part in zip(*kept, strict=True)] if kept else None
            nothing = (np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.int16))
            self.clouds.append(nothing if parts is None else (parts[0], parts[1], parts[2]))
        return second


def likeliest(result: ModuleResult, row: int) -> list[str]:
    """The objects that a module has hypotheses of, the strongest first, that of the best hypothesis before
    its equals."""
    best = result.best[row]
    values = result.evidence[row]
    there = [n for n in range(len(values)) if np.isfinite(values[n])]
    named = "" if best is None else best.object
    order = sorted(there, key=lambda n: (-values[n], result.objects[n] != named))
    return [result.objects[n] for n in order]


def first_module(results: Sequence[ModuleResult], row: int) -> Arrays:
    """What the plots draw: the two strongest objects of the module that has the strongest one, and what the
    first module believes."""
    evidence = np.full(2, np.nan)
    finite = [np.sort(r.evidence[row][np.isfinite(r.evidence[row])])[::-1] for r in results]
    strongest = max(finite, key=lambda values: values[0] if len(values) else -np.inf)
    evidence[: min(2, len(strongest))] = strongest[:2]
    first = results[0]
    best = first.best[row]
    return {
        "best_evidence": np.asarray(evidence[0]),
        "second_evidence": np.asarray(evidence[1]),
        "object_evidence": first.evidence[row],
        "hypotheses": np.asarray(first.counts[row].sum()),
        "best_object": np.asarray(-1 if best is None else first.objects.index(best.object)),
        "best_location": np.full(3, np.nan) if best is None else best.location,
        "best_rotation": np.full((3, 3), np.nan) if best is None else best.rotation,
    }


def _goal(thought: Thought, row: int) -> Arrays:
    """Where the motor system was asked to look: NaN, and nobody (-1), where it was not."""
    goal = thought.goal
    asked = goal is not None and bool(goal.active[row])
    nowhere = np.full(3, np.nan, np.float32)
    if goal is None or not asked:
        return {"goal_location": nowhere, "goal_normal": nowhere, "goal_sender": np.asarray(-1, np.int16)}
    return {
        "goal_location": goal.location[row].astype(np.float32),
        "goal_normal": goal.normal[row].astype(np.float32),
        "goal_sender": np.asarray(goal.sender[row], np.int16),
    }


def _patches(seen: Observation, thought: Thought, row: int) -> Arrays:
    """Where the sensors are, and what they see: colours 0 to 255 of about PATCH x PATCH pixels, black where
    nothing is."""
    stride = max(1, seen.rgb.shape[2] // PATCH)
    pixels = np.clip(np.asarray(seen.rgb[row, :, ::stride, ::stride]) * 255, 0, 255)
    there = seen.on_object[row, :, ::stride, ::stride, None]
    found: Arrays = {
        "patch_rgb": np.where(there, pixels, 0).astype(np.uint8),
        "sensor_position": np.asarray(seen.sensor.position[row], np.float32),
        "sensor_rotation": np.asarray(seen.sensor.rotation[row], np.float32),
        "sensor_nearest": np.where(seen.on_object[row], seen.depth[row], np.inf).min(axis=(1, 2)),
    }
    if thought.felt is not None:
        found |= _felt(thought.felt, row)
    return found


def _felt(felt: Sensation, row: int) -> Arrays:
    """What the sensors of a row felt, as it was told to the modules."""
    return {
        "felt_usable": felt.usable[row],
        "felt_location": felt.location[row],
        "felt_pose": felt.pose_vectors[row],
        "felt_defined": felt.pose_fully_defined[row],
        "felt_hsv": felt.hsv[row],
        "felt_curvature": felt.curvatures_log[row],
    }
