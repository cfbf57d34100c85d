"""Rates that go up and down, with the momentum the other way: `CyclicLR`, `OneCycleLR`; and restarts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from ..optimizer import Optimizer
from .schedules import LRScheduler, cosine, for_groups


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine of `T_0` steps again and again, each `T_mult` times as long as the one before."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0) -> None:
        if T_0 < 1 or T_mult < 1:
            raise ValueError(f"T_0={T_0} and T_mult={T_mult} have to be at least 1")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer)

    def _rate(self, number: int, first: float) -> float:
        step, length = self.last_epoch, self.T_0
        while step >= length:
            step, length = step - length, length * self.T_mult
        return self.eta_min + (first - self.eta_min) * cosine(step / length)


class _Cycle(LRScheduler):
    """A schedule that may set `momentum` too, or the first of `betas`, where an optimiser has those."""

    def __init__(
        self,
        optimizer: Optimizer,
        cycle_momentum: bool,
        base_momentum: float | Sequence[float],
        max_momentum: float | Sequence[float],
    ) -> None:
        self.cycle_momentum = cycle_momentum
        self.base_momentums = for_groups("base_momentum", base_momentum, optimizer)
        self.max_momentums = for_groups("max_momentum", max_momentum, optimizer)
        if cycle_momentum and not {"momentum", "betas"} & optimizer.param_groups[0].keys():
            raise ValueError(
                f"{type(optimizer).__name__} has neither momentum nor betas: use cycle_momentum=False"
            )
        bare = any(group.get("momentum") == 0 for group in optimizer.param_groups)
        super().__init__(optimizer)
        if cycle_momentum and bare:
            optimizer.complete_state()

    @abstractmethod
    def _momentum(self, number: int) -> float:
        """Of group `number` after `last_epoch` steps."""

    def step(self) -> None:
        super().step()
        self._set_momentum()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self._set_momentum()

    def _set_momentum(self) -> None:
        if self.cycle_momentum:
            for number, group in enumerate(self.optimizer.param_groups):
                if "betas" in group:
                    group["betas"] = (self._momentum(number), *group["betas"][1:])
                else:
                    group["momentum"] = self._momentum(number)


class CyclicLR(_Cycle):
    """From `base_lr` up to `max_lr` and down again in straight lines, over and over, with momentum from
    `max_momentum` down to `base_momentum` and up again. In mode "triangular2" each cycle is half as high as
    the one before, in "exp_range" the height is times gamma with each step; or it is times `scale_fn` of the
    cycle, counted from 1, or of the step. Limits may be lists: a number for each group of parameters."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
    ) -> None:
        scales: dict[str, tuple[Callable[[float], float], str]] = {
            "triangular": (lambda cycle: 1.0, "cycle"),
            "triangular2": (lambda cycle: 0.5 ** (cycle - 1), "cycle"),
            "exp_range": (lambda step: gamma**step, "iterations"),
        }
        if scale_fn is None and mode not in scales:
            raise ValueError(f"unknown mode {mode!r} of CyclicLR: use {', '.join(scales)}, or give scale_fn")
        self._scale, self._by = (scale_fn, scale_mode) if scale_fn is not None else scales[mode]
        self._up, self._down = step_size_up, step_size_up if step_size_down is None else step_size_down
        self.base_lrs = for_groups("base_lr", base_lr, optimizer)
        self.max_lrs = for_groups("max_lr", max_lr, optimizer)
        super().__init__(optimizer, cycle_momentum, base_momentum, max_momentum)

    def _height(self) -> float:
        """How far along the way from one limit to the other, scaled."""
        cycle, place = divmod(self.last_epoch, self._up + self._down)
        part = place / self._up if place <= self._up else 1 - (place - self._up) / self._down
        return part * self._scale(cycle + 1 if self._by == "cycle" else self.last_epoch)

    def _rate(self, number: int, first: float) -> float:
        base = self.base_lrs[number]
        return base + (self.max_lrs[number] - base) * self._height()

    def _momentum(self, number: int) -> float:
        most = self.max_momentums[number]
        return most - (most - self.base_momentums[number]) * self._height()


class OneCycleLR(_Cycle):
    """Up to `max_lr` and down again: from max_lr / div_factor, to that / final_div_factor, along cosines or
    straight lines; with `three_phase` down to where it began as fast as it went up, and then to the end.
    Momentum goes from `max_momentum` down to `base_momentum` while rates go up, and back."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("OneCycleLR needs total_steps, or epochs and steps_per_epoch")
            total_steps = epochs * steps_per_epoch
        if total_steps < 1:
            raise ValueError(f"OneCycleLR needs at least one step, not {total_steps}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"unknown anneal_strategy {anneal_strategy!r}: use 'cos' or 'linear'")
        self.total_steps, self._cosine = total_steps, anneal_strategy == "cos"
        self._divisors = (div_factor, 1.0, div_factor * final_div_factor)
        top, last = pct_start * total_steps - 1, total_steps - 1
        #: the last step of each phase, and its ends: 0 where the cycle begins, 1 its top, 2 its end
        self._phases = [(top, 0, 1), (last, 1, 2)]
        if three_phase:
            self._phases = [(top, 0, 1), (2 * pct_start * total_steps - 2, 1, 0), (last, 0, 2)]
        self.max_lrs = for_groups("max_lr", max_lr, optimizer)
        super().__init__(optimizer, cycle_momentum, base_momentum, max_momentum)

    def _between(self, values: Sequence[float]) -> float:
        """Where the cycle is now, of what it begins with, its top and its end."""
        step, start = self.last_epoch, 0.0
        if step > self.total_steps:
            raise ValueError(f"OneCycleLR was made for {self.total_steps} steps, and this is number {step}")
        for stop, begin, end in self._phases:
            part = (step - start) / (stop - start) if stop > start else 1.0
            left = cosine(part) if self._cosine else 1 - part
            value = values[end] + (values[begin] - values[end]) * left
            if step <= stop:
                break
            start = stop
        return value  # behind the last step the last phase goes on, as in torch

    def _rate(self, number: int, first: float) -> float:
        return self._between([self.max_lrs[number] / divisor for divisor in self._divisors])

    def _momentum(self, number: int) -> float:
        most, least = self.max_momentums[number], self.base_momentums[number]
        return self._between((most, least, most))
