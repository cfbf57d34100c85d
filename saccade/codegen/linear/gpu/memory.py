"""Elementwise values, loads and stores of one thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.kernels.kernel import UNROLL, Kernel, combines, range_size
from ....graph.node import Node, const, make, walk
from ....graph.ops import NESTS, Op
from ....graph.rules.sums import affine
from ....graph.rules.symbolic import coefficient_of
from ...folds.gpu.listing import MOST_LISTED, GpuListing
from ...folds.listing import lists_of
from ..addressing.address import at_point
from ..builder import Point, Points
from ..code import Instruction, Memory, Value
from .code import NO_BUFFER, PLACES, WIDEST
from .known import known_result
from .values import GpuValues

#: the argument of a PROJECT that stands for the whole vector a load begins, with how many elements that has
VECTOR: Final = "vector"
#: what neighbours of are added to memory as one vector
VECTOR_SUMS: Final = frozenset({dtypes.float32, dtypes.float16, dtypes.bfloat16})
#: bytes that a thread loads before it computes anything
MOST_FIRST: Final = 320


class GpuMemoryLowering(GpuValues):
    """Values in registers and in memory, and the lists of elements that folds share."""

    def __init__(self, kernel: Kernel, team: int) -> None:
        super().__init__(kernel, team)
        self.parts = parts_of_vectors(kernel.sink)
        found = lists_of(kernel)
        self.listed = {fold: one for fold, one in found.items() if range_size(one.list.over) <= MOST_LISTED}
        self.lists = {one.list.count: one.list for one in self.listed.values()}
        for made in self.lists.values():
            self.parts |= parts_of_vectors(made.condition)
        self.listing = GpuListing(self)
        #: slots of matrices that are read once, and bytes of them on their way
        self.first: frozenset[int] = frozenset()
        self.loaded_bytes = 0

    def load_first(self, roots: Iterable[Node], written: frozenset[int], alone: bool) -> None:
        """Load what the innermost open loop reads of the buffers in `first` and, unless these are to go
        `alone`, of others, as far as registers go: nothing moves a load in front of a shuffle once it is
        behind it. Buffers in `written` are not read so early."""
        here = len(self.stack) - 1
        nodes = [n for n in walk(roots) if n.op is Op.LOAD]
        loads = [n for n in nodes if self._is_plain(n) and self.home(n) == here]
        own = [n for n in loads if n.src[0].arg.slot in self.first]
        others = [n for n in loads if n not in own and n.src[0].arg.slot not in written]
        self.loaded_bytes = 0
        for node in own if alone else own + others:
            if self.loaded_bytes >= MOST_FIRST:
                return
            self.emit(node)

    def _is_plain(self, load: Node) -> bool:
        """Is it of a buffer, in open loops alone, and at a place that nothing has to be computed for?"""
        if len(load.src) != 2 or load.src[0].op is not Op.PARAM or load.src[0].arg.slot < 0:
            return False
        loops = {r for r in load.ranges if r.arg.kind not in PLACES and r.arg.kind != UNROLL}
        if not loops <= {scope.range for scope in self.stack}:
            return False
        return all(n.op is not Op.LOAD and n.op not in NESTS for n in load.src[1].toposort())

    def loaded(self, dtype: DType, width: int, where: Value, memory: Memory, offset: int) -> Value:
        """A load; of buffers in `first` one that no open loop has made yet. Nodes that read the same words
        along axes of their own would read them again once the kernel has waited."""
        if memory.slot not in self.first or where.is_literal:
            return self.instruction("load", dtype, width, (where,), (memory, offset))
        key = (memory.name, where.number, offset, width)
        for scope in reversed(self.stack):
            if key in scope.loads:
                return scope.loads[key]
        made = self.instruction("load", dtype, width, (where,), (memory, offset))
        self.stack[-1].loads[key] = made
        self.loaded_bytes += dtype.itemsize * width
        return made

    def elementwise(self, node: Node) -> Points:
        sources = [self.emit(s) for s in node.src]
        axes = self.unroll_axes(node)
        # points that share a load, as those of overlapping windows, share what is made of it
        known: dict[tuple[Value, ...], Value] = {}
        made: dict[Point, Value] = {}
        for point in self.points(axes):
            args = tuple([s.project(axes, point) for s in sources])
            if args not in known:
                result = known_result(node.op, node.dtype, args)
                if not isinstance(result, Value | None):
                    result = self.literal(result, node.dtype)
                known[args] = self.alu(node.op, node.dtype, args) if result is None else result
            made[point] = known[args]
        return Points(axes, made)

    def base(self, index: Node, axes: tuple[Node, ...], point: Point) -> tuple[Value, int]:
        """The index at a point of the unroll axes, as a base shared by many points plus a constant. Places
        that are looked up along an axis are loaded for all of it, as vectors, and not again for each."""
        if self._is_computed_along(index, axes):
            return self.emit(index).project(axes, point), 0
        looked_up, offset, fixed = _looked_up_along(index), 0, {}
        for axis, position in zip(axes, point, strict=True):
            stride = coefficient_of(index, axis)
            offset += 0 if stride is None else stride * position
            if stride is not None or axis not in looked_up:
                fixed[axis] = const(position if stride is None else 0, axis.dtype)
        return self.emit(at_point(index, fixed) if fixed else index).project(axes, point), offset

    def _is_computed_along(self, index: Node, axes: tuple[Node, ...]) -> bool:
        """Is an index made of a fold or a tile that goes along some of the axes? Equal loops share their axes
        (`Numbers`): in `x[tile[u]]`, where u fills the tile too, it cannot be fixed outside of it alone."""
        nests = [n for n in index.toposort() if n.op in NESTS]
        return any(not set(axes).isdisjoint(nest.toposort()) for nest in nests)

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

    def load(self, node: Node) -> Points:
        memory = self.memory_of(node.src[0])
        index, axes = node.src[1], self.unroll_axes(node)
        if node in self.parts:
            first, lane, width = self.parts[node]
            vectors = self.emit(make(Op.PROJECT, node.dtype, (first,), (VECTOR, width)))
            return Points(
                axes,
                {
                    p: self.instruction("extract", node.dtype, 1, (vectors.project(axes, p),), lane)
                    for p in self.points(axes)
                },
            )
        if len(node.src) == 3:
            return Points(axes, self._guarded_loads(node, memory, axes))
        made: dict[Point, Value] = {}
        known: dict[tuple[Value, int], Value] = {}  # of overlapping windows
        along, width = self.run_of(memory, index, axes)
        for points in self._vectors(memory, index, axes, along, width, dense=along is None):
            where, offset = self.base(index, axes, points[0])
            if len(points) > 1:
                vector = self.loaded(node.dtype, len(points), where, memory, offset)
                made |= self._lanes(vector, points)
                continue
            if (where, offset) not in known:
                known[where, offset] = self.loaded(node.dtype, 1, where, memory, offset)
            made[points[0]] = known[where, offset]
        return Points(axes, made)

    def _vectors(
        self, memory: Memory, index: Node, axes: tuple[Node, ...], along: Node | None, width: int, dense: bool
    ) -> list[tuple[Point, ...]]:
        """All points, those together that are a vector: `width` of them side by side along one axis or, where
        `dense` ones may be longer, along several together, as x, y, z of a few nodes."""
        wide = self._dense_vectors(memory, index, axes) if dense else []
        if wide and len(wide[0]) > width:
            return wide
        if along is None:
            return [(point,) for point in self.points(axes)]
        return [_along(p, axes, along, width) for p in self.points(axes) if p[axes.index(along)] % width == 0]

    def load_vector(self, first: Node, width: int) -> Points:
        """The vector that begins with this element."""
        memory = self.memory_of(first.src[0])
        axes, guards = self.unroll_axes(first), [self.emit(s) for s in first.src[2:]]
        kind = "guarded_load" if guards else "load"
        made: dict[Point, Value] = {}
        for point in self.points(axes):
            where, offset = self.base(first.src[1], axes, point)
            args = (where, *(guard.project(axes, point) for guard in guards))
            made[point] = self.instruction(kind, first.dtype, width, args, (memory, offset))
        return Points(axes, made)

    def _dense_vectors(self, memory: Memory, index: Node, axes: tuple[Node, ...]) -> list[tuple[Point, ...]]:
        """The points of aligned vectors that all elements make together, the widest; none if they do not."""
        strides = [coefficient_of(index, axis) for axis in axes]
        if len(axes) < 2 or None in strides or memory.slot == NO_BUFFER:
            return []
        start = index.substitute({axis: const(0, axis.dtype) for axis in axes})
        points = self.points(axes)
        placed = sorted((sum(s * at for s, at in zip(strides, p, strict=True) if s), p) for p in points)
        if len({place for place, _ in placed}) < len(placed):
            return []
        width = WIDEST // memory.dtype.itemsize
        while width > 1:
            vectors = [placed[first : first + width] for first in range(0, len(placed), width)]
            aligned = len(points) % width == 0 and is_multiple(start, width)
            if aligned and all(v[0][0] % width == 0 and v[-1][0] - v[0][0] == width - 1 for v in vectors):
                return [tuple([point for _, point in vector]) for vector in vectors]
            width //= 2
        return []

    def _guarded_loads(self, node: Node, memory: Memory, axes: tuple[Node, ...]) -> dict[Point, Value]:
        """Loads under a condition: whole vectors where it is the same for all of one, and what overlapping
        windows share once."""
        along, width = self.run_of(memory, node.src[1], axes)
        if along in self.unroll_axes(node.src[2]):
            along, width = None, 1
        made: dict[Point, Value] = {}
        known: dict[tuple[Value, Value, int], Value] = {}
        for point in self.points(axes):
            if point in made:
                continue
            where, offset = self.base(node.src[1], axes, point)
            valid = self._valid_at(node.src[2], axes, point)
            key = where, valid, offset
            if key not in known:
                args = (where, valid)
                known[key] = self.instruction("guarded_load", node.dtype, width, args, (memory, offset))
            same = [point] if along is None else _along(point, axes, along, width)
            made |= {point: known[key]} if along is None else self._lanes(known[key], same)
        return made

    def _lanes(self, vector: Value, points: Sequence[Point]) -> dict[Point, Value]:
        """The elements of a vector, by their points."""
        return {
            point: self.instruction("extract", vector.dtype, 1, (vector,), lane)
            for lane, point in enumerate(points)
        }

    def _packed(self, values: Points, axes: tuple[Node, ...], points: Sequence[Point]) -> Value:
        """The values at some points as a vector, or that of one."""
        parts = tuple([values.project(axes, point) for point in points])
        return self.instruction("pack", parts[0].dtype, len(parts), parts) if len(parts) > 1 else parts[0]

    def _valid_at(self, valid: Node, axes: tuple[Node, ...], point: Point) -> Value:
        """Whether a place is inside, at a point. Along several axes it is worked out for each sum of theirs:
        y + i of a window is the same at many."""
        mine = self.unroll_axes(valid)
        if len(mine) < 2 or self._is_computed_along(valid, mine):
            return self.emit(valid).project(axes, point)
        looked_up = _looked_up_along(valid)
        fixed = {axis: const(point[axes.index(axis)], axis.dtype) for axis in mine if axis not in looked_up}
        return self.emit(at_point(valid, fixed) if fixed else valid).project(axes, point)

    def store(self, node: Node) -> None:
        memory = self.memory_of(node.src[0])
        axes = self.unroll_axes(node)
        if combines(node):  # what is combined counts at every point, be it the same at all of them
            axes = tuple(r for r in self.kernel.order if r.arg.kind == UNROLL)
        values = self.emit(node.src[2])
        if len(node.src) == 3 and not combines(node):
            self.write(memory, node.src[1], values, axes)
            return
        valid = (
            self.emit(node.src[3])
            if len(node.src) == 4
            else Points((), {(): self.literal(True, dtypes.bool_)})
        )
        along = self.run_of(memory, node.src[1], axes)[0]
        if not combines(node) and along not in valid.axes:
            # addresses are worked out before the branch, so that nothing inside it has to leave it
            for point in self.points(valid.axes):
                self.branch(valid.at[point])
                self.write(memory, node.src[1], values, axes, dict(zip(valid.axes, point, strict=True)))
                self.leave()
            return
        if combines(node):
            self._combine(node, memory, axes, values, valid)
            return
        for point in self.points(axes):
            where, offset = self.base(node.src[1], axes, point)
            self.branch(valid.project(axes, point))
            what = values.project(axes, point)
            self.append(Instruction("store", None, (where, what), (memory, offset)))
            self.leave()

    def _combine(
        self, node: Node, memory: Memory, axes: tuple[Node, ...], values: Points, valid: Points
    ) -> None:
        """Combine one value per point with what is there: sums of neighbours as a vector."""
        along, width = self.run_of(memory, node.src[1], axes)
        if along in valid.axes or node.arg != "add" or memory.dtype not in VECTOR_SUMS:
            along, width = None, 1
        for point in self.points(axes):
            if along is not None and point[axes.index(along)] % width:
                continue
            where, offset = self.base(node.src[1], axes, point)
            self.branch(valid.project(axes, point))
            lanes = [point] if along is None else _along(point, axes, along, width)
            what = self._packed(values, axes, lanes)
            self.append(Instruction("atomic", None, (where, what), (memory, offset, node.arg)))
            self.leave()

    def write(
        self,
        memory: Memory,
        index: Node,
        values: Points,
        axes: tuple[Node, ...],
        fixed: Mapping[Node, int] = MappingProxyType({}),
    ) -> None:
        """Store one value per point, whole vectors where they lie side by side; of axes that are `fixed` one
        point alone."""
        along, width = self.run_of(memory, index, axes)
        for points in self._vectors(memory, index, axes, along, width, dense=not fixed):
            if any(fixed.get(axis, at) != at for axis, at in zip(axes, points[0], strict=True)):
                continue
            where, offset = self.base(index, axes, points[0])
            value = self._packed(values, axes, points)
            self.append(Instruction("store", None, (where, value), (memory, offset)))


def _along(point: Point, axes: tuple[Node, ...], axis: Node, count: int) -> tuple[Point, ...]:
    """A point and those after it along an axis."""
    at = axes.index(axis)
    return tuple([(*point[:at], point[at] + n, *point[at + 1 :]) for n in range(count)])


def _looked_up_along(value: Node) -> set[Node]:
    """The ranges of what a place or a condition reads from memory."""
    return {r for n in value.toposort() if n.op is Op.LOAD for r in n.ranges}


def parts_of_vectors(sink: Node) -> dict[Node, tuple[Node, int, int]]:
    """Loads that are neighbours in memory by their constants, as x, y and z of a node found by its number, or
    the two parts of a complex number: for each the load of the first element of their aligned vector, its own
    place in it, and how long that is.

    An element that exists has its whole vector, for only buffers of whole vectors are asked."""
    groups: dict[tuple[object, ...], list[tuple[Node, Node, int, int]]] = {}
    for node in sink.toposort():
        if node.op is not Op.LOAD or node.src[0].op is not Op.PARAM or node.src[0].arg.slot <= NO_BUFFER:
            continue
        terms, constant = affine(node.src[1])
        width = WIDEST // node.dtype.itemsize
        while width > 1 and (node.src[0].arg.size % width or any(c % width for c in terms.values())):
            width //= 2
        if width == 1:
            continue
        loops = [r for r in node.ranges if r.arg.kind != UNROLL]
        if not loops and len(node.src) == 2:
            continue  # one address for all threads: a vector would only take registers
        lane = constant % width
        start = _less(node.src[1], lane)
        if start is None:
            continue
        key = (node.src[0], start, *node.src[2:])
        groups.setdefault(key, []).append((node, start, lane, width))
    parts: dict[Node, tuple[Node, int, int]] = {}
    for found in groups.values():
        if len({lane for _, _, lane, _ in found}) > 1:
            for node, start, lane, width in found:
                first = make(Op.LOAD, node.dtype, (node.src[0], start, *node.src[2:]))
                parts[node] = first, lane, width
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
