"""Special functions by torch's names: `saccade.special.ndtr(x)`, `saccade.special.i1(x)`.

gaussian       the normal distribution and the scaled error function
bessel         modified Bessel functions of the first kind, of order 0 and 1, and the spherical one
bessel_jy      Bessel functions of the first and second kind
bessel_k       modified Bessel functions of the second kind
airy           Airy's function
gamma          the incomplete gamma functions
zeta           Hurwitz's zeta function
polynomials    orthogonal polynomials of a whole degree
names          those that are methods of Tensor under the same or another name
"""

from .airy import airy_ai
from .bessel import i0e, i1, i1e, modified_bessel_i1, spherical_bessel_j0
from .bessel_jy import bessel_j0, bessel_j1, bessel_y0, bessel_y1
from .bessel_k import (
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
)
from .gamma import gammainc, gammaincc
from .gaussian import entr, erfcx, log_ndtr, ndtr, ndtri
from .names import (
    digamma,
    erf,
    erfc,
    erfinv,
    exp2,
    expit,
    expm1,
    gammaln,
    i0,
    log1p,
    log_softmax,
    logit,
    logsumexp,
    modified_bessel_i0,
    multigammaln,
    polygamma,
    psi,
    round,
    sinc,
    softmax,
    xlog1py,
    xlogy,
)
from .polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)
from .zeta import zeta

#: for jit: functions without state
__jit_library__ = True

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]
