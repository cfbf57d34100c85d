"""The oracle: exact where arithmetic is, honest about rounding, silent where rounding decides."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade import Tensor, dtypes
from saccade.fuzz.programs.programs import Draft
from saccade.fuzz.programs.reference import Bounded, evaluate, mismatches
from saccade.tensor.tensor import where


def bounded(build, *arrays: np.ndarray) -> Bounded:  # type: ignore[no-untyped-def,type-arg]
    draft = Draft(Random(0), 1 << 20)
    inputs = [draft.fresh(a.shape, dtypes.of(a.dtype)) for a in arrays]
    (found,) = evaluate([build(*inputs).node], [a.reshape(-1) for a in arrays])
    return found


def f32(*values: float) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, np.float32)


def test_short_fractions_are_exact() -> None:
    found = bounded(lambda x: (x * x + x).sum(), f32(0.25, -1.5, 2.0))
    assert found.radius == 0
    assert found.value == 0.0625 + 2.25 + 4 + 0.75


def test_a_rounded_result_has_a_radius_of_its_last_place() -> None:
    found = bounded(lambda x: x / 3, f32(1.0))
    assert 0 < found.radius[0] < 1e-6
    assert not mismatches(found, np.float32([1 / 3]), dtypes.float32).any()
    assert mismatches(found, np.float32([0.3334]), dtypes.float32).all()


def test_what_may_be_large_is_rounded_as_such() -> None:
    """1.25 * 1.5 is 1.875, or 2 in eight bits, so its half rounded down is 0 or 1, and the error function of
    that 0 or 0.875, which is 0.843 in eight bits."""
    given = np.array([1.25, 1.5], np.float32)
    found = bounded(
        lambda x: (x[:1].cast("float8_e5m2") * x[1:].cast("float8_e5m2") / 2).floor().erf(), given
    )
    assert found.value == 0
    assert found.radius >= 0.875


@given(st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=50), st.randoms())
def test_every_order_of_summation_is_within_the_radius(values: list[float], random: Random) -> None:
    found = bounded(lambda x: x.sum(), f32(*values))
    random.shuffle(values)
    total = np.float32(0)
    for value in values:
        total += np.float32(value)
    assert not mismatches(found, np.array(total), dtypes.float32).any()


def test_what_rounding_decides_is_unknown() -> None:
    third = bounded(lambda x: x / 7 * 7 < 1, f32(1.0))
    assert np.isinf(third.radius).all()
    clear = bounded(lambda x: x / 3 * 3 < 2, f32(1.0))
    assert clear.radius[0] == 0
    assert clear.value[0]
    assert np.isinf(bounded(lambda x: (x / 3 * 3).floor().int(), f32(1.0)).radius).all()


def test_powers_of_negative_numbers_that_may_be_whole_are_unknown() -> None:
    found = bounded(lambda x: (x / 3 * 3) ** (x / 3 * 3), f32(-1.7, 1.7))
    assert np.isinf(found.radius[0])
    assert 0 < found.radius[1] < 1e-5


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_one_power_for_all_is_the_power_of_each(dtype: str) -> None:
    """NumPy takes a root where one exponent of 0.5 serves all: -inf becomes NaN, and -0.0 keeps its sign."""
    bases = np.array([-np.inf, -0.0, np.inf, 0.0, 2.25, -1.0, np.nan], dtype)
    powers = np.array([np.inf, 0.0, np.inf, 0.0, 1.5, np.nan, np.nan], dtype)
    halves = np.full(bases.shape, 0.5, dtype)
    for exponent in (halves[0], halves[:1], halves):
        found = bounded(lambda x, n: x.pow(n), bases, np.asarray(exponent))
        assert np.array_equal(found.value, powers, equal_nan=True)
        assert not np.signbit(found.value[:2]).any()
    for device in ("cpu", "interpreter"):
        x, half = Tensor(bases, device=device), Tensor(halves[0], device=device)
        computed = x.pow(half).numpy()
        assert np.array_equal(computed, powers, equal_nan=True)
        assert not np.signbit(computed[:2]).any()


def test_a_remainder_is_known_where_its_quotient_is() -> None:
    third = bounded(lambda x: (x / 3) % 0.25, f32(1.0, 1e8))
    assert 0 < third.radius[0] < 1e-6
    assert np.isinf(third.radius[1])  # several quotients, all of them with the same remainders
    assert np.isinf(bounded(lambda x: (x / 7 * 1.75) % 0.25, f32(1.0)).radius[0])  # 0, or nearly 0.25
    other = bounded(lambda x: x % (x / 3), f32(1.7))
    assert np.isinf(other.radius[0])


def test_products_whose_parts_may_overflow_are_unknown() -> None:
    """A zero makes the product of all 0, unless a part of the others is infinite by then."""
    assert np.isinf(bounded(lambda x: x.prod(), f32(0.0, *[1e9] * 40)).radius)
    assert bounded(lambda x: x.prod(), f32(0.0, 3.0)).radius == 0
    assert bounded(lambda x: x.prod(), f32(np.inf, 3.0)).radius == 0
    assert np.isinf(bounded(lambda x: x.prod(), f32(np.inf, *[1e-9] * 40)).radius)
    assert np.isinf(bounded(lambda x: x.cumprod(0), f32(0.0, *[1e9] * 40)).radius[-1])


def test_the_sign_of_a_sum_of_zeros_is_unknown() -> None:
    for found in (
        bounded(lambda x: x.sum(1).atan2(x.new_full((1,), -1.0)), f32(-0.0).reshape(1, 1)),
        bounded(lambda x: x.sum(1) ** -1.0, f32(-0.0).reshape(1, 1)),
    ):
        assert np.isinf(found.radius).all()
    assert bounded(lambda x: x.sum(1).atan2(x.new_full((1,), 1.0)), f32(-0.0).reshape(1, 1)).radius[0] < 1e-6


def test_an_arc_of_what_may_be_inside_its_range_is_unknown() -> None:
    """The corners of 1.7, give or take 16, are both outside."""
    found = bounded(lambda x: (x / 3 * 3e8 - 1e8 + 1.7).acos(), f32(1.0))
    assert np.isinf(found.radius).all()
    assert bounded(lambda x: x.acos(), f32(1.7, 0.5)).radius.max() < 1e-5


def test_integers_are_exact_and_wrap() -> None:
    found = bounded(lambda x: x + x, np.array([100, -100], np.int8))
    assert found.value.tolist() == [-56, 56]
    assert not found.radius.any()


def test_ties_are_decided_only_by_exact_values() -> None:
    exact = bounded(lambda x: x.argmax(0), f32(1.0, 3.0, 3.0))
    assert exact.value == 1
    assert exact.radius == 0
    assert np.isinf(bounded(lambda x: (x / 3).argmax(0), f32(1.0, 5.0, 5.0)).radius)
    assert bounded(lambda x: (x / 3).argmax(0), f32(1.0, 5.0, 6.0)).radius == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_special_values_must_come_out(value: float) -> None:
    found = bounded(lambda x: x + 1, f32(value))
    assert not mismatches(found, f32(value), dtypes.float32).any()
    assert mismatches(found, f32(1.0), dtypes.float32).all()


def test_unknown_choices_of_equal_things_are_known() -> None:
    found = bounded(lambda x: where((x / 7 * 7) < 1, x, x), f32(1.0))
    assert found.radius[0] == 0
    assert found.value[0] == 1.0
