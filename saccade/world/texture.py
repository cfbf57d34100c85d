"""Pictures wrapped on meshes, turned into colours of corners.

    mesh = textured(mesh, uv, "label.png")      # uv (F, 3, 2): where each corner lies on the picture, v
    from the bottom

Colours live at corners, so a large triangle with a picture on it is split until its sides are a few
millimetres (as a share of the mesh: one part in sixty), without moving the surface.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.world.mesh import Mesh, MeshError
from saccade.world.png import read_png

Array = npt.NDArray[np.float64]
FINEST = 1 / 60
MOST_FACES = 60_000


def read_picture(path: Path) -> npt.NDArray[Any]:
    """(H, W, 3) floats 0..1. PNG by our own reader, anything else through Pillow."""
    if path.suffix.lower() == ".png":
        pixels = read_png(path)
        return np.repeat(pixels[..., :1], 3, axis=2) if pixels.shape[2] < 3 else pixels[..., :3]
    try:
        from PIL import Image
    except ImportError:
        raise MeshError(
            f"{path.name} needs the package Pillow: pip install 'saccade[world]', or save it as PNG"
        ) from None
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.float64) / 255


def find_texture(mesh_path: Path) -> Path | None:
    """The PNG that goes with a mesh file: beside it, or in a folder named textures beside its folder."""
    places = [mesh_path.parent, mesh_path.parent / "textures", mesh_path.parent.parent / "textures"]
    return next((p for d in places if (p := d / f"{mesh_path.stem}.png").is_file()), None)


def textured(mesh: Mesh, uv: Array, picture: Path) -> Mesh:
    """The mesh with the colours of a picture; see the module docstring."""
    fine, place = split(mesh, uv, FINEST * mesh.extent)
    return Mesh(fine.vertices, fine.faces, sampled(read_picture(picture), place))


def sampled(pixels: npt.NDArray[Any], uv: Array) -> Array:
    """Colours (..., 3) at uv (..., 2), repeating, between the four nearest pixels."""
    height, width = pixels.shape[:2]
    x = np.mod(uv[..., 0], 1.0) * width - 0.5
    y = (1 - np.mod(uv[..., 1], 1.0)) * height - 0.5
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = (x - x0)[..., None], (y - y0)[..., None]

    def at(row: npt.NDArray[np.int64], column: npt.NDArray[np.int64]) -> Array:
        return np.asarray(pixels[np.mod(row, height), np.mod(column, width)])

    upper = at(y0, x0) * (1 - fx) + at(y0, x0 + 1) * fx
    lower = at(y0 + 1, x0) * (1 - fx) + at(y0 + 1, x0 + 1) * fx
    return np.asarray(upper * (1 - fy) + lower * fy)


def split(mesh: Mesh, uv: Array, longest: float) -> tuple[Mesh, Array]:
    """Each face with a side over `longest` in four, again and again; uv (F, 3, 2) is carried along."""
    corners = np.concatenate([mesh.triangles, mesh.colors, uv], axis=2)
    done: list[Array] = []
    while len(corners):
        sides = np.linalg.norm(corners[:, :, :3] - np.roll(corners[:, :, :3], 1, axis=1), axis=2).max(axis=1)
        large = sides > longest
        if sum(len(part) for part in done) + len(corners) + 3 * large.sum() > MOST_FACES:
            large[:] = False
        done.append(corners[~large])
        a, b, c = (corners[large][:, k] for k in range(3))
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        corners = np.concatenate(
            [np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
    every = np.concatenate(done)
    vertices, index = np.unique(every[:, :, :3].reshape(-1, 3), axis=0, return_inverse=True)
    return Mesh(vertices, index.reshape(-1, 3), np.ascontiguousarray(every[:, :, 3:6])), every[:, :, 6:]
