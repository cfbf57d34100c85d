"""The state of a bank: all that goes from step to step, on the device and on the host, as one value.

A function of `between` or `steps` takes one and gives the next; nobody changes one in place. What is on the
device is lent: programs take turns in its memory, so it is good until the step after the next.

    state = State.empty(Arrangement.of(known, rows=8, device=None))     # nothing has begun
    state.hypotheses.evidence                                           # (R, M, O, H)
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import ref

import numpy as np

from saccade.cortex.bank.outcome import Outcome
from saccade.cortex.bank.state.arrangement import Arrangement
from saccade.cortex.bank.state.ledger import Ledger
from saccade.cortex.hypotheses import updater_burst
from saccade.cortex.hypotheses.decide import Checks
from saccade.cortex.hypotheses.hypotheses import Hypotheses, empty
from saccade.cortex.hypotheses.updater_burst import Tracker
from saccade.cortex.ops import blank, upload
from saccade.cortex.settings import BurstSettings


class Carry(NamedTuple):
    """The part on the device, as the carry of a scan: hypotheses, what the last end checks found, and with
    bursts how the evidence went. Programs take these and give them anew."""

    hypotheses: Hypotheses
    checks: Checks
    tracker: Tracker | None

    @staticmethod
    def empty(arrangement: Arrangement) -> Carry:
        """Room for hypotheses, and none in it."""
        known, device, settings = arrangement.known, arrangement.device, arrangement.settings
        room, each = arrangement.shape, (*arrangement.lead, known.objects)
        sensed = 0 if arrangement.stored else known.first_sensed
        hypotheses = empty(*room, settings.dtype, settings.rotation_dtype, device, sensed)
        tracker: Tracker | None = None
        if isinstance(settings.updater, BurstSettings):
            voted = arrangement.voted
            tracker = updater_burst.empty(*room, settings.updater, settings.dtype, device, voted)
            if arrangement.is_packed:
                hypotheses = hypotheses._replace(counts=blank(each, "int32", device))
                channels = tuple(blank(each, settings.dtype, device) for _ in tracker.channels)
                tracker = tracker._replace(channels=channels)
        checks = Checks(
            upload(np.zeros(arrangement.lead), "int32", device), upload(np.zeros(each), "int32", device)
        )
        return Carry(hypotheses, checks, tracker)

    @property
    def tree(self) -> tuple[Hypotheses, Checks, Tracker | tuple[()]]:
        """As programs of whole states take it."""
        return self.hypotheses, self.checks, self.tracker or ()


class Flight(NamedTuple):
    """Steps under way. launched: so far; changed: how many of them when rows were reset or left out, for they
    say nothing of what is there now; lent: what steps found, by their numbers, while somebody has it and it
    lies where it was read; unheard: the last was of percepts that the host knows nothing of yet."""

    launched: int = 0
    changed: int = 0
    lent: tuple[tuple[int, ref[Outcome]], ...] = ()
    unheard: bool = False

    def check_heard(self) -> None:
        if self.unheard:
            raise RuntimeError(
                "the last step was of percepts that the host has not heard of: gather it before anything "
                "else is done with the bank"
            )

    def free(self) -> None:
        """A step is about to be launched: it may take the memory of results that were read before the last
        one, so they keep what they were given."""
        for number, found in self.lent:
            if number < self.launched and (outcome := found()) is not None:
                outcome.keep()

    def next(self) -> Flight:
        """With one step more."""
        launched, changed, lent, unheard = self
        left = tuple([each for each in lent if each[0] >= launched])
        return Flight(launched + 1, changed, left, unheard)

    def lending(self, number: int, outcome: Outcome) -> Flight:
        """With what this step found."""
        launched, changed, lent, unheard = self
        return Flight(launched, changed, (*lent, (number, ref(outcome))), unheard)


class State(NamedTuple):
    """How it lies in memory, what is there, what the host knows of it without asking, and the steps under
    way."""

    arrangement: Arrangement
    carry: Carry
    ledger: Ledger
    flight: Flight

    @staticmethod
    def empty(arrangement: Arrangement) -> State:
        """Nothing has begun in any row."""
        ledger = Ledger.of(arrangement.rows, arrangement.known.nodes)
        return State(arrangement, Carry.empty(arrangement), ledger, Flight())

    @property
    def hypotheses(self) -> Hypotheses:
        return self.carry.hypotheses

    @property
    def tracker(self) -> Tracker:
        """Histories and ages; only banks with the burst updater have them."""
        if self.carry.tracker is None:
            raise ValueError("the plain updater keeps no histories")
        return self.carry.tracker

    def holding(self, hypotheses: Hypotheses) -> State:
        """With these hypotheses."""
        return self._replace(carry=self.carry._replace(hypotheses=hypotheses))

    def changed(self, carry: Carry, ledger: Ledger) -> State:
        """With other rows, of which the steps so far say nothing."""
        flight = self.flight._replace(changed=self.flight.launched)
        return self._replace(carry=carry, ledger=ledger, flight=flight)

    def check_voted(self) -> None:
        """Evidence is about to change, between steps."""
        if self.arrangement.bursts and not self.arrangement.voted:
            raise ValueError(
                "a bank whose evidence changes between steps is told so: call expect_votes() before"
            )
