"""The surface of an object's model, to lay percepts on: its nodes in the cells of a grid, fine and coarse.

Comes in: what modules know of an object, and a reach. Goes out: two levels of nodes with what percepts cost
there (`settle_loops`), the cells that may not lie in free space, and the turns of it that are tried.

    surface = ModelSurface.of([nodes], reach=0.0125)
    surface.fine.told(percepts_of(felt), poses)         # (K,) what all of it costs in each pose
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.free_space import Shell
from saccade.cortex.fitting.pose_loops import list_near, order_sums
from saccade.cortex.fitting.settle_loops import LANES, costs, count_costly, each_cost, own_costs, settled
from saccade.cortex.geometry import uniform_rotations
from saccade.cortex.hypotheses.neighbours import EDGE_SHARE, VoxelTable
from saccade.cortex.models.model import NodeSet, Observations
from saccade.reproducible import apply, cos_sin, dot, eigen_symmetric, mean, norm, total
from saccade.world.symmetry.symmetry import rotation_about

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

#: what is usual, in parts of the reach: off the surface, and along it to the nearest node
_OFF, ALONG = 0.25, 0.4
#: of normals (radians) and of colours (of 1)
_TILT, _COLOUR = 0.25, 0.12
#: what hue and saturation count beside brightness: a hue that is off by a tenth is another place in the cone
#: by two thirds of its chroma, where a brightness that is off by a tenth is a tenth
_CHROMA = 0.3
#: what a percept costs that fits nowhere
MOST = 6.0
#: what a percept may cost below 0: normals are of unit length to single precision
_LESS_THAN_NOTHING = 1e-3
#: the coarse model has nodes, and a reach, so many times as far
_COARSE = 3.0
#: edge of the cells of its shell, in parts of the reach: that between the nodes of a model
_CELL = 0.4
#: parts of a circle about each axis of the model, and small ones
_PARTS, _SMALL_PARTS = 8, 72
#: nodes of which it is asked what they cost on the rest of their model, or in another pose
_ASKED = 400
#: nodes within so many parts of the reach show the same place
PLACE = 0.5


@dataclass(frozen=True)
class Level:
    """Nodes (N, 9) in the cells of a grid: starts (cells + 1), low corner (3,), extent (3,), scales (6,).
    columns (9, M): the nodes as loops read them, number by number, in groups of LANES; boxes (12, G) of the
    groups."""

    nodes: Floats
    columns: Floats
    boxes: Floats
    starts: Indices
    low: Floats
    extent: Indices
    scales: Floats

    @staticmethod
    def of(points: Floats, reach: float, coloured: bool) -> Level:
        low = points[:, :3].min(axis=0)
        within = (points[:, :3] - low) / reach
        cell = np.floor(within).astype(np.int64)
        extent = cell.max(axis=0) + 1
        number = (cell[:, 0] * extent[1] + cell[:, 1]) * extent[2] + cell[:, 2]
        widths = reach * _OFF, reach * ALONG, _TILT, _COLOUR
        plane, tangent, normal, colour = (1 / width**2 for width in widths)
        scales = np.array([reach, plane, tangent, 2 * normal, colour if coloured else 0.0, MOST])
        # groups of what faces one way and lies in one octant of a cell have small boxes
        half = np.floor(2 * within).astype(np.int64) % 2
        order = np.lexsort([half[:, 2], half[:, 1], half[:, 0], _side(points), number])
        starts, places = _placed(number[order], extent.tolist())
        columns = np.full((9, int(starts[-1])), np.nan)
        columns[:, places] = points[order].T
        nodes = np.ascontiguousarray(points[np.argsort(number, kind="stable")])
        return Level(nodes, columns, _boxes(columns), starts, low, extent, scales)

    def told(self, percepts: Floats, poses: Floats, most: int = 0, limit: float = np.inf) -> Floats:
        """(K,) what percepts (P, 9) cost in poses (K, 12), on average. With `most` only so many are wanted
        that cost least; others may cost more than is told, which is more than these. The same of those that
        cost more than `limit`."""
        out, count = np.empty(len(poses)), max(len(percepts), 1)
        least = np.empty(max(most, 1))
        whole = (limit + _LESS_THAN_NOTHING) * count
        costs(percepts, len(percepts), poses, len(poses), *self.arrays, least, most, whole, out)
        return out / count

    def each(self, percepts: Floats, pose: Floats) -> Floats:
        """(P,) what each of the percepts (P, 9) costs in a pose (12,)."""
        out = np.empty(len(percepts))
        each_cost(percepts, len(percepts), pose, *self.arrays, out)
        return out

    def parts(self, percepts: Floats, pose: Floats) -> Floats:
        """(P, 3) the same by what it is due to: distance, normal and colour, at the node that costs least of
        those near enough. What costs the most or more costs the most, in the same parts; without a node it is
        all due to the distance."""
        turn, places, normals = pose[:9].reshape(3, 3), self.nodes[:, :3], self.nodes[:, 3:6]
        felt, facing = apply(turn, percepts[:, :3]) + pose[9:], apply(turn, percepts[:, 3:6])
        out = np.zeros((len(percepts), 3))
        out[:, 0] = MOST
        for number, (place, normal) in enumerate(zip(felt, facing)):
            away, off = place - places, percepts[number, 6:] - self.nodes[:, 6:]
            plane = dot(away, normals) ** 2
            each = plane * self.scales[1] + (dot(away, away) - plane) * self.scales[2]
            near = np.flatnonzero(each < MOST)
            if len(near):
                tilt, colour = 1.0 - dot(normals[near], normal), dot(off[near], off[near])
                costs = np.stack([each[near], tilt * self.scales[3], colour * self.scales[4]], axis=1)
                whole = total(costs)
                best = int(np.argmin(whole))
                out[number] = costs[best] * (MOST / max(float(whole[best]), MOST))
        return out

    def settled(self, percepts: Floats, poses: Floats, rounds: int, size: float) -> Floats:
        """The poses (K, 12) moved by ICP."""
        moved = poses.copy()
        radius = np.array([size])
        settled(percepts, len(percepts), moved, len(moved), rounds, radius, *self.arrays)
        return moved

    @cached_property
    def own_strangers(self) -> float:
        """The share of nodes that are strangers to the rest of their own model (`strangers`): nodes lie a few
        millimetres apart, and what was learned has holes."""
        asked = np.arange(0, len(self.nodes), max(1, len(self.nodes) // _ASKED))
        cost = np.empty(len(asked))
        own_costs(self.nodes, len(self.nodes), asked, len(asked), self.scales, cost)
        return self.strangers(cost)

    def strangers(self, cost: Floats) -> float:
        """The share of some costs that are nearer to the most than to nothing."""
        return float(np.count_nonzero(cost > 0.5 * self.scales[5]) / len(cost))

    def count_strangers(self, percepts: Floats, pose: Floats, scale: float, most: int) -> int:
        """How many of the percepts (P, 9) are such in a pose (12,), where most cost `scale` at most; no more
        than one more than `most` are counted."""
        told, count = np.zeros(1, np.int64), len(percepts)
        apart = next(each for each in (37, 41, 43, 47, 53, 1) if count % each or each == 1)
        costly = (0.5 * scale, most, told)
        count_costly(percepts, count, apart, pose, *self.arrays, *costly)
        return int(told[0])

    @cached_property
    def voxels(self) -> VoxelTable:
        """The nodes that can cost less than the most anywhere in each voxel: no normal or colour makes up for
        the way there. For programs, which read lists where loops walk cells."""
        reach = float(self.scales[0])
        return VoxelTable.build(self.nodes[:, :3], math.sqrt(MOST) * ALONG * reach, EDGE_SHARE * reach)

    @property
    def arrays(self) -> tuple[Floats, int, Floats, int, Indices, Floats, Indices, Floats]:
        """The nodes as loops take them."""
        nodes, boxes = (self.columns, self.columns.shape[1]), (self.boxes, self.boxes.shape[1])
        return *nodes, *boxes, self.starts, self.low, self.extent, self.scales


@dataclass(frozen=True)
class ModelSurface:
    """A model to lay percepts on: as it is, and with fewer nodes; what may not lie in free space; its middle
    (3,) and axes (3, 3), the turns (K, 3, 3) about it that are tried, and its size."""

    fine: Level
    coarse: Level
    shell: Shell
    middle: Floats
    axes: Floats
    turns: Floats
    size: float

    @cached_property
    def small_turns(self) -> Floats:
        """(K, 3, 3) turns about each axis by small parts of a circle."""
        return _about(self.axes, _SMALL_PARTS, range(1, _SMALL_PARTS))

    @cached_property
    def near_turns(self) -> Floats:
        """(K, 3, 3) turns about each axis that stay between those of the net."""
        return _about(self.axes, _SMALL_PARTS, (-4, -2, 2, 4))

    @cached_property
    def some(self) -> Floats:
        """(K, 9) nodes from all over it."""
        nodes = self.fine.nodes
        return np.ascontiguousarray(nodes[:: max(1, len(nodes) // _ASKED)])

    @cached_property
    def near(self) -> tuple[Indices, Indices, Indices, Indices]:
        """Which of these nodes show the same place, which no pose changes, and in which order what is told of
        them is added up: as `pose_loops.mean_around` takes it."""
        count, reach = len(self.some), PLACE * float(self.fine.scales[0])
        counts, nothing = np.zeros(count + 1, np.int64), np.zeros(0, np.int64)
        list_near(self.some, count, reach**2, 0, counts, nothing)
        starts = np.cumsum(counts)
        listed, room = np.empty(int(starts[-1]), np.int64), starts.copy()
        list_near(self.some, count, reach**2, 1, room, listed)
        onto, added = (np.empty(len(listed) - count, np.int64) for _ in range(2))  # all but the first of each
        order_sums(starts, listed, count, np.empty(count, np.int64), onto, added)
        return starts, listed, onto, added

    @staticmethod
    def of(known: Sequence[NodeSet], reach: float) -> ModelSurface:
        """The surface that the models of one object make up, those of several modules: what one of them never
        felt another may have. Where several have felt the same, the first counts."""
        points = np.concatenate([percepts_of(Observations.of(nodes)) for nodes in known])
        if len(known) > 1:
            points = points[_one_a_cell(points, _CELL * reach)]
        return ModelSurface.of_points(points, reach, all("hsv" in nodes.features for nodes in known))

    @staticmethod
    def of_points(points: Floats, reach: float, coloured: bool) -> ModelSurface:
        """The surface of points (N, 9): position, normal and colour, if that counts."""
        middle = mean(points[:, :3], axis=0)
        away = points[:, :3] - middle
        axes = eigen_symmetric(mean(away[:, :, None] * away[:, None, :], axis=0))[1]
        size = max(float(mean(norm(away))), 1e-6)
        few = points[_one_a_cell(points, reach)]
        fine, coarse = Level.of(points, reach, coloured), Level.of(few, _COARSE * reach, coloured)
        shell = Shell.of(points, _CELL * reach)
        return ModelSurface(fine, coarse, shell, middle, axes, _turns(axes), size)


def percepts_of(felt: Observations) -> Floats:
    """(n, 9) position, normal and place in the cone of colours."""
    return percepts_in(felt.locations, felt.pose_vectors[:, 0], felt.features.get("hsv"))


def percepts_in(locations: Floats, normals: Floats, hsv: Floats | None) -> Floats:
    """(..., 9) of arrays (..., 3): position, normal and place in the cone of colours, where greys have no
    hue; without colours all are one."""
    colours = np.zeros(locations.shape)
    if hsv is not None:
        hue, saturation, value = np.moveaxis(np.asarray(hsv, np.float64), -1, 0)
        chroma, (cosine, sine) = _CHROMA * saturation * value, cos_sin(2 * np.pi * hue)
        colours = np.stack([chroma * cosine, chroma * sine, value], axis=-1)
    parts = [locations, normals, colours]
    return np.ascontiguousarray(np.concatenate([np.asarray(part, np.float64) for part in parts], axis=-1))


def _side(points: Floats) -> Indices:
    """(N,) which of the six ways the normals of points (N, 9) face."""
    facing = np.argmax(np.abs(points[:, 3:6]), axis=1)
    return np.asarray(2 * facing + (points[np.arange(len(points)), 3 + facing] > 0), np.int64)


def _placed(number: Indices, extent: Sequence[int]) -> tuple[Indices, Indices]:
    """Where each cell of a grid begins, and each of the nodes in cells of these numbers (N,), which do not
    fall: every column of cells begins with a group."""
    counts = np.bincount(number, minlength=math.prod(extent)).reshape(-1, extent[2])
    upto = np.cumsum(counts, axis=1)
    groups = -(-upto[:, -1] // LANES)
    begin = LANES * np.append(0, np.cumsum(groups))
    starts = np.append(begin[:-1, None] + upto - counts, begin[-1])
    return starts, starts[number] + np.arange(len(number)) - np.searchsorted(number, number)


def _boxes(columns: Floats) -> Floats:
    """(12, G + LANES) the boxes of groups of nodes (9, LANES G); behind the last are none, which are read but
    not used."""
    groups = columns[:6].reshape(6, -1, LANES)
    least, most = np.nanmin(groups, axis=2), np.nanmax(groups, axis=2)
    boxes = np.concatenate([least[:3], most[:3], least[3:], most[3:]])
    return np.pad(boxes, [(0, 0), (0, LANES)])


def _one_a_cell(points: Floats, cell: float) -> Indices:
    """The first point of each cell of a grid that faces each of the six ways."""
    cells = np.column_stack([np.floor(points[:, :3] / cell).astype(np.int64), _side(points)])
    return np.sort(np.unique(cells, axis=0, return_index=True)[1])


@cache
def _net() -> Floats:
    return np.asarray(uniform_rotations(), np.float64)


def _turns(axes: Floats) -> Floats:
    """(K, 3, 3) no turn, parts of a circle about each of the axes (3, 3), and a net over all rotations."""
    return np.concatenate([np.eye(3)[None], _about(axes, _PARTS, range(1, _PARTS)), _net()])


def _about(axes: Floats, parts: int, chosen: Iterable[int]) -> Floats:
    """(K, 3, 3) turns about each of the axes (3, 3) by so many parts of a circle."""
    angles = np.array([2 * np.pi * k / parts for k in chosen])
    return rotation_about(axes.T[:, None], angles).reshape(-1, 3, 3)
