"""Inhibition of return: remember where the sensor was, and prefer headings that lead elsewhere.

A heading is in conflict with a visited place if the place is near, lies on a surface that faces the same way
(the other side of a thin wall does not count), and is ahead of the heading. The conflict of a heading is the
sum over places of how near they are; headings are compared, nothing is searched at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.cortex.motor.inhibition_loops import conflicts
from saccade.reproducible import cosine_of

Floats = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Visited:
    """The last V places of each row, oldest overwritten: location (R, V, 3), normal (R, V, 3), count (R,) of
    all so far.
    """

    location: Floats
    normal: Floats
    count: NDArray[np.int64]

    @staticmethod
    def none(rows: int, capacity: int) -> Visited:
        """Nothing visited yet."""
        places = np.zeros((rows, capacity, 3))
        return Visited(places, places, np.zeros(rows, np.int64))

    def add(self, location: Floats, normal: Floats, rows: Flags) -> Visited:
        """Remember location and normal (R, 3) in the rows (R,) given."""
        capacity = self.location.shape[1]
        here = (np.arange(capacity) == (self.count % capacity)[:, None]) & rows[:, None]
        return Visited(
            np.where(here[..., None], location[:, None], self.location),
            np.where(here[..., None], normal[:, None], self.normal),
            self.count + rows,
        )


@dataclass(frozen=True)
class Inhibition:
    """radius: places farther than this (metres) do not matter. cone: half angle (radians) of what counts as
    ahead.
    same_side: largest angle (radians) between normals of one surface. capacity: places remembered."""

    radius: float = 0.025
    cone: float = float(np.pi / 3)
    same_side: float = float(np.pi / 4)
    capacity: int = 50

    def conflict(self, visited: Visited, location: Floats, normal: Floats, headings: Floats) -> Floats:
        """(R, A): how much unit headings (R, A, 3) from location (R, 3) on a surface with normal (R, 3) lead
        back.
        """
        rows, ways = headings.shape[:2]
        capacity = visited.location.shape[1]
        found = np.empty((rows, ways))
        conflicts(
            _flat(visited.location),
            _flat(visited.normal),
            np.ascontiguousarray(visited.count, np.int64),
            _flat(location),
            _flat(normal),
            _flat(headings),
            rows,
            capacity,
            ways,
            self.radius,
            float(cosine_of(self.same_side)),
            float(cosine_of(self.cone)),
            np.empty(5 * capacity),
            found,
        )
        return found


def _flat(values: Floats) -> Floats:
    return np.ascontiguousarray(values, np.float64)
