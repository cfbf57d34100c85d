"""Modified Bessel functions of the second kind, of order 0 and 1, also without their decay exp(-x).

>>> [round(f(Tensor([2.0])).item(), 6) for f in (modified_bessel_k0, scaled_modified_bessel_k0)]
[0.113894, 0.841568]

Up to 2 a Chebyshev series in x^2 / 2 - 1 of what is left without the logarithm, K0(x) + log(x/2) I0(x) and
x (K1(x) - log(x/2) I1(x)); beyond, one in 4/x - 1 of K(x) exp(x) sqrt(x).
"""

from __future__ import annotations

import math
from typing import Final

from ..tensor.elementwise.series import chebyshev
from ..tensor.tensor import Tensor
from .bessel import i0e, i1e

#: where the two forms meet
NEAR: Final = 2.0

# interpolated at 18 nodes up to 2, at 34 beyond, in 40 digits; terms below 2e-18 of the largest are left out
_K0_NEAR: Final = (
    -0.2676636966169514, 0.3442898999246285, 0.0359799365153615, 0.001264615411446926,
    2.286212103119452e-05, 2.5347910790261494e-07, 1.904516377220209e-09, 1.0349695257633625e-11,
    4.2598161427910826e-14, 1.3744654358807508e-16,
)  # fmt: skip
_K1_NEAR: Final = (
    0.7626501136694739, -0.3531559607765449, -0.12261118082265715, -0.006975723859639864,
    -0.0001730288957513052, -2.4334061415659684e-06, -2.213387630734726e-08, -1.4114883926335278e-10,
    -6.666901694199329e-13, -2.427449850519366e-15, -7.023863479386288e-18,
)  # fmt: skip
_K0_FAR: Final = (
    1.2201515410329777, -0.0314481013119645, 0.0015698838857300533, -0.00012849549581627802,
    1.39498137188765e-05, -1.8317555227191195e-06, 2.766813639445015e-07, -4.660489897687948e-08,
    8.574034017414225e-09, -1.6975345093890614e-09, 3.5773972814003283e-10, -7.957489244477396e-11,
    1.8559491149549264e-11, -4.514597883374519e-12, 1.1403405882073441e-12, -2.9800969231481784e-13,
    8.032890775068373e-14, -2.2275133267462946e-14, 6.3400764762765995e-15, -1.848593377920796e-15,
    5.512055999401639e-16, -1.6782311257483392e-16, 5.210391777482758e-17, -1.6475805935875518e-17,
    5.3004337613219474e-18,
)  # fmt: skip
_K1_FAR: Final = (
    1.3603130952422213, 0.10392373657681724, -0.002857816859622779, 0.00019521551847135162,
    -1.936197974166083e-05, 2.406484947837217e-06, -3.5019606030878126e-07, 5.7410841254500495e-08,
    -1.0345762465678097e-08, 2.0150497551970347e-09, -4.1903547593419254e-10, 9.218315187605315e-11,
    -2.129967838427791e-11, 5.139639673482343e-12, -1.2891739609498229e-12, 3.348419666052243e-13,
    -8.976705182010145e-14, 2.4771544242195966e-14, -7.01983708921472e-15, 2.038703166239744e-15,
    -6.057047270640184e-16, 1.8380935752361397e-16, -5.689462849024281e-17, 1.7940510474681617e-17,
    -5.756744471675435e-18,
)  # fmt: skip


def modified_bessel_k0(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind, of order 0: inf at 0, NaN below."""
    return input._in_float64(lambda x: _k0(x, scaled=False))


def modified_bessel_k1(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind, of order 1: inf at 0, NaN below."""
    return input._in_float64(lambda x: _k1(x, scaled=False))


def scaled_modified_bessel_k0(input: Tensor) -> Tensor:
    """K0(x) exp(x)."""
    return input._in_float64(lambda x: _k0(x, scaled=True))


def scaled_modified_bessel_k1(input: Tensor) -> Tensor:
    """K1(x) exp(x)."""
    return input._in_float64(lambda x: _k1(x, scaled=True))


def _k0(x: Tensor, *, scaled: bool) -> Tensor:
    size = _positive(x)
    least = size.clamp_max(NEAR)
    near = chebyshev(least * least / 2 - 1, _K0_NEAR) - (least / 2).log() * i0e(least) * least.exp()
    return _joined(x, near, chebyshev(4 / size.clamp_min(NEAR) - 1, _K0_FAR), scaled)


def _k1(x: Tensor, *, scaled: bool) -> Tensor:
    size = _positive(x)
    least = size.clamp_max(NEAR)
    near = chebyshev(least * least / 2 - 1, _K1_NEAR) / least + (least / 2).log() * i1e(least) * least.exp()
    return _joined(x, near, chebyshev(4 / size.clamp_min(NEAR) - 1, _K1_FAR), scaled)


def _positive(x: Tensor) -> Tensor:
    """x where it is above 0, 1 elsewhere; NaN stays."""
    return ((x > 0) | x.isnan())._choose(x, 1.0)


def _joined(x: Tensor, near: Tensor, far: Tensor, scaled: bool) -> Tensor:
    """One of the two forms, with exp(x) or without; what it is at 0 and below."""
    size = _positive(x)
    last = size.clamp_min(NEAR)
    near = near * size.clamp_max(NEAR).exp() if scaled else near
    far = far / last.sqrt() if scaled else far * (-last).exp() / last.sqrt()
    whole = (x > 0)._choose((size <= NEAR)._choose(near, far), math.nan)
    return x.eq(0)._choose(math.inf, whole)


__all__ = [
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
]
