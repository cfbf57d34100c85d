"""The softmax monoid: whatever the order and the grouping, the accumulators are those of the whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import pytest

from saccade.graph import dtypes
from saccade.graph.monoid import SOFTMAX
from saccade.graph.node import Node, const
from saccade.graph.ops import Op

F = dtypes.float64
FUNCTIONS: dict[Op, Callable[..., float]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.MAX: max,
    Op.EQ: lambda a, b: a == b,
    Op.WHERE: lambda c, a, b: a if c else b,
    Op.CAST: lambda a: a,
    Op.EXP: math.exp,
}


def value(node: Node) -> float:
    return float(node.arg) if node.op is Op.CONST else FUNCTIONS[node.op](*[value(s) for s in node.src])


def numbers(accumulators: tuple[Node, ...]) -> tuple[Node, ...]:
    return tuple(const(value(n), F) for n in accumulators)


def folded(elements: list[tuple[float, float]]) -> tuple[Node, ...]:
    held = SOFTMAX.identity((F, F))
    for score, weight in elements:
        held = numbers(SOFTMAX.combine(held, (const(score, F), const(weight, F))))
    return held


@pytest.mark.parametrize("seed", range(8))
def test_parts_merge_to_the_whole(seed: int) -> None:
    random = Random(seed)
    elements = [(random.choice([random.gauss(0, 30), -math.inf]), random.gauss(0, 1)) for _ in range(9)]
    cut = random.randrange(10)
    whole = [value(n) for n in folded(elements)]
    parts = [value(n) for n in numbers(SOFTMAX.merge(folded(elements[:cut]), folded(elements[cut:])))]
    assert parts == pytest.approx(whole, rel=1e-12, abs=1e-300)


def test_the_accumulators_are_maximum_total_and_weighted_sum() -> None:
    elements = [(1.0, 2.0), (3.0, -1.0), (-math.inf, 100.0), (2.5, 4.0)]
    most, total, summed = (value(n) for n in folded(elements))
    weights = [math.exp(s - 3.0) for s, _ in elements]
    assert most == 3.0
    assert total == pytest.approx(sum(weights))
    assert summed == pytest.approx(sum(w * v for w, (_, v) in zip(weights, elements, strict=True)))


def test_nothing_but_minus_infinity_weighs_nothing() -> None:
    assert [value(n) for n in folded([(-math.inf, 1.0)] * 3)] == [-math.inf, 0.0, 0.0]
