"""A kernel shaped for a GPU becomes linear code for one thread.

The rule of `lower` holds here too: a value is computed in the innermost open loop it depends on, once. Three
kinds of range are no loops but places where a thread stands, and are bound before anything is written:

    grid     the block's number                team     the number of the team within the block
    thread   the thread's number in its team

A team is a warp, or the whole block. What follows from the kinds:

- a FOLD over a thread range of its own is computed by the team: every thread folds its part, then they
  exchange (shuffles within a warp, shared memory between warps), and all of them have the result;
- a STAGE over a thread range of its own is filled by the team, between barriers, in shared memory or in a
  workspace;
- a FOLD or STAGE that itself depends on the thread is that thread's own business: a serial loop, a private
  array.

Instructions beside those of `linear`:

    place     arg=grid, team or thread           barrier  arg=team size: all its threads arrive
    shuffle   args=(value,), arg=distance        atomic   args=(index, value), arg=(memory, offset, mode)
    leave     args=(value,), arg=memory: the first lane of each warp writes its value, side by side
    collect   arg=(memory, warps): each lane reads one of them, in turn
    any       args=(bool,)                       does it hold in any lane of the warp?
    least, most  args=(a, b): the smaller or larger of two numbers that are not NaN
    dot       args=(a, b, c), arg=(signed, signed): c and the products of the bytes of two words
    given     arg=number: an argument of the function this is the body of
"""

from __future__ import annotations

from itertools import product
from typing import Final

from ...graph import dtypes
from ...graph.kernel import UNROLL, Kernel, range_size
from ...graph.monoid import Monoid
from ...graph.node import Node, const, make, own_ranges
from ...graph.ops import ELEMENTWISE, Op
from ...graph.sums import affine
from ...graph.symbolic import coefficient_of
from ..folds.fold_gpu import GpuFold, component
from ..folds.listing import lists_of
from ..folds.listing_gpu import MOST_LISTED, GpuListing
from ..moves.moves import is_in_place
from .address import at_point
from .builder import Builder, Point, Points, Scope, combine
from .code import Block, Instruction, Loop, Memory, Value
from .gpu_code import GIVEN, GRID, NO_BUFFER, PLACES, SHARED_BYTES, TEAM, THREAD, WIDEST, GpuCode, Tile

#: bytes that a thread loads before it computes anything
MOST_FIRST: Final = 320
#: the argument of a PROJECT that stands for the whole vector a load begins
VECTOR: Final = ("vector",)


class GpuLowering(Builder):
    """Writes one kernel. `code(name)` is the result."""

    def __init__(self, kernel: Kernel, team: int) -> None:
        super().__init__()
        self.kernel, self.team = kernel, team
        self.memories: dict[Node, Memory] = {}
        self.tiles: list[Tile] = []
        self.shared = 0
        self.workspace = 0
        self.sizes = {GRID: 1, TEAM: 1, THREAD: team}
        self.sizes |= {r.arg.kind: range_size(r) for r in kernel.order if r.arg.kind in PLACES}
        self.contract = any(n.op is Op.FOLD and n.arg.kind == "add" for n in kernel.sink.toposort())
        for node in kernel.sink.toposort():
            if node.op is Op.PARAM:
                self.memories[node] = Memory(f"p{node.arg.slot}", node.dtype, node.arg.slot)
            elif node.op is Op.RANGE and node.arg.kind in PLACES:
                self.sizes[node.arg.kind] = range_size(node)
                place = self.instruction("place", node.dtype, 1, (), node.arg.kind)
                self.stack[0].values[node] = Points((), {(): place})
            elif node.op is Op.RANGE and node.arg.kind == GIVEN:
                given = self.instruction("given", node.dtype, 1, (), node.arg.number)
                self.stack[0].values[node] = Points((), {(): given})
        self.parts = parts_of_vectors(kernel.sink)
        found = lists_of(kernel)
        self.listed = {fold: one for fold, one in found.items() if range_size(one.list.over) <= MOST_LISTED}
        self.lists = {one.list.count: one.list for one in self.listed.values()}
        for made in self.lists.values():
            self.parts |= parts_of_vectors(made.condition)
        self.listing = GpuListing(self)

    def code(self, name: str, first: frozenset[int] = frozenset()) -> GpuCode:
        """The kernel; what it reads of some buffers outside of all loops is on its way before anything is
        computed: nothing moves a load in front of a shuffle once it is behind it."""
        kernel = self.kernel
        self._load_first(first)
        self._open_loops([r for r in kernel.order if r.arg.kind not in PLACES and r.arg.kind != UNROLL])
        written = frozenset(s.src[0].arg.slot for s in kernel.sink.src)
        buffers = [m for m in self.memories.values() if m.slot >= 0]
        read_only = frozenset(m.slot for m in buffers) - written
        return GpuCode(
            name, self.stack[0].block, buffers, read_only, self.tiles, self.variables, len(kernel.params),
            self.sizes[GRID], self.sizes[TEAM], self.team, self.shared, self.workspace,
        )  # fmt: skip

    def _load_first(self, slots: frozenset[int]) -> None:
        """Load what is read of buffers in these slots, then of others, as far as registers go."""
        if not slots:
            return
        written = {s.src[0].arg.slot for s in self.kernel.sink.src}
        loads = [n for n in self.kernel.sink.toposort() if n.op is Op.LOAD and self._is_plain(n)]
        loads = [n for n in loads if n.src[0].arg.slot not in written]
        held = 0
        for node in sorted(loads, key=lambda n: n.src[0].arg.slot not in slots):
            held += node.dtype.itemsize * len(self.points(self.unroll_axes(node)))
            if held > MOST_FIRST:
                return
            self.emit(node)

    def _is_plain(self, load: Node) -> bool:
        """Is it of a buffer, outside of all loops, and at a place that nothing has to be computed for?"""
        if len(load.src) != 2 or load.src[0].op is not Op.PARAM:
            return False
        if any(r.arg.kind not in PLACES and r.arg.kind != UNROLL for r in load.ranges):
            return False
        return all(n.op not in (Op.LOAD, Op.FOLD, Op.STAGE, Op.PREFIX) for n in load.src[1].toposort())

    def _open_loops(self, loops: list[Node]) -> None:
        if not loops:
            if is_in_place(self.kernel):  # what one store reads, another may overwrite
                for node in self.kernel.sink.src:
                    self.emit(node.src[2])
            for node in self.kernel.sink.src:
                self._store(node)
            return
        self.open(loops[0])
        self._open_loops(loops[1:])
        self.leave()

    def open(self, r: Node, unroll: int = 0) -> None:
        """Open the loop of a range, its variable of the range's own type, some iterations at once."""
        end = self.emit(r.src[0]).at[()]
        variable, body = self.new(r.dtype), Block()
        self.append(Loop(variable, self.literal(0, r.dtype), end, body, unroll))
        self.stack.append(Scope(r, body, {r: Points((), {(): variable})}))

    # --- values

    def unroll_axes(self, node: Node) -> tuple[Node, ...]:
        return tuple(sorted((r for r in node.ranges if r.arg.kind == UNROLL), key=lambda r: r.arg.number))

    def points(self, axes: tuple[Node, ...]) -> list[Point]:
        return list(product(*[range(range_size(a)) for a in axes]))

    def emit(self, node: Node) -> Points:
        """The values of a node, computed where they belong if they are not there yet."""
        if node.op is Op.CONST:
            return Points((), {(): self.literal(node.arg, node.dtype)})
        position = self.home(node)
        scope = self.stack[position]
        found = scope.values.get(node)
        if found is None:
            if node.op in ELEMENTWISE:
                self._emit_sources(node)
            whole = self.stack
            if position != len(whole) - 1:
                self.stack = [*whole[:position], Scope(scope.range, Block(), scope.values)]
            found = scope.values[node] = self._compute(node)
            if self.stack is not whole:
                hoisted = self.stack[-1].block
                self.stack = whole
                # the loop (or branch) that is open there is the last item of its block
                scope.block.items[-1:-1] = hoisted.items
        return found

    def _emit_sources(self, node: Node) -> None:
        """What an elementwise node is computed from, in the order a recursion would go: expressions are
        deeper than Python's stack."""
        stack = [(node, iter(node.src))]
        while stack:
            above, sources = stack[-1]
            for source in sources:
                if source.op not in ELEMENTWISE:
                    self.emit(source)
                elif source not in self.stack[self.home(source)].values:
                    stack.append((source, iter(source.src)))
                    break
            else:
                stack.pop()
                if above is not node:
                    self.emit(above)

    def _compute(self, node: Node) -> Points:
        op = node.op
        if op is Op.RANGE:
            assert node.arg.kind == UNROLL, f"{node} is not open"
            return Points((node,), {(p,): self.literal(p, node.dtype) for p in range(range_size(node))})
        if op in ELEMENTWISE:
            return self._elementwise(node)
        if op is Op.LOAD:
            return self._load(node)
        if op is Op.FOLD:
            return GpuFold(self, node).emit()
        if op is Op.PROJECT and node.arg == VECTOR:
            return self._load_vector(node.src[0])
        if op is Op.PROJECT:
            self.emit(node.src[0])
            return self.stack[self.home(node.src[0])].values[component(node.src[0], node.arg)]
        if op is Op.PREFIX:
            return self._prefix(node)
        assert op is Op.STAGE, node
        return self._fill_tile(node)

    def _elementwise(self, node: Node) -> Points:
        sources = [self.emit(s) for s in node.src]
        axes = self.unroll_axes(node)
        return Points(
            axes,
            {
                p: self.alu(node.op, node.dtype, tuple([s.project(axes, p) for s in sources]))
                for p in self.points(axes)
            },
        )

    # --- memory

    def memory_of(self, node: Node) -> Memory:
        if node.op is Op.STAGE:
            self.emit(node)
        return self.memories[node]

    def base(self, index: Node, axes: tuple[Node, ...], point: Point) -> tuple[Value, int]:
        """The index at a point of the unroll axes, as a base shared by many points plus a constant."""
        offset, fixed = 0, {}
        for axis, position in zip(axes, point, strict=True):
            stride = coefficient_of(index, axis)
            offset += 0 if stride is None else stride * position
            fixed[axis] = const(position if stride is None else 0, axis.dtype)
        return self.emit(at_point(index, fixed) if fixed else index).at[()], offset

    def run_of(self, memory: Memory, index: Node, axes: tuple[Node, ...]) -> tuple[Node | None, int]:
        """An unroll axis along which aligned vectors lie side by side, and how many elements one holds."""
        for axis in axes if memory.slot != NO_BUFFER else ():
            n = range_size(axis)
            start = index.substitute({axis: const(0, axis.dtype)})
            width = WIDEST // memory.dtype.itemsize
            while width > 1 and (n % width or not is_multiple(start, width)):
                width //= 2
            if width > 1 and coefficient_of(index, axis) == 1:
                return axis, width
        return None, 1

    def _load(self, node: Node) -> Points:
        memory = self.memory_of(node.src[0])
        index, axes = node.src[1], self.unroll_axes(node)
        if node in self.parts:
            first, lane = self.parts[node]
            vector = self.emit(make(Op.PROJECT, node.dtype, (first,), VECTOR)).at[()]
            return Points((), {(): self.instruction("extract", node.dtype, 1, (vector,), lane)})
        if len(node.src) == 3:
            return Points(axes, self._guarded_loads(node, memory, axes))
        along, width = self.run_of(memory, index, axes)
        made: dict[Point, Value] = {}
        if along is None and memory.slot != NO_BUFFER:
            made = self._dense_loads(node, memory, axes)
        for point in self.points(axes):
            if point in made:
                continue
            where, offset = self.base(index, axes, point)
            if along is None:
                made[point] = self.instruction("load", node.dtype, 1, (where,), (memory, offset))
                continue
            vector = self.instruction("load", node.dtype, width, (where,), (memory, offset))
            at = axes.index(along)
            for lane in range(width):
                one = (*point[:at], point[at] + lane, *point[at + 1 :])
                made[one] = self.instruction("extract", node.dtype, 1, (vector,), lane)
        return Points(axes, made)

    def _load_vector(self, first: Node) -> Points:
        """The widest vector that begins with this element."""
        memory, width = self.memory_of(first.src[0]), WIDEST // first.dtype.itemsize
        args = tuple([self.emit(s).at[()] for s in first.src[1:]])
        kind = "load" if len(args) == 1 else "guarded_load"
        return Points((), {(): self.instruction(kind, first.dtype, width, args, (memory, 0))})

    def _dense_loads(self, node: Node, memory: Memory, axes: tuple[Node, ...]) -> dict[Point, Value]:
        """Loads of points that lie side by side along several axes together: x, y, z of a few nodes."""
        index, points = node.src[1], self.points(axes)
        if len(axes) < 2 or any(coefficient_of(index, axis) is None for axis in axes):
            return {}
        offsets = sorted((self.base(index, axes, p)[1], p) for p in points)
        start = index.substitute({axis: const(0, axis.dtype) for axis in axes})
        width = WIDEST // memory.dtype.itemsize
        while width > 1 and (len(points) % width or not is_multiple(start, width)):
            width //= 2
        if width == 1 or [o for o, _ in offsets] != list(range(len(points))):
            return {}
        made: dict[Point, Value] = {}
        for first in range(0, len(points), width):
            where, offset = self.base(index, axes, offsets[first][1])
            vector = self.instruction("load", node.dtype, width, (where,), (memory, offset))
            for lane, (_, point) in enumerate(offsets[first : first + width]):
                made[point] = self.instruction("extract", node.dtype, 1, (vector,), lane)
        return made

    def _guarded_loads(self, node: Node, memory: Memory, axes: tuple[Node, ...]) -> dict[Point, Value]:
        valid = self.emit(node.src[2])
        made = {}
        for point in self.points(axes):
            where, offset = self.base(node.src[1], axes, point)
            args = (where, valid.project(axes, point))
            made[point] = self.instruction("guarded_load", node.dtype, 1, args, (memory, offset))
        return made

    def _store(self, node: Node) -> None:
        memory = self.memory_of(node.src[0])
        axes = self.unroll_axes(node)
        if node.arg is not None:  # what is combined counts at every point, be it the same at all of them
            axes = tuple(r for r in self.kernel.order if r.arg.kind == UNROLL)
        values = self.emit(node.src[2])
        if len(node.src) == 3 and node.arg is None:
            self.write(memory, node.src[1], values, axes)
            return
        valid = (
            self.emit(node.src[3])
            if len(node.src) == 4
            else Points((), {(): self.literal(True, dtypes.bool_)})
        )
        if node.arg is None and not valid.axes:
            # addresses are worked out before the branch, so that nothing inside it has to leave it
            self.branch(valid.at[()])
            self.write(memory, node.src[1], values, axes)
            self.leave()
            return
        for point in self.points(axes):
            where, offset = self.base(node.src[1], axes, point)
            self.branch(valid.project(axes, point))
            kind, arg = (
                ("store", (memory, offset)) if node.arg is None else ("atomic", (memory, offset, node.arg))
            )
            self.append(Instruction(kind, None, (where, values.project(axes, point)), arg))
            self.leave()

    def write(self, memory: Memory, index: Node, values: Points, axes: tuple[Node, ...]) -> None:
        """Store one value per point, whole vectors where they lie side by side."""
        along, width = self.run_of(memory, index, axes)
        for point in self.points(axes):
            where, offset = self.base(index, axes, point)
            value = values.project(axes, point)
            if along is not None:
                at = axes.index(along)
                if point[at] % width:
                    continue
                lanes = [
                    values.project(axes, (*point[:at], point[at] + n, *point[at + 1 :])) for n in range(width)
                ]
                value = self.instruction("pack", value.dtype, width, tuple(lanes))
            self.append(Instruction("store", None, (where, value), (memory, offset)))

    def _fill_tile(self, node: Node) -> Points:
        value, index, ranges = node.src[0], node.src[1], own_ranges(node)
        memory = Memory(f"s{node.arg.number}", node.dtype, -1, 0)
        nbytes = -(-node.arg.size * node.dtype.itemsize // 16) * 16
        together = any(r.arg.kind == THREAD for r in ranges)
        if not together:
            space = "private"
        elif self.shared + nbytes <= SHARED_BYTES // self.sizes[TEAM]:
            space, memory.scratch_offset = "shared", self.shared
            self.shared += nbytes
        else:
            space, memory.scratch_offset = "workspace", self.workspace
            self.workspace += nbytes
        self.memories[node] = memory
        self.tiles.append(Tile(memory, space, node.arg.size))
        if together and len(self.stack) > 1:  # somebody may still read what the last iteration left
            self.barrier()
        loops = [r for r in ranges if r.arg.kind not in PLACES and r.arg.kind != UNROLL]
        for r in loops:
            self.open(r)
        axes = tuple(sorted((r for r in ranges if r.arg.kind == UNROLL), key=lambda r: r.arg.number))
        self.write(memory, index, self.emit(value), axes)
        for _ in loops:
            self.leave()
        if together:
            self.barrier()
        return Points((), {})

    def barrier(self) -> None:
        self.append(Instruction("barrier", None, (), self.team))

    # --- reductions

    def keep_components(self, node: Node, components: list[Points]) -> Points:
        for number, points in enumerate(components):
            self.stack[-1].values[component(node, number)] = points
        return components[0]

    def _prefix(self, node: Node) -> Points:
        """A running reduction: the accumulators start before the loop and change once per iteration."""
        monoid: Monoid = node.arg
        bodies, over = node.src[: monoid.elements], node.src[-1]
        axes = self.unroll_axes(node)
        position = next(p for p, s in enumerate(self.stack) if s.range is over)
        whole, outer = self.stack, self.stack[position - 1]
        self.stack = [*whole[: position - 1], Scope(outer.range, Block(), outer.values)]
        identity = monoid.identity(tuple(b.dtype for b in bodies))
        variables = {
            p: [self.declare(c.dtype, 1, self.literal(c.arg, c.dtype)) for c in identity]
            for p in self.points(axes)
        }
        outer.block.items[-1:-1] = self.stack[-1].block.items
        self.stack = whole
        elements = [self.emit(b) for b in bodies]
        components: list[Points] = [Points(axes, {}) for _ in identity]
        for point, held in variables.items():
            new = [e.project(axes, point) for e in elements]
            combined = combine(self, monoid, [self.get(v) for v in held], new)
            for number, (variable, value) in enumerate(zip(held, combined, strict=True)):
                self.set(variable, value)
                components[number].at[point] = value
        return self.keep_components(node, components)


def parts_of_vectors(sink: Node) -> dict[Node, tuple[Node, int]]:
    """Loads that are neighbours in memory by their constants, as x, y and z of a node found by its number:
    for each the load of the first element of their aligned vector, and its own place in it.

    An element that exists has its whole vector, for only buffers of whole vectors are asked."""
    groups: dict[tuple[object, ...], list[tuple[Node, Node, int]]] = {}
    for node in sink.toposort():
        if node.op is not Op.LOAD or node.src[0].op is not Op.PARAM:
            continue
        if any(r.arg.kind == UNROLL for r in node.ranges):
            continue
        width = WIDEST // node.dtype.itemsize
        terms, constant = affine(node.src[1])
        if width == 1 or node.src[0].arg.size % width or any(c % width for c in terms.values()):
            continue
        if not terms and len(node.src) == 2:
            continue  # one address for all threads: a vector would only take registers
        lane = constant % width
        start = _less(node.src[1], lane)
        if start is None:
            continue
        key = (node.src[0], start, *node.src[2:])
        groups.setdefault(key, []).append((node, start, lane))
    parts: dict[Node, tuple[Node, int]] = {}
    for found in groups.values():
        if len({lane for _, _, lane in found}) > 1:
            for node, start, lane in found:
                parts[node] = (make(Op.LOAD, node.dtype, (node.src[0], start, *node.src[2:])), lane)
    return parts


def _less(index: Node, by: int) -> Node | None:
    """The index less a constant it ends with; the loops it is in are open, so nothing else may change."""
    if by == 0:
        return index
    if index.op is not Op.ADD or index.src[1].op is not Op.CONST or index.src[1].arg < by:
        return None
    rest = index.src[1].arg - by
    return index.src[0] if rest == 0 else make(Op.ADD, index.dtype, (index.src[0], const(rest, index.dtype)))


def is_multiple(index: Node, factor: int) -> bool:
    """Is the index a multiple of `factor`, whatever the loops are at?"""
    terms, constant = affine(index)
    return constant % factor == 0 and all(c % factor == 0 for c in terms.values())
