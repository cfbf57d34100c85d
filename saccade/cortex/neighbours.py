"""Which model nodes can matter to a location: a table from voxels to candidate nodes, made once per model.

Only nodes closer than the match radius r can support a hypothesis, so the search is a radius search, not an
open k-nearest search. Space around a model is cut into voxels; a voxel lists every node closer than r to
*any* of its points. The list of the voxel a location falls in therefore holds all nodes within r of it: the
table is exact, needs no tree, and a location outside the grid has no neighbours at all.

    in   positions (N, 3) of one model, r, edge length of a voxel
    out  VoxelTable: per voxel `start` and `count` into `nodes`

    >>> table = VoxelTable.build(np.zeros((1, 3)), radius=0.01, edge=0.01)
    >>> int(table.count.sum()) == len(table.nodes)
    True
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

#: the edge of a voxel as a share of the match radius
EDGE_SHARE = 0.5
#: single precision can put a location into the neighbouring voxel; lists are this much too wide (metres per
#: metre)
SAFETY = 1e-4


@dataclass(frozen=True)
class VoxelTable:
    """Candidate lists of one model; voxel (i, j, k) is number (i * shape[1] + j) * shape[2] + k."""

    origin: Floats  # (3,) lowest corner
    shape: tuple[int, int, int]
    edge: float
    start: Ints  # (voxels,)
    count: Ints  # (voxels,)
    nodes: Ints  # (sum of counts,) node numbers, those nearest to the voxel's centre first

    @property
    def longest(self) -> int:
        return int(self.count.max(initial=0))

    @staticmethod
    def build(positions: npt.ArrayLike, radius: float, edge: float | None = None) -> VoxelTable:
        points = np.asarray(positions, dtype=np.float64).reshape(-1, 3)
        edge = radius * EDGE_SHARE if edge is None else edge
        reach = radius * (1 + SAFETY)
        if not len(points):
            none = np.zeros(1, np.int32)
            return VoxelTable(np.zeros(3), (1, 1, 1), edge, none, none, np.zeros(0, np.int32))
        origin = points.min(axis=0) - reach
        extent = np.ceil((points.max(axis=0) + reach - origin) / edge).astype(int) + 1
        shape = (int(extent[0]), int(extent[1]), int(extent[2]))
        voxel, node, away = _reached_voxels(points, origin, edge, reach, shape)
        # nearest first: a search for the K nearest then seldom replaces what it holds, which saves 10% of an
        # update (bench/evidence.py)
        order = np.lexsort((node, away, voxel))
        count = np.bincount(voxel, minlength=int(np.prod(shape))).astype(np.int32)
        start = (np.cumsum(count) - count).astype(np.int32)
        return VoxelTable(origin, shape, edge, start, count, node[order].astype(np.int32))


def _reached_voxels(
    points: Floats, origin: Floats, edge: float, reach: float, shape: tuple[int, int, int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """All pairs (voxel number, node number) with the node closer than `reach` to some point of the voxel,
    and the squared distance of the node from the voxel's centre.
    """
    span = int(np.ceil(reach / edge))
    steps = np.arange(-span, span + 1)
    offsets = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    home = np.floor((points - origin) / edge).astype(np.int64)
    cells = home[:, None, :] + offsets[None]
    low = origin + cells * edge
    gap = np.maximum(np.maximum(low - points[:, None, :], points[:, None, :] - (low + edge)), 0.0)
    near = (gap**2).sum(axis=-1) < reach**2
    near &= ((cells >= 0) & (cells < np.array(shape))).all(axis=-1)
    node, offset = np.nonzero(near)
    chosen = cells[node, offset]
    away = ((low[node, offset] + edge / 2 - points[node]) ** 2).sum(axis=-1)
    return (chosen[:, 0] * shape[1] + chosen[:, 1]) * shape[2] + chosen[:, 2], node, away
