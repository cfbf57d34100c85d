"""float64 functions against the C library's, in units of the last place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade.codegen.numerics.double import DOUBLE_ERRORS_ULP, DOUBLE_FUNCTIONS
from saccade.graph import dtypes
from saccade.graph.ops import Op
from tests.codegen.kernels import apply
from tests.codegen.test_transcendental import EXACT

Array = np.ndarray[Any, Any]
#: the C library's own error
LIBRARY = 0.6
SPECIAL = np.array(
    [0, np.inf, np.nan, 5e-324, 1e-310, 2.0**-1022, 1.7e308, 1, 2, 0.5, 3, 1e300, 4503599627370497.0]
)
ENDS = np.array(
    [709.78, 709.79, 745.1, 745.2, 708.4, 1023.99, 1024, 1074, 1075.5, 37, 22, 3e6, 1e22, 710.4, 710.5]
)
NUMBERS = np.concatenate([SPECIAL, -SPECIAL, ENDS, -ENDS])
UNARY = [op for op in DOUBLE_FUNCTIONS if op not in (Op.ATAN2, Op.POW)]


def every_binade(count: int) -> Array:
    """Random numbers of both signs of all binades, subnormals included."""
    rng = np.random.default_rng(0)
    exponents = np.repeat(np.arange(2047, dtype=np.uint64), count)
    bits = rng.integers(0, 1 << 52, exponents.size, dtype=np.uint64) | (exponents << np.uint64(52))
    return (bits | (rng.integers(0, 2, bits.size, dtype=np.uint64) << np.uint64(63))).view(np.float64)


def check(op: Op, *values: Array) -> None:
    got = apply(lambda *nodes: nodes[0].alu(op, *nodes[1:]), [dtypes.float64] * len(values), *values)
    with np.errstate(all="ignore"):
        exact = EXACT[op](*values)
        distance = np.abs(got - exact) / np.spacing(np.maximum(np.abs(exact), 2.0**-1022))
    same = (got == exact) | (np.isnan(got) & np.isnan(exact))
    finite = np.isfinite(got) & np.isfinite(exact)
    found = np.where(same, 0.0, np.where(finite, distance, np.inf))
    worst = int(found.argmax())
    assert found[worst] <= DOUBLE_ERRORS_ULP[op] + LIBRARY, (
        f"{op} of {[x[worst] for x in values]}: {got[worst]}, not {exact[worst]}"
    )
    zero = (got == 0) & (exact == 0)
    assert (np.signbit(got[zero]) == np.signbit(exact[zero])).all(), f"{op} loses the sign of zero"


@pytest.mark.parametrize("op", UNARY, ids=str)
def test_every_binade(op: Op) -> None:
    check(op, np.concatenate([every_binade(40), NUMBERS]))


@pytest.mark.parametrize("op", UNARY, ids=str)
def test_dense_where_it_bends(op: Op) -> None:
    check(op, np.concatenate([np.linspace(-end, end, 100_001) for end in (1, 4, 1100)]))


@pytest.mark.parametrize("op", [Op.SIN, Op.COS, Op.TAN], ids=str)
def test_near_multiples_of_a_quarter_turn(op: Op) -> None:
    near = np.arange(1, 1 << 17, dtype=np.float64) * (np.pi / 2)
    check(op, np.concatenate([near, np.nextafter(near, 0), np.nextafter(near, np.inf), near * 8.3]))


@pytest.mark.parametrize("op", [Op.ATAN2, Op.POW], ids=str)
def test_two_operands_at_special_values(op: Op) -> None:
    y, x = (part.reshape(-1) for part in np.meshgrid(NUMBERS, NUMBERS))
    check(op, y, x)


@pytest.mark.parametrize("spread", [1e-12, 0.001, 1.0, 20.0, 200.0])
def test_pow_over_its_whole_range(spread: float) -> None:
    rng = np.random.default_rng(1)
    x = np.exp(np.clip(rng.normal(0, spread, 100_000), -740, 700))
    check(Op.POW, x, rng.normal(0, 500 / spread, x.size))
    check(Op.POW, x, rng.normal(0, 2 / spread, x.size))
    check(Op.POW, -x, rng.integers(-9, 10, x.size).astype(np.float64))


@pytest.mark.parametrize("spread", [0.1, 3.0, 300.0])
def test_atan2_all_around(spread: float) -> None:
    rng = np.random.default_rng(2)
    sizes = np.exp(np.clip(rng.normal(0, spread, (2, 100_000)), -700, 700))
    check(Op.ATAN2, *(rng.normal(size=sizes.shape) * sizes))
