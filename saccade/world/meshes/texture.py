"""Pictures wrapped on meshes, turned into colours of corners.

    mesh = wrapped(mesh, uv, path)    # uv (F, 3, 2): place of each corner, v from the bottom

Colours live at corners, so a large triangle with a picture on it is split until its sides are
a sixtieth of the mesh, without moving the surface.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.files.reading import read_bytes, reading
from saccade.reproducible import norm
from saccade.world.formats.png import PICTURE_BYTES, SIGNATURE, ImageError, check_size, decode_png
from saccade.world.meshes.mesh import Mesh, MeshWarning, check_vertices

Array = npt.NDArray[np.float64]
FINEST = 1 / 60
MOST_FACES = 60_000
# What is read through Pillow: it would try many more, some of which start other programs.
FORMATS = ("JPEG", "BMP", "WEBP", "TGA", "GIF")


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


def wrapped(mesh: Mesh, uv: Array, picture: Path | Encoded) -> Mesh:
    """The mesh with the colours of a picture, as 32-bit floats have them."""
    made = textured(mesh, uv, read_picture(picture, raw=True))
    return Mesh(made.vertices, made.faces, made.colors.astype(np.float32).astype(np.float64))


def textured(mesh: Mesh, uv: Array, pixels: npt.NDArray[Any]) -> Mesh:
    """The mesh with the colours of a picture (H, W, 3); see the module docstring."""
    corners, faces = split(mesh, uv, FINEST * mesh.extent)
    vertices, index = distinct_rows(corners[:, :3])
    return Mesh(vertices, index[faces], sampled(pixels, corners[:, 3:])[faces])


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


def split(mesh: Mesh, uv: Array, longest: float) -> tuple[Array, npt.NDArray[np.int64]]:
    """Halve every side over `longest` again and again: corners (N, 5), a position and a place on the picture
    each, and triangles (F, 3) of them. uv (F, 3, 2): the places of the corners of the mesh.

    Whether a side is halved depends on its ends alone, so neighbours agree and the surface stays connected.
    """
    # most corners are those of six triangles
    kinds, index = distinct_rows(np.concatenate([mesh.faces.reshape(-1, 1), uv.reshape(-1, 2)], axis=1))
    corners = np.concatenate([mesh.vertices[kinds[:, 0].astype(np.int64)], kinds[:, 1:]], axis=1)
    faces = index.reshape(-1, 3)
    while True:
        place = corners[:, :3]
        long = norm(place[np.roll(faces, -1, axis=1)] - place[faces]) > longest
        if not long.any() or len(faces) + np.count_nonzero(long) > MOST_FACES:
            return corners, faces
        corners, faces = halved(corners, faces, long)


def distinct_rows(rows: Array) -> tuple[Array, npt.NDArray[np.int64]]:
    """`np.unique(rows, axis=0, return_inverse=True)` of finite numbers (N, n) in a fifth of the time, which
    goes into comparing rows there: their columns are sorted here."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(rows), np.int64)
    index[order] = np.cumsum(is_new) - 1
    return ordered[is_new], index


def halved(
    corners: Array, faces: npt.NDArray[np.int64], long: npt.NDArray[np.bool_]
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Corners (N, n) and triangles of them (F, 3) with their long sides (F, 3) cut in the middle; side k runs
    from corner k to the next."""
    # turn each triangle until its first side is long, and its third only if all are
    count = np.count_nonzero(long, axis=1)
    for _ in range(2):
        turn = ((count == 1) & ~long[:, 0]) | ((count == 2) & long[:, 2])
        faces = np.where(turn[:, None], np.roll(faces, -1, axis=1), faces)
        long = np.where(turn[:, None], np.roll(long, -1, axis=1), long)
    # the middles of long sides follow the corners; of sides that are not long there is none
    face, side = np.nonzero(long)
    middle = np.full(faces.shape, -1)
    middle[face, side] = len(corners) + np.arange(len(face))
    first, second = corners[faces[face, side]], corners[faces[face, (side + 1) % 3]]
    corners = np.concatenate([corners, (first + second) / 2])
    a, b, c = faces.T
    ab, bc, ca = middle.T
    pieces = {
        0: [(a, b, c)],
        1: [(a, ab, c), (ab, b, c)],
        2: [(ab, b, bc), (a, ab, bc), (a, bc, c)],
        3: [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)],
    }
    return corners, np.concatenate(
        [np.stack([v[count == n] for v in piece], axis=1) for n, made in pieces.items() for piece in made]
    )
