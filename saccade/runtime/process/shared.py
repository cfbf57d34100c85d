"""A value that a process makes for those it has forked before, whose arrays nobody copies.

    place = SharedPlace()       # before the fork
    place.put(value)            # in the parent, when it has made it
    place.get()                 # in a child, when it has heard so

Pickle hands over the bytes of arrays beside its own (protocol 5, out-of-band buffers). They lie in a file
without a name in memory (`memfd_create`), which every child maps: copy-on-write, so none sees what another
changes. Under Linux alone.
"""

from __future__ import annotations

import mmap
import os
import pickle
from itertools import accumulate
from typing import Any, Final

#: arrays begin at multiples of this, which all vectors and lines of caches divide
_ALIGNED: Final = 64
_WORD: Final = 8


class SharedPlace:
    """Room for one value. Whoever reads it trusts whoever wrote it."""

    def __init__(self) -> None:
        self._file = os.memfd_create("saccade", os.MFD_CLOEXEC)

    def put(self, value: object) -> None:
        """Lay a value down, in the place of the last."""
        beside: list[pickle.PickleBuffer] = []
        head = pickle.dumps(value, 5, buffer_callback=beside.append)
        parts = [memoryview(head), *(each.raw() for each in beside)]
        index = pickle.dumps([part.nbytes for part in parts])
        first = memoryview(len(index).to_bytes(_WORD, "little") + index)
        begins = _begins([first.nbytes, *(part.nbytes for part in parts)])
        os.ftruncate(self._file, begins[-1])
        with mmap.mmap(self._file, begins[-1]) as room:
            for begin, part in zip(begins, [first, *parts]):
                room[begin : begin + part.nbytes] = part

    def get(self) -> Any:
        """The value, whose arrays lie in the file."""
        room = memoryview(mmap.mmap(self._file, 0, access=mmap.ACCESS_COPY))
        end = _WORD + int.from_bytes(room[:_WORD], "little")
        sizes = pickle.loads(room[_WORD:end])
        begins = _begins([end, *sizes])[1:]
        head, *beside = (room[begin : begin + size] for begin, size in zip(begins, sizes))
        return pickle.loads(head, buffers=beside)

    def close(self) -> None:
        """No more of it here; values that were read stay."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        self.close()


def _begins(sizes: list[int]) -> list[int]:
    """Where parts of these sizes begin, one after the other, and where the last ends.

    >>> _begins([8, 100, 64])
    [0, 64, 192, 256]
    """
    return list(accumulate((-(-size // _ALIGNED) * _ALIGNED for size in sizes), initial=0))
