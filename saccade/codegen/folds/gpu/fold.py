"""Reductions in linear code for a GPU: accumulators, loops, the exchange between the threads of a team."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.kernels.kernel import LOOP, range_size
from ....graph.monoid import SOFTMAX, Monoid
from ....graph.node import Node, own_ranges
from ....graph.ops import ELEMENTWISE, Op
from ...linear.builder import Point, Points, Scope, combine, merged
from ...linear.code import Block, Instruction, Loop, Memory, Value, Variable
from ...linear.gpu.code import QUEUE, QUEUE_STEPS, QUEUED_LENGTH, QUEUED_RESULTS, THREAD, WARP, Tile
from .along import emit_along
from .folding import GpuFolding
from .word_dots import WordDot, dot_of_words

#: fewer instructions than this are not worth branching around
WORTH_A_BRANCH = 12
#: elements of a segment that are loaded before the first is combined
IN_FLIGHT = 8


class GpuFold(GpuFolding):
    """One reduction: an accumulator per register point, loops, the combine, the exchange in the team."""

    def emit(self) -> Points:
        low = self.low
        points = low.points(self.axes)
        held: dict[Point, list[Value]]
        dot = dot_of_words(self.node)
        made, listed = low.lists.get(self.node), low.listed.get(self.node)
        if dot is not None:
            held = {p: [self._dots(dot, p)] for p in points}
        elif made is not None:
            held = {(): [low.listing.write(made)]}
        elif listed is not None:
            held = {(): emit_along(self, listed)}
        elif self._skips():
            held = {(): [self._skipping()]}
        elif self._gathers_candidates():
            held = {(): self._queued()}
        elif self.loops:
            held = self._looped()
        else:
            held = {p: self._gathered(self._elements(p)) for p in points}
        return self._kept(held)

    def _kept(self, held: dict[Point, list[Value]]) -> Points:
        """The accumulators of all threads as one, remembered as the results of the reduction."""
        if self.together:
            held = self._exchange(held)
        components = [Points(self.axes, {p: h[c] for p, h in held.items()}) for c in range(self.monoid.width)]
        return self.low.keep_components(self.node, components)

    def _looped(self) -> dict[Point, list[Value]]:
        """The loop of this reduction, and of others that read the same along the same ranges: once read."""
        low, beside = self.low, self._beside()
        points = low.points(self.axes)
        accumulators = [fold.declared(points) for fold in (self, *beside)]
        self._open_loops()
        if low.first:
            low.load_first([b for fold in (self, *beside) for b in fold.bodies], frozenset(), alone=True)
        for fold, variables in zip((self, *beside), accumulators, strict=True):
            fold.accumulate(points, variables)
        low.leave_all(len(self.loops))
        held, *others = [{p: [low.get(v) for v in vs[p]] for p in points} for vs in accumulators]
        for fold, other in zip(beside, others, strict=True):
            low.stack[-1].values[fold.node] = fold._kept(other)
        return held

    def _beside(self) -> list[GpuFold]:
        """Other reductions of the kernel that can share the loop: plain ones over the same ranges, in the
        same place, most of whose elements are read by this one too, and not made of one another."""
        low, beside = self.low, []
        if self.monoid.width > 1 or any(r.src[0].op is not Op.CONST for r in self.loops):
            return []
        own, place, around = own_ranges(self.node), low.home(self.node), {s.range for s in low.stack}
        taken, below = {self.node}, set(self.bodies[0].toposort())
        read = _read_along(below, own)
        for node in low.kernel.nodes:
            if node.op is not Op.FOLD or node.arg.width > 1 or node in taken or node in below:
                continue
            if node in low.stack[place].values or own_ranges(node) != own or low.home(node) != place:
                continue
            if any(r.arg.kind == LOOP and r not in around for r in node.ranges):
                continue  # its place is a loop that is not open yet
            fold, needs = GpuFold(low, node), set(node.src[0].toposort())
            other = _read_along(needs, own)
            known, new = (sum(m.arg.size for m in some) for some in (other & read, other - read))
            if fold.axes != self.axes or not fold._is_plain() or not known or new > known:
                continue
            if needs.isdisjoint(taken) and not any(n.op is Op.STAGE or n.op is Op.PREFIX for n in needs):
                beside.append(fold)
                taken.add(node)
                below |= needs
        return beside

    def _is_plain(self) -> bool:
        """Is a loop over its elements the way to write it?"""
        low = self.low
        listed = self.node in low.lists or self.node in low.listed
        return not listed and not self._skips() and dot_of_words(self.node) is None

    def _queued(self) -> list[Value]:
        """The k best, by way of queues."""
        variables = self.declared([()])[()]
        queue = Queue(self, variables)
        self._open_loops()
        if self.low.first:
            self.low.load_first(self.bodies, frozenset(), alone=True)
        for element in self._elements(()):
            queue.take(element)
        queue.empty_when_full(prod(map(range_size, self.repeated)))
        self.low.leave_all(len(self.loops))
        queue.empty()
        return [self.low.get(v) for v in variables]

    def declared(self, points: list[Point]) -> dict[Point, list[Variable]]:
        """Accumulators, empty."""
        return {p: [self.low.declare(v.dtype, 1, v) for v in self.identity()] for p in points}

    def _open_loops(self) -> None:
        for r in self.loops:
            self.low.open(r, self._in_flight() if r is self.loops[-1] else 0)

    def _dots(self, dot: WordDot, point: Point) -> Value:
        """The sum of dot instructions over the fold's own points, each adding to the one before."""
        low, axes = self.low, self.axes + dot.over
        words = [low.emit(n) for n in (dot.first, dot.second)]
        total = low.literal(0, dtypes.int32)
        for own in low.points(dot.over):
            pair = [word.project(axes, point + own) for word in words]
            total = low.instruction("dot", dtypes.int32, 1, (*pair, total), dot.signed)
        return total

    def _in_flight(self) -> int:
        """Iterations of its last loop to begin at once, where that ends at a computed value and holds no
        other: then nobody else has several of its loads on their way at a time. What is left over runs one
        by one.
        """
        last = self.loops[-1]
        nested = any(n.op is Op.FOLD for b in self.bodies for n in b.toposort())
        if last.src[0].op is Op.CONST or self.monoid.width > 2 or nested:
            return 0
        return min(IN_FLIGHT, 1 << max(range_size(last), 1).bit_length() - 1)

    def _skips(self) -> bool:
        """Does it pay to branch around elements whose condition fails? They have to be the identity."""
        body = self.bodies[0]
        if not self.loops or self.repeated or self.axes or self.together or self.monoid.width > 1:
            return False
        if body.op is not Op.WHERE or body.src[2] is not self.monoid.identity(self.dtypes)[0]:
            return False
        costly = body.src[1].toposort(lambda n: n.op not in (Op.FOLD, Op.STAGE))
        return sum(n.op in ELEMENTWISE or n.op is Op.LOAD for n in costly) >= WORTH_A_BRANCH

    def _skipping(self) -> Value:
        """Elements are computed where their condition holds: lanes with nothing to do load nothing."""
        low = self.low
        condition, wanted, _ = self.bodies[0].src
        total = low.declare(self.dtypes[0], 1, self.identity()[0])
        for r in self.loops:
            low.open(r)
        low.branch(low.emit(condition).at[()], inside_loop=True)
        element = low.emit(wanted).at[()]
        self.update([total], [element])
        low.leave()
        low.leave_all(len(self.loops))
        return low.get(total)

    def _elements(self, point: Point) -> Iterator[list[Value]]:
        """What one pass through the body brings to an accumulator: an element per point of its own axes."""
        low = self.low
        for own in low.points(self.repeated):
            axes = self.axes + self.repeated
            yield [low.emit(b).project(axes, point + own) for b in self.bodies]

    def _gathered(self, elements: Iterator[list[Value]]) -> list[Value]:
        """Elements combined in pairs, then the pairs: no long chain of operations that wait in turn."""
        low, monoid = self.low, self.monoid
        parts = list(elements)
        if monoid.width > 1 or not parts:
            held = self.identity()
            for element in parts:
                held = combine(low, monoid, held, element)
            return held
        while len(parts) > 1:
            pairs = [combine(low, monoid, a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
            parts = pairs + parts[len(pairs) * 2 :]
        return parts[0]

    def accumulate(self, points: list[Point], variables: dict[Point, list[Variable]]) -> None:
        for point in points:
            held = variables[point]
            if self.monoid.width == 1:
                self.update(held, self._gathered(self._elements(point)))
                continue
            for element in self._elements(point):
                if self.monoid == SOFTMAX:  # which has no elements that do not matter
                    self.take_in(held, element)
                else:
                    self.insert(held, element)

    def _gathers_candidates(self) -> bool:
        """Queues need all lanes of a warp in step: loops of known length, a few elements at a time."""
        low = self.low
        if not self.loops:
            return False
        loops = [s.range for s in low.stack[1:]] + self.loops
        in_step = all(r is not None and r.src[0].op is Op.CONST for r in loops)
        few = prod(map(range_size, self.repeated))
        length = few * prod(map(range_size, self.loops))
        plain = not self.axes and few <= QUEUE_STEPS[0] and not self.together
        long = length >= QUEUED_LENGTH and self.monoid.k >= QUEUED_RESULTS
        return in_step and plain and long and self.monoid.kind.startswith("top")

    # --- between threads

    def _exchange(self, held: dict[Point, list[Value]]) -> dict[Point, list[Value]]:
        team = self.low.team
        in_warp = self._in_turn if self.monoid.kind.startswith("top") else self._shuffled
        held = {p: in_warp(values, min(team, WARP) // 2) for p, values in held.items()}
        return held if team <= WARP else self._between_warps(held)

    def _in_turn(self, held: list[Value], distance: int) -> list[Value]:
        """The k best of lanes up to twice so far apart, each of which has a sorted list: k times the best of
        all first ones, which its lane takes off its list. Lists merged in pairs would be k * k tests for each
        of five pairs, and k times as much code."""
        low, k, one = self.low, self.monoid.k, Monoid(self.monoid.kind)
        values, indices = held[:k], held[k:]
        found: list[list[Value]] = []
        for _ in range(k):
            best, step = [values[0], indices[0]], distance
            while step:
                other = [low.instruction("shuffle", v.dtype, 1, (v,), step) for v in best]
                best, step = combine(low, one, best, other, in_order=False), step // 2
            found.append(best)
            mine = low.alu(Op.EQ, dtypes.bool_, (indices[0], best[1]))
            values, indices = (
                [low.alu(Op.WHERE, a.dtype, (mine, b, a)) for a, b in pairwise(part)]
                for part in (values, indices)
            )
        return [value for value, _ in found] + [index for _, index in found]

    def _shuffled(self, held: list[Value], distance: int) -> list[Value]:
        """What lanes up to twice so far apart have, as one."""
        low = self.low
        while distance:
            held = self._merge(held, [low.instruction("shuffle", v.dtype, 1, (v,), distance) for v in held])
            distance //= 2
        return held

    def _merge(self, held: list[Value], other: list[Value]) -> list[Value]:
        low, monoid = self.low, self.monoid
        if monoid.elements == 1 or monoid == SOFTMAX:
            return merged(low, monoid, held, other)
        # both are sorted: what comes after n of the other's cannot belong among the first n
        k = monoid.k
        values, indices = held[:k], held[k:]
        for n, element in enumerate(zip(other[:k], other[k:], strict=True)):
            rest = combine(
                low, Monoid(monoid.kind, k - n), values[n:] + indices[n:], list(element), in_order=False
            )
            values[n:], indices[n:] = rest[: k - n], rest[k - n :]
        return values + indices

    def _between_warps(self, held: dict[Point, list[Value]]) -> dict[Point, list[Value]]:
        """The first lane of each warp leaves its results in shared memory, and every warp gathers all."""
        low, warps = self.low, self.low.team // WARP
        places = {p: [self._place(value.dtype, warps) for value in values] for p, values in held.items()}
        if len(low.stack) > 1:
            low.barrier()
        for p, values in held.items():
            for memory, value in zip(places[p], values, strict=True):
                low.append(Instruction("leave", None, (value,), memory))
        low.barrier()
        # lanes beyond the number of warps read the same results again, so that every lane ends with the whole
        gathered = {
            p: [low.instruction("collect", memory.dtype, 1, (), (memory, warps)) for memory in places[p]]
            for p in held
        }
        distance = 1 << max(warps - 1, 1).bit_length() - 1
        return {p: self._shuffled(values, distance) for p, values in gathered.items()}

    def _place(self, dtype: DType, warps: int) -> Memory:
        """Shared memory for a value of each warp of the team."""
        low = self.low
        memory = Memory(f"x{len(low.tiles)}", dtype, -1, low.shared)
        low.shared += -(-warps * dtype.itemsize // 16) * 16
        low.tiles.append(Tile(memory, "shared", warps))
        return memory


def _read_along(nodes: set[Node], ranges: tuple[Node, ...]) -> set[Node]:
    """The memories that some nodes read along some ranges."""
    loads = [n for n in nodes if n.op is Op.LOAD and not n.ranges.isdisjoint(ranges)]
    return {n.src[0] for n in loads if n.src[0].op is Op.PARAM}


class Queue:
    """Candidates for the k best, gathered by each thread in shared memory.

    Sorting a candidate in costs every lane of a warp the time of the one that has it, and one of 32 lanes
    has a candidate most of the time. So a thread only notes what is better than its worst, and when a queue
    in the warp is full all lanes sort theirs in together: some k log(n) times instead of nearly n.
    """

    def __init__(self, fold: GpuFolding, held: list[Variable]) -> None:
        self.fold, self.low, self.held = fold, fold.low, held
        low = self.low
        self.count = low.declare(dtypes.int32, 1, low.literal(0, dtypes.int32))
        self.thread = low.instruction("place", dtypes.int32, 1, (), THREAD)
        # words of one width lie side by side, so that a candidate is one access
        self.pairs = len({dtype.itemsize for dtype in fold.dtypes}) == 1
        kinds = fold.dtypes[:1] if self.pairs else fold.dtypes
        self.memories = [self._memory(dtype) for dtype in kinds]

    def _memory(self, dtype: DType) -> Memory:
        low = self.low
        elements = QUEUE * low.team * (len(self.fold.dtypes) if self.pairs else 1)
        memory = Memory(f"q{len(low.tiles)}", dtype, -1, low.shared)
        low.shared += -(-elements * dtype.itemsize // 16) * 16
        low.tiles.append(Tile(memory, "shared", elements))
        return memory

    def _place(self, number: Value) -> Value:
        low = self.low
        row = low.alu(Op.MUL, dtypes.int32, (number, low.literal(low.team, dtypes.int32)))
        place = low.alu(Op.ADD, dtypes.int32, (row, self.thread))
        width = len(self.fold.dtypes)
        if self.pairs and width > 1:
            place = low.alu(Op.MUL, dtypes.int32, (place, low.literal(width, dtypes.int32)))
        return place

    def _write(self, place: Value, element: list[Value]) -> None:
        low = self.low
        if self.pairs:
            dtype = self.fold.dtypes[0]
            words = [v if v.dtype is dtype else low.alu(Op.BITCAST, dtype, (v,)) for v in element]
            element = [low.instruction("pack", dtype, len(words), tuple(words)) if words[1:] else words[0]]
        for memory, value in zip(self.memories, element, strict=True):
            low.append(Instruction("store", None, (place, value), (memory, 0)))

    def _read(self, place: Value) -> list[Value]:
        low, kinds = self.low, self.fold.dtypes
        if not self.pairs or len(kinds) == 1:
            return [low.instruction("load", m.dtype, 1, (place,), (m, 0)) for m in self.memories]
        first = kinds[0]
        both = low.instruction("load", first, len(kinds), (place,), (self.memories[0], 0))
        words = [low.instruction("extract", first, 1, (both,), lane) for lane in range(len(kinds))]
        return [
            w if dtype is first else low.alu(Op.BITCAST, dtype, (w,))
            for w, dtype in zip(words, kinds, strict=True)
        ]

    def take(self, element: list[Value]) -> None:
        """Note an element that may be among the best: it is written in any case, and counted if it may be."""
        low, number = self.low, self.low.get(self.count)
        self._write(self._place(number), element)
        hopeless = self.fold.is_worse(self.held, element[0])
        more = low.alu(Op.ADD, dtypes.int32, (number, low.literal(1, dtypes.int32)))
        low.set(self.count, low.alu(Op.WHERE, dtypes.int32, (hopeless, number, more)))

    def empty_when_full(self, step: int) -> None:
        """Empty the queues of the warp when one has no room for another `step` elements."""
        low = self.low
        most = low.literal(QUEUE - step, dtypes.int32)
        full = low.alu(Op.LT, dtypes.bool_, (most, low.get(self.count)))
        low.branch(low.instruction("any", dtypes.bool_, 1, (full,)))
        self.empty()
        low.leave()

    def empty(self) -> None:
        """Sort all candidates in."""
        low = self.low
        body, number = Block(), low.new(dtypes.int32)
        zero = low.literal(0, dtypes.int32)
        low.append(Loop(number, zero, low.get(self.count), body))
        low.stack.append(Scope(None, body))
        self.fold.insert(self.held, self._read(self._place(number)))
        low.leave()
        low.set(self.count, zero)
