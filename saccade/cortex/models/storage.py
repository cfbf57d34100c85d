"""Object models on disk: a folder with the numbers (`nodes.safetensors`) and what they mean (`models.json`).

    >>> save_models(folder, [model])
    >>> load_models(folder)[0].name == model.name
    True

A save is atomic (`files.atomic`): it is written beside its place, flushed to the disk and moved there when
complete, so a reader finds the old models or the new ones, whole. The JSON names its version and checksums
of the numbers and of what it says of them; a file of another program, another version, a cut or a changed
file is refused with a message that says which.
Nothing in either file is code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.models.tensor_file import (
    AGAIN,
    TENSOR_BYTES,
    Array,
    FileError,
    parse_arrays,
    write_arrays,
)
from saccade.files.atomic import staged
from saccade.files.reading import read_bytes, read_json, reading, shown

FORMAT, VERSION = "saccade object models", 1
NODES, INDEX = "nodes.safetensors", "models.json"
# What the JSON has; older files have no checksum of their descriptions.
KEYS = {"format", "version", "checksum", "described", "models"}
# Arrays of a channel beside its features, and characters of a name.
PARTS, MOST_NAME = ("positions", "pose_vectors", "fully_defined", "seen"), 1000


def save_models(folder: str | Path, models: Iterable[ObjectModel]) -> None:
    """Write models to a folder, in the place of whatever models were there."""
    target = Path(folder)
    found = list(models)
    names = [model.name for model in found]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"cannot save models with equal names: {twice}")
    if target.exists() and not (target / INDEX).exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileError(f"{target} exists and holds no models; choose another place")
    with staged(target) as stage:
        stage.mkdir()
        _write(stage, found)


def _write(folder: Path, models: Sequence[ObjectModel]) -> None:
    arrays: dict[str, Array] = {}
    described = []
    for m, model in enumerate(models):
        channels = []
        for c, (channel, nodes) in enumerate(model.channels.items()):
            key = f"{m}.{c}"
            arrays[f"{key}.positions"] = nodes.positions
            arrays[f"{key}.pose_vectors"] = nodes.pose_vectors
            arrays[f"{key}.fully_defined"] = nodes.fully_defined
            arrays[f"{key}.seen"] = nodes.seen
            features = list(nodes.features)
            for f, feature in enumerate(features):
                arrays[f"{key}.features.{f}"] = nodes.features[feature]
            channels.append({"name": channel, "key": key, "features": features})
        described.append({"name": model.name, "channels": channels})
    write_arrays(folder / NODES, arrays)
    checksum = hashlib.sha256((folder / NODES).read_bytes()).hexdigest()
    index = {"format": FORMAT, "version": VERSION, "checksum": checksum, "described": _checksum(described)}
    index["models"] = described
    (folder / INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")


def _checksum(described: Any) -> str:
    """Of what the JSON says of models, however it is laid out."""
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def load_models(folder: str | Path) -> list[ObjectModel]:
    """Read the models of a folder, in the order in which they were saved."""
    source = Path(folder)
    index = _read_index(source)
    nodes = source / NODES
    if not nodes.exists():
        raise FileError(f"{source} is incomplete: {NODES} is missing")
    with reading(nodes, FileError, AGAIN):
        content = read_bytes(nodes, TENSOR_BYTES)
    if hashlib.sha256(content).hexdigest() != index.get("checksum"):
        raise FileError(
            f"{nodes} does not belong to its {INDEX}, or was changed or cut; restore it or learn again"
        )
    arrays = parse_arrays(content, nodes)
    models: dict[str, ObjectModel] = {}
    with reading(source / INDEX, FileError, AGAIN) as place:
        for number, entry in enumerate(index["models"]):
            place.where = f"model {number}"
            model = _model(entry, arrays, nodes)
            if model.name in models:
                raise ValueError(f"it names {model.name!r} twice")
            models[model.name] = model
    return list(models.values())


def _read_index(source: Path) -> dict[str, Any]:
    path = source / INDEX
    if not path.exists():
        raise FileError(f"there are no models at {source}: {INDEX} is missing")
    with reading(path, FileError, AGAIN):
        index = read_json(path)
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise FileError(f"{path} is not a file of {FORMAT}")
    if index.get("version") != VERSION:
        raise FileError(
            f"{path} has version {shown(index.get('version'))}, this program reads version {VERSION}; "
            "learn the models again"
        )
    told = index.get("described")
    if not index.keys() <= KEYS or (told is not None and told != _checksum(index.get("models"))):
        raise FileError(f"{path} was changed or cut; restore it or learn again")
    return index


def _model(entry: dict[str, Any], arrays: dict[str, Array], nodes: Path) -> ObjectModel:
    channels = {}
    for channel in entry["channels"]:
        key, features = channel["key"], channel["features"]
        parts = [*PARTS, *(f"features.{f}" for f in range(len(features)))]
        missing = [part for part in parts if f"{key}.{part}" not in arrays]
        if missing:
            raise ValueError(f"it does not describe {NODES}, which has no {shown(f'{key}.{missing[0]}')}")
        positions, pose_vectors, fully_defined, seen, *columns = (arrays[f"{key}.{part}"] for part in parts)
        # infinities that come of it are refused, by name
        with reading(nodes, FileError, AGAIN) as place, np.errstate(over="ignore", invalid="ignore"):
            place.where = f"nodes of model {shown(entry['name'])}"
            if seen.dtype != np.int64 or (seen < 0).any():
                raise ValueError("some were seen less than no time")
            channels[_name(channel["name"])] = NodeSet(
                positions, pose_vectors, fully_defined, dict(zip(map(_name, features), columns)), seen
            )
    return ObjectModel(_name(entry["name"]), channels)


def _name(given: object) -> str:
    if not isinstance(given, str) or not 0 < len(given) <= MOST_NAME:
        raise ValueError(f"{shown(given)} is no name of 1 to {MOST_NAME} characters")
    return given
