"""Moves as text: what a search found is kept, shown, edited and replayed.

    >>> text = to_json([Split(0, 8, "vector"), Bind(1, "parallel")])
    >>> from_json(text)
    [Split(axis=0, factor=8, kind='vector'), Bind(axis=1, kind='parallel')]

Moves for the CPU are replayed on `prepared(kernel)`, the kernel as the heuristics begin with it; the move for
a GPU says how it is laid out. Legality is checked then, so a saved list can be slow but not wrong.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, fields
from math import prod
from typing import Any, Final

from ...graph.kernel import REGISTER_KINDS, Kernel, range_size
from ...graph.node import Node
from ...graph.ops import Op
from ...reading import FAILURES, parse_json, shown
from ...runtime import searched
from ...runtime.searched import Result
from .analysis import kernel_name
from .gpu_moves import Attend, Card, Flat, GpuMove, Multiply, Rows, Turn
from .moves import Accumulate, Bind, Copy, IllegalMove, Merge, Move, Order, Pack, Split, Widen, apply
from .ragged import shorten_folds

_MOVES: Final[dict[str, type[Any]]] = {
    kind.__name__: kind
    for kind in (Split, Merge, Bind, Order, Pack, Copy, Accumulate, Widen, Flat, Rows, Multiply, Attend, Turn)
}
#: moves of a kernel, the numbers in them, and what register axes and tiles may come to: points, bytes
MOST_MOVES: Final = 256
MOST_NUMBER: Final = 1 << 31
MOST_POINTS: Final = 1 << 12
MOST_TILES: Final = 1 << 28
#: the values of a field, by its type
_VALUES: Final[dict[str, type]] = {"int": int, "str": str, "bool": bool, "tuple[int, ...]": tuple}


def to_json(moves: Sequence[Move | GpuMove]) -> str:
    return json.dumps([{"move": type(move).__name__, **asdict(move)} for move in moves])


def from_json(text: str) -> list[Move | GpuMove]:
    """The moves, or ValueError for a text that is none."""
    try:
        listed = parse_json(text)
        if len(listed) > MOST_MOVES:
            raise ValueError(f"{len(listed)} moves, and at most {MOST_MOVES} are made")
        return [_move(values) for values in listed]
    except FAILURES as error:
        raise ValueError(f"not a list of moves: {shown(text)} ({error or type(error).__name__})") from None


def _move(given: dict[str, Any]) -> Move | GpuMove:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    kind = values.pop("move")
    if kind not in _MOVES:
        raise ValueError(f"unknown move {kind!r}: use one of {', '.join(_MOVES)}")
    for field in fields(_MOVES[kind]):
        value = values.get(field.name, field.default)
        numbers = value if isinstance(value, tuple) else (value,)
        if field.name in values and type(value) is not _VALUES[str(field.type)]:
            raise ValueError(f"{field.name} of {kind} is a {field.type}, not {shown(value)}")
        if any(isinstance(number, int) and not 0 <= number < MOST_NUMBER for number in numbers):
            raise ValueError(f"{field.name} of {kind} is {shown(value)}, not from 0 to {MOST_NUMBER}")
    made: Move | GpuMove = _MOVES[kind](**values)
    return made


def prepared(kernel: Kernel) -> Kernel:
    """The kernel that moves are made on."""
    return shorten_folds(kernel)


def replay(kernel: Kernel, moves: list[Move]) -> Kernel:
    """The kernel with these moves; IllegalMove if it has no place for one of them, or if what they make is
    legal but could never be compiled or held in memory."""
    made = apply(prepared(kernel), moves)
    points = max(
        prod(range_size(r) for r in node.ranges if r.arg.kind in REGISTER_KINDS) for node in made.nodes
    )
    tiles = sum(node.arg.size * node.dtype.itemsize for node in made.nodes if node.op is Op.STAGE)
    if points > MOST_POINTS or tiles > MOST_TILES:
        raise IllegalMove(f"registers for {points} points, and tiles of {tiles} bytes")
    return made


def kernel_text(kernel: Kernel) -> str:
    """All that makes a kernel what it is: equal kernels have equal texts, in every process."""
    numbers: dict[Node, int] = {}
    lines = []
    for node in kernel.nodes:
        numbers[node] = len(numbers)
        arg = (
            struct.pack("d", node.arg).hex()
            if node.op is Op.CONST and node.dtype.is_float
            else repr(node.arg)
        )
        lines.append(f"{node.op.name} {node.dtype.name} {[numbers[s] for s in node.src]} {arg}")
    order = [numbers[r] for r in kernel.order]
    return "\n".join(
        [*lines, repr(order), repr([(d.name, n) for d, n in kernel.params]), repr(kernel.outputs)]
    )


# --- for the CPU


def saved_kernel(kernel: Kernel) -> Kernel | None:
    """The kernel with the moves a search found for it, if any; what does not fit is discarded with a note."""
    target = searched.target_of("cpu")
    if not searched.generation(target):  # nobody has searched here: nothing to look for
        return None
    text = kernel_text(kernel)
    found = searched.find(text, target)
    if found is None:
        return None
    try:
        moves = from_json(found.moves)
        if not all(isinstance(move, Move) for move in moves):
            raise ValueError(f"{found.moves:.80} is for a GPU")
        return replay(kernel, [move for move in moves if isinstance(move, Move)])
    except (ValueError, IllegalMove) as error:
        searched.discard(text, target, str(error))
        return None


def save(kernel: Kernel, moves: list[Move], before: float = 0.0, after: float = 0.0) -> None:
    """Keep the moves found for a kernel on this kind of machine."""
    result = Result(kernel_name(kernel), to_json(moves), before, after)
    searched.keep(kernel_text(kernel), result, searched.target_of("cpu"))


# --- for a GPU


def saved_move(kernel: Kernel, card: Card, target: str) -> GpuMove | None:
    """The move a search found for a kernel on such a card, if any."""
    if not searched.generation(target):
        return None
    text = _text_for(kernel, card)
    found = searched.find(text, target)
    if found is None:
        return None
    try:
        (move,) = from_json(found.moves)
    except ValueError as error:
        searched.discard(text, target, str(error))
        return None
    if isinstance(move, GpuMove):
        return move
    searched.discard(text, target, f"{move} is for the CPU")
    return None


def discard_move(kernel: Kernel, card: Card, target: str, reason: str) -> None:
    """Forget a move that the kernel has no place for, with a note."""
    searched.discard(_text_for(kernel, card), target, reason)


def save_move(kernel: Kernel, card: Card, target: str, move: GpuMove, before: float, after: float) -> None:
    """Keep the move found for a kernel on such a card."""
    result = Result(kernel_name(kernel), to_json([move]), before, after)
    searched.keep(_text_for(kernel, card), result, target)


def _text_for(kernel: Kernel, card: Card) -> str:
    """What settings allow is part of the question: they change what is best, and what there is."""
    return f"{kernel_text(kernel)}\nwarpgroups {card.wgmma}, tf32 {card.tf32}"
