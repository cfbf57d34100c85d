"""Systems of equations, inverses and determinants, from the factorisations.

>>> solve(Tensor([[2.0, 0.0], [1.0, 1.0]]), Tensor([2.0, 3.0])).tolist()
[1.0, 2.0]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..tensor import build
from ..tensor.tensor import Tensor
from .batch import PART, Batch, identity, need_matrices, settle, shifted
from .factor import reduced
from .host import back, each, on_host


class SlogDet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


def _together(A: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    """Both with the leading axes that they broadcast to."""
    lead = build.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return A.expand(*lead, *A.shape[-2:]), B.expand(*lead, *B.shape[-2:])


def _forward(lower: Tensor, right: Tensor, unit: bool) -> Tensor:
    """X with L X = B, for (n, n, batch) and (n, r, batch): a few rows by substitution, one thread's work, and
    a product that takes them from all rows behind."""
    size, found = lower.shape[0], list[Tensor]()
    for start in range(0, size, PART):
        count = min(PART, size - start)
        block = _substituted(lower, right, count, unit).contiguous()
        found.append(block)
        left = size - start - count
        if left:
            taken = (lower[:, :count].unsqueeze(2) * block).sum(1)
            right = shifted(right - taken, left, by=count)
            lower = shifted(lower, left, left, by=count)
        settle(right, lower, block)
    return Tensor.cat(found, 0) if found else right


def _substituted(lower: Tensor, right: Tensor, count: int, unit: bool) -> Tensor:
    """The first rows of the X with L X = B."""
    rows: list[Tensor] = []
    for j in range(count):
        row = right[j : j + 1]
        for k, known in enumerate(rows):
            row = row - lower[j : j + 1, k : k + 1] * known
        rows.append(row if unit else row / lower[j : j + 1, j : j + 1])
    return Tensor.cat(rows, 0)


def _backward(upper: Tensor, right: Tensor, unit: bool = False) -> Tensor:
    return _forward(upper.flip(0, 1), right.flip(0), unit).flip(0)


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """X with A X = B, or X A = B where not `left`. The other triangle of A is not read."""
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    need_matrices(A, "solve_triangular", square=True)
    need_matrices(B, "solve_triangular")
    _need_rows(A, B)
    A, B = _together(A, B)
    here = on_host(A, B)
    if here is not None:
        triangle = np.triu(here[0]) if upper else np.tril(here[0])
        if unitriangular:
            np.einsum("...ii->...i", triangle)[...] = 1
        return back(each(np.linalg.solve, triangle, here[1]), B)
    batch, right = Batch(A, "solve_triangular"), Batch(B, "solve_triangular")
    step = _backward if upper else _forward
    return right.result(step(batch.inner, right.inner, unitriangular))


def _need_rows(A: Tensor, B: Tensor) -> None:
    if A.shape[-1] != B.shape[-2]:
        raise ValueError(f"cannot solve for {A.shape}: a right side of shape {B.shape} has other rows")
    if A.dtype is not B.dtype:
        raise TypeError(f"cannot solve with {A.dtype.name} and {B.dtype.name}: cast one of them")


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with A X = B for square A (X A = B where not `left`), by LU with partial pivoting. B is (..., n, r),
    or (..., n) with the leading axes of A, or one vector. Infinities or NaN where A is singular."""
    need_matrices(A, "solve", square=True)
    if B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]):
        return solve(A, B.unsqueeze(-1)).squeeze(-1)
    if not left:
        return solve(A.mT, B.mT).mT
    need_matrices(B, "solve")
    _need_rows(A, B)
    A, B = _together(A, B)
    here = on_host(A, B)
    if here is not None:
        return back(each(np.linalg.solve, *here), B)
    batch, right = Batch(A, "solve"), Batch(B, "solve")
    if not B.numel():
        return B
    size = batch.rows
    both, _ = reduced(Tensor.cat([batch.inner, right.inner], 1).contiguous())
    return right.result(_backward(both[:, :size], both[:, size:]))


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor) -> Tensor:
    """X with A X = B from `lu_factor(A)`."""
    need_matrices(LU, "lu_solve", square=True)
    _need_rows(LU, B)
    size = LU.shape[-1]
    rows = Tensor.arange(size, device=LU.device).expand(*LU.shape[:-2], size)
    place = rows
    for step in range(size):
        at = pivots[..., step : step + 1].long() - 1
        source = place.eq(step)._choose(at, (place == at)._choose(step, place))
        rows = rows.gather(-1, source).contiguous()
    right = B.gather(-2, rows.unsqueeze(-1).expand(B.shape))
    below = solve_triangular(LU, right, upper=False, unitriangular=True)
    return solve_triangular(LU, below, upper=True)


def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """X with A X = B, where L is the Cholesky factor of A: A = L L^H, or with `upper` A = L^H L. The other
    triangle of L is not read."""
    need_matrices(L, "cholesky_solve", square=True)
    lower = L.mH if upper else L
    return solve_triangular(lower.mH, solve_triangular(lower, B, upper=False), upper=True)


def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A from its Cholesky factor: A = L L^H, or with `upper` A = L^H L. The other triangle of
    L is not read."""
    need_matrices(L, "cholesky_inverse", square=True)
    lower = (L.mH if upper else L).cast(L.dtype.accumulator)
    one = identity(lower.shape[-1], lower.dtype, lower.device).expand(lower.shape)
    inverse = solve_triangular(lower, one, upper=False)
    return (inverse.mH @ inverse).cast(L.dtype)


def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices; infinities or NaN where there is none."""
    need_matrices(A, "inv", square=True)
    return solve(A, identity(A.shape[-1], A.dtype, A.device).expand(A.shape))


def det(A: Tensor) -> Tensor:
    """The determinant: the product of the pivots."""
    need_matrices(A, "det", square=True)
    here = on_host(A)
    if here is not None:
        return back(np.asarray(np.linalg.det(here[0])), A)
    batch = Batch(A, "det", square=True)
    if not batch.rows:
        return Tensor.ones(*batch.lead, dtype=A.dtype, device=A.device)
    upper, sign = reduced(batch.inner)
    return batch.result(upper.diagonal().prod(-1) * sign)


def slogdet(A: Tensor) -> SlogDet:
    """The sign of the determinant (of a complex one, its direction), and the logarithm of its size."""
    need_matrices(A, "slogdet", square=True)
    here = on_host(A)
    if here is not None:
        return SlogDet(*[back(np.asarray(part), A) for part in np.linalg.slogdet(here[0])])
    batch = Batch(A, "slogdet", square=True)
    if not batch.rows:
        one = Tensor.ones(*batch.lead, dtype=A.dtype, device=A.device)
        return SlogDet(one, one.real - 1)
    upper, sign = reduced(batch.inner)
    pivots = upper.diagonal()
    return SlogDet(batch.result(pivots.sign().prod(-1) * sign), batch.result(pivots.abs().log().sum(-1)))


__all__ = [
    "SlogDet",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "inv",
    "lu_solve",
    "slogdet",
    "solve",
    "solve_triangular",
]
