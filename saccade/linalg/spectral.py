"""Eigenvalues of symmetric (or Hermitian) matrices and singular values, by Jacobi's rotations.

    >>> eigh(Tensor([[2.0, 1.0], [1.0, 2.0]])).eigenvalues.round(decimals=5).tolist()
    [1.0, 3.0]

A rotation of two columns makes them orthogonal (one-sided, for singular values) or an element off the
diagonal 0 (two-sided, for eigenvalues). Half as many pairs as there are columns are rotated at once: column i
of the left half with column i of the right half. Then the columns are dealt anew, as the players of a
round-robin tournament (Brent and Luk 1985): the same move after every step, so all steps are one kernel, and
after n - 1 of them, a sweep, everybody has met everybody and sits where it sat. Sweeps converge
quadratically; there is a fixed number of them, so nothing is read back. Of complex columns, the partner is
turned by the direction of their product first: then the product is real, and so is the rotation.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Literal, NamedTuple

import numpy as np

from ..graph import dtypes
from ..tensor.tensor import Tensor
from .batch import Batch, identity, need_matrices, settle, sign_of, squares
from .factor import householder
from .host import back, of_finite, on_host, wants_gradient
from .newton import newton_steps


class Eigh(NamedTuple):
    """What eigh returns, as in torch: ascending values, and vectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SVD(NamedTuple):
    """A = U @ diag(S) @ Vh, as in torch: S is descending."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class Tournament:
    """Who plays whom among an even number of columns: i of the left half with i of the right half. After
    every step they are dealt anew: the first stays, the others go round."""

    def __init__(self, n: int, like: Tensor) -> None:
        half = n // 2
        left, right = list(range(half)), list(range(half, n))
        dealt = [*left[:1], *right[:1], *left[1:-1], *right[1:], *left[-1:]] if half > 1 else left + right
        partner = [(i + half) % n for i in range(n)]
        self.steps = n - 1
        self.partner = Tensor(partner, device=like.device)
        self.dealt = Tensor(dealt, device=like.device)
        self.dealt_partner = Tensor([partner[i] for i in dealt], device=like.device)
        #: 1 for the left, -1 for the right: who begins where both are alike
        sides = [1.0] * half + [-1.0] * half
        self.side = Tensor(sides, dtype=like.dtype.part, device=like.device).unsqueeze(1)

    def rotations(self, difference: Tensor, product: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine (n, batch) for every column, from how much larger its partner's product with itself
        is than its own, and from their product with each other: the smaller angle that makes that 0."""
        if product.dtype.is_complex:
            cosine, sine = self.rotations(difference, product.abs())
            return cosine, (sign_of(product).conj() * sine).contiguous()
        none = product.eq(0)
        cotangent = none._choose(1.0, difference / (2 * none._choose(1.0, product)))
        side = cotangent.eq(0)._choose(self.side.expand(product.shape), sign_of(cotangent))
        tangent = none._choose(0.0, side / (cotangent.abs() + (cotangent * cotangent + 1).sqrt()))
        cosine = 1 / (tangent * tangent + 1).sqrt()
        return cosine.contiguous(), (tangent * cosine).contiguous()

    def turned(self, x: Tensor, axis: int, cosine: Tensor, sine: Tensor) -> Tensor:
        """Every column (or row) rotated with its partner, and dealt anew."""
        cosine, sine = (t.index_select(0, self.dealt).unsqueeze(1 - axis) for t in (cosine, sine))
        own, other = (x.index_select(axis, to) for to in (self.dealt, self.dealt_partner))
        return own * cosine - other * sine


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
    batch = Batch(A if UPLO == "L" else A.mH, "eigh", square=True)
    n = batch.rows
    if n < 2:
        return Eigh((A.squeeze(-1) if n else A.sum(-1)).real, A * 0 + 1 if n else A)
    rows = batch.inner.permute(2, 0, 1)
    symmetric = (rows.tril() + rows.tril(-1).mH).permute(1, 2, 0)
    even = n + n % 2
    matrix = symmetric.pad((0, 0, 0, even - n, 0, even - n)).contiguous()
    vectors = identity(even, matrix.dtype, A.device).unsqueeze(-1).expand(even, even, batch.count)
    tournament = Tournament(even, matrix)
    sweeps = ceil(log2(n)) + (5 if matrix.dtype.part is dtypes.float64 else 4)
    for _ in range(sweeps):
        for _ in range(tournament.steps):
            matrix, vectors = _two_sided(matrix, vectors, tournament)
        settle(matrix, vectors)
    values = matrix.diagonal().real.permute(1, 0)[:n]
    order = values.argsort(0)
    columns = vectors[:n, :n].gather(1, order.unsqueeze(0).expand(n, n, batch.count))
    return Eigh(batch.result(values.gather(0, order)), batch.result(columns))


def _two_sided(matrix: Tensor, vectors: Tensor, tournament: Tournament) -> tuple[Tensor, Tensor]:
    """One step: J^H A J and V J, with all pairs of J."""
    own = matrix.diagonal().real.permute(1, 0)
    beside = matrix.index_select(1, tournament.partner).diagonal().permute(1, 0)
    # rounding makes the two triangles differ, but partners need one angle
    beside = (beside + beside.index_select(0, tournament.partner).conj()) * 0.5
    cosine, sine = tournament.rotations(own.index_select(0, tournament.partner) - own, beside)
    across = tournament.turned(matrix, 1, cosine, sine)
    turned = tournament.turned(across, 0, cosine, sine.conj()).contiguous()
    return turned, tournament.turned(vectors, 1, cosine, sine).contiguous()


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
    batch = Batch(A, "svd")
    left, values, right = _decomposed(batch, batch.rows if full_matrices else batch.columns)
    return SVD(batch.result(left), batch.result(values), batch.result(right).mH)


def svdvals(A: Tensor) -> Tensor:
    """The singular values alone, in descending order."""
    need_matrices(A, "svdvals")
    here = on_host(A)
    if here is not None:
        return back(of_finite(lambda x: [np.linalg.svd(x, compute_uv=False)], here[0])[0], A)
    batch = Batch(A if A.shape[-2] >= A.shape[-1] else A.mT, "svdvals")
    if not batch.columns or not batch.count:
        return batch.result(batch.inner.sum(0).real)
    made = _conditioned(batch.inner, batch.columns)
    return batch.result(_one_sided(made.lower, 0)[1] * made.scale)


def _decomposed(batch: Batch, wanted: int) -> tuple[Tensor, Tensor, Tensor]:
    """U (m, wanted, batch), S (n, batch) and V (n, n, batch).

    Jacobi needs few sweeps for a triangular matrix whose rows become smaller (Drmac and Veselic 2008). So
    first, twice, the columns are put in order, the longest first, and the matrix is replaced by its R,
    transposed: A P = Q R, R^H P' = Q' R'. Of R'^H V = W S follow U = Q (P' W) and V = P (Q' V)."""
    x, n = batch.inner, batch.columns
    if not n or not batch.count:
        eye = identity(n, x.dtype, x.device).unsqueeze(-1).expand(n, n, batch.count)
        basis = identity(batch.rows, x.dtype, x.device)[:, :wanted].unsqueeze(-1)
        return basis.expand(batch.rows, wanted, batch.count), x.sum(0).real, eye
    made = _conditioned(x, wanted)
    columns, values, vectors = _one_sided(made.lower, n)
    # orthogonal columns are their own QR factors but for signs, also where they are 0
    basis, diagonal = householder(columns, n)
    turned = _rows_at(basis * sign_of(diagonal.diagonal().permute(1, 0)), made.again)
    left = _product(made.outer[:, :n], turned)
    whole = Tensor.cat([left, made.outer[:, n:]], 1) if wanted > n else left
    return whole, values * made.scale, _rows_at(_product(made.inner, vectors), made.order)


class _Conditioned(NamedTuple):
    """R'^H (n, n, batch), what it was divided by (batch), Q and Q', and the orders P and P'."""

    lower: Tensor
    scale: Tensor
    outer: Tensor
    inner: Tensor
    order: Tensor
    again: Tensor


def _conditioned(x: Tensor, wanted: int) -> _Conditioned:
    n = x.shape[1]
    largest = x.abs().amax((0, 1), keepdim=True)
    scale = (largest > 0)._choose(largest, 1.0).contiguous()  # squares neither overflow nor vanish
    ordered, order = _longest_first(x / scale)
    outer, upper = householder(ordered, wanted)
    ordered, again = _longest_first(upper[:n].transpose(0, 1).conj())
    inner, upper = householder(ordered, n)
    lower = upper.transpose(0, 1).conj().contiguous()
    return _Conditioned(lower, scale.squeeze(0), outer, inner, order, again)


def _longest_first(x: Tensor) -> tuple[Tensor, Tensor]:
    """Columns in descending order of their length, and the order."""
    order = squares(x).sum(0).argsort(0, descending=True)
    return x.gather(1, order.unsqueeze(0).expand(x.shape)).contiguous(), order


def _rows_at(x: Tensor, order: Tensor) -> Tensor:
    """Row i comes to place order[i]."""
    return x.gather(0, order.argsort(0).unsqueeze(1).expand(x.shape))


def _product(a: Tensor, b: Tensor) -> Tensor:
    """The matrix product of (m, k, batch) and (k, n, batch)."""
    return (a.unsqueeze(2) * b.unsqueeze(0)).sum(1).contiguous()


def _one_sided(columns: Tensor, wanted: int) -> tuple[Tensor, Tensor, Tensor]:
    """X V with orthogonal columns, the longest first, their lengths, and the first `wanted` rows of V."""
    rows, n, count = columns.shape
    even = n + n % 2
    vectors = identity(n, columns.dtype, columns.device)[:wanted].unsqueeze(-1).expand(wanted, n, count)
    # columns over vectors, padded: what rotates one rotates the other
    both = Tensor.cat([columns, vectors], 0) if wanted else columns
    both = both.pad((0, 0, 0, even - n)).contiguous()
    tournament = Tournament(even, columns)
    sweeps = ceil(log2(max(n, 2))) + (4 if columns.dtype.part is dtypes.float64 else 2)
    for _ in range(sweeps):
        for _ in range(tournament.steps):
            own, partner = both[:rows], both[:rows].index_select(1, tournament.partner)
            # two sums: partners need one angle, and a fused product and difference would not give it
            difference = squares(partner).sum(0) - squares(own).sum(0)
            turn = tournament.rotations(difference, (own.conj() * partner).sum(0))
            both = tournament.turned(both, 1, *turn).contiguous()
        settle(both)
    columns, vectors = both[:rows], both[rows:]
    columns, order = _longest_first(columns[:, :n])
    vectors = vectors[:, :n].gather(1, order.unsqueeze(0).expand(wanted, n, count))
    return columns, squares(columns).sum(0).sqrt(), vectors


__all__ = ["SVD", "Eigh", "eigh", "eigvalsh", "svd", "svdvals"]
