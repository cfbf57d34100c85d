"""`nn.utils`: gradients clipped, parameters as one vector, sequences of several lengths as one tensor.

>>> rnn.pad_sequence([Tensor([1, 2, 3]), Tensor([4])], batch_first=True).tolist()
[[1, 2, 3], [4, 0, 0]]
"""

from __future__ import annotations

from collections.abc import Iterable

from ...tensor.gradients.leaves import no_grad
from ...tensor.tensor import Tensor
from ..optim.clip import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from . import rnn


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of some tensors, one after the other: (n,)."""
    return Tensor.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Write the elements of a vector (n,) to some tensors, one after the other."""
    tensors = list(parameters)
    parts = vec.split([tensor.numel() for tensor in tensors])
    with no_grad():
        for tensor, part in zip(tensors, parts, strict=True):
            tensor.copy_(part.reshape(tensor.shape))


__all__ = [
    "Tensor",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "vector_to_parameters",
]
