"""Derivatives of windows: what a value was read by gets the sum over all windows that read it.

    y[o, k] = x[o*stride + k*dilation]      ->      dx[i] = sum of g[o, k] over o*stride + k*dilation = i

Two forms of that sum are cheaper than the sum as it stands. Of windows with a stride, only every so manyeth k
reaches an i: with i = q*stride + r and k = j*stride + r it is a sum over o + j = q for each phase r
(polyphase), without zeros between the windows. And a convolution is differentiated by a convolution: where
g[o, k] is the sum of a[o, c] b[k, c] over c, dx is one sum over k and c of windows of a, padded, times b,
turned round. The g[o, k], which are as many times x as a window is long, are never stored. Without a c, as in
a depthwise convolution, it is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.monoid import ADD
from ...graph.node import Node, Shape, below_casts, make
from ...graph.ops import Op
from ...runtime.device import Device
from ..terms import expanded, permuted, reduced, reshaped, sliced
from .movement import dilated, flipped, padded, summed

if TYPE_CHECKING:
    from ...schedule.cost import Machine

#: rows that are added up one by one
MOST_TERMS: Final = 4
#: how many more places a convolution may compute than there are windows: those beyond are zeros
MOST_PLACES = 2


def _window(y: Node, g: Node) -> tuple[Node]:
    axis, _, size, stride, dilation = y.arg
    n = y.src[0].shape[axis]
    if stride == 1 and size > 1 and n <= MOST_PLACES * g.shape[axis]:
        product = _product(g)
        if product is not None and not _convolves(y, product):
            product = None
        convolved = None if product is None else _convolved(product, axis, size, dilation, n)
        if convolved is not None:
            return (convolved.cast(g.dtype),)
    if dilation == 1 < stride:
        line = _phases(g, axis, stride)
    else:
        line = _diagonals(dilated(g, axis, stride), axis, dilation)
    if line.shape[axis] > n:  # zeros: no window reached so far
        line = sliced(line, axis, 0, n)
    return (padded(line, axis, 0, n - line.shape[axis]),)


def _convolves(y: Node, product: Product) -> bool:
    """Does a device multiply with windows of the slopes?"""
    from ...schedule.cost import machine_of  # the scheduler is imported when there is something to plan

    machine = machine_of(y.device or Device.default)
    if machine.convolves_slopes or not machine.filters_tiles:
        return machine.convolves_slopes
    # what did so along the axes behind does along all
    return any(map(_has_windows, product.factors)) or _gains_in_tiles(y, product, machine)


def _has_windows(factor: Node) -> bool:
    while factor.op in (Op.RESHAPE, Op.PERMUTE, Op.EXPAND):
        factor = factor.src[0]
    return factor.op is Op.WINDOW


def _gains_in_tiles(y: Node, product: Product, machine: Machine) -> bool:
    """Is the gradient by what windows were taken of a convolution of float32 that is fast in tiles?"""
    from ...schedule.winograd.estimate import Filter, best_tile

    signal, weight = product.factors
    if signal.shape[y.arg[0]] == 1:
        signal, weight = weight, signal
    if {signal.dtype, weight.dtype, product.accumulator} != {dtypes.float32}:
        return False
    rank, counts, windows = len(y.shape), [], []
    while y.op is Op.WINDOW:
        _, count, size, stride, dilation = y.arg
        if (stride, dilation) != (1, 1):
            return False
        counts.append(count)
        windows.append(size)
        (y,) = y.src
    images = prod(signal.shape[:rank]) // prod(counts)
    outputs = prod(weight.shape[:rank]) // prod(windows)
    places = tuple([count + size - 1 for count, size in zip(counts, windows, strict=True)])
    wanted = Filter(images, prod(product.summed), outputs, places, tuple(windows))
    return best_tile(wanted, machine) is not None


def _has_vectors(node: Node) -> bool:
    """Does a device take elements of the last axis side by side, in one vector?"""
    from ...schedule.cost import machine_of

    return not machine_of(node.device or Device.default).is_gpu


def _phases(g: Node, axis: int, stride: int) -> Node:
    """Sums over all [o, k] with o*stride + k = i."""
    shape = g.shape
    taps = -(-shape[axis + 1] // stride)
    g = padded(g, axis + 1, 0, taps * stride - shape[axis + 1])
    split = reshaped(g, (*shape[: axis + 1], taps, stride, *shape[axis + 2 :]))  # [o, j, r]
    both = _diagonals(split, axis, 1)  # [q, r]
    if taps > 1 and axis + 2 == len(shape) and _has_vectors(g) and not _is_sum(g):
        # Fused with their reader, each vector would have all phases in turns
        # (average pool 3x3 by 2 of 8x64x112x112 on a Neoverse N1: 73 ms, stored 18). Products are stored
        both = make(Op.CONTIGUOUS, both.dtype, (both,), None)
    return reshaped(both, (*shape[:axis], both.shape[axis] * stride, *shape[axis + 2 :]))


def _diagonals(g: Node, axis: int, apart: int) -> Node:
    """Sums over all [o, k] with o + k*apart = i: each row of k, with its zeros, begins `apart` places after
    the row before it, and the rows are added up."""
    span, size = g.shape[axis : axis + 2]
    if size == 1:
        return reshaped(g, (*g.shape[: axis + 1], *g.shape[axis + 2 :]))
    if size <= MOST_TERMS and _has_vectors(g):
        # as many sums as there are rows: each is read along memory, from one edge to the other
        ends = [(k * apart, (size - 1 - k) * apart) for k in range(size)]
        terms = [padded(_row(g, axis + 1, k), axis, *around) for k, around in enumerate(ends)]
        return reduce(lambda total, term: total.alu(Op.ADD, term), terms)
    order = list(range(len(g.shape)))
    order[axis], order[axis + 1] = axis + 1, axis
    rows = permuted(g, tuple(order))  # [k, o]
    whole = span + (size - 1) * apart
    rows = padded(rows, axis + 1, 0, whole + apart - span)
    head, tail = rows.shape[:axis], rows.shape[axis + 2 :]
    line = reshaped(rows, (*head, size * (whole + apart), *tail))
    shifted = reshaped(sliced(line, axis, 0, size * whole), (*head, size, whole, *tail))
    return summed(shifted, (axis,))


def _row(g: Node, axis: int, k: int) -> Node:
    """One place of an axis, which goes."""
    one = sliced(g, axis, k, 1)
    return reshaped(one, (*g.shape[:axis], *g.shape[axis + 1 :]))


# --- of products


class Product(NamedTuple):
    """A sum of products over the last axes, if any: both factors have all axes of the sum and then those that
    are summed, of length 1 where they do not depend on one. It is added up in a type."""

    factors: tuple[Node, Node]
    summed: Shape
    accumulator: DType


def _product(g: Node) -> Product | None:
    """What a cotangent is the sum of, if it is one of products or a product, moved to other axes at most."""
    moves = []
    total = g
    while total.op in (Op.RESHAPE, Op.PERMUTE, Op.CAST):
        if total.op is not Op.CAST:
            moves.append(total)
        total = total.src[0]
    axes: tuple[int, ...] = ()
    product, wide = total, total.dtype
    if total.op is Op.REDUCE and total.arg[0] == ADD:
        product, axes, wide = below_casts(total.src[0]), total.arg[1], total.src[0].dtype
    if product.op is not Op.MUL or product.dtype.is_complex:
        return None
    order = (*[a for a in range(len(product.shape)) if a not in axes], *axes)
    factors = [permuted(_without_copies(factor), order) for factor in product.src]
    for move in reversed(moves):
        factors = [_moved(factor, move) for factor in factors]
    lengths = tuple([product.shape[a] for a in axes])
    return Product((factors[0], factors[1]), lengths, wide)


def _is_sum(g: Node) -> bool:
    """Is a cotangent a sum of products over some axes?"""
    product = _product(g)
    return product is not None and bool(product.summed)


def _without_copies(factor: Node) -> Node:
    while factor.op is Op.EXPAND:
        factor = factor.src[0]
    return factor


def _moved(factor: Node, move: Node) -> Node:
    """A factor where a movement takes the sum; the axes that are summed stay behind."""
    before, after = move.src[0].shape, move.shape
    own, behind = factor.shape[: len(before)], factor.shape[len(before) :]
    if move.op is Op.PERMUTE:
        rest = range(len(before), len(factor.shape))
        return permuted(factor, (*move.arg, *rest))
    whole: list[int] = []  # the axes before, copied where only a part of those that are joined or split vary
    new: list[int] = []
    for left, right in _blocks(before, after):
        part = own[left]
        varies = any(n > 1 for n in part)
        whole += before[left] if varies else part
        new += after[right] if varies else [1] * len(after[right])
    return reshaped(expanded(factor, (*whole, *behind)), (*new, *behind))


def _blocks(before: Shape, after: Shape) -> list[tuple[slice, slice]]:
    """The shortest runs of axes of as many elements in both shapes of a reshape: (2, 6, 5) and (2, 2, 3, 5)
    give 2 and 2, 6 and 2 x 3, 5 and 5."""
    found = []
    left = right = 0
    while left < len(before) or right < len(after):
        i, j = left + 1, right + 1
        while (a := prod(before[left:i])) != (b := prod(after[right:j])):
            if (a < b and i < len(before)) or j >= len(after):
                i += 1
            else:
                j += 1
        found.append((slice(left, min(i, len(before))), slice(right, min(j, len(after)))))
        left, right = i, j
    return found


def _convolved(product: Product, axis: int, size: int, dilation: int, n: int) -> Node | None:
    """Sums over all [o, k] with o + k*dilation = i < n of a product in which one factor depends on o and the
    other on k < size, as a convolution; None if one depends on both, or none on k."""
    for signal, weight in (product.factors, product.factors[::-1]):
        if signal.shape[axis + 1] == weight.shape[axis] == 1 and weight.shape[axis + 1] == size:
            break
    else:
        return None
    reach = dilation * (size - 1)
    signal = reshaped(signal, (*signal.shape[: axis + 1], *signal.shape[axis + 2 :]))
    around = _padded_below(signal, axis, reach, n - signal.shape[axis])
    windows = make(Op.WINDOW, around.dtype, (around,), (axis, n, size, 1, dilation))
    # in front of the windows along later axes: weights lie so, as those of the convolution itself
    first = len(windows.shape) - len(product.summed)
    later = (at for at in range(first, len(windows.shape)) if _is_of_windows(windows, at))
    to = next(later, len(windows.shape)) - 1
    both = [_moved_to(windows, axis + 1, to), _moved_to(flipped(weight, axis + 1), axis + 1, to)]
    whole = tuple([max(pair) for pair in zip(both[0].shape, both[1].shape, strict=True)])
    left, right = (expanded(factor, whole) for factor in both)
    terms = left.alu(Op.MUL, right).cast(product.accumulator)
    return reduced(terms, ADD, tuple(range(first - 1, len(whole))))


def _padded_below(node: Node, axis: int, before: int, after: int) -> Node:
    """Zeros around an axis, put around what a movement takes it from: all axes of a convolution are padded at
    once then, in the order the signal lies in memory."""
    if node.op is Op.PERMUTE:
        return permuted(_padded_below(node.src[0], node.arg[axis], before, after), node.arg)
    if node.op is Op.WINDOW and axis not in (node.arg[0], node.arg[0] + 1):
        own = axis - (axis > node.arg[0])
        return make(Op.WINDOW, node.dtype, (_padded_below(node.src[0], own, before, after),), node.arg)
    if node.op is Op.RESHAPE and (own := _kept_axis(node, axis)) is not None:
        shape = list(node.shape)
        shape[axis] += before + after
        return reshaped(_padded_below(node.src[0], own, before, after), tuple(shape))
    if node.op is Op.EXPAND and node.src[0].shape[axis] == node.shape[axis]:
        below = _padded_below(node.src[0], axis, before, after)
        return expanded(below, (*node.shape[:axis], below.shape[axis], *node.shape[axis + 1 :]))
    if node.op is Op.PAD:
        amounts = list(node.arg)
        amounts[axis] = (amounts[axis][0] + before, amounts[axis][1] + after)
        return make(Op.PAD, node.dtype, node.src, tuple(amounts))
    return padded(node, axis, before, after)


def _kept_axis(reshape: Node, axis: int) -> int | None:
    """The axis of the source of a reshape that an axis is: neither split nor joined with others."""
    before, n = reshape.src[0].shape, reshape.shape[axis]
    for left, right in _blocks(before, reshape.shape):
        if right.start <= axis < right.stop and prod(reshape.shape[right]) == n > 1:
            return next((a for a in range(left.start, left.stop) if before[a] == n), None)
    return None


def _is_of_windows(node: Node, axis: int) -> bool:
    """Is an axis the places of windows, moved at most?"""
    while True:
        if node.op is Op.PERMUTE:
            axis = node.arg[axis]
        elif node.op is Op.WINDOW:
            if axis == node.arg[0] + 1:
                return True
            axis -= axis > node.arg[0] + 1
        elif node.op is Op.RESHAPE and (own := _kept_axis(node, axis)) is not None:
            axis = own
        elif node.op is not Op.EXPAND or node.src[0].shape[axis] != node.shape[axis]:
            return False
        node = node.src[0]


def _moved_to(node: Node, axis: int, to: int) -> Node:
    """An axis brought to another place."""
    axes = [a for a in range(len(node.shape)) if a != axis]
    return permuted(node, (*axes[:to], axis, *axes[to:]))


WINDOWS: Final[dict[Op, Callable[[Node, Node], Sequence[Node | None]]]] = {Op.WINDOW: _window}
