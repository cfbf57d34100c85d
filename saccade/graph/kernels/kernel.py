"""The words of kernel terms: loop variables, memory parameters, tiles, and the kernel itself.

>>> i = loop(0, 4); j = loop(1, 8)
>>> x = param(0, dtypes.float32, 32)
>>> load(x, i * 8 + j)                    # x[i*8 + j]: depends on both ranges
>>> fold(monoid.ADD, (load(x, i * 8 + j),), (j,))   # a sum over j: depends on i alone
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from .. import dtypes
from ..dtypes import DType
from ..monoid import Monoid
from ..node import Node, index_const, make
from ..ops import APART, Op
from ..param import Param

LOOP, PARALLEL, VECTOR, UNROLL = "loop", "parallel", "vector", "unroll"
REGISTER_KINDS = frozenset({VECTOR, UNROLL})


@dataclass(frozen=True)
class Axis:
    """Names a range within its kernel and says how it runs: loop, parallel, vector or unroll."""

    number: int
    kind: str = LOOP


@dataclass(frozen=True)
class Staging:
    """Names a tile of fast memory within its kernel and gives its size in elements. With `accumulates`, its
    value is a fold, and every step of the fold goes along the whole tile. With `exchanges`, its elements are
    read by other threads of a team than those that make them: it stays a tile."""

    number: int
    size: int
    accumulates: bool = False
    exchanges: bool = False


@dataclass(frozen=True)
class Sorting:
    """What a SORT in kernel terms does: rows of `length`, `inner` elements apart, of which the first `keep`
    in order are wanted; `wants` names its targets. With `run`, a row is two sorted rows, the first that long.
    With `carries`, a second source says what the indices of elements are: otherwise their places in the row.
    """

    outer: int
    length: int
    inner: int
    descending: bool
    wants: tuple[str, ...]
    keep: int
    run: int = 0
    carries: bool = False


@dataclass(frozen=True)
class Kernel:
    """A loop nest.

    `sink` is SINK of STOREs; `order` lists the ranges the stores run over, outermost first (register axes
    last); `params` gives dtype and size of each memory slot; `outputs` says which slots are written; `moves`
    and `reason` record what was done to it and why it is a kernel of its own; `asked` are moves that its
    tensor wants, in words (`codegen.moves.text`). With `start`, its first memory begins that many bytes
    into what it belongs to: kernels that differ in that alone are one.
    """

    sink: Node
    order: tuple[Node, ...]
    params: tuple[tuple[DType, int], ...]
    outputs: tuple[int, ...]
    moves: tuple[object, ...] = ()
    reason: str = field(default="", compare=False)
    asked: tuple[str, ...] = ()
    start: int = field(default=0, compare=False)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node, sources first."""
        return _nodes_of(self.sink)

    @property
    def loops(self) -> list[Node]:
        """The loops over results, without register axes."""
        return [r for r in self.order if not is_register(r)]

    def ranges(self) -> list[Node]:
        """Every range of the kernel, those of folds and tiles included."""
        return [node for node in self.nodes if node.op is Op.RANGE]

    def next_axis(self) -> int:
        """A number no range and no tile of this kernel has, a loop that nothing refers to among them."""
        used = [n.arg.number for n in self.nodes if n.op is Op.RANGE or n.op is Op.STAGE]
        return max([*used, *(r.arg.number for r in self.order)], default=-1) + 1


@lru_cache(maxsize=32)  # the moves ask for the nodes of one kernel again and again
def _nodes_of(sink: Node) -> tuple[Node, ...]:
    return tuple(sink.toposort())


def loop(number: int, size: int | Node, kind: str = LOOP) -> Node:
    """A range 0 <= r < size."""
    return make(
        Op.RANGE, dtypes.index, (index_const(size) if isinstance(size, int) else size,), Axis(number, kind)
    )


def range_size(node: Node) -> int:
    """The size of a range, or the most it can be when the size is itself computed."""
    size = node.src[0]
    if size.op is Op.CONST:
        return int(size.arg)
    from ..rules.symbolic import bounds

    return int(bounds(size)[1])


def is_register(node: Node) -> bool:
    return node.arg.kind in REGISTER_KINDS


def param(slot: int, dtype: DType, size: int) -> Node:
    return make(Op.PARAM, dtype, (), Param(slot, size))


def load(memory: Node, index: Node, valid: Node | None = None) -> Node:
    """The element of `memory` at `index`; 0 where `valid` does not hold (nothing is read there)."""
    return make(Op.LOAD, memory.dtype, (memory, index) if valid is None else (memory, index, valid))


def store(memory: Node, index: Node, value: Node, valid: Node | None = None, mode: str | None = None) -> Node:
    """Write `value` at `index` where `valid` holds; with a mode (add, mul, max, min), combine it with what
    is there. Places of the mode APART never meet."""
    return make(
        Op.STORE,
        memory.dtype,
        (memory, index, value) if valid is None else (memory, index, value, valid),
        mode,
    )


def combines(node: Node) -> bool:
    """Is it a store that combines with what is there?"""
    return node.op is Op.STORE and node.arg not in (None, APART)


def is_update(node: Node) -> bool:
    """Is it a store of an element whose place is computed, so that two may meet, or that combines?"""
    return len(node.src) == 4 and node.arg != APART


def fold(monoid: Monoid, bodies: tuple[Node, ...], ranges: tuple[Node, ...]) -> Node:
    """A reduction of `bodies` over `ranges`, which end here."""
    return make(Op.FOLD, bodies[0].dtype, (*bodies, *ranges), monoid)


def stage(
    value: Node,
    index: Node,
    ranges: tuple[Node, ...],
    number: int,
    size: int,
    accumulates: bool = False,
    exchanges: bool = False,
) -> Node:
    """A tile of `size` elements; over its own `ranges`, `value` goes to place `index`."""
    return make(Op.STAGE, value.dtype, (value, index, *ranges), Staging(number, size, accumulates, exchanges))


def prefix(monoid: Monoid, bodies: tuple[Node, ...], over: Node) -> Node:
    """The running reduction of `bodies` along the open loop `over`."""
    return make(Op.PREFIX, bodies[0].dtype, (*bodies, over), monoid)


def project(folded: Node, component: int) -> Node:
    """One accumulator of a FOLD or PREFIX with several: the values come first, then the indices."""
    monoid: Monoid = folded.arg
    if monoid.width == 1:
        return folded
    dtype = folded.src[0].dtype if component < monoid.k else folded.src[1].dtype
    return make(Op.PROJECT, dtype, (folded,), component)


def sink(stores: tuple[Node, ...]) -> Node:
    return make(Op.SINK, dtypes.bool_, stores)
