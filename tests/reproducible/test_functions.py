"""Functions of float64: near enough to the truth, and the same bits wherever they run."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import numpy as np
import pytest

from saccade.reproducible import (
    Draws,
    arctan,
    arctan2,
    cos,
    cos_sin,
    degrees,
    exp,
    hypot,
    log,
    log1p,
    power,
    radians,
    sin,
    tan,
)
from saccade.reproducible.functions import Floats

DRAWS = Draws(20)
NEAR = 4 * DRAWS.uniform(4000) - 2
WIDE = 2e6 * DRAWS.uniform(4000) - 1e6
POSITIVE = np.ldexp(DRAWS.uniform(4000) + 0.5, np.array(DRAWS.below(1200, 4000)) - 600)


def ulps(found: Floats, wanted: list[float]) -> float:
    """The largest error in units of the last place of what is wanted."""
    exact = np.array(wanted)
    return float((np.abs(found - exact) / np.spacing(np.abs(exact))).max())


@pytest.mark.parametrize(
    ("function", "reference", "values", "most"),
    [
        (sin, math.sin, NEAR, 3),
        (sin, math.sin, WIDE, 4),
        (cos, math.cos, NEAR, 3),
        (cos, math.cos, WIDE, 4),
        (tan, math.tan, NEAR, 5),
        (arctan, math.atan, NEAR, 6),
        (arctan, math.atan, POSITIVE, 6),
        (exp, math.exp, 300 * NEAR, 3),
        (log, math.log, POSITIVE, 2),
        (log, math.log, np.abs(NEAR) + 1e-3, 4),
        (log1p, math.log1p, 0.4 * NEAR, 5),
        (log1p, math.log1p, 1e-9 * NEAR, 3),
        (degrees, math.degrees, NEAR, 0),
        (radians, math.radians, NEAR, 0),
    ],
)
def test_the_error_is_a_few_units_of_the_last_place(
    function: Callable[[Floats], Floats], reference: Callable[[float], float], values: Floats, most: float
) -> None:
    # the reference itself may be off by one
    assert ulps(function(values), [reference(each) for each in values.tolist()]) <= most


def test_functions_of_two_numbers() -> None:
    y, x = NEAR[:2000], NEAR[2000:]
    assert ulps(arctan2(y, x), list(map(math.atan2, y.tolist(), x.tolist()))) <= 6
    assert ulps(hypot(y, x), list(map(math.hypot, y.tolist(), x.tolist()))) <= 2
    base = DRAWS.uniform(500)
    assert ulps(power(base, 0.35), [each**0.35 for each in base.tolist()]) <= 6


def test_what_is_special() -> None:
    signs = np.array([0.0, -0.0, 1.0, -1.0])
    y, x = (each.ravel() for each in np.meshgrid(signs, signs))
    wanted = np.array(list(map(math.atan2, y.tolist(), x.tolist())))
    found = arctan2(y, x)
    assert np.allclose(found, wanted, rtol=0, atol=5e-16)
    assert (np.signbit(found) == np.signbit(wanted)).all()
    assert exp([-np.inf, np.inf, -800.0, 800.0]).tolist() == [0.0, math.inf, 0.0, math.inf]
    assert log([0.0, 1.0, np.inf]).tolist() == [-math.inf, 0.0, math.inf]
    assert np.isnan([*log([-1.0, np.nan]), *sin([np.nan]), *exp([np.nan])]).all()
    assert power([0.0, 1.0], 0.3).tolist() == [0.0, 1.0]
    assert log1p([5e-324, 0.0]).tolist() == [5e-324, 0.0]


def test_shapes_are_kept() -> None:
    for function in (sin, cos, tan, arctan, exp, log1p, degrees):
        assert function(np.zeros((2, 0, 3))).shape == (2, 0, 3)
        assert np.shape(function(0.5)) == ()
    assert cos_sin(np.zeros((2, 3)))[1].shape == (2, 3)


def test_an_element_depends_on_itself_alone() -> None:
    """However long the array and wherever in it: no vector loop has another end than middle."""
    for function in (sin, cos, exp, arctan, log1p):
        whole = function(np.abs(NEAR[:97]))
        assert [float(function(abs(each))) for each in NEAR[:97].tolist()] == whole.tolist()


def test_the_bits_are_these() -> None:
    """On every machine and under every NumPy; a change of the functions is a change of all results."""
    digest = hashlib.blake2b(digest_size=8)
    for values in (
        sin(WIDE),
        cos(NEAR),
        tan(NEAR),
        arctan2(NEAR, WIDE),
        exp(NEAR),
        log(POSITIVE),
        log1p(NEAR / 3),
    ):
        digest.update(np.ascontiguousarray(values).tobytes())
    assert digest.hexdigest() == "8aba32d42d944223"
