"""Large matrices on the CPU, by LAPACK: NumPy's, which is there wherever we are.

    >>> solve(Tensor.eye(500) * 2, Tensor.ones(500)).mean().item()      # no kernel is compiled
    0.5

A factorisation as a program of tensor operations is a kernel for every few columns, which is right for many
small matrices and wrong for one of 500 columns: that would take minutes to compile. So where the values are
in the host's memory, and nobody asks for a program or a gradient (`jit`, `grad`, `vmap`, a tensor that
requires one), matrices with more than `LARGE` rows or columns are computed here, and waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..tensor.gradients.leaves import concerns
from ..tensor.gradients.tape import tapes
from ..tensor.jit.trace import current_trace
from ..tensor.tensor import Tensor

#: rows or columns from which on a matrix is one for LAPACK
LARGE: Final = 24

Arrays = Sequence[NDArray[Any]]


def on_host(*matrices: Tensor) -> list[NDArray[Any]] | None:
    """The values of matrices that are to be computed here, in the dtype for that; None if they are not."""
    large = max(matrices[0].shape[-2:]) > LARGE and all(m.numel() for m in matrices)
    if not large or current_trace() is not None or any(m.device != "cpu" for m in matrices):
        return None
    if any(concerns(m.node) or any(tape.concerns(m.node) for tape in tapes.open) for m in matrices):
        return None
    return [m.cast(m.dtype.accumulator).numpy() for m in matrices]


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


__all__ = ["LARGE", "back", "each", "on_host"]
