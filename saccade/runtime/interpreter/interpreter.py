"""The oracle: runs any kernel with NumPy, slowly and obviously, before or after its moves.

    run_kernel(kernel, [out, x])        # arrays of the parameters' storage types, outputs written in place

The value of a node is an array with one axis for each range it depends on. A frame binds ranges to a piece of
their iterations and keeps the values computed in it; a FOLD or a STAGE opens a frame for its own ranges. A
value belongs to the innermost frame that binds one of its ranges, so what does not depend on an inner loop is
computed once. Frames take pieces small enough that no array exceeds `MOST_ELEMENTS`.

A range whose size is computed runs to the largest size there is; where it should have ended already, stores
do not happen and folds see nothing. A load out of bounds anywhere else is an IndexError.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...graph.dtypes import DType
from ...graph.kernels.kernel import Kernel, Sorting, combines
from ...graph.monoid import SOFTMAX, Monoid
from ...graph.node import Node, own_ranges
from ...graph.ops import ELEMENTWISE, Op
from ..device import DeviceRuntime, Runnable
from ..host import HostDevice
from ..memory.blocks import Block, allocate
from ..memory.halves import storage_dtype
from ..program import ARENA, Launch, Program, Source
from .ops import (
    UFUNCS,
    accumulator_dtype,
    elementwise,
    from_memory,
    reduced,
    rounded,
    running,
    to_memory,
    value_dtype,
    weighed,
)

Array = NDArray[Any]
Ranges = tuple[Node, ...]

#: Elements of all values of a frame together, about; larger ones are computed in pieces.
MOST_ELEMENTS: Final = 1 << 26


@dataclass(eq=False)
class Frame:
    """Ranges bound to (first, count) iterations, and the values that depend on them."""

    parent: Frame | None
    bound: dict[Node, tuple[int, int]]
    values: dict[Node, Any] = field(default_factory=dict)

    def holding(self, node: Node) -> Frame:
        """The frame a value belongs to."""
        frame = self
        while frame.parent is not None and not any(r in frame.bound for r in node.ranges):
            frame = frame.parent
        return frame

    def extent(self, r: Node) -> int:
        frame: Frame | None = self
        while frame is not None:
            if r in frame.bound:
                return frame.bound[r][1]
            frame = frame.parent
        raise ValueError(f"{r} is used outside of the loop that runs it")


def run_kernel(kernel: Kernel, arrays: Sequence[Array], most: int = MOST_ELEMENTS) -> None:
    """Run a kernel on one array per parameter; outputs are written in place."""
    if len(arrays) != len(kernel.params):
        raise ValueError(f"a kernel with {len(kernel.params)} parameters was given {len(arrays)} arrays")
    flat = [_flat(a, slot, *kernel.params[slot]) for slot, a in enumerate(arrays)]
    with np.errstate(all="ignore"):
        if kernel.sink.src[0].op is Op.SORT:
            _sort(kernel.sink.src[0], flat)
        else:
            Interpreter(kernel, flat, most).run()


def _flat(array: Array, slot: int, dtype: DType, size: int) -> Array:
    if array.dtype != storage_dtype(dtype) or array.size < size:
        raise ValueError(
            f"parameter {slot} is {size} elements of {storage_dtype(dtype)}, "
            f"not {array.size} of {array.dtype}"
        )
    if not array.flags.c_contiguous:
        raise ValueError(f"parameter {slot} has strides {array.strides}: make it contiguous first")
    return array.reshape(-1)


class Interpreter:
    """One kernel on one set of arrays."""

    def __init__(self, kernel: Kernel, arrays: list[Array], most: int) -> None:
        self.kernel, self.arrays = kernel, arrays
        nodes = kernel.sink.toposort()
        self.most = max(most // len(nodes), 1)
        self.along = {n.src[-1] for n in nodes if n.op is Op.PREFIX}  # loops that have to be seen as a whole
        self.ragged = any(r.src[0].op is not Op.CONST for r in kernel.order)

    def run(self) -> None:
        outside = Frame(None, {})
        for piece in self.pieces(self.kernel.order, outside, 1):
            frame = Frame(outside, piece)
            # all values before any is stored: a kernel that reads what it writes reads the element first
            ready = [self.prepare_store(node, frame) for node in self.kernel.sink.src]
            for node, prepared in zip(self.kernel.sink.src, ready, strict=True):
                self.store(node, *prepared)

    # --- pieces of loops

    def pieces(self, ranges: Ranges, frame: Frame, outer: int) -> Iterator[dict[Node, tuple[int, int]]]:
        """Bindings that together run over `ranges` in order, each of at most `self.most / outer` elements."""
        extents = self.extents(ranges, frame)
        room, lengths = max(self.most // max(outer, 1), 1), []
        for r, extent in reversed(list(zip(ranges, extents, strict=True))):
            length = max(min(extent, extent if r in self.along else room), 1)
            room = max(room // length, 1) if length == extent else 1
            lengths.append(length)
        steps = [range(0, extent, length) for extent, length in zip(extents, reversed(lengths), strict=True)]
        for starts in product(*steps):
            yield {
                r: (start, min(steps[n].step, extents[n] - start))
                for n, (r, start) in enumerate(zip(ranges, starts, strict=True))
            }

    def extents(self, ranges: Ranges, frame: Frame) -> list[int]:
        """How far each range runs at most."""
        bound: dict[Node, tuple[int, int]] = {}
        for r in ranges:
            size = r.src[0]
            sizes = (
                np.asarray(size.arg) if size.op is Op.CONST else self.value(size, Frame(frame, dict(bound)))
            )
            bound[r] = (0, max(int(sizes.max(initial=0)), 0))
        return [count for _, count in bound.values()]

    # --- values

    def value(self, root: Node, frame: Frame) -> Any:
        """The value of a node: an array over `axes(root)`, or one for each component of a reduction."""
        stack = [root]
        while stack:
            node = stack[-1]
            home = frame.holding(node)
            if node in home.values:
                stack.pop()
                continue
            missing = [s for s in self.needs(node) if s not in frame.holding(s).values]
            if missing:
                stack += missing
                continue
            stack.pop()
            home.values[node] = self.compute(node, home)
        return frame.holding(root).values[root]

    @staticmethod
    def needs(node: Node) -> tuple[Node, ...]:
        """The sources to be computed first; a FOLD and a STAGE compute theirs in a frame of their own."""
        if node.op is Op.FOLD or node.op is Op.STAGE or node.op is Op.PARAM:
            return ()
        if node.op is Op.RANGE:
            return () if node.src[0].op is Op.CONST else node.src
        return tuple(s for s in node.src if s.op is not Op.PARAM)

    def compute(self, node: Node, frame: Frame) -> Any:
        op = node.op
        if op is Op.CONST:
            return rounded(np.array(node.arg), node.dtype)
        if op is Op.VALUE:
            return self.runtime_value(node)
        if op is Op.RANGE:
            return self.range_values(node, frame)
        if op in ELEMENTWISE:
            wanted = axes(node)
            args = [self.over(s, wanted, frame) for s in node.src]
            return elementwise(op, node.dtype, tuple(s.dtype for s in node.src), args)
        if op is Op.LOAD:
            return self.load(node, frame)
        if op is Op.FOLD:
            return self.fold(node, frame)
        if op is Op.PREFIX:
            return self.prefix(node, frame)
        if op is Op.PROJECT:
            return self.value(node.src[0], frame)[node.arg]
        if op is Op.STAGE:
            return self.stage(node, frame)
        raise ValueError(f"the interpreter does not know {op.name} in a kernel: {node}")

    def over(self, node: Node, wanted: Ranges, frame: Frame) -> Array:
        """The value of a node with an axis for each of `wanted`, of length 1 where it depends on none."""
        value, own = np.asarray(self.value(node, frame)), axes(node)
        places = [wanted.index(r) for r in own]
        aligned = value.transpose(np.argsort(places)) if places != sorted(places) else value
        return aligned.reshape([frame.extent(r) if r in own else 1 for r in wanted])

    def full(self, node: Node, wanted: Ranges, frame: Frame) -> Array:
        """The value of a node at every point of `wanted`."""
        return np.broadcast_to(self.over(node, wanted, frame), [frame.extent(r) for r in wanted])

    def runtime_value(self, node: Node) -> Array:
        """A word as the number it stands for."""
        word = self.arrays[node.src[0].arg.slot][node.arg.number : node.arg.number + 1]
        number = (word.view(np.float64) if node.dtype.is_float else word).reshape(())
        if node.arg.low is not None and not node.arg.low <= int(number) <= node.arg.high:
            raise IndexError(f"a runtime value is {int(number)}, not in {node.arg.low} to {node.arg.high}")
        return elementwise(Op.CAST, node.dtype, (node.src[0].dtype,), [number])

    def range_values(self, node: Node, frame: Frame) -> Array:
        first, count = frame.bound[node]
        wanted = axes(node)
        along = np.arange(first, first + count, dtype=np.int64)
        shaped = along.reshape([count if r is node else 1 for r in wanted])
        return np.broadcast_to(shaped, [frame.extent(r) for r in wanted])

    def live(self, wanted: Ranges, frame: Frame) -> Array:
        """Where no range has gone past its size, as an array that broadcasts over `wanted`."""
        alive = np.ones([1] * len(wanted), np.bool_)
        for r in wanted:
            if r.src[0].op is not Op.CONST:
                alive = alive & (self.over(r, wanted, frame) < self.over(r.src[0], wanted, frame))
        return alive

    # --- memory

    def load(self, node: Node, frame: Frame) -> Array:
        memory, index = node.src[:2]
        wanted = axes(node)
        at = self.full(index, wanted, frame)
        valid = np.broadcast_to(self.live(wanted, frame), at.shape)
        if len(node.src) == 3:
            valid = valid & self.over(node.src[2], wanted, frame)
        size = memory.arg.size
        outside = valid & ((at < 0) | (at >= size))
        if outside.any():
            raise IndexError(
                f"a load reads element {at[outside][0]} of {size} of {memory}: the kernel's index is wrong"
            )
        safe = np.where(valid, at, 0)
        if size == 0:
            return np.zeros(at.shape, value_dtype(node.dtype))
        if memory.op is Op.PARAM:
            read = from_memory(self.arrays[memory.arg.slot][safe], memory.dtype)
        else:
            tile, own = self.value(memory, frame), axes(memory)
            places = np.indices(at.shape, sparse=True)
            read = tile[(*[places[wanted.index(r)] for r in own], safe)]
        return np.where(valid, read, np.zeros((), read.dtype))

    def stage(self, node: Node, frame: Frame) -> Array:
        """The tile for every point the STAGE depends on; what nobody writes is NaN or the largest integer."""
        value, index = node.src[:2]
        own, ranges = axes(node), own_ranges(node)
        shape = [*[frame.extent(r) for r in own], node.arg.size]
        tile = np.full(shape, np.nan if node.dtype.is_float else node.dtype.max, value_dtype(node.dtype))
        for piece in self.pieces(ranges, frame, prod(shape[:-1])):
            inner = Frame(frame, piece)
            wanted = (*own, *ranges)
            at = self.full(index, wanted, inner)
            live = np.broadcast_to(self.live(wanted, inner), at.shape)
            if (live & ((at < 0) | (at >= node.arg.size))).any():
                raise IndexError(f"a tile of {node.arg.size} is written at {at.min()} to {at.max()}: {node}")
            places = np.indices(at.shape, sparse=True)
            where = tuple([np.broadcast_to(places[n], at.shape)[live] for n in range(len(own))])
            tile[(*where, at[live])] = self.full(value, wanted, inner)[live]
        return tile

    def prepare_store(self, node: Node, frame: Frame) -> tuple[Array, Array]:
        """Where to write and what, in the order of the loops."""
        memory, index, value = node.src[:3]
        order = self.kernel.order
        every = combines(node) or self.ragged  # a store that combines happens in each iteration
        wanted = tuple(r for r in order if every or r in node.ranges)
        at = self.full(index, wanted, frame)
        valid = np.broadcast_to(self.live(wanted, frame), at.shape)
        if len(node.src) == 4:
            valid = valid & self.over(node.src[3], wanted, frame)
        at, what = at[valid], self.full(value, wanted, frame)[valid]
        if at.size and (at.min() < 0 or at.max() >= memory.arg.size):
            raise IndexError(
                f"a store writes elements {at.min()} to {at.max()} of {memory.arg.size}: "
                f"the kernel's index is wrong"
            )
        return at, what

    def store(self, node: Node, at: Array, what: Array) -> None:
        memory = node.src[0]
        target = self.arrays[memory.arg.slot]
        if not combines(node):
            target[at] = to_memory(what, memory.dtype)  # of several writes to one place the last remains
            return
        for place, value in zip(at, what, strict=True):
            old = from_memory(target[place : place + 1], memory.dtype)
            target[place] = to_memory(rounded(UFUNCS[node.arg](old, value), memory.dtype), memory.dtype)[0]

    # --- reductions

    def fold(self, node: Node, frame: Frame) -> Any:
        monoid: Monoid = node.arg
        bodies, ranges = node.src[: monoid.elements], own_ranges(node)
        own, element = axes(node), tuple(b.dtype for b in bodies)
        shape = [frame.extent(r) for r in own]
        held = [np.full(shape, c.arg, accumulator_dtype(monoid, c.dtype)) for c in monoid.identity(element)]
        for piece in self.pieces(ranges, frame, prod(shape)):
            inner = Frame(frame, piece)
            wanted = (*own, *ranges)
            parts = [self.elements(monoid, b, wanted, shape, inner) for b in bodies]
            live = np.broadcast_to(self.live(wanted, inner), [inner.extent(r) for r in wanted]).reshape(
                *shape, -1
            )
            held = self.merged(monoid, element, held, parts, live)
        results = [rounded(h, d) for h, d in zip(held, component_dtypes(monoid, element), strict=True)]
        return results[0] if monoid.width == 1 else results

    def elements(self, monoid: Monoid, body: Node, wanted: Ranges, shape: list[int], frame: Frame) -> Array:
        """A body with what is reduced over in the last axis."""
        values = self.full(body, wanted, frame).reshape(*shape, -1)
        return values.astype(accumulator_dtype(monoid, body.dtype), copy=False)

    @staticmethod
    def merged(
        monoid: Monoid, element: tuple[DType, ...], held: list[Array], new: list[Array], live: Array
    ) -> list[Array]:
        """The accumulators after a piece: what is held counts as elements that came before."""
        k = monoid.k
        if monoid == SOFTMAX:
            return weighed(held, new, live)
        before = held if monoid.elements == 1 else [np.stack(held[:k], -1), np.stack(held[k:], -1)]
        columns = [b[..., None] if b.ndim < n.ndim else b for b, n in zip(before, new, strict=True)]
        joined = [np.concatenate([b, n], axis=-1) for b, n in zip(columns, new, strict=True)]
        kept = np.concatenate([np.ones(columns[0].shape, np.bool_), live], axis=-1)
        return reduced(monoid, element, joined, kept)

    def prefix(self, node: Node, frame: Frame) -> Any:
        monoid: Monoid = node.arg
        bodies, over = node.src[: monoid.elements], node.src[-1]
        wanted = axes(node)
        place = wanted.index(over)
        element = tuple(b.dtype for b in bodies)
        parts = [
            np.moveaxis(self.full(b, wanted, frame), place, -1).astype(accumulator_dtype(monoid, b.dtype))
            for b in bodies
        ]
        results = [
            np.moveaxis(rounded(c, d), -1, place)
            for c, d in zip(running(monoid, element, parts), component_dtypes(monoid, element), strict=True)
        ]
        return results[0] if monoid.width == 1 else results


def axes(node: Node) -> Ranges:
    """The ranges a value depends on, in the order of its axes."""
    return tuple(sorted(node.ranges, key=lambda r: (r.arg.number, r.arg.kind)))


def component_dtypes(monoid: Monoid, element: tuple[DType, ...]) -> tuple[DType, ...]:
    if monoid.elements == 1:
        return element
    return (element[0],) * monoid.k + (element[1],) * (monoid.width - monoid.k)


def _sort(node: Node, arrays: list[Array]) -> None:
    """Rows sorted stably, whatever is sorted in them already; NaN is the largest number."""
    sorting: Sorting = node.arg
    source, targets = node.src[0], node.src[1 + sorting.carries :]
    shape = (sorting.outer, sorting.length, sorting.inner)
    memory = arrays[source.arg.slot][: prod(shape)].reshape(shape)
    values = from_memory(memory, source.dtype)
    if sorting.descending:
        backwards = np.argsort(np.flip(values, 1), axis=1, kind="stable")
        order = sorting.length - 1 - np.flip(backwards, 1)
    else:
        order = np.argsort(values, axis=1, kind="stable")
    order = order[:, : sorting.keep]
    indices = order
    if sorting.carries:
        carried = arrays[node.src[1].arg.slot][: prod(shape)].reshape(shape)
        indices = np.take_along_axis(carried, order, 1)
    results = {"values": np.take_along_axis(memory, order, 1), "indices": indices}
    for want, target in zip(sorting.wants, targets, strict=True):
        arrays[target.arg.slot][: order.size] = results[want].reshape(-1)


# --- the device


@dataclass(frozen=True)
class Interpreted:
    """A kernel as a program: nothing is compiled."""

    source: Source
    kernel: Kernel


class InterpretedPlan:
    """Launches over slots, run one after the other."""

    def __init__(self, launches: Sequence[Launch], slots: int, arena: int) -> None:
        self.launches, self.slots, self.arena = tuple(launches), slots, arena

    def __call__(self, addresses: Sequence[int]) -> None:
        if len(addresses) != self.slots:
            raise ValueError(f"a plan with {self.slots} slots was given {len(addresses)} buffers")
        arena: Block | None = allocate(self.arena) if self.arena else None
        for launch in self.launches:
            program = launch.program
            assert isinstance(program, Interpreted)
            arrays = []
            for (slot, offset), (dtype, size) in zip(launch.params, program.kernel.params, strict=True):
                base = addresses[slot] if slot != ARENA else arena.address if arena is not None else 0
                arrays.append(_array_at(base + offset, dtype, size))
            run_kernel(program.kernel, arrays)


def _array_at(address: int, dtype: DType, size: int) -> Array:
    """An array on memory that somebody else keeps."""
    kind = storage_dtype(dtype)
    if size == 0:
        return np.empty(0, kind)
    memory = (ctypes.c_uint8 * (size * kind.itemsize)).from_address(address)
    return np.ctypeslib.as_array(memory).view(kind)


class InterpreterDevice(HostDevice):
    """NumPy, one kernel at a time, on this process's memory."""

    about = "NumPy, one kernel at a time: slow, for checking the others"

    def compile(self, sources: Sequence[Source]) -> list[Program]:
        return [Interpreted(source, _kernel_of(source)) for source in sources]

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        return InterpretedPlan(launches, slots, arena)


def _kernel_of(source: Source) -> Kernel:
    if source.kernel is None:
        raise ValueError(
            f"kernel {source.name!r} is text: make its source with source_for(kernel, 'interpreter')"
        )
    return source.kernel


def open_device(name: str) -> DeviceRuntime:
    return InterpreterDevice(name)
