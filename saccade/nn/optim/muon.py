"""Muon: momentum of a matrix, made orthogonal (Jordan et al., 2024). Train what is no matrix with AdamW."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from ...tensor.tensor import Tensor
from .optimizer import Optimizer, Params, Writes, zeros_like

#: of the polynomial a x + b x^3 + c x^5, which takes singular values between 0 and 1 near 1 in a few turns
COEFFICIENTS: Final = (3.4445, -4.7750, 2.0315)


def orthogonal(
    matrix: Tensor,
    turns: int = 5,
    eps: float = 1e-7,
    coefficients: tuple[float, float, float] = COEFFICIENTS,
) -> Tensor:
    """The matrix (m, n) with singular values near 1, by Newton and Schulz's iteration."""
    a, b, c = coefficients
    wide = matrix.shape[0] <= matrix.shape[1]
    x = matrix if wide else matrix.T
    x = x / x.square().sum().sqrt().clamp_min(eps)
    for _ in range(turns):
        gram = x @ x.T
        x = x * a + (gram * b + gram @ gram * c) @ x
    return x if wide else x.T


def _original(rows: int, columns: int) -> float:
    return math.sqrt(max(1.0, rows / columns))


def _match_rms_adamw(rows: int, columns: int) -> float:
    """Updates are as large as those of AdamW, whose rate and decay then serve (Liu et al., 2025)."""
    return 0.2 * math.sqrt(max(rows, columns))


#: what the rate is times, for a matrix of so many rows and columns
ADJUSTMENTS: Final = {None: _original, "original": _original, "match_rms_adamw": _match_rms_adamw}


class Muon(Optimizer):
    """Arguments are torch's. Iterations are computed in the dtype of a parameter, torch's in bfloat16."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        options = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov}
        more = {"ns_coefficients": tuple(ns_coefficients), "eps": eps, "ns_steps": ns_steps}
        super().__init__(params, {**options, **more, "adjust_lr_fn": adjust_lr_fn})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        if param.ndim != 2 or param.dtype.is_complex:
            raise ValueError(
                f"Muon trains real matrices, not {param.dtype.name} of shape {param.shape}: "
                "give AdamW the rest"
            )
        adjust = options["adjust_lr_fn"]
        if adjust not in ADJUSTMENTS:
            raise ValueError(f"unknown adjust_lr_fn {adjust!r}: use 'original' or 'match_rms_adamw'")
        if len(options["ns_coefficients"]) != 3:
            raise ValueError(f"Muon takes three ns_coefficients, not {options['ns_coefficients']}")
        return {"momentum_buffer": zeros_like(param)}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        momentum = options["momentum"]
        moved = state["momentum_buffer"] * momentum + grad * (1 - momentum)
        yield state["momentum_buffer"], moved
        direction = grad * (1 - momentum) + moved * momentum if options["nesterov"] else moved
        turned = orthogonal(direction, options["ns_steps"], options["eps"], options["ns_coefficients"])
        rate = options["lr"] * ADJUSTMENTS[options["adjust_lr_fn"]](*param.shape)
        yield param, param * (1 - options["lr"] * options["weight_decay"]) - turned * rate
