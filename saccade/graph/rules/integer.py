"""Rules for integer arithmetic: canonical sums, floor division and remainder.

    (r0*56 + r1) // 56 -> r0          when 0 <= r1 < 56
    (r0*56 + r1) % 56  -> r1
    (r//4)*4 + r%4     -> r

These are what remains of reshapes once movement has become indexing. A sum is rewritten as a whole (see
`sums`), so each function here covers any number of terms; its laws state the algebra with the terms
gathered into two. Sums hold in wrapping arithmetic. Division does not, so it is only touched where
intervals show that nothing wraps.
"""

from __future__ import annotations

from math import gcd

from ..dtypes import DType
from ..node import Node, const, make
from ..ops import Op
from . import sums
from .bounds import bounds, fits
from .simplifier import Family, simplifies, simplify
from .sums import Terms, affine, build, exact, interval


@simplifies(
    Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.SHL, on=Family.INDEX,
    laws=(
        "a*x + b*x -> (a + b)*x",
        "a*(x + y) -> a*x + a*y",
        "x - y -> x + y*(-1)",
        "-x -> x*(-1)",
        "(a*x)*(b*y) -> (a*b)*(x*y)",
        "x//c*c + x%c -> x",
        "(x + c*d)//c*c + x%c -> x + c*d if c > 0",
        "(x//a % b)*a + x%a -> x % (a*b) if a > 0 and b > 0",
    ),
)  # fmt: skip
def collect(node: Node) -> Node | None:
    """The canonical form of a sum: like terms together, quotients and remainders rejoined."""
    terms, constant = affine(node)
    # one join makes the next: r0//3*6 + r//2%3*2 + r%2 -> r//2*2 + r%2 -> r
    while len(terms) > 1 and (rejoined := _rejoin(terms, constant, node.dtype)) is not None:
        terms, constant = rejoined
    return build(terms, constant, node.dtype)


def _rejoin(terms: Terms, constant: int, dtype: DType) -> sums.Affine | None:
    """A remainder joins its quotient, k*n*(x // n) + k*(x % n) -> k*x, or the remainder of its quotient."""
    for low, factor in terms.items():
        if low.op is not Op.MOD:
            continue
        n = _positive_constant(low.src[1])
        if n is None:
            continue
        x = low.src[0]
        quotient = simplify(make(Op.IDIV, dtype, low.src))
        parts, _ = affine(quotient)
        if parts and all(terms.get(part) == factor * n * c for part, c in parts.items()):
            without = sums.add((terms, constant), ({low: factor}, 0), -1)
            without = sums.add(without, affine(quotient), -factor * n)
            return sums.add(without, affine(x), factor)
        for high, high_factor in terms.items():
            if high.op is Op.IDIV and high_factor == factor * n and high.src[1] is low.src[1]:
                whole = affine(high.src[0])
                if _same_remainder(whole, affine(x), n, dtype):
                    without = sums.add((terms, constant), ({low: factor, high: high_factor}, 0), -1)
                    return sums.add(without, whole, factor)
            if high.op is Op.MOD and high_factor == factor * n and high.src[0] is quotient:
                m = _positive_constant(high.src[1])
                if m is not None and fits(n * m, n * m, dtype):
                    without = sums.add((terms, constant), ({low: factor, high: high_factor}, 0), -1)
                    joined = simplify(make(Op.MOD, dtype, (x, const(n * m, dtype))))
                    return sums.add(without, affine(joined), factor)
    return None


def _same_remainder(a: sums.Affine, b: sums.Affine, n: int, dtype: DType) -> bool:
    """Do two sums that do not wrap differ by a multiple of n?"""
    terms, constant = sums.add(a, b, -1)
    apart = constant % n or any(c % n for c in terms.values())
    return not apart and exact(*a, dtype) and exact(*b, dtype)


def _positive_constant(node: Node) -> int | None:
    return int(node.arg) if node.op is Op.CONST and node.arg > 0 else None


@simplifies(
    Op.IDIV,
    on=Family.INDEX,
    laws=(
        "x // 1 -> x",
        "x // 0 -> 0",
        "x // (-c) -> (-x) // c if c > 0",
        "(a*c + b) // c -> a + b//c if c > 0",
        "(a*g + b) // (g*n) -> (a + b//g) // n if g > 0 and n > 0",
        "(x//a + k) // b -> (x + k*a) // (a*b) if a > 0 and b > 0",
        "x % (n*m) // n -> x//n % m if n > 0 and m > 0 by x//n//m == x//(n*m)",
    ),
)
def divide(node: Node) -> Node | None:
    """Floor division of a sum by a constant."""
    x, divisor = node.src
    dtype = node.dtype
    if divisor.op is not Op.CONST:
        return None
    n: int = divisor.arg
    if n == 1:
        return x
    if n == 0:
        return const(0, dtype)
    terms, constant = affine(x)
    if not exact(terms, constant, dtype):
        return None
    if n < 0:
        opposite = sums.scale((terms, constant), -1)
        return build(*opposite, dtype) // -n if exact(*opposite, dtype) and n > dtype.min else None
    return _take_out_multiples(terms, constant, n, dtype) or _divide_rest(terms, constant, n, dtype)


def _take_out_multiples(terms: Terms, constant: int, n: int, dtype: DType) -> Node | None:
    """(a*n + b) // n -> a + b//n"""
    whole = {t: c // n for t, c in terms.items() if c % n == 0}
    over, left = divmod(constant, n)
    if not whole and not over:
        return None
    rest = {t: c for t, c in terms.items() if c % n}
    if not exact(rest, left, dtype) or not exact(whole, over, dtype):
        return None
    return build(whole, over, dtype) + (build(rest, left, dtype) // n)


def _divide_rest(terms: Terms, constant: int, n: int, dtype: DType) -> Node | None:
    """(a*g + b) // (g*m) -> (a + b//g) // m for a factor g where b // g is known"""
    for g in _factors(terms, n):
        small = {t: c for t, c in terms.items() if c % g}
        low, high = interval(small, constant)
        if low // g == high // g:
            large = {t: c // g for t, c in terms.items() if c % g == 0}
            if exact(large, low // g, dtype):
                return build(large, low // g, dtype) // (n // g)
    return _divide_again(terms, constant, n, dtype)


def _divide_again(terms: Terms, constant: int, n: int, dtype: DType) -> Node | None:
    """(x//m + k) // n -> (x + k*m) // (m*n) and x % (n*m) // n -> x//n % m"""
    if len(terms) != 1:
        return None
    ((term, coefficient),) = terms.items()
    m = _positive_constant(term.src[1]) if term.op in (Op.IDIV, Op.MOD) else None
    if coefficient != 1 or m is None:
        return None
    y = term.src[0]
    if term.op is Op.IDIV:
        inner = sums.add(affine(y), ({}, constant * m))
        if exact(*affine(y), dtype) and exact(*inner, dtype) and fits(m * n, m * n, dtype):
            return build(*inner, dtype) // (m * n)
    elif constant == 0 and m % n == 0:
        return (y // n) % (m // n)
    return None


def _factors(terms: Terms, n: int) -> list[int]:
    """The factors of n that some coefficient shares, larger ones first."""
    return sorted({gcd(c, n) for c in terms.values()} - {1}, reverse=True)


@simplifies(
    Op.MOD,
    on=Family.INDEX,
    laws=(
        "x % 0 -> x",
        "x % n -> x - q*n if n > 0 and q*n <= x and x < q*n + n",
        "(a*c + b) % c -> b % c if c > 0",
        "(x % (n*m) * k + y) % n -> (x*k + y) % n if n > 0 and m > 0",
        "(a*g + b) % (g*n) -> (a + q) % n * g + b - q*g if g > 0 and n > 0 and q*g <= b and b < q*g + g"
        " by (a*g + b) // (g*n) == (a + q) // n",
    ),
)
def remainder(node: Node) -> Node | None:
    """The remainder of a sum by a constant."""
    x, divisor = node.src
    dtype = node.dtype
    if divisor.op is not Op.CONST:
        return None
    n: int = divisor.arg
    if n == 0:
        return x
    terms, constant = affine(x)
    if n < 0 or not exact(terms, constant, dtype):
        return None
    low, high = bounds(x)
    if low // n == high // n:
        return build(terms, constant - int(low // n) * n, dtype)
    reduced = _reduce(terms, constant, n)
    if exact(*reduced, dtype):
        if reduced != (terms, constant):
            return build(*reduced, dtype) % n
        terms, constant = reduced
    for g in _factors(terms, n):
        small = {t: c for t, c in terms.items() if c % g}
        low, high = interval(small, constant)
        quotient = low // g
        if quotient == high // g and g < n:
            large = {t: c // g for t, c in terms.items() if c % g == 0}
            if exact(large, quotient, dtype):
                rest = build(small, constant - quotient * g, dtype)
                return (build(large, quotient, dtype) % (n // g)) * g + rest
    return None


def _reduce(terms: Terms, constant: int, n: int) -> sums.Affine:
    """The sum without multiples of n; inner remainders by a multiple of n are opened."""
    total: sums.Affine = ({}, 0)
    waiting = [(terms, constant, 1)]  # sums that are part of it so many times
    while waiting:
        terms, constant, times = waiting.pop()
        total = sums.add(total, ({}, constant % n), times)
        for term, coefficient in terms.items():
            left = coefficient % n if coefficient > 0 else -(-coefficient % n)
            inner = _positive_constant(term.src[1]) if term.op is Op.MOD else None
            if left and inner is not None and inner % n == 0:
                opened = affine(term.src[0])
                if exact(*opened, term.dtype):
                    waiting.append((*opened, times * left))
                    continue
            if left:
                total = sums.add(total, ({term: left}, 0), times)
    return (total[0], total[1] % n)
