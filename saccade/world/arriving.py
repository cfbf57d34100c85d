"""Numbers that are on a device, and come to the host when somebody there asks for them.

arriving = Arriving(tensor, rows)     # nothing is read
arriving.read                         # (rows, ...), now
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from saccade import Tensor


class Arriving:
    """Numbers (room, ...) on a device, of which the first `rows` are somebody's."""

    values: Tensor
    rows: int

    def __init__(self, values: Tensor, rows: int) -> None:
        object.__setattr__(self, "values", values)  # poses, which are such, are frozen
        object.__setattr__(self, "rows", rows)

    @cached_property
    def read(self) -> npt.NDArray[np.float64]:
        """(rows, ...) on the host; waits."""
        return np.asarray(self.values.numpy()[: self.rows])
