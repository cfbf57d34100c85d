"""Where a kernel waits for the one in front of it: behind loads of what nobody writes meanwhile.

    place_wait(lowering, frozenset({3}))    # the weights of a product in slot 3; activations in slot 2

    v1 = load p3[...]                       on its way while the kernel in front ends
    follow
    v2 = load p2[...]                       what that kernel wrote

From Hopper on a kernel begins before the one in front has ended. What it reads of a matrix that no kernel of
the program writes needs no waiting for: it is in registers by the time that activations are there. A loop
over a matrix is pipelined: it has the words of its next iteration on their way while it computes, and those
of the first before the kernel waits.

    a = load p3[0]; follow
    for (i = 0; i < 4; ++i) { v1 = a; if (i + 1 < 4) a = load p3[i + 1]; v2 = load p2[i]; ... }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....graph import dtypes
from ....graph.ops import Op
from ..builder import Builder
from ..code import Block, Branch, Instruction, Loop, Repeat, Value, Variable
from .code import WARP

Item = Instruction | Loop | Repeat | Branch

#: instructions that make a value of others and of nothing else
_PURE: Final = frozenset(
    {"place", "given", "const", "alu", "cast", "bitcast", "splat", "extract", "pack", "dot", "permute",
     "least", "most"}
)  # fmt: skip
#: and those of accumulators
_REGISTERS: Final = _PURE | {"get", "set"}


def place_wait(builder: Builder, settled: frozenset[int]) -> bool:
    """Put `follow` in front of the first access to any memory but the buffers in these slots, where loads of
    them come before it; else nothing is changed, and False. Loops that begin with such loads are
    pipelined."""
    body = builder.stack[0].block
    place = _place(body.items, settled)
    if place is None:
        return False
    made: list[Item] = []
    for number, item in enumerate(body.items):
        loads = _begin(item, settled) if isinstance(item, Loop) and number >= place else 0
        if loads:
            assert isinstance(item, Loop)
            made += _pipelined(builder, item, loads)
        if number == place:
            made.append(Instruction("follow", None))
        made.append(item)
    body.items[:] = made
    return True


def _place(items: Sequence[Item], settled: frozenset[int]) -> int | None:
    """The number of the item in front of which a kernel waits: behind its last load of a matrix, or at the
    loop whose first loads it has made."""
    behind = None
    for number, item in enumerate(items):
        if isinstance(item, Instruction) and item.kind in _REGISTERS:
            continue
        if isinstance(item, Instruction) and _is_load(item, settled):
            # what is computed of the loads comes later, and has no registers while it waits
            behind = number + 1
            continue
        return number if isinstance(item, Loop) and _begin(item, settled) else behind
    return None


def _is_load(item: Instruction, settled: frozenset[int]) -> bool:
    return item.kind == "load" and item.arg[0].slot in settled


def _begin(loop: Loop, settled: frozenset[int]) -> int:
    """How many instructions of a loop that runs at least once are loads of these buffers and what they need,
    before all others."""
    ends = (loop.begin, loop.end)
    if not all(end.is_literal for end in ends) or loop.begin.literal != 0 or loop.end.literal < 1:
        return 0
    last = 0
    for number, item in enumerate(loop.body.items):
        if not isinstance(item, Instruction):
            break
        if _is_load(item, settled):
            last = number + 1
        elif item.kind not in _PURE:
            break
    return last


def _pipelined(builder: Builder, loop: Loop, count: int) -> list[Item]:
    """Change the loop, whose first instructions are loads and what they need; what is to stand in front."""
    begin = [item for item in loop.body.items[:count] if isinstance(item, Instruction)]
    loads = [item for item in begin if item.kind == "load"]
    held = {item.result: _variable(builder, item.result) for item in loads if item.result is not None}
    kind = loop.variable.dtype
    first = _copied(builder, begin, held, loop.variable, Value(-1, kind, 1, 0))
    one, bound = Value(-1, kind, 1, 1), loop.end
    after, more = builder.new(kind), builder.new(dtypes.bool_)
    ahead: list[Item] = [
        Instruction("alu", after, (loop.variable, one), (Op.ADD, False)),
        Instruction("alu", more, (after, bound), (Op.LT, False)),
        Branch(more, Block(_copied(builder, begin, held, loop.variable, after))),
        # ptxas moves no load past it: it would have them begin when the iteration ends, for fewer registers
        Instruction("barrier", None, (), WARP),
    ]
    kept: list[Item] = [
        item if item.result not in held else Instruction("get", item.result, (), held[item.result])
        for item in begin
    ]
    loop.body.items[:count] = kept + ahead
    return first


def _variable(builder: Builder, value: Value) -> Variable:
    made = Variable(len(builder.variables), value.dtype, value.width)
    builder.variables.append(made)
    return made


def _copied(
    builder: Builder, items: list[Instruction], held: dict[Value, Variable], variable: Value, at: Value
) -> list[Item]:
    """The instructions once more, with the loop's variable at some value; what they load goes to registers
    that last."""
    new: dict[Value, Value] = {variable: at}
    made: list[Item] = []
    for item in items:
        if item.result is None:
            continue
        result = builder.new(item.result.dtype, item.result.width)
        new[item.result] = result
        args = tuple([new.get(a, a) for a in item.args])
        made.append(Instruction(item.kind, result, args, item.arg))
        if item.result in held:
            made.append(Instruction("set", None, (result,), held[item.result]))
    return made
