"""Words in kernels mean what `runtime.halves` says they mean, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade.codegen.numerics.words import WORDS, decode, encode, word_constant
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.runtime.memory.halves import from_float32, storage_dtype, to_float32
from tests.codegen.kernels import apply

Array = np.ndarray[Any, Any]
TYPES = list(WORDS)


def all_words(dtype: DType) -> Array:
    return np.arange(1 << dtype.bits).astype(storage_dtype(dtype))


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.name)
def test_every_word_decodes_exactly(dtype: DType) -> None:
    words = all_words(dtype)
    got = apply(lambda w: decode(w, dtype), [WORDS[dtype]], words)
    np.testing.assert_array_equal(got, to_float32(words, dtype))
    zero = got == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), words[zero] != 0)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.name)
def test_rounding_is_to_nearest_even(dtype: DType) -> None:
    """Every word's value, every tie between neighbours, and the floats right beside both."""
    exact = to_float32(all_words(dtype), dtype)
    finite = np.unique(exact[np.isfinite(exact)])
    ties = ((finite[:-1].astype(np.float64) + finite[1:]) / 2).astype(np.float32)
    points = np.concatenate([finite, ties, [np.inf, -np.inf, np.nan, 0.0, -0.0]]).astype(np.float32)
    points = np.concatenate(
        [points, np.nextafter(points, np.float32(np.inf)), np.nextafter(points, np.float32(-np.inf))]
    )
    words = apply(lambda x: encode(x, dtype), [dtypes.float32], points)
    expected = from_float32(points, dtype)
    nan = np.isnan(points)
    np.testing.assert_array_equal(words[~nan], expected[~nan])
    assert np.isnan(to_float32(words[nan], dtype)).all()


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.name)
def test_any_float32_encodes_as_on_the_host(dtype: DType) -> None:
    bits = np.random.default_rng(0).integers(0, 1 << 32, 200_000, dtype=np.uint64).astype(np.uint32)
    values = bits.view(np.float32)
    words = apply(lambda x: encode(x, dtype), [dtypes.float32], values)
    nan = np.isnan(values)
    np.testing.assert_array_equal(words[~nan], from_float32(values, dtype)[~nan])
    assert np.isnan(to_float32(words[nan], dtype)).all()


@pytest.mark.parametrize("dtype", TYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -3.14159, 1e-8, 448.0, 1e30, float("inf")])
def test_constants(dtype: DType, value: float) -> None:
    constant = word_constant(value, dtype)
    assert constant.dtype is WORDS[dtype]
    assert constant.arg == int(from_float32(np.float32([value]), dtype)[0])
