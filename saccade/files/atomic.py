"""Files that are either whole or not there, whatever kills the process.

In: a path and what it should hold. Out: the file under its name, flushed to the disk, or an error and nothing
changed.

    write_text(folder / "summary.json", text)
    with staged(folder / "models") as path:      # built at `path`, then moved into place
        save(path)
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Make renames inside `folder` survive a power cut; a system that cannot open folders needs no such
    thing.
    """
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(path: Path) -> None:
    if path.is_dir():
        for member in path.rglob("*"):
            if member.is_file():
                _sync(member)
        sync_folder(path)
        return
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _remove_folder(path: Path) -> None:
    import shutil  # archives and their compression: 5 ms, for who removes a folder

    shutil.rmtree(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        _remove_folder(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def staged(path: Path, fresh: bool = False) -> Iterator[Path]:
    """A path beside `path` to build at; moved to `path` if the block ends well, removed if it does not.

    A file at `path` is replaced by a file, and a folder by a folder. A device or a pipe is refused, because a
    rename would put a plain file in its place, and a folder where a file was built. A `fresh` folder takes
    the place of nothing or an empty one: of several processes that make it at once, one does, and the others
    get an `OSError`.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(f"cannot write {path}: it is a device or a pipe, give the name of a plain file")
    path.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays at the end: writers such as numpy.savez add one where they do not find it.
    stage = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    _remove(stage)
    try:
        yield stage
        _sync(stage)
        if path.is_dir() and not stage.is_dir():
            raise IsADirectoryError(f"cannot write {path}: it is a folder; give the name of a file")
        old = _swapped(path, stage) if path.is_dir() and not fresh else None
        if old is None:
            os.replace(stage, path)
        sync_folder(path.parent)
    except BaseException:
        _remove(stage)
        raise
    if old is not None:  # only now: the other is there to stay, and what is left of this one a leftover
        with contextlib.suppress(OSError):
            _remove_folder(old)


def _swapped(path: Path, stage: Path) -> Path:
    """Move a folder that was built to the place of another, which no rename replaces; where that one is now.
    It is moved out of the way first, for removing its files one by one would take longer, and put back if
    that was in vain."""
    old = stage.with_name(f"{stage.name}.old")
    _remove(old)
    os.replace(path, old)
    try:
        os.replace(stage, path)
    except BaseException:
        os.replace(old, path)
        raise
    return old


def write_bytes(path: Path, data: bytes) -> None:
    with staged(path) as stage:
        stage.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def remove_leftovers(folder: Path) -> None:
    """Delete what killed processes were still building; the caller must be the only one that writes to
    `folder`.
    """
    for leftover in folder.rglob(".*.partial*"):
        _remove(leftover)
