"""A graph written down: its structure, and apart from it the numbers in its holes.

    >>> x = Tensor([1.0, 2.0, 3.0, 4.0])
    >>> (structure, numbers), buffers = canonical([(x[1:3] * 2.5).node])
    >>> numbers
    (1, 2.5)
    >>> structure[0][2:]
    ((CONST, dtypes.float32, (2,)), (BUFFER, dtypes.float32, 0, 4, 'cpu'))

Buffers are numbered as they are met, so the same computation on other buffers has the same form. Two forms of
one structure are of one *family* (see family.py). `graph_of` is the way back, with PARAMs for the buffers.

An entry is (op, dtype, places of its sources, arg), in the order nodes are met from the roots, which come
first. What most programs have a lot of is one entry: (BUFFER, dtype, number, shape or size, device) is a
buffer or a reshape of one, (CONST, dtype, shape) a constant, or one of that shape everywhere.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Final

from ...graph import dtypes
from ...graph import node as graph_nodes
from ...graph.constants import anything, everywhere
from ...graph.dtypes import DType
from ...graph.node import Node, Scalar, in_dtype, make
from ...graph.ops import Op
from ...graph.origin import recall_form, remember_form
from ...graph.param import Param
from ...graph.value import value
from ...runtime.memory.buffer import Buffer
from ...runtime.process.forking import fork_lock
from ..gradients.budget import within
from .holes import HOLES, Filling

#: Held from the moment a store counts as done until it is queued.
storing: Final = fork_lock()

#: Entries and how many of them are roots.
Structure = tuple[tuple[tuple[Any, ...], ...], int]
Numbers = tuple[Any, ...]
Form = tuple[Structure, Numbers]


@dataclass(frozen=True)
class Given:
    """What stands in a hole for a number that each call gives, among its words. Holes that always hold the
    same number have one word."""

    word: int


class Exact(float):
    """A float that is told apart by its bits: -0.0 is not 0.0, and a NaN is equal to itself."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and _bits(self) == _bits(other)

    def __ne__(self, other: object) -> bool:  # else it is float's, for which a NaN is not itself
        return not self == other

    def __hash__(self) -> int:
        return hash(_bits(self))

    def __repr__(self) -> str:
        return f"Exact({_bits(self).hex()})"


_bits: Final = struct.Struct("<d").pack


def exact(number: float) -> float:
    """A float that is 0 or NaN, as one that equals nothing else."""
    return Exact(number) if _bits(number) != _ZERO else number


def as_number(value: Scalar, dtype: DType) -> Scalar:
    """A Python number as it stands in a hole of a dtype."""
    number = in_dtype(value, dtype)
    return exact(number) if type(number) is float and (not number or number != number) else number


_ZERO: Final = _bits(0.0)
_BUFFER, _CONST, _VALUE, _RESHAPE, _EXPAND = Op.BUFFER, Op.CONST, Op.VALUE, Op.RESHAPE, Op.EXPAND
_ASSIGN: Final = Op.ASSIGN
_BITCAST: Final = Op.BITCAST
_BUDGET: Final = "keep within"
ANYTHING: Final = "anything"
OF_ANYTHING: Final = frozenset(type(anything(dtype).arg) for dtype in (dtypes.float32, dtypes.int32))


def canonical(roots: Sequence[Node]) -> tuple[Form, list[Buffer]]:
    """A graph written down, and the buffers its numbers stand for, in the order they are met.

    A constant has an entry for each use: that two of them are equal now says nothing about the next call.
    `graph_key` walks in the same order, at every call that is not of a jit function."""
    entries: list[tuple[Any, ...]] = []
    numbers: list[Any] = []
    slots: dict[Buffer, int] = {}
    order = list(roots)
    places = {order[0]: 0} if len(order) == 1 else {node: place for place, node in enumerate(order)}
    for node in order:  # which grows
        op, src = node.op, node.src
        leaf = src[0] if op is _RESHAPE or op is _EXPAND else node
        if leaf.op is _RESHAPE and op is _EXPAND:
            leaf = leaf.src[0]
        kind = leaf.op
        if kind is _BUFFER and op is not _EXPAND:
            buffer = leaf.arg
            slot = slots.get(buffer)
            if slot is None:
                slot = slots[buffer] = len(slots)
            shape = buffer.size if leaf is node else node.arg
            entries.append((kind, node.dtype, slot, shape, buffer.device))
        elif kind is _CONST or kind is _VALUE:
            number, shape = leaf.arg, () if leaf is node else node.arg
            if type(number) in OF_ANYTHING:
                entries.append((_CONST, node.dtype, shape, ANYTHING))
                continue
            if type(number) is float and (not number or number != number):
                number = exact(number)
            numbers.append(number)
            entries.append((_CONST, node.dtype, shape))
        else:
            sources = []
            for source in src:
                place = places.get(source)
                if place is None and (source.op is _ASSIGN or source.op is _BITCAST):
                    source = value_in(source)
                    place = places.get(source)
                if place is None:
                    place = len(order)
                    order.append(source)
                    held = source.src[0] if source.op is _EXPAND else source
                    if held.op is _RESHAPE:
                        held = held.src[0]
                    if held.op is not _CONST and held.op is not _VALUE:
                        places[source] = place
                sources.append(place)
            holes = HOLES.get(op)
            arg = node.arg if holes is None else holes.take(node, numbers)
            entries.append((op, node.dtype, tuple(sources), arg))
    if within.nbytes is not None:
        entries.append((_BUDGET, within.nbytes))
    structure = (tuple(entries), len(roots))
    if graph_nodes.observer is not None:
        remember_form(structure, order)
    return (structure, tuple(numbers)), list(slots)


def value_in(node: Node) -> Node:
    """What a store stores, and detached bits are the bits of: where it is no result, that is its value."""
    while node.op is _ASSIGN or (node.op is _BITCAST and node.src[0].dtype is node.dtype):
        node = value_of(node) if node.op is _ASSIGN else node.src[0]
    return node


def value_of(node: Node) -> Node:
    """What a store stores."""
    while node.op is _ASSIGN:
        if not node.src:  # another thread is about to queue what it is
            with storing:
                continue
        node = node.src[0]
    return node


# --- the way back


def budget_of(form: Form) -> int | None:
    """The bytes that a computation may keep between its kernels (`budget`): an entry that no other reads."""
    last = form[0][0][-1]
    return int(last[1]) if last[0] is _BUDGET else None


def hole_types(structure: Structure) -> list[DType]:
    """The dtype of each hole, in the order of the numbers: places are of the type of indices."""
    found: list[DType] = []
    for entry in structure[0]:
        found += [entry[1] if entry[0] is _CONST else dtypes.index] * _holes_in(entry)
    return found


def constant_holes(structure: Structure) -> list[bool]:
    """Whether each hole is the value of a constant, and not a place."""
    found: list[bool] = []
    for entry in structure[0]:
        found += [entry[0] is _CONST] * _holes_in(entry)
    return found


def _holes_in(entry: tuple[Any, ...]) -> int:
    if entry[0] is _CONST:
        return int(len(entry) == 3)
    holes = HOLES.get(entry[0])
    return 0 if holes is None else holes.count(entry[3])


def graph_of(form: Form) -> tuple[tuple[Node, ...], int]:
    """The graph with PARAMs for its buffers, and how many there are; the words of numbers that are `Given`
    are one more, the last."""
    (entries, roots), numbers = form
    inputs = 1 + max([entry[2] for entry in entries if entry[0] is _BUFFER], default=-1)
    fillings = _Fillings(numbers, inputs)
    first = list(accumulate(map(_holes_in, entries), initial=0))
    nodes: dict[int, Node] = {}
    stack = list(range(roots))
    while stack:
        place = stack[-1]
        entry = entries[place]
        sources = () if entry[0] is _BUFFER or entry[0] is _CONST else entry[2]
        waiting = [source for source in sources if source not in nodes]
        if waiting and place not in nodes:
            stack += waiting
            continue
        stack.pop()
        if place not in nodes:
            nodes[place] = _node(entry, tuple([nodes[s] for s in sources]), fillings, first[place])
    recall_form(form[0], nodes)
    made: list[Node] = []
    for place in range(roots):
        root = nodes[place]
        while root in made:  # numbers that are one word may make two results one: each has its memory
            root = make(Op.CONTIGUOUS, root.dtype, (root,), None)
        made.append(root)
    return tuple(made), inputs + (fillings.memory.size > 0)


class _Fillings:
    """What stands in the holes of a graph: Python numbers, or runtime values, whose words follow inputs."""

    def __init__(self, numbers: Numbers, inputs: int) -> None:
        self.numbers = numbers
        self.memory = Param(inputs, 1 + max([n.word for n in numbers if type(n) is Given], default=-1))

    def constant(self, hole: int, dtype: DType) -> Node:
        number = self.numbers[hole]
        if type(number) is Given:
            return value(self.memory, number.word, dtype)
        return make(_CONST, dtype, (), float(number) if dtype.is_float else number)

    def places(self, hole: int, limits: list[tuple[int, int]]) -> Iterator[Filling]:
        """For as many holes, from one on, as there are limits."""
        for number, (low, high) in zip(self.numbers[hole:], limits, strict=False):
            if type(number) is Given:
                yield value(self.memory, number.word, dtypes.index, low, high)
            else:
                yield number


def _node(entry: tuple[Any, ...], src: tuple[Node, ...], fillings: _Fillings, hole: int) -> Node:
    op, dtype = entry[:2]
    if op is _BUFFER:
        _, _, slot, shape, device = entry
        if isinstance(shape, int):
            return make(Op.PARAM, dtype, (), Param(slot, shape, device))
        return make(_RESHAPE, dtype, (make(Op.PARAM, dtype, (), Param(slot, prod(shape), device)),), shape)
    if op is _CONST:
        made = anything(dtype) if len(entry) == 4 else fillings.constant(hole, dtype)
        return everywhere(made, entry[2])
    holes = HOLES.get(op)
    if holes is None:
        return make(op, dtype, src, entry[3])
    return holes.put(dtype, src, entry[3], fillings.places(hole, holes.limits(entry[3], src[0])))
