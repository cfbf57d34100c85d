"""Proofs: every law of the simplifier holds, and an index stays within its memory.

    >>> prove_text("(a*c + b) // c -> a + b//c if c > 0").proved
    True
    >>> prove_text("(a*c + b) // c -> a + b//c").counterexample       # c may be 0
    {'a': ..., 'b': ..., 'c': 0}

`check_rules` proves the table. To try a rule before writing it, give its law to `prove_text`.
`prove_in_bounds` does for one index what intervals cannot always do: it decides, for all values of the
ranges where the mask holds. Needs z3, from the extra `prove`.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import dtypes
from ..dtypes import DType
from ..monoid import SOFTMAX
from ..node import Node
from ..ops import Op
from ..rewriting.pattern import Rule
from ..rules.bounds import Assumed, bounds
from ..rules.simplifier import Family, SymbolicRule
from ..rules.symbolic import SYMBOLIC_RULES, simplify
from .law import Law, is_limit, operation, parse
from .theorem import INTEGERS, TRUTH, Reading, Translation, floor_divide, floor_remainder, solver_module

#: milliseconds for one question about bounds
PATIENCE = 20_000
#: for a law: how remainders are written, z3's own units of work (about 4 million a second, so that no proof
#: depends on how busy a machine is), and a seed. Retried, because how long products take depends on chance
ATTEMPTS = tuple((n % 2 == 1, min(4_000_000 << n // 2 * 2, 64_000_000), n) for n in range(10))


@dataclass(frozen=True)
class Result:
    """What became of one law under one reading: proved, refuted by a counterexample, or undecided."""

    law: str
    reading: str
    proved: bool
    counterexample: dict[str, int | bool | str] | None
    seconds: float
    rule: str = ""

    def __str__(self) -> str:
        outcome = "proved" if self.proved else "undecided"
        if self.counterexample is not None:
            outcome = "WRONG for " + ", ".join(f"{n} = {value}" for n, value in self.counterexample.items())
        return f"{self.law}  [{self.reading}]  {outcome}"


def check_rules() -> list[Result]:
    """Prove every law of the symbolic rules."""
    return [result for rule in SYMBOLIC_RULES for result in prove_rule(rule)]


def prove_rule(rule: SymbolicRule | Rule) -> list[Result]:
    """Prove the laws of one rule, under every reading that the dtypes it applies to call for."""
    if isinstance(rule, Rule):
        return [
            prove_law(parse(rule.law), reading) for reading in _readings(parse(rule.law), Family.INTEGERS)
        ]
    return [
        prove_law(law, reading, rule.name)
        for law in map(parse, rule.laws)
        for reading in _readings(law, rule.family)
    ]


def prove_text(text: str, reading: Reading | None = None) -> Result:
    """Prove one law, given as text: about unbounded integers, unless it is about bits or truth values."""
    law = parse(text)
    if reading is None:
        reading = TRUTH if _is_about_truth(law) else dtypes.int64 if _ops(law) & _BITWISE else INTEGERS
    return prove_law(law, reading)


def prove_law(law: Law, reading: Reading, rule: str = "") -> Result:
    """Ask z3 for values that satisfy the condition and break the law."""
    start = time.perf_counter()
    name = reading.name if isinstance(reading, DType) else reading
    proved, counterexample = False, None
    for native_remainder, effort, seed in ATTEMPTS:
        translation = Translation(reading, native_remainder)
        goal = translation.goal(law)
        if law.lemma is not None:
            lemma = translation.condition(law.lemma)
            if _ask(translation, lemma, effort, seed)[0]:
                translation.hypotheses.append(lemma)
        proved, counterexample = _ask(translation, goal, effort, seed)
        if proved or counterexample is not None:
            break
    return Result(law.text, name, proved, counterexample, time.perf_counter() - start, rule)


def _ask(
    translation: Translation, goal: Any, effort: int, seed: int
) -> tuple[bool, dict[str, int | bool | str] | None]:
    """Does the goal follow? (True, None), (False, counterexample), or (False, None): no answer with that
    effort."""
    z3 = solver_module()
    solver = z3.Solver()
    solver.set("rlimit", effort)
    solver.set("random_seed", seed)
    solver.add(*translation.hypotheses, z3.Not(goal))
    answer = solver.check()
    if answer == z3.sat:
        return (False, _values(solver.model(), translation.variables, translation.reading))
    return (answer == z3.unsat, None)


def _values(model: Any, variables: dict[str, Any], reading: Reading) -> dict[str, int | bool | str]:
    z3 = solver_module()
    found: dict[str, int | bool | str] = {}
    for name, variable in variables.items():
        value = model.eval(variable, model_completion=True)
        if z3.is_bool(value):
            found[name] = bool(z3.is_true(value))
        elif z3.is_fp(value):
            found[name] = str(value)
        else:
            signed = isinstance(reading, DType) and not reading.is_unsigned
            found[name] = value.as_signed_long() if signed else value.as_long()
    return found


# --- which readings a law needs

_BITWISE = frozenset({Op.AND, Op.OR, Op.XOR, Op.NOT, Op.SHL, Op.SHR})
_DIVISION = frozenset({Op.IDIV, Op.MOD})
_NUMERIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.MAX, Op.MIN, Op.SHL, Op.SHR}) | _DIVISION
_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.MAX, Op.MIN})
#: floats as IEEE 754 has them; the 8-bit ones without infinities are not, and tests try all their values
_IEEE_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def _readings(law: Law, family: Family) -> list[Reading]:
    """Data wraps, so its laws are read as bit-vectors; division, and indices where it matters, do not."""
    readings: list[Reading] = []
    ops = _ops(law)
    if ops & {Op.LOAD, Op.STORE}:  # whatever the values are, they are moved
        return [INTEGERS]
    if family & Family.FLOAT and ops and ops <= _ARITHMETIC:
        readings.extend(_IEEE_FLOATS)
    if (family & Family.BOOL and not ops & _NUMERIC) or _is_about_truth(law):
        readings.append(TRUTH)
    if not family & Family.INTEGERS or _is_about_truth(law):
        return readings
    if not ops & _BITWISE:
        readings.append(INTEGERS)
    if family & Family.INT and not ops & _DIVISION:
        readings.extend(dtypes.INTS)
    return readings


def _is_about_truth(law: Law) -> bool:
    """Does the law connect conditions, or name True or False where a condition stands?"""
    for side in (law.before, law.after):
        for expression in ast.walk(side):
            bitwise = (
                isinstance(expression, ast.BinOp | ast.UnaryOp)
                and (operation(expression) or [None])[0] in _BITWISE
            )
            if bitwise and any(isinstance(e, ast.Compare) for e in ast.walk(expression)):
                return True
    return False


def _ops(law: Law) -> frozenset[Op]:
    found: set[Op] = set()
    for side in (law.before, law.after):
        stack = [side]
        while stack:
            expression = stack.pop()
            parts = None if is_limit(expression) else operation(expression)
            if parts is not None:
                found.add(parts[0])
                stack.extend(parts[1])
    return frozenset(found)


# --- indices


def prove_in_bounds(index: Node, valid: Node | None, size: int) -> bool | dict[Node, int]:
    """True if 0 <= index < size, and nothing on the way wraps, for all ranges where `valid` holds.

    Otherwise values of ranges and loads for which it fails; False if z3 cannot tell.
    """
    index = simplify(index)  # as the mask below: what they share has to look the same
    low, high = bounds(index)
    if low >= 0 and high < size:
        return True
    z3 = solver_module()
    formulas = _Formulas()
    hypotheses = [] if valid is None else [formulas.of(simplify(valid), trust_wrapping=False)]
    value = formulas.of(index, trust_wrapping=True)
    solver = z3.Solver()
    solver.set("timeout", PATIENCE)
    solver.add(*formulas.known, *hypotheses)
    solver.add(z3.Not(z3.And(value >= 0, value < size, *formulas.exact)))
    answer = solver.check()
    if answer == z3.unsat:
        return True
    if answer == z3.unknown:
        return False
    model = solver.model()
    values = {n: model.eval(v, model_completion=True) for n, v in formulas.leaves.items()}
    return {n: int(z3.is_true(v)) if z3.is_bool(v) else v.as_long() for n, v in values.items()}


class _Formulas:
    """z3 terms of nodes. `known` are facts about leaves; `exact` says that no sum or product wrapped."""

    def __init__(self) -> None:
        self.z3 = solver_module()
        self.leaves: dict[Node, Any] = {}
        self.known: list[Any] = []
        self.exact: list[Any] = []

    def of(self, root: Node, trust_wrapping: bool) -> Any:
        """The term of a node: what may wrap is either stated not to (and to be proved), or does."""
        terms: dict[Node, Any] = {}
        for node in root.toposort(_is_integer_term):
            if node in self.leaves:  # one value, whatever it is: what the mask says of it holds for the index
                terms[node] = self.leaves[node]
                continue
            term = None
            if node.op in _TERMS and not any(s.dtype.is_float for s in node.src):
                operands = [terms[s] if s in terms else self._leaf(s, terms) for s in node.src]
                term = _TERMS[node.op](self.z3, node, *operands)
            if term is not None and not node.dtype.is_bool and _may_wrap(node):
                if trust_wrapping:
                    self.exact.append(self.z3.And(term >= int(node.dtype.min), term <= int(node.dtype.max)))
                else:
                    term = self._wrapped(node, term, terms)
            terms[node] = self._leaf(node, terms) if term is None else term
        return terms[root] if root in terms else self._leaf(root, terms)

    def _wrapped(self, node: Node, term: Any, terms: dict[Node, Any]) -> Any:
        """A variable that equals the term up to a multiple of 2**bits: what the machine computes."""
        leaf = self._leaf(node, terms)
        turns = self.z3.Int(f"turns{len(self.known)}")
        self.known.append(leaf == term + turns * (1 << node.dtype.bits))
        return leaf

    def _leaf(self, node: Node, terms: dict[Node, Any]) -> Any:
        """A variable within the interval of the node; a range also stays below its size."""
        if node not in self.leaves:
            name = f"{node.op.name}{len(self.leaves)}"
            if node.dtype.is_bool:
                self.leaves[node] = self.z3.Bool(name)
            else:
                variable = self.leaves[node] = self.z3.Int(name)
                low, high = bounds(node)
                self.known.append(self.z3.And(variable >= int(low), variable <= int(high)))
                if _is_index_of_best(node):  # or what there is of no elements
                    least, most = bounds(node.src[0].src[1])
                    among = self.z3.And(variable >= int(least), variable <= int(most))
                    self.known.append(self.z3.Or(among, variable == int(node.dtype.max)))
                if node.op is Op.RANGE and not isinstance(node.arg, Assumed) and node.src[0] in terms:
                    self.known.append(variable < terms[node.src[0]])
        return self.leaves[node]


def _is_integer_term(node: Node) -> bool:
    return (node.op in _TERMS or node.op is Op.RANGE) and not node.dtype.is_float


def _is_index_of_best(node: Node) -> bool:
    """Is it one of the indices an argmax, argmin or top-k takes, or the mark of a place left empty?"""
    if node.op is not Op.PROJECT or node.src[0].op is not Op.FOLD or node.src[0].arg == SOFTMAX:
        return False
    return bool(node.arg >= node.src[0].arg.k)


def _may_wrap(node: Node) -> bool:
    """Sums and products whose interval is all of the dtype: the interval did not fit, or says nothing."""
    whole = (node.dtype.min, node.dtype.max)
    return node.op in (Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.CAST) and bounds(node) == whole


def _cast_term(z3: Any, node: Node, x: Any) -> Any:
    if z3.is_bool(x):
        return z3.If(x, z3.IntVal(1), z3.IntVal(0))
    return x != 0 if node.dtype.is_bool else x


def _connective(word: str) -> Callable[..., Any]:
    """Logical on bools; bits of integers are left unknown."""
    return lambda z3, node, *operands: getattr(z3, word)(*operands) if node.dtype.is_bool else None


_TERMS: dict[Op, Callable[..., Any]] = {
    Op.CONST: lambda z3, node: z3.BoolVal(node.arg) if node.dtype.is_bool else z3.IntVal(node.arg),
    Op.ADD: lambda z3, node, x, y: x + y,
    Op.SUB: lambda z3, node, x, y: x - y,
    Op.MUL: lambda z3, node, x, y: x * y,
    Op.NEG: lambda z3, node, x: -x,
    Op.IDIV: lambda z3, node, x, y: floor_divide(x, y),
    Op.MOD: lambda z3, node, x, y: floor_remainder(x, y),
    Op.MAX: lambda z3, node, x, y: z3.If(x >= y, x, y),
    Op.MIN: lambda z3, node, x, y: z3.If(x <= y, x, y),
    Op.LT: lambda z3, node, x, y: x < y,
    Op.LE: lambda z3, node, x, y: x <= y,
    Op.EQ: lambda z3, node, x, y: x == y,
    Op.NE: lambda z3, node, x, y: x != y,
    Op.AND: _connective("And"),
    Op.OR: _connective("Or"),
    Op.XOR: _connective("Xor"),
    Op.NOT: _connective("Not"),
    Op.WHERE: lambda z3, node, condition, x, y: z3.If(condition, x, y),
    Op.CAST: _cast_term,
}
