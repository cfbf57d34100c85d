"""Functions and products of matrices: powers, the exponential, chains, Kronecker's product.

>>> matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 5).tolist()
[[1.0, 5.0], [0.0, 1.0]]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod

from ..graph import dtypes
from ..tensor.tensor import Tensor
from .batch import identity, need_matrices
from .solving import inv, solve

#: halvings of a matrix before its series: enough for norms up to a billion
_MOST_HALVINGS = 30


def matrix_power(A: Tensor, n: int) -> Tensor:
    """A times itself, n times, by squaring; of the inverse where n is negative."""
    return A.matrix_power(n)


def matrix_exp(A: Tensor) -> Tensor:
    """exp(A), by Taylor's series of A / 2^s, whose norm is at most 1/2, squared s times."""
    need_matrices(A, "matrix_exp", square=True)
    wide = A.cast(A.dtype.accumulator)
    if not A.numel():
        return A
    size = wide.abs().sum(-2).amax(-1).detach()
    halvings = (size.clamp(min=0.5).log2() + 1).ceil().clamp(0, _MOST_HALVINGS)
    small = wide * (-halvings).exp2().unsqueeze(-1).unsqueeze(-1)
    one = identity(A.shape[-1], wide.dtype, A.device).expand(A.shape)
    total = one
    for k in range(
        16 if wide.dtype.part is dtypes.float64 else 9, 0, -1
    ):  # Horner: 1 + x (1 + x/2 (1 + x/3 ...))
        total = (one + (small / k) @ total).contiguous()
    for step in range(_MOST_HALVINGS):
        more = (halvings > step).unsqueeze(-1).unsqueeze(-1)
        total = more._choose(total @ total, total).contiguous()
    return total.cast(A.dtype)


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of a chain of matrices, in the order that costs least; the ends may be vectors."""
    if len(tensors) < 2:
        raise ValueError(f"multi_dot takes two tensors or more, not {len(tensors)}")
    first, *middle, last = tensors
    chain = [first.unsqueeze(0) if first.ndim == 1 else first, *middle]
    chain.append(last.unsqueeze(1) if last.ndim == 1 else last)
    for left, right in pairwise(chain):
        if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
            raise ValueError(f"multi_dot cannot multiply shapes {left.shape} and {right.shape}")
    sizes = (*[t.shape[0] for t in chain], chain[-1].shape[1])

    @lru_cache(None)
    def cheapest(start: int, end: int) -> tuple[int, int]:
        """The cost of start to end, and after which of them to cut."""
        if end - start == 1:
            return 0, start
        costs = (
            (cheapest(start, cut)[0] + cheapest(cut, end)[0] + sizes[start] * sizes[cut] * sizes[end], cut)
            for cut in range(start + 1, end)
        )
        return min(costs)

    def multiplied(start: int, end: int) -> Tensor:
        if end - start == 1:
            return chain[start]
        cut = cheapest(start, end)[1]
        return multiplied(start, cut) @ multiplied(cut, end)

    product = multiplied(0, len(chain))
    return product.reshape([*(first.shape[:-1]), *(last.shape[1:])])


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of A (*m, *n), with `ind` axes m and as many elements in m as in n, as a map from (*m) to
    (*n): `tensorinv(A, ind).tensordot(B, ind)` solves for B (*m)."""
    if not 0 < ind < A.ndim or prod(A.shape[:ind]) != prod(A.shape[ind:]):
        raise ValueError(f"tensorinv of shape {A.shape}: {ind} axes in front do not hold as many as the rest")
    rows = prod(A.shape[:ind])
    return inv(A.reshape(rows, rows)).reshape(*A.shape[ind:], *A.shape[:ind])


def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """X (*n) with `A.tensordot(X, X.ndim)` equal to B (*m), for A (*m, *n); axes `dims` of A are moved behind
    the others first."""
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    shape = A.shape[B.ndim :]
    if A.shape[: B.ndim] != B.shape or prod(shape) != B.numel():
        raise ValueError(f"tensorsolve of shape {A.shape} for {B.shape}: it begins with that, and is square")
    return solve(A.reshape(B.numel(), B.numel()), B.reshape(-1)).reshape(shape)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Sums of products along an axis, of the conjugates of x with y, of shapes that broadcast."""
    return (x.conj() * y).sum(dim)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    return input.cross(other, dim)


def kron(input: Tensor, other: Tensor) -> Tensor:
    return input.kron(other)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    return input.outer(vec2)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    return input @ other


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    return A.diagonal(offset, dim1, dim2)


def trace(A: Tensor) -> Tensor:
    """The sum of the diagonal of each matrix."""
    return A.diagonal(0, -2, -1).sum(-1)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Ascending powers of the last axis as rows: (..., n, N)."""
    count = x.shape[-1] if N is None else N
    if count < 1:
        raise ValueError(f"vander cannot have {count} columns")
    columns = [x * 0 + 1]
    for _ in range(count - 1):
        columns.append(columns[-1] * x)
    return Tensor.stack(columns, -1)


__all__ = [
    "cross",
    "diagonal",
    "kron",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "multi_dot",
    "outer",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vander",
    "vecdot",
]
