"""Results that are known when a kernel is written: at a point of unrolled axes their numbers are constants,
and of the parts of a stack one is chosen.

    where(0 * 8 + 1 < 4, a, b)  ->  a
"""

from __future__ import annotations

from ....graph.dtypes import DType
from ....graph.ops import Op
from ..code import Value

_COMPARED = {
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.EQ: lambda a, b: a == b,
    Op.NE: lambda a, b: a != b,
}
_COUNTED = {Op.ADD: lambda a, b: a + b, Op.SUB: lambda a, b: a - b, Op.MUL: lambda a, b: a * b}


def known_result(op: Op, dtype: DType, args: tuple[Value, ...]) -> Value | bool | int | None:
    """What an operation on constants comes to: one of its arguments, or a number; None for all others."""
    if op is Op.WHERE and args[0].is_literal:
        return args[1] if args[0].literal else args[2]
    if dtype.is_bool and (op is Op.AND or op is Op.OR):
        for one, other in (args, args[::-1]):
            if one.is_literal:
                return other if bool(one.literal) is (op is Op.AND) else bool(one.literal)
    if any(not arg.is_literal or arg.dtype.is_float for arg in args):
        return None
    if op in _COMPARED:
        return bool(_COMPARED[op](args[0].literal, args[1].literal))
    if op in _COUNTED and dtype.is_int and not dtype.is_bool:
        made = int(_COUNTED[op](args[0].literal, args[1].literal))
        return made if dtype.min <= made <= dtype.max else None
    return None
