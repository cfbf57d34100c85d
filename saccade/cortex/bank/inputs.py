"""What a step sends to the device: one packed array per group, and its meaning inside the program.

All numbers of a step for all rows and modules travel in a single (R, M, W) array of doubles, so a step
costs one small transfer. It holds a batch of percepts as it is (`messages`), with what the bank adds before
it, so that packing is a few copies. Columns:

    0:3  displacement of the sensors since the last percept (body frame), or where they were then
    3    1 if it is where they were: the only channel's location tells where they are
    4    1 if the end check is to be made
    5..  per channel: location 3, pose vectors 9, curvature 1, features F
    ..   per channel: fully defined, present, informative, on the object

Percepts that are on the device already are packed there (`FeltPercepts`); what the bank adds to them is a
heading (R, M, HEADING), and that alone is sent:

    0:3  where the sensors were; 3: 1 if that is known; 4: 1 if the end check is wanted
    5    where poses sensed now are noted (`turns`), NOWHERE if they are not
    6    the row of what was felt, -1 for none
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from saccade.cortex.geometry import Vector
from saccade.cortex.hypotheses.evidence import Sensed
from saccade.cortex.hypotheses.hypotheses import Poses
from saccade.cortex.messages import FLAGS, NUMBERS, PerceptBatch
from saccade.cortex.ops import where
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor
from saccade.tensor.jit.bound import Inbox

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

HEADER = 5
#: columns of a heading
BEFORE, LOCATED, CHECK, SLOT, ROW = 0, 3, 4, 5, 6
HEADING = 7
#: a place for poses that is nowhere
NOWHERE = np.iinfo(np.int32).max


class Ways(NamedTuple):
    """How a sensed pose is read: in so many turns about its normal where its directions are not defined, in
    this dtype."""

    umbilical: int
    dtype: str


class FeltPercepts(Protocol):
    """Percepts of the modules of a bank that are on its device."""

    def packed(self, heading: Floats, ways: Ways | None) -> tuple[Tensor, tuple[Poses, ...]]:
        """The packed array (R, M, W) for a heading (R, M, HEADING), and of every channel the ways to read its
        poses, none where none are wanted. Never waits."""


class FeltPacked(NamedTuple):
    """Percepts on a device, packed: (R, M, W), and of every channel the ways to read its poses. rows (R',):
    of those of several banks, which are a bank's; None: all are."""

    packed: Tensor
    poses: tuple[Poses, ...]
    rows: Tensor | None = None


class Headed(NamedTuple):
    """A step that has begun, of percepts on the device: which modules (R, M) are to make the end check, and
    whether any was asked for; which may begin hypotheses (R, M), None without bursts; and the ways to read
    poses, None where nobody does."""

    check: Bools
    checks: bool
    sampled: Bools | None
    ways: Ways | None


class StepInput(NamedTuple):
    """The packed array taken apart; conditions are (R, M) bool, vectors (R, M, 1, 1)."""

    displacement: Vector
    processed: Tensor  # some percept's features count
    moved_only: Tensor
    check: Tensor
    channels: tuple[Sensed, ...]


class Packed:
    """An inbox (R, M, W) and its parts as views: `way` (R, M, 3), its first columns, is for the bank to
    write; `location` (R, M, 3) is the first channel's, there until the step after the next."""

    def __init__(self, rows: int, modules: int, widths: tuple[int, ...], device: str | None) -> None:
        channels, most = len(widths), max(widths, default=0)
        flags_at = HEADER + channels * (NUMBERS + most)
        self.inbox = Inbox((rows, modules, flags_at + channels * FLAGS), "float64", device)
        array = self.inbox.array
        self.way: Floats = array[..., :3]
        self._follows, self._check = array[..., 3], array[..., 4]
        self._numbers = array[..., HEADER:flags_at].reshape(rows, modules, channels, NUMBERS + most)
        self.location: Floats = array[..., HEADER : HEADER + 3]
        self._flags = array[..., flags_at:].reshape(rows, modules, channels, FLAGS)
        self._said: tuple[bytes, bytes, bool] = (b"", b"", False)

    def fill(
        self, batch: PerceptBatch, flags: bytes, check: Bools, checks: bytes, follows: bool = False
    ) -> None:
        """Write a batch, the wish to check (R, M), and whether `way` will be where the sensors were, from
        which the displacement `follows`. Flags and wishes are also given as bytes: they seldom change."""
        self._numbers[...] = batch.numbers
        if self._said != (flags, checks, follows):
            self._flags[...] = batch.flags
            self._check[...] = check
            self._follows[...] = follows
            self._said = (flags, checks, follows)


class Staging:
    """Two packed arrays that steps take turns in: one can be filled while a step still reads the other."""

    def __init__(self, rows: int, modules: int, widths: tuple[int, ...], device: str | None) -> None:
        self._turns = deque(Packed(rows, modules, widths, device) for _ in range(2))

    def next(self) -> Packed:
        """The one to fill now, good until the step after the next."""
        self._turns.rotate()
        packed = self._turns[0]
        packed.inbox.ready()
        return packed


class Senders(NamedTuple):
    """What votes need of percepts: which modules (R, M) have one that counts, and where (R, M, 3) they are,
    the mean of those that came."""

    active: Tensor
    place: Tensor


def senders(widths: tuple[int, ...], packed: Tensor) -> Senders:
    """Of the packed array inside a program."""
    size, channels = NUMBERS + max(widths, default=0), len(widths)
    active = number = place = None
    for c in range(channels):
        column, flags = HEADER + c * size, HEADER + channels * size + c * FLAGS
        here = packed[..., flags + 1] > 0.5
        there = where(here.unsqueeze(-1), packed[..., column : column + 3], 0.0)
        counts, one = here & (packed[..., flags + 2] > 0.5), here.cast("float64")
        active = counts if active is None else active | counts
        number = one if number is None else number + one
        place = there if place is None else place + there
    assert active is not None
    assert number is not None
    assert place is not None
    return Senders(active, place / where(number > 1.0, number, 1.0).unsqueeze(-1))


def unpack(packed: Tensor, widths: tuple[int, ...], settings: EvidenceSettings) -> StepInput:
    """The packed array inside the program: vectors in the dtype of rotations, the rest in the working one."""

    def spread(column: int, dtype: str = settings.dtype) -> Tensor:
        return packed[..., column].unsqueeze(-1).unsqueeze(-1).cast(dtype)

    def vector(column: int) -> Vector:
        kind = settings.rotation_dtype
        return spread(column, kind), spread(column + 1, kind), spread(column + 2, kind)

    def flag(column: int) -> Tensor:
        return packed[..., column] > 0.5

    def displaced(axis: int) -> Tensor:
        way, here = packed[..., axis], packed[..., HEADER + axis]
        moved = where(flag(3), here - way, way)
        return moved.unsqueeze(-1).unsqueeze(-1).cast(settings.rotation_dtype)

    size = NUMBERS + max(widths, default=0)
    sensed = []
    present = processed = None
    for c, width in enumerate(widths):
        column, flags = HEADER + c * size, HEADER + len(widths) * size + c * FLAGS
        here, counts = flag(flags + 1), flag(flags + 2)
        present = here if present is None else present | here
        usable = here & counts
        processed = usable if processed is None else processed | usable
        sensed.append(
            Sensed(
                normal=vector(column + 3),
                first=vector(column + 6),
                fully_defined=spread(flags),
                curvature=spread(column + 12),
                features=packed[..., column + NUMBERS : column + NUMBERS + width].cast(settings.dtype),
                usable=usable,
            )
        )
    assert present is not None
    assert processed is not None
    displacement = displaced(0), displaced(1), displaced(2)
    return StepInput(displacement, processed, present & ~processed, flag(4), tuple(sensed))
