"""Several folds over the same elements under one condition: the elements that pass are listed first.

    near  = sum(1 over r < n where d(r) < c)
    least = the k smallest d(r) over r < n where d(r) < c
    best  = max(f(r) over r < n where d(r) < c and g(r))

Each would compute d for all n elements and branch where nobody can foresee. Instead one loop without a branch
writes the numbers of the elements that pass one after the other, with their d; the folds run along that list.

    for r < n:  place[m] = r;  kept[m] = d(r);  m += d(r) < c
    near = m;   for i < m: r = place[i], d(r) = kept[i] ...

So what they have in common is computed once, and what follows costs only what passed. A fold may have further
conditions of its own; one that does not depend on the element decides whether it runs at all.

`lists_of(kernel)` finds the folds of a kernel that can share a list. The list stands for a fold of its own,
the count: it is written where that count belongs, the first time one of the folds asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import LOOP, Kernel, is_register, range_size
from ...graph.monoid import ADD, Monoid
from ...graph.node import Node, const, is_const, own_ranges
from ...graph.ops import ELEMENTWISE, Op
from ...graph.rules.symbolic import simplify
from ..linear.builder import Points
from ..linear.code import Instruction, Memory, Value
from ..linear.emitter import Emitter
from ..linear.values import Values
from ..moves.ordered import conjuncts

#: instructions of the common condition from which a list pays
WORTH_A_LIST = 8
#: instructions of a condition that is tested before anything else is computed
MOST_OF_A_TEST = 11
#: what these take, in simple instructions
SLOW = {Op.SQRT: 8, Op.DIV: 8}


@dataclass(frozen=True)
class List:
    """The elements `over` that pass `condition`, as a fold that counts them; `kept` are values to write down
    beside their numbers."""

    count: Node
    over: Node
    condition: Node
    kept: tuple[Node, ...]


@dataclass(frozen=True)
class Listed:
    """A fold that runs along a list: what it folds there, under which conditions of its own, the condition
    without which it does not run, and what it calls the kept values."""

    list: List
    body: Node
    rest: Node | None
    guard: Node | None
    kept: tuple[Node, ...]

    @property
    def only_counts(self) -> bool:
        """Does a sum along it say how long the list is?"""
        return self.rest is None and is_const(self.body, 1)

    def conditions(self, over: Node) -> tuple[Node | None, Node | None]:
        """Its own conditions: those that take few instructions, and the others."""
        few: list[Node] = []
        many: list[Node] = []
        for part in () if self.rest is None else conjuncts(self.rest):
            (few if cost([part], over, self.kept) <= MOST_OF_A_TEST else many).append(part)
        return _all(few), _all(many)


@dataclass(frozen=True)
class _Masked:
    """A fold over `over` < `end`, if `guard`: `body` where all `parts` hold, else nothing."""

    fold: Node
    over: Node
    end: Node
    guard: Node | None
    parts: tuple[Node, ...]
    body: Node


def cost(roots: Iterable[Node], over: Node, known: Iterable[Node] = ()) -> int:
    """Instructions that compute what depends on a range, for one element; folds inside and what is known
    count as nothing."""
    seen = set(known)
    total = 0
    for root in roots:
        for node in root.toposort(
            lambda n: over in n.ranges and n not in seen and n.op not in (Op.FOLD, Op.STAGE)
        ):
            if node in seen or over not in node.ranges:
                continue
            seen.add(node)
            if node.op in ELEMENTWISE or node.op is Op.LOAD:
                total += SLOW.get(node.op, 1)
    return total


def lists_of(kernel: Kernel) -> dict[Node, Listed]:
    """The folds of a kernel that run along a list, and how."""
    found = [m for n in kernel.nodes if n.op is Op.FOLD and (m := _masked(n)) is not None]
    listed: dict[Node, Listed] = {}
    number = kernel.next_axis()
    for end in dict.fromkeys(m.end for m in found):
        group = [m for m in found if m.end is end]
        over = terms.loop(number, end).replace(dtype=group[0].over.dtype)
        number += 1
        named = [{canonical(p, m.over, over): p for p in m.parts if m.over in p.ranges} for m in group]
        common = [c for c in named[0] if all(c in own for own in named)]
        if len(group) < 2 or cost(common, over) < WORTH_A_LIST:
            continue
        made = _list([named[0][c].substitute({group[0].over: over}) for c in common], over)
        for m, own in zip(group, named, strict=True):
            shared = [own[c] for c in common]
            rest = _all(p for p in m.parts if p not in shared)
            listed[m.fold] = Listed(made, m.body, rest, m.guard, _kept(shared, m.over))
    return listed


def canonical(part: Node, own: Node, over: Node) -> Node:
    """A condition of one fold in terms that are the same for all: about the range `over`, with the sides of
    what commutes in one order, and with sums and products of integers grouped from the left: (a + r) + b and
    (a + b) + r are one address. For comparing only, for that order is this process' own."""
    moved = part.substitute({own: over})
    done: dict[Node, Node] = {}
    for node in moved.toposort():
        sources = () if node.op is Op.RANGE else tuple(done[s] for s in node.src)
        if node.op in (Op.ADD, Op.MUL) and node.dtype.is_int:
            operands = sorted((t for s in sources for t in _operands(s, node)), key=id)
            done[node] = operands[0]
            for operand in operands[1:]:
                done[node] = node.replace(src=(done[node], operand))
            continue
        if node.op in (Op.AND, Op.OR, Op.EQ):
            sources = tuple(sorted(sources, key=id))
        done[node] = node if node.op is Op.RANGE or sources == node.src else node.replace(src=sources)
    return done[moved]


def _operands(node: Node, like: Node) -> list[Node]:
    """What a chain of the operation `like` combines, from the left: of (a + b) + c these three."""
    found: list[Node] = []
    while node.op is like.op and node.dtype is like.dtype:
        node, last = node.src
        found.append(last)
    return [*found, node]


def _kept(parts: list[Node], over: Node) -> tuple[Node, ...]:
    """What is worth writing down of conditions: the numbers they compare."""
    sides = [side for p in parts if p.op in (Op.LT, Op.LE) for side in p.src if over in side.ranges]
    return tuple(dict.fromkeys(side for side in sides if cost([side], over) >= WORTH_A_LIST // 2))


def _list(parts: list[Node], over: Node) -> List:
    condition = _all(parts)
    assert condition is not None
    count = terms.fold(ADD, (condition.cast(dtypes.index),), (over,))
    return List(count, over, condition, _kept(parts, over))


def _all(parts: Iterable[Node]) -> Node | None:
    together: Node | None = None
    for part in parts:
        together = part if together is None else together & part
    return together


def _masked(fold: Node) -> _Masked | None:
    """A scalar fold along one loop of a computed length whose elements are masked by a condition."""
    own, monoid = own_ranges(fold), fold.arg
    if len(own) != 1 or own[0].arg.kind != LOOP or own[0].src[0].op is Op.CONST:
        return None
    if any(is_register(r) for r in fold.ranges):
        return None
    body, parts = _body(fold, monoid)
    if body is None:
        return None
    end, guard = own[0].src[0], None
    if end.op is Op.WHERE and is_const(end.src[2]) and end.src[2].arg == 0:
        guard, end = end.src[:2]
    return _Masked(fold, own[0], end, guard, tuple(parts), body)


def _body(fold: Node, monoid: Monoid) -> tuple[Node | None, list[Node]]:
    body = fold.src[0]
    identity = monoid.identity(tuple(b.dtype for b in fold.src[: monoid.elements]))[0]
    if body.op is Op.WHERE and body.src[2] is identity:
        return body.src[1], conjuncts(body.src[0])
    if body.op is Op.CAST and body.src[0].dtype.is_bool and monoid == ADD:
        return const(1, body.dtype), conjuncts(body.src[0])
    inner = body.src[0] if body.op is Op.CAST and monoid == ADD else body
    if inner is not body and inner.op is Op.WHERE and is_const(inner.src[2]) and inner.src[2].arg == 0:
        return simplify(inner.src[1].cast(body.dtype)), conjuncts(inner.src[0])
    return None, []


class Lists:
    """The lists of a kernel: where they are, how long, and what is on them. `number` is the type of counts
    and of places on a list.
    """

    def __init__(self, lowering: Emitter, number: DType) -> None:
        self._low, self.number = lowering, number
        #: by the count of a list: one that is made in several places has memory in each
        self._memories: dict[Value, tuple[Memory, tuple[Memory, ...]]] = {}

    def keep(self, count: Value, places: Memory, beside: tuple[Memory, ...]) -> Value:
        """Remember where a list was written: the numbers of its elements, and the values beside them."""
        self._memories[count] = places, beside
        return count

    def _count(self, listed: Listed) -> Value:
        """How many elements are on the list, as it was made for the code that is written now."""
        return self._low.emit(listed.list.count).at[()]

    def length(self, listed: Listed) -> Value:
        """How many elements a fold takes from its list."""
        low, number = self._low, self._count(listed)
        if listed.guard is None:
            return number
        runs = low.emit(listed.guard).at[()]
        return low.alu(Op.WHERE, self.number, (runs, number, low.literal(0, self.number)))

    def names(self, listed: Listed, over: Node, i: Value) -> dict[Node, Points]:
        """What is known of the element whose place on the list is `i`."""
        known = {over: Points((), {(): self.place(listed, i, over.dtype)})}
        for value in listed.kept:
            known[value] = Points((), {(): self.kept(listed, value, i)})
        return known

    def place(self, listed: Listed, i: Value, dtype: DType) -> Value:
        """The number of an element on a list."""
        places, _ = self._memories[self._count(listed)]
        found = self._low.instruction("load", places.dtype, 1, (i,), (places, 0))
        return self._low.alu(Op.CAST, dtype, (found,))

    def kept(self, listed: Listed, value: Node, i: Value) -> Value:
        """A kept value of an element on a list."""
        memory = self._memories[self._count(listed)][1][listed.kept.index(value)]
        return self._low.instruction("load", memory.dtype, 1, (i,), (memory, 0))


class Listing(Lists):
    """Writes lists into the fast memory of a thread, and loops along them."""

    def __init__(self, lowering: Values) -> None:
        super().__init__(lowering, dtypes.index)
        self.low = lowering

    def write(self, made: List) -> Value:
        """The list, and how many are on it."""
        low, n = self.low, range_size(made.over)
        places = low.scratch_memory(dtypes.int32, n)
        beside = tuple(low.scratch_memory(value.dtype, n) for value in made.kept)
        number = low.declare(dtypes.index, 1, low.literal(0, dtypes.index))
        low.enter_all([made.over])
        passes = low.emit(made.condition).at[()]
        at = low.get(number)
        r = low.alu(Op.CAST, dtypes.int32, (low.emit(made.over).at[()],))
        low.append(Instruction("store", None, (at, r), (places, 0)))
        for memory, value in zip(beside, made.kept, strict=True):
            low.append(Instruction("store", None, (at, low.emit(value).at[()]), (memory, 0)))
        one = low.alu(Op.CAST, dtypes.index, (passes,))
        low.set(number, low.alu(Op.ADD, dtypes.index, (at, one)))
        low.leave_all(1)
        return self.keep(low.get(number), places, beside)

    def along(self, end: Value) -> Value:
        """Open a loop over so many places; `leave` closes it."""
        return self.low.enter(None, self.low.literal(0, dtypes.index), end)

    def enter(self, listed: Listed, over: Node, condition: Node | None = None) -> None:
        """Open the loop of a fold over `over` along its list, or along the part of it for which a condition
        holds; `leave` closes it.
        """
        low, zero = self.low, self.low.literal(0, dtypes.index)
        end = self.length(listed)
        if condition is None:
            self._name(listed, over, low.enter(over, zero, end))
            return
        part = low.scratch_memory(dtypes.int32, range_size(over))
        number = low.declare(dtypes.index, 1, zero)
        i = low.enter(over, zero, end)
        self._name(listed, over, i)
        at = low.get(number)
        low.append(Instruction("store", None, (at, low.alu(Op.CAST, dtypes.int32, (i,))), (part, 0)))
        one = low.alu(Op.CAST, dtypes.index, (low.emit(condition).at[()],))
        low.set(number, low.alu(Op.ADD, dtypes.index, (at, one)))
        low.leave()
        j = low.enter(over, zero, low.get(number))
        i = low.instruction("load", dtypes.int32, 1, (j,), (part, 0))
        self._name(listed, over, low.alu(Op.CAST, dtypes.index, (i,)))

    def _name(self, listed: Listed, over: Node, i: Value) -> None:
        """Say what the element is whose place on the list is `i`."""
        self.low.stack[-1].values |= self.names(listed, over, i)
