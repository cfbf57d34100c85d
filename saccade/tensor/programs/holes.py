"""Which numbers of a node are *holes* of a form: those a program is the same without.

    >>> numbers = []
    >>> HOLES[Op.SLICE].take(Tensor([1, 2, 3, 4, 5])[2:4].node, numbers)
    ((None, 2, 1),)
    >>> numbers
    [2]

A constant has its value as a hole, a slice (read or written) where it starts, padding how much of it comes
after. `HOLES` has an entry for each op whose `arg` has some. A hole that can hold only one number is none: a
slice of a whole axis starts at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from ...graph.dtypes import DType
from ...graph.node import Node, make
from ...graph.ops import Op
from ..jit.number import Expression, is_given

#: What stands in a hole of an `arg`: a Python number, or a VALUE.
Filling = int | Node


class Holes(NamedTuple):
    """The holes of an op. `take` appends the numbers of a node to a list and returns the rest of its `arg`;
    `count` is how many belong to such a rest, `limits` the least and the greatest number of each, given the
    first source; `put` is the way back."""

    take: Callable[[Node, list[Any]], Any]
    count: Callable[[Any], int]
    limits: Callable[[Any, Node], list[tuple[int, int]]]
    put: Callable[[DType, tuple[Node, ...], Any, Iterator[Filling]], Node]


# --- SLICE: where it starts


def take_starts(slices: Any, shape: tuple[int, ...], numbers: list[Any]) -> Any:
    """Slices of an axis each, without the starts of those that are shorter than their axis."""
    fixed = []
    for (start, length, step), n in zip(slices, shape, strict=True):
        if length > 0 and (length - 1) * abs(step) + 1 < n:
            numbers.append(start)
            start = None
        fixed.append((start, length, step))
    return tuple(fixed)


def count_starts(fixed: Any) -> int:
    return sum(start is None for start, *_ in fixed)


def limits_of_starts(fixed: Any, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Where slices may start so that they stay on their axes."""
    found = []
    for (start, length, step), n in zip(fixed, shape, strict=True):
        if start is None:
            span = (length - 1) * step
            found.append((max(0, -span), n - 1 - max(0, span)))
    return found


def put_starts(fixed: Any, numbers: Iterator[Filling]) -> Any:
    return tuple([(next(numbers) if start is None else start, *rest) for start, *rest in fixed])


def _slice(dtype: DType, src: tuple[Node, ...], fixed: Any, numbers: Iterator[Filling]) -> Node:
    return make(Op.SLICE, dtype, src, put_starts(fixed, numbers))


def _update(dtype: DType, src: tuple[Node, ...], fixed: Any, numbers: Iterator[Filling]) -> Node:
    return make(Op.UPDATE, dtype, src, put_starts(fixed, numbers))


# --- PAD: how much of the padding comes after


def _take_padding(node: Node, numbers: list[Any]) -> Any:
    fixed = []
    for before, after in node.arg:
        if before or after:
            numbers.append(after)
        fixed.append(before + after)
    return tuple(fixed)


def _limits_of_padding(fixed: Any, _: Node) -> list[tuple[int, int]]:
    return [(0, total) for total in fixed if total]


def _pad(dtype: DType, src: tuple[Node, ...], fixed: Any, numbers: Iterator[Filling]) -> Node:
    """Padding of which only the total is known is a part of more: all of it on both sides, from `after`."""
    amounts: list[tuple[int, int]] = []
    slices: list[tuple[Filling, int, int]] = []
    for total, n in zip(fixed, src[0].shape, strict=True):
        after = next(numbers) if total else 0
        if isinstance(after, Node):
            amounts.append((total, total))
            slices.append((after, n + total, 1))
        else:
            amounts.append((total - after, after))
            slices.append((0, n + total, 1))
    padded = make(Op.PAD, dtype, src, tuple(amounts))
    if all(start == 0 for start, _, _ in slices):
        return padded
    return make(Op.SLICE, dtype, (padded,), tuple(slices))


def numbers_given(node: Node) -> list[Expression]:
    """The numbers of a node that are not known yet."""
    found: list[Any] = [node.arg] if node.op is Op.VALUE else []
    holes = HOLES.get(node.op)
    if holes is not None:
        holes.take(node, found)
    return [number for number in found if is_given(number)]


HOLES: Final[dict[Op, Holes]] = {
    Op.SLICE: Holes(
        lambda node, numbers: take_starts(node.arg, node.src[0].shape, numbers),
        count_starts,
        lambda fixed, source: limits_of_starts(fixed, source.shape),
        _slice,
    ),
    Op.UPDATE: Holes(
        lambda node, numbers: take_starts(node.arg, node.src[0].shape, numbers),
        count_starts,
        lambda fixed, source: limits_of_starts(fixed, source.shape),
        _update,
    ),
    Op.ASSIGN: Holes(  # whose store it is says nothing about what is stored
        lambda node, numbers: None,
        lambda fixed: 0,
        lambda fixed, source: [],
        lambda dtype, src, fixed, numbers: make(Op.ASSIGN, dtype, src),
    ),
    Op.PAD: Holes(_take_padding, lambda fixed: sum(map(bool, fixed)), _limits_of_padding, _pad),
}
