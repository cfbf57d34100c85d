"""Rates of their own for each parameter, before and beside Adam: RMSprop, Adagrad, Adadelta, Adamax, RAdam,
NAdam. Names, order and defaults are torch's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...tensor.jit.number import logarithm
from ...tensor.tensor import Tensor, where
from .adam import corrections, moments
from .optimizer import Optimizer, Params, Writes, keeps_momentum, zeros_like

#: by which the momentum of NAdam grows towards its own, for each step and `momentum_decay`
GROWTH = 0.96


def decayed(param: Tensor, grad: Tensor, options: Mapping[str, Any]) -> Tensor:
    """The gradient of a loss with a penalty on the squares of parameters."""
    return grad + param * options["weight_decay"] if options["weight_decay"] else grad


class RMSprop(Optimizer):
    """The gradient over the root of its mean square, or of its variance where it is `centered`."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
    ) -> None:
        options = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "momentum": momentum, "centered": centered})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        names = ["square_avg"]
        names += ["momentum_buffer"] if options["momentum"] else []
        names += ["grad_avg"] if options["centered"] else []
        return {name: zeros_like(param) for name in names}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        grad, alpha = decayed(param, grad, options), options["alpha"]
        square = state["square_avg"] * alpha + grad * grad * (1 - alpha)
        yield state["square_avg"], square
        if options["centered"]:
            mean = state["grad_avg"] * alpha + grad * (1 - alpha)
            yield state["grad_avg"], mean
            square = square - mean * mean
        direction = grad / (square.sqrt() + options["eps"])
        if keeps_momentum(state, options):
            direction = state["momentum_buffer"] * options["momentum"] + direction
            yield state["momentum_buffer"], direction
        yield param, param - direction * options["lr"]


class Adagrad(Optimizer):
    """The gradient over the root of the sum of all its squares so far."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
    ) -> None:
        options = {"lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps}
        super().__init__(params, {**options, "initial_accumulator_value": initial_accumulator_value})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {"sum": (zeros_like(param) + options["initial_accumulator_value"]).realize()}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        grad = decayed(param, grad, options)
        total = state["sum"] + grad * grad
        yield state["sum"], total
        rate = options["lr"] / ((self.steps.to(param.device) - 1) * options["lr_decay"] + 1)
        yield param, param - grad * rate.cast(param.dtype) / (total.sqrt() + options["eps"])


class Adadelta(Optimizer):
    """Steps as long as the steps before, over the root of the mean square of the gradient."""

    def __init__(
        self,
        params: Params,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {name: zeros_like(param) for name in ("square_avg", "acc_delta")}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        grad, rho, eps = decayed(param, grad, options), options["rho"], options["eps"]
        square = state["square_avg"] * rho + grad * grad * (1 - rho)
        yield state["square_avg"], square
        step = grad * (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt()
        yield state["acc_delta"], state["acc_delta"] * rho + step * step * (1 - rho)
        yield param, param - step * options["lr"]


class Adamax(Optimizer):
    """Adam with the largest gradient, which fades, instead of the mean square."""

    def __init__(
        self,
        params: Params,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {name: zeros_like(param) for name in ("exp_avg", "exp_inf")}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        grad, (first, second) = decayed(param, grad, options), options["betas"]
        mean = state["exp_avg"] * first + grad * (1 - first)
        largest = (state["exp_inf"] * second).maximum(grad.abs() + options["eps"])
        yield state["exp_avg"], mean
        yield state["exp_inf"], largest
        scale, _ = corrections(self.steps, first, second, param)
        yield param, param - mean * (scale * options["lr"]) / largest


class RAdam(Optimizer):
    """Adam, without the mean square while there are too few steps to know its variance (Liu et al. 2020)."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        return {name: zeros_like(param) for name in ("exp_avg", "exp_avg_sq")}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        grad, (first, second) = decayed(param, grad, options), options["betas"]
        mean, square = moments(grad, state, first, second)
        yield state["exp_avg"], mean
        yield state["exp_avg_sq"], square
        scale, root = corrections(self.steps, first, second, param)
        most = 2 / (1 - second) - 1
        count = self.steps.to(param.device).double()
        power = (count * logarithm(second)).exp()
        length = most - count * 2 * power / (1 - power)  # of a simple moving average with that variance
        share = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        rectified = share.clamp_min(0).sqrt().cast(param.dtype)
        adapted = rectified / (square.sqrt() * root + options["eps"] * root)
        yield param, param - mean * (scale * options["lr"]) * where(length > 5, adapted, 1.0)


class NAdam(Optimizer):
    """Adam that looks ahead: its mean is taken with the momentum of the next step, which grows from half of
    it on (Dozat 2016)."""

    def __init__(
        self,
        params: Params,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        more = {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, {**options, **more})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        product = Tensor.ones(dtype="float64", device=param.device).realize()
        return {"exp_avg": zeros_like(param), "exp_avg_sq": zeros_like(param), "mu_product": product}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        (first, second), rate, decay = options["betas"], options["lr"], options["weight_decay"]
        value = param
        if decay and options["decoupled_weight_decay"]:
            value = param * (1 - rate * decay)
        elif decay:
            grad = grad + param * decay
        mean, square = moments(grad, state, first, second)
        yield state["exp_avg"], mean
        yield state["exp_avg_sq"], square
        count = self.steps.to(param.device).double()
        now, ahead = (
            first * (1 - 0.5 * (step * (options["momentum_decay"] * math.log(GROWTH))).exp())
            for step in (count, count + 1)
        )
        product = state["mu_product"] * now
        yield state["mu_product"], product
        of_grad, of_mean = (1 - now) / (1 - product), ahead / (1 - product * ahead)
        _, root = corrections(self.steps, first, second, param)
        direction = grad * of_grad.cast(param.dtype) + mean * of_mean.cast(param.dtype)
        yield param, value - direction * rate / (square.sqrt() * root + options["eps"])


__all__ = ["Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop"]
