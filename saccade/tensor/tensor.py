"""`Tensor`: all method families in one list, and the free function torch users expect.

A family is a class of methods in a module of its own. Its bases are the families whose methods it calls, no
more, so a module can be read with those alone. From the first to the last:

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
Tables      windows for signals, indices of triangles                tables.py
Gather      gather, scatter, index_select, nonzero                   gather.py
Indexing    x[...], masks, index_put                                 indexing.py
Segments    reductions of parts of an axis                           segments.py
Ordering    sort, topk, unique                                       ordering.py
Products    matmul, einsum                                           products.py
Windows     convolution, pooling                                     windows.py
Resample    interpolation, pixel_shuffle                             resample.py
Patches     im2col, fold, unpooling, grid_sample                     patches.py
Functional  softmax, normalisation, attention, losses                functional.py
Random      rand, randn, dropout, keys                               random.py
Composed    names of torch that are a line or two of others          composed.py
Numeric     gcd, bits of floats, histograms, areas                   numeric.py
Sampling    dropouts, gumbel_softmax, poisson                        sampling.py
Losses      margins, likelihoods, ctc_loss, embedding_bag            losses.py
InPlace     add_, copy_, +=                                          inplace.py
Complex     real and imaginary parts, conjugates, polar              complex.py; complex_rules.py
Backward    requires_grad, grad, backward                            backward.py

Linear algebra is in `saccade.linalg`. All of them take NumPy's words `axis` and `keepdims` as torch's
functions do: keywords.py; NumPy's own functions take tensors: numpy_calls.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Self, overload

import numpy as np

from .core import Core, Operand
from .elementwise.analysis import Analysis
from .elementwise.arithmetic import Arithmetic
from .elementwise.casts import Casts
from .elementwise.complex import Complex
from .elementwise.logic import Logic
from .elementwise.numeric import Numeric
from .elementwise.special import Special
from .functional.composed import Composed
from .functional.functional import Functional
from .functional.losses import Losses
from .functional.random import Random
from .functional.sampling import Sampling
from .gradients.backward import Backward
from .interop import Interop
from .keywords import numpy_keywords
from .numpy_calls import function_on, ufunc_on
from .operands import Operands
from .reductions.ordering import Ordering
from .reductions.products import Products
from .reductions.reduce import Reduce
from .reductions.segments import Segments
from .shapes.creation import Creation
from .shapes.gather import Gather
from .shapes.indexing import Indexing
from .shapes.movement import Movement
from .shapes.patches import Patches
from .shapes.resample import Resample
from .shapes.tables import Tables
from .shapes.windows import Windows
from .stores.inplace import InPlace


@numpy_keywords
class Tensor(  # the list above, the last family first: Python looks there first
    Backward,
    Complex,
    InPlace,
    Losses,
    Sampling,
    Numeric,
    Composed,
    Random,
    Functional,
    Patches,
    Resample,
    Windows,
    Products,
    Ordering,
    Segments,
    Indexing,
    Gather,
    Tables,
    Creation,
    Reduce,
    Movement,
    Special,
    Analysis,
    Arithmetic,
    Logic,
    Operands,
    Casts,
    Interop,
    Core,
):
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
