"""The oracle of the fuzzer: the value of every node in tensor terms, and how far a correct device may be
from it.

    evaluate(roots, arrays) -> [Bounded(value, radius), ...]

Nothing here knows ranges, kernels or moves, so a mistake of the scheduler shows as well as one of the
code generator. Floats are computed in float64 and carry a radius: what the rounding of each op (of the
node's own dtype, in any order of summation) can add up to. A radius of 0 asks for exactly this value; it
stays 0 while results are short binary fractions, so most programs on small numbers are compared bit for
bit. Where a difference in rounding can decide (a comparison of nearly equal numbers, a floor near an
integer), everything behind the decision is unknown: radius inf. Integers and bools have radius 0 or inf.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, walk
from ...graph.ops import COMPARE, ELEMENTWISE, TRANSCENDENTAL, Op
from ...graph.verify import describe
from ...runtime.interpreter.ops import elementwise, from_memory, rounded, value_dtype
from .collectives import COLLECTIVE
from .contraction import Contraction, contract, contractions
from .precision import distance, is_short, largest, ulp

Array = NDArray[Any]

#: units in the last place a transcendental function may be off
FUNCTION_ULP: Final = 4.0
_INFINITE: Final = math.inf


@dataclass(frozen=True)
class Bounded:
    """`value` is float64 for floats, else of the dtype itself; `radius` is float64, of the same shape."""

    value: Array
    radius: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape


#: told of every node, its sources' values and its own
Watcher = Callable[[Node, list[Bounded], Bounded], None]


class TooLarge(ValueError):
    """A graph with a value that does not fit in the memory it may take."""


def evaluate(
    roots: Sequence[Node],
    arrays: Sequence[Array],
    ideal: Collection[Node] = (),
    most: int | None = None,
    watcher: Watcher | None = None,
) -> list[Bounded]:
    """Every root, for a graph over PARAMs that stand for `arrays` (of storage types).

    The nodes of `ideal` are rounded as float64 is, whatever their dtype. No value may have more elements than
    `most`; large sums of products are worked out without the products."""
    order = list(walk(tuple(roots)))
    sums = contractions(order, set(roots))
    inside = {node for each in sums.values() for node in each.inside}
    evaluated = [node for node in order if node not in inside]
    needs = {node: sums[node].factors if node in sums else node.src for node in evaluated}
    last = {source: node for node in evaluated for source in needs[node]}
    values: dict[Node, Bounded] = {}
    with np.errstate(all="ignore"):
        for node in evaluated:
            if most is not None and node.size > most:
                raise TooLarge(f"{describe(node)} has {node.size} elements: more than {most}")
            src = [values[s] for s in needs[node]]
            if node in sums:
                made = _contracted(sums[node], src, ideal)
            else:
                made = _evaluate(_rounded_as(node, ideal), src, arrays)
            values[node] = _clean(made, node.dtype)
            if watcher is not None:
                watcher(node, src, values[node])
            for source in set(needs[node]) - set(roots):
                if last[source] is node:
                    del values[source]
    return [values[root] for root in roots]


def _rounded_as(node: Node, ideal: Collection[Node]) -> Node:
    """The node itself, or the same op in float64."""
    return node.replace(dtype=dtypes.float64) if node in ideal and node.dtype.is_float else node


def _contracted(made: Contraction, src: list[Bounded], ideal: Collection[Node]) -> Bounded:
    multiplied, summed = (_rounded_as(node, ideal).dtype for node in (made.product, made.total))
    return Bounded(*contract(made, [(s.value, s.radius) for s in src], multiplied, summed))


def rounds(node: Node) -> bool:
    """Does the op itself round its result?"""
    if not node.dtype.is_float or not node.src or node.op in _EXACT or node.op is Op.BITCAST:
        return False
    if node.op is Op.CAST:
        source = node.src[0].dtype
        return not source.is_float or source.mantissa_bits > node.dtype.mantissa_bits
    if node.op is Op.REDUCE or node.op is Op.SCAN:
        return node.arg[0].kind in ("add", "mul")
    return node.op in ELEMENTWISE or (node.op is Op.SCATTER and node.arg[1] in ("add", "mul"))


def mismatches(expected: Bounded, found: Array, dtype: DType) -> Array:
    """Where memory of `dtype` that a device wrote is not what it may be."""
    values = from_memory(found, dtype).reshape(expected.shape)
    if not dtype.is_float:
        unequal: Array = (expected.radius == 0) & (values != expected.value)
        return unequal
    wide = values.astype(np.float64)
    with np.errstate(invalid="ignore"):  # infinities
        near = np.abs(wide - expected.value) <= expected.radius
    same = (wide == expected.value) | (np.isnan(wide) & np.isnan(expected.value))
    wrong: Array = ~(same | near | np.isinf(expected.radius))
    return wrong


def _clean(made: Bounded, dtype: DType) -> Bounded:
    """No radius is NaN, and what may overflow is unknown."""
    value, radius = made.value, np.where(np.isnan(made.radius), _INFINITE, made.radius)
    if dtype is dtypes.float8_e4m3:  # it has no infinity
        value = np.clip(value, -largest(dtype), largest(dtype)) if np.isinf(value).any() else value
    if dtype.is_float:
        beyond = np.isfinite(value) & (np.abs(value) + radius > largest(dtype))
        radius = np.where(beyond, _INFINITE, radius)
    return Bounded(np.asarray(value), np.asarray(radius))


def _evaluate(node: Node, src: list[Bounded], arrays: Sequence[Array]) -> Bounded:
    op = node.op
    if op is Op.PARAM:
        memory = arrays[node.arg.slot]
        return _exactly(_wide(from_memory(memory, node.dtype), node.dtype))
    if op is Op.CONST:
        return _exactly(_wide(rounded(np.full((), node.arg), node.dtype), node.dtype))
    if op is Op.IOTA:
        return _exactly(np.arange(node.arg, dtype=np.int64))
    if op in ELEMENTWISE:
        return _elementwise(node, src)
    value, radius = COLLECTIVE[op](node, [(s.value, s.radius) for s in src])
    return Bounded(value, radius)


def _exactly(value: Array) -> Bounded:
    return Bounded(value, np.zeros(value.shape))


def _wide(values: Array, dtype: DType) -> Array:
    return values.astype(np.float64) if dtype.is_float else values.astype(value_dtype(dtype))


# --- elementwise

_EXACT: Final = frozenset(
    {Op.NEG, Op.ABS, Op.FLOOR, Op.CEIL, Op.TRUNC, Op.ROUND, Op.MAX, Op.MIN, Op.WHERE, Op.ISNAN} | COMPARE
)
_FOLDED: Final = frozenset({Op.SIN, Op.COS})  # not monotone, and never steeper than 1


def _elementwise(node: Node, src: list[Bounded]) -> Bounded:
    op, dtype = node.op, node.dtype
    unknown = np.zeros((), np.bool_)
    for s in src:
        unknown = unknown | np.isinf(s.radius)
    if op is Op.WHERE:
        return _where(src)
    if op is Op.CAST:
        return _cast(node, src[0])
    if op is Op.BITCAST:
        return _bitcast(node, src[0])
    if not node.src[0].dtype.is_float:
        value = elementwise(op, dtype, tuple(s.dtype for s in node.src), [s.value for s in src])
        return Bounded(value, np.where(unknown, _INFINITE, np.zeros(value.shape)))
    function = _function(op)
    value = function(*[s.value for s in src])
    if op in COMPARE:
        undecided = _undecided(op, src)
        return Bounded(value, np.where(unknown | undecided, _INFINITE, 0.0))
    radius = _propagated(op, function, value, src)
    if op not in _EXACT:
        exact = is_short(value, dtype) & (radius == 0) if op not in TRANSCENDENTAL else np.zeros((), np.bool_)
        exact = exact | ~np.isfinite(value)
        # what is rounded is as large as the result may be, not as it should be
        largest = np.abs(value) + np.where(np.isfinite(radius), radius, 0.0)
        allowed = ulp(largest, dtype) * (FUNCTION_ULP if op in TRANSCENDENTAL else 1.0)
        if op is Op.MOD:  # its quotient and product are rounded too
            allowed = allowed + 2 * ulp(src[0].value, dtype)
        radius = radius + np.where(exact, 0.0, allowed)
    return Bounded(value, np.where(unknown, _INFINITE, radius))


def _function(op: Op) -> Callable[..., Array]:
    """The op on float64 arrays."""
    kind = dtypes.bool_ if op in COMPARE else dtypes.float64
    return lambda *args: elementwise(op, kind, (dtypes.float64,) * len(args), list(args))


def _propagated(op: Op, function: Callable[..., Array], value: Array, src: list[Bounded]) -> Array:
    """How far the result moves when the operands move by their radii."""
    if op in _FOLDED:
        return src[0].radius
    moved = np.zeros(value.shape)
    if any(s.radius.any() for s in src):
        for corner in np.ndindex(*(2,) * len(src)):
            at = [s.value + (s.radius if up else -s.radius) for s, up in zip(src, corner, strict=True)]
            moved = np.maximum(moved, distance(function(*at), value))
        if op is Op.ABS:
            moved = np.maximum(moved, src[0].radius)
        if op is Op.MOD:
            moved = _moved_remainder(*src)
        if op is Op.POW:  # of what may be negative only whole powers are numbers, and which are whole is open
            base, power = src
            moved = np.where((base.value < base.radius) & (power.radius > 0), _INFINITE, moved)
        if op is Op.TAN:
            moved = np.where(src[0].radius > 0.01, _INFINITE, moved * 2)
    return np.where(_jumps(op, src), _INFINITE, moved)


def _jumps(op: Op, src: list[Bounded]) -> Array:
    """Where the result may be another altogether: beyond zero, whose sign a sum of zeros may lose, or beyond
    the edges of where there is one, between corners outside of both."""
    first, last = src[0], src[-1]
    if op in (Op.DIV, Op.RECIP, Op.MOD):
        return _may_be_zero(last)
    if op is Op.POW:
        return _may_be_zero(first) & (last.value < last.radius)
    if op is Op.ATAN2:
        return _may_be_zero(first) & (last.value <= last.radius)
    if op in (Op.ACOS, Op.ASIN):
        size = np.abs(first.value)
        return (size - first.radius <= 1) & (size + first.radius > 1)
    return np.zeros((), np.bool_)


def _may_be_zero(x: Bounded) -> Array:
    near: Array = np.abs(x.value) <= x.radius
    return near


def _moved_remainder(a: Bounded, b: Bounded) -> Array:
    """How far a % b = a - q b moves, for a whole quotient q: where q may be another, anywhere. a / b is
    monotone in both, so a q that is the same at all corners is the same between them."""
    quotients = [
        np.floor((a.value + up * a.radius) / (b.value + wide * b.radius))
        for up in (-1, 1)
        for wide in (-1, 1)
    ]
    q = quotients[0]
    same = np.logical_and.reduce([other == q for other in quotients])
    return np.where(same, a.radius + np.abs(q) * b.radius, np.where(a.radius + b.radius > 0, _INFINITE, 0.0))


def _undecided(op: Op, src: list[Bounded]) -> Array:
    if op is Op.ISNAN:
        return np.zeros(src[0].shape, np.bool_)
    a, b = src
    reach = a.radius + b.radius
    near: Array = (reach > 0) & ~(np.abs(a.value - b.value) > reach)
    return near


def _where(src: list[Bounded]) -> Bounded:
    condition, yes, no = src
    value = np.where(condition.value, yes.value, no.value)
    radius = np.where(condition.value, yes.radius, no.radius)
    apart = distance(yes.value.astype(np.float64), no.value.astype(np.float64)) + np.maximum(
        yes.radius, no.radius
    )
    if value.dtype != np.float64:
        apart = np.where(apart == 0, 0.0, _INFINITE)
    return Bounded(value, np.where(np.isinf(condition.radius), apart, radius))


def _cast(node: Node, x: Bounded) -> Bounded:
    source, target = node.src[0].dtype, node.dtype
    unknown = np.isinf(x.radius)
    if target.is_float:
        value = x.value.astype(np.float64)
        held = rounded(value, target).astype(np.float64)
        if not source.is_float:
            radius = np.where(held == value, 0.0, ulp(value, target))
            return Bounded(value, np.where(unknown, _INFINITE, radius))
        certain = x.radius == 0  # one correct rounding of one number
        return Bounded(
            np.where(certain, held, value),
            np.where(
                unknown, _INFINITE, x.radius + np.where(certain & (held == value), 0.0, ulp(value, target))
            ),
        )
    value = elementwise(Op.CAST, target, (source,), [x.value])
    if source.is_float:
        ends = [elementwise(Op.CAST, target, (source,), [x.value + s * x.radius]) for s in (-1, 1)]
        unknown = unknown | (ends[0] != value) | (ends[1] != value)
        if target.is_bool:
            unknown = unknown | ((x.radius > 0) & (np.abs(x.value) <= x.radius))
    return Bounded(value, np.where(unknown, _INFINITE, 0.0))


def _bitcast(node: Node, x: Bounded) -> Bounded:
    source, target = node.src[0].dtype, node.dtype
    unknown = x.radius != 0
    held = x.value
    if source.is_float:  # zeros differ in sign and NaNs in payload between correct devices
        held = rounded(x.value, source)
        unknown = unknown | (x.value == 0) | np.isnan(x.value) | (held.astype(np.float64) != x.value)
    value = elementwise(Op.BITCAST, target, (source,), [held])
    if target.is_float:
        unknown = unknown | np.isnan(value)
    return Bounded(_wide(value, target), np.where(unknown, _INFINITE, 0.0))
