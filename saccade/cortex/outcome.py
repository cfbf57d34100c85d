"""A step of a bank on its way: while the device works on it, when all of it is queued, and on the host.

Step      the update is queued; votes may follow
Pending   the decisions are queued too; one small tensor is to be read
Outcome   what was read
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.program import Report
from saccade.cortex.updater_burst import Burst
from saccade.cortex.updater_plain import Update
from saccade.tensor.bound import Inbox

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass
class Step:
    """A step whose update is under way and that is not decided yet."""

    packed: Inbox
    update: Update | None  # None where one program makes the whole step
    burst: Burst | None
    processed: Bools  # (R, M) a percept with features came
    on_object: Bools  # (R, M) some percept came from the object
    checked: Bools  # (R, M) the end check is made
    sensor_location: npt.NDArray[np.float64]  # (R, M, 3) of the first channel that is present


@dataclass
class Pending:
    """A step under way: what will be read."""

    step: Step
    report: Report
    number: int = 0  # of the step, to tell whether its results are still there


@dataclass(frozen=True)
class Outcome:
    """A finished step on the host: `values` (R, M, columns), where `beliefs_at` and `update_at` tell the
    columns, or the same as structures of arrays, made when asked for.
    """

    step: Step
    report: Report
    values: npt.NDArray[np.float64]

    @property
    def beliefs_at(self) -> Any:
        return self.report.layout.places[0]

    @property
    def update_at(self) -> Any:
        return self.report.layout.places[1]

    @cached_property
    def told(self) -> list[list[list[float]]]:
        """The values as lists, rows of modules of columns: single numbers are read faster from these."""
        told: list[list[list[float]]] = self.values.tolist()
        return told

    @cached_property
    def settling(self) -> tuple[list[list[int]], list[list[bool]]]:
        """As lists, rows of modules: the number of possible matches, and whether a check settled the pose."""
        at, values = self.beliefs_at, self.values
        settled = (values[..., at.unique] > 0) | (values[..., at.symmetric] > 0)
        return values[..., at.possible].sum(axis=-1).astype(np.int64).tolist(), settled.tolist()

    @cached_property
    def flags(self) -> tuple[list[list[bool]], list[list[bool]], list[list[bool]]]:
        """`processed`, `on_object` and `checked` as lists, rows of modules."""
        step = self.step
        return step.processed.tolist(), step.on_object.tolist(), step.checked.tolist()

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
