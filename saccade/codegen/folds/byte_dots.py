"""Sums of products of bytes, four to a lane: the dot instructions of a processor, which are its tensor cores.

    FOLD(add, int32(a[k]) * int32(b[k]), k)     ->     sums = sdot(sums, 16 of a, 16 of b), and their total

One instruction multiplies 16 pairs of bytes and adds each four neighbours to a lane of 32 bits; to widen,
multiply and add them takes eight. Which bytes it takes as signed is part of it: `sdot` all, `udot` none,
`usdot` (Arm) and `vpdpbusd` (x86) those of the second factor. Bytes of 0 to 127 are both. A matrix of 1536
rows of 576 numbers in Q4_1 times a vector of bytes: 128 -> 103 us on two busy cores of a Neoverse N1.

x86 without VNNI has half of it (`pmaddubsw`): unsigned bytes times signed ones, of which each two neighbours
are added up in 16 bits, and saturate. Sums stay in 16 bits as long as bounds prove that they fit, eight steps
for codes of four bits, and are then widened and added two by two (`pmaddwd`). Two products of bytes above 128
may be too many already: then the lower and the upper four bits are factors by themselves, and the sums of the
upper ones count 16 times as they are widened.

Lanes may also be results, where their bytes lie side by side four by four:

    out[v] = FOLD(add, int32(a[.., k, v, f]) * int32(b[k, f]), k, f < 4)
    ->  out = vpdpbusd(out, 64 bytes a[k], 4 bytes b[k] in every lane)      for each k

Nothing is summed across lanes, and what is read of `a` serves all rows of b that are in registers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from ...graph import dtypes
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import VECTOR, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, const, index_const, make, own_ranges
from ...graph.ops import Op
from ...graph.rules.bounds import bounds, fits
from ...graph.rules.symbolic import coefficient_of, simplify
from ...runtime.cpu.machine import host_registers
from ..linear.builder import Builder, Point, Points
from ..linear.code import Value
from ..moves.analysis import direct_loads, runs_along
from .folding import Folding

#: of one instruction: bytes of a factor, bytes that a lane of its result sums up
BYTES: Final = 16
FOUR: Final = 4
#: sums of two products in 16 bits, which saturate
PAIRS: Final = "pmaddubsw"
#: take bytes from memory for all lanes at once
_OF_X86: Final = ("vpdpbusd", PAIRS)


#: values of unroll axes
Fixed = dict[Node, int]

#: fits a signed and an unsigned byte
_ONE: Final = const(1, dtypes.uint8)


class Dot(NamedTuple):
    """One product of bytes: the instruction, its factors in its order, and how often it counts."""

    name: str
    first: Node
    second: Node
    times: int = 1


def dots_of(fold: Folding) -> list[Dot] | None:
    """The products that a fold adds up, if this processor has instructions for all of them."""
    lanes = fold.own_vector
    if fold.monoid != ADD or fold.dtypes != (dtypes.int32,) or lanes is None or fold.width % BYTES:
        return None
    dots = _dots_in(fold.bodies[0], along=True)
    factors = [factor for dot in dots or () for factor in (dot.first, dot.second)]
    return dots if all(lanes in f.ranges or f.op is Op.CONST for f in factors) else None


def lies_for_dots(fold: Node) -> bool:
    """Do both factors of a kernel's sum of products lie along it, as bytes that this processor has dot
    instructions for? Then lanes along the sum are better than any tile of registers."""
    *_, last = own_ranges(fold)
    if fold.arg != ADD or fold.dtype is not dtypes.int32 or range_size(last) % BYTES:
        return False
    dots = _dots_in(fold.src[0], along=True)
    return dots is not None and all(
        runs_along(load, last) == "next" for dot in dots for load in direct_loads((dot.first, dot.second))
    )


def _terms(body: Node) -> list[Node]:
    """a + b + c -> [a, b, c]"""
    found, waiting = [], [body]
    while waiting:
        node = waiting.pop()
        if node.op is Op.ADD:
            waiting += reversed(node.src)
        else:
            found.append(node)
    return found


def _dots_in(body: Node, along: bool = False) -> list[Dot] | None:
    """The products that a body adds up, if this processor has instructions for all of them. along: both
    factors of each lie along the lanes."""
    made = [dots_for(product) or (_shifted(product) if along else []) for product in _terms(body)]
    return [dot for dots in made for dot in dots] if all(made) else None


def dots_for(product: Node) -> list[Dot]:
    """What this processor multiplies two bytes with: an instruction, or two whose results count differently.
    None if it has none."""
    dot = _dot_of(product)
    return [] if dot is None else _fitting(dot)


def _fitting(dot: Dot) -> list[Dot]:
    return [dot] if dot.name != PAIRS or _fits_pairs(*_pairs(dot)) else _by_halves(dot)


def _shifted(product: Node) -> list[Dot]:
    """Two signed bytes where the instruction wants one unsigned: a * b -> (a + n) * b - n * b."""
    name = next((name for name in _OF_X86 if name in host_registers().dots), None)
    if name is None or product.op is not Op.MUL or not all(_is_byte(factor) for factor in product.src):
        return []
    a, b = sorted((factor.src[0] for factor in product.src), key=lambda byte: -bounds(byte)[0])
    if {a.dtype, b.dtype} != {dtypes.int8}:
        return []
    low, high = map(int, bounds(a))
    if low > -128 and high - low < 128:
        unsigned, n = make(Op.ADD, dtypes.int8, (a, const(-low, dtypes.int8))).cast(dtypes.uint8), -low
    else:
        turned, n = make(Op.BITCAST, dtypes.uint8, (a,)), 128
        unsigned = make(Op.XOR, dtypes.uint8, (turned, const(n, dtypes.uint8)))
    return [*_fitting(Dot(name, unsigned, b)), Dot(name, const(n, dtypes.uint8), b, times=-1)]


def _by_halves(dot: Dot) -> list[Dot]:
    """A product of an unsigned byte as those of its lower and of its upper four bits."""
    low = make(Op.AND, dtypes.uint8, (dot.first, const(15, dtypes.uint8)))
    high = make(Op.SHR, dtypes.uint8, (dot.first, const(4, dtypes.uint8)))
    return [dot._replace(first=low), dot._replace(first=high, times=16)]


def _pairs(dot: Dot) -> tuple[int, int]:
    """The least and the greatest sum of two products."""
    (_, most), (low, high) = bounds(dot.first), bounds(dot.second)
    return 2 * int(most * min(low, 0)), 2 * int(most * max(high, 0))


def _fits_pairs(low: int, high: int) -> bool:
    return fits(low, high, dtypes.int16)


def _dot_of(product: Node) -> Dot | None:
    """The instruction of this processor for a product of two bytes, if it has one."""
    if _is_byte(product):  # a sum of bytes is one of products with 1
        a, b = product.src[0], _ONE
    elif product.op is Op.MUL and all(_is_byte(factor) for factor in product.src):
        a, b = (factor.src[0] for factor in product.src)
    else:
        return None
    known = host_registers().dots
    for name, first, second in (
        ("sdot", dtypes.int8, dtypes.int8),
        ("udot", dtypes.uint8, dtypes.uint8),
        ("usdot", dtypes.uint8, dtypes.int8),
        ("vpdpbusd", dtypes.uint8, dtypes.int8),
        (PAIRS, dtypes.uint8, dtypes.int8),
    ):
        for x, y in ((a, b), (b, a)):
            if name in known and fits(*bounds(x), first) and fits(*bounds(y), second):
                return Dot(name, x, y)
    return None


def _is_byte(factor: Node) -> bool:
    return factor.op is Op.CAST and factor.src[0].dtype in (dtypes.int8, dtypes.uint8)


def emit_dots(fold: Folding, dots: list[Dot]) -> dict[Point, list[Value]]:
    """The sums of each lane, for every point of the accumulators."""
    low = fold.low
    return _sums(
        fold, lambda _: dots, fold.own_unroll, fold.width // FOUR, lambda v, _: low.splat(v, fold.width)
    )


def _sums(
    fold: Folding,
    dots: Callable[[Fixed], list[Dot]],
    repeated: tuple[Node, ...],
    width: int,
    spread: Callable[[Value, Fixed], Value],
) -> dict[Point, list[Value]]:
    """`width` sums side by side for every point of the accumulators, over the fold's loops and the values of
    `repeated`, for each of which `dots` tells the products; `spread` gives a factor its `FOUR * width`
    bytes."""
    low, points = fold.low, fold.low.points(fold.axes)
    zero = low.literal(0, dtypes.int32, width)
    variables = {p: low.declare(dtypes.int32, width, zero) for p in points} if fold.loops else {}
    depth = low.enter_all(fold.loops)
    sums = _Sums(low, width, {p: low.get(variables[p]) if variables else zero for p in points})
    for repeat in low.points(repeated):
        fixed = dict(zip(repeated, repeat, strict=True))
        done: dict[Node, Points] = {}
        for dot in dots(fixed):
            factors = [low.emit_at(factor, fixed, done) for factor in (dot.first, dot.second)]
            for point in points:
                pair = [spread(each.project(fold.axes, point), fixed) for each in factors]
                sums.add(dot, point, *pair)
    held = sums.whole()
    for point, variable in variables.items():
        low.set(variable, held[point])
    low.leave_all(depth)
    return {p: [low.get(variables[p]) if variables else held[p]] for p in points}


class _Sums:
    """Sums of products at every point, `width` of 32 bits side by side. Those of pairs wait in twice as many
    of 16 bits, for each number of times that they count, until one more might not fit."""

    def __init__(self, low: Builder, width: int, sums: dict[Point, Value]) -> None:
        self.low, self.width, self.sums = low, width, sums
        #: by point and times: the sums that wait, and the least and the greatest that they may be
        self.waiting: dict[tuple[Point, int], tuple[Value, int, int]] = {}
        #: sums of whole dots that count -1 times
        self.taken_off: dict[Point, Value] = {}

    def add(self, dot: Dot, point: Point, first: Value, second: Value) -> None:
        """The products of two values of bytes."""
        low, key = self.low, (point, dot.times)
        if dot.name != PAIRS:
            held = self.sums if dot.times == 1 else self.taken_off
            zero = low.literal(0, dtypes.int32, self.width)
            args = (held.get(point, zero), first, second)
            held[point] = low.instruction("dot", dtypes.int32, self.width, args, dot.name)
            return
        least, most = _pairs(dot)
        made = low.instruction("pairs", dtypes.int16, 2 * self.width, (first, second))
        if key in self.waiting:
            before, lowest, highest = self.waiting[key]
            if _fits_pairs(least + lowest, most + highest):
                made = low.alu(Op.ADD, dtypes.int16, (before, made))
                least, most = least + lowest, most + highest
            else:
                self._widen(key)
        self.waiting[key] = made, least, most

    def whole(self) -> dict[Point, Value]:
        """The sums of all that was added."""
        for key in list(self.waiting):
            self._widen(key)
        for point, less in self.taken_off.items():
            self.sums[point] = self.low.alu(Op.SUB, dtypes.int32, (self.sums[point], less))
        return self.sums

    def _widen(self, key: tuple[Point, int]) -> None:
        """Add what waits to the sums of 32 bits."""
        (point, times), low = key, self.low
        waiting, *_ = self.waiting.pop(key)
        often = low.literal(times, dtypes.int16, 2 * self.width)
        wide = low.instruction("dot_of_words", dtypes.int32, self.width, (waiting, often))
        self.sums[point] = low.alu(Op.ADD, dtypes.int32, (self.sums[point], wide))


# --- lanes are results


def across_of(fold: Node, lanes: Node) -> list[Dot] | None:
    """The products of a sum of bytes that has its results along `lanes`, with four neighbours of the sum in
    each lane of one factor and the other factor the same in all of them: each with the factor that differs
    from lane to lane first. None for other sums."""
    own = own_ranges(fold)
    if fold.op is not Op.FOLD or fold.arg != ADD or fold.dtype is not dtypes.int32 or lanes in own:
        return None
    if range_size(own[-1]) != FOUR or range_size(lanes) % FOUR:
        return None
    dots = _dots_in(fold.src[0])
    return dots if dots is not None and all(_is_across(dot, lanes, own[-1]) for dot in dots) else None


def _is_across(dot: Dot, lanes: Node, four: Node) -> bool:
    wide, same = (dot.first, dot.second) if lanes in dot.first.ranges else (dot.second, dot.first)
    return _steps(wide, lanes, four) == {(FOUR, 1)} and _steps(same, lanes, four) == {(0, 1)}


def _steps(factor: Node, lanes: Node, four: Node) -> set[tuple[int | None, int | None]]:
    """How the places that a factor reads change along the lanes, and along the bytes of one. Those that a
    condition guards count as unknown."""
    loads = direct_loads((factor,))
    return {
        (None, None)
        if len(load.src) > 2 or {lanes, four} & load.src[0].ranges
        else (coefficient_of(load.src[1], lanes), coefficient_of(load.src[1], four))
        for load in loads
    }


def emit_across(fold: Folding, dots: list[Dot]) -> dict[Point, list[Value]]:
    """The sums, a result in each lane, for every point of the accumulators."""
    low, width = fold.low, fold.width
    lanes, (*repeated, four) = low.vector_axis(fold.node), fold.own_unroll
    assert lanes is not None
    number = low.kernel.next_axis()
    word = _word(dots, lanes, tuple(repeated))
    size = BYTES if word is not None else FOUR
    every, few = terms.loop(number, FOUR * width, VECTOR), terms.loop(number + 1, size, VECTOR)
    quarter = index_const(FOUR)
    together, same = (
        (make(Op.IDIV, dtypes.index, (each, quarter)), make(Op.MOD, dtypes.index, (each, quarter)))
        for each in (every, few)
    )

    def side_by_side(factor: Node, first: int) -> Node:
        """Over all bytes of the lanes, or over those that are the same in all of them: four, or 16 from some
        word on."""
        if lanes in factor.ranges:
            return simplify(factor.substitute({lanes: together[0], four: together[1]}))
        places = {four: few} if word is None else {four: same[1], word: same[0] + first}
        return simplify(factor.substitute(places))

    @cache
    def wanted(first: int) -> list[Dot]:
        return [
            d._replace(first=side_by_side(d.first, first), second=side_by_side(d.second, first)) for d in dots
        ]

    def at(fixed: Fixed) -> int:
        return 0 if word is None else fixed[word]

    return _sums(
        fold,
        lambda fixed: wanted(at(fixed) // FOUR * FOUR),
        tuple(repeated),
        width,
        lambda value, fixed: _in_all_lanes(low, value, width, at(fixed) % FOUR),
    )


def _word(dots: list[Dot], lanes: Node, repeated: tuple[Node, ...]) -> Node | None:
    """The axis along which the four bytes that are the same in all lanes lie side by side, in groups of four:
    16 of them are one load, of which an instruction of Arm takes any four. Those of x86 take them from
    memory."""
    if not repeated or any(dot.name in _OF_X86 for dot in dots) or range_size(lanes) == FOUR:
        return None
    word = repeated[-1]
    loads = direct_loads(tuple(f for dot in dots for f in (dot.first, dot.second) if lanes not in f.ranges))
    along = all(len(load.src) == 2 and coefficient_of(load.src[1], word) == FOUR for load in loads)
    return word if along and range_size(word) % FOUR == 0 else None


def _in_all_lanes(low: Builder, value: Value, lanes: int, word: int) -> Value:
    """Bytes of every lane; those of a word are repeated."""
    if value.width == FOUR * lanes:
        return value
    return low.instruction("repeated", value.dtype, FOUR * lanes, (value,), (FOUR, word))
