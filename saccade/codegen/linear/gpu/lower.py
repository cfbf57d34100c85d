"""A kernel shaped for a GPU becomes linear code for one thread.

The rule of `lower` holds here too: a value is computed in the innermost open loop it depends on, once. Three
kinds of range are no loops but places where a thread stands, and are bound before anything is written:

    grid     the block's number                team     the number of the team within the block
    thread   the thread's number in its team

A team is a warp, a part of one, or the whole block. What follows from the kinds:

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
    permute   args=(word, start), arg=(rest, to): the byte of a word that begins at a bit, put into a constant
    given     arg=number: an argument of the function this is the body of
"""

from __future__ import annotations

from ....graph.kernels.kernel import UNROLL, range_size
from ....graph.node import Node, own_ranges
from ....graph.ops import ELEMENTWISE, Op
from ...folds.gpu.fold import GpuFold
from ...moves.analysis import is_in_place
from ..builder import Points
from ..code import Memory
from .aside import set_aside
from .code import BANKS, GRID, PLACES, SHARED_BYTES, TEAM, THREAD, WARP, GpuCode, Tile
from .memory import VECTOR, GpuMemoryLowering
from .permute import Permute, permute_of
from .wait import place_wait


class GpuLowering(GpuMemoryLowering):
    """Writes one kernel. `code(name)` is the result."""

    def code(self, name: str, first: frozenset[int] = frozenset()) -> GpuCode:
        """The kernel; what it reads of some buffers outside of all loops is on its way before anything is
        computed: nothing moves a load in front of a shuffle once it is behind it."""
        kernel, self.first = self.kernel, first
        written = frozenset(s.src[0].arg.slot for s in kernel.sink.src)
        if first:
            loops = self._sums_in_loops()
            self.load_first([kernel.sink], written, alone=bool(loops))
            for node in loops:
                self.emit(node)
        self._open_loops([r for r in kernel.order if r.arg.kind not in PLACES and r.arg.kind != UNROLL])
        set_aside(self.stack[0].block, self.variables)
        settled = first if place_wait(self.stack[0].block, first) else frozenset()
        buffers = [m for m in self.memories.values() if m.slot >= 0]
        read_only = frozenset(m.slot for m in buffers) - written
        return GpuCode(
            name, self.stack[0].block, buffers, read_only, self.tiles, self.variables, len(kernel.params),
            self.sizes[GRID], self.sizes[TEAM], self.team, self._shared_bytes(), self.workspace,
            settled=settled,
        )  # fmt: skip

    def _sums_in_loops(self) -> list[Node]:
        """Sums for which a thread goes through buffers in `first` by a loop, and nothing is around it."""
        found = []
        for node in self.kernel.sink.toposort():
            if node.op is not Op.FOLD or not all(map(_is_place, node.ranges)):
                continue
            reads = (n for n in node.toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM)
            if any(n.src[0].arg.slot in self.first and not all(map(_is_place, n.ranges)) for n in reads):
                found.append(node)
        return found

    def _open_loops(self, loops: list[Node]) -> None:
        if not loops:
            if is_in_place(self.kernel):  # what one store reads, another may overwrite
                for node in self.kernel.sink.src:
                    self.emit(node.src[2])
            for node in self.kernel.sink.src:
                self.store(node)
            return
        self.open(loops[0])
        self._open_loops(loops[1:])
        self.leave()

    def compute(self, node: Node) -> Points:
        op = node.op
        if op is Op.RANGE:
            assert node.arg.kind == UNROLL, f"{node} is not open"
            return Points((node,), {(p,): self.literal(p, node.dtype) for p in range(range_size(node))})
        if op in ELEMENTWISE:
            permute = permute_of(node)
            return self.elementwise(node) if permute is None else self._permute(node, permute)
        if op is Op.LOAD:
            return self.load(node)
        if op is Op.FOLD:
            return GpuFold(self, node).emit()
        if op is Op.PROJECT and isinstance(node.arg, tuple) and node.arg[0] == VECTOR:
            return self.load_vector(node.src[0], node.arg[1])
        if op is Op.PROJECT:
            return self.component(node)
        if op is Op.PREFIX:
            return self.running(node)
        assert op is Op.STAGE, node
        return self._fill_tile(node)

    def _permute(self, node: Node, permute: Permute) -> Points:
        sources, axes = [self.emit(permute.word), self.emit(permute.start)], self.unroll_axes(node)
        arg = (permute.rest, permute.to)
        made = {
            p: self.instruction("permute", node.dtype, 1, tuple([s.project(axes, p) for s in sources]), arg)
            for p in self.points(axes)
        }
        return Points(axes, made)

    def _fill_tile(self, node: Node) -> Points:
        value, index, ranges = node.src[0], node.src[1], own_ranges(node)
        together = any(r.arg.kind == THREAD for r in ranges)
        loops = [r for r in ranges if r.arg.kind not in PLACES and r.arg.kind != UNROLL]
        memory = None if node.arg.exchanges else self._tile_memory(node, together)
        if together and len(self.stack) > 1:  # somebody may still read what the last iteration left
            self.barrier()
        for r in loops:
            self.open(r)
        axes = tuple(sorted((r for r in ranges if r.arg.kind == UNROLL), key=lambda r: r.arg.number))
        values = self.emit(value)
        if memory is None:
            memory = self._exchange_memory(node, together, bool(loops))
        self.write(memory, index, values, axes)
        self.leave_all(len(loops))
        if together:
            self.barrier()
        return Points((), {})

    def _tile_memory(self, node: Node, together: bool) -> Memory:
        """New memory for a tile: a thread's own, shared by the team, or, where that has none left, of a
        workspace."""
        memory = Memory(f"s{node.arg.number}", node.dtype, -1, 0)
        nbytes = -(-node.arg.size * node.dtype.itemsize // 16) * 16
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
        return memory

    def _exchange_memory(self, node: Node, together: bool, loops: bool) -> Memory:
        """Memory for a step whose values have been computed: that of a tile which nobody else reads, once
        all threads have read it, or new memory."""
        memory, still_read = self.exchange.again(node, loops)
        if memory is None:
            memory = self._tile_memory(node, together)
        elif still_read:
            self.barrier()
        self.memories[node] = memory
        self.exchange.made(node, memory)
        return memory

    def _shared_bytes(self) -> int:
        """Bytes of shared memory of a team; teams of a warp that exchange have theirs in banks of their
        own."""
        if not self.exchange.tiles or self.team >= WARP:
            return self.shared
        nbytes = max(tile.dtype.itemsize for tile in self.exchange.tiles)
        return self.shared + (self.team * nbytes - self.shared) % BANKS


def _is_place(r: Node) -> bool:
    """Is a range no loop?"""
    return r.arg.kind in PLACES or r.arg.kind == UNROLL
