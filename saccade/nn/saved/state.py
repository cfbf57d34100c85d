"""Saved state: trees of tensors and plain values as safetensors; files of torch are read too.

    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 3}
    nn.state.save(state, "last.safetensors")
    found = nn.state.load("last.safetensors")
    model.load_state_dict(found["model"])

A dict of tensors is a plain safetensors file, as other libraries have them. What else is in a tree (numbers,
texts, lists) is kept in the file's metadata as JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final

from ...files.reading import parse_json, reading
from ...tensor.tensor import Tensor
from .mapped import StateError
from .safetensors import REMEDY, SafeTensors, save_file

_TREE: Final = "saccade.tree"
_PLACE: Final = "tensor"


def save(
    tree: Mapping[str, Any], path: os.PathLike[str] | str, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a tree of tensors and plain values. The file appears whole or not at all."""
    tensors: dict[str, Tensor] = {}
    try:
        told = _told(tree, "", tensors)
    except RecursionError:
        raise StateError("cannot save what contains itself, or is nested some hundred times") from None
    flat = all(isinstance(value, Tensor) for value in tree.values())
    more = dict(metadata or {}) if flat else {**(metadata or {}), _TREE: json.dumps(told)}
    save_file(tensors, path, more)


def load(path: os.PathLike[str] | str) -> Any:
    """What a file of `save`, of safetensors or of torch holds. Tensors are mapped, and read when used."""
    from .torch_file import load_torch  # unpickling and archives: 10 ms, for who loads something
    from .torch_legacy import MAGIC

    with reading(path, StateError, REMEDY), open(path, "rb") as file:
        start = file.read(2)
    if start == b"PK" or start == MAGIC[:2]:
        return load_torch(path)
    found = SafeTensors(path)
    if _TREE not in found.metadata:
        return found
    with reading(path, StateError, REMEDY) as place:
        place.where = "its metadata"
        return _rebuilt(parse_json(found.metadata[_TREE]), found)


def _told(value: Any, name: str, tensors: dict[str, Tensor]) -> Any:
    """A tree as JSON, with places for tensors, which are put into a dict by name."""
    if isinstance(value, Tensor):
        if name in tensors:
            raise StateError(f"two tensors would be saved as {name!r}: rename one of them")
        tensors[name] = value
        return {_PLACE: name}
    if isinstance(value, Mapping):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            where = f"{name!r} has" if name else "it has"
            raise StateError(f"the keys of what is saved have to be texts: {where} the key {odd!r}")
        parts = {key: _told(part, f"{name}.{key}" if name else key, tensors) for key, part in value.items()}
        return {"dict": parts}
    if isinstance(value, (list, tuple)):
        return [_told(part, f"{name}.{number}" if name else str(number), tensors)
                for number, part in enumerate(value)]  # fmt: skip
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise StateError(
        f"cannot save a {type(value).__name__} as {name!r}: tensors, numbers, texts, dicts and lists"
    )


def _rebuilt(told: Any, tensors: SafeTensors) -> Any:
    if isinstance(told, list):
        return [_rebuilt(part, tensors) for part in told]
    if isinstance(told, dict):
        if _PLACE in told:
            return tensors[told[_PLACE]]
        return {key: _rebuilt(part, tensors) for key, part in told["dict"].items()}
    return told
