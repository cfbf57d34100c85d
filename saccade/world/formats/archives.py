"""Archives of others unpacked into a folder, as far as they are wanted and within bounds.

    unpack(Path("objects.whl"), folder, wanted=lambda names: lambda name: name.endswith(".obj"))

Zip files (wheels, catalogues), tar files plain or compressed, and Debian packages. A small archive can stand
for any number of bytes, so all that it unpacks to is added up: what its directory states before anything is
unpacked where it has one, and what comes out of the decompressor where it has none. Names that lead out of
the folder, links and devices stay outside (`zipfile` sees to that, and `_put`).
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from saccade.files.reading import TooLarge, read_bytes, reading, shown
from saccade.world.meshes.mesh import MeshError

# Bytes of an archive; those that it may unpack to, or so many times its own; its members.
ARCHIVE_BYTES, UNPACKED_BYTES, UNPACKED_TIMES, MOST_MEMBERS = 1 << 30, 1 << 28, 32, 100_000
# Memory of the decompressor of xz: four times what its highest preset takes.
XZ_BYTES = 1 << 28
# First bytes of a Debian package, and of compressed files.
AR = b"!<arch>\n"
GZIP, XZ, BZIP2 = b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh"
PIECE = 1 << 16

#: Says of each name of an archive whether it is wanted, given all of them where they are known beforehand.
Wanted = Callable[[list[str]], Callable[[str], bool]]
NO_PACKAGE = "give a wheel, a .deb, a .sh3f or a .tar.gz file"


def unpack(source: Path, target: Path, wanted: Wanted) -> None:
    """Put the wanted files of an archive into a folder."""
    unclear = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, RuntimeError)
    with reading(source, MeshError, "fetch it again", unclear):
        data = read_bytes(source, ARCHIVE_BYTES)
        limit = max(UNPACKED_BYTES, UNPACKED_TIMES * len(data))
        if zipfile.is_zipfile(io.BytesIO(data)):
            _unzip(data, target, wanted, limit)
            return
        packed = debian_data(data) if data.startswith(AR) else data
        try:
            _untar(Pieces(packed, limit), target, wanted([]))
        except tarfile.TarError as error:
            raise MeshError(f"{source} is no package: {NO_PACKAGE}") from error


def _untar(source: Pieces, target: Path, chosen: Callable[[str], bool]) -> None:
    with tarfile.open(fileobj=cast(io.BufferedReader, source), mode="r|") as archive:
        for count, member in enumerate(archive):
            if count > MOST_MEMBERS:
                raise TooLarge(f"it has more than {MOST_MEMBERS:,} files")
            if member.isfile() and chosen(member.name):
                _put(archive.extractfile(member), target, member.name)


def _put(file: IO[bytes] | None, folder: Path, name: str) -> None:
    """A file of a tar archive in a folder, without what the archive says of its owner and mode. (Filters of
    `tarfile` do the same from Python 3.11.4 on.)"""
    place = (folder / name.lstrip("/")).resolve()
    if file is None or not place.is_relative_to(folder.resolve()):
        raise tarfile.ExtractError(f"{shown(name)} is to lie outside of its folder")
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as made:
        shutil.copyfileobj(file, made)


def _unzip(data: bytes, target: Path, wanted: Wanted, limit: int) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        chosen = wanted([member.filename for member in members])
        members = [member for member in members if chosen(member.filename)]
        size = sum(member.file_size for member in members)
        if size > limit or len(members) > MOST_MEMBERS:
            raise TooLarge(
                f"its {len(members):,} files unpack to {size:,} bytes, at most {limit:,} are taken"
            )
        for member in members:
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{shown(member.filename)} is compressed in a way that is not read")
            archive.extract(member, target)


class Pieces:
    """A tar file as `tarfile` reads one that cannot be rewound, unpacked piece by piece up to a limit."""

    def __init__(self, packed: bytes, limit: int) -> None:
        self._pieces, self._limit = pieces(packed), limit
        self._rest = b""
        self._read = 0

    def read(self, size: int) -> bytes:
        while len(self._rest) < size and (piece := next(self._pieces, b"")):
            self._read += len(piece)
            if self._read > self._limit:
                raise TooLarge(f"it unpacks to more than {self._limit:,} bytes")
            self._rest += piece
        found, self._rest = self._rest[:size], self._rest[size:]
        return found


def pieces(packed: bytes) -> Iterator[bytes]:
    """What a file unpacks to, at most `PIECE` bytes at a time."""
    file = io.BytesIO(packed)
    if packed.startswith(XZ):
        unpacker = lzma.LZMADecompressor(memlimit=XZ_BYTES)
        while not unpacker.eof:
            more = file.read(PIECE) if unpacker.needs_input else b""
            if unpacker.needs_input and not more:
                raise EOFError("its compressed data ends too early")
            if piece := unpacker.decompress(more, PIECE):
                yield piece
        return
    opened: io.BufferedIOBase = file
    if packed.startswith(GZIP):
        opened = gzip.GzipFile(fileobj=file)
    elif packed.startswith(BZIP2):
        opened = bz2.BZ2File(file)
    while piece := opened.read(PIECE):
        yield piece


def debian_data(package: bytes) -> bytes:
    """The tar file with the files of a Debian package; each member has a header of 60 bytes."""
    at = len(AR)
    while at + 60 <= len(package):
        name = package[at : at + 16].decode("ascii", "replace").strip()
        size = int(package[at + 48 : at + 58])
        if size < 0:
            raise ValueError(f"member {shown(name)} at byte {at} has {size} bytes")
        if name.startswith("data.tar"):
            return package[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise ValueError("it is a Debian package without data")
