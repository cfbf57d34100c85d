"""A program whose numbers are given with each call, as the third of a family has it (see tensor.family).

roots, arrays = given(program, program.arrays())      # the same results; the last array holds the words
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.node import Node, make, walk
from ...graph.ops import Op
from ...runtime.memory.buffer import Buffer
from ...tensor.programs.family import word_format
from ...tensor.programs.form import Given, canonical, graph_of, hole_types
from .programs import Program

Array = NDArray[Any]


def given(program: Program, arrays: list[Array]) -> tuple[tuple[Node, ...], list[Array]]:
    """The program with a runtime value for each number in it, and its memory."""
    memories = [node for node in walk(program.roots) if node.op is Op.PARAM]
    buffers = {node: Buffer(node.arg.size, node.dtype, "cpu") for node in memories}
    mapping = {node: make(Op.BUFFER, node.dtype, (), buffer) for node, buffer in buffers.items()}
    (structure, numbers), met = canonical([root.substitute(mapping) for root in program.roots])
    roots, _ = graph_of((structure, tuple(map(Given, range(len(numbers))))))
    slots = {buffer: node.arg.slot for node, buffer in buffers.items()}
    formats = "".join(map(word_format, hole_types(structure)))
    words = np.frombuffer(struct.pack(f"={formats}", *numbers), np.int64)
    return roots, [arrays[slots[buffer]] for buffer in met] + ([words] if numbers else [])
