"""`nn.functional`: methods of `Tensor` as functions, by torch's names: `F.relu(x)`, `F.linear(x, w, b)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..tensor.tensor import Tensor

_NAMES: Final = """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy
    binary_cross_entropy_with_logits celu conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d cosine_similarity cross_entropy dropout elu gelu glu group_norm hardshrink hardsigmoid
    hardswish hardtanh huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu linear
    log_softmax logsigmoid max_pool1d max_pool2d max_pool3d mish mse_loss nll_loss normalize one_hot pad
    pairwise_distance pixel_shuffle pixel_unshuffle prelu relu relu6 rms_norm scaled_dot_product_attention
    affine_grid alpha_dropout channel_shuffle cosine_embedding_loss ctc_loss dropout1d dropout2d dropout3d
    embedding_bag feature_alpha_dropout fold gaussian_nll_loss grid_sample gumbel_softmax hinge_embedding_loss
    local_response_norm lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_unpool1d max_unpool2d
    max_unpool3d multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss poisson_nll_loss rrelu
    soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss
    selu sigmoid silu smooth_l1_loss softmax softmin softplus softshrink softsign tanh tanhshrink threshold
"""


def embedding(input: Tensor, weight: Tensor) -> Tensor:
    """Rows of a table: (...) integers and (n, d) give (..., d)."""
    return weight.embedding(input, weight)


def unfold(
    input: Tensor,
    kernel_size: int | tuple[int, int],
    dilation: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] = 0,
    stride: int | tuple[int, int] = 1,
) -> Tensor:
    """im2col: windows of (batch, channels, height, width) as columns. (`Tensor.unfold` is of one axis.)"""
    return input.im2col(kernel_size, dilation, padding, stride)


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _NAMES.split():
        raise AttributeError(f"nn.functional has no {name!r}")
    found: Callable[..., Any] = getattr(Tensor, name)
    return found


def __dir__() -> list[str]:
    return [*_NAMES.split(), "embedding", "unfold"]
