"""Quotients of which only 16-bit floats are made.

    v3 = v1 / v2;  v4 = v3 * v0;  v5 = (bfloat16)v4        v3 may be off by two units of float32's last place

Such an error is a 2**-13 of a unit of bfloat16's last place, and a product keeps it; a sum might not, because
it may cancel. The exact quotient of float32 has a test and a branch for each element: without them SiLU of
33M bfloat16 takes 37 us on an H200 instead of 43, which is what reading and writing them takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....graph import dtypes
from ....graph.ops import Op
from ..code import Block, Instruction, Value

_HALVES = (dtypes.float16, dtypes.bfloat16)


def narrow_quotients(body: Block) -> set[Value]:
    """The quotients in float32 that reach nothing but a cast to 16 bits, by products at most."""
    uses: dict[Value, list[Instruction]] = {}
    made: list[Instruction] = []
    for item in _instructions(body):
        made.append(item)
        for value in item.args:
            uses.setdefault(value, []).append(item)
    narrow: set[Value] = set()
    for item in reversed(made):  # a value is used behind where it is made
        result = item.result
        if result is None or result.dtype is not dtypes.float32 or result not in uses:
            continue
        if all(_keeps_error(use, result, narrow) for use in uses[result]):
            narrow.add(result)
    quotients = (i.result for i in made if i.kind == "alu" and i.arg[0] in (Op.DIV, Op.RECIP))
    return narrow.intersection(quotients)


def _keeps_error(use: Instruction, value: Value, narrow: set[Value]) -> bool:
    """Does a use round the value to 16 bits, or pass its relative error on to what does?"""
    if use.kind == "cast":
        return use.result is not None and use.result.dtype in _HALVES
    if use.kind != "alu" or use.result not in narrow:
        return False
    op = use.arg[0]
    return op in (Op.MUL, Op.DIV, Op.NEG) or (op is Op.WHERE and use.args[0] is not value)


def _instructions(block: Block) -> Iterator[Instruction]:
    for item in block.items:
        if isinstance(item, Instruction):
            yield item
        else:
            yield from _instructions(item.body)
