"""What a bank is: a state, and what moves it on.

Tables and settings say how many hypotheses a step can add, and so how much room there must be (`knowledge`).
Programs are compiled per capacity and tables' shapes. When the room is too small it grows by a quarter or as
far as needed, and says so (`state.between`).

    room.state                     all that goes from step to step, a value
    room.hypotheses                those of it: (R, M, O, H)
    room.run(key, program, ...)    a program, made once for this key
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.program import Program
from saccade.cortex.bank.programs import Spec
from saccade.cortex.bank.shelf import Shelf
from saccade.cortex.bank.state import between
from saccade.cortex.bank.state.arrangement import Arrangement
from saccade.cortex.bank.state.ledger import Ledger
from saccade.cortex.bank.state.state import Carry, State
from saccade.cortex.bank.state.steps import Tools
from saccade.cortex.features import FeatureLayout
from saccade.cortex.hypotheses.hypotheses import Hypotheses
from saccade.cortex.hypotheses.tables import table_objects
from saccade.cortex.hypotheses.updater_burst import Tracker
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.settings import EvidenceSettings

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Room:
    """Models that M modules know, and memory for their hypotheses in R rows."""

    state: State
    tools: Tools

    def __init__(
        self,
        memories: Sequence[Sequence[ObjectModel]],
        channels: Sequence[Sequence[str]],
        settings: EvidenceSettings,
        rows: int = 1,
        device: str | None = None,
        packed: bool = False,
    ) -> None:
        """`memories[m]` are the models module m knows, in memory order; `channels[m]` the senders it
        listens to. packed: hypotheses of bursts are between steps, unless votes change them.
        """
        known = Knowledge.of(memories, channels, settings, table_objects(memories), device)
        self._begin(Arrangement.of(known, rows, device, packed), Shelf())

    @classmethod
    def of(cls, arrangement: Arrangement, shelf: Shelf) -> Self:
        """One in which hypotheses lie like this, with programs of a shelf."""
        room = cls.__new__(cls)
        room._begin(arrangement, shelf)
        return room

    def _begin(self, arrangement: Arrangement, shelf: Shelf) -> None:
        self.state, self.tools = State.empty(arrangement), Tools.of(shelf, arrangement)

    def expect_votes(self, rotations: bool = True) -> None:
        """Evidence will change between steps, and rotations are stored. All hypotheses are forgotten."""
        arrangement = self.arrangement.for_votes(rotations)
        if arrangement is not self.arrangement:
            self.state = between.emptied(self.state, arrangement)

    # --- between steps

    def reset(self, rows: Bools | None = None) -> None:
        """Forget the hypotheses of the marked rows (all by default); models stay."""
        chosen = np.ones(self.rows, bool) if rows is None else np.asarray(rows, bool)
        self.state = between.reset(self.tools.shelf, self.state, chosen)

    def keep(self, rows: Ints) -> None:
        """Go on with the rows of these numbers alone, in this order. All work is done for every row, so rows
        that nobody needs cost as much as the others; programs for fewer rows are compiled when first used.
        """
        shelf, before = self.tools.shelf, self.arrangement
        self.state = between.keep(shelf, self.state, rows)
        shelf.forget(before)
        self.tools = Tools.of(shelf, self.arrangement)

    def widen(self, size: int) -> None:
        """Places for so many hypotheses of every object, where there are fewer."""
        self.state = between.widened(self.tools.shelf, self.state, size)

    def note_poses(self, steps: int) -> None:
        """Make room for poses of so many steps of bursts."""
        self.state = between.poses_noted(self.tools.shelf, self.state, steps)

    def go_on(self, carry: Carry, ledger: Ledger) -> None:
        """With what other rows, as many, hold."""
        self.state = self.state.changed(carry, ledger)

    # --- programs

    def run(
        self, key: tuple[Any, ...], function: Callable[..., Any], *args: Any, fixed: tuple[Any, ...] = ()
    ) -> Any:
        """As `Shelf.run`."""
        return self.tools.shelf.run(self.arrangement, key, function, *args, fixed=fixed)

    def run_apart(
        self, key: tuple[Any, ...], function: Callable[..., Any], *args: Any, fixed: tuple[Any, ...] = ()
    ) -> Any:
        """As `Shelf.run_apart`."""
        return self.tools.shelf.run_apart(self.arrangement, key, function, *args, fixed=fixed)

    def program(self, *key: Any) -> Program[..., Any]:
        """One of the programs in use, for those who measure it: `program("plain step", False)`."""
        return self.tools.shelf.program(self.arrangement, *key)

    @property
    def compilations(self) -> int:
        return self.tools.shelf.compilations

    # --- what there is

    @property
    def hypotheses(self) -> Hypotheses:
        return self.state.hypotheses

    @property
    def tracker(self) -> Tracker:
        """Histories and ages; only banks with the burst updater have them."""
        return self.state.tracker

    @property
    def ledger(self) -> Ledger:
        """What the host knows of the rows."""
        return self.state.ledger

    @property
    def growths(self) -> list[str]:
        """What was said where room was made."""
        return list(self.arrangement.growths)

    # --- how it lies

    @property
    def arrangement(self) -> Arrangement:
        return self.state.arrangement

    @property
    def rows(self) -> int:
        return self.arrangement.rows

    @property
    def size(self) -> int:
        """Places for the hypotheses of an object in a step."""
        return self.arrangement.size

    @property
    def device(self) -> str | None:
        return self.arrangement.device

    @property
    def is_packed(self) -> bool:
        """Whether hypotheses lie packed between steps."""
        return self.arrangement.is_packed

    # --- what is known

    @property
    def known(self) -> Knowledge:
        return self.arrangement.known

    @property
    def spec(self) -> Spec:
        """What programs depend on."""
        return self.known.spec

    @property
    def settings(self) -> EvidenceSettings:
        return self.spec.settings

    @property
    def modules(self) -> int:
        return self.arrangement.modules

    @property
    def memories(self) -> tuple[tuple[ObjectModel, ...], ...]:
        """The models of each module, in memory order."""
        return self.known.memories

    @property
    def channels(self) -> tuple[tuple[str, ...], ...]:
        """The senders each module listens to."""
        return self.known.channels

    @property
    def layouts(self) -> tuple[FeatureLayout, ...]:
        """The scored columns of each channel."""
        return self.spec.layouts

    @property
    def widths(self) -> tuple[int, ...]:
        """How many columns those are."""
        return self.spec.widths
