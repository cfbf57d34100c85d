"""Percepts laid on models where the run's tensors are: tables of all models, and programs over many poses.

In: surfaces, what was felt, poses. Out: costs and moved poses, as `Fitter` says.

    fitter = fitter_for("cuda")                 # on the host itself compiled loops: `HostFitter`

Poses go in parts of one of two sizes, and arrays of percepts are padded to powers of two: a run compiles a
handful of programs. All parts of a call are queued before the host waits, once; rounds of ICP stay on the
device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.program import Program
from saccade.cortex.fitting import fitter_programs as programs
from saccade.cortex.fitting.fitter import Fitter, Grain, HostFitter
from saccade.cortex.fitting.fitter_programs import LEVEL, ROW, SHELL, Batch, Tables
from saccade.cortex.fitting.flat import Floats, Indices, Poses, Shared
from saccade.cortex.fitting.surface import ALONG, MOST, Level, ModelSurface
from saccade.cortex.hypotheses.neighbours import EDGE_SHARE, VoxelTable
from saccade.cortex.hypotheses.tables import capacity, stepped
from saccade.cortex.ops import in_host_memory, read, upload
from saccade.reproducible import norm
from saccade.reproducible.threads import in_threads
from saccade.tensor import Tensor

#: poses of one call where there are few, and pairs of a pose and a percept where there are many
FEW, MOST_PAIRS = 1024, 1 << 21
#: the least room for percepts: those of ICP fit into it
LEAST_FELT = 128
#: the least room for arrays of percepts: those of a run's rows, mostly
LEAST_ARRAYS = 256
GRAINS: tuple[Grain, Grain] = ("fine", "coarse")


def fitter_for(device: str | None) -> Fitter:
    """What lays percepts on models for a run on a device: compiled loops where that is the host, which
    stop at what is near, and tensor programs elsewhere."""
    return HostFitter() if in_host_memory(device) else DeviceFitter(device)


@cache
def _program(function: Callable[..., Tensor], *sizes: int) -> Program[[Tables, Batch], Tensor]:
    """One for all runs of a process, for lists of these sizes at most."""
    return Program(partial(function, *sizes))


class DeviceFitter:
    """Tensor programs over the tables of all surfaces known so far. Implements `Fitter`."""

    whole = True

    def __init__(self, device: str | None) -> None:
        self.device = device
        self._surfaces: dict[int, tuple[int, ModelSurface]] = {}  # by identity: their number
        self._tables: Tables | None = None
        self._longest = self._steps = self._nodes = 0
        self._latest: tuple[Shared, tuple[Tensor, Tensor]] | None = None

    def know(self, surfaces: Sequence[ModelSurface]) -> None:
        """As `Fitter.know`; tables are made anew where there are new ones."""
        known = len(self._surfaces)
        for each in surfaces:
            self._surfaces.setdefault(id(each), (len(self._surfaces), each))
        if len(self._surfaces) > known:
            every = [surface for _, surface in self._surfaces.values()]
            self._tables, self._longest, self._steps, self._nodes = _tables(every, self.device)

    def costs(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, most: int = 0
    ) -> Floats:
        """As `Fitter.costs`; all are told."""
        batches = self._batches(surfaces, felt, poses, GRAINS.index(grain))
        found = [self._run(programs.cost_of, self._longest, batch=batch) for batch in batches]
        return self._read(found, poses)

    def moved(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, rounds: int
    ) -> Poses:
        """As `Fitter.moved`."""
        found = []
        for batch in self._batches(surfaces, felt, poses, GRAINS.index(grain)):
            for _ in range(rounds):
                batch = batch._replace(poses=self._run(programs.icp_round, self._longest, batch=batch))
            found.append(batch.poses)
        return Poses(poses.claim, self._read(found, poses))

    def crossed(self, surfaces: Sequence[ModelSurface], free: Shared, poses: Poses) -> Floats:
        """As `Fitter.crossed`."""
        if not any(map(len, free.arrays)):
            return np.zeros(len(poses.claim))
        batches = self._batches(surfaces, free, poses, None)
        sizes = self._steps, self._nodes
        return self._read([self._run(programs.crossings, *sizes, batch=batch) for batch in batches], poses)

    def _run(self, function: Callable[..., Tensor], *sizes: int, batch: Batch) -> Tensor:
        assert self._tables is not None
        return _program(function, *sizes)(self._tables, batch)

    def _read(self, found: Sequence[Tensor], poses: Poses) -> Floats:
        """The parts of an answer, put together; those beyond the last pose are padding."""
        return np.concatenate(read(found))[: len(poses.claim)]

    def _batches(
        self, surfaces: Sequence[ModelSurface], given: Shared, poses: Poses, grain: int | None
    ) -> list[Batch]:
        """The poses in parts. grain: of levels; None: of shells."""
        number = self._numbers(surfaces)
        model = number if grain is None else number * len(GRAINS) + grain
        shared = self._sent(given)
        _, arrays_there, rows = shared[0].shape
        total = len(poses.claim)
        size = FEW if total <= FEW else max(MOST_PAIRS // rows, FEW)
        batches = []
        for low in range(0, total, size):
            claim = poses.claim[low : low + size]
            room = size - len(claim)
            values = np.pad(poses.values[low : low + size], ((0, room), (0, 0)))
            models = np.pad(model[claim], (0, room))
            # padding is to explain the last array, which is empty
            arrays = np.pad(given.of[claim], (0, room), constant_values=arrays_there - 1)
            own = upload(values, "float64", self.device), upload(models, "int32", self.device)
            batches.append(Batch(*own, upload(arrays, "int32", self.device), *shared))
        return batches

    def _sent(self, given: Shared) -> tuple[Tensor, Tensor]:
        """The arrays on the device and their lengths; what was sent last is still there."""
        if self._latest is None or self._latest[0] is not given:
            values, counts = _padded(given.arrays)
            sent = upload(values, "float64", self.device), upload(counts, "int32", self.device)
            self._latest = given, sent
        return self._latest[1]

    def _numbers(self, surfaces: Sequence[ModelSurface]) -> Indices:
        """(B,) the numbers of surfaces."""
        self.know(surfaces)
        return np.array([self._surfaces[id(each)][0] for each in surfaces], np.int64)


def _padded(arrays: Sequence[Floats]) -> tuple[Floats, npt.NDArray[np.int32]]:
    """(columns, arrays, rows) and the numbers of rows; both sizes are powers of two, the last is empty."""
    longest = capacity(max(map(len, arrays)), LEAST_FELT)
    number = capacity(len(arrays) + 1, LEAST_ARRAYS)
    values, counts = np.zeros((arrays[0].shape[1], number, longest)), np.zeros(number, np.int32)
    for place, array in enumerate(arrays):
        values[:, place, : len(array)], counts[place] = array.T, len(array)
    return values, counts


def _tables(surfaces: Sequence[ModelSurface], device: str | None) -> tuple[Tables, int, int, int]:
    """The tables of these surfaces, the longest list of candidates, the longest way through a shell and the
    most nodes of one."""
    levels = [(getattr(each, grain), each.size) for each in surfaces for grain in GRAINS]
    grids = in_threads(_voxels, [level for level, _ in levels])
    rows = np.zeros((len(levels), LEVEL))
    nodes, starts, lists = [], [np.zeros(1, np.int32)], []
    node_count, entries, voxels = 0, 0, 1
    for row, (level, size), grid in zip(rows, levels, grids, strict=True):
        _, plane, tangent, tilt, colour, _ = level.scales
        row[:] = [
            *grid.origin, 1 / grid.edge, *grid.shape, voxels, plane - tangent, tangent, tilt, colour, size
        ]  # fmt: skip
        nodes.append(np.pad(level.nodes, ((0, 0), (0, ROW - level.nodes.shape[1]))))
        starts.append(grid.start + np.int32(entries))
        lists.append(grid.nodes + np.int32(node_count))
        node_count, entries, voxels = (
            node_count + len(level.nodes), entries + len(grid.nodes), voxels + len(grid.start)
        )  # fmt: skip
    sizes = [len(level.nodes) for level, _ in levels]
    begins = np.cumsum(sizes) - sizes
    fine = zip(begins[:: len(GRAINS)], sizes[:: len(GRAINS)], strict=True)
    shells = [each.shell for each in surfaces]
    ends = np.cumsum([len(each.filled) for each in shells])
    outlines = np.array(
        [
            [*each.grid, *each.extent, end - len(each.filled), *nodes_of]
            for each, end, nodes_of in zip(shells, ends.tolist(), fine, strict=True)
        ]
    )
    assert outlines.shape[1] == SHELL
    across = max(float(norm(each.extent)) for each in shells)
    longest = stepped(max(grid.longest for grid in grids))
    tables = Tables(
        nodes=upload(_filled_up(np.concatenate(nodes), 0).reshape(-1), "float64", device),
        levels=upload(_filled_up(rows, 0).reshape(-1), "float64", device),
        starts=upload(_filled_up(np.concatenate(starts), entries, 1), "int32", device),
        candidates=upload(_filled_up(np.concatenate(lists), 0), "int32", device),
        shells=upload(_filled_up(outlines, 0).reshape(-1), "float64", device),
        filled=upload(_filled_up(np.concatenate([each.filled for each in shells]), 0), "uint8", device),
    )
    return tables, longest, stepped(math.ceil(2 * across) + 2), stepped(max(sizes))


def _voxels(level: Level) -> VoxelTable:
    """The nodes that can cost less than the most anywhere in each voxel: no normal or colour makes up for
    the way there."""
    reach = level.scales[0]
    return VoxelTable.build(level.nodes[:, :3], math.sqrt(MOST) * ALONG * reach, EDGE_SHARE * reach)


def _filled_up(values: npt.NDArray[np.generic], value: int, more: int = 0) -> npt.NDArray[np.generic]:
    """Rows of `value` after the last, up to a power of two of them, `more` at least."""
    room = capacity(len(values) + more, 64) - len(values)
    return np.pad(values, ((0, room), *((0, 0),) * (values.ndim - 1)), constant_values=value)
