"""What the host knows of the hypotheses of every row without asking the device, because it decided it itself.

A step may not wait, so whether hypotheses begin, how far the sensors moved and how much room is needed must
be known before it runs: from what earlier steps were told to do, or found. A ledger is a value: each method
gives another one.

    ledger = Ledger.of(rows, nodes)         # nodes (M, O, C): of each model in each channel
    ledger = ledger.reset(chosen, nodes)    # begin episodes in some rows (R,)
    ledger = ledger.kept(rows)              # go on with the rows of these numbers
    way, ledger = ledger.moved(here, present)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Ledger(NamedTuple):
    """bound (R, M, O): the most hypotheses there can be. added (R, M, O): the most that the step launched
    last can have added. waiting (R, M, O, C): models whose channel has made no hypotheses yet. here
    (R, M, 3): where inputs came from last, if located (R, M). may_burst (R, M): modules whose next step may
    be part of a burst. born (R, M): steps of bursts whose poses were noted, at most. Whether any wait and all
    are located is asked in every step, so it is kept."""

    bound: Ints
    added: Ints
    waiting: Bools
    here: Floats
    located: Bools
    may_burst: Bools
    born: Ints
    any_waiting: bool = True
    all_located: bool = False

    @staticmethod
    def of(rows: int, nodes: Ints) -> Ledger:
        """Nothing has begun in any row."""
        lead = rows, nodes.shape[0]
        none = np.zeros((*lead, nodes.shape[1]), np.int64)
        waiting = np.broadcast_to(nodes > 0, (rows, *nodes.shape)).copy()
        return Ledger(
            none,
            none.copy(),
            waiting,
            np.zeros((*lead, 3)),
            np.zeros(lead, bool),
            np.ones(lead, bool),
            np.zeros(lead, np.int64),
        )

    def reset(self, chosen: Bools, nodes: Ints) -> Ledger:
        """Nothing has begun in the marked rows (R,)."""
        fresh = Ledger.of(len(chosen), nodes)

        def mixed(name: str) -> npt.NDArray[Any]:
            old: npt.NDArray[Any] = getattr(self, name)
            rows = chosen.reshape(-1, *(1,) * (old.ndim - 1))
            return np.where(rows, getattr(fresh, name), old)

        names = ("bound", "waiting", "located", "may_burst", "born")
        return self._replace(**{name: mixed(name) for name in names}, any_waiting=True, all_located=False)

    def kept(self, rows: Ints) -> Ledger:
        """That of the rows of these numbers alone, in this order."""
        waiting, located = self.waiting[rows], self.located[rows]
        return Ledger(
            self.bound[rows], self.added[rows], waiting, self.here[rows], located, self.may_burst[rows],
            self.born[rows], bool(waiting.any()), bool(located.all()),
        )  # fmt: skip

    @staticmethod
    def joined(ledgers: Sequence[Ledger]) -> Ledger:
        """The rows of several, one after the other."""

        def every(name: str) -> npt.NDArray[Any]:
            return np.concatenate([getattr(one, name) for one in ledgers])

        return Ledger(
            every("bound"), every("added"), every("waiting"), every("here"), every("located"),
            every("may_burst"), every("born"), any(one.any_waiting for one in ledgers),
            all(one.all_located for one in ledgers),
        )  # fmt: skip

    # `_replace` takes three times as long as to name every field, and these are asked for in every step

    def at(self, here: Floats) -> Ledger:
        """All sensors, each of which is located, are `here` (R, M, 3) now."""
        bound, added, waiting, _, located, may_burst, born, any_waiting, all_located = self
        return Ledger(bound, added, waiting, here, located, may_burst, born, any_waiting, all_located)

    def launching(self, added: Ints, may_burst: Bools) -> Ledger:
        """With a step that adds at most so many (R, M, O); may_burst: who may be in a burst until it is
        read."""
        bound, _, waiting, here, located, _, born, any_waiting, all_located = self
        return Ledger(bound + added, added, waiting, here, located, may_burst, born, any_waiting, all_located)

    def found(self, bound: Ints, may_burst: Bools) -> Ledger:
        """With what a step found that was read."""
        _, added, waiting, here, located, _, born, any_waiting, all_located = self
        return Ledger(bound, added, waiting, here, located, may_burst, born, any_waiting, all_located)

    def begun(self, begin: Bools) -> Ledger:
        """Models and channels `begin` (R, M, O, C) have their first hypotheses."""
        waiting = self.waiting & ~begin
        return self._replace(waiting=waiting, any_waiting=bool(waiting.any()))

    def moved(self, here: Floats, present: Bools) -> tuple[Floats, Ledger]:
        """(R, M, 3) the way from where inputs came from last to `here` (R, M, 3), where they are `present`
        (R, M); zero on the first."""
        way = np.where((present & self.located)[..., None], here - self.here, 0.0)
        here, located = np.where(present[..., None], here, self.here), self.located | present
        return way, self._replace(here=here, located=located, all_located=bool(located.all()))
