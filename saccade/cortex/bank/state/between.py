"""Between steps: rows that begin anew or go, and room for what comes.

Functions of a state that give the next one.

state = reset(shelf, state, chosen)         # (R,) rows that forget their hypotheses
state = keep(shelf, state, rows)            # the rows of these numbers alone
state = reserved(shelf, state, bound)       # room for so many hypotheses (R, M, O)
state = poses_noted(shelf, state, steps)    # room for poses of so many steps of bursts
"""

from __future__ import annotations

import logging

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import programs
from saccade.cortex.bank.shelf import Shelf
from saccade.cortex.bank.state.arrangement import Arrangement
from saccade.cortex.bank.state.state import Carry, State
from saccade.cortex.hypotheses.packing import repacked
from saccade.cortex.hypotheses.tables import capacity
from saccade.cortex.hypotheses.turns import BURST_STEPS, Turns
from saccade.cortex.ops import upload

log = logging.getLogger(__name__)
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def reset(shelf: Shelf, state: State, chosen: Bools) -> State:
    """Forget the hypotheses of the marked rows (R,)."""
    state.flight.check_heard()
    arrangement, (hypotheses, checks, tracker) = state.arrangement, state.carry
    mask = upload(np.repeat(chosen[:, None], arrangement.modules, axis=1), "bool", arrangement.device)
    hypotheses, checks = shelf.run(arrangement, ("reset",), programs.reset, hypotheses, checks, mask)
    if tracker is not None:
        left = shelf.run(arrangement, ("calm",), programs.calm, tracker.burst_left, mask)
        tracker = tracker._replace(burst_left=left)
    ledger = state.ledger.reset(chosen, arrangement.known.nodes)
    return state.changed(Carry(hypotheses, checks, tracker), ledger)


def emptied(state: State, arrangement: Arrangement) -> State:
    """Arranged like this; all hypotheses are forgotten."""
    fresh = State.empty(arrangement)
    return state.changed(fresh.carry, fresh.ledger)._replace(arrangement=arrangement)


def keep(shelf: Shelf, state: State, rows: Ints) -> State:
    """The rows of these numbers alone, in this order."""
    state.flight.check_heard()
    arrangement = state.arrangement
    index = upload(rows, "int32", arrangement.device)
    hypotheses, checks, tracker = shelf.run(arrangement, ("keep",), programs.keep, state.carry.tree, index)
    kept = state.changed(Carry(hypotheses, checks, tracker or None), state.ledger.kept(rows))
    return kept._replace(arrangement=arrangement.for_rows(len(rows)))


def reserved(shelf: Shelf, state: State, bound: Ints) -> State:
    """With room for so many hypotheses (R, M, O)."""
    sizes = state.arrangement.size_for(bound)
    if sizes is None:
        return state
    needed, wider = sizes
    grows = f"hypothesis capacity grows from {state.arrangement.size} to {wider} ({needed} needed)"
    return widened(shelf, _told(state, grows), wider)


def widened(shelf: Shelf, state: State, size: int) -> State:
    """With places for so many hypotheses of every object, where there are fewer."""
    before = state.arrangement
    if size <= before.size:
        return state
    after, objects, (hypotheses, checks, tracker) = before.wider(size), before.known.objects, state.carry
    if before.places is not None:
        both, fixed = (before.places, after.places), (objects, before.size, size)
        hypotheses = shelf.run(after, ("repack", fixed), repacked, *both, hypotheses, fixed=fixed)
        tracker = shelf.run(after, ("repack tracker", fixed), repacked, *both, tracker, fixed=fixed)
    else:
        room = objects, size
        hypotheses = shelf.run(after, ("grow", room), programs.grow, hypotheses, fixed=room)
        if tracker is not None:
            tracker = shelf.run(after, ("grow tracker", room), programs.grow_tracker, tracker, fixed=room)
    return state._replace(arrangement=after, carry=Carry(hypotheses, checks, tracker))


def poses_noted(shelf: Shelf, state: State, steps: int) -> State:
    """With room for poses of so many steps of bursts."""
    turns, ways = state.hypotheses.rotation, state.arrangement.known.ways_sensed
    if not isinstance(turns, Turns) or steps * ways <= turns.sensed.shape[2]:
        return state
    wider = capacity(steps, BURST_STEPS) * ways
    state = _told(state, f"room for poses sensed in bursts grows from {turns.sensed.shape[2]} to {wider}")
    sensed = shelf.run(state.arrangement, ("widened", wider), programs.widened, turns.sensed, fixed=(wider,))
    return state.holding(state.hypotheses._replace(rotation=turns._replace(sensed=sensed)))


def _told(state: State, message: str) -> State:
    log.warning(message)
    return state._replace(arrangement=state.arrangement.having_grown(message))
