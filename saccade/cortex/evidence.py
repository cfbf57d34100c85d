"""How much one percept speaks for or against every hypothesis: one value in [-1, 2] per hypothesis and
channel.

For a hypothesis at location L with rotation R the sensed pose is turned into the object frame, the nodes
near L are looked up, and each of at most K nearest nodes is judged:

* *reach*: its distance, plus its distance from the sensed tangent plane divided by (curvature + 0.5), must
be below r;
* *pose*: 1/2 - sqrt((1 - n.n')/2) for the normals, 1/2 - sqrt(1 - (d.d')^2) for the first directions (which
are axes);
* *features*: the node's score for this percept, computed once per node.

The best node counts; without a node in reach the value is -1. All of it is elementwise arithmetic around
one gather per node and one reduction over candidates, so that it can become a single kernel. The mask
`candidate < count` is the outermost `where` of the reduced value: that makes the loop over candidates end
at the loaded count.

    in   locations, rotations (R, M, O, H); a percept per (row, module); tables of one channel; node scores
    (R, M, O, N) out  (R, M, O, H)
"""

from __future__ import annotations

from typing import NamedTuple

from saccade.cortex.geometry import Rotation, Vector, dot, rotate, subtract, vector_cast
from saccade.cortex.ops import cast, clip, highest, integers, logical_and, nearest, take, where
from saccade.cortex.settings import EvidenceSettings
from saccade.cortex.tables import FIRST, FLAG, NORMAL, POSITION, ROW, ChannelTable, TableShape
from saccade.tensor import Tensor

#: the value of a hypothesis without any node in reach
NOTHING_NEAR = -1.0


class Sensed(NamedTuple):
    """One channel's percept per row and module, shaped (R, M, 1, 1) to meet hypotheses."""

    normal: Vector  # in the dtype of rotations, as is `first`
    first: Vector
    fully_defined: Tensor  # 1 or 0
    curvature: Tensor
    features: Tensor  # (R, M, F)
    usable: Tensor  # (R, M) bool: present, and its features count


def pose_evidence(
    normal_agreement: Tensor,
    first_agreement: Tensor,
    node_defined: Tensor,
    sensed_defined: Tensor,
    weights: tuple[float, float],
) -> Tensor:
    """In [-1, 1] from two dot products; the direction part counts only where both poses are fully defined."""
    # the differences are taken in the precision of the rotations, before anything is rounded
    half_sine = cast((1.0 - clip(normal_agreement, -1.0, 1.0)) * 0.5, node_defined).sqrt()
    cosine = clip(first_agreement, -1.0, 1.0)
    sine = cast(1.0 - cosine * cosine, node_defined).sqrt()
    normal_part = 0.5 - half_sine
    direction_part = (0.5 - sine) * (node_defined * sensed_defined)
    return normal_part * weights[0] + direction_part * weights[1]


def reach_distance(offset: Vector, normal: Vector, distance: Tensor, curvature: Tensor) -> Tensor:
    """The distance that is compared with r: leaving the tangent plane costs extra, less on curved spots."""
    return distance + dot(offset, normal).abs() / (curvature.abs() + 0.5)


class Query(NamedTuple):
    """One hypothesis' question to a model; every entry is (R, M, O, H)."""

    location: Vector
    normal: Vector
    first: Vector


def ask(location: Vector, rotation: Rotation, sensed: Sensed) -> Query:
    return Query(location, rotate(rotation, sensed.normal), rotate(rotation, sensed.first))


def node_position(table: ChannelTable, node: Tensor) -> Vector:
    row = cast(node, "int64") * ROW
    return (
        take(table.nodes, row + POSITION),
        take(table.nodes, row + POSITION + 1),
        take(table.nodes, row + POSITION + 2),
    )


def judge(
    node: Tensor,
    query: Query,
    sensed: Sensed,
    table: ChannelTable,
    scores: Tensor,
    settings: EvidenceSettings,
) -> Tensor:
    """The value of each candidate node (R, M, O, H, candidates), NOTHING_NEAR where it is out of reach."""
    row = cast(node, "int64") * ROW

    def column(i: int) -> Tensor:
        return take(table.nodes, row + i)

    def wide(value: Tensor) -> Tensor:
        return value.unsqueeze(-1)

    location = (wide(query.location[0]), wide(query.location[1]), wide(query.location[2]))
    normal = (wide(query.normal[0]), wide(query.normal[1]), wide(query.normal[2]))
    first = (wide(query.first[0]), wide(query.first[1]), wide(query.first[2]))
    offset = subtract((column(POSITION), column(POSITION + 1), column(POSITION + 2)), location)
    plain_normal = vector_cast(normal, offset[0])
    distance = reach_distance(offset, plain_normal, dot(offset, offset).sqrt(), wide(sensed.curvature))
    pose = pose_evidence(
        dot(vector_cast((column(NORMAL), column(NORMAL + 1), column(NORMAL + 2)), normal[0]), normal),
        dot(vector_cast((column(FIRST), column(FIRST + 1), column(FIRST + 2)), first[0]), first),
        column(FLAG),
        wide(sensed.fully_defined),
        settings.pose_weights,
    )
    per_row = table.nodes.shape[0] // ROW
    own_row = cast(integers(scores.shape[0], scores), "int64").reshape(-1, 1, 1, 1, 1) * per_row
    features = take(scores.reshape(-1), own_row + cast(node, "int64"))
    return where(distance < settings.max_match_distance, pose + features, NOTHING_NEAR)


def channel_evidence(
    location: Vector,
    rotation: Rotation,
    tested: Tensor,
    sensed: Sensed,
    table: ChannelTable,
    shape: TableShape,
    scores: Tensor,
    settings: EvidenceSettings,
) -> Tensor:
    """The best node's value for every tested hypothesis (R, M, O, H); NOTHING_NEAR for the others."""
    query = ask(location, rotation, sensed)
    if shape.longest == 0:
        return _over_all_nodes(query, tested, sensed, table, shape, scores, settings)
    start, count = _candidate_list(location, tested, table, shape)
    slot = integers(shape.longest, scores)
    listed = slot < count.unsqueeze(-1)
    node = take(table.candidates, start.unsqueeze(-1) + slot)
    if shape.all_candidates_count:
        value = judge(node, query, sensed, table, scores, settings)
        return highest(where(listed, value, NOTHING_NEAR))
    offset = _offset(table, node, query)
    distances = where(listed, dot(offset, offset), float("inf"))
    found, slots = nearest(distances, min(settings.max_nneighbors, shape.longest))
    chosen = take(table.candidates, start.unsqueeze(-1) + cast(slots, "int32"))
    value = judge(chosen, query, sensed, table, scores, settings)
    return highest(where(found < float("inf"), value, NOTHING_NEAR))


def _offset(table: ChannelTable, node: Tensor, query: Query) -> Vector:
    at = node_position(table, node)
    return (
        at[0] - query.location[0].unsqueeze(-1),
        at[1] - query.location[1].unsqueeze(-1),
        at[2] - query.location[2].unsqueeze(-1),
    )


def _candidate_list(
    location: Vector, tested: Tensor, table: ChannelTable, shape: TableShape
) -> tuple[Tensor, Tensor]:
    """Where the candidates of every hypothesis begin and how many there are; none outside the grid."""
    inside = tested
    number = None
    for axis in range(3):
        origin, extent = _per_model(table.origin[axis]), _per_model(table.extent[axis])
        # clipped before the cast: a location far away must not overflow the integer
        cell = clip(((location[axis] - origin) * (1.0 / shape.edge)).floor(), -1.0, 1e6)
        cell = cast(cell, "int32")
        inside = logical_and(inside, cell >= 0, cell < extent)
        number = cell if number is None else number * extent + cell
    assert number is not None
    voxel = where(inside, number + _per_model(table.first_voxel), 0)
    return take(table.list_start, voxel), where(inside, take(table.list_length, voxel), 0)


def _per_model(value: Tensor) -> Tensor:
    """(M, O) -> (1, M, O, 1)."""
    return value.unsqueeze(-1).unsqueeze(0)


def _over_all_nodes(
    query: Query,
    tested: Tensor,
    sensed: Sensed,
    table: ChannelTable,
    shape: TableShape,
    scores: Tensor,
    settings: EvidenceSettings,
) -> Tensor:
    """Brute force: the K nearest of all nodes of the model."""
    modules, objects, n = shape.modules, shape.objects, shape.nodes
    model = integers(modules * objects, scores).reshape(1, modules, objects, 1)
    base = (model * n).expand(*tested.shape)
    slot = integers(n, scores)
    node = base.unsqueeze(-1) + slot
    count = where(tested, _per_model(table.counts), 0)
    offset = _offset(table, node, query)
    distances = where(slot < count.unsqueeze(-1), dot(offset, offset), float("inf"))
    found, slots = nearest(distances, min(settings.max_nneighbors, n))
    chosen = base.unsqueeze(-1) + cast(slots, "int32")
    value = judge(chosen, query, sensed, table, scores, settings)
    return highest(where(found < float("inf"), value, NOTHING_NEAR))
