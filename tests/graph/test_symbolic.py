"""Symbolic arithmetic: simplifying never changes a value, and finds the forms that scheduling relies on."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.graph import dtypes
from saccade.graph.node import Node, const, index_const, make
from saccade.graph.ops import Op
from saccade.graph.symbolic import affine, bounds, coefficient_of, simplify, simplify_with
from tests.graph.evaluate import evaluate, loop, random_bool, random_integer, random_point

randoms = st.integers(0, 2**64 - 1).map(Random)


@settings(max_examples=2000)
@given(randoms, st.integers(1, 4), st.booleans())
def test_simplify_keeps_the_value_and_bounds_hold(random: Random, depth: int, boolean: bool) -> None:
    node = random_bool(random, depth) if boolean else random_integer(random, depth)
    simple = simplify(node)
    low, high = bounds(node)
    for _ in range(8):
        point = random_point(random)
        value = evaluate(node, point)
        assert evaluate(simple, point) == value
        assert low <= value <= high
    assert simplify(simple) is simple
