"""Sums of integers: every integer node is a sum of coefficients times terms plus a constant.

    >>> affine(r0 * 56 + (r1 - 1) * 2)
    ({r0: 56, r1: 2}, -2)

A term is anything that is not itself a sum. The decomposition holds in the arithmetic of the dtype, which
wraps; `exact` says when it also holds in the integers, which is what division and comparison need. `build`
is the way back and gives the one canonical node of a sum: outer ranges first, so that what an inner loop
does not change stands together on the left, and the constant last.
"""

from __future__ import annotations

import zlib
from math import gcd

from ..dtypes import DType, int32, int64
from ..node import Node, make
from ..ops import Op
from .bounds import bounds, fits

Terms = dict[Node, int]
Affine = tuple[Terms, int]

#: longer sums are kept as they are written: collecting each of their partial sums would take quadratic time
MAX_TERMS = 24


def affine(node: Node) -> Affine:
    """`(terms, constant)`: node = sum(coefficient * term) + constant. Shared, so not to be changed."""
    op = node.op
    if op is Op.CONST:
        return ({}, node.arg)
    if op not in _SUMS:
        return ({node: 1}, 0)
    try:
        found = node._affine
    except AttributeError:
        for source in node.src:
            if _undecomposed(source):
                for n in node.toposort(_undecomposed):
                    n._affine = _decompose(n)
                break
        else:
            node._affine = _decompose(node)
        found = node._affine
    return ({node: 1}, 0) if found is None else found


def is_index(dtype: DType) -> bool:
    """Are sums of this dtype collected? Not unsigned ones: hashing lives on its shared subterms."""
    return dtype is int64 or dtype is int32


def coefficient_of(node: Node, loop: Node) -> int | None:
    """The constant c with node = c * loop + rest, and rest independent of the range; None without one."""
    if loop not in node.ranges:
        return 0
    found = 0
    for term, coefficient in affine(node)[0].items():
        if term is loop:
            found = coefficient
        elif loop in term.ranges:
            return None
    return found


def interval(terms: Terms, constant: int) -> tuple[int, int]:
    """The interval of a sum in the integers, whatever its dtype."""
    low = high = constant
    for term, coefficient in terms.items():
        a, b = bounds(term)
        if coefficient >= 0:
            low, high = low + coefficient * int(a), high + coefficient * int(b)
        else:
            low, high = low + coefficient * int(b), high + coefficient * int(a)
    return (low, high)


def exact(terms: Terms, constant: int, dtype: DType) -> bool:
    """Is the sum in the dtype equal to the sum in the integers?"""
    return fits(*interval(terms, constant), dtype)


def build(terms: Terms, constant: int, dtype: DType) -> Node:
    """The canonical node of a sum, already as simple as sums get; its terms have to be simple themselves."""
    constant = centred(constant, dtype)
    if not terms:
        return make(Op.CONST, dtype, (), constant)
    items = list(terms.items())
    if len(items) > 1:
        items.sort(key=_position)
    total: Node | None = None
    so_far: Terms = {}
    for term, coefficient in items:
        subtract = coefficient == -1 and total is not None
        part = term
        if coefficient != 1 and not subtract:
            part = _sum(Op.MUL, term, make(Op.CONST, dtype, (), coefficient), {term: coefficient}, 0)
        so_far[term] = coefficient
        total = part if total is None else _sum(Op.SUB if subtract else Op.ADD, total, part, so_far.copy(), 0)
    assert total is not None
    if constant == 0:
        return total
    return _sum(Op.ADD, total, make(Op.CONST, dtype, (), constant), so_far, constant)


def add(left: Affine, right: Affine, factor: int = 1) -> Affine:
    """left + factor * right"""
    terms = left[0].copy()
    for term, coefficient in right[0].items():
        total = terms.get(term, 0) + factor * coefficient
        if total:
            terms[term] = total
        else:
            terms.pop(term, None)
    return (terms, left[1] + factor * right[1])


def scale(value: Affine, factor: int) -> Affine:
    return ({t: c * factor for t, c in value[0].items()}, value[1] * factor) if factor else ({}, 0)


def common_factor(terms: Terms) -> int:
    """The greatest common divisor of the coefficients; 0 for no terms."""
    return gcd(*terms.values())


def centred(value: int, dtype: DType) -> int:
    """The number of least magnitude that is `value` in the dtype's wrapping arithmetic."""
    half = 1 << (dtype.bits - 1)
    return value if -half <= value < half else ((value + half) & ((1 << dtype.bits) - 1)) - half


def position(node: Node) -> tuple[int, int]:
    """A sort key that depends on what a node is, not on when it was made: its innermost range, then a hash.

    The hash is made of numbers only, so it is the same in every process.
    """
    try:
        return node._place
    except AttributeError:
        for source in node.src:
            if not hasattr(source, "_place"):
                for n in node.toposort(lambda n: not hasattr(n, "_place")):
                    n._place = _place(n)
                return node._place
        node._place = _place(node)
        return node._place


def _place(node: Node) -> tuple[int, int]:
    arg = node.arg
    parts = [node.op.value, node.dtype.bits]
    innermost = -1
    if node.op is Op.RANGE:
        innermost = arg if type(arg) is int else getattr(arg, "number", 0)
        parts.append(innermost)  # not its kind: a loop that is bound to threads does not change places
    elif arg is not None:
        parts.append(arg if type(arg) is int else zlib.crc32(repr(arg).encode()))
    for source in node.src:
        below, digest = source._place
        parts.append(digest)
        if below > innermost:
            innermost = below
    return (innermost, hash(tuple(parts)))


def _position(item: tuple[Node, int]) -> tuple[int, int]:
    return position(item[0])


def _undecomposed(node: Node) -> bool:
    return node.op in _SUMS and not hasattr(node, "_affine")


_SUMS = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.SHL})


def _sum(op: Op, left: Node, right: Node, terms: Terms, constant: int) -> Node:
    """A node whose decomposition is known because it was built from it."""
    node = make(op, left.dtype, (left, right), None)
    if not hasattr(node, "_simple"):
        node._affine = (terms, constant)
        node._simple = None
    return node


def _decompose(node: Node) -> Affine | None:
    """None for a node that is its own only term: one that holds itself would never be released."""
    op, dtype = node.op, node.dtype
    if not is_index(dtype):
        return None
    left = affine(node.src[0])
    if op is Op.NEG:
        return _wrapped(scale(left, -1), dtype)
    right = affine(node.src[1])
    if op is Op.ADD or op is Op.SUB:
        if len(left[0]) + len(right[0]) > MAX_TERMS:
            return None
        return _wrapped(add(left, right, 1 if op is Op.ADD else -1), dtype)
    if op is Op.SHL:
        shift = right[1]
        if right[0] or not 0 <= shift < dtype.bits:
            return None
        return _wrapped(scale(left, 1 << shift), dtype)
    if not right[0]:
        return _wrapped(scale(left, right[1]), dtype)
    if not left[0]:
        return _wrapped(scale(right, left[1]), dtype)
    return _product(node, left, right)


def _product(node: Node, left: Affine, right: Affine) -> Affine | None:
    """(a * x) * (b * y) -> (a * b) * (x * y), the operands in their order"""
    factor = 1
    operands = []
    for source, (terms, constant) in zip(node.src, (left, right), strict=True):
        if len(terms) == 1 and constant == 0:
            ((term, coefficient),) = terms.items()
            factor *= coefficient
            operands.append(term)
        else:
            operands.append(source)
    operands.sort(key=position)
    product = make(Op.MUL, node.dtype, tuple(operands), None)
    return None if product is node else _wrapped(({product: factor}, 0), node.dtype)


def _wrapped(value: Affine, dtype: DType) -> Affine:
    """Coefficients brought back into the dtype; those that become 0 go."""
    terms, constant = value
    half = 1 << (dtype.bits - 1)
    for coefficient in terms.values():
        if not -half <= coefficient < half:
            break
    else:
        return (terms, centred(constant, dtype))
    centre = {t: centred(c, dtype) for t, c in terms.items()}
    return ({t: c for t, c in centre.items() if c}, centred(constant, dtype))
