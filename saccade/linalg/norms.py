"""Norms of vectors and of matrices, and the condition number.

>>> matrix_norm(Tensor([[3.0, 0.0], [0.0, 4.0]])).item(), vector_norm(Tensor([3.0, 4.0])).item()
(5.0, 5.0)
"""

from __future__ import annotations

import math

from ..tensor.reductions.reduce import Dims
from ..tensor.tensor import Tensor
from .batch import need_matrices
from .solving import inv
from .spectral import svdvals


def vector_norm(x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """(sum |x|^p)^(1/p) over some axes, or all; p may be inf, -inf, or 0, which counts what is not 0."""
    x = x.abs() if x.dtype.is_complex else x
    if x.dtype.is_float and ord == 2 and x.numel():  # squares neither overflow nor vanish
        largest = x.abs().amax(dim, keepdim=True).detach()
        scale = ((largest > 0) & largest.isfinite())._choose(largest, 1.0)
        kept = (x / scale).norm(2, dim, keepdim=True) * scale
        return kept if keepdim else kept.reshape(x.sum(dim).shape)
    return x.norm(ord, dim, keepdim)


def matrix_norm(
    A: Tensor, ord: float | str = "fro", dim: tuple[int, int] = (-2, -1), keepdim: bool = False
) -> Tensor:
    """Of the two axes: "fro", "nuc" (the sum of singular values), 2 and -2 (the largest and the smallest),
    inf and -inf (of sums of rows), 1 and -1 (of sums of columns)."""
    if len(dim) != 2:
        raise ValueError(f"matrix_norm takes two axes, not {dim}")
    matrices = A.movedim(dim, (-2, -1))
    need_matrices(matrices, "matrix_norm")
    if ord == "fro":
        result = vector_norm(matrices, 2, (-2, -1))
    elif ord == "nuc":
        result = svdvals(matrices).sum(-1)
    elif ord in (2, -2):
        values = svdvals(matrices)
        result = values.amax(-1) if ord == 2 else values.amin(-1)
    elif not isinstance(ord, str) and ord in (1, -1, math.inf, -math.inf):
        sums = matrices.abs().sum(-1 if math.isinf(ord) else -2)
        result = sums.amax(-1) if ord > 0 else sums.amin(-1)
    else:
        raise ValueError(f"unknown norm {ord!r}: use fro, nuc, 1, -1, 2, -2, inf or -inf")
    if not keepdim:
        return result
    axes = {axis % A.ndim for axis in dim}
    return result.reshape(*[1 if axis in axes else n for axis, n in enumerate(A.shape)])


def norm(
    A: Tensor, ord: float | str | None = None, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> Tensor:
    """A norm of matrices where `ord` is given and there are two axes, else of vectors."""
    if ord is None:
        return vector_norm(A, 2, dim, keepdim)
    axes = (dim,) if isinstance(dim, int) else dim
    if axes is None and A.ndim == 2:
        axes = (0, 1)
    if axes is not None and len(axes) == 2:
        return matrix_norm(A, ord, (axes[0], axes[1]), keepdim)
    if isinstance(ord, str):
        raise ValueError(f"norm {ord!r} is one of matrices: name two axes of shape {A.shape}")
    return vector_norm(A, ord, axes, keepdim)


def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """How much larger relative errors can become: the norm of A times that of its inverse."""
    need_matrices(A, "cond", square=p not in (None, 2, -2))
    if p in (None, 2, -2):
        values = svdvals(A)
        first, last = values.amax(-1), values.amin(-1)
        return last / first if p == -2 else first / last
    assert p is not None
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]
