"""Results kept on disk between processes: bytes by key, and nothing that can go wrong with them reaches the
caller.

    >>> key = key_of("object", "pipeline 1", "neoverse-n1", text)
    >>> cache = shared_cache()
    >>> cache.put(key, code)
    >>> cache.get(key) == code
    True

A key is the hash of everything the value depends on, so an entry is never out of date: it is right, or it is
not found. An entry is a file: a magic line, the hash of the value, the value. It is written under another
name and then renamed, so that a reader, a second writer, Ctrl-C or a full disk meet whole entries only. An
entry that fails its checksum is removed with a warning. When the folder is over its size, the entries used
longest ago go. A folder that cannot be written is reported once: its entries are read, and the process keeps
new results in memory.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from .config import settings

#: Part of every key: raise it when the meaning of stored values changes.
CACHE_VERSION: Final = 1

_MAGIC: Final = b"saccade cache 1\n"
_DIGEST_SIZE: Final = 32
_TEMPORARY: Final = ".part"
#: Packages whose code decides what a program compiles to.
_COMPILER: Final = ("graph", "transform", "schedule", "codegen")


def key_of(kind: str, *parts: str | bytes) -> str:
    """The key of a value of this kind that depends on these parts; no two lists of parts share one."""
    digest = hashlib.sha256(f"{CACHE_VERSION} {kind}".encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"\0%d\0" % len(data))
        digest.update(data)
    return digest.hexdigest()


@cache
def compiler_digest() -> str:
    """Changes whenever a file of the compiler does (by size and time of change: reading them would cost 20
    times more).

    For values that depend on the compiler's own code, such as a finished schedule."""
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for package in _COMPILER:
        for path in sorted((root / package).rglob("*.py")):
            status = path.stat()
            digest.update(f"{path.relative_to(root)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class CacheStats:
    """What a cache holds, and how it served this process."""

    folder: Path | None  # None: in memory only
    entries: int
    nbytes: int
    cap: int
    hits: int
    misses: int
    discarded: int


class Cache:
    """Bytes by key in a folder of at most about `cap` bytes, or in memory when there is no folder."""

    def __init__(self, folder: Path | None, cap: int) -> None:
        self.folder = folder
        self.cap = cap
        self.hits = self.misses = self.discarded = 0
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._writable = folder is not None
        self._total: int | None = None  # bytes in the folder, as far as this process knows
        self._lock = threading.RLock()

    def get(self, key: str) -> bytes | None:
        """The value stored under `key`, or None."""
        value = self._memory.get(key)
        if value is None and self.folder is not None:
            value = self._read(key)
        if value is None:
            self.misses += 1
        else:
            self.hits += 1
        return value

    def put(self, key: str, value: bytes) -> None:
        """Store a value. Never fails: what cannot be written is kept in memory."""
        if self.folder is not None and self._writable:
            try:
                self._write(self.folder, key, value)
            except OSError as error:
                self._report(error)
                self._writable = False
                self.folder = self.folder if self.folder.is_dir() else None  # what is there still serves
        if not self._writable:
            self._remember(key, value)

    def discard(self, key: str, reason: str) -> None:
        """Remove an entry that turned out to be no good, and say so."""
        self.discarded += 1
        self._memory.pop(key, None)
        if self.folder is not None:
            warnings.warn(f"discarded the cache entry {self._path(self.folder, key)}: {reason}", stacklevel=3)
            _remove(self._path(self.folder, key))

    def stats(self) -> CacheStats:
        """Counted now, on disk."""
        if self.folder is None:
            entries, nbytes = len(self._memory), sum(map(len, self._memory.values()))
        else:
            files = _entries(self.folder)
            entries, nbytes = len(files), sum(size for _, size, _ in files)
        return CacheStats(self.folder, entries, nbytes, self.cap, self.hits, self.misses, self.discarded)

    def clear(self) -> int:
        """Remove every entry; how many there were."""
        with self._lock:
            count = len(self._memory)
            self._memory.clear()
            if self.folder is not None:
                files = _entries(self.folder)
                count += len(files)
                for path, _, _ in files:
                    _remove(path)
                _remove_leftovers(self.folder, older_than=0.0)
                self._total = 0
            return count

    # --- disk

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / key[:2] / key

    def _read(self, key: str) -> bytes | None:
        assert self.folder is not None
        path = self._path(self.folder, key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._report(error)
            self.folder, self._writable = None, False
            return None
        start = len(_MAGIC) + _DIGEST_SIZE
        value = data[start:]
        if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : start] != hashlib.sha256(value).digest():
            self.discard(key, f"its {len(data)} bytes do not match their checksum")
            return None
        _touch(path)
        return value

    def _write(self, folder: Path, key: str, value: bytes) -> None:
        path = self._path(folder, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{key}.{os.getpid()}.{threading.get_ident()}{_TEMPORARY}")
        try:
            with temporary.open("wb") as file:
                file.write(_MAGIC + hashlib.sha256(value).digest())
                file.write(value)
            os.replace(temporary, path)
        finally:
            _remove(temporary)
        self._make_room(folder, len(_MAGIC) + _DIGEST_SIZE + len(value))

    def _make_room(self, folder: Path, added: int) -> None:
        """Count what was added; over the cap, remove what was used longest ago until a tenth is free."""
        with self._lock:
            if self._total is None:
                self._total = sum(size for _, size, _ in _entries(folder))
            else:
                self._total += added
            if self._total <= self.cap:
                return
            files = sorted(
                _entries(folder), key=lambda entry: entry[2]
            )  # other processes write and remove too
            self._total = sum(size for _, size, _ in files)
            for path, size, _ in files:
                if self._total <= self.cap * 9 // 10:
                    break
                _remove(path)
                self._total -= size
            _remove_leftovers(folder, older_than=3600.0)

    def _report(self, error: OSError) -> None:
        warnings.warn(
            f"cannot use the cache folder {self.folder}: {error}. Compiled programs are kept in memory only; "
            f"set SACCADE_CACHE to a folder that can be written",
            stacklevel=4,
        )

    def _remember(self, key: str, value: bytes) -> None:
        with self._lock:
            self._memory[key] = value
            while len(self._memory) > 1 and sum(map(len, self._memory.values())) > min(self.cap, 1 << 26):
                self._memory.popitem(last=False)


def _entries(folder: Path) -> list[tuple[Path, int, float]]:
    """(path, bytes, time of last use) of every entry."""
    found = []
    for path in folder.glob("??/*"):
        if path.suffix != _TEMPORARY:
            try:
                status = path.stat()
            except FileNotFoundError:  # removed by another process meanwhile
                continue
            found.append((path, status.st_size, status.st_mtime))
    return found


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        warnings.warn(f"cannot remove {path}: {error}", stacklevel=2)


def _remove_leftovers(folder: Path, older_than: float) -> None:
    """Remove unfinished files of processes that were killed."""
    limit = time.time() - older_than
    for path in folder.glob(f"??/*{_TEMPORARY}"):
        try:
            leftover = path.stat().st_mtime <= limit
        except FileNotFoundError:
            continue
        if leftover:
            _remove(path)


def _touch(path: Path) -> None:
    """Note the use of an entry, once an hour at most: it only has to be right to within days."""
    now = time.time()
    try:
        if now - path.stat().st_mtime > 3600:
            os.utime(path)
    except OSError:  # removed meanwhile, or a folder we may read but not write: its age stays as it is
        return


@cache
def shared_cache() -> Cache:
    """The process's cache, where the settings say."""
    return Cache(settings.cache, settings.cache_bytes)
