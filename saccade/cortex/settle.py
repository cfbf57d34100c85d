"""The pose in which everything that was felt fits an object's model best.

Comes in: all percepts of an episode in the body frame, the model of the object that was recognised, and poses
to begin with (the module's strongest hypotheses). Goes out: poses that differ, the best first, with what each
of them costs.

    surface = ModelSurface.of(nodes, reach=0.0125)
    found = settle(percepts, surface, beginning)
    found.poses[0].rotation, found.poses[0].shift       # object = rotation @ body + shift
    found.margin()                                      # how much more the best other pose costs

Evidence grows step by step, and a hypothesis that was made late has not met what was felt before it. A half
turn of a box explains most steps as well as the truth, and may be the only one left. Here every candidate has
to explain all of it at once: the given poses and these turned about the middle of the model, by parts of a
circle about its own axes and by a net over all rotations. ICP moves them onto a coarse model, the promising
ones onto the whole, and the sum of the truncated squared residuals decides (`settle_loops`): distances from
the surface, normals and colours, each in units of what is usual.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from saccade.cortex.geometry import uniform_rotations
from saccade.cortex.goal_places import cosine_between
from saccade.cortex.model import NodeSet, Observations
from saccade.cortex.settle_loops import costs, each_cost, settled
from saccade.reproducible import apply, cos_sin, cosine_of, eigen_symmetric, linspace, matmul, mean, norm
from saccade.world.symmetry import rotation_about

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

#: what is usual, in parts of the reach: off the surface, and along it to the nearest node
_OFF, _ALONG = 0.25, 0.4
#: of normals (radians) and of colours (of 1)
_TILT, _COLOUR = 0.25, 0.12
#: what hue and saturation count beside brightness: a hue that is off by a tenth is another place in the cone
#: by two thirds of its chroma, where a brightness that is off by a tenth is a tenth
_CHROMA = 0.3
#: what a percept costs that fits nowhere
_MOST = 6.0
#: the coarse model has nodes, and a reach, so many times as far
_COARSE = 3.0
#: rounds of ICP on the coarse model and on the whole, and percepts that are enough for the first
_ROUGH_ROUNDS, _FINE_ROUNDS, _ENOUGH = 6, 8, 60
#: given poses that are turned, poses that are settled on the coarse model and on the whole, and those told
_TURNED, _HOPEFUL, _PROMISING, _TOLD = 2, 64, 16, 8
#: nodes that are tried as places to look at
_TRIED = 400
#: parts of a circle about each axis of the model
_PARTS = 8
#: poses that differ by less, in radians and metres, are one
_SAME_TURN, _SAME_PLACE = 0.2, 0.01


@dataclass(frozen=True)
class Placed:
    """object = rotation (3, 3) @ body + shift (3,), and what all percepts cost then, on average."""

    rotation: Floats
    shift: Floats
    cost: float

    @staticmethod
    def of(rotation: Floats, anchor: Floats, location: Floats) -> Placed:
        """The pose of a hypothesis: body point `anchor` lies at object point `location`."""
        return Placed(np.asarray(rotation, np.float64), location - apply(rotation, anchor), np.inf)


@dataclass(frozen=True)
class Settled:
    """Poses that differ, the best first; `percepts` is how many there were to explain."""

    poses: Sequence[Placed]
    percepts: int

    def margin(self, angle: float) -> float:
        """What all percepts together cost more in the best pose that is turned by more than `angle` radians
        against the first; infinity if none is."""
        rival = self.rival(angle)
        return np.inf if rival is None else (rival.cost - self.poses[0].cost) * self.percepts

    def rival(self, angle: float) -> Placed | None:
        """The best pose that is turned by more than `angle` radians against the first."""
        first = self.poses[0]
        turned = (p for p in self.poses[1:] if cosine_between(first.rotation, p.rotation) < cosine_of(angle))
        return next(turned, None)

    def within(self, margin: float) -> Floats:
        """(K, 3, 3) the rotations of the poses in which all percepts together cost at most so much more than
        in the first."""
        least = self.poses[0].cost
        return np.array(
            [each.rotation for each in self.poses if (each.cost - least) * self.percepts <= margin]
        )


@dataclass(frozen=True)
class Level:
    """Nodes (N, 9) in the cells of a grid: starts (cells + 1), low corner (3,), extent (3,), scales (6,)."""

    nodes: Floats
    starts: Indices
    low: Floats
    extent: Indices
    scales: Floats

    @staticmethod
    def of(points: Floats, reach: float, coloured: bool) -> Level:
        low = points[:, :3].min(axis=0)
        cell = np.floor((points[:, :3] - low) / reach).astype(np.int64)
        extent = cell.max(axis=0) + 1
        number = (cell[:, 0] * extent[1] + cell[:, 1]) * extent[2] + cell[:, 2]
        order = np.argsort(number, kind="stable")
        starts = np.searchsorted(number[order], np.arange(math.prod(extent.tolist()) + 1))
        widths = reach * _OFF, reach * _ALONG, _TILT, _COLOUR
        plane, tangent, normal, colour = (1 / width**2 for width in widths)
        scales = np.array([reach, plane, tangent, 2 * normal, colour if coloured else 0.0, _MOST])
        return Level(np.ascontiguousarray(points[order]), starts, low, extent, scales)

    def told(self, percepts: Floats, poses: Floats) -> Floats:
        """(K,) what percepts (P, 9) cost in poses (K, 12), on average."""
        out = np.empty(len(poses))
        costs(percepts, len(percepts), poses, len(poses), *self._arrays, out)
        return out / max(len(percepts), 1)

    def each(self, percepts: Floats, pose: Floats) -> Floats:
        """(P,) what each of the percepts (P, 9) costs in a pose (12,)."""
        out = np.empty(len(percepts))
        each_cost(percepts, len(percepts), pose, *self._arrays, out)
        return out

    def settled(self, percepts: Floats, poses: Floats, rounds: int, size: float) -> Floats:
        """The poses (K, 12) moved by ICP."""
        moved = poses.copy()
        radius = np.array([size])
        settled(percepts, len(percepts), moved, len(moved), rounds, radius, *self._arrays)
        return moved

    @property
    def _arrays(self) -> tuple[Floats, Indices, Floats, Indices, Floats]:
        return self.nodes, self.starts, self.low, self.extent, self.scales


@dataclass(frozen=True)
class ModelSurface:
    """A model to lay percepts on: as it is, and with fewer nodes; its middle, axes (3, 3) and size."""

    fine: Level
    coarse: Level
    middle: Floats
    axes: Floats
    size: float

    @staticmethod
    def of(nodes: NodeSet, reach: float) -> ModelSurface:
        points = _points(Observations.of(nodes))
        coloured = "hsv" in nodes.features
        middle = mean(points[:, :3], axis=0)
        away = points[:, :3] - middle
        axes = eigen_symmetric(mean(away[:, :, None] * away[:, None, :], axis=0))[1]
        size = max(float(mean(norm(away))), 1e-6)
        few = points[_one_a_cell(points, reach)]
        fine, coarse = Level.of(points, reach, coloured), Level.of(few, _COARSE * reach, coloured)
        return ModelSurface(fine, coarse, middle, axes, size)


def settle(
    felt: Observations, surface: ModelSurface, beginning: Sequence[Placed], before: Settled | None = None
) -> Settled:
    """The poses that explain what was felt best, from some to begin with. `before`: what was found from part
    of the percepts; then its poses are settled again and no others are looked for."""
    percepts = _points(felt)
    given = np.array([_packed(each) for each in beginning]).reshape(-1, 12)
    if not len(percepts) or not len(given):
        return Settled(list(beginning), len(percepts))
    cost = surface.fine.told(percepts, given)
    best = _distinct(given[np.argsort(cost, kind="stable")], _TURNED)
    if before is None:
        others = _searched(percepts, surface, best)
    else:
        others = np.array([_packed(each) for each in before.poses]).reshape(-1, 12)
    candidates = np.concatenate([best, others])
    placed = np.concatenate([best, surface.fine.settled(percepts, candidates, _FINE_ROUNDS, surface.size)])
    cost = surface.fine.told(percepts, placed)
    chosen = _distinct(placed[np.argsort(cost, kind="stable")], _TOLD)
    cost = surface.fine.told(percepts, chosen)
    poses = [Placed(pose[:9].reshape(3, 3), pose[9:], float(each)) for pose, each in zip(chosen, cost)]
    return Settled(poses, len(percepts))


def _searched(percepts: Floats, surface: ModelSurface, best: Floats) -> Floats:
    """The turns of poses (K, 12) in which some of the percepts fit a coarse model best."""
    some = percepts[linspace(0, len(percepts) - 1, min(len(percepts), _ENOUGH)).astype(np.int64)]
    turned = np.concatenate([_turned(pose, surface) for pose in best])
    hopeful = np.argsort(surface.coarse.told(some, turned), kind="stable")[:_HOPEFUL]
    rough = surface.coarse.settled(some, turned[hopeful], _ROUGH_ROUNDS, surface.size)
    return _distinct(rough[np.argsort(surface.coarse.told(some, rough), kind="stable")], _PROMISING)


def telling(surface: ModelSurface, first: Placed, second: Placed) -> tuple[Floats, Floats]:
    """Where two poses of one model differ most, in place or colour: the node that costs most as a percept of
    the other pose, as a place (3,) and a normal (3,) in the body frame."""
    nodes = surface.fine.nodes[:: max(1, len(surface.fine.nodes) // _TRIED)]
    best = -1.0, np.zeros(3), np.zeros(3)
    for own, other in ((first, second), (second, first)):
        # nodes as percepts: to the body frame by one pose, and by the other back
        back = own.rotation.T
        places, normals = apply(back, nodes[:, :3] - own.shift), apply(back, nodes[:, 3:6])
        percepts = np.ascontiguousarray(np.concatenate([places, normals, nodes[:, 6:]], axis=1))
        costly = surface.fine.each(percepts, _packed(other))
        worst = int(np.argmax(costly))
        if costly[worst] > best[0]:
            best = float(costly[worst]), places[worst], normals[worst]
    return best[1], best[2]


def _points(felt: Observations) -> Floats:
    """(n, 9) position, normal and place in the cone of colours, where greys have no hue."""
    colours = np.zeros((len(felt), 3))
    if "hsv" in felt.features:
        hue, saturation, value = np.asarray(felt.features["hsv"], np.float64).T
        chroma, (cosine, sine) = _CHROMA * saturation * value, cos_sin(2 * np.pi * hue)
        colours = np.stack([chroma * cosine, chroma * sine, value], axis=1)
    parts = [felt.locations, felt.pose_vectors[:, 0], colours]
    return np.ascontiguousarray(np.concatenate([np.asarray(part, np.float64) for part in parts], axis=1))


def _one_a_cell(points: Floats, cell: float) -> Indices:
    """The first point of each cell of a grid that faces each of the six ways."""
    facing = np.argmax(np.abs(points[:, 3:6]), axis=1)
    side = 2 * facing + (points[np.arange(len(points)), 3 + facing] > 0)
    cells = np.column_stack([np.floor(points[:, :3] / cell).astype(np.int64), side])
    return np.sort(np.unique(cells, axis=0, return_index=True)[1])


@cache
def _net() -> Floats:
    return np.asarray(uniform_rotations(), np.float64)


def _turned(pose: Floats, surface: ModelSurface) -> Floats:
    """A pose (12,), and the same turned about the middle of the model in many ways, (K, 12)."""
    parts = [
        rotation_about(axis, 2 * np.pi * k / _PARTS) for axis in surface.axes.T for k in range(1, _PARTS)
    ]
    turns = np.concatenate([np.eye(3)[None], np.array(parts), _net()])
    rotation = matmul(turns, pose[:9].reshape(3, 3))
    shift = apply(turns, pose[9:] - surface.middle) + surface.middle
    return np.concatenate([rotation.reshape(-1, 9), shift], axis=1)


def _packed(placed: Placed) -> Floats:
    return np.concatenate([placed.rotation.reshape(9), placed.shift])


def _distinct(poses: Floats, most: int) -> Floats:
    """The first of the poses (K, 12) that differ from all before them, at most so many."""
    kept: list[Floats] = []
    for pose in poses:
        turn = pose[:9].reshape(3, 3)
        origin = -apply(turn.T, pose[9:])
        for other in kept:
            known = other[:9].reshape(3, 3)
            near = norm(origin + apply(known.T, other[9:])) < _SAME_PLACE
            if near and cosine_between(turn, known) > cosine_of(_SAME_TURN):
                break
        else:
            kept.append(pose)
            if len(kept) == most:
                break
    return np.array(kept).reshape(-1, 12)
