"""LAMB: Adam's direction, as long as the parameter it changes (You et al., 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...tensor.tensor import Tensor, where
from .adam import corrections, moments
from .optimizer import Optimizer, Params, Writes, zeros_like


class LAMB(Optimizer):
    """param -= lr * |param| / |direction| * direction, with weight decay in the direction."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {"exp_avg": zeros_like(param), "exp_avg_sq": zeros_like(param)}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        first, second = options["betas"]
        mean, square = moments(grad, state, first, second)
        yield state["exp_avg"], mean
        yield state["exp_avg_sq"], square
        scale, root = corrections(self.steps, first, second, param)
        direction = mean * scale / (square.sqrt() * root + options["eps"])
        if options["weight_decay"]:
            direction = direction + param * options["weight_decay"]
        size, length = (x.square().sum().sqrt() for x in (param, direction))
        trust = where((size > 0) & (length > 0), size / length, 1.0)
        yield param, param - direction * (trust * options["lr"])
