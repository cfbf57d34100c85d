"""Families: numbers that change are given to one program, which computes what one that knows them does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor, dtypes, where
from saccade.graph.dtypes import ALL, DType
from saccade.graph.node import Node
from saccade.graph.verify import verify
from saccade.runtime.device import Device
from saccade.runtime.memory.buffer import Buffer
from saccade.tensor.host import has_numpy
from saccade.tensor.programs import realize as module
from saccade.tensor.programs.family import Family
from saccade.tensor.programs.form import Given, canonical, graph_of, hole_types

Array = np.ndarray[Any, Any]


def vector(n: int = 100) -> Array:
    return np.random.default_rng(1).standard_normal(n).astype(np.float32)


def matrix(rows: int = 40, columns: int = 24) -> Array:
    return np.random.default_rng(2).standard_normal((rows, columns)).astype(np.float32)


# --- loops over numbers


def set_one(x: Any, i: int) -> Any:
    y = x + 0
    y[i] = 1
    return y


def set_part(x: Any, i: int) -> Any:
    y = x + 0
    y[i : i + 4, ::2] = -2.5
    return y


def set_rows(x: Any, i: int) -> Any:
    y = x + 0
    y[i] = x[3] * i
    return y


LOOPS: dict[str, tuple[Callable[..., Any], Array, list[int]]] = {
    "a factor": (lambda x, i: x * np.float32(i), vector(), [*range(20), -7]),
    "two numbers": (lambda x, i: x * np.float32(i) + np.float32(i * 0.25), vector(), list(range(20))),
    "a number and its square": (lambda x, i: x * np.float32(i) - np.float32(i * i), vector(), [*range(12)]),
    "an element": (lambda x, i: x[i], vector(), [*range(20), -1, -100]),
    "a row": (lambda x, i: x[i], matrix(), [*range(12), -1, -40]),
    "a column": (lambda x, i: x[:, i], matrix(), [*range(12), -1, -24]),
    "a window": (lambda x, i: x[i : i + 4], matrix(), [*range(12), 36]),
    "a window of columns": (lambda x, i: x[2:30:3, i : i + 9], matrix(), [*range(12), 15]),
    "backwards": (lambda x, i: x[i + 10 : i : -2], vector(), [*range(12), 89]),
    "a part of a part": (lambda x, i: x[5:30][i : i + 3, ::-1], matrix(), list(range(20))),
    "an element that is set": (set_one, vector(), [*range(12), -1]),
    "a part that is set": (set_part, matrix(), [*range(12), 36]),
    "a row that is computed": (set_rows, matrix(), [*range(12), -1]),
    "a place and a number": (lambda x, i: x[i] * np.float32(i), matrix(), list(range(12))),
    "two places": (lambda x, i: x[i] + x[2 * i + 1], matrix(), list(range(12))),
}  # fmt: skip


def in_numpy(function: Callable[..., Any], array: Array, i: int) -> Array:
    return np.asarray(function(array.copy(), i))


@pytest.mark.parametrize("name", LOOPS)
def test_three_programs_serve_all_values(name: str, made: list[object]) -> None:
    function, array, values = LOOPS[name]
    x = Tensor(array)
    for number, i in enumerate(values):
        result = function(x, i).numpy()
        np.testing.assert_array_equal(result, in_numpy(function, array, i))
        if number == 2:
            assert len(made) <= 3
            made.clear()
    assert not made, "something was compiled after the third value"


@pytest.mark.parametrize("name", LOOPS)
def test_the_interpreter_agrees(name: str) -> None:
    function, array, values = LOOPS[name]
    x = Tensor(array, device="interpreter")
    for i in values[:4] + values[-1:]:
        np.testing.assert_array_equal(function(x, i).numpy(), in_numpy(function, array, i))


def test_the_null_device_takes_numbers_too() -> None:
    x = Tensor(vector(), device="null")
    for i in range(5):
        assert (x[i : i + 3] * float(i)).realize().shape == (3,)


def test_a_number_that_was_seen_is_known(made: list[object]) -> None:
    x = Tensor(vector())
    for i in range(6):
        (x * float(i)).realize()
    made.clear()
    for i in (0, 1, 5, 0, 1):
        np.testing.assert_array_equal((x * float(i)).numpy(), vector() * np.float32(i))
    assert not made


def test_another_number_generalises_once_more(made: list[object]) -> None:
    x, array = Tensor(vector()), vector()

    def check(a: float, b: float) -> None:
        np.testing.assert_array_equal((x * a + b).numpy(), array * np.float32(a) + np.float32(b))

    for a in (2.0, 3.0, 4.0, 5.0):
        check(a, 1.0)
    assert len(made) == 3  # the addend is known
    for b in (2.0, 3.0, 5.0):
        check(7.0, b)
    assert len(made) == 4  # both are given
    for n in range(10):
        check(float(n), float(n))  # they may be equal, too
    assert len(made) == 4


def test_numbers_that_were_always_equal_may_differ_later(made: list[object]) -> None:
    x, array = Tensor(vector()), vector()
    for a, b in [(2, 2), (3, 3), (5, 5), (6, 6), (7, 8), (8, 7), (9, 9)]:
        wanted = array * np.float32(a) + np.float32(b)
        np.testing.assert_array_equal((x * float(a) + float(b)).numpy(), wanted)
    assert len(made) == 4  # one word for both, then one each


def test_structure_is_no_number(made: list[object]) -> None:
    x, array = Tensor(vector(20)), vector(20)
    for exponent in range(1, 5):
        np.testing.assert_allclose((x**exponent).numpy(), array**exponent, rtol=1e-5)
    for k in (1, 2, 3, 4):
        np.testing.assert_array_equal(x.topk(k).values.numpy(), np.sort(array)[::-1][:k])
    for n in (2, 3, 4):
        np.testing.assert_array_equal(x[:n].clone().numpy(), array[:n])
    assert len(made) > 8


# --- what stays as it was


def test_an_index_out_of_range_raises_as_before() -> None:
    x = Tensor(matrix())
    for i in range(5):
        x[i].realize()
    for i in (40, -41, 1000):
        with pytest.raises(IndexError, match=f"index {i} is out of range for axis 0"):
            x[i]
    assert x[38:42].shape == (2, 24)  # a slice ends with its axis
    with pytest.raises(IndexError, match="index 24 is out of range for axis 1"):
        x[0, 24] = 1.0


def test_a_number_no_dtype_holds_raises_as_before() -> None:
    x = Tensor(np.arange(5, dtype=np.int8))
    for n in range(5):
        (x + n).realize()
    with pytest.raises(OverflowError, match="does not fit int8"):
        x + 300


# --- given or known, the bits are the same


def run(roots: list[Node], numbers: str) -> list[Array]:
    """The results of a graph whose numbers are known, or all given."""
    (structure, held), inputs = canonical(roots)
    family = Family(structure, inputs[0].device if inputs else Device.default)
    addresses = [buffer.address for buffer in inputs]
    if numbers == "known" or not held:
        executable = family.specialise(held, module.make_executable)
    else:
        general = family.given(tuple(map(Given, range(len(held)))), module.make_executable)
        executable, words = general.executable, general.words(held)
        assert words is not None
        memory = executable.written(words)
        addresses.append(memory.address)
    return [buffer.numpy().copy() for buffer in executable.run(addresses)]


def same_bits(*tensors: Tensor) -> None:
    roots = list(dict.fromkeys(t.node for t in tensors))
    known, given = (run(roots, how) for how in ("known", "given"))
    for one, other in zip(known, given, strict=True):
        assert bits(one) == bits(other)


def bits(values: np.ndarray[Any, Any]) -> bytes:
    """The bits, those of a NaN left out: x86 makes a negative one where a compiler that knows the operands
    writes a positive one."""
    if values.dtype.kind != "f":
        return values.tobytes()
    return np.where(np.isnan(values), np.array(np.nan, values.dtype), values).tobytes()


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -3.75, 1e-8, 6e-8, 65504.0, 1e10, 1e300, -1e300]
SPECIAL += [float("inf"), float("-inf"), float("nan"), 1 + 2**-24, 1 + 3 * 2**-24, 1 + 2**-11, 5e-324]


def numbers_of(dtype: DType) -> list[Any]:
    if dtype.is_float:
        return SPECIAL
    if dtype.is_bool:
        return [True, False]
    low, high = int(dtype.min), int(dtype.max)
    return [0, 1, 2, 7, low, high, high - 1, low + 1, *([] if dtype.is_unsigned else [-1, -3])]


@pytest.mark.parametrize("dtype", ALL, ids=lambda d: d.name)
def test_every_dtype_holds_a_given_number_as_a_constant(dtype: DType) -> None:
    numbers = numbers_of(dtype)
    same_bits(*[Tensor.full((3,), number, dtype=dtype) for number in numbers])
    ops: list[Callable[[Tensor, Any], Tensor]] = [lambda x, n: x & n, lambda x, n: x ^ n]
    if not dtype.is_bool:
        ops = [lambda x, n: x + n, lambda x, n: x * n, lambda x, n: x.maximum(n), lambda x, n: x < n]
    if dtype.is_int:
        ops += [lambda x, n: x // (n or 1), lambda x, n: x % (n or 1), lambda x, n: x ^ n]
    x = Tensor(np.arange(16) % 2 if dtype.is_bool else np.arange(16), dtype=dtype)
    # each number by some of the ops: all of them take long to compile for types that machines do not have
    most = 24 if has_numpy(dtype) else 8
    same_bits(*[ops[place % len(ops)](x, number) for place, number in enumerate(numbers * 2)][:most])


@pytest.mark.parametrize("number", [3.0, -7.5, 0.1, 1e-30, 2.0])
def test_quotients_are_the_same(number: float) -> None:
    x = Tensor(np.random.default_rng(3).standard_normal(4096).astype(np.float32))
    same_bits(x / number, number / x, x % number, x // number)


def test_sums_of_scaled_rows_are_the_same() -> None:
    x = Tensor(matrix(64, 300))
    same_bits((x * 1.7).sum(1), ((x - 0.3) * 0.1).amax(0), (x.exp() * 3.3).sum())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_choice_of_zero_is_zero_without_a_sign(dtype: str) -> None:
    """LLVM made a minimum of it in float64, and the minimum of -0 and 0 is -0."""
    x = Tensor((np.arange(171, dtype=np.float32) % 5).reshape(9, 19)).cast(dtype) * -1.0
    made = where(x < 0.0, x, 0.0)
    assert not np.signbit(made.numpy().reshape(-1)[::5]).any()
    same_bits(made, made.flip(1))


BINARY: list[Callable[[Tensor, Any], Tensor]] = [
    lambda x, n: x + n,
    lambda x, n: n - x,
    lambda x, n: x * n,
    lambda x, n: x.maximum(n),
    lambda x, n: x.minimum(n),
    lambda x, n: where(x < n, x, n),
    lambda x, n: x.clamp(min=n),
]


@st.composite
def programs(draw: st.DrawFn) -> list[Tensor]:
    """A chain of arithmetic with numbers, and of parts taken at places."""
    rows, columns = draw(st.integers(1, 30)), draw(st.integers(1, 30))
    dtype = draw(st.sampled_from(["float32", "float64", "int32", "int64", "uint8", "float16", "bfloat16"]))
    array = np.random.default_rng(draw(st.integers(0, 99))).integers(0, 50, (rows, columns))
    x = Tensor(array.astype(np.float32)).cast(dtype)
    limited = x.dtype.is_float
    number = st.floats(width=32) if limited else st.integers(-(2 ** (x.dtype.bits - 1)) + 1, 2**7)
    for _ in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            x = draw(st.sampled_from(BINARY))(x, draw(number))
            continue
        axis = draw(st.integers(0, 1))
        n = x.shape[axis]
        length = draw(st.integers(1, n))
        start = draw(st.integers(0, n - length))
        part = (slice(None),) * axis + (slice(start, start + length),)
        if draw(st.booleans()):
            x = x[part]
        else:
            y = x + 0
            y[part] = draw(number)
            x = y
    return [x, x.sum(0) if draw(st.booleans()) else x.flip(1)]


@settings(max_examples=12)
@given(programs())
def test_random_programs_give_the_same_bits(tensors: list[Tensor]) -> None:
    same_bits(*tensors)


# --- forms


def test_a_form_tells_numbers_apart() -> None:
    x = Tensor(vector())

    def numbers(*values: float) -> list[Any]:
        return [canonical([(x * value).node])[0][1] for value in values]

    zero, minus, nan, again = numbers(0.0, -0.0, float("nan"), float("nan"))
    assert zero != minus
    assert nan == again
    assert len({zero, minus, nan, again}) == 3
    assert repr(zero) != repr(minus)


def test_holes_are_put_back() -> None:
    x = Tensor(matrix())
    y = (x[3:9, ::-2] * 2.5).pad((1, 2, 3, 0)).flip(0)[2:5] + 7
    form, _ = canonical([y.node])
    (root,), inputs = graph_of(form)
    assert inputs == 1
    assert root.shape == y.shape
    (again, _), (structure, numbers) = (canonical([root]), form)
    assert again[1] == numbers
    assert len(hole_types(structure)) == len(numbers)
    (general,), inputs = graph_of((structure, tuple(map(Given, range(len(numbers))))))
    assert inputs == 2
    verify(general, "tensor")
    assert general.shape == y.shape


def test_equal_constants_are_not_one() -> None:
    x = Tensor(vector())
    assert canonical([(x * 3.0 + 3.0).node])[0][0] == canonical([(x * 3.0 + 4.0).node])[0][0]


def test_buffers_of_forms_are_counted_in_order() -> None:
    a, b = Tensor(vector()), Tensor(vector())
    _, buffers = canonical([(a * 2.0 + b * a).node])
    assert len(buffers) == 2
    assert all(isinstance(buffer, Buffer) for buffer in buffers)
    assert dtypes.float32 is buffers[0].dtype
