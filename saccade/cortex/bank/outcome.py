"""A step of a bank on its way: while the device works on it, when all of it is queued, and on the host.

Step      the update is queued; votes may follow
Pending   the decisions are queued too; one small tensor is to be read
Outcome   what was read
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.inputs import Senders
from saccade.cortex.bank.program import Report
from saccade.cortex.hypotheses.updater_burst import Burst
from saccade.cortex.hypotheses.updater_plain import Update
from saccade.cortex.messages import PerceptBatch, any_channel
from saccade.tensor import Tensor
from saccade.tensor.jit.bound import Inbox

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Marked(NamedTuple):
    """What the flags of a batch say; one serves all steps with the same flags, so nobody writes it."""

    usable: Bools  # (R, M, C) percepts whose features count
    processed: Bools  # (R, M) a percept with features came
    on_object: Bools  # (R, M) some percept came from the object
    lists: tuple[list[list[bool]], list[list[bool]]]  # the last two as lists
    any_usable: bool
    all_present: bool  # every module of every row has some percept

    @staticmethod
    def of(batch: PerceptBatch) -> Marked:
        usable = batch.present & batch.informative
        processed, on_object = any_channel(usable), any_channel(batch.present & batch.on_object)
        for array in (usable, processed, on_object):
            array.flags.writeable = False
        return Marked(
            usable,
            processed,
            on_object,
            (processed.tolist(), on_object.tolist()),
            bool(usable.any()),
            bool(any_channel(batch.present).all()),
        )

    def of_rows(self, rows: Integers) -> Marked:
        """What the flags of these rows say, in this order."""
        usable, processed, on_object = self.usable[rows], self.processed[rows], self.on_object[rows]
        lists = processed.tolist(), on_object.tolist()
        return Marked(usable, processed, on_object, lists, bool(usable.any()), self.all_present)


@dataclass(slots=True)
class Step:
    """A step whose update is under way and that is not decided yet."""

    packed: Inbox | Tensor  # a tensor where percepts were on the device already
    marked: Marked
    checked: Bools  # (R, M) the end check is made
    checks: bool  # by some module
    update: Update | None = None  # None where one program makes the whole step
    burst: Burst | None = None
    sensor_location: Floats | None = None  # (R, M, 3) mean of its percepts, which hypotheses stand for
    senders: Senders | None = None  # the same and who has percepts, where the host has not heard of them
    sampled: Bools | None = None  # (R, M) may begin hypotheses; of percepts the host has not heard of
    voted: bool = False  # modules hear each other, so one that had no match may have one again

    @property
    def processed(self) -> Bools:
        """(R, M) a percept with features came"""
        return self.marked.processed

    @property
    def on_object(self) -> Bools:
        """(R, M) some percept came from the object"""
        return self.marked.on_object


@dataclass(slots=True)
class Pending:
    """A step under way: what will be read."""

    step: Step
    report: Report
    number: int = 0  # of the step, to tell whether its results are still there


class Outcome:
    """A finished step on the host: `values` (R, M, columns), where `beliefs_at` and `update_at` tell the
    columns, or the same as structures of arrays, made when asked for. `matches` (R * M) are the numbers of
    possible matches.

    The step after the next writes its report to the same memory: whoever launches it lets this one `keep`
    what it was given. Most steps are gone by then, and need the matches alone.
    """

    def __init__(self, step: Step, report: Report, values: Floats) -> None:
        self.step, self.report, self._lent = step, report, values  # the report has the memory
        self.beliefs_at, self.update_at, *_ = report.layout.places
        # without NumPy, which takes longer than they do
        if report.latest is not values:
            report.latest, report.flat = values, values.reshape(-1).data
        self.matches = report.flat[self.beliefs_at.matches :: values.shape[2]].tolist()

    def of_rows(self, rows: Integers) -> Outcome:
        """Of these rows alone, in this order, with memory of its own."""
        step = replace(self.step, marked=self.step.marked.of_rows(rows), checked=self.step.checked[rows])
        return Outcome(step, self.report, self._lent[rows])

    @cached_property
    def values(self) -> Floats:
        """(R, M, columns)"""
        return self._lent.copy()

    def keep(self) -> None:
        """Copy what is lent, if it was not asked for yet."""
        _ = self.values

    @cached_property
    def told(self) -> list[list[list[float]]]:
        """The values as lists, rows of modules of columns: single numbers are read faster from these."""
        told: list[list[list[float]]] = self.values.tolist()
        return told

    @cached_property
    def checks(self) -> tuple[list[list[bool]], list[list[bool]]]:
        """Rows of modules: who made the end check, and whether it settled the pose."""
        at, values = self.beliefs_at, self.values
        settled = (values[..., at.unique] > 0) | (values[..., at.symmetric] > 0)
        return self.step.checked.tolist(), settled.tolist()

    @cached_property
    def per_object(self) -> tuple[Floats, Integers, Floats, Integers]:
        """(R, M, O) each: largest evidence, number of hypotheses, prediction error, possible hypotheses."""
        at, values = self.beliefs_at, self.values
        return (
            values[..., at.best.per_object],
            values[..., at.counts].astype(np.int64),
            values[..., self.update_at.prediction_error],
            values[..., at.possible_hypotheses].astype(np.int64),
        )

    @cached_property
    def symmetry(self) -> Integers:
        """(R, M) checks in a row that spoke for a symmetry."""
        return self.values[..., self.beliefs_at.symmetry].astype(np.int64)

    @cached_property
    def _structures(self) -> Any:
        return self.report.unpack(self.values)

    @property
    def beliefs(self) -> Any:  # Beliefs
        return self._structures[0]

    @property
    def update(self) -> Any:  # Update
        return self._structures[1]

    @property
    def burst(self) -> Burst | None:
        if self.step.burst is None:
            return None
        max_slope, *numbers = self._structures[2]
        return Burst(max_slope, self.step.burst.removed, *numbers)

    @property
    def processed(self) -> Bools:
        return self.step.processed

    @property
    def on_object(self) -> Bools:
        return self.step.on_object

    @property
    def checked(self) -> Bools:
        return self.step.checked
