"""Where a kernel waits for the one in front of it: behind loads of what nobody writes meanwhile.

    place_wait(body, frozenset({3}))        # the weights of a product in slot 3; activations in slot 2

    v1 = load p3[...]                       on its way while the kernel in front ends
    follow
    v2 = load p2[...]                       what that kernel wrote

From Hopper on a kernel begins before the one in front has ended. What it reads of a matrix that no kernel of
the program writes needs no waiting for: it is in registers by the time that activations are there. In a loop
the first iteration waits, behind its own loads:

    for (i = 0; i < 4; ++i) { v1 = load p3[...]; if (i == 0) follow; v2 = load p2[...]; ... }
"""

from __future__ import annotations

from typing import Final

from ..code import Block, Instruction, Loop, Repeat, Value

#: instructions that read and write registers alone
_REGISTERS: Final = frozenset(
    {"place", "given", "const", "alu", "cast", "bitcast", "splat", "extract", "pack", "get", "set", "dot",
     "permute", "least", "most"}
)  # fmt: skip


def place_wait(body: Block, settled: frozenset[int]) -> bool:
    """Put `follow` in front of the first access to any memory but the buffers in these slots, where loads of
    them come before it; else nothing is changed, and False."""
    return bool(settled) and _place(body, settled, ())


def _place(body: Block, settled: frozenset[int], first: tuple[Value, ...]) -> bool:
    """The same in loops whose variables are `first`, which are 0 when it waits."""
    behind = 0
    for number, item in enumerate(body.items):
        if isinstance(item, Instruction):
            if item.kind in _REGISTERS:
                continue
            if item.kind == "load" and item.arg[0].slot in settled:
                behind = number + 1
                continue
        elif isinstance(item, Loop) and _runs(item) and _place(item.body, settled, (*first, item.variable)):
            item.unroll = 1  # a first iteration written apart takes twice the registers
            return True
        break
    if behind:  # what is computed of the loads comes later, and has no registers while it waits
        body.items.insert(behind, Instruction("follow", None, first))
    return behind > 0


def _runs(loop: Loop | Repeat) -> bool:
    """Does a loop begin at 0, and run at least once?"""
    return (
        isinstance(loop, Loop)
        and loop.begin.is_literal
        and loop.begin.literal == 0
        and loop.end.is_literal
        and loop.end.literal > 0
    )
