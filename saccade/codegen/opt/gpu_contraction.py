"""Sums of products on a GPU: which kernels are one, and as what matrix product.

    out[z, m, n] = epilogue(sum over k of A[z, m, k] * B[z, n, k])

A matrix product, a batch of them, a convolution and the products of attention differ only in how z, m, n and
k make up the indices. Loops that both factors depend on are z, those of one factor m and n; n has the loop
along which the result is written side by side."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernel import Kernel, range_size
from ...graph.monoid import ADD
from ...graph.node import Node, own_ranges
from ...graph.ops import Op
from ...graph.symbolic import coefficient_of

#: products smaller than this are not worth a tile
LEAST = 1 << 20
HALVES = frozenset({dtypes.float16, dtypes.bfloat16})


@dataclass(frozen=True)
class Contraction:
    """A kernel as a matrix product; `element` is the type the factors are multiplied in."""

    store: Node
    fold: Node
    a: Node
    b: Node
    z: tuple[Node, ...]
    m: tuple[Node, ...]
    n: tuple[Node, ...]
    k: tuple[Node, ...]
    element: DType

    def size(self, loops: tuple[Node, ...]) -> int:
        return prod(map(range_size, loops))


def contraction_of(kernel: Kernel) -> Contraction | None:
    """The kernel as a matrix product, if it is one and large enough."""
    if len(kernel.sink.src) != 1 or len(kernel.sink.src[0].src) != 3 or kernel.sink.src[0].arg is not None:
        return None
    store = kernel.sink.src[0]
    nodes = store.toposort()
    special = [n for n in nodes if n.op in (Op.FOLD, Op.STAGE, Op.PREFIX)]
    if len(special) != 1 or special[0].op is not Op.FOLD or special[0].arg != ADD:
        return None
    if any(r.src[0].op is not Op.CONST for r in nodes if r.op is Op.RANGE):
        return None
    return _classified(kernel, store, special[0])


def _classified(kernel: Kernel, store: Node, fold: Node) -> Contraction | None:
    body = fold.src[0]
    while body.op is Op.CAST and body.dtype.is_float and body.src[0].dtype.is_float:
        body = body.src[0]
    if body.op is not Op.MUL or fold.dtype not in (dtypes.float32, *HALVES):
        return None
    first, second = (narrow(s) for s in body.src)
    own = set(own_ranges(fold))
    if not own <= first.ranges or not own <= second.ranges or fold.ranges != set(kernel.order):
        return None
    side = next((r for r in kernel.order if coefficient_of(store.src[1], r) == 1), None)
    a, b = (first, second) if side is None or side in second.ranges else (second, first)
    z = tuple(r for r in kernel.order if r in a.ranges and r in b.ranges)
    loops = sorted(kernel.order, key=lambda r: -abs(coefficient_of(store.src[1], r) or 0))
    m = tuple(r for r in loops if r in a.ranges and r not in z)
    n = tuple(r for r in loops if r in b.ranges and r not in z)
    k = tuple(own_ranges(fold))
    made = Contraction(store, fold, a, b, z, m, n, k, _element(a, b))
    sizes = [made.size(x) for x in (z, m, n, k)]
    if not m or not n or min(sizes[1:3]) < 16 or sizes[3] < 16 or prod(sizes) < LEAST:
        return None
    return made


def narrow(factor: Node) -> Node:
    """A factor before it was widened to float32."""
    if factor.op is Op.CAST and factor.dtype is dtypes.float32 and factor.src[0].dtype in HALVES:
        return factor.src[0]
    return factor


def _element(a: Node, b: Node) -> DType:
    return a.dtype if a.dtype is b.dtype and a.dtype in HALVES else dtypes.float32
