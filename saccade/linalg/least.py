"""Least squares, the pseudo-inverse and the rank, from singular values.

>>> lstsq(Tensor([[1.0], [1.0]]), Tensor([[1.0], [3.0]])).solution.round(decimals=5).tolist()
[[2.0]]
"""

from __future__ import annotations

from typing import NamedTuple

from ..tensor.tensor import Tensor
from .batch import epsilon, need_matrices, squares
from .spectral import eigh, svd, svdvals


class LeastSquares(NamedTuple):
    """As torch has it: residuals are empty unless there are more rows than columns."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def _limit(A: Tensor, largest: Tensor, atol: float | None, rtol: float | Tensor | None) -> Tensor:
    """What counts as 0 beside the largest singular value; `rtol` may have the leading axes of A."""
    if isinstance(rtol, Tensor):
        rtol = rtol.unsqueeze(-1)
    relative = (0.0 if atol else max(A.shape[-2:]) * epsilon(A.dtype)) if rtol is None else rtol
    return (largest * relative).maximum(atol or 0.0)


def pinv(
    A: Tensor, *, atol: float | None = None, rtol: float | Tensor | None = None, hermitian: bool = False
) -> Tensor:
    """The pseudo-inverse of Moore and Penrose; singular values up to max(atol, rtol * largest) count as 0."""
    need_matrices(A, "pinv", square=hermitian)
    if not A.numel():
        return A.mH
    if hermitian:
        values, vectors = eigh(A)
        size = values.abs()
        kept = size > _limit(A, size.amax(-1, keepdim=True), atol, rtol)
        return (vectors * kept._choose(1 / kept._choose(values, 1.0), 0.0).unsqueeze(-2)) @ vectors.mH
    U, S, Vh = svd(A, full_matrices=False)
    kept = _limit(A, S.amax(-1, keepdim=True), atol, rtol) < S
    return (Vh.mH * kept._choose(1 / kept._choose(S, 1.0), 0.0).unsqueeze(-2)) @ U.mH


def matrix_rank(
    A: Tensor, *, atol: float | None = None, rtol: float | Tensor | None = None, hermitian: bool = False
) -> Tensor:
    """How many singular values are above max(atol, rtol * largest)."""
    need_matrices(A, "matrix_rank", square=hermitian)
    if not A.numel():
        return Tensor.zeros(*A.shape[:-2], dtype="int64", device=A.device)
    values = svdvals(A)
    return (values > _limit(A, values.amax(-1, keepdim=True), atol, rtol)).sum(-1)


def lstsq(A: Tensor, B: Tensor, rcond: float | None = None) -> LeastSquares:
    """The X that makes A X - B smallest, and the smallest such X where there are several."""
    need_matrices(A, "lstsq")
    if B.ndim == A.ndim - 1:
        made = lstsq(A, B.unsqueeze(-1), rcond)
        residuals = made.residuals.squeeze(-1) if made.residuals.ndim == A.ndim - 1 else made.residuals
        return LeastSquares(made.solution.squeeze(-1), residuals, made.rank, made.singular_values)
    if A.shape[-2] != B.shape[-2]:
        raise ValueError(f"lstsq cannot fit {A.shape} to {B.shape}: they have other rows")
    U, S, Vh = svd(A, full_matrices=False)
    limit = S.amax(-1, keepdim=True) * (max(A.shape[-2:]) * epsilon(A.dtype) if rcond is None else rcond)
    kept = limit < S
    share = kept._choose(1 / kept._choose(S, 1.0), 0.0)
    solution = Vh.mH @ (share.unsqueeze(-1) * (U.mH @ B))
    rank = kept.sum(-1)
    if A.shape[-2] > A.shape[-1]:
        away = A @ solution - B
        residuals = squares(away).sum(-2)
    else:
        residuals = Tensor.zeros(0, dtype=A.dtype.part, device=A.device)
    return LeastSquares(solution, residuals, rank, S)


__all__ = ["LeastSquares", "lstsq", "matrix_rank", "pinv"]
