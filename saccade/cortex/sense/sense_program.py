"""The sensor module as a tensor program: patches on a device in, one row of numbers for each out.

Comes in: `Patches`, what a world shows without it having left the device. Goes out: a `Sensation` and which
of it is news; the host reads a few numbers a sensor, and no pixels. The formulas are those of `module`, where
they are explained.

    feel = DeviceSense("cuda")
    felt = feel(seen.points, seen.rgb, seen.on_object, seen.sensor.position, seen.sensor.rotation, settings)
    values, memory = feel.enqueue(patches, Feeling(settings, noise, change), key, memory)     # never waits
"""

from __future__ import annotations

from functools import cache, partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.program import Program
from saccade.cortex.geometry import Vector, subtract
from saccade.cortex.ops import blank, cast, clip, integers, logical_and, maximum, read, take, upload, where
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense.change import ChangeThresholds
from saccade.cortex.sense.change_program import MEMORY, passed
from saccade.cortex.sense.fit_program import Axes, Weights, fit_patches, same_surface
from saccade.cortex.sense.module import Sensation, SensorSettings, sense
from saccade.cortex.sense.noise import NoiseSettings, add_noise
from saccade.cortex.sense.noise_program import Draws, Percept, disturbed, draws_of, keys_of, of_patches
from saccade.cortex.sense.surface import NORMAL_RADIUS, SIGMA, gaussian, pixel_distances
from saccade.cortex.vectors import length
from saccade.reproducible import total
from saccade.tensor import Tensor

#: a row of numbers: the fields of a `Sensation`, and the shape of each
FIELDS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("location", (3,)),
    ("pose_vectors", (3, 3)),
    ("pose_fully_defined", ()),
    ("hsv", (3,)),
    ("curvatures", (2,)),
    ("curvatures_log", (2,)),
    ("on_object", ()),
    ("usable", ()),
    ("confidence", ()),
    ("coverage", ()),
    ("inward", (3,)),
    ("depth", ()),
)
FLAGS = ("pose_fully_defined", "on_object", "usable")
#: the number after them: whether a sensation is news; and how many there are in all
NEWS = sum(prod(shape) for _, shape in FIELDS)
COLUMNS = NEWS + 1


def columns_of(name: str) -> slice:
    """Where the numbers of a field are."""
    widths = {field: prod(shape) for field, shape in FIELDS}
    begin = sum(width for field, width in list(widths.items())[: list(widths).index(name)])
    return slice(begin, begin + widths[name])


class Feeling(NamedTuple):
    """How patches become percepts: the settings of sensors, the noise that is added, if any, and what counts
    as news, None where all that is usable does."""

    settings: SensorSettings
    noise: NoiseSettings | None = None
    change: ChangeThresholds | None = None


class Patches(NamedTuple):
    """points (B, P, P, 3), rgb (B, P, P, 3) in 0..1, on_object (B, P, P), sensor (B, 12 or more): position,
    and the rotation row by row. Those of the sensors of a row follow each other."""

    points: Tensor
    rgb: Tensor
    on_object: Tensor
    sensor: Tensor


class Windows(NamedTuple):
    """What is the same for all patches, (N,): the distance of pixels from the centre, their weight in the fit
    of a curved surface, its root, and the root of that in the fit of a plane, which is 0 outside a disc."""

    distance: Tensor
    curved: Tensor
    root: Tensor
    disc: Tensor


def windows_of(size: int, device: str | None) -> Windows:
    distance, curved = pixel_distances(size), gaussian(size, size * SIGMA)
    root = np.sqrt(curved)
    disc = np.where(distance <= max(size * NORMAL_RADIUS, 1.0), root, 0.0)
    return Windows(*(upload(part.ravel(), "float64", device) for part in (distance, curved, root, disc)))


def feel(
    how: Feeling, patches: Patches, windows: Windows, draws: Draws, memory: Tensor
) -> tuple[Tensor, Tensor]:
    """(B, COLUMNS) what the sensors feel, the numbers of `FIELDS`, with noise if there is any, and whether it
    is news; and the memory (B, MEMORY) of what was passed on, of which a row at its first step has none."""
    settings = how.settings
    batch, size = patches.points.shape[:2]
    x, y, z = (cast(patches.points[..., i], "float64").reshape(batch, size * size) for i in range(3))
    cloud: Vector = (x, y, z)
    finite = [each - each == 0.0 for each in cloud]
    valid = logical_and(patches.on_object.reshape(batch, -1), *finite).contiguous()
    sensor = [patches.sensor[:, i] for i in range(12)]
    position: Vector = (sensor[0], sensor[1], sensor[2])
    right, up, backward = ((sensor[3 + i], sensor[6 + i], sensor[9 + i]) for i in range(3))
    axes: Axes = (right, up, backward)
    pixel, there = _chosen_pixel(valid, windows, size)
    centred = valid[:, size // 2 * size + size // 2]
    x, y, z = (
        where(there, take(each.reshape(-1), pixel), otherwise).contiguous()
        for each, otherwise in zip(cloud, position, strict=True)
    )
    origin: Vector = (x, y, z)
    patch = (batch, size, size)
    as_patch = (cloud[0].reshape(patch), cloud[1].reshape(patch), cloud[2].reshape(patch))
    joined = same_surface(as_patch, valid.reshape(patch), axes[2]).reshape(batch, -1)
    own = where(centred.unsqueeze(-1), joined, valid).contiguous()
    x, y, z = (where(own, each - at.unsqueeze(-1), 0.0) for each, at in zip(cloud, origin, strict=True))
    sums = _sums(cloud, valid, own, windows)
    disc = Weights(where(own, windows.disc, 0.0), sums.in_disc)
    curved = Weights(where(own, windows.root, 0.0), sums.own)
    fit = fit_patches((x, y, z), disc, curved, axes, settings.normal_method == "quadratic")
    k1, k2 = fit.curvatures
    usable = logical_and(centred, sums.own >= settings.min_pixels, fit.has_normal, fit.has_curvature)
    red, green, blue = (
        where(there, clip(cast(take(patches.rgb[..., i].reshape(-1), pixel), "float64"), 0.0, 1.0), 0.0)
        for i in range(3)
    )
    fully = fit.has_curvature & (k1 - k2 >= settings.pose_threshold)
    logs = (_signed_log(k1), _signed_log(k2))
    percept = Percept(origin, (fit.normal, fit.first, fit.second), _hsv(red, green, blue), logs, fully)
    if how.noise is not None:
        percept = disturbed(how.noise, percept, usable, draws)
    news = usable
    if how.change is not None:
        fresh = of_patches(draws.rows[1], batch // draws.rows.shape[1]) == 0
        news, memory = passed(how.change, percept, usable, memory, fresh)
    some, whole = maximum(sums.valid, 1.0), float(total(gaussian(size, size * SIGMA).ravel()))
    columns = [
        *percept.location,
        *(part for vector in percept.vectors for part in vector),
        percept.fully_defined,
        *percept.hsv,
        k1,
        k2,
        *percept.curvatures_log,
        centred,
        usable,
        where(usable, sums.window / whole, 0.0),
        sums.valid / (size * size),
        *(where(there, part / some - at, 0.0) for part, at in zip(sums.places, origin, strict=True)),
        length(subtract(origin, position)),
        news,
    ]
    # stored before they are put side by side: one kernel computes all of them once
    return Tensor.stack([cast(each, "float64").contiguous() for each in columns], -1), memory


class Sums(NamedTuple):
    """Over the pixels of a patch, (B,) each: how many are valid, of the surface in the middle, and of those
    in the disc of the plane; the window over those of the surface; the places of the valid ones."""

    valid: Tensor
    own: Tensor
    in_disc: Tensor
    window: Tensor
    places: Vector


def _sums(cloud: Vector, valid: Tensor, own: Tensor, windows: Windows) -> Sums:
    one = windows.curved * 0.0 + 1.0
    parts = [
        where(valid, one, 0.0),
        where(own, one, 0.0),
        where(own & (windows.disc > 0.0), one, 0.0),
        where(own, windows.curved, 0.0),
        *(where(valid, part, 0.0) for part in cloud),
    ]
    found = Tensor.stack(parts, 1).contiguous().sum(-1).contiguous()
    places: Vector = (found[:, 4], found[:, 5], found[:, 6])
    return Sums(found[:, 0], found[:, 1], found[:, 2], found[:, 3], places)


def _chosen_pixel(valid: Tensor, windows: Windows, size: int) -> tuple[Tensor, Tensor]:
    """Where in all pixels (B,) a sensation is taken, and whether there is one: the centre, or the nearest
    valid pixel, rather not one on the outline of what is in view."""
    batch, middle = valid.shape[0], size // 2 * size + size // 2
    around = valid.reshape(batch, size, size).pad((1, 1, 1, 1))
    inner = None
    for down in range(3):
        for right in range(3):
            part = around[:, down : down + size, right : right + size]
            inner = part if inner is None else inner & part
    assert inner is not None
    cost = windows.distance + where(inner.reshape(batch, -1), windows.distance * 0.0, size / 4)
    nearest = where(valid, cost, float("inf")).argmin(-1)
    there = cast(valid, "int32").amax(-1) > 0
    pixel = where(valid[:, middle], middle, nearest)
    return cast(integers(batch, valid), "int64") * (size * size) + pixel, there


def _signed_log(value: Tensor) -> Tensor:
    found = value.abs().log1p()
    return where(value < 0.0, -found, found)


def _hsv(red: Tensor, green: Tensor, blue: Tensor) -> Vector:
    value = red.maximum(green).maximum(blue)
    span = value - red.minimum(green).minimum(blue)
    safe = where(span > 0.0, span, 1.0)
    others = where(green == value, 2.0 + (blue - red) / safe, 4.0 + (red - green) / safe)
    sector = where(red == value, (green - blue) / safe, others) / 6.0
    hue = where(span > 0.0, sector - sector.floor(), 0.0)
    return hue, where(value > 0.0, span / where(value > 0.0, value, 1.0), 0.0), value


# --- from the host


@cache
def _program(how: Feeling) -> Program[[Patches, Windows, Draws, Tensor], tuple[Tensor, Tensor]]:
    """One for all runs of a process."""
    return Program(partial(feel, how))


class DeviceSense:
    """`sense` for patches on a device; those of a world on the host are sensed there."""

    def __init__(self, device: str) -> None:
        self.device = device
        self._windows = cache(partial(windows_of, device=device))
        self._keys = cache(partial(keys_of, device=device))

    def rehearse(
        self,
        rows: int,
        sensors: int,
        size: int,
        noise: NoiseSettings | None = None,
        change: ChangeThresholds | None = None,
    ) -> None:
        """Compile the program for patches of double precision before there are any."""
        points = blank((rows * sensors, size, size, 3), "float64", self.device)
        nothing = blank((rows * sensors, size, size), "bool", self.device)
        patches = Patches(points, points, nothing, blank((rows * sensors, EYE), "float64", self.device))
        key = RowKey(0, np.zeros(rows, np.int64), np.zeros(rows, np.int64))
        memory = blank((rows * sensors, MEMORY), "float64", self.device)
        self.enqueue(patches, Feeling(SensorSettings(), noise, change), key, rows, memory)

    def __call__(
        self,
        points: Any,
        rgb: Any,
        on_object: Any,
        sensor_position: npt.NDArray[np.floating],
        sensor_rotation: npt.NDArray[np.floating],
        settings: SensorSettings | None = None,
    ) -> Sensation:
        """As `module.sense`, of tensors or arrays; waits once. There may be patches of more rows than there
        are sensors: nobody's."""
        return self.noisy(points, rgb, on_object, sensor_position, sensor_rotation, settings, None, None)

    def noisy(
        self,
        points: Any,
        rgb: Any,
        on_object: Any,
        sensor_position: npt.NDArray[np.floating],
        sensor_rotation: npt.NDArray[np.floating],
        settings: SensorSettings | None,
        noise: NoiseSettings | None,
        key: RowKey | None,
    ) -> Sensation:
        """The same with noise, as `noise.add_noise`."""
        chosen = settings or SensorSettings()
        if not isinstance(points, Tensor):
            felt = sense(points, rgb, on_object, sensor_position, sensor_rotation, chosen)
            return felt if noise is None or key is None else add_noise(felt, noise, key)
        rows, sensors = sensor_position.shape[:2]
        room = points.shape[0]
        poses = np.zeros((room, sensors, EYE))
        poses[:rows, :, :3] = sensor_position
        poses[:rows, :, 3:12] = sensor_rotation.reshape(rows, sensors, 9)
        patches = patches_of(points, rgb, on_object, upload(poses, "float64", self.device, True))
        how = Feeling(chosen, noise if key is not None else None)
        moment = key or RowKey(0, np.zeros(rows, np.int64), np.zeros(rows, np.int64))
        values, _ = self.enqueue(patches, how, moment, room)
        return unpacked(read([values])[0].reshape(room, sensors, -1)[:rows])

    def enqueue(
        self, patches: Patches, how: Feeling, key: RowKey, room: int, memory: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """What `feel` gives, of `room` rows, at least those of the key; memory: None where nobody keeps what
        was passed on. Never waits."""
        if how.settings.normal_method == "total":
            raise ValueError("normal_method 'total' is computed on the host: fetch what is seen first")
        batch, size = patches.points.shape[:2]
        known = blank((batch, MEMORY), "float64", self.device) if memory is None else memory
        draws = draws_of(key, room, self._keys(key.seed), self.device)
        return _program(how)(patches, self._windows(size), draws, known)


#: numbers of a sensor as worlds on a device have them: position, rotation, tangent of half its angle of view
EYE = 13


def patches_of(points: Tensor, rgb: Tensor, on_object: Tensor, eyes: Tensor) -> Patches:
    """What a world shows, points (room, S, P, P, 3), to sensors eyes (room, S, EYE), patch by patch."""
    room, sensors, size = points.shape[:3]
    batch = room * sensors
    return Patches(
        points.reshape(batch, size, size, 3),
        rgb.reshape(batch, size, size, 3),
        on_object.reshape(batch, size, size),
        eyes.reshape(batch, EYE),
    )


def unpacked(values: npt.NDArray[np.float64]) -> Sensation:
    """A `Sensation` from rows of numbers (R, S, COLUMNS)."""
    fields: dict[str, Any] = {}
    for name, shape in FIELDS:
        part = values[..., columns_of(name)].reshape(*values.shape[:2], *shape)
        fields[name] = part > 0.5 if name in FLAGS else np.ascontiguousarray(part)
    return Sensation(**fields)
