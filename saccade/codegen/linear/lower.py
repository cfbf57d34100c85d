"""A kernel becomes linear code.

Every value is computed in the innermost open loop it depends on and in no deeper one, once. That single rule
places folds, tiles and loop invariants: while a loop is being written, a value that does not depend on it is
appended to the block around it, which is before it.

Register axes are not loops. A value that depends on a vector axis is a vector; one that depends on unroll
axes exists once per point of them (`Points`). So an 8x16 register tile of a matrix product is eight vectors
here and never 128 nodes.
"""

from __future__ import annotations

from itertools import product

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernel import PARALLEL, UNROLL, VECTOR, Kernel, is_register, range_size
from ...graph.monoid import Monoid
from ...graph.node import Node, make, own_ranges
from ...graph.ops import ELEMENTWISE, Op
from ..folds.fold import Fold
from ..folds.listing import Listing, lists_of
from ..folds.selection import may_contract
from ..numerics.decompose import decompose
from ..numerics.quotient import with_reciprocal
from .accumulate import accumulate, runs_along
from .address import Address, reads_addend_again
from .builder import Builder, Point, Points, Scope, combine
from .code import Block, Code, Instruction, Memory, Value
from .edges import guarded_load, guarded_loads
from .fetch import fetch_rows
from .results import is_chunk, store_chunk, store_results
from .turned import turned_axis, turned_loads, turned_stores


class Lowering(Builder):
    """Writes one kernel. `code(name)` is the result."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self.kernel = kernel
        self.memories: dict[Node, Memory] = {}
        self.scratches: list[Memory] = []
        self.scratch = 0
        self.axes_of: dict[Node, tuple[Node, ...]] = {}
        #: indices with some axes fixed, simplified: see `Address.at`
        self.indices: dict[tuple[Node, tuple[tuple[Node, int], ...]], Node] = {}
        self.listed = lists_of(kernel)
        self.lists = {one.list.count: one.list for one in self.listed.values()}
        self.listing = Listing(self)
        self.contract = may_contract(kernel.nodes)
        for node in kernel.sink.toposort():
            if node.op is Op.PARAM:
                slot = node.arg.slot
                self.memories[node] = Memory(f"p{slot}", node.dtype, slot)

    def code(self, name: str) -> Code:
        begin, end = self.new(dtypes.index), self.new(dtypes.index)
        loops = [r for r in self.kernel.order if not is_register(r)]
        self._open_loops(loops, begin, end)
        tasks = range_size(loops[0]) if loops and loops[0].arg.kind == PARALLEL else 1
        memories = [m for m in self.memories.values() if m.slot >= 0] + self.scratches
        return Code(name, self.stack[0].block, begin, end, memories, self.variables, tasks, self.scratch)

    def _open_loops(self, loops: list[Node], begin: Value, end: Value) -> None:
        if not loops:
            store_results(self)
            return
        first, rest = loops[0], loops[1:]
        if not rest and is_chunk(self, first):
            store_chunk(self, first)
            return
        bounds = (begin, end) if first.arg.kind == PARALLEL else (self.literal(0, dtypes.index), None)
        with_end = bounds[1] or self.emit(first.src[0]).at[()]
        self.enter(first, bounds[0], with_end)
        self._open_loops(rest, begin, end)
        self.leave()

    # --- values

    def unroll_axes(self, node: Node) -> tuple[Node, ...]:
        """The unroll axes a value depends on, in a fixed order."""
        found = self.axes_of.get(node)
        if found is None:
            axes = [r for r in node.ranges if r.arg.kind == UNROLL]
            found = self.axes_of[node] = tuple(sorted(axes, key=lambda r: r.arg.number))
        return found

    def vector_axis(self, node: Node) -> Node | None:
        return next((r for r in node.ranges if r.arg.kind == VECTOR), None)

    def width(self, node: Node) -> int:
        axis = self.vector_axis(node)
        return 1 if axis is None else range_size(axis)

    def emit(self, node: Node) -> Points:
        """The values of a node, computed where they belong if they are not there yet."""
        if node.op is Op.CONST:
            return Points((), {(): self.literal(node.arg, node.dtype)})
        position = self.home(node)
        scope = self.stack[position]
        found = scope.values.get(node)
        if found is None:
            if node.op in ELEMENTWISE:  # sources first, in a loop: expressions are deeper than Python's stack
                pending = node.toposort(self._is_pending)
                # what meets a sum is computed after it: in registers, it would be in the way of the sum's
                for below in (*_folds_in(pending), *pending[:-1]):
                    self.emit(below)
            whole = self.stack
            if position != len(whole) - 1:
                self.stack = _before_open_loop(whole, position)
            found = self._compute(node)
            scope.values[node] = found
            if self.stack is not whole:
                _splice(whole, position, self.stack[-1].block)
                self.stack = whole
        return found

    def _is_pending(self, node: Node) -> bool:
        """Elementwise, and not computed yet."""
        return node.op in ELEMENTWISE and node not in self.stack[self.home(node)].values

    def _compute(self, node: Node) -> Points:
        op = node.op
        if op is Op.RANGE:
            return self._register_range(node)
        if op in ELEMENTWISE:
            return self._elementwise(node)
        if op is Op.LOAD:
            return self._load(node)
        if op is Op.FOLD:
            return Fold(self, node).emit()
        if op is Op.PROJECT:
            return self._project(node)
        if op is Op.PREFIX:
            return self._prefix(node)
        assert op is Op.STAGE, node
        return self._fill_tile(node)

    def _register_range(self, node: Node) -> Points:
        n = range_size(node)
        if node.arg.kind == VECTOR:
            return Points((), {(): self.instruction("lanes", dtypes.index, n, (), tuple(range(n)))})
        assert node.arg.kind == UNROLL, f"{node} is not open"
        return Points((node,), {(p,): self.literal(p, dtypes.index) for p in range(n)})

    def points(self, axes: tuple[Node, ...]) -> list[Point]:
        return list(product(*[range(range_size(a)) for a in axes]))

    def _elementwise(self, node: Node) -> Points:
        sources = [self.emit(s) for s in with_reciprocal(self, node)]
        return self._at_points(node, sources, self.unroll_axes(node))

    def _at_points(self, node: Node, sources: list[Points], axes: tuple[Node, ...]) -> Points:
        """An elementwise op at every point of some unroll axes."""
        width, made = self.width(node), {}
        again = reads_addend_again(node, sources, axes)
        for point in self.points(axes):
            values = [s.project(axes, point) for s in sources]
            if len(values) > len(node.src):
                args = tuple([self.splat(v, width) for v in values[:3]])
                made[point] = self.instruction("quotient", node.dtype, width, (*args, values[3]))
            else:
                args = tuple([self.splat(v, width) for v in values])
                if again:
                    args = (*args[:-1], self.instruction("again", node.dtype, width, args[-1:]))
                made[point] = self.alu(node.op, node.dtype, args, node.arg)
        return Points(axes, made)

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
            elif below.op not in ELEMENTWISE or self.home(below) != len(self.stack) - 1:
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
                        p: self.load_at(memory, address, _full(every, axes, p, fixed), width)
                        for p in self.points(axes)
                    },
                )
        whole = self.emit(node)
        return Points(
            axes, {p: whole.project(every, _full(every, axes, p, fixed)) for p in self.points(axes)}
        )

    # --- memory

    def memory_of(self, node: Node) -> Memory:
        """The buffer, or the tile, which is filled first."""
        if node.op is Op.STAGE:
            self.emit(node)
        return self.memories[node]

    def _load(self, node: Node) -> Points:
        memory = self.memory_of(node.src[0])
        axes, width = self.unroll_axes(node), self.width(node)
        if len(node.src) == 3 and width == 1 and not axes:
            return Points((), {(): guarded_load(self, node, memory)})
        address = Address(self, node.src[1], axes, self.vector_axis(node))
        if len(node.src) == 3:
            return Points(axes, guarded_loads(self, node, memory, address))
        if width == 1 and (packed := address.packed_axis()) is not None:
            return Points(axes, self._packed_loads(memory, address, axes, packed))
        across = turned_axis(address, width, memory.dtype.itemsize)
        if width > 1 and across is not None and address.vector_stride not in (0, 1, -1):
            return Points(axes, turned_loads(self, memory, address, across, width))
        return Points(axes, {p: self.load_at(memory, address, p, width) for p in self.points(axes)})

    def load_at(self, memory: Memory, address: Address, point: Point, width: int) -> Value:
        if width == 1:
            index, offset = address.at(point)
            return self.instruction("load", memory.dtype, 1, (index,), (memory, offset))
        stride = address.vector_stride
        if stride == 0:
            index, offset = address.at(point)
            return self.splat(self.instruction("load", memory.dtype, 1, (index,), (memory, offset)), width)
        if stride == 1:
            index, offset = address.at(point)
            return self.instruction("load", memory.dtype, width, (index,), (memory, offset))
        if stride == -1:
            index, offset = address.at(point)
            straight = self.instruction("load", memory.dtype, width, (index,), (memory, offset - width + 1))
            return self.instruction("reverse", memory.dtype, width, (straight,))
        lanes = []
        for lane in range(width):
            index, offset = address.at(point, lane)
            lanes.append(self.instruction("load", memory.dtype, 1, (index,), (memory, offset)))
        return self.instruction("pack", memory.dtype, width, tuple(lanes))

    def _packed_loads(
        self, memory: Memory, address: Address, axes: tuple[Node, ...], axis: Node
    ) -> dict[Point, Value]:
        """Neighbouring elements along an unroll axis come in one vector load and are taken out lane by
        lane."""
        where, n = axes.index(axis), range_size(axis)
        made: dict[Point, Value] = {}
        vectors: dict[Point, Value] = {}
        for point in self.points(axes):
            first = (*point[:where], 0, *point[where + 1 :])
            if first not in vectors:
                index, offset = address.at(first)
                vectors[first] = self.instruction("load", memory.dtype, n, (index,), (memory, offset))
            made[point] = self.instruction("extract", memory.dtype, 1, (vectors[first],), point[where])
        return made

    def store(self, node: Node) -> None:
        memory = self.memory_of(node.src[0])
        if len(node.src) == 4:
            self._guarded_store(node, memory)
            return
        self.store_points(memory, node.src[1], node.src[2], node.ranges)

    def store_points(self, memory: Memory, index: Node, value: Node, ranges: frozenset[Node]) -> None:
        address = self.address_over(index, ranges)
        width = 1 if address.vector is None else range_size(address.vector)
        points = self.points(address.axes)
        if self._fills_registers(value, address):
            for point in points:
                fixed = dict(zip(address.axes, point, strict=True))
                made = self.emit_at(value, fixed, {}).project((), ())
                self.store_values(memory, address, {point: self.splat(made, width)})
            return
        values = self.emit(value)
        self.store_values(
            memory, address, {p: self.splat(values.project(address.axes, p), width) for p in points}
        )

    def _fills_registers(self, value: Node, address: Address) -> bool:
        """Is it a tile of sums that meets more at each point? All of that at once does not fit beside the
        sums: (x @ w) * (m + n * o) took twice the time of x @ w."""
        if len(self.kernel.sink.src) != 1 or value.op not in ELEMENTWISE or address.vector_stride != 1:
            return False
        pending = value.toposort(self._is_pending)
        folds = _folds_in(pending)
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
        for point, what in values.items():
            width = what.width
            if width == 1 or address.vector_stride == 1:
                where, offset = address.at(point)
                self.append(Instruction("store", None, (where, what), (memory, offset)))
                continue
            for lane in range(width):
                where, offset = address.at(point, lane)
                if what.is_literal:
                    scalar = self.splat(what, 1)
                else:
                    scalar = self.instruction("extract", what.dtype, 1, (what,), lane)
                self.append(Instruction("store", None, (where, scalar), (memory, offset)))

    def _guarded_store(self, node: Node, memory: Memory) -> None:
        """A store that may not happen, or that combines with what is there: never over register axes."""
        _, index, value, valid = node.src
        where, what, condition = self.emit(index).at[()], self.emit(value).at[()], self.emit(valid).at[()]
        self.branch(condition)
        if node.arg is not None:
            old = self.instruction("load", memory.dtype, 1, (where,), (memory, 0))
            a, b = make(Op.PARAM, node.dtype, (), "old"), make(Op.PARAM, node.dtype, (), "new")
            combined = decompose(Monoid(node.arg).combine((a,), (b,))[0])
            what = self.evaluate(combined, {decompose(a): old, decompose(b): what})
        self.append(Instruction("store", None, (where, what), (memory, 0)))
        self.leave()

    def _fill_tile(self, node: Node) -> Points:
        value, index, ranges = node.src[0], node.src[1], own_ranges(node)
        # two tiles may have one number: splitting a fold copies what is in it
        self.memories[node] = self.scratch_memory(node.dtype, node.arg.size)
        if runs_along(node):
            accumulate(self, node)
            return Points((), {})
        depth = self.enter_all([r for r in ranges if not is_register(r)])
        fetch_rows(self, node)
        self.store_points(self.memories[node], index, value, frozenset(ranges))
        self.leave_all(depth)
        return Points((), {})

    def scratch_memory(self, dtype: DType, size: int) -> Memory:
        """Fast memory of the thread for `size` elements."""
        self.scratch = -(-self.scratch // 64) * 64
        memory = Memory(f"s{len(self.scratches)}", dtype, -1, self.scratch)
        self.scratches.append(memory)
        self.scratch += size * dtype.itemsize
        return memory

    def enter_all(self, loops: list[Node]) -> int:
        for r in loops:
            self.enter(r, self.literal(0, dtypes.index), self.emit(r.src[0]).at[()])
        return len(loops)

    def leave_all(self, depth: int) -> None:
        for _ in range(depth):
            self.leave()

    # --- reductions

    def _project(self, node: Node) -> Points:
        folded = node.src[0]
        self.emit(folded)
        scope = self.stack[self.home(folded)]
        return scope.values[_component(folded, node.arg)]

    def keep_components(self, node: Node, components: list[Points]) -> Points:
        """Remember each result of a fold with several, for PROJECT."""
        scope = self.stack[-1]
        for number, points in enumerate(components):
            scope.values[_component(node, number)] = points
        return components[0]

    def _prefix(self, node: Node) -> Points:
        """A running reduction: the accumulators start before the loop and change once per iteration."""
        monoid: Monoid = node.arg
        bodies, over = node.src[: monoid.elements], node.src[-1]
        axes, width = self.unroll_axes(node), self.width(node)
        position = next(p for p, s in enumerate(self.stack) if s.range is over)
        whole = self.stack
        self.stack = _before_open_loop(whole, position - 1)
        identity = monoid.identity(tuple(b.dtype for b in bodies))
        variables = {
            p: [self.declare(c.dtype, width, self.literal(c.arg, c.dtype)) for c in identity]
            for p in self.points(axes)
        }
        _splice(whole, position - 1, self.stack[-1].block)
        self.stack = whole
        elements = [self.emit(b) for b in bodies]
        components: list[Points] = [Points(axes, {}) for _ in identity]
        for point, held in variables.items():
            new = [self.splat(e.project(axes, point), width) for e in elements]
            combined = combine(self, monoid, [self.get(v) for v in held], new)
            for number, (variable, value) in enumerate(zip(held, combined, strict=True)):
                self.set(variable, value)
                components[number].at[point] = value
        return self.keep_components(node, components)


def _folds_in(nodes: list[Node]) -> list[Node]:
    """The folds that some of the nodes read."""
    return list(dict.fromkeys(s for node in nodes for s in node.src if s.op is Op.FOLD))


def _full(every: tuple[Node, ...], axes: tuple[Node, ...], point: Point, fixed: dict[Node, int]) -> Point:
    """A point over all axes from one over some and fixed values for the rest."""
    return tuple(fixed[a] if a in fixed else point[axes.index(a)] for a in every)


def _component(node: Node, number: int) -> Node:
    return (
        node
        if number == 0 and node.arg.width == 1
        else make(Op.PROJECT, dtypes.bool_, (node,), ("kept", number))
    )


def _before_open_loop(stack: list[Scope], position: int) -> list[Scope]:
    """A stack that ends at `position`, writing into an empty block to be put before the loop that is open
    there."""
    scope = stack[position]
    return [*stack[:position], Scope(scope.range, Block(), scope.values)]


def _splice(stack: list[Scope], position: int, hoisted: Block) -> None:
    """Put hoisted code before the open loop (or branch), which is the last item of its block."""
    items = stack[position].block.items
    items[-1:-1] = hoisted.items
