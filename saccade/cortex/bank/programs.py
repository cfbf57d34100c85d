"""The programs of a bank of evidence modules: pure functions of state, inputs and tables.

A `Spec` holds everything a program is compiled for and that is no tensor. Two banks with equal specs could
share programs; what changes from step to step (state, percepts, tables of the same shape) is passed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from saccade.cortex.bank.inputs import StepInput, senders, unpack
from saccade.cortex.bank.program import Report, flatten, rebuilt, skeleton_of
from saccade.cortex.features import FeatureLayout
from saccade.cortex.hypotheses import updater_burst, updater_plain
from saccade.cortex.hypotheses.decide import Checks, believe, decide
from saccade.cortex.hypotheses.hypotheses import (
    Hypotheses,
    Poses,
    grown,
    rotations,
    start,
    widen,
    with_tables,
    without_tables,
)  # fmt: skip
from saccade.cortex.hypotheses.tables import ChannelTable, TableShape
from saccade.cortex.hypotheses.updater_burst import Burst, SampleSize, Tracker
from saccade.cortex.hypotheses.updater_plain import INFINITY, Channel, Update, node_scores
from saccade.cortex.modules.vote import Ballot, Choice, Routing, choose, joined, receive
from saccade.cortex.ops import cast, integers, take, where
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor

Tables = tuple[ChannelTable, ...]


@dataclass(frozen=True)
class Spec:
    """Settings of the modules, and per channel the scored columns and the shape of the tables."""

    settings: EvidenceSettings
    layouts: tuple[FeatureLayout, ...]
    shapes: tuple[TableShape, ...]

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(layout.width for layout in self.layouts)

    def step(self, packed: Tensor) -> StepInput:
        return unpack(packed, self.widths, self.settings)

    def channels(self, tables: Tables) -> list[Channel]:
        return [Channel(*parts) for parts in zip(self.layouts, tables, self.shapes, strict=True)]

    # --- programs

    def plain(self, state: Hypotheses, packed: Tensor, tables: Tables) -> tuple[Hypotheses, Update]:
        state, report, _ = updater_plain.update(
            state, self.step(packed), self.channels(tables), self.settings
        )
        return state, report

    def burst(
        self,
        state: Hypotheses,
        tracker: Tracker,
        packed: Tensor,
        tables: Tables,
        poses: tuple[Poses, ...],
        samples: tuple[SampleSize, ...],
    ) -> tuple[Hypotheses, Tracker, Update, Burst]:
        step = self.step(packed)
        state, tracker, update, burst = updater_burst.update(
            self.opened(state, tables), tracker, step, self.channels(tables), poses, samples, self.settings
        )
        return without_tables(state), tracker, update, burst

    def opened(self, state: Hypotheses, tables: Tables) -> Hypotheses:
        """The state with what its rotations are computed of."""
        return with_tables(state, tables, self.settings.initial_possible_poses == "informed")

    def start(
        self,
        channel: int,
        state: Hypotheses,
        packed: Tensor,
        begin: Tensor,
        settled: Tensor,
        tables: Tables,
        poses: Poses,
    ) -> Hypotheses:
        chosen = self.channels(tables)[channel]
        scores = node_scores(self.step(packed).channels[channel], chosen, self.settings)
        informed = self.settings.initial_possible_poses == "informed"
        return start(state, begin, settled, chosen.table, scores, poses, informed)

    def decide(
        self,
        checks: bool,
        state: Hypotheses,
        last: Checks,
        packed: Tensor,
        update: Update,
        burst: tuple[Tensor, ...],
        tables: Tables,
    ) -> tuple[Hypotheses, Checks, Report]:
        """The state with new flags and counters where some row `checks`, and everything the host reads of a
        step: (Beliefs, Update, burst, Senders). What does not change is returned as it is.
        """
        opened, came = self.opened(state, tables), senders(self.widths, packed)
        if not checks:
            return state, last, Report.of((believe(opened, last, self.settings), update, burst, came))
        step = self.step(packed)
        opened, beliefs = decide(opened, last.symmetry, step.check, step.processed, self.settings)
        found = Checks(beliefs.symmetry, beliefs.possible_hypotheses)
        return without_tables(opened), found, Report.of((beliefs, update, burst, came))

    # --- whole steps, for banks whose modules neither vote nor begin

    def plain_step(
        self, checks: bool, state: Hypotheses, last: Checks, packed: Tensor, tables: Tables
    ) -> tuple[Hypotheses, Checks, Report]:
        """Update and decisions in one."""
        moved, update = self.plain(state, packed, tables)
        return self.decide(checks, moved, last, packed, update, (), tables)

    def burst_step(
        self,
        checks: bool,
        state: Hypotheses,
        tracker: Tracker,
        last: Checks,
        packed: Tensor,
        tables: Tables,
        poses: tuple[Poses, ...],
        samples: tuple[SampleSize, ...],
        rows: Tensor | None = None,
    ) -> tuple[Hypotheses, Checks, Report, Tracker, Burst]:
        """The same with bursts. rows (R,): which of what is packed, and of the poses, is this bank's; None:
        all is."""
        if rows is not None:
            # stored: every hypothesis of a row reads them
            packed, poses = stored(keep((packed, poses), rows))
        state, tracker, update, burst = self.burst(state, tracker, packed, tables, poses, samples)
        return *self.decide(checks, state, last, packed, update, small_parts(burst), tables), tracker, burst

    def choose(self, state: Hypotheses, active: Tensor) -> Choice:
        return choose(state, active, self.settings)

    def offsets(self, own: Tensor, places: tuple[Tensor, ...], routing: Routing) -> tuple[Tensor]:
        """(R, S, M, 3) from the places (R, G, 3) of the sensors of each slot's sender, those of all banks one
        after the other, to the receivers' own (R, M, 3)."""
        slots, modules = routing.sender.shape
        theirs = Tensor.cat(list(places), dim=1)[:, routing.sender.reshape(-1)]
        found = own.unsqueeze(1) - theirs.reshape(own.shape[0], slots, modules, 3)
        return (found.cast(self.settings.rotation_dtype),)

    def receive(
        self,
        state: Hypotheses,
        ballots: tuple[Ballot, ...],
        routing: Routing,
        offsets: Tensor,
        active: Tensor,
    ) -> tuple[Tensor]:
        """The evidence alone, as votes change nothing else."""
        return (receive(state, joined(ballots), routing, offsets, active, self.settings),)


def small_parts(burst: Burst | None) -> tuple[Tensor, ...]:
    """All but the mask of removed hypotheses, which is as large as the state."""
    return () if burst is None else (burst.max_slope, burst.kept, burst.added, burst.upcoming)


def reset(state: Hypotheses, last: Checks, mask: Tensor) -> tuple[Hypotheses, Checks]:
    """No hypotheses, no flags and no symmetry where `mask` (R, M)."""
    wide = mask.unsqueeze(-1)
    cleared = state._replace(
        counts=where(wide, state.counts * 0, state.counts), possible=state.possible & ~wide.unsqueeze(-1)
    )
    symmetry, flagged = last
    return cleared, Checks(where(mask, symmetry * 0, symmetry), where(wide, flagged * 0, flagged))


def calm(burst_left: Tensor, mask: Tensor) -> Tensor:
    """No burst where `mask` (R, M)."""
    return where(mask, burst_left * 0, burst_left)


def grow(objects: int, size: int, state: Hypotheses) -> Hypotheses:
    return grown(state, objects, size)


def grow_tracker(objects: int, size: int, tracker: Tracker) -> Tracker:
    return updater_burst.grown(tracker, objects, size)


def keep(tree: Any, rows: Tensor) -> Any:
    """The rows of these numbers of every tensor of a structure."""
    leaves: list[Tensor] = []
    flatten(tree, leaves)
    return rebuilt(skeleton_of(tree), [leaf[rows] for leaf in leaves])


def stored(tree: Any) -> Any:
    """Every tensor of a structure in memory of its own."""
    leaves: list[Tensor] = []
    flatten(tree, leaves)
    return rebuilt(skeleton_of(tree), [leaf.contiguous() for leaf in leaves])


def filled(tree: Any, other: Any, rows: Tensor, chosen: Tensor) -> Any:
    """Two structures with the same number of rows: where `chosen` (R,), row rows[r] of the other one."""
    leaves: list[Tensor] = []
    others: list[Tensor] = []
    flatten(tree, leaves)
    flatten(other, others)
    mixed = [
        where(chosen.reshape(-1, *(1,) * (leaf.ndim - 1)), taken[rows], leaf)
        for leaf, taken in zip(leaves, others, strict=True)
    ]
    return rebuilt(skeleton_of(tree), mixed)


def widened(size: int, sensed: Tensor) -> Tensor:
    """Poses sensed (R, M, S, 9), with room for `size` of them."""
    return widen(sensed, 2, size)


def held(spec: Spec, state: Hypotheses, at: Tensor, tables: Tables) -> tuple[Tensor, Tensor]:
    """Of one row, module and object, numbered through as `at` (1,): how many hypotheses there are, and
    evidence, flag, location and rotation of each as rows of (14, H) float64."""
    rows, modules, objects, size = state.shape
    # clipped, so that whatever is asked for, nothing outside is read
    model = at.clip(0, rows * modules * objects - 1)
    place = model * size + cast(integers(size, at), "int64")

    def taken(value: Tensor) -> Tensor:
        return take(value.reshape(-1), place)

    columns = [taken(column) for column in (state.evidence, state.possible, *state.location)]
    columns += rotations(spec.opened(state, tables), taken, model)
    values = [cast(column, "float64") for column in columns]
    return take(state.counts.reshape(-1), model), Tensor.stack(values, 0)


def ranked(most: int, spec: Spec, state: Hypotheses, asked: Tensor, number: Tensor, tables: Tables) -> Tensor:
    """The `strongest` hypotheses of row `number` (1,) of asked (S, K)."""
    return strongest(most, spec, state, asked[number].reshape(-1).contiguous(), tables)


def compared(compare: Callable[..., Tensor], held: tuple[Tensor, ...], told: Tensor, given: Any) -> Tensor:
    """What somebody makes of hypotheses (K, H, 13) that several banks ranked, of numbers `told` and of what
    else is given."""
    return compare(Tensor.cat(list(held), dim=0).contiguous(), told, given)


def strongest(most: int, spec: Spec, state: Hypotheses, asked: Tensor, tables: Tables) -> Tensor:
    """(K, H, 13) float64 evidence, location and rotation of the `most` strongest hypotheses of rows, modules
    and objects, numbered through as `asked` (K,); evidence -inf where there are fewer."""
    rows, modules, objects, size = state.shape
    # clipped, so that whatever is asked for, nothing outside is read
    model = asked.clip(0, rows * modules * objects - 1)
    there = integers(size, asked)
    every = (model * size).unsqueeze(-1) + cast(there, "int64")
    known = there < take(state.counts.reshape(-1), model).unsqueeze(-1)
    evidence = where(known, take(state.evidence.reshape(-1), every), -INFINITY)
    if size > most:
        evidence, order = evidence.topk(most, -1)
        every = (model * size).unsqueeze(-1) + cast(order, "int64")

    def taken(value: Tensor) -> Tensor:
        return take(value.reshape(-1), every)

    poses = [taken(part) for part in state.location]
    poses += rotations(spec.opened(state, tables), taken, model.unsqueeze(-1))
    return Tensor.stack([cast(part, "float64") for part in (evidence, *poses)], -1)
