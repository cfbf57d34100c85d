"""The engine and its patterns: fixed points, sharing, depth, rules that never end."""

from __future__ import annotations

import pytest

from saccade.graph import dtypes
from saccade.graph.kernels.kernel import loop
from saccade.graph.node import Node, const, index_const
from saccade.graph.ops import Op
from saccade.graph.proofs.law import rule_from
from saccade.graph.rewriting.pattern import Pattern, Rule, Rules, capture
from saccade.graph.rewriting.rewrite import RewriteError, rewrite, rewritten

X, Y = loop(0, 10), loop(1, 10)
PLUS_ZERO = Rules([rule_from("x + 0 -> x")])
SQUARE = Rule(
    "x * x -> abs(x) * abs(x)",
    Pattern(Op.MUL, (capture("x"), capture("x"))),
    lambda x: None if x.op is Op.ABS else x.alu(Op.ABS) * x.alu(Op.ABS),
)


def test_a_pattern_names_what_it_finds() -> None:
    found: list[dict[str, Node]] = []

    def keep(**captured: Node) -> None:
        found.append(captured)

    pattern = Pattern(Op.ADD, (capture("x"), Pattern(Op.CONST, name="c")), name="whole", commutative=True)
    rule = Rule("see it", pattern, keep)
    for node in (X + 3, 3 + X):
        assert rule.apply(node, None) is None
        assert found.pop() == {"whole": node, "x": X, "c": index_const(3)}
    rule.apply(X * 3, None)
    assert not found


def test_one_name_is_one_node() -> None:
    assert SQUARE.apply(X * X, None) is not None
    assert SQUARE.apply(X * Y, None) is None


def test_dtype_and_arg_are_looked_at() -> None:
    floats = Rule("f", Pattern(Op.NEG, dtype=lambda d: d.is_float, name="n"), lambda n: n.src[0])
    assert floats.apply(-X, None) is None
    value = const(2.0, dtypes.float32)
    assert floats.apply(-value, None) is value
    two = Rule("g", Pattern(Op.CONST, arg=2, dtype=dtypes.index, name="n"), lambda n: X)
    assert two.apply(index_const(2), None) is X
    assert two.apply(const(2, dtypes.int32), None) is None


def test_the_result_is_a_fixed_point() -> None:
    nested = ((X + 0) * ((Y + 0) + 0)) + 0
    assert rewrite(nested, PLUS_ZERO) is X * Y
    assert rewrite(X * Y, PLUS_ZERO) is X * Y


def test_replacements_are_rewritten_in_turn() -> None:
    rules = Rules([rule_from("x - y -> x + (-y)"), rule_from("-(-x) -> x"), *PLUS_ZERO])
    assert rewrite((X - (-Y)) + 0, rules) is X + Y


def test_context_reaches_the_replacement() -> None:
    rules = Rules([Rule("range -> context", Pattern(Op.RANGE, name="r"), lambda r, context: context.get(r))])
    assert rewrite(X * Y, rules, context={X: index_const(4)}) is index_const(4) * Y


def test_several_results_share_what_is_rewritten() -> None:
    shared = (X + 0) * Y
    assert rewritten((shared, shared + 0, -shared), PLUS_ZERO) == (X * Y, X * Y, -(X * Y))


def test_every_node_is_rewritten_once() -> None:
    calls = 0

    def count(n: Node) -> None:
        nonlocal calls
        calls += 1

    node: Node = X
    for _ in range(30):
        node = node + node
    assert rewrite(node, Rules([Rule("count", Pattern(Op.ADD, name="n"), count)])) is node
    assert calls == 30


def test_graphs_deeper_than_the_stack() -> None:
    node: Node = X
    for _ in range(20_000):
        node = -(node + 0)
    plain: Node = X
    for _ in range(20_000):
        plain = -plain
    assert rewrite(node, PLUS_ZERO) is plain


@pytest.mark.parametrize("law", ["x + y -> y + x", "-x -> -(-x)"])
def test_rules_that_never_end_are_reported(law: str) -> None:
    with pytest.raises(RewriteError, match="rewrite"):
        rewrite(-(X + Y), Rules([rule_from(law)]))


@pytest.mark.parametrize("text", ["x + 0", "x + -> x", "f(x) -> x"])
def test_a_law_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="law"):
        rule_from(text)
