"""Structures: taking apart and putting together is the identity, and what differs has another structure."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade import Key, Tensor
from saccade.tensor.core import Core
from saccade.tensor.jit.tree import Attributes, difference, flatten, rebuild

TENSORS = [Tensor([float(i)]) for i in range(3)]


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Box:
    left: Any
    right: Any


LEAVES = st.one_of(
    st.sampled_from(TENSORS),
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.text(max_size=2),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.builds(Point, inner, inner),
        st.builds(Box, inner, inner),
    ),
    max_leaves=8,
)


def same(a: Any, b: Any) -> bool:
    """Equal, with tensors compared by identity and numbers by type and sign too."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Tensor):
        return a is b
    if isinstance(a, Box):
        return same(a.left, b.left) and same(a.right, b.right)
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return repr(a) == repr(b)


@given(TREES)
def test_taken_apart_and_put_together(tree: Any) -> None:
    leaves: list[Core] = []
    structure = flatten(tree, leaves)
    assert same(rebuild(structure, iter(leaves)), tree)
    assert hash(structure) == hash(flatten(tree, []))


@given(TREES, TREES)
def test_a_structure_is_what_the_tensors_leave(one: Any, other: Any) -> None:
    first: list[Core] = []
    second: list[Core] = []
    a, b = flatten(one, first), flatten(other, second)
    if a == b:
        assert same(rebuild(b, iter(first)), one)
        assert difference(a, b) == ""
    else:
        assert difference(a, b) != ""


def test_arrays_and_keys_are_leaves() -> None:
    leaves: list[Core] = []
    structure = flatten((np.ones(2, np.float32), Key(3)), leaves)
    assert [leaf.shape for leaf in leaves] == [(2,), (2,)]
    array, key = rebuild(structure, iter(leaves))
    assert isinstance(array, Tensor)
    assert key.words.tolist() == [3, 0]


def test_subclasses_of_containers_stay_what_they_are() -> None:
    leaves: list[Core] = []
    made = rebuild(flatten(OrderedDict(a=TENSORS[0]), leaves), iter(leaves))
    assert type(made) is OrderedDict
    assert made["a"] is TENSORS[0]


def test_other_objects_are_told_apart_by_identity() -> None:
    one, other = object(), object()
    assert flatten(one, []) == flatten(one, [])
    assert flatten(one, []) != flatten(other, [])
    assert rebuild(flatten([one], []), iter(())) == [one]


@pytest.mark.parametrize(("a", "b"), [(1, True), (1, 1.0), (0.0, -0.0), ("1", 1), (slice(1), slice(2))])
def test_values_are_told_apart_by_type(a: Any, b: Any) -> None:
    assert flatten(a, []) != flatten(b, [])
    assert flatten(a, []) == flatten(a, [])


def test_a_difference_says_where() -> None:
    words = difference(flatten(([1, 2], {"a": 3}), []), flatten(([1, 2], {"a": 4}), []), "arguments")
    assert words == "arguments[1][0] is 3 instead of 4"


class Pair(Attributes):
    def __init__(self) -> None:
        self.weight = Tensor([1.0, 2.0])
        self.parts = [Tensor([3.0]), 0.5]


def test_objects_of_attributes_are_looked_into() -> None:
    pair, leaves = Pair(), []
    structure = flatten(pair, leaves)
    assert [leaf.tolist() for leaf in leaves] == [[1.0, 2.0], [3.0]]
    again = rebuild(structure, iter(leaves))
    assert type(again) is Pair
    assert again.weight is pair.weight
    assert again.parts[1] == 0.5
    other: list[Core] = []
    assert flatten(Pair(), other) == structure


def test_keys_of_dicts_are_told_apart_by_type_and_order() -> None:
    x, y = Tensor([1.0]), Tensor([2.0])
    trees = [{1: x}, {True: x}, {1.0: x}, {"1": x}, {"a": x, "b": y}, {"b": x, "a": y}, {"a": x, 1: y}, {}]
    structures = [flatten(tree, []) for tree in trees]
    assert len(set(structures)) == len(trees)
    for tree, structure in zip(trees, structures, strict=True):
        assert flatten(dict(tree), []) == structure
        assert hash(flatten(dict(tree), [])) == hash(structure)
        made = rebuild(structure, iter(tree.values()))
        assert [(type(k), k) for k in made] == [(type(k), k) for k in tree]


def test_containers_of_tensors_alone_are_like_others() -> None:
    x, y = Tensor([1.0]), Tensor([2.0])
    for tree, count in (([x, y, x], 3), ((x,), 1), ([x, 1.5, y], 2), ({"m": x, "v": y}, 2), ([], 0)):
        leaves: list[Core] = []
        structure = flatten(tree, leaves)
        assert len(leaves) == count
        assert rebuild(structure, iter(leaves)) == tree
