"""The discrete Fourier transform along the last axis but one, in steps of a few points.

Cooley and Tukey's step takes n = radix * rest points, as a matrix (radix, rest), to

    transforms of its columns    a butterfly: straight code for `radix` points, many columns at a time
    times twiddles               exp(-2 pi i a b / n)
    transforms of its rows       the same again, with `rest` points
    read column by column        where the result is

so a transform of 4096 points is four steps on a CPU, each of which reads and writes every point once, and
three on a GPU: one kernel, where a row stays in fast memory (`schedule.rows.row_steps`). A prime up to
61 is a product with a matrix; points that have a larger one are brought to a power of two by Bluestein's
chirp. In: the parts of complex numbers as two real tensors (..., n, columns); the imaginary one may be None,
for 0. Out: two real tensors. Between the steps both parts are one tensor (..., 2, n, columns). Each column is
transformed for itself: those of a matrix lie as they are, side by side, and a row is a single column.
"""

from __future__ import annotations

from typing import Final

from ..graph import dtypes
from ..runtime.cpu.machine import host_registers
from ..tensor.tensor import Tensor
from .butterfly import butterfly, turned
from .tables import Pair, chirp, half_circle, matrix, twiddles

#: the most points of a step, where the factors allow: by a core's vector registers, and by the registers that
#: a thread of a GPU has for float32
RADIX: Final = 8
WIDE_RADIX: Final = 16
#: bytes of a core's registers that make steps of so many points worth what they spill
WIDE_REGISTERS: Final = 64
#: prime factors up to here are a butterfly or a matrix, larger ones a chirp
MOST_PRIME: Final = 61

Parts = tuple[Tensor, Tensor | None]


def forward(parts: Parts) -> Pair:
    """The transform along the axis -2, with exp(-2 pi i jk / n)."""
    re, im = parts
    whole = re.unsqueeze(-3) if im is None else Tensor.stack((re, im), -3).contiguous()
    return _apart(_forward(whole))


def inverse(parts: Parts) -> Pair:
    """The same with exp(+2 pi i jk / n), not divided by n: of (im, re), it is (im, re) of the other."""
    re, im = parts
    other, one = forward((re.zeros_like() if im is None else im, re))
    return one, other


def forward_real(x: Tensor) -> Pair:
    """The first n // 2 + 1 results for n real numbers. Of an even number, those in even and in odd places are
    the parts of half as many complex points, whose transform Z[k] is E[k] + i O[k] of the two."""
    *lead, n, columns = x.shape
    if n % 2:
        re, im = forward((x, None))
        return re.narrow(-2, 0, n // 2 + 1), im.narrow(-2, 0, n // 2 + 1)
    pairs = x.reshape(*lead, n // 2, 2, columns)
    z = _forward(pairs.transpose(-3, -2).contiguous())
    # with its first point at the end once more
    inside = Tensor.arange(n // 2 + 1, device=x.device).unsqueeze(-1) < n // 2
    ring = inside._choose(z.pad((0, 0, 0, 1)), z.narrow(-2, 0, 1))
    # a core reads vectors of it backwards
    ring = ring if _on_gpu(x) else ring.contiguous()
    even, odd = _even_and_odd(*_apart(ring))
    turned = _turned(odd, half_circle(n, x.dtype, x.device))
    return (even[0] + turned[0]) * 0.5, (even[1] + turned[1]) * 0.5


def inverse_real(parts: Pair, n: int) -> Tensor:
    """The way back from n // 2 + 1 results to n real numbers, not divided by n. What those cannot have, an
    imaginary part of the first and of the middle one, is left out, as everywhere."""
    re, im = parts
    *lead, _, columns = re.shape
    half = n // 2
    place = Tensor.arange(half + 1, device=re.device).unsqueeze(-1)
    if n % 2:
        im = place.eq(0)._choose(0.0, im).cast(re.dtype)
        ends = (part.narrow(-2, 1, half).flip(-2) for part in (re, -im))
        re, im = (Tensor.cat([part, end], -2) for part, end in zip((re, im), ends, strict=True))
        return inverse((re, im))[0]
    # the first and the middle one meet in the first place alone
    first = place.narrow(-2, 0, half).eq(0)
    even, odd = ([part.narrow(-2, 0, half) for part in parts] for parts in _even_and_odd(re, im))
    even[1], odd[0] = (first._choose(0.0, part).cast(re.dtype) for part in (even[1], odd[0]))
    cosine, sine = (part.narrow(-2, 0, half) for part in half_circle(n, re.dtype, re.device))
    # of X = E + w O, with w on the half circle: 2 E and, from 2 w O, 2 O
    turned = _turned((-odd[1], odd[0]), (cosine, -sine))
    re, im = even[0] - turned[1], even[1] + turned[0]
    return Tensor.stack(inverse((re, im)), -2).reshape(*lead, n, columns)


def _forward(z: Tensor) -> Tensor:
    """The transform of points (..., parts, n, columns), to (..., 2, n, columns)."""
    return _transformed(z.unsqueeze(-2), _steps(z))


def _steps(z: Tensor) -> tuple[int, ...]:
    """The factors of a transform: as few and as even as they can be where registers hold many points, those
    of a GPU's thread for float32, or AVX-512."""
    n = z.shape[-2]
    if z.dtype is not dtypes.float32 if _on_gpu(z) else host_registers().bytes < WIDE_REGISTERS:
        return radices(n)
    ways = [radices(n, most) for most in range(2, WIDE_RADIX + 1)]
    return min(ways, key=len)


def _on_gpu(z: Tensor) -> bool:
    return z.device.removeprefix("null:").startswith("cuda")


def _apart(z: Tensor) -> Pair:
    return z.select(-3, 0), z.select(-3, 1)


def _even_and_odd(re: Tensor, im: Tensor) -> tuple[Pair, Pair]:
    """Z + conj(Z read backwards), and the difference of the two over i."""
    a, b = re.flip(-2), im.flip(-2)
    return (re + a, im - b), (im + b, a - re)


def radices(n: int, most: int = RADIX) -> tuple[int, ...]:
    """Factors of n, each of so many points that a butterfly of at `most` so many, a matrix or a chirp
    transforms at once.

    >>> radices(4096), radices(4096, 16), radices(360), radices(2 * 1009)
    ((8, 8, 8, 8), (16, 16, 16), (5, 6, 6, 2), (2, 1009))
    """
    primes = _primes(n)
    small, large = [p for p in primes if p <= MOST_PRIME], [p for p in primes if p > MOST_PRIME]
    found: list[int] = []
    while small:
        step = small.pop()
        for prime in sorted(small, reverse=True):
            if step * prime <= most:
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


def _transformed(z: Tensor, steps: tuple[int, ...]) -> Tensor:
    """Points (..., parts, n, made, columns), of real numbers with one part, to (..., 2, n * made, columns):
    what a step transformed are columns of the next, so results come in their order (Stockham)."""
    radix, *left = steps
    *lead, parts, n, before, columns = z.shape
    if radix > MOST_PRIME:
        whole = _by_chirp(z.reshape(*lead, parts, n, before * columns))
        return whole.reshape(*lead, 2, n * before, columns)
    rest = n // radix
    points = z.reshape(*lead, parts, radix, rest, before, columns)
    factors = twiddles(radix, rest, z.dtype, z.device) if left else None
    step = _by_butterfly if radix <= WIDE_RADIX else _by_matrix
    # stored: every point is read by all of its results
    made = step(points, factors).reshape(*lead, 2, radix, rest, before, columns)
    if not left:
        return made.contiguous().reshape(*lead, 2, n * before, columns)
    z = made.transpose(-4, -3).contiguous().reshape(*lead, 2, rest, radix * before, columns)
    return _transformed(z, tuple(left))


def _by_butterfly(points: Tensor, factors: Pair | None) -> Tensor:
    """Points (..., parts, radix, rest, made, columns), transformed and turned by (radix, rest, 1, 1): (..., 2
    radix, rest, made, columns)."""
    parts, radix = points.shape[-5:-3]
    lines = [[points.select(-5, part).select(-4, i) for i in range(radix)] for part in range(parts)]
    zero = lines[0][0].zeros_like()
    made = butterfly([(line[0], line[1] if parts == 2 else None) for line in zip(*lines, strict=True)])
    whole: list[Parts] = [(zero if re is None else re, im) for re, im in made]
    if factors is not None:  # the first is turned by nothing
        c, s = factors
        whole[1:] = [_turned(point, (c[i], s[i])) for i, point in enumerate(whole[1:], 1)]
    return Tensor.stack([re for re, _ in whole] + [zero if im is None else im for _, im in whole], -4)


def _by_matrix(points: Tensor, factors: Pair | None) -> Tensor:
    """The same for a larger prime, as a product."""
    *lead, parts, radix, rest, before, columns = points.shape
    table = matrix(radix, parts, points.dtype, points.device)
    made = table @ points.reshape(*lead, parts * radix, rest * before * columns)
    made = made.reshape(*lead, 2, radix, rest, before, columns)
    if factors is None:
        return made
    pair = _turned((made.select(-5, 0), made.select(-5, 1)), factors)
    return Tensor.stack(pair, -5)


def _turned(parts: Parts, factors: Pair) -> Pair:
    re, im = turned(parts, *factors)
    assert re is not None
    assert im is not None
    return re, im


def _by_chirp(z: Tensor) -> Tensor:
    """Bluestein's: jk = (j^2 + k^2 - (j - k)^2) / 2 makes the transform a convolution with a chirp, which is
    a product of transforms of any length from 2n - 1 on. (..., parts, n, columns) to (..., 2, n, columns)."""
    *_, count, n, _ = z.shape
    parts = z.select(-3, 0), z.select(-3, 1) if count == 2 else None
    length = 1 << (2 * n - 2).bit_length()
    wave, around = chirp(n, length, z.dtype, z.device)
    re, im = (part.pad((0, 0, 0, length - n)) for part in _turned(parts, wave))
    re, im = inverse(_turned(forward((re, im)), around))
    re, im = (part.narrow(-2, 0, n) * (1 / length) for part in (re, im))
    return Tensor.stack(_turned((re, im), wave), -3)


__all__ = [
    "MOST_PRIME",
    "RADIX",
    "WIDE_RADIX",
    "forward",
    "forward_real",
    "inverse",
    "inverse_real",
    "radices",
]
