"""Learning rates that change: each sets `lr` of an optimiser's groups after every `step()` of its own.

    schedule = StepLR(optimizer, 30)
    for epoch in range(90):
        train(...)
        schedule.step()

The rate is a function of how many steps there were. Several schedules of one optimiser multiply, as in torch:
a step of most of them changes the rate by what their factor changed, whoever set the rate before.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..optimizer import Optimizer

T = TypeVar("T")


class Schedule:
    """Whatever sets the rates of an optimiser."""

    optimizer: Optimizer

    def get_last_lr(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]


class LRScheduler(Schedule, ABC):
    """A subclass says what the rate of a group is after `last_epoch` steps, by `_rate`."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.step()

    @abstractmethod
    def _rate(self, number: int, first: float) -> float:
        """The rate of group `number`, which begins with `first`, if no other schedule changes it."""

    def _next(self, number: int, first: float, rate: float) -> float:
        """The rate after a step, if it was `rate` before. Schedules that are no factors set it."""
        return self._rate(number, first)

    def step(self) -> None:
        self.last_epoch += 1
        for number, group in enumerate(self.optimizer.param_groups):
            group["lr"] = self._next(number, group["initial_lr"], group["lr"])

    def state_dict(self) -> dict[str, Any]:
        return {"last_epoch": self.last_epoch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.last_epoch = state["last_epoch"]
        for number, group in enumerate(self.optimizer.param_groups):
            group["lr"] = self._rate(number, group["initial_lr"])


def for_groups(name: str, given: T | Sequence[T], optimizer: Optimizer) -> list[T]:
    """One value for each group of parameters: all the same, or a list of them."""
    count = len(optimizer.param_groups)
    if not isinstance(given, Sequence):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"{name} has {len(given)} values for {count} groups of parameters")
    return list(given)


class LambdaLR(LRScheduler):
    """The first rate times a function of the step, or a function for each group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = for_groups("lr_lambda", lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def _rate(self, number: int, first: float) -> float:
        return first * self.lr_lambdas[number](self.last_epoch)


class FactorLR(LRScheduler):
    """The first rate times a factor of the step: from `floor` on, so that rates go down to it."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: Callable[[int], float] | Sequence[Callable[[int], float]],
        floor: float = 0.0,
    ) -> None:
        self._factors, self._floor = for_groups("factor", factor, optimizer), floor
        super().__init__(optimizer)

    def _rate(self, number: int, first: float) -> float:
        return self._floor + (first - self._floor) * self._factors[number](self.last_epoch)

    def _next(self, number: int, first: float, rate: float) -> float:
        step, floor, factor = self.last_epoch, self._floor, self._factors[number]
        before = factor(step - 1) if step > 0 else 1.0
        # alone it rounds once, so that a training that is resumed has the same bits
        if rate == floor + (first - floor) * before:
            return self._rate(number, first)
        if before == 0:
            return rate + (first - floor) * factor(step)
        return floor + (rate - floor) * (factor(step) / before)


class ConstantLR(FactorLR):
    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5) -> None:
        super().__init__(optimizer, lambda step: factor if step < total_iters else 1.0)


class LinearLR(FactorLR):
    """From one factor to another in so many steps: a warm-up."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        change = (end_factor - start_factor) / total_iters
        super().__init__(optimizer, lambda step: start_factor + change * min(step, total_iters))


class StepLR(FactorLR):
    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        super().__init__(optimizer, lambda step: gamma ** (step // step_size))


class MultiStepLR(FactorLR):
    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1) -> None:
        super().__init__(optimizer, lambda step: gamma ** sum(step >= m for m in milestones))


class ExponentialLR(FactorLR):
    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        super().__init__(optimizer, lambda step: gamma**step)


class MultiplicativeLR(LRScheduler):
    """The rate before times a function of the step, from the second on."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]]
    ) -> None:
        self.lr_lambdas = for_groups("lr_lambda", lr_lambda, optimizer)
        super().__init__(optimizer)

    def _rate(self, number: int, first: float) -> float:
        return math.prod(map(self.lr_lambdas[number], range(1, self.last_epoch + 1)), start=first)

    def _next(self, number: int, first: float, rate: float) -> float:
        return rate * self.lr_lambdas[number](self.last_epoch) if self.last_epoch else rate


class PolynomialLR(FactorLR):
    """Down to 0 in so many steps, along a power of what is left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0) -> None:
        super().__init__(optimizer, lambda step: (1 - min(step, total_iters) / total_iters) ** power)


class CosineAnnealingLR(FactorLR):
    """From the first rate to `eta_min` along half a cosine of `T_max` steps, and back."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        super().__init__(optimizer, lambda step: cosine(step / T_max), eta_min)


def cosine(part: float) -> float:
    """From 1 to 0 as `part` goes from 0 to 1."""
    return (1 + math.cos(math.pi * part)) / 2
