"""`nn.functional`: methods of `Tensor` as functions, by torch's names: `F.relu(x)`, `F.linear(x, w, b)`.

The tensor may be given by torch's word for it too: `F.cross_entropy(input=x, target=y)`. Activations take
`inplace`, as the last argument: the tensor itself has the result then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import ismethod, signature
from typing import Any, Final

from ..tensor.tensor import Tensor
from .layers.embedding import embedding as embedding
from .layers.embedding import embedding_bag as embedding_bag

_NAMES: Final = """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy
    binary_cross_entropy_with_logits celu conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d cosine_similarity cross_entropy dropout elu gelu glu group_norm hardshrink hardsigmoid
    hardswish hardtanh huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu linear
    log_softmax logsigmoid max_pool1d max_pool2d max_pool3d mish mse_loss nll_loss normalize one_hot pad
    pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu relu6 rms_norm
    scaled_dot_product_attention affine_grid alpha_dropout channel_shuffle cosine_embedding_loss ctc_loss
    dropout1d dropout2d dropout3d feature_alpha_dropout fold gaussian_nll_loss grid_sample gumbel_softmax
    hinge_embedding_loss local_response_norm lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_unpool1d
    max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
    poisson_nll_loss rrelu selu sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softplus
    softshrink softsign tanh tanhshrink threshold triplet_margin_loss triplet_margin_with_distance_loss
    celu_ elu_ hardtanh_ leaky_relu_ relu_ rrelu_ selu_ threshold_
"""

_IN_PLACE: Final = """
    alpha_dropout celu dropout dropout1d dropout2d dropout3d elu feature_alpha_dropout hardsigmoid hardswish
    hardtanh leaky_relu mish relu relu6 rrelu selu silu threshold
"""

#: torch's word for the first tensor, where it is not `input`
_FIRST: Final = {
    "cosine_embedding_loss": "input1",
    "cosine_similarity": "x1",
    "ctc_loss": "log_probs",
    "gumbel_softmax": "logits",
    "bilinear": "input1",
    "margin_ranking_loss": "input1",
    "pairwise_distance": "x1",
    "scaled_dot_product_attention": "query",
    "triplet_margin_loss": "anchor",
    "triplet_margin_with_distance_loss": "anchor",
}


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
    made = _function(name)
    globals()[name] = made  # the same function from now on
    return made


def _function(name: str) -> Callable[..., Any]:
    """A method of tensors, of which the tensor has a name."""
    method: Callable[..., Any] = getattr(Tensor, name)
    if ismethod(method):  # it belongs to the class, and all its arguments have names
        return method
    first = _FIRST.get(name, "input")
    takes_inplace, most = name in _IN_PLACE.split(), len(signature(method).parameters)

    @wraps(method)
    def function(*args: Any, **options: Any) -> Any:
        if not args:
            if first not in options:
                raise TypeError(f"{name} needs {first}")
            args = (options.pop(first),)
        if not takes_inplace:
            return method(*args, **options)
        inplace = options.pop("inplace", False)
        if len(args) == most + 1:
            *given, inplace = args
            args = tuple(given)
        made = method(*args, **options)
        return args[0]._become(made, f"{name}_") if inplace else made

    return function


def __dir__() -> list[str]:
    return [*_NAMES.split(), "embedding", "embedding_bag", "unfold"]
