"""What a learning module reports after a step, on the host, and the rules that need no device.

A `ModuleResult` covers all rows of one module. It names objects instead of numbering them, and it carries
the percept that goes to the next level. The rules here work on one number per object, so they are plain
NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.geometry import matrix_to_euler
from saccade.cortex.messages import Percept

Floats = npt.NDArray[np.float64]

MATCH, NO_MATCH, TIME_OUT = "match", "no_match", "time_out"


@dataclass(frozen=True)
class Pose:
    """A most likely hypothesis: object, its place among the object's hypotheses, and what it claims."""

    object: str
    id: int
    evidence: float
    location: Floats  # (3,) where the sensor is, object frame
    rotation: Floats  # (3, 3) body to object

    @property
    def euler_degrees(self) -> Floats:
        """The object's own rotation (the inverse), degrees about fixed x, y, z, rounded to 3 decimals, in
        [0, 360).
        """
        return np.mod(np.round(matrix_to_euler(self.rotation.T), 3), 360)


@dataclass
class ModuleResult:
    """One module after one step; entry r of every list and axis 0 of every array is row r."""

    module: str
    objects: tuple[str, ...]
    best: list[Pose | None]
    evidence: Floats  # (R, O) largest evidence of each object, -inf without hypotheses
    counts: npt.NDArray[np.int64]  # (R, O)
    possible: list[list[str]]  # possible matches
    prediction_error: Floats  # (R, O), NaN where nothing was tested
    terminal: list[str | None]
    symmetry: npt.NDArray[np.int64]  # (R,)
    possible_hypotheses: npt.NDArray[np.int64]  # (R, O) flagged at the last end check
    outputs: list[Percept | None]
    processed: npt.NDArray[np.bool_]  # (R,) a percept with features came
    failure: Exception | None = field(default=None)

    def of_rows(self, rows: npt.NDArray[np.int64]) -> ModuleResult:
        """The result of these rows alone, in this order."""
        numbers = rows.tolist()

        def taken(value: Any) -> Any:
            return [value[row] for row in numbers] if isinstance(value, list) else value[rows]

        per_row = [each.name for each in fields(self) if each.name not in ("module", "objects", "failure")]
        return replace(self, **{name: taken(getattr(self, name)) for name in per_row})


def object_number(name: str) -> int:
    """The number that stands for an object in a percept to a higher level: the sum of its character codes.

    >>> object_number("o0")
    159
    """
    return sum(ord(character) for character in name)


def top_two(evidence: Floats, best: int) -> tuple[int, int | None]:
    """The two objects with the largest evidence (O,), the object of the best hypothesis first.

    Objects without hypotheses (-inf) do not take part; with one object there is no second.
    """
    there = np.flatnonzero(evidence > -np.inf)
    if len(there) == 1:
        return int(there[0]), None
    order = there[np.argsort(evidence[there], kind="stable")]
    first, second = int(order[-1]), int(order[-2])
    if first != best:
        first, second = (second, first) if second == best else (best, second)
    return first, second


def failed_result(module: str, rows: int, error: Exception) -> ModuleResult:
    """The result of a module whose bank raised: it believes nothing on this step."""
    none = np.zeros((rows, 0))
    return ModuleResult(
        module=module,
        objects=(),
        best=[None] * rows,
        evidence=none,
        counts=none.astype(np.int64),
        possible=[[] for _ in range(rows)],
        prediction_error=none,
        terminal=[None] * rows,
        symmetry=np.zeros(rows, np.int64),
        possible_hypotheses=none.astype(np.int64),
        outputs=[None] * rows,
        processed=np.zeros(rows, bool),
        failure=error,
    )
