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

from saccade.reproducible import cosine_of, dot, matmul, norm, total

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
        offset = visited.location - location[:, None]
        distance = norm(offset)
        known = np.arange(visited.location.shape[1]) < visited.count[:, None]
        same = dot(visited.normal, normal[:, None]) >= cosine_of(self.same_side)
        # A place closer than a tenth of a millimetre is the present one: no heading leads away from it.
        matters = known & same & (distance <= self.radius) & (distance > 1e-4)
        weight = np.where(matters, 1.0 - distance / self.radius + 1e-3, 0.0)
        toward = offset / np.maximum(distance, 1e-9)[..., None]
        ahead = matmul(headings, np.swapaxes(toward, 1, 2)) >= cosine_of(self.cone)
        return total(ahead * weight[:, None])
