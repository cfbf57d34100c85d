"""One program for every length: a graph at two lengths becomes a graph at a capacity, with the length given.

    y = x.softmax(0)   of x with 100, then 120 elements
    ->  x has 128 places, of which n are there;  where(i < n, x, -inf) is reduced;  n results are stored

In: the same results computed at two lengths v, graphs of one structure whose sizes are affine in v (a + b*v).
Out: results at a capacity, whose sizes are those at v = capacity, and a number n that each call gives.

Every value is computed at the capacity. Its places below the sizes at v = n hold what the graph has there at
that length, and the others anything. An op that would see the others masks them: a reduction by its identity,
a sort by what comes last, a gather by the length of its axis. Loops then end at counts
(`codegen.moves.ragged`), so little is computed for nothing. Memory has no gaps: an input is read, and a
result written, with the strides it has at v = n.

What does not fit (a size that is not affine, or shrinks; axes reshaped into one of which an inner one
changes) raises `Unbounded`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from math import prod

from ..graph import dtypes
from ..graph.constants import anything, constant_of, everywhere
from ..graph.dtypes import DType
from ..graph.monoid import ADD
from ..graph.node import Node, Scalar, make, walk
from ..graph.ops import ELEMENTWISE, PARTS, Op
from ..graph.param import Param, Rows
from ..graph.rewriting.passes import Roots
from ..graph.value import value
from .parallel.sorting import last_of
from .sizes import Size, Span, Unbounded
from .terms import expanded, full, permuted, reshaped


@dataclass(frozen=True)
class Value:
    """A node at the capacity, and the sizes of its axes. What is computed element by element from memory has
    a second form, `flat`: its elements one after the other without gaps, as they lie in memory."""

    node: Node
    sizes: tuple[Size, ...]
    flat: Node | None = None

    @property
    def varies(self) -> bool:
        return any(size.per for size in self.sizes)


def at_capacity(
    first: Roots, second: Roots, span: Span, words: Param
) -> tuple[Roots, tuple[tuple[Size, ...], ...]]:
    """The results at the capacity, each flat and without gaps, and the sizes of their axes; `words` is the
    memory of runtime values."""
    one, other = list(walk(first)), list(walk(second))
    if len(one) != len(other):
        raise Unbounded("there are other ops at another length")
    bounding = _Bounding(span, words)
    seen = _only_seen(first, one)
    for pair in zip(one, other, strict=True):
        if pair[0] not in seen:
            bounding.add(*pair)
    results = [bounding.result(bounding.values[seen.get(root, root)]) for root in first]
    return tuple(results), tuple([bounding.sizes(*pair) for pair in zip(first, second, strict=True)])


def _only_seen(roots: Roots, order: list[Node]) -> dict[Node, Node]:
    """Results that are others in another shape, which nobody reads, and those others: they are the same
    memory at every length, be it one of an axis that becomes part of another, as those of a `repeat`."""
    read = {source for node in order for source in node.src}
    return {
        root: root.src[0]
        for root in roots
        if root.op is Op.RESHAPE and root not in read and root.src[0].op is not Op.PARAM
    }


class _Bounding:
    """Goes through both graphs at once, sources first."""

    def __init__(self, span: Span, words: Param) -> None:
        self.span = span
        self.words = words
        self.values: dict[Node, Value] = {}

    def add(self, one: Node, other: Node) -> None:
        kinds = [(n.op, n.dtype, len(n.src), len(n.shape)) for n in (one, other)]
        if kinds[0] != kinds[1]:
            raise Unbounded(f"{one!r} is {other!r} at another length")
        sizes = self.sizes(one, other)
        pair = _Pair(one, other, tuple([self.values[s] for s in one.src]), sizes)
        made = self._node(pair)
        if made.shape != self.shape(sizes):
            raise Unbounded(f"{one!r} has shape {made.shape} at the capacity, not {self.shape(sizes)}")
        self.values[one] = Value(made, sizes, self._flat(pair, made))

    def sizes(self, one: Node, other: Node) -> tuple[Size, ...]:
        """The sizes of the axes of a node that is at both lengths."""
        sizes = tuple([self.span.size(a, b) for a, b in zip(one.shape, other.shape, strict=True)])
        if any(size.per < 0 for size in sizes):
            raise Unbounded(f"{one!r} has an axis that shrinks with the length: the capacity is not its most")
        return sizes

    def _flat(self, pair: _Pair, made: Node) -> Node | None:
        """The elements of a value one after the other, where no place has to be taken apart for it."""
        one, most = pair.one, made.size
        if (param := _memory_of(one)) is not None:
            memory = make(Op.PARAM, one.dtype, (), replace(param, size=most, partial=True))
            inside = self._is_there(pair.sizes, most)
            return memory if inside is None else inside.alu(Op.WHERE, memory, full(0, memory))
        if (single := constant_of(made)) is not None:
            return everywhere(single, (most,))
        if one.op not in _MAPS or any(source.sizes != pair.sizes for source in pair.src):
            return None
        sources = [source.flat for source in pair.src if source.flat is not None]
        return make(one.op, one.dtype, tuple(sources), one.arg) if len(sources) == len(pair.src) else None

    def at(self, size: Size) -> int:
        return size.at(self.span.capacity)

    def shape(self, sizes: tuple[Size, ...]) -> tuple[int, ...]:
        return tuple(map(self.at, sizes))

    # --- masks

    def inside(self, sizes: tuple[Size, ...], axes: tuple[int, ...] | None = None) -> Node | None:
        """Where a value of these sizes is there, along some axes; None: everywhere."""
        shape = self.shape(sizes)
        parts = [
            _place(shape, axis).alu(Op.LT, everywhere(self.span.number(sizes[axis]), shape))
            for axis in (range(len(sizes)) if axes is None else axes)
            if sizes[axis].per
        ]
        return reduce(lambda a, b: a.alu(Op.AND, b), parts) if parts else None

    def masked(self, value: Value, fill: Scalar, axes: tuple[int, ...] | None = None) -> Node:
        inside = self.inside(value.sizes, axes)
        return value.node if inside is None else inside.alu(Op.WHERE, value.node, full(fill, value.node))

    def masked_below(self, one: Node, fill: Scalar, axes: tuple[int, ...]) -> Node:
        """The same with the mask below permutations and new axes: what is stored of it is stored in its own
        order."""
        below = _axes_below(one, axes)
        if below is None:
            return self.masked(self.values[one], fill, axes)
        masked = self.masked_below(one.src[0], fill, below)
        if one.op is Op.PERMUTE:
            return permuted(masked, one.arg)
        return reshaped(masked, self.values[one].node.shape)

    # --- memory

    def _input(self, param: Param, dtype: DType, sizes: tuple[Size, ...]) -> Node:
        """Memory in its shape: without gaps at every length, and never read where nothing is."""
        inside, shape = self.inside(sizes), self.shape(sizes)
        rows = self._rows(sizes) if _has_gaps(sizes) else None
        given = replace(param, size=prod(shape), partial=inside is not None, rows=rows)
        memory = reshaped(make(Op.PARAM, dtype, (), given), shape)
        return memory if inside is None else inside.alu(Op.WHERE, memory, full(0, memory, shape))

    def _rows(self, sizes: tuple[Size, ...]) -> Rows:
        """How a value of these sizes lies in memory."""
        return Rows(self.shape(sizes), tuple(map(self.span.number, sizes)))

    def result(self, value: Value) -> Node:
        """A result, flat and without gaps. It is computed in its own shape, so that rows and columns stay
        loops of their own, unless it is made of memory element by element: then one loop goes along all of
        it."""
        sizes, most = value.sizes, value.node.size
        if value.flat is None:
            shaped, inside = value.node, self.inside(sizes)
            if _has_gaps(sizes):
                return reshaped(make(Op.CONTIGUOUS, shaped.dtype, (shaped,), self._rows(sizes)), (most,))
            if inside is not None:
                shaped = inside.alu(Op.WHERE, shaped, everywhere(anything(shaped.dtype), shaped.shape))
            return reshaped(make(Op.CONTIGUOUS, shaped.dtype, (shaped,), "asked for"), (most,))
        flat, inside = value.flat, self._is_there(sizes, most)
        if inside is not None:
            flat = inside.alu(Op.WHERE, flat, everywhere(anything(flat.dtype), (most,)))
        return make(Op.CONTIGUOUS, flat.dtype, (flat,), "asked for")

    def _is_there(self, sizes: tuple[Size, ...], most: int) -> Node | None:
        """Which of the first elements are there: as many as the product of the sizes."""
        if not any(size.per for size in sizes):
            return None
        count = reduce(lambda a, b: a * b, map(self.span.number, sizes))
        return make(Op.IOTA, dtypes.int64, (), most).alu(Op.LT, everywhere(count, (most,)))

    # --- op by op

    def _node(self, pair: _Pair) -> Node:
        one, op = pair.one, pair.one.op
        if op is Op.VALUE:
            return value(self.words, one.arg.number, one.dtype, one.arg.low, one.arg.high)
        if (param := _memory_of(one)) is not None:
            return self._input(param, one.dtype, pair.sizes)
        rule = _RULES.get(op)
        if rule is not None:
            return rule(self, pair)
        if op is Op.EXPAND:
            return expanded(pair.nodes[0], self.shape(pair.sizes))
        if op is Op.IOTA:
            return make(op, one.dtype, (), self.at(pair.sizes[0]))
        pair.same(one.arg, pair.other.arg)
        if op in _MAPS or op in _UNCHANGED:
            return make(op, one.dtype, pair.nodes, one.arg)
        raise Unbounded(f"{op.name} has no form for every length")


@dataclass(frozen=True)
class _Pair:
    """One node at both lengths, its sources at the capacity, and its sizes."""

    one: Node
    other: Node
    src: tuple[Value, ...]
    sizes: tuple[Size, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple([source.node for source in self.src])

    def same(self, one: object, other: object) -> None:
        if one != other:
            raise Unbounded(f"{self.one!r} is {self.other!r} at another length")


#: ops of one element of each source
_MAPS = ELEMENTWISE | PARTS
#: ops whose elements do not see what is behind the length
_UNCHANGED = frozenset({Op.CONST, Op.PERMUTE, Op.CONTIGUOUS, Op.SCAN})


def _memory_of(node: Node) -> Param | None:
    """The memory that a node is, in some shape."""
    source = node.src[0] if node.op is Op.RESHAPE else node
    found: Param | None = source.arg if source.op is Op.PARAM else None
    return found


def _has_gaps(sizes: tuple[Size, ...]) -> bool:
    """Are there gaps in what is there of a value at the capacity? Only its outermost axis leaves none."""
    longer = [size for size in sizes if size != Size(1)]
    return any(size.per for size in longer[1:])


def _place(shape: tuple[int, ...], axis: int) -> Node:
    """The index along an axis, at every place of a shape."""
    line = make(Op.IOTA, dtypes.int64, (), shape[axis])
    return expanded(reshaped(line, tuple([n if a == axis else 1 for a, n in enumerate(shape)])), shape)


def _taken(node: Node, axis: int, length: int, start: Node, step: int) -> Node:
    """node[start + step * i] along an axis, 0 where there is none."""
    shape = tuple([length if a == axis else n for a, n in enumerate(node.shape)])
    index = _place(shape, axis)
    if step != 1:
        index = index.alu(Op.MUL, full(step, index))
    index = index.alu(Op.ADD, everywhere(start, shape))
    return make(Op.GATHER, node.dtype, (node, index), axis)


def _axes_below(node: Node, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Where axes are in the source of a node that only puts its axes in order or has more or fewer of one
    element; None for others."""
    if node.op is Op.PERMUTE:
        return tuple([node.arg[axis] for axis in axes])
    if node.op is not Op.RESHAPE:
        return None
    longer = [[axis for axis, n in enumerate(n.shape) if n != 1] for n in (node, node.src[0])]
    same = [node.shape[axis] for axis in longer[0]] == [node.src[0].shape[axis] for axis in longer[1]]
    if not same or any(axis not in longer[0] for axis in axes):
        return None
    return tuple([longer[1][longer[0].index(axis)] for axis in axes])


def _padded_behind(node: Node, axis: int, amount: int) -> Node:
    if amount <= 0:
        return node
    amounts = tuple([(0, amount if a == axis else 0) for a in range(len(node.shape))])
    return make(Op.PAD, node.dtype, (node,), amounts)


def _reshape(made: _Bounding, pair: _Pair) -> Node:
    """Axes may come together or apart where the one that changes is the outermost of them."""
    source = pair.src[0]
    if source.varies:
        _check_groups(source.sizes, pair.sizes)
    return reshaped(source.node, made.shape(pair.sizes))


def _check_groups(before: tuple[Size, ...], after: tuple[Size, ...]) -> None:
    """From the right, in the smallest groups of equal products: what changes is first in its group."""
    axes = [size for size in before if size != Size(1)], [size for size in after if size != Size(1)]
    while axes[0] or axes[1]:
        groups: tuple[list[Size], list[Size]] = ([], [])
        products = [Size(1), Size(1)]
        while not groups[0] or not groups[1] or products[0] != products[1]:
            # the side that is behind takes another axis, as it is at a length that no other size is near
            behind = int(products[0].at(_LARGE) > products[1].at(_LARGE)) if groups[0] else 0
            if not axes[behind]:
                raise Unbounded(f"axes {before} cannot be seen as {after} at every length")
            groups[behind].append(axes[behind].pop())
            products[behind] = products[behind].times(groups[behind][-1])
        if any(size.per for group in groups for size in group[:-1]):  # the last one taken is the outermost
            raise Unbounded(f"an inner axis of {before} changes its length, so it cannot become {after}")


_LARGE = 1_000_003


def _pad(made: _Bounding, pair: _Pair) -> Node:
    """What is behind the length is padding; an amount in front that changes moves the value."""
    both = list(zip(pair.one.arg, pair.other.arg, strict=True))
    behind = tuple([axis for axis, ((_, after), (_, again)) in enumerate(both) if after or again])
    node = made.masked(pair.src[0], 0, behind)
    amounts = []
    for axis, ((before, _), (again, _)) in enumerate(both):
        want, shift = made.at(pair.sizes[axis]), made.span.size(before, again)
        if shift.per:
            node = _taken(node, axis, want, made.span.number(Size(-shift.base, -shift.per)), 1)
        amounts.append((0, 0) if shift.per else (before, want - node.shape[axis] - before))
    if any(after < 0 for _, after in amounts):
        raise Unbounded(f"the padding {pair.one.arg} is {pair.other.arg} at another length")
    return make(Op.PAD, node.dtype, (node,), tuple(amounts)) if any(map(any, amounts)) else node


def _slice(made: _Bounding, pair: _Pair) -> Node:
    """A start that changes with the length is a place to gather from."""
    node, slices = pair.nodes[0], []
    both = zip(pair.one.arg, pair.other.arg, strict=True)
    for axis, ((start, _, step), (again, _, same)) in enumerate(both):
        if step != same or isinstance(start, Node) or isinstance(again, Node):
            raise Unbounded(f"the slices {pair.one.arg} are {pair.other.arg} at another length")
        length, begin = made.at(pair.sizes[axis]), made.span.size(start, again)
        last = start + (length - 1) * step
        if begin.per or not 0 <= last < node.shape[axis]:
            node = _taken(node, axis, length, made.span.number(begin), step)
            slices.append((0, length, 1))
        else:
            slices.append((start, length, step))
    return make(Op.SLICE, node.dtype, (node,), tuple(slices))


def _update(made: _Bounding, pair: _Pair) -> Node:
    """A part at a place that may change: gathered to where it goes, and chosen there."""
    base, part = pair.nodes
    shape, chosen = base.shape, []
    both = zip(pair.one.arg, pair.other.arg, strict=True)
    for axis, ((start, _, step), (again, _, same)) in enumerate(both):
        if step != same or abs(step) != 1 or isinstance(start, Node) or isinstance(again, Node):
            raise Unbounded(f"the slices {pair.one.arg} are {pair.other.arg} at another length")
        begin, length = made.span.size(start, again), pair.src[1].sizes[axis]
        if step == 1 and begin == Size(0) and length == pair.sizes[axis]:
            continue
        first = Size(-step * begin.base, -step * begin.per)  # place i of the whole is first + step * i of it
        part = _taken(part, axis, shape[axis], made.span.number(first), step)
        place = _place(shape, axis)
        if step < 0:
            place = full(0, place).alu(Op.SUB, place)
        place = place.alu(Op.ADD, everywhere(made.span.number(first), shape))
        chosen.append(full(-1, place).alu(Op.LT, place))
        chosen.append(place.alu(Op.LT, everywhere(made.span.number(length), shape)))
    inside = reduce(lambda a, b: a.alu(Op.AND, b), chosen)
    return inside.alu(Op.WHERE, part, base)


def _window(made: _Bounding, pair: _Pair) -> Node:
    axis, _, size, stride, dilation = pair.one.arg
    pair.same((axis, size, stride, dilation), (pair.other.arg[0], *pair.other.arg[2:]))
    count = made.at(pair.sizes[axis])
    span = (count - 1) * stride + (size - 1) * dilation + 1
    node = _padded_behind(pair.nodes[0], axis, span - pair.nodes[0].shape[axis])
    return make(Op.WINDOW, node.dtype, (node,), (axis, count, size, stride, dilation))


def _reduce(made: _Bounding, pair: _Pair) -> Node:
    pair.same((pair.one.arg, 1), (pair.other.arg, len(pair.src)))
    monoid, axes = pair.one.arg
    product = _masked_factors(made, pair.one) if monoid == ADD else None
    if product is not None:
        return make(Op.REDUCE, pair.one.dtype, (product,), pair.one.arg)
    identity = monoid.identity((pair.one.src[0].dtype, dtypes.int64))[0].arg
    masked = made.masked_below(pair.one.src[0], identity, axes)
    return make(Op.REDUCE, pair.one.dtype, (masked,), pair.one.arg)


def _masked_factors(made: _Bounding, node: Node) -> Node | None:
    """A sum of products has both factors masked instead, where both go along what is summed: then its loops
    are of known length, and codegen tiles them."""
    casts, product = [], node.src[0]
    while product.op is Op.CAST:
        casts.append(product.dtype)
        product = product.src[0]
    if product.op is not Op.MUL or product.src[0] is product.src[1]:
        return None
    axes = tuple([axis for axis in node.arg[1] if made.values[product].sizes[axis].per])
    factors = []
    for factor in product.src:
        inner = factor.src[0] if factor.op is Op.EXPAND else factor
        value = made.values[inner]
        if not axes or any(not value.sizes[axis].per for axis in axes):
            return None
        factors.append(expanded(made.masked_below(inner, 0, axes), made.values[product].node.shape))
    masked = make(Op.MUL, product.dtype, tuple(factors))
    return reduce(Node.cast, reversed(casts), masked)


def _topk(made: _Bounding, pair: _Pair) -> Node:
    pair.same(pair.one.arg, pair.other.arg)
    _, axis, largest, _ = pair.one.arg
    lines = made.masked(pair.src[0], last_of(pair.one.src[0].dtype, largest), (axis,))
    return make(Op.TOPK, pair.one.dtype, (lines,), pair.one.arg)


def _sort(made: _Bounding, pair: _Pair) -> Node:
    """At the capacity more may be wanted than a line has: what is behind its end may be anything."""
    axis, descending, _, run, want = pair.one.arg
    pair.same((axis, descending, run, want, 1), (*pair.other.arg[:2], *pair.other.arg[3:], len(pair.src)))
    lines = made.masked(pair.src[0], last_of(pair.one.src[0].dtype, descending), (axis,))
    most = made.at(pair.sizes[axis])
    keep = min(most, lines.shape[axis])
    ordered = make(Op.SORT, pair.one.dtype, (lines,), (axis, descending, keep, run, want))
    return _padded_behind(ordered, axis, most - keep)


def _gather(made: _Bounding, pair: _Pair) -> Node:
    """An index behind the length finds nothing."""
    pair.same(pair.one.arg, pair.other.arg)
    source, index = pair.src
    where, size = index.node, source.sizes[pair.one.arg]
    if size.per:
        length = everywhere(made.span.number(size).cast(where.dtype), where.shape)
        where = where.alu(Op.LT, length).alu(Op.WHERE, where, full(-1, where))
    return make(Op.GATHER, pair.one.dtype, (source.node, where), pair.one.arg)


def _cat(made: _Bounding, pair: _Pair) -> Node:
    """Each part begins where those before it end; it is chosen up to its own end."""
    pair.same(pair.one.arg, pair.other.arg)
    axis, most = pair.one.arg, made.at(pair.sizes[pair.one.arg])
    if not pair.sizes[axis].per:
        return make(Op.CAT, pair.one.dtype, pair.nodes, axis)
    starts = [Size(0)]
    for part in pair.src:
        size = part.sizes[axis]
        starts.append(Size(starts[-1].base + size.base, starts[-1].per + size.per))
    result: Node | None = None
    for part, start, end in reversed(list(zip(pair.src, starts, starts[1:], strict=False))):
        value = _taken(part.node, axis, most, made.span.number(Size(-start.base, -start.per)), 1)
        if result is not None:
            place = _place(value.shape, axis)
            before = place.alu(Op.LT, everywhere(made.span.number(end), value.shape))
            value = before.alu(Op.WHERE, value, result)
        result = value
    assert result is not None
    return result


def _scatter(made: _Bounding, pair: _Pair) -> Node:
    """Updates that are not there go nowhere."""
    pair.same(pair.one.arg, pair.other.arg)
    base, index, updates = pair.src
    return make(Op.SCATTER, pair.one.dtype, (base.node, made.masked(index, -1), updates.node), pair.one.arg)


_RULES: dict[Op, Callable[[_Bounding, _Pair], Node]] = {
    Op.RESHAPE: _reshape,
    Op.PAD: _pad,
    Op.SLICE: _slice,
    Op.UPDATE: _update,
    Op.WINDOW: _window,
    Op.REDUCE: _reduce,
    Op.TOPK: _topk,
    Op.SORT: _sort,
    Op.GATHER: _gather,
    Op.SCATTER: _scatter,
    Op.CAT: _cat,
}
