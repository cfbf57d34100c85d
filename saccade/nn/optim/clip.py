"""Gradients are kept short: by their norm, or each number."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...tensor.gradients.leaves import no_grad
from ...tensor.tensor import Tensor


def _grads(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [param.grad for param in given if param.grad is not None]


@no_grad
def get_total_norm(
    grads: Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """The norm of all together."""
    tensors = list(grads)
    if not tensors:
        return Tensor(0.0)
    if norm_type == math.inf:
        norm = Tensor.stack([t.abs().max() for t in tensors]).max()
    elif norm_type == 2.0:
        norm = _sum([t.cast("float32").square().sum() for t in tensors]).sqrt()
    else:
        norm = _sum([(t.abs() ** norm_type).sum() for t in tensors]) ** (1 / norm_type)
    if error_if_nonfinite and not math.isfinite(norm.item()):
        raise RuntimeError(f"the norm of the gradients is {norm.item()}: a step would ruin the parameters")
    return norm


def _sum(parts: list[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@no_grad
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale all gradients in place so that their norm is `max_norm` at most; the norm they had."""
    params = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    norm = get_total_norm(_grads(params), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(params, max_norm, norm)
    return norm


@no_grad
def clip_grads_with_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor) -> None:
    """Scale all gradients in place by what takes `total_norm` to `max_norm` at most: the norm may be that of
    more of them than these."""
    factor = (max_norm / (total_norm + 1e-6)).clamp_max(1.0)
    for grad in _grads(parameters):
        grad.assign(grad * factor.to(grad.device).cast(grad.dtype))


@no_grad
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Every number of all gradients between -clip_value and clip_value, in place."""
    for grad in _grads(parameters):
        grad.assign(grad.clamp(-clip_value, clip_value))
