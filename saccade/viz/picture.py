"""An episode's last step as one drawing, for reports: the object as it stands, where the sensors were, and
the ghost of what the first module believed.

    episode_picture(run, "eval-000003")         # SVG text

The drawing has no scripts and no addresses. A mesh of many faces is simplified by vertex clustering; faces
are drawn from far to near (painter's algorithm), seen as the page shows them first.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from saccade.experiment.errors import RunError
from saccade.reproducible import norm

if TYPE_CHECKING:
    from saccade.viz.views.minds import RunView

Floats = npt.NDArray[np.float64]

WIDE: Final = 420
HIGH: Final = 300
#: Faces and points of the model that are drawn, and cells along the longest edge where there are more.
MOST_FACES: Final = 1_600
MOST_POINTS: Final = 260
_CELLS: Final = 22
_EYE: Final = np.array([0.5, 0.45, 1.0])


def episode_picture(run: RunView, name: str) -> str:
    """The picture of an episode; RunError where it has no trace."""
    episode = run.episode(name)
    step = episode["steps_traced"] - 1
    rotation = np.array(episode["rotation"])
    paths = [_known([at[sensor] for at in episode["sensed"]]) for sensor in range(len(episode["modules"]))]
    faces, colours = _thing(run, episode["object"], rotation)
    ghost, believed = _ghost(run, episode, step)
    drawing = _Drawing([faces.reshape(-1, 3), ghost, *paths])
    drawing.faces(faces, colours)
    drawing.dots(ghost, 2.2, "#2f6db0", 0.75)
    for sensor, path in enumerate(paths):
        tint = "#c8642a" if len(paths) == 1 else f"hsl({(sensor * 67 + 20) % 360},75%,50%)"
        drawing.path(path, tint)
        drawing.dots(path[-1:], 4.5, tint, 1.0)
    verdict = "recognised" if episode["correct"] else f"taken for {episode['detected'] or 'nothing'}"
    title = f"{name}: {episode['object']}, {verdict}"
    told = f"where sensors were; blue: {believed or 'nothing'} as it was believed to stand"
    return drawing.svg(title, told)


def _known(points: list[Any]) -> Floats:
    return np.array([p for p in points if None not in p], np.float64).reshape(-1, 3)


def _thing(run: RunView, name: str, rotation: Floats) -> tuple[Floats, Floats]:
    """Corners of faces (F, 3, 3) as the object stands, and colours (F, 3); none where its world is gone."""
    try:
        mesh = run.mesh(name)
    except (RunError, OSError, ValueError):
        return np.zeros((0, 3, 3)), np.zeros((0, 3))
    vertices, faces = np.array(mesh["vertices"], np.float64), np.array(mesh["faces"], np.int64)
    colours = np.array(mesh["colors"], np.float64)
    if len(faces) > MOST_FACES:
        vertices, faces, colours = _clustered(vertices, faces, colours)
    return (vertices @ rotation.T)[faces.reshape(-1, 3)], colours.reshape(-1, 3)


def _clustered(
    vertices: Floats, faces: npt.NDArray[np.int64], colours: Floats
) -> tuple[Floats, npt.NDArray[np.int64], Floats]:
    """Vertices of a cell become their mean; faces within a cell go, and of equal ones all but one."""
    low = vertices.min(axis=0)
    cell = max(float((vertices.max(axis=0) - low).max()) / _CELLS, 1e-9)
    keys = np.floor((vertices - low) / cell).astype(np.int64)
    _, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    means = np.stack([np.bincount(inverse, vertices[:, axis]) for axis in range(3)], axis=1) / counts[:, None]
    made = inverse[faces]
    whole = (made[:, 0] != made[:, 1]) & (made[:, 1] != made[:, 2]) & (made[:, 0] != made[:, 2])
    _, first = np.unique(np.sort(made[whole], axis=1), axis=0, return_index=True)
    kept = np.flatnonzero(whole)[first]
    return means, made[kept], colours[kept]


def _ghost(run: RunView, episode: dict[str, Any], step: int) -> tuple[Floats, str]:
    """The points (P, 3) of the believed model where it is believed to lie, and its name."""
    best = episode["module_best"][step][0]
    turn, location = episode["module_rotation"][step][0], episode["module_location"][step][0]
    sensed = episode["sensed"][step][0]
    if best < 0 or any(None in values for values in (*turn, location, sensed)):
        return np.zeros((0, 3)), ""
    name = episode["objects"][best]
    try:
        points = np.array(run.model(name)["points"], np.float64).reshape(-1, 3)
    except (RunError, OSError):
        return np.zeros((0, 3)), name
    chosen = points[:: max(1, len(points) // MOST_POINTS)]
    back = np.array(turn).T  # body to object, the other way
    return (chosen - np.array(location)) @ back.T + np.array(sensed), name


class _Drawing:
    """Points of the world, seen from one side without perspective, on a sheet."""

    def __init__(self, everything: list[Floats]) -> None:
        towards = _EYE / norm(_EYE)
        right = np.cross([0.0, 1.0, 0.0], towards)
        right /= norm(right)
        self._axes = np.stack([right, np.cross(towards, right), towards])
        flat = np.concatenate([np.zeros((1, 3)), *everything]) @ self._axes.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        self._scale = 0.88 * min(WIDE / max(high[0] - low[0], 1e-6), HIGH / max(high[1] - low[1], 1e-6))
        self._middle = (low + high) / 2
        self._parts: list[str] = []

    def _seen(self, points: Floats) -> Floats:
        """(..., 3): right and down in pixels, and how near."""
        flat = (points @ self._axes.T - self._middle) * self._scale
        return np.asarray(flat * [1.0, -1.0, 1.0] + [WIDE / 2, HIGH / 2, 0.0])

    def faces(self, corners: Floats, colours: Floats) -> None:
        seen = self._seen(corners)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.maximum(norm(normals), 1e-12)
        facing = np.abs(normals @ self._axes[2]) / length
        shades = np.clip((0.45 + 0.55 * facing)[:, None] * colours * 0.75 + 0.25, 0.0, 1.0)
        for place in np.argsort(seen[..., 2].mean(axis=1), kind="stable"):
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in seen[place])
            tint = "#" + "".join(f"{round(value * 255):02x}" for value in shades[place])
            self._parts.append(f'<polygon points="{points}" fill="{tint}" fill-opacity="0.75"/>')

    def dots(self, points: Floats, size: float, tint: str, opacity: float) -> None:
        for x, y, _ in self._seen(points):
            self._parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{tint}" fill-opacity="{opacity}"/>'
            )

    def path(self, points: Floats, tint: str) -> None:
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in self._seen(points))
        self._parts.append(f'<polyline points="{told}" fill="none" stroke="{tint}" stroke-width="1.4"/>')

    def svg(self, title: str, told: str) -> str:
        text = 'font-family="sans-serif" fill="#1b1f24"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH + 44}" role="img">'
        words = f'<text x="8" y="16" font-size="13" {text}>{escape(title)}</text>'
        below = f'<text x="8" y="{HIGH + 36}" font-size="11" {text}>{escape(told)}</text>'
        body = f'<g transform="translate(0 20)">{"".join(self._parts)}</g>'
        return f"{head}<title>{escape(title)}</title>{words}{body}{below}</svg>"
