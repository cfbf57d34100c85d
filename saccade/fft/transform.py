"""The discrete Fourier transform along the last axis, as products with small matrices.

Cooley and Tukey's step takes n = radix * rest points, as a matrix (radix, rest), to

    transforms of its columns    a product with the matrix of `radix` points
    times twiddles               exp(-2 pi i a b / n)
    transforms of its rows       the same again, with `rest` points
    read column by column        where the result is

so a transform of 4096 points is three products with a 16 x 16 matrix. Points that have a large prime factor
are brought to a power of two by Bluestein's chirp. In: the parts of complex numbers as two real tensors, so
that each product is one of real matrices; the imaginary one may be None, for 0. Out: two real tensors.
"""

from __future__ import annotations

from typing import Final

from ..tensor.tensor import Tensor
from .tables import Pair, chirp, half_circle, matrix, twiddles

#: the number of points a matrix is for: what is larger is taken in steps of this, where its factors allow
RADIX: Final = 16
#: prime factors up to here are a matrix, larger ones a chirp
MOST_PRIME: Final = 61

Parts = tuple[Tensor, Tensor | None]


def forward(parts: Parts) -> Pair:
    """The transform along the last axis, with exp(-2 pi i jk / n)."""
    return _transformed(parts, radices(parts[0].shape[-1]))


def inverse(parts: Parts) -> Pair:
    """The same with exp(+2 pi i jk / n), not divided by n: of (im, re), it is (im, re) of the other."""
    re, im = parts
    other, one = forward((re.zeros_like() if im is None else im, re))
    return one, other


def forward_real(x: Tensor) -> Pair:
    """The first n // 2 + 1 results for n real numbers. Of an even number, those in even and in odd places are
    the parts of half as many complex points, whose transform Z[k] is E[k] + i O[k] of the two."""
    n = x.shape[-1]
    if n % 2:
        re, im = forward((x, None))
        return re.narrow(-1, 0, n // 2 + 1), im.narrow(-1, 0, n // 2 + 1)
    pairs = x.reshape(*x.shape[:-1], n // 2, 2)
    re, im = forward((pairs.select(-1, 0), pairs.select(-1, 1)))
    re, im = (_closed(part.contiguous()) for part in (re, im))
    even, odd = _apart(re, im)
    turned = _turned(odd, half_circle(n, x.dtype, x.device))
    return (even[0] + turned[0]) * 0.5, (even[1] + turned[1]) * 0.5


def inverse_real(parts: Pair, n: int) -> Tensor:
    """The way back from n // 2 + 1 results to n real numbers, not divided by n. What those cannot have, an
    imaginary part of the first and of the middle one, is left out, as everywhere."""
    re, im = parts
    lead, half = re.shape[:-1], n // 2
    place = Tensor.arange(half + 1, device=re.device)
    im = (place.eq(0) | (place * 2).eq(n))._choose(0.0, im).cast(re.dtype)
    if n % 2:
        ends = (part.narrow(-1, 1, half).flip(-1) for part in (re, -im))
        re, im = (Tensor.cat([part, end], -1) for part, end in zip((re, im), ends, strict=True))
        return inverse((re, im))[0]
    even, (c, d) = _apart(re, im)
    cosine, sine = half_circle(n, re.dtype, re.device)
    # of X = E + w O, with w on the half circle: 2 E and, from 2 w O, 2 O
    odd = _turned((-d, c), (cosine, -sine))
    re, im = (part.narrow(-1, 0, half).contiguous() for part in (even[0] - odd[1], even[1] + odd[0]))
    return Tensor.stack(inverse((re, im)), -1).reshape(*lead, n)


def _closed(x: Tensor) -> Tensor:
    """A ring with its first element at the end once more."""
    return Tensor.cat([x, x.narrow(-1, 0, 1)], -1)


def _apart(re: Tensor, im: Tensor) -> tuple[Pair, Pair]:
    """Z + conj(Z read backwards), and the difference of the two over i."""
    a, b = re.flip(-1), im.flip(-1)
    return (re + a, im - b), (im + b, a - re)


def radices(n: int) -> tuple[int, ...]:
    """Factors of n, each of so many points that a matrix or a chirp transforms them at once.

    >>> radices(4096), radices(360), radices(2 * 1009)
    ((16, 16, 16), (10, 12, 3), (2, 1009))
    """
    primes = _primes(n)
    small, large = [p for p in primes if p <= MOST_PRIME], [p for p in primes if p > MOST_PRIME]
    found: list[int] = []
    while small:
        step = small.pop()
        for prime in sorted(small, reverse=True):
            if step * prime <= RADIX:
                step *= prime
                small.remove(prime)
        found.append(step)
    rest = 1
    for prime in large:
        rest *= prime
    return (*found, *([rest] if large or not found else []))


def _primes(n: int) -> list[int]:
    """The prime factors, in ascending order."""
    found, prime = [], 2
    while prime * prime <= n:
        while n % prime == 0:
            found.append(prime)
            n //= prime
        prime += 1
    return [*found, n] if n > 1 else found


def _transformed(parts: Parts, steps: tuple[int, ...]) -> Pair:
    radix, *left = steps
    if not left:
        return _by_chirp(parts, radix) if radix > max(RADIX, MOST_PRIME) else _by_matrix(parts, radix)
    lead, n = parts[0].shape[:-1], parts[0].shape[-1]
    rest = n // radix
    columns = tuple(None if part is None else part.reshape(*lead, radix, rest) for part in parts)
    table = matrix(radix, parts[0].dtype, parts[0].device)
    re, im = _product(table, columns)  # type: ignore[arg-type]
    re, im = _turned((re, im), twiddles(radix, rest, re.dtype, re.device))
    # stored: every point of a row is read by all of its results
    rows = _transformed((re.contiguous(), im.contiguous()), tuple(left))
    first, second = (part.mT.reshape(*lead, n) for part in rows)
    return first, second


def _by_matrix(parts: Parts, n: int) -> Pair:
    table = matrix(n, parts[0].dtype, parts[0].device)
    re, im = parts
    made = _product(table, (re.unsqueeze(-1), None if im is None else im.unsqueeze(-1)))
    return made[0].squeeze(-1), made[1].squeeze(-1)


def _product(table: Pair, columns: Parts) -> Pair:
    """The complex matrix (r, r) times columns (..., r, m)."""
    (c, s), (re, im) = table, columns
    if im is None:
        return c @ re, s @ re
    return c @ re - s @ im, c @ im + s @ re


def _turned(parts: Parts, factors: Pair) -> Pair:
    (re, im), (c, s) = parts, factors
    if im is None:
        return re * c, re * s
    return re * c - im * s, re * s + im * c


def _by_chirp(parts: Parts, n: int) -> Pair:
    """Bluestein's: jk = (j^2 + k^2 - (j - k)^2) / 2 makes the transform a convolution with a chirp, which is
    a product of transforms of any length from 2n - 1 on."""
    length = 1 << (2 * n - 2).bit_length()
    wave, around = chirp(n, length, parts[0].dtype, parts[0].device)
    re, im = (part.pad((0, length - n)) for part in _turned(parts, wave))
    re, im = _turned(forward((re.contiguous(), im.contiguous())), around)
    re, im = inverse((re.contiguous(), im.contiguous()))
    re, im = (part.narrow(-1, 0, n) * (1 / length) for part in (re, im))
    return _turned((re, im), wave)


__all__ = ["MOST_PRIME", "RADIX", "forward", "forward_real", "inverse", "inverse_real", "radices"]
