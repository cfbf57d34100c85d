"""Monty's pretrained models, read without tbp.monty, without torch, and without running code from the file.

    models = read_models("model.pt")         # {"0": [ObjectModel, ...]}, by learning module
    models = read_models("model.pt", 0)      # those of one

A model of Monty has one graph for each of its input channels, and so has ours. `saccade monty read model.pt
FOLDER` keeps them as ours (`cortex.models.storage`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, overload

from saccade.cortex.models.model import ObjectModel
from saccade.files.reading import Place, reading, shown
from saccade.monty.saved.graphs import nodes_of
from saccade.monty.saved.records import Record, RecordMachine, array_of
from saccade.nn.saved.mapped import StateError
from saccade.nn.saved.safetensors import REMEDY
from saccade.nn.saved.torch_file import load_torch


@overload
def read_models(path: os.PathLike[str] | str) -> dict[str, list[ObjectModel]]: ...
@overload
def read_models(path: os.PathLike[str] | str, module: int | str) -> list[ObjectModel]: ...
def read_models(path: Any, module: int | str | None = None) -> Any:
    """The models of every learning module in a file, or of one, in the order in which they were learned."""
    found = load_torch(path, RecordMachine)
    modules = found.get("lm_dict") if isinstance(found, dict) else None
    if not isinstance(modules, dict):
        raise StateError(
            f"{path} holds no lm_dict: it is no model.pt of a Monty experiment (0.55 and its like write one)"
        )
    named = {str(name): one for name, one in modules.items()}
    if module is not None and str(module) not in named:
        raise StateError(f"{path} has the learning modules {list(named)}, not {module!r}")
    asked = named if module is None else {str(module): named[str(module)]}
    with reading(path, StateError, REMEDY) as place:
        models = {name: _models(one, f"module {name}", place) for name, one in asked.items()}
    return models if module is None else models[str(module)]


def _models(module: Any, where: str, place: Place) -> list[ObjectModel]:
    place.where = where
    memory = module.get("graph_memory") if isinstance(module, dict) else None
    if not isinstance(memory, dict):
        raise ValueError("it has no graph_memory, so it is of another kind of module, or version of Monty")
    return [_model(str(name), channels, where, place) for name, channels in memory.items()]


def _model(name: str, channels: Any, where: str, place: Place) -> ObjectModel:
    place.where = f"{where}: {name!r}"
    if not isinstance(channels, dict):
        raise ValueError("it has no channels; Monty before 0.1 wrote graphs without them")
    sets = {}
    for channel, model in channels.items():
        place.where = f"{where}: {name!r}, channel {channel!r}"
        graph = model.attribute("_graph") if isinstance(model, Record) else None
        if not isinstance(graph, Record):
            raise ValueError("it holds no graph")
        parts = _graph(graph)
        missing = sorted({"pos", "x", "feature_mapping"} - parts.keys())
        if missing:
            raise ValueError(f"its graph has no {', no '.join(missing)}; it has {sorted(parts)}")
        positions, x = array_of(parts["pos"]), array_of(parts["x"])
        sets[str(channel)] = nodes_of(positions, x, _mapping(parts["feature_mapping"]), "its graph")
    return ObjectModel(name, sets)


def _graph(graph: Record) -> dict[str, Any]:
    """The parts of a graph: of Monty's own class, or of torch_geometric's Data, whose store holds them."""
    store = graph.attribute("_store")
    mapping = store.attribute("_mapping") if isinstance(store, Record) else None
    if isinstance(mapping, dict):
        return mapping
    return dict(graph.state) if isinstance(graph.state, dict) else {}


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"feature_mapping is {shown(value)}")
    return value
