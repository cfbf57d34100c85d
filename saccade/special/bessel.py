"""Modified Bessel functions of the first kind, also without their growth exp(|x|), and the spherical one.

>>> i1e(Tensor([0.0])).item(), f"{i0e(Tensor([700.0])).item():.6g}"
(0.0, '0.0150813')
"""

from __future__ import annotations

from typing import Final

from ..tensor.elementwise.series import chebyshev
from ..tensor.tensor import Tensor

# I1(x) exp(-x) / x as a Chebyshev series in x/4 - 1 up to 8, and I1(x) exp(-x) sqrt(x) in 16/x - 1 beyond:
# interpolated at 30 and 25 nodes.
_I1_NEAR: Final = (
    0.12629359322181682,
    -0.17641651835783406,
    0.1026436586898471,
    -0.05294598120809499,
    0.024726449030626516,
    -0.010564084894626197,
    0.004156422944312888,
    -0.0015135724506312532,
    0.0005122859561685758,
    -0.00016176081582589674,
    4.781565107550054e-05,
    -1.3273163656039436e-05,
    3.4702513081376785e-06,
    -8.568720264695455e-07,
    2.0032947535521353e-07,
    -4.445059128796328e-08,
    9.381537386495773e-09,
    -1.8872497517228294e-09,
    3.625590281552117e-10,
    -6.663489723502027e-11,
    1.1736186298890901e-11,
    -1.9839743977649436e-12,
    3.223793365945566e-13,
    -5.042185504727032e-14,
    7.600684294649187e-15,
    -1.105596946911604e-15,
    1.5536318810494503e-16,
    -2.111414263388092e-17,
    2.7773010799570167e-18,
    -3.48901447271639e-19,
)
_I1_FAR: Final = (
    0.38928811750914005,
    -0.009761097491361469,
    -0.00011058893876262371,
    -3.882564808877691e-06,
    -2.512236237870209e-07,
    -2.6314688468895196e-08,
    -3.835380385964237e-09,
    -5.58974346219657e-10,
    -1.897495812350882e-11,
    3.252603583015345e-11,
    1.4125807436630689e-11,
    2.0356285441333268e-12,
    -7.198551776857574e-13,
    -4.083551109773972e-13,
    -2.1015418282447554e-14,
    4.2724399391119764e-14,
    1.0420277041999177e-14,
    -3.81439932041906e-15,
    -1.8803583364247466e-15,
    3.3080410267357634e-16,
    2.962933978891187e-16,
    -3.203131654805155e-17,
    -4.670574812329891e-17,
    4.172920651126219e-18,
    8.759489586036996e-18,
)


def i0e(input: Tensor) -> Tensor:
    """I0(x) exp(-|x|)."""
    return input._in_float64(lambda x: x.abs()._i0_scaled())


def i1e(input: Tensor) -> Tensor:
    """I1(x) exp(-|x|)."""
    return input._in_float64(_i1e)


def i1(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""

    def function(x: Tensor) -> Tensor:
        half = (x.abs() / 2).exp()  # in two halves: exp(x) overflows before the product does
        return x.isinf()._choose(x, _i1e(x) * half * half)

    return input._in_float64(function)


modified_bessel_i1 = i1


def _i1e(x: Tensor) -> Tensor:
    def right(size: Tensor) -> Tensor:
        near = chebyshev(size.clamp_max(8) / 4 - 1, _I1_NEAR) * size
        far = chebyshev(16 / size.clamp_min(8) - 1, _I1_FAR) / size.clamp_min(8).sqrt()
        return (size <= 8)._choose(near, far)

    return x._odd(right)


def spherical_bessel_j0(input: Tensor) -> Tensor:
    """sin(x) / x, 1 at 0."""

    def function(x: Tensor) -> Tensor:
        whole = x.eq(0)._choose(1.0, x.sin() / x.eq(0)._choose(1.0, x))
        return x.isinf()._choose(0.0, whole)

    return input._in_float64(function)


__all__ = ["i0e", "i1", "i1e", "modified_bessel_i1", "spherical_bessel_j0"]
