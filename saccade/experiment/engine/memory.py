"""What all modules of a run know: object models, and for objects found without names where they came from.

In: models. Out: a `Memory` value, and the same on disk as one folder with a file per module.

    memory = Memory.empty(1).extended(Memory.of([{"mug": model}]))
    save_memory(memory, path)
    load_memory(path).modules[0]["mug"]
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from saccade.cortex.models.model import ObjectModel
from saccade.cortex.models.storage import load_models, save_models
from saccade.cortex.models.tensor_file import FileError
from saccade.files.reading import read_json, reading, shown

FORMAT = 1
# Modules of a run, and one on each of the levels above them.
MOST_MODULES = 1024 + 7


@dataclass(frozen=True)
class Origin:
    """What a model without a given name was made from: the object, and its rotation then (3x3, by rows)."""

    object: str
    rotation: tuple[float, ...]


@dataclass(frozen=True)
class Memory:
    """modules[m]: models of module m by name, in order of learning. origins: of unnamed models."""

    modules: tuple[Mapping[str, ObjectModel], ...]
    origins: Mapping[str, Origin] = field(default_factory=dict)

    @staticmethod
    def empty(modules: int) -> Memory:
        return Memory(tuple({} for _ in range(modules)))

    @staticmethod
    def of(modules: Sequence[Mapping[str, ObjectModel]]) -> Memory:
        return Memory(tuple(dict(each) for each in modules))

    @property
    def known(self) -> frozenset[str]:
        """The objects that some module has a model of, unnamed models by what they were made from."""
        names = {name for models in self.modules for name in models}
        return frozenset(self.origins[name].object if name in self.origins else name for name in names)

    def extended(self, other: Memory) -> Memory:
        """Both together; models of `other` replace those of the same name, in their place."""
        if len(self.modules) != len(other.modules):
            raise ValueError(
                f"cannot join the memories of {len(self.modules)} and {len(other.modules)} modules"
            )
        joined = tuple({**mine, **theirs} for mine, theirs in zip(self.modules, other.modules))
        return Memory(joined, {**self.origins, **other.origins})


def save_memory(memory: Memory, path: Path) -> None:
    """Write a folder; the caller sees to it that it appears whole."""
    path.mkdir()
    for number, models in enumerate(memory.modules):
        save_models(path / f"module-{number}", list(models.values()))
    origins = {
        name: {"object": each.object, "rotation": each.rotation} for name, each in memory.origins.items()
    }
    head = {"format": FORMAT, "modules": len(memory.modules), "origins": origins}
    (path / "memory.json").write_text(json.dumps(head, indent=1), encoding="utf-8")


def load_memory(path: Path) -> Memory:
    """Read what `save_memory` wrote."""
    index = path / "memory.json"
    if not index.exists():
        raise FileError(f"{path} holds no models that can be read: {index.name} is missing")
    with reading(index, FileError, "learn the models again") as place:
        head = read_json(index)
        found, modules = head["format"], head["modules"]
        if found != FORMAT:
            raise FileError(
                f"the models at {path} have format {shown(found)}, this saccade reads format {FORMAT}; "
                "learn them again"
            )
        if type(modules) is not int or not 0 <= modules <= MOST_MODULES:
            raise ValueError(f"it names {shown(modules)} modules, and there are 0 to {MOST_MODULES}")
        origins = {}
        for name, each in head["origins"].items():
            place.where = f"origin {shown(name)}"
            rotation = tuple(map(float, each["rotation"]))
            if len(rotation) != 9 or not all(map(math.isfinite, rotation)):
                raise ValueError(f"its rotation is {shown(rotation)}, not nine numbers")
            origins[name] = Origin(str(each["object"]), rotation)
    tables = [
        {model.name: model for model in load_models(path / f"module-{number}")} for number in range(modules)
    ]
    return Memory(tuple(tables), origins)
