"""What a search found is kept and replayed, and so is what a person asks for.

    save(kernel, [Split(0, 8, "vector"), Bind(1, "parallel")])
    saved_kernel(kernel)              # the kernel with those moves, in this process and the next

Moves for the CPU are replayed on `prepared(kernel)`, the kernel as the heuristics begin with it; the move for
a GPU says how it is laid out. Legality is checked then, so a saved list can be slow but not wrong.
"""

from __future__ import annotations

import struct
from math import prod
from typing import Final

from ...graph.kernels.kernel import REGISTER_KINDS, Kernel, range_size
from ...graph.node import Node
from ...graph.ops import Op
from ...runtime.cache import searched
from ...runtime.cache.searched import Result
from ..cpu.heuristic import prepared
from ..cuda.search.moves import Card, GpuMove
from ..moves.analysis import kernel_name
from ..moves.legal import IllegalMove
from ..moves.moves import Move, apply, step
from ..moves.text import from_json, from_words, to_json

#: what register axes and tiles may come to: points, bytes
MOST_POINTS: Final = 1 << 12
MOST_TILES: Final = 1 << 28


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


# --- asked for at the tensor


def asked_kernel(kernel: Kernel) -> Kernel:
    """The kernel with the moves its tensor asks for; IllegalMove says which it has no place for, and why."""
    if kernel.sink.src[0].op is Op.SORT:
        raise _refused(kernel, kernel.asked[0], "sorting takes no moves")
    made = prepared(kernel)
    for words in kernel.asked:
        move = from_words(words)
        if not isinstance(move, Move):
            raise _refused(kernel, words, "it lays a kernel out on a GPU, and this one is not for a GPU")
        try:
            made = step(made, move)
        except IllegalMove as error:
            raise _refused(kernel, words, str(error)) from None
    return made


def asked_move(kernel: Kernel) -> GpuMove:
    """The layout on a GPU that a kernel's tensor asks for."""
    if len(kernel.asked) > 1:
        raise _refused(kernel, kernel.asked[1], "a kernel on a GPU has one layout")
    move = from_words(kernel.asked[0])
    if isinstance(move, GpuMove):
        return move
    raise _refused(kernel, kernel.asked[0], "it is a move for the CPU, and this kernel is for a GPU")


def refused_layout(kernel: Kernel, reason: str) -> IllegalMove:
    """The error for a layout that a kernel has no place for."""
    return _refused(kernel, kernel.asked[0], reason)


def _refused(kernel: Kernel, words: str, reason: str) -> IllegalMove:
    name = kernel_name(kernel)
    return IllegalMove(
        f"contiguous(moves=...) asks kernel {name} for {words!r}, which it cannot do: {reason}"
    )


# --- found by a search


def kernel_text(kernel: Kernel) -> str:
    """All that makes a kernel what it is: equal kernels have equal texts, in every process."""
    numbers: dict[Node, int] = {}
    lines = []
    unread = [n for r in kernel.order for n in r.toposort()]  # loops that nothing depends on come last
    for node in dict.fromkeys([*kernel.nodes, *unread]):
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
