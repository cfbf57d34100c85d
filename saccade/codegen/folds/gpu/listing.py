"""Lists of the elements that pass a common condition, for the threads of a GPU; see `listing`.

    near  = sum(1 over r < n where d(r) < c)
    least = the k smallest d(r) over r < n where d(r) < c
    best  = max(f(r) over r < n where d(r) < c and g(r))

A warp takes as long as the longest loop of its threads, and each element of such a loop is fetched from
another place for every thread. So one loop writes what passes, with its d, into an array of the thread; the
others run along that, which is shorter and lies side by side for the threads of a warp.
"""

from __future__ import annotations

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.kernels.kernel import range_size
from ....graph.node import Node
from ....graph.ops import Op
from ...linear.builder import Scope
from ...linear.code import Block, Instruction, Loop, Memory, Value
from ...linear.gpu.code import Tile
from ...linear.gpu.values import GpuValues
from ..listing import List, Listed, Lists

#: elements that are fetched before the first is tested; what is left over goes one by one, so not more
IN_FLIGHT = 4
#: lists of more are not made: a card sets aside the arrays of all threads that it can run at once, 270,000 of
#: them on an H200, which takes 400 MB at this length
MOST_LISTED = 256


class GpuListing(Lists):
    """Writes lists into arrays of a thread, and loops along them."""

    def __init__(self, lowering: GpuValues) -> None:
        super().__init__(lowering, dtypes.int32)
        self.low = lowering

    def write(self, made: List) -> Value:
        """The list, and how many are on it."""
        low, n = self.low, range_size(made.over)
        places = self.memory_for(n)
        beside = tuple(self._memory(value.dtype, n) for value in made.kept)
        number = low.declare(dtypes.int32, 1, low.literal(0, dtypes.int32))
        low.open(made.over, IN_FLIGHT)
        passes = low.emit(made.condition).at[()]
        values = [low.emit(value).at[()] for value in made.kept]
        at = low.get(number)
        place = low.alu(Op.CAST, places.dtype, (low.emit(made.over).at[()],))
        # only what passes is written: each store goes to as many lines as there are lengths in the warp
        low.branch(passes)
        low.append(Instruction("store", None, (at, place), (places, 0)))
        for memory, value in zip(beside, values, strict=True):
            low.append(Instruction("store", None, (at, value), (memory, 0)))
        low.leave()
        one = low.alu(Op.CAST, dtypes.int32, (passes,))
        low.set(number, low.alu(Op.ADD, dtypes.int32, (at, one)))
        low.leave()
        return self.keep(low.get(number), places, beside)

    def memory_for(self, size: int) -> Memory:
        """Memory for so many numbers below that."""
        small = dtypes.uint8 if size <= 1 << 8 else dtypes.uint16 if size <= 1 << 16 else dtypes.int32
        return self._memory(small, size)

    def _memory(self, dtype: DType, size: int) -> Memory:
        memory = Memory(f"l{len(self.low.tiles)}", dtype)
        self.low.tiles.append(Tile(memory, "private", size))
        return memory

    def along(self, end: Value, over: Node | None = None) -> Value:
        """Open a loop, for values of `over` that are said later; `leave` closes it."""
        low, body = self.low, Block()
        i = low.new(dtypes.int32)
        low.append(Loop(i, low.literal(0, dtypes.int32), end, body))
        low.stack.append(Scope(over, body))
        return i

    def enter_fold(self, listed: Listed, over: Node) -> Value:
        """Open the loop of a fold over `over` along its list; the place on it. `leave` closes it."""
        i = self.along(self.length(listed), over)
        self.low.stack[-1].values = self.names(listed, over, i)
        return i
