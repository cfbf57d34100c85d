"""The pose in which everything that was felt fits an object's model best.

Comes in: all percepts of an episode in the body frame, the model of the object that was recognised, and poses
to begin with (the module's strongest hypotheses). Goes out: poses that differ, the best first, with what each
of them costs.

    surface = ModelSurface.of([nodes], reach=0.0125)
    found = settle(percepts_of(felt), surface, packed(rotations, anchor, locations))
    found.poses[0].rotation, found.poses[0].shift       # object = rotation @ body + shift
    found.margin()                                      # how much more the best other pose costs

Evidence grows step by step, and a hypothesis that was made late has not met what was felt before it. A half
turn of a box explains most steps as well as the truth, and may be the only one left. Here every candidate has
to explain all of it at once: the given poses and these turned about the middle of the model, by parts of a
circle about its own axes and by a net over all rotations. ICP moves them onto a coarse model, the promising
ones onto the whole, and the sum of the truncated squared residuals decides (`settle_loops`): distances from
the surface, normals and colours, each in units of what is usual. Some of the percepts are enough to move a
pose; all of them decide.

Nothing here has state and the loops run without the GIL, so the rows of a batch are settled by threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.free_space import Shell
from saccade.cortex.fitting.settle_loops import LANES, costs, distinct, each_cost, settled
from saccade.cortex.geometry import uniform_rotations
from saccade.cortex.goals.goal_places import cosine_between
from saccade.cortex.models.model import NodeSet, Observations
from saccade.reproducible import apply, cos_sin, cosine_of, eigen_symmetric, linspace, matmul, mean, norm
from saccade.world.symmetry.symmetry import rotation_about

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
#: edge of the cells of its shell, in parts of the reach: that between the nodes of a model
_CELL = 0.4
#: rounds of ICP on the coarse model and on the whole, and percepts that are enough for each
_ROUGH_ROUNDS, _FINE_ROUNDS, _ENOUGH, _PLENTY = 6, 8, 60, 120
#: given poses that are compared and turned, poses that are settled on the coarse model and on the whole, and
#: those told
_GIVEN, _TURNED, _HOPEFUL, _PROMISING, _TOLD = 64, 2, 64, 16, 8
#: nodes that are tried as places to look at
_TRIED = 400
#: parts of a circle about each axis of the model, and small ones
_PARTS, _SMALL_PARTS = 8, 72
#: poses that differ by less, in radians and metres, are one
_SAME_TURN, _SAME_PLACE = 0.2, 0.01


@dataclass(frozen=True)
class Placed:
    """object = rotation (3, 3) @ body + shift (3,), and what all percepts cost then, on average."""

    rotation: Floats
    shift: Floats
    cost: float = np.inf

    @staticmethod
    def of(pose: Floats, cost: float) -> Placed:
        """The pose of 12 numbers."""
        return Placed(pose[:9].reshape(3, 3), pose[9:], cost)

    @property
    def packed(self) -> Floats:
        """(12,) the rotation, row after row, and the shift."""
        return np.concatenate([self.rotation.reshape(9), self.shift])


def packed(rotations: Floats, anchor: Floats, locations: Floats) -> Floats:
    """(K, 12) the poses of hypotheses (K, 3, 3), (K, 3): body point `anchor` (3,) lies at their location."""
    turns = np.asarray(rotations, np.float64)
    return np.concatenate([turns.reshape(-1, 9), locations - apply(turns, anchor)], axis=1)


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
    """Nodes (N, 9) in the cells of a grid: starts (cells + 1), low corner (3,), extent (3,), scales (6,).
    columns (9, N + LANES): the nodes as loops read them, number by number, and none after the last."""

    nodes: Floats
    columns: Floats
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
        nodes = np.ascontiguousarray(points[order])
        columns = np.full((9, len(nodes) + LANES), np.nan)
        columns[:, : len(nodes)] = nodes.T
        return Level(nodes, columns, starts, low, extent, scales)

    def told(self, percepts: Floats, poses: Floats) -> Floats:
        """(K,) what percepts (P, 9) cost in poses (K, 12), on average."""
        out = np.empty(len(poses))
        costs(percepts, len(percepts), poses, len(poses), *self.arrays, out)
        return out / max(len(percepts), 1)

    def each(self, percepts: Floats, pose: Floats) -> Floats:
        """(P,) what each of the percepts (P, 9) costs in a pose (12,)."""
        out = np.empty(len(percepts))
        each_cost(percepts, len(percepts), pose, *self.arrays, out)
        return out

    def settled(self, percepts: Floats, poses: Floats, rounds: int, size: float) -> Floats:
        """The poses (K, 12) moved by ICP."""
        moved = poses.copy()
        radius = np.array([size])
        settled(percepts, len(percepts), moved, len(moved), rounds, radius, *self.arrays)
        return moved

    @property
    def arrays(self) -> tuple[Floats, int, Indices, Floats, Indices, Floats]:
        """The nodes as loops take them."""
        return self.columns, self.columns.shape[1], self.starts, self.low, self.extent, self.scales


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

    @staticmethod
    def of(known: Sequence[NodeSet], reach: float) -> ModelSurface:
        """The surface that the models of one object make up, those of several modules: what one of them never
        felt another may have. Where several have felt the same, the first counts."""
        points = np.concatenate([percepts_of(Observations.of(nodes)) for nodes in known])
        if len(known) > 1:
            points = points[_one_a_cell(points, _CELL * reach)]
        coloured = all("hsv" in nodes.features for nodes in known)
        middle = mean(points[:, :3], axis=0)
        away = points[:, :3] - middle
        axes = eigen_symmetric(mean(away[:, :, None] * away[:, None, :], axis=0))[1]
        size = max(float(mean(norm(away))), 1e-6)
        few = points[_one_a_cell(points, reach)]
        fine, coarse = Level.of(points, reach, coloured), Level.of(few, _COARSE * reach, coloured)
        shell = Shell.of(points, _CELL * reach)
        return ModelSurface(fine, coarse, shell, middle, axes, _turns(axes), size)


def settle(
    percepts: Floats,
    surface: ModelSurface,
    given: Floats,
    before: Settled | None = None,
    free: Floats | None = None,
    search: bool = True,
) -> Settled:
    """The poses that explain best what was felt, percepts (P, 9), from some to begin with, given (K, 12), the
    most likely first. `before`: what was found from part of the percepts; its poses are settled again. `free`
    (Q, 8): lines of sight that met nothing; a pose that puts a surface into one pays for it as for a percept
    that fits nowhere. Without `search` no turns of the given poses are tried, which is quick."""
    if not len(percepts) or not len(given):
        return Settled([Placed.of(pose, np.inf) for pose in given], len(percepts))
    # most hypotheses are one of a few poses, a little off
    tried = _distinct(given, _GIVEN)
    best = tried[_ranked(surface.fine.told(_some(percepts, _ENOUGH), tried))[:_TURNED]]
    known = [] if before is None else [each.packed for each in before.poses]
    others = _searched(percepts, surface, best) if search else best[:0]
    begun = np.concatenate([best, np.array(known).reshape(-1, 12), others])
    moved = surface.fine.settled(_some(percepts, _PLENTY), begun, _FINE_ROUNDS, surface.size)
    placed = np.concatenate([best, moved])
    cost = surface.fine.told(percepts, placed)
    if free is not None:
        cost = cost + _MOST * surface.shell.crossed(free, placed) / len(percepts)
    order = _ranked(cost)
    chosen = order[_kept(placed[order], _TOLD)]
    return Settled([Placed.of(placed[each], float(cost[each])) for each in chosen], len(percepts))


def _ranked(cost: Floats) -> Indices:
    return np.argsort(cost, kind="stable")


def _some(percepts: Floats, most: int) -> Floats:
    """At most so many of the percepts (P, 9), spread evenly over the episode."""
    if len(percepts) <= most:
        return percepts
    return percepts[linspace(0, len(percepts) - 1, most).astype(np.int64)]


def _searched(percepts: Floats, surface: ModelSurface, best: Floats) -> Floats:
    """The turns of poses (K, 12) in which some of the percepts fit a coarse model best."""
    some = _some(percepts, _ENOUGH)
    turned = np.concatenate([_turned(pose, surface, surface.turns) for pose in best])
    hopeful = _ranked(surface.coarse.told(some, turned))[:_HOPEFUL]
    rough = surface.coarse.settled(some, turned[hopeful], _ROUGH_ROUNDS, surface.size)
    promising = _distinct(rough[_ranked(surface.coarse.told(some, rough))], _PROMISING)
    # ICP does not turn what is round; small turns of it differ by colour alone
    small = _turned(best[0], surface, surface.small_turns)
    alike = _distinct(small[_ranked(surface.fine.told(some, small))], _TOLD)
    return np.concatenate([promising, alike])


def alike(percepts: Floats, surface: ModelSurface, found: Settled, margin: float, free: Floats) -> Floats:
    """(K, 3, 3) the rotations in which all percepts (P, 9), and lines of sight free (Q, 8), cost at most
    `margin` more than in the best pose found: that one turned about the middle of the model in all ways, by
    small turns about its axes and by a net whose poses that do are turned further by small amounts."""
    first = found.poses[0]
    limit = first.cost + margin / max(found.percepts, 1)

    def kept(poses: Floats) -> Floats:
        cost = surface.fine.told(percepts, poses)
        cost += _MOST * surface.shell.crossed(free, poses) / max(len(percepts), 1)
        return poses[cost <= limit]

    net = kept(_turned(first.packed, surface, surface.turns))
    fine = kept(_turned(first.packed, surface, surface.small_turns))
    near = [kept(_turned(pose, surface, surface.near_turns)) for pose in net]
    others = [each.packed[None] for each in found.poses if each.cost <= limit]
    every = np.concatenate([*others, fine, net, *near])
    return every[:, :9].reshape(-1, 3, 3)


def telling(one: tuple[ModelSurface, Placed], two: tuple[ModelSurface, Placed]) -> tuple[Floats, Floats]:
    """Where two models in their poses, or two poses of one, differ most in place or colour: the node that
    costs most as a percept of the other, as a place (3,) and a normal (3,) in the body frame."""
    best = -1.0, np.zeros(3), np.zeros(3)
    for (surface, own), (foreign, other) in ((one, two), (two, one)):
        nodes = surface.fine.nodes[:: max(1, len(surface.fine.nodes) // _TRIED)]
        # nodes as percepts: to the body frame by one pose, and by the other back
        back = own.rotation.T
        places, normals = apply(back, nodes[:, :3] - own.shift), apply(back, nodes[:, 3:6])
        percepts = np.ascontiguousarray(np.concatenate([places, normals, nodes[:, 6:]], axis=1))
        costly = foreign.fine.each(percepts, other.packed)
        worst = int(np.argmax(costly))
        if costly[worst] > best[0]:
            best = float(costly[worst]), places[worst], normals[worst]
    return best[1], best[2]


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


def _one_a_cell(points: Floats, cell: float) -> Indices:
    """The first point of each cell of a grid that faces each of the six ways."""
    facing = np.argmax(np.abs(points[:, 3:6]), axis=1)
    side = 2 * facing + (points[np.arange(len(points)), 3 + facing] > 0)
    cells = np.column_stack([np.floor(points[:, :3] / cell).astype(np.int64), side])
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


def _turned(pose: Floats, surface: ModelSurface, turns: Floats) -> Floats:
    """A pose (12,) turned about the middle of the model in some ways (K, 3, 3): (K, 12)."""
    rotation = matmul(turns, pose[:9].reshape(3, 3))
    shift = apply(turns, pose[9:] - surface.middle) + surface.middle
    return np.concatenate([rotation.reshape(-1, 9), shift], axis=1)


def _distinct(poses: Floats, most: int) -> Floats:
    """The first of the poses (K, 12) that differ from all before them, at most so many."""
    return np.ascontiguousarray(poses[_kept(poses, most)])


def _kept(poses: Floats, most: int) -> Indices:
    """Which of the poses (K, 12) differ from all before them, at most so many."""
    kept, count = np.empty(most, np.int64), np.empty(1, np.int64)
    limits = np.array([1 + 2 * cosine_of(_SAME_TURN), _SAME_PLACE**2])
    distinct(np.ascontiguousarray(poses), len(poses), limits, kept, most, count)
    return kept[: count[0]]
