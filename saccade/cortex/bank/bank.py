"""A bank: the device state of evidence modules that step together, and the programs that move it on.

Modules of one group share settings, so their hypotheses can be stacked along one axis and updated by one
program. A bank holds M >= 1 of them for R rows (parallel episodes). The host keeps only what it decided
itself: which channels have started, where the sensors were, how many hypotheses there can be at most.
Everything else stays on the device.

    launch(batch, check)  -> Pending    enqueue a whole step, as one program where it can be; never waits
    launch_felt(felt, rows, check)      the same of percepts on the device; `heard` tells the host of them
    advance(batch, check) -> Step       enqueue the update alone; never waits
    conclude(step)        -> Pending    enqueue the decisions; never waits
    collect(pending)      -> Outcome    wait once and read the small results

A step is: update (displace and test), start (only when a channel senses an object for the first time),
votes if any (`cast_votes` and `receive`, between advance and conclude), decide. Only steps with an end check
compute one; in between, what the last one found is reported again. A bank holds a state and gives it to the
functions of `state.steps`, which return the next one; how hypotheses are read on demand is in `held`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.held import HeldRoom
from saccade.cortex.bank.inputs import HEADING, FeltPacked, FeltPercepts, Headed
from saccade.cortex.bank.outcome import Outcome, Pending, Step
from saccade.cortex.bank.program import Report
from saccade.cortex.bank.state import steps
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.modules.vote import Ballot, Routing
from saccade.cortex.ops import read
from saccade.tensor import Tensor

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class EvidenceBank(HeldRoom):
    """Hypotheses of M modules in R rows, and the steps that move them on."""

    def launch(self, batch: PerceptBatch, check: Bools | None = None) -> Pending:
        """Enqueue one whole step for all rows and modules. `check` (R, M) asks for the end check; with None
        it is no part of the program, which is another one then. Never waits.
        """
        arrangement, _, ledger, _ = self.state
        if ledger.any_waiting and not arrangement.bursts:
            # some channel may begin, which is not part of that program
            return self.conclude(self.advance(batch, check))
        self.state, step, poses = steps.sensed(self.tools, self.state, batch, check)
        self.state, pending = steps.whole_step(self.tools, self.state, step, poses)
        return pending

    def advance(self, batch: PerceptBatch, check: Bools | None = None) -> Step:
        """Enqueue the update of all hypotheses by the percepts of one step. Never waits."""
        self.state, step, poses = steps.sensed(self.tools, self.state, batch, check)
        step.sensor_location = batch.mean_location()[0]
        if self.arrangement.bursts or self.ledger.bound.any():
            self.state = steps.advance(self.tools, self.state, step, poses)
        else:  # there is nothing yet to displace or test
            step.update = self.arrangement.untouched
        if self.ledger.any_waiting and not self.arrangement.bursts:
            self.state = steps.started(self.tools, self.state, batch, step)
        return step

    def conclude(self, step: Step) -> Pending:
        """Decide on the hypotheses as they stand; enqueued, like everything else."""
        self.state, pending = steps.conclude(self.tools, self.state, step)
        return pending

    # --- percepts that are on the device

    @property
    def takes_felt(self) -> bool:
        """Whether the next step can be `launch_felt`: where hypotheses begin, the plain updater asks the
        host."""
        return self.arrangement.informed if self.arrangement.bursts else not self.ledger.any_waiting

    def launch_felt(self, felt: FeltPercepts, rows: Ints, check: Bools | None = None) -> Pending:
        """As `launch`, of percepts on the device that the host has not seen; rows (R,): which of them each
        row takes, -1 for none. Never waits. `heard` comes next, with what they were.
        """
        return self.launch_headed(*self._packed(felt, rows, check))

    def advance_felt(self, felt: FeltPercepts, rows: Ints, check: Bools | None = None) -> Step:
        """As `advance`, of percepts on the device."""
        return self.advance_headed(*self._packed(felt, rows, check))

    def _packed(self, felt: FeltPercepts, rows: Ints, check: Bools | None) -> tuple[Headed, FeltPacked]:
        heading = np.zeros((*self.arrangement.lead, HEADING))
        headed = self.headed(heading, rows, check)
        return headed, FeltPacked(*felt.packed(heading, headed.ways))

    def headed(self, heading: Floats, rows: Ints, check: Bools | None) -> Headed:
        """Begin a step of percepts on the device: what the bank adds to them is written to heading
        (R, M, HEADING). `launch_headed` or `advance_headed` comes next."""
        self.state, headed = steps.headed(self.tools, self.state, heading, rows, check)
        return headed

    def launch_headed(self, headed: Headed, felt: FeltPacked) -> Pending:
        """As `launch_felt`, of percepts that are packed; of those of several banks, this one's rows alone."""
        if not self.arrangement.bursts:
            felt = steps.own_rows(self.tools, self.state, felt)
        step, poses = steps.packed_step(self.tools, headed, felt)
        state, pending = steps.whole_step(self.tools, self.state, step, poses, felt.rows)
        self.state = steps.not_heard(state)
        return pending

    def advance_headed(self, headed: Headed, felt: FeltPacked) -> Step:
        """As `advance_felt`, of percepts that are packed."""
        felt = steps.own_rows(self.tools, self.state, felt)
        step, poses = steps.packed_step(self.tools, headed, felt)
        steps.sent(self.tools, self.state, step)
        self.state = steps.not_heard(steps.advance(self.tools, self.state, step, poses))
        return step

    def heard(self, pending: Pending, batch: PerceptBatch, check: Bools | None) -> None:
        """What the percepts of the step launched last were, and which modules (R, M) made the end check; its
        outcome is asked for after that."""
        self.state = steps.heard(self.tools, self.state, pending, batch, check)

    # --- votes

    def cast_votes(self, step: Step) -> Ballot:
        """Enqueue the choice of votes; modules that processed nothing send nothing."""
        return steps.cast_votes(self.tools, self.state, step)

    def receive(
        self,
        ballots: tuple[Ballot, ...],
        routing: Routing,
        offsets: Floats | tuple[Tensor, ...],
        step: Step,
    ) -> None:
        """Enqueue the effect of votes; offsets (R, S, M, 3) lead from each sender's sensor to the receiver's,
        or are known on the device from the places of the sensors of each bank, (R, M, 3).
        """
        self.state = steps.receive(self.tools, self.state, ballots, routing, offsets, step)

    # --- results

    def results_of(self, pending: Pending) -> Sequence[Report]:
        """The tensors to read when the step is gathered: one, small, whatever the number of hypotheses."""
        return steps.results_of(self.state, pending)

    def outcome_of(self, pending: Pending, values: Sequence[npt.NDArray[Any]]) -> Outcome:
        """The step on the host, from the values of `results_of`."""
        self.state, outcome = steps.outcome_of(self.state, pending, values)
        return outcome

    def collect(self, pending: Pending) -> Outcome:
        """Wait for a step and read its results: the one synchronisation."""
        return self.outcome_of(pending, read(self.results_of(pending)))
