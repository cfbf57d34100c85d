"""Every rule of the simplifier on random nodes of its own pattern: what it makes has the same value.

The pattern is the left side of a law: names become loops, loaded values, constants and small expressions of
the dtypes that the rule is about. Proofs say that a law holds; this says that the Python behind it does what
the law says.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import load, param
from saccade.graph.node import Node, const, index_const, make
from saccade.graph.ops import Op
from saccade.graph.proofs.law import Law, _builder, called, is_constant_name, parse
from saccade.graph.rules.simplifier import SYMBOLIC_RULES, Family, SymbolicRule, register
from saccade.graph.rules.symbolic import simplify
from tests.graph.evaluate import CONSTANTS, EXTREMES, FUNCTIONS, LOOPS, SIZES, random_integer, wrap

DTYPES = {
    Family.INDEX: (dtypes.int64, dtypes.int32),
    Family.INT: (dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint32),
    Family.BOOL: (dtypes.bool_,),
    Family.FLOAT: (dtypes.float16, dtypes.float32, dtypes.float64),
}
ALL = (*DTYPES[Family.INDEX], *DTYPES[Family.INT])
NUMPY = {dtypes.float16: np.float16, dtypes.float32: np.float32, dtypes.float64: np.float64}
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, math.inf, -math.inf, math.nan, 5e-324, 6e-8, 1e300)
FLOAT_FUNCTIONS = {
    Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.DIV: np.divide, Op.NEG: np.negative,
    Op.MAX: np.maximum, Op.MIN: np.minimum, Op.LT: np.less, Op.LE: np.less_equal, Op.EQ: np.equal,
    Op.NE: np.not_equal, Op.WHERE: np.where, Op.CAST: lambda x: x,
}  # fmt: skip
#: rules whose nodes change memory or run loops; tests of their own have them
ELSEWHERE = {"stored_everywhere", "single_iteration", "only_element"}


def loaded(number: int, dtype: DType) -> Node:
    return load(param(number, dtype, 4), index_const(number % 4))


def leaf(random: Random, name: str, dtype: DType) -> Node:
    """A node for a name of a law."""
    number = 8 + sum(map(ord, name)) % 8
    if dtype.is_float:
        return const(random.choice(SPECIAL), dtype) if random.randrange(3) == 0 else loaded(number, dtype)
    if dtype.is_bool:
        kind = random.randrange(4)
        if kind == 0:
            return const(bool(random.randrange(2)), dtype)
        left, right = random.choice(LOOPS), random.choice((*LOOPS, index_const(random.choice(CONSTANTS))))
        return loaded(number, dtype) if kind == 1 else left < right
    if is_constant_name(name) or random.randrange(2):
        return const(wrap(random.choice(CONSTANTS), dtype), dtype)
    kind = random.randrange(4)
    if kind == 0:
        return loaded(number, dtype)
    return (random.choice(LOOPS) if kind == 1 else random_integer(random, 2)).cast(dtype)


def truths(law: Law) -> set[str]:
    """Names that stand for conditions."""
    found = {"p", "q"}
    for side in (law.before, law.after):
        for call in ast.walk(side):
            if isinstance(call, ast.Call) and called(call) == "where" and isinstance(call.args[0], ast.Name):
                found.add(call.args[0].id)
    return found


def instance(random: Random, rule: SymbolicRule, law: Law) -> Node:
    """A random node of the law's left side, over sources that are simple."""
    bitwise = any(isinstance(e, ast.Invert) for e in ast.walk(law.before))
    families = [f for f in DTYPES if f & rule.family and not (bitwise and f is Family.FLOAT)]
    family = random.choice(families)
    dtype = random.choice(DTYPES[family])
    conditions = truths(law)
    names = {n.id for n in ast.walk(law.before) if isinstance(n, ast.Name)}
    captured = {
        name: leaf(random, name, dtypes.bool_ if name in conditions else dtype) for name in sorted(names)
    }
    if rule.ops == (Op.CAST,):
        node = captured["x"].cast(random.choice(ALL)).cast(random.choice(ALL))
    elif any(called(c) == "load" for c in ast.walk(law.before) if isinstance(c, ast.Call)):
        node = memory_node(law, captured, dtype)
    else:
        node = _builder(law.before)(captured, dtype)
    return make(node.op, node.dtype, tuple(map(simplify, node.src)), node.arg)


def memory_node(law: Law, captured: dict[str, Node], dtype: DType) -> Node:
    """The left sides that read memory, written out."""
    memory, p, q = param(3, dtype, 60), captured.get("p"), captured.get("q")
    i = LOOPS[6]
    if law.text.startswith("where(p, load(i, q)"):
        return p.where(load(memory, i, q), const(0, dtype))
    if law.text.startswith("where(p, load(i)"):
        return p.where(load(memory, i), const(0, dtype))
    if law.text.startswith("load(where(p, i, j), p)"):
        return load(memory, p.where(i, LOOPS[5]), p)
    return load(memory, i, const("True" in law.text, dtypes.bool_))


def value_of(root: Node, ranges: dict[Node, int], seed: int) -> object:
    """Integers by the definitions in `evaluate`, floats by NumPy's correctly rounded functions. Memory holds
    numbers that its slot, the place and the seed decide."""
    values: dict[Node, Any] = dict(ranges)
    for node in root.toposort(lambda n: n not in ranges):
        sources = [values.get(s) for s in node.src]
        if node.op is Op.LOAD:
            there = len(sources) == 2 or sources[2]
            values[node] = memory_at(node, sources[1], seed) if there else number_of(0, node.dtype)
        elif node.op is Op.CONST:
            values[node] = number_of(node.arg, node.dtype)
        elif node.op is Op.NOT:
            values[node] = 1 - sources[0] if node.dtype.is_bool else wrap(~sources[0], node.dtype)
        elif node.op is not Op.PARAM and node.src:
            is_float = any(s.dtype.is_float for s in node.src)
            made = (FLOAT_FUNCTIONS if is_float else FUNCTIONS)[node.op](*sources)
            values[node] = number_of(made, node.dtype)
    return values[root]


def number_of(value: Any, dtype: DType) -> Any:
    return NUMPY[dtype](value) if dtype.is_float else wrap(int(value), dtype)


def memory_at(node: Node, place: int, seed: int) -> Any:
    random = Random(f"{seed} {node.src[0].arg} {place}")
    if node.dtype.is_float:
        return NUMPY[node.dtype](random.choice((*SPECIAL, random.gauss(0, 3))))
    return wrap(random.choice((*EXTREMES, random.randrange(-99, 99))), node.dtype)


def bits(value: object) -> object:
    if isinstance(value, np.floating):
        return "nan" if np.isnan(value) else value.tobytes()
    return int(value)  # type: ignore[call-overload]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("rule", [r for r in SYMBOLIC_RULES if r.laws], ids=lambda r: f"{r.name} {r.laws[0]}")
def test_a_rule_keeps_the_value_of_its_own_pattern(rule: SymbolicRule) -> None:
    random, fired = Random(repr(rule.laws)), Counter[str]()
    for law in map(parse, rule.laws):
        for _ in range(300):
            if rule.name in ELSEWHERE or "store" in law.text:
                continue
            node = instance(random, rule, law)
            if node.op not in rule.ops:
                continue  # of simple sources it is something else
            new = rule.apply(node)
            if new is None or new is node:
                continue
            fired[rule.name] += 1
            for turn in range(3):
                ranges = {r: random.randrange(size) for r, size in zip(LOOPS, SIZES, strict=True)}
                got, wanted = (value_of(each, ranges, seed=turn) for each in (new, node))
                assert bits(got) == bits(wanted), law.text
    assert fired or rule.name in ELSEWHERE, "the rule applied to nothing"


def test_rules_have_laws_or_say_why_not() -> None:
    with pytest.raises(ValueError, match="neither a law that can be proved nor a reason"):
        register(SymbolicRule((), Family.INT, (), lambda node: None))
    assert all(rule.laws or rule.reason for rule in SYMBOLIC_RULES)
