"""Which compiler this is: a digest of its source files, part of the key of everything it worked out.

    >>> compiler_digest()
    '5ff4b6...'

The files are read once a process (4 ms for the 1.6 MB of 235 of them; BLAKE2, because SHA-256 takes twice as
long on a processor without an instruction for it). So a key changes with what the compiler does, and not with
when or where it was installed; and tools that set times (archives, image builders, `cp -p`) cannot hide a
change.

Files can change while a process runs, and it imports some when it first needs them. What it made then is of
neither the old compiler nor the new one, and no other process may find it: see `edited`.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Final

#: Packages whose code decides what a program compiles to and how it is run, and what calls them one by one.
_COMPILER: Final = ("graph", "transform", "schedule", "codegen", "runtime")
_CALLER: Final = "tensor/programs/prepare.py"
_ROOT: Final = str(Path(__file__).resolve().parents[2])
#: When this process began to read the files, as the clock of a file system tells, which is a tick behind.
_BEGUN: Final = time.time() - 0.02


@cache
def compiler_digest() -> str:
    """Changes whenever a file of the compiler does. One of its own where files were edited since this process
    began, or are not there to be read (an archive, a frozen program): nothing is found under such a key."""
    files = _files()
    if _any_edited(files):
        return os.urandom(32).hex()
    digest = hashlib.blake2b(digest_size=32)
    for path, status in sorted(files.items()):
        content = _content(path, status.st_size)
        digest.update(b"%s %d\n" % (path[len(_ROOT) :].encode(), len(content)))
        digest.update(content)
    return digest.hexdigest()


def edited() -> bool:
    """Whether a file of the compiler changed between the beginning of this process and its last import: what
    it has imported runs on as it was read. Ask after compiling (1 ms after an import, else nothing)."""
    global _unedited
    modules = len(sys.modules)
    if _unedited == (_ROOT, modules):
        return False
    if _any_edited(_files()):
        return True
    _unedited = (_ROOT, modules)
    return False


#: the folder and the number of modules when no file was found edited
_unedited: tuple[str, int] | None = None


def _any_edited(files: dict[str, os.stat_result]) -> bool:
    now = time.time() + 1.0  # later than that: by another clock, and nothing that happened since
    changed = (max(status.st_ctime, status.st_mtime) for status in files.values())
    return not files or any(_BEGUN <= when <= now for when in changed)


def _files() -> dict[str, os.stat_result]:
    """The compiler's files by path; none where it is not installed as files, or being changed."""
    caller = os.path.join(_ROOT, _CALLER)
    waiting = [os.path.join(_ROOT, name) for name in _COMPILER]
    try:
        found = {caller: os.stat(caller)}
        while waiting:
            with os.scandir(waiting.pop()) as items:
                for item in items:
                    if item.name.endswith(".py"):
                        found[item.path] = item.stat()
                    elif item.is_dir() and item.name != "__pycache__":
                        waiting.append(item.path)
    except OSError:
        return {}
    return found


def _content(path: str, size: int) -> bytes:
    """A file of that size, in four calls of the system: half the time of `open`, which makes eight."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(descriptor, size + 1)
    finally:
        os.close(descriptor)
