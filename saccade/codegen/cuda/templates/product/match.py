"""Sums of products on a GPU: which kernels are one, and as what matrix product.

    out[z, m, n] = epilogue(sum over k of A[z, m, k] * B[z, n, k])

A matrix product, a batch of them, a convolution and the products of attention differ only in how z, m, n and
k make up the indices. Distances of points differ in what is summed, as (A - B) * (A - B): their `step`. Loops
that both factors depend on are z, those of one factor m and n; n has the loop along which the result is
written side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from .....graph import dtypes
from .....graph.dtypes import DType
from .....graph.kernels.kernel import Kernel, range_size
from .....graph.node import Node, own_ranges
from .....graph.ops import Op
from .....graph.rules.symbolic import coefficient_of
from ....moves.analysis import lone_store, lone_sum
from ....moves.moves import operands
from ...schemes.groups import in_groups
from ...schemes.layout import is_aligned

#: products smaller than this are not worth a tile
LEAST = 1 << 20
#: a sum shorter than this is most of a chunk of nothing
LEAST_SUM = 8
#: the least sum of a convolution to few channels that is worth copies and half a tile
LONG_WINDOW = 256
#: results of the long side that are tiles for all processors
MANY_RESULTS = 1 << 13
#: times as long as the larger side a sum is of which so few results are worth a tile that is mostly empty:
#: it takes as long as memory
TALL = 16
#: places from a neighbour to the next between which lanes side by side still share a line
PHASES = 4
#: rows or columns too few for a tile of tensor cores whose other factor is gathered; bytes of a chunk
NARROW = 16
CHUNK_BYTES = 16
HALVES = frozenset({dtypes.float16, dtypes.bfloat16})
EIGHT_BIT_FLOATS = frozenset({dtypes.float8_e4m3, dtypes.float8_e5m2})
EIGHT_BIT_INTEGERS = frozenset({dtypes.int8, dtypes.uint8})
#: what is summed of two elements where that is not their product: its types, its operations and their number
_STEPPED = frozenset({dtypes.float32, dtypes.float64})
_OF_ZEROS = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.ABS, Op.MAX, Op.MIN})
MOST_STEPS = 6
_NARROW_FLOATS = HALVES | EIGHT_BIT_FLOATS


@dataclass(frozen=True)
class Contraction:
    """A kernel as a matrix product; `types` are those the factors are multiplied in. `step` is what is summed
    where that is not their product: an expression of a and b."""

    store: Node
    fold: Node
    a: Node
    b: Node
    z: tuple[Node, ...]
    m: tuple[Node, ...]
    n: tuple[Node, ...]
    k: tuple[Node, ...]
    types: tuple[DType, DType]
    step: Node | None = None

    @property
    def sum(self) -> DType:
        """The type products are summed in."""
        if self.types[0].is_float:
            return dtypes.float64 if self.types[0] is dtypes.float64 else dtypes.float32
        return dtypes.int32

    @property
    def is_symmetric(self) -> bool:
        """Are both factors the same, so that the sums for (m, n) and (n, m) are? As in x.T @ x."""
        if self.step is not None or list(map(range_size, self.m)) != list(map(range_size, self.n)):
            return False
        return self.a.substitute(dict(zip(self.m, self.n, strict=True))) is self.b

    def size(self, loops: tuple[Node, ...]) -> int:
        return prod(map(range_size, loops))


@lru_cache(maxsize=256)  # the scheduler asks before codegen does
def contraction_of(kernel: Kernel) -> Contraction | None:
    """The kernel as a matrix product, if it is one and large enough."""
    if lone_store(kernel) is None or lone_sum(kernel) is None:
        return None
    # only now: a loop that a stage keeps values over is no loop to take apart
    kernel = in_groups(kernel, uneven=True)
    store, fold = kernel.sink.src[0], lone_sum(kernel)
    if fold is None or any(r.src[0].op is not Op.CONST for r in store.toposort() if r.op is Op.RANGE):
        return None
    return _classified(kernel, store, fold)


def _classified(kernel: Kernel, store: Node, fold: Node) -> Contraction | None:
    body = fold.src[0]
    while body.op is Op.CAST and body.dtype.is_float and body.src[0].dtype.is_float:
        body = body.src[0]
    if fold.dtype not in (dtypes.float64, dtypes.float32, dtypes.int32, *HALVES):
        return None
    if fold.dtype is dtypes.float64 and body.dtype is not fold.dtype:
        return None
    step = None if body.op is Op.MUL and body.src[0] is not body.src[1] else body
    if step is not None and not _is_step(fold):
        return None
    first, second = operands(fold) if step is not None else (narrow(s) for s in body.src)
    own = set(own_ranges(fold))
    if not own <= first.ranges or not own <= second.ranges or fold.ranges != set(kernel.order):
        return None
    side = _side_of(kernel, store)
    a, b = (first, second) if side is None or side in second.ranges else (second, first)
    z = tuple(r for r in kernel.order if r in a.ranges and r in b.ranges)
    loops = sorted(kernel.order, key=lambda r: -abs(coefficient_of(store.src[1], r) or 0))
    m = tuple(r for r in loops if r in a.ranges and r not in z)
    n = tuple(r for r in loops if r in b.ranges and r not in z)
    # chunks go along the last loop: the one that both factors run along, if there is one
    k = tuple(sorted(own_ranges(fold), key=lambda r: _runs(a, r) + _runs(b, r)))
    types = _types(a, b, fold.dtype.is_float)
    if types is None:
        return None
    made = Contraction(store, fold, a, b, z, m, n, k, types, step)
    sizes = [made.size(x) for x in (z, m, n, k)]
    if (
        not m
        or not n
        or (min(sizes[1:3]) < least_side(types[0], sizes[0] * max(sizes[1:3])) and not is_tall(*sizes[1:]))
        or sizes[3] < LEAST_SUM
        or prod(sizes) < LEAST
    ):
        return None
    return None if _is_narrow(made) or _is_short_window(made) else made


def _side_of(kernel: Kernel, store: Node) -> Node | None:
    """The loop along which results are written side by side. Those with gaps between them (uneven groups, as
    of a padded transposed convolution by 2) are written one by one: there it is the loop that has the most
    neighbours in a line, over groups of few places (PHASES)."""
    steps = {coefficient_of(store.src[1], r): r for r in kernel.order if range_size(r) > 1}
    side = steps.get(1)
    few = side is not None and len(store.src) == 4 and range_size(side) <= PHASES
    return steps.get(range_size(side), side) if side is not None and few else side


def _is_short_window(c: Contraction) -> bool:
    """Is it a convolution of float32 to few channels, with a short sum? Threads take windows as they lie."""
    few, many = sorted((c.size(c.m), c.size(c.n)))
    if is_tall(few, many, c.size(c.k)):
        return False
    loads = [n for f in (c.a, c.b) for n in f.toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    windows = any(prod(map(range_size, n.ranges)) > n.src[0].arg.size for n in loads)
    return windows and few < least_side(c.types[0], many * c.size(c.z), c.size(c.k))


def _is_narrow(c: Contraction) -> bool:
    """Has it few rows or columns, and are elements of the other factor gathered one by one, the same many
    times as windows overlap? Threads take what they load for all of them at once (`schemes.thin`): a tile for
    tensor cores would be half empty and wait for its elements."""
    many, loops = (c.b, c.n) if c.size(c.m) < c.size(c.n) else (c.a, c.m)
    if c.types[0] not in HALVES or min(c.size(c.m), c.size(c.n)) >= NARROW:
        return False
    loads = [n for n in many.toposort() if n.op is Op.LOAD and n.src[0].op is Op.PARAM]
    if not all(n.dtype in HALVES for n in loads) or all(
        prod(map(range_size, n.ranges)) <= n.src[0].arg.size for n in loads
    ):
        return False
    return not any(_in_chunks(loads, r, CHUNK_BYTES // c.types[0].itemsize) for r in (c.k[-1], loops[-1]))


def _in_chunks(loads: list[Node], r: Node, chunk: int) -> bool:
    """Do whole chunks along a loop lie side by side in all loads that depend on it?"""
    return range_size(r) % chunk == 0 and all(
        coefficient_of(n.src[1], r) == 1 and is_aligned(n, r, chunk) for n in loads if r in n.ranges
    )


def _is_step(fold: Node) -> bool:
    """Does a sum take two elements together, by few operations that make zero of zeros? Beyond the end of a
    sum both factors are zero."""
    pair = operands(fold)
    if len(pair) != 2 or any(load.dtype is not fold.dtype for load in pair) or fold.dtype not in _STEPPED:
        return False
    steps = [n for n in fold.src[0].toposort(lambda n: n not in pair) if n.op is not Op.CONST]
    return len(steps) <= MOST_STEPS and all(
        n.op in _OF_ZEROS and (n.op is Op.MUL or not any(s.op is Op.CONST for s in n.src)) for n in steps
    )


def least_side(dtype: DType, many: int, window: int = LONG_WINDOW) -> int:
    """The rows or columns that make a product: tensor cores have time for those of a tile that are not there,
    threads that multiply by themselves have not for more than half of one, of so `many` of the other side.
    Of a `window` with a short sum they have for none. On an H200 16 channels of 27 x 16 took 141 us by
    threads; 65,536 x 512 x 16 took 165, 2665 x 777 x 16 14."""
    if dtype is dtypes.float32 and many >= MANY_RESULTS and window >= LONG_WINDOW:
        return 13
    return 17 if dtype in (dtypes.float32, dtypes.float64) else 2


def is_tall(m: int, n: int, k: int) -> bool:
    """Are results few, and their sum long? Threads that have a column each would be few, too."""
    return min(m, n) > 1 and k >= max(TALL * max(m, n), LONG_WINDOW)


def _runs(factor: Node, r: Node) -> bool:
    """Do neighbours along a loop lie side by side in every memory of a factor that depends on it?"""
    loads = [n for n in factor.toposort() if n.op is Op.LOAD and r in n.ranges]
    return bool(loads) and all(coefficient_of(n.src[1], r) == 1 for n in loads)


def narrow(factor: Node) -> Node:
    """A factor before it was widened."""
    if factor.op is Op.CAST and factor.dtype in (dtypes.float32, dtypes.int32):
        source = factor.src[0]
        if source.dtype in EIGHT_BIT_INTEGERS or (factor.dtype.is_float and source.dtype in _NARROW_FLOATS):
            return source
    return factor


def _types(a: Node, b: Node, floating: bool) -> tuple[DType, DType] | None:
    """The types two factors are multiplied in: as they are where tensor cores take them, else in a half type
    that holds both exactly, else in float32. Integers are multiplied exactly or not here."""
    pair = {a.dtype, b.dtype}
    if dtypes.float64 in pair:
        return dtypes.float64, dtypes.float64
    if not floating:
        return (a.dtype, b.dtype) if pair <= EIGHT_BIT_INTEGERS else None
    if pair <= EIGHT_BIT_FLOATS or (len(pair) == 1 and pair <= HALVES):
        return a.dtype, b.dtype
    halves = pair & HALVES
    if len(halves) < 2 and pair - halves <= EIGHT_BIT_FLOATS | EIGHT_BIT_INTEGERS:
        half = next(iter(halves), dtypes.float16)
        return half, half
    return dtypes.float32, dtypes.float32
