"""jit and what a function reaches beside its arguments: a change is seen, a stored tensor is refused."""

from __future__ import annotations

import array
import gc
import sys
import types
import weakref
from collections import ChainMap, UserDict, UserList
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cached_property, lru_cache, partial
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import saccade
from saccade import Dim, Tensor, jit
from saccade.tensor import TraceError

ONE = Tensor([1.0])
SCALE: Any = 2.0
KEPT: Any = None


def calls(function: Callable[..., Tensor], change: Callable[[], object], *args: Any) -> list[float]:
    """The result before and after a change, each twice, so that a replay is among them."""
    jitted = jit(function)
    before = [jitted(ONE, *args).item() for _ in range(2)]
    change()
    return [*before, *[jitted(ONE, *args).item() for _ in range(2)]]


@pytest.mark.parametrize("look", [Tensor.item, float, bool, lambda w: w.realize().numpy()[0]])
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_value_that_was_looked_at(look: Callable[[Tensor], float], in_memory: bool) -> None:
    """What a branch was decided by is a guard, also where it was in memory and nothing was computed."""
    weight = Tensor([1.0]) if in_memory else Tensor([0.5]) * 2

    def scaled(x: Tensor) -> Tensor:
        return x * 2 if look(weight) else x * 3

    assert calls(scaled, lambda: weight.assign(Tensor([0.0]))) == [2, 2, 3, 3]


def test_a_mutable_default() -> None:
    def scaled(x: Tensor, by: list[float] = [2.0]) -> Tensor:  # noqa: B006
        return x * by[0]

    default: Any = scaled.__defaults__
    assert calls(scaled, lambda: default[0].__setitem__(0, 5.0)) == [2, 2, 5, 5]


def test_another_default() -> None:
    def scaled(x: Tensor, *, by: float = 2.0) -> Tensor:
        return x * by

    defaults: Any = scaled.__kwdefaults__
    assert calls(scaled, lambda: defaults.update(by=5.0)) == [2, 2, 5, 5]


def test_a_default_of_a_function_that_is_called() -> None:
    def scale(by: list[float] = [2.0]) -> float:  # noqa: B006
        return by[0]

    default: Any = scale.__defaults__
    assert calls(lambda x: x * scale(), lambda: default[0].__setitem__(0, 5.0)) == [2, 2, 5, 5]


@pytest.mark.parametrize("named", [False, True])
def test_what_a_partial_holds(named: bool) -> None:
    def scaled(x: Tensor, by: list[float]) -> Tensor:
        return x * by[0]

    by = [2.0]
    held = partial(scaled, by=by) if named else partial(lambda by, x: scaled(x, by), by)
    assert calls(held, lambda: by.__setitem__(0, 5.0)) == [2, 2, 5, 5]
    by[0] = 2.0
    assert calls(lambda x: held(x), lambda: by.__setitem__(0, 5.0)) == [2, 2, 5, 5]


def test_another_keyword_of_a_partial() -> None:
    held = partial(lambda x, by: x * by, by=2.0)
    assert calls(held, lambda: held.keywords.update(by=5.0)) == [2, 2, 5, 5]


def torch_tensor() -> Any:
    return pytest.importorskip("torch").tensor([2.0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: bytearray([2]),
        lambda: array.array("d", [2.0]),
        lambda: memoryview(bytearray([2])),
        lambda: np.array([2.0]),
        torch_tensor,
    ],
    ids=["bytearray", "array", "memoryview", "ndarray", "torch"],
)
def test_contents_that_others_change(make: Callable[[], Any]) -> None:
    held = make()
    assert calls(lambda x: x * float(held[0]), lambda: held.__setitem__(0, 5)) == [2, 2, 5, 5]
    held = make()
    assert calls(lambda x: x * Tensor(held).float(), lambda: held.__setitem__(0, 5)) == [2, 2, 5, 5]
    if not isinstance(held, np.ndarray):  # in an argument that is an input
        held = make()
        assert calls(lambda x, y: x * float(y[0]), lambda: held.__setitem__(0, 5), held) == [2, 2, 5, 5]
    nested = {"weights": [make()]}
    held = nested["weights"][0]
    assert calls(lambda x: x * float(nested["weights"][0][0]), lambda: held.__setitem__(0, 5)) == [2, 2, 5, 5]


class Settings(UserDict[str, float]):
    """Values under names."""


@pytest.mark.parametrize(
    "hold",
    [types.MappingProxyType, lambda found: ChainMap({}, found), dict.values, dict.items, UserDict, Settings],
    ids=["proxy", "chain", "values", "items", "UserDict", "derived"],
)
def test_what_collections_of_the_library_hold(hold: Callable[[Any], Any]) -> None:
    found = {"rate": 2.0}
    held = hold(found)
    written = held if isinstance(held, UserDict) else found

    def rate() -> float:
        if isinstance(held, Mapping):
            return float(held["rate"])
        (value,) = held
        return float(value[1] if isinstance(value, tuple) else value)

    assert calls(lambda x: x * rate(), lambda: written.__setitem__("rate", 5.0)) == [2, 2, 5, 5]


def test_what_a_list_of_the_library_holds() -> None:
    held = UserList([2.0])
    assert calls(lambda x: x * held[0], lambda: held.__setitem__(0, 5.0)) == [2, 2, 5, 5]


def test_what_a_weak_reference_leads_to() -> None:
    class Scale:
        by = 2.0

    scale = Scale()
    reference: Any = weakref.ref(scale)
    assert calls(lambda x: x * reference().by, lambda: setattr(scale, "by", 5.0)) == [2, 2, 5, 5]


def test_a_context_variable() -> None:
    scale: ContextVar[float] = ContextVar("scale", default=2.0)
    assert calls(lambda x: x * scale.get(), lambda: scale.set(5.0)) == [2, 2, 5, 5]


def test_a_cached_property_that_is_not_computed_yet() -> None:
    class Model:
        def __init__(self) -> None:
            self.scales = [2.0]

        @cached_property
        def scale(self) -> float:
            return self.scales[0]

    model = Model()

    def forget() -> None:
        del model.scale
        model.scales[0] = 5.0

    assert calls(lambda x: x * model.scale, forget) == [2, 2, 5, 5]


class Table:
    """What other libraries have: an array of text on request."""

    def __init__(self) -> None:
        self.names = ["two"]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.names, object)


def test_tables_of_text() -> None:
    table = Table()
    scale = {"two": 2.0, "five": 5.0}
    change = partial(table.names.__setitem__, 0, "five")
    assert calls(lambda x: x * scale[np.asarray(table)[0]], change) == [2, 2, 5, 5]


def test_hasattr() -> None:
    model = SimpleNamespace()
    double = calls(lambda x: x * 2 if hasattr(model, "twice") else x, lambda: setattr(model, "twice", 1))
    assert double == [1, 1, 2, 2]
    chosen = calls(lambda x: x * getattr(model, "scale", 1.0), lambda: setattr(model, "scale", 3.0))
    assert chosen == [1, 1, 3, 3]


def test_an_attribute_that_is_missed() -> None:
    model = SimpleNamespace()

    def scaled(x: Tensor) -> Tensor:
        try:
            return x * model.scale
        except AttributeError:
            return x

    assert calls(scaled, lambda: setattr(model, "scale", 3.0)) == [1, 1, 3, 3]


class Computed:
    def __init__(self) -> None:
        self.values = {"scale": 2.0}

    def __getattr__(self, name: str) -> Any:
        return self.values[name]


def test_attributes_that_are_computed() -> None:
    model: Any = Computed()
    assert calls(lambda x: x * model.scale, lambda: model.values.update(scale=5.0)) == [2, 2, 5, 5]


def test_globals_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    change = partial(monkeypatch.setitem, globals(), "SCALE", 5.0)
    assert calls(lambda x: x * globals()["SCALE"], change) == [2, 2, 5, 5]
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    name = "".join(["SCA", "LE"])
    assert calls(lambda x: x * globals()[name], change) == [2, 2, 5, 5]


def test_attributes_that_a_helper_reads() -> None:
    model = SimpleNamespace(scale=2.0)

    def scale_of(thing: Any) -> float:
        scale: float = thing.scale
        return scale

    assert calls(lambda x: x * scale_of(model), lambda: setattr(model, "scale", 5.0)) == [2, 2, 5, 5]


# --- tensors that a function stores


def store_in_object(x: Tensor) -> Tensor:
    HOLDER.kept = x * 2
    return x + 1


def store_in_global(x: Tensor) -> Tensor:
    global KEPT
    KEPT = x * 2
    return x + 1


def store_by_name(x: Tensor) -> Tensor:
    setattr(HOLDER, "".join(["ke", "pt"]), x * 2)
    return x + 1


@lru_cache
def holders() -> list[Any]:
    return []


def store_out_of_sight(x: Tensor) -> Tensor:
    holders().append(x * 2)
    return x + 1


HOLDER = SimpleNamespace()


@pytest.fixture
def thawed() -> Iterator[None]:
    """A holder is looked for among what the collector sees; `conftest` has frozen what is imported."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.parametrize(
    ("function", "where"),
    [
        (store_in_object, "attribute kept of a SimpleNamespace"),
        (store_in_global, "global KEPT"),
        (store_by_name, "kept"),
        (store_out_of_sight, "a list"),
    ],
)
def test_storing_a_traced_tensor_is_refused(
    function: Callable[[Tensor], Tensor], where: str, thawed: None
) -> None:
    jitted = jit(function)
    for _ in range(2):  # and is not forgotten
        with pytest.raises(TraceError, match=f"stores a tensor it computes.*{where}"):
            jitted(ONE)
        HOLDER.__dict__.clear()
        holders().clear()


def test_storing_is_refused_at_every_length_too() -> None:
    with pytest.raises(TraceError, match="stores a tensor it computes"):
        jit(store_in_object, dims={"x": {0: Dim("n", 2, 64)}})(Tensor.ones(5))
    HOLDER.__dict__.clear()


def test_what_is_dropped_again_is_no_store() -> None:
    def passing(x: Tensor) -> Tensor:
        HOLDER.kept = x * 2
        result: Tensor = HOLDER.kept + 1
        del HOLDER.kept
        return result

    assert jit(passing)(ONE).item() == 3


def test_a_cycle_is_no_store() -> None:
    def cyclic(x: Tensor) -> Tensor:
        loop: list[Any] = [x * 2]
        loop.append(loop)
        return x + 1

    gc.disable()
    try:
        assert jit(cyclic)(ONE).item() == 2
    finally:
        gc.enable()


# --- one tensor returned twice


def test_one_tensor_returned_twice_is_one() -> None:
    def twice(x: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        y = x * 2
        return y, {"again": y, "other": x * 2}

    for function in (twice, jit(twice)):
        for _ in range(2):
            first, rest = function(ONE)
            assert first is rest["again"]
            assert first is not rest["other"]
            first += 1
            assert (rest["again"].item(), rest["other"].item()) == (3, 2)


def test_an_argument_that_is_returned_is_that_argument() -> None:
    x = Tensor([1.0, 2.0])
    for _ in range(2):
        first, second = jit(lambda x: (x, x))(x)
        assert first is second is x


def test_twice_at_every_length() -> None:
    both = jit(lambda x: (x.sum(), x * 2) * 2, dims={"x": {0: Dim("n", 2, 64)}})
    total, doubled, again, also = both(Tensor.ones(5))
    assert total is again
    assert doubled is also


def test_names_looked_up_beside_what_does_not_give_them() -> None:
    """`list[int]` has a dict with names that it refuses: they are no reason to fail."""
    holder = types.SimpleNamespace(kind=list[int], scale=2.0)
    name = "scale"
    double = jit(lambda x: x * getattr(holder, name))
    assert double(Tensor([3.0])).tolist() == [6.0]
    holder.scale = 3.0
    assert double(Tensor([3.0])).tolist() == [9.0]


def test_an_attribute_by_any_name_beside_an_alias_of_a_type() -> None:
    settings: Any = ModuleType("settings")
    settings.Alias, settings.scale = Callable[[int], int], 2.0
    name = "scale"
    scaled = jit(lambda x: x * getattr(settings, name))
    assert [scaled(Tensor([1.0])).item() for _ in range(3)] == [2, 2, 2]
    assert scaled.traces == 1
    settings.scale = 3.0
    assert scaled(Tensor([1.0])).item() == 3


def test_our_own_functions_by_any_name() -> None:
    name = "trace"
    traced = jit(lambda x: getattr(saccade.linalg, name)(x))
    assert [traced(Tensor([[1.0]])).item() for _ in range(3)] == [1, 1, 1]
    assert traced.traces == 1


@pytest.mark.parametrize("says_so", [False, True])
def test_a_package_may_say_that_it_does_not_change(says_so: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType(f"made_package_{says_so}")
    package.__dict__["__jit_library__"] = says_so
    module = ModuleType(f"{package.__name__}.inner")
    exec("factor = 2.0\ndef scaled(x):\n    return x * factor", module.__dict__)
    for made in (package, module):
        monkeypatch.setitem(sys.modules, made.__name__, made)
    scaled = jit(lambda x: module.scaled(x))
    assert scaled(Tensor([1.0])).item() == 2.0
    module.__dict__["factor"] = 3.0
    assert scaled(Tensor([1.0])).item() == (2.0 if says_so else 3.0)
