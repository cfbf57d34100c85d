"""The peers of the hypothesis benchmark, run in their own process and environment: `python -m
bench.evidence_peer`.

    python -m bench.evidence_peer monty|torch WORKLOAD.npz '{"neighbours": 10, ...}'   ->   one JSON object

`monty` runs tbp.monty's own updater with one thread per object, as its learning module does. `torch` is the
straightforward batched version: all distances of an object's hypotheses to its nodes, top-k, gathers. Both
report milliseconds per step (median after a warm-up), the share of hypotheses with a node in reach, and the
evidence after the last step, so that the caller can see that the same thing was computed.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any

import numpy as np

from bench.evidence_data import CHANNEL, Workload

TOLERANCES = {"hsv": np.array([0.1, 0.2, 0.2]), "principal_curvatures_log": np.ones(2)}
WEIGHTS = {"hsv": np.array([2, 0.5, 0.5]), "principal_curvatures_log": np.ones(2), "pose_vectors": np.ones(3)}
RADIUS = 0.01


def summary(times: list[float], reached: list[float], best: list[float]) -> dict[str, Any]:
    timed = times[min(2, len(times) - 1) :]
    return {
        "ms_per_step": float(np.median(timed) * 1e3),
        "in_range": float(np.mean(reached)) if reached else None,
        "evidence": [float(value) for value in best],
    }


def run_monty(work: Workload, options: dict[str, Any]) -> dict[str, Any]:
    from tbp.monty.frameworks.models.evidence_matching.graph_memory import EvidenceGraphMemory
    from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
    from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import DefaultHypothesesUpdater
    from tbp.monty.frameworks.models.object_model import GridObjectModel
    from tbp.monty.frameworks.utils.graph_matching_utils import add_pose_features_to_tolerances

    memory = EvidenceGraphMemory(
        max_nodes_per_graph=100_000,
        max_graph_size=1.0,
        num_model_voxels_per_dim=200,
        graph_delta_thresholds=None,
    )
    for o in range(len(work.positions)):
        model = GridObjectModel(f"o{o}", max_nodes=100_000, max_size=1.0, num_voxels_per_dim=200)
        model.use_original_graph = True
        model.set_graph(_graph(work, o))
        memory.models_in_memory[f"o{o}"] = {CHANNEL: model}
    tolerances = add_pose_features_to_tolerances({CHANNEL: dict(TOLERANCES)})
    memory.features_to_use = tolerances
    memory.initialize_feature_arrays()
    weights = {CHANNEL: {**WEIGHTS, "pose_fully_defined": np.array([1.0])}}
    updater = DefaultHypothesesUpdater(
        feature_weights=weights,
        graph_memory=memory,
        max_match_distance=RADIUS,
        tolerances=tolerances,
        max_nneighbors=options["neighbours"],
        umbilical_num_poses=options["poses"],
    )
    hypotheses = {f"o{o}": Hypotheses.empty() for o in range(len(work.positions))}
    times: list[float] = []
    reached: list[float] = []
    for t in range(len(work.location)):
        moved = None if t == 0 else work.location[t] - work.location[t - 1]
        features = {CHANNEL: _monty_features(work, t, options)}
        before = {name: h.evidence for name, h in hypotheses.items()}

        def one(name: str, moved: Any = moved, features: dict[str, Any] = features) -> None:
            own = updater.displace_hypotheses(hypotheses[name], moved, name)
            cut = own.evidence.min() if own.count else 0.0
            own, _ = updater.update_evidence(own, features, name, cut)
            hypotheses[name] = own

        began = time.perf_counter()
        with updater:
            threads = [threading.Thread(target=one, args=(name,)) for name in hypotheses]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        spent = time.perf_counter() - began
        if t:
            times.append(spent)
            gained = np.concatenate([hypotheses[name].evidence - before[name] for name in hypotheses])
            reached.append(float((gained > -1 + 1e-9).mean()))
    return summary(times, reached, [float(h.evidence.max()) for h in hypotheses.values()])


def _graph(work: Workload, o: int) -> Any:
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


def _monty_features(work: Workload, t: int, options: dict[str, Any]) -> dict[str, Any]:
    from tbp.monty.geometry import SurfacePoseVectors

    return {
        "pose_vectors": SurfacePoseVectors(work.pose[t]),
        "pose_fully_defined": not (t == 0 and options["umbilical_start"]),
        "hsv": work.felt_hsv[t],
        "principal_curvatures_log": work.felt_curvatures[t],
    }


def run_torch(work: Workload, options: dict[str, Any]) -> dict[str, Any]:
    import torch

    device = options["device"]
    torch.set_num_threads(options["threads"])

    def on(values: Any) -> Any:
        return torch.as_tensor(np.asarray(values), dtype=torch.float32, device=device)

    node, vectors, flags = on(work.positions), on(work.vectors), on(work.flags)
    stored = torch.cat([on(work.hsv), on(work.curvatures)], dim=-1)
    tolerance, weight = on([0.1, 0.2, 0.2, 1, 1]), on([2, 0.5, 0.5, 1, 1]) / 5
    sets = on(np.stack([_sets(work.pose[0], options)]))[0]
    rotation = torch.einsum("onka,jkb->ojnab", vectors, sets).reshape(len(node), -1, 3, 3)
    location = node.repeat(1, len(sets), 1)
    evidence = _scores(torch, stored, on(np.r_[work.felt_hsv[0], work.felt_curvatures[0]]), tolerance, weight)
    evidence = evidence.repeat(1, len(sets))
    # on a CPU one object at a time stays in the cache; on a GPU all at once
    chunk = len(node) if device != "cpu" else 1
    times, reached = [], []
    for t in range(1, len(work.location)):
        moved, pose = on(work.location[t] - work.location[t - 1]), on(work.pose[t])
        sensed = on(np.r_[work.felt_hsv[t], work.felt_curvatures[t]])
        curvature = float(np.abs(work.felt_curvatures[t]).max())
        began = time.perf_counter()
        scores = _scores(torch, stored, sensed, tolerance, weight)
        location = location + rotation @ moved
        gained = torch.cat(
            [
                _gain(
                    torch,
                    location[c],
                    rotation[c],
                    node[c],
                    vectors[c],
                    flags[c],
                    scores[c],
                    pose,
                    curvature,
                    options,
                )
                for c in (slice(i, i + chunk) for i in range(0, len(node), chunk))
            ]
        )
        evidence = evidence + gained
        if device != "cpu":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
        reached.append(float((gained > -1).float().mean()))
    return summary(times, reached, evidence.amax(dim=1).tolist())


def _sets(pose: Any, options: dict[str, Any]) -> Any:
    if not options["umbilical_start"]:
        return np.stack([pose, pose * np.array([[1.0], [-1.0], [-1.0]])])
    angles = 2 * np.pi * np.arange(options["poses"]) / options["poses"]
    first = np.cos(angles)[:, None] * pose[1] + np.sin(angles)[:, None] * pose[2]
    normal = np.broadcast_to(pose[0], first.shape)
    return np.stack([normal, first, np.cross(normal, first)], axis=1)


def _scores(torch: Any, stored: Any, sensed: Any, tolerance: Any, weight: Any) -> Any:
    gap = (stored - sensed).abs()
    gap[..., 0] = torch.minimum(gap[..., 0], 1 - gap[..., 0]).abs()
    return ((tolerance - gap).clamp(min=0) / tolerance * weight).sum(dim=-1)


def _gain(
    torch: Any, location: Any, rotation: Any, node: Any, vectors: Any, flags: Any, scores: Any, pose: Any,
    curvature: float, options: dict[str, Any],
) -> Any:  # fmt: skip
    """What every hypothesis gains from one percept, (objects, hypotheses)."""
    _, near = torch.cdist(location, node).topk(options["neighbours"], dim=-1, largest=False)
    flat = near.flatten(1)

    def pick(values: Any) -> Any:
        wide = flat.reshape(*flat.shape, *(1,) * (values.dim() - 2)).expand(-1, -1, *values.shape[2:])
        return values.gather(1, wide).reshape(*near.shape, *values.shape[2:])

    turned = torch.einsum("ohab,kb->ohka", rotation, pose)[:, :, None]
    offset = pick(node) - location[:, :, None]
    reach = offset.norm(dim=-1) + (offset * turned[..., 0, :]).sum(-1).abs() / (abs(curvature) + 0.5)
    found = pick(vectors)
    normal = (found[..., 0, :] * turned[..., 0, :]).sum(-1).clamp(-1, 1)
    first = (found[..., 1, :] * turned[..., 1, :]).sum(-1).clamp(-1, 1)
    fit = 0.5 - ((1 - normal) / 2).sqrt() + (0.5 - (1 - first * first).sqrt()) * pick(flags)
    return torch.where(reach < RADIUS, fit + pick(scores), -1.0).amax(dim=-1)


def main() -> None:
    kind, path, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    work = Workload.load(path)
    run = {"monty": run_monty, "torch": run_torch}[kind]
    print(json.dumps(run(work, options)))


if __name__ == "__main__":
    main()
