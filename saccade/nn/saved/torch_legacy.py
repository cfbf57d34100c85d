"""Files that torch wrote before version 1.6: five pickles one behind the other, then the memory of storages.

    magic number | protocol | sizes of types | what was saved | names of storages | count, elements | ...

Storages come in the order of their names, each behind the number of its elements in eight bytes.
"""

from __future__ import annotations

import io
import pickletools
from collections.abc import Callable
from typing import Any, Final

from ...files.reading import TooLarge, shown
from ...graph import dtypes
from .mapped import MappedFile
from .torch_pickle import Machine, Storage, kind_of

#: a pickle (protocol 2) of the number 0x1950a86a20f9469cfc6c
MAGIC: Final = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_PROTOCOL: Final = 1001

Span = tuple[int, int]
#: a tensor in the bytes of a file where a storage is
TensorIn = Callable[[MappedFile, Span, Storage, int, tuple[int, ...], tuple[int, ...], str | None], Any]


def is_legacy(start: bytes) -> bool:
    return start == MAGIC


def load_legacy(file: MappedFile, most: int, tensor_in: TensorIn) -> Any:
    """What was saved. Pickles may have `most` bytes together."""
    pickles, end = _pickles(bytes(file.data[: min(file.size, most)]), 5)
    if len(pickles) < 5:
        raise TooLarge(f"its pickles have no end within {most:,} bytes, or it was cut")
    protocol, sizes = (Machine(_no_tensor).run(part) for part in pickles[1:3])
    if protocol != _PROTOCOL or not isinstance(sizes, dict) or sizes.get("little_endian") is not True:
        raise ValueError(f"it has protocol {shown(protocol)} and {shown(sizes)}: little-endian 1001 is read")
    keys = Machine(_no_tensor).run(pickles[4])
    storages: dict[str, Storage] = {}

    def note(storage: Storage, *_: Any) -> None:
        storages[storage.key] = storage

    Machine(note).run(pickles[3])  # the memory comes behind, so the first run finds out what there is
    spans = _spans(file, end, keys, storages)

    def tensor(storage: Storage, *rest: Any) -> Any:
        return tensor_in(file, spans[storage.key], storage, *rest)

    return Machine(tensor).run(pickles[3])


def _no_tensor(*_: Any) -> Any:
    raise ValueError("a tensor is not due here")


def _pickles(data: bytes, count: int) -> tuple[list[bytes], int]:
    """So many pickles from the start, as far as they are whole, and where the last of them ends."""
    found: list[bytes] = []
    stream = io.BytesIO(data)
    end = 0
    for _ in range(count):
        try:
            for _instruction in pickletools.genops(stream):
                pass
        except ValueError:
            break
        found.append(data[end : stream.tell()])
        end = stream.tell()
    return found, end


def _spans(file: MappedFile, at: int, keys: Any, storages: dict[str, Storage]) -> dict[str, Span]:
    """Where the elements of each storage are."""
    spans: dict[str, Span] = {}
    for key in keys if isinstance(keys, list) else []:
        storage = storages.get(key) if isinstance(key, str) else None
        if storage is None or key in spans:
            raise ValueError(f"storage {shown(key)} is of no tensor, or there twice")
        count = int.from_bytes(file.data[at : at + 8], "little")
        nbytes = count * dtypes.by_name(kind_of(storage)).itemsize
        if at + 8 + nbytes > file.size:
            raise ValueError(f"it was cut: storage {shown(key)} ends at byte {at + 8 + nbytes:,}")
        if count != storage.count:
            raise ValueError(f"storage {shown(key)} has {count} elements, and {storage.count} are due")
        spans[key] = (at + 8, nbytes)
        at += 8 + nbytes
    missing = [key for key in storages if key not in spans]
    if missing:
        raise ValueError(f"the elements of storage {shown(missing[0])} are not in it")
    return spans
