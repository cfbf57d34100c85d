"""Elementwise values, loads and stores: what a kernel without reductions needs.

`emit_at` writes an expression at one point of some unroll axes, so that few values are alive at once.
"""

from __future__ import annotations

from collections.abc import Callable

from ...graph import dtypes
from ...graph.kernels.kernel import UNROLL, VECTOR, Kernel, combines, is_register, is_update, range_size
from ...graph.monoid import Monoid
from ...graph.node import Node, index_const, make
from ...graph.ops import COMPARE, COMPUTED, NESTS, Op
from ..folds.listing import Listing, lists_of
from ..numerics.decompose import decompose
from ..numerics.quotient import with_reciprocal
from .addressing.address import Address, index_at, load_at, packed_loads, reads_addend_again
from .addressing.edges import guarded_load, guarded_loads, masked_stores
from .addressing.turned import turned_axis, turned_loads, turned_stores
from .builder import Point, Points
from .code import Instruction, Memory, Value
from .overlap import overlaps
from .values import Values, folds_in


class MemoryLowering(Values):
    """Values in registers and in memory, and the lists of elements that folds share."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self.listed = lists_of(kernel)
        self.lists = {one.list.count: one.list for one in self.listed.values()}
        self.listing = Listing(self)
        self.there = 0  # lanes of vectors that are stored already

    def elementwise(self, node: Node) -> Points:
        sources = [self.emit(s) for s in with_reciprocal(self, node)]
        return self._at_points(node, sources, self.unroll_axes(node))

    def _at_points(self, node: Node, sources: list[Points], axes: tuple[Node, ...]) -> Points:
        """An elementwise op at every point of some unroll axes."""
        width, made = self.width(node), {}
        table = self._table(node)
        again = reads_addend_again(node, sources, axes)
        for point in self.points(axes):
            values = [s.project(axes, point) for s in sources]
            if table is not None:
                made[point] = table(self.splat(values[0], width))
            elif len(values) > len(node.src):
                args = tuple([self.splat(v, width) for v in values[:3]])
                made[point] = self.instruction("quotient", node.dtype, width, (*args, values[3]))
            else:
                args = tuple([self.splat(v, width) for v in values])
                if again:
                    args = (*args[:-1], self.instruction("again", node.dtype, width, args[-1:]))
                made[point] = self.alu(node.op, node.dtype, args, node.arg)
        return Points(axes, made)

    def _table(self, node: Node) -> Callable[[Value], Value] | None:
        """How one of the sixteen bytes of a memory is found, if a node is that."""
        if node.op is not Op.LOOKUP:
            return None
        memory = self.memory_of(node.src[1])

        def found(code: Value) -> Value:
            if code.width == 1:
                place = self.instruction("cast", dtypes.index, 1, (code,))
                return self.instruction("load", node.dtype, 1, (place,), (memory, 0))
            first = self.literal(0, dtypes.index)
            whole = self.instruction("load", node.dtype, node.src[1].arg.size, (first,), (memory, 0))
            return self.instruction("lookup", node.dtype, code.width, (code, whole))

        return found

    def emit_at(self, node: Node, fixed: dict[Node, int], done: dict[Node, Points]) -> Points:
        """The values of a node at one point of some unroll axes, over the others; `done` has those that are
        there."""
        whole: dict[Node, Points] = {}  # what is the same at all points
        # in the order a recursion would go: expressions are deeper than Python's stack
        stack = [node]
        while stack:
            below = stack[-1]
            if below in done or below in whole:
                stack.pop()
            elif not any(a in fixed for a in self.unroll_axes(below)):
                whole[below] = self.emit(below)
            elif below.op not in COMPUTED or self.home(below) != len(self.stack) - 1:
                done[below] = self._compute_at(below, fixed)
            else:
                sources = with_reciprocal(self, below)
                waiting = next((s for s in sources if s not in done and s not in whole), None)
                if waiting is not None:
                    stack.append(waiting)
                    continue
                values = [done[s] if s in done else whole[s] for s in sources]
                axes = tuple(a for a in self.unroll_axes(below) if a not in fixed)
                done[below] = self._at_points(below, values, axes)
        return done[node] if node in done else whole[node]

    def _compute_at(self, node: Node, fixed: dict[Node, int]) -> Points:
        """The same for what is not computed element by element here."""
        every = self.unroll_axes(node)
        axes = tuple(a for a in every if a not in fixed)
        if node.op is Op.LOAD and len(node.src) == 2 and self.home(node) == len(self.stack) - 1:
            address = Address(self, node.src[1], every, self.vector_axis(node))
            width = self.width(node)
            if width > 1 or address.packed_axis() is None:
                memory = self.memory_of(node.src[0])
                return Points(
                    axes,
                    {
                        p: load_at(self, memory, address, _full(every, axes, p, fixed), width)
                        for p in self.points(axes)
                    },
                )
        whole = self.emit(node)
        return Points(
            axes, {p: whole.project(every, _full(every, axes, p, fixed)) for p in self.points(axes)}
        )

    def load(self, node: Node) -> Points:
        memory = self.memory_of(node.src[0])
        axes, width = self.unroll_axes(node), self.width(node)
        if len(node.src) == 3 and width == 1 and not axes:
            return Points((), {(): guarded_load(self, node, memory)})
        address = Address(self, node.src[1], axes, self.vector_axis(node))
        if len(node.src) == 3:
            return Points(axes, guarded_loads(self, node, memory, address))
        if width == 1 and (packed := address.packed_axis()) is not None:
            return Points(axes, packed_loads(self, memory, address, axes, packed))
        across = turned_axis(address, width, memory.dtype.itemsize)
        if width > 1 and across is not None and address.vector_stride not in (0, 1, -1):
            return Points(axes, turned_loads(self, memory, address, across, width))
        return Points(axes, {p: load_at(self, memory, address, p, width) for p in self.points(axes)})

    def store(self, node: Node) -> None:
        memory = self.memory_of(node.src[0])
        if len(node.src) == 4:
            if any(map(is_register, node.ranges)) and not is_update(node):
                self._store_where(node, memory)
            else:
                self._guarded_store(node, memory)
            return
        self.store_points(memory, node.src[1], node.src[2], node.ranges)

    def store_points(self, memory: Memory, index: Node, value: Node, ranges: frozenset[Node]) -> None:
        address = self.address_over(index, ranges)
        width, points = address.width, self.points(address.axes)
        if self._fills_registers(value, address):
            for point in points:
                fixed = dict(zip(address.axes, point, strict=True))
                made = self.emit_at(value, fixed, {}).project((), ())
                self.store_values(memory, address, {point: self.splat(made, width)})
            return
        values = self.values_over(value, address.axes)
        self.store_values(memory, address, {p: self.splat(what, width) for p, what in values.items()})

    def values_over(self, value: Node, axes: tuple[Node, ...]) -> dict[Point, Value]:
        """A value at every point of some unroll axes. Along those that decide what it is, it is written as
        what it is at each point, and not as all that it might be."""
        chosen = _chosen_by(value, axes)
        made = {}
        for point in self.points(axes):
            fixed = tuple([(axis, at) for axis, at in zip(axes, point, strict=True) if axis in chosen])
            made[point] = self.emit(index_at(self, value, fixed)).project(axes, point)
        return made

    def _fills_registers(self, value: Node, address: Address) -> bool:
        """Is it a tile of sums that meets more at each point? All of that at once does not fit beside the
        sums: (x @ w) * (m + n * o) took twice the time of x @ w."""
        if len(self.kernel.sink.src) != 1 or value.op not in COMPUTED or address.vector_stride != 1:
            return False
        pending = value.toposort(self.is_pending)
        folds = folds_in(pending)
        loads = {s for node in pending for s in node.src if s.op is Op.LOAD}
        return bool(address.axes and folds) and any(
            set(self.unroll_axes(load)) >= set(address.axes) for load in loads
        )

    def address_over(self, index: Node, ranges: frozenset[Node]) -> Address:
        """An index over the register axes among some ranges."""
        axes = tuple(sorted((r for r in ranges if r.arg.kind == UNROLL), key=lambda r: r.arg.number))
        return Address(self, index, axes, next((r for r in ranges if r.arg.kind == VECTOR), None))

    def store_values(self, memory: Memory, address: Address, values: dict[Point, Value]) -> None:
        """Store a value at every point of the address's axes."""
        if turned_stores(self, memory, address, values):
            return
        ends = overlaps(address.index, address.axes, address.vector)
        for point, what in values.items():
            width = what.width
            if width == 1 or address.vector_stride == 1:
                where, offset = address.at(point)
                there = (
                    max([self.there, *(n for axis, at, n in ends if point[axis] == at)]) if width > 1 else 0
                )
                self.append(Instruction("store", None, (where, what), (memory, offset, there)))
                continue
            for lane in range(width):
                where, offset = address.at(point, lane)
                if what.is_literal:
                    scalar = self.splat(what, 1)
                else:
                    scalar = self.instruction("extract", what.dtype, 1, (what,), lane)
                self.append(Instruction("store", None, (where, scalar), (memory, offset)))

    def _store_where(self, node: Node, memory: Memory) -> None:
        """A store at many points, of which some may not be there. Where all are it is like any other."""
        _, index, value, valid = node.src
        address = self.address_over(index, node.ranges)
        width = address.width
        values = self.values_over(value, address.axes)
        made = {p: self.splat(what, width) for p, what in values.items()}
        last = {r: index_const(range_size(r) - 1) for r in node.ranges if is_register(r)}
        whole = self.emit(valid.substitute(last)).at[()]
        self.branch(whole)
        self.store_values(memory, address, made)
        self.leave()
        self.branch(self.alu(Op.NOT, dtypes.bool_, (whole,)))
        masked_stores(self, memory, address, made, valid)
        self.leave()

    def _guarded_store(self, node: Node, memory: Memory) -> None:
        """A store that may not happen, or that combines with what is there: of an element, or of a vector of
        neighbours."""
        _, index, value, valid = node.src
        address = self.address_over(index, node.ranges)
        width = address.width
        (where, offset), condition = address.at(()), self.emit(valid).at[()]
        what = self.splat(self.emit(value).at[()], width)
        self.branch(condition)
        if combines(node):
            old = self.instruction("load", memory.dtype, width, (where,), (memory, offset))
            a, b = make(Op.PARAM, node.dtype, (), "old"), make(Op.PARAM, node.dtype, (), "new")
            combined = decompose(Monoid(node.arg).combine((a,), (b,))[0])
            what = self.evaluate(combined, {decompose(a): old, decompose(b): what})
        place = (memory, offset) if width == 1 else (memory, offset, self.there)
        self.append(Instruction("store", None, (where, what), place))
        self.leave()


def _chosen_by(value: Node, axes: tuple[Node, ...]) -> set[Node]:
    """The unroll axes that comparisons in a value ask of, and of nothing else: parts that were stacked."""
    if not axes:
        return set()
    below = value.toposort(lambda n: not n.ranges.isdisjoint(axes))
    asked = {r for n in below if n.op in COMPARE and n.ranges.issubset(axes) for r in n.ranges}
    return {r for r in asked if not any(n.op in NESTS and r in n.ranges for n in below)}


def _full(every: tuple[Node, ...], axes: tuple[Node, ...], point: Point, fixed: dict[Node, int]) -> Point:
    """A point over all axes from one over some and fixed values for the rest."""
    return tuple(fixed[a] if a in fixed else point[axes.index(a)] for a in every)
