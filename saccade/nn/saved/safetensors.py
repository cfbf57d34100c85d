"""safetensors files: tensors by name, mapped and read when used; written beside and renamed.

save_file({"w": w}, "model.safetensors")
tensors = SafeTensors("model.safetensors")      # a mapping; nothing is read but the header
tensors["w"], tensors.metadata
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...files.atomic import staged
from ...files.reading import reading
from ...files.safetensors import METADATA, Entry, header_size, make_header, parse_header
from ...runtime.memory.halves import storage_dtype
from ...tensor.stores.stores import realize_tensors
from ...tensor.tensor import Tensor
from .mapped import MappedFile, StateError

REMEDY: Final = "save it again, or fetch it again"
_NAMES: Final = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3",
    "F8_E5M2": "float8_e5m2", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U64": "uint64",
    "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
_KINDS: Final = {ours: theirs for theirs, ours in _NAMES.items()}


class SafeTensors(Mapping[str, Tensor]):
    """The tensors of a file by name, each made when asked for. They are read-only: `clone()` to write."""

    def __init__(self, path: os.PathLike[str] | str) -> None:
        with reading(path, StateError, REMEDY) as place:
            self._file = MappedFile(path)
            data, size = self._file.data, self._file.size
            self._base = 8 + header_size(bytes(data[:8]), size)
            entries, self.metadata = parse_header(bytes(data[8 : self._base]), size, place)
            self._entries: dict[str, Entry] = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> Tensor:
        entry = self._entries[name]
        return self._file.tensor(self._base + entry.begin, _NAMES[entry.kind], entry.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def save_file(
    tensors: Mapping[str, Tensor], path: os.PathLike[str] | str, metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors by name. The file appears whole or not at all, and takes the place of another then."""
    strange = [name for name, value in tensors.items() if not isinstance(value, Tensor)]
    if strange or METADATA in tensors:
        raise StateError(f"cannot save {(strange or [METADATA])[0]!r}: give tensors by name, {path}")
    for name, value in tensors.items():
        if value.dtype.is_complex:
            raise StateError(
                f"cannot save {name!r} of {value.dtype.name}: the format has no such numbers; save "
                f"x.view_as_real(), {path}"
            )
    if tensors:
        realize_tensors(list(tensors.values()))
    kinds = [(name, _KINDS[tensor.dtype.name], tensor.shape) for name, tensor in tensors.items()]
    with staged(Path(path)) as stage, open(stage, "wb") as file:
        file.write(make_header(kinds, metadata))
        for tensor in tensors.values():
            words: Any = tensor._array()
            little = storage_dtype(tensor.dtype).newbyteorder("<")
            file.write(np.ascontiguousarray(words.astype(little, copy=False)).data)
