"""Addresses, and loads from them: an index is a base that changes with the loops plus a constant for each
register point."""

from __future__ import annotations

from math import gcd
from typing import Final

from ....graph import dtypes
from ....graph.kernels.kernel import VECTOR, range_size
from ....graph.node import Node, const, index_const, make
from ....graph.ops import ELEMENTWISE, Op
from ....graph.param import Param
from ....graph.rules.symbolic import coefficient_of, simplify
from ....runtime.cpu.machine import host_registers
from ...moves.analysis import is_short_stride
from ..builder import Point, Points
from ..code import Memory, Value
from ..values import Values

#: lanes that neighbours and shuffles are worth
LEAST_PART: Final = 4
_LOOPS: Final = frozenset({Op.FOLD, Op.STAGE, Op.PREFIX})


class Address:
    """One index over some register axes: `at(point)` is its base and its constant offset there."""

    def __init__(self, lowering: Values, index: Node, axes: tuple[Node, ...], vector: Node | None) -> None:
        self.low, self.index, self.axes, self.vector = lowering, index, axes, vector
        self.strides: dict[Node, int | None] = {a: coefficient_of(index, a) for a in axes}
        self.vector_stride = coefficient_of(index, vector) if vector is not None else 0
        self.bases: dict[tuple[tuple[Node, int], ...], Value] = {}
        #: the index of all lanes, where to compute it for each alone would be more work
        self.together = vector is not None and self.vector_stride is None and is_computed(index, vector)

    def contiguous_axis(self) -> Node | None:
        """An unroll axis along which neighbours are neighbours in memory, if a vector load of it is a
        natural size."""
        return next((a for a in self.axes if self.strides[a] == 1 and range_size(a) in NATURAL), None)

    def packed_axis(self) -> Node | None:
        """The same, where taking elements out of the lanes of a vector costs less than loading each."""
        return self.contiguous_axis() if host_registers().by_lane else None

    def at(self, point: Point, lane: int = 0) -> tuple[Value, int]:
        """The base and the constant offset of one register point (and lane)."""
        offset = 0
        fixed: list[tuple[Node, int]] = []
        for axis, position in zip(self.axes, point, strict=True):
            stride = self.strides[axis]
            if stride is None:
                fixed.append((axis, position))
            else:
                offset += stride * position
                fixed.append((axis, 0))
        if self.vector is not None and not self.together:
            if self.vector_stride is None:
                fixed.append((self.vector, lane))
            else:
                offset += self.vector_stride * lane
                fixed.append((self.vector, 0))
        key = tuple(fixed)
        base = self.bases.get(key)
        if base is None:
            node = index_at(self.low, self.index, key)
            base = self.bases[key] = self.low.emit(node).at[()]
        if self.together:
            base = self.low.instruction("extract", base.dtype, 1, (base,), lane)
        return base, offset

    @property
    def width(self) -> int:
        """Lanes of what is there."""
        return 1 if self.vector is None else range_size(self.vector)

    def load(self, memory: Memory, point: Point, width: int = 1, lane: int = 0, behind: int = 0) -> Value:
        """An element, or neighbours from there on, so many `behind`."""
        index, offset = self.at(point, lane)
        return self.low.instruction("load", memory.dtype, width, (index,), (memory, offset + behind))


def index_at(low: Values, index: Node, key: tuple[tuple[Node, int], ...]) -> Node:
    """An index, or a condition on places, with some axes fixed."""
    node = low.indices.get((index, key))
    if node is None:
        node = at_point(index, {axis: index_const(p) for axis, p in key}) if key else index
        low.indices[index, key] = node
    return node


#: elements that one vector load brings
NATURAL: Final = (2, 4, 8, 16)

#: operations on values that an index may have and still be computed for each lane alone
FEW: Final = 8


def is_computed(index: Node, lanes: Node) -> bool:
    """Does an index come from arithmetic on values that differ from lane to lane? What is only loaded, and
    made positive, stays lane by lane. The 16 copies of a ray's cell in a grid took 23 s to simplify, and a
    gather behind 13 operations on 262,144 numbers 4.5 ms; in vectors 1.4 ms (one thread)."""
    below = index.toposort(lambda node: lanes in node.ranges)
    return sum(node.op in ELEMENTWISE and node.dtype is not dtypes.index for node in below) > FEW


def at_point(index: Node, fixed: dict[Node, Node]) -> Node:
    """An index with some axes fixed, simplified. Open loops that end at a computed value stay the nodes they
    are: their ends are not simplified with it. Nor is a tile or a reduction it is looked up by that has none
    of the axes: simplified, it would be another one, and made a second time."""
    ragged = {
        r: make(Op.RANGE, r.dtype, (const(range_size(r), r.dtype),), r.arg)
        for r in index.ranges
        if r.src[0].op is not Op.CONST
    }
    apart = {
        node: make(Op.PARAM, node.dtype, (), Param(-1 - number, 1))
        for number, node in enumerate(_loops_apart(index, fixed))
    }
    made = simplify((index.substitute(apart) if apart else index).at(fixed | ragged))
    if apart:
        made = made.substitute({stand_in: node for node, stand_in in apart.items()})
    return made.at({held: r for r, held in ragged.items()}) if ragged else made


def _loops_apart(index: Node, fixed: dict[Node, Node]) -> list[Node]:
    """What an index is made of that has loops, none of the fixed axes, and a simpler form."""
    around = index.toposort(lambda n: not n.ranges.isdisjoint(fixed))
    apart = dict.fromkeys(s for n in around for s in n.src if s.ranges.isdisjoint(fixed))
    return [s for s in apart if simplify(s) is not s and any(n.op in _LOOPS for n in s.toposort())]


def reads_addend_again(node: Node, sources: list[Points], axes: tuple[Node, ...]) -> bool:
    """Should every point of some unroll axes load the addend of a fused multiply for itself?

    The machine overwrites the addend with the result. A value that several points start from would be copied
    by an arithmetic instruction for each; loads have units of their own. Only tiles are read again: nothing
    writes to them in between.
    """
    if node.op is not Op.FMA:
        return False
    addend = node.src[-1]
    if addend.op is not Op.LOAD or addend.src[0].op is not Op.STAGE:
        return False
    lanes = next((r for r in addend.ranges if r.arg.kind == VECTOR), None)
    in_a_row = lanes is not None and coefficient_of(addend.src[1], lanes) == 1 and len(addend.src) == 2
    return in_a_row and any(a not in sources[-1].axes for a in axes)


def load_at(low: Values, memory: Memory, address: Address, point: Point, width: int) -> Value:
    """One register point: a number, or a vector of neighbours, copies or elements one by one."""
    stride = address.vector_stride
    if width == 1 or stride == 0:
        return low.splat(address.load(memory, point), width)
    if stride == 1:
        return address.load(memory, point, width)
    if stride == -1:
        straight = address.load(memory, point, width, behind=1 - width)
        return low.instruction("reverse", memory.dtype, width, (straight,))
    n = _even_part(width, host_registers().bytes // memory.dtype.itemsize)
    if stride is not None and is_short_stride(stride) and n >= min(width, LEAST_PART):
        first = address.at(point, 0 if stride > 0 else width - 1)
        return _strided(low, memory, first, stride, width, n)
    lanes = tuple([address.load(memory, point, lane=lane) for lane in range(width)])
    return low.instruction("pack", memory.dtype, width, lanes)


def _even_part(width: int, most: int) -> int:
    """Lanes of the longest equal parts of a vector that have no more than `most`, a power of two."""
    return width if width <= most else gcd(width, most)


def _strided(low: Values, memory: Memory, first: tuple[Value, int], stride: int, width: int, n: int) -> Value:
    """Every second element, or third or fourth, also backwards, in parts of `n` lanes: vectors of neighbours,
    of which the last ends at the last lane, and a shuffle for each."""
    backwards, stride = stride < 0, abs(stride)
    reach, (index, offset) = (n - 1) * stride + 1, first
    parts = []
    for start in range(0, width, n):
        parts.append(low.literal(0, memory.dtype, n))
        for place in (min(at, reach - n) for at in range(0, reach, n)):
            load = ((index,), (memory, offset + start * stride + place))
            vector = low.instruction("load", memory.dtype, n, *load)
            before = {lane for lane in range(n) if lane * stride < place}
            wanted = [lane if lane in before else n + lane * stride - place for lane in range(n)]
            lanes = tuple([lane if lane < 2 * n else -1 for lane in wanted])
            parts[-1] = low.instruction("shuffle", memory.dtype, n, (parts[-1], vector), lanes)
    whole = joined(low, parts)
    return low.instruction("reverse", memory.dtype, width, (whole,)) if backwards else whole


def joined(low: Values, parts: list[Value]) -> Value:
    """The lanes of vectors of one width, one vector after the other."""
    width = len(parts) * parts[0].width
    while len(parts) > 1:
        if len(parts) % 2:
            parts = [*parts, parts[-1]]  # what is beyond the last lane is left out
        n, pairs = 2 * parts[0].width, zip(parts[::2], parts[1::2], strict=True)
        parts = [low.instruction("shuffle", a.dtype, n, (a, b), tuple(range(n))) for a, b in pairs]
    (whole,) = parts
    if whole.width == width:
        return whole
    return low.instruction("shuffle", whole.dtype, width, (whole, whole), tuple(range(width)))


def packed_loads(
    low: Values, memory: Memory, address: Address, axes: tuple[Node, ...], axis: Node
) -> dict[Point, Value]:
    """Neighbouring elements along an unroll axis come in one vector load and are taken out lane by
    lane."""
    where, n = axes.index(axis), range_size(axis)
    made: dict[Point, Value] = {}
    vectors: dict[Point, Value] = {}
    for point in low.points(axes):
        first = (*point[:where], 0, *point[where + 1 :])
        if first not in vectors:
            vectors[first] = address.load(memory, first, n)
        made[point] = low.instruction("extract", memory.dtype, 1, (vectors[first],), point[where])
    return made
