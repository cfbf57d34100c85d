"""Factorisations that take one column after the other: Cholesky, LU with partial pivoting, Householder's QR.

>>> cholesky(Tensor([[4.0, 2.0], [2.0, 5.0]])).tolist()
[[2.0, 0.0], [1.0, 2.0]]
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from ..graph import dtypes
from ..tensor import build
from ..tensor.tensor import Tensor
from .batch import PART, Batch, Blocks, identity, need_matrices, settle, shifted, sign_of, squares, unshifted
from .host import LARGE, back, each, eliminated, on_host, permutations

#: reflections of a block of matrices that are one kernel
JOINED = 3


class LU(NamedTuple):
    """A = P @ L @ U, as in torch."""

    P: Tensor
    L: Tensor
    U: Tensor


class LUFactors(NamedTuple):
    """L below the diagonal and U from it on in one matrix; row i was exchanged with row pivots[i] - 1."""

    LU: Tensor
    pivots: Tensor


class QR(NamedTuple):
    Q: Tensor
    R: Tensor


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangular L with A = L L^H, or with `upper` the L^H. Only the lower triangle of A is
    read. NaN from the column on where A turns out not to be positive definite."""
    given = A.mH if upper else A
    need_matrices(given, "cholesky", square=True)
    here = on_host(given)
    if here is not None:
        found = back(each(np.linalg.cholesky, *here), given)
        return found.mH if upper else found
    batch = Batch(given, "cholesky", square=True)
    rest, columns = batch.inner, []
    for step in range(batch.rows):
        # stored: its readers would each divide again
        column = (rest[:, :1] / rest[:1, :1].real.sqrt()).contiguous()
        columns.append(column.squeeze(1))
        if step % PART == PART - 1:
            settle(rest, *columns[-PART:])
        left = batch.rows - step - 1
        if left:
            rest = shifted(rest - column * column.transpose(0, 1).conj(), left, left)
    lower = batch.result(unshifted(columns, batch.rows, columns=True)) if columns else A
    return lower.mH if upper else lower


class Eliminated(NamedTuple):
    """What Gauss' elimination with row exchanges leaves of (m, n, batch), k = min(m, n): U (k, n, batch), the
    rows of L (m, k, batch), which row came to which place (m, batch), and the sign of that order (batch)."""

    U: Tensor
    L: Tensor
    order: Tensor
    sign: Tensor


def eliminate(rest: Tensor) -> Eliminated:
    """Rows carry their factors of earlier steps along, so that an exchange moves them too."""
    rows, columns, count = rest.shape
    steps = min(rows, columns)
    order = Tensor._of(build.iota((rows, count), 0))
    factors = Tensor.zeros(rows, steps, count, dtype=rest.dtype, device=rest.device)
    sign = Tensor.ones(count, dtype=rest.dtype, device=rest.device)
    upper, lower, chosen = [], [], []
    for step in range(steps):
        best = _best(rest)
        sign = best.eq(0)._choose(sign, -sign)
        (top, rest), (done, factors), (first, order) = (_exchanged(t, best) for t in (rest, factors, order))
        share = _share(rest, top)
        upper.append(top[0])
        lower.append(done[0])
        chosen.append(first)
        below = rows - step - 1
        factors = shifted(Tensor.cat([factors[:, 1:], share], 1), below)
        order = shifted(order, below)
        if step < steps - 1:
            rest = shifted(rest - share * top, below, columns - step - 1)
        if step % PART == PART - 1:
            settle(rest, factors, order, sign, *upper[-PART:], *lower[-PART:], *chosen[-PART:])
    left = rows - steps
    tops = [row[steps - k :].pad((0, 0, 0, steps - k)) for k, row in enumerate(lower)]
    whole = Tensor.cat([*[row.unsqueeze(0) for row in tops], factors[:left]], 0)
    whole = whole + identity(rows, rest.dtype, rest.device)[:, :steps].unsqueeze(-1)
    return Eliminated(
        unshifted(upper, columns, columns=False), whole, Tensor.cat([*chosen, order[:left]], 0), sign
    )


def reduced(rest: Tensor) -> tuple[Tensor, Tensor]:
    """What Gauss' elimination with row exchanges leaves of (m, n, batch) with n >= m: U, with what the other
    columns have become beside it, and the sign (batch) of the order of rows."""
    rows, columns, count = rest.shape
    sign = Tensor.ones(count, dtype=rest.dtype, device=rest.device)
    upper = []
    for step in range(rows):
        best = _best(rest)
        sign = best.eq(0)._choose(sign, -sign)
        top, rest = _exchanged(rest, best)
        upper.append(top[0])
        if step < rows - 1:
            rest = shifted(rest - _share(rest, top) * top, rows - step - 1, columns - step - 1)
        if step % PART == PART - 1:
            settle(rest, sign, *upper[-PART:])
    return unshifted(upper, columns, columns=False), sign


def _best(rest: Tensor) -> Tensor:
    """The row with the largest element of the first column (batch)."""
    return rest[:, 0].abs().argmax(0)


def _exchanged(x: Tensor, best: Tensor) -> tuple[Tensor, Tensor]:
    """The best row of (m, ..., batch), and all rows with the first in its place. Only that row is looked up:
    64 systems of 32 x 32 took 4.6 ms where the order of rows was. A core stores it, because what is looked up
    is no vector; threads of a GPU read it where it lies, and a step is one kernel."""
    at = best.reshape(*[1] * (x.ndim - 1), -1)
    top = x.gather(0, at.expand(1, *x.shape[1:]))
    top = top.contiguous() if x.device == "cpu" else top
    place = Tensor._of(build.iota((x.shape[0], *[1] * (x.ndim - 2), x.shape[-1]), 0))
    return top, (place == at)._choose(x[:1], x)


def _share(rest: Tensor, top: Tensor) -> Tensor:
    """How much of the best row is taken off each row; none where nothing is left."""
    pivot = top[:, :1]
    return rest[:, :1] / pivot.eq(0)._choose(1.0, pivot)


def lu(A: Tensor) -> LU:
    """A permutation, a unit lower and an upper triangular matrix whose product is A."""
    batch = Batch(A, "lu")
    if not A.numel():
        raise ValueError(f"lu takes matrices with elements, not shape {A.shape}")
    here = on_host(A)
    if here is not None:
        packed, exchanges = eliminated(here[0])
        steps = min(batch.rows, batch.columns)
        lower = np.tril(packed[..., :steps], -1) + np.eye(batch.rows, steps, dtype=packed.dtype)
        permutation = permutations(exchanges, batch.rows).astype(packed.dtype)
        return LU(*[back(part, A) for part in (permutation, lower, np.triu(packed[..., :steps, :]))])
    made = eliminate(batch.inner)
    # row i of P L U is the row of L U that row i of A went to
    place = Tensor._of(build.iota((batch.rows, batch.rows, batch.count), 0))
    moved = (place == made.order.unsqueeze(0)).cast(made.U.dtype)
    return LU(*map(batch.result, (moved, made.L, made.U)))


def lu_factor(A: Tensor) -> LUFactors:
    """`lu` as one matrix and row exchanges, in the form of LAPACK, for `lu_solve`."""
    need_matrices(A, "lu_factor", square=True)
    here = on_host(A)
    if here is not None:
        packed, exchanges = eliminated(here[0])
        return LUFactors(back(packed, A), Tensor(exchanges, device=A.device))
    batch = Batch(A, "lu_factor", square=True)
    made = eliminate(batch.inner)
    both = made.U + made.L - identity(batch.rows, made.U.dtype, A.device).unsqueeze(-1)
    return LUFactors(batch.result(both), _exchanges(made.order, batch))


def _exchanges(order: Tensor, batch: Batch) -> Tensor:
    """An order of rows as exchanges: step k brings row order[k] from where it is by then."""
    place = Tensor._of(build.iota(order.shape, 0))
    now, found = place, []
    for step in range(batch.rows):
        at = (now == order[step : step + 1]).cast(dtypes.uint8).argmax(0, keepdim=True)
        found.append(at + 1)
        source = place.eq(step)._choose(at, (place == at)._choose(step, place))
        now = now.gather(0, source).contiguous()
    pivots = Tensor.cat(found, 0)
    return pivots.permute(1, 0).reshape(*batch.lead, batch.rows).cast(dtypes.int32)


def qr(A: Tensor, mode: str = "reduced") -> QR:
    """Orthonormal columns Q and an upper triangular R with A = Q R, by Householder's reflections. Modes are
    "reduced", "complete" and "r" (then Q is empty). Signs are LAPACK's, but of complex matrices the diagonal
    of R need not be real."""
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"unknown mode {mode!r}: use reduced, complete or r")
    need_matrices(A, "qr")
    here = on_host(A)
    if here is not None:
        if mode == "r":
            upper = np.asarray(np.linalg.qr(here[0], mode="r"))
            return QR(Tensor.zeros(0, dtype=A.dtype, device=A.device), back(upper, A))
        whole: Literal["reduced", "complete"] = "complete" if mode == "complete" else "reduced"
        return QR(*[back(part, A) for part in np.linalg.qr(here[0], mode=whole)])
    batch = Blocks(A, "qr")
    steps = min(batch.rows, batch.columns)
    Q, R = reflected(batch.inner, batch.rows if mode == "complete" else steps)
    if mode == "r":
        return QR(Tensor.zeros(0, dtype=A.dtype, device=A.device), batch.result(R))
    return QR(batch.result(Q), batch.result(R))


def reflected(x: Tensor, wanted: int) -> tuple[Tensor, Tensor]:
    """Q (blocks, m, wanted, lanes) and R (blocks, wanted, n, lanes) of (blocks, m, n, lanes), one reflection
    for each column.

    Of small matrices in many blocks, a few steps are one kernel, that reads and writes the matrix and Q
    beside it in place; a row that is done stays where it is, and its mirror has a 0 there. Other matrices
    shrink from step to step, so that most steps are the same kernel."""
    rows, columns = x.shape[1:3]
    if x.device != "cpu" or max(rows, columns) > LARGE or not x.numel():
        blocks, *_, lanes = x.shape
        Q, R = _shrinking(x.permute(1, 2, 0, 3).reshape(rows, columns, blocks * lanes), wanted)
        Q, R = (t.reshape(*t.shape[:2], blocks, lanes).permute(2, 0, 1, 3) for t in (Q, R))
        return Q, R
    eye = identity(rows, x.dtype, x.device).unsqueeze(-1).expand(x.shape[0], rows, rows, x.shape[-1])
    both = Tensor.cat([x, eye], 2).contiguous()
    place = Tensor._of(build.iota((1, rows, 1, 1), 1)).expand(both[:, :, :1].shape)
    for step in range(min(rows, columns)):
        column = both[:, :, step : step + 1]
        below = (place > step)._choose(column, 0.0)
        head, scale = _reflector(column[:, step : step + 1], squares(below).sum(1, keepdim=True))
        mirror = place.eq(step)._choose(head.expand(below.shape), below)
        both = both - mirror * ((mirror.conj() * both).sum(1, keepdim=True) * scale)
        if step % JOINED == JOINED - 1:
            both = both.contiguous()
    both = both.contiguous()
    settle(both)
    return both[:, :wanted, columns:].transpose(1, 2).conj(), _upper(both[:, :wanted, :columns])


def _upper(x: Tensor) -> Tensor:
    """(blocks, m, n, lanes) with zeros below the diagonal, where rounding left something else."""
    rows, columns = (Tensor._of(build.iota(x.shape, axis)) for axis in (1, 2))
    return (rows > columns)._choose(0.0, x)


def _shrinking(rest: Tensor, wanted: int) -> tuple[Tensor, Tensor]:
    """Q (m, wanted, batch) and R (wanted, n, batch) of (m, n, batch), one reflection for each column."""
    rows, columns, count = rest.shape
    steps = min(rows, columns)
    turned = identity(rows, rest.dtype, rest.device).unsqueeze(-1).expand(rows, rows, count)
    upper, orthogonal = [], []
    for step in range(steps):
        column = rest[:, :1]
        head, scale = _reflector(column[:1], squares(column[1:]).sum(0, keepdim=True))
        mirror, scale = Tensor.cat([head, column[1:]], 0).contiguous(), scale.contiguous()
        across = mirror.conj()
        rest, turned = (t - mirror * ((across * t).sum(0, keepdim=True) * scale) for t in (rest, turned))
        rest, turned = rest.contiguous(), turned.contiguous()
        upper.append(rest[0])
        orthogonal.append(turned[:1])
        turned = shifted(turned, rows - step - 1)
        if step < steps - 1:
            rest = shifted(rest, rows - step - 1, columns - step - 1)
        if step % PART == PART - 1:
            settle(rest, turned, *upper[-PART:], *orthogonal[-PART:])
    Q = Tensor.cat([*orthogonal, turned[: wanted - steps]], 0).transpose(0, 1).conj()
    if not steps:
        return Q, Tensor.zeros(wanted, columns, count, dtype=rest.dtype, device=rest.device)
    return Q, unshifted(upper, columns, columns=False).pad((0, 0, 0, 0, 0, wanted - steps))


def _reflector(first: Tensor, square: Tensor) -> tuple[Tensor, Tensor]:
    """The first element of the vector v of the reflection that leaves nothing of a column but its first
    element, and 2 / v^H v, from that element and the sum of squares of the others, which are as in v; none
    where that is so already."""
    done = square.eq(0)
    length = done._choose(1.0, squares(first) + square).sqrt()
    head = done._choose(1.0, first + sign_of(first) * length)
    return head, done._choose(0.0, 2 / (squares(head) + square))


__all__ = [
    "LU",
    "QR",
    "Eliminated",
    "LUFactors",
    "cholesky",
    "eliminate",
    "lu",
    "lu_factor",
    "qr",
    "reduced",
    "reflected",
]
