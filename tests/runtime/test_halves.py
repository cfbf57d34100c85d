"""Words of bfloat16 and float8: exact one way, nearest (ties to even) the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.runtime.halves import from_float32, to_float32

SMALL = (dtypes.bfloat16, dtypes.float8_e4m3, dtypes.float8_e5m2)
LARGEST = {dtypes.bfloat16: 3.3895314e38, dtypes.float8_e4m3: 448.0, dtypes.float8_e5m2: 57344.0}


def all_words(dtype: DType) -> np.ndarray:
    return np.arange(1 << dtype.bits).astype(np.uint16 if dtype.bits == 16 else np.uint8)


@pytest.mark.parametrize("dtype", SMALL, ids=lambda d: d.name)
def test_every_word_survives_the_round_trip(dtype: DType) -> None:
    words = all_words(dtype)
    values = to_float32(words, dtype)
    number = ~np.isnan(values)
    np.testing.assert_array_equal(from_float32(values, dtype)[number], words[number])
    assert np.isnan(to_float32(from_float32(values, dtype), dtype)[~number]).all()


@pytest.mark.parametrize("dtype", SMALL, ids=lambda d: d.name)
@given(value=st.floats(width=32, allow_nan=False))
def test_the_nearest_word_is_chosen_and_ties_go_to_even(dtype: DType, value: float) -> None:
    word = int(from_float32(np.float32([value]), dtype)[0])
    got = float(to_float32(all_words(dtype)[word : word + 1], dtype)[0])
    words = all_words(dtype)
    table = to_float32(words, dtype).astype(np.float64)
    finite = np.isfinite(table)
    distance = np.abs(np.where(finite, table, np.inf) - value) if np.isfinite(value) else None
    if distance is None or not np.isfinite(got):
        assert abs(value) > LARGEST[dtype]
        assert np.isnan(got) if dtype is dtypes.float8_e4m3 else got == np.copysign(np.inf, value)
        return
    best = distance.min()
    assert abs(got - value) == best
    ties = words[(distance == best) & (np.signbit(table) == np.signbit(value))]
    assert len(ties) <= 1 or word % 2 == 0
    assert np.signbit(got) == np.signbit(value)


@pytest.mark.parametrize("dtype", SMALL, ids=lambda d: d.name)
def test_limits(dtype: DType) -> None:
    table = to_float32(all_words(dtype), dtype)
    assert np.isclose(table[np.isfinite(table)].max(), LARGEST[dtype])
    assert np.isinf(table).any() == (dtype is not dtypes.float8_e4m3)
    assert np.isnan(to_float32(from_float32(np.float32([np.nan]), dtype), dtype)).all()
    assert from_float32(np.zeros((2, 0, 3), np.float32), dtype).shape == (2, 0, 3)


def test_against_another_implementation() -> None:
    other = pytest.importorskip("ml_dtypes")
    values = np.random.default_rng(0).normal(size=20000).astype(np.float32) * np.float32(10.0) ** np.arange(-10, 10).repeat(1000)
    values = values.astype(np.float32)
    for dtype, name in ((dtypes.bfloat16, "bfloat16"), (dtypes.float8_e4m3, "float8_e4m3fn"), (dtypes.float8_e5m2, "float8_e5m2")):
        theirs = values.astype(getattr(other, name)).astype(np.float32)
        np.testing.assert_array_equal(to_float32(from_float32(values, dtype), dtype), theirs)
