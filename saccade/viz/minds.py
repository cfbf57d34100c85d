"""The views of a run: its episodes, the wrong ones first, and what a mind believed at each step of one.

    run = RunView(Path("runs/default-1"))
    run.episodes()                      # one entry an episode, mistakes first
    run.episode("eval-000003")          # per step: where it sensed, evidence of objects, best pose
    run.model("mug")                    # the points that were learned of it
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

from saccade.experiment.compare import judged_rows
from saccade.experiment.episode import EpisodeRow
from saccade.experiment.plots import read_trace
from saccade.experiment.record import RunError, RunFolder
from saccade.experiment.rotations import from_euler
from saccade.experiment.run import summarise

#: Points of a model, faces of a mesh and steps of an episode that a page is given.
MOST_POINTS: Final = 20_000
MOST_FACES: Final = 100_000
MOST_STEPS: Final = 10_000
#: Hypotheses of a step.
MOST_CLOUD: Final = 1_000
_PER_STEP: Final = {
    "sensed": (None, 3),
    "object_evidence": (None,),
    "best_object": (),
    "best_location": (3,),
    "best_rotation": (3, 3),
}


class RunView:
    """A run folder that is looked at; it may still grow."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = RunFolder.open(path)

    def summary(self) -> dict[str, Any]:
        """The figures of the run, as `saccade show --json` has them."""
        self.folder = RunFolder.open(self.path)
        rows = self.folder.rows()
        found = self.folder.summary() or {"complete": False, **summarise(self.folder.config, rows)}
        return {"name": self.path.name, "kind": "run", **found}

    def episodes(self) -> dict[str, Any]:
        """Episodes that asked for an object: wrong ones first, then the longest."""
        rows = sorted(judged_rows(self.folder), key=lambda row: (row.correct, -row.steps, row.id))
        return {"episodes": [self._told(row) for row in rows]}

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
        if not path.exists():
            raise RunError(
                f"there is no trace of {row.id}: run it again with `saccade run --traces` to see its steps"
            )
        trace = {key: np.asarray(values) for key, values in read_trace(path).items()}
        steps = self._checked(path, trace)
        rotation = from_euler([float(each) for each in row.target_rotation.split()])
        told = {key: _rounded(trace[key][:steps]) for key in _PER_STEP if key in trace}
        return {
            **self._told(row),
            "rotation": _rounded(rotation),
            "objects": [str(each) for each in trace["objects"]],
            "steps_traced": steps,
            "processed": [bool(each) for each in trace["processed"][:steps]],
            "hypotheses": [int(each) for each in trace["hypotheses"][:steps]],
            **told,
            "cloud": _cloud(path, trace, steps, rotation),
        }

    def _checked(self, path: Path, trace: dict[str, npt.NDArray[Any]]) -> int:
        """The number of steps, or RunError for arrays that no run wrote."""
        needed = {**_PER_STEP, "processed": (), "hypotheses": ()}
        missing = sorted({*needed, "objects"} - set(trace))
        if missing:
            raise RunError(f"{path} has no {', '.join(missing)}: it is of an older version; run it again")
        steps = len(trace["sensed"]) if trace["sensed"].ndim else 0
        for key, shape in needed.items():
            found = trace[key].shape
            wanted = (steps, *shape)
            if len(found) != len(wanted) or any(
                w not in (None, f) for w, f in zip(wanted, found, strict=True)
            ):
                raise RunError(f"{path} is broken: array {key} has shape {found}; run the episode again")
        return min(steps, MOST_STEPS)

    @cached_property
    def _models(self) -> dict[str, Any]:
        from saccade.experiment.memory import load_memory

        path = self.folder.memory_path
        if not path.exists() and self.folder.config.train.models:
            path = RunFolder.open(Path(self.folder.config.train.models)).memory_path
        return dict(load_memory(path).modules[0]) if path.exists() else {}

    def model(self, name: str) -> dict[str, Any]:
        """The points that the first module learned of an object, in the object's frame."""
        model = self._models.get(name)
        if model is None:
            raise RunError(f"{self.path} has no model of {name[:60]!r}")
        nodes = next(iter(model.channels.values()))
        colours = nodes.features.get("hsv")
        return {
            "object": name,
            "points": _rounded(np.asarray(nodes.positions)[:MOST_POINTS]),
            "hsv": None if colours is None else _rounded(np.asarray(colours)[:MOST_POINTS], 3),
        }

    @cached_property
    def _things(self) -> dict[str, Any]:
        from saccade.experiment.objects import world_objects

        return {each.name: each for each in world_objects(self.folder.config)}

    def mesh(self, name: str) -> dict[str, Any]:
        """Corners and faces of an object, in its frame."""
        mesh = getattr(self._things.get(name), "mesh", None)
        if mesh is None:
            raise RunError(f"the world of {self.path} has no mesh of {name[:60]!r}")
        faces = mesh.faces[:MOST_FACES]
        return {
            "object": name,
            "vertices": _rounded(mesh.vertices),
            "faces": faces.tolist(),
            "colors": _rounded(mesh.colors[: len(faces)].mean(axis=1), 3),
            "cut": len(mesh.faces) > MOST_FACES,
        }


def _cloud(
    path: Path, trace: dict[str, npt.NDArray[Any]], steps: int, rotation: npt.NDArray[np.float64]
) -> dict[str, Any] | None:
    """Where on the object as it stands the hypotheses of each step put the sensor, and how strong each is;
    None for a trace without them."""
    if "cloud_location" not in trace:
        return None
    places, evidence = trace["cloud_location"], trace.get("cloud_evidence", np.zeros(0))
    if places.ndim != 3 or places.shape[2] != 3 or evidence.shape != places.shape[:2] or len(places) < steps:
        raise RunError(f"{path} is broken: its hypotheses have shape {places.shape}; run the episode again")
    told: dict[str, Any] = {"place": [], "evidence": []}
    for where, strength in zip(places[:steps, :MOST_CLOUD], evidence[:steps, :MOST_CLOUD], strict=True):
        known = np.isfinite(strength) & np.isfinite(where).all(axis=1)
        told["place"].append(_rounded(where[known].astype(np.float64) @ rotation.T, 4))
        told["evidence"].append(_rounded(strength[known], 2))
    return told


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
