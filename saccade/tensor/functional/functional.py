"""Softmax, normalisation, attention and losses, written as the plain expressions they are.

Nothing here is special to the compiler: each is one fused kernel because that pays, not because it has a
name.

    >>> Tensor([[1.0, 1.0]]).softmax(-1).tolist()
    [[0.5, 0.5]]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self
from warnings import warn

from ...graph import dtypes
from ...graph.ops import Op
from .. import build
from ..checks import check_classes
from ..core import Core, DTypeLike, Operand
from ..gradients.leaves import cut
from ..reductions.ordering import Ordering
from ..reductions.products import Products


class Functional(Products, Ordering):
    __slots__ = ()

    # --- softmax

    def softmax(self, dim: int, dtype: DTypeLike = None) -> Self:
        x = self._floating() if dtype is None else self.cast(dtype)
        return x._wide(lambda x: x._exponentials(dim)._divided_by_sum(dim))

    def _exponentials(self, dim: int) -> Self:
        return self._below_top(dim).exp() if self.numel() else self

    def _below_top(self, dim: int) -> Self:
        """Less the largest, which changes no result: so no gradient goes through it."""
        top = self.amax(dim, keepdim=True)
        return self - top._without_past()

    def _divided_by_sum(self, dim: int) -> Self:
        return self / self.sum(dim, keepdim=True)

    def log_softmax(self, dim: int, dtype: DTypeLike = None) -> Self:
        x = self._floating() if dtype is None else self.cast(dtype)

        def function(x: Self) -> Self:
            if not x.numel():
                return x
            shifted = x._below_top(dim)
            return shifted - shifted.exp().sum(dim, keepdim=True).log()

        return x._wide(function)

    def softmin(self, dim: int) -> Self:
        return (-self).softmax(dim)

    def prelu(self, weight: Operand) -> Self:
        """A slope below zero for all channels, the second axis, or for each."""
        slope = self._coerce(weight)
        if slope.numel() > 1:
            slope = slope.reshape(-1, *(1,) * (self.ndim - 2))
        return (self > 0)._choose(self, self * slope)

    def glu(self, dim: int = -1) -> Self:
        if self.shape[self._axis(dim)] % 2:
            raise ValueError(f"glu halves an axis: axis {dim} of shape {self.shape} is odd")
        value, gate = self.chunk(2, dim)
        return value * gate.sigmoid()

    def normalize(self, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Self:
        return self / self.norm(p, dim, keepdim=True).clamp_min(eps)

    def cosine_similarity(self, other: Operand, dim: int = 1, eps: float = 1e-8) -> Self:
        y = self._coerce(other)
        (self * y)._need_real("cosine_similarity")
        lengths = self.norm(2, dim).clamp_min(eps) * y.norm(2, dim).clamp_min(eps)
        return (self * y).sum(dim) / lengths

    def cdist(self, other: Operand, p: float = 2.0) -> Self:
        """Distances between rows: (..., n, d) and (..., m, d) give (..., n, m)."""
        y = self._coerce(other)
        if self.ndim < 2 or y.ndim < 2 or self.shape[-1] != y.shape[-1]:
            raise ValueError(f"cdist needs rows of one length, not shapes {self.shape} and {y.shape}")
        return (self.unsqueeze(-2) - y.unsqueeze(-3)).norm(p, -1)

    # --- normalisation

    def layer_norm(
        self,
        normalized_shape: Sequence[int] | int,
        weight: Operand | None = None,
        bias: Operand | None = None,
        eps: float = 1e-5,
    ) -> Self:
        """Zero mean and unit variance over the last axes."""
        axes = self._trailing(normalized_shape, "layer_norm")
        return self._standardised(axes, eps)._scaled_shifted(weight, bias)

    def _trailing(self, sizes: Sequence[int] | int, verb: str) -> tuple[int, ...]:
        wanted = (sizes,) if isinstance(sizes, int) else tuple(sizes)
        if not wanted or self.shape[self.ndim - len(wanted) :] != wanted:
            raise ValueError(f"{verb} over {wanted} does not fit the last axes of shape {self.shape}")
        return tuple(range(self.ndim - len(wanted), self.ndim))

    def _standardised(self, axes: tuple[int, ...], eps: float) -> Self:
        def function(x: Self) -> Self:
            centred = x - x.mean(axes, keepdim=True)
            return centred * ((centred * centred).mean(axes, keepdim=True) + eps).rsqrt()

        return self._wide(function)

    def _scaled_shifted(self, weight: Operand | None, bias: Operand | None) -> Self:
        scaled = self if weight is None else self * weight
        return scaled if bias is None else scaled + bias

    def rms_norm(
        self, normalized_shape: Sequence[int] | int, weight: Operand | None = None, eps: float | None = None
    ) -> Self:
        axes = self._trailing(normalized_shape, "rms_norm")
        small = 2.0**-self.dtype.mantissa_bits if eps is None else eps
        normal = self._wide(lambda x: x * ((x * x).mean(axes, keepdim=True) + small).rsqrt())
        return normal._scaled_shifted(weight, None)

    def group_norm(
        self, num_groups: int, weight: Operand | None = None, bias: Operand | None = None, eps: float = 1e-5
    ) -> Self:
        """Zero mean and unit variance over groups of channels: (N, C, *space)."""
        channels = self.shape[1] if self.ndim > 1 else 0
        if self.ndim < 2 or channels % num_groups:
            raise ValueError(
                f"group_norm cannot divide shape {self.shape} into {num_groups} groups of channels"
            )
        grouped = self.reshape(self.shape[0], num_groups, channels // num_groups, *self.shape[2:])
        normal = grouped._standardised(tuple(range(2, grouped.ndim)), eps).reshape(self.shape)
        return normal._scaled_shifted(self._per_channel(weight), self._per_channel(bias))

    def instance_norm(
        self, weight: Operand | None = None, bias: Operand | None = None, eps: float = 1e-5
    ) -> Self:
        return self.group_norm(self.shape[1], weight, bias, eps)

    def _per_channel(self, values: Operand | None) -> Self | None:
        return None if values is None else self._coerce(values).reshape(-1, *(1,) * (self.ndim - 2))

    def batch_norm(
        self,
        running_mean: Core | None,
        running_var: Core | None,
        weight: Operand | None = None,
        bias: Operand | None = None,
        training: bool = False,
        momentum: float = 0.1,
        eps: float = 1e-5,
    ) -> Self:
        """With given statistics per channel, or in training with those of the batch.

        In training running statistics given as tensors are updated in place, as in torch.
        """
        axes = tuple(axis for axis in range(self.ndim) if axis != 1)
        if training:
            mean, var = self.mean(axes), self.var(axes, correction=0)
            count = self.numel() // max(self.shape[1], 1)
            for running, now in ((running_mean, mean), (running_var, var * (count / max(count - 1, 1)))):
                if running is not None:
                    mixed = self._coerce(running) * (1 - momentum) + now * momentum
                    running._write(cut(mixed.cast(running.dtype).node))
                    running._written()
        elif running_mean is None or running_var is None:
            raise ValueError("batch_norm needs running_mean and running_var, or training=True")
        else:
            mean, var = self._coerce(running_mean), self._coerce(running_var)
        wide = (-1, *(1,) * (self.ndim - 2))
        normal = (self - mean.reshape(wide)) * (var + eps).rsqrt().reshape(wide)
        return normal._scaled_shifted(self._per_channel(weight), self._per_channel(bias))

    # --- attention

    def scaled_dot_product_attention(
        self,
        key: Operand,
        value: Operand,
        attn_mask: Operand | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Self:
        """softmax(q k^T * scale + mask) v over (..., length, depth). Dropout is the caller's: pass it a
        dropped mask."""
        if dropout_p:
            raise ValueError(f"dropout_p={dropout_p} is not applied here: use 0.0 and dropout on the result")
        keys, values = self._coerce(key), self._coerce(value)
        if enable_gqa:
            keys, values = (t.repeat_interleave(self.shape[-3] // t.shape[-3], -3) for t in (keys, values))
        scores = self.matmul(keys.mT) * (1 / math.sqrt(self.shape[-1]) if scale is None else scale)
        if is_causal:
            if attn_mask is not None:
                raise ValueError("give attn_mask or is_causal, not both")
            plane = scores.shape[-2:]
            attn_mask = self._of(build.binary(Op.LE, build.iota(plane, 1), build.iota(plane, 0)))
        if attn_mask is not None:
            mask = self._coerce(attn_mask)
            scores = mask._choose(scores, -math.inf) if mask.dtype.is_bool else scores + mask
        return scores.softmax(-1).matmul(values)

    # --- losses

    def _reduced(self, reduction: str) -> Self:
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"unknown reduction {reduction!r}: use 'mean', 'sum' or 'none'")
        return self if reduction == "none" else self.mean() if reduction == "mean" else self.sum()

    def _away_from(self, target: Operand) -> Self:
        """Less the target: of another shape it is broadcast, which is seldom meant."""
        wanted = self._coerce(target)
        if wanted.ndim and wanted.shape != self.shape:
            warn(
                f"a target of shape {wanted.shape} is broadcast to predictions of shape {self.shape}: "
                "reshape it if each belongs to one",
                stacklevel=3,
            )
        return self - wanted

    def _same_shape(self, target: Operand) -> Self:
        """A target for each prediction, or one number for all."""
        wanted = self._coerce(target)
        if wanted.ndim and wanted.shape != self.shape:
            raise ValueError(f"targets of shape {wanted.shape} do not fit predictions of shape {self.shape}")
        return wanted

    def _class_weights(self, weight: Operand, axis: int) -> Self:
        """A weight for each class, which lie along that axis of the predictions."""
        weights, count = self._coerce(weight), self.shape[axis]
        if weights.shape != (count,):
            raise ValueError(f"weights of shape {weights.shape} are not one for each of {count} classes")
        return weights

    def mse_loss(self, target: Operand, reduction: str = "mean") -> Self:
        away = self._away_from(target)
        away._need_real("mse_loss")
        return (away**2)._reduced(reduction)

    def l1_loss(self, target: Operand, reduction: str = "mean") -> Self:
        return self._away_from(target).abs()._reduced(reduction)

    def smooth_l1_loss(self, target: Operand, reduction: str = "mean", beta: float = 1.0) -> Self:
        if beta < 0:
            raise ValueError(f"smooth_l1_loss needs a beta of at least 0, not {beta}")
        if beta == 0:
            return self.l1_loss(target, reduction)
        away = self._away_from(target)
        far = away.abs() >= beta
        near = far._choose(0.0, away)  # chosen before it is squared: infinity has a slope then
        return far._choose(away.abs() - 0.5 * beta, near * near * (0.5 / beta))._reduced(reduction)

    def huber_loss(self, target: Operand, reduction: str = "mean", delta: float = 1.0) -> Self:
        if delta <= 0:
            raise ValueError(f"huber_loss needs a delta above 0, not {delta}")
        away = self._away_from(target)
        far = away.abs() > delta
        near = far._choose(0.0, away)
        return far._choose((away.abs() - 0.5 * delta) * delta, near * near * 0.5)._reduced(reduction)

    def binary_cross_entropy(
        self, target: Operand, weight: Operand | None = None, reduction: str = "mean"
    ) -> Self:
        y, fixed = self._same_shape(target), self.detach()
        # at 0 and 1 torch's floors: -100 for a logarithm, and 1e-12 for the divisor x (1 - x) of the slope
        least = 1e-12 if self.dtype is not dtypes.float16 else 2.0**-14
        inside = self * (1 - self) > least
        x = inside._choose(self, 0.5)
        edge = -(y * fixed.log().clamp_min(-100) + (1 - y) * (1 - fixed).log().clamp_min(-100))
        edge = edge + (self - fixed) * ((fixed - y) * (1 / least))
        loss = inside._choose(-(y * x.log() + (1 - y) * (1 - x).log()), edge)
        return (loss if weight is None else loss * weight)._reduced(reduction)

    def binary_cross_entropy_with_logits(
        self,
        target: Operand,
        weight: Operand | None = None,
        reduction: str = "mean",
        pos_weight: Operand | None = None,
    ) -> Self:
        """log(1 + exp(x)) - x y; log(1 + exp(-x)) counts `pos_weight` times where y is 1. An infinite logit
        costs nothing where it is right, and infinity where it is not."""
        y, above = self._same_shape(target), self > 0
        wanted = y if pos_weight is None else y * self._coerce(pos_weight)
        share = above._choose(1 - y, wanted)  # of |x|
        below = above._choose(-self, self)  # -|x|, whose slope at 0 would be 0
        small = below.exp().log1p()
        small = small if pos_weight is None else small * (1 - y + wanted)
        loss = small - (self.isinf() & share.eq(0))._choose(0.0, below) * share
        return (loss if weight is None else loss * weight)._reduced(reduction)

    def kl_div(self, target: Operand, reduction: str = "mean", log_target: bool = False) -> Self:
        y = self._coerce(target)
        (self * y)._need_real("kl_div")
        loss = y.exp() * (y - self) if log_target else y.xlogy(y) - y * self
        return loss.sum() / self.shape[0] if reduction == "batchmean" else loss._reduced(reduction)

    def nll_loss(
        self,
        target: Operand,
        weight: Operand | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
    ) -> Self:
        """Minus the log-probability of the target class; classes are axis 1 (axis 0 of a 1-dim input). One
        out of range raises where targets are in host memory; else, and in jit, it makes the loss NaN."""
        classes = self._coerce(target)
        axis = 1 if self.ndim > 1 else 0
        if classes.shape != self.shape[:axis] + self.shape[axis + 1 :]:
            raise ValueError(f"targets of shape {classes.shape} do not fit predictions of shape {self.shape}")
        if not classes.dtype.is_int:
            raise TypeError(f"target classes are integers, not {classes.dtype.name}: cast with .long()")
        counted = classes.ne(ignore_index)
        safe = counted._choose(classes, classes._constant(0))
        check_classes(classes.node, self.shape[axis], ignore_index)
        there = (safe >= 0) & (safe < self.shape[axis])
        picked = there._choose(-self.gather(axis, safe.unsqueeze(axis)).squeeze(axis), math.nan)
        factor = (
            counted.cast(self.dtype)
            if weight is None
            else counted._choose(self._class_weights(weight, axis)[safe], 0.0)
        )
        loss = counted._choose(picked * factor, 0.0)
        return loss.sum() / factor.sum() if reduction == "mean" else loss._reduced(reduction)

    def cross_entropy(
        self,
        target: Operand,
        weight: Operand | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> Self:
        """From logits; targets are classes (integers, see `nll_loss`) or probabilities (floats of our
        shape)."""
        if not 0 <= label_smoothing <= 1:
            raise ValueError(f"label_smoothing lies between 0 and 1, not {label_smoothing}")
        wanted = self._coerce(target)
        axis = 1 if self.ndim > 1 else 0
        logs = self.log_softmax(axis)
        if wanted.dtype.is_float:
            return logs._soft_cross_entropy(wanted, weight, reduction, label_smoothing, axis)
        hard = logs.nll_loss(wanted, weight, ignore_index, reduction)
        if not label_smoothing:
            return hard
        counted = wanted.ne(ignore_index)
        spread = (
            logs
            if weight is None
            else logs * self._coerce(weight).reshape(-1, *(1,) * (self.ndim - axis - 1))
        )
        smooth = counted._choose(-spread.mean(axis), 0.0)
        if reduction == "mean":
            factor = counted if weight is None else self._coerce(weight)[counted._choose(wanted, 0)] * counted
            smooth = smooth.sum() / factor.sum()
        else:
            smooth = smooth._reduced(reduction)
        return hard * (1 - label_smoothing) + smooth * label_smoothing

    def _soft_cross_entropy(
        self, target: Self, weight: Operand | None, reduction: str, smoothing: float, axis: int
    ) -> Self:
        if target.shape != self.shape:
            raise ValueError(
                f"target probabilities of shape {target.shape} do not fit predictions of shape {self.shape}"
            )
        goal = target * (1 - smoothing) + smoothing / self.shape[axis] if smoothing else target
        terms = (
            self * goal
            if weight is None
            else self * goal * self._class_weights(weight, axis).reshape(-1, *(1,) * (self.ndim - axis - 1))
        )
        loss = -terms.sum(axis)
        return loss.sum() / max(loss.numel(), 1) if reduction == "mean" else loss._reduced(reduction)

    # --- tables

    @classmethod
    def embedding(cls, input: Operand, weight: Core) -> Self:
        """Rows of a table: (...) integers and (n, d) give (..., d)."""
        table = cls._of(weight.node)
        return table[input if isinstance(input, cls) else cls(input)]


__all__ = ["Functional"]
