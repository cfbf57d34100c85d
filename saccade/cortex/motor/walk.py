"""The random walk of a distant agent: saccades in random directions, back onto the object when one leaves it.

The agent turns by a fixed angle in a random direction. When the guiding sensor's centre then sees no object,
the next step undoes the turn; should that not help (the object was exchanged, or noise), the agent looks at
the last place where it felt something, at whatever of the object is in the corner of the patch, or, if it
never felt anything or not for long, searches in a growing square spiral.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.motor.policy import Flags, Floats, MotorInput, look_at, spiral
from saccade.cortex.row_random import RowKey, Stream, uniform
from saccade.reproducible import cos_sin
from saccade.world.agents import yaw_pitch
from saccade.world.protocol import Actions

# Strides that leave the object are halved, at most this often, until one stays on it: thin things need small
# steps.
MOST_HALVINGS = 3
# Steps off the object after which the last place felt is no longer believed in.
FORGET = 6


@dataclass(frozen=True)
class WalkState:
    """heading (R,) radians, 0 is left and a quarter turn up; last (R, 3, 3) the last turn; off (R,) steps off
    the object in a row; anchor (R, 3) the last place felt and anchored (R,) whether there is one; missed (R,)
    strides in a row that left the object.
    """

    heading: Floats
    last: Floats
    off: NDArray[np.int64]
    anchor: Floats
    anchored: Flags
    missed: NDArray[np.int64]


@dataclass(frozen=True)
class RandomWalk:
    """amount: radians per step. switch: probability of a new direction at each step on the object.
    guide: the sensor that has to stay on the object."""

    amount: float = math.radians(5.0)
    switch: float = 1.0
    guide: int = 0

    def start(self, rows: int) -> WalkState:
        """No direction yet: the first step draws one."""
        return WalkState(
            heading=np.full(rows, np.nan),
            last=np.broadcast_to(np.eye(3), (rows, 3, 3)).copy(),
            off=np.zeros(rows, np.int64),
            anchor=np.zeros((rows, 3)),
            anchored=np.zeros(rows, bool),
            missed=np.zeros(rows, np.int64),
        )

    def interrupt(self, state: WalkState, rows: Flags) -> WalkState:
        """The last turn is no longer what brought the agent here."""
        return replace(state, last=np.where(rows[:, None, None], np.eye(3), state.last))

    def act(self, state: WalkState, seen: MotorInput, key: RowKey) -> tuple[Actions, WalkState]:
        """See the module docstring for the order in which the ways back are tried."""
        felt, guide = seen.felt, self.guide
        on = felt.on_object[:, guide]
        partly = felt.coverage[:, guide] > 0
        anchor = np.where(on[:, None], felt.location[:, guide], state.anchor)
        off = np.where(on, 0, state.off + 1)
        anchored = on | (state.anchored & (off < FORGET))
        moved = np.abs(state.last - np.eye(3)).max(axis=(1, 2)) > 0

        draws = uniform(key, Stream.HEADING, 3)
        # After leaving the object the old direction is known to be bad.
        fresh = np.isnan(state.heading) | (draws[:, 0] < self.switch) | (state.off > 0)
        heading = np.where(on & fresh, 2 * np.pi * draws[:, 1], state.heading)
        known = np.where(np.isnan(heading), 0.0, heading)
        stride_off = (off == 1) & moved
        stayed = on & (state.off == 0)
        missed = np.where(stayed, 0, np.minimum(state.missed + stride_off, MOST_HALVINGS))
        amount = self.amount * np.ldexp(1.0, -missed)
        cosine, sine = cos_sin(known)
        stride = yaw_pitch(amount * cosine, amount * sine)
        left, up = spiral(np.maximum(off - 1, 0))
        search = yaw_pitch(self.amount * left, self.amount * up)
        # Thin parts may be missed when aimed at exactly; somewhere between the nearest point and the middle
        # of what is in view one hits, so the share is drawn anew each time.
        glimpse = felt.location[:, guide] + draws[:, 2:] * felt.inward[:, guide]
        back = look_at(seen, guide, np.where((partly & ~on)[:, None], glimpse, anchor))
        undo = np.swapaxes(state.last, 1, 2)

        turn = np.where((partly | anchored)[:, None, None], back, search)
        turn = np.where(stride_off[:, None, None], undo, turn)
        turn = np.where(on[:, None, None], stride, turn)
        # An undone turn must not be undone again.
        last = np.where(on[:, None, None], stride, np.eye(3))
        return Actions.relative(rotation=turn), WalkState(heading, last, off, anchor, anchored, missed)
