"""Updates of rows on a CPU go along the rows, in vectors where these divide them, and in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Bind, step
from saccade.graph.kernels.kernel import VECTOR, Kernel, is_update
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import coefficient_of
from tests.codegen.kernels import kernels_of

Array = np.ndarray[Any, Any]


def updates(made: Tensor) -> Kernel:
    return next(k for k in kernels_of(made) if any(map(is_update, k.sink.src)))


def rows(columns: int) -> Tensor:
    base, index = Tensor(np.zeros((50, columns), "float32")), Tensor(np.zeros(900, "int64"))
    return base.index_add(0, index, Tensor(np.zeros((900, columns), "float32")))


@pytest.mark.parametrize(("columns", "lanes"), [(64, 32), (48, 16), (16, 8), (33, 0), (7, 0)])
def test_rows_are_vectors_that_divide_them(columns: int, lanes: int) -> None:
    found = [r for r in optimise(updates(rows(columns))).ranges() if r.arg.kind == VECTOR]
    assert [int(r.src[0].arg) for r in found] == ([lanes] if lanes else [])


def test_places_are_no_lanes() -> None:
    """Two lanes might be one place."""
    index = Tensor(np.zeros(64, "int64"))
    kernel = updates(Tensor(np.zeros(50, "float32")).index_add(0, index, Tensor(np.zeros(64, "float32"))))
    with pytest.raises(IllegalMove, match="runs in order"):
        step(kernel, Bind(kernel.order[-1].arg.number, VECTOR))


def test_updates_of_rows_have_no_tile_of_a_column() -> None:
    """It would be filled again for each of them: the loops go row by row."""
    rng = np.random.default_rng(0)
    values, index = rng.normal(size=(60, 33)).astype("float32"), rng.integers(0, 50, 420)
    means = (Tensor(values) / 7.0).unsqueeze(1).expand(60, 7, 33).reshape(420, 33)
    made = Tensor(np.zeros((50, 33), "float32")).index_add(0, Tensor(index), means)
    assert not any(n.op is Op.STAGE for n in updates(made).nodes)
    wanted = np.zeros((50, 33), "float32")
    np.add.at(wanted, index, np.repeat(values / np.float32(7), 7, 0))
    np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_places_that_rows_share_are_made_once() -> None:
    """Each channel of a picture goes to the same places."""
    rng = np.random.default_rng(0)
    where, values = rng.uniform(-3, 45, (2, 1, 900)).astype("float32"), rng.normal(size=(2, 64, 900))
    places = Tensor(where).floor().clamp(0, 39).long().expand(2, 64, 900)
    made = Tensor(np.zeros((2, 64, 40))).scatter_add(2, places, Tensor(values))
    assert not any(n.op is Op.FLOOR for n in updates(made).nodes)
    wanted = np.zeros((2, 64, 40))
    index = np.clip(np.floor(where), 0, 39).astype(int)
    np.add.at(wanted, (np.arange(2)[:, None, None], np.arange(64)[:, None], index), values)
    np.testing.assert_allclose(made.numpy(), wanted)


@pytest.mark.parametrize("columns", [64, 33, 16, 3])
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "bfloat16", "int32", "int64", "int8", "bool"]
)
@pytest.mark.parametrize("mode", ["sum", "prod", "amax", "amin"])
def test_they_give_what_one_after_the_other_gives(columns: int, dtype: str, mode: str) -> None:
    rng = np.random.default_rng(columns)
    values = rng.integers(0, 2 if dtype == "bool" else 3, (200, columns)).astype("float32")
    index = rng.integers(-9, 9, 200)
    base = np.ones((9, columns), "float32")
    made = (
        Tensor(base).cast(dtype).index_reduce(0, Tensor(index), Tensor(values).cast(dtype), mode)
        if mode != "sum"
        else (Tensor(base).cast(dtype).index_add(0, Tensor(index), Tensor(values).cast(dtype)))
    )
    ufunc = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}[mode]
    wanted = base.copy()
    if dtype == "bool":
        wanted, values = wanted.astype(bool), values.astype(bool)
    elif dtype == "int8":
        wanted, values = wanted.astype("int8"), values.astype("int8")
    ufunc.at(wanted, index % 9, values)
    np.testing.assert_array_equal(made.cast("float32").numpy(), wanted.astype("float32"))


def own_places(rows: int, columns: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(rows)
    return rng.integers(0, rows, (rows, columns)), rng.integers(0, 9, (rows, columns)).astype("float32")


@pytest.mark.parametrize(("columns", "parts"), [(256, 4), (77, 1), (1001, 7), (8, 1)])
def test_columns_with_places_of_their_own_are_walked_along_rows(columns: int, parts: int) -> None:
    index, values = own_places(20, columns)
    kernel = optimise(updates(Tensor(np.zeros_like(values)).scatter_add(0, Tensor(index), Tensor(values))))
    inner = kernel.order[-1]
    assert int(inner.src[0].arg) == columns // parts
    loads = [n for n in kernel.nodes if n.op is Op.LOAD]
    assert all(coefficient_of(load.src[1], inner) == 1 for load in loads if load.src[0].op is Op.PARAM)


@pytest.mark.parametrize("columns", [77, 64, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_columns_with_places_of_their_own_give_the_same(columns: int, axis: int) -> None:
    index, values = own_places(50, columns)
    index %= values.shape[axis]
    wanted = np.ones_like(values)
    places = (index, np.arange(columns)) if axis == 0 else (np.arange(50)[:, None], index)
    np.add.at(wanted, places, values)
    made = Tensor(np.ones_like(values)).scatter_add(axis, Tensor(index), Tensor(values))
    np.testing.assert_array_equal(made.numpy(), wanted)


@pytest.mark.parametrize("before", [(), (4,)])
def test_rows_that_are_assigned_stay_rows(before: tuple[int, ...]) -> None:
    """They are no elements, each with a division for its place."""
    base, index = Tensor(np.zeros((*before, 50, 33), "float32")), Tensor(np.zeros(20, "int64"))
    indices = (*[slice(None)] * len(before), index)
    kernel = updates(base.index_put(indices, Tensor(np.ones(33, "float32"))))
    assert not {Op.IDIV, Op.MOD} & {n.op for n in kernel.nodes}
