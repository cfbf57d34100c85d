"""Muon: momentum of a matrix, made orthogonal (Jordan et al., 2024). Train what is no matrix with AdamW."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from ...tensor.tensor import Tensor
from .optimizer import Optimizer, Params, Writes, zeros_like

#: of the polynomial a x + b x^3 + c x^5, which takes singular values between 0 and 1 near 1 in a few turns
COEFFICIENTS: Final = (3.4445, -4.7750, 2.0315)


def orthogonal(matrix: Tensor, turns: int = 5, eps: float = 1e-7) -> Tensor:
    """The matrix with singular values near 1, by Newton and Schulz's iteration."""
    a, b, c = COEFFICIENTS
    wide = matrix.shape[0] <= matrix.shape[1]
    x = matrix if wide else matrix.T
    x = x / x.square().sum().sqrt().clamp_min(eps)
    for _ in range(turns):
        gram = x @ x.T
        x = x * a + (gram * b + gram @ gram * c) @ x
    return x if wide else x.T


class Muon(Optimizer):
    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_steps: int = 5,
        eps: float = 1e-7,
    ) -> None:
        options = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov}
        super().__init__(params, {**options, "ns_steps": ns_steps, "eps": eps})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        if param.ndim != 2:
            raise ValueError(f"Muon trains matrices, not shape {param.shape}: give AdamW the rest")
        return {"momentum_buffer": zeros_like(param)}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        momentum = options["momentum"]
        moved = state["momentum_buffer"] * momentum + grad * (1 - momentum)
        yield state["momentum_buffer"], moved
        direction = grad * (1 - momentum) + moved * momentum if options["nesterov"] else moved
        turned = orthogonal(direction, options["ns_steps"], options["eps"])
        rate = options["lr"] * math.sqrt(max(1.0, param.shape[0] / param.shape[1]))
        yield param, param * (1 - options["lr"] * options["weight_decay"]) - turned * rate
