"""Do we decide as the reference does? The same percept streams for its learning module and for ours: `saccade
bench decisions`.

    python -m bench.decisions --episodes 60 --peer-python /path/to/python --json

Objects are learned by our world; their models are given to both, as are the percepts of every episode
(`decisions_data`). Both run until they match after `--min-steps` steps, or until the stream ends, when the
most likely object is reported if its evidence suffices. A decision is the ending and the object; the steps
it took and the rotation are compared beside it. Episodes of both are taken in turns.

| key | meaning |
|---|---|
| `agree` | share of episodes with the same ending and object |
| `agree_object` | share with the same object, however it ended |
| `same_steps` | share of the agreeing ones that ended after the same number of steps |
| `same_rotation` | share of those whose rotations are within 1 degree |
| `rotation_gap` | the largest angle between them in degrees |
| `correct`, `peer_correct` | share with the right object |
| `ms_per_step`, `peer_ms_per_step`, `ratio` | module time per look, over all episodes |
| `cpu_ms_per_step`, `peer_cpu_ms_per_step`, `ratio_cpu` | the same as CPU time of all threads |
| `disagreements` | every other episode: what was shown, what both said and when |
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.decisions_data import Streams, record
from bench.peer_process import PeerError, PeerProcess, check_importable, remedy
from saccade.cortex.modules.backend import SequentialBackend
from saccade.cortex.modules.group import GroupInput, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.settings import BurstSettings, EvidenceSettings, PlainSettings
from saccade.experiment.config.presets import preset

CHANNEL = "patch"
Decision = dict[str, Any]


def settings_of(updater: str, dtype: str) -> EvidenceSettings:
    return EvidenceSettings(
        updater=BurstSettings() if updater == "burst" else PlainSettings(),
        path_similarity_threshold=0.015,
        required_symmetry_evidence=10,
        dtype=dtype,
    )


class Ours:
    """One module on one row, fed look by look."""

    def __init__(self, streams: Streams, settings: EvidenceSettings, min_steps: int) -> None:
        self.streams, self.settings, self.min_steps = streams, settings, min_steps
        self.module = EvidenceModule("m", (CHANNEL,), settings, streams.object_models(CHANNEL))
        self.groups = make_groups([self.module])
        self.backend = SequentialBackend()

    def decide(self, episode: int) -> Decision:
        """The counterpart of the peer's `decide`."""
        self.backend.reset(self.groups)
        seconds, cpu, ending = 0.0, 0.0, "time_out"
        best = None
        for t in range(self.streams.looks):
            if not self.streams.present[episode, t]:
                continue
            counts = bool(self.streams.informative[episode, t])
            check = counts and self.module.steps(0) >= self.min_steps
            given = GroupInput(self.streams.batch(episode, t), np.array([[check]]))
            began, began_cpu = time.perf_counter(), time.process_time()
            result = self.backend.gather(self.backend.dispatch(self.groups, [given]))["m"]
            seconds, cpu = seconds + time.perf_counter() - began, cpu + time.process_time() - began_cpu
            best = result.best[0]
            if result.terminal[0] == "match":
                ending = "match"
                break
        sure = best is not None and (
            ending == "match" or best.evidence > self.settings.object_evidence_threshold
        )
        return {
            "ending": ending,
            "object": best.object if best is not None and sure else "",
            "rotation": best.rotation.tolist() if best is not None and sure else None,
            "evidence": -np.inf if best is None else best.evidence,
            "steps": self.module.steps(0),
            "seconds": seconds,
            "cpu_seconds": cpu,
        }


def run(
    streams: Streams, settings: EvidenceSettings, min_steps: int, python: str
) -> list[tuple[Decision, Decision]]:
    """Our decision and the peer's on every episode."""
    options = {
        name: getattr(settings, name)
        for name in (
            "max_match_distance", "x_percent_threshold", "object_evidence_threshold", "max_nneighbors",
            "path_similarity_threshold", "pose_similarity_threshold", "required_symmetry_evidence",
            "umbilical_num_poses",
        )
    }  # fmt: skip
    options |= {"min_steps": min_steps}
    options["updater"] = "burst" if isinstance(settings.updater, BurstSettings) else "plain"
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "streams.npz")
        streams.save(path)
        engine = Ours(streams, settings, min_steps)
        for episode in range(streams.episodes):
            engine.decide(episode)  # compiles: each program the first time it is needed
        with PeerProcess([python, "-m", "bench.decisions_peer", path, json.dumps(options)]) as peer:
            return [(engine.decide(e), peer.ask(f"episode {e}")) for e in range(streams.episodes)]


def angle(a: Any, b: Any) -> float:
    """Degrees between two rotations."""
    cosine = (np.trace(np.asarray(a) @ np.asarray(b).T) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def summary(streams: Streams, pairs: Sequence[tuple[Decision, Decision]]) -> dict[str, Any]:
    targets = [streams.objects[o] for o in streams.target]
    same = [(a["ending"], a["object"]) == (b["ending"], b["object"]) for a, b in pairs]
    agreeing = [pair for pair, one in zip(pairs, same, strict=True) if one]
    gaps = [
        angle(a["rotation"], b["rotation"]) for a, b in agreeing if a["steps"] == b["steps"] and a["rotation"]
    ]
    looks, peer_looks = (sum(pair[i]["steps"] for pair in pairs) for i in (0, 1))

    def per_step(kind: str) -> tuple[float, float]:
        ours, theirs = (sum(pair[i][kind] for pair in pairs) for i in (0, 1))
        return ours / looks * 1e3, theirs / peer_looks * 1e3

    (wall, peer_wall), (cpu, peer_cpu) = per_step("seconds"), per_step("cpu_seconds")
    shown = ("ending", "object", "steps", "evidence")
    return {
        "episodes": len(pairs),
        "objects": len(streams.objects),
        "nodes": int(np.mean([len(model["positions"]) for model in streams.models])),
        "agree": float(np.mean(same)),
        "agree_object": float(np.mean([a["object"] == b["object"] for a, b in pairs])),
        "same_steps": float(np.mean([a["steps"] == b["steps"] for a, b in agreeing])),
        "same_rotation": float(np.mean([gap < 1.0 for gap in gaps])) if gaps else None,
        "rotation_gap": max(gaps, default=0.0),
        "correct": float(np.mean([a["object"] == t for (a, _), t in zip(pairs, targets, strict=True)])),
        "peer_correct": float(np.mean([b["object"] == t for (_, b), t in zip(pairs, targets, strict=True)])),
        "steps": looks / len(pairs),
        "ms_per_step": wall,
        "peer_ms_per_step": peer_wall,
        "ratio": peer_wall / wall,
        "cpu_ms_per_step": cpu,
        "peer_cpu_ms_per_step": peer_cpu,
        "ratio_cpu": peer_cpu / cpu,
        "disagreements": [
            {"shown": t, "ours": {k: a[k] for k in shown}, "peer": {k: b[k] for k in shown}}
            for (a, b), t, one in zip(pairs, targets, same, strict=True)
            if not one
        ],
    }


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.decisions", description="Decisions against the reference's.")
    parser.add_argument("--episodes", type=int, default=60)
    parser.add_argument("--looks", type=int, default=80, help="length of every stream")
    parser.add_argument("--min-steps", type=int, default=20, help="steps before an episode may end")
    parser.add_argument("--preset", default="all_surface_noise", help="objects, agent and noise")
    parser.add_argument("--objects", type=int, default=0, help="at most so many objects; 0: all")
    parser.add_argument("--updater", choices=("plain", "burst"), default="burst")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peer-python", default=sys.executable, help="the interpreter that has tbp.monty")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the comparison; 1 where there is no tbp.monty to compare with."""
    given = parse(arguments)
    try:
        check_importable(given.peer_python, "tbp.monty")
    except PeerError as error:
        print(remedy("monty", given.peer_python, error), file=sys.stderr)
        return 1
    config = replace(preset(given.preset), seed=given.seed)
    config = replace(config, objects=replace(config.objects, limit=given.objects))
    streams = record(config, given.episodes, given.looks)
    pairs = run(streams, settings_of(given.updater, given.dtype), given.min_steps, given.peer_python)
    report = {**vars(given), **summary(streams, pairs)}
    del report["json"], report["peer_python"]
    if given.json:
        print(json.dumps(report))
        return 0
    for name, value in report.items():
        print(f"{name:>20}  {value:.4g}" if isinstance(value, float) else f"{name:>20}  {value}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
