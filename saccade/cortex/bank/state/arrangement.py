"""How the hypotheses of a bank lie in memory: a value that is made anew where rows or places change.

arrangement = Arrangement.of(known, rows=8, device=None)
arrangement.shape                   # of hypotheses between steps: (R, M, O, H), or (R, M, 1, P) packed
arrangement.wider(480)              # the same with places for 480 hypotheses of the largest object
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.programs import Spec
from saccade.cortex.bank.space import check_rows, rotations_are_stored
from saccade.cortex.hypotheses.packing import Places
from saccade.cortex.hypotheses.tables import stepped
from saccade.cortex.hypotheses.updater_plain import Update
from saccade.cortex.ops import upload
from saccade.cortex.settings import BurstSettings, EvidenceSettings

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Kind(NamedTuple):
    """What programs depend on: settings and shapes of tables, rows, and whether rotations are stored, votes
    expected, and all packed."""

    spec: Spec
    rows: int
    stored: bool
    voted: bool
    packed: bool


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Of R rows of M modules that know O objects each. size: places for the hypotheses of an object in a
    step, H; stored: rotations are, although bursts make them; voted: evidence changes between steps;
    packs: hypotheses of bursts are packed between steps, unless they are stored or voted for; growths: what
    was said where room was made."""

    known: Knowledge
    rows: int
    device: str | None
    size: int
    stored: bool
    voted: bool = False
    packs: bool = False
    growths: tuple[str, ...] = ()

    @staticmethod
    def of(known: Knowledge, rows: int, device: str | None, packs: bool = False) -> Arrangement:
        """That which a bank begins with; MemoryError where so many rows cannot be held."""
        stored = rotations_are_stored(device)
        return Arrangement(known, rows, device, known.first_size(), stored, packs=packs)._checked()

    def for_votes(self, rotations: bool = True) -> Arrangement:
        """One to begin with whose evidence changes between steps: histories store their newest values too,
        and rotations are stored, of which votes read many from elsewhere. This one where it is so already."""
        stored = self.stored or rotations
        if not self.bursts or (self.stored, self.voted) == (stored, True):
            return self
        return replace(self, size=self.known.first_size(), stored=stored, voted=True)._checked()

    def _checked(self) -> Arrangement:
        check_rows(self.rows, self.rows, self.known, self.device, self.stored, self.voted, self.is_packed)
        return self

    def for_rows(self, rows: int) -> Arrangement:
        """The same for so many rows."""
        return replace(self, rows=rows)

    def wider(self, size: int) -> Arrangement:
        """The same with places for `size` hypotheses of the largest object."""
        return replace(self, size=size)

    def having_grown(self, message: str) -> Arrangement:
        """The same, which says so."""
        return replace(self, growths=(*self.growths, message))

    def size_for(self, bound: Ints) -> tuple[int, int] | None:
        """For up to so many hypotheses (R, M, O): places of the largest object that they need, and how many
        there should be then; None where there is room for them."""
        if (bound <= self.sizes).all():
            return None
        # as many of the largest object
        needed = int((-(-bound * self.size // np.maximum(self.sizes, 1))).max())
        # all work is done for the whole capacity: what bursts need is often a few more than there is room for
        return needed, max(self.known.size(needed), stepped(self.size * 5 // 4))

    @property
    def settings(self) -> EvidenceSettings:
        return self.known.spec.settings

    @cached_property
    def modules(self) -> int:
        return len(self.known.memories)

    @cached_property
    def one_channel(self) -> bool:
        """Whether the modules listen to one channel each."""
        return len(self.known.spec.layouts) == 1

    @cached_property
    def bursts(self) -> bool:
        """Whether hypotheses come in bursts."""
        return isinstance(self.settings.updater, BurstSettings)

    @property
    def informed(self) -> bool:
        """Whether hypotheses begin with poses that are sensed."""
        return self.settings.initial_possible_poses == "informed"

    @cached_property
    def is_packed(self) -> bool:
        """Whether hypotheses lie packed between steps."""
        return self.packs and self.bursts and not self.stored and not self.voted

    @cached_property
    def kind(self) -> Kind:
        return Kind(self.known.spec, self.rows, self.stored, self.voted, self.is_packed)

    @cached_property
    def sizes(self) -> Ints | int:
        """(M, O) places for the hypotheses of each object between steps, or one number for all of them."""
        return self.known.sizes(self.size) if self.is_packed else self.size

    @cached_property
    def places(self) -> Places | None:
        """Where they lie; None where they are not packed."""
        return self.known.places(self.size, self.device) if self.is_packed else None

    @property
    def lead(self) -> tuple[int, int]:
        return self.rows, self.modules

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Of hypotheses between steps: packed, those of all objects lie as if they were those of one."""
        if self.places is not None:
            return *self.lead, 1, self.places.owner.shape[1]
        return *self.lead, self.known.objects, self.size

    @cached_property
    def everyone(self) -> Bools:
        """(R, M) all modules."""
        marked = np.ones(self.lead, bool)
        marked.flags.writeable = False
        return marked

    @cached_property
    def none_added(self) -> Ints:
        """(R, M, O) hypotheses that a step adds where no module may begin any."""
        none = np.zeros((*self.lead, self.known.objects), np.int64)
        none.flags.writeable = False
        return none

    @cached_property
    def untouched(self) -> Update:
        """What a step reports that finds no hypotheses to test."""
        none = np.zeros((*self.lead, self.known.objects))
        return Update(
            threshold=upload(none, self.settings.dtype, self.device),
            prediction_error=upload(none + np.nan, self.settings.dtype, self.device),
            channels_used=upload(none, "int32", self.device),
        )
