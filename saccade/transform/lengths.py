"""One program for every length: a graph at two lengths becomes a graph at a capacity, with the length given.

    y = x.softmax(0)   of x with 100, then 120 elements
    ->  x has 128 places, of which n are there;  where(i < n, x, -inf) is reduced;  n results are stored

In: the same results computed at two lengths v, graphs of one structure whose sizes are affine in v (a + b*v).
Out: results at a capacity, whose sizes are those at v = capacity, and a number n that each call gives.

Every value is computed at the capacity. Its places below its *lengths* hold what the graph at v = n has there,
and the others anything. An op that would see the others masks them: a reduction by its identity, a sort by
what comes last, a gather by the length of its axis. Loops then end at counts (`codegen.opt.ragged`), so little
is computed for nothing. Memory has no gaps: an input is read, and a result written, with the strides it has
at v = n.

What does not fit (a size that is not affine, axes of which an inner one changes reshaped into one) raises
`Unbounded`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from math import prod

from ..graph import dtypes
from ..graph.kernel import Param
from ..graph.monoid import Monoid
from ..graph.node import Node, Scalar, anything, const, make, walk
from ..graph.ops import ELEMENTWISE, Op
from ..graph.passes import Roots
from ..graph.value import value
from .sorting import last_of
from .terms import everywhere, expanded, full, reshaped


class Unbounded(ValueError):
    """A graph that is not the same for all lengths."""


@dataclass(frozen=True)
class Size:
    """The size base + per * v of an axis."""

    base: int
    per: int = 0

    def at(self, v: int) -> int:
        return self.base + self.per * v

    def times(self, other: Size) -> Size:
        if self.per and other.per:
            raise Unbounded("the product of two lengths is not affine")
        return Size(self.base * other.base, self.base * other.per + self.per * other.base)


@dataclass(frozen=True)
class Span:
    """The two lengths a graph was seen at, the most it is compiled for, and the number that is given."""

    first: int
    second: int
    capacity: int
    n: Node  # a scalar of int64

    def size(self, first: int, second: int) -> Size:
        """The affine size that is this at the two lengths."""
        per, rest = divmod(second - first, self.second - self.first)
        if rest:
            raise Unbounded(f"a size of {first} and {second} at {self.first} and {self.second} is not affine")
        return Size(first - per * self.first, per)

    def number(self, size: Size) -> Node:
        """A size as the number it is at each call."""
        if not size.per:
            return const(size.base, dtypes.int64)
        scaled = self.n if size.per == 1 else self.n * size.per
        return scaled + size.base if size.base else scaled


@dataclass(frozen=True)
class Value:
    """A node at the capacity, and the sizes of its axes."""

    node: Node
    sizes: tuple[Size, ...]

    @property
    def varies(self) -> bool:
        return any(size.per for size in self.sizes)


def at_capacity(first: Roots, second: Roots, span: Span, words: Param) -> tuple[Roots, tuple[Size, ...]]:
    """The results at the capacity, each flat, and how many of its elements are there; `words` is the memory
    of runtime values."""
    bounding = _Bounding(span, words)
    pairs = list(zip(walk(first), walk(second), strict=False))
    for one, other in pairs:
        bounding.add(one, other)
    results = [bounding.result(root) for root in first]
    return tuple([node for node, _ in results]), tuple([size for _, size in results])


class _Bounding:
    """Goes through both graphs at once, sources first."""

    def __init__(self, span: Span, words: Param) -> None:
        self.span = span
        self.words = words
        self.values: dict[Node, Value] = {}

    def add(self, one: Node, other: Node) -> None:
        if one.op is not other.op or one.dtype is not other.dtype or len(one.src) != len(other.src):
            raise Unbounded(f"{one!r} is {other!r} at another length")
        if len(one.shape) != len(other.shape):
            raise Unbounded(f"{one!r} has other axes at another length")
        sizes = tuple([self.span.size(a, b) for a, b in zip(one.shape, other.shape, strict=True)])
        made = self._node(one, other, sizes)
        wanted = tuple([size.at(self.span.capacity) for size in sizes])
        assert made.shape == wanted, (one, made.shape, wanted)
        self.values[one] = Value(made, sizes)

    # --- masks

    def inside(self, sizes: tuple[Size, ...], axes: tuple[int, ...] | None = None) -> Node | None:
        """Where a value of these sizes is there, along some axes; None: everywhere."""
        shape = tuple([size.at(self.span.capacity) for size in sizes])
        parts = [
            _place(shape, axis).alu(Op.LT, everywhere(self.span.number(sizes[axis]), shape))
            for axis in (range(len(sizes)) if axes is None else axes)
            if sizes[axis].per
        ]
        return reduce(lambda a, b: a.alu(Op.AND, b), parts) if parts else None

    def masked(self, value: Value, fill: Scalar, axes: tuple[int, ...] | None = None) -> Node:
        inside = self.inside(value.sizes, axes)
        return value.node if inside is None else inside.alu(Op.WHERE, value.node, full(fill, value.node))

    # --- memory

    def _param(self, one: Node, sizes: tuple[Size, ...]) -> Node:
        return make(Op.PARAM, one.dtype, (), replace(one.arg, size=sizes[0].at(self.span.capacity)))

    def _input(self, memory: Node, sizes: tuple[Size, ...]) -> Node:
        """Memory in its shape: without gaps at every length, and never read where nothing is."""
        inside = self.inside(sizes)
        shape = tuple([size.at(self.span.capacity) for size in sizes])
        if inside is None:
            return reshaped(memory, shape)
        if not any(size.per for size in sizes[1:]):
            return inside.alu(Op.WHERE, reshaped(memory, shape), full(0, memory, shape))
        flat = full(0, self.span.n, shape)
        for axis, size in enumerate(sizes):
            flat = flat.alu(Op.MUL, everywhere(self.span.number(size), shape)).alu(
                Op.ADD, _place(shape, axis)
            )
        places = reshaped(inside.alu(Op.WHERE, flat, full(-1, flat)), (prod(shape),))
        line = make(Op.PAD, memory.dtype, (memory,), ((0, max(0, prod(shape) - memory.size)),))
        return reshaped(
            make(Op.GATHER, memory.dtype, (line if line.arg != ((0, 0),) else memory, places), 0), shape
        )

    def result(self, root: Node) -> tuple[Node, Size]:
        """A result, flat and without gaps, and how many elements it has."""
        value = self.values[root]
        total = reduce(Size.times, value.sizes, Size(1))
        node, sizes = value.node, value.sizes
        most = total.at(self.span.capacity)
        flat = reshaped(node, (most,))
        if any(size.per for size in sizes[1:]):
            place = make(Op.IOTA, dtypes.int64, (), most)
            rest, at = place, full(0, place)
            stride = 1
            for size, n in zip(reversed(sizes), reversed(node.shape), strict=True):
                length = everywhere(self.span.number(size), (most,))
                at = at.alu(Op.ADD, rest.alu(Op.MOD, length).alu(Op.MUL, full(stride, place)))
                rest = rest.alu(Op.IDIV, length)
                stride *= n
            flat = make(Op.GATHER, node.dtype, (flat, at), 0)
        if total.per:
            inside = make(Op.IOTA, dtypes.int64, (), most).alu(
                Op.LT, everywhere(self.span.number(total), (most,))
            )
            flat = inside.alu(Op.WHERE, flat, everywhere(anything(node.dtype), (most,)))
        return make(Op.CONTIGUOUS, node.dtype, (flat,), "asked for"), total

    # --- op by op

    def _node(self, one: Node, other: Node, sizes: tuple[Size, ...]) -> Node:
        op = one.op
        src = tuple([self.values[source] for source in one.src])
        nodes = tuple([source.node for source in src])
        shape = tuple([size.at(self.span.capacity) for size in sizes])
        if op is Op.PARAM:
            return self._param(one, sizes)
        if op is Op.VALUE:
            return value(self.words, one.arg.number, one.dtype, one.arg.low, one.arg.high)
        if op is Op.RESHAPE and one.src[0].op is Op.PARAM:
            return self._input(nodes[0], sizes)
        rule = _RULES.get(op)
        if rule is not None:
            return rule(self, one, other, src, sizes)
        if op is Op.EXPAND:
            return expanded(nodes[0], shape)
        if op is Op.IOTA:
            return make(op, one.dtype, (), shape[0])
        if one.arg != other.arg:
            raise Unbounded(f"{one!r} is {other!r} at another length")
        if op in ELEMENTWISE or op in _UNCHANGED:
            return make(op, one.dtype, nodes, one.arg)
        raise Unbounded(f"{op.name} is not known at any length")


_UNCHANGED = frozenset({Op.CONST, Op.PERMUTE, Op.CONTIGUOUS, Op.SCAN})

_Rule = Callable[[_Bounding, Node, Node, tuple[Value, ...], tuple[Size, ...]], Node]


def _place(shape: tuple[int, ...], axis: int) -> Node:
    """The index along an axis, at every place of a shape."""
    line = make(Op.IOTA, dtypes.int64, (), shape[axis])
    return expanded(reshaped(line, tuple([n if a == axis else 1 for a, n in enumerate(shape)])), shape)


def _reshape(
    made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]
) -> Node:
    """Axes may come together or apart where the one that changes is the outermost of them."""
    source = src[0]
    if source.varies:
        _check_groups(source.sizes, sizes)
    return reshaped(source.node, tuple([size.at(made.span.capacity) for size in sizes]))


def _check_groups(before: tuple[Size, ...], after: tuple[Size, ...]) -> None:
    """From the right, in the smallest groups of equal products: what changes is first in its group."""
    left, right = list(before), list(after)
    while left or right:
        groups: tuple[list[Size], list[Size]] = ([], [])
        products = [Size(1), Size(1)]
        while (not groups[0] and not groups[1]) or products[0] != products[1]:
            # the side that is behind takes another axis; sizes are compared at a length no axis has
            behind = (
                0
                if products[0].at(1009) < products[1].at(1009) or (products[0] == products[1] and left)
                else 1
            )
            axes = (left, right)[behind]
            if not axes:
                raise Unbounded(f"axes {before} cannot be seen as {after} at every length")
            size = axes.pop()
            groups[behind].append(size)
            products[behind] = products[behind].times(size)
        for group in groups:
            inner = [size for size in group if size != Size(1)][:-1]  # the last one taken is the outermost
            if any(size.per for size in inner):
                raise Unbounded(f"an inner axis of {before} changes its length, so it cannot become {after}")


def _pad(made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]) -> Node:
    """What is behind the length is padding; an amount in front that changes moves the value."""
    source = src[0]
    behind = tuple([a for a, (_, after) in enumerate(one.arg) if after or other.arg[a][1]])
    moved = Value(made.masked(source, 0, behind), source.sizes)
    amounts = []
    for axis, ((before, _), (again, _)) in enumerate(zip(one.arg, other.arg, strict=True)):
        have, want = moved.node.shape[axis], sizes[axis].at(made.span.capacity)
        shift = made.span.size(before, again)
        if not shift.per:
            amounts.append((before, want - have - before))
            continue
        amounts.append((0, 0))
        moved = Value(
            _taken(moved.node, axis, want, made.span.number(Size(-shift.base, -shift.per)), 1), moved.sizes
        )
    if any(before < 0 or after < 0 for before, after in amounts):
        raise Unbounded(f"the padding {one.arg} is {other.arg} at another length")
    return (
        moved.node if not any(map(any, amounts)) else make(Op.PAD, one.dtype, (moved.node,), tuple(amounts))
    )


def _slice(made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]) -> Node:
    """A start that changes with the length is a place to gather from."""
    node, slices = src[0].node, []
    for axis, ((start, _, step), (again, _, same)) in enumerate(zip(one.arg, other.arg, strict=True)):
        if step != same or isinstance(start, Node):
            raise Unbounded(f"the slices {one.arg} are {other.arg} at another length")
        length, begin = sizes[axis].at(made.span.capacity), made.span.size(start, again)
        last = begin.at(made.span.capacity) + (length - 1) * step
        if not begin.per and 0 <= last < node.shape[axis]:
            slices.append((start, length, step))
        else:
            node = _taken(node, axis, length, made.span.number(begin), step)
            slices.append((0, length, 1))
    return make(Op.SLICE, one.dtype, (node,), tuple(slices)) if node.shape != one.shape or slices else node


def _taken(node: Node, axis: int, length: int, start: Node, step: int) -> Node:
    """node[start + step * i] along an axis, 0 where there is none."""
    shape = tuple([length if a == axis else n for a, n in enumerate(node.shape)])
    index = _place(shape, axis)
    if step != 1:
        index = index.alu(Op.MUL, full(step, index))
    index = index.alu(Op.ADD, everywhere(start, shape))
    return make(Op.GATHER, node.dtype, (node, index), axis)


def _window(made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]) -> Node:
    (axis, _, size, stride, dilation), again = one.arg, other.arg
    if (axis, size, stride, dilation) != (again[0], *again[2:]):
        raise Unbounded(f"the window {one.arg} is {again} at another length")
    count = sizes[axis].at(made.span.capacity)
    have = src[0].node.shape[axis]
    need = (count - 1) * stride + (size - 1) * dilation + 1
    node = src[0].node
    if need > have:
        node = make(
            Op.PAD,
            node.dtype,
            (node,),
            tuple((0, need - have if a == axis else 0) for a in range(len(node.shape))),
        )
    return make(Op.WINDOW, one.dtype, (node,), (axis, count, size, stride, dilation))


def _reduce(made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]) -> Node:
    if one.arg != other.arg or len(src) > 1:
        raise Unbounded(f"{one!r} is {other!r} at another length")
    monoid: Monoid = one.arg[0]
    identity = monoid.identity((one.src[0].dtype, dtypes.int64))[0].arg
    return make(Op.REDUCE, one.dtype, (made.masked(src[0], identity, one.arg[1]),), one.arg)


def _topk(made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]) -> Node:
    if one.arg != other.arg:
        raise Unbounded(f"the top {one.arg[0]} are the top {other.arg[0]} at another length")
    _, axis, largest, _ = one.arg
    return make(
        Op.TOPK, one.dtype, (made.masked(src[0], last_of(one.src[0].dtype, largest), (axis,)),), one.arg
    )


def _sort(made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]) -> Node:
    axis, descending, keep, run, want = one.arg
    if (axis, descending, run, want) != (other.arg[0], other.arg[1], other.arg[3], other.arg[4]) or len(
        src
    ) > 1:
        raise Unbounded(f"{one!r} is {other!r} at another length")
    lines = made.masked(src[0], last_of(one.src[0].dtype, descending), (axis,))
    return make(
        Op.SORT, one.dtype, (lines,), (axis, descending, sizes[axis].at(made.span.capacity), run, want)
    )


def _gather(made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]) -> Node:
    """An index behind the length finds nothing."""
    source, index = src
    axis: int = one.arg
    where = index.node
    if source.sizes[axis].per:
        length = everywhere(made.span.number(source.sizes[axis]).cast(where.dtype), where.shape)
        where = where.alu(Op.LT, length).alu(Op.WHERE, where, full(-1, where))
    return make(Op.GATHER, one.dtype, (source.node, where), axis)


def _scatter(
    made: _Bounding, one: Node, other: Node, src: tuple[Value, ...], sizes: tuple[Size, ...]
) -> Node:
    """Updates that are not there go nowhere."""
    base, index, updates = src
    where = made.masked(index, -1)
    return make(Op.SCATTER, one.dtype, (base.node, where, updates.node), one.arg)


_RULES: dict[Op, _Rule] = {
    Op.RESHAPE: _reshape,
    Op.PAD: _pad,
    Op.SLICE: _slice,
    Op.WINDOW: _window,
    Op.REDUCE: _reduce,
    Op.TOPK: _topk,
    Op.SORT: _sort,
    Op.GATHER: _gather,
    Op.SCATTER: _scatter,
}
