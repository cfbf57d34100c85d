"""Special functions that are methods of Tensor, under the same name or another.

>>> expit(Tensor([0.0])).tolist(), xlogy(Tensor([0.0]), 0.0).tolist()
([0.5], [0.0])
"""

from __future__ import annotations

import math

from ..tensor.core import DTypeLike, Operand
from ..tensor.tensor import Tensor

digamma = psi = Tensor.digamma
erf = Tensor.erf
erfc = Tensor.erfc
erfinv = Tensor.erfinv
exp2 = Tensor.exp2
expit = Tensor.sigmoid
expm1 = Tensor.expm1
gammaln = Tensor.lgamma
i0 = modified_bessel_i0 = Tensor.i0
log1p = Tensor.log1p
logit = Tensor.logit
sinc = Tensor.sinc


def polygamma(n: int, input: Tensor) -> Tensor:
    """The derivative of order n of `digamma`."""
    return input.polygamma(n)


def multigammaln(input: Tensor, p: int) -> Tensor:
    """log of the gamma function of p dimensions: log pi^(p (p - 1) / 4) gamma(x) gamma(x - 1/2) ..."""
    if p < 1:
        raise ValueError(f"multigammaln takes at least 1 dimension, not {p}")
    total = input.lgamma() + p * (p - 1) / 4 * math.log(math.pi)
    for j in range(1, p):
        total = total + (input - j / 2).lgamma()
    return (input > (p - 1) / 2)._choose(total, math.nan)


def xlogy(input: Tensor, other: Operand) -> Tensor:
    """x log(y), 0 where x is 0."""
    return input.xlogy(other)


def xlog1py(input: Tensor, other: Operand) -> Tensor:
    """x log(1 + y), 0 where x is 0 and y is a number."""
    other = other if isinstance(other, Tensor) else input._coerce(other)
    # where x is 0 the slope by x is log(1 + y), as far as that is finite
    log = (input.eq(0) & ((other <= -1) | other.isinf()))._choose(0.0, other.log1p())
    return input * log


def softmax(input: Tensor, dim: int, *, dtype: DTypeLike = None) -> Tensor:
    return (input if dtype is None else input.cast(dtype)).softmax(dim)


def log_softmax(input: Tensor, dim: int, *, dtype: DTypeLike = None) -> Tensor:
    return (input if dtype is None else input.cast(dtype)).log_softmax(dim)


def logsumexp(input: Tensor, dim: int | tuple[int, ...] | list[int], keepdim: bool = False) -> Tensor:
    return input.logsumexp(dim, keepdim)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    return input.round(decimals=decimals)
