"""What tells a graph from others, found in one walk and hashed at once: the key of what is ready to run.

    key, numbers, buffers = graph_key([(x * 2.5).node])

    key       1, None, MUL, <float32 (3,) on cpu>, 0, 1, float32, None, CONST, float32, (3,)
    numbers   2.5,

The form of a graph (form.py) says the same, taken apart for those who compile it. This runs at every call
that is not of a jit function, and so it is flat: for each node, in the order of the form, its op, its
sources, its dtype, and its `arg` without the holes. A source is the place of a node, or a signature and the
number of a buffer; buffers are numbered as they are met, and a constant has an entry for each use, as in a
form. Graphs with equal keys are of one structure; numbers and buffers come in the order of its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...graph.node import Node
from ...graph.ops import Op
from ...runtime.memory.buffer import Buffer
from ..gradients.budget import within
from ..jit.signature import placed
from .form import ANYTHING, OF_ANYTHING, exact, value_in
from .holes import HOLES

Key = tuple[Any, ...]

_ASSIGN, _BITCAST, _BUFFER, _CONST, _VALUE = Op.ASSIGN, Op.BITCAST, Op.BUFFER, Op.CONST, Op.VALUE
_RESHAPE, _EXPAND = Op.RESHAPE, Op.EXPAND
#: what may be another node, memory, or a number with an entry for each use
_LOOKED_INTO: Final = frozenset({_ASSIGN, _BITCAST, _BUFFER, _CONST, _VALUE, _RESHAPE, _EXPAND})
#: numbers, and what spreads them over a shape
_NUMBERS: Final = frozenset({_CONST, _VALUE, _RESHAPE, _EXPAND})


def graph_key(roots: Sequence[Node]) -> tuple[Key, tuple[Any, ...], list[Buffer]]:
    """The key of a graph, the numbers in its holes, and the buffers it reads."""
    key: list[Any] = [len(roots), within.nbytes]
    numbers: list[Any] = []
    slots: dict[Buffer, int] = {}
    order = list(roots)
    places = {order[0]: 0} if len(order) == 1 else {node: place for place, node in enumerate(order)}
    for node in order:  # which grows
        op = node.op
        if op in _NUMBERS:
            number = number_in(node)
            if number is not None:
                key += (_CONST, node.dtype, () if number is node else node.arg)
                value = number.arg
                if type(value) in OF_ANYTHING:
                    key.append(ANYTHING)
                elif type(value) is float and (not value or value != value):
                    numbers.append(exact(value))
                else:
                    numbers.append(value)
                continue
        key.append(op)
        for source in node.src:
            memory = source._memory
            if memory is None:
                place = places.get(source)
                if place is not None:
                    key.append(place)
                    continue
                if source.op in _LOOKED_INTO:
                    source = value_in(source)
                    if number_in(source) is not None:
                        key.append(len(order))
                        order.append(source)
                        continue
                    memory = source._memory or _memory_of(source)
                    if memory is None and source in places:
                        key.append(places[source])
                        continue
            if memory is not None:
                signature, buffer = memory
                slot = slots.get(buffer)
                if slot is None:
                    slot = slots[buffer] = len(slots)
                key.append(signature)
                key.append(~slot if source.op is _BUFFER else slot)  # which has no shape in a form
            else:
                places[source] = place = len(order)
                key.append(place)
                order.append(source)
        key.append(node.dtype)
        key.append(HOLES[op].take(node, numbers) if op in HOLES else node.arg)
    return tuple(key), tuple(numbers), list(slots)


def number_in(node: Node) -> Node | None:
    """The constant, or the number that is given, that a node is in every place of its shape."""
    if node.op is _EXPAND:
        node = node.src[0]
    if node.op is _RESHAPE:
        node = node.src[0]
    return node if node.op is _CONST or node.op is _VALUE else None


def _memory_of(node: Node) -> tuple[Any, Buffer] | None:
    """The signature and the buffer of a node that is memory and has not been asked before."""
    is_memory = node.op is _BUFFER or (node.op is _RESHAPE and node.src[0].op is _BUFFER)
    return placed(node) if is_memory else None
