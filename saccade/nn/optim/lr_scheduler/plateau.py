"""A schedule of how well it goes: `ReduceLROnPlateau`."""

from __future__ import annotations

import math
from typing import Any

from ..optimizer import Optimizer
from .schedules import Schedule


class ReduceLROnPlateau(Schedule):
    """The rate times `factor` when a number, such as the loss of a validation, has not become better for
    more than `patience` steps: `schedule.step(loss)`."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0.0,
        eps: float = 1e-8,
    ) -> None:
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ValueError(
                f"mode={mode!r}, threshold_mode={threshold_mode!r}: use 'min' or 'max', 'rel' or 'abs'"
            )
        if factor >= 1:
            raise ValueError(f"factor={factor} would not make the rate smaller: use one below 1")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.min_lr, self.eps = cooldown, min_lr, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0

    def step(self, metrics: Any) -> None:
        value = float(metrics)
        if self._is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            for group in self.optimizer.param_groups:
                smaller = max(group["lr"] * self.factor, self.min_lr)
                if group["lr"] - smaller > self.eps:
                    group["lr"] = smaller

    def _is_better(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "abs" or math.isinf(self.best):
            return sign * value < sign * self.best - self.threshold
        return sign * value < sign * self.best * (1 - sign * self.threshold)

    def state_dict(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in ("best", "num_bad_epochs", "cooldown_counter")}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.best = float(state["best"])
        self.num_bad_epochs, self.cooldown_counter = (
            int(state["num_bad_epochs"]),
            int(state["cooldown_counter"]),
        )


__all__ = ["ReduceLROnPlateau"]
