"""Eigenvalues of any square matrix, which are complex: computed by LAPACK, on the host.

    >>> eigvals(Tensor([[0.0, -1.0], [1.0, 0.0]])).imag.abs().tolist()
    [1.0, 1.0]

How often the QR algorithm has to iterate is data, so this is no program of a fixed number of steps as the
rest of this room is: it computes its argument, waits for it, and hands it to NumPy. It cannot be part of a
jit function, and says so.

Its gradient comes of Newton's method. From what LAPACK found, two steps of Newton are a graph of products:
they change no value, and give eigenvalues and eigenvectors their first two derivatives.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tensor.jit.trace import current_trace
from ..tensor.tensor import Tensor
from .batch import need_matrices
from .host import each, of_finite, wants_gradient
from .newton import newton_steps


class Eig(NamedTuple):
    """What eig returns, as in torch: values in no order, and vectors as columns; both are complex."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eig(A: Tensor) -> Eig:
    """Eigenvalues (..., n) and eigenvectors of length 1 (..., n, n) of square matrices. The direction of a
    vector in the complex plane is arbitrary: what depends on it has no gradient."""
    values, vectors = of_finite(np.linalg.eig, _on_host(A, "eig"))
    if wants_gradient(A):
        return _following(A, values, vectors)
    return Eig(_complex(values, A), _complex(vectors, A))


def eigvals(A: Tensor) -> Tensor:
    """`eig` without the vectors."""
    if wants_gradient(A):
        return eig(A).eigenvalues
    return _complex(of_finite(lambda x: [np.linalg.eigvals(x)], _on_host(A, "eigvals"))[0], A)


def _on_host(A: Tensor, verb: str) -> NDArray[Any]:
    need_matrices(A, verb, square=True)
    if current_trace() is not None:
        raise TypeError(
            f"{verb} is computed on the host and cannot be part of a jit function: call it outside"
        )
    return A.cast(A.dtype.accumulator).numpy()


def _complex(found: NDArray[Any], like: Tensor) -> Tensor:
    """In the complex dtype of a matrix: LAPACK's results are real where all of them are."""
    return Tensor(found, dtype=like.dtype.complex, device=like.device)


def _following(A: Tensor, values: NDArray[Any], vectors: NDArray[Any]) -> Eig:
    """Values and vectors that change with A: two steps of Newton from V, which is numbers."""
    V, W = _complex(vectors, A), _complex(each(np.linalg.inv, vectors), A)
    apart = Tensor(values[..., None, :] != values[..., :, None], device=A.device)
    M, unit = newton_steps(W @ (A.cast(A.dtype.complex) @ V), V, apart)
    found = M.diagonal(dim1=-2, dim2=-1)
    return Eig(_as_found(values, found, A), _as_found(vectors, unit, A))


def _as_found(found: NDArray[Any], following: Tensor, like: Tensor) -> Tensor:
    """LAPACK's numbers with the derivatives of others."""
    return _complex(found, like) + (following - following.detach())


__all__ = ["Eig", "eig", "eigvals"]
