"""The views of a run: its episodes, the wrong ones first, and what a mind believed at each step of one.

    run = RunView(Path("runs/default-1"))
    run.episodes()                      # one entry an episode, mistakes first
    run.episode("eval-000003")          # per step and module: where it sensed, evidence, poses, votes, goals
    run.cloud("eval-000003", 12, 0)     # hypotheses of one step and module, as bytes
    run.model("mug", 0)                 # the points that a module learned of it
    run.mesh("mug")                     # the thing itself, where its world still has it

In: a run folder with traces (`--traces`). Out: plain data in metres, in the world's frame, where the object
stands at the origin in its `rotation`.
"""

from __future__ import annotations

import math
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.engine.levels import below
from saccade.experiment.errors import RunError
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.compare import judged_rows
from saccade.experiment.run import summarise
from saccade.files.reading import shown
from saccade.viz.views.traces import TOLD, Trace, decisions, sensors_of, votes

#: Points of a model, faces of a mesh and steps of an episode that a page is given.
MOST_POINTS: Final = 20_000
MOST_FACES: Final = 100_000
MOST_STEPS: Final = 10_000
#: Objects whose evidence is told.
MOST_OBJECTS: Final = 24
#: Pixels along the longer side of a picture.
MOST_PIXELS: Final = 96


class RunView:
    """A run folder that is looked at; it may still grow."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = RunFolder.open(path)
        self._kept: tuple[tuple[Path, int], Trace] | None = None
        self._memory: tuple[int, list[dict[str, Any]]] | None = None

    def summary(self) -> dict[str, Any]:
        """The figures of the run, as `saccade show --json` has them."""
        self.folder = RunFolder.open(self.path)
        rows = self.folder.rows()
        found = self.folder.summary() or {"complete": False, **summarise(self.folder.config, rows)}
        return {"name": self.path.name, "kind": "run", **found}

    def episodes(self) -> dict[str, Any]:
        """Episodes that asked for an object: wrong ones first, then the longest, those without a step last;
        and whether that is all."""
        self.folder = RunFolder.open(self.path)
        rows = sorted(
            judged_rows(self.folder), key=lambda row: (row.steps == 0, row.correct, -row.steps, row.id)
        )
        done = self.folder.summary()
        return {
            "episodes": [self._told(row) for row in rows],
            "latest": max(rows, key=lambda row: row.index).id if rows else "",
            "complete": bool(done and done.get("complete")),
        }

    def _told(self, row: EpisodeRow) -> dict[str, Any]:
        error = row.rotation_error
        return {
            "id": row.id,
            "object": row.object,
            "detected": row.detected,
            "ending": row.ending,
            "correct": row.correct,
            "steps": row.steps,
            "rotation_error": error if math.isfinite(error) else None,
            "traced": self.folder.trace_path(row.id).exists(),
        }

    def episode(self, name: str) -> dict[str, Any]:
        """One episode step by step; RunError without a trace of it."""
        row = self.folder.recorded(name)
        if row is None:
            raise RunError(f"{self.path} has no episode {name[:60]!r}")
        path = self.folder.trace_path(row.id)
        if not path.exists() and row.steps == 0:
            raise RunError(f"{row.id} has no steps to show: no object was known when it began")
        if not path.exists():
            raise RunError(
                f"there is no trace of {row.id}: run it again with `saccade run --traces` to see its steps"
            )
        trace = self._trace(path)
        steps = min(trace.steps, MOST_STEPS)
        told = {key: _rounded(trace.arrays[key][:steps], 5) for key in TOLD if key in trace.arrays}
        drawn = self._drawn(trace, row)
        return {
            **self._told(row),
            "rotation": _rounded(self._rotation(row)),
            "objects": trace.objects,
            "modules": trace.modules,
            "judged": below(self.folder.config),
            "sensors": sensors_of(self.folder.config, len(trace.modules)),
            "steps_traced": steps,
            **told,
            "evidence_of": drawn,
            "module_evidence": _rounded(trace.arrays["module_evidence"][:steps, :, drawn], 3),
            "decisions": decisions(trace, steps),
            "votes": votes(trace, steps, self.folder.config),
            "cloud": trace.cloud_sizes(steps),
            "second": "second_object" in trace.arrays,
        }

    def _drawn(self, trace: Trace, row: EpisodeRow) -> list[int]:
        """The objects whose evidence is told: the one shown, the one reported, and the strongest."""
        most = trace.arrays["module_evidence"].max(axis=(0, 1), initial=-np.inf)
        named = [n for n, name in enumerate(trace.objects) if name in (row.object, row.detected)]
        strongest = [int(n) for n in np.argsort(-most, kind="stable") if np.isfinite(most[n])]
        return list(dict.fromkeys([*named, *strongest]))[:MOST_OBJECTS]

    def cloud(self, name: str, step: int, module: int) -> bytes:
        """The hypotheses of a step and module: their number (int32), then of each the place on the object as
        it stands (float32 x 3), the evidence (float32) and the object (int16), one column after the other."""
        row = self.folder.recorded(name)
        if row is None:
            raise RunError(f"{self.path} has no episode {name[:60]!r}")
        places, evidence, objects = self._trace(self.folder.trace_path(row.id)).cloud(step, module)
        turned = (places.astype(np.float64) @ self._rotation(row).T).astype("<f4")
        columns = (np.array([len(places)], "<i4"), turned, evidence.astype("<f4"), objects.astype("<i2"))
        return b"".join(each.tobytes() for each in columns)

    def cloud_told(self, name: str, step: int, module: int) -> dict[str, Any]:
        """The same as lists, for `--json`."""
        told = self.cloud(name, step, module)
        count = int(np.frombuffer(told, "<i4", 1)[0])
        return {
            "place": _rounded(np.frombuffer(told, "<f4", 3 * count, 4).reshape(-1, 3)),
            "evidence": _rounded(np.frombuffer(told, "<f4", count, 4 + 12 * count), 3),
            "object": np.frombuffer(told, "<i2", count, 4 + 16 * count).tolist(),
        }

    def patches(self, name: str) -> bytes:
        """What the sensors of an episode saw: steps, sensors and pixels of a side (int32 each), then colours
        (uint8 x 3) of all pixels."""
        row = self.folder.recorded(name)
        if row is None:
            raise RunError(f"{self.path} has no episode {name[:60]!r}")
        pixels = self._trace(self.folder.trace_path(row.id)).arrays["patch_rgb"][:MOST_STEPS]
        return np.array(pixels.shape[:3], "<i4").tobytes() + pixels.astype(np.uint8).tobytes()

    def _trace(self, path: Path) -> Trace:
        """A trace; the last one that was asked for is kept, for the clouds of its steps."""
        stamp = (path, path.stat().st_mtime_ns if path.exists() else 0)
        if self._kept is None or self._kept[0] != stamp:
            self._kept = stamp, Trace.read(path)
        return self._kept[1]

    def _rotation(self, row: EpisodeRow) -> npt.NDArray[np.float64]:
        try:
            x, y, z = map(float, row.target_rotation.split())
        except ValueError:
            told = shown(row.target_rotation)
            raise RunError(f"{self.path}: the rotation of {row.id} is {told}, not three angles") from None
        return from_euler([x, y, z])

    def _models(self, module: int) -> dict[str, Any]:
        """What a module knows by now: a run that learns on writes its memory again."""
        from saccade.experiment.engine.memory import load_memory

        path = self.folder.memory_path
        if not path.exists() and self.folder.config.train.models:
            path = RunFolder.open(Path(self.folder.config.train.models)).memory_path
        if not path.exists():
            return {}
        stamp = path.stat().st_mtime_ns
        if self._memory is None or self._memory[0] != stamp:
            self._memory = stamp, [dict(each) for each in load_memory(path).modules]
        models = self._memory[1]
        return models[module] if module < len(models) else {}

    def model(self, name: str, module: int = 0) -> dict[str, Any]:
        """The points that a module learned of an object, in the object's frame."""
        known = self._models(module)
        if not known:  # a run that learns without names writes its models at its end
            return {"object": name, "points": [], "hsv": None}
        model = known.get(name)
        if model is None:
            raise RunError(f"module {module} of {self.path} has no model of {name[:60]!r}")
        nodes = next(iter(model.channels.values()))
        colours = nodes.features.get("hsv")
        return {
            "object": name,
            "points": _rounded(np.asarray(nodes.positions)[:MOST_POINTS]),
            "hsv": None if colours is None else _rounded(np.asarray(colours)[:MOST_POINTS], 3),
        }

    @cached_property
    def _things(self) -> dict[str, Any]:
        from saccade.experiment.engine.objects import world_objects

        return {each.name: each for each in world_objects(self.folder.config)}

    def mesh(self, name: str) -> dict[str, Any]:
        """Corners and faces of an object, in its frame; a picture is a sheet of coloured faces."""
        thing = self._things.get(name)
        if thing is None:
            raise RunError(f"the world of {self.path} has no {name[:60]!r}")
        if not hasattr(thing, "mesh"):
            return {"object": name, **sheet(thing), "cut": False}
        mesh = thing.mesh
        faces = mesh.faces[:MOST_FACES]
        return {
            "object": name,
            "vertices": _rounded(mesh.vertices),
            "faces": faces.tolist(),
            "colors": _rounded(mesh.colors[: len(faces)].mean(axis=1), 3),
            "cut": len(mesh.faces) > MOST_FACES,
        }


def sheet(picture: Any) -> dict[str, Any]:
    """A picture as a sheet in its own frame: a square of two faces for each pixel that shows something."""
    stride = -(-max(picture.rgb.shape[:2]) // MOST_PIXELS)
    rgb = picture.rgb[::stride, ::stride]
    high, wide = rgb.shape[:2]
    x = np.linspace(-0.5, 0.5, wide + 1) * picture.width
    y = np.linspace(0.5, -0.5, high + 1) * picture.height
    corners = np.stack([*np.meshgrid(x, y), np.zeros((high + 1, wide + 1))], axis=-1).reshape(-1, 3)
    first = (np.arange(high)[:, None] * (wide + 1) + np.arange(wide)).ravel()
    faces = np.stack([first, first + wide + 1, first + wide + 2, first, first + wide + 2, first + 1], axis=1)
    shown = np.ones(high * wide, bool)
    if picture.paper is not None:
        shown = ~picture.paper[::stride, ::stride].ravel()
    colours = np.repeat(rgb.reshape(-1, 3)[shown], 2, axis=0)
    return {
        "vertices": _rounded(corners),
        "faces": faces[shown].reshape(-1, 3).tolist(),
        "colors": _rounded(colours, 3),
    }


def _rounded(values: npt.ArrayLike, digits: int = 6) -> Any:
    """Nested lists; what is no number becomes None."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        rounded = np.round(array.astype(np.float64), digits)
        if not np.isfinite(rounded).all():
            known = rounded.astype(object)
            known[~np.isfinite(rounded)] = None
            return known.tolist()
        return rounded.tolist()
    return array.tolist()
