"""float32 functions against float64, in units of the last place."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade.codegen.numerics.tabled import TABLED
from saccade.codegen.numerics.transcendental import ERRORS_ULP
from saccade.graph import dtypes, monoid
from saccade.graph.kernels.kernel import Kernel, fold, load, loop, param, sink, store
from saccade.graph.ops import Op
from saccade.runtime.cpu.machine import host_registers
from tests.codegen.kernels import apply, elementwise, run_on_cpu, run_shaped_for

Array = np.ndarray[Any, Any]

EXACT: dict[Op, Any] = {
    Op.EXP: np.exp, Op.EXP2: np.exp2, Op.LOG: np.log, Op.LOG2: np.log2, Op.SIN: np.sin, Op.COS: np.cos,
    Op.TAN: np.tan, Op.ASIN: np.arcsin, Op.ACOS: np.arccos, Op.ATAN: np.arctan, Op.SINH: np.sinh, Op.COSH:
    np.cosh, Op.TANH: np.tanh, Op.ERF: np.vectorize(math.erf, otypes=[np.float64]), Op.POW: np.power,
    Op.ATAN2: np.arctan2, Op.EXPM1: np.expm1, Op.LOG1P: np.log1p,
}  # fmt: skip
UNARY = [op for op in EXACT if op not in (Op.POW, Op.ATAN2)]
SPECIAL = np.array(
    [
        0.0,
        np.inf,
        np.nan,
        1e-45,
        1e-40,
        2.0**-126,
        3.4028235e38,
        1,
        0.5,
        2,
        3,
        101,
        1e10,
        1.5,
        16777215,
        16777216,
        1 / 3,
    ],
    np.float32,
)
SPECIAL = np.concatenate([SPECIAL, -SPECIAL])


def every_binade(per_binade: int) -> Array:
    """Random floats of both signs from all binades, subnormals included."""
    rng = np.random.default_rng(0)
    exponents = np.repeat(np.arange(255, dtype=np.uint32), per_binade)
    bits = rng.integers(0, 1 << 23, exponents.size, dtype=np.uint32) | (exponents << 23)
    return (bits | (rng.integers(0, 2, bits.size, dtype=np.uint32) << 31)).view(np.float32)


def errors(got: Array, exact: Array) -> Array:
    """Distance in units of the last place of the exact value; infinite where special values differ."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        ulp = np.exp2(np.floor(np.log2(np.maximum(np.abs(exact), 2.0**-126))) - 23)
        distance = np.abs(got.astype(np.float64) - exact) / ulp
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    finite = np.isfinite(got) & np.isfinite(rounded)
    edge = np.isclose(np.abs(exact), 2.0**128, rtol=2e-7)  # a result at the very end may round to infinity
    return np.where(finite, distance, np.where(same | edge, 0.0, np.inf))


def exactly(op: Op, *values: Array) -> Array:
    with np.errstate(all="ignore"):
        result: Array = EXACT[op](*[v.astype(np.float64) for v in values])
    return result


def check(op: Op, *values: Array) -> None:
    got = apply(lambda *nodes: nodes[0].alu(op, *nodes[1:]), [dtypes.float32] * len(values), *values)
    exact = exactly(op, *values)
    found = errors(got, exact)
    worst = int(found.argmax())
    at = [v[worst] for v in values]
    assert found[worst] <= ERRORS_ULP[op], (
        f"{op} of {at} is {got[worst]} instead of {exact[worst]}: {found[worst]} ulp"
    )
    zero = (got == 0) & (exact == 0)
    assert (np.signbit(got[zero]) == np.signbit(exact[zero])).all(), f"{op} loses the sign of zero"


@pytest.mark.parametrize("op", UNARY, ids=str)
def test_every_binade(op: Op) -> None:
    check(op, np.concatenate([every_binade(400), SPECIAL]))


@pytest.mark.parametrize("op", UNARY, ids=str)
def test_dense_where_it_bends(op: Op) -> None:
    low, high = (
        (-104, 90)
        if op in (Op.EXP, Op.EXPM1, Op.SINH, Op.COSH)
        else (-151, 129)
        if op is Op.EXP2
        else (-1, 1)
    )
    dense = np.linspace(low, high, 100_001, dtype=np.float32)
    check(op, np.concatenate([dense, np.linspace(-8, 8, 100_001, dtype=np.float32)]))


@pytest.mark.parametrize("op", [Op.SIN, Op.COS, Op.TAN], ids=str)
def test_near_multiples_of_a_quarter_turn(op: Op) -> None:
    multiples = np.arange(1, 1 << 17, dtype=np.float64) * (np.pi / 2)
    near = multiples.astype(np.float32)
    check(
        op, np.concatenate([near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(np.inf))])
    )


@pytest.mark.parametrize("op", [Op.POW, Op.ATAN2], ids=str)
def test_two_operands_at_special_values(op: Op) -> None:
    a, b = (part.reshape(-1) for part in np.meshgrid(SPECIAL, SPECIAL))
    check(op, a, b)


@pytest.mark.parametrize("spread", [0.001, 1.0, 20.0])
def test_pow_over_its_whole_range(spread: float) -> None:
    rng = np.random.default_rng(1)
    x = np.exp(rng.normal(0, spread, 100_000)).astype(np.float32)
    check(Op.POW, x, rng.normal(0, 60 / spread, x.size).astype(np.float32))
    check(Op.POW, -x, rng.integers(-9, 10, x.size).astype(np.float32))


@pytest.mark.parametrize("spread", [0.1, 3.0, 40.0])
def test_atan2_all_around(spread: float) -> None:
    rng = np.random.default_rng(2)
    sizes = np.exp(np.clip(rng.normal(0, spread, (2, 100_000)), -85, 85))
    y, x = (rng.normal(size=sizes.shape) * sizes).astype(np.float32)
    check(Op.ATAN2, y, x)


@pytest.mark.parametrize("op", [Op.EXP, Op.SIN, Op.TANH, Op.ERF, Op.EXPM1, Op.LOG1P], ids=str)
def test_contraction_of_sums_does_not_reach_into_functions(op: Op) -> None:
    """In a kernel with a sum, products and sums may be fused: range reduction must not depend on that."""
    x = np.linspace(-80, 80, 5_000, dtype=np.float32)
    i, j = loop(0, x.size), loop(1, 2)
    first = j.eq(0).cast(dtypes.float32)
    value = fold(monoid.ADD, (load(param(1, dtypes.float32, x.size), i).alu(op) * first,), (j,))
    kernel = Kernel(
        sink((store(param(0, dtypes.float32, x.size), i, value),)),
        (i,),
        ((dtypes.float32, x.size),) * 2,
        (0,),
    )
    got = np.zeros_like(x)
    run_on_cpu(kernel, [got, x])
    assert errors(got, exactly(op, x)).max() <= ERRORS_ULP[op]


@pytest.mark.parametrize("op", [Op.EXP, Op.EXP2], ids=str)
def test_far_below_the_smallest_number(op: Op) -> None:
    """Through what is subnormal, what rounds to zero, and what a mask leaves out."""
    check(op, -np.concatenate([np.linspace(80, 400, 100_001), np.logspace(2, 38, 1000)]).astype(np.float32))


@pytest.mark.skipif(host_registers().bytes < 32, reason="permutations of AVX2 and AVX-512")
@pytest.mark.parametrize("op", TABLED, ids=str)
def test_tables_are_as_exact_as_series_and_the_same_without_avx512(op: Op) -> None:
    x = np.concatenate([every_binade(40), np.linspace(-4, 4, 10_007, dtype=np.float32)])
    for size in (1, 3, 11, x.size):  # lanes of one element, of a part of a register, of many
        kernel = elementwise(lambda node: node.alu(op), [dtypes.float32], size)
        found = []
        for picks in (False, True):
            got = np.zeros(size, np.float32)
            run_shaped_for(kernel, replace(host_registers(), masks=False, picks=picks), [got, x[-size:]])
            assert errors(got, exactly(op, x[-size:])).max() <= ERRORS_ULP[op]
            found.append(got)
        if host_registers().picks:
            here = apply(lambda node: node.alu(op), [dtypes.float32], x[-size:])
            np.testing.assert_array_equal(found[1], here)
