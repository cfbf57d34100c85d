"""Products of signed bytes for processors whose dot instruction takes one factor as unsigned (x86).

    sum over k of a[m, k] * b[n, k]
        ->  sum over k of a[m, k] * (b[n, k] + 128)  -  128 * sum over k of a[m, k]

b + 128 is b with its highest bit turned, read as unsigned: one instruction on the way into a packed panel.
Sums of 32 bits wrap, so both sides are the same numbers. What is taken off is a sum for each row, a kernel of
its own or a few instructions of the row's.
"""

from __future__ import annotations

from ...graph import dtypes
from ...graph.monoid import ADD
from ...graph.node import Node, make
from ...graph.ops import MOVEMENT, Op
from ...graph.rewriting.passes import rewrite_pass
from ...graph.rewriting.rewrite import changed
from ...runtime.cpu.machine import host_registers
from ...transform.terms import expanded, full, reduced
from .product import factors_of, product_of

#: the least rows and columns, and the least sum, of a product whose panels are packed for dot instructions
LEAST_ROWS, LEAST_COLUMNS, LEAST_SUM = 8, 16, 16
_MOVES = MOVEMENT - {Op.PAD, Op.WINDOW}


@rewrite_pass("signed bytes as unsigned ones")
def bytes_for_dots(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same results, one factor of products of signed bytes unsigned where the processor wants that."""
    known = host_registers().dots
    if not known or "sdot" in known:
        return roots
    return changed(roots, lambda made, _: _with_unsigned(made) if made.op is Op.REDUCE else made)


def _with_unsigned(node: Node) -> Node:
    factors = factors_of(node) if node.dtype is dtypes.int32 and node.arg[0] == ADD else None
    if factors is None or node.src[0].op is not Op.MUL or not node.shape:
        return node
    # results lie side by side along the last axis: so do the lanes of the factor that follows it
    last = len(node.src[0].shape) - 1 - len(node.arg[1])
    if node.arg[1] != (last + 1,) or node.shape[-1] < LEAST_COLUMNS:
        return node
    below = [found for f in factors if (found := _signed_bytes(f)) is not None]
    if len(below) < 2:
        return node
    wide = next((n for n, f in enumerate(below) if f.shape[last] > 1 and below[1 - n].shape[last] == 1), None)
    sizes = product_of(node)
    if wide is None or sizes is None or sizes.k < LEAST_SUM or node.size // node.shape[-1] < LEAST_ROWS:
        return node
    shape = node.src[0].shape
    unsigned = make(Op.BITCAST, dtypes.uint8, (below[wide],))
    turned = unsigned.alu(Op.XOR, full(128, unsigned)).cast(dtypes.int32)
    other = below[1 - wide].cast(dtypes.int32)
    made = [expanded(turned, shape), expanded(other, shape)]
    product = make(Op.MUL, dtypes.int32, tuple(made if wide == 0 else made[::-1]))
    rows = reduced(other, ADD, node.arg[1])
    off = expanded(rows.alu(Op.MUL, full(128, rows)), node.shape)
    return reduced(product, ADD, node.arg[1]).alu(Op.SUB, off)


def _signed_bytes(factor: Node) -> Node | None:
    """The bytes in memory that a factor is, cast and moved and nothing else, before they are repeated."""
    wide = factor.src[0] if factor.op is Op.EXPAND else factor
    moves = []
    while wide.op in _MOVES:
        moves.append(wide)
        wide = wide.src[0]
    if wide.op is not Op.CAST or wide.src[0].dtype is not dtypes.int8:
        return None
    made = source = wide.src[0]
    while source.op in _MOVES:
        source = source.src[0]
    if source.op not in (Op.BUFFER, Op.PARAM, Op.CONTIGUOUS):
        return None
    for move in reversed(moves):
        made = make(move.op, dtypes.int8, (made,), move.arg)
    return made
