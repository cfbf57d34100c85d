"""Optimisers that look at signs or at the way so far: Rprop, which steps by the sign of the gradient, and
ASGD, which averages the parameters it passes. Names, order and defaults are torch's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...tensor.tensor import Tensor, where
from .adaptive import decayed
from .optimizer import Optimizer, Params, Writes, zeros_like


class Rprop(Optimizer):
    """Each element has a step of its own (Riedmiller and Braun 1993): longer while its gradient keeps its
    sign, shorter, and not taken once, where that turned."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
    ) -> None:
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"Rprop: etas={etas} have to be between 0 and 1, and above 1")
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {"prev": zeros_like(param), "step_size": (zeros_like(param) + options["lr"]).realize()}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        (shorter, longer), (least, most) = options["etas"], options["step_sizes"]
        turned = grad * state["prev"]
        factor = where(turned > 0, longer, where(turned < 0, shorter, 1.0)).cast(param.dtype)
        size = (state["step_size"] * factor).clamp(least, most)
        taken = where(turned < 0, 0.0, grad).cast(param.dtype)
        yield state["step_size"], size
        yield state["prev"], taken
        yield param, param - taken.sign() * size


class ASGD(Optimizer):
    """Gradient descent whose rate decays, and the mean of the parameters from step `t0` on, in state "ax"
    (Polyak and Juditsky 1992)."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
    ) -> None:
        options = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, options)

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {"ax": zeros_like(param)}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        grad, rate, decay = decayed(param, grad, options), options["lr"], options["lambd"]
        count = self.steps.to(param.device).double()
        # both were set after the step before
        eta = rate / ((count - 1) * (decay * rate) + 1) ** options["alpha"]
        share = 1 / (count - 1 - options["t0"]).clamp_min(1)
        value = param * (1 - eta * decay).cast(param.dtype) - grad * eta.cast(param.dtype)
        yield state["ax"], state["ax"] + (value - state["ax"]) * share.cast(param.dtype)
        yield param, value


__all__ = ["ASGD", "Rprop"]
