"""The hypotheses of a module as Monty looks at them: a dict of objects, read from the device when asked for.

Most steps ask for none: what Monty needs of a step (largest evidence of each object, the best hypothesis) is
in its report. Who does look (end checks, goal generators, detailed logs, votes of other Monty classes) gets
arrays, once a step. What Monty writes (flags of possible hypotheses, evidence after votes) goes back to the
device before the next step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.modules.module import EvidenceResult
from saccade.monty.mind import Mind

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Space:
    """The hypotheses of one object: what Monty's `Hypotheses` holds."""

    def __init__(self, mind: Mind, module: str, name: str, count: int, flagged: bool) -> None:
        self._from, self.count = (mind, module, name), count
        self._read: dict[str, npt.NDArray[Any]] | None = None
        self._evidence: Floats | None = None  # what was written
        self._possible: Bools | None = None if flagged else np.zeros(count, bool)

    def _values(self) -> dict[str, npt.NDArray[Any]]:
        if self._read is None:
            mind, module, name = self._from
            self._read = mind.hypotheses(module, name)
        return self._read

    @property
    def evidence(self) -> Floats:
        """(H,)"""
        if self._evidence is not None:
            return self._evidence
        found: Floats = self._values()["evidence"]
        return found

    @evidence.setter
    def evidence(self, values: npt.ArrayLike) -> None:
        self._evidence = np.ma.getdata(values).astype(np.float64)

    @property
    def locations(self) -> Floats:
        """(H, 3)"""
        return self._values()["locations"]

    @property
    def poses(self) -> Floats:
        """(H, 3, 3)"""
        return self._values()["rotations"]

    @property
    def possible(self) -> Bools:
        """(H,) may be written."""
        if self._possible is None:
            self._possible = self._values()["possible"]
        return self._possible

    def written(self) -> dict[str, npt.NDArray[Any]]:
        """What is other than on the device, or may be."""
        parts: dict[str, npt.NDArray[Any]] = {}
        if self._evidence is not None:
            parts["evidence"] = self._evidence
        if self._possible is not None and (self.was_flagged or self._possible.any()):
            parts["possible"] = self._possible
        return parts

    was_flagged = False

    @property
    def flagged(self) -> bool:
        """Whether some hypothesis is possible, as far as anybody knows."""
        return self._possible is None or bool(self._possible.any())


class Spaces(Mapping[str, Space]):
    """The spaces of one module after a step."""

    def __init__(self) -> None:
        self._spaces: dict[str, Space] = {}
        self._largest: Floats = np.zeros(0)

    def __getitem__(self, name: str) -> Space:
        return self._spaces[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spaces)

    def __len__(self) -> int:
        return len(self._spaces)

    def renew(self, mind: Mind, result: EvidenceResult) -> None:
        """Take the place of what a step found; nothing is read."""
        flagged = {name for name, space in self._spaces.items() if space.flagged}
        self._largest = result.evidence[0]
        spaces = {}
        for name, count in zip(result.objects, result.counts[0].tolist(), strict=True):
            space = spaces[name] = Space(mind, result.module, name, count, name in flagged)
            space.was_flagged = name in flagged
        self._spaces = spaces

    @property
    def rewritten(self) -> bool:
        """Whether somebody wrote evidence since the step."""
        return any(space._evidence is not None for space in self._spaces.values())

    def largest(self) -> tuple[list[str], Floats]:
        """Objects that have hypotheses, and their largest evidence."""
        names, values = [], []
        for (name, space), value in zip(self._spaces.items(), self._largest.tolist(), strict=True):
            if space.count:
                names.append(name)
                values.append(value if space._evidence is None else float(space._evidence.max()))
        return names, np.array(values)

    def write_back(self, mind: Mind, module: str) -> None:
        changed = {name: parts for name, space in self._spaces.items() if (parts := space.written())}
        if changed:
            mind.write(module, changed)
