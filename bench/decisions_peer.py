"""tbp.monty's evidence learning module on recorded percept streams: `python -m bench.decisions_peer`.

    python -m bench.decisions_peer STREAMS.npz '{"updater": "burst", ...}'

Says `{"ready": true}`, then answers a line `episode N` with the module's decision: how it ended, object,
rotation, evidence, steps, and the seconds its steps took.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from typing import Any

import numpy as np

CHANNEL = "patch"


def graph_of(file: Any, o: int) -> Any:
    """The model as tbp.monty keeps one."""
    import torch
    from torch_geometric.data import Data

    positions, vectors = file[f"model{o}_positions"], file[f"model{o}_vectors"]
    n = len(positions)
    columns = [
        np.arange(n)[:, None], vectors.reshape(n, 9), file[f"model{o}_defined"][:, None],
        file[f"model{o}_hsv"], file[f"model{o}_principal_curvatures_log"],
    ]  # fmt: skip
    mapping = {
        "node_ids": [0, 1], "pose_vectors": [1, 10], "pose_fully_defined": [10, 11], "hsv": [11, 14],
        "principal_curvatures_log": [14, 16],
    }  # fmt: skip
    return Data(
        x=torch.tensor(np.concatenate(columns, axis=1), dtype=torch.float32),
        pos=torch.tensor(positions, dtype=torch.float32),
        norm=torch.tensor(vectors[:, 0], dtype=torch.float32),
        feature_mapping=mapping,
    )


def module_of(file: Any, options: dict[str, Any]) -> Any:
    """Its learning module with these models and settings."""
    from tbp.monty.frameworks.experiments.mode import ExperimentMode
    from tbp.monty.frameworks.models.evidence_matching.burst_sampling import BurstSamplingHypothesesUpdater
    from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import DefaultHypothesesUpdater
    from tbp.monty.frameworks.models.evidence_matching.learning_module import EvidenceGraphLM
    from tbp.monty.frameworks.models.object_model import GridObjectModel

    kinds = {"plain": DefaultHypothesesUpdater, "burst": BurstSamplingHypothesesUpdater}
    module = EvidenceGraphLM(
        max_match_distance=options["max_match_distance"],
        tolerances={
            CHANNEL: {"hsv": np.array([0.1, 0.2, 0.2]), "principal_curvatures_log": np.array([1.0, 1.0])}
        },
        feature_weights={CHANNEL: {"hsv": np.array([2, 0.5, 0.5])}},
        evidence_threshold_config="all",
        x_percent_threshold=options["x_percent_threshold"],
        object_evidence_threshold=options["object_evidence_threshold"],
        path_similarity_threshold=options["path_similarity_threshold"],
        pose_similarity_threshold=options["pose_similarity_threshold"],
        required_symmetry_evidence=options["required_symmetry_evidence"],
        hypotheses_updater_class=kinds[options["updater"]],
        hypotheses_updater_args={
            "max_nneighbors": options["max_nneighbors"],
            "umbilical_num_poses": options["umbilical_num_poses"],
        },
    )
    for o, name in enumerate(file["objects"]):
        model = GridObjectModel(str(name), max_nodes=100_000, max_size=1.0, num_voxels_per_dim=200)
        model.use_original_graph = True
        model.set_graph(graph_of(file, o))
        module.graph_memory.models_in_memory[str(name)] = {CHANNEL: model}
    module.mode = ExperimentMode.EVAL
    return module


def message_at(file: Any, at: tuple[int, int]) -> Any:
    from tbp.monty.cmp import Message
    from tbp.monty.geometry import SurfacePoseVectors

    return Message(
        location=file["location"][at].copy(),
        morphological_features={
            "pose_vectors": SurfacePoseVectors(file["pose"][at]),
            "pose_fully_defined": bool(file["defined"][at]),
            "on_object": True,
        },
        non_morphological_features={
            "hsv": file["hsv"][at],
            "principal_curvatures_log": file["curvatures"][at],
        },
        confidence=1.0,
        pass_message=True,
        sender_id=CHANNEL,
        sender_type="SM",
        process_features_in_lm=bool(file["informative"][at]),
    )


def decide(module: Any, file: Any, episode: int, options: dict[str, Any]) -> dict[str, Any]:
    """One episode: until it matches after enough steps, or the stream ends."""
    from tbp.monty.context import RuntimeContext

    context = RuntimeContext(rng=np.random.RandomState(0))
    module.reset_stm()
    module.fixme_reset_ground_truth()
    steps, seconds, cpu, ending = 0, 0.0, 0.0, "time_out"
    for t in range(file["present"].shape[1]):
        if not file["present"][episode, t]:
            continue
        message = message_at(file, (episode, t))
        began, began_cpu = time.perf_counter(), time.process_time()
        module.matching_step(context, [message])
        module.add_lm_processing_to_buffer_stats(lm_processed=message.process_features_in_lm)
        steps += message.process_features_in_lm
        if message.process_features_in_lm and steps > options["min_steps"]:
            module.update_terminal_condition()
        seconds, cpu = seconds + time.perf_counter() - began, cpu + time.process_time() - began_cpu
        if module.terminal_state == "match":
            ending = "match"
            break
    best = module.current_mlh
    name = module.detected_object if ending == "match" else best["graph_id"]
    sure = ending == "match" or best["evidence"] > options["object_evidence_threshold"]
    return {
        "ending": ending,
        "object": str(name) if sure else "",
        "rotation": best["rotation"].as_matrix().tolist() if sure else None,
        "evidence": float(best["evidence"]),
        "steps": steps,
        "seconds": seconds,
        "cpu_seconds": cpu,
    }


def main() -> None:
    path, options = sys.argv[1], json.loads(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    logging.disable(logging.ERROR)
    with np.load(path, allow_pickle=False) as found:
        file = {name: found[name] for name in found.files}
    module = module_of(file, options)
    answers.write(json.dumps({"ready": True}) + "\n")
    for line in sys.stdin:
        _, number = line.split()
        answers.write(json.dumps(decide(module, file, int(number), options)) + "\n")


if __name__ == "__main__":
    main()
