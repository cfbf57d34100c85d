"""jit: a replay is what the plain function would have done, whatever changed since, and results are kept."""

from __future__ import annotations

import importlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from saccade import Key, Tensor, jit, where
from saccade.tensor import TraceError
from saccade.tensor.jit.captured.environment import environment_of
from saccade.tensor.jit.function import RetraceWarning

Array = np.ndarray[Any, Any]


def values(*shape: int, seed: int = 0) -> Tensor:
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RetraceWarning)
        yield


def test_a_replay_computes_on_its_own_arguments() -> None:
    f = jit(lambda a, b: (a * b + 1).sum(0))
    for seed in range(4):
        a, b = values(5, 3, seed=seed), values(5, 3, seed=seed + 10)
        np.testing.assert_allclose(f(a, b).numpy(), (a.numpy() * b.numpy() + 1).sum(0), rtol=1e-6)
    assert f.traces == 1


def test_results_are_kept_when_the_function_runs_again() -> None:
    f = jit(lambda x: x * 2)
    results = [f(Tensor([float(i)] * 4)) for i in range(10)]
    assert [r.tolist() for r in results] == [[2.0 * i] * 4 for i in range(10)]


def test_shapes_and_dtypes_are_guards() -> None:
    f = jit(lambda x: x + x.shape[0])
    assert f(Tensor([1, 2])).tolist() == [3, 4]
    assert f(Tensor([1, 2, 3])).tolist() == [4, 5, 6]
    assert f(Tensor([1.5, 2.5])).tolist() == [3.5, 4.5]
    assert f(Tensor([1, 2])).tolist() == [3, 4]
    assert f.traces == 3


def test_one_shape_of_two_ranks_is_told_apart() -> None:
    f = jit(lambda x: x.sum(-1))
    assert f(Tensor([1.0, 2.0])).tolist() == 3.0
    assert f(Tensor([[1.0, 2.0]])).tolist() == [3.0]


@pytest.mark.parametrize(("one", "other"), [(1, 2), (1, True), (1, 1.0), (0.0, -0.0), (None, 0), ("a", "b")])
def test_plain_values_in_arguments_are_guards(one: object, other: object) -> None:
    def plain(x: Tensor, flag: Any) -> Tensor:
        return x + len(f"{type(flag)}{flag}") + (1 if flag else 0)

    f = jit(plain)
    x = Tensor([1.0])
    for flag in (one, other, one):
        assert f(x, flag).tolist() == plain(x, flag).tolist()
        assert f(x, flag=flag).tolist() == plain(x, flag).tolist()
    assert f.traces == 4  # two values, by position and by name


def test_nan_is_one_value() -> None:
    f = jit(lambda x, fill: x * 0 + (0.0 if fill != fill else fill))
    for _ in range(3):
        assert f(Tensor([1.0]), float("nan")).tolist() == [0.0]
    assert f.traces == 1


# --- what is captured


def test_a_closed_over_number_is_a_guard() -> None:
    scale = 2.0
    f = jit(lambda x: x * scale)
    x = Tensor([1.0])
    assert f(x).tolist() == [2.0]
    scale = 3.0
    assert f(x).tolist() == [3.0]
    scale = 2.0
    assert f(x).tolist() == [2.0]
    assert f.traces == 2


LIMIT = 1.0


def helper(x: Tensor) -> Tensor:
    return x * LIMIT


def test_a_global_of_a_called_function_is_a_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    f = jit(lambda x: helper(x))
    assert f(Tensor([2.0])).tolist() == [2.0]
    monkeypatch.setitem(globals(), "LIMIT", 5.0)
    assert f(Tensor([2.0])).tolist() == [10.0]


def test_a_redefined_function_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    f = jit(lambda x: helper(x))
    assert f(Tensor([2.0])).tolist() == [2.0]
    monkeypatch.setitem(globals(), "helper", lambda x: x + 40)
    assert f(Tensor([2.0])).tolist() == [42.0]


def test_functions_without_a_module_and_of_a_file_called_like_a_standard_one_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {}
    exec("factor = 2\ndef scaled(x): return x * factor", names)
    f = jit(names["scaled"])
    assert f(Tensor([1.0])).tolist() == [2.0]
    names["factor"] = 5
    assert f(Tensor([1.0])).tolist() == [5.0]

    (tmp_path / "this.py").write_text("factor = 2\ndef scaled(x): return x * factor\n")
    monkeypatch.syspath_prepend(tmp_path)
    own = importlib.import_module("this")
    f = jit(own.scaled)
    assert f(Tensor([1.0])).tolist() == [2.0]
    own.factor = 5
    assert f(Tensor([1.0])).tolist() == [5.0]
    del sys.modules["this"]


def test_an_installed_package_is_not_read_but_its_settings_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest names nothing of ours and is large: to follow its code would meet thousands of objects."""
    monkeypatch.setattr(pytest, "__version__", "2.0")

    def scaled(x: Tensor) -> Tensor:
        return x * float(pytest.__version__) if pytest.main else pytest.fail("never")

    f = jit(scaled)
    assert f(Tensor([3.0])).tolist() == [6.0]
    assert len(environment_of(scaled).guards) < 20
    monkeypatch.setattr(pytest, "__version__", "5.0")
    assert f(Tensor([3.0])).tolist() == [15.0]


def test_a_closed_over_tensor_is_read_at_each_call() -> None:
    weight = Tensor([1.0, 2.0])
    f = jit(lambda x: x * weight)
    x = Tensor([1.0, 1.0])
    assert f(x).tolist() == [1.0, 2.0]
    weight.assign([3.0, 4.0])
    assert f(x).tolist() == [3.0, 4.0]
    weight += 1
    assert f(x).tolist() == [4.0, 5.0]
    assert f.traces == 1
    weight = Tensor([7.0, 7.0])
    assert f(x).tolist() == [7.0, 7.0]
    weight = Tensor([1.0])
    assert f(x).tolist() == [1.0, 1.0]


@pytest.mark.host_memory
def test_shared_memory_written_outside_is_seen() -> None:
    array = np.ones(3, np.float32)
    shared = Tensor.from_numpy(array)
    f = jit(lambda x: x + shared)
    assert f(Tensor([0.0, 0.0, 0.0])).tolist() == [1.0, 1.0, 1.0]
    array[:] = 5
    assert f(Tensor([0.0, 0.0, 0.0])).tolist() == [5.0, 5.0, 5.0]


def test_a_closed_over_array_is_compared() -> None:
    array = np.ones(3, np.float32)
    f = jit(lambda x: x + array)
    assert f(Tensor([0.0, 0.0, 0.0])).tolist() == [1.0, 1.0, 1.0]
    array[1] = 5
    assert f(Tensor([0.0, 0.0, 0.0])).tolist() == [1.0, 5.0, 1.0]


def test_two_captured_tensors_on_one_memory_see_each_others_writes() -> None:
    a = Tensor([1.0, 2.0, 3.0, 4.0])
    b = a.reshape(2, 2)
    f = jit(lambda x: x + a.sum() + 10 * b.sum())
    assert f(Tensor([0.0])).tolist() == [110.0]
    b.assign([[1.0, 1.0], [1.0, 1.0]])
    assert f(Tensor([0.0])).tolist() == [44.0]
    assert f.traces == 1


class Layer:
    gain = 1.0

    def __init__(self, weight: Tensor) -> None:
        self.weight, self.settings = weight, {"shift": 1.0}

    def __call__(self, x: Tensor) -> Tensor:
        return x * self.weight * self.gain + self.settings["shift"]

    @jit
    def method(self, x: Tensor) -> Tensor:
        return x * self.weight


def test_attributes_of_objects_are_followed() -> None:
    layers = [Layer(Tensor([1.0])), Layer(Tensor([2.0]))]
    model = SimpleNamespace(layers=layers, bias=0.0)

    def plain(x: Tensor) -> Tensor:
        for layer in model.layers:
            x = layer(x)
        return x + model.bias

    f = jit(plain)
    x = Tensor([1.0])

    def check() -> None:
        assert f(x).tolist() == plain(x).tolist()

    check()
    layers[0].weight = Tensor([5.0])
    check()
    layers[1].weight.assign([7.0])
    check()
    layers[1].gain = 2.0
    check()
    layers[0].settings["shift"] = 9.0
    check()
    model.bias = 3.0
    check()
    model.layers = layers[:1]
    check()
    layers.append(Layer(Tensor([3.0])))
    model.layers = layers
    check()


class Counted:
    factor = 2.0

    @classmethod
    def scaled(cls, x: Tensor) -> Tensor:
        return x * cls.factor

    @staticmethod
    def shifted(x: Tensor) -> Tensor:
        return x + LIMIT

    @property
    def doubled(self) -> float:
        return self.factor * 2


def test_classes_their_methods_and_properties_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted()

    def plain(x: Tensor) -> Tensor:
        return Counted.scaled(x) + Counted.shifted(x) * counted.doubled

    f, x = jit(plain), Tensor([1.0])
    for owner, name, value in (
        (Counted, "factor", 5.0),
        (counted, "factor", 7.0),
        (Counted, "shifted", staticmethod(lambda x: x - 1)),
        (Counted, "doubled", property(lambda self: 100.0)),
    ):
        assert f(x).tolist() == plain(x).tolist()
        monkeypatch.setattr(owner, name, value)
    assert f(x).tolist() == plain(x).tolist() == [5.0]


def test_attributes_reached_by_name_or_all_at_once_are_followed() -> None:
    layer = Layer(Tensor([2.0]))
    by_name = jit(lambda x: x * getattr(layer, "weight"))  # noqa: B009
    at_once = jit(lambda x: x * sum(v for v in vars(layer).values() if isinstance(v, Tensor)))
    x = Tensor([1.0])
    assert by_name(x).tolist() == at_once(x).tolist() == [2.0]
    layer.weight = Tensor([3.0])
    assert by_name(x).tolist() == at_once(x).tolist() == [3.0]


def test_a_method_belongs_to_its_object() -> None:
    a, b = Layer(Tensor([2.0])), Layer(Tensor([3.0]))
    x = Tensor([1.0])
    assert (a.method(x).tolist(), b.method(x).tolist()) == ([2.0], [3.0])
    a.weight = Tensor([5.0])
    assert (a.method(x).tolist(), b.method(x).tolist()) == ([5.0], [3.0])


def test_defaults_partials_and_jit_of_jit() -> None:
    step = 2.0
    inner = jit(lambda x, by: x + by * step)
    f = jit(partial(inner, by=10.0))
    assert f(Tensor([1.0])).tolist() == [21.0]
    step = 3.0
    assert f(Tensor([1.0])).tolist() == [31.0]
    assert jit(jit(lambda x: x * 2))(Tensor([4.0])).tolist() == [8.0]
    assert jit(lambda x: inner(x, 1.0) * 2)(Tensor([1.0])).tolist() == [8.0]


def test_a_counter_is_never_stale() -> None:
    count = 0

    def plain(x: Tensor) -> Tensor:
        nonlocal count
        count += 1
        return x * count

    f = jit(plain)
    assert [f(Tensor([1.0])).tolist() for _ in range(4)] == [[1.0], [2.0], [3.0], [4.0]]


# --- structures


class Pair(NamedTuple):
    left: Tensor
    right: Tensor


@dataclass(frozen=True)
class State:
    position: Tensor
    name: str
    history: list[Tensor]

    def __post_init__(self) -> None:
        assert self.position.tolist()  # a jit function never runs this on placeholders


def test_structures_come_and_go() -> None:
    def plain(state: State, pair: Pair, options: dict[str, Any]) -> tuple[Any, ...]:
        moved = state.position + options["by"] * pair.left
        return Pair(pair.right, moved), {"sum": moved.sum(), "tag": state.name}, [*state.history, moved], None

    f = jit(plain)
    state = State(Tensor([1.0, 2.0]), "s", [Tensor([0.0])])
    args = (state, Pair(Tensor([1.0, 1.0]), Tensor([9.0])), {"by": 2.0})
    for _ in range(2):
        pair, sums, history, nothing = f(*args)
        assert isinstance(pair, Pair)
        assert (pair.left.tolist(), pair.right.tolist()) == ([9.0], [3.0, 4.0])
        assert (sums["sum"].item(), sums["tag"], nothing) == (7.0, "s", None)
        assert [h.tolist() for h in history] == [[0.0], [3.0, 4.0]]
    assert f.traces == 1


def test_a_named_tuple_of_results_takes_no_more_steps_than_a_tuple() -> None:
    """It is one of two tensors either way: nothing is rebuilt from what the trace knows."""

    def steps(function: Callable[[Tensor], Any]) -> int:
        call, x, count = jit(function), Tensor([3.0, 1.0, 2.0]), 0
        for _ in range(3):
            call(x)

        def step(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event == "call"

        sys.setprofile(step)
        try:
            named = call(x)
        finally:
            sys.setprofile(None)
        assert [part.tolist() for part in named] == [[1.0, 2.0, 3.0], [1, 2, 0]]
        return count

    assert steps(lambda x: x.sort()) == steps(lambda x: tuple(x.sort()))
    assert jit(lambda x: x.sort())(Tensor([2.0, 1.0])).values.tolist() == [1.0, 2.0]


def test_a_dataclass_is_a_result_too() -> None:
    @dataclass
    class Out:
        value: Tensor
        count: int

    out = jit(lambda x: Out(x + 1, 3))(Tensor([1.0]))
    assert (out.value.tolist(), out.count) == ([2.0], 3)


def test_numpy_arrays_and_lazy_tensors_are_inputs() -> None:
    f = jit(lambda x: x * 2)
    for i in range(3):
        assert f(np.full(2, i, np.float32)).tolist() == [2.0 * i, 2.0 * i]
    lazy = Tensor([1.0, 2.0]) + 1
    assert f(lazy).tolist() == [4.0, 6.0]
    assert f.traces == 2  # what comes in is an array, then a tensor


def test_dict_order_and_list_length_are_structure() -> None:
    f = jit(lambda d: sum(i * t for i, t in enumerate(d.values())))
    a, b = Tensor([1.0]), Tensor([10.0])
    assert f({"a": a, "b": b}).tolist() == [10.0]
    assert f({"b": b, "a": a}).tolist() == [1.0]


# --- inputs among the outputs


def test_an_argument_passed_twice_and_returned() -> None:
    f = jit(lambda a, b: (a, b.reshape(2, 2), a + b, a))
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    for _ in range(2):
        same, view, both, again = f(x, x)
        assert same.tolist() == again.tolist() == x.tolist()
        assert view.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert both.tolist() == [2.0, 4.0, 6.0, 8.0]
    y = Tensor([0.0] * 4)
    assert f(x, y)[1].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_view_of_an_argument_is_its_value() -> None:
    f = jit(lambda x: (x.T, x[1:], x.flip(0)))
    for seed in range(2):
        x = values(3, 2, seed=seed)
        for ours, theirs in zip(f(x), (x.numpy().T, x.numpy()[1:], x.numpy()[::-1]), strict=True):
            np.testing.assert_array_equal(ours.numpy(), theirs)


def test_constants_and_captured_tensors_are_results() -> None:
    kept = Tensor([5.0])
    f = jit(lambda x: (kept, Tensor([1.0, 2.0]), Tensor.zeros(2), x))
    for _ in range(2):
        assert [r.tolist() for r in f(Tensor([3.0]))] == [[5.0], [1.0, 2.0], [0.0, 0.0], [3.0]]
    kept.assign([6.0])
    assert f(Tensor([3.0]))[0].tolist() == [6.0]


def test_a_constant_result_is_the_callers_own() -> None:
    f = jit(lambda x: Tensor([1.0, 2.0]))
    f(Tensor([3.0])).numpy()[:] = 7
    assert f(Tensor([3.0])).tolist() == [1.0, 2.0]


def test_empty_and_zero_dim() -> None:
    f = jit(lambda x: (x + 1, x.sum()))
    out, total = f(Tensor.zeros(0, 3))
    assert (out.shape, total.item()) == ((0, 3), 0.0)
    assert f(Tensor(4.0))[0].item() == 5.0


# --- in place


def test_in_place_on_an_argument_reaches_the_caller() -> None:
    @jit
    def f(x: Tensor, y: Tensor) -> Tensor:
        x += y
        return x * 2

    x, y = Tensor([1.0]), Tensor([10.0])
    before = x * 1
    assert f(x, y).tolist() == [22.0]
    assert x.tolist() == [11.0]
    assert f(x, y).tolist() == [42.0]
    assert (x.tolist(), before.tolist()) == ([21.0], [1.0])


def test_state_of_an_object_advances() -> None:
    counter = SimpleNamespace(total=Tensor([0.0]))

    @jit
    def f(x: Tensor) -> Tensor:
        counter.total.assign(counter.total + x)
        return counter.total * 10

    assert [f(Tensor([1.0])).tolist() for _ in range(4)] == [[10.0], [20.0], [30.0], [40.0]]
    assert counter.total.tolist() == [4.0]
    counter.total.assign([100.0])
    assert f(Tensor([1.0])).tolist() == [1010.0]
    assert f.traces == 1


def test_swapping_two_arguments_in_place() -> None:
    @jit
    def swap(x: Tensor, y: Tensor) -> None:
        old = x * 1
        x.assign(y)
        y.assign(old)

    x, y = Tensor([1.0]), Tensor([2.0])
    for expected in ([2.0, 1.0], [1.0, 2.0]):
        swap(x, y)
        assert [x.item(), y.item()] == expected


def test_one_tensor_given_twice_is_one_tensor_inside() -> None:
    def plain(x: Tensor, y: Tensor) -> Tensor:
        x += 1
        return x + y

    f = jit(plain)
    for _ in range(2):
        x, y, z = Tensor([1.0]), Tensor([5.0]), Tensor([1.0])
        assert f(x, y).tolist() == [7.0]
        assert (f(z, z).tolist(), z.tolist()) == ([4.0], [2.0])
    assert f.traces == 2


def test_a_captured_tensor_given_as_an_argument_is_that_tensor() -> None:
    state = Tensor([1.0])

    @jit
    def f(x: Tensor) -> Tensor:
        state.add_(1)
        return x * 10

    assert f(state).tolist() == [20.0]
    assert f(Tensor([7.0])).tolist() == [70.0]
    assert f(state).tolist() == [40.0]
    assert (state.tolist(), f.traces) == ([4.0], 2)


def test_changing_a_container_is_refused() -> None:
    @jit
    def f(state: dict[str, Tensor]) -> Tensor:
        state["x"] = state["x"] + 1
        return state["x"]

    with pytest.raises(TraceError, match="return the new values"):
        f({"x": Tensor([1.0])})


# --- random numbers


def test_random_numbers_advance_as_without_jit() -> None:
    def plain(x: Tensor) -> Tensor:
        return x + Tensor.rand(3) * Tensor.randn(3)

    f, x = jit(plain), Tensor([0.0, 0.0, 0.0])
    Tensor.manual_seed(7)
    eager = [plain(x).tolist() for _ in range(3)]
    Tensor.manual_seed(7)
    replayed = [f(x).tolist() for _ in range(3)]
    assert replayed == eager
    assert replayed[0] != replayed[1]
    assert f.traces == 1


def test_keys_are_inputs() -> None:
    f = jit(lambda key: (Tensor.rand(2, key=key), key.split()[0]))
    draw, following = f(Key(1))
    assert draw.tolist() == Tensor.rand(2, key=Key(1)).tolist()
    assert f(following)[0].tolist() == Tensor.rand(2, key=Key(1).split()[0]).tolist()
    assert f.traces == 1


def test_seeding_inside_is_refused() -> None:
    with pytest.raises(TraceError, match="seed it outside"):
        jit(lambda x: (Tensor.manual_seed(1), x)[1])(Tensor([1.0]))


# --- refusals


@pytest.mark.parametrize(
    "read",
    [lambda x: x.item(), lambda x: bool(x > 0), lambda x: (x + 1).numpy(), float, repr, lambda x: x.tolist()],
)
def test_reading_a_traced_value_says_what_to_do(read: Any) -> None:
    f = jit(lambda x: x + (1 if read(x) else 0))
    with pytest.raises(TraceError, match=r"where.*pass it as a Python number"):
        f(Tensor([1.0]))
    assert (Tensor([1.0]) + 1).item() == 2.0  # and all is well after
    assert jit(lambda x: where(x > 0, x, -x))(Tensor([-1.0])).tolist() == [1.0]


@pytest.mark.host_memory
def test_a_branch_on_a_captured_value_is_a_guard() -> None:
    array = np.array([1.0], np.float32)
    switch = Tensor.from_numpy(array)
    f = jit(lambda x: x + 1 if switch.item() > 0 else x - 1)
    assert f(Tensor([0.0])).tolist() == [1.0]
    array[0] = -1
    assert f(Tensor([0.0])).tolist() == [-1.0]
    switch.assign([2.0])
    assert f(Tensor([0.0])).tolist() == [1.0]


def test_storing_a_traced_tensor_is_refused_and_taken_back() -> None:
    layer = Layer(Tensor([2.0]))

    @jit
    def f(x: Tensor) -> Tensor:
        layer.weight = layer.weight + x
        return layer.weight

    with pytest.raises(TraceError, match=r"layer\.weight.*assign"):
        f(Tensor([1.0]))
    assert layer.weight.tolist() == [2.0]


def test_a_leaked_tensor_is_refused() -> None:
    leaked: list[Tensor] = []
    with pytest.raises(TraceError, match="stores a tensor it computes in closed-over leaked"):
        jit(lambda x: (leaked.append(x + 1), x)[1])(Tensor([1.0]))
    with pytest.raises(TraceError, match="what the function returned"):
        leaked[0].numpy()


@pytest.mark.parametrize("source", [iter([1.0, 2.0]), np.random.default_rng(0), np.random.RandomState(0)])
def test_sources_of_ever_other_values_are_refused(source: Any) -> None:
    f = jit(lambda x: x * (next(source) if hasattr(source, "__next__") else source.normal()))
    with pytest.raises(TraceError, match="at each call"):
        f(Tensor([1.0]))


def test_random_numbers_of_numpy_are_refused() -> None:
    with pytest.raises(TraceError, match=r"Tensor\.rand"):
        jit(lambda x: x * np.random.rand())(Tensor([1.0]))


def test_strange_results_are_refused() -> None:
    with pytest.raises(TraceError, match="cannot return a Layer"):
        jit(lambda x: Layer(x))(Tensor([1.0]))
    with pytest.raises(TraceError, match="NumPy array"):
        jit(lambda x: np.ones(2))(Tensor([1.0]))
    with pytest.raises(TypeError, match="takes a function"):
        jit(3)  # type: ignore[call-overload]


def test_an_exception_leaves_things_whole() -> None:
    state = Tensor([1.0])
    fail = True

    @jit
    def f(x: Tensor) -> Tensor:
        state.assign(state + x)
        if fail:
            raise KeyError("no")
        return state * 1

    with pytest.raises(KeyError):
        f(Tensor([1.0]))
    assert state.tolist() == [1.0]
    fail = False
    assert f(Tensor([1.0])).tolist() == [2.0]
    assert state.tolist() == [2.0]


# --- many traces, many threads


def test_many_traces_are_reported_once_with_the_reason() -> None:
    f = jit(lambda x, n: x + n if n >= 0 else x)  # which looks at the number
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(20):
            assert f(Tensor([0.0]), n).tolist() == [float(n)]
    reports = [str(w.message) for w in caught if w.category is RetraceWarning]
    assert len(reports) == 1
    assert "8 instead of 7" in reports[0]


def test_a_trace_by_shape_names_the_shape() -> None:
    f = jit(lambda x: x * 2)

    def grow() -> None:
        for n in range(1, 12):
            f(Tensor.ones(n))

    with pytest.warns(RetraceWarning, match=r"shape of tensor 0 is \(9,\) instead of \(8,\)"):
        grow()


def test_a_captured_number_may_change_more_often_than_traces_are_kept() -> None:
    warnings.simplefilter("ignore", RetraceWarning)
    factor = [1.0]
    f = jit(lambda x: x * factor[0])
    x = Tensor([1.0, 2.0])
    for n in range(70):
        factor[0] = float(n)
        assert f(x).tolist() == [n, 2.0 * n]
    traces = f.traces
    assert f(x).tolist() == [69, 138]
    assert f.traces == traces  # the newest was kept


def test_a_new_trace_of_what_was_traced_first_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.tensor.jit.function._MOST_VARIANTS", 3)
    factor = [1.0]
    f = jit(lambda x: x * factor[0])
    for n in (2, 3, 4):
        f(Tensor.ones(n))
    factor[0] = 2.0
    assert f(Tensor.ones(2)).tolist() == [2.0, 2.0]
    assert f(Tensor.ones(2)).tolist() == [2.0, 2.0]
    assert f.traces == 4


def test_threads_share_a_function() -> None:
    weight = Tensor([2.0] * 8)
    f = jit(lambda x, n: x * weight + n)
    wrong: list[object] = []

    def work(seed: int) -> None:
        for i in range(30):
            x = values(8, seed=seed + i)
            if not np.array_equal(f(x, i % 3).numpy(), x.numpy() * 2 + np.float32(i % 3)):
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(100 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert f.traces == 3


def test_a_decorator_with_parentheses_keeps_the_name() -> None:
    @jit()
    def doubled(x: Tensor) -> Tensor:
        """Twice."""
        return x * 2

    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice.")
    assert doubled(x=Tensor([2.0])).tolist() == [4.0]
