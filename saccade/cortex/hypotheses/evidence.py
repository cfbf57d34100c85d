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
gathers and reductions over candidates, so that it can become a single kernel. The mask `candidate < number`
is the outermost `where` of every reduced value: that makes each loop over candidates end at the loaded
number, which is 0 for what need not be looked at.

    in   locations, rotations (R, M, O, H); a percept per (row, module); one channel's tables;
         node scores (R, M, O, N)
    out  (R, M, O, H)
"""

from __future__ import annotations

from typing import NamedTuple

from saccade.cortex.geometry import Rotation, Vector, dot, rotate, subtract, vector_cast, widened
from saccade.cortex.hypotheses.tables import (
    FACING,
    PLACE,
    ROW,
    TOGETHER,
    ChannelTable,
    TableShape,
)
from saccade.cortex.ops import cast, clip, highest, integers, logical_and, maximum, nearest, take, where
from saccade.cortex.settings import EvidenceSettings
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
    # the differences are taken in the precision of the rotations, before anything is rounded; what rounding
    # made of dot products beyond 1 is cut off behind them, in the working precision
    half_sine = clip(cast((1.0 - normal_agreement) * 0.5, node_defined), 0.0, 1.0).sqrt()
    sine = maximum(cast(1.0 - first_agreement * first_agreement, node_defined), 0.0).sqrt()
    normal_part = 0.5 - half_sine
    direction_part = (0.5 - sine) * (node_defined * sensed_defined)
    return normal_part * weights[0] + direction_part * weights[1]


def reach_distance(offset: Vector, normal: Vector, distance: Tensor, curvature: Tensor) -> Tensor:
    """The distance that is compared with r: leaving the tangent plane costs extra, less on curved spots."""
    return distance + dot(offset, normal).abs() * (1.0 / (curvature.abs() + 0.5))


class Query(NamedTuple):
    """One hypothesis' question to a model; every entry is (R, M, O, H)."""

    location: Vector
    normal: Vector
    first: Vector


def ask(location: Vector, rotation: Rotation, sensed: Sensed) -> Query:
    return Query(location, rotate(rotation, sensed.normal), rotate(rotation, sensed.first))


def wrapped(index: Tensor, size: int) -> Tensor:
    """`index` modulo a power of two, as an address: it is in range, and nobody need test it."""
    return cast(index & (size - 1), "int64")


def node_position(table: ChannelTable, node: Tensor) -> Vector:
    row = wrapped(node, table.places.shape[0] // PLACE) * PLACE
    return take(table.places, row), take(table.places, row + 1), take(table.places, row + 2)


def node_value(
    node: Tensor,
    query: Query,
    sensed: Sensed,
    table: ChannelTable,
    scores: Tensor,
    settings: EvidenceSettings,
) -> Tensor:
    """What each candidate node (R, M, O, H, candidates) would say if it is in reach."""
    row = wrapped(node, table.facing.shape[0] // FACING) * FACING

    def column(i: int) -> Tensor:
        return take(table.facing, row + i)

    normal, first = widened(query.normal), widened(query.first)
    pose = pose_evidence(
        dot(vector_cast((column(0), column(1), column(2)), normal[0]), normal),
        dot(vector_cast((column(4), column(5), column(6)), first[0]), first),
        column(3),
        sensed.fully_defined.unsqueeze(-1),
        settings.pose_weights,
    )
    per_row = table.nodes.shape[0] // ROW
    own_row = cast(integers(scores.shape[0], scores), "int64").reshape(-1, 1, 1, 1, 1) * per_row
    return pose + take(scores.reshape(-1), own_row + cast(node, "int64"))


class Candidates(NamedTuple):
    """The nodes each hypothesis has to look at: entry `first + slot` of a list, for slot < number."""

    first: Tensor  # (R, M, O, H) int32
    number: Tensor  # (R, M, O, H) int32, 0 for hypotheses that are not tested
    model: Tensor  # (1, M, O, 1) int32 the first node of each model
    longest: int
    listed: bool  # entries of table.candidates; otherwise node numbers themselves

    def squared_distance(
        self, table: ChannelTable, location: Vector, extra_axes: int
    ) -> tuple[Tensor, Vector, Tensor]:
        """Nodes, offsets and squared distances of all slots, after `extra_axes` axes of size one.

        Each loop over slots asks with another number of axes. So each computes what it needs and ends at
        its own count, where distances shared by all loops would be computed for all slots of all
        hypotheses.
        """
        first, model, at = self.first, self.model, location
        for _ in range(extra_axes + 1):
            first, model, at = first.unsqueeze(-1), model.unsqueeze(-1), widened(at)
        node = first + integers(self.longest, first)
        if self.listed:
            found = take(table.candidates, cast(node, "int64"))
            node = model + cast(found, "int32")
        offset = subtract(node_position(table, node), at)
        return node, offset, dot(offset, offset)


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
        candidates = _all_nodes(tested, table, shape)
    else:
        candidates = _candidate_list(location, tested, table, shape)
    node, offset, squared = candidates.squared_distance(table, location, 0)
    slot = integers(candidates.longest, scores)
    plain_normal = vector_cast(widened(query.normal), offset[0])
    reach = reach_distance(offset, plain_normal, squared.sqrt(), sensed.curvature.unsqueeze(-1))
    counts = (squared < within(settings)) & (reach < settings.max_match_distance)
    if not shape.all_candidates_count and candidates.longest > settings.max_nneighbors:
        farthest, last = _last_neighbour(candidates, table, location, settings)
        limit, end = farthest.unsqueeze(-1), last.unsqueeze(-1)
        level = (squared == limit) & (slot < end)
        # the last one by its slot: its distance may be rounded otherwise here than where it was found
        counts = counts & ((squared < limit) | level | (slot == end))
    value = node_value(node, query, sensed, table, scores, settings)
    best = highest(where((slot < candidates.number.unsqueeze(-1)) & counts, value, float("-inf")))
    return maximum(best, NOTHING_NEAR)


def within(settings: EvidenceSettings) -> float:
    """The squared distance from which a node cannot be in reach: a little more than r^2, so that rounding
    hides none. Every loop over candidates has this condition, and they share the list of those that pass.
    """
    return settings.max_match_distance * settings.max_match_distance * (1 + 1e-5)


def _last_neighbour(
    candidates: Candidates, table: ChannelTable, location: Vector, settings: EvidenceSettings
) -> tuple[Tensor, Tensor]:
    """Squared distance and slot of the K-th nearest candidate, where there are more than K within r;
    otherwise infinity, for then all that are in reach may speak.

    Most hypotheses have no more than K nodes within r. Counting them costs little, and the search for the
    K nearest of all others ends at a count of 0.
    """
    k = settings.max_nneighbors
    slot = integers(candidates.longest, location[0])
    _, _, squared = candidates.squared_distance(table, location, 1)
    listed = slot < candidates.number.unsqueeze(-1).unsqueeze(-1)
    zero = Tensor.full((), 0, dtype="int64", device=squared.device)
    near = where(listed & (squared < within(settings)), 1, zero).sum(-1).squeeze(-1)
    crowded = (near > k).unsqueeze(-1).unsqueeze(-1).unsqueeze(-1)
    _, _, squared = candidates.squared_distance(table, location, 2)
    listed = slot < candidates.number.unsqueeze(-1).unsqueeze(-1).unsqueeze(-1)
    found, slots = nearest(where(listed & crowded & (squared < within(settings)), squared, float("inf")), k)
    return found[..., 0, 0, k - 1], cast(slots[..., 0, 0, k - 1], "int32")


def _candidate_list(location: Vector, tested: Tensor, table: ChannelTable, shape: TableShape) -> Candidates:
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
    word = take(table.lists, voxel)
    # in range whatever was loaded, and nobody need test it: what follows the last list is as long as any
    most = (table.candidates.shape[0] - shape.longest) // TOGETHER
    first = cast((word >> shape.length_bits) & (most - 1), "int32") * TOGETHER
    count = where(inside, cast(word & ((1 << shape.length_bits) - 1), "int32"), 0)
    return Candidates(first, count, _first_nodes(tested, shape), shape.longest, listed=True)


def _per_model(value: Tensor) -> Tensor:
    """(M, O) -> (1, M, O, 1)."""
    return value.unsqueeze(-1).unsqueeze(0)


def _all_nodes(tested: Tensor, table: ChannelTable, shape: TableShape) -> Candidates:
    """Brute force: all nodes of the model."""
    model = _first_nodes(tested, shape)
    first = model.expand(*tested.shape)
    return Candidates(first, where(tested, _per_model(table.counts), 0), model, shape.nodes, listed=False)


def _first_nodes(like: Tensor, shape: TableShape) -> Tensor:
    """(1, M, O, 1) where the nodes of each model begin."""
    model = integers(shape.modules * shape.objects, like).reshape(1, shape.modules, shape.objects, 1)
    return model * shape.nodes
