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
from ...moves.analysis import is_in_place
from ...moves.moves import Bind, Order, Split, step
from ...moves.tile_values import without_light_tiles
from ..byte_tables import with_byte_tables

#: results side by side
LANES = 16
#: registers of sums for each of several tokens, the most: half of the rows at a time leave registers for more
#: tokens, which share what is unpacked (128 tokens times 1536 x 576 in Q4_0 on one thread of a Neoverse N1:
#: 3.66 -> 3.37 ms; one token takes 72 us by 16 rows and 76 by 8)
SUMS = 2
#: steps of a sum that become straight code
STRAIGHT = 8


def lanes_for_dots(kernel: Kernel) -> Kernel:
    """The kernel with rows in lanes and tokens in registers; as it is if none of its sums lies so."""
    if is_in_place(kernel) or not any(_may_lie_across(n) for n in kernel.nodes):
        return kernel
    if any(len(store.src) != 3 for store in kernel.sink.src):  # a scatter goes element by element
        return kernel
    # what tokens share of weights, codes and scales, is in registers for those that go together, not in tiles
    whole = with_byte_tables(without_light_tiles(kernel))
    for r in whole.order:
        if is_register(r) or range_size(r) % LANES:
            continue
        made, lanes, folds = _in_lanes(whole, r, LANES)
        if not folds:
            continue
        several = any(range_size(token) > 1 for token in _tokens(made, lanes))
        if several and SUMS * host_registers().bytes < 4 * LANES:
            made, lanes, folds = _in_lanes(whole, r, LANES // 2)
        return _with_tokens(_unroll(made, folds), lanes)
    return kernel


def _in_lanes(kernel: Kernel, r: Node, width: int) -> tuple[Kernel, Node, list[Node]]:
    """The kernel with so many rows along `r` in lanes, the lanes, and the sums that lie so."""
    whole = range_size(r) == width
    made = step(kernel, Bind(r.arg.number, VECTOR) if whole else Split(r.arg.number, width, VECTOR))
    (lanes,) = (each for each in made.order if each.arg.kind == VECTOR)
    return made, lanes, [n for n in made.nodes if _may_lie_across(n) and across_of(n, lanes) is not None]


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


def _tokens(kernel: Kernel, lanes: Node) -> list[Node]:
    """The loops that the weights do not depend on."""
    weights = _weights(kernel, lanes)
    return [r for r in kernel.loops if r not in weights.ranges]


def _weights(kernel: Kernel, lanes: Node) -> Node:
    """The factor that differs from lane to lane."""
    folds = [n for n in kernel.nodes if n.op is Op.FOLD and n.dtype is dtypes.int32]
    dots = next(made for fold in folds if (made := across_of(fold, lanes)) is not None)
    return next(f for f in (dots[0].first, dots[0].second) if lanes in f.ranges)


def _with_tokens(kernel: Kernel, lanes: Node) -> Kernel:
    """Loops over weights outside, those over tokens inside and partly in registers."""
    weights, tokens = _weights(kernel, lanes), _tokens(kernel, lanes)
    loops = kernel.loops
    rest = [r for r in kernel.order if is_register(r)]
    order = [*(r for r in loops if r in weights.ranges), *tokens, *rest]
    kernel = step(kernel, Order(tuple(r.arg.number for r in order)))
    if not tokens or range_size(tokens[-1]) < 2:
        return kernel
    token, most = tokens[-1], _tokens_at_once(range_size(lanes))
    if range_size(token) <= most:
        return step(kernel, Bind(token.arg.number, UNROLL))
    size = next((n for n in range(most, most // 2, -1) if range_size(token) % n == 0), most)
    return step(kernel, Split(token.arg.number, size, UNROLL))


def _tokens_at_once(lanes: int) -> int:
    """As many as have registers for their sums of integers and of floats, beside weights and scales."""
    registers = host_registers()
    each = max(4 * lanes // registers.bytes, 1)
    return max(1, min(8, (registers.count - 4 * each) // (2 * each)))
