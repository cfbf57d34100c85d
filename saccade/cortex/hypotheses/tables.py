"""Object models of several modules as flat device tables, one set of tables per channel.

Modules x objects x nodes are padded to common capacities of few sizes, so that an object or a node more
seldom changes the shape of a program. A node is a row of `ROW` numbers in one flat table;
voxel tables of all models are laid end to end. The nodes of a large model are in spatial order
(`neighbours.spatial_order`), and hypotheses are numbered by that.

    in   memories: per module the list of its object models; settings; channel names
    out  Tables (tensors, an input of the programs) and TableShape (plain numbers, part of the program)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.hypotheses.neighbours import EDGE_SHARE, MOST_IN_ALL, VoxelTable, spatial_order
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.ops import upload
from saccade.cortex.settings import EvidenceSettings
from saccade.reproducible.threads import in_threads
from saccade.tensor import Tensor

#: numbers per node, in vectors of four so that a node is loaded in few accesses: position 3 and the flag;
#: normal 3; first direction 3; second direction 3
ROW = 16
POSITION, FLAG, NORMAL, FIRST, SECOND = 0, 3, 4, 8, 12
#: numbers per node in the tables that searches read: position; normal, flag and first direction. These have
#: a power of two of rows, so that wrapping a node's number replaces the test whether it is one
PLACE, FACING = 4, 8
#: lists begin at multiples of this, so that so many entries are one load of 16 bytes
TOGETHER = 8
#: below this many nodes all of them are compared; measured in bench/evidence.py
BRUTE_FORCE_UP_TO = 24
#: the least nodes that tables have room for, and the least voxels and entries of lists, which some eight
#: models fill: other models, or one more, then have the same programs
LEAST_NODES, LEAST_VOXELS, LEAST_ENTRIES = 16, 1 << 18, 1 << 21
#: and of the longest list of a voxel
LEAST_LIST = 16


class ChannelTable(NamedTuple):
    """All models of all modules for one channel; M modules, O objects, N nodes, F feature columns."""

    counts: Tensor  # (M, O) int32 nodes of each model
    nodes: Tensor  # (M * O * N * ROW,)
    places: Tensor  # (rows * PLACE,) positions of the nodes, for searches: small, so that they stay in caches
    facing: Tensor  # (rows * FACING,) their normals, flags and first directions
    features: Tensor  # (M, O, N, F)
    origin: tuple[Tensor, Tensor, Tensor]  # (M, O) each, lowest corner of the voxel grid
    extent: tuple[Tensor, Tensor, Tensor]  # (M, O) int32 each, voxels along each axis
    first_voxel: Tensor  # (M, O) int32 where the model's voxels begin
    lists: (
        Tensor  # (voxels,) where the list of a voxel begins, in units of TOGETHER, and its length: one word
    )
    candidates: Tensor  # (entries,) numbers of nodes within their model, in few bytes: lists fill the caches


@dataclass(frozen=True)
class TableShape:
    """The numbers a program is compiled for."""

    modules: int
    objects: int
    nodes: int  # node capacity N
    longest: int  # longest candidate list; 0 means brute force over the nodes
    all_candidates_count: bool  # no list is longer than the number of neighbours: nothing to select
    edge: float

    @property
    def length_bits(self) -> int:
        """Bits of a list's length in the word of its voxel."""
        return self.longest.bit_length()


def capacity(needed: int, least: int = 1) -> int:
    """The smallest power of two times `least` (at least 1) that holds `needed`."""
    size = max(least, 1)
    while size < needed:
        size *= 2
    return size


def stepped(needed: int, least: int = 8) -> int:
    """The smallest size that holds `needed` among multiples of `least` and, above eight times that, eighths
    of powers of two. Programs are compiled per size: models that differ by a few nodes share them, for at
    most an eighth more room.

    >>> [stepped(n) for n in (1, 8, 9, 65, 1272, 1281)], stepped(5, 1), stepped(231, 1)
    ([8, 8, 16, 72, 1280, 1408], 5, 240)
    """
    step = max(least, capacity(needed + 1) // 16)
    return max(-(-needed // step) * step, least)


def table_nodes(most: int) -> int:
    """Nodes that tables have room for where the largest model has so many."""
    return 1 if most <= 1 else stepped(most, LEAST_NODES)


def table_objects(memories: Sequence[Sequence[ObjectModel]]) -> int:
    """Objects that tables have room for where modules know these models. Those beyond them have no nodes, and
    so no hypotheses; one alone stays alone, for nothing competes with it."""
    most = max(map(len, memories), default=0)
    return 1 if most <= 1 else stepped(most, 2)


def build_channel(
    memories: Sequence[Sequence[ObjectModel]],
    names: Sequence[str],
    settings: EvidenceSettings,
    objects: int,
    device: str | None,
) -> tuple[ChannelTable, TableShape]:
    """Tables of one channel, which module m calls names[m]; models without it have a node count of 0."""
    layout = settings.layout(names[0])
    sets = [
        [model.channels.get(name) for model in memory] for memory, name in zip(memories, names, strict=True)
    ]
    most = max((len(nodes) for row in sets for nodes in row if nodes is not None), default=0)
    n = table_nodes(most)
    lead = (len(memories), objects)
    counts = np.zeros(lead, np.int32)
    rows = np.zeros((*lead, n, ROW), np.float64)
    features = np.zeros((*lead, n, max(layout.width, 1)), np.float64)
    for m, row in enumerate(sets):
        for o, nodes in enumerate(row):
            if nodes is not None and len(nodes):
                counts[m, o] = len(nodes)
                order = spatial_order(nodes.positions)
                rows[m, o, : len(nodes)] = node_rows(nodes)[order]
                where = f"model {memories[m][o].name!r}, channel {names[m]!r}"
                features[m, o, : len(nodes), : layout.width] = nodes.columns(layout, where)[order]
    brute = settings.neighbour_search == "brute" or (
        settings.neighbour_search == "auto" and most <= BRUTE_FORCE_UP_TO
    )
    grids = _Grids.join(sets, lead, settings, skip=brute)
    real, small = settings.dtype, "int32"
    table = ChannelTable(
        counts=upload(counts, small, device),
        nodes=upload(rows.reshape(-1), real, device),
        places=upload(_searched(rows, [0, 1, 2, FLAG]), real, device),
        facing=upload(_searched(rows, [4, 5, 6, FLAG, 8, 9, 10, 11]), real, device),
        features=upload(features, real, device),
        origin=_three(grids.origin, real, device),
        extent=_three(grids.extent, small, device),
        first_voxel=upload(grids.first, small, device),
        lists=upload(grids.words, "int32" if grids.words.max(initial=0) < 1 << 31 else "int64", device),
        candidates=upload(grids.candidates, "uint16" if n <= 1 << 16 else small, device),
    )
    every = grids.longest <= settings.max_nneighbors
    return table, TableShape(*lead, n, 0 if brute else grids.padded, every and not brute, grids.edge)


def node_rows(nodes: NodeSet) -> npt.NDArray[np.float64]:
    """(N, ROW) one row per node."""
    vectors = nodes.pose_vectors.astype(np.float64)
    rows = np.zeros((len(nodes), ROW))
    rows[:, POSITION : POSITION + 3] = nodes.positions
    rows[:, FLAG] = nodes.fully_defined
    for begin, axis in ((NORMAL, 0), (FIRST, 1), (SECOND, 2)):
        rows[:, begin : begin + 3] = vectors[:, axis]
    return rows


def _searched(rows: npt.NDArray[np.float64], columns: list[int]) -> npt.NDArray[np.float64]:
    """Some columns of all nodes, flat, as many rows as a power of two."""
    chosen = rows[..., columns].reshape(-1, len(columns))
    return np.pad(chosen, ((0, capacity(len(chosen)) - len(chosen)), (0, 0))).reshape(-1)


def _three(values: npt.NDArray[np.generic], dtype: str, device: str | None) -> tuple[Tensor, Tensor, Tensor]:
    a, b, c = (upload(values[..., i], dtype, device) for i in range(3))
    return a, b, c


def make_voxels(nodes: Iterable[NodeSet], settings: EvidenceSettings) -> None:
    """Make the voxel tables of these nodes, by all threads, for whoever asks for them next."""
    every = {id(each): each for each in nodes if len(each)}
    in_threads(lambda each: _voxels(each, settings), every.values())


def _voxels(nodes: NodeSet, settings: EvidenceSettings) -> VoxelTable:
    """The voxel table of a set of nodes, made once however many modules and banks know it."""
    radius = settings.max_match_distance
    if radius not in nodes.voxels:
        ordered = nodes.positions[spatial_order(nodes.positions)]
        nodes.voxels[radius] = VoxelTable.build(ordered, radius, radius * EDGE_SHARE)
    return nodes.voxels[radius]


@dataclass(frozen=True)
class _Grids:
    """The voxel tables of all models, joined; modules that know the same nodes share a table."""

    origin: npt.NDArray[np.float64]  # (M, O, 3)
    extent: npt.NDArray[np.int32]  # (M, O, 3)
    first: npt.NDArray[np.int32]  # (M, O)
    words: npt.NDArray[np.int64]  # (voxels,)
    candidates: npt.NDArray[np.int32]
    longest: int
    padded: int
    edge: float

    @staticmethod
    def join(
        sets: Sequence[Sequence[NodeSet | None]],
        lead: tuple[int, int],
        settings: EvidenceSettings,
        skip: bool,
    ) -> _Grids:
        origin, extent = np.zeros((*lead, 3)), np.zeros((*lead, 3), np.int32)
        first = np.zeros(lead, np.int32)
        begun: dict[int, int] = {}  # by the identity of nodes: where their voxels begin
        used: list[VoxelTable] = []
        voxels = 1  # the first has an empty list
        edge = settings.max_match_distance * EDGE_SHARE
        if not skip:
            make_voxels((nodes for row in sets for nodes in row if nodes is not None), settings)
        for m, row in enumerate(sets):
            for o, nodes in enumerate(row):
                if skip or nodes is None or not len(nodes):
                    continue
                table = _voxels(nodes, settings)
                if id(nodes) not in begun:
                    begun[id(nodes)] = voxels
                    used.append(table)
                    voxels += len(table.start)
                origin[m, o], extent[m, o], first[m, o] = table.origin, table.shape, begun[id(nodes)]
                if voxels > MOST_IN_ALL:
                    raise ValueError(
                        f"a match distance of {settings.max_match_distance:g} m is too small for so many "
                        f"models: their space would be cut into more than {MOST_IN_ALL:.1e} voxels; use a "
                        "larger one, or fewer objects"
                    )
        longest = max((table.longest for table in used), default=0)
        padded = stepped(longest, LEAST_LIST)
        counts = np.concatenate([np.zeros(1, np.int32), *(table.count for table in used)])
        words, candidates = _laid_out(
            counts, np.concatenate([np.zeros(0, np.int32), *(t.nodes for t in used)]), padded.bit_length()
        )
        room, entries = (
            capacity(needed, 64 if skip else least)
            for needed, least in ((voxels, LEAST_VOXELS), (len(candidates), LEAST_ENTRIES))
        )
        # a reader may look `padded` entries past any start
        return _Grids(
            origin, extent, first,
            np.pad(words, (0, room - voxels)),
            np.pad(candidates, (0, entries + padded - len(candidates))),
            longest, padded, edge,
        )  # fmt: skip


def _laid_out(
    counts: npt.NDArray[np.int32], entries: npt.NDArray[np.int32], bits: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Lists of so many entries, one after the other -> the word of each list, and the entries with every
    list at a multiple of TOGETHER."""
    groups = -(-counts.astype(np.int64) // TOGETHER)
    end = np.cumsum(groups)
    start = end - groups
    placed = np.zeros(int(end[-1]) * TOGETHER, np.int32)
    before = np.cumsum(counts, dtype=np.int64) - counts
    placed[np.arange(len(entries)) + np.repeat(start * TOGETHER - before, counts)] = entries
    return start << bits | counts, placed
