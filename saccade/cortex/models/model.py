"""Object models: graphs of nodes, each a location with pose vectors and features, one node set per channel.

A model is built from percepts expressed in the object's frame: space is cut into a grid, percepts that fall
into one cell and face the same way become one node (locations and features averaged, pose vectors averaged
and made orthonormal again), and the grid bounds both the size of a model and its number of nodes. Extending a
model with new percepts is the same operation on the old nodes, weighted by how often they were seen, and the
new ones together.

Percepts that face different ways stay apart because a wall may be thinner than a cell: the mean of its inner
and its outer side would be a node with any normal at all.

    in   percepts in the object frame: locations (n, 3), pose vectors (n, 3, 3), flags (n,), features
    out  NodeSet with at most `max_nodes` nodes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from saccade.cortex.features import FeatureLayout
from saccade.cortex.hypotheses.neighbours import VoxelTable
from saccade.reproducible import apply, arctan2, cos_sin, cross, dot, half_angle, hypot, mean, norm, unit

Floats = npt.NDArray[np.float32]

# Cosine of the angle between the normals of percepts that can be one node: 60 degrees.
SAME_SIDE = 0.5


@dataclass(frozen=True)
class GridSettings:
    """How a model is bounded: edge of a cell (metres), size of the whole grid (metres) and number of
    nodes.
    """

    cell: float = 0.003
    max_size: float = 0.3
    max_nodes: int = 2000

    def __post_init__(self) -> None:
        if self.cell <= 0 or self.max_size <= 0 or self.max_nodes < 1:
            raise ValueError(f"grid settings must be positive, got {self}")


@dataclass(frozen=True)
class NodeSet:
    """The nodes one channel knows of one object."""

    #: of positions, pose vectors and features
    dtype: ClassVar[type[np.floating[Any]]] = np.float32

    positions: Floats  # (N, 3) object frame
    pose_vectors: Floats  # (N, 3, 3) rows: normal, first direction, second direction
    fully_defined: npt.NDArray[np.bool_]  # (N,)
    features: Mapping[str, Floats]  # name -> (N, width)
    seen: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # (N,) percepts in each node

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "positions", np.asarray(self.positions, self.dtype).reshape(-1, 3))
        n = len(self.positions)
        put(self, "pose_vectors", np.asarray(self.pose_vectors, self.dtype).reshape(n, 3, 3))
        put(self, "fully_defined", np.asarray(self.fully_defined).astype(bool).reshape(n))
        columns = {name: _columns(name, value, n, self.dtype) for name, value in self.features.items()}
        put(self, "features", columns)
        if len(self.seen) != n:
            put(self, "seen", np.ones(n, np.int64))
        if not np.isfinite(self.positions).all():
            raise ValueError("node positions hold NaN or infinity")
        if not np.isfinite(self.pose_vectors).all():
            raise ValueError("node pose vectors hold NaN or infinity")
        for name, value in self.features.items():
            if np.isnan(value).any():
                # its score would be NaN, and with it all that the object's hypotheses are compared by
                bad = np.flatnonzero(np.isnan(value).any(axis=1))
                raise ValueError(f"feature {name!r} of node(s) {bad[:5].tolist()} holds NaN")

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def surface(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Positions (N, 3) and normals (N, 3) in double precision, for comparing models: read them only."""
        return self.positions.astype(np.float64), self.pose_vectors[:, 0].astype(np.float64)

    @cached_property
    def cone(self) -> npt.NDArray[np.float64]:
        """(N, 3) places in the cone of colours, whose tip is black and where greys have no hue; (N, 0)
        without colours."""
        if "hsv" not in self.features:
            return np.zeros((len(self), 0))
        hue, saturation, value = self.features["hsv"].astype(np.float64).T
        radius, (cosine, sine) = saturation * value / 2, cos_sin(2 * np.pi * hue)
        return np.stack([radius * cosine, radius * sine, value], axis=1)

    @cached_property
    def voxels(self) -> dict[float, VoxelTable]:
        """Their voxel tables that somebody has made so far, by match distance."""
        return {}

    def columns(self, layout: FeatureLayout, where: str) -> npt.NDArray[np.float32]:
        """(N, F) the scored features in the order of `layout`."""
        parts = []
        for name, width in zip(layout.names, layout.widths, strict=True):
            if name not in self.features:
                raise ValueError(f"{where} stores no feature {name!r}; it stores {sorted(self.features)}")
            if self.features[name].shape[1] != width:
                raise ValueError(
                    f"{where} stores {name!r} with width {self.features[name].shape[1]}, expected {width}"
                )
            parts.append(self.features[name])
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(self), 0), np.float32)


def _columns(name: str, value: npt.ArrayLike, nodes: int, dtype: type[np.floating[Any]]) -> Floats:
    """A feature as (N, width)."""
    array = np.asarray(value, dtype)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != nodes:
        raise ValueError(
            f"feature {name!r} has shape {array.shape}, expected one row for each of {nodes} nodes"
        )
    return array


@dataclass(frozen=True)
class ObjectModel:
    """One object as one learning module knows it."""

    name: str
    channels: Mapping[str, NodeSet]

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("an object model needs a name")

    @property
    def node_count(self) -> int:
        return sum(len(nodes) for nodes in self.channels.values())


@dataclass(frozen=True)
class Observations:
    """Percepts of one channel in one frame, as arrays: what a model is built from."""

    locations: npt.NDArray[np.float64]  # (n, 3)
    pose_vectors: npt.NDArray[np.float64]  # (n, 3, 3)
    fully_defined: npt.NDArray[np.bool_]  # (n,)
    features: Mapping[str, npt.NDArray[np.float64]]  # name -> (n, width)
    seen: npt.NDArray[np.int64] | None = None  # (n,) how many percepts each stands for; None: one

    @staticmethod
    def of(nodes: NodeSet) -> Observations:
        """The nodes of a model as if they had been felt, each as often as it was seen."""
        return Observations(
            nodes.positions.astype(np.float64),
            nodes.pose_vectors.astype(np.float64),
            nodes.fully_defined,
            {name: value.astype(np.float64) for name, value in nodes.features.items()},
            nodes.seen,
        )

    def __len__(self) -> int:
        return len(self.locations)

    @staticmethod
    def joined(parts: Sequence[Observations]) -> Observations:
        """Several of them as one, each percept counted once."""
        return Observations(
            locations=np.concatenate([part.locations for part in parts]),
            pose_vectors=np.concatenate([part.pose_vectors for part in parts]),
            fully_defined=np.concatenate([part.fully_defined for part in parts]),
            features={
                name: np.concatenate([part.features[name] for part in parts]) for name in parts[0].features
            },
        )

    def in_object_frame(
        self,
        rotation: npt.NDArray[np.float64],
        anchor: npt.NDArray[np.float64],
        location: npt.NDArray[np.float64],
    ) -> Observations:
        """Move body-frame percepts into the object frame of a hypothesis.

        `rotation` (3, 3) turns body vectors into object vectors; body point `anchor` lies at object point
        `location`.
        """
        return replace(
            self,
            locations=apply(rotation, self.locations - anchor) + location,
            pose_vectors=apply(rotation, self.pose_vectors),
        )


def build_nodes(observations: Observations, grid: GridSettings, old: NodeSet | None = None) -> NodeSet:
    """Average percepts (and the nodes of an older set) into the sides of grid cells; those seen most often
    stay.

    Percepts further than half the grid's size from its centre (the first percept, or the middle of the old
    nodes) are left out: they cannot belong to an object of the permitted size.
    """
    if not len(observations) and (old is None or not len(old)):
        raise ValueError("cannot build a model from no percepts")
    positions, vectors, flags, features, seen = _pooled(observations, old)
    centre = mean(old.positions, axis=0) if old is not None and len(old) else positions[0]
    inside = (np.abs(positions - centre) <= grid.max_size / 2).all(axis=1)
    cells = np.floor(positions[inside] / grid.cell).astype(np.int64)
    first, member = _sides(np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1), vectors[inside, 0])
    number = np.bincount(member, weights=seen[inside])
    # nodes in the order they were first seen, so that node numbers do not depend on the position of the
    # origin
    order = np.argsort(first, kind="stable")
    if len(order) > grid.max_nodes:
        busiest = np.argsort(-number[order], kind="stable")[: grid.max_nodes]
        order = order[np.sort(busiest)]
    share = seen[inside] / number[member]

    def average(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        columns = (values[inside].reshape(len(share), -1) * share[:, None]).T
        # in the order of the percepts, as `bincount` documents
        sums = np.stack([np.bincount(member, column, len(number)) for column in columns], axis=1)
        return np.asarray(sums[order].reshape(-1, *values.shape[1:]))

    axes = vectors[:, 1, :, None] * vectors[:, 1, None, :]
    # where no percept has a defined direction any will do; where one has, the others do not count
    certain = np.where(flags, 1.0, 1e-6)[:, None, None]
    return NodeSet(
        positions=average(positions).astype(np.float32),
        pose_vectors=_averaged_poses(
            average(vectors[:, 0]), average(axes * certain), vectors[inside][first[order]]
        ).astype(np.float32),
        fully_defined=average(flags.astype(np.float64)) > 0.5,
        features={
            name: _averaged_feature(name, v, average).astype(np.float32) for name, v in features.items()
        },
        seen=np.rint(number[order]).astype(np.int64),
    )


def _pooled(
    new: Observations, old: NodeSet | None
) -> tuple[
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.bool_],
    dict[str, npt.NDArray[np.float64]],
    npt.NDArray[np.float64],
]:
    """Old nodes first, then the percepts, with how many percepts each entry stands for."""
    felt = np.ones(len(new)) if new.seen is None else new.seen.astype(np.float64)
    if old is None:
        features = {name: _wide(value, len(new)) for name, value in new.features.items()}
        return new.locations, new.pose_vectors, new.fully_defined, features, felt
    missing = set(old.features) ^ set(new.features)
    if missing and len(new):
        raise ValueError(f"percepts and model disagree on the features {sorted(missing)}")
    return (
        np.concatenate([old.positions.astype(np.float64), new.locations]),
        np.concatenate([old.pose_vectors.astype(np.float64), new.pose_vectors]),
        np.concatenate([old.fully_defined, new.fully_defined]),
        {
            name: np.concatenate([value.astype(np.float64), _wide(new.features[name], len(new))])
            for name, value in old.features.items()
        },
        np.concatenate([old.seen.astype(np.float64), felt]),
    )


def _wide(value: npt.ArrayLike, rows: int) -> npt.NDArray[np.float64]:
    """A feature of `rows` percepts as (rows, width)."""
    array = np.asarray(value, np.float64)
    return array if array.ndim == 2 else array.reshape(rows, 1)


def _averaged_poses(
    normals: npt.NDArray[np.float64], axes: npt.NDArray[np.float64], spare: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Pose vectors (N, 3, 3) from mean normals (N, 3) and mean products of the first direction with itself
    (N, 3, 3); `spare` (N, 3, 3) where the normals cancel.

    Directions are axes, known up to sign, so averaging them would cancel; the axis nearest to all of them is
    the main one of their products.
    """
    length = norm(normals, keepdims=True)
    normal = np.where(length > 1e-6, normals / np.maximum(length, 1e-12), spare[:, 0])
    # some frame (u, v) of the tangent plane, and the main axis of the products in it
    u = unit(cross(normal, np.where(np.abs(normal[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]])))
    v = cross(normal, u)
    along_u, along_v = apply(axes, u), apply(axes, v)
    cosine, sine = half_angle(dot(along_u, u) - dot(along_v, v), 2 * dot(along_u, v))
    first = unit(cosine[:, None] * u + sine[:, None] * v)
    return np.stack([normal, first, cross(normal, first)], axis=1)


def _sides(
    cell: npt.NDArray[np.intp], normals: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Cells (n,) of percepts, divided by which way these face: the first percept of each node, and the node
    (n,) of each percept.

    The first percept of a cell that has no node yet leads one, and all that face as it does join.
    """
    side = np.full(len(cell), -1, np.int64)
    number = 0
    while (side < 0).any():
        left = np.flatnonzero(side < 0)
        _, lead, group = np.unique(cell[left], return_index=True, return_inverse=True)
        leader = left[lead][group.reshape(-1)]
        alike = dot(normals[left], normals[leader]) >= SAME_SIDE
        side[left[alike | (left == leader)]] = number
        number += 1
    _, first, member = np.unique(cell * max(number, 1) + side, return_index=True, return_inverse=True)
    return first, member.reshape(-1)


def _averaged_feature(name: str, values: npt.NDArray[np.float64], average: object) -> npt.NDArray[np.float64]:
    """Columns averaged; hue on its circle, ids by rounding to the nearest (a cell holds one object)."""
    assert callable(average)
    averaged = np.asarray(average(values))
    if name == "hsv":
        angle = 2 * np.pi * values[:, 0]
        x, y = (np.asarray(average(each)) for each in cos_sin(angle))
        averaged[:, 0] = np.where(hypot(x, y) > 1e-9, (arctan2(y, x) / (2 * np.pi)) % 1.0, averaged[:, 0])
    elif name == "object_id":
        averaged = np.rint(averaged)
    return averaged
