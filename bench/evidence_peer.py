"""The peers of the hypothesis benchmark, stepped from outside: `python -m bench.evidence_peer`.

    python -m bench.evidence_peer monty|torch WORKLOAD.npz '{"neighbours": 10, ...}'

A peer runs in a process and an environment of its own. It says `{"ready": true}`, then answers a line `step`
with `{"seconds", "cpu_seconds"}` of the next percept's update, and a line `save FILE` by writing every
hypothesis' evidence and the share in reach. So the caller can step it and its own engine in turns, on the
same machine in the same state, and see that both computed the same thing.

`monty` runs tbp.monty's own updater with one thread per object, as its learning module does. `torch` is the
straightforward batched version: all distances of an object's hypotheses to its nodes, top-k, gathers.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bench.evidence_data import CHANNEL, Workload

TOLERANCES = {"hsv": np.array([0.1, 0.2, 0.2]), "principal_curvatures_log": np.ones(2)}
WEIGHTS = {"hsv": np.array([2, 0.5, 0.5]), "principal_curvatures_log": np.ones(2), "pose_vectors": np.ones(3)}
RADIUS = 0.01

Floats = npt.NDArray[np.float64]


class Peer(Protocol):
    """An engine that takes the percepts of a workload one after the other."""

    def prepare(self, t: int) -> Any:
        """What is not timed: the percept in the engine's own form."""

    def update(self, given: Any) -> None:
        """What is timed."""

    def evidence(self) -> list[Floats]:
        """Every hypothesis' evidence, object by object."""


class Monty:
    """tbp.monty's hypotheses updater over its own object models."""

    def __init__(self, work: Workload, options: dict[str, Any]) -> None:
        from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
            BurstSamplingHypothesesUpdater,
        )
        from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
        from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import DefaultHypothesesUpdater

        self.work, self.options = work, options
        memory, tolerances = monty_memory([monty_graph(work, o) for o in range(len(work.positions))])
        kinds = {"plain": DefaultHypothesesUpdater, "burst": BurstSamplingHypothesesUpdater}
        self.updater = kinds[options["updater"]](
            feature_weights={CHANNEL: {**WEIGHTS, "pose_fully_defined": np.array([1.0])}},
            graph_memory=memory,
            max_match_distance=RADIUS,
            tolerances=tolerances,
            evidence_threshold_config="all",
            max_nneighbors=options["neighbours"],
            umbilical_num_poses=options["poses"],
        )
        self.hypotheses = {f"o{o}": Hypotheses.empty() for o in range(len(work.positions))}

    def prepare(self, t: int) -> Any:
        moved = None if t == 0 else self.work.location[t] - self.work.location[t - 1]
        return moved, {CHANNEL: self._features(t)}

    def _features(self, t: int) -> dict[str, Any]:
        from tbp.monty.geometry import SurfacePoseVectors

        return {
            "pose_vectors": SurfacePoseVectors(self.work.pose[t]),
            "pose_fully_defined": not (t == 0 and self.options["umbilical_start"]),
            "hsv": self.work.felt_hsv[t],
            "principal_curvatures_log": self.work.felt_curvatures[t],
        }

    def update(self, given: Any) -> None:
        moved, features = given

        def one(name: str) -> None:
            own = self.updater.displace_hypotheses(self.hypotheses[name], moved, name)
            cut = own.evidence.min() if own.count else 0.0
            self.hypotheses[name], _ = self.updater.update_evidence(own, features, name, cut)

        with self.updater:
            threads = [threading.Thread(target=one, args=(name,)) for name in self.hypotheses]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def evidence(self) -> list[Floats]:
        return [np.asarray(own.evidence) for own in self.hypotheses.values()]


def monty_memory(graphs: list[Any]) -> tuple[Any, dict[str, Any]]:
    """tbp.monty's memory holding these graphs as o0, o1, ..., and its tolerances."""
    from tbp.monty.frameworks.models.evidence_matching.graph_memory import EvidenceGraphMemory
    from tbp.monty.frameworks.models.object_model import GridObjectModel
    from tbp.monty.frameworks.utils.graph_matching_utils import add_pose_features_to_tolerances

    room = {"max_nodes_per_graph": 100_000, "max_graph_size": 1.0, "num_model_voxels_per_dim": 200}
    memory = EvidenceGraphMemory(graph_delta_thresholds=None, **room)
    for o, graph in enumerate(graphs):
        model = GridObjectModel(f"o{o}", max_nodes=100_000, max_size=1.0, num_voxels_per_dim=200)
        model.use_original_graph = True
        model.set_graph(graph)
        memory.models_in_memory[f"o{o}"] = {CHANNEL: model}
    tolerances = add_pose_features_to_tolerances({CHANNEL: dict(TOLERANCES)})
    memory.features_to_use = tolerances
    memory.initialize_feature_arrays()
    return memory, tolerances


def monty_graph(work: Workload, o: int) -> Any:
    import torch
    from torch_geometric.data import Data

    n = len(work.positions[o])
    vectors, flags = work.vectors[o].reshape(n, 9), work.flags[o][:, None]
    columns = [np.arange(n)[:, None], vectors, flags, work.hsv[o], work.curvatures[o]]
    mapping = {
        "node_ids": [0, 1], "pose_vectors": [1, 10], "pose_fully_defined": [10, 11], "hsv": [11, 14],
        "principal_curvatures_log": [14, 16],
    }  # fmt: skip
    return Data(
        x=torch.tensor(np.concatenate(columns, axis=1), dtype=torch.float32),
        pos=torch.tensor(work.positions[o], dtype=torch.float32),
        norm=torch.tensor(work.vectors[o][:, 0], dtype=torch.float32),
        feature_mapping=mapping,
    )


class Torch:
    """The update written down in batched torch, in single precision."""

    def __init__(self, work: Workload, options: dict[str, Any]) -> None:
        import torch

        if options["updater"] != "plain":
            raise ValueError(f"the torch peer has only the plain updater, not {options['updater']!r}")
        self.torch, self.work, self.options = torch, work, options
        self.device = options["device"]
        torch.set_num_threads(options["threads"])
        on = self._on
        self.node, self.vectors, self.flags = on(work.positions), on(work.vectors), on(work.flags)
        self.stored = torch.cat([on(work.hsv), on(work.curvatures)], dim=-1)
        self.tolerance, self.weight = on([0.1, 0.2, 0.2, 1, 1]), on([2, 0.5, 0.5, 1, 1]) / 5
        sets = on(_sets(work.pose[0], options))
        self.rotation = torch.einsum("onka,jkb->ojnab", self.vectors, sets).reshape(len(self.node), -1, 3, 3)
        self.location = self.node.repeat(1, len(sets), 1)
        self.total = torch.zeros(self.location.shape[:2], device=self.device)

    def _on(self, values: Any) -> Any:
        return self.torch.as_tensor(np.asarray(values), dtype=self.torch.float32, device=self.device)

    def prepare(self, t: int) -> Any:
        work = self.work
        moved = None if t == 0 else self._on(work.location[t] - work.location[t - 1])
        sensed = self._on(np.r_[work.felt_hsv[t], work.felt_curvatures[t]])
        return moved, self._on(work.pose[t]), sensed, float(np.abs(work.felt_curvatures[t]).max())

    def update(self, given: Any) -> None:
        moved, pose, sensed, curvature = given
        torch = self.torch
        scores = self._scores(sensed)
        if moved is None:
            self.total = scores.repeat(1, self.location.shape[1] // self.node.shape[1])
            return
        self.location = self.location + self.rotation @ moved
        # on a CPU one object at a time stays in the cache; on a GPU all at once
        chunk = len(self.node) if self.device != "cpu" else 1
        parts = [
            self._gain(slice(i, i + chunk), scores, pose, curvature) for i in range(0, len(self.node), chunk)
        ]
        self.total = self.total + torch.cat(parts)
        if self.device != "cpu":
            torch.cuda.synchronize()

    def _scores(self, sensed: Any) -> Any:
        gap = (self.stored - sensed).abs()
        gap[..., 0] = self.torch.minimum(gap[..., 0], 1 - gap[..., 0]).abs()
        return ((self.tolerance - gap).clamp(min=0) / self.tolerance * self.weight).sum(dim=-1)

    def _gain(self, c: slice, scores: Any, pose: Any, curvature: float) -> Any:
        """What every hypothesis of some objects gains from one percept, (objects, hypotheses)."""
        torch, location, node = self.torch, self.location[c], self.node[c]
        _, near = torch.cdist(location, node).topk(self.options["neighbours"], dim=-1, largest=False)
        flat = near.flatten(1)

        def pick(values: Any) -> Any:
            wide = flat.reshape(*flat.shape, *(1,) * (values.dim() - 2)).expand(-1, -1, *values.shape[2:])
            return values.gather(1, wide).reshape(*near.shape, *values.shape[2:])

        turned = torch.einsum("ohab,kb->ohka", self.rotation[c], pose)[:, :, None]
        offset = pick(node) - location[:, :, None]
        reach = offset.norm(dim=-1) + (offset * turned[..., 0, :]).sum(-1).abs() / (abs(curvature) + 0.5)
        found = pick(self.vectors[c])
        normal = (found[..., 0, :] * turned[..., 0, :]).sum(-1).clamp(-1, 1)
        first = (found[..., 1, :] * turned[..., 1, :]).sum(-1).clamp(-1, 1)
        fit = 0.5 - ((1 - normal) / 2).sqrt() + (0.5 - (1 - first * first).sqrt()) * pick(self.flags[c])
        return torch.where(reach < RADIUS, fit + pick(scores[c]), -1.0).amax(dim=-1)

    def evidence(self) -> list[Floats]:
        return [np.asarray(row, np.float64) for row in self.total.cpu().numpy()]


def _sets(pose: Any, options: dict[str, Any]) -> Any:
    if not options["umbilical_start"]:
        return np.stack([pose, pose * np.array([[1.0], [-1.0], [-1.0]])])
    angles = 2 * np.pi * np.arange(options["poses"]) / options["poses"]
    first = np.cos(angles)[:, None] * pose[1] + np.sin(angles)[:, None] * pose[2]
    normal = np.broadcast_to(pose[0], first.shape)
    return np.stack([normal, first, np.cross(normal, first)], axis=1)


def reached_share(before: list[Floats], after: list[Floats]) -> float | None:
    """Share of hypotheses that found a node in reach: those that did not lose exactly 1. None where their
    numbers changed."""
    if [len(a) for a in before] != [len(b) for b in after]:
        return None
    return float((np.concatenate(after) - np.concatenate(before) > -1 + 1e-5).mean())


def serve(peer: Peer, steps: int, say: Callable[[dict[str, Any]], object]) -> None:
    """Answer the lines of standard input until it ends."""
    reached: list[float] = []
    t = 0
    say({"ready": True})
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        if verb == "step" and t < steps:
            given, before = peer.prepare(t), peer.evidence()
            began, cpu = time.perf_counter(), time.process_time()
            peer.update(given)
            answer = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu}
            share = reached_share(before, peer.evidence()) if t else None
            reached += [] if share is None else [share]
            t += 1
            say(answer)
        elif verb == "save":
            np.savez(rest, allow_pickle=False, **{f"o{o}": one for o, one in enumerate(peer.evidence())})
            say({"in_range": float(np.mean(reached)) if reached else None})
        else:
            say({"error": f"unknown request {line.strip()!r} after {t} steps"})


def main() -> None:
    kind, path, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    # whatever a library prints goes to standard error, so that answers stay readable
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    work = Workload.load(path)
    peer: Peer = Monty(work, options) if kind == "monty" else Torch(work, options)
    serve(peer, len(work.location), lambda answer: answers.write(json.dumps(answer) + "\n"))


if __name__ == "__main__":
    main()
