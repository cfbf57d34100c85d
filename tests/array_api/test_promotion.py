"""The standard's promotion: within a kind as its table has it, and across kinds not at all."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import saccade.array_api as xp

INTS = [xp.int8, xp.int16, xp.int32, xp.int64]
UINTS = [xp.uint8, xp.uint16, xp.uint32, xp.uint64]
FLOATS = [xp.float32, xp.float64]
#: the standard's table for signed beside unsigned: rows int8 to int64, columns uint8 to uint32
MIXED = [
    [xp.int16, xp.int32, xp.int64],
    [xp.int16, xp.int32, xp.int64],
    [xp.int32, xp.int32, xp.int64],
    [xp.int64, xp.int64, xp.int64],
]


@pytest.mark.parametrize("kind", [INTS, UINTS, FLOATS], ids=["int", "uint", "float"])
def test_within_a_kind_the_wider_one(kind: list[Any]) -> None:
    for (i, first), (j, second) in itertools.product(enumerate(kind), repeat=2):
        assert xp.result_type(first, second) is kind[max(i, j)]
        assert xp.add(xp.ones((), dtype=first), xp.ones(2, dtype=second)).dtype is kind[max(i, j)]


def test_signed_beside_unsigned() -> None:
    for (signed, row), (unsigned, expected) in itertools.product(
        zip(INTS, MIXED, strict=True), zip(UINTS[:3], range(3), strict=True)
    ):
        assert xp.result_type(signed, unsigned) is row[expected]
        assert xp.multiply(xp.ones(1, dtype=unsigned), xp.ones((), dtype=signed)).dtype is row[expected]


@pytest.mark.parametrize(
    ("first", "second"),
    [(xp.bool, xp.int8), (xp.int8, xp.float32), (xp.uint64, xp.int64), (xp.bool, xp.float64)],
)
def test_other_kinds_do_not_combine(first: Any, second: Any) -> None:
    x, y = xp.ones(2, dtype=first), xp.ones(2, dtype=second)
    for call in (xp.equal, xp.result_type, lambda x, y: xp.where(xp.asarray([True, False]), x, y)):
        with pytest.raises(TypeError, match="no common dtype"):
            call(x, y)
    with pytest.raises(TypeError, match="no common dtype"):
        xp.concat([x, y])
    assert not xp.can_cast(first, second)


def test_numbers_take_the_dtype_of_the_array() -> None:
    small = xp.asarray([1], dtype=xp.int8)
    assert xp.add(small, 2).dtype is xp.int8
    assert xp.subtract(2.5, xp.asarray([1.0], dtype=xp.float64)).dtype is xp.float64
    assert xp.add(xp.asarray([1.0]), 2).dtype is xp.float32
    for array, number in ((small, 2.5), (small, True), (xp.asarray([True]), 1)):
        with pytest.raises(TypeError, match="does not combine"):
            xp.equal(array, number)
    with pytest.raises(OverflowError, match="300"):
        xp.add(small, 300)


def test_functions_say_what_they_take() -> None:
    with pytest.raises(TypeError, match="sqrt takes floats or complex numbers, not int64"):
        xp.sqrt(xp.asarray([1]))
    with pytest.raises(TypeError, match="add takes numbers, not bool"):
        xp.add(xp.asarray([True]), xp.asarray([True]))
    with pytest.raises(TypeError, match="use asarray"):
        xp.sum([1.0, 2.0])
    with pytest.raises(TypeError, match="logical_and takes bools"):
        xp.logical_and(xp.asarray([1]), xp.asarray([0]))


def test_sums_of_small_integers_are_wide() -> None:
    assert xp.sum(xp.asarray([200, 100], dtype=xp.uint8)).dtype is xp.uint64
    assert xp.prod(xp.asarray([100, 100], dtype=xp.int8)).item() == 10000
    assert xp.sum(xp.asarray([1.0])).dtype is xp.float32
    assert xp.cumulative_sum(xp.asarray([200, 100], dtype=xp.uint8)).dtype is xp.uint64
    assert xp.linalg.trace(xp.ones((2, 2), dtype=xp.int16)).dtype is xp.int64


def test_kinds_are_letters() -> None:
    """Libraries ask for them as NumPy has them."""
    assert [dtype.kind for dtype in (xp.bool, xp.uint8, xp.int8, xp.float32)] == list("buif")
    assert xp.int8.kind in "iu"
    assert xp.bool.kind < xp.uint8.kind < xp.int8.kind < xp.float32.kind
