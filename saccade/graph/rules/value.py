"""Rules that hold for values of every dtype: constants, identities that are exact, casts, masks on loads.

Floats keep their bits: x * 1, x / 1, x - 0 and x + (-0.0) are x, but x + 0.0 is not (it turns -0.0 into
0.0) and x * 0 is not 0 (NaN). Constants fold in the arithmetic of their dtype. Types NumPy does not have
(bfloat16, 8-bit floats) are not folded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..constants import is_anything
from ..dtypes import DType, float16, float32, float64
from ..monoid import ADD
from ..node import Node, const, is_const, make, own_ranges
from ..ops import APART, ELEMENTWISE, Op
from ..proofs.law import rule_from
from .bounds import bounds, fits
from .simplifier import Family, SymbolicRule, register, simplifies
from .sums import affine, build, coefficient_of, exact, is_index


@simplifies(
    *sorted(ELEMENTWISE), Op.RANGE, on=Family.INTEGERS | Family.BOOL, laws=("x -> lo(x) if lo(x) == hi(x)",)
)
def single_value(node: Node) -> Node | None:
    """An integer or bool whose interval is one point is that constant."""
    if node.dtype.is_float:
        return None
    low, high = bounds(node)
    return const(low, node.dtype) if low == high else None


# --- constants of floats

_NUMPY_FLOATS: dict[DType, Any] = {float16: np.float16, float32: np.float32, float64: np.float64}
_FLOAT_FUNCTIONS: dict[Op, Callable[..., Any]] = {
    Op.NEG: np.negative, Op.ABS: np.abs, Op.SQRT: np.sqrt, Op.RECIP: np.reciprocal,
    Op.FLOOR: np.floor, Op.CEIL: np.ceil, Op.TRUNC: np.trunc, Op.ROUND: np.rint, Op.ISNAN: np.isnan,
    Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.DIV: np.divide,
    Op.MAX: np.maximum, Op.MIN: np.minimum,
    Op.LT: np.less, Op.LE: np.less_equal, Op.EQ: np.equal, Op.NE: np.not_equal,
}  # fmt: skip


@simplifies(
    *sorted(_FLOAT_FUNCTIONS), on=Family.FLOAT,
    reason="It computes. These operations have one right result in IEEE 754, which NumPy gives.",
)  # fmt: skip
def fold_floats(node: Node) -> Node | None:
    """Operations that are correctly rounded everywhere, on float constants."""
    source = node.src[0]
    if source.op is not Op.CONST or source.dtype not in _NUMPY_FLOATS or node.src[-1].op is not Op.CONST:
        return None
    kind = _NUMPY_FLOATS[source.dtype]
    with np.errstate(all="ignore"):
        value = _FLOAT_FUNCTIONS[node.op](*[kind(s.arg) for s in node.src])
    return const(bool(value) if node.dtype.is_bool else float(value), node.dtype)


@simplifies(
    Op.ADD, Op.SUB, Op.MUL, Op.DIV, on=Family.FLOAT,
    laws=(
        "x * 1.0 -> x", "x * -1.0 -> -x", "x / 1.0 -> x", "x / -1.0 -> -x", "x - 0.0 -> x", "x + -0.0 -> x",
        "x / 2.0 -> x * 0.5",
    ),
    reason="Other powers of two: x / 2**n and x * 2**-n round the same number, and 2**-n is exact.",
)  # fmt: skip
def float_identity(node: Node) -> Node | None:
    """x*1 -> x; x*(-1) -> -x; x/1 -> x; x - 0.0 -> x; x + (-0.0) -> x; x / 2**n -> x * 2**-n"""
    left, right = node.src
    op = node.op
    if op in (Op.ADD, Op.MUL) and left.op is Op.CONST:
        left, right = right, left
    if right.op is not Op.CONST:
        return None
    value = right.arg
    if op in (Op.MUL, Op.DIV):
        if value == 1:
            return left
        if value == -1:
            return -left
        if op is Op.DIV and node.dtype.bits >= 16 and _is_power_of_two(value):
            return left * (1.0 / float(value))
        return None
    zero = value == 0 and (math.copysign(1, value) > 0) == (op is Op.SUB)
    return left if zero else None


def _is_power_of_two(value: float) -> bool:
    """Of a magnitude whose reciprocal is normal in every float of at least 16 bits."""
    return 2**-14 <= abs(value) <= 2**14 and abs(math.frexp(value)[0]) == 0.5


# --- constants of integers: exact results come from intervals (`single_value`); these are the ones that wrap

_INTEGER_FUNCTIONS: dict[Op, Callable[..., int]] = {
    Op.NEG: lambda a: -a, Op.NOT: lambda a: ~a, Op.ABS: abs,
    Op.ADD: lambda a, b: a + b, Op.SUB: lambda a, b: a - b, Op.MUL: lambda a, b: a * b,
    Op.IDIV: lambda a, b: a // b if b else 0, Op.MOD: lambda a, b: a % b if b else a,
    Op.TDIV: lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else 0,
    Op.AND: lambda a, b: a & b, Op.OR: lambda a, b: a | b, Op.XOR: lambda a, b: a ^ b,
}  # fmt: skip


@simplifies(
    *sorted(_INTEGER_FUNCTIONS),
    on=Family.INTEGERS,
    reason="It computes, in integers without bounds, and wraps.",
)
def fold_integers(node: Node) -> Node | None:
    """Operations on integer constants, wrapping as the dtype does."""
    if any(s.op is not Op.CONST for s in node.src):
        return None
    return const(_INTEGER_FUNCTIONS[node.op](*[s.arg for s in node.src]), node.dtype)


# a cast to n bits is a remainder by m = 2**n, moved by h = 2**(n - 1) if signed
@simplifies(Op.CAST, laws=("(x + h) % m - h -> x if m > 0 and -h <= x and x < m - h",))
def fold_cast(node: Node) -> Node | None:
    """Casts of constants, casts that lose nothing on the way, and a sum of indices widened term by term."""
    source, dtype = node.src[0], node.dtype
    if source.dtype is dtype:
        return source
    if source.op is Op.CONST:
        return _cast_constant(source, dtype)
    if source.op is Op.CAST and not source.src[0].dtype.is_float and not source.dtype.is_float:
        inner = source.src[0]
        # through a type that holds every value it can have
        if fits(*bounds(inner), source.dtype) and not source.dtype.is_bool:
            return inner.cast(dtype)
    if is_index(dtype) and is_index(source.dtype):
        terms, constant = affine(source)
        if (len(terms) > 1 or constant or list(terms) != [source]) and exact(terms, constant, source.dtype):
            parts = {t.cast(dtype): c for t, c in terms.items()}
            if exact(parts, constant, dtype):
                return build(parts, constant, dtype)
    return None


def _cast_constant(source: Node, dtype: DType) -> Node | None:
    value = source.arg
    if source.dtype.is_float:
        if source.dtype not in _NUMPY_FLOATS:
            return None
        value = float(_NUMPY_FLOATS[source.dtype](value))
    if dtype.is_float:
        if dtype not in _NUMPY_FLOATS:
            # integers up to here have all their bits in the mantissa
            small = not source.dtype.is_float and abs(value) <= 1 << dtype.mantissa_bits
            return const(value, dtype) if small else None
        with np.errstate(over="ignore"):
            return const(float(_NUMPY_FLOATS[dtype](value)), dtype)
    if dtype.is_bool:
        return const(value != 0, dtype)
    if source.dtype.is_float and not (
        math.isfinite(value) and fits(math.trunc(value), math.trunc(value), dtype)
    ):
        return None
    return const(math.trunc(value), dtype)


# --- laws compiled from their text


def _laws(family: Family, *texts: str) -> None:
    for text in texts:
        rule = rule_from(text)
        register(SymbolicRule(tuple(rule.pattern.ops), family, (text,), rule.apply))


_laws(
    Family.INT,  # sums of indices are collected, which covers these
    "x + 0 -> x",
    "x - 0 -> x",
    "x - x -> 0",
    "x * 1 -> x",
    "x * 0 -> 0",
    "-(-x) -> x",
    "x // 1 -> x",
    "x < x -> False",
    "x == x -> True",
)
_laws(
    Family.INTEGERS,
    "0 // x -> 0",
    "0 % x -> 0",
    "x % y -> x if 0 <= lo(x) and hi(x) < lo(y)",
    "x & 0 -> 0",
    "x | 0 -> x",
    "x ^ 0 -> x",
    "x & x -> x",
    "x | x -> x",
    "x ^ x -> 0",
    "x << 0 -> x",
    "x >> 0 -> x",
    "max(x, y) -> y if hi(x) <= lo(y)",
    "min(x, y) -> x if hi(x) <= lo(y)",
    "max(max(x, c), c1) -> max(x, max(c, c1))",
    "min(min(x, c), c1) -> min(x, min(c, c1))",
    "max(min(x, c), c1) -> c1 if c <= c1",
    "min(max(x, c), c1) -> c1 if c1 <= c",
)
_laws(
    Family.BOOL,
    "p ^ False -> p",
    "p ^ True -> ~p",
    "p ^ p -> False",
    "p == True -> p",
    "p != False -> p",
    "p == False -> ~p",
    "p != True -> ~p",
    "where(p, True, False) -> p",
    "where(p, False, True) -> ~p",
    "where(p, q, False) -> p & q",
    "where(p, True, q) -> p | q",
)
_laws(
    Family.ANY,
    "~(~x) -> x",
    "max(x, x) -> x",
    "min(x, x) -> x",
    "where(p, x, x) -> x",
    "where(True, x, y) -> x",
    "where(False, x, y) -> y",
    "where(~p, x, y) -> where(p, y, x)",
    "where(p, where(p, x, y), z) -> where(p, x, z)",
    "where(p, x, where(p, y, z)) -> where(p, x, z)",
    "where(p, where(q, x, y), y) -> where(p & q, x, y)",
)


@simplifies(Op.NEG, on=Family.FLOAT, laws=("-(-x) -> x",))
def double_negation(node: Node) -> Node | None:
    """-(-x) -> x, which is exact for floats too"""
    return node.src[0].src[0] if node.src[0].op is Op.NEG else None


@simplifies(
    Op.WHERE, on=Family.FLOAT,
    reason="It is the larger or smaller of both, or NaN; which zero is the larger one, MAX leaves open.",
)  # fmt: skip
def chosen_extreme(node: Node) -> Node | None:
    """where(x <= c, c, x) -> max(x, c), as relu is written, or with < as clamp is; and a minimum."""
    condition, bound, x = node.src
    if condition.op not in (Op.LE, Op.LT) or bound.op is not Op.CONST or math.isnan(bound.arg):
        return None
    if condition.src == (x, bound):
        return make(Op.MAX, node.dtype, (x, bound))
    return make(Op.MIN, node.dtype, (x, bound)) if condition.src == (bound, x) else None


# --- memory


@simplifies(
    Op.WHERE, laws=("where(p, load(i), 0) -> load(i, p)", "where(p, load(i, q), 0) -> load(i, p & q)")
)
def masked_load(node: Node) -> Node | None:
    """where(valid, load(m, i), 0) -> load(m, i, valid): a load gives 0 where it is not valid"""
    mask, value, other = node.src
    if value.op is not Op.LOAD or not is_const(other, 0) or math.copysign(1, other.arg) < 0:
        return None
    if is_anything(other):
        return None  # a store may leave out what has no value, but not a 0
    valid = mask if len(value.src) == 2 else mask & value.src[2]
    return make(Op.LOAD, value.dtype, (*value.src[:2], valid), value.arg)


@simplifies(Op.LOAD, laws=("load(i, True) -> load(i)", "load(i, False) -> 0"))
def valid_everywhere(node: Node) -> Node | None:
    """load(m, i, True) -> load(m, i); load(m, i, False) -> 0"""
    if len(node.src) == 2 or node.src[2].op is not Op.CONST:
        return None
    return make(Op.LOAD, node.dtype, node.src[:2], node.arg) if node.src[2].arg else const(0, node.dtype)


@simplifies(Op.STORE, laws=("store(i, x, True) -> store(i, x)",))
def stored_everywhere(node: Node) -> Node | None:
    """store(m, i, x, True) -> store(m, i, x), where no two iterations write to one place.

    A condition also says that the places are computed: their updates come in order, one by one."""
    if len(node.src) == 3 or not is_const(node.src[3], True) or node.arg not in (None, APART):
        return None
    if node.arg is None and not all(coefficient_of(node.src[1], r) for r in node.ranges):
        return None
    return make(Op.STORE, node.dtype, node.src[:3])


@simplifies(
    Op.FOLD, reason="A fold is its elements put together; of one, nothing is put together with anything."
)
def single_iteration(node: Node) -> Node | None:
    """A fold over ranges with one iteration each is its element; such a range among others goes."""
    own = own_ranges(node)
    longer = tuple([r for r in own if bounds(r) != (0, 0) or not is_const(r.src[0], 1)])
    if len(longer) == len(own):
        return None
    bodies = node.src[: len(node.src) - len(own)]
    if longer:
        return make(Op.FOLD, node.dtype, (*bodies, *longer), node.arg)
    return bodies[0] if node.arg.elements == 1 and bodies[0].dtype is node.dtype else None


@simplifies(
    Op.FOLD, reason="All elements but one are 0, and sums begin with 0: adding 0 changes nothing but -0.0."
)
def only_element(node: Node) -> Node | None:
    """add(f(where(t == r, x, 0)) over r < n) -> where(-1 < t < n, f(x) + 0, 0), where f keeps 0.

    A row of ones at given places, as the slope of a cross entropy has them, need not be gone along."""
    if node.arg != ADD or len(node.src) != 2 or not is_const(node.src[1].src[0]):
        return None
    body, r = node.src
    chosen = body
    while chosen.op is Op.NEG or chosen.op is Op.CAST:
        chosen = chosen.src[0]
    if chosen.op is Op.WHERE and is_const(chosen.src[2], 0):
        condition, value = chosen.src[:2]
    elif chosen.op is Op.LOAD and len(chosen.src) == 3:
        condition, value = chosen.src[2], make(Op.LOAD, chosen.dtype, chosen.src[:2], chosen.arg)
    else:
        return None
    place = _other_side(condition, r) if condition.op is Op.EQ else None
    if place is None or r in value.ranges or not body.dtype.is_float:
        return None
    value, length = body.substitute({chosen: value}), const(r.src[0].arg, place.dtype)
    inside = const(-1, place.dtype).alu(Op.LT, place).alu(Op.AND, place.alu(Op.LT, length))
    zero = const(0, value.dtype)
    return inside.alu(Op.WHERE, value.alu(Op.ADD, zero), zero)


def _other_side(equality: Node, r: Node) -> Node | None:
    """t of t == r, if the loop is in no other place."""
    for one, other in (equality.src, equality.src[::-1]):
        loop = one.src[0] if one.op is Op.CAST and one.dtype.is_int else one
        if loop is r and r not in other.ranges:
            return other
    return None
