"""Loops that end where a length says, and of these the iterations in which all is there.

    for i < 64: out[16 i + lane] = f(x[16 i + lane])    where 16 i + lane < n
    ->  for i < n // 16: ... without a condition;   for i in n // 16 .. (n + 15) // 16: ... lane by lane

A kernel for every length is shaped like the one for its capacity, so its loops are of known length and its
registers hold lanes and rows that may not be there; conditions say so (`transform.lengths`). A loop ends
where its condition fails for all that is inside it, if nothing is stored then, or only the identity of a
reduction is added. A tile is filled as far as it is read. In front of the first iteration in which anything
is missing, conditions are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

from ...graph import dtypes
from ...graph.constants import is_anything
from ...graph.kernels.kernel import Kernel, is_register, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, const, index_const, is_const, make, own_ranges
from ...graph.ops import NESTS, Op
from ...graph.rules.symbolic import affine, bounds, simplify
from ..numerics.decompose import decompose

#: what a term reaches at most, so that sums of such terms are far from the ends of their type
_FAR = 1 << 40


@dataclass(frozen=True)
class Held:
    """Tests of what the registers of the results hold, that do not change in the innermost loop; where they
    hold for all registers, and where there is something to store for any."""

    tests: tuple[Node, ...]
    every: Node
    some: Node


@dataclass(frozen=True)
class Ends:
    """Where loops end, and before which iteration their `tests` hold for all that is inside; where they
    begin, and from which iteration on they do (`triangles`)."""

    end: dict[Node, Node] = field(default_factory=dict)
    full: dict[Node, tuple[Node, tuple[Node, ...]]] = field(default_factory=dict)
    held: Held | None = None
    begin: dict[Node, Node] = field(default_factory=dict)
    late: dict[Node, tuple[Node, tuple[Node, ...]]] = field(default_factory=dict)


def ends_of(kernel: Kernel) -> tuple[Kernel, Ends]:
    """The ends of all loops of a kernel that follow from lengths, and the kernel without tests that hold
    wherever its loops go."""
    tests = [n for n in kernel.nodes if _is_test(n)]
    if not tests or kernel.sink.src[0].op is not Op.STORE:
        return kernel, Ends()
    found = Ends()
    hold = _end_outputs(kernel, tests, found)
    if hold:
        (sink,) = without((kernel.sink,), hold)
        kernel = replace(kernel, sink=sink)
        tests = [n for n in kernel.nodes if _is_test(n)]
    for node in kernel.nodes[::-1]:  # who reads a tile comes before it
        if node.op is Op.FOLD:
            _end_fold(node, tests, found)
        elif node.op is Op.STAGE:
            _end_tile(kernel, node, tests, found)
    innermost = kernel.loops[-1:]
    return kernel, replace(found, held=_held(kernel, tests, innermost))


def _is_test(node: Node) -> bool:
    """Does it ask for places before a number that a call gives?"""
    return node.op is Op.LT and bool(node.src[0].ranges) and _is_length(node.src[1])


def _is_length(node: Node) -> bool:
    loads = [n for n in node.toposort() if n.op is Op.LOAD]
    return not node.ranges and bool(loads) and all(n.arg is not None and n.arg[0] > 0 for n in loads)


def _end_outputs(kernel: Kernel, tests: list[Node], found: Ends) -> tuple[Node, ...]:
    stores = kernel.sink.src

    def is_gone(test: Node) -> bool:
        return all(_stores_nothing(store, test) for store in stores)

    loops = kernel.loops
    registers = tuple(filter(is_register, kernel.order))
    hold = _end_nest(found, (*loops, *registers), frozenset(), tests, stores, is_gone)
    for r in loops:  # what asks nothing any more has no part with conditions
        if r in found.full and set(found.full[r][1]) <= set(hold):
            del found.full[r]
    return hold


def _stores_nothing(store: Node, test: Node) -> bool:
    if len(store.src) == 4:
        return is_const(_without(store.src[3], test), False)
    return is_anything(_without(store.src[2], test))


def _without(node: Node, test: Node) -> Node:
    """A value where a test fails."""
    return simplify(node.substitute({test: const(False, test.dtype)}))


def _end_fold(fold: Node, tests: list[Node], found: Ends) -> None:
    body, monoid = fold.src[0], fold.arg
    identity = monoid.identity(tuple([b.dtype for b in fold.src[: monoid.elements]]))[0]

    def is_gone(test: Node) -> bool:
        return _without(body, test) is identity

    own = own_ranges(fold)
    _end_nest(found, own, fold.ranges, tests, (body,), is_gone)
    packed = [n for n in body.toposort(lambda n: n.op is not Op.STAGE) if _is_packed(n, own)]
    if packed and monoid == ADD:
        _end_product(fold, packed, tests, found)


def _is_packed(node: Node, own: tuple[Node, ...]) -> bool:
    return node.op is Op.LOAD and node.src[0].op is Op.STAGE and not node.ranges.isdisjoint(own)


def _end_product(fold: Node, packed: list[Node], tests: list[Node], found: Ends) -> None:
    """A sum of products whose factors were packed: it ends where what was packed is zero, and the other
    factor too."""
    loops = [r for r in own_ranges(fold) if not is_register(r)]
    asked = {load: test for load in packed for t in tests if (test := _zero_behind(load, t)) is not None}
    body = fold.src[0]
    asked |= {test: test for test in tests if test in body.toposort(lambda n: n.op is not Op.STAGE)}
    gone = {n: const(False if n.dtype.is_bool and n.op is Op.LT else 0, n.dtype) for n in asked}
    zero = const(0, fold.dtype)
    if simplify(body.substitute(gone)) not in (zero, ADD.identity((body.dtype,))[0]):
        return
    for place, r in enumerate(loops):
        around = fold.ranges | set(loops[:place])
        inside = frozenset(own_ranges(fold)) - set(loops[: place + 1])
        limits = [_limits(test, r, inside, around) for test in asked.values()]
        ends = [limit[0] for limit in limits if limit is not None]
        if len(ends) == len(limits):
            found.end[r] = known(reduce(Node.maximum, ends))


def _zero_behind(load: Node, test: Node) -> Node | None:
    """What a test of the places that fill a tile asks of a load from it: the load gives 0 where that fails.
    The tile has an axis along which its places are tested."""
    tile, own = load.src[0], set(own_ranges(load.src[0]))
    tested, offset = affine(test.src[0])
    stored, _ = affine(tile.src[1])
    along = {term: factor for term, factor in tested.items() if term in own}
    steps = {stored.get(term, 0) / factor for term, factor in along.items()}
    if len(steps) != 1 or len(load.src) > 2 or any(t.ranges & own for t in tested if t not in own):
        return None
    axis = _axis_at(tile.src[1], int(steps.pop()))
    read = None if axis is None else _along(load.src[1], *axis)
    if axis is None or read is None or not is_const(_without(tile.src[0], test), 0):
        return None
    filled = _along(tile.src[1], *axis)
    if filled is None or filled[0].keys() != along.keys():
        return None
    terms = [term * count for term, count in read[0].items()]
    terms += [term * factor for term, factor in tested.items() if term not in along]
    place = reduce(Node.__add__, terms, index_const(read[1] + offset))
    return simplify(place).alu(Op.LT, test.src[1])


def _axis_at(index: Node, factor: int) -> tuple[int, int] | None:
    """The axis of a tile that a term with this factor belongs to: its places are `step` apart, what is
    smaller sums up to less than a step, and what is larger are multiples of `end`."""
    terms, start = affine(index)
    steps = sorted(set(terms.values()))
    if start or not steps or steps[0] < 1 or factor < 1:
        return None
    whole = []
    for step in steps:
        below = sum(int(bounds(term)[1]) * each for term, each in terms.items() if each < step)
        if below < step and all(each % step == 0 for each in steps if each > step):
            whole.append(step)
    at = [step for step in whole if step <= factor]
    return (at[-1], min([step for step in whole if step > factor], default=_FAR)) if at else None


def _along(index: Node, step: int, end: int) -> tuple[dict[Node, int], int] | None:
    """The terms of a place of a tile along one of its axes, and its constant."""
    terms, first = affine(index)
    smaller, found = first % step, {}
    for term, factor in terms.items():
        if 0 < factor < step:
            smaller += int(bounds(term)[1]) * factor
        elif factor % step or factor < 1:
            return None
        elif factor % end:
            found[term] = factor // step
    return (found, first // step % (end // step)) if smaller < step else None


def _end_nest(
    found: Ends,
    loops: tuple[Node, ...],
    outer: frozenset[Node],
    tests: list[Node],
    roots: tuple[Node, ...],
    is_gone: Callable[[Node], bool],
) -> tuple[Node, ...]:
    """Add the ends of a nest of loops, outermost first, inside of others; `roots` is what they compute. Tests
    that hold in all iterations that are left."""
    inner = [r for r in loops if not is_register(r)]
    below = frozenset().union(*[root.toposort() for root in roots]) if roots else frozenset()
    mine = [test for test in tests if test in below]
    gone = {test: is_gone(test) for test in mine}
    innermost: dict[Node, tuple[Node, tuple[Node, ...]]] = {}
    hold: list[Node] = []
    for place, r in enumerate(inner):
        around, inside = outer | set(inner[:place]), frozenset(loops) - set(inner[: place + 1])
        limits = [(test, limit) for test in mine if (limit := _limits(test, r, inside, around)) is not None]
        ends = [limit[0] for test, limit in limits if gone[test]]
        if ends:
            found.end[r] = known(reduce(Node.minimum, ends))
        hold += [test for test, (some, every) in limits if gone[test] and some is every]
        if limits:
            full = reduce(Node.minimum, [limit[1] for _, limit in limits])
            innermost = {r: (known(full), tuple([test for test, _ in limits]))}
    found.full.update(innermost)
    return tuple(hold)


def _limits(
    test: Node, r: Node, inside: frozenset[Node], around: frozenset[Node]
) -> tuple[Node, Node] | None:
    """Before which iteration of `r` a test, that a place is before a count, holds for some of what is
    inside, and for all of it."""
    place, count = test.src
    if r not in place.ranges or not count.ranges <= around or any(map(is_register, count.ranges)):
        return None
    terms, constant = affine(place)
    step, least, most, rest = 0, constant, constant, index_const(0)
    for term, factor in terms.items():
        if r in term.ranges:
            each = _step(term, r)
            if step or each is None or factor < 1:
                return None
            step = each * factor
        elif term.ranges and all(own in inside or is_register(own) for own in term.ranges) and factor > 0:
            low, high = bounds(term)
            if low < -_FAR or high > _FAR:
                return None  # a place that is read from memory
            least, most = least + int(low) * factor, most + int(high) * factor
        elif term.ranges <= around and not any(map(is_register, term.ranges)):
            rest = rest + term * factor
        else:
            return None
    if not step:
        return None
    left = count - rest
    some, every = ((left + (step - 1 - far)) // step for far in (least, most))
    size = r.src[0]
    return some.minimum(size).maximum(0), every.minimum(size).maximum(0)


def _step(term: Node, r: Node) -> int | None:
    """How far apart iterations begin: of r itself, or of vectors of which the last overlaps the one before.
    Where that one reaches the end, the others hold all that is before it."""
    if term is r:
        return 1
    if term.op is Op.MIN and is_const(term.src[1]) and term.src[0].op is Op.MUL:
        start = term.src[0]
        if start.src[0] is r and is_const(start.src[1]) and start.src[1].arg > 0:
            return int(start.src[1].arg)
    return None


def known(node: Node) -> Node:
    return decompose(simplify(node))


# --- tiles


def _end_tile(kernel: Kernel, tile: Node, tests: list[Node], found: Ends) -> None:
    """A tile is filled as far as its readers go."""
    loops = tuple([r for r in own_ranges(tile) if not is_register(r)])
    registers = tuple([r for r in own_ranges(tile) if is_register(r)])
    _end_nest(found, (*loops, *registers), tile.ranges, tests, tile.src[:1], lambda _: False)
    readers = [n.src[1] for n in kernel.nodes if n.op is Op.LOAD and n.src[0] is tile]
    for place, r in enumerate(loops):
        axis = _axis_of(tile.src[1], r)
        filled = None if axis is None else _along(tile.src[1], *axis)
        if axis is None or filled is None:
            continue
        ends = [_end_of_reading(index, axis, tile, found) for index in readers]
        if not ends or None in ends:
            continue
        count = reduce(Node.maximum, [end for end in ends if end is not None])
        along = reduce(Node.__add__, [term * each for term, each in filled[0].items()])
        around, inside = tile.ranges | set(loops[:place]), frozenset((*loops[place + 1 :], *registers))
        limits = _limits(along.alu(Op.LT, count), r, inside, around)
        if limits is not None:
            found.end[r] = known(limits[0])


def _axis_of(index: Node, r: Node) -> tuple[int, int] | None:
    factors = [factor for term, factor in affine(index)[0].items() if r in term.ranges]
    return _axis_at(index, factors[0]) if len(factors) == 1 else None


def _end_of_reading(index: Node, axis: tuple[int, int], tile: Node, found: Ends) -> Node | None:
    """Before which place along an axis of a tile a load reads; None where that is not known when it is
    filled."""
    read = _along(index, *axis)
    if read is None:
        return None
    total, shorter = index_const(read[1] + 1), False
    for term, factor in read[0].items():
        end = found.end.get(term)
        if end is not None and end.ranges <= tile.ranges:
            total, shorter = total + ((end - 1) * factor), True
        elif term.ranges and bounds(term)[1] <= _FAR:
            total = total + int(bounds(term)[1]) * factor
        else:
            return None
    return total if shorter else None


# --- what is left out


def _held(kernel: Kernel, tests: list[Node], innermost: list[Node]) -> Held | None:
    registers = {r for r in kernel.order if is_register(r)}
    around = set(kernel.order) - set(innermost)
    found = [
        t for t in tests if t.ranges <= around and not t.ranges.isdisjoint(registers) and _grows(t, registers)
    ]
    if not found or any(
        n.op in NESTS and n.ranges.isdisjoint(innermost) and _tests_in(n, found) for n in kernel.nodes
    ):
        return None
    gone = [t for t in found if all(_stores_nothing(store, t) for store in kernel.sink.src)]
    all_last = _all_at(found, {r: index_const(range_size(r) - 1) for r in registers})
    return Held(tuple(found), all_last, _all_at(gone, {r: index_const(0) for r in registers}))


def _grows(test: Node, registers: set[Node]) -> bool:
    """Does a test that holds for a register hold for those before it?"""
    return all(factor > 0 for term, factor in affine(test.src[0])[0].items() if term.ranges & registers)


def _all_at(tests: list[Node], place: dict[Node, Node]) -> Node:
    """Do the tests hold there?"""
    held = [simplify(test.substitute(place)) for test in tests]
    return decompose(reduce(Node.__and__, held, const(True, dtypes.bool_)))


def _tests_in(node: Node, tests: Iterable[Node]) -> bool:
    return not set(tests).isdisjoint(node.toposort())


def without(roots: tuple[Node, ...], tests: tuple[Node, ...]) -> tuple[Node, ...]:
    """Values where the tests hold. Tiles stay the tiles they are: they are filled once."""
    done: dict[Node, Node] = {test: const(True, test.dtype) for test in tests}
    for root in roots:
        for node in root.toposort(lambda n: n not in done and n.op is not Op.STAGE):
            src = tuple([done.get(s, s) for s in node.src])
            done[node] = node if src == node.src else _made(node, src)
    return tuple([done.get(root, root) for root in roots])


def _made(node: Node, src: tuple[Node, ...]) -> Node:
    """A node over other sources, where a condition that holds everywhere asks for nothing."""
    if node.op is Op.AND and node.dtype.is_bool:
        for one, other in (src, src[::-1]):
            if is_const(one, True):
                return other
    if node.op is Op.WHERE and is_const(src[0], True):
        return src[1]
    if (
        node.op in (Op.LOAD, Op.STORE)
        and is_const(src[-1], True)
        and len(src) == (3 if node.op is Op.LOAD else 4)
    ):
        return make(node.op, node.dtype, src[:-1], node.arg if node.op is Op.LOAD else None)
    return node.replace(src=src)
