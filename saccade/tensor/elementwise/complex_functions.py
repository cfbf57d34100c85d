"""Functions of complex numbers in terms of functions of their parts, which are real tensors.

Branch cuts, signs of zeros and infinities are those of C (Annex G), which the array API standard and NumPy
have too. The inverse functions are Kahan's ("Branch cuts for complex elementary functions"): they lose no
digits near their branch points.

    >>> sqrt(Tensor([complex(-4.0, 0.0), complex(-4.0, -0.0)])).tolist()
    [2j, -2j]
"""

from __future__ import annotations

import math

from .. import build
from ..tensor import Tensor


def both(z: Tensor) -> tuple[Tensor, Tensor]:
    """The real and the imaginary part."""
    return Tensor._of(build.real(z.node)), Tensor._of(build.imag(z.node))


def joined(re: Tensor, im: Tensor) -> Tensor:
    return Tensor._of(build.complex_(re.node, im.node))


def _turned(z: Tensor) -> Tensor:
    """i z."""
    a, b = both(z)
    return joined(-b, a)


def _turned_back(z: Tensor) -> Tensor:
    """-i z."""
    a, b = both(z)
    return joined(b, -a)


def _signed_zero(*signs: Tensor) -> Tensor:
    """0 with the sign of a product."""
    zero = signs[0]._constant(0.0)
    for sign in signs:
        zero = zero.copysign(zero._constant(1.0).copysign(zero) * sign._constant(1.0).copysign(sign))
    return zero


def _times(x: Tensor, y: Tensor) -> Tensor:
    """x * y, and 0 where one of them is 0 whatever the other is."""
    return (x.eq(0) | y.eq(0))._choose(_signed_zero(x, y), x * y)


def length(z: Tensor) -> Tensor:
    """The distance from 0, a real tensor."""
    a, b = both(z)
    return a.hypot(b)


def angle(z: Tensor) -> Tensor:
    """The direction in radians, from -pi to pi."""
    a, b = both(z)
    return b.atan2(a)


def sign(z: Tensor) -> Tensor:
    """z / |z|, and 0 of 0."""
    a, b = both(z)
    size = length(z)
    nothing = size.eq(0)
    return joined(nothing._choose(0.0, a / size), nothing._choose(0.0, b / size))


def isinf(z: Tensor) -> Tensor:
    a, b = both(z)
    return a.isinf() | b.isinf()


def isfinite(z: Tensor) -> Tensor:
    a, b = both(z)
    return a.isfinite() & b.isfinite()


# --- exponentials and logarithms


def exp(z: Tensor) -> Tensor:
    a, b = both(z)
    half = (a * 0.5).exp()  # twice, so that exp(a) may overflow where the result does not
    large = a.abs() > 60

    def scaled(part: Tensor) -> Tensor:
        return large._choose(half * part * half, a.exp() * part)

    re, im = scaled(b.cos()), b.eq(0)._choose(b, scaled(b.sin()))
    lost = ~b.isfinite()  # a direction that is not known
    vanished, grown = a.eq(-math.inf) & lost, a.eq(math.inf) & lost
    re = vanished._choose(0.0, grown._choose(a, re))
    return joined(re, vanished._choose(0.0, im))


def expm1(z: Tensor) -> Tensor:
    """exp(z) - 1 without cancellation near 0: e^a cos b - 1 = (e^a - 1) cos b - 2 sin(b/2)^2."""
    a, b = both(z)
    whole_re, whole_im = both(exp(z))
    sine = (b * 0.5).sin()
    near = a.eq(0)._choose(0.0, a.expm1() * b.cos()) - 2 * sine * sine  # 0, not -0, of -0
    small = (a.abs() < 1) & b.isfinite()
    return joined(small._choose(near, whole_re - 1), whole_im)


def log(z: Tensor) -> Tensor:
    a, b = both(z)
    return joined(_log_length(a, b), b.atan2(a))


def log1p(z: Tensor) -> Tensor:
    """log(1 + z) without cancellation near 0."""
    a, b = both(z)
    small = (a.abs() < 0.5) & (b.abs() < 0.5)
    near = (a * (a + 2) + b * b).log1p() * 0.5
    return joined(small._choose(near, _log_length(a + 1, b)), b.atan2(a + 1))


def _log_length(a: Tensor, b: Tensor) -> Tensor:
    """log |a + bi|; near 1 from what its square lacks to 1, of which no digits are lost."""
    x, y = a.abs(), b.abs()
    larger, smaller = x.maximum(y), x.minimum(y)
    near = ((larger - 1) * (larger + 1) + smaller * smaller).log1p() * 0.5
    return ((larger > 0.5) & (larger < 2))._choose(near, a.hypot(b).log())


def sqrt(z: Tensor) -> Tensor:
    a, b = both(z)
    size = a.abs().maximum(b.abs())
    wide = z.dtype.bits == 128
    big, tiny = (1e300, 1e-290) if wide else (1e37, 1e-30)
    up = 2.0**80 if wide else 2.0**40
    scale = (size > big)._choose(0.25, (size < tiny)._choose(up * up, a._constant(1.0)))
    unscale = (size > big)._choose(2.0, (size < tiny)._choose(1 / up, a._constant(1.0)))
    c, d = a * scale, b * scale
    root = ((c.abs() + c.hypot(d)) * 0.5).sqrt()
    other = d.abs() / (root * 2)
    right = ~a.signbit()
    re = right._choose(root, other) * unscale
    im = (right._choose(other, root) * unscale).copysign(b)
    zero = a.eq(0) & b.eq(0)
    re, im = zero._choose(0.0, re), zero._choose(b, im)
    # on the real axis at infinity, one part is infinite and the other 0, or as unknown as b
    along, against = a.eq(math.inf), a.eq(-math.inf)
    unknown = b.isnan()
    re = along._choose(a, against._choose(unknown._choose(b, b._constant(0.0)), re))
    im = along._choose(
        unknown._choose(b, b._constant(0.0).copysign(b)), against._choose(a.abs().copysign(b), im)
    )
    far = b.isinf()
    return joined(far._choose(b.abs(), re), far._choose(b, im))


# --- hyperbolic and circular functions


def _spread(a: Tensor, b: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """first(a) cos b and second(a) sin b, where a may be infinite."""
    return _times(first, b.cos()), _times(second, b.sin())


def sinh(z: Tensor) -> Tensor:
    a, b = both(z)
    re, im = _spread(a, b, a.sinh(), a.cosh())
    unknown = a.isinf() & ~b.isfinite()
    return joined(unknown._choose(a, re), im)


def cosh(z: Tensor) -> Tensor:
    a, b = both(z)
    re, im = _spread(a, b, a.cosh(), a.sinh())
    unknown = a.isinf() & ~b.isfinite()
    return joined(unknown._choose(a.abs(), re), im)


def tanh(z: Tensor) -> Tensor:
    """Kahan's, from tan b and sinh a; far out it is 1, and the imaginary part what is left of it."""
    a, b = both(z)
    far = a.abs() > (20 if z.dtype.bits == 128 else 10)
    x = far._choose(0.0, a)
    tangent, s = b.tan(), x.sinh()
    beta = tangent * tangent + 1
    scale = 1 / (beta * s * s + 1)
    re, im = beta * (s * s + 1).sqrt() * s * scale, _times(tangent, scale)
    steep = ~beta.isfinite() & b.isfinite()
    re = steep._choose((s * s + 1).sqrt() / s, re)
    im = steep._choose(1 / tangent, im)
    left = 4 * b.sin() * b.cos() * (a.abs() * -2).exp()
    ahead = a._constant(1.0).copysign(a)
    endless = a.isinf() & ~b.isfinite()  # else b, which is no direction, leaves nothing
    left = endless._choose(b._constant(0.0).copysign(b), left)
    ahead = (endless | b.isfinite())._choose(ahead, math.nan)
    re, im = far._choose(ahead, re), far._choose(left, im)
    still = a.eq(0) & ~b.isfinite()
    re = still._choose(a, re)
    im = (b.eq(0))._choose(b, im)
    return joined(re, im)


def sin(z: Tensor) -> Tensor:
    return _turned_back(sinh(_turned(z)))


def cos(z: Tensor) -> Tensor:
    return cosh(_turned(z))


def tan(z: Tensor) -> Tensor:
    return _turned_back(tanh(_turned(z)))


# --- their inverses


def acos(z: Tensor) -> Tensor:
    a, b = both(z)
    (p, q), (r, s) = both(sqrt(joined(1 - a, -b))), both(sqrt(joined(1 + a, b)))
    re = p.atan2(r) * 2
    im = (r * q - s * p).asinh()
    far = isinf(z)
    re = far._choose(b.abs().atan2(a), re)
    im = far._choose((-b._constant(math.inf)).copysign(-b), im)
    level = a.eq(0) & b.isnan()  # half a turn, whatever b is
    return joined(level._choose(math.pi / 2, re), im)


def acosh(z: Tensor) -> Tensor:
    _, b = both(z)
    re, im = both(acos(z))
    return joined(im.abs(), re.copysign(b))


def asin(z: Tensor) -> Tensor:
    return _turned_back(asinh(_turned(z)))


def asinh(z: Tensor) -> Tensor:
    a, b = both(z)
    # asinh(z) = i asin(-i z), with sqrt(1 - w) and sqrt(1 + w) of w = -i z = b - i a
    (p, q), (r, s) = both(sqrt(joined(1 - b, a))), both(sqrt(joined(1 + b, -a)))
    re = (q * r - p * s).asinh()
    im = b.atan2(p * r - q * s)
    far = isinf(z)
    re = far._choose(a._constant(math.inf).copysign(a), re)
    im = far._choose(b.atan2(a.abs()), im)
    level = b.eq(0) & a.isnan()
    return joined(level._choose(a, re), level._choose(b, im))


def atan(z: Tensor) -> Tensor:
    return _turned_back(atanh(_turned(z)))


def atanh(z: Tensor) -> Tensor:
    a, b = both(z)
    x, y = a.abs(), b.abs()
    far = (x.maximum(y)) > 1e9  # where squares need not be taken
    c, d = far._choose(0.5, x), far._choose(0.5, y)
    near = (c * 4 / ((1 - c) * (1 - c) + d * d)).log1p() * 0.25
    size = x.hypot(y)
    beyond = size.isinf()._choose(0.0, x / size / size)
    re = far._choose(beyond, near).copysign(a)
    turn = (d * 2).atan2((1 - c) * (1 + c) - d * d) * 0.5
    im = far._choose(math.pi / 2, turn).copysign(b)
    # an infinite part decides the real one; what is not known of the other stays so
    endless = isinf(z)
    re = endless._choose(_signed_zero(a), (a.eq(0) & b.isnan())._choose(a, re))
    im = b.isnan()._choose(b, b.isinf()._choose(b._constant(math.pi / 2).copysign(b), im))
    return joined(re, im)
