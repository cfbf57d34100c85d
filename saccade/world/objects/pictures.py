"""Flat pictures made by code: small, coloured, and no two alike, for experiments in two dimensions.

    pictures = builtin_pictures()                       # all
    pictures = builtin_pictures(("sunset", "face"))     # some, in that order

Coordinates run from -1 to 1, x to the right and y up. None looks the same after a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from saccade.reproducible import hypot
from saccade.world.images import Picture

Array = npt.NDArray[np.float64]
PIXELS = 96


class Canvas:
    """A square picture in the making."""

    def __init__(self, color: tuple[float, float, float]) -> None:
        steps = (2 * np.arange(PIXELS) + 1) / PIXELS - 1
        self.x, self.y = np.meshgrid(steps, -steps)
        self.rgb: Array = np.ones((PIXELS, PIXELS, 3)) * np.asarray(color)

    def paint(self, where: npt.NDArray[np.bool_], color: tuple[float, float, float]) -> None:
        self.rgb[where] = color

    def disc(self, x: float, y: float, radius: float) -> npt.NDArray[np.bool_]:
        return np.asarray(hypot(self.x - x, self.y - y) <= radius)

    def box(self, left: float, bottom: float, right: float, top: float) -> npt.NDArray[np.bool_]:
        return np.asarray((self.x >= left) & (self.x <= right) & (self.y >= bottom) & (self.y <= top))


def sunset() -> Array:
    """An orange sun left over a blue sea."""
    canvas = Canvas((0.95, 0.6, 0.25))
    canvas.paint(canvas.y > 0.5, (0.75, 0.25, 0.35))
    canvas.paint(canvas.disc(-0.4, 0.1, 0.35), (0.95, 0.95, 0.3))
    canvas.paint(canvas.y < -0.2, (0.1, 0.25, 0.6))
    canvas.paint(canvas.box(-0.6, -0.9, -0.2, -0.2), (0.6, 0.55, 0.35))
    return canvas.rgb


def house() -> Array:
    """A red house with a green door on its left."""
    canvas = Canvas((0.5, 0.75, 0.95))
    canvas.paint(canvas.y < -0.6, (0.25, 0.55, 0.2))
    canvas.paint(canvas.box(-0.5, -0.6, 0.6, 0.1), (0.75, 0.2, 0.15))
    canvas.paint((canvas.y > 0.1) & (np.abs(canvas.x - 0.05) < 0.75 - canvas.y), (0.35, 0.2, 0.12))
    canvas.paint(canvas.box(-0.35, -0.6, -0.05, -0.1), (0.1, 0.4, 0.15))
    canvas.paint(canvas.box(0.15, -0.35, 0.45, -0.05), (0.95, 0.9, 0.5))
    return canvas.rgb


def face() -> Array:
    """A yellow face with unequal eyes."""
    canvas = Canvas((0.85, 0.85, 0.9))
    canvas.paint(canvas.disc(0, 0, 0.9), (0.95, 0.8, 0.2))
    canvas.paint(canvas.disc(-0.35, 0.3, 0.18), (0.1, 0.2, 0.5))
    canvas.paint(canvas.disc(0.35, 0.3, 0.26), (0.1, 0.45, 0.25))
    mouth = canvas.disc(0, -0.2, 0.5) & (canvas.y < -0.25)
    canvas.paint(mouth, (0.7, 0.1, 0.15))
    return canvas.rgb


def flag() -> Array:
    """Three bars, a disc in the corner."""
    canvas = Canvas((0.9, 0.9, 0.9))
    canvas.paint(canvas.y > 0.33, (0.1, 0.5, 0.3))
    canvas.paint(canvas.y < -0.33, (0.8, 0.15, 0.1))
    canvas.paint(canvas.box(-1, -1, -0.3, 1), (0.15, 0.15, 0.4))
    canvas.paint(canvas.disc(-0.65, 0.6, 0.25), (0.95, 0.85, 0.1))
    return canvas.rgb


def fish() -> Array:
    """A purple fish that swims to the right."""
    canvas = Canvas((0.2, 0.6, 0.75))
    body = np.square((canvas.x - 0.1) / 0.65) + np.square(canvas.y / 0.4) <= 1
    canvas.paint((canvas.x < -0.35) & (np.abs(canvas.y) < -0.35 - canvas.x), (0.9, 0.45, 0.1))
    canvas.paint(body, (0.55, 0.2, 0.6))
    canvas.paint(body & (np.abs(canvas.x - 0.1) < 0.12), (0.95, 0.85, 0.3))
    canvas.paint(canvas.disc(0.5, 0.12, 0.1), (0.05, 0.05, 0.1))
    canvas.paint(canvas.y < -0.75, (0.75, 0.65, 0.4))
    return canvas.rgb


def target() -> Array:
    """Rings, with a wedge of another colour."""
    canvas = Canvas((0.3, 0.3, 0.32))
    for radius, color in (
        (0.95, (0.9, 0.9, 0.92)),
        (0.7, (0.1, 0.3, 0.7)),
        (0.45, (0.8, 0.1, 0.1)),
        (0.2, (0.9, 0.8, 0.1)),
    ):
        canvas.paint(canvas.disc(0, 0, radius), color)
    canvas.paint((np.abs(canvas.y) < 0.4 * canvas.x) & canvas.disc(0, 0, 0.95), (0.1, 0.6, 0.25))
    return canvas.rgb


MAKERS: dict[str, Callable[[], Array]] = {
    "sunset": sunset,
    "house": house,
    "face": face,
    "flag": flag,
    "fish": fish,
    "target": target,
}
PICTURES = tuple(MAKERS)


def builtin_pictures(names: Sequence[str] = PICTURES, width: float = 0.1) -> list[Picture]:
    """The named pictures, or all, in order, each `width` metres wide."""
    return [Picture(name, MAKERS[name](), width) for name in names]
