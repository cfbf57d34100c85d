"""Nodes: immutable, hash-consed, so equality is identity and a graph shares everything it can.

    >>> a = const(1, dtypes.int32)
    >>> a + a is a + a
    True

A node is an op, a dtype, its sources and a hashable `arg`. What follows from those (shape, device, free
ranges, how deep it is) is derived on first use and kept on the node. `make` is the only constructor.
"""

from __future__ import annotations

import struct
from _thread import interrupt_main, start_new_thread
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import sleep
from typing import Any, Final
from weakref import ref

from . import dtypes
from .derived import Shape, device_of, shape_of
from .dtypes import DType, Kind
from .ops import BINARY, COMPARE, Op

Scalar = bool | int | float

#: the device of a node that nobody has asked for
_UNASKED: Final = ""


class Node:
    """One operation of a program. Never construct it directly: `make` returns the one node with these
    parts."""

    __slots__ = (
        "__weakref__", "_affine", "_bounds", "_device", "_held", "_memory", "_place", "_ranges", "_shape",
        "_simple", "_verified",
        "arg", "dtype", "op", "src",
    )  # fmt: skip

    op: Op
    dtype: DType
    src: tuple[Node, ...]
    arg: Any
    # None and _UNASKED where nobody has asked yet
    _shape: Shape | None
    _device: str | None
    # of a value in memory: what tells it from others as an argument, and the buffer (`tensor.jit.signature`)
    _memory: tuple[Any, Any] | None
    # derived facts that other modules keep here: intervals, sums, sort keys, simplified forms (None: itself),
    # the stage it was verified for
    _bounds: tuple[int | float, int | float]
    _affine: tuple[dict[Node, int], int] | None
    _place: tuple[int, int]
    _simple: Node | None
    _verified: str
    _held: ref[Node]  # of a buffer: the node that `hold` made

    def __init__(self, op: Op, dtype: DType, src: tuple[Node, ...], arg: Any) -> None:
        self.op, self.dtype, self.src, self.arg = op, dtype, src, arg
        self._shape, self._device, self._memory = None, _UNASKED, None

    def __repr__(self) -> str:
        return f"{self.op.name}({self.dtype.name}, arg={self.arg!r}, {len(self.src)} src)"

    # --- derived facts

    @property
    def shape(self) -> Shape:
        """The shape in tensor terms; () for everything in kernel terms."""
        shape = self._shape
        if shape is not None:
            return shape
        for node in self._lacking(lambda n: n._shape is None):
            node._shape = shape_of(node.op, node.arg, node.src)
        assert self._shape is not None
        return self._shape

    @property
    def size(self) -> int:
        """The number of elements."""
        total = 1
        for length in self.shape:
            total *= length
        return total

    @property
    def device(self) -> str | None:
        """The device that holds or computes this value; None when it does not matter (constants)."""
        if self._device is _UNASKED:
            for node in self._lacking(lambda n: n._device is _UNASKED):
                node._device = device_of(node.op, node.arg, node.src)
        return self._device

    def _lacking(self, lacks: Callable[[Node], bool]) -> list[Node]:
        """The nodes below that lack a fact as this one does, sources first, because graphs are deeper than
        Python's stack."""
        for source in self.src:
            if source.src and lacks(source):
                return self.toposort(lacks)
        return [self]  # what a call hands out is a view of a buffer, and there may be hundreds

    @property
    def ranges(self) -> frozenset[Node]:
        """The RANGE nodes this value depends on and does not loop over itself."""
        try:
            return self._ranges
        except AttributeError:
            for source in self.src:
                if not hasattr(source, "_ranges"):
                    for node in self.toposort(lambda n: not hasattr(n, "_ranges")):
                        node._ranges = _ranges_of(node)
                    return self._ranges
            self._ranges: frozenset[Node] = _ranges_of(self)
            return self._ranges

    def toposort(self, enter: Callable[[Node], bool] | None = None) -> list[Node]:
        """Every node below and including this one, sources first. `enter(node)` False leaves a node out
        with all below it."""
        return _sources_first(self, set(), enter)

    # --- building on it

    def replace(
        self, *, src: tuple[Node, ...] | None = None, arg: Any = None, dtype: DType | None = None
    ) -> Node:
        """The same op with other parts."""
        return make(
            self.op, dtype or self.dtype, self.src if src is None else src, self.arg if arg is None else arg
        )

    def over(self, src: tuple[Node, ...]) -> Node:
        """The same op over other sources."""
        return self if src == self.src else make(self.op, self.dtype, src, self.arg)

    def rebuilt(self, rule: Callable[[Node, tuple[Node, ...]], Node]) -> Node:
        """This value with every node made anew, sources first: by a rule, of the node and of what its sources
        have become."""
        done: dict[Node, Node] = {}
        for node in self.toposort():
            done[node] = rule(node, tuple([done[s] for s in node.src]))
        return done[self]

    def substitute(self, mapping: dict[Node, Node]) -> Node:
        """This value with some nodes exchanged for others (not looked into again)."""
        if self in mapping:
            return mapping[self]
        done = dict(mapping)  # and what changes with it
        for node in _sources_first(self, set(mapping), None):
            for source in node.src:
                if source in done:
                    new = tuple([done.get(s, s) for s in node.src])
                    if new != node.src:
                        done[node] = made = make(node.op, node.dtype, new, node.arg)
                        if heir is not None and made is not node:
                            heir(node, made)
                    break
        return done.get(self, self)

    def at(self, fixed: dict[Node, Node]) -> Node:
        """`substitute` for ranges that no loop below runs over: what does not depend on them is not looked
        at, which is most of a place that was fetched."""
        done = dict(fixed)
        for node in self.toposort(lambda n: n not in fixed and not n.ranges.isdisjoint(fixed)):
            new = tuple([done.get(s, s) for s in node.src])
            done[node] = made = make(node.op, node.dtype, new, node.arg)
            if heir is not None and made is not node:
                heir(node, made)
        return done.get(self, self)

    def alu(self, op: Op, *others: Node) -> Node:
        """An elementwise op on this node; comparisons give bool, the rest keep the dtype of the first
        value operand."""
        if op in COMPARE:
            dtype = dtypes.bool_
        else:
            dtype = others[0].dtype if op is Op.WHERE else self.dtype
        return make(op, dtype, (self, *others), None)

    def cast(self, dtype: DType) -> Node:
        return self if dtype is self.dtype else make(Op.CAST, dtype, (self,), None)

    def where(self, yes: Node | Scalar, no: Node | Scalar) -> Node:
        """`yes` where this bool holds, else `no`."""
        if not isinstance(yes, Node):
            assert isinstance(no, Node), "one branch has to be a node"
            yes = const(yes, no.dtype)
        return self.alu(Op.WHERE, yes, self._like(no, yes.dtype))

    @staticmethod
    def _like(value: Node | Scalar, dtype: DType) -> Node:
        return value if isinstance(value, Node) else const(value, dtype)

    def __add__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.ADD, self._like(other, self.dtype))

    def __sub__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.SUB, self._like(other, self.dtype))

    def __mul__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.MUL, self._like(other, self.dtype))

    def __radd__(self, other: Scalar) -> Node:
        return const(other, self.dtype) + self

    def __rsub__(self, other: Scalar) -> Node:
        return const(other, self.dtype) - self

    def __rmul__(self, other: Scalar) -> Node:
        return const(other, self.dtype) * self

    def __truediv__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.DIV, self._like(other, self.dtype))

    def __floordiv__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.IDIV, self._like(other, self.dtype))

    def __mod__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.MOD, self._like(other, self.dtype))

    def __neg__(self) -> Node:
        return self.alu(Op.NEG)

    def __invert__(self) -> Node:
        return self.alu(Op.NOT)

    def __and__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.AND, self._like(other, self.dtype))

    def __or__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.OR, self._like(other, self.dtype))

    def __xor__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.XOR, self._like(other, self.dtype))

    def __lt__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.LT, self._like(other, self.dtype))

    def __le__(self, other: Node | Scalar) -> Node:
        return self.alu(Op.LE, self._like(other, self.dtype))

    def __gt__(self, other: Node | Scalar) -> Node:
        return self._like(other, self.dtype).alu(Op.LT, self)

    def __ge__(self, other: Node | Scalar) -> Node:
        return self._like(other, self.dtype).alu(Op.LE, self)

    # == and != stay identity: nodes are keys of dicts. Use eq and ne.
    def eq(self, other: Node | Scalar) -> Node:
        return self.alu(Op.EQ, self._like(other, self.dtype))

    def ne(self, other: Node | Scalar) -> Node:
        return self.alu(Op.NE, self._like(other, self.dtype))

    def maximum(self, other: Node | Scalar) -> Node:
        return self.alu(Op.MAX, self._like(other, self.dtype))

    def minimum(self, other: Node | Scalar) -> Node:
        return self.alu(Op.MIN, self._like(other, self.dtype))


class _Entry(ref[Node]):
    """A weak reference that knows the key it is kept under, so that a dead node's entry goes with it."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_interned: dict[tuple[Any, ...], _Entry] = {}
#: how often, and for how many seconds, a new node waits until a dead one of the same parts is gone
_WAITS, _WAIT = 100, 0.0005

#: told of every new node, where somebody wants to know (`origin`)
observer: Callable[[Node], None] | None = None
#: told of every node and the one that takes its place in a substitution
heir: Callable[[Node, Node], None] | None = None


def _forget(entry: ref[Node]) -> None:
    key = entry.key  # type: ignore[attr-defined]
    try:
        if _interned.get(key) is entry:
            gone = _interned.pop(key, None)
            if gone is not None and gone is not entry:  # of another thread, which was here in between
                _interned.setdefault(key, gone)
    except KeyboardInterrupt:
        # what is raised here goes nowhere, and one Ctrl-C in twenty would: hand it on
        start_new_thread(interrupt_main, ())


def make(op: Op, dtype: DType, src: tuple[Node, ...] = (), arg: Any = None) -> Node:
    """The node with these parts: the same object every time."""
    key: tuple[Any, ...]
    if op is _CONST:
        # 0.0 == -0.0 == False and nan != nan, so constants are told apart by type and bits
        key = (op, dtype, src, (type(arg), struct.pack("d", arg) if type(arg) is float else arg))
    else:
        key = (op, dtype, src, arg)
    entry = _interned.get(key)
    if entry is not None:
        found = entry()
        if found is not None:
            return found
    if op is _RESHAPE:
        held: ref[Node] | None = getattr(src[0], "_held", None)
        found = None if held is None else held()
        if found is not None and found.arg == arg:
            return found
    node = _new(Node)
    node.op = op
    node.dtype = dtype
    node.src = src
    node.arg = arg
    node._shape = None
    node._device = _UNASKED
    node._memory = None
    if observer is not None:
        observer(node)
    entry = _Entry(node, _forget)
    entry.key = key
    # another thread may have been here in between: the first one wins
    return node if _interned.setdefault(key, entry) is entry else _settled(key, entry, node)


def _settled(key: tuple[Any, ...], entry: _Entry, node: Node) -> Node:
    """The one node of a key that several threads have a node for, or whose old node is on its way out."""
    for _ in range(_WAITS):
        kept = _interned.setdefault(key, entry)
        if kept is entry:
            return node
        found = kept()
        if found is not None:
            return found
        # the thread that let it go is about to remove it. Were it replaced here, two threads might do so,
        # each with its own node
        sleep(_WAIT)
    _interned[key] = entry  # nobody will: a fork left that thread behind
    return node


def hold(buffer: Any, dtype: DType, shape: Shape) -> Node:
    """The value of a buffer that nobody has seen yet, in this shape: what `make` would return, at a third of
    the price, for every result of every call of a jit function. The two nodes cannot exist yet, and `make`
    can only be asked for them by their source, so that is where it finds them."""
    source, node = _new(Node), _new(Node)
    source.op, source.dtype, source.src, source.arg = _BUFFER, dtype, (), buffer
    source._shape, source._device, source._memory = None, buffer.device, None
    node.op, node.dtype, node.src, node.arg = _RESHAPE, dtype, (source,), shape
    node._shape, node._device, node._memory = shape, buffer.device, None
    source._held = ref(node)
    return node


def assign(value: Node, target: Node, owner: Any) -> Node:
    """A store: the value, in the memory of `target` once it has happened. No two stores are one node, and
    when one has happened its sources change: `settle`."""
    store = Node(Op.ASSIGN, value.dtype, (value, target), owner)
    store._shape, store._device = value.shape, target.device
    return store


def settle(store: Node, memory: Node) -> None:
    """A store has happened: its value is what `memory` holds. How it was computed is let go, so that what
    only that needed can go too."""
    store.src = (memory,)


_new = object.__new__
_BUFFER, _CONST, _RESHAPE = Op.BUFFER, Op.CONST, Op.RESHAPE


def const(value: Scalar | complex, dtype: DType) -> Node:
    """A constant, its value brought into the dtype. A complex one is made of two."""
    if dtype.is_complex:
        whole = complex(value)
        return make(Op.COMPLEX, dtype, (const(whole.real, dtype.part), const(whole.imag, dtype.part)))
    if isinstance(value, complex):
        raise TypeError(f"{value} is no number of {dtype.name}: cast to a complex dtype first")
    return make(Op.CONST, dtype, (), in_dtype(value, dtype))


def in_dtype(value: Scalar, dtype: DType) -> Scalar:
    """A Python number as a constant of a dtype has it: integers wrap, floats stay as Python floats."""
    if dtype.kind is Kind.FLOAT:
        return float(value)
    if dtype.kind is Kind.BOOL:
        return bool(value)
    value = int(value) & ((1 << dtype.bits) - 1)
    if dtype.kind is Kind.INT and value >> (dtype.bits - 1):
        value -= 1 << dtype.bits
    return value


def index_const(value: int) -> Node:
    """A constant of index arithmetic."""
    return make(Op.CONST, dtypes.index, (), value)


def is_const(node: Node, value: Scalar | None = None) -> bool:
    return node.op is Op.CONST and (value is None or node.arg == value)


def below_casts(node: Node) -> Node:
    """What a value is a cast of, and that of another."""
    while node.op is Op.CAST:
        node = node.src[0]
    return node


def walk(roots: Iterable[Node], enter: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """Every node below any of the roots, once, sources first; `enter` as of `Node.toposort`."""
    seen: set[Node] = set()
    for root in roots:
        if root not in seen:
            yield from _sources_first(root, seen, enter)


def _sources_first(root: Node, seen: set[Node], enter: Callable[[Node], bool] | None) -> list[Node]:
    """The nodes below and including one that are not `seen` yet, sources first; now they are. The most called
    loop of the compiler: it keeps the way down in two lists because tuples of both cost a third more."""
    order: list[Node] = []
    if enter is not None and not enter(root):
        return order
    seen.add(root)
    above: list[Node] = [root]
    paused: list[Iterator[Node]] = []
    sources = iter(root.src)
    while True:
        for source in sources:
            if source in seen or (enter is not None and not enter(source)):
                continue
            seen.add(source)
            if source.src:
                above.append(source)
                paused.append(sources)
                sources = iter(source.src)
                break
            order.append(source)
        else:  # a node comes after the last of its sources
            order.append(above.pop())
            if not above:
                return order
            sources = paused.pop()


def sources_first(roots: Iterable[Node], below: Callable[[Node], Sequence[Node]]) -> list[Node]:
    """Every node that `below` leads to from the roots, once: what it gives for a node, in its order, and then
    the node."""
    order: list[Node] = []
    seen: set[Node] = set()
    stack = [(root, False) for root in reversed(tuple(roots))]
    while stack:
        node, is_ready = stack.pop()
        if is_ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(source, False) for source in reversed(below(node)) if source not in seen]
    return order


# --- free ranges (shapes and devices: derived.py)


def _ranges_of(node: Node) -> frozenset[Node]:
    if node.op is Op.RANGE:
        return node.src[0]._ranges | {node}
    if not node.src:
        return _NO_RANGES
    sources = node.src
    free = sources[0]._ranges if len(sources) == 1 else frozenset().union(*[s._ranges for s in sources])
    if node.op is Op.FOLD or node.op is Op.STAGE:
        return free.difference(own_ranges(node))
    return free


def own_ranges(node: Node) -> tuple[Node, ...]:
    """The ranges a FOLD or a STAGE loops over itself."""
    bodies = node.arg.elements if node.op is Op.FOLD else 2
    return node.src[bodies:]


_NO_RANGES: frozenset[Node] = frozenset()

__all__ = [
    "BINARY",
    "Node",
    "Scalar",
    "Shape",
    "assign",
    "const",
    "hold",
    "in_dtype",
    "index_const",
    "is_const",
    "make",
    "own_ranges",
    "settle",
    "walk",
]
