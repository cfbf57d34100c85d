"""Long computations for one side of a choice run where that side is chosen.

    v1 = (f64)v0; ... v70 = log(v69)        v9 = ...; if (v8) { v1 = (f64)v0; ...; v9 = v70; }
    v71 = v8 ? v70 : v9                ->   v71 = v9

A function that has another formula beyond some place, such as the gamma function on the left of 0, has both
for every element. On a GPU a warp in which no element is beyond it goes around: lgamma of positive numbers
takes 130 instructions instead of 290. Only arithmetic moves; loads stay where they are, in flight with the
others. A warp of both kinds pays for both, as before.
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from typing import Final

from ....graph import dtypes
from ....graph.ops import TRANSCENDENTAL, Op
from ..code import Block, Branch, Instruction, Loop, Repeat, Value, Variable

#: instructions of a side from which it pays to go around, and what some count for: exact quotients,
#: functions, and float64, of which a processor begins half as many at once, and converts fewer
LONG: Final = 64
_QUOTIENT: Final = 10
_FUNCTION: Final = 20
_CONVERTED: Final = 8
_MOVED: Final = frozenset({"alu", "cast", "bitcast"})


def set_aside(body: Block, variables: list[Variable]) -> None:
    """Move what only one side of a choice needs into a branch, where it is long."""
    uses: Counter[Value] = Counter()
    _count(body, uses)
    _in_block(body, uses, variables)


def _count(block: Block, uses: Counter[Value]) -> None:
    for item in block.items:
        if isinstance(item, Instruction):
            uses.update(item.args)
            continue
        if isinstance(item, Branch):
            uses[item.condition] += 1
        elif isinstance(item, Loop):
            uses.update((item.begin, item.end))
        _count(item.body, uses)


def _in_block(block: Block, uses: Counter[Value], variables: list[Variable]) -> None:
    made: dict[Value, int] = {}
    for at, item in enumerate(block.items):
        if not isinstance(item, Instruction):
            _in_block(item.body, uses, variables)
        elif item.result is not None and item.kind in _MOVED:
            made[item.result] = at
    if sum(_length(block.items[at]) for at in made.values()) < LONG:
        return
    gone: set[int] = set()
    instead: dict[int, list[Instruction | Loop | Repeat | Branch]] = {}
    for at in reversed(range(len(block.items))):
        item = block.items[at]
        if at in gone or not isinstance(item, Instruction) or not _is_choice(item):
            continue
        side = _only_for(item.args[1], block, made, uses)
        if at in gone or sum(_length(block.items[n]) for n in side) < LONG:
            continue
        gone |= set(side)
        instead[at] = _branched(item, [block.items[n] for n in sorted(side)], variables)
    if instead:
        block.items = [
            new for at, item in enumerate(block.items) if at not in gone for new in instead.get(at, [item])
        ]


def _is_choice(item: Instruction) -> bool:
    return item.kind == "alu" and item.arg[0] is Op.WHERE and item.args[0].width == 1


def _only_for(value: Value, block: Block, made: dict[Value, int], uses: Counter[Value]) -> list[int]:
    """The instructions of a block that nothing but this value needs, its own included."""
    found: list[int] = []
    inside: Counter[Value] = Counter({value: 1})
    waiting = [-made[value]] if value in made else []
    seen = set(waiting)
    while waiting:  # users come behind what they use, so they are found first
        at = -heappop(waiting)
        item = block.items[at]
        assert isinstance(item, Instruction)
        if inside[item.made] < uses[item.made]:
            continue
        found.append(at)
        for arg in item.args:
            inside[arg] += 1
            if arg in made and -made[arg] not in seen:
                seen.add(-made[arg])
                heappush(waiting, -made[arg])
    return found


def _branched(
    choice: Instruction, side: list[Instruction | Loop | Repeat | Branch], variables: list[Variable]
) -> list[Instruction | Loop | Repeat | Branch]:
    """The same choice: the other value, and this one where the condition holds."""
    condition, value, other = choice.args
    variable = Variable(len(variables), choice.made.dtype, choice.made.width)
    variables.append(variable)
    return [
        Instruction("set", None, (other,), variable),
        Branch(condition, Block([*side, Instruction("set", None, (value,), variable)])),
        Instruction("get", choice.result, (), variable),
    ]


def _length(item: Instruction | Loop | Repeat | Branch) -> int:
    """About how many instructions of a processor it takes, where it is arithmetic of floats."""
    if not isinstance(item, Instruction) or item.result is None:
        return 0
    wide = any(value.dtype is dtypes.float64 for value in (item.result, *item.args))
    if item.kind == "cast":
        return _CONVERTED if wide else 1
    if item.kind != "alu" or not item.made.dtype.is_float:
        return 0
    op = item.arg[0]
    each = _FUNCTION if op in TRANSCENDENTAL else _QUOTIENT if op in (Op.DIV, Op.RECIP) else 1
    return each * 2 if wide else each
