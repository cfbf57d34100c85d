"""Large matrices on the CPU, and few small ones, by LAPACK: NumPy's, which is there wherever we are.

    >>> solve(Tensor.eye(500) * 2, Tensor.ones(500)).mean().item()      # no kernel is compiled
    0.5

A factorisation as a program of tensor operations is a kernel for every few columns. That is right for many
small matrices. It is wrong for one of 500 columns, which would take minutes to compile, and for a few small
ones, which are computed in less time than it takes to build their graph. So where the values are in the
host's memory, and nobody asks for a program or a gradient (`jit`, `grad`, `vmap`, a tensor that requires
one), matrices that are large or few are computed here, and waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..tensor.gradients.leaves import concerns
from ..tensor.gradients.tape import tapes
from ..tensor.jit.trace import current_trace
from ..tensor.tensor import Tensor

#: rows or columns from which on a matrix is large
LARGE: Final = 24
#: multiplications, the cube of the side of each matrix, up to which a batch has few matrices: 2,048 of 8x8,
#: whose singular values LAPACK has in 20 ms, where a graph of ours takes 200 ms to build
FEW = 1 << 20

Arrays = Sequence[NDArray[Any]]


def on_host(*matrices: Tensor) -> list[NDArray[Any]] | None:
    """The values of matrices that are to be computed here, in the dtype for that; None if they are not."""
    if current_trace() is not None or any(m.device != "cpu" or not m.numel() for m in matrices):
        return None
    *lead, rows, columns = matrices[0].shape
    side = max(rows, columns)
    if (side <= LARGE and prod(lead) * side**3 > FEW) or any(wants_gradient(m) for m in matrices):
        return None
    return [m.cast(m.dtype.accumulator).numpy() for m in matrices]


def wants_gradient(x: Tensor) -> bool:
    """Is it made of something that somebody wants a gradient of?"""
    return concerns(x.node) or any(tape.concerns(x.node) for tape in tapes.open)


def back(found: NDArray[Any], like: Tensor) -> Tensor:
    """A result as a tensor; what is real of complex matrices stays real."""
    dtype = like.dtype if np.iscomplexobj(found) else like.dtype.part
    return Tensor(found, dtype=dtype, device=like.device)


def each(function: Callable[..., NDArray[Any]], *arrays: NDArray[Any]) -> NDArray[Any]:
    """`function` of (..., n, n) and others with the same leading axes, where it fails for one of them NaN."""
    try:
        return function(*arrays)
    except np.linalg.LinAlgError:
        lead = arrays[0].shape[:-2]
        made = np.full(arrays[-1].shape, np.nan, arrays[-1].dtype)
        for place in np.ndindex(lead):
            try:
                made[place] = function(*[array[place] for array in arrays])
            except np.linalg.LinAlgError:
                continue  # it is NaN, as it would be on any other device
        return made


def of_finite(function: Callable[[NDArray[Any]], Arrays], array: NDArray[Any]) -> list[NDArray[Any]]:
    """The results of `function`, which takes (..., m, n) and has to iterate: NaN for matrices that are not
    finite, which it would raise an error for."""
    finite = np.isfinite(array).all((-2, -1))
    found = function(array if finite.all() else np.where(finite[..., None, None], array, 0))
    if finite.all():
        return list(found)
    lead = finite.ndim
    return [np.where(finite.reshape(finite.shape + (1,) * (f.ndim - lead)), f, np.nan) for f in found]


def eliminated(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Gauss' elimination with row exchanges of (..., m, n), k = min(m, n), all matrices at once: L below the
    diagonal and U from it on in one array, and the row, counted from 1, that a step (..., k) brought up."""
    *lead, rows, columns = array.shape
    rest = array.reshape(-1, rows, columns).copy()
    steps, every = min(rows, columns), np.arange(len(rest))
    exchanges = np.empty((len(rest), steps), np.int32)
    for step in range(steps):
        best = step + np.abs(rest[:, step:, step]).argmax(1)
        exchanges[:, step] = best + 1
        top = rest[every, best]
        rest[every, best] = rest[:, step]
        rest[:, step] = top
        pivot = top[:, step, None]
        share = rest[:, step + 1 :, step] / np.where(pivot == 0, 1, pivot)
        rest[:, step + 1 :, step] = share
        rest[:, step + 1 :, step + 1 :] -= share[:, :, None] * top[:, None, step + 1 :]
    return rest.reshape(array.shape), exchanges.reshape(*lead, steps)


def permutations(exchanges: NDArray[Any], rows: int) -> NDArray[Any]:
    """Row exchanges (..., k) as matrices P (..., rows, rows) with A = P L U."""
    swaps = exchanges.reshape(-1, exchanges.shape[-1]) - 1
    order = np.tile(np.arange(rows), (len(swaps), 1))
    every = np.arange(len(swaps))
    for step in range(swaps.shape[1]):
        at = swaps[:, step]
        up = order[every, at]
        order[every, at] = order[:, step]
        order[:, step] = up
    made: NDArray[np.bool_] = order[:, None, :] == np.arange(rows)[:, None]
    return made.reshape(*exchanges.shape[:-1], rows, rows)


__all__ = ["LARGE", "back", "each", "eliminated", "of_finite", "on_host", "permutations", "wants_gradient"]
