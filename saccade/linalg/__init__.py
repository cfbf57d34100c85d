"""Linear algebra of batches of matrices, with torch's names: `saccade.linalg.solve(A, B)`.

Everything is a program of tensor operations: it compiles for every device, works inside jit and has
gradients. It is made for many small matrices: a step of a factorisation is one kernel over the whole batch.

    >>> A = Tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> (inv(A) @ A).round(decimals=5).tolist()
    [[1.0, 0.0], [0.0, 1.0]]

factor.py     Cholesky, LU, QR               batch.py    how batches lie in memory, and what a step is
solving.py    systems, inverses, determinants
spectral.py   eigh and SVD by Jacobi         general.py  eig, by LAPACK on the host
least.py      least squares, pseudo-inverse, rank
norms.py      norms of vectors and matrices
functions.py  powers, exponential, products  newton.py   derivatives of eigenvalues and eigenvectors
"""

from ..tensor.tensor import Tensor
from .factor import cholesky, lu, lu_factor, qr
from .functions import (
    cross,
    diagonal,
    kron,
    matmul,
    matrix_exp,
    matrix_power,
    multi_dot,
    outer,
    tensorinv,
    tensorsolve,
    trace,
    vander,
    vecdot,
)
from .general import eig, eigvals
from .least import lstsq, matrix_rank, pinv
from .norms import cond, matrix_norm, norm, vector_norm
from .solving import cholesky_inverse, cholesky_solve, det, inv, lu_solve, slogdet, solve, solve_triangular
from .spectral import eigh, eigvalsh, svd, svdvals

#: for jit: functions without state
__jit_library__ = True

__all__ = [
    "Tensor",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "kron",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vander",
    "vecdot",
    "vector_norm",
]
