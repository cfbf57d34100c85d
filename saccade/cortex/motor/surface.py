"""Surface following: glide over the object at a fixed distance, guided by its curvature, away from where one
was.

Each step is one motion. From the sensed normal and curvatures the policy predicts the surface a stride ahead
as an arc, and puts the sensor above that point, facing it. The heading is chosen in this order:

* where principal directions are defined, along one of them: the flatter one first, the more curved one after
  `guided_steps` steps, and so on in turn, smoothed over steps (following a rim, then going around the body);
* otherwise straight on with a little random wander;
* never, if it can be helped, towards places visited lately (see `inhibition`).

At an edge the way down is not in view. When the patch's centre has left the object but its rim still sees it,
the sensor first peeks around: it faces the nearest point in view tilted outwards, which shows the next side
of a box or the rim of a cup. Failing that it looks at that point straight on, and failing that, or with
nothing in view at all, it returns to its last good pose and leaves it inwards with a shorter stride. Where
none of that leads on, as in the hollow under a bottle, whose wall is where the sensor would have to be, it
goes back to the farthest of the places it remembers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.motor.inhibition import Inhibition, Visited
from saccade.cortex.motor.policy import Flags, Floats, MotorInput, face_surface, place_sensor, spiral
from saccade.cortex.row_random import RowKey, Stream, uniform
from saccade.cortex.rows import where_rows
from saccade.reproducible import cos_sin, cosine_of, cross, dot, norm, radians, sine_of, unit
from saccade.world.agents import yaw_pitch
from saccade.world.protocol import Actions, Pose

# Turns tried when the way ahead was visited lately: the smallest turn without conflict wins.
TURNS = radians([0, 22.5, -22.5, 45, -45, 67.5, -67.5, 90, -90, 112.5, -112.5, 135, -135, 157.5, -157.5, 180])
# Steps without a good view after which the last good pose is taken up again, and after which it is given up.
PATIENCE, FORGET = 3, 10
COS_TURNS, SIN_TURNS = (each[:, None] for each in cos_sin(TURNS))
SEARCH_TURN = math.radians(15.0)
# Looks in a row within half a stride of here that mean there is no way on.
LINGER = 6
# What a full half turn costs, in units of conflict: enough to settle ties, too little to outweigh a visited
# place.
TURN_COST = 0.02


@dataclass(frozen=True)
class FollowState:
    """heading (R, 3) body-frame direction of the last stride and moving (R,) whether there was one; guided
    (R,) the last stride followed a principal direction; guided_count, free_count (R,) strides of either sort
    in a row; flatter (R,) which direction is preferred now; last_good (R,) sensor pose and been_good (R,);
    lost (R,) times the object was lost since the last stride that worked; visited places.
    """

    heading: Floats
    moving: Flags
    guided: Flags
    guided_count: NDArray[np.int64]
    free_count: NDArray[np.int64]
    flatter: Flags
    last_good: Pose
    been_good: Flags
    off: NDArray[np.int64]
    lost: NDArray[np.int64]
    visited: Visited


@dataclass(frozen=True)
class SurfaceFollow:
    """distance: metres kept from the surface. stride: metres per step. wander: 0 straight on, 1 a new
    direction each step. follow_curvature: whether principal directions guide. guided_steps: strides along one
    principal direction before the other is preferred. free_steps: strides without guidance before it is
    sought again. smoothing: share of the new direction in a guided heading. max_bend: largest predicted
    change of the normal per stride, peek: tilt at edges, both in radians.
    """

    distance: float = 0.03
    stride: float = 0.01
    wander: float = 0.1
    follow_curvature: bool = True
    guided_steps: int = 32
    free_steps: int = 8
    smoothing: float = 0.5
    max_bend: float = 0.6
    peek: float = math.radians(50.0)
    inhibition: Inhibition | None = field(default_factory=Inhibition)
    guide: int = 0

    def start(self, rows: int) -> FollowState:
        """Not moving; guidance may begin at once."""
        no = np.zeros(rows, bool)
        zero = np.zeros(rows, np.int64)
        capacity = self.inhibition.capacity if self.inhibition else 1
        return FollowState(
            heading=np.zeros((rows, 3)),
            moving=no,
            guided=no,
            guided_count=zero,
            free_count=np.full(rows, self.free_steps, np.int64),
            flatter=np.ones(rows, bool),
            last_good=Pose.identity(rows),
            been_good=no,
            off=zero,
            lost=zero,
            visited=Visited.none(rows, capacity),
        )

    def interrupt(self, state: FollowState, rows: Flags) -> FollowState:
        """The agent is elsewhere on the object: a new run begins, what was visited stays known."""
        return replace(state, moving=state.moving & ~rows, guided=state.guided & ~rows)

    def act(self, state: FollowState, seen: MotorInput, key: RowKey) -> tuple[Actions, FollowState]:
        """One stride, one step back to the object, or one step of search, row by row."""
        felt, g = seen.felt, self.guide
        good, in_view = felt.usable[:, g], felt.coverage[:, g] > 0
        state = self._situation(state, seen, good)
        heading, striding = self._heading(state, seen, key)
        stride = self.stride * np.ldexp(1.0, -state.lost) * np.where(felt.coverage[:, g] < 0.75, 0.5, 1.0)
        point, normal, ahead = self._arc(seen, heading, stride)
        point = np.where(good[:, None], point, felt.location[:, g])
        normal = np.where(good[:, None], normal, self._peek(state, seen))
        over_surface = face_surface(seen, g, point, normal, self.distance)

        back, stuck = self._known_place(state, seen, good)
        over_surface = back.where(stuck, over_surface)
        gone = state.been_good & (~in_view | (state.off >= PATIENCE))
        actions = place_sensor(seen, g, state.last_good.where(gone, over_surface))
        left, up = spiral(state.off)
        search = Actions.relative(rotation=yaw_pitch(SEARCH_TURN * left, SEARCH_TURN * up))
        actions = search.where(~in_view & ~state.been_good, actions)

        striding = replace(striding, heading=ahead, moving=~stuck, guided=striding.guided & ~stuck)
        if self.inhibition:
            visited = state.visited.add(felt.location[:, g], felt.normal[:, g], good)
            striding = replace(striding, visited=visited)
        state = where_rows(good, striding, state)
        return actions, replace(state, lost=np.where(gone, np.minimum(state.lost + 1, 2), state.lost))

    def _peek(self, state: FollowState, seen: MotorInput) -> Floats:
        """The normal to face a point at the edge with: tilted outwards at first, then as it was sensed."""
        normal = seen.felt.normal[:, self.guide]
        inward = _tangent(seen.felt.inward[:, self.guide], normal)
        length = norm(inward, keepdims=True)
        outward = np.where(length > 1e-4, -inward / np.maximum(length, 1e-12), 0.0)
        tilted = cosine_of(self.peek) * normal + sine_of(self.peek) * outward
        tilted = np.where((length > 1e-4) & (state.off == 1)[:, None], tilted, normal)
        return unit(tilted)

    def _known_place(self, state: FollowState, seen: MotorInput, good: Flags) -> tuple[Pose, Flags]:
        """The sensor over the farthest place that is remembered, and the rows (R,) that linger where they
        are."""
        visited, here = state.visited, seen.felt.location[:, self.guide]
        capacity, rows = visited.location.shape[1], np.arange(seen.rows)
        away = norm(visited.location - here[:, None])
        known = np.arange(capacity) < visited.count[:, None]
        lately = (visited.count[:, None] - 1 - np.arange(min(LINGER, capacity))) % capacity
        near = away[rows[:, None], lately].max(axis=1) < self.stride / 2
        stuck = good & near & (visited.count >= LINGER)
        far = np.where(known, away, -1.0).argmax(axis=1)
        place, normal = visited.location[rows, far], visited.normal[rows, far]
        upright = np.where(stuck[:, None], normal, seen.felt.normal[:, self.guide])
        return face_surface(seen, self.guide, place, upright, self.distance), stuck

    def _situation(self, state: FollowState, seen: MotorInput, good: Flags) -> FollowState:
        """How long the object has been missed, and where it was last seen well."""
        here = seen.sensor_pose(self.guide)
        elsewhere = norm(here.position - state.last_good.position) > 1e-6
        off = np.where(good, 0, state.off + 1)
        return replace(
            state,
            off=off,
            # A row that is back at its last good pose has yet to leave it by another way.
            lost=np.where(good & elsewhere, 0, state.lost),
            last_good=here.where(good, state.last_good),
            been_good=good | (state.been_good & (off < FORGET)),
        )

    def _arc(self, seen: MotorInput, heading: Floats, stride: Floats) -> tuple[Floats, Floats, Floats]:
        """The surface a stride ahead, were it a circle of the curvature in that direction: point, normal,
        heading.
        """
        felt, g = seen.felt, self.guide
        normal = felt.normal[:, g]
        along = np.square(dot(heading, felt.pose_vectors[:, g, 1]))
        curvature = felt.curvatures[:, g, 0] * along + felt.curvatures[:, g, 1] * (1 - along)
        bend = np.clip(curvature * stride, -self.max_bend, self.max_bend)
        cosine, sine = cos_sin(bend)
        flat = np.abs(bend) < 1e-6
        safe = np.where(flat, 1.0, bend)
        forward = np.where(flat, 1.0, sine / safe) * stride
        rise = np.where(flat, bend / 2, (1 - cosine) / safe) * stride
        point = felt.location[:, g] + forward[:, None] * heading + rise[:, None] * normal
        return (
            point,
            cosine[:, None] * normal - sine[:, None] * heading,
            cosine[:, None] * heading + sine[:, None] * normal,
        )

    def _heading(self, state: FollowState, seen: MotorInput, key: RowKey) -> tuple[Floats, FollowState]:
        """Unit heading (R, 3) in the tangent plane and the state with its counters moved on."""
        felt, g = seen.felt, self.guide
        normal = felt.normal[:, g]
        straight = self._straight(state, seen, key)
        may_guide = felt.usable[:, g] & felt.pose_fully_defined[:, g] & (state.free_count >= self.free_steps)
        guided_heading, free = self._along_curvature(state, seen, straight)
        guided = may_guide & free & self.follow_curvature
        free_heading = self._avoid(state, seen, straight)
        heading = np.where(guided[:, None], guided_heading, free_heading)
        heading = unit(_tangent(heading, normal), least=1e-12)

        count = np.where(guided, state.guided_count + 1, state.guided_count)
        turn_over = count >= self.guided_steps
        stopped = state.guided & ~guided
        return heading, replace(
            state,
            guided=guided & ~turn_over,
            guided_count=np.where(turn_over, 0, count),
            flatter=state.flatter ^ turn_over,
            free_count=np.where(guided, state.free_count, np.where(stopped, 1, state.free_count + 1)),
        )

    def _straight(self, state: FollowState, seen: MotorInput, key: RowKey) -> Floats:
        """The old heading laid into the tangent plane and turned a little.

        Rows that did not move yet get any direction, rows that just lost the object one back to it.
        """
        normal = seen.felt.normal[:, self.guide]
        kept = _tangent(state.heading, normal)
        length = norm(kept)
        rotation = seen.sensor_pose(self.guide).rotation
        across, up = _tangent(rotation[..., 0], normal), _tangent(rotation[..., 1], normal)
        across = np.where(norm(across, keepdims=True) > 1e-6, across, up)
        usable = state.moving & (length > 1e-6)
        base = unit(np.where(usable[:, None], kept, across))
        draw = 2 * uniform(key, Stream.HEADING) - 1
        angle = np.where(usable, self.wander * np.pi * draw, np.pi * draw)
        # After losing the object: towards the middle of what is in view, or at least not the same way again.
        inward = _tangent(seen.felt.inward[:, self.guide], normal)
        depth = norm(inward, keepdims=True)
        again = state.lost > 0
        to_middle = again & (depth[:, 0] > 1e-4)
        base = np.where(to_middle[:, None], inward / np.maximum(depth, 1e-12), base)
        angle = np.where(again & ~to_middle, np.pi + np.pi / 2 * draw, angle)
        return _turned(base, normal, angle)

    def _along_curvature(
        self, state: FollowState, seen: MotorInput, straight: Floats
    ) -> tuple[Floats, Flags]:
        """The preferred principal direction, pointing where the agent goes; and whether that way is free."""
        felt, g = seen.felt, self.guide
        first_is_flatter = np.abs(felt.curvatures[:, g, 0]) <= np.abs(felt.curvatures[:, g, 1])
        use_first = first_is_flatter == state.flatter
        axis = np.where(use_first[:, None], felt.pose_vectors[:, g, 1], felt.pose_vectors[:, g, 2])
        axis = axis * np.where(dot(axis, straight) < 0, -1.0, 1.0)[:, None]
        smooth = self.smoothing * axis + (1 - self.smoothing) * straight
        axis = unit(np.where(state.guided[:, None], smooth, axis), least=1e-12)
        if self.inhibition is None:
            return axis, np.ones(len(axis), bool)
        both = np.stack([axis, -axis], axis=1)
        conflict = self.inhibition.conflict(state.visited, felt.location[:, g], felt.normal[:, g], both)
        # Only the first guided stride may choose its sense; later ones would turn on the spot.
        flip = ~state.guided & (conflict[:, 1] < conflict[:, 0])
        chosen = np.where(flip[:, None], -axis, axis)
        return chosen, np.where(flip, conflict[:, 1], conflict[:, 0]) == 0

    def _avoid(self, state: FollowState, seen: MotorInput, straight: Floats) -> Floats:
        """The heading nearest to straight on that leads to no place visited lately, or to the fewest."""
        if self.inhibition is None:
            return straight
        felt, g = seen.felt, self.guide
        normal = felt.normal[:, g]
        aside = cross(normal, straight)
        headings = COS_TURNS * straight[:, None] + SIN_TURNS * aside[:, None]
        conflict = self.inhibition.conflict(state.visited, felt.location[:, g], normal, headings)
        best = np.argmin(conflict + TURN_COST * np.abs(TURNS) / np.pi, axis=1)
        return np.asarray(headings[np.arange(len(best)), best])


def _tangent(vector: Floats, normal: Floats) -> Floats:
    """The part of vectors (R, 3) in the planes with unit normals (R, 3)."""
    return np.asarray(vector - dot(vector, normal)[:, None] * normal)


def _turned(vector: Floats, axis: Floats, angle: Floats | float) -> Floats:
    """Vectors (R, 3) turned about perpendicular unit axes (R, 3) by angles (R,)."""
    cosine, sine = cos_sin(np.asarray(angle)[..., None])
    return np.asarray(cosine * vector + sine * cross(axis, vector))
