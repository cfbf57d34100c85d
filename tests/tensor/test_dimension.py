"""jit with a length that has bounds: one trace for all of them, the results of a function without jit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Dim, Tensor, dtypes, jit
from saccade.tensor.jit.trace import TraceError
from saccade.tensor.programs import bounded
from saccade.tensor.programs.bounded import samples_between
from saccade.tensor.programs.dimension import BoundedFunction
from saccade.tensor.programs.following import following

N = Dim("n", 0, 700)
WEIGHT = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


def rows(n: int, seed: int = 0) -> Tensor:
    return Tensor(np.random.default_rng(seed).normal(size=(n, 6)).astype(np.float32))


def results(value: Any) -> list[np.ndarray]:
    return [t.numpy() for t in (value if isinstance(value, tuple) else (value,))]


def same(got: Any, wanted: Any) -> None:
    for one, other in zip(results(got), results(wanted), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)  # sums of 700, in another order


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mlp": lambda x: (x @ Tensor(WEIGHT)).relu().softmax(-1),
    "mean": lambda x: x.mean(0),
    "scaled": lambda x: (x @ x.T / x.shape[0] ** 0.5).softmax(-1) @ x,
    "shifted": lambda x: x[1:] - x[:-1],
    "clamped": lambda x: x[:40].sum(0),
    "from the end": lambda x: x[-3:] * 2,
    "running": lambda x: x.cumsum(0),
    "sorted": lambda x: x.sort(0),
    "two": lambda x: (x.reshape(-1, 3), x.sum()),
    "numbered": lambda x: Tensor.arange(x.shape[0]).reshape(-1, 1) * x,
    "grown": lambda x: Tensor.cat([x, Tensor.ones(2, 6), x]),
}
BOUNDED: dict[str, BoundedFunction[..., Any]] = {
    name: jit(function, dims={"x": {0: N}}) for name, function in FUNCTIONS.items()
}


@settings(max_examples=12)
@given(st.integers(0, 700), st.integers(0, 9))
@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_every_length_has_the_results_of_the_function(name: str, n: int, seed: int) -> None:
    function = FUNCTIONS[name]
    try:
        wanted = function(rows(n, seed))
        results(wanted)
    except (ValueError, IndexError) as error:  # a length that the function itself refuses
        with pytest.raises(type(error)):
            BOUNDED[name](rows(n, seed))
        return
    same(BOUNDED[name](rows(n, seed)), wanted)


KERNEL = np.linspace(-1, 1, 2 * 5 * 3, dtype=np.float32).reshape(2, 5, 3)
ROWS: dict[str, Callable[[Tensor], Any]] = {
    "broadcast": lambda x: x + x[:, :1] * x[:1],
    "padded": lambda x: x.pad((3, 5, 1, 0)) * 2,
    "cut": lambda x: x[:, 1:] - x[:, :-1],
    "turned": lambda x: x.T + 1,
    "backwards": lambda x: x.flip(1) * 2,
    "side by side": lambda x: Tensor.cat([x, x * 2], 1),
    "stacked": lambda x: Tensor.cat([x, x * 2], 0),
    "softmax": lambda x: x.softmax(1),
    "softmax across": lambda x: x.softmax(0),
    "moments": lambda x: (x.mean(0), x.var(1), x.argmax(1), (x > 0).any(0)),
    "normed": lambda x: (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 1e-5).sqrt(),
    "product": lambda x: (x @ x.T, x.T @ x),
    "running": lambda x: (x.cumsum(1), x.cumsum(0)),
    "convolved": lambda x: x.unsqueeze(0).conv1d(Tensor(KERNEL).to(x.device), padding=1),
    "repeated": lambda x: x.repeat(1, 2),
    "narrow": lambda x: x.cast("bfloat16").softmax(1).cast("float32"),
}


@pytest.mark.parametrize("name", list(ROWS))
def test_rows_may_change_their_length(name: str) -> None:
    """Of a matrix whose inner axis changes: rows that vectors and tiles divide, and rows that they do not, at
    both ends of a program's lengths, at the bounds, and where there is nothing."""
    function = ROWS[name]
    every = jit(lambda x: function(x), dims={"x": {1: Dim("n", 0, 130)}})
    for n in (130, 100, 65, 64, 33, 7, 1, 0):
        data = Tensor(np.random.default_rng(n).normal(size=(5, n)).astype(np.float32))
        try:
            wanted = results(function(data.to("interpreter")))
        except (ValueError, IndexError) as error:  # there is no largest of nothing
            with pytest.raises(type(error)):
                every(data)
            continue
        close = 1e-2 if name == "narrow" else 1e-4
        for one, other in zip(results(every(data)), wanted, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=close, atol=close)


def test_no_length_is_traced_or_compiled_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[object] = []
    trace = bounded.run_function
    monkeypatch.setattr(bounded, "run_function", lambda *given: runs.append(given) or trace(*given))
    make = bounded.make_executable
    made: list[object] = []
    monkeypatch.setattr(bounded, "make_executable", lambda *given: made.append(given) or make(*given))
    centred = jit(lambda x: x - x.mean(0), dims={"x": {0: Dim("n", 2, 256)}})
    for n in range(130, 256):
        same(centred(rows(n)), rows(n) - rows(n).mean(0))
    assert len(runs) == len(samples_between(2, 256))
    assert len(made) == 1
    assert centred.traces == 1


def test_axes_of_one_dim_and_arguments_beside_them() -> None:
    n = Dim("n", 1, 100)

    @jit(dims={"q": {1: n}, "k": {0: n}})
    def product(q: Tensor, k: Tensor, scale: float = 2.0, *, more: Tensor) -> Tensor:
        return q @ k * scale + more

    for size in (5, 80, 7):
        q, k, more = rows(size).T, rows(size), Tensor.ones(6, 6)
        same(product(q, k, more=more), q @ k * 2 + 1)
        same(product(q, k=k, scale=3.0, more=more), q @ k * 3 + 1)
    with pytest.raises(ValueError, match="axis 1 of 'q' is 5, axis 0 of 'k' is 6"):
        product(rows(5).T, rows(6), more=more)


def test_captured_tensors_are_followed() -> None:
    weight = Tensor(WEIGHT).realize()
    applied = jit(lambda x: x @ weight, dims={"x": {0: Dim("n", 2, 50)}})
    same(applied(rows(20)), rows(20) @ weight)
    weight.assign(weight * 3)
    same(applied(rows(30)), rows(30) @ Tensor(WEIGHT * 3))


def test_methods_and_functions_inside_others() -> None:
    class Model:
        def __init__(self) -> None:
            self.weight = Tensor(WEIGHT).realize()

        @jit(dims={"x": {0: Dim("n", 2, 50)}})
        def forward(self, x: Tensor) -> Tensor:
            return x @ self.weight

    model = Model()
    same(model.forward(rows(9)), rows(9) @ model.weight)
    same(jit(lambda x: model.forward(x) + 1)(rows(11)), rows(11) @ model.weight + 1)


def test_a_length_out_of_its_bounds_is_named() -> None:
    double = jit(lambda x: x * 2, dims={"x": {0: Dim("tokens", 3, 10)}})
    for n in (2, 11):
        with pytest.raises(
            ValueError, match=f"a length of {n} is out of the bounds of Dim 'tokens', 3 to 10"
        ):
            double(rows(n))
    same(double(rows(10)), rows(10) * 2)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (lambda x: x * 2 if x.shape[0] > 300 else x * 3, "is not the same at all lengths"),
        (lambda x: x[: 1 + x.shape[0] // 2], "is not the same at all lengths"),
        (lambda x: x * (x.shape[0] ** 2), "depends on the length in a way that cannot be followed"),
        (lambda x: x + Tensor(np.arange(x.shape[0] * 6).reshape(-1, 6)), "computes with, something else"),
        (lambda x: x + Tensor.rand(6), "draws random numbers"),
        (lambda x: x.assign(x + 1), "assigns to a tensor"),
        (lambda x: x.reshape(-1), "computes nothing"),
    ],
)
def test_what_does_not_follow_the_length_is_refused(function: Callable[..., Any], problem: str) -> None:
    with pytest.raises(TraceError, match=problem):
        jit(function, dims={"x": {0: Dim("n", 2, 700)}})(rows(5))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Dim("n", 5, 2), "0 <= least <= most"),
        (lambda: Dim("n", -1, 2), "0 <= least <= most"),
        (lambda: Dim("n", 0, 2.5), "takes whole numbers"),
        (lambda: Dim("n", 0, 2), "need no Dim"),
        (lambda: jit(lambda x: x, dims={"y": {0: N}}), "the parameters are 'x'"),
        (lambda: jit(lambda x: x, dims={"x": {-1: N}}), "count axes from 0"),
        (lambda: jit(lambda x: x, dims={"x": {0: 5}}), "it takes a Dim"),
        (lambda: jit(lambda x: x, dims={"x": {0: N, 1: Dim("m", 1, 9)}}), "axes of one Dim, not of 2"),
        (lambda: jit(lambda x: x, dims={}), "axes of one Dim, not of 0"),
        (lambda: jit(lambda x: x, dims={"x": {0: N}}, search=1.0), "take one of them"),
        (
            lambda: jit(lambda x: x * 2, dims={"x": {2: N}})(rows(3)),
            r"axis 2 of 'x', whose shape is \(3, 6\)",
        ),
        (lambda: jit(lambda x: x * 2, dims={"x": {0: N}})([1.0]), "a list in this call, not a Tensor"),
        (lambda: jit(lambda x: x * 2, dims={"x": {0: N}})(), "not a Tensor"),
    ],
)
def test_bad_dims_are_refused(make: Callable[[], object], problem: str) -> None:
    with pytest.raises((ValueError, TypeError), match=problem):
        make()


@pytest.mark.parametrize(
    "number", [lambda v: 3 * v - 1, lambda v: 1 / (2 * v), lambda v: v**0.5, lambda v: v**-0.5]
)
@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64])
def test_numbers_that_follow_a_length(number: Callable[[int], float], dtype: dtypes.DType) -> None:
    from saccade.tensor.programs.form import as_number

    seen = [(v, as_number(float(number(v)), dtype)) for v in (2, 3, 50, 699, 700)]
    found = following(seen, dtype)
    assert found is not None
    assert all(found(v) == as_number(float(number(v)), dtype) for v in range(2, 700))
    assert following([(2, 4.0), (3, 9.0), (4, 16.0)], dtype) is None


def test_another_thread_may_ask_for_lengths_while_room_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy(dict[int, Any]):
        """Another thread adds to it after every look."""

        def __iter__(self) -> Iterator[int]:
            found = super().__iter__()
            self[-len(self)] = None
            return found

    monkeypatch.setattr(bounded, "_MOST_READY", 2)
    double = jit(lambda x: x * 2, dims={"x": {0: N}})
    double(rows(65))
    (made,) = double._kinds.values()
    made._ready = Busy(made._ready)
    for n in range(66, 72):
        same(double(rows(n)), rows(n) * 2)
    assert double.traces == 1
    assert len(made._ready) <= 2
