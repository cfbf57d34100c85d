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
from saccade.files.reading import shown
from saccade.monty.saved.graphs import nodes_of
from saccade.monty.saved.records import Record, RecordMachine, array_of
from saccade.nn.saved.mapped import StateError
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
    if module is None:
        return {str(name): _models(one, f"{path}, module {name}") for name, one in modules.items()}
    named = {str(name): one for name, one in modules.items()}
    if str(module) not in named:
        raise StateError(f"{path} has the learning modules {list(named)}, not {module!r}")
    return _models(named[str(module)], f"{path}, module {module}")


def _models(module: Any, where: str) -> list[ObjectModel]:
    memory = module.get("graph_memory") if isinstance(module, dict) else None
    if not isinstance(memory, dict):
        raise StateError(f"{where} has no graph_memory: it is of another kind of module, or version of Monty")
    return [_model(str(name), channels, where) for name, channels in memory.items()]


def _model(name: str, channels: Any, where: str) -> ObjectModel:
    if not isinstance(channels, dict):
        raise StateError(f"{where}: {name!r} has no channels; Monty before 0.1 wrote graphs without them")
    sets = {}
    for channel, model in channels.items():
        at = f"{where}: {name!r}, channel {channel!r}"
        graph = model.attribute("_graph") if isinstance(model, Record) else None
        if not isinstance(graph, Record):
            raise StateError(f"{at} holds no graph")
        parts = _graph(graph)
        missing = sorted({"pos", "x", "feature_mapping"} - parts.keys())
        if missing:
            raise StateError(f"{at}: its graph has no {', no '.join(missing)}; it has {sorted(parts)}")
        try:
            positions, x = array_of(parts["pos"]), array_of(parts["x"])
            sets[str(channel)] = nodes_of(positions, x, _mapping(parts["feature_mapping"]), at)
        except ValueError as error:
            raise StateError(f"{at}: {error}") from None
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
