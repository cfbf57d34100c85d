"""Sums of products of bytes whose results are lanes: rows of a matrix side by side, several tokens at once.

    out[t, 16 g + v] = FOLD(add, scale[g, b, v] * FOLD(add, w[g, b, k, v, f] * x[t, b, k, f], k, f < 4), b)

Lanes are v, whose bytes lie four by four (`folds/byte_dots.py`). Tokens t are unrolled as far as registers
go, so that a block of weights is read and unpacked once for all of them; loops over weights are outside of
those over tokens, and a group of rows stays in the nearest cache. 1536 x 576 numbers in Q4_1 on one core of a
busy Cascade Lake: 39 us for one token, 95 us for 8, 674 us for 64; 3.7 ms for 8 without dot instructions.
"""

from __future__ import annotations

from ....graph import dtypes
from ....graph.kernels.kernel import LOOP, UNROLL, VECTOR, Kernel, is_register, range_size
from ....graph.monoid import ADD
from ....graph.node import Node, own_ranges
from ....graph.ops import Op
from ....runtime.cpu.machine import host_registers
from ...folds.byte_dots import FOUR, across_of
from ...moves.moves import Bind, Order, Split, is_in_place, step

#: results side by side
LANES = 16
#: steps of a sum that become straight code
STRAIGHT = 8


def lanes_for_dots(kernel: Kernel) -> Kernel:
    """The kernel with rows in lanes and tokens in registers; as it is if none of its sums lies so."""
    if is_in_place(kernel) or not any(_may_lie_across(n) for n in kernel.nodes):
        return kernel
    if any(len(store.src) != 3 for store in kernel.sink.src):  # a scatter goes element by element
        return kernel
    for r in kernel.order:
        if is_register(r) or range_size(r) % LANES:
            continue
        whole = range_size(r) == LANES
        made = step(kernel, Bind(r.arg.number, VECTOR) if whole else Split(r.arg.number, LANES, VECTOR))
        (lanes,) = (each for each in made.order if each.arg.kind == VECTOR)
        found = [n for n in made.nodes if _may_lie_across(n) and across_of(n, lanes) is not None]
        if found:
            return _with_tokens(_unroll(made, found), lanes)
    return kernel


def _may_lie_across(node: Node) -> bool:
    return (
        node.op is Op.FOLD
        and node.arg == ADD
        and node.dtype is dtypes.int32
        and range_size(own_ranges(node)[-1]) == FOUR
        and bool(host_registers().dots)
    )


def _unroll(kernel: Kernel, folds: list[Node]) -> Kernel:
    """The innermost steps of the sums as straight code."""
    for number in dict.fromkeys(r.arg.number for fold in folds for r in _innermost(fold)):
        kernel = step(kernel, Bind(number, UNROLL))
    return kernel


def _innermost(fold: Node) -> list[Node]:
    *outer, four = own_ranges(fold)
    words = outer[-1:] if outer and range_size(outer[-1]) <= STRAIGHT else []
    return [r for r in (*words, four) if r.arg.kind == LOOP]


def _with_tokens(kernel: Kernel, lanes: Node) -> Kernel:
    """Loops over weights outside, those over tokens inside and partly in registers."""
    folds = [n for n in kernel.nodes if n.op is Op.FOLD and n.dtype is dtypes.int32]
    dots = next(made for fold in folds if (made := across_of(fold, lanes)) is not None)
    weights = next(f for f in (dots[0].first, dots[0].second) if lanes in f.ranges)
    loops = [r for r in kernel.order if not is_register(r)]
    tokens = [r for r in loops if r not in weights.ranges]
    rest = [r for r in kernel.order if is_register(r)]
    order = [*(r for r in loops if r in weights.ranges), *tokens, *rest]
    kernel = step(kernel, Order(tuple(r.arg.number for r in order)))
    if not tokens or range_size(tokens[-1]) < 2:
        return kernel
    token, most = tokens[-1], _tokens_at_once()
    if range_size(token) <= most:
        return step(kernel, Bind(token.arg.number, UNROLL))
    size = next((n for n in range(most, most // 2, -1) if range_size(token) % n == 0), most)
    return step(kernel, Split(token.arg.number, size, UNROLL))


def _tokens_at_once() -> int:
    """As many as have registers for their sums of integers and of floats, beside weights and scales."""
    registers = host_registers()
    each = max(4 * LANES // registers.bytes, 1)
    return max(1, min(8, (registers.count - 4 * each) // (2 * each)))
