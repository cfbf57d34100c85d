"""The extension `linalg`: what `saccade.linalg` computes, by the standard's signatures."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.dtypes import DType
from ..linalg import factor, functions, general, least, norms, solving, spectral
from ..tensor.tensor import Tensor
from .functions.statistical import sum_dtype
from .promotion import FLOATING, NUMBERS, agreed, need, need_array

Axes = int | tuple[int, ...] | None
Tolerance = float | Tensor | None


def _both(name: str, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    left, right = agreed(name, NUMBERS, need_array(name, x1), need_array(name, x2))
    assert isinstance(right, Tensor)
    return left, right


# --- products


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    left, right = _both("matmul", x1, x2)
    return left @ right


def matrix_transpose(x: Tensor, /) -> Tensor:
    return need_array("matrix_transpose", x).mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    left, right = _both("tensordot", x1, x2)
    return left.tensordot(right, axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Sums of products along an axis counted from the end, after broadcasting."""
    left, right = _both("vecdot", x1, x2)
    if left.shape[axis] != right.shape[axis]:
        raise ValueError(f"vecdot cannot pair {left.shape} and {right.shape}: axis {axis} has other sizes")
    return functions.vecdot(left, right, dim=axis).cast(left.dtype)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    left, right = _both("outer", x1, x2)
    return left.outer(right)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    left, right = _both("cross", x1, x2)
    return left.cross(right, axis)


# --- parts of matrices


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    return functions.diagonal(need_array("diagonal", x), offset=offset)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DType | None = None) -> Tensor:
    array = need("trace", NUMBERS, x)
    return functions.diagonal(array, offset=offset).sum(-1, dtype=sum_dtype(array, dtype))


# --- solving and factors


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    return factor.cholesky(need("cholesky", FLOATING, x), upper=upper)


def det(x: Tensor, /) -> Tensor:
    return solving.det(need("det", FLOATING, x))


def slogdet(x: Tensor, /) -> solving.SlogDet:
    return solving.slogdet(need("slogdet", FLOATING, x))


def inv(x: Tensor, /) -> Tensor:
    return solving.inv(need("inv", FLOATING, x))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The x with x1 @ x = x2: one vector where x2 has one axis, else matrices."""
    left, right = _both("solve", need("solve", FLOATING, x1), x2)
    if right.ndim != left.ndim - 1 or right.ndim == 1:
        return solving.solve(left, right)
    # torch would take these for vectors where the shapes allow it; the standard has matrices here
    return solving.solve(left, right.unsqueeze(0))


def qr(x: Tensor, /, *, mode: str = "reduced") -> factor.QR:
    return factor.qr(need("qr", FLOATING, x), mode)


def eig(x: Tensor, /) -> general.Eig:
    return general.eig(need("eig", FLOATING, x))


def eigvals(x: Tensor, /) -> Tensor:
    return general.eigvals(need("eigvals", FLOATING, x))


def eigh(x: Tensor, /) -> spectral.Eigh:
    return spectral.eigh(need("eigh", FLOATING, x))


def eigvalsh(x: Tensor, /) -> Tensor:
    return spectral.eigvalsh(need("eigvalsh", FLOATING, x))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> spectral.SVD:
    return spectral.svd(need("svd", FLOATING, x), full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    return spectral.svdvals(need("svdvals", FLOATING, x))


def pinv(x: Tensor, /, *, rtol: Tolerance = None) -> Tensor:
    return least.pinv(need("pinv", FLOATING, x), rtol=rtol)


def matrix_rank(x: Tensor, /, *, rtol: Tolerance = None) -> Tensor:
    return least.matrix_rank(need("matrix_rank", FLOATING, x), rtol=rtol)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    return functions.matrix_power(need("matrix_power", FLOATING, x), n)


# --- norms


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | str = "fro") -> Tensor:
    return norms.matrix_norm(need("matrix_norm", FLOATING, x), ord, keepdim=keepdims)


def vector_norm(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    array = need("vector_norm", FLOATING, x)
    if axis == ():
        return norms.vector_norm(array.unsqueeze(0), ord, 0)
    return norms.vector_norm(array, ord, axis, keepdims)


__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
