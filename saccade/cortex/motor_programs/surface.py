"""Surface following as a tensor program; `motor.surface` and `motor.inhibition` explain it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from saccade.cortex.columns import Columns
from saccade.cortex.geometry import Vector, add, dot, subtract, widened
from saccade.cortex.motor import Inhibition, SurfaceFollow
from saccade.cortex.motor.surface import (
    COS_TURNS,
    FORGET,
    LINGER,
    PATIENCE,
    SEARCH_TURN,
    SIN_TURNS,
    TURN_COST,
    TURNS,
)
from saccade.cortex.motor_programs.moves import face_surface, halved, place_sensor, spiral, turn_by
from saccade.cortex.motor_programs.sight import Felt, Move, Sight
from saccade.cortex.ops import cast, clip, first_highest, integers, maximum, minimum, pick, where
from saccade.cortex.row_random import Stream
from saccade.cortex.vectors import (
    Frame,
    choose,
    column,
    cross,
    length,
    over,
    scaled,
    tangent,
    unit,
    yaw_pitch,
)
from saccade.reproducible import cosine_of, sine_of
from saccade.tensor import Tensor


class Places(NamedTuple):
    """As `motor.Visited`: three of (R, V) each, and the count (R,) of all so far."""

    location: Vector
    normal: Vector
    seen: Tensor


class Follow(NamedTuple):
    """As `motor.FollowState`; counts are doubles."""

    heading: Vector
    moving: Tensor
    guided: Tensor
    guided_count: Tensor
    free_count: Tensor
    flatter: Tensor
    last_good: Frame
    been_good: Tensor
    off: Tensor
    lost: Tensor
    visited: Places


@dataclass(frozen=True)
class FollowProgram:
    policy: SurfaceFollow

    def state(self, columns: Columns) -> Follow:
        inhibition = self.policy.inhibition
        capacity = inhibition.capacity if inhibition else 1
        heading, moving, guided = columns.vector(), columns.flag(), columns.flag()
        counts, flatter, last_good = (columns.number(), columns.number()), columns.flag(), columns.frame()
        been_good, off, lost = columns.flag(), columns.number(), columns.number()
        visited = Places(columns.vectors(capacity), columns.vectors(capacity), columns.number())
        return Follow(heading, moving, guided, *counts, flatter, last_good, been_good, off, lost, visited)

    def interrupt(self, state: Follow, rows: Tensor) -> Follow:
        return state._replace(moving=state.moving & ~rows, guided=state.guided & ~rows)

    def act(self, state: Follow, seen: Sight) -> tuple[Move, Follow]:
        policy, g = self.policy, self.policy.guide
        felt = seen.feels(g)
        good, in_view = felt.usable, felt.coverage > 0.0
        state = self._situation(state, seen, good)
        heading, striding = self._heading(state, felt, seen)
        whole = where(felt.coverage < 0.75, 0.5, felt.coverage * 0.0 + 1.0)
        stride = policy.stride * halved(state.lost, 2) * whole
        point, normal, ahead = self._arc(felt, heading, stride)
        point = choose(good, point, felt.location)
        normal = choose(good, normal, self._peek(state, felt))
        place, upright, stuck = self._known_place(state, felt)
        over_surface = face_surface(
            seen, g, choose(stuck, place, point), choose(stuck, upright, normal), policy.distance
        )
        gone = state.been_good & (~in_view | (state.off >= float(PATIENCE)))
        move = place_sensor(seen, g, choose(gone, state.last_good, over_surface))
        left, up = spiral(state.off)
        search = turn_by(yaw_pitch(SEARCH_TURN * left, SEARCH_TURN * up))
        move = choose(~in_view & ~state.been_good, search, move)

        visited = state.visited
        if policy.inhibition:
            visited = _added(visited, felt.location, felt.normal, good)
        striding = striding._replace(heading=ahead, moving=~stuck, guided=striding.guided & ~stuck)
        state = choose(good, striding._replace(visited=state.visited), state)
        lost = where(gone, minimum(state.lost + 1.0, 2.0), state.lost)
        return move, state._replace(lost=lost, visited=visited)

    def _situation(self, state: Follow, seen: Sight, good: Tensor) -> Follow:
        here = seen.sensor(self.policy.guide)
        elsewhere = length(subtract(here.position, state.last_good.position)) > 1e-6
        off = where(good, 0.0, state.off + 1.0)
        return state._replace(
            off=off,
            lost=where(good & elsewhere, 0.0, state.lost),
            last_good=choose(good, here, state.last_good),
            been_good=good | (state.been_good & (off < float(FORGET))),
        )

    def _peek(self, state: Follow, felt: Felt) -> Vector:
        inward = tangent(felt.inward, felt.normal)
        size = length(inward)
        aside = size > 1e-4
        outward = choose(aside, over(scaled(inward, -1.0), maximum(size, 1e-12)), scaled(inward, 0.0))
        cosine, sine = float(cosine_of(self.policy.peek)), float(sine_of(self.policy.peek))
        tilted = add(scaled(felt.normal, cosine), scaled(outward, sine))
        return unit(choose(aside & (state.off == 1.0), tilted, felt.normal))

    def _arc(self, felt: Felt, heading: Vector, stride: Tensor) -> tuple[Vector, Vector, Vector]:
        lean = dot(heading, felt.first)
        along = lean * lean
        curvature = felt.curvatures[0] * along + felt.curvatures[1] * (1.0 - along)
        bend = clip(curvature * stride, -self.policy.max_bend, self.policy.max_bend)
        cosine, sine = bend.cos(), bend.sin()
        flat = bend.abs() < 1e-6
        safe = where(flat, 1.0, bend)
        forward = where(flat, 1.0, sine / safe) * stride
        rise = where(flat, bend / 2.0, (1.0 - cosine) / safe) * stride
        point = add(add(felt.location, scaled(heading, forward)), scaled(felt.normal, rise))
        return (
            point,
            subtract(scaled(felt.normal, cosine), scaled(heading, sine)),
            add(scaled(heading, cosine), scaled(felt.normal, sine)),
        )

    def _heading(self, state: Follow, felt: Felt, seen: Sight) -> tuple[Vector, Follow]:
        policy = self.policy
        straight = _stored(self._straight(state, felt, seen))
        axis = _stored(self._axis(state, felt, straight))
        may_guide = felt.usable & felt.fully_defined & (state.free_count >= float(policy.free_steps))
        free_heading = straight
        if policy.inhibition:
            ways = _ways(straight, cross(felt.normal, straight), axis)
            conflict = _conflict(policy.inhibition, state.visited, felt, ways).contiguous()
            both = conflict[:, len(TURNS)], conflict[:, len(TURNS) + 1]
            # only the first guided stride may choose its sense
            flip = ~state.guided & (both[1] < both[0])
            axis = choose(flip, scaled(axis, -1.0), axis)
            may_guide = may_guide & (where(flip, both[1], both[0]) == 0.0)
            best = _cheapest([conflict[:, way] for way in range(len(TURNS))]).contiguous()
            x, y, z = (pick(each, best) for each in ways)
            free_heading = (x, y, z)
        guided = may_guide if policy.follow_curvature else may_guide & ~may_guide
        heading = unit(tangent(choose(guided, axis, free_heading), felt.normal), least=1e-12)

        count = where(guided, state.guided_count + 1.0, state.guided_count)
        turn_over = count >= float(policy.guided_steps)
        unguided = where(state.guided & ~guided, 1.0, state.free_count + 1.0)
        return heading, state._replace(
            guided=guided & ~turn_over,
            guided_count=where(turn_over, 0.0, count),
            flatter=state.flatter ^ turn_over,
            free_count=where(guided, state.free_count, unguided),
        )

    def _straight(self, state: Follow, felt: Felt, seen: Sight) -> Vector:
        normal = felt.normal
        kept = tangent(state.heading, normal)
        rotation = seen.sensor(self.policy.guide).rotation
        across, up = tangent(column(rotation, 0), normal), tangent(column(rotation, 1), normal)
        across = choose(length(across) > 1e-6, across, up)
        usable = state.moving & (length(kept) > 1e-6)
        base = unit(choose(usable, kept, across))
        draw = 2.0 * seen.uniform(Stream.HEADING, 1)[0] - 1.0
        angle = where(usable, self.policy.wander * math.pi * draw, math.pi * draw)
        inward = tangent(felt.inward, normal)
        depth = length(inward)
        again = state.lost > 0.0
        to_middle = again & (depth > 1e-4)
        base = choose(to_middle, over(inward, maximum(depth, 1e-12)), base)
        angle = where(again & ~to_middle, math.pi + math.pi / 2 * draw, angle)
        return add(scaled(base, angle.cos()), scaled(cross(normal, base), angle.sin()))

    def _axis(self, state: Follow, felt: Felt, straight: Vector) -> Vector:
        """The preferred principal direction, pointing where the agent goes."""
        k1, k2 = felt.curvatures
        use_first = (k1.abs() <= k2.abs()) ^ ~state.flatter
        axis = choose(use_first, felt.first, felt.second)
        ahead = dot(axis, straight)
        axis = scaled(axis, where(ahead < 0.0, -1.0, ahead * 0.0 + 1.0))
        share = self.policy.smoothing
        smooth = add(scaled(axis, share), scaled(straight, 1.0 - share))
        return unit(choose(state.guided, smooth, axis), least=1e-12)

    def _known_place(self, state: Follow, felt: Felt) -> tuple[Vector, Vector, Tensor]:
        """The farthest place that is remembered, its normal, and whether rows linger where they are."""
        visited = state.visited
        capacity = visited.location[0].shape[1]
        here = widened(felt.location)
        away = length(subtract(visited.location, here)).contiguous()
        place, count = cast(integers(capacity, away), "float64"), visited.seen.unsqueeze(-1)
        since = count - 1.0 - place
        age = since - capacity * (since / capacity).floor()
        lately = where(age < float(min(LINGER, capacity)), away, 0.0).amax(-1)
        stuck = felt.usable & (lately < self.policy.stride / 2) & (visited.seen >= float(LINGER))
        far = first_highest(where(place < count, away, -1.0)).contiguous()
        x, y, z = (pick(each, far) for each in visited.location)
        u, v, w = (pick(each, far) for each in visited.normal)
        return (x, y, z), (u, v, w), stuck


def _stored(vector: Vector) -> Vector:
    return vector[0].contiguous(), vector[1].contiguous(), vector[2].contiguous()


def _added(visited: Places, location: Vector, normal: Vector, rows: Tensor) -> Places:
    """As `Visited.add`."""
    capacity = visited.location[0].shape[1]
    latest = visited.seen - capacity * (visited.seen / capacity).floor()
    place = cast(integers(capacity, latest), "float64")
    here = (place == latest.unsqueeze(-1)) & rows.unsqueeze(-1)
    return Places(
        choose(here, widened(location), visited.location),
        choose(here, widened(normal), visited.normal),
        visited.seen + cast(rows, "float64"),
    )


def _ways(straight: Vector, aside: Vector, axis: Vector) -> Vector:
    """Headings (R, A): those tried where the way ahead was visited, and both senses of an axis."""
    turns = list(zip(COS_TURNS.ravel().tolist(), SIN_TURNS.ravel().tolist(), strict=True))
    x, y, z = (
        Tensor.stack([*(c * ahead + s * across for c, s in turns), along, -along], -1).contiguous()
        for ahead, across, along in zip(straight, aside, axis, strict=True)
    )
    return x, y, z


def _conflict(settings: Inhibition, visited: Places, felt: Felt, ways: Vector) -> Tensor:
    """(R, A): as `Inhibition.conflict`."""
    way = subtract(visited.location, widened(felt.location))
    distance = length(way)
    place = cast(integers(distance.shape[1], distance), "float64")
    counts = (
        (place < visited.seen.unsqueeze(-1))
        & (dot(visited.normal, widened(felt.normal)) >= float(cosine_of(settings.same_side)))
        & (distance <= settings.radius)
        & (distance > 1e-4)
    )
    weight = where(counts, 1.0 - distance / settings.radius + 1e-3, 0.0).contiguous()
    x, y, z = _stored(over(way, where(counts, distance, 1.0)))
    towards = (x.unsqueeze(1), y.unsqueeze(1), z.unsqueeze(1))
    ahead = dot(widened(ways), towards) >= float(cosine_of(settings.cone))  # (R, A, V)
    return where(ahead, weight.unsqueeze(1), 0.0).sum(-1)


def _cheapest(conflict: list[Tensor]) -> Tensor:
    """(R,) int32: the first of the turns with the least conflict and turning."""
    costs = [
        each + TURN_COST * abs(turn) / math.pi for each, turn in zip(conflict, TURNS.tolist(), strict=True)
    ]
    return Tensor.stack(costs, -1).argmin(-1).cast("int32")
