"""Our models for Monty: a `model.pt` that its experiments load as pretrained. Needs tbp.monty.

write_models("model.pt", models)                 # one learning module
write_models("model.pt", {"0": ..., "1": ...})   # several
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tbp.monty.frameworks.models.object_model import GridObjectModel
from tbp.monty.frameworks.utils.object_model_utils import NumpyGraph

from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.files.atomic import staged
from saccade.monty.saved.graphs import graph_arrays


def write_models(
    path: os.PathLike[str] | str,
    models: Sequence[ObjectModel] | Mapping[str, Sequence[ObjectModel]],
    max_size: float = 0.3,
    voxels: int = 50,
) -> None:
    """Write the models of one learning module, or of several, as Monty writes them. `max_size` (metres) and
    `voxels` per side are of the grid in which Monty goes on learning them.
    """
    modules = list(models.values()) if isinstance(models, Mapping) else [models]
    lm_dict: dict[int, Any] = {}
    for number, own in enumerate(modules):
        names = [model.name for model in own]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"cannot write models with equal names: {twice}")
        lm_dict[number] = {
            "graph_memory": {
                model.name: {
                    c: _grid(model.name, nodes, max_size, voxels) for c, nodes in model.channels.items()
                }
                for model in own
            },
            "target_to_graph_id": {name: {name} for name in names},
            "graph_id_to_target": {name: {name} for name in names},
        }
    with staged(Path(path)) as stage:
        torch.save({"lm_dict": lm_dict, "sm_dict": {}, "motor_system_dict": {}}, stage)


def _grid(name: str, nodes: NodeSet, max_size: float, voxels: int) -> Any:
    """Nodes as Monty's model, which matches with them as they are."""
    positions, x, mapping = graph_arrays(nodes)
    model = GridObjectModel(
        object_id=name, max_nodes=len(nodes), max_size=max_size, num_voxels_per_dim=voxels
    )
    model.use_original_graph = True
    wide = np.asarray(positions, np.float64)
    model.set_graph(
        NumpyGraph(
            {
                "pos": wide,
                "x": np.asarray(x, np.float64),
                "norm": np.asarray(nodes.pose_vectors[:, 0], np.float64),
                "feature_mapping": mapping,
            }
        )
    )
    return model
