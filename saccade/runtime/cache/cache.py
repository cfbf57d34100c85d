"""Results kept on disk between processes: bytes by key, and nothing that can go wrong with them reaches the
caller.

    >>> key = key_of("object", "pipeline 1", "neoverse-n1", text)
    >>> cache = shared_cache()
    >>> cache.put(key, code)
    >>> cache.get(key) == code
    True
    >>> cache.load(key, decode)         # decode(code); what it cannot read is dropped

A key is the hash of everything the value depends on, so an entry is never out of date: it is right, or it is
not found. `folder` tells which folders are used and what is believed of what lies there. An entry that
is damaged, or was put in another's place, is dropped and made again; the log (`saccade.runtime.cache`, level
DEBUG) has a line about it. When the folder is over its size, the entries used longest ago go. A folder that
cannot be used is reported once: the process keeps its results in memory. One that can only be read serves
what is in it.
"""

from __future__ import annotations

import hashlib
import struct
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from ..config import settings
from ..process.forking import fork_lock
from . import folder as cache_folder
from .folder import Damaged, FolderError

#: Part of every key: raise it when the meaning of stored values changes.
CACHE_VERSION: Final = 3

#: What a decoder may raise for bytes that are not what it wants.
UNREADABLE: Final = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, OSError, EOFError, RecursionError,
    MemoryError, struct.error,
)  # fmt: skip
#: Seconds after which an unfinished file is that of a process that was killed.
_FORGOTTEN: Final = 3600.0

T = TypeVar("T")


def key_of(kind: str, *parts: str | bytes) -> str:
    """The key of a value of this kind that depends on these parts; no two lists of parts share one."""
    digest = hashlib.sha256(f"{CACHE_VERSION} {kind}".encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"\0%d\0" % len(data))
        digest.update(data)
    return digest.hexdigest()


class CacheStats(NamedTuple):
    """What a cache holds, and how it served this process."""

    folder: Path | None  # None: in memory only
    entries: int
    nbytes: int
    cap: int
    hits: int
    misses: int
    discarded: int
    problem: str | None  # why the folder that was asked for is not used


class Cache:
    """Bytes by key in a folder of at most about `cap` bytes, or in memory when there is no folder."""

    def __init__(self, folder: Path | None, cap: int) -> None:
        self.folder = None if folder is None else folder.absolute()
        self.cap = cap
        self.problem: str | None = None
        self.hits = self.misses = self.discarded = 0
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._looked = self._claimed = False  # at the folder; whether it is ours already
        self._writable = folder is not None
        self._total: int | None = None  # bytes in the folder, as far as this process knows
        self._lock = fork_lock()

    def get(self, key: str) -> bytes | None:
        """The value stored under `key`, or None."""
        value = self._memory.get(key)
        if value is None and (folder := self.usable_folder()) is not None:
            try:
                value = cache_folder.read(folder, key)
            except Damaged as error:
                self.discard(key, str(error))
        if value is None:
            self.misses += 1
        else:
            self.hits += 1
        return value

    def load(self, key: str, decode: Callable[[bytes], T]) -> T | None:
        """`decode` of the value stored under `key`; None where there is none, or none that it can read: that
        is dropped."""
        value = self.get(key)
        if value is None:
            return None
        try:
            return decode(value)
        except UNREADABLE as error:
            self.discard(key, f"{type(error).__name__}: {error}")
            return None

    def put(self, key: str, value: bytes) -> None:
        """Store a value. Never fails: what cannot be written is kept in memory."""
        folder = self.usable_folder()
        if folder is not None and self._writable:
            try:
                self._write(folder, key, value)
                return
            except FolderError as error:
                self._give_up(error)
                self.usable_folder()  # reports it
            except OSError as error:
                if not (folder / key).is_dir():  # in the way of this entry only, and not ours
                    self._stop_writing(folder, error)
        self._remember(key, value)

    def discard(self, key: str, reason: str) -> None:
        """Remove an entry that turned out to be no good."""
        self.discarded += 1
        self._memory.pop(key, None)
        folder = self.folder
        if folder is not None:
            path = str(folder / key)
            _log(f"dropped the cache entry {path}: {reason}")
            # named by the very key that was asked for, so it is ours whatever it begins with
            if problem := cache_folder.remove(path):
                _log(problem)

    def usable_folder(self) -> Path | None:
        """The folder, if it may be used; that it may not is reported."""
        folder = self._folder()
        if self.problem is not None:
            _warn(f"{self.problem}. Compiled programs are kept in memory only")
        return folder

    def stats(self) -> CacheStats:
        """Counted now, on disk."""
        folder = self._folder()
        if folder is None:
            sizes = [len(value) for value in self._memory.values()]
        else:
            sizes = [size for _, size, _ in _ours(folder)]
        return CacheStats(
            folder, len(sizes), sum(sizes), self.cap, self.hits, self.misses, self.discarded, self.problem
        )

    def clear(self) -> int:
        """Remove every entry; how many there were. FolderError for a folder that is not ours."""
        with self._lock:
            folder = self._folder()
            if self.problem is not None:
                raise FolderError(self.problem)
            count = len(self._memory)
            self._memory.clear()
            if folder is not None:
                files = _ours(folder)
                count += len(files)
                for path, _, _ in files:
                    _remove(path)
                _remove_leftovers(folder, older_than=0.0)
                self._total = 0
            return count

    # --- disk

    def _folder(self) -> Path | None:
        """The folder, looked at once: `problem` says why it must not be used."""
        if not self._looked and self.folder is not None:
            with self._lock:
                if not self._looked:
                    try:
                        self._claimed = cache_folder.is_claimed(self.folder)
                    except FolderError as error:
                        self._give_up(error)
                    except OSError as error:
                        self._give_up(cache_folder.refused(self.folder, f"it cannot be read ({error})"))
                    self._looked = True
        return self.folder

    def _write(self, folder: Path, key: str, value: bytes) -> None:
        if not self._claimed:
            cache_folder.claim(folder)
            self._claimed = True
        data = cache_folder.seal(key, value)
        try:
            cache_folder.write(folder, key, data)
        except FileNotFoundError:  # somebody removed the folder meanwhile
            cache_folder.claim(folder)
            cache_folder.write(folder, key, data)
        self._make_room(folder, len(data))

    def _make_room(self, folder: Path, added: int) -> None:
        """Count what was added; over the cap, remove what was used longest ago until a tenth is free."""
        with self._lock:
            if self._total is None:
                self._total = sum(size for _, size, _ in cache_folder.entries(folder))
            else:
                self._total += added
            if self._total <= self.cap:
                return
            # other processes write and remove too, and files with such names may be somebody else's
            files = sorted(_ours(folder), key=lambda file: file[2])
            self._total = sum(size for _, size, _ in files)
            for path, size, _ in files if self._total > self.cap else ():
                if self._total <= self.cap * 9 // 10:
                    break
                _remove(path)
                self._total -= size
            _remove_leftovers(folder, older_than=_FORGOTTEN)

    def _give_up(self, error: FolderError) -> None:
        """Use no folder from now on."""
        self.problem = str(error)
        self.folder, self._writable = None, False

    def _stop_writing(self, folder: Path, error: OSError) -> None:
        self._writable = False
        self.folder = folder if folder.is_dir() else None  # what is there still serves
        _warn(
            f"cannot use the cache folder {folder}: {error}. Compiled programs are kept in memory only; "
            f"set SACCADE_CACHE to a folder that can be written"
        )

    def _remember(self, key: str, value: bytes) -> None:
        with self._lock:
            self._memory[key] = value
            while len(self._memory) > 1 and sum(map(len, self._memory.values())) > min(self.cap, 1 << 26):
                self._memory.popitem(last=False)


def _ours(folder: Path) -> list[cache_folder.File]:
    """The entries that are ours by their content too."""
    return [file for file in cache_folder.entries(folder) if cache_folder.is_ours(file[0])]


def _remove(path: str) -> None:
    if problem := cache_folder.remove(path):
        _warn(problem)


def _remove_leftovers(folder: Path, older_than: float) -> None:
    """Remove unfinished files of processes that were killed."""
    limit = time.time() - older_than
    for path, _, changed in cache_folder.leftovers(folder):
        if changed <= limit and cache_folder.is_ours(path):
            _remove(path)


# --- what people are told


_told: set[str] = set()


def _warn(message: str) -> None:
    """Warn once a process, however many caches and threads meet the same problem."""
    if message not in _told:
        _told.add(message)
        warnings.warn(message, stacklevel=4)


def _log(message: str) -> None:
    import logging  # 5 ms that a process with a sound cache is spared

    logging.getLogger(__name__).debug(message)


# --- the process's own


@cache
def shared_cache() -> Cache:
    """The process's cache, where the settings say."""
    return Cache(settings.cache, settings.cache_bytes)
