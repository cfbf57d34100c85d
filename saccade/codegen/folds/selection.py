"""Top-k of long rows in two passes: the best of every block first, then only the blocks that can matter.

    pass 1   for every block of 16 elements: m, the best of its keys (or of a bound of them, see `screen`);
             m is kept, and so are the k best m so far
    pass 2   T is the k-th best m. Each m that is no worse stands for an element of a block of its own, so k
             elements are no worse than T, and a block whose m is worse than T holds none of the k best.
             The elements of the others, hardly more than k blocks, are inserted in order, one by one.

In one pass an element is inserted whenever it is among the k best so far: 20 times in a row of 1,000 for
k = 3, each time at the cost of a branch nobody could foresee, and for all lanes at once. Here no branch
depends on a key until the second pass.

In pass 1 lanes are rows, as everywhere else in such a kernel. In pass 2 rows take turns (`which`), and the
lanes are the elements of a block. What an element brings along (loads that do not depend on the row) is
copied together first, so that these lanes are neighbours in memory.

Ties and NaN: a block is left out only if `T < m` (`m < T` for the largest), which never holds for equal keys
and never for NaN, of which every m and T that could meet one is made. What goes on to the insertion is
decided there, as ever, in the order of the elements. Keys without a screen have the same bits in both passes:
no compiler may contract their products and sums (`may_contract`), which it does differently in different
code. The last block may overlap the one before; its elements
that were seen are masked.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...graph import dtypes
from ...graph.kernels import kernel as terms
from ...graph.kernels.kernel import LOOP, UNROLL, VECTOR, is_register, range_size
from ...graph.monoid import MAX, MIN, Monoid
from ...graph.node import Node, index_const, own_ranges
from ...graph.ops import ELEMENTWISE, Op
from ...graph.rules.symbolic import simplify
from ..linear.builder import Point, Points
from ..linear.code import Instruction, Memory, Value, Variable
from .folding import Folding
from .screen import Screen, has_screen, screen_of

#: elements of a block, and how many of them pass 1 has in registers at once
BLOCK = 16
AT_ONCE = 4
#: rows shorter than this many blocks for each of the k results are better off in one pass
BLOCKS_EACH = 2
#: rows at once: one bit each
MOST_ROWS = 64
#: what the second pass may compute for every block: instructions on single rows
MOST_NODES = 250
#: bytes of fast memory, most of it for what elements bring along: about a second-level cache
SCRATCH_BYTES = 1024 * 1024


def selects(fold: Folding) -> bool:
    """Is this fold a top-k that two passes compute, and faster?"""
    monoid: Monoid = fold.monoid
    own = own_ranges(fold.node)
    if not monoid.kind.startswith("top") or len(own) != 1 or own[0].arg.kind != LOOP:
        return False
    (r,) = own
    if r not in fold.bodies[0].ranges:  # one key for all elements
        return False
    if r.src[0].op is not Op.CONST or range_size(r) < BLOCK * BLOCKS_EACH * monoid.k:
        return False
    rows = fold.width * len(fold.low.points(fold.axes))
    if fold.width < 4 or rows > MOST_ROWS or BLOCK % fold.width:
        return False
    return all(_is_straight(body, r) for body in fold.bodies) and _bytes(fold, r, rows) <= SCRATCH_BYTES


def may_contract(nodes: Sequence[Node]) -> bool:
    """May products and sums of a kernel's nodes be fused? It has sums that gain by it, and no keys that have
    to be the same whenever they are computed."""
    folds = [n for n in nodes if n.op is Op.FOLD]
    tops = [n for n in folds if n.arg.kind.startswith("top")]
    return any(n.arg.kind == "add" for n in folds) and all(map(has_screen, tops))


def _is_straight(body: Node, r: Node) -> bool:
    """Is what changes from row to row or from element to element made without loops, and of few values? Then
    it can be computed for one row as well, with the elements as lanes."""
    count = 0
    for node in body.toposort(lambda n: n.op is not Op.STAGE):
        if node.op is Op.RANGE or not (r in node.ranges or any(map(is_register, node.ranges))):
            continue
        if node.op is Op.FOLD:
            straight = node.arg.width == 1 and all(own.arg.kind == UNROLL for own in own_ranges(node))
        elif node.op is Op.LOAD:
            straight = r not in node.src[0].ranges  # a tile for each element
        else:
            straight = node.op in ELEMENTWISE
        if not straight:
            return False
        count += 1
    return count <= MOST_NODES


def _bytes(fold: Folding, r: Node, rows: int) -> int:
    """Fast memory of both passes: what elements bring along, once more shifted and a number for every lane;
    the bests of the blocks and the blocks to look at."""
    n, itemsize = range_size(r), fold.dtypes[0].itemsize
    brought = fold.width * n
    for leaf in _leaves(fold.bodies[0], r):
        brought += 2 * prod(range_size(o) for o in leaf.ranges if o is r or o.arg.kind == UNROLL)
    return brought * itemsize + n // BLOCK * rows * (itemsize + 4)


def _leaves(key: Node, r: Node) -> list[Node]:
    """The largest parts of a key that load, and depend on the element but not on the row; short folds inside
    the key may take them apart."""
    found: list[Node] = []
    inner = {own for n in key.toposort() if n.op is Op.FOLD for own in own_ranges(n)}

    def is_leaf(node: Node) -> bool:
        return r in node.ranges and not any(is_register(o) and o not in inner for o in node.ranges)

    def enter(node: Node) -> bool:
        if r not in node.ranges:
            return False
        if not is_leaf(node) or node.op is Op.RANGE:
            return True
        if node not in found and any(n.op is Op.LOAD for n in node.toposort()):
            found.append(node)
        return False

    key.toposort(enter)
    return found


class Selection:
    """One top-k in two passes; `emit` gives its accumulators, as a fold has them."""

    def __init__(self, fold: Folding) -> None:
        self.fold, self.low, self.monoid = fold, fold.low, fold.monoid
        (self.over,) = own_ranges(fold.node)
        self.size, self.points = range_size(self.over), fold.low.points(fold.axes)
        self.rows = fold.width * len(self.points)
        self.blocks = -(-self.size // BLOCK)
        first = self.low.kernel.next_axis()
        self.block = terms.loop(first, self.blocks)
        self.entry = terms.loop(first + 1, self.blocks * MOST_ROWS)
        self.entry_block, self.entry_row = self.entry // MOST_ROWS, self.entry % MOST_ROWS
        self.spot = terms.loop(first + 2, BLOCK)
        self.free_axis = first + 3
        lanes = self.low.vector_axis(fold.node)
        assert lanes is not None
        self.lanes = lanes
        key = fold.bodies[0]
        self.screen: Screen | None = None
        if not self.monoid.wants_larger:
            self.screen = screen_of(key, self.over, lanes, self.free_axis + 3)
        self.list = [self.low.scratch_memory(key.dtype, self.rows) for _ in range(self.monoid.k)]
        self.list += [self.low.scratch_memory(fold.dtypes[1], self.rows) for _ in range(self.monoid.k)]
        self.bests = self.low.scratch_memory(key.dtype, self.blocks * self.rows)
        self.entries = self.low.scratch_memory(dtypes.uint32, self.blocks * self.rows + 1)
        self.limits = self.low.scratch_memory(key.dtype, self.rows)
        self.keys = self.low.scratch_memory(key.dtype, BLOCK)

    def emit(self) -> dict[Point, list[Value]]:
        self._insert_where_needed(self._best_of_blocks())
        zero = self.low.literal(0, dtypes.index)
        return {
            p: [self._read(m, zero, place, self.fold.width) for m in self.list] for place, p in self._places()
        }

    def _start(self, block: Node) -> Node:
        """The first element of a block."""
        start = block * BLOCK
        return start if self.size % BLOCK == 0 else start.minimum(self.size - BLOCK)

    def _places(self) -> list[tuple[int, Point]]:
        """Where each register point's rows start among all rows."""
        return [(number * self.fold.width, point) for number, point in enumerate(self.points)]

    # --- pass 1

    def _best_of_blocks(self) -> dict[Point, Value]:
        """Keep the best bound of every block; the value beyond which a block cannot matter, for every row."""
        low, k = self.low, self.monoid.k
        better, other = (Op.MAX, Op.MIN) if self.monoid.wants_larger else (Op.MIN, Op.MAX)
        bound = self.fold.bodies[0] if self.screen is None else self.screen.bound
        steps = terms.loop(self.free_axis, BLOCK // AT_ONCE), terms.loop(self.free_axis + 1, AT_ONCE, UNROLL)
        element = simplify(
            bound.substitute({self.over: self._start(self.block) + steps[0] * AT_ONCE + steps[1]})
        )
        best = terms.fold(MAX if self.monoid.wants_larger else MIN, (element,), steps)
        worst = low.literal(self.monoid.identity(self.fold.dtypes)[0].arg, bound.dtype)
        ranked = {
            p: [low.declare(bound.dtype, self.fold.width, worst) for _ in range(k)] for p in self.points
        }
        low.enter_all([self.block])
        found, values = low.emit(best), dict[Point, Value]()
        row = self._row_of_block()
        for place, point in self._places():
            values[point] = low.splat(found.project(self.fold.axes, point), self.fold.width)
            low.append(Instruction("store", None, (row, values[point]), (self.bests, place)))
        apart = self._starts_apart()
        for point, value in values.items():
            for variable in ranked[point]:
                held = low.get(variable)
                low.set(variable, low.alu(better, value.dtype, (held, value)))
                value = low.alu(other, value.dtype, (held, value))
        low.leave_all(apart + 1)
        limits = {p: low.get(ranked[p][k - 1]) for p in self.points}
        if self.screen is None:
            self._keep(limits)
            return limits
        limits = self._sums(limits, self.screen.slack)
        self._keep(self._sums(limits, self.screen.offset))
        return limits

    def _sums(self, values: dict[Point, Value], of_row: Node) -> dict[Point, Value]:
        low, parts = self.low, self.low.emit(of_row)
        return {
            p: low.alu(Op.ADD, v.dtype, (v, low.splat(parts.project(self.fold.axes, p), v.width)))
            for p, v in values.items()
        }

    def _keep(self, limits: dict[Point, Value]) -> None:
        """Keep what no key of the k best of a row exceeds."""
        zero = self.low.literal(0, dtypes.index)
        for place, point in self._places():
            self.low.append(Instruction("store", None, (zero, limits[point]), (self.limits, place)))

    def _starts_apart(self) -> int:
        """Go on only with blocks that share no element with the one before: the last may, and its best might
        be that one's. How many blocks of code this opened."""
        if self.size % BLOCK == 0:
            return 0
        self.low.branch(self.low.emit(self._start(self.block).eq(self.block * BLOCK)).at[()])
        return 1

    def _row_of_block(self) -> Value:
        """Where the bests of the open block start."""
        return self.low.emit(simplify(self.block * self.rows)).at[()]

    # --- pass 2

    def _insert_where_needed(self, limits: dict[Point, Value]) -> None:
        low, zero = self.low, self.low.literal(0, dtypes.index)
        for memory, identity in zip(self.list, self.monoid.identity(self.fold.dtypes), strict=True):
            empty = low.literal(identity.arg, identity.dtype, self.fold.width)
            for place, _ in self._places():
                low.append(Instruction("store", None, (zero, empty), (memory, place)))
        count = self._note_blocks(limits)
        low.enter(self.entry, zero, count)
        scope = low.stack[-1]
        (turn,) = scope.values[self.entry].at.values()
        entry = low.instruction("cast", dtypes.index, 1, (self._read(self.entries, turn, 0, 1),))
        scope.values[self.entry] = Points((), {(): entry})
        self._insert_block()
        low.leave()

    def _note_blocks(self, limits: dict[Point, Value]) -> Value:
        """List every (block, row) that matters, in the order of the blocks; how many there are.

        The first two rows of a block are noted without a branch, which could not be foreseen, and count only
        if they are there.
        """
        low, one = self.low, self.low.literal(1, dtypes.index)
        count = low.declare(dtypes.index, 1, low.literal(0, dtypes.index))
        low.enter_all([self.block])
        row = self._row_of_block()
        base = low.emit(self.block * MOST_ROWS).at[()]
        masks = []
        for place, point in self._places():
            best = self._read(self.bests, row, place, self.fold.width)
            masks.append(self._not_worse(best, limits[point]))
        bits = low.bits(masks)
        for _ in range(2):
            self._note(base, low.instruction("first_bit", dtypes.index, 1, (bits,)), count)
            there = low.alu(Op.NE, dtypes.bool_, (bits, low.literal(0, dtypes.uint64)))
            more = low.instruction("cast", dtypes.index, 1, (there,))
            low.set(count, low.alu(Op.ADD, dtypes.index, (low.get(count), more)))
            bits = low.without_first(bits)
        low.repeat(bits, self.spot)
        self._note(base, low.emit(self.spot).at[()], count)
        low.set(count, low.alu(Op.ADD, dtypes.index, (low.get(count), one)))
        low.leave()
        low.leave_all(1)
        return low.get(count)

    def _note(self, base: Value, which: Value, count: Variable) -> None:
        low, entry = self.low, self.low.alu(Op.ADD, dtypes.index, (base, which))
        word = low.instruction("cast", dtypes.uint32, 1, (entry,))
        low.append(Instruction("store", None, (low.get(count), word), (self.entries, 0)))

    def _key_along_lanes(self) -> Node:
        """The key of the open entry's row, at all places of its block: a vector for each part."""
        part = terms.loop(self.free_axis + 1, BLOCK // self.fold.width, UNROLL)
        lane = terms.loop(self.free_axis + 2, self.fold.width, VECTOR)
        place = self._start(self.entry_block) + part * self.fold.width + lane
        return simplify(
            self._packed(self.fold.bodies[0]).substitute(self._row()).substitute({self.over: place})
        )

    def _row(self) -> dict[Node, Node]:
        """The register axes at the open entry's row."""
        axes, found = (self.lanes, *reversed(self.fold.axes)), dict[Node, Node]()
        stride = 1
        for axis in axes:
            found[axis] = self.entry_row // stride % range_size(axis)
            stride *= range_size(axis)
        return found

    def _packed(self, key: Node) -> Node:
        """The key, with what elements bring along read from tiles in which neighbours are neighbours."""
        mapping: dict[Node, Node] = {}
        axis = self.free_axis + 32
        for leaf in _leaves(key, self.over):
            inner = sorted((r for r in leaf.ranges if r.arg.kind == UNROLL), key=lambda r: r.arg.number)
            own = {r: terms.loop(axis + n, r.src[0]) for n, r in enumerate((*inner, self.over))}
            place, read = index_const(0), index_const(0)
            for r in own:
                place, read = place * range_size(r) + own[r], read * range_size(r) + r
            axis += len(own)
            size = prod(map(range_size, own))
            tile = terms.stage(leaf.substitute(own), simplify(place), tuple(own.values()), axis, size)
            mapping[leaf] = terms.load(tile, simplify(read))
            axis += 1
        return key.substitute(mapping)

    def _insert_block(self) -> None:
        """Insert those elements of the open entry's block into its row's list that may belong there."""
        low, zero = self.low, self.low.literal(0, dtypes.index)
        which = low.emit(self.entry_row).at[()]
        held = [low.declare(m.dtype, 1, self._read(m, which, 0, 1)) for m in self.list]
        keys = [values for _, values in sorted(low.emit(self._key_along_lanes()).at.items())]
        for part, values in enumerate(keys):
            low.append(Instruction("store", None, (zero, values), (self.keys, part * self.fold.width)))
        low.repeat(self._candidates(keys, which, held), self.spot)
        value = self._read(self.keys, low.emit(self.spot).at[()], 0, 1)
        place = self._start(self.entry_block) + self.spot
        number = simplify(self.fold.bodies[1].substitute(self._row() | {self.over: place}))
        self.fold.update(held, [value, low.emit(number).at[()]])
        low.leave()
        for memory, variable in zip(self.list, held, strict=True):
            low.append(Instruction("store", None, (which, low.get(variable)), (memory, 0)))

    def _candidates(self, keys: list[Value], which: Value, held: list[Variable]) -> Value:
        """The elements to insert, as bits. Where there are several, they have to be better than the worst of
        a full list, too: what is only as good comes too late. (There may be very many of those.)"""
        low, k, width = self.low, self.monoid.k, self.fold.width
        limit = low.splat(self._read(self.limits, which, 0, 1), width)
        bits = self._unseen(low.bits([self._not_worse(values, limit) for values in keys]))
        left = low.declare(bits.dtype, 1, bits)
        several = (low.without_first(bits), low.literal(0, bits.dtype))
        low.branch(low.alu(Op.NE, dtypes.bool_, several))
        number = low.get(held[2 * k - 1])
        empty = low.literal(self.monoid.identity(self.fold.dtypes)[2 * k - 1].arg, number.dtype)
        full = low.splat(low.alu(Op.NE, dtypes.bool_, (number, empty)), width)
        worst, masks = low.splat(low.get(held[k - 1]), width), []
        for values in keys:
            pair = (values, worst) if self.monoid.wants_larger else (worst, values)
            late = low.alu(Op.AND, dtypes.bool_, (full, low.alu(Op.LE, dtypes.bool_, pair)))
            masks.append(self._not(late))
        low.set(left, low.alu(Op.AND, bits.dtype, (bits, low.bits(masks))))
        low.leave()
        return low.get(left)

    def _unseen(self, bits: Value) -> Value:
        """Without the elements that were in the block before: the last block may start early."""
        if self.size % BLOCK == 0:
            return bits
        low = self.low
        block = self.entry_block
        seen = low.emit((block * BLOCK - self._start(block)).cast(dtypes.uint64)).at[()]
        ones = low.literal(-1, dtypes.uint64)
        return low.alu(Op.AND, dtypes.uint64, (bits, low.alu(Op.SHL, dtypes.uint64, (ones, seen))))

    def _not_worse(self, value: Value, limit: Value) -> Value:
        pair = (value, limit) if self.monoid.wants_larger else (limit, value)
        return self._not(self.low.alu(Op.LT, dtypes.bool_, pair))  # never for equal keys, never for NaN

    def _not(self, condition: Value) -> Value:
        return self.low.alu(Op.NOT, dtypes.bool_, (condition,))

    # --- memory

    def _read(self, memory: Memory, index: Value, offset: int, width: int) -> Value:
        return self.low.instruction("load", memory.dtype, width, (index,), (memory, offset))
