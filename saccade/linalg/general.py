"""Eigenvalues of any square matrix, which are complex: computed by LAPACK, on the host.

    >>> eigvals(Tensor([[0.0, -1.0], [1.0, 0.0]])).imag.abs().tolist()
    [1.0, 1.0]

How often the QR algorithm has to iterate is data, so this is no program of a fixed number of steps as the
rest of this room is: it computes its argument, waits for it, and hands it to NumPy. It cannot be part of a
jit function and has no gradient, and says so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tensor.gradients.leaves import concerns
from ..tensor.gradients.tape import tapes
from ..tensor.jit.trace import current_trace
from ..tensor.tensor import Tensor
from .batch import need_matrices


class Eig(NamedTuple):
    """What eig returns, as in torch: values in no order, and vectors as columns; both are complex."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eig(A: Tensor) -> Eig:
    """Eigenvalues (..., n) and eigenvectors of length 1 (..., n, n) of square matrices."""
    made = np.linalg.eig(_on_host(A, "eig"))
    return Eig(_complex(made[0], A), _complex(made[1], A))


def eigvals(A: Tensor) -> Tensor:
    """`eig` without the vectors."""
    return _complex(np.linalg.eigvals(_on_host(A, "eigvals")), A)


def _on_host(A: Tensor, verb: str) -> NDArray[Any]:
    need_matrices(A, verb, square=True)
    if current_trace() is not None:
        raise TypeError(
            f"{verb} is computed on the host and cannot be part of a jit function: call it outside"
        )
    if concerns(A.node) or any(tape.concerns(A.node) for tape in tapes.open):
        raise TypeError(f"{verb} has no gradient: use {verb}(A.detach()), or eigh of symmetric matrices")
    return A.cast(A.dtype.accumulator).numpy()


def _complex(found: NDArray[Any], like: Tensor) -> Tensor:
    """In the complex dtype of a matrix: LAPACK's results are real where all of them are."""
    return Tensor(found, dtype=like.dtype.complex, device=like.device)


__all__ = ["Eig", "eig", "eigvals"]
