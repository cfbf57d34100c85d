"""Laws: rewrites written as text, which is at once the documentation, the code and the theorem.

    >>> parse("max(x, y) -> y if hi(x) <= lo(y)")

The syntax is Python's: + - * / // % << >> & | ^ ~ < <= == != > >=, `max`, `min`, `where(condition, yes, no)`,
numbers, True and False; `load(i, valid)` and `store(i, x, valid)` of one memory. A name is any node, the same
name the same node; a name that begins with c and is at most two long (c, c1) is a constant. After `if` come
conditions on constants and on the intervals `lo(x)` and `hi(x)`, joined by `and`; after `by` an equation that
helps the proof (and is proved first). `rule_from` compiles a law to a rule of the simplifier; `prove` turns
the same text into a formula.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..dtypes import DType, bool_
from ..node import Node, const
from ..ops import COMMUTATIVE, Op
from ..rewriting.pattern import Pattern, Rule
from ..rules.bounds import bounds

BINARY_OPS: dict[type[ast.operator], Op] = {
    ast.Add: Op.ADD, ast.Sub: Op.SUB, ast.Mult: Op.MUL, ast.FloorDiv: Op.IDIV, ast.Mod: Op.MOD,
    ast.BitAnd: Op.AND, ast.BitOr: Op.OR, ast.BitXor: Op.XOR, ast.LShift: Op.SHL, ast.RShift: Op.SHR,
    ast.Div: Op.DIV,
}  # fmt: skip
COMPARE_OPS: dict[type[ast.cmpop], Op] = {ast.Lt: Op.LT, ast.LtE: Op.LE, ast.Eq: Op.EQ, ast.NotEq: Op.NE}
SWAPPED_OPS: dict[type[ast.cmpop], Op] = {ast.Gt: Op.LT, ast.GtE: Op.LE}
UNARY_OPS: dict[type[ast.unaryop], Op] = {ast.USub: Op.NEG, ast.Invert: Op.NOT}
CALLED_OPS: dict[str, Op] = {
    "max": Op.MAX, "min": Op.MIN, "where": Op.WHERE, "load": Op.LOAD, "store": Op.STORE,
}  # fmt: skip


@dataclass(frozen=True)
class Law:
    """`before -> after if condition by lemma`, parsed."""

    text: str
    before: ast.expr
    after: ast.expr
    condition: ast.expr | None
    lemma: ast.expr | None


def parse(text: str) -> Law:
    """A law from its text."""
    statement, _, lemma = text.partition(" by ")
    statement, _, condition = statement.partition(" if ")
    before, arrow, after = statement.partition("->")
    if not arrow:
        raise ValueError(f"{text!r} is not a law: write 'before -> after' or 'before -> after if condition'")
    try:
        parts = (before, after, condition or "True", lemma or "True")
        sides = [ast.parse(part.strip(), mode="eval").body for part in parts]
    except SyntaxError as error:
        raise ValueError(f"cannot read the law {text!r}: {error.msg}") from None
    return Law(text, sides[0], sides[1], sides[2] if condition else None, sides[3] if lemma else None)


def is_constant_name(name: str) -> bool:
    return name.startswith("c") and len(name) <= 2


def operation(expression: ast.expr) -> tuple[Op, list[ast.expr]] | None:
    """The op and the operands of an expression; None for names and numbers."""
    if isinstance(expression, ast.BinOp) and type(expression.op) in BINARY_OPS:
        return (BINARY_OPS[type(expression.op)], [expression.left, expression.right])
    if isinstance(expression, ast.UnaryOp) and type(expression.op) in UNARY_OPS:
        if isinstance(expression.operand, ast.Constant):
            return None
        return (UNARY_OPS[type(expression.op)], [expression.operand])
    if isinstance(expression, ast.Compare) and len(expression.ops) == 1:
        kind, left, right = type(expression.ops[0]), expression.left, expression.comparators[0]
        if kind in COMPARE_OPS:
            return (COMPARE_OPS[kind], [left, right])
        if kind in SWAPPED_OPS:
            return (SWAPPED_OPS[kind], [right, left])
    if isinstance(expression, ast.Call) and called(expression) in CALLED_OPS:
        return (CALLED_OPS[called(expression)], expression.args)
    if isinstance(expression, ast.Name | ast.Constant):
        return None
    raise ValueError(f"a law cannot contain {ast.unparse(expression)!r}")


def called(expression: ast.Call) -> str:
    """The name of the function a call calls; nothing for other calls."""
    return expression.func.id if isinstance(expression.func, ast.Name) else ""


def is_limit(expression: ast.expr) -> bool:
    """Is it lo(x) or hi(x)?"""
    return isinstance(expression, ast.Call) and called(expression) in ("lo", "hi")


def literal(expression: ast.expr) -> float | bool | None:
    """The value of a number, also a negative one; None for anything else."""
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
        value = literal(expression.operand)
        return None if value is None else -value
    if isinstance(expression, ast.Constant) and isinstance(expression.value, int | float):
        return expression.value
    return None


def pattern_of(expression: ast.expr, dtype: Callable[[DType], bool] | None = None) -> Pattern:
    """The pattern that finds the left side of a law."""
    value = literal(expression)
    if value is not None:
        # True == 1 in Python, so truth values also ask for the dtype
        return Pattern(Op.CONST, arg=value, dtype=bool_ if isinstance(value, bool) else None)
    if isinstance(expression, ast.Name):
        return Pattern(Op.CONST if is_constant_name(expression.id) else None, name=expression.id)
    found = operation(expression)
    assert found is not None
    op, operands = found
    return Pattern(op, tuple(pattern_of(o) for o in operands), dtype=dtype, commutative=op in COMMUTATIVE)


def rule_from(text: str, dtype: Callable[[DType], bool] | None = None) -> Rule:
    """The rule a law states, for results whose dtype satisfies the predicate."""
    law = parse(text)
    make_after = _builder(law.after)
    holds = _condition(law.condition)
    pattern = pattern_of(law.before, dtype)

    def replacement(whole: Node, **captured: Node) -> Node | None:
        if holds is not None and not holds(captured):
            return None
        return make_after(captured, whole.dtype)

    named = Pattern(pattern.op, pattern.src, "whole", pattern.dtype, pattern.arg, pattern.commutative)
    return Rule(text, named, replacement)


Builder = Callable[[dict[str, Node], DType], Node]


def _builder(expression: ast.expr) -> Builder:
    """A function from captures and the dtype of the result to the right side of a law."""
    value = literal(expression)
    if value is not None:
        return lambda captured, dtype: const(value, dtype)
    if isinstance(expression, ast.Name):
        name = expression.id
        return lambda captured, dtype: captured[name]
    found = operation(expression)
    assert found is not None
    op, operands = found
    parts = [_builder(o) for o in operands]
    if op in (Op.LT, Op.LE, Op.EQ, Op.NE):
        operand = _first_name(expression)
        return lambda captured, dtype: _compare(op, [p(captured, captured[operand].dtype) for p in parts])
    if op is Op.WHERE:
        test, yes, no = parts
        return lambda captured, dtype: test(captured, bool_).alu(
            op, yes(captured, dtype), no(captured, dtype)
        )
    return lambda captured, dtype: parts[0](captured, dtype).alu(op, *[p(captured, dtype) for p in parts[1:]])


def _compare(op: Op, operands: list[Node]) -> Node:
    return operands[0].alu(op, operands[1])


def _first_name(expression: ast.expr) -> str:
    """A name whose dtype is that of the compared operands."""
    return next(n.id for n in ast.walk(expression) if isinstance(n, ast.Name) and n.id not in CALLED_OPS)


def _condition(expression: ast.expr | None) -> Callable[[dict[str, Node]], bool] | None:
    """A test of the captures: constants by value, lo and hi by interval."""
    if expression is None:
        return None
    code = compile(ast.Expression(expression), "<condition>", "eval")
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    constants = [name for name in names if is_constant_name(name)]
    functions: dict[str, Any] = {"lo": lambda node: bounds(node)[0], "hi": lambda node: bounds(node)[1]}

    def holds(captured: dict[str, Node]) -> bool:
        values = {name: captured[name].arg for name in constants}
        return bool(eval(code, functions, {**captured, **values}))

    return holds
