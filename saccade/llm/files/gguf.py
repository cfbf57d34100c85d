"""GGUF files: metadata and tensors by name, mapped and read when used.

    file = Gguf("model.gguf")                   # a mapping; nothing is read but the header
    file.metadata["general.architecture"]       # "llama"
    weight = file["blk.0.attn_q.weight"]        # its name, shape and format
    weight.raw()                                # its blocks, bytes of the file themselves
    weight.dequantised()                        # float32, lazily: the program that unpacks them

`dequantised` computes nothing: what uses it (a product, a gather of rows) is compiled together with the
unpacking, and reads the packed bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...files.reading import reading, shown
from ...nn.saved.mapped import MappedFile
from ...tensor.tensor import Tensor
from ..weights.quants import FORMATS, Format
from .gguf_header import Info, Value, parse_header

REMEDY: Final = "fetch it again, or convert the model again"


class GgufError(ValueError):
    """A GGUF file that cannot be read; says which, where and why."""


@dataclass(frozen=True)
class GgufTensor:
    """A tensor of a file: what the header says of it, and its values when asked for."""

    info: Info
    path: Path
    file: MappedFile

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def shape(self) -> tuple[int, ...]:
        """As NumPy counts axes: (rows, columns) of a matrix, whose rows lie side by side."""
        return self.info.shape

    @property
    def kind(self) -> int:
        """The number of the format."""
        return self.info.kind

    @property
    def format(self) -> str:
        """The name of the format: `Q4_K`, `F16`."""
        return self.info.format

    def raw(self) -> Tensor:
        """The bytes of the file themselves: uint8 of shape (*shape[:-1], blocks of a row, bytes of a block)
        where the format has blocks, else the numbers in their own dtype."""
        known = self._known()
        if known.dtype is not None:
            return self.file.tensor(self.info.begin, known.dtype, self.shape)
        blocks = (*self.shape[:-1], self.shape[-1] // known.items, known.bytes)
        return self.file.tensor(self.info.begin, "uint8", blocks)

    def dequantised(self) -> Tensor:
        """The values: float32 of `shape`, as a program of `raw()`."""
        return self._known().dequantised(self.raw()).reshape(*self.shape)

    def _known(self) -> Format:
        if self.info.kind not in FORMATS:
            known = ", ".join(each.name for each in FORMATS.values())
            raise GgufError(
                f"{self.path}, tensor {shown(self.name)} has format {self.format}, which is not read: "
                f"convert the model to one of {known}"
            )
        return FORMATS[self.info.kind]


class Gguf(Mapping[str, GgufTensor]):
    """The tensors of a file by name, and its metadata."""

    def __init__(self, path: os.PathLike[str] | str) -> None:
        self.path = Path(path)
        with reading(path, GgufError, REMEDY) as place:
            self._file = MappedFile(path)
            self._header = parse_header(self._file.data, place)

    def forget(self) -> None:
        """Give back the memory of what was read so far; it is read again where it is used again."""
        self._file.forget()

    @property
    def version(self) -> int:
        return self._header.version

    @property
    def metadata(self) -> dict[str, Value]:
        """Values by key: numbers, texts, arrays of numbers, lists of texts."""
        return self._header.metadata

    def __getitem__(self, name: str) -> GgufTensor:
        return GgufTensor(self._header.tensors[name], self.path, self._file)

    def __iter__(self) -> Iterator[str]:
        return iter(self._header.tensors)

    def __len__(self) -> int:
        return len(self._header.tensors)

    def __repr__(self) -> str:
        return f"Gguf({str(self.path)!r}: {len(self)} tensors, {len(self.metadata)} values of metadata)"
