"""Objects, walks over them and Monty's parts made of them, for tests that compare ours with Monty's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.evidence_data import Workload, make_workload
from bench.evidence_peer import monty_graph

TOLERANCES = {"hsv": np.array([0.1, 0.2, 0.2]), "principal_curvatures_log": np.ones(2)}
WEIGHTS = {"hsv": np.array([2, 0.5, 0.5])}


def work(objects: int = 4, nodes: int = 120, steps: int = 12, seed: int = 0) -> Workload:
    return make_workload(objects, nodes, steps, seed)


def arguments(channels: tuple[str, ...] = ("patch_0",), **changes: Any) -> dict[str, Any]:
    return {
        "max_match_distance": 0.01,
        "tolerances": {channel: dict(TOLERANCES) for channel in channels},
        "feature_weights": {channel: dict(WEIGHTS) for channel in channels},
        "x_percent_threshold": 20,
        "max_graph_size": 1.0,
        "max_nodes_per_graph": 100_000,
        "num_model_voxels_per_dim": 200,
        "hypotheses_updater_args": {"max_nneighbors": 10},
        **changes,
    }


def learn(lm: Any, walk: Workload, name: str = "learning_module_0", channel: str = "patch_0") -> Any:
    """A module that knows the objects of a workload, and is about to begin an episode of evaluation."""
    from tbp.monty.frameworks.experiments.mode import ExperimentMode

    lm.learning_module_id = name
    lm.has_detailed_logger = False
    lm.set_experiment_mode(ExperimentMode.EVAL)
    for o in range(len(walk.positions)):
        model = lm.graph_memory._initialize_model_with_graph(f"o{o}", monty_graph(walk, o))
        lm.graph_memory.models_in_memory[f"o{o}"] = {channel: model}
    lm.reset_stm()
    lm.init_from_ltm()
    return lm


def message(walk: Workload, t: int, channel: str = "patch_0", features: bool = True, **changes: Any) -> Any:
    """What a sensor module sends at step t of the walk."""
    from tbp.monty.cmp import Message
    from tbp.monty.geometry import SurfacePoseVectors

    given: dict[str, Any] = {
        "location": walk.location[t].copy(),
        "morphological_features": {
            "pose_vectors": SurfacePoseVectors(walk.pose[t].copy()),
            "pose_fully_defined": t % 4 != 2,
            "on_object": 1,
        },
        "non_morphological_features": {
            "hsv": walk.felt_hsv[t].copy(),
            "principal_curvatures_log": walk.felt_curvatures[t].copy(),
        },
        "confidence": 1.0,
        "pass_message": True,
        "process_features_in_lm": features,
        "sender_id": channel,
        "sender_type": "SM",
    }
    return Message(**given | changes)


def steps(walk: Workload, moved_only: tuple[int, ...] = ()) -> Iterator[list[Any]]:
    for t in range(len(walk.location)):
        yield [message(walk, t, features=t not in moved_only)]
