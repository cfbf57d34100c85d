"""Numbers in the arguments of jit functions: inputs from the third value on, unless the function looks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.tensor.jit.number import Number, NumberRead, Recorder
from saccade.tensor.programs import realize as module

Array = np.ndarray[Any, Any]


def matrix(rows: int = 40, columns: int = 24) -> Array:
    return np.random.default_rng(2).standard_normal((rows, columns)).astype(np.float32)


def set_part(x: Tensor, i: int) -> Tensor:
    y = x + 0
    y[i] = 1.0
    y[i + 1, 3:5] = i * 0.5
    return y


@dataclass
class Settings:
    rate: float
    steps: int
    name: str = "plain"


#: a function, and the numbers it is called with
TAKEN: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "a rate": (lambda x, r: x - r * x, [0.1, 0.2, 0.3, -0.0, 1e30, float("inf"), 2.0, 0.1]),
    "an int of floats": (lambda x, n: x * n + (n - 3), [1, 2, 3, 4, -5, 10**12, 0]),
    "sums and quotients": (lambda x, n: x * (n / 2) + (n * 3) // 2 - n % 3, list(range(1, 12))),
    "powers": (lambda x, r: x * r**2 + 2.0**r, [0.5, 1.5, 2.5, 3.5, 0.25]),
    "a row": (lambda x, i: x[i], [0, 1, 2, 3, -1, -40, 39]),
    "an element": (lambda x, i: x[i, 2 * i + 1], list(range(11))),
    "a window": (lambda x, i: x[i : i + 4] * 2, [0, 1, 2, 3, 36, 17]),
    "a block": (lambda x, i: x[i * 4 : (i + 1) * 4].sum(0), [0, 1, 2, 3, 9]),
    "a window of columns": (lambda x, i: x[:, i + 1 : i + 6], [0, 1, 2, 3, 18]),
    "narrowed": (lambda x, i: x.narrow(1, i + 2, 5) + x.select(1, i)[:, None], [0, 1, 2, 3, 17]),
    "a part that is set": (set_part, [0, 1, 2, 3, 38, 20]),
    "clamped": (lambda x, r: x.clamp(min=-r, max=r), [0.5, 0.25, 0.75, 1.5, 0.0]),
    "filled": (lambda x, r: x + Tensor.full((24,), r), [0.5, 0.25, 0.75, 1.5]),
    "chosen": (lambda x, r: x.masked_fill(x > r, r), [0.5, 0.1, -1.0, 0.3]),
}  # fmt: skip


@pytest.fixture(name="made")
def made_fixture(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is prepared during a test."""
    prepared: list[object] = []
    original = module.make_executable
    monkeypatch.setattr(
        module, "make_executable", lambda *given: (prepared.append(given), original(*given))[1]
    )
    return prepared


@pytest.mark.parametrize("name", TAKEN)
def test_three_traces_serve_all_values(name: str, made: list[object]) -> None:
    function, values = TAKEN[name]
    x, f = Tensor(matrix()), jit(function)
    for number, value in enumerate(values):
        if number == 3:
            made.clear()
        result = f(x, value).numpy()
        before = len(made)
        np.testing.assert_array_equal(result, function(x, value).numpy())
        del made[before:]
    assert f.traces == 3
    assert not made


@pytest.mark.parametrize("name", ["a rate", "a row", "a window", "a part that is set"])
def test_the_interpreter_agrees(name: str) -> None:
    function, values = TAKEN[name]
    x, y, f = Tensor(matrix()), Tensor(matrix(), device="interpreter"), jit(function)
    for value in values:
        np.testing.assert_array_equal(f(y, value).numpy(), function(x, value).numpy())
    assert f.traces == 3


#: functions that look at the value: each has to be traced with it
LOOKS: dict[str, Callable[..., Any]] = {
    "a branch": lambda x, n: x + n if n > 2 else x - n,
    "a truth": lambda x, n: x * n if n else x,
    "equality": lambda x, n: x * (2 if n == 3 else 5),
    "a loop": lambda x, n: sum((x for _ in range(n)), start=x),
    "a shape": lambda x, n: x.sum() + Tensor.ones(n + 1).sum(),
    "float()": lambda x, n: x * float(n),
    "int()": lambda x, n: x * int(n),
    "a C function": lambda x, n: x * math.sqrt(n),
    "text": lambda x, n: x * len(f"{n}"),
    "a repr": lambda x, n: x * len(repr(n)),
    "a key": lambda x, n: x * {n: 2}.get(n, 3),
    "a method": lambda x, n: x * n.bit_length(),
    "rounding": lambda x, n: x * round(n + 0.4),
    "a power of a tensor": lambda x, n: x.abs() ** n,
    "the end of a slice": lambda x, n: x[:n].sum(),
    "a list": lambda x, n: x * [1, 2, 3, 4, 5, 6, 7][n],
    "NumPy": lambda x, n: x * np.float32(n),
    "its type": lambda x, n: x * (n if type(n) is int else 7),
    "an exception that is swallowed": lambda x, n: x * _swallowed(n),
    "divmod": lambda x, n: x * divmod(n, 2)[1],
    "abs and max": lambda x, n: x * max(abs(n), 2),
}


def _swallowed(n: Any) -> int:
    try:
        return 1 if n > 2 else 2
    except Exception:  # noqa: BLE001  as a program might
        return 100


@pytest.mark.parametrize("name", LOOKS)
def test_what_looks_at_a_number_is_traced_with_it(name: str) -> None:
    function = LOOKS[name]
    x, f = Tensor(matrix(8, 4)), jit(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in (1, 2, 3, 5, 0, 3):
            np.testing.assert_array_equal(f(x, n).numpy(), function(x, n).numpy())
    assert f.traces == 5


def test_one_number_is_known_and_another_given() -> None:
    f = jit(lambda x, n, rate: x * rate if n > 1 else x - rate)
    x = Tensor(matrix())
    for n, rate in [(1, 0.1), (2, 0.2), (1, 0.3), (1, 0.4), (1, 0.5), (2, 0.6), (2, 0.7)]:
        wanted = matrix() * np.float32(rate) if n > 1 else matrix() - np.float32(rate)
        np.testing.assert_array_equal(f(x, n, rate).numpy(), wanted)
    assert f.traces == 4  # two that know both, then one for each n


def test_numbers_in_keywords_and_objects() -> None:
    f = jit(lambda x, options, *, scale=1.0: x * options["s"].rate + scale - options["s"].steps)
    x = Tensor(matrix())
    for i in range(8):
        result = f(x, {"s": Settings(0.1 * i, i), "other": [1, 2]}, scale=i * 2.0)
        wanted = matrix() * np.float32(0.1 * i) + np.float32(i * 2.0) - np.float32(i)
        np.testing.assert_array_equal(result.numpy(), wanted)
    assert f.traces == 3
    assert f(x, {"s": Settings(0.5, 2, "other"), "other": [1, 2]}, scale=0.0).shape == (40, 24)
    assert f.traces == 4  # a string is a guard


def test_an_int_is_no_float() -> None:
    f = jit(lambda x, n: x * n)
    x = Tensor(np.arange(5))
    for n in (1, 2, 3, 4):
        assert f(x, n).dtype is x.dtype
    for r in (1.0, 2.0, 3.0, 4.0):
        np.testing.assert_array_equal(f(x, r).numpy(), np.arange(5, dtype=np.float32) * np.float32(r))
    assert f.traces == 6


def test_a_number_out_of_range_is_refused_where_it_belongs() -> None:
    x, f, g = Tensor(matrix()), jit(lambda x, i: x[i]), jit(lambda x, n: x + n)
    small = Tensor(np.arange(4, dtype=np.int8))
    for i in range(5):
        f(x, i)
        g(small, i)
    with pytest.raises(IndexError, match="index 40 is out of range for axis 0"):
        f(x, 40)
    with pytest.raises(IndexError, match="index -41 is out of range for axis 0"):
        f(x, -41)
    with pytest.raises(OverflowError, match="300 does not fit int8"):
        g(small, 300)
    np.testing.assert_array_equal(f(x, 39).numpy(), matrix()[39])
    np.testing.assert_array_equal(g(small, -200).numpy(), (np.arange(4) - 200).astype(np.int8))
    assert f.traces == 3


def test_a_slice_that_leaves_its_axis_is_traced_with_its_number() -> None:
    x, f = Tensor(matrix()), jit(lambda x, i: x[i : i + 4])
    for i in (0, 1, 2, 3, 38, 39, -4, -2, 50, 20):
        np.testing.assert_array_equal(f(x, i).numpy(), matrix()[i : i + 4])
    assert f.traces == 8


def test_a_quotient_by_zero_raises_where_it_is_written() -> None:
    x, f = Tensor(np.arange(1, 5)), jit(lambda x, n: x * (12 // n) + x // n)
    for n in (1, 2, 3, 4, 5):
        np.testing.assert_array_equal(f(x, n).numpy(), np.arange(1, 5) * (12 // n) + np.arange(1, 5) // n)
    with pytest.raises(ZeroDivisionError):
        f(x, 0)
    assert f.traces == 3


def test_errors_of_the_function_are_its_own() -> None:
    def fail(x: Tensor, n: int) -> Tensor:
        return x @ Tensor.ones(7, 7) * n

    f = jit(fail)
    for n in range(5):
        with pytest.raises(ValueError, match="shape"):
            f(Tensor(matrix()), n)


def test_numbers_that_are_equal_by_accident_do_not_end_it() -> None:
    f = jit(lambda x, i, j: x[i] + x[j])
    x = Tensor(matrix())
    for i, j in [(0, 1), (1, 2), (3, 3), (4, 5), (5, 4), (6, 6), (7, 8)]:
        np.testing.assert_array_equal(f(x, i, j).numpy(), matrix()[i] + matrix()[j])
    assert f.traces == 4


def test_state_is_assigned_with_numbers_too() -> None:
    total = Tensor(np.zeros(3, np.float32))

    @jit
    def count(x: Tensor, rate: float) -> Tensor:
        total.assign(total * rate + x)
        return total * 2

    wanted = np.zeros(3, np.float32)
    for i in range(8):
        wanted = wanted * np.float32(i / 2) + np.float32(1)
        np.testing.assert_array_equal(count(Tensor(np.ones(3, np.float32)), i / 2).numpy(), wanted * 2)
    np.testing.assert_array_equal(total.numpy(), wanted)
    assert count.traces == 3


def test_random_numbers_are_drawn_as_without_jit() -> None:
    f = jit(lambda x, rate: x + Tensor.rand(4) * rate)
    x = Tensor(np.zeros(4, np.float32))
    Tensor.manual_seed(7)
    plain = [(x + Tensor.rand(4) * (i * 0.5)).numpy() for i in range(6)]
    Tensor.manual_seed(7)
    for i, wanted in enumerate(plain):
        np.testing.assert_array_equal(f(x, i * 0.5).numpy(), wanted)


def test_reading_what_is_made_of_a_number_is_looking_at_it() -> None:
    f = jit(lambda x, n: x * Tensor.full((), n).item() + Tensor.arange(9)[n].item())
    x = Tensor(np.ones(3, np.float32))
    for n in range(6):
        assert f(x, n).tolist() == [2.0 * n] * 3
    assert f.traces == 6


def test_a_number_that_gets_out_is_what_it_was() -> None:
    kept: list[Tensor] = []

    def leak(x: Tensor, n: int) -> Tensor:
        kept.append(Tensor.full((2,), n) + Tensor.arange(9)[n])
        return x * n

    f = jit(leak)
    x = Tensor(np.ones(3, np.float32))
    for n in range(1, 7):
        before = len(kept)
        assert f(x, n).tolist() == [n] * 3
        assert [made.tolist() for made in kept[before:]] == [[2 * n, 2 * n]] * (len(kept) - before)
    assert kept


class Counter:
    def __init__(self) -> None:
        self.calls, self.last = 0, 0.0


def test_what_a_function_does_beside_happens_once_and_with_numbers() -> None:
    history: list[Any] = []
    counter = Counter()

    @jit
    def listed(x: Tensor, rate: float) -> Tensor:
        history.append(rate)
        return x * rate

    @jit
    def counted(x: Tensor, rate: float) -> Tensor:
        counter.calls += 1
        counter.last = rate
        return x * rate

    x = Tensor(np.ones(2, np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(6):
            assert listed(x, i * 0.5).tolist() == [i * 0.5] * 2
            assert counted(x, i * 0.5).tolist() == [i * 0.5] * 2
            assert history == [n * 0.5 for n in range(i + 1)]
            assert (counter.calls, counter.last) == (i + 1, i * 0.5)


def test_what_is_kept_is_bounded() -> None:
    f = jit(lambda x, n, r: x * r if n >= 0 else x)  # n is known, r is given
    x = Tensor(np.ones(3, np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(70):
            for r in (0.5, 1.5):
                assert f(x, n, r).tolist() == [r] * 3
    kept = [*f._variants.values(), *f._numbered.values()]
    assert sum(map(len, kept)) <= 128
    assert len(f._records) <= 64


# --- a number by itself


def numbers(*kinds: type) -> tuple[Recorder, list[Any]]:
    recorder = Recorder()
    return recorder, [Number(recorder.argument(kind)) for kind in kinds]


def test_arithmetic_is_pythons() -> None:
    recorder, (i, r) = numbers(int, float)

    def made_of(i: Any, r: Any) -> list[Any]:
        whole = [i + 2, 2 - i, i * 3, i / 2, 7 // i, -i, abs(i), i % 4, i * i, +i]
        return [*whole, r * i, 1 / r, r**2, 2**r, -r, r - i, i + r, r // i, r % 3]

    made = made_of(i, r)
    for a, b in ((3, 0.5), (-7, 2.25), (10**30, 1e-3)):
        values = recorder.values([a, b])
        assert values is not None
        wanted = made_of(a, b)
        found = [values[n.expression.place] for n in made]
        assert found == wanted
        assert [isinstance(n, int) for n in made] == [isinstance(n, int) for n in wanted]


def test_sums_that_cancel_are_known() -> None:
    _, (i, j) = numbers(int, int)
    assert (i + 4) - i == 4
    assert (i + 1) * 8 - i * 8 == 8
    assert (2 * i + j) - (j + i * 2) == 0
    assert isinstance(i - j, int)
    with pytest.raises(NumberRead):
        bool(i - j == 0)


def test_errors_mean_that_a_trace_is_not_right() -> None:
    recorder, (i,) = numbers(int)
    assert (12 // i) is not None
    assert recorder.values([0]) is None
    assert recorder.values([5]) == [5, 2]


def test_a_number_says_what_it_stands_for() -> None:
    recorder, (i, r) = numbers(int, float)
    assert isinstance(i, int)
    assert isinstance(r, float)
    assert not isinstance(r, int)
    for look in (
        bool,
        int,
        float,
        hash,
        repr,
        str,
        math.floor,
        "{}".format,
        lambda n: n < 3,
        lambda n: n.real,
    ):
        with pytest.raises(NumberRead):
            look(r)
    assert recorder.read == {1}
