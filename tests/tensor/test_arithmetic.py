"""Arithmetic against NumPy: operators and their reflected forms, promotion, integers, powers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from saccade import Tensor, dtypes
from saccade.graph.ops import Op
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler

from .compare import agree

rng = np.random.default_rng(1)
DEVICES = ["cpu", "interpreter", pytest.param("cuda", marks=needs_compiler)]
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne")


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_operators(name: str, dtype: str) -> None:
    function: Callable[[Any, Any], Any] = getattr(operator, name)
    a = rng.integers(0 if dtype == "uint8" else -20, 20, (4, 1, 5)).astype(dtype)
    b = rng.integers(1, 7, (3, 1)).astype(dtype)
    expected = function(a, b)
    if name == "truediv" and dtype in ("int32", "uint8"):
        expected = expected.astype("float32")
    agree(function(Tensor(a), Tensor(b)), expected)
    agree(function(Tensor(a), b), expected)
    agree(function(a, Tensor(b)), expected)


@pytest.mark.parametrize("name", OPERATORS[:6])
def test_python_scalars_on_either_side(name: str) -> None:
    function: Callable[[Any, Any], Any] = getattr(operator, name)
    x = np.array([1.5, -2.0, 4.0], "float32")
    agree(function(Tensor(x), 3), function(x, np.float32(3)))
    agree(function(3.5, Tensor(x)), function(np.float32(3.5), x))
    assert function(Tensor([1, 2], dtype="int8"), 3).dtype is (
        dtypes.float32 if name == "truediv" else dtypes.int8
    )
    assert function(Tensor([1, 2], dtype="int8"), 3.5).dtype is dtypes.float32
    assert function(Tensor([1.0], dtype="float16"), 3).dtype is dtypes.float16


def test_numpy_scalars_count_as_python_scalars() -> None:
    x = Tensor([1.0, 2.0])
    assert (x * np.float64(2)).dtype is dtypes.float32
    assert (np.float64(2) * x).dtype is dtypes.float32
    assert (x + np.int64(1)).tolist() == [2.0, 3.0]


def test_integer_division_and_remainder_follow_python() -> None:
    values = [-7, -6, -1, 0, 1, 6, 7]
    pairs = [(a, b) for a in values for b in (-3, -2, 2, 3)]
    a, b = (Tensor([p[i] for p in pairs]) for i in (0, 1))
    assert (a // b).tolist() == [x // y for x, y in pairs]
    assert (a % b).tolist() == [x % y for x, y in pairs]
    assert a.div(b, rounding_mode="trunc").tolist() == [int(x / y) for x, y in pairs]
    assert a.fmod(b).tolist() == [x - int(x / y) * y for x, y in pairs]


def test_integers_wrap() -> None:
    agree(Tensor([127, -128], dtype="int8") + Tensor([1, -1], dtype="int8"), np.array([-128, 127], "int8"))
    agree(Tensor([200], dtype="uint8") * Tensor([2], dtype="uint8"), np.array([144], "uint8"))
    agree(-Tensor([1], dtype="uint8"), np.array([255], "uint8"))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, -1, 0.5, 2.5])
def test_powers(exponent: float) -> None:
    x = np.array([0.5, 1.0, 2.0, 3.5], "float64")
    agree(Tensor(x) ** exponent, x**exponent)
    agree(2 ** Tensor(x), 2**x)


def test_integer_powers_wrap_as_multiplication_does() -> None:
    x = np.array([3, -2, 7], "int64")
    agree(Tensor(x) ** 41, x**41)
    agree(Tensor(x) ** Tensor([5, 62, 40]), x ** np.array([5, 62, 40]))


def test_bools() -> None:
    a, b = np.array([True, True, False]), np.array([True, False, False])
    agree(Tensor(a) + Tensor(b), a | b)
    agree(Tensor(a) * Tensor(b), a & b)
    assert (Tensor(a) + 1).dtype is dtypes.int64
    for program in (lambda: Tensor(a) - Tensor(b), lambda: -Tensor(a), lambda: Tensor(a) % Tensor(b)):
        with pytest.raises(TypeError, match="bool"):
            program()


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_the_least_integer_has_no_magnitude(dtype: str) -> None:
    x = np.array([np.iinfo(dtype).min, -3, 4], dtype)
    for wrapped, wanted in ((Tensor(x).abs(), np.abs(x)), (-Tensor(x), -x)):
        agree(wrapped < 0, wanted < 0)
        agree(Tensor(x).where(wrapped > 2, wrapped), np.where(wanted > 2, x, wanted))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32"])
def test_the_least_of_negative_numbers(dtype: str) -> None:
    """An assembler took the least of -x for -max(|x|), in 16 bits."""
    x = np.array([[-2, -2, 4, 4, 4, -5, -1, -5], [1, 2, 3, -7, 0, 0, -6, 5]], dtype).T.copy()
    agree((-Tensor(x)).min(0).values, (-x).min(0))
    agree((-Tensor(x)).max(0).values, (-x).max(0))
    agree((3 - Tensor(x)).min(0).values, (3 - x).min(0))


def test_sign_and_abs() -> None:
    x = np.array([-2.0, -0.0, 0.0, 3.0, np.inf, -np.inf], "float32")
    agree(Tensor(x).sign(), np.sign(x))
    agree(Tensor(x).abs(), np.abs(x))
    assert np.signbit((Tensor(x) * 1).numpy()).tolist() == np.signbit(x).tolist()


@given(
    hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0),
)
def test_broadcasting_is_numpys(shapes: Any) -> None:
    a, b = (rng.integers(-9, 9, shape) for shape in shapes.input_shapes)
    agree(Tensor(a) - Tensor(b), a - b)


@given(st.sampled_from(dtypes.INTS + dtypes.FLOATS[2:]), st.sampled_from(dtypes.INTS + dtypes.FLOATS[2:]))
def test_promotion_is_symmetric_and_monotone(a: dtypes.DType, b: dtypes.DType) -> None:
    x, y = Tensor([1], dtype=a), Tensor([2], dtype=b)
    assert (x + y).dtype is (y + x).dtype is dtypes.promote(a, b)
    assert (x + Tensor(2, dtype=b)).dtype.kind >= x.dtype.kind


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(
        ValueError, match=r"cannot broadcast shapes \(2, 3\) and \(4,\): axis -1 has sizes 3 and 4"
    ):
        Tensor.zeros(2, 3) + Tensor.zeros(4)
    with pytest.raises(TypeError, match="cannot combine a tensor with 'a'"):
        Tensor([1.0]) + "a"
    with pytest.raises(TypeError, match="cannot combine a tensor with None"):
        Tensor([1.0]) * None
    with pytest.raises(ValueError, match="cannot be raised to -1"):
        Tensor([2]) ** -1
    with pytest.raises(ValueError, match="rounding_mode"):
        Tensor([2]).div(1, rounding_mode="up")


def test_integer_powers_take_as_many_steps_as_exponents_have_bits() -> None:
    """In a loop, or in straight code where something bounds them."""
    base, exponent = Tensor([3, -2, 5, 1, -1]), Tensor([4, 3, 7, -2, -3])
    expected = [81, -8, 78125, 1, -1]
    for raised in (exponent, exponent.cast("int8")):
        assert (base**raised).tolist() == expected
        assert any(n.op is Op.IPOW for n in (base**raised).node.toposort())
    for raised in (exponent.clamp(-5, 7), exponent.minimum(7)):
        assert (base**raised).tolist() == expected
        assert 0 < sum(n.op is Op.MUL for n in (base**raised).node.toposort()) <= 8
    assert (Tensor([2, 3]) ** Tensor([5, 9]).clamp(0, 6)).tolist() == [32, 729]


def test_floor_quotients_and_remainders_belong_together() -> None:
    special = np.array([0.0, -0.0, 1, -1, 0.1, 2.5, -7.5, 1e30, np.inf, -np.inf, np.nan])
    x, y = (grid.ravel() for grid in np.meshgrid(special, special))
    with np.errstate(all="ignore"):
        for dtype in ("float32", "float64"):
            a, b = x.astype(dtype), y.astype(dtype)
            agree(Tensor(a) // Tensor(b), a // b)
    assert (Tensor([1.0], dtype="float64") // 0.1).item() == 1.0 // 0.1 == 9.0
    agree(Tensor([-3.0, 5.0]) // 4, np.float32([-1.0, 1.0]))


def test_bools_count_where_the_other_operand_is_a_number() -> None:
    mask = Tensor([True, False])
    assert (mask // 2).tolist() == [0, 0]
    assert (mask % 2).tolist() == [1, 0]
    assert (mask << 3).tolist() == [8, 0]
    assert mask.square().dtype.name == "int64"
    with pytest.raises(TypeError, match="bool"):
        mask // mask


def test_integers_are_not_divided_by_zero() -> None:
    for divide in (lambda x: x // 0, lambda x: x % 0, lambda x: x.div(0, rounding_mode="trunc")):
        with pytest.raises(ZeroDivisionError, match="int64"):
            divide(Tensor([1, 2]))


def test_every_operator_in_place_keeps_the_tensor_and_its_dtype() -> None:
    x = kept = Tensor([13, 7], dtype="int32")
    other = Tensor([2, 3], dtype="int64")
    x //= other
    x **= other
    x %= 7
    x <<= 1
    x >>= other
    x |= 8
    x &= 11
    x ^= 1
    assert x is kept
    assert (x.tolist(), x.dtype.name) == ([9, 9], "int32")


def test_closeness_of_unsigned_integers_and_bools() -> None:
    x, y = Tensor([1, 9], dtype="uint8"), Tensor([2, 2], dtype="uint8")
    assert x.isclose(y, atol=3).tolist() == [True, False]
    assert Tensor([True, False]).isclose(Tensor([True, True])).tolist() == [True, False]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
@pytest.mark.parametrize("device", DEVICES)
def test_powers_of_any_integers(dtype: str, device: str) -> None:
    """Products wrap; a negative power is 0 but of 1 and -1."""
    ends = np.iinfo(dtype)
    random = np.random.default_rng(3)
    base = random.integers(max(ends.min, -9), 10, 60).astype(dtype)
    exponent = random.integers(max(ends.min, -6), 120, 60).astype(dtype)
    exponent[:5], base[:5] = ends.max, [1, 0, 3, 2, 7]
    wanted = []
    for x, n in zip(base.tolist(), exponent.tolist(), strict=True):
        exact = pow(x, n, 1 << ends.bits) if n >= 0 else {1: 1, -1: 1 - 2 * (n & 1)}.get(x, 0)
        wanted.append((exact - ends.min) % (1 << ends.bits) + ends.min)
    with emulated_gpu() if device == "cuda" else nullcontext():
        found = (Tensor(base, device=device) ** Tensor(exponent, device=device)).numpy()
    np.testing.assert_array_equal(found, np.array(wanted, dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("device", DEVICES)
def test_a_remainder_of_zero_has_the_sign_of_the_divisor(dtype: str, device: str) -> None:
    pairs = [(-0.0, 1.0), (0.0, -1.0), (-2.0, 1.0), (4.0, -2.0), (3.0, -2.0), (-1.0, 4.0)]
    x, y = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    with emulated_gpu() if device == "cuda" else nullcontext():
        found = (Tensor(x, device=device) % Tensor(y, device=device)).tolist()
    assert str(found) == str([a % b for a, b in pairs])
