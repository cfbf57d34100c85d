"""The folder of a cache: whose it is, which files in it are ours, and what an entry looks like.

    claim(folder)                       # ours from now on; or FolderError: why not, and what to do about it
    write(folder, key, seal(key, value))
    read(folder, key) == value          # None where there is none; Damaged: why it cannot be believed

Entries are loaded as machine code, so a folder is used only if nobody else can write there: it belongs to
this user or to root, and neither its group nor others may write. The same is asked of every entry.

A folder is ours if it has our CACHEDIR.TAG (the tag also tells backups to pass it by). One that is missing or
empty becomes ours. So does one without a tag in which everything is ours, as the first version left it. Any
other is left alone. What is ours is told by name and by its first bytes, in our own folder too: nothing else
is ever removed, but for a file with the very name of an entry that is asked for: that entry, damaged.

An entry is a file named by its key (64 hex digits): a magic line, the key, the SHA-256 of key and value, the
value. It is written under another name and then renamed, so that a reader, a second writer, Ctrl-C, kill -9
or a full disk leave whole entries only. A copy of it under another name is no entry.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import BinaryIO, Final

MARKER: Final = "CACHEDIR.TAG"
_TAG: Final = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# Compiled programs, kept by saccade. `saccade cache clear` removes them, and nothing else in here.\n"
)
_MAGIC: Final = b"saccade cache 4\n"
#: bytes in front of the value
_HEAD: Final = len(_MAGIC) + 64
#: how entries of any version begin
_ANY_MAGIC: Final = b"saccade cache "
_HEX: Final = "0123456789abcdef"
#: folders that the first version made beside them, which are not removed
_BESIDE: Final = frozenset({"fields", "failed kernels"})
#: no link, and no waiting for whoever may write into a pipe
_PLAIN: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
#: seconds within which a use of an entry is not noted again: its age only has to be right to within days
_NOTED: Final = 3600.0


#: A file: its path, its bytes, and when it was last used.
File = tuple[str, int, float]


class FolderError(OSError):
    """A folder that must not be used as a cache; the message names it and says what to do."""


class Damaged(ValueError):
    """A file in the place of an entry that is not that entry."""


# --- the folder


def is_claimed(folder: Path) -> bool:
    """Whether a folder has our tag; False if it may become ours. FolderError if it must not be used."""
    try:
        status = folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISDIR(status.st_mode):
        raise refused(folder, "it is no folder", "remove it")
    writers = _writers(status)
    if writers:
        raise refused(folder, writers, "" if _is_foreign(status) else f"chmod go-w {folder}")
    if _beginning(folder / MARKER, len(_TAG) + 1) == _TAG:
        return True
    foreign = _foreign(folder)
    if foreign is not None:
        raise refused(
            folder, f"it has other things in it ({foreign!r}) and no {MARKER} of saccade", "move them away"
        )
    return False


def claim(folder: Path) -> None:
    """Make a folder ours, and the folder itself where there is none."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_claimed(folder):
        write(folder, MARKER, _TAG)


def refused(folder: Path, reason: str, remedy: str = "") -> FolderError:
    """The error that names a folder, why it is not used, and what to do."""
    other = "set SACCADE_CACHE to a new or empty folder of yours, or to off"
    return FolderError(
        f"the cache folder {folder} is not used: {reason}; {remedy}{', or ' * bool(remedy)}{other}"
    )


def _is_foreign(status: os.stat_result) -> bool:
    """Whether it belongs to another user. Root is none: root can change what Python runs, cache or not."""
    return hasattr(os, "geteuid") and status.st_uid not in (os.geteuid(), 0)


def _writers(status: os.stat_result) -> str:
    """Who else can write to a file or a folder, or nothing. (Windows guards a user's folders itself.)"""
    if not hasattr(os, "geteuid"):
        return ""
    if _is_foreign(status):
        return f"it belongs to user {status.st_uid}, and this is user {os.geteuid()}"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to it (mode {stat.S_IMODE(status.st_mode):o})"
    return ""


def _foreign(folder: Path | str) -> str | None:
    """The name of something in a folder that is not ours, if there is any."""
    beside = None
    with os.scandir(folder) as items:
        for item in items:
            if not item.is_dir(follow_symlinks=False):
                if not is_ours(item.path) and os.path.lexists(item.path):  # not just removed by its writer
                    return item.name
            elif item.name in _BESIDE:
                beside = item.name
            elif not _is_shard(item.name) or _foreign(item.path) is not None:
                return item.name
    return None if beside is None or entries(folder) else beside


def is_ours(path: str) -> bool:
    """Whether we made a file: by its name and its first bytes, of which an unfinished one may lack some."""
    name = os.path.basename(path)
    if _is_key(name):
        return _beginning(path, len(_ANY_MAGIC)) == _ANY_MAGIC
    if name != MARKER and not _is_part(name):
        return False
    magic = _TAG if name.startswith(MARKER) else _ANY_MAGIC
    found = _beginning(path, len(magic))
    return found is not None and magic.startswith(found)


def _is_key(name: str) -> bool:
    return len(name) == 64 and not name.strip(_HEX)


def _is_shard(name: str) -> bool:
    """The first version had its entries in folders named by the first digits of the keys."""
    return len(name) == 2 and not name.strip(_HEX)


def _is_part(name: str) -> bool:
    """An unfinished file: what it is to become, something of its writer's own, .part."""
    whole = MARKER if name.startswith(MARKER) else name[:64]
    own = name[len(whole) :].removesuffix(".part")
    return name.endswith(".part") and (whole == MARKER or _is_key(whole)) and not own.strip(_HEX + ".")


def entries(folder: Path | str) -> list[File]:
    """Every file that has the name of an entry, where they are and where the first version had them."""
    return [file for file in _files(folder) if _is_key(os.path.basename(file[0]))]


def leftovers(folder: Path | str) -> list[File]:
    """Every file that has the name of an unfinished one: of a writer at work, or one that was killed."""
    return [file for file in _files(folder) if _is_part(os.path.basename(file[0]))]


def _files(folder: Path | str) -> list[File]:
    found: list[File] = []
    try:
        with os.scandir(folder) as items:
            for item in items:
                if _is_shard(item.name) and item.is_dir(follow_symlinks=False):
                    found += _files(item.path)
                    continue
                try:
                    status = item.stat(follow_symlinks=False)
                except FileNotFoundError:  # removed by another process meanwhile
                    continue
                if stat.S_ISREG(status.st_mode):
                    found.append((item.path, status.st_size, status.st_mtime))
    except FileNotFoundError:  # so was the folder
        return []
    return found


# --- files


def seal(key: str, value: bytes) -> bytes:
    """The content of an entry."""
    name = bytes.fromhex(key)
    return b"".join([_MAGIC, name, _checksum(name, value), value])


def _checksum(name: bytes, value: bytes) -> bytes:
    # processors have instructions for this one: 0.2 s for 300 MB of meshes where BLAKE2 takes 1.1 s
    digest = hashlib.sha256(name)
    digest.update(value)
    return digest.digest()


def unseal(key: str, data: bytes) -> bytes:
    """The value of an entry of that key, or Damaged."""
    value = data[_HEAD:]
    _check(key, data[:_HEAD], value)
    return value


def _check(key: str, head: bytes, value: bytes) -> None:
    """Damaged, unless an entry of that key begins like this in front of its value."""
    start, size = len(_MAGIC), len(head) + len(value)
    if head[:start] != _MAGIC:
        raise Damaged(f"its {size} bytes do not begin as an entry does")
    name, digest = head[start : start + 32], head[start + 32 :]
    if name != bytes.fromhex(key):
        raise Damaged(f"it is the entry of another key, {name.hex()}")
    if _checksum(name, value) != digest:
        raise Damaged(f"its {size} bytes do not match their checksum")


def read(folder: Path, key: str) -> bytes | None:
    """The value stored under a key, None if there is no file, or Damaged."""
    path = os.path.join(folder, key)
    try:
        with _opened(path) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Damaged("it is no file")
            if writers := _writers(status):
                raise Damaged(writers)
            head, value = file.read(_HEAD), file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Damaged(f"it cannot be read: {error}") from None
    _check(key, head, value)
    _note_use(path, status)
    return value


def write(folder: Path, name: str, data: bytes) -> None:
    """Write a file of ours: all of it, or nothing."""
    path = os.path.join(folder, name)
    part = f"{path}.{os.urandom(8).hex()}.part"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(part, flags, 0o600), "wb") as file:
            file.write(data)
        os.replace(part, path)
    except BaseException:
        remove(part)
        raise


def remove(path: str) -> str:
    """Remove a file, or say why that cannot be."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"cannot remove {path}: {error}"
    return ""


def _opened(path: Path | str) -> BinaryIO:
    """A file as it lies there, to be read; not what a link points at."""
    return open(path, "rb", 0, opener=lambda name, flags: os.open(name, flags | _PLAIN))


def _beginning(path: Path | str, most: int) -> bytes | None:
    """The first bytes of a file; None if it is none, or cannot be read."""
    try:
        with _opened(path) as file:
            return file.read(most) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def _note_use(path: str, status: os.stat_result) -> None:
    if time.time() - status.st_mtime > _NOTED:
        try:
            os.utime(path)
        except OSError:  # removed meanwhile, or a folder we may read but not write: its age stays as it is
            return
