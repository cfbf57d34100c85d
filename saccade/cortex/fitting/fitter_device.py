"""Percepts laid on models where the run's tensors are: tables of all models, and programs over many poses.

In: surfaces, what was felt, poses. Out: costs and moved poses, as `Fitter` says.

    fitter = fitter_for("cuda")                 # on the host itself compiled loops: `HostFitter`

Poses go in parts of one of two sizes, and arrays of percepts are padded to powers of two: a run compiles a
handful of programs. All parts of a call are queued before the host waits, once; rounds of ICP stay on the
device.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import is_

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.program import Program
from saccade.cortex.fitting import fitter_programs as programs
from saccade.cortex.fitting.fitter import Fitter, Grain, HostFitter, priced
from saccade.cortex.fitting.fitter_programs import (
    ASKED,
    FELT,
    FREE,
    LEVEL,
    MODEL,
    MOVES,
    ROW,
    SHELL,
    Given,
    Tables,
)
from saccade.cortex.fitting.flat import Floats, Indices, Poses, Shared
from saccade.cortex.fitting.surface import ModelSurface
from saccade.cortex.hypotheses.tables import capacity, stepped
from saccade.cortex.ops import in_host_memory, read, upload
from saccade.reproducible import norm
from saccade.reproducible.threads import in_threads
from saccade.tensor import Tensor

#: poses of one call where there are few, and pairs of a pose and a percept where there are many: for each of
#: them a round of ICP keeps 14 numbers
FEW, MOST_PAIRS = 1024, 1 << 20
#: the least room for percepts: those of ICP fit into it
LEAST_FELT = 128
#: the least room for arrays of percepts. It grows with the rows of a run, which are most when it begins, and
#: never shrinks: other room means other programs
LEAST_ARRAYS = 32
#: the least rows of the tables of all models: levels and shells, nodes, voxels, and entries of their lists.
#: Some eight models fill them, so that one more mostly has the same programs
LEVELS, NODES, VOXELS, ENTRIES = 64, 1 << 15, 1 << 18, 1 << 21
GRAINS: tuple[Grain, Grain] = ("fine", "coarse")
#: different arrays of percepts and lines of sight that settling one claim takes
KEPT = 4


def fitter_for(device: str | None) -> Fitter:
    """What lays percepts on models for a run on a device: compiled loops where that is the host, which
    stop at what is near, and tensor programs elsewhere."""
    return HostFitter() if in_host_memory(device) else DeviceFitter(device)


@cache
def _program(function: Callable[..., Tensor], *sizes: int) -> Program[[Tables, Given], Tensor]:
    """One for all runs of a process, for lists of these sizes at most."""
    return Program(partial(function, *sizes))


class DeviceFitter(Fitter):
    """Tensor programs over the tables of all surfaces known so far."""

    whole = True

    def __init__(self, device: str | None) -> None:
        self.device = device
        self._surfaces: dict[int, tuple[int, ModelSurface]] = {}  # by identity: their number
        self._tables: Tables | None = None
        self._longest = self._steps = self._nodes = 0
        self._arrays = LEAST_ARRAYS
        #: arrays that were sent of late, those of one call of `settle` at least
        self._latest: deque[tuple[Sequence[Floats], Tensor]] = deque(maxlen=KEPT)

    def know(self, surfaces: Sequence[ModelSurface]) -> None:
        """As `Fitter.know`; tables are made anew where there are new ones."""
        known = len(self._surfaces)
        for each in surfaces:
            self._surfaces.setdefault(id(each), (len(self._surfaces), each))
        if len(self._surfaces) > known:
            every = [surface for _, surface in self._surfaces.values()]
            self._tables, self._longest, self._steps, self._nodes = _tables(every, self.device)

    def rehearsals(self, rows: int) -> list[Callable[[], None]]:
        """As `Fitter.rehearsals`: the programs for few poses and for many."""
        self._arrays = capacity(rows + 1, self._arrays)
        return [partial(self._rehearse, number) for number in ((1, FEW) if self._surfaces else ())]

    def _rehearse(self, number: int) -> None:
        """Lay so many poses of nothing."""
        surfaces = [surface for _, surface in self._surfaces.values()][:1]
        felt, free = Shared.among([np.zeros((1, 9))]), Shared.among([np.zeros((1, 8))])
        poses = Poses(np.zeros(number, np.int64), np.tile(np.append(np.eye(3), np.zeros(3)), (number, 1)))
        self.laid(surfaces, felt, felt, free, poses, poses, 1)

    def costs(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, most: int = 0
    ) -> Floats:
        """As `Fitter.costs`; all are told."""
        parts = self._asked(surfaces, grain, poses, felt)
        return self._joined([self._cost(part, felt) for part in parts], poses)

    def moved(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, rounds: int
    ) -> Poses:
        """As `Fitter.moved`."""
        parts = self._asked(surfaces, grain, poses, felt)
        found = self._joined([self._settled(part, felt, rounds) for part in parts], poses)
        return Poses(poses.claim, found[:, :12])

    def crossed(self, surfaces: Sequence[ModelSurface], free: Shared, poses: Poses) -> Floats:
        """As `Fitter.crossed`."""
        if not any(map(len, free.arrays)):
            return np.zeros(len(poses.claim))
        parts = self._asked(surfaces, "fine", poses, free, free)
        return self._joined([self._crossings(part, free) for part in parts], poses)

    def roughly(
        self, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, rounds: int
    ) -> tuple[Poses, Floats]:
        """As `Fitter.roughly`, with one wait."""
        parts = self._asked(surfaces, "coarse", poses, felt)
        moved = [self._settled(part, felt, rounds) for part in parts]
        values, cost = self._read(moved, [self._cost(part, felt) for part in moved], poses=poses)
        return Poses(poses.claim, values[:, :12]), cost

    def laid(
        self,
        surfaces: Sequence[ModelSurface],
        some: Shared,
        felt: Shared,
        free: Shared,
        still: Poses,
        begun: Poses,
        rounds: int,
    ) -> tuple[Poses, Floats]:
        """As `Fitter.laid`, with one wait: poses stay on the device between ICP and what they cost then."""
        placed = Poses.joined(still, begun)
        order = np.argsort(np.concatenate([still.claim, begun.claim]), kind="stable")
        parts = self._asked(surfaces, "fine", placed, felt, free, order >= len(still.claim))
        moved = [self._settled(part, some, rounds) for part in parts]
        costs = [self._cost(part, felt) for part in moved]
        lines = [self._crossings(part, free) for part in moved] if any(map(len, free.arrays)) else []
        values, cost, *crossed = self._read(moved, costs, *([lines] if lines else []), poses=placed)
        met = crossed[0] if crossed else np.zeros(len(cost))
        found = Poses(placed.claim, values[:, :12])
        return found, priced(cost, met, felt, found)

    # --- programs

    def _cost(self, asked: Tensor, felt: Shared) -> Tensor:
        return self._run(programs.cost_of, self._longest)(self._known, Given(asked, self._sent(felt)))

    def _settled(self, asked: Tensor, felt: Shared, rounds: int) -> Tensor:
        program, values = self._run(programs.icp_round, self._longest), self._sent(felt)
        for _ in range(rounds):
            asked = program(self._known, Given(asked, values))
        return asked

    def _crossings(self, asked: Tensor, free: Shared) -> Tensor:
        program = self._run(programs.crossings, self._steps, self._nodes)
        return program(self._known, Given(asked, self._sent(free)))

    def _run(self, function: Callable[..., Tensor], *sizes: int) -> Program[[Tables, Given], Tensor]:
        return _program(function, *sizes)

    @property
    def _known(self) -> Tables:
        assert self._tables is not None
        return self._tables

    # --- what is sent and read

    def _asked(
        self,
        surfaces: Sequence[ModelSurface],
        grain: Grain,
        poses: Poses,
        felt: Shared,
        free: Shared | None = None,
        moves: npt.NDArray[np.bool_] | None = None,
    ) -> list[Tensor]:
        """Questions about the poses, in parts, one array each. moves (N,): poses that ICP may move."""
        total, claim = len(poses.claim), poses.claim
        level = self._numbers(surfaces) * len(GRAINS) + GRAINS.index(grain)
        last, longest = self._room(felt.arrays)
        size = FEW if total <= FEW else max(MOST_PAIRS // longest, FEW)
        asked = np.zeros((-(-total // size) * size, ASKED))
        asked[:total, :12], asked[:total, MODEL] = poses.values, level[claim]
        # padding is to explain the last array, which is empty
        asked[:, FELT], asked[:total, FELT] = last, felt.of[claim]
        if free is not None:
            asked[:, FREE], asked[:total, FREE] = self._room(free.arrays)[0], free.of[claim]
        asked[:total, MOVES] = 1.0 if moves is None else moves
        parts = [asked[low : low + size] for low in range(0, len(asked), size)]
        return [upload(part, "float64", self.device, True) for part in parts]

    def _room(self, arrays: Sequence[Floats]) -> tuple[int, int]:
        """The number of the last array there is room for, which is empty, and room for rows; both sizes are
        powers of two."""
        self._arrays = capacity(len(arrays) + 1, self._arrays)
        return self._arrays - 1, capacity(max(map(len, arrays)), LEAST_FELT)

    def _sent(self, given: Shared) -> Tensor:
        """The arrays on the device; what was sent of late is still there."""
        last, longest = self._room(given.arrays)
        for known, sent in self._latest:
            same = len(known) == len(given.arrays) and sent.shape[1] == last + 1
            if same and all(map(is_, known, given.arrays)):
                return sent
        sent = upload(_padded(given.arrays, last, longest), "float64", self.device, True)
        self._latest.append((given.arrays, sent))
        return sent

    def _read(self, *answers: Sequence[Tensor], poses: Poses) -> list[Floats]:
        """Answers in parts, each put together, after one wait; those beyond the last pose are padding."""
        values = iter(read([part for parts in answers for part in parts]))
        return [np.concatenate([next(values) for _ in parts])[: len(poses.claim)] for parts in answers]

    def _joined(self, parts: Sequence[Tensor], poses: Poses) -> Floats:
        return self._read(parts, poses=poses)[0]

    def _numbers(self, surfaces: Sequence[ModelSurface]) -> Indices:
        """(B,) the numbers of surfaces."""
        self.know(surfaces)
        return np.array([self._surfaces[id(each)][0] for each in surfaces], np.int64)


def _padded(arrays: Sequence[Floats], last: int, longest: int) -> Floats:
    """(columns + 1, arrays, rows), where the first of each of the last column is the number of rows."""
    columns = arrays[0].shape[1]
    values = np.zeros((columns + 1, last + 1, longest))
    for place, array in enumerate(arrays):
        values[:columns, place, : len(array)], values[columns, place, 0] = array.T, len(array)
    return values


def _tables(surfaces: Sequence[ModelSurface], device: str | None) -> tuple[Tables, int, int, int]:
    """The tables of these surfaces, the longest list of candidates, the longest way through a shell and the
    most nodes of one."""
    levels = [(getattr(each, grain), each.size) for each in surfaces for grain in GRAINS]
    grids = in_threads(lambda level: level.voxels, [level for level, _ in levels])
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
    starts.append(np.full(1, entries, np.int32))  # where the last list ends
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

    def table(values: npt.NDArray[np.generic], least: int, dtype: str, value: int = 0) -> Tensor:
        return upload(_filled_up(values, least, value).reshape(-1), dtype, device, True)

    tables = Tables(
        nodes=table(np.concatenate(nodes), NODES, "float64"),
        levels=table(rows, LEVELS, "float64"),
        starts=table(np.concatenate(starts), VOXELS, "int32", entries),
        candidates=table(np.concatenate(lists), ENTRIES, "int32"),
        shells=table(outlines, LEVELS, "float64"),
        filled=table(np.concatenate([each.filled for each in shells]), VOXELS, "uint8"),
    )
    return tables, longest, stepped(math.ceil(2 * across) + 2), stepped(max(sizes))


def _filled_up(values: npt.NDArray[np.generic], least: int, value: int) -> npt.NDArray[np.generic]:
    """Rows of `value` after the last, up to a power of two of them, `least` at least."""
    room = capacity(len(values), least) - len(values)
    return np.pad(values, ((0, room), *((0, 0),) * (values.ndim - 1)), constant_values=value)
