"""Weights that torch saved (.pt, .pth), read without torch and without running code.

    weights = load_torch("resnet18.pth")        # what was saved, with our tensors in it

Such a file is a zip archive: `data.pkl` tells what there is (`torch_pickle` reads it), and each `data/<n>` is
memory that tensors are views of. Archives are not packed, so the memory is mapped, and read when it is used.
Files of versions before 1.6 are read by `torch_legacy`.
"""

from __future__ import annotations

import math
import os
import struct
import zipfile
from argparse import Namespace
from typing import Any, Final

from ...files.reading import TooLarge, reading, shown
from ...graph import dtypes
from .mapped import MappedFile, StateError
from .safetensors import REMEDY
from .torch_legacy import MAGIC, is_legacy, load_legacy
from .torch_objects import Name
from .torch_pickle import Machine, Storage, kind_of, refused

PICKLE_BYTES: Final = 1 << 28
MOST_MEMBERS: Final = 1_000_000
MOST_VALUES: Final = 10_000_000


def load_torch(path: os.PathLike[str] | str, machine: type[Machine] = Machine) -> Any:
    """What a torch file holds: tensors, read-only, and plain values in dicts, lists and the like; another
    `machine` may know other things.
    """
    with reading(path, StateError, REMEDY, also=(zipfile.BadZipFile, zipfile.LargeZipFile)) as place:
        file = MappedFile(path)
        if is_legacy(bytes(file.data[: len(MAGIC)])):
            return _checked(load_legacy(file, PICKLE_BYTES, _tensor_in), Machine)
        if bytes(file.data[:2]) != b"PK":
            raise ValueError("it is no zip archive, and no older file of torch.save either")
        archive = _Archive(path, file)
        order = archive.small("byteorder", 16)
        if order not in (None, b"little"):
            raise ValueError(f"its bytes are in order {shown(order)}, and little is read")
        text = archive.small("data.pkl", PICKLE_BYTES)
        if text is None:
            raise ValueError("it has no data.pkl: it is no file of torch.save")
        place.where = "data.pkl"
        return _checked(machine(archive.tensor).run(text), machine)


def _checked(found: Any, machine: type[Machine]) -> Any:
    if _size(found, {}, machine.keeps_names) > MOST_VALUES:
        raise TooLarge(f"it holds more than {MOST_VALUES:,} values")
    return found


def _size(value: Any, known: dict[int, int], names: bool) -> int:
    """How many values there are to go through: a list that is in two lists counts twice. Who holds itself, or
    is nested without end, is met here, and a name that was never used for something."""
    if isinstance(value, Name) and not names:
        raise refused(value)
    if not isinstance(value, (dict, list, tuple, set, frozenset, Namespace)):
        return 1
    found = known.get(id(value))
    if found is None:
        known[id(value)] = 0
        parts = vars(value) if isinstance(value, Namespace) else value
        within = (
            [*parts.values(), *[k for k in parts if type(k) is not str]] if isinstance(parts, dict) else parts
        )
        found = known[id(value)] = 1 + sum([_size(part, known, names) for part in within])
    elif found == 0:
        raise ValueError("a list or dict in it holds itself")
    return found


class _Archive:
    """The members of an archive, by their names below its one folder."""

    def __init__(self, path: os.PathLike[str] | str, file: MappedFile) -> None:
        self._file = file
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise TooLarge(f"it has {len(members):,} members, and at most {MOST_MEMBERS:,} are read")
        self._members = {member.filename.partition("/")[2]: member for member in members}

    def span(self, name: str) -> tuple[int, int] | None:
        """Where the bytes of a member begin, and how many there are."""
        member = self._members.get(name)
        if member is None:
            return None
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
            raise ValueError(f"member {shown(name)} is packed, which torch does not do")
        start = member.header_offset
        head = bytes(self._file.data[start : start + 30])
        if len(head) < 30 or head[:4] != b"PK\x03\x04":
            raise ValueError(f"member {shown(name)} is not where it should be")
        lengths = struct.unpack("<HH", head[26:30])
        begin = start + 30 + sum(lengths)
        if member.file_size != member.compress_size or begin + member.file_size > self._file.size:
            raise ValueError(f"member {shown(name)} was cut")
        return begin, member.file_size

    def small(self, name: str, limit: int) -> bytes | None:
        found = self.span(name)
        if found is None:
            return None
        begin, size = found
        if size > limit:
            raise TooLarge(f"{name} has {size:,} bytes, and at most {limit:,} are read")
        return bytes(self._file.data[begin : begin + size])

    def tensor(
        self,
        storage: Storage,
        offset: int,
        size: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: str | None,
    ) -> Any:
        found = self.span(f"data/{storage.key}")
        if found is None:
            raise ValueError(f"there is no member data/{shown(storage.key)}")
        return _tensor_in(self._file, found, storage, offset, size, strides, dtype)


def _tensor_in(
    file: MappedFile,
    span: tuple[int, int],
    storage: Storage,
    offset: int,
    size: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: str | None,
) -> Any:
    """A tensor in the bytes of a file where a storage is."""
    own = kind_of(storage, dtype)
    begin, nbytes = span
    width = dtypes.by_name(own).itemsize
    count = nbytes // width
    if len(size) != len(strides) or len(size) > 32:
        raise ValueError(f"a tensor of size {shown(size)} and strides {shown(strides)}")
    elements = math.prod(size)
    last = offset + sum((n - 1) * s for n, s in zip(size, strides, strict=True)) if elements else 0
    if elements > count or last >= max(count, 1):
        raise ValueError(
            f"a tensor of size {shown(size)} and strides {shown(strides)} from element {offset} on is "
            f"not in its {count} elements"
        )
    reach = last - offset + 1 if elements else 0
    return file.tensor(begin + offset * width if elements else begin, own, size, strides, reach)
