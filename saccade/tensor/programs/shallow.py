"""One op on memory and constants, as `x + 1` is: what tells it from others, without writing its graph down.

    shallow_key((x + 1).node)       # (ADD, ..., float32, (10,), "cpu", the constant), [the buffer of x]

The form of a graph (form.py) tells computations apart by structure and numbers, in time that grows with both.
Most calls of a program that does not use `jit` are one op on what is in memory: these are told apart by the
op, what the memory is like, and constants, which are nodes that are made once.
"""

from __future__ import annotations

from typing import Any

from ...graph import node as graph_nodes
from ...graph.node import Node
from ...graph.ops import Op
from ...runtime.memory.buffer import Buffer
from ..gradients.budget import within

Key = tuple[Any, ...]

_BUFFER, _CONST, _RESHAPE, _EXPAND = Op.BUFFER, Op.CONST, Op.RESHAPE, Op.EXPAND


def shallow_key(node: Node) -> tuple[Key | None, list[Buffer]]:
    """What tells an elementwise op, and the buffers it reads; None for more than one op, and where somebody
    wants the form."""
    key: list[Any] = [node.op, node.dtype, node.arg]
    inputs: list[Buffer] = []
    for source in node.src:
        leaf = source.src[0] if source.op is _RESHAPE else source
        if leaf.op is _BUFFER:
            buffer: Buffer = leaf.arg
            if buffer in inputs:
                return None, inputs
            inputs.append(buffer)
            key += (leaf.dtype, buffer.size if leaf is source else source.arg, buffer.device)
        elif is_constant(source):
            key.append(source)
        else:
            return None, inputs
    if within.nbytes is not None or graph_nodes.observer is not None or not inputs:
        return None, inputs
    return tuple(key), inputs


def is_constant(node: Node) -> bool:
    """Is it a constant, in every place of a shape?"""
    if node.op is _EXPAND:
        node = node.src[0]
    if node.op is _RESHAPE:
        node = node.src[0]
    return node.op is _CONST
