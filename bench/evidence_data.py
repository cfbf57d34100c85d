"""The workload of the hypothesis benchmark: coloured super-ellipsoids and a noisy walk over one of them.

The walk is realistic on purpose: the share of hypotheses with a node in reach decides how much work there
is, so all contenders get the same models and the same percepts, made here from a seed.

    in   numbers of objects and nodes, steps, seed
    out  Workload: models as arrays (O, N, ...) and percepts as arrays (T, ...)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
CHANNEL = "patch"


@dataclass(frozen=True)
class Workload:
    """Models: positions (O, N, 3), vectors (O, N, 3, 3), flags (O, N), hsv (O, N, 3), curvatures (O, N, 2).
    Percepts: location (T, 3), pose (T, 3, 3), felt_hsv (T, 3), felt_curvatures (T, 2)."""

    positions: Floats
    vectors: Floats
    flags: npt.NDArray[np.bool_]
    hsv: Floats
    curvatures: Floats
    location: Floats
    pose: Floats
    felt_hsv: Floats
    felt_curvatures: Floats

    def save(self, path: str) -> None:
        np.savez(path, **self.__dict__)

    @staticmethod
    def load(path: str) -> Workload:
        with np.load(path) as file:
            return Workload(**{name: file[name] for name in file.files})


def _rotation(rng: np.random.Generator) -> Floats:
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return np.asarray(q * np.sign(np.linalg.det(q)))


def _object(rng: np.random.Generator, nodes: int) -> tuple[Floats, ...]:
    """Points spread evenly over a closed super-ellipsoid of 4 to 16 cm, with normals, directions and
    colours.
    """
    radii, power = rng.uniform(0.02, 0.08, size=3), rng.uniform(1.6, 4.0)
    unit = rng.normal(size=(nodes * 4, 3))
    scale = (np.abs(unit / radii) ** power).sum(axis=1) ** (-1 / power)
    points = unit * scale[:, None]
    normals = np.sign(points) * np.abs(points / radii) ** (power - 1) / radii
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    # directions are sampled evenly, so dense spots are thinned to even out the surface
    area = scale**2 / np.abs((unit / np.linalg.norm(unit, axis=1, keepdims=True) * normals).sum(axis=1))
    area *= np.linalg.norm(unit, axis=1) ** 2
    kept = rng.choice(len(points), nodes, replace=False, p=area / area.sum())
    points, normals = points[kept], normals[kept]
    first = np.cross(normals, rng.normal(size=3))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    vectors = np.stack([normals, first, np.cross(normals, first)], axis=1)
    wave = rng.normal(size=(3, 3)) * 40
    hsv = 0.5 + 0.5 * np.sin(points @ wave.T)
    curvatures = np.stack(
        [np.log1p(1 / radii.min()) * normals[:, 0], np.log1p(1 / radii.max()) * normals[:, 1]], axis=1
    )
    return points, vectors, hsv, curvatures


def make_workload(objects: int, nodes: int, steps: int, seed: int = 0) -> Workload:
    """`objects` models and `steps` percepts of a walk over the first one, which stands turned and shifted."""
    rng = np.random.default_rng(seed)
    made = [_object(rng, nodes) for _ in range(objects)]
    positions, vectors, hsv, curvatures = (np.stack([part[i] for part in made]) for i in range(4))
    turn, shift = _rotation(rng), rng.normal(size=3)
    at, path = 0, []
    for _ in range(steps):
        away = np.linalg.norm(positions[0] - positions[0, at], axis=1)
        # steps of 1 to 2.5 cm, as moving sensors make between percepts; in a sparse model the shortest
        near = np.flatnonzero((away > 0.01) & (away < 0.025))
        at = int(rng.choice(near)) if len(near) else int(np.argsort(away)[1])
        path.append(at)
    tilt = [_small_rotation(rng, np.radians(2)) for _ in path]
    return Workload(
        positions=positions.astype(np.float32).astype(np.float64),
        vectors=vectors.astype(np.float32).astype(np.float64),
        flags=rng.random((objects, nodes)) < 0.9,
        hsv=hsv.astype(np.float32).astype(np.float64),
        curvatures=curvatures.astype(np.float32).astype(np.float64),
        location=positions[0, path] @ turn.T + shift + rng.normal(size=(steps, 3)) * 0.002,
        pose=np.stack([vectors[0, n] @ turn.T @ t.T for n, t in zip(path, tilt, strict=True)]),
        felt_hsv=hsv[0, path] + rng.normal(size=(steps, 3)) * 0.1,
        felt_curvatures=curvatures[0, path] + rng.normal(size=(steps, 2)) * 0.1,
    )


def _small_rotation(rng: np.random.Generator, sigma: float) -> Floats:
    x, y, z = rng.normal(size=3) * sigma
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    q, r = np.linalg.qr(np.eye(3) + skew)
    return np.asarray(q * np.sign(np.diag(r)))
