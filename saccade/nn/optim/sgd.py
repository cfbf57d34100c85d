"""Gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...tensor.tensor import Tensor, where
from .optimizer import Optimizer, Params, Writes, keeps_momentum, zeros_like


class SGD(Optimizer):
    """param -= lr * (grad, or its momentum)."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("nesterov needs a momentum, and no dampening")
        options = {"lr": lr, "momentum": momentum, "dampening": dampening}
        more = {"weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize}
        super().__init__(params, {**options, **more})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {"momentum_buffer": zeros_like(param)} if options["momentum"] else {}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        if options["weight_decay"]:
            grad = grad + param * options["weight_decay"]
        if keeps_momentum(state, options):
            momentum, part = options["momentum"], grad * (1 - options["dampening"])
            if options["dampening"]:  # not of the first gradient, as in torch
                part = where(self.steps <= 1, grad, part)
            moved = state["momentum_buffer"] * momentum + part
            yield state["momentum_buffer"], moved
            grad = grad + moved * momentum if options["nesterov"] else moved
        yield param, param - grad * options["lr"]
