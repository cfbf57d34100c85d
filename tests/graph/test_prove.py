"""Proofs: every law holds, wrong ones are refuted with a counterexample, indices are proved in bounds."""

from __future__ import annotations

import pytest

from saccade.graph import dtypes
from saccade.graph.kernels.kernel import fold, load, loop, param, project
from saccade.graph.monoid import ARGMAX, Monoid
from saccade.graph.node import index_const
from saccade.graph.proofs.law import rule_from
from saccade.graph.rules.simplifier import SYMBOLIC_RULES, Family, SymbolicRule

pytest.importorskip("z3")

from saccade.graph.proofs.prove import Result, check_rules, prove_in_bounds, prove_rule, prove_text

R0, R1 = loop(0, 8), loop(1, 56)


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return check_rules()


def test_every_law_is_proved(results: list[Result]) -> None:
    assert [str(r) for r in results if not r.proved] == []
    proved = {r.law for r in results}
    assert proved == {law for rule in SYMBOLIC_RULES for law in rule.laws}


def test_laws_about_data_are_proved_for_every_width(results: list[Result]) -> None:
    readings = {r.reading for r in results if r.law == "x ^ x -> 0"}
    assert readings == {d.name for d in dtypes.INTS}


@pytest.mark.parametrize(
    "law",
    [
        "(a*c + b) // c -> a + b//c",
        "(a*c + b) % c -> b",
        "x // c * c -> x if c > 0",
        "x // y -> 0 if 0 <= lo(x) and hi(x) <= lo(y)",
        "max(x, y) -> y if lo(x) <= lo(y)",
        "(e < a) & (e < b) -> e < max(a, b)",
        "x % 3 // 2 -> x // 2 % 3",
    ],
)
def test_a_wrong_law_is_refuted(law: str) -> None:
    result = prove_text(law)
    assert not result.proved
    assert result.counterexample


@pytest.mark.parametrize("law", ["x + 0.0 -> x", "x * 0.0 -> 0.0", "x - x -> 0.0", "x / 3.0 -> x * 0.3333"])
def test_a_law_that_floats_break_is_refuted(law: str) -> None:
    assert prove_text(law, dtypes.float16).counterexample


def test_a_mask_is_not_forgotten() -> None:
    assert prove_text("load(i, p) -> load(i)").counterexample
    assert prove_text("store(i, x, p) -> store(i, x)").counterexample


def test_overflow_matters_for_words_and_not_for_integers() -> None:
    law = "max(x, x + 1) -> x + 1"
    assert prove_text(law).proved
    refuted = prove_text(law, dtypes.int8)
    assert refuted.counterexample == {"x": 127}


def test_a_rule_can_be_tried_on_its_own() -> None:
    assert all(r.proved for r in prove_rule(rule_from("min(x, max(x, y)) -> x")))
    wrong = SymbolicRule((), Family.INTEGERS, ("min(x, max(x, y)) -> y",), lambda node: None)
    assert all(r.counterexample is not None for r in prove_rule(wrong))


def test_an_index_is_proved_in_bounds() -> None:
    assert prove_in_bounds(R0 * 56 + R1, None, 448) is True
    # intervals do not see that the two parts cannot both be large
    assert prove_in_bounds(R1 + (55 - R1), None, 56) is True
    skewed = R1 * R0 - (R0 * R1) + R1
    assert prove_in_bounds(skewed, None, 56) is True
    assert prove_in_bounds(R1 + R0, R1 + R0 < 56, 56) is True


def test_an_index_out_of_bounds_is_shown() -> None:
    index = R0 * 56 + R1 + 1
    found = prove_in_bounds(index, None, 448)
    assert isinstance(found, dict)
    assert found[R0] * 56 + found[R1] + 1 >= 448
    masked = prove_in_bounds(R1 - 1, R1 > 0, 55)
    assert masked is True


def test_a_loaded_index_needs_its_mask() -> None:
    wild = load(param(0, dtypes.int64, 8), R0)
    index = wild * 56 + R1
    inside = (wild >= 0) & (wild < 8)
    assert prove_in_bounds(index, inside, 448) is True
    assert isinstance(prove_in_bounds(index, wild < 8, 448), dict)


def test_a_mask_may_ask_for_floats() -> None:
    wild = load(param(0, dtypes.int64, 8), R0)
    weight = load(param(1, dtypes.float32, 8), R0) + 1.0
    inside = (wild >= 0) & (wild < 8)
    assert prove_in_bounds(wild, inside & (weight < 2.0), 8) is True
    assert isinstance(prove_in_bounds(wild, weight < 2.0, 8), dict)


@pytest.mark.parametrize("monoid", [ARGMAX, Monoid("topmin", 2)])
def test_the_index_of_the_best_is_one_of_the_indices_or_says_that_there_are_none(monoid: Monoid) -> None:
    count = load(param(0, dtypes.int64, 1), index_const(0)).maximum(0)
    r = loop(2, count.minimum(8))
    values = load(param(1, dtypes.float32, 8), r)
    best = project(fold(monoid, (values, r.cast(dtypes.int32)), (r,)), monoid.width - 1)
    there = best.ne(dtypes.int32.max)
    assert prove_in_bounds(best.cast(dtypes.index), there, 8) is True
    assert isinstance(prove_in_bounds(best.cast(dtypes.index), there, 7), dict)
    assert isinstance(prove_in_bounds(best.cast(dtypes.index), None, 8), dict)
