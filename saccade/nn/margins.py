"""Losses of margins, likelihoods and sequences as modules: `loss(input, *targets)`, options by keyword."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tensor.tensor import Tensor
from .function import Function
from .loss import Weighted
from .module import Module

_MEAN: Any = {"reduction": "mean"}


class MarginRankingLoss(Function):
    method, options = "margin_ranking_loss", {"margin": 0.0, **_MEAN}


class HingeEmbeddingLoss(Function):
    method, options = "hinge_embedding_loss", {"margin": 1.0, **_MEAN}


class SoftMarginLoss(Function):
    method, options = "soft_margin_loss", _MEAN


class CosineEmbeddingLoss(Function):
    method, options = "cosine_embedding_loss", {"margin": 0.0, **_MEAN}


class TripletMarginLoss(Function):
    method, options = "triplet_margin_loss", {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, **_MEAN}


class MultiLabelMarginLoss(Function):
    method, options = "multilabel_margin_loss", _MEAN


class GaussianNLLLoss(Function):
    method, options = "gaussian_nll_loss", {"full": False, "eps": 1e-6, **_MEAN}


class PoissonNLLLoss(Function):
    method, options = "poisson_nll_loss", {"log_input": True, "full": False, "eps": 1e-8, **_MEAN}


class CTCLoss(Function):
    """Log-probabilities (T, N, C), targets (N, S), lengths of both (N,)."""

    method, options = "ctc_loss", {"blank": 0, **_MEAN, "zero_infinity": False}


class PairwiseDistance(Module):
    """|x1 - x2 + eps| along the last axis."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        distance = x1.pairwise_distance(x2, self.norm, self.eps)
        return distance.unsqueeze(-1) if self.keepdim else distance


class TripletMarginWithDistanceLoss(Module):
    """`TripletMarginLoss` by a distance of one's own: a function of two tensors."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        self.distance_function = distance_function or PairwiseDistance()
        self.margin, self.swap, self.reduction = margin, swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return anchor.triplet_margin_with_distance_loss(
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class MultiLabelSoftMarginLoss(Weighted):
    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.multilabel_soft_margin_loss(target, self.weight, self.reduction)


class MultiMarginLoss(Weighted):
    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, reduction)
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return input.multi_margin_loss(target, self.p, self.margin, self.weight, self.reduction)
