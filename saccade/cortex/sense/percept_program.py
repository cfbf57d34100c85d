"""Percepts as a tensor program: what sensors felt on a device becomes what the update of a bank takes there.

Comes in: the numbers of `sense_program.feel` for all rows, and a heading (R, M, HEADING) of what the bank
knows. Goes out: the packed array of `bank.inputs`, and where hypotheses may begin, the ways to read the
sensed poses: what `percepts.put_sensations`, `inputs.Packed.fill` and `geometry.sensed_sets` make on the
host. No percept of a sensor passes it here; what modules told each other a step ago is on the host, and sent.

    percepts = ResidentPercepts(values, wiring, "cuda")
    packed, poses = percepts.packed(heading, Ways(8, "float64"))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.inputs import BEFORE, CHECK, LOCATED, NOWHERE, ROW, SLOT, Ways
from saccade.cortex.bank.program import Program
from saccade.cortex.features import CURVATURES, UNKNOWN_CURVATURE, FeatureLayout
from saccade.cortex.hypotheses.hypotheses import Poses
from saccade.cortex.messages import FLAGS, NUMBERS, PerceptBatch
from saccade.cortex.ops import cast, integers, maximum, upload, where
from saccade.cortex.sense.percepts import check_features
from saccade.cortex.sense.sense_program import COLUMNS, NEWS, columns_of
from saccade.cortex.vectors import cross
from saccade.reproducible import cos_sin
from saccade.tensor import Tensor

#: in place of the number of a sensor: another module is heard
MODULE = -1


@dataclass(frozen=True)
class Wiring:
    """Who listens to whom. sensors: S, of a row. heard: of each module and channel, the number of the sensor,
    MODULE where it hears another module, which all modules do in the same channels. layouts: of each channel.
    told: the sensors that any module hears, for a row is checked when one of them told something, or a
    module did. levels: whether some module hears others."""

    sensors: int
    heard: tuple[tuple[int, ...], ...]
    layouts: tuple[FeatureLayout, ...]
    told: tuple[int, ...]
    levels: bool = False

    def of(self, first: int, last: int) -> Wiring:
        """That of modules first to last - 1."""
        return replace(self, heard=self.heard[first:last])

    def is_felt(self, channel: int) -> bool:
        """Whether a channel hears sensors."""
        return self.heard[0][channel] != MODULE


class Channel(NamedTuple):
    """The percepts of one channel, (R, M, n) or (R, M)."""

    location: Tensor
    pose: Tensor
    rest: Tensor  # curvature and features
    defined: Tensor
    usable: Tensor
    news: Tensor
    on_object: Tensor
    sound: Tensor  # no number is NaN or infinite


def pack(
    wiring: Wiring,
    ways: Ways | None,
    values: Tensor,
    heading: Tensor,
    circle: Tensor,
    messages: tuple[Tensor, ...] = (),
) -> tuple[Tensor, tuple[Poses, ...]]:
    """values (room * S, COLUMNS), heading (R, M, HEADING), circle (2, P) cosines and sines of the turns about
    a normal, messages with levels alone: `messages_of` (room, M, C, columns) -> (R, M, W), and of every
    channel the ways to read its poses, none without `ways`."""
    room, rows = values.shape[0] // wiring.sensors, heading.shape[0]
    row = cast(heading[:, 0, ROW], "int64")
    here = (row >= 0).unsqueeze(-1)
    every = values.reshape(room, wiring.sensors * COLUMNS)
    felt = every[maximum(row, 0)].reshape(rows, wiring.sensors, COLUMNS).contiguous()
    said = [each[maximum(row, 0)].contiguous() for each in messages]
    channels = [
        _channel(wiring, c, felt, here) if wiring.is_felt(c) else _message(wiring, c, said[0], here)
        for c in range(len(wiring.layouts))
    ]
    _move_messages(wiring, channels)
    lost = _any([channel.usable & ~channel.sound for channel in channels])
    usable = [channel.usable & ~lost for channel in channels]
    present = _any(usable)
    places = [where(each.unsqueeze(-1), channel.location, 0.0) for each, channel in zip(usable, channels)]
    number = [cast(each, "float64") for each in usable]
    mean = _sum(places) / maximum(_sum(number), 1.0).unsqueeze(-1)
    moved = (present & (heading[..., LOCATED] > 0.5)).unsqueeze(-1)
    way = where(moved, mean - heading[..., BEFORE : BEFORE + 3], 0.0)
    told = _any(
        [_flag(felt, "usable", s) & (felt[:, s, NEWS] > 0.5) for s in wiring.told]
        + [each[:, 0, 0, -1] > 0.5 for each in said]
    )
    check = (heading[..., CHECK] > 0.5) & told.unsqueeze(-1) & here
    parts = [way, *_side_by_side([check & ~check, check])]
    most = max(layout.width for layout in wiring.layouts)
    readings: list[Poses] = []
    for c, (channel, there, place) in enumerate(zip(channels, usable, places, strict=True)):
        pose = where(there.unsqueeze(-1), channel.pose, _identity(channel.pose))
        rest = where(there.unsqueeze(-1), channel.rest, 0.0)
        room_left = most + 1 - rest.shape[-1]
        parts += [place, pose, rest.pad((0, room_left)) if room_left else rest]
        if ways is not None:
            before = c * circle.shape[1]
            readings.append(_read(ways, pose, channel.defined & there, circle, heading[..., SLOT], before))
    for channel, there in zip(channels, usable, strict=True):
        parts += _side_by_side([channel.defined & there, there, there & channel.news, channel.on_object])
    return Tensor.cat(parts, dim=-1), tuple(readings)


def _channel(wiring: Wiring, c: int, felt: Tensor, here: Tensor) -> Channel:
    own = Tensor.stack([felt[:, module[c]] for module in wiring.heard], 1)
    layout = wiring.layouts[c]
    features = _features(own)
    columns = [features[name] for name in layout.names]
    location, pose = own[..., columns_of("location")], own[..., columns_of("pose_vectors")]
    rest = Tensor.cat([_scalar_curvature(features, layout), *columns], dim=-1)
    usable = _flag(own, "usable") & here
    # differences of what is not finite with itself are NaN
    nothing = [each - each for part in (location, pose, rest) for each in _columns(part)]
    return Channel(
        location,
        pose,
        rest,
        _flag(own, "pose_fully_defined"),
        usable,
        own[..., NEWS] > 0.5,
        _flag(own, "on_object") & here,
        _sum(nothing) == 0.0,
    )


def _message(wiring: Wiring, c: int, said: Tensor, here: Tensor) -> Channel:
    """What other modules told, from rows (R, M, C, columns) of messages."""
    own, rest = said[:, :, c], NUMBERS + wiring.layouts[c].width
    begin = said.shape[-1] - FLAGS - 1
    defined, present, informative, on_object = (own[..., begin + i] > 0.5 for i in range(FLAGS))
    usable = present & here
    return Channel(
        own[..., :3], own[..., 3:12], own[..., 12:rest], defined, usable, informative, on_object & here,
        present | ~present,
    )  # fmt: skip


def _move_messages(wiring: Wiring, channels: list[Channel]) -> None:
    """A module that has sensors hears of others where its own sensors are now."""
    felt = [channel for c, channel in enumerate(channels) if wiring.is_felt(c)]
    if not felt or len(felt) == len(channels):
        return
    number = _sum([cast(channel.usable, "float64") for channel in felt]).unsqueeze(-1)
    place = _sum([where(channel.usable.unsqueeze(-1), channel.location, 0.0) for channel in felt])
    for c, channel in enumerate(channels):
        if not wiring.is_felt(c):
            location = where(number > 0.0, place / maximum(number, 1.0), channel.location)
            channels[c] = channel._replace(location=location)


def _features(felt: Tensor) -> Mapping[str, Tensor]:
    """As `percepts.features_of`, (R, M, width) each."""
    k = felt[..., columns_of("curvatures")]
    return {
        "hsv": felt[..., columns_of("hsv")],
        "principal_curvatures_log": felt[..., columns_of("curvatures_log")],
        "principal_curvatures": k,
        "mean_curvature": (k[..., :1] + k[..., 1:]) / 2,
        "gaussian_curvature": k[..., :1] * k[..., 1:],
        "object_coverage": felt[..., columns_of("coverage")],
        "depth": felt[..., columns_of("depth")],
    }


def _scalar_curvature(features: Mapping[str, Tensor], layout: FeatureLayout) -> Tensor:
    """(R, M, 1), as on the host."""
    for name, largest in CURVATURES:
        if name in layout.names:
            value = features[name]
            return maximum(value[..., :1].abs(), value[..., 1:].abs()) if largest else value
    return features["depth"] * 0.0 + UNKNOWN_CURVATURE


def _read(ways: Ways, pose: Tensor, defined: Tensor, circle: Tensor, slot: Tensor, before: int) -> Poses:
    """As `geometry.sensed_sets`, of poses (R, M, 9)."""
    number = circle.shape[1]
    turn = integers(number, pose)
    n, f, s = ([pose[..., 3 * i + axis].unsqueeze(-1) for axis in range(3)] for i in range(3))
    around = [circle[0] * f[axis] + circle[1] * s[axis] for axis in range(3)]
    third = cross((n[0], n[1], n[2]), (around[0], around[1], around[2]))
    sign = where(turn == 0, circle[0] * 0.0 + 1.0, where(turn == 1, circle[0] * 0.0 - 1.0, 0.0))
    two_ways = (defined | (ways.umbilical == 2)).unsqueeze(-1)
    some, few = turn < ways.umbilical, turn < 2
    rows = [
        *(where(two_ways, where(few, part, 0.0), where(some, part, 0.0)) for part in n),
        *(where(two_ways, sign * part, where(some, turned, 0.0)) for part, turned in zip(f, around)),
        *(where(two_ways, sign * part, where(some, turned, 0.0)) for part, turned in zip(s, third)),
    ]
    sets = cast(Tensor.stack(rows, -1), ways.dtype)
    count = where(two_ways.squeeze(-1), turn[:1] * 0 + 2, ways.umbilical)
    noted = where(slot < NOWHERE, slot + before, float(NOWHERE))
    return Poses(sets, cast(count, "int32"), cast(noted, "int32"))


def _flag(felt: Tensor, name: str, sensor: int | None = None) -> Tensor:
    column = columns_of(name).start
    return (felt[..., column] if sensor is None else felt[:, sensor, column]) > 0.5


def _any(flags: list[Tensor]) -> Tensor:
    found = flags[0]
    for each in flags[1:]:
        found = found | each
    return found


def _sum(values: list[Tensor]) -> Tensor:
    found = values[0]
    for each in values[1:]:
        found = found + each
    return found


def _columns(value: Tensor) -> list[Tensor]:
    return [value[..., i] for i in range(value.shape[-1])]


def _side_by_side(flags: list[Tensor]) -> list[Tensor]:
    return [cast(each, "float64").unsqueeze(-1) for each in flags]


def _identity(like: Tensor) -> Tensor:
    """(9,) the pose of what is not there."""
    return cast(integers(9, like) % 4 == 0, like)


# --- from the host


Pack = Program[[Tensor, Tensor, Tensor, tuple[Tensor, ...]], tuple[Tensor, tuple[Poses, ...]]]


@cache
def _program(wiring: Wiring, ways: Ways | None) -> Pack:
    """One for all banks of a process."""
    return Program(partial(pack, wiring, ways))


def messages_of(batch: PerceptBatch, spoken: npt.NDArray[np.bool_], room: int) -> npt.NDArray[np.float64]:
    """(room, M, C, columns) what modules told those of a batch of R rows: its numbers and flags, and at last
    whether any module of the row told anything, spoken (R,)."""
    rows, modules, channels = batch.shape
    wide = np.zeros((room, modules, channels, batch.numbers.shape[3] + FLAGS + 1))
    wide[:rows, ..., : -FLAGS - 1], wide[:rows, ..., -FLAGS - 1 : -1] = batch.numbers, batch.flags
    wide[:rows, ..., -1] = spoken[:, None, None]
    return wide


@cache
def _circle(poses: int, device: str | None) -> Tensor:
    """(2, P) cosines and sines of so many turns, at least two places."""
    found = np.zeros((2, max(2, poses)))
    found[:, :poses] = cos_sin(2 * np.pi * np.arange(poses) / poses)
    return upload(found, "float64", device, True)


@dataclass(frozen=True)
class ResidentPercepts:
    """What the sensors of all rows felt, (room * S, COLUMNS) on a device, for the modules of a wiring.
    messages: with levels, as `messages_of`."""

    values: Tensor
    wiring: Wiring
    device: str | None
    messages: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for c, layout in enumerate(self.wiring.layouts):
            if self.wiring.is_felt(c):
                check_features(layout)

    def of(self, first: int, last: int) -> ResidentPercepts:
        """For modules first to last - 1."""
        own = None if self.messages is None else self.messages[:, first:last]
        return replace(self, wiring=self.wiring.of(first, last), messages=own)

    def packed(self, heading: npt.NDArray[np.float64], ways: Ways | None) -> tuple[Tensor, tuple[Poses, ...]]:
        """As `bank.inputs.FeltPercepts`. Never waits."""
        given = upload(heading, "float64", self.device, True)
        circle = _circle(2 if ways is None else ways.umbilical, self.device)
        said = () if self.messages is None else (upload(self.messages, "float64", self.device),)
        return _program(self.wiring, ways)(self.values, given, circle, said)
