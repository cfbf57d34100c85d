"""Laws as formulas: the text of a law, read as a statement about integers, machine words or truth values.

    "(a*c + b) // c -> a + b//c if c > 0"     becomes     c > 0  and  not (a*c + b) div c = a + b div c

whose unsatisfiability is the proof. There are four readings:

- `INTEGERS`: unbounded. Index arithmetic is rewritten only where intervals show that nothing wraps, and an
  identity of sums and products of integers also holds modulo any power of two.
- an integer dtype: bit-vectors of its width and signedness, for bitwise laws and for data, whose arithmetic
  wraps.
- a float dtype: IEEE 754 with its bits, rounded to nearest. Equal are the bits, of all NaNs those of one.
- `TRUTH`: propositions, with integers below the comparisons.

`lo(x)` and `hi(x)` are numbers of which only lo(x) <= x <= hi(x) is known. `load(i, p)` is what a memory has
at i, or 0 where not p; `store(i, x, p)` is the memory after it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, Literal

from ..dtypes import DType
from ..ops import COMPARE, Op
from .law import Law, called, is_limit, literal, operation

INTEGERS: Literal["integers"] = "integers"
TRUTH: Literal["truth"] = "truth"
Reading = DType | Literal["integers", "truth"]


def solver_module() -> Any:
    """The z3 module; it is only needed here."""
    try:
        import z3
    except ImportError:
        raise ImportError("proofs need z3: install it with `pip install saccade[prove]`") from None
    return z3


def floor_divide(x: Any, y: Any) -> Any:
    """Floor division of z3 integers, whose own rounds towards the divisor's sign; anything // 0 is 0."""
    z3 = solver_module()
    if z3.is_int_value(y):
        return z3.IntVal(0) if y.as_long() == 0 else x / y if y.as_long() > 0 else (-x) / (-y)
    return z3.If(y == 0, 0, z3.If(y > 0, x / y, (-x) / (-y)))


def floor_remainder(x: Any, y: Any) -> Any:
    return x - y * floor_divide(x, y)


@dataclass
class Translation:
    """Turns the expressions of one law into z3 terms under one reading."""

    reading: Reading
    #: z3's own remainder instead of its definition; which of the two z3 likes better depends on the law
    native_remainder: bool = False
    variables: dict[str, Any] = field(default_factory=dict)
    hypotheses: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.z3 = solver_module()

    def goal(self, law: Law) -> Any:
        """`before = after`; also fills in the hypotheses."""
        truth = self.is_truth(law.before)
        before = self.term(law.before, truth)
        after = self.term(law.after, truth)
        if law.condition is not None:
            self.hypotheses.append(self.condition(law.condition))
        return before == after

    def is_truth(self, expression: ast.expr) -> bool:
        """Is the expression a proposition? Bitwise operators are what the reading says."""
        value = literal(expression)
        if value is not None:
            return isinstance(value, bool)
        if isinstance(expression, ast.Name):
            known = self.variables.get(expression.id)
            return self.reading == TRUTH if known is None else bool(self.z3.is_bool(known))
        found = None if is_limit(expression) else operation(expression)
        if found is None:
            return False
        op, operands = found
        if op in COMPARE:
            return True
        if op in (Op.AND, Op.OR, Op.XOR, Op.NOT):
            return self.reading == TRUTH
        return self.is_truth(operands[1]) or self.is_truth(operands[2]) if op is Op.WHERE else False

    def variable(self, name: str, truth: bool) -> Any:
        if name not in self.variables:
            if truth:
                self.variables[name] = self.z3.Bool(name)
            elif isinstance(self.reading, DType):
                self.variables[name] = self.z3.Const(name, self._sort(self.reading))
            else:
                self.variables[name] = self.z3.Int(name)
        return self.variables[name]

    def _sort(self, dtype: DType) -> Any:
        if dtype.is_float:
            return self.z3.FPSort(dtype.bits - dtype.mantissa_bits - 1, dtype.mantissa_bits + 1)
        return self.z3.BitVecSort(dtype.bits)

    def term(self, expression: ast.expr, truth: bool) -> Any:
        """The z3 term of an expression that is a proposition or a number."""
        value = literal(expression)
        if value is not None:
            return self._constant(value)
        if isinstance(expression, ast.Name):
            return self.variable(expression.id, truth)
        if is_limit(expression):
            return self._limit(expression)
        found = operation(expression)
        assert found is not None
        op, operands = found
        if op in COMPARE:
            below = any(type(literal(o)) is bool or self._known_truth(o) for o in operands)
            return self._apply(op, [self.term(o, below) for o in operands])
        if op is Op.WHERE:
            test, *branches = operands
            return self._apply(op, [self.term(test, True), *[self.term(b, truth) for b in branches]])
        if op in (Op.LOAD, Op.STORE):
            return self._memory(op, operands)
        return self._apply(op, [self.term(o, truth) for o in operands])

    def _memory(self, op: Op, operands: list[ast.expr]) -> Any:
        """load(i), load(i, valid), store(i, x), store(i, x, valid); valid is True where it is not said."""
        z3, values = self.z3, 1 if op is Op.LOAD else 2
        memory = z3.Array("memory", z3.IntSort(), z3.IntSort())
        numbers = [self.term(o, False) for o in operands[:values]]
        valid = self.term(operands[values], True) if len(operands) > values else z3.BoolVal(True)
        if op is Op.LOAD:
            return z3.If(valid, memory[numbers[0]], 0)
        return z3.If(valid, z3.Store(memory, *numbers), memory)

    def condition(self, expression: ast.expr) -> Any:
        """A side condition: comparisons joined by `and` and `or`."""
        if isinstance(expression, ast.BoolOp):
            parts = [self.condition(v) for v in expression.values]
            return self.z3.And(*parts) if isinstance(expression.op, ast.And) else self.z3.Or(*parts)
        return self.term(expression, True)

    def _known_truth(self, expression: ast.expr) -> bool:
        if isinstance(expression, ast.Name):
            return expression.id in self.variables and bool(self.z3.is_bool(self.variables[expression.id]))
        return self.is_truth(expression)

    def _constant(self, value: float | bool) -> Any:
        if isinstance(value, bool):
            return self.z3.BoolVal(value)
        if isinstance(self.reading, DType):
            value_of = self.z3.FPVal if self.reading.is_float else self.z3.BitVecVal
            return value_of(value, self._sort(self.reading))
        return self.z3.IntVal(value)

    def _limit(self, expression: ast.expr) -> Any:
        """lo(x) or hi(x): a number known only to be a limit of x."""
        assert isinstance(expression, ast.Call)
        subject = expression.args[0]
        name = f"{called(expression)}({ast.unparse(subject)})"
        if name not in self.variables:
            limit = self.variable(name, False)
            value = self.term(subject, False)
            low, high = (limit, value) if called(expression) == "lo" else (value, limit)
            self.hypotheses.append(self._apply(Op.LE, [low, high]))
        return self.variables[name]

    def _apply(self, op: Op, operands: list[Any]) -> Any:
        z3 = self.z3
        if z3.is_bool(operands[0]) and op in (Op.AND, Op.OR, Op.XOR, Op.NOT):
            return {Op.AND: z3.And, Op.OR: z3.Or, Op.XOR: z3.Xor, Op.NOT: z3.Not}[op](*operands)
        if op is Op.WHERE:
            return z3.If(*operands)
        if op is Op.EQ or op is Op.NE:
            return operands[0] == operands[1] if op is Op.EQ else operands[0] != operands[1]
        if op in (Op.MAX, Op.MIN):
            first_is_less = self._less(Op.LE, *operands)
            return z3.If(first_is_less, *(operands[::-1] if op is Op.MAX else operands))
        if op in (Op.LT, Op.LE):
            return self._less(op, *operands)
        return self._arithmetic(op, operands)

    def _less(self, op: Op, left: Any, right: Any) -> Any:
        z3 = self.z3
        if isinstance(self.reading, DType) and self.reading.is_unsigned:
            return z3.ULT(left, right) if op is Op.LT else z3.ULE(left, right)
        return left < right if op is Op.LT else left <= right

    def _arithmetic(self, op: Op, operands: list[Any]) -> Any:
        z3 = self.z3
        x, y = operands[0], operands[-1]
        if op is Op.NEG:
            return -x
        if isinstance(self.reading, DType) and self.reading.is_float:
            function = {Op.ADD: z3.fpAdd, Op.SUB: z3.fpSub, Op.MUL: z3.fpMul, Op.DIV: z3.fpDiv}[op]
            return function(z3.RNE(), x, y)
        if op in (Op.ADD, Op.SUB, Op.MUL):
            return {Op.ADD: x.__add__, Op.SUB: x.__sub__, Op.MUL: x.__mul__}[op](y)
        if isinstance(self.reading, DType):
            if op is Op.NOT:
                return ~x
            if op in (Op.AND, Op.OR, Op.XOR, Op.SHL):
                return {Op.AND: x.__and__, Op.OR: x.__or__, Op.XOR: x.__xor__, Op.SHL: x.__lshift__}[op](y)
            if op is Op.SHR:
                return z3.LShR(x, y) if self.reading.is_unsigned else x >> y
        elif op is Op.IDIV:
            return floor_divide(x, y)
        elif op is Op.MOD:
            if self.native_remainder:
                return z3.If(y == 0, x, z3.If(y > 0, x % y, -((-x) % (-y))))
            return floor_remainder(x, y)
        raise ValueError(f"{op.name} has no meaning when a law is read as {self.reading}")
