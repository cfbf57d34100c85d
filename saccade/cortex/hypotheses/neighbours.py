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

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.hypotheses.neighbour_loops import count_reached, list_reached, sort_lists

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

#: the edge of a voxel as a share of the match radius
EDGE_SHARE = 0.5
#: single precision can put a location into the neighbouring voxel; lists are this much too wide (metres per
#: metre)
SAFETY = 1e-4
#: nodes from which a table has them in spatial order: the hypotheses of fewer are at work on one
#: multiprocessor all at once, and keep the numbers that the reference gives them
ORDERED_FROM = 512
#: cells along each side of the cube around a model by which its nodes are ordered, as bits
ORDER_BITS = 10
#: the most voxels of a model (half a gigabyte), and of all models of all modules
MOST_VOXELS, MOST_IN_ALL = 1 << 26, 1 << 28


def spatial_order(positions: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """(N,) the numbers of nodes in the order in which tables have them: along a Z-order (Morton) curve, so
    that neighbours in space are neighbours there. Hypotheses are made node after node, and threads of one
    warp then look at much the same nodes: 40 -> 33 us for 154,000 hypotheses on an H200.

    >>> spatial_order([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]).tolist()  # few stay as they are
    [0, 1]
    """
    points = np.asarray(positions, dtype=np.float64).reshape(-1, 3)
    if len(points) < ORDERED_FROM:
        return np.arange(len(points))
    low = points.min(axis=0)
    side = float((points.max(axis=0) - low).max()) or 1.0
    cell = ((points - low) / side * ((1 << ORDER_BITS) - 1)).astype(np.int64)
    code = np.zeros(len(points), np.int64)
    for bit in range(ORDER_BITS):
        for axis in range(3):
            code |= (cell[:, axis] >> bit & 1) << 3 * bit + axis
    return np.argsort(code, kind="stable")


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
        if math.prod(shape) > MOST_VOXELS:
            across = float((points.max(axis=0) - points.min(axis=0)).max())
            least = radius * (math.prod(shape) / MOST_VOXELS) ** (1 / 3)
            raise ValueError(
                f"a match distance of {radius:g} m is too small for a model {across:.3g} m across, "
                f"whose space would be cut into {math.prod(shape):.1e} voxels: use {least:.2g} m or more"
            )
        return VoxelTable(origin, shape, edge, *_listed(points, origin, edge, reach, shape))


def _listed(
    points: Floats, origin: Floats, edge: float, reach: float, shape: tuple[int, int, int]
) -> tuple[Ints, Ints, Ints]:
    """Of every voxel where its list starts and how long it is, and the lists: nodes closer than `reach` to
    some point of the voxel, those nearest to its centre first."""
    span = int(np.ceil(reach / edge))
    first = np.floor((points - origin) / edge).astype(np.int64) - span
    cell = first[:, :, None] + np.arange(2 * span + 1)  # (N, 3, wide)
    low = origin[:, None] + cell * edge
    where = points[:, :, None]
    gaps = np.square(np.maximum(np.maximum(low - where, where - (low + edge)), 0.0))
    gaps[(cell < 0) | (cell >= np.array(shape)[:, None])] = np.inf
    reached = np.ascontiguousarray(gaps).reshape(-1), first.reshape(-1)
    sizes = len(points), 2 * span + 1, np.array(shape, np.int64), np.array([reach * reach])
    count = np.zeros(math.prod(shape), np.int32)
    count_reached(*reached, *sizes, count)
    end = np.cumsum(count, dtype=np.int64)
    start, entries = end - count, int(end[-1])
    nodes, away = np.empty(entries, np.int32), np.empty(entries)
    centres = np.square(low + edge / 2 - where).reshape(-1)
    list_reached(reached[0], centres, reached[1], *sizes, start.copy(), nodes, away)
    # nearest first: a search for the K nearest then seldom replaces what it holds, which saves 10% of an
    # update (bench/evidence.py)
    sort_lists(count, len(count), nodes, away)
    return start.astype(np.int32), count, nodes
