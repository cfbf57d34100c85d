"""Processes that want the same entry take turns: one makes it, the others wait and read it.

    with turn(folder, key) as made:
        found = store.get(key) if made else None
        ...

Two processes that begin together ask for the same kernels in the same order, and each compiled all of them.
A turn is a lock on one byte of the folder's tag, which the kernel drops when its holder ends. Nobody holds
that of an entry that is there: all who waited read it at the same time. It is advice: where there are no such
locks (another system, a file system without them, a folder that nobody may write to), and after `PATIENCE`
seconds, everybody makes their own.
"""

from __future__ import annotations

import contextlib
import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .folder import MARKER

#: seconds after which whoever waits goes on alone: a process that hangs holds its turn
PATIENCE: Final = 60.0
#: seconds between two looks at a turn that is taken
_PAUSE: Final = 0.003
#: digits of a key that tell its byte: so many that no two keys meet, and one turn can be taken inside another
_DIGITS: Final = 15


@contextlib.contextmanager
def turn(folder: Path | None, key: str) -> Iterator[bool]:
    """Whether somebody else may have made the entry of this key (64 hex digits) meanwhile."""
    file = None if folder is None else _opened(folder)
    if folder is None or file is None:
        yield False
        return
    entry, place, waited, held = folder / key, int(key[:_DIGITS], 16), False, False
    try:
        until = time.monotonic() + PATIENCE
        while not (entry.exists() or (held := _locked(file, place)) or time.monotonic() >= until):
            waited = True
            time.sleep(_PAUSE)
        made = entry.exists()
        if held and made:
            _unlocked(file, place)
            held = False
        yield waited or made
    finally:
        if held:
            _unlocked(file, place)
        os.close(file)


def _opened(folder: Path) -> int | None:
    try:
        import fcntl

        if not hasattr(fcntl, "F_OFD_SETLK"):
            return None
        return os.open(folder / MARKER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (ImportError, OSError):
        return None


def _locked(file: int, place: int) -> bool:
    """Take the lock of a byte, for this open file: threads of a process take turns too. True as well where
    there are no locks."""
    import fcntl

    try:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _request(fcntl.F_WRLCK, place))
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def _unlocked(file: int, place: int) -> None:
    """Said, not left to closing: a process forked meanwhile has the file open."""
    import fcntl

    with contextlib.suppress(OSError):  # there are no locks here
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, _request(fcntl.F_UNLCK, place))


def _request(kind: int, place: int) -> bytes:
    """struct flock of 64-bit systems: type, whence, start, length, owner."""
    return struct.pack("hhqqi", kind, os.SEEK_SET, place, 1, 0)
