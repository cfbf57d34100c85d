"""Division by a loop's invariant agrees with division, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.codegen.compile import shaped
from saccade.codegen.linear.code import Block, Instruction
from saccade.codegen.linear.lower import Lowering
from saccade.codegen.numerics.decompose import decompose
from saccade.runtime.cpu.machine import assuming, host_registers
from tests.codegen.kernels import kernels_of


@pytest.fixture(autouse=True)
def by_lane() -> Iterator[None]:
    """Kernels as for a processor that divides slowly; x86 has no quotients."""
    with assuming(replace(host_registers(), by_lane=True)):
        yield


FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True, allow_subnormal=True)
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.2e-38, 2.0**-100, 2.0**-99, 2.0**101, 3.4e38]


def same(got: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> bool:
    """Bit for bit, every NaN the same."""
    nan = np.isnan(wanted)
    return bool(np.array_equal(nan, np.isnan(got)) and np.array_equal(bits(got)[~nan], bits(wanted)[~nan]))


def bits(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return values.astype(np.float32).view(np.uint32)


def divided(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> bool:
    with np.errstate(all="ignore"):
        return same((Tensor(x) / Tensor(y)).numpy(), x / y)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(FLOATS, min_size=8, max_size=8), st.lists(FLOATS, max_size=4))
def test_any_floats(seed: int, divisors: list[float], some: list[float]) -> None:
    """Rows of arbitrary bits, and rows of ordinary numbers with some drawn ones among them."""
    draw = np.random.default_rng(seed)
    anything = draw.integers(0, 2**32, (4, 64), np.uint32).view(np.float32)
    ordinary = draw.standard_normal((4, 64)).astype(np.float32)
    ordinary[draw.integers(0, 4, len(some)), draw.integers(0, 64, len(some))] = some
    assert divided(np.concatenate([anything, ordinary]), np.array(divisors, np.float32)[:, None])


def test_edges_among_ordinary_numbers(rng: np.random.Generator) -> None:
    x = rng.standard_normal((len(EDGES) * 2, 64)).astype(np.float32)
    for row, edge in enumerate(EDGES):
        x[row, rng.integers(0, 64, 3)] = edge  # ordinary divisors, one or two odd lanes
    y = np.concatenate([rng.random(len(EDGES)) + 0.5, EDGES]).astype(np.float32)
    assert divided(x, y[:, None])


def test_every_exponent(rng: np.random.Generator) -> None:
    """Rows of one exponent each, divided by values of others."""
    exponents = np.arange(-149, 128, dtype=np.float32)
    x = np.ldexp(1 + rng.random((277, 32)), exponents.astype(int)[:, None]).astype(np.float32)
    for shift in (-30, -24, -1, 0, 24, 30):
        y = np.ldexp(1 + rng.random((277, 1)), shift).astype(np.float32)
        assert divided(x, y)


def test_quotients_closest_to_a_midpoint() -> None:
    """The cases that decide whether it is right, for one divisor in 1,021; see the module's docstring."""
    divisors = np.arange(1 << 23, 1 << 24, 1021, dtype=np.int64)
    rows = [hard_numerators(int(divisor)) for divisor in divisors]
    x = np.ones((len(rows), 64), np.float32)
    for row, numerators in enumerate(rows):
        x[row, : len(numerators)] = numerators[:64]
    assert sum(map(len, rows)) > 4 * len(rows)
    assert divided(x, divisors.astype(np.float32)[:, None])


def hard_numerators(divisor: int) -> list[float]:
    """Every X for which X * 2^s - M * divisor is k, |k| <= 6, with M odd in [2^24, 2^25): see quotient.py."""
    found = []
    twos = (divisor & -divisor).bit_length() - 1
    for shift in (24, 25):
        modulus = 1 << (shift - twos)
        inverse = pow(divisor >> twos, -1, modulus)
        for k in range(-6, 7):
            if k == 0 or k % (1 << twos) or (k >> twos) % 2 == 0:
                continue
            first = -(k >> twos) * inverse % modulus
            start = (1 << 24) + (first - (1 << 24)) % modulus
            for middle in range(start, 1 << 25, modulus):
                numerator, rest = divmod(middle * divisor + k, 1 << shift)
                if rest == 0 and 1 << 23 <= numerator < 1 << 24:
                    found.append(float(numerator))
    return found


@pytest.mark.parametrize("constant", [3.0, 0.1, -7.0, 1e-30, 1e30])
def test_constant_divisors(constant: float, rng: np.random.Generator) -> None:
    x = rng.standard_normal((50, 100)).astype(np.float32)
    assert same((Tensor(x) / constant).numpy(), x / np.float32(constant))


def test_only_where_the_divisor_stays() -> None:
    x, y = Tensor(np.ones((64, 256), np.float32)), Tensor(np.ones((64, 1), np.float32))
    assert "quotient" in kinds(x / y.sqrt())
    assert "quotient" not in kinds(x / (x + 1))
    wide, one = Tensor(np.ones((64, 256), np.float64)), Tensor(np.ones((64, 1), np.float64))
    assert "quotient" not in kinds(wide / one.sqrt())


def kinds(result: Tensor) -> set[str]:
    """The kinds of instruction in the only kernel of a result."""
    (kernel,) = kernels_of(result)
    moved = shaped(kernel)
    return set(instructions(Lowering(replace(moved, sink=decompose(moved.sink))).code("kernel").body))


def instructions(block: Block) -> list[str]:
    found: list[str] = []
    for item in block.items:
        found += [item.kind] if isinstance(item, Instruction) else instructions(item.body)
    return found
