"""Losses as modules; each is a method of `Tensor` with torch's options."""

from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor
from .module import Module


class _Loss(Module):
    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def extra_repr(self) -> str:
        return f"reduction={self.reduction!r}"


class MSELoss(_Loss):
    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.mse_loss(target, self.reduction)


class L1Loss(_Loss):
    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.l1_loss(target, self.reduction)


class SmoothL1Loss(_Loss):
    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        self.reduction, self.beta = reduction, beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.smooth_l1_loss(target, self.reduction, self.beta)


class HuberLoss(_Loss):
    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self.reduction, self.delta = reduction, delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.huber_loss(target, self.reduction, self.delta)


class KLDivLoss(_Loss):
    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.kl_div(target, self.reduction, self.log_target)


class Weighted(_Loss):
    """A loss with a weight for each class, which is a buffer."""

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        self.register_buffer("weight", weight)
        self.reduction = reduction


class BCELoss(Weighted):
    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.binary_cross_entropy(target, self.weight, self.reduction)


class BCEWithLogitsLoss(Weighted):
    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", pos_weight: Tensor | None = None
    ) -> None:
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        more: Any = vars(self)["pos_weight"]
        return input.binary_cross_entropy_with_logits(target, self.weight, self.reduction, more)


class NLLLoss(Weighted):
    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.nll_loss(target, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(Weighted):
    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.cross_entropy(
            target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class CosineSimilarity(Module):
    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return x1.cosine_similarity(x2, self.dim, self.eps)
