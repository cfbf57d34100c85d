"""Words of bfloat16 and float8: exact one way, nearest (ties to even) the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.runtime.memory.halves import from_float32, storage_dtype, to_float32

SMALL = (dtypes.bfloat16, dtypes.float8_e4m3, dtypes.float8_e5m2)
LARGEST = {dtypes.bfloat16: 3.3895314e38, dtypes.float8_e4m3: 448.0, dtypes.float8_e5m2: 57344.0}


def all_words(dtype: DType) -> NDArray[Any]:
    return np.arange(1 << dtype.bits).astype(storage_dtype(dtype))


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
    with np.errstate(invalid="ignore"):  # raised by signalling NaNs
        table = to_float32(words, dtype).astype(np.float64)
    finite = np.isfinite(table)
    distance = np.abs(np.where(finite, table, np.inf) - value) if np.isfinite(value) else None
    if distance is None or not np.isfinite(got):
        limit = LARGEST[dtype] if dtype is dtypes.float8_e4m3 else np.inf
        assert abs(value) > LARGEST[dtype]
        assert got == np.copysign(limit, value)
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
    scale = 10.0 ** np.arange(-10, 10).repeat(1000)
    values = (np.random.default_rng(0).normal(size=20000) * scale).astype(np.float32)
    for dtype, name in zip(SMALL, ("bfloat16", "float8_e4m3fn", "float8_e5m2"), strict=True):
        inside = values[np.abs(values) <= LARGEST[dtype]]
        theirs = inside.astype(getattr(other, name)).astype(np.float32)
        np.testing.assert_array_equal(to_float32(from_float32(inside, dtype), dtype), theirs)
