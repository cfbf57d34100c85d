"""Eigenvalues of symmetric (or Hermitian) matrices and singular values, by Jacobi's rotations.

    >>> eigh(Tensor([[2.0, 1.0], [1.0, 2.0]])).eigenvalues.round(decimals=5).tolist()
    [1.0, 3.0]

A rotation of two columns makes them orthogonal (one-sided, for singular values) or an element off the
diagonal 0 (two-sided, for eigenvalues); `rotations.py` says which columns, and by which angle. Sweeps over
all pairs converge quadratically; there is a fixed number of them, so nothing is read back.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Literal, NamedTuple

import numpy as np

from ..graph import dtypes
from ..tensor import build
from ..tensor.tensor import Tensor
from .batch import Blocks, identity, need_matrices, settle, sign_of, squares
from .factor import reflected
from .host import back, of_finite, on_host, wants_gradient
from .newton import newton_steps
from .rotations import Tournament, rotations


class Eigh(NamedTuple):
    """What eigh returns, as in torch: ascending values, and vectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SVD(NamedTuple):
    """A = U @ diag(S) @ Vh, as in torch: S is descending."""

    U: Tensor
    S: Tensor
    Vh: Tensor


# --- eigenvalues


def eigh(A: Tensor, UPLO: str = "L") -> Eigh:
    """Eigenvalues in ascending order, and orthonormal eigenvectors, of symmetric or Hermitian matrices, of
    which one triangle is read. The sign of a vector is arbitrary."""
    if UPLO not in ("L", "U"):
        raise ValueError(f"unknown triangle {UPLO!r}: use 'L' or 'U'")
    need_matrices(A, "eigh", square=True)
    if A.shape[-1] > 1 and wants_gradient(A):
        return _following(A if UPLO == "L" else A.mH, _eigh(A.detach(), UPLO))
    return _eigh(A, UPLO)


def _eigh(A: Tensor, UPLO: str) -> Eigh:
    here = on_host(A)
    if here is not None:
        triangle: Literal["L", "U"] = "L" if UPLO == "L" else "U"
        read = np.tril(here[0]) if UPLO == "L" else np.triu(here[0])
        return Eigh(*[back(part, A) for part in of_finite(lambda x: np.linalg.eigh(x, triangle), read)])
    batch = Blocks(A if UPLO == "L" else A.mH, "eigh", square=True)
    n = batch.rows
    if n < 2:
        return Eigh((A.squeeze(-1) if n else A.sum(-1)).real, A * 0 + 1 if n else A)
    rows, columns = (Tensor._of(build.iota(batch.inner.shape, axis)) for axis in (1, 2))
    symmetric = (rows < columns)._choose(batch.inner.transpose(1, 2).conj(), batch.inner)
    even = n + n % 2
    matrix = symmetric.pad((0, 0, 0, even - n, 0, even - n)).contiguous()
    vectors = identity(even, matrix.dtype, A.device).unsqueeze(-1).expand(matrix.shape)
    tournament = Tournament(even)
    sweeps = ceil(log2(n)) + (5 if matrix.dtype.part is dtypes.float64 else 4)
    for _ in range(sweeps):
        for _ in range(tournament.steps):
            matrix, vectors = _two_sided(matrix, vectors, tournament)
        settle(matrix, vectors)
    values = _diagonal(matrix).real[:, :n].contiguous()
    order = values.argsort(1)
    columns = _gathered(vectors[:, :n, :n], 2, order)
    return Eigh(batch.result(values.gather(1, order)), batch.result(columns))


def _diagonal(x: Tensor) -> Tensor:
    """(blocks, n, lanes) of (blocks, n, n, lanes)."""
    return x.diagonal(dim1=1, dim2=2).permute(0, 2, 1)


def _two_sided(matrix: Tensor, vectors: Tensor, tournament: Tournament) -> tuple[Tensor, Tensor]:
    """One step: J^H A J and V J, with all pairs of J."""
    left, right = tournament.players(_diagonal(matrix).real, 1)
    beside, _ = tournament.players(_diagonal(matrix.flip(2)), 1)
    cosine, sine = (t.contiguous() for t in rotations(right - left, beside))
    across = tournament.turned(matrix, 2, cosine, sine).contiguous()
    turned = tournament.turned(across, 1, cosine, sine.conj()).contiguous()
    return turned, tournament.turned(vectors, 2, cosine, sine).contiguous()


def _following(A: Tensor, found: Eigh) -> Eigh:
    """What was found, with the derivatives of two steps of Newton: a few products, where the rotations are
    hundreds of kernels. V^-1 is V^H here.

    M = V^H A V is taken as exactly the values: its rounding errors, divided by the difference of two values
    that are nearly equal, would be of any size, also in the gradients of values."""
    wide = A.cast(A.dtype.accumulator)
    values, V = (part.cast(part.dtype.accumulator) for part in found)
    M = V.mH @ ((wide.tril() + wide.tril(-1).mH) @ V)
    apart = values.unsqueeze(-2) != values.unsqueeze(-1)
    exact = identity(A.shape[-1], M.dtype, A.device) * values.unsqueeze(-1)
    M, following = newton_steps(exact + (M - M.detach()), V, apart)
    own = M.diagonal(dim1=-2, dim2=-1).real
    return Eigh(
        found.eigenvalues + (own - own.detach()).cast(found.eigenvalues.dtype),
        found.eigenvectors + (following - following.detach()).cast(found.eigenvectors.dtype),
    )


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """`eigh` without the vectors."""
    return eigh(A, UPLO).eigenvalues


# --- singular values


def svd(A: Tensor, full_matrices: bool = True) -> SVD:
    """Singular values in descending order, and the vectors: U (..., m, k), Vh (..., k, n), or square with
    `full_matrices`. The signs of vectors are arbitrary, but the product is A."""
    need_matrices(A, "svd")
    here = on_host(A)
    if here is not None:
        parts = of_finite(lambda x: np.linalg.svd(x, full_matrices=full_matrices), here[0])
        return SVD(*[back(part, A) for part in parts])
    if A.shape[-2] < A.shape[-1]:
        made = svd(A.mH, full_matrices)
        return SVD(made.Vh.mH, made.S, made.U.mH)
    batch = Blocks(A, "svd")
    left, values, right = _decomposed(batch, batch.rows if full_matrices else batch.columns)
    return SVD(batch.result(left), batch.result(values), batch.result(right).mH)


def svdvals(A: Tensor) -> Tensor:
    """The singular values alone, in descending order."""
    need_matrices(A, "svdvals")
    here = on_host(A)
    if here is not None:
        return back(of_finite(lambda x: [np.linalg.svd(x, compute_uv=False)], here[0])[0], A)
    batch = Blocks(A if A.shape[-2] >= A.shape[-1] else A.mT, "svdvals")
    if not batch.columns or not batch.count:
        return batch.result(batch.inner.sum(1).real)
    made = _conditioned(batch.inner, batch.columns)
    return batch.result(_one_sided(made.lower, 0)[1] * made.scale)


def _decomposed(batch: Blocks, wanted: int) -> tuple[Tensor, Tensor, Tensor]:
    """U (blocks, m, wanted, lanes), S (blocks, n, lanes) and V (blocks, n, n, lanes).

    Jacobi needs few sweeps for a triangular matrix whose rows become smaller (Drmac and Veselic 2008). So
    first, twice, the columns are put in order, the longest first, and the matrix is replaced by its R,
    transposed: A P = Q R, R^H P' = Q' R'. Of R'^H V = W S follow U = Q (P' W) and V = P (Q' V)."""
    x, n = batch.inner, batch.columns
    if not n or not batch.count:
        blocks, lanes = x.shape[0], x.shape[-1]
        eye = identity(n, x.dtype, x.device).unsqueeze(-1).expand(blocks, n, n, lanes)
        basis = identity(batch.rows, x.dtype, x.device)[:, :wanted].unsqueeze(-1)
        return basis.expand(blocks, batch.rows, wanted, lanes), x.sum(1).real, eye
    made = _conditioned(x, wanted)
    columns, values, vectors = _one_sided(made.lower, n)
    # orthogonal columns are their own QR factors but for signs, also where they are 0
    basis, upper = reflected(columns, n)
    turned = _rows_at(basis * sign_of(_diagonal(upper)).unsqueeze(1), made.again).contiguous()
    left = _product(made.outer[:, :, :n], turned)
    whole = Tensor.cat([left, made.outer[:, :, n:]], 2) if wanted > n else left
    return whole, values * made.scale, _rows_at(_product(made.inner, vectors), made.order)


class _Conditioned(NamedTuple):
    """R'^H (blocks, n, n, lanes), what it was divided by (blocks, 1, lanes), Q and Q', and the orders P and
    P'."""

    lower: Tensor
    scale: Tensor
    outer: Tensor
    inner: Tensor
    order: Tensor
    again: Tensor


def _conditioned(x: Tensor, wanted: int) -> _Conditioned:
    n = x.shape[2]
    largest = x.abs().amax((1, 2), keepdim=True)
    scale = (largest > 0)._choose(largest, 1.0).contiguous()  # squares neither overflow nor vanish
    ordered, order = _longest_first(x / scale)
    outer, upper = reflected(ordered, wanted)
    ordered, again = _longest_first(upper[:, :n].transpose(1, 2).conj())
    inner, upper = reflected(ordered, n)
    lower = upper.transpose(1, 2).conj().contiguous()
    return _Conditioned(lower, scale.squeeze(1), outer, inner, order, again)


def _gathered(x: Tensor, axis: int, order: Tensor) -> Tensor:
    """The columns (axis 2) or rows (1) of (blocks, m, n, lanes) in an order (blocks, n, lanes)."""
    return x.gather(axis, order.unsqueeze(3 - axis).expand(x.shape))


def _longest_first(x: Tensor) -> tuple[Tensor, Tensor]:
    """Columns in descending order of their length, and the order."""
    order = squares(x).sum(1).argsort(1, descending=True)
    return _gathered(x, 2, order).contiguous(), order


def _rows_at(x: Tensor, order: Tensor) -> Tensor:
    """Row i comes to place order[i]."""
    return _gathered(x, 1, order.argsort(1))


def _product(a: Tensor, b: Tensor) -> Tensor:
    """The matrix product of (blocks, m, k, lanes) and (blocks, k, n, lanes)."""
    return (a.unsqueeze(3) * b.unsqueeze(1)).sum(2).contiguous()


def _one_sided(columns: Tensor, wanted: int) -> tuple[Tensor, Tensor, Tensor]:
    """X V with orthogonal columns, the longest first, their lengths, and the first `wanted` rows of V."""
    blocks, rows, n, lanes = columns.shape
    even = n + n % 2
    vectors = identity(n, columns.dtype, columns.device)[:wanted].unsqueeze(-1)
    # columns over vectors, padded: what rotates one rotates the other
    both = Tensor.cat([columns, vectors.expand(blocks, wanted, n, lanes)], 1) if wanted else columns
    both = both.pad((0, 0, 0, even - n)).contiguous()
    tournament = Tournament(even)
    sweeps = ceil(log2(max(n, 2))) + (4 if columns.dtype.part is dtypes.float64 else 2)
    for _ in range(sweeps):
        for _ in range(tournament.steps):
            left, right = tournament.players(both[:, :rows], 2)
            difference = squares(right).sum(1) - squares(left).sum(1)
            turn = rotations(difference, (left.conj() * right).sum(1))
            both = tournament.turned(both, 2, *turn).contiguous()
        settle(both)
    order = squares(both[:, :rows, :n]).sum(1).argsort(1, descending=True)
    both = _gathered(both[:, :, :n], 2, order).contiguous()
    columns = both[:, :rows]
    return columns, squares(columns).sum(1).sqrt(), both[:, rows:]


__all__ = ["SVD", "Eigh", "eigh", "eigvalsh", "svd", "svdvals"]
