"""Moves as text: what a search found is kept, shown, edited and replayed.

    >>> text = to_json([Split(0, 8, "vector"), Bind(1, "parallel")])
    >>> from_json(text)
    [Split(axis=0, factor=8, kind='vector'), Bind(axis=1, kind='parallel')]

Moves are replayed on `prepared(kernel)`, the kernel as the heuristics begin with it. Legality is checked
then, so a saved list can be slow but not wrong.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any, Final

from ...graph.kernel import Kernel
from ...graph.node import Node
from ...graph.ops import Op
from ...runtime import searched
from .moves import Bind, Copy, IllegalMove, Merge, Move, Order, Pack, Split, Widen, apply
from .ragged import shorten_folds

_MOVES: Final[dict[str, type[Any]]] = {
    kind.__name__: kind for kind in (Split, Merge, Bind, Order, Pack, Copy, Widen)
}


def to_json(moves: list[Move]) -> str:
    return json.dumps([{"move": type(move).__name__, **asdict(move)} for move in moves])


def from_json(text: str) -> list[Move]:
    """The moves, or ValueError for a text that is none."""
    try:
        return [_move(fields) for fields in json.loads(text)]
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a list of moves: {text!r:.80} ({error})") from None


def _move(fields: dict[str, Any]) -> Move:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    kind = values.pop("move")
    if kind not in _MOVES:
        raise ValueError(f"unknown move {kind!r}: use one of {', '.join(_MOVES)}")
    made: Move = _MOVES[kind](**values)
    return made


def prepared(kernel: Kernel) -> Kernel:
    """The kernel that moves are made on."""
    return shorten_folds(kernel)


def replay(kernel: Kernel, moves: list[Move]) -> Kernel:
    """The kernel with these moves; IllegalMove if it has no place for one of them."""
    return apply(prepared(kernel), moves)


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


def saved_kernel(kernel: Kernel) -> Kernel | None:
    """The kernel with the moves a search found for it, if any; what does not fit is discarded with a note."""
    if not searched.generation():  # nobody has searched here: nothing to look for
        return None
    text = kernel_text(kernel)
    found = searched.find(text)
    if found is None:
        return None
    try:
        return replay(kernel, from_json(found))
    except (ValueError, IllegalMove) as error:
        searched.discard(text, str(error))
        return None


def save(kernel: Kernel, moves: list[Move]) -> None:
    """Keep the moves found for a kernel on this kind of machine."""
    searched.keep(kernel_text(kernel), to_json(moves))
