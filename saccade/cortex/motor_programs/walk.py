"""The random walk and the spiral of distant agents as tensor programs; see `motor.walk` and `motor.scan`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from saccade.cortex.columns import Columns
from saccade.cortex.geometry import Rotation, Vector, add
from saccade.cortex.motor import RandomWalk, SpiralScan
from saccade.cortex.motor.walk import FORGET, MOST_HALVINGS
from saccade.cortex.motor_programs.moves import halved, look_at, spiral, spiral_leg, turn_by
from saccade.cortex.motor_programs.sight import Move, Sight
from saccade.cortex.ops import cast, minimum, where
from saccade.cortex.row_random import Stream
from saccade.cortex.vectors import choose, identity, orthonormal, scaled, times, transposed, yaw_pitch
from saccade.tensor import Tensor


class Walk(NamedTuple):
    """As `motor.WalkState`; counts are doubles."""

    heading: Tensor
    last: Rotation
    off: Tensor
    anchor: Vector
    anchored: Tensor
    missed: Tensor


@dataclass(frozen=True)
class WalkProgram:
    policy: RandomWalk

    def state(self, columns: Columns) -> Walk:
        return Walk(
            columns.number(), columns.rotation(), columns.number(), columns.vector(), columns.flag(),
            columns.number(),
        )  # fmt: skip

    def interrupt(self, state: Walk, rows: Tensor) -> Walk:
        return state._replace(last=choose(rows, identity(state.off), state.last))

    def act(self, state: Walk, seen: Sight) -> tuple[Move, Walk]:
        policy, guide = self.policy, self.policy.guide
        felt = seen.feels(guide)
        on, partly = felt.on_object, felt.coverage > 0.0
        anchor = choose(on, felt.location, state.anchor)
        off = where(on, 0.0, state.off + 1.0)
        anchored = on | (state.anchored & (off < float(FORGET)))
        straight = identity(off)
        moved = state.last[0] != 1.0
        for one, other in zip(state.last[1:], straight[1:], strict=True):
            moved = moved | (one != other)

        switch, way, share = seen.uniform(Stream.HEADING, 3)
        unknown = state.heading != state.heading
        fresh = unknown | (switch < policy.switch) | (state.off > 0.0)
        heading = where(on & fresh, 2 * math.pi * way, state.heading)
        known = where(heading != heading, 0.0, heading)
        stride_off = (off == 1.0) & moved
        stayed = on & (state.off == 0.0)
        more = minimum(state.missed + cast(stride_off, "float64"), float(MOST_HALVINGS))
        missed = where(stayed, 0.0, more)
        amount = policy.amount * halved(missed, MOST_HALVINGS)
        stride = yaw_pitch(amount * known.cos(), amount * known.sin())
        left, up = spiral(where(off > 0.0, off - 1.0, off))
        search = yaw_pitch(policy.amount * left, policy.amount * up)
        glimpse = add(felt.location, scaled(felt.inward, share))
        back = look_at(seen, guide, choose(partly & ~on, glimpse, anchor))

        turn = choose(partly | anchored, back, search)
        turn = choose(stride_off, transposed(state.last), turn)
        turn = choose(on, stride, turn)
        last = choose(on, stride, straight)
        return turn_by(turn), Walk(heading, last, off, anchor, anchored, missed)


class Scan(NamedTuple):
    """As `motor.ScanState`."""

    steps: Tensor
    start: Rotation
    begun: Tensor
    yaw: Tensor
    pitch: Tensor
    finished: Tensor


@dataclass(frozen=True)
class ScanProgram:
    policy: SpiralScan

    def state(self, columns: Columns) -> Scan:
        return Scan(
            columns.number(), columns.rotation(), columns.flag(), columns.number(), columns.number(),
            columns.flag(),
        )  # fmt: skip

    def interrupt(self, state: Scan, rows: Tensor) -> Scan:
        return state

    def act(self, state: Scan, seen: Sight) -> tuple[Move, Scan]:
        amount = self.policy.amount
        start = choose(state.begun, state.start, seen.agent.rotation)
        leg_length = (spiral_leg(state.steps) / 2.0).floor() + 1.0
        finished = leg_length * amount >= self.policy.limit
        left, up = spiral(state.steps)
        yaw = where(finished, state.yaw, state.yaw + amount * left)
        pitch = where(finished, state.pitch, state.pitch + amount * up)
        turn = times(times(transposed(seen.agent.rotation), start), yaw_pitch(yaw, pitch))
        turn = choose(finished, identity(yaw), orthonormal(turn))
        count = state.steps + where(finished, 0.0, yaw * 0.0 + 1.0)
        return turn_by(turn), Scan(count, start, count >= 0.0, yaw, pitch, finished)
