"""Learning rates that change: each sets `lr` of an optimiser's groups after every `step()` of its own.

All of them are a factor of the first rate, a function of how many steps there were.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..optimizer import Optimizer


class LambdaLR:
    """The first rate times a function of the step."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float], last_epoch: int = -1) -> None:
        self.optimizer, self.lr_lambda, self.last_epoch = optimizer, lr_lambda, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.step()

    def step(self) -> None:
        self.last_epoch += 1
        factor = self.lr_lambda(self.last_epoch)
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate(group["initial_lr"], factor)

    def _rate(self, first: float, factor: float) -> float:
        return first * factor

    def get_last_lr(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, int]:
        return {"last_epoch": self.last_epoch}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.last_epoch = state["last_epoch"] - 1
        self.step()


class ConstantLR(LambdaLR):
    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5) -> None:
        super().__init__(optimizer, lambda step: factor if step < total_iters else 1.0)


class LinearLR(LambdaLR):
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


class StepLR(LambdaLR):
    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        super().__init__(optimizer, lambda step: gamma ** (step // step_size))


class MultiStepLR(LambdaLR):
    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1) -> None:
        super().__init__(optimizer, lambda step: gamma ** sum(step >= m for m in milestones))


class ExponentialLR(LambdaLR):
    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        super().__init__(optimizer, lambda step: gamma**step)


class CosineAnnealingLR(LambdaLR):
    """From the first rate to `eta_min` along half a cosine of `T_max` steps, and back."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.eta_min = eta_min
        super().__init__(optimizer, lambda step: (1 + math.cos(math.pi * step / T_max)) / 2)

    def _rate(self, first: float, factor: float) -> float:
        return self.eta_min + (first - self.eta_min) * factor


class CosineAnnealingWarmRestarts(CosineAnnealingLR):
    """Half a cosine of `T_0` steps again and again, each `T_mult` times as long as the one before."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0) -> None:
        if T_0 < 1 or T_mult < 1:
            raise ValueError(f"T_0={T_0} and T_mult={T_mult} have to be at least 1")
        self.eta_min = eta_min

        def factor(step: int) -> float:
            length = T_0
            while step >= length:
                step, length = step - length, length * T_mult
            return (1 + math.cos(math.pi * step / length)) / 2

        LambdaLR.__init__(self, optimizer, factor)


class PolynomialLR(LambdaLR):
    """Down to 0 in so many steps, along a power of what is left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0) -> None:
        super().__init__(optimizer, lambda step: (1 - min(step, total_iters) / total_iters) ** power)


class MultiplicativeLR(LambdaLR):
    """The rate before times a function of the step, from the second on."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        super().__init__(optimizer, lambda step: math.prod(lr_lambda(n) for n in range(1, step + 1)))


class CyclicLR(LambdaLR):
    """From `base_lr` up to `max_lr` and down again in straight lines, over and over. In mode "triangular2"
    each cycle is half as high as the one before, in "exp_range" the height is times gamma with each step; or
    it is times `scale_fn` of the cycle, counted from 1, or of the step."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float,
        max_lr: float,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
    ) -> None:
        down = step_size_up if step_size_down is None else step_size_down
        scales: dict[str, tuple[Callable[[float], float], str]] = {
            "triangular": (lambda cycle: 1.0, "cycle"),
            "triangular2": (lambda cycle: 0.5 ** (cycle - 1), "cycle"),
            "exp_range": (lambda step: gamma**step, "iterations"),
        }
        if scale_fn is None and mode not in scales:
            raise ValueError(f"unknown mode {mode!r} of CyclicLR: use {', '.join(scales)}, or give scale_fn")
        scale, by = (scale_fn, scale_mode) if scale_fn is not None else scales[mode]
        for group in optimizer.param_groups:
            group["initial_lr"] = 1.0

        def rate(step: int) -> float:
            cycle, place = divmod(step, step_size_up + down)
            part = place / step_size_up if place <= step_size_up else 1 - (place - step_size_up) / down
            height = (max_lr - base_lr) * part
            return base_lr + height * scale(cycle + 1 if by == "cycle" else step)

        super().__init__(optimizer, rate)


class OneCycleLR(LambdaLR):
    """Up to `max_lr` and down again along cosines: from max_lr / div_factor, to that / final_div_factor."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float,
        total_steps: int,
        pct_start: float = 0.3,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
    ) -> None:
        first = max_lr / div_factor
        top = pct_start * total_steps - 1
        for group in optimizer.param_groups:
            group["initial_lr"] = 1.0

        def rate(step: int) -> float:
            if step >= total_steps:
                raise ValueError(
                    f"OneCycleLR was made for {total_steps} steps, and this is number {step + 1}"
                )
            if step <= top:
                return _along(first, max_lr, step / top)
            return _along(max_lr, first / final_div_factor, (step - top) / (total_steps - 1 - top))

        super().__init__(optimizer, rate)


def _along(start: float, end: float, part: float) -> float:
    """A cosine from start to end."""
    return end + (start - end) / 2 * (1 + math.cos(math.pi * part))
