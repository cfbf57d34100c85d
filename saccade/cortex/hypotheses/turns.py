"""Rotations that are told by what they came from, and not stored: 4 bytes a hypothesis instead of 72.

A hypothesis of a burst was made of a node and of one way to read the pose sensed then, and its rotation never
changes: R = V^T S, with the node's vectors V, which the tables have, and the sensed ones S. So a hypothesis
keeps the number of both (`source`), and a row the poses that it sensed in its bursts (`sensed`). Readers
compute the rotation again.

    source = (place * C + channel) * N + node       place: among the poses sensed; C channels, N nodes at most

    nine = computed(TurnsOf(source, sensed, nodes, informed=True), source)      # (R, M, O, H) each
"""

from __future__ import annotations

from typing import NamedTuple

from saccade.cortex.geometry import Rotation
from saccade.cortex.hypotheses.tables import FIRST, NORMAL, ROW, SECOND
from saccade.cortex.ops import cast, integers, maximum, minimum, take, where
from saccade.tensor import Tensor

#: steps of bursts of one episode for whose poses there is room to begin with: 150 kB a row, where a row's
#: hypotheses take megabytes, and more room means other programs
BURST_STEPS = 256


class Turns(NamedTuple):
    """Which rotation each hypothesis has."""

    source: Tensor  # (R, M, O, H) int32
    sensed: Tensor  # (R, M, S, 9) poses sensed in bursts, in the dtype of rotations


class TurnsOf(NamedTuple):
    """The same within a program, with the nodes (M * O * N * ROW,) of each channel. informed: rotations are
    made of nodes, too; otherwise they are the poses themselves."""

    source: Tensor
    sensed: Tensor
    nodes: tuple[Tensor, ...]
    informed: bool


def computed(turns: TurnsOf, source: Tensor, place: Tensor | None = None) -> Rotation:
    """The nine components of the rotations of all sources (R, M, O, H), or of some; then `place` has their
    rows, modules and objects, numbered through."""
    rows, modules, objects, _ = turns.source.shape
    if place is None:
        place = integers(rows * modules * objects, source).reshape(rows, modules, objects, 1)
    place = cast(place, "int64")
    channels, slots = len(turns.nodes), turns.sensed.shape[2]
    sizes = [nodes.shape[0] // ROW // (modules * objects) for nodes in turns.nodes]
    # padding has any source: clipped, so that whatever it is, nothing outside is read
    source = minimum(maximum(source, 0), slots * channels * max(sizes) - 1)
    pair, node = source // max(sizes), source % max(sizes)
    flat = turns.sensed.reshape(-1)
    entry = ((place // objects) * slots + cast(pair // channels, "int64")) * 9
    sensed = [take(flat, entry + i) for i in range(9)]
    if not turns.informed:
        a, b, c, d, e, f, g, h, i = sensed
        return a, b, c, d, e, f, g, h, i
    model = place % (modules * objects)
    vectors: list[Tensor] | None = None
    for channel, (nodes, size) in enumerate(zip(turns.nodes, sizes, strict=True)):
        row = (model * size + cast(minimum(node, size - 1), "int64")) * ROW
        own = [take(nodes, row + begin + i) for begin in (NORMAL, FIRST, SECOND) for i in range(3)]
        if vectors is None:
            vectors = own
        else:
            chosen = pair % channels == channel
            vectors = [where(chosen, mine, other) for mine, other in zip(own, vectors, strict=True)]
    assert vectors is not None
    v = [cast(part, flat) for part in vectors]
    a, b, c, d, e, f, g, h, i = (
        v[row] * sensed[column] + v[3 + row] * sensed[3 + column] + v[6 + row] * sensed[6 + column]
        for row in range(3)
        for column in range(3)
    )
    return a, b, c, d, e, f, g, h, i


def noted(sensed: Tensor, sets: Tensor, slot: Tensor) -> Tensor:
    """Poses sensed (R, M, S, 9), with the ways to read another (R, M, P, 9) at `slot` (R, M) and after it;
    where that is S or more they are as they were."""
    slots, ways = sensed.shape[2], sets.shape[2]
    way = integers(slots, slot) - slot.unsqueeze(-1)
    here = (way >= 0) & (way < ways)
    index = minimum(maximum(way, 0), ways - 1).unsqueeze(-1).expand(*sensed.shape)
    return where(here.unsqueeze(-1), sets.gather(2, cast(index, "int64")), sensed)


def sources(slot: Tensor, way: Tensor, node: Tensor, channel: int, channels: int, nodes: int) -> Tensor:
    """(R, M, O, K) of hypotheses made of nodes and ways (R, M, O, K) to read the pose noted at `slot` (R, M);
    nodes: the most of any channel."""
    place = slot.unsqueeze(-1).unsqueeze(-1) + way
    return cast((place * channels + channel) * nodes + node, "int32")
