"""An episode for rerun (https://rerun.io), for people who use it: extra `rerun`, imported when asked for.

    export_episode(RunView(Path("runs/first")), "eval-000003", Path("episode.rrd"))

The steps are a timeline named `step`. Entities: `world/object` (the mesh as it stands), `world/path/MODULE`,
`world/ghost/MODULE` (the believed model as it is believed to stand), `world/hypotheses/MODULE`,
`world/votes`, `world/goal`, `patches/SENSOR`, and `evidence/MODULE/OBJECT` as curves.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from saccade.experiment.errors import RunError

if TYPE_CHECKING:
    from saccade.viz.views.minds import RunView

_GOOD, _BAD, _GOAL, _GHOST = (42, 138, 90), (200, 100, 42), (154, 91, 184), (47, 109, 176)
#: Objects whose evidence becomes a curve.
MOST_CURVES: Final = 8


class MissingRerun(ImportError):
    """The extra `rerun` is not installed."""


def export_episode(run: RunView, name: str, path: Path) -> None:
    """Write the steps of an episode as a recording of rerun."""
    try:
        import rerun as rr
    except ImportError:
        raise MissingRerun(
            "exporting to rerun needs rerun-sdk, which is not installed: pip install 'saccade[rerun]'"
        ) from None
    episode = run.episode(name)
    stream: Any = rr.RecordingStream("saccade", recording_id=name)
    try:
        stream.save(str(path))
    except (OSError, RuntimeError) as error:
        raise RunError(f"cannot write {path}: {error}; choose another file") from None
    _log_object(rr, stream, run, episode)
    patches = _patches(run, name)
    for step in range(episode["steps_traced"]):
        stream.set_time("step", sequence=step)
        for module in range(len(episode["modules"])):
            _log_module(rr, stream, run, episode, step, module)
        _log_signs(rr, stream, episode, step)
        for sensor, image in enumerate(patches[step]):
            stream.log(f"patches/sensor_{sensor}", rr.Image(image))
    stream.flush()
    stream.disconnect()


def _log_object(rr: Any, stream: Any, run: RunView, episode: dict[str, Any]) -> None:
    try:
        mesh = run.mesh(episode["object"])
    except (RunError, OSError, ValueError):
        return  # the world of this run is gone; everything else can be shown
    faces = np.array(mesh["faces"], np.int64).reshape(-1, 3)
    corners = (np.array(mesh["vertices"]) @ np.array(episode["rotation"]).T)[faces].reshape(-1, 3)
    colours = (np.repeat(np.array(mesh["colors"]), 3, axis=0) * 255).astype(np.uint8)
    triangles = np.arange(len(corners)).reshape(-1, 3)
    made = rr.Mesh3D(vertex_positions=corners, triangle_indices=triangles, vertex_colors=colours)
    stream.log("world/object", made, static=True)


def _log_module(rr: Any, stream: Any, run: RunView, episode: dict[str, Any], step: int, module: int) -> None:
    name = episode["modules"][module]
    path = [at[module] for at in episode["sensed"][: step + 1] if None not in at[module]]
    stream.log(f"world/path/{name}", rr.LineStrips3D([path] if len(path) > 1 else []))
    best, sensed = episode["module_best"][step][module], episode["sensed"][step][module]
    turn, location = episode["module_rotation"][step][module], episode["module_location"][step][module]
    if best >= 0 and not any(None in values for values in (*turn, location, sensed)):
        points = _model(run, episode["objects"][best], module)
        lying = (points - np.array(location)) @ np.array(turn) + np.array(sensed)
        stream.log(f"world/ghost/{name}", rr.Points3D(lying, colors=[_GHOST]))
    if episode["cloud"] is not None:
        told = run.cloud(episode["id"], step, module)
        count = int(np.frombuffer(told, "<i4", 1)[0])
        places = np.frombuffer(told, "<f4", 3 * count, 4).reshape(-1, 3)
        strength = np.frombuffer(told, "<f4", count, 4 + 12 * count)
        share = (strength - strength.min(initial=0.0)) / max(float(np.ptp(strength)) if count else 1.0, 1e-9)
        tints = np.stack([255 * share, 90 + 0 * share, 255 * (1 - share)], axis=1).astype(np.uint8)
        stream.log(f"world/hypotheses/{name}", rr.Points3D(places, colors=tints))
    for column, number in enumerate(episode["evidence_of"][:MOST_CURVES]):
        value = episode["module_evidence"][step][module][column]
        if value is not None:
            stream.log(f"evidence/{name}/{episode['objects'][number]}", rr.Scalars(value))


def _log_signs(rr: Any, stream: Any, episode: dict[str, Any], step: int) -> None:
    sensed = episode["sensed"][step]
    votes = [
        vote for vote in episode["votes"][step] if None not in (*sensed[vote["from"]], *sensed[vote["to"]])
    ]
    origins = np.array([sensed[vote["from"]] for vote in votes]).reshape(-1, 3)
    ends = np.array([sensed[vote["to"]] for vote in votes]).reshape(-1, 3)
    tints = [_GOOD if vote["agrees"] else _BAD for vote in votes]
    stream.log("world/votes", rr.Arrows3D(origins=origins, vectors=ends - origins, colors=tints))
    goal = episode["goal_location"][step]
    stream.log("world/goal", rr.Points3D([] if None in goal else [goal], colors=[_GOAL], radii=0.004))


def _model(run: RunView, name: str, module: int) -> Any:
    try:
        return np.array(run.model(name, module)["points"], np.float64).reshape(-1, 3)
    except RunError:
        return np.zeros((0, 3))


def _patches(run: RunView, name: str) -> Any:
    told = run.patches(name)
    steps, sensors, pixels = np.frombuffer(told, "<i4", 3)
    return np.frombuffer(told, np.uint8, offset=12).reshape(steps, sensors, pixels, pixels, 3)
