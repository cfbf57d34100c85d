"""What sensors and modules tell the modules above them: percepts. Goals go down as `goals.GoalBatch`, votes
go sideways as `vote.Ballot`, both for all rows at once.

A percept has a location and a pose in the *body frame* (metres; the rows of `pose_vectors` are surface
normal, first direction, second direction), a confidence in [0, 1] and the name of the sender. It checks
itself when it is made, so nothing downstream meets a NaN, a foreign frame or a wrong shape.

    >>> percept = Percept([0, 0, 0.1], np.eye(3), features={"hsv": [0.5, 1, 1]}, sender="patch_0")
    >>> percept.moved_only
    False

`PerceptBatch` is the same information as arrays with leading axes (rows, modules, channels): rows are
parallel episodes, channels the senders a module listens to. Its width is fixed by the connectivity, so it
can be staged in buffers that are allocated once; absent percepts are masked, not dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np
import numpy.typing as npt

from saccade.cortex.features import UNKNOWN_CURVATURE, FeatureLayout, scalar_curvature
from saccade.reproducible import total

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

BODY = "body"


def finite_array(value: npt.ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    """`value` as a float64 array of exactly `shape`, refused with the name `what` if it is not finite."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise ValueError(
            f"{what} holds NaN or infinity: {array.tolist()}; drop the percept or repair it first"
        )
    return array


def _checked_confidence(value: float, what: str) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} must lie in [0, 1], got {value}")
    return float(value)


def _checked_frame(frame: str, sender: str) -> None:
    if frame != BODY:
        raise ValueError(
            f"message of {sender!r} is in frame {frame!r}: learning modules compare displacements in the "
            f"{BODY!r} frame; transform it first"
        )


@dataclass(frozen=True)
class Percept:
    """One thing sensed (or recognised by a lower module) at one place.

    `features` maps names to numbers or vectors. A sensor that moved but saw nothing new sends
    `moved_only=True`: the location counts, the rest does not. `on_object` is False when the sensor looks
    past the object.
    """

    location: Floats  # (3,)
    pose_vectors: Floats = field(default_factory=lambda: np.eye(3))  # (3, 3)
    features: Mapping[str, npt.ArrayLike] = field(default_factory=dict)
    pose_fully_defined: bool = True
    confidence: float = 1.0
    sender: str = ""
    moved_only: bool = False
    on_object: bool = True
    frame: str = BODY

    def __post_init__(self) -> None:
        _checked_frame(self.frame, self.sender)
        put = object.__setattr__
        put(self, "location", finite_array(self.location, (3,), f"location of {self.sender!r}"))
        put(self, "pose_vectors", finite_array(self.pose_vectors, (3, 3), f"pose vectors of {self.sender!r}"))
        put(self, "confidence", _checked_confidence(self.confidence, f"confidence of {self.sender!r}"))
        put(self, "features", {name: self._checked_feature(name) for name in self.features})

    def _checked_feature(self, name: str) -> Floats:
        value = np.atleast_1d(np.asarray(self.features[name], dtype=np.float64))
        return finite_array(value, (value.size,), f"feature {name!r} of {self.sender!r}")


#: columns of a percept's numbers before its features: location 3, pose vectors 9, curvature 1
NUMBERS = 13
#: a percept's flags: pose fully defined, present, informative, on the object
FLAGS = 4


@dataclass(frozen=True)
class PerceptBatch:
    """Percepts of all channels of all modules of all rows; leading axes (rows R, modules M, channels C).

    All numbers are one array and all flags another, so that a step sends and compares them as a whole; the
    parts by name are views that can be written.
    """

    numbers: Floats  # (R, M, C, NUMBERS + F)
    flags: Bools  # (R, M, C, FLAGS)

    @property
    def location(self) -> Floats:
        """(R, M, C, 3)"""
        return self.numbers[..., :3]

    @property
    def pose_vectors(self) -> Floats:
        """(R, M, C, 3, 3)"""
        return self.numbers[..., 3:12].reshape(*self.flags.shape[:3], 3, 3)

    @property
    def curvature(self) -> Floats:
        """(R, M, C) one scalar, see features.scalar_curvature"""
        return self.numbers[..., 12]

    @property
    def features(self) -> Floats:
        """(R, M, C, F) columns in the order of each channel's layout, zero padded"""
        return self.numbers[..., NUMBERS:]

    @property
    def pose_fully_defined(self) -> Bools:
        """(R, M, C)"""
        return self.flags[..., 0]

    @property
    def present(self) -> Bools:
        """(R, M, C) a percept came at all"""
        return self.flags[..., 1]

    @property
    def informative(self) -> Bools:
        """(R, M, C) and its features count"""
        return self.flags[..., 2]

    @property
    def on_object(self) -> Bools:
        """(R, M, C)"""
        return self.flags[..., 3]

    @property
    def shape(self) -> tuple[int, int, int]:
        rows, modules, channels, _ = self.flags.shape
        return rows, modules, channels

    @staticmethod
    def empty(rows: int, modules: int, channels: int, width: int) -> PerceptBatch:
        """No percepts at all, ready to be filled with `put`."""
        lead = (rows, modules, channels)
        batch = PerceptBatch(np.zeros((*lead, NUMBERS + width)), np.zeros((*lead, FLAGS), bool))
        batch.pose_vectors[:] = np.eye(3)
        batch.curvature[:] = UNKNOWN_CURVATURE
        return batch

    def put(self, at: tuple[int, int, int], percept: Percept, layout: FeatureLayout) -> None:
        """Write one percept at (row, module, channel)."""
        self.location[at] = percept.location
        self.pose_vectors[at] = percept.pose_vectors
        self.pose_fully_defined[at] = percept.pose_fully_defined
        if not percept.moved_only:
            values = layout.pack(percept.features, percept.sender)
            self.features[at][: values.size] = values
            # of what the module listens to, as for sensors
            self.curvature[at] = scalar_curvature({name: percept.features[name] for name in layout.names})
        self.present[at] = True
        self.informative[at] = not percept.moved_only
        self.on_object[at] = percept.on_object

    def modules(self, first: int, last: int) -> PerceptBatch:
        """Modules first to last - 1 of the batch, as views."""
        if first == 0 and last == self.flags.shape[1]:
            return self
        return PerceptBatch(self.numbers[:, first:last], self.flags[:, first:last])

    def fit(self) -> bool:
        """Whether all numbers are finite, those of absent percepts too: one bad one shows in the sum of
        squares."""
        return isfinite(np.vdot(self.numbers, self.numbers))

    def unfit(self) -> Bools:
        """(R, M) modules, of each row, with a percept that holds NaN or infinity."""
        bad = ~np.isfinite(self.numbers[..., :12]).all(axis=3)
        bad |= self.informative & ~np.isfinite(self.numbers[..., 12:]).all(axis=3)
        return any_channel(bad & self.present)

    def without(self, modules: Bools) -> PerceptBatch:
        """A copy in which the marked modules (R, M) have no percepts."""
        rest = PerceptBatch(self.numbers.copy(), self.flags.copy())
        nothing = PerceptBatch.empty(1, 1, 1, self.features.shape[3])
        rest.numbers[modules] = nothing.numbers[0, 0]
        rest.present[modules] = rest.informative[modules] = False
        return rest

    def mean_location(self) -> tuple[Floats, Bools]:
        """(R, M, 3) mean location of the percepts that are present, and (R, M) whether there are any."""
        if self.present.shape[2] == 1:
            there = self.present[..., 0]
            here = self.location[:, :, 0]
            return (here.copy() if there.all() else np.where(there[..., None], here, 0.0)), there
        number = np.count_nonzero(self.present, axis=2)
        summed = total(np.where(self.present[..., None], self.location, 0.0), axis=2)
        return summed / np.maximum(number, 1)[..., None], number > 0


def any_channel(flags: Bools) -> Bools:
    """(R, M) whether any of a module's channels (R, M, C) is marked; the array is the caller's to keep."""
    return flags[..., 0].copy() if flags.shape[2] == 1 else np.asarray(flags.any(axis=2))


def batch_of(
    percepts: Sequence[Percept], channels: Sequence[str], layouts: Sequence[FeatureLayout]
) -> PerceptBatch:
    """One row, one module: each percept goes to the channel named like its sender."""
    width = max((layout.width for layout in layouts), default=0)
    batch = PerceptBatch.empty(1, 1, len(channels), width)
    for percept in percepts:
        if percept.sender not in channels:
            raise ValueError(f"percept from {percept.sender!r}, but the module listens to {list(channels)}")
        channel = list(channels).index(percept.sender)
        if batch.present[0, 0, channel]:
            raise ValueError(f"two percepts from {percept.sender!r} in one step")
        batch.put((0, 0, channel), percept, layouts[channel])
    return batch
