"""Hypotheses on the device: capacity-padded buffers with a count per object, and the operations that never
reshape.

Axes are rows R (parallel episodes), modules M, objects O, capacity H; entries from `counts` on are padding
and mean nothing. Vectors and rotations are tuples of components (see geometry). All operations are pure
functions of fixed shape, so counts may change, reach zero or fill the capacity without a new program; only
`grown` makes a larger shape.

    displace   location + rotation @ displacement
    start      append one pose per node and way to read the sensed pose: index = j * N + node
    compact    keep the marked hypotheses, in order
    grown      the same hypotheses with room for more
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from saccade.cortex.geometry import Rotation, Vector, add, rotate, vector_cast
from saccade.cortex.hypotheses.tables import FIRST, NORMAL, POSITION, ROW, SECOND, ChannelTable
from saccade.cortex.hypotheses.turns import Turns, TurnsOf, computed
from saccade.cortex.ops import blank, cast, existing, integers, maximum, minimum, put, take, where
from saccade.tensor import Tensor


class Hypotheses(NamedTuple):
    evidence: Tensor  # (R, M, O, H)
    location: Vector  # 3 x (R, M, O, H) object frame
    #: body to object: 9 x (R, M, O, H) row after row, or what they are computed of
    rotation: Rotation | Turns | TurnsOf
    possible: Tensor  # (R, M, O, H) bool: possible at the last end check
    counts: Tensor  # (R, M, O) int32

    @property
    def shape(self) -> tuple[int, int, int, int]:
        r, m, o, h = self.evidence.shape
        return r, m, o, h


class Poses(NamedTuple):
    """Ways to read the sensed pose of one channel, made on the host (geometry.sensed_sets)."""

    sets: Tensor  # (R, M, P, 9)
    number: Tensor  # (R, M) int32, at most P
    slot: Tensor | tuple[()] = ()  # (R, M) int32 where they are noted, see `turns`; nothing if they are not


def empty(
    rows: int,
    modules: int,
    objects: int,
    size: int,
    dtype: str,
    rotation_dtype: str,
    device: str | None,
    sensed: int = 0,
) -> Hypotheses:
    """Room for `size` hypotheses of every object, and none in it. sensed: poses of bursts that rotations are
    told by; without, these are stored."""
    shape = (rows, modules, objects, size)

    def zeros(kind: str = dtype) -> Tensor:
        # memory, not a constant: programs must not be compiled for a state that is known to be zero
        return blank(shape, kind, device)

    rotation: Rotation | Turns
    if sensed:
        rotation = Turns(zeros("int32"), blank((rows, modules, sensed, 9), rotation_dtype, device))
    else:
        rotation = _rotation([zeros(rotation_dtype) for _ in range(9)])
    return Hypotheses(
        evidence=zeros(),
        location=(zeros(), zeros(), zeros()),
        rotation=rotation,
        possible=zeros("bool"),
        counts=blank(shape[:3], "int32", device),
    )


def valid(hypotheses: Hypotheses) -> Tensor:
    """(R, M, O, H) which entries exist."""
    return integers(hypotheses.shape[3], hypotheses.evidence) < hypotheses.counts.unsqueeze(-1)


def displace(hypotheses: Hypotheses, displacement: Vector) -> Hypotheses:
    """Move every hypothesis by a body-frame displacement whose components broadcast to (R, M, O, H)."""
    turned = rotate(rotations(hypotheses), displacement)
    moved = add(hypotheses.location, vector_cast(turned, hypotheses.location[0]))
    return hypotheses._replace(location=moved)


def mean_evidence(hypotheses: Hypotheses, counts: Tensor | None = None) -> Tensor:
    """(R, M, O) mean evidence of each object's first `counts` hypotheses (all by default), 0 where there
    are none.
    """
    number = hypotheses.counts if counts is None else counts
    there = integers(hypotheses.shape[3], hypotheses.evidence) < number.unsqueeze(-1)
    total = where(there, hypotheses.evidence, 0.0).sum(-1)
    return total / cast(maximum(number, 1), total)


def new_pose(
    table: ChannelTable, node: Tensor, way: Tensor, poses: Poses, informed: bool
) -> tuple[Vector, Rotation]:
    """Location and rotation for global node numbers and ways to read the pose, both (R, M, O, H).

    Informed rotations send each sensed row to the node's row: R = V^T S. Others are the given matrices
    themselves.
    """
    row = cast(node, "int64") * ROW
    rows, modules, number, _ = poses.sets.shape
    own = integers(rows * modules, node).reshape(rows, modules, 1, 1)
    entry = (cast(own, "int64") * number + cast(way, "int64")) * 9
    flat = poses.sets.reshape(-1)

    def column(i: int) -> Tensor:
        return take(table.nodes, row + i)

    sensed = [take(flat, entry + i) for i in range(9)]
    location = (column(POSITION), column(POSITION + 1), column(POSITION + 2))
    if not informed:
        return location, _rotation(sensed)
    vectors = [[cast(column(begin + i), flat) for i in range(3)] for begin in (NORMAL, FIRST, SECOND)]
    turned = [
        vectors[0][a] * sensed[b] + vectors[1][a] * sensed[3 + b] + vectors[2][a] * sensed[6 + b]
        for a in range(3)
        for b in range(3)
    ]
    return location, _rotation(turned)


def _rotation(parts: Sequence[Tensor]) -> Rotation:
    a, b, c, d, e, f, g, h, i = parts
    return a, b, c, d, e, f, g, h, i


def with_tables(hypotheses: Hypotheses, tables: Sequence[ChannelTable], informed: bool) -> Hypotheses:
    """Hypotheses whose rotations can be computed: what a program that needs them begins with."""
    turns = hypotheses.rotation
    if not isinstance(turns, Turns):
        return hypotheses
    return hypotheses._replace(rotation=TurnsOf(*turns, tuple(table.nodes for table in tables), informed))


def without_tables(hypotheses: Hypotheses) -> Hypotheses:
    """Hypotheses as they go from step to step."""
    turns = hypotheses.rotation
    if not isinstance(turns, TurnsOf):
        return hypotheses
    return hypotheses._replace(rotation=Turns(turns.source, turns.sensed))


def same(value: Tensor) -> Tensor:
    return value


def rotations(
    hypotheses: Hypotheses, at: Callable[[Tensor], Tensor] = same, place: Tensor | None = None
) -> Rotation:
    """The nine components of all rotations (R, M, O, H), or of those that `at` takes of such a tensor; then
    `place` has their rows, modules and objects, numbered through."""
    turns = hypotheses.rotation
    if isinstance(turns, TurnsOf):
        return computed(turns, at(turns.source), place)
    assert not isinstance(turns, Turns), "a program with rotations begins with `with_tables`"
    return _rotation([at(part) for part in turns])


def turned(rotation: Rotation | Turns | TurnsOf, change: Callable[[Tensor], Tensor]) -> Any:
    """What is kept of every rotation, changed."""
    if isinstance(rotation, (Turns, TurnsOf)):
        return rotation._replace(source=change(rotation.source))
    return _rotation([change(part) for part in rotation])


def merge(
    keep: Tensor, old: Hypotheses, evidence: Tensor, location: Vector, rotation: Sequence[Tensor]
) -> Hypotheses:
    """`old` where `keep`, the new values (not flagged as possible) elsewhere; counts are left to the
    caller.
    """
    where3 = [where(keep, a, b) for a, b in zip(old.location, location, strict=True)]
    fresh = iter(rotation)
    return Hypotheses(
        evidence=where(keep, old.evidence, evidence),
        location=(where3[0], where3[1], where3[2]),
        rotation=turned(old.rotation, lambda part: where(keep, part, next(fresh))),
        possible=old.possible & keep,
        counts=old.counts,
    )


def global_node(table: ChannelTable, node: Tensor, capacity: int) -> Tensor:
    """Node numbers within a model -> numbers in the flat table; (R, M, O, H) both."""
    modules, objects = table.counts.shape
    model = integers(modules * objects, node).reshape(1, modules, objects, 1)
    return model * capacity + node


def start(
    hypotheses: Hypotheses,
    begin: Tensor,
    settled: Tensor,
    table: ChannelTable,
    scores: Tensor,
    poses: Poses,
    informed: bool,
) -> Hypotheses:
    """Append the initial hypotheses of one channel where `begin` (R, M, O) says so.

    Their evidence is the node's score (R, M, O, N), plus the mean evidence of the `settled` (R, M, O)
    hypotheses the object had before this step: a channel that joins late starts level with what others have
    gathered.
    """
    size = hypotheses.shape[3]
    nodes = table.counts.unsqueeze(0)
    added = where(begin, nodes * poses.number.unsqueeze(-1), 0)
    old = hypotheses.counts.unsqueeze(-1)
    ordinal = maximum(integers(size, hypotheses.evidence) - old, 0)
    per_way = maximum(nodes, 1).unsqueeze(-1)
    way = minimum(ordinal // per_way, poses.sets.shape[2] - 1)
    node = ordinal % per_way
    location, rotation = new_pose(table, global_node(table, node, scores.shape[3]), way, poses, informed)
    fresh = scores.gather(-1, cast(node, "int64"))
    fresh = fresh + mean_evidence(hypotheses, settled).unsqueeze(-1)
    known = integers(size, hypotheses.evidence) < old
    merged = merge(known | ~begin.unsqueeze(-1), hypotheses, fresh, location, rotation)
    return merged._replace(counts=minimum(hypotheses.counts + added, size))


def count(mask: Tensor) -> Tensor:
    """(...) int32 how many of (..., H) hold; the loop ends where the mask does."""
    one = Tensor.full((), 1, dtype="int32", device=mask.device)
    return cast(where(mask, one, 0).sum(-1), "int32")


def kept_order(keep: Tensor) -> tuple[Tensor, Tensor]:
    """For a mask (..., H): which old entry each new place takes (..., H), and how many were kept (...),
    both int32.

    Places beyond the kept ones take entry 0. Running sums give every kept entry its place; a scatter
    inverts that.
    """
    size = keep.shape[-1]
    ones = cast(keep, "int32")
    place = ones.cumsum(-1).cast("int32") - 1
    # stored, so that masks made of it are cheap enough for every reader to make its own
    number = count(keep).contiguous()
    target = where(keep, place, -1)  # what is dropped has no place
    return put(cast(target, "int64"), integers(size, keep).expand(*keep.shape), size), number


def within(index: Tensor, size: int) -> Tensor:
    """`index` as one that is known to lie in range, so that loads need no test."""
    return minimum(maximum(index, 0), size - 1)


def reorder(hypotheses: Hypotheses, order: Tensor, counts: Tensor) -> Hypotheses:
    """Entry k becomes the old entry order[k]."""
    index = within(order, hypotheses.shape[3])

    def moved(value: Tensor) -> Tensor:
        return value.gather(-1, index)

    a, b, c = (moved(value) for value in hypotheses.location)
    return Hypotheses(
        evidence=moved(hypotheses.evidence),
        location=(a, b, c),
        rotation=turned(hypotheses.rotation, moved),
        possible=moved(hypotheses.possible),
        counts=counts,
    )


def padded(hypotheses: Hypotheses) -> Hypotheses:
    """The same without values for padding: at the end of a change this spares computing what nobody reads.
    Stored, for what follows reads parts of it several times.
    """
    there = valid(hypotheses)
    x, y, z = (existing(there, value) for value in hypotheses.location)
    return Hypotheses(
        evidence=existing(there, hypotheses.evidence).contiguous(),
        location=(x, y, z),
        rotation=turned(hypotheses.rotation, lambda value: existing(there, value)),
        possible=(hypotheses.possible & there).contiguous(),
        counts=hypotheses.counts,
    )


def compact(hypotheses: Hypotheses, keep: Tensor) -> Hypotheses:
    """Only the marked hypotheses, in their old order."""
    order, number = kept_order(keep & valid(hypotheses))
    return reorder(hypotheses, order, number)


def widen(value: Tensor, axis: int, size: int) -> Tensor:
    """`value` with zeros appended along `axis` until it has `size` entries."""
    shape = list(value.shape)
    axis %= len(shape)
    shape[axis] = size - shape[axis]
    if shape[axis] == 0:
        return value
    return Tensor.cat([value, Tensor.zeros(tuple(shape), dtype=value.dtype, device=value.device)], dim=axis)


def grown(hypotheses: Hypotheses, objects: int, size: int) -> Hypotheses:
    """The same hypotheses with room for `objects` objects of `size` hypotheses each."""

    def wide(value: Tensor) -> Tensor:
        return widen(widen(value, 3, size), 2, objects)

    a, b, c = (wide(value) for value in hypotheses.location)
    return Hypotheses(
        evidence=wide(hypotheses.evidence),
        location=(a, b, c),
        rotation=turned(hypotheses.rotation, wide),
        possible=wide(hypotheses.possible),
        counts=widen(hypotheses.counts, 2, objects),
    )
