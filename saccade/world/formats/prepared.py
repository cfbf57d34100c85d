"""Mesh files made ready once: read, scaled, checked, centred, their symmetries found; afterwards from the
cache on disk, by the content of the files.

    objects = prepared({"mug": Path("mug/textured.obj")}, scale=1.0)
    objects[0].symmetry, objects[0].shape

A scan of 16,000 triangles takes 0.35 s of a processor, much of it under Python's lock, so those that are not
in the cache are made by other processes where there are several.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

import numpy as np

from saccade.files.npz import read_npz, to_npz
from saccade.files.reading import FAILURES, parse_json, read_bytes
from saccade.runtime.cache.cache import Cache, key_of, shared_cache
from saccade.runtime.config import settings
from saccade.world.formats.formats import loaded
from saccade.world.formats.obj import files_named
from saccade.world.formats.png import PICTURE_BYTES
from saccade.world.meshes.mesh import MESH_BYTES, Mesh, MeshWarning, WorldObject, face_indices
from saccade.world.meshes.texture import find_texture
from saccade.world.symmetry import find as find_symmetry
from saccade.world.symmetry.find import SCANNED, SHAPE, judged, symmetry_of, told_symmetry

# Part of the key of what is kept: raise it when reading a mesh gives another one.
VERSION = "1"
# Meshes to be made for which another process is worth its start, which takes as long as three of them.
WORTH = 4
PACKAGE = Path(__file__).parents[2]
# Bytes of the length of an answer.
SIZE = 8
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Ready:
    """An object, and the warnings that its mesh gave."""

    object: WorldObject
    told: list[str]


def prepared(
    paths: Mapping[str, Path],
    scale: float = 1.0,
    tell: Told = lambda done, total: None,
    cache: Cache | None = None,
) -> list[WorldObject]:
    """The objects of some mesh files, in their order; nobody said how they are symmetric, so that is found
    out, with tolerance for what scans have in their colours, and of their shape alone. `tell` hears how many
    of those that are not in the cache are ready."""
    kept_in = cache or shared_cache()

    def looked_up(name: str) -> tuple[str | None, Ready | None]:
        key = key_for(paths[name], name, scale)
        return key, None if key is None else kept_in.load(key, unpacked)

    with ThreadPoolExecutor(settings.threads) as threads:
        found = dict(zip(paths, threads.map(looked_up, paths), strict=True))
    missing = {name: paths[name] for name, (_, ready) in found.items() if ready is None}
    for done, (name, stored) in enumerate(made_of(missing, scale), 1):
        key = found[name][0]
        if key is not None:
            kept_in.put(key, stored)
        found[name] = key, unpacked(stored)
        tell(done, len(missing))
    objects = []
    for _, ready in found.values():
        assert ready is not None
        for message in ready.told:
            warnings.warn(MeshWarning(message), stacklevel=2)
        objects.append(ready.object)
    return objects


def made_of(missing: Mapping[str, Path], scale: float) -> Iterator[tuple[str, bytes]]:
    """Every mesh as it is kept, as soon as it is made; the first that cannot be made ends it with its
    error."""
    processes = min(settings.threads, len(missing) // WORTH)
    if processes < 2:
        yield from ((name, made(path, name, scale)) for name, path in missing.items())
        return
    with ExitStack() as stack:
        makers: SimpleQueue[Maker] = SimpleQueue()
        for _ in range(processes):
            makers.put(stack.enter_context(Maker()))

        def by_another(name: str) -> tuple[str, bytes]:
            maker = makers.get()
            try:
                # an error is met again here, where it is raised as what it is
                return name, maker.made(missing[name], name, scale) or made(missing[name], name, scale)
            finally:
                makers.put(maker)

        threads = stack.enter_context(ThreadPoolExecutor(processes))
        waiting = [threads.submit(by_another, name) for name in missing]
        try:
            yield from (future.result() for future in as_completed(waiting))
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


class Maker:
    """Another process that makes meshes ready, until the block ends. (A pool of `multiprocessing` would run
    the caller's own script again.)"""

    def __enter__(self) -> Maker:
        # -P: nothing is imported from the folder we are in, which may be that of the meshes
        command = [sys.executable, "-P", "-c", "from saccade.world.formats.prepared import serve; serve()"]
        paths = [str(PACKAGE.parent), *filter(None, sys.path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "SACCADE_THREADS": "1"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        return self

    def made(self, path: Path, name: str, scale: float) -> bytes:
        """What `made` gives; nothing where that is an error, or the process is no more."""
        asked, answer = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answer is not None
        try:
            asked.write(json.dumps([str(path.absolute()), name, scale]).encode() + b"\n")
            asked.flush()
        except OSError:
            return b""
        size = int.from_bytes(answer.read(SIZE), "little")
        found = answer.read(size)
        return found if len(found) == size else b""

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """What a `Maker` runs: a line asks for a mesh, and its bytes are the answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked decides
    answer, sys.stdout = sys.stdout.buffer, sys.stderr
    for line in sys.stdin.buffer:
        path, name, scale = json.loads(line)
        try:
            found = made(Path(path), name, scale)
        except FAILURES:
            found = b""
        answer.write(len(found).to_bytes(SIZE, "little") + found)
        answer.flush()


def key_for(path: Path, name: str, scale: float) -> str | None:
    """The key of a mesh made ready: the content of all files it is made of. None for a format whose other
    files are not known beforehand, and for files that cannot be read: whoever reads the mesh says why."""
    try:
        data = read_bytes(path, MESH_BYTES)
        match path.suffix.lower():
            case ".obj":
                content = files_named(path, data)
            case ".msh":
                picture = find_texture(path)
                content = [] if picture is None else [read_bytes(picture, PICTURE_BYTES)]
            case ".stl" | ".ply":
                content = []
            case _:
                return None
    except FAILURES:
        return None
    rules = f"{VERSION} {find_symmetry.VERSION} {SCANNED!r} {SHAPE!r}"
    return key_of("prepared mesh", rules, path.name, name, repr(scale), data, *content)


#: what hears warnings is one for all threads
_hearing = Lock()


def made(path: Path, name: str, scale: float) -> bytes:
    """A mesh file made ready, as it is kept."""
    with _hearing, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        each = judged(loaded(path, name, scale), (SCANNED, SHAPE))
    return packed(each, [str(warning.message) for warning in caught])


def packed(each: WorldObject, told: list[str]) -> bytes:
    mesh, shape = each.mesh, each.shape
    assert shape is not None
    narrow = mesh.colors.astype(np.float32)  # colours of pictures have no more digits
    note = {
        "name": each.name,
        "symmetry": told_symmetry(each.symmetry),
        "shape": told_symmetry(shape),
        "told": told,
    }
    return to_npz(
        vertices=mesh.vertices,
        faces=mesh.faces.astype(np.int32),
        colors=narrow if np.array_equal(narrow, mesh.colors) else mesh.colors,
        note=np.frombuffer(json.dumps(note).encode(), np.uint8),
    )


def unpacked(stored: bytes) -> Ready:
    """An object out of the cache, and what was to be told about it."""
    arrays = read_npz(stored)
    note = parse_json(arrays["note"].tobytes())
    vertices, faces, colors = (arrays[name] for name in ("vertices", "faces", "colors"))
    if vertices.shape[1:] != (3,) or faces.shape[1:] != (3,) or colors.shape != (len(faces), 3, 3):
        raise ValueError(f"it has arrays of shapes {vertices.shape}, {faces.shape}, {colors.shape}")
    mesh = Mesh(vertices, face_indices(faces, len(vertices)), colors.astype(np.float64))
    symmetry, shape = symmetry_of(note["symmetry"]), symmetry_of(note["shape"])
    each = WorldObject(str(note["name"]), mesh, symmetry, shape=shape)
    return Ready(each, [str(message) for message in note["told"]])
