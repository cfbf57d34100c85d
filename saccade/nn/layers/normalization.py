"""Normalisation: batch (with running statistics), layer, RMS, group and instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...tensor.gradients.leaves import no_grad
from ...tensor.tensor import Tensor
from ..module import Module, Parameter


def _scale_and_shift(shape: Sequence[int], wanted: bool, bias: bool, dtype: Any, device: Any) -> Any:
    """Ones and zeros to train, or None."""
    dtype = dtype or "float32"
    weight = Parameter(Tensor.ones(*shape, dtype=dtype, device=device)) if wanted else None
    shift = Parameter(Tensor.zeros(*shape, dtype=dtype, device=device)) if wanted and bias else None
    return weight, shift


class _Running(Module):
    """Statistics per channel that follow those of the batches."""

    axes: ClassVar[tuple[int, ...]]
    #: whether there are weights, and running statistics, unless somebody says so
    usual: ClassVar[bool]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool | None = None,
        track_running_stats: bool | None = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        affine = self.usual if affine is None else affine
        track = self.usual if track_running_stats is None else track_running_stats
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track
        self.weight, self.bias = _scale_and_shift((num_features,), affine, bias, dtype, device)
        kinds: tuple[Tensor | None, ...] = (None, None, None)
        if track:
            options: Any = {"dtype": dtype or "float32", "device": device}
            kinds = (
                Tensor.zeros(num_features, **options).realize(),
                Tensor.ones(num_features, **options).realize(),
                Tensor(0, dtype="int64", device=device),
            )
        for name, tensor in zip(("running_mean", "running_var", "num_batches_tracked"), kinds, strict=True):
            self.register_buffer(name, tensor)

    def _check(self, input: Tensor) -> None:
        if input.ndim not in self.axes or input.shape[1] != self.num_features:
            raise ValueError(
                f"{type(self).__name__}({self.num_features}) does not take shape {input.shape}: it has "
                f"{' or '.join(map(str, self.axes))} axes, the second of {self.num_features}"
            )

    def _count(self) -> Any:
        """One more batch; how much it weighs in the running statistics."""
        counted: Any = vars(self)["num_batches_tracked"]
        with no_grad():
            counted += 1
            return 1.0 / counted.cast("float32") if self.momentum is None else self.momentum

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Running):
    usual = True

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, ...): each channel has mean 0 and variance 1 over all others, times weight, plus bias."""
        self._check(input)
        batch = self.training or not self.track_running_stats
        mean: Any = getattr(self, "running_mean", None)
        var: Any = getattr(self, "running_var", None)
        weight = self._count() if self.training and self.track_running_stats else 0.0
        if batch and input.numel() == input.shape[1]:
            raise ValueError(f"one value per channel has no variance: shape {input.shape} in training")
        return input.batch_norm(mean, var, self.weight, self.bias, batch, weight, self.eps)


class BatchNorm1d(_BatchNorm):
    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    axes = (4,)


class BatchNorm3d(_BatchNorm):
    axes = (5,)


class _InstanceNorm(_Running):
    usual = False

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, ...): each channel of each sample on its own, or by running statistics in evaluation."""
        self._check(input)
        mean: Any = getattr(self, "running_mean", None)
        var: Any = getattr(self, "running_var", None)
        if self.track_running_stats and not self.training:
            return input.batch_norm(mean, var, self.weight, self.bias, False, 0.0, self.eps)
        if self.track_running_stats:
            weight: Any = self.momentum
            axes = tuple(range(2, input.ndim))
            with no_grad():
                for running, now in ((mean, input.mean(axes)), (var, input.var(axes))):
                    running.assign(running * (1 - weight) + now.mean(0) * weight)
        return input.instance_norm(self.weight, self.bias, self.eps)


class InstanceNorm1d(_InstanceNorm):
    axes = (3,)


class InstanceNorm2d(_InstanceNorm):
    axes = (4,)


class InstanceNorm3d(_InstanceNorm):
    axes = (5,)


def _shape(sizes: int | Sequence[int]) -> tuple[int, ...]:
    return (sizes,) if isinstance(sizes, int) else tuple(sizes)


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes, times weight, plus bias."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        self.weight, self.bias = _scale_and_shift(
            self.normalized_shape, elementwise_affine, bias, dtype, device
        )

    def forward(self, input: Tensor) -> Tensor:
        return input.layer_norm(self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    """Mean square 1 over the last axes, times weight."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.normalized_shape, self.eps = _shape(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        self.weight, _ = _scale_and_shift(self.normalized_shape, elementwise_affine, False, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        return input.rms_norm(self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """(N, C, ...): groups of channels of each sample on their own."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        if num_channels % num_groups:
            raise ValueError(f"{num_channels} channels cannot be divided into {num_groups} groups")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.weight, self.bias = _scale_and_shift((num_channels,), affine, bias, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        return input.group_norm(self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
