"""Floats as integers, and what is left of divisions of floats, at all their ends: against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.ops import Op
from saccade.runtime.interpreter.ops import elementwise
from tests.codegen.kernels import apply

FLOATS = [dtypes.float32, dtypes.float64]
INTEGERS = [
    dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.uint32, dtypes.int64,
    dtypes.uint64,
]  # fmt: skip
ENDS = [0.0, 0.4, 0.9, 1.5, 127.5, 128, 255.9, 256, 32768, 65535.5, 65536, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
SPECIAL = [*ENDS, *(-x for x in ENDS), 1e-40, -1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan, 5e-324, 16777217]


def numbers(dtype: DType) -> np.ndarray[Any, Any]:
    """Special numbers and those beside them, so many that some lanes are in whole vectors."""
    kind = np.dtype(dtype.name)
    with np.errstate(over="ignore"):
        found = np.array(SPECIAL).astype(kind)
    return np.concatenate([found, np.nextafter(found, kind.type(0)), np.nextafter(found, kind.type(np.inf))])


@pytest.mark.parametrize("target", INTEGERS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_floats_go_to_the_nearest_end(source: DType, target: DType) -> None:
    x = numbers(source)
    for some in (x, x[-3:], x[:1]):
        with np.errstate(all="ignore"):
            expected = elementwise(Op.CAST, target, (source,), [some])
        np.testing.assert_array_equal(apply(lambda v: v.cast(target), [source], some), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_remainders_at_all_ends(dtype: DType) -> None:
    x, y = (part.reshape(-1) for part in np.meshgrid(numbers(dtype), numbers(dtype)))
    check_remainders(x, y, dtype)


@pytest.mark.parametrize("spread", [1, 12, 40])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_remainders_of_short_and_long_quotients(dtype: DType, spread: int) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((2, 50_000)) * np.exp2(rng.integers(-spread, spread, (2, 50_000)))).astype(
        dtype.name
    )
    whole = np.rint(x / y) * y  # nearly a multiple
    check_remainders(x, y, dtype)
    check_remainders(whole.astype(dtype.name), y, dtype)


def check_remainders(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], dtype: DType) -> None:
    with np.errstate(all="ignore"):
        rest = np.fmod(x, y)
        expected = np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, np.copysign(rest, y))
    got = apply(lambda a, b: a.alu(Op.MOD, b), [dtype, dtype], x, y)
    np.testing.assert_array_equal(got, expected)
    zero = got == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))
