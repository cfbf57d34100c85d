"""A kernel becomes linear code: its loops, and how a node of each kind is computed.

Each stands on the one before:

    Builder          instructions, open blocks, variables          (builder)
    Emitter          each node once, in the loop it belongs to     (emitter)
    Values           vectors, and the fast memory of a thread      (values)
    MemoryLowering   elementwise values, loads, stores             (memory)
    Lowering         loops, folds, tiles, running reductions       (here)
"""

from __future__ import annotations

from dataclasses import replace

from ...graph import dtypes
from ...graph.kernels.exchange import read_by
from ...graph.kernels.kernel import PARALLEL, UNROLL, VECTOR, Kernel, is_register, range_size
from ...graph.node import Node, own_ranges
from ...graph.ops import COMPUTED, Op
from ..folds.fold import Fold
from ..folds.selection import may_contract
from .accumulate import accumulate, runs_along
from .addressing.fetch import fetch_rows
from .builder import Points
from .code import Code, Instruction, Memory, Value
from .ends import without
from .memory import MemoryLowering
from .overlap import last_apart
from .results import is_chunk, store_chunk, store_results
from .skip import skip_of


class Lowering(MemoryLowering):
    """Writes one kernel. `code(name)` is the result."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self.contract = may_contract(kernel.nodes)

    def code(self, name: str) -> Code:
        begin, end = self.new(dtypes.index), self.new(dtypes.index)
        loops = self.kernel.loops
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
        if first.arg.kind != PARALLEL:
            begin, end = self.literal(0, dtypes.index), self.emit(first.src[0]).at[()]
        if first in self.ends.end:
            end = self.lesser(end, self.ends.end[first])
        if not rest and self.leaves_out(first):
            self._where_all_is_there(first, begin, end)
            return
        apart = last_apart(self.kernel, first) if not rest and skip_of(self.kernel) is None else None
        if apart is not None:
            self._last_apart(first, begin, end, *apart)
            return
        self.enter(first, begin, end)
        self._open_loops(rest, begin, end)
        self.leave()

    def _where_all_is_there(self, r: Node, begin: Value, end: Value) -> None:
        """The innermost loop, with conditions on lengths left out for as long as they hold."""
        whole, held = self.kernel, self.ends.held
        if held is not None:
            (sink,) = without((whole.sink,), held.tests)
            holds = self.emit(held.every).at[()]
            self.branch(holds)
            self.kernel = replace(whole, sink=sink)
            self._until_full(r, begin, end)
            self.leave()
            some = self.emit(held.some).at[()]
            missing = self.alu(Op.NOT, dtypes.bool_, (holds,))
            self.branch(self.alu(Op.AND, dtypes.bool_, (missing, some)))
            self.kernel = whole
        self._until_full(r, begin, end)
        if held is not None:
            self.leave()

    def _until_full(self, r: Node, begin: Value, end: Value) -> None:
        whole, full = self.kernel, self.ends.full.get(r)
        if full is not None:
            (sink,) = without((whole.sink,), full[1])
            self.kernel = replace(whole, sink=sink)
            middle = self.lesser(end, full[0])
            self.enter(r, begin, middle)
            store_results(self)
            self.leave()
            self.kernel, begin = whole, self.alu(Op.MAX, dtypes.index, (begin, middle))
        self.enter(r, begin, end)
        store_results(self)
        self.leave()

    def leaves_out(self, r: Node) -> bool:
        """Is it an innermost loop whose conditions are worth to be left out?"""
        if any(n.op is Op.PREFIX for n in self.kernel.nodes):
            return False  # it runs through one loop
        return r in self.ends.full or self.ends.held is not None

    def _last_apart(
        self, r: Node, begin: Value, end: Value, before: Kernel, last: Kernel, there: int
    ) -> None:
        """The innermost loop without its last iteration, and that, if it is among those asked for."""
        whole, number = self.kernel, self.literal(range_size(r) - 1, dtypes.index)
        self.kernel = before
        self.enter(r, begin, number if end.is_literal else self.alu(Op.MIN, dtypes.index, (end, number)))
        store_results(self)
        self.leave()
        self.kernel = last
        if not end.is_literal:
            self.branch(self.alu(Op.LT, dtypes.bool_, (number, end)))
        for node in last.sink.src:
            self.emit(node.src[2])
        self.there = there
        for node in last.sink.src:
            self.store(node)
        self.there = 0
        if not end.is_literal:
            self.leave()
        self.kernel = whole

    def compute(self, node: Node) -> Points:
        op = node.op
        if op is Op.RANGE:
            return self._register_range(node)
        if op in COMPUTED:
            return self.elementwise(node)
        if op is Op.LOAD:
            return self.load(node)
        if op is Op.FOLD:
            return Fold(self, node).emit()
        if op is Op.PROJECT:
            return self.component(node)
        if op is Op.PREFIX:
            return self.running(node, self.width(node))
        assert op is Op.STAGE, node
        return self._fill_tile(node)

    def _register_range(self, node: Node) -> Points:
        n = range_size(node)
        if node.arg.kind == VECTOR:
            return Points((), {(): self.instruction("lanes", dtypes.index, n, (), tuple(range(n)))})
        assert node.arg.kind == UNROLL, f"{node} is not open"
        return Points((node,), {(p,): self.literal(p, dtypes.index) for p in range(n)})

    def _fill_tile(self, node: Node) -> Points:
        value, index, ranges = node.src[0], node.src[1], own_ranges(node)
        # two tiles may have one number: splitting a fold copies what is in it
        self.memories[node] = self._tile_memory(node)
        if runs_along(node):
            accumulate(self, node)
            return Points((), {})
        loops = [r for r in ranges if not is_register(r)]
        for (inside,) in self.nest(loops, (value,)):
            fetch_rows(self, node)
            self.store_points(self.memories[node], index, inside, frozenset(ranges))
        if node.arg.exchanges:
            self.exchange.made(node, self.memories[node])
            # in straight code LLVM would take apart what is stored, in integers where vectors differ
            self.append(Instruction("barrier", None))
        return Points((), {})

    def _tile_memory(self, node: Node) -> Memory:
        """Memory for a tile: a step of a row gets that of one which all steps have read, so that two tiles
        and what is read beside them stay in the first cache."""
        if node in self.exchange.waiting:
            for tile in read_by(node):
                self.emit(tile)
            memory, _ = self.exchange.again(node, loops=True)
            if memory is not None:
                return memory
        return self.scratch_memory(node.dtype, node.arg.size)
