"""Derivatives of eigenvalues and eigenvectors that are known: two steps of Newton, which are products.

M = V^-1 A V has the eigenvalues on its diagonal. The rest of it is 0, and says by how much vector j turns to
vector i: E[i, j] = M[i, j] / (M[j, j] - M[i, i]). The next M is (1 + E)^-1 M (1 + E), and after two steps the
vectors are V (1 + E) (1 + E'). The steps change no value, but two of them have the first two derivatives.
"""

from __future__ import annotations

from ..tensor.tensor import Tensor
from .batch import squares


def newton_steps(M: Tensor, V: Tensor, apart: Tensor) -> tuple[Tensor, Tensor]:
    """The next M and V, vectors of length 1, all (..., n, n). Only vectors of values that are `apart` turn to
    each other."""
    E = _turns(M, apart)
    P = M + M @ E
    ahead = E @ P
    M = P - ahead + E @ ahead  # (1 + E)^-1 is 1 - E + E^2, up to what has no second derivative
    after = _turns(M, apart)
    turned = V + V @ (E + after + E @ after)
    return M, turned / squares(turned).sum(-2, keepdim=True).sqrt()


def _turns(M: Tensor, apart: Tensor) -> Tensor:
    """E, from M and which of its values are distinct."""
    own = M.diagonal(dim1=-2, dim2=-1)
    return apart._choose(M / apart._choose(own.unsqueeze(-2) - own.unsqueeze(-1), 1.0), 0.0)


__all__ = ["newton_steps"]
