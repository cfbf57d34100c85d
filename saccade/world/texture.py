"""Pictures wrapped on meshes, turned into colours of corners.

    mesh = wrapped(mesh, uv, path)    # uv (F, 3, 2): place of each corner, v from the bottom

Colours live at corners, so a large triangle with a picture on it is split until its sides are
a sixtieth of the mesh, without moving the surface. Unpacking a picture of 4096 pixels takes most of a second,
so what came of it is cached, by the content of mesh and picture.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.npz import read_npz, to_npz
from saccade.reading import read_bytes, reading
from saccade.reproducible import norm
from saccade.runtime.cache import Cache, key_of, shared_cache
from saccade.world.mesh import Mesh, MeshWarning, check_vertices
from saccade.world.png import PICTURE_BYTES, SIGNATURE, ImageError, check_size, decode_png

Array = npt.NDArray[np.float64]
FINEST = 1 / 60
MOST_FACES = 60_000
# What is read through Pillow: it would try many more, some of which start other programs.
FORMATS = ("JPEG", "BMP", "WEBP", "TGA", "GIF")
# Part of the key of what is cached: raise it when the rule changes.
VERSION = "2"


@dataclass(frozen=True)
class Encoded:
    """A picture as it is stored; its name is for messages."""

    name: str
    data: bytes


def read_picture(picture: Path | Encoded, raw: bool = False) -> npt.NDArray[Any]:
    """(H, W, 3) floats 0..1, or the integers of the file with `raw`. PNG by our own reader, anything else
    through Pillow."""
    stored = encoded(picture)
    if stored.name.lower().endswith(".png") or stored.data.startswith(SIGNATURE):
        pixels = decode_png(stored.data, stored.name, raw)
        return np.repeat(pixels[..., :1], 3, axis=2) if pixels.shape[2] < 3 else pixels[..., :3]
    return _by_pillow(stored, raw)


def encoded(picture: Path | Encoded) -> Encoded:
    """The bytes of a picture."""
    if isinstance(picture, Encoded):
        return picture
    with reading(picture, ImageError, "save it again"):
        return Encoded(str(picture), read_bytes(picture, PICTURE_BYTES))


def _by_pillow(picture: Encoded, raw: bool) -> npt.NDArray[Any]:
    try:
        from PIL import Image
    except ImportError:
        raise ImageError(
            f"{Path(picture.name).name} needs the package Pillow: pip install 'saccade[world]', "
            "or save it as PNG"
        ) from None
    unclear = (SyntaxError, RuntimeError, Image.DecompressionBombError)
    with reading(picture.name, ImageError, "save it again as PNG", unclear), warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own bound is lower
        with Image.open(io.BytesIO(picture.data), formats=FORMATS) as image:
            # Pillow and what we take from it hold four bytes and three for a pixel, both for a moment
            width, height = image.size
            check_size(width, height, 8 if raw else 24)
            found = np.asarray(image.convert("RGB"))
        return found if raw else found / 255


def find_texture(mesh_path: Path) -> Path | None:
    """The PNG that goes with a mesh file: beside it, or in a folder named textures beside its folder."""
    places = [mesh_path.parent, mesh_path.parent / "textures", mesh_path.parent.parent / "textures"]
    return next((p for d in places if (p := d / f"{mesh_path.stem}.png").is_file()), None)


def wrapped_or_plain(mesh: Mesh, uv: Array, picture: Path | Encoded) -> Mesh:
    """The mesh with the colours of a picture, or as it is, with a warning, if that cannot be read."""
    check_vertices(mesh.vertices)
    try:
        if not np.isfinite(uv).all():
            raise ValueError("its places on the picture are not finite")
        return wrapped(mesh, uv, picture)
    except ValueError as unread:
        warnings.warn(MeshWarning(f"texture left out: {unread}"), stacklevel=3)
        return mesh


def wrapped(mesh: Mesh, uv: Array, picture: Path | Encoded, cache: Cache | None = None) -> Mesh:
    """The mesh with the colours of a picture, made once: afterwards from the cache on disk."""
    cache, stored = cache or shared_cache(), encoded(picture)
    content = [np.ascontiguousarray(part).tobytes() for part in (mesh.vertices, mesh.faces, uv)]
    key = key_of("textured mesh", VERSION, *content, stored.data)
    found = cache.load(key, unpacked)
    if found is not None:
        return found
    made = textured(mesh, uv, read_picture(stored, raw=True))
    faces, colors = made.faces.astype(np.int32), made.colors.astype(np.float32)
    kept = to_npz(vertices=made.vertices, faces=faces, colors=colors)
    cache.put(key, kept)
    return unpacked(kept)  # as every later call has it


def unpacked(stored: bytes) -> Mesh:
    """A mesh out of the cache."""
    arrays = read_npz(stored)
    return Mesh(arrays["vertices"], arrays["faces"].astype(np.int64), arrays["colors"].astype(np.float64))


def textured(mesh: Mesh, uv: Array, pixels: npt.NDArray[Any]) -> Mesh:
    """The mesh with the colours of a picture (H, W, 3); see the module docstring."""
    fine, place = split(mesh, uv, FINEST * mesh.extent)
    return Mesh(fine.vertices, fine.faces, sampled(pixels, place))


def sampled(pixels: npt.NDArray[Any], uv: Array) -> Array:
    """Colours (..., 3) at uv (..., 2), repeating, between the four nearest pixels: floats 0..1, or integers
    of which the largest is 1."""
    height, width = pixels.shape[:2]
    whole = 1 if pixels.dtype.kind == "f" else np.iinfo(pixels.dtype).max
    x = np.mod(uv[..., 0], 1.0) * width - 0.5
    y = (1 - np.mod(uv[..., 1], 1.0)) * height - 0.5
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = (x - x0)[..., None], (y - y0)[..., None]

    def at(row: npt.NDArray[np.int64], column: npt.NDArray[np.int64]) -> Array:
        return np.asarray(pixels[np.mod(row, height), np.mod(column, width)]) / whole

    upper = at(y0, x0) * (1 - fx) + at(y0, x0 + 1) * fx
    lower = at(y0 + 1, x0) * (1 - fx) + at(y0 + 1, x0 + 1) * fx
    return np.asarray(upper * (1 - fy) + lower * fy)


def split(mesh: Mesh, uv: Array, longest: float) -> tuple[Mesh, Array]:
    """Halve every side over `longest` again and again; uv (F, 3, 2) is carried along.

    Whether a side is halved depends on its ends alone, so neighbours agree and the surface stays connected.
    """
    corners = np.concatenate([mesh.triangles, mesh.colors, uv], axis=2)
    while True:
        place = corners[:, :, :3]
        long = norm(np.roll(place, -1, axis=1) - place) > longest
        if not long.any() or len(corners) + np.count_nonzero(long) > MOST_FACES:
            break
        corners = halved(corners, long)
    vertices, index = distinct_rows(corners[:, :, :3].reshape(-1, 3))
    return Mesh(vertices, index.reshape(-1, 3), np.ascontiguousarray(corners[:, :, 3:6])), corners[:, :, 6:]


def distinct_rows(rows: Array) -> tuple[Array, npt.NDArray[np.int64]]:
    """`np.unique(rows, axis=0, return_inverse=True)` of finite numbers (N, 3) in a fifth of the time, which
    goes into comparing rows there: their columns are sorted here."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(rows), np.int64)
    index[order] = np.cumsum(is_new) - 1
    return ordered[is_new], index


def halved(corners: Array, long: npt.NDArray[np.bool_]) -> Array:
    """Triangles (F, 3, n) with their long sides cut in the middle; side k runs from corner k to the next."""
    # turn each triangle until its first side is long, and its third only if all are
    count = np.count_nonzero(long, axis=1)
    for _ in range(2):
        turn = ((count == 1) & ~long[:, 0]) | ((count == 2) & long[:, 2])
        corners = np.where(turn[:, None, None], np.roll(corners, -1, axis=1), corners)
        long = np.where(turn[:, None], np.roll(long, -1, axis=1), long)
    a, b, c = (corners[:, k] for k in range(3))
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    pieces = {
        0: [(a, b, c)],
        1: [(a, ab, c), (ab, b, c)],
        2: [(ab, b, bc), (a, ab, bc), (a, bc, c)],
        3: [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)],
    }
    return np.concatenate(
        [np.stack([v[count == n] for v in piece], axis=1) for n, made in pieces.items() for piece in made]
    )
