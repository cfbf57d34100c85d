"""Pictures as worlds: a patch moves over a flat picture, or over a photo with depth.

A flat picture is a sheet in space, centred on its placement and facing +z, so agents move over it and turn
as over any object. A photo with depth was taken from one point, its placement, looking along -z; the agent
stands at that point and saccades. Both give the same observations as a world of meshes.

    world = ImageWorld([Picture("letter", rgb, width=0.1)], surface_rig(), rows=1)
    seen = world.reset(np.ones(1, bool), [Scene((Placement("letter"),))], standing_back(1, 0.03))

    photo = Photo.from_files("desk", "desk.png", "desk_depth.png", field_of_view=1.0, depth_unit=0.001)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from saccade.reproducible import apply, norm, tan
from saccade.world.formats.png import read_png
from saccade.world.meshes.texture import read_picture
from saccade.world.noise import DepthNoise
from saccade.world.protocol import Bools, Observation, Placement, Pose, Rig, Scene
from saccade.world.scene_rows import RowWorld, SceneRows
from saccade.world.symmetry.symmetry import Symmetry

Array = npt.NDArray[np.float64]
PARALLAX = 0.002  # how far from where a photo was taken an agent may stand, metres


@dataclass(frozen=True)
class Picture:
    """A flat picture: rgb (H, W, 3) in 0..1, `width` metres wide; paper (H, W) marks pixels that count as
    nothing. It has a front (+z) and no back; from behind there is nothing to see."""

    name: str
    rgb: Array
    width: float
    paper: Bools | None = None
    symmetry: Symmetry = field(default_factory=Symmetry)

    @property
    def height(self) -> float:
        """Metres."""
        rows, columns = self.rgb.shape[:2]
        return float(self.width * rows / columns)

    def seen(self, eye: Array, ray: Array) -> tuple[Array, Array, Bools]:
        """Rays of the picture's frame, (..., 3): parameter of the hit, colour, and whether there is one."""
        height, width = self.rgb.shape[:2]
        size = self.width / width
        toward = np.where(np.abs(ray[..., 2]) < 1e-12, 1e-12, ray[..., 2])
        along = -eye[..., 2] / toward
        column = (eye[..., 0] + along * ray[..., 0]) / size + width / 2
        row = height / 2 - (eye[..., 1] + along * ray[..., 1]) / size
        hit = (along > 0) & (column >= 0) & (column < width) & (row >= 0) & (row < height)
        hit &= eye[..., 2] > 0
        i, j = np.clip(row.astype(int), 0, height - 1), np.clip(column.astype(int), 0, width - 1)
        if self.paper is not None:
            hit &= ~self.paper[i, j]
        return along, self.rgb[i, j], hit


@dataclass(frozen=True)
class Photo:
    """A photo with depth: rgb (H, W, 3) in 0..1, depth (H, W) metres along the viewing axis, 0 or NaN where
    unknown.

    field_of_view: full angle across the width, radians.
    """

    name: str
    rgb: Array
    depth: Array
    field_of_view: float

    @staticmethod
    def from_files(
        name: str, rgb: Path | str, depth: Path | str, field_of_view: float, depth_unit: float = 0.001
    ) -> Photo:
        """From a colour picture and a depth map in PNG whose steps are `depth_unit` metres."""
        colors, steps = read_picture(Path(rgb)), read_png(depth, raw=True)[..., 0]
        if colors.shape[:2] != steps.shape:
            raise ValueError(
                f"{rgb} is {colors.shape[:2]} and {depth} is {steps.shape}: they must be of one size"
            )
        return Photo(name, colors, steps * depth_unit, field_of_view)

    def seen(self, eye: Array, ray: Array) -> tuple[Array, Array, Bools]:
        """Rays of the camera's frame, (..., 3): parameter of the hit, colour, and whether there is one."""
        away = float(norm(eye).max())
        if away > PARALLAX:
            raise ValueError(
                f"the agent is {away:.3g} m from where photo {self.name!r} was taken: turn it, do not move it"
            )
        height, width = self.depth.shape
        pixel = 2 * float(tan(self.field_of_view / 2)) / width
        ahead = np.maximum(-ray[..., 2], 1e-12)
        column = ray[..., 0] / ahead / pixel + width / 2
        row = height / 2 - ray[..., 1] / ahead / pixel
        hit = (ray[..., 2] < 0) & (column >= 0) & (column < width) & (row >= 0) & (row < height)
        i, j = np.clip(row.astype(int), 0, height - 1), np.clip(column.astype(int), 0, width - 1)
        depth = np.nan_to_num(self.depth[i, j], nan=0.0)
        return depth / ahead, self.rgb[i, j], hit & (depth > 0)


SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")


def load_pictures(folder: Path | str, width: float) -> list[Picture]:
    """Every picture of a folder, named by its file, `width` metres wide; PNG needs no further package."""
    place = Path(folder)
    if not place.is_dir():
        raise ValueError(f"there is no folder {place}")
    paths = sorted(path for path in place.iterdir() if path.suffix.lower() in SUFFIXES)
    if not paths:
        raise ValueError(f"{place} holds no pictures; {', '.join(SUFFIXES)} are read")
    return [Picture(path.stem, read_picture(path), width) for path in paths]


class ImageWorld(RowWorld):
    """Implements `World` on pictures and photos; a row shows the first object of its scene."""

    def __init__(
        self, images: Sequence[Picture | Photo], rig: Rig, rows: int = 1, noise: DepthNoise | None = None
    ) -> None:
        self.rig, self.noise, self.rows = rig, noise or DepthNoise(), rows
        self._images = {image.name: image for image in images}
        self._rows = SceneRows([image.name for image in images], rows)
        self.object_names = self._rows.object_names

    def place(self, rows: Bools, scenes: Sequence[Scene | None]) -> None:
        for row in np.flatnonzero(np.asarray(rows, bool)).tolist():
            scene = scenes[row] if row < len(scenes) else None
            if scene is not None and len(scene.objects) > 1:
                raise ValueError(
                    f"row {row} has {len(scene.objects)} pictures; an image world shows one a row"
                )
        self._rows.place(rows, scenes)

    def look(self, rig: Rig, agent: Pose | None = None) -> Observation:
        return self._seen(rig, self.agent if agent is None else agent, DepthNoise())

    def _observe(self) -> Observation:
        return self._seen(self.rig, self.agent, self.noise)

    def _seen(self, rig: Rig, agent: Pose, noise: DepthNoise) -> Observation:
        sensor = Pose(agent.position[:, None], agent.rotation[:, None]) @ rig.mount
        ray = apply(sensor.rotation[:, :, None, None], rig.rays())
        depth, rgb = np.full(ray.shape[:-1], rig.far), np.zeros(ray.shape)
        on_object = np.zeros(ray.shape[:-1], bool)
        for row, scene in enumerate(self.scenes):
            if scene.objects:
                depth[row], rgb[row], on_object[row] = self._row(
                    scene.objects[0], sensor.position[row], ray[row], rig.far
                )
        if not noise.is_silent:
            depth, on_object = noise.apply(depth, on_object, self._rows.seeds, self._rows.looks)
        points = sensor.position[:, :, None, None] + ray * depth[..., None]
        which = np.where(on_object, 0, -1).astype(np.int32)
        return Observation(depth, rgb, points, on_object, which, sensor, agent)

    def _row(self, thing: Placement, eye: Array, ray: Array, far: float) -> tuple[Array, Array, Bools]:
        """What the sensors at eye (S, 3) see along ray (S, P, P, 3)."""
        back = np.asarray(thing.rotation, np.float64).T / thing.scale
        local = apply(back, eye - np.asarray(thing.position))
        along, color, hit = self._images[thing.name].seen(
            np.broadcast_to(local[:, None, None], ray.shape), apply(back, ray)
        )
        hit = hit & (along < far)
        return np.where(hit, along, far), np.where(hit[..., None], color, 0.0), hit
