"""Hypotheses between steps, packed: the objects of a row one after the other, each with room for what its own
nodes can bring.

A step works on (R, M, O, H), with as much room for every object as for the largest one: most of that is
padding where models differ. It is one block of rows at a time that steps, so the others lie packed, as if
they were those of one object with P places, (R, M, 1, P). A program of a packed bank begins with taking its
state apart and ends with packing it.

    places = Places.of(sizes, device)           # sizes (M, O): room for the hypotheses of each object
    run = unpacked_in(spec.burst_step, H)       # run(places, state, ...) of a packed state, and to one
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.hypotheses import updater_burst
from saccade.cortex.hypotheses.hypotheses import Hypotheses, grown, turned, within
from saccade.cortex.hypotheses.updater_burst import Tracker
from saccade.cortex.ops import integers, upload
from saccade.tensor import Tensor

Ints = npt.NDArray[np.int64]
#: objects begin at multiples of this, so that lines of memory are not shared
LINE = 32
#: places come in so many steps between powers of two: models of a few nodes more have the same programs
STEPS = 32


class Places(NamedTuple):
    """Where the hypotheses of each object lie among those of a row and module."""

    first: Tensor  # (M, O) int32
    number: Tensor  # (M, O) int32
    owner: Tensor  # (M, P) int32: the object of each place

    @staticmethod
    def of(sizes: Ints, device: str | None) -> Places:
        """sizes (M, O), as `sizes_of` gives them."""
        owner = np.zeros((len(sizes), places_of(sizes)), np.int32)
        for own, each in zip(owner, sizes, strict=True):
            objects = np.repeat(np.arange(len(each)), each)
            own[: len(objects)] = objects
        first = np.cumsum(sizes, axis=1) - sizes
        return Places(
            upload(first, "int32", device), upload(sizes, "int32", device), upload(owner, "int32", device)
        )

    def apart(self, value: Tensor, size: int) -> Tensor:
        """(R, M, ..., P) as (R, M, ..., O, H) with H = `size`; beyond the places of an object anything."""
        modules, objects = self.first.shape
        place = integers(size, self.first)
        last = (self.number - 1).unsqueeze(-1)
        index = within(self.first.unsqueeze(-1) + place.minimum(last), value.shape[-1])
        return _taken(value, index.reshape(modules, objects * size)).reshape(*value.shape[:-1], objects, size)

    def together(self, value: Tensor) -> Tensor:
        """(R, M, ..., O, H) as (R, M, ..., P)."""
        objects, size = value.shape[-2:]
        number = integers(self.owner.shape[1], self.owner) - self.first.gather(-1, self.owner.cast("int64"))
        index = self.owner * size + within(number, size)
        return _taken(value.reshape(*value.shape[:-2], objects * size), index)


def _taken(value: Tensor, index: Tensor) -> Tensor:
    """value (R, M, ..., n) at index (M, k) of its last axis."""
    between = value.ndim - 3
    wide = index.reshape(1, index.shape[0], *(1,) * between, index.shape[1])
    return value.gather(-1, wide.expand(*value.shape[:-1], index.shape[1]).cast("int64"))


def sizes_of(nodes: Ints, most: int, size: int) -> Ints:
    """Room for the hypotheses of each object, (M, O): as much for each of its nodes (M, O) as `size` is for
    each of `most`.

    >>> sizes_of(np.array([[100, 7, 0]]), 128, 480)
    array([[384,  32,   0]])
    """
    wanted = -(-nodes * size // most)
    return np.minimum(-(-wanted // LINE) * LINE, size)


def places_of(sizes: Ints) -> int:
    """Places of each row and module for objects of these sizes (M, O)."""
    most = max(int(np.cumsum(sizes, axis=-1)[:, -1].max()), 1)
    step = max((1 << (most - 1).bit_length()) // (2 * STEPS), 1)
    return -(-most // step) * step


def unpacked_in(function: Callable[..., Any], size: int) -> Callable[..., Any]:
    """`function`, of places and its own arguments: hypotheses and histories among them are taken apart, and
    those among its results packed."""

    def program(places: Places, *args: Any) -> Any:
        result = function(*(_apart(value, places, size) for value in args))
        if type(result) is tuple:
            return tuple(_together(value, places) for value in result)
        return _together(result, places)

    return program


def repacked(objects: int, before: int, after: int, old: Places, new: Places, value: Any) -> Any:
    """Hypotheses or histories with room for `after` where there was for `before`."""
    apart = _apart(value, old, before)
    wide = (
        grown(apart, objects, after)
        if isinstance(apart, Hypotheses)
        else updater_burst.grown(apart, objects, after)
    )
    return _together(wide, new)


def _apart(value: Any, places: Places, size: int) -> Any:
    """A state as a step has it; anything else as it is."""

    def wide(part: Tensor) -> Tensor:
        return places.apart(part.squeeze(2), size)

    if isinstance(value, Tracker):
        # (R, M, 1, W - 2, P): the objects come before the values of the window
        history = wide(value.history).transpose(2, 3)
        return value._replace(
            history=history,
            newest=tuple(map(wide, value.newest)),
            slope=wide(value.slope),
            ages=wide(value.ages),
        )
    return _changed(value, wide)


def _together(value: Any, places: Places) -> Any:
    """A state as it lies between steps."""

    def narrow(part: Tensor) -> Tensor:
        return places.together(part).unsqueeze(2).contiguous()

    if isinstance(value, Tracker):
        return value._replace(
            history=narrow(value.history.transpose(2, 3)), newest=tuple(map(narrow, value.newest)),
            slope=narrow(value.slope), ages=narrow(value.ages),
        )  # fmt: skip
    return _changed(value, narrow)


def _changed(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Hypotheses with every part changed but counts."""
    if not isinstance(value, Hypotheses):
        return value
    x, y, z = (change(part) for part in value.location)
    return value._replace(
        evidence=change(value.evidence), location=(x, y, z), rotation=turned(value.rotation, change),
        possible=change(value.possible),
    )  # fmt: skip
