"""What can happen to a cache on disk: each kind of damage as a function of a folder and of random numbers.

    DAMAGES["swap"](Scene(folder, entries, precious, Random(3)))

`entries` are the names that the whole cache has. Damage may come on top of other damage, so a file that it
wants may be gone: then there is nothing left to damage. What a scene makes that is not the cache's goes into
`precious`: it has to be there afterwards.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from ...runtime.cache.folder import MARKER, Damaged, seal, unseal


@dataclass
class Scene:
    """A cache that is about to be damaged."""

    folder: Path
    entries: list[str]
    random: Random
    precious: dict[Path, bytes] = field(default_factory=dict)

    def entry(self) -> Path:
        return self._some(1)[0]

    def two(self) -> tuple[Path, Path]:
        one, other = self._some(2)
        return one, other

    def _some(self, count: int) -> list[Path]:
        """Entries that can be damaged; OSError if one of those chosen is a pipe, which nobody writes to."""
        found = [self.folder / name for name in self.random.sample(self.entries, count)]
        if any(path.is_fifo() for path in found):
            raise OSError("reading it would wait for ever")
        return found

    def keep(self, path: Path) -> Path:
        """A file of somebody else."""
        data = self.random.randbytes(100)
        path.write_bytes(data)
        self.precious[path] = data
        return path

    def outside(self) -> Path:
        """A new path beside the folder."""
        return self.folder.parent / f"{self.folder.name} {self.random.getrandbits(64):x}"


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def flip(scene: Scene) -> None:
    path = scene.entry()
    data = bytearray(path.read_bytes())
    for _ in range(scene.random.choice((1, 1, 8))):
        data[scene.random.randrange(len(data))] ^= 1 << scene.random.randrange(8)
    path.write_bytes(data)


def cut(scene: Scene) -> None:
    path = scene.entry()
    os.truncate(path, scene.random.randrange(path.stat().st_size))


def empty(scene: Scene) -> None:
    scene.entry().write_bytes(b"")


def swap(scene: Scene) -> None:
    one, other = scene.two()
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def copy_over(scene: Scene) -> None:
    one, other = scene.two()
    other.write_bytes(one.read_bytes())


def rename_over(scene: Scene) -> None:
    one, other = scene.two()
    one.replace(other)


def remove(scene: Scene) -> None:
    scene.entry().unlink()


def other_version(scene: Scene) -> None:
    path = scene.entry()
    path.write_bytes(path.read_bytes().replace(b"saccade cache 4", b"saccade cache 1", 1))


def no_value(scene: Scene) -> None:
    """Whole by its key and its checksum, as of a version that kept something else there."""
    path = scene.entry()
    path.write_bytes(seal(path.name, scene.random.choice((b"", b"{}", b"[]", b"\x7fELF", b"\xff" * 40))))


def cut_value(scene: Scene) -> None:
    """Whole by its key and its checksum, but the value was cut before."""
    path = scene.entry()
    with contextlib.suppress(Damaged):  # damaged already
        value = unseal(path.name, path.read_bytes())
        path.write_bytes(seal(path.name, value[: scene.random.randrange(len(value))]))


def directory(scene: Scene) -> None:
    path = scene.entry()
    _remove(path)
    path.mkdir()
    if scene.random.random() < 0.5:
        scene.keep(path / "notes.txt")


def link_to_entry(scene: Scene) -> None:
    one, other = scene.two()
    _remove(other)
    other.symlink_to(one)


def link_outside(scene: Scene) -> None:
    path, target = scene.entry(), scene.outside()
    _remove(path)
    path.symlink_to(scene.keep(target) if scene.random.random() < 0.5 else target)


def hard_link(scene: Scene) -> None:
    one, other = scene.two()
    _remove(other)
    other.hardlink_to(one)


def pipe(scene: Scene) -> None:
    path = scene.entry()
    _remove(path)
    os.mkfifo(path)


def no_rights(scene: Scene) -> None:
    scene.entry().chmod(scene.random.choice((0o000, 0o200, 0o620, 0o602)))


def other_owner(scene: Scene) -> None:
    if os.geteuid() == 0:
        os.chown(scene.entry(), 12345, 12345)


def leftover(scene: Scene) -> None:
    """Of a process that was killed in the middle of a write."""
    path = scene.entry()
    data = path.read_bytes()
    part = path.with_name(f"{path.name}.{scene.random.getrandbits(64):016x}.part")
    part.write_bytes(data[: scene.random.randrange(len(data))])


def foreign_file(scene: Scene) -> None:
    names = ("notes.txt", f"{scene.random.getrandbits(256):064x}", ".hidden")
    scene.keep(scene.folder / scene.random.choice(names))


def marker(scene: Scene) -> None:
    path = scene.folder / MARKER
    data = path.read_bytes()
    match scene.random.randrange(4):
        case 0:
            path.unlink()
        case 1:
            path.write_bytes(data[: scene.random.randrange(len(data))])
        case 2:
            scene.keep(path)
        case _:
            path.unlink()
            path.mkdir()


def open_folder(scene: Scene) -> None:
    scene.folder.chmod(scene.random.choice((0o770, 0o777, 0o1777)))


def closed_folder(scene: Scene) -> None:
    """Means nothing to root."""
    scene.folder.chmod(scene.random.choice((0o000, 0o500, 0o300)))


def other_owner_of_folder(scene: Scene) -> None:
    if os.geteuid() == 0:
        os.chown(scene.folder, 12345, 12345)


def no_folder(scene: Scene) -> None:
    shutil.rmtree(scene.folder)
    match scene.random.randrange(3):
        case 0:
            scene.keep(scene.folder)
        case 1:
            scene.folder.symlink_to(scene.outside())


Damage = Callable[[Scene], None]
_POSIX: Final = os.name == "posix"
_ENTRIES: Final[tuple[Damage, ...]] = (
    flip, cut, empty, swap, copy_over, rename_over, remove, other_version, no_value, cut_value, directory,
    link_to_entry, link_outside, hard_link, leftover, foreign_file,
    *((pipe, no_rights, other_owner) if _POSIX else ()),
)  # fmt: skip
_FOLDERS: Final[tuple[Damage, ...]] = (
    marker, no_folder, *((open_folder, closed_folder, other_owner_of_folder) if _POSIX else ()),
)  # fmt: skip
#: to single files, and to the folder as a whole, after which it may not be used at all
DAMAGES: Final[dict[str, Damage]] = {each.__name__: each for each in _ENTRIES}
FOLDER_DAMAGES: Final[dict[str, Damage]] = {each.__name__: each for each in _FOLDERS}
