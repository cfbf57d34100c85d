"""What a step sends to the device: one packed array per group, and its meaning inside the program.

All numbers of a step for all rows and modules travel in a single (R, M, W) array of doubles, so a step
costs one small transfer. Columns:

    0:3  displacement of the sensors since the last percept (body frame)
    3    1 if the step only moved: displace, change no evidence
    4    1 if the end check is to be made
    5..  per channel: pose vectors 9, fully defined 1, curvature 1, usable 1, feature columns F
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.evidence import Sensed
from saccade.cortex.geometry import Vector
from saccade.cortex.messages import PerceptBatch, any_channel
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor
from saccade.tensor.bound import Inbox

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

HEADER = 5
#: columns of a channel before its features
FIXED = 12


class StepInput(NamedTuple):
    """The packed array taken apart; conditions are (R, M) bool, vectors (R, M, 1, 1)."""

    displacement: Vector
    moved_only: Tensor
    check: Tensor
    channels: tuple[Sensed, ...]


def packed_width(widths: tuple[int, ...]) -> int:
    return HEADER + sum(FIXED + width for width in widths)


class Staging:
    """Inboxes (R, M, W) to pack into, which two steps in turn use."""

    def __init__(self, rows: int, modules: int, widths: tuple[int, ...], device: str | None) -> None:
        shape = (rows, modules, packed_width(widths))
        self._turns = deque(Inbox(shape, "float64", device) for _ in range(2))

    def pack(self, *given: Any) -> Inbox:
        """What `pack` writes for these arguments, good until the step after the next."""
        self._turns.rotate()
        inbox = self._turns[0]
        inbox.ready()
        pack(inbox.array, *given)
        return inbox


def pack(self, *given: Any) -> Tensor:
        """What `pack` writes for these arguments, as a tensor that is good until the step after the next."""
        self._turns.rotate()
        array, tensor = self._turns[0]
        pack(array, *given)
        if self._copies:
            overwrite(tensor, array)
        return tensor


def pack(
    out: Floats,
    batch: PerceptBatch,
    displacement: Floats,
    check: Bools,
    usable: Bools,
    widths: tuple[int, ...],
) -> None:
    """Fill (R, M, W) from the percepts of a step, the sensors' displacement (R, M, 3), the wish to check
    (R, M) and which percepts have features that count (R, M, C).
    """
    rows, modules, _ = batch.shape
    out[..., 0:3] = displacement
    out[..., 3] = any_channel(batch.present) & ~any_channel(batch.informative)
    out[..., 4] = check
    column = HEADER
    for c, width in enumerate(widths):
        out[..., column : column + 9] = batch.pose_vectors[:, :, c].reshape(rows, modules, 9)
        out[..., column + 9] = batch.pose_fully_defined[:, :, c]
        out[..., column + 10] = batch.curvature[:, :, c]
        out[..., column + 11] = usable[:, :, c]
        out[..., column + FIXED : column + FIXED + width] = batch.features[:, :, c, :width]
        column += FIXED + width


def unpack(packed: Tensor, widths: tuple[int, ...], settings: EvidenceSettings) -> StepInput:
    """The inverse of `pack`, inside the program: vectors in the dtype of rotations, numbers in the working
    dtype.
    """

    def spread(column: int, dtype: str = settings.dtype) -> Tensor:
        return packed[..., column].unsqueeze(-1).unsqueeze(-1).cast(dtype)

    def vector(column: int) -> Vector:
        kind = settings.rotation_dtype
        return spread(column, kind), spread(column + 1, kind), spread(column + 2, kind)

    sensed = []
    column = HEADER
    for width in widths:
        sensed.append(
            Sensed(
                normal=vector(column),
                first=vector(column + 3),
                fully_defined=spread(column + 9),
                curvature=spread(column + 10),
                features=packed[..., column + FIXED : column + FIXED + width].cast(settings.dtype),
                usable=packed[..., column + 11] > 0.5,
            )
        )
        column += FIXED + width
    return StepInput(vector(0), packed[..., 3] > 0.5, packed[..., 4] > 0.5, tuple(sensed))
