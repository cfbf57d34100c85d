"""What lays percepts on models, for the poses of many claims at once: the seam between `settle` and a device.

    costs = fitter.costs("fine", surfaces, felt, poses)                             # (N,) of poses (N, 12)
    moved, costs = fitter.roughly(surfaces, felt, poses, rounds)                    # by ICP
    moved, costs = fitter.laid(surfaces, some, felt, free, still, poses, rounds)

Claim b is about surfaces[b] and what was felt, felt[b]. `HostFitter` runs compiled loops in threads;
`fitter_device.DeviceFitter` runs tensor programs. Both find the same to rounding. On two cores the loops are
the faster ones: they stop at what is near, where a program prices whole lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np

from saccade.cortex.fitting.flat import Floats, Poses, Shared
from saccade.cortex.fitting.surface import MOST, Level, ModelSurface
from saccade.reproducible.threads import in_threads

Grain = Literal["fine", "coarse"]


class Fitter(Protocol):
    """Prices poses and moves them. whole: it makes tables of all surfaces it knows, so that those of a run
    had better be known at once."""

    whole: bool

    def know(self, surfaces: Sequence[ModelSurface]) -> None:
        """These will be asked about."""
        ...

    def rehearsals(self, rows: int) -> list[Callable[[], None]]:
        """Calls that make ready, while there is time, what is needed for percepts of so many rows."""
        return []

    def costs(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, most: int = 0
    ) -> Floats:
        """(N,) what the percepts (P, 9) of its claim cost in each pose, on average. With `most` only so many
        of each claim are wanted that cost least; others may cost more than is told, which is more than
        these."""
        ...

    def moved(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, rounds: int
    ) -> Poses:
        """The poses after rounds of ICP."""
        ...

    def crossed(self, surfaces: Sequence[ModelSurface], free: Shared, poses: Poses) -> Floats:
        """(N,) how many lines of sight (Q, 8) of its claim go through the surface in each pose."""
        ...

    def roughly(
        self, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, rounds: int
    ) -> tuple[Poses, Floats]:
        """The poses after rounds of ICP on coarse models, and what they cost there."""
        moved = self.moved("coarse", surfaces, felt, poses, rounds)
        return moved, self.costs("coarse", surfaces, felt, moved)

    def laid(
        self,
        surfaces: Sequence[ModelSurface],
        some: Shared,
        felt: Shared,
        free: Shared,
        still: Poses,
        begun: Poses,
        rounds: int,
    ) -> tuple[Poses, Floats]:
        """Poses `still` as they are and those `begun` after rounds of ICP by some of the percepts; and what
        all percepts cost then, on average: a line of sight through the surface as much as a percept that fits
        nowhere."""
        placed = Poses.joined(still, self.moved("fine", surfaces, some, begun, rounds))
        cost = self.costs("fine", surfaces, felt, placed)
        crossed = self.crossed(surfaces, free, placed)
        return placed, priced(cost, crossed, felt, placed)


def priced(cost: Floats, crossed: Floats, felt: Shared, poses: Poses) -> Floats:
    """(N,) what all percepts cost on average, with the lines of sight crossed."""
    return cost + MOST * crossed / felt.counts[poses.claim]


class HostFitter(Fitter):
    """Compiled loops, a claim a thread."""

    whole = False

    def know(self, surfaces: Sequence[ModelSurface]) -> None:
        """Loops read surfaces as they are."""

    def costs(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, most: int = 0
    ) -> Floats:
        return _each(
            poses,
            lambda b, values: _level(surfaces[b], grain).told(felt[b], values, most),
            np.empty(len(poses.claim)),
        )

    def moved(
        self, grain: Grain, surfaces: Sequence[ModelSurface], felt: Shared, poses: Poses, rounds: int
    ) -> Poses:
        def icp(b: int, values: Floats) -> Floats:
            return _level(surfaces[b], grain).settled(felt[b], values, rounds, surfaces[b].size)

        return Poses(poses.claim, _each(poses, icp, np.empty((len(poses.claim), 12))))

    def crossed(self, surfaces: Sequence[ModelSurface], free: Shared, poses: Poses) -> Floats:
        return _each(
            poses, lambda b, values: surfaces[b].shell.crossed(free[b], values), np.empty(len(poses.claim))
        )


def _level(surface: ModelSurface, grain: Grain) -> Level:
    return surface.fine if grain == "fine" else surface.coarse


def _each(poses: Poses, found: Callable[[int, Floats], Floats], into: Floats) -> Floats:
    """`into` (N, ...) filled with what is found of the poses (K, 12) of each claim."""
    claims, begin = np.unique(poses.claim, return_index=True)
    end = np.append(begin[1:], len(poses.claim))
    values = np.ascontiguousarray(poses.values)

    def part(claim: int, low: int, high: int) -> None:
        into[low:high] = found(claim, values[low:high])

    in_threads(part, claims.tolist(), begin.tolist(), end.tolist())
    return into
