"""Schedules made of others: `SequentialLR`, `ChainedScheduler`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .schedules import LRScheduler, Schedule


class SequentialLR(Schedule):
    """One schedule after the other: number i ends, and the next begins at its start, at milestone i."""

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int]
    ) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"{len(schedulers)} schedules in a row have {len(schedulers) - 1} milestones between them, "
                f"not {len(milestones)}"
            )
        self.optimizer, self.schedulers, self.milestones = optimizer, list(schedulers), list(milestones)
        self.last_epoch = -1
        self.step()

    def step(self) -> None:
        self._go_to(self.last_epoch + 1)

    def _go_to(self, step: int) -> None:
        self.last_epoch = step
        turn = sum(step >= milestone for milestone in self.milestones)
        begun = self.milestones[turn - 1] if turn else 0
        self.schedulers[turn].load_state_dict({"last_epoch": step - begun})

    def state_dict(self) -> dict[str, int]:
        return {"last_epoch": self.last_epoch}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self._go_to(state["last_epoch"])


class ChainedScheduler(Schedule):
    """Several schedules of one optimiser at once: a step of it is a step of each, in order. Factors multiply,
    and a schedule that is no factor, such as CyclicLR, sets the rate for those behind it."""

    def __init__(
        self, schedulers: Sequence[LRScheduler | SequentialLR], optimizer: Optimizer | None = None
    ) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler was given no schedules")
        self.optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        for number, schedule in enumerate(schedulers):
            if not isinstance(schedule, (LRScheduler, SequentialLR)):
                raise TypeError(f"schedule {number} is a {type(schedule).__name__}, which steps by itself")
            if schedule.optimizer is not self.optimizer:
                raise ValueError(f"schedule {number}, a {type(schedule).__name__}, is of another optimiser")
        self._schedulers = list(schedulers)

    def step(self) -> None:
        for schedule in self._schedulers:
            schedule.step()

    def state_dict(self) -> dict[str, Any]:
        """Of each schedule, and the rates that all of them made."""
        each = [schedule.state_dict() for schedule in self._schedulers]
        return {"_last_lr": self.get_last_lr(), "_schedulers": each}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        each, rates = state["_schedulers"], state["_last_lr"]
        groups = self.optimizer.param_groups
        if len(each) != len(self._schedulers) or len(rates) != len(groups):
            raise ValueError(
                f"the state has {len(each)} schedules for {len(rates)} groups of parameters, "
                f"and there are {len(self._schedulers)} for {len(groups)}"
            )
        for schedule, given in zip(self._schedulers, each, strict=True):
            schedule.load_state_dict(given)
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate
