"""Groups: modules of one kind with equal settings, found once, so that a step can treat them as one.

    >>> groups = make_groups([EvidenceModule("a", ["patch_0"]), EvidenceModule("b", ["patch_1"])])
    >>> [[module.name for module in group.modules] for group in groups]
    [['a', 'b']]

A `GroupInput` is what one group receives in one step: a batch over (rows, modules, channels) of a width
that the connectivity fixes, and which modules make the end check. Modules whose percepts are unusable are
marked as failed and masked in the rows where they are; other rows and modules are not disturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.inputs import FeltPercepts
from saccade.cortex.messages import Percept, PerceptBatch
from saccade.cortex.modules.module import LearningModule
from saccade.cortex.ops import Readable

Bools = npt.NDArray[np.bool_]
#: why modules, by name, have no result, or one without what was sent to them
Failures = dict[str, Exception]


@dataclass(frozen=True, eq=False)
class Group:
    """Modules that can share a bank. Groups are compared by identity: they are made once."""

    kind: type[Any]
    modules: tuple[LearningModule, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(module.name for module in self.modules)

    def empty_batch(self, rows: int) -> PerceptBatch:
        """Staging for one step: allocate it once and fill it every step."""
        layouts = self.modules[0].layouts
        width = max((layout.width for layout in layouts), default=0)
        return PerceptBatch.empty(rows, len(self.modules), len(layouts), width)


class GroupPercepts(FeltPercepts, Protocol):
    """Percepts of the modules of a group that are on the device."""

    def of(self, first: int, last: int) -> FeltPercepts:
        """Those of modules first to last - 1."""


@dataclass(frozen=True)
class FeltInput:
    """A step's percepts that are on the device, and not on the host. groups: of each group. check (R,): rows
    whose modules make the end check if anything was told. values: what the host reads together with the
    results, and told: what it says, as inputs."""

    groups: Sequence[GroupPercepts]
    rows: int
    check: Bools | None
    values: Readable
    told: Callable[[npt.NDArray[Any]], Sequence[GroupInput]]


@dataclass
class GroupInput:
    """One step's percepts for a group; `failures` names modules whose percepts could not be used."""

    batch: PerceptBatch
    check: Bools | None = None  # (R, M)
    failures: Failures = field(default_factory=dict)


def make_groups(modules: Sequence[LearningModule]) -> list[Group]:
    """Modules that agree in kind and settings together, in the order in which they first appear."""
    names = [module.name for module in modules]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"module names must be unique, {twice} occur more than once")
    found: dict[Hashable, list[LearningModule]] = {}
    for module in modules:
        if not isinstance(module, LearningModule):
            raise TypeError(f"{module!r} is no learning module: it lacks part of the LearningModule protocol")
        found.setdefault((type(module), module.group_key), []).append(module)
    return [Group(type(members[0]), tuple(members)) for members in found.values()]


def group_input(
    group: Group,
    percepts: Mapping[str, Sequence[Sequence[Percept]]],
    rows: int = 1,
    check: bool | Bools | None = None,
) -> GroupInput:
    """Percepts as lists, `percepts[module][row]`, put into a batch; modules that are not named have no
    input.
    """
    asked = None if check is None else np.broadcast_to(np.asarray(check), (rows, len(group.modules)))
    given = GroupInput(group.empty_batch(rows), asked)
    lost = np.zeros((rows, len(group.modules)), bool)
    for m, module in enumerate(group.modules):
        rows_of = percepts.get(module.name, ())
        if len(rows_of) > rows:
            message = f"module {module.name!r} got percepts for {len(rows_of)} rows, there are {rows}"
            given.failures[module.name] = ValueError(message)
            lost[:, m] = True
            continue
        for row, felt in enumerate(rows_of):
            try:
                _fill(given.batch, (row, m), module, felt)
            except ValueError as error:
                given.failures.setdefault(module.name, error)
                lost[row, m] = True
    if lost.any():
        given.batch = given.batch.without(lost)
    return given


def _fill(
    batch: PerceptBatch, at: tuple[int, int], module: LearningModule, percepts: Sequence[Percept]
) -> None:
    """Put one row's percepts for a module into the batch, `at` (row, module)."""
    for percept in percepts:
        if percept.sender not in module.channels:
            raise ValueError(
                f"module {module.name!r} got a percept from {percept.sender!r}, "
                f"it listens to {list(module.channels)}"
            )
        channel = module.channels.index(percept.sender)
        if batch.present[*at, channel]:
            raise ValueError(f"module {module.name!r} got two percepts from {percept.sender!r} in one step")
        batch.put((*at, channel), percept, module.layouts[channel])


def checked(
    groups: Sequence[Group], inputs: Sequence[GroupInput | PerceptBatch]
) -> tuple[list[GroupInput], Failures]:
    """One GroupInput per group, and why modules fail before the step: those with unusable numbers."""
    if len(groups) != len(inputs):
        raise ValueError(
            f"{len(groups)} groups but {len(inputs)} inputs: give one per group, in the same order"
        )
    given: list[GroupInput] = []
    failures: Failures = {}
    for number, value in enumerate(inputs):
        one = value if isinstance(value, GroupInput) else GroupInput(value)
        if not one.batch.fit():
            one = _fit(groups[number], one)
        if one.failures:
            failures |= one.failures
        given.append(one)
    return given, failures


def _fit(group: Group, given: GroupInput) -> GroupInput:
    """Without the percepts of modules, in the rows, that one with NaN or infinity came for."""
    unfit = given.batch.unfit()
    reasons: Failures = {
        name: ValueError(
            f"a percept for module {name!r} holds NaN or infinity in row(s) {np.flatnonzero(bad).tolist()}"
        )
        for name, bad in zip(group.names, unfit.T, strict=True)
        if bad.any()
    }
    if not reasons:
        return given
    return GroupInput(given.batch.without(unfit), given.check, {**reasons, **given.failures})


def copied(given: GroupInput) -> GroupInput:
    """The same in memory of its own."""
    batch, check = given.batch, given.check
    own = PerceptBatch(batch.numbers.copy(), batch.flags.copy())
    return GroupInput(own, None if check is None else np.array(check), given.failures)
