"""`Tensor`: all method families together, and the free function torch users expect.

Core        a node, its shape, dtype and device; host data in        core.py, host.py, memory.py
Interop     realize, numpy, item, DLPack, repr                       interop.py
Casts       dtype and device                                         casts.py
Operands    promotion and broadcasting of two operands               operands.py
Logic       comparison, bits, choice                                 logic.py
Arithmetic  sums, products, quotients, powers                        arithmetic.py
Analysis    exp, sin, rounding, activations                          analysis.py
Special     error and gamma functions                                special.py
Movement    reshape, permute, pad, slices                            movement.py
Reduce      sum, max, var, cumsum                                    reduce.py
Creation    zeros, arange, cat, roll                                 creation.py
Indexing    gather, scatter, x[...], masks                           indexing.py
Ordering    sort, topk, unique                                       ordering.py
Segments    reductions of parts of an axis                           segments.py
Products    matmul, einsum                                           products.py
Windows     convolution, pooling                                     windows.py
Resample    interpolation, pixel_shuffle                             resample.py
Functional  softmax, normalisation, attention, losses                functional.py
Random      rand, randn, dropout, keys                               random.py
Composed    names of torch that are a line or two of others          composed.py
InPlace     add_, copy_, +=                                          inplace.py
Backward    requires_grad, grad, backward                            backward.py

Beside each other, on top of those:

Complex     real and imaginary parts, conjugates, polar              complex.py; complex_rules.py
Numeric     gcd, bits of floats, histograms, areas                   numeric.py
Tables      windows for signals, indices of triangles                tables.py
Sampling    dropouts, gumbel_softmax, poisson                        sampling.py
Losses      margins, likelihoods, ctc_loss, embedding_bag            losses.py
Patches     im2col, fold, unpooling, grid_sample                     patches.py

Linear algebra is in `saccade.linalg`. All of them take NumPy's words `axis` and `keepdims` as torch's
functions do: keywords.py; NumPy's own functions take tensors: numpy_calls.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Self, overload

import numpy as np

from .core import Operand
from .elementwise.complex import Complex
from .elementwise.numeric import Numeric
from .functional.losses import Losses
from .functional.sampling import Sampling
from .gradients.backward import Backward
from .keywords import numpy_keywords
from .numpy_calls import function_on, ufunc_on
from .shapes.patches import Patches
from .shapes.tables import Tables


@numpy_keywords
class Tensor(Backward, Complex, Numeric, Tables, Sampling, Losses, Patches):
    """A lazy n-dimensional array: nothing is computed before a value is read. Names and keywords follow
    torch."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise TypeError("cannot iterate over a 0-dim tensor: use item()")
        return iter(self.unbind(0))

    def __contains__(self, value: Operand) -> bool:
        return bool((self == value).any())

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """The functions of the Python array API standard for tensors."""
        array_api = import_module("saccade.array_api")  # it is made of tensors
        if api_version is not None and api_version not in array_api.VERSIONS:
            known = ", ".join(array_api.VERSIONS)
            raise ValueError(
                f"no revision {api_version!r} of the array API standard here: use one of {known}"
            )
        return array_api

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return ufunc_on(self, ufunc, method, inputs, options)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        return function_on(self, function, args, options)


@overload
def where(condition: Operand) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Operand, yes: Operand, no: Operand) -> Tensor: ...


def where(condition: Operand, yes: Operand | None = None, no: Operand | None = None) -> Any:
    """`yes` where the condition holds, else `no`; without them the places where it holds: torch.where."""
    mask = condition if isinstance(condition, Tensor) else Tensor(condition)
    if yes is None and no is None:
        return mask.nonzero(as_tuple=True)
    if yes is None or no is None:
        raise TypeError("where takes a condition, or a condition and both choices")
    return mask._choose(yes, no)


__all__ = ["Tensor", "where"]
