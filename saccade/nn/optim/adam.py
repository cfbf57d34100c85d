"""Adam, and AdamW, whose weight decay goes beside the gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...tensor.jit.number import logarithm
from ...tensor.tensor import Tensor
from .optimizer import Optimizer, Params, Writes, zeros_like


class Adam(Optimizer):
    """Steps in the direction of the mean gradient over the root of its mean square."""

    #: does weight decay go beside the gradient?
    decoupled = False

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad}
        super().__init__(params, {**options, "maximize": maximize})

    def _start(self, param: Tensor, options: Mapping[str, Any]) -> dict[str, Tensor]:
        names = ["exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if options["amsgrad"] else [])]
        return {name: zeros_like(param) for name in names}

    def _update(
        self, param: Tensor, grad: Tensor, state: dict[str, Tensor], options: Mapping[str, Any]
    ) -> Writes:
        (first, second), rate, decay = options["betas"], options["lr"], options["weight_decay"]
        value = param
        if decay and self.decoupled:
            value = param * (1 - rate * decay)
        elif decay:
            grad = grad + param * decay
        mean, square = moments(grad, state, first, second)
        yield state["exp_avg"], mean
        yield state["exp_avg_sq"], square
        if options["amsgrad"]:
            square = state["max_exp_avg_sq"].maximum(square)
            yield state["max_exp_avg_sq"], square
        scale, root = corrections(self.steps, first, second, param)
        yield param, value - (mean * (scale * rate)) / (square.sqrt() * root + options["eps"])


class AdamW(Adam):
    decoupled = True

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


def moments(grad: Tensor, state: dict[str, Tensor], first: float, second: float) -> tuple[Tensor, Tensor]:
    """The next running means of the gradient and of its square."""
    mean = state["exp_avg"] * first + grad * (1 - first)
    return mean, state["exp_avg_sq"] * second + grad * grad * (1 - second)


def corrections(steps: Tensor, first: float, second: float, like: Tensor) -> tuple[Tensor, Tensor]:
    """What running means of so many steps are divided by to have no bias, as factors: of the mean, and of the
    root of the mean square. Two numbers, computed once for all elements."""
    count = steps.to(like.device)
    # 1 - beta**t loses digits where beta is near 1
    scale, square = (-1 / (count * logarithm(beta)).expm1() for beta in (first, second))
    root = square.sqrt()
    return scale.cast(like.dtype), root.cast(like.dtype)
