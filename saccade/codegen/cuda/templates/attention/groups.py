"""Attention of a few rows and what groups of its results become: the kernel that joins parts ends with it.

    out[h, d] = attention, h < 32, d < 128;  q[g] = f(out in the group g of 32 neighbours)

A kernel with such an epilogue (`moves.epilogue`) goes over groups: 32 g + j is the place of a result, and h
and d are quotients and rests of it. `attention_of_groups` finds the loops of attention again. Keys are shared
out among blocks, and who joins their parts (`join`) has the group's results before anybody else: it leaves
them in shared memory, and a warp computes what its group becomes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Final

from .....graph.dtypes import DType
from .....graph.kernels.kernel import Kernel, loop, range_size
from .....graph.ops import Op
from .....graph.rules.symbolic import simplify
from ....linear.gpu.code import WARP, GpuCode
from ....moves.epilogue import Ended
from ...renderer import Renderer, type_name
from ..product.match import HALVES
from .match import PANEL, Attention, attention_of, unmerged


@dataclass(frozen=True)
class Tail:
    """The code of what groups of `size` results become, a warp for each of `groups`; they are in `slot`."""

    code: GpuCode
    slot: int
    size: int
    groups: int
    dtype: DType

    def threads(self, elements: int) -> int:
        """Of a block that joins so many results."""
        return elements // self.size * WARP

    def nowhere(self) -> str:
        """Of kernels that leave parts: they have no such memory, and write nothing to it."""
        kind = type_name(self.dtype)
        return f"  {kind} *const p{self.slot} = nullptr;"

    def lines(self, elements: int, first: list[str], join: str) -> list[str]:
        """The rest of a kernel that joins so many results with a warp, and goes on with all."""
        kind, each = type_name(self.dtype), elements // self.size
        return [
            f"  alignas(16) static __shared__ {kind} joined[{elements}];",
            f"  {kind} *const p{self.slot} = joined - (i64)blockIdx.x * {elements};",
            *first,
            "  const auto join = [&] {",
            join,
            "  };",
            "  if (threadIdx.x < JOINERS) join();",
            "  __syncthreads();",
            f"  const i32 group = (i32)blockIdx.x * {each} + (i32)threadIdx.x / {WARP};",
            f"  if (group < {self.groups}) {{",
            _Group(self.code, each).body_text(),
            "  }",
        ]


class _Group(Renderer):
    """Prints what a group becomes: a block of the code is one of so many warps, and called `group`."""

    def __init__(self, code: GpuCode, warps: int) -> None:
        super().__init__(code)
        code.early, code.teams, self.block_number = True, warps, "group"


#: blocks of attention that leave most of a card idle: their keys are shared out among more
FEW_BLOCKS: Final = 64


def ends_in_groups(kernel: Kernel, size: int) -> bool:
    """Is it attention of a few rows, whose results a warp may have a group of? In float32 nothing joins."""
    found = attention_of(kernel)
    if found is None or found.total is not None or found.scores.types[0] not in HALVES:
        return False
    if size != WARP or not _in_order(kernel, found):
        return False
    heads, rows = (prod(map(range_size, loops)) for loops in (found.scores.z, found.scores.m))
    return heads <= FEW_BLOCKS and rows <= FEW_BLOCKS


def _in_order(kernel: Kernel, found: Attention) -> bool:
    """Are results stored as they are joined, row by row, in rows of whole panels?"""
    columns = prod(map(range_size, found.output.n))
    return (
        unmerged(kernel).order == (*found.scores.z, *found.scores.m, *found.output.n) and columns % PANEL == 0
    )


def attention_of_groups(ended: Ended) -> tuple[Kernel, Attention] | None:
    """What an epilogue's groups are made of, as attention over (row, column), if it is."""
    group, within = ended.first.order
    places = [n for n in ended.first.nodes if n.op in (Op.IDIV, Op.MOD) and n.src[0] is group]
    factors = {n.src[1].arg for n in places if n.src[1].op is Op.CONST}
    for factor in sorted(factors, reverse=True):
        if range_size(group) % factor:
            continue
        start, columns = ended.first.next_axis(), factor * ended.size
        row, column = loop(start, range_size(group) // factor), loop(start + 1, columns)
        place = {group: row * factor + column // ended.size, within: column % ended.size}
        kernel = replace(ended.first, sink=simplify(ended.first.sink.substitute(place)), order=(row, column))
        found = attention_of(kernel)
        if found is not None and found.output.n == (column,) and _in_order(kernel, found):
            return kernel, found
    return None
