"""Steps as long as the parameters they change: LAMB (You et al., 2020), and Adafactor."""

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


class Adafactor(Optimizer):
    """The second moment of a matrix as a row and a column (Shazeer and Stern 2018): of weights (..., n, m)
    state has "row_var" (..., n, 1) and "col_var" (..., 1, m). No update is longer than `d` per element.
    Names, order and defaults are torch's."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
    ) -> None:
        if beta2_decay > 0 or d < 1:
            raise ValueError(f"Adafactor: beta2_decay={beta2_decay} has to be 0 or less, d={d} 1 or more")
        options = {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay}
        super().__init__(params, options)

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        if param.ndim < 2:
            return {"variance": zeros_like(param)}
        return {"row_var": zeros_like(param[..., :1]), "col_var": zeros_like(param[..., :1, :])}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        rate, (tiny, least) = options["lr"], options["eps"]
        tiny = 2.0**-param.dtype.mantissa_bits if tiny is None else tiny
        count = self.steps.to(param.device).double()
        share = (count ** options["beta2_decay"]).cast(param.dtype)
        size = (param * param).mean().sqrt().clamp_min(least)
        reach = size * count.rsqrt().clamp_max(rate).cast(param.dtype)
        squares = grad * grad
        if param.ndim < 2:
            estimate = state["variance"] + (squares - state["variance"]) * share
            yield state["variance"], estimate
        else:
            row = state["row_var"] + (squares.mean(-1, keepdim=True) - state["row_var"]) * share
            column = state["col_var"] + (squares.mean(-2, keepdim=True) - state["col_var"]) * share
            estimate = row * column / row.mean(-2, keepdim=True).clamp_min(tiny)
            yield state["row_var"], row
            yield state["col_var"], column
        update = grad * estimate.clamp_min(tiny * tiny).rsqrt()
        longer = ((update * update).mean().sqrt() / options["d"]).clamp_min(1.0)
        yield param, param * (1 - rate * options["weight_decay"]) - update * (reach / longer)


__all__ = ["LAMB", "Adafactor"]
