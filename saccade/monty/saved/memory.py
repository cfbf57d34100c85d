"""Monty's pretrained models as what a run of ours begins with (`train.models`).

    memory = read_memory("model.pt")             # of all its learning modules, in their order
    memory = read_memory("model.pt", "0")        # of one

Monty names channels as its configs do; ours are `patch_0` for the sensor of the first module, and `module_0`
for what that module recognised. A module of Monty that listens to one sensor gets that of its own number, one
that hears others too that of the first.
"""

from __future__ import annotations

import os

from saccade.cortex.models.model import ObjectModel
from saccade.experiment.engine.memory import Memory
from saccade.monty.saved.models import read_models
from saccade.nn.saved.mapped import StateError

#: how Monty names what comes from a learning module, before its number
MODULE = "learning_module_"


def read_memory(path: os.PathLike[str] | str, module: int | str | None = None) -> Memory:
    """What the learning modules of a file know, or one of them."""
    modules = list(read_models(path).values()) if module is None else [read_models(path, module)]
    if not any(modules):
        raise StateError(f"{path} holds no models: its learning modules have learned nothing")
    return Memory.of(
        [{one.name: _renamed(one, number, path) for one in models} for number, models in enumerate(modules)]
    )


def _renamed(model: ObjectModel, number: int, path: os.PathLike[str] | str) -> ObjectModel:
    heard = [name for name in model.channels if name.startswith(MODULE)]
    sensors = [name for name in model.channels if name not in heard]
    if len(sensors) != 1:
        raise StateError(
            f"{path}: the model of {model.name!r} has the sensors {sensors}; a module of ours has one"
        )
    names = {name: f"module_{name.removeprefix(MODULE)}" for name in heard}
    names[sensors[0]] = "patch_0" if heard else f"patch_{number}"
    return ObjectModel(model.name, {names[name]: nodes for name, nodes in model.channels.items()})
