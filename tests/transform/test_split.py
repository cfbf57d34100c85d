"""Searches in long rows: the best first, then the first place that has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.explain import explain
from saccade.graph.monoid import ARGMAX, ARGMIN
from saccade.graph.node import walk
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import coefficient_of
from saccade.schedule.cost import GPU
from saccade.transform.parallel.split import split_reductions
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.schedule.programs import scheduled

LENGTH = (1 << 16) + 5


def searches(tensor: Tensor) -> int:
    nodes = walk(split_reductions((tensor.node,)))
    return sum(n.op is Op.REDUCE and n.arg[0] in (ARGMAX, ARGMIN) for n in nodes)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool"])
def test_the_first_of_equal_elements_is_found(name: str, dtype: str, rng: np.random.Generator) -> None:
    x = rng.integers(-9, 10, (3, LENGTH)).astype(dtype)
    made = getattr(Tensor(x), name)(1)
    assert searches(made) == 0
    np.testing.assert_array_equal(made.numpy(), getattr(np, name)(x, 1))
    np.testing.assert_array_equal(getattr(Tensor(x.T), name)(0).numpy(), getattr(np, name)(x, 1))
    assert getattr(Tensor(x), name)().item() == getattr(np, name)(x)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_nan_is_the_best(name: str, rng: np.random.Generator) -> None:
    x = rng.standard_normal(LENGTH).astype(np.float32)
    x[[40_000, 50_000]] = np.nan
    assert getattr(Tensor(x), name)().item() == 40_000
    x[:] = np.inf if name == "argmin" else -np.inf
    assert getattr(Tensor(x), name)().item() == 0


def numbers_to_search(dtype: str, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Rows with equal elements, zeros of both signs, NaN, and nothing but an infinity."""
    x = rng.integers(-9, 10, (6, LENGTH)).astype(dtype)
    x[1] = np.where(rng.random(LENGTH) < 0.5, -0.0, 0.0)
    x[2, [40_000, 50_000]] = np.nan
    x[3], x[4] = np.inf, -np.inf
    x[5] = rng.standard_normal(LENGTH)
    x[5, [7, 60_000]] = np.inf, -np.inf
    return x


@needs_compiler
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_gpu_searches_pairs_of_numbers_and_places(name: str, dtype: str, rng: np.random.Generator) -> None:
    x = numbers_to_search(dtype, rng)
    with emulated_gpu():
        made = getattr(Tensor(x, device="cuda"), name)(1).numpy()
        one = getattr(Tensor(x[5], device="cuda"), name)().item()
    np.testing.assert_array_equal(made, getattr(np, name)(x, 1))
    assert one == getattr(np, name)(x[5])


@pytest.mark.parametrize(("dtype", "launches"), [("float32", 2), ("bfloat16", 2), ("int64", 4)])
def test_a_gpu_searches_a_long_row_of_floats_once(dtype: str, launches: int) -> None:
    x = Tensor.empty(128256, dtype=dtype, device="null:cuda").realize()
    (computation,) = explain(lambda: x.argmax().realize()).computations
    assert len(computation.graph.items) == launches


def test_short_rows_and_many_of_them_are_searched_in_one_pass() -> None:
    assert searches(Tensor(np.zeros((3, 1000), np.float32)).argmax(1)) == 1
    assert searches(Tensor(np.zeros((64, 1 << 16), np.float32)).argmax(1)) == 1


@pytest.mark.parametrize("view", ["crop", "turned", "every other", "rows off", "flat crop"])
def test_parts_of_what_is_no_run_of_memory_have_whole_rows(view: str, rng: np.random.Generator) -> None:
    """A part of all elements would have divisions in its places, and no vectors."""
    x, row = rng.standard_normal((301, 777)).astype(np.float32), rng.standard_normal(777).astype(np.float32)
    views: dict[str, Callable[..., Any]] = {
        "crop": lambda x, row: x[3:-3, 5:-5],
        "turned": lambda x, row: x.T,
        "every other": lambda x, row: x[:, ::2],
        "rows off": lambda x, row: x - row,
        "flat crop": lambda x, row: x[:, 1:].reshape(-1),
    }
    made, want = views[view](Tensor(x), Tensor(row)), views[view](x, row)
    shapes = (x.shape, row.shape)
    for item in scheduled(lambda *given: [(v := views[view](*given)).sum(), v.argmax()], *shapes).items:
        assert not any(n.op in (Op.IDIV, Op.MOD) for n in item.kernel.nodes), item.name
    np.testing.assert_allclose(made.sum().numpy(), want.sum(dtype=np.float64), rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose((made * 0 + 1).sum().numpy(), want.size)
    assert made.argmax().item() == want.argmax()
    assert made.argmin().item() == want.argmin()


def test_rows_of_parts_are_those_of_each_result(rng: np.random.Generator) -> None:
    x = rng.standard_normal((3, 50, 40, 50)).astype(np.float32)
    for axes in [(1, 2, 3), (0, 1, 3), (3, 1)]:
        made = Tensor(x)[:, :, 1:, :-1].amax(axes)
        np.testing.assert_array_equal(made.numpy(), x[:, :, 1:, :-1].max(axes))


@pytest.mark.parametrize(("rows", "left", "right"), [(70_001, 5, 5), (70_001, 5, 3), (300_001, 2, 1)])
def test_a_tall_product_of_few_columns_keeps_them_apart(rows: int, left: int, right: int) -> None:
    """Flattened, its places had divisions, and each product was a step of its own."""
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-3, 4, (rows, n)).astype(np.float32) for n in (left, right))
    for item in scheduled(lambda x, y: x.mT @ y, x.shape, y.shape).items:
        assert not any(n.op in (Op.IDIV, Op.MOD) for n in item.kernel.nodes), item.name
    np.testing.assert_array_equal((Tensor(x).mT @ Tensor(y)).numpy(), x.T @ y)


def sum_of_all(x: Tensor) -> Tensor:
    return x.sum()


def variance(x: Tensor) -> Tensor:
    return x.var()


@pytest.mark.parametrize("program", [sum_of_all, variance])
def test_parts_of_a_row_of_odd_length_begin_where_vectors_do(program: Callable[..., Tensor]) -> None:
    """All parts but what is left for the last kernel; of odd length no more kernels than of even."""
    odd, even = (scheduled(program, (length,), machine=GPU).items for length in (16_000_049, 1 << 24))
    assert len(odd) == len(even)
    parts = [item.kernel for item in odd if item.kernel.order]
    assert parts
    for kernel in parts:
        loads = [n for n in kernel.nodes if n.op is Op.LOAD and kernel.order[0] in n.ranges]
        assert all((coefficient_of(n.src[1], kernel.order[0]) or 0) % 8 == 0 for n in loads)


@needs_compiler
@pytest.mark.parametrize("length", [65_536, 100_003, (1 << 20) + 49])
def test_parts_of_any_length_add_up_on_a_gpu(length: int, rng: np.random.Generator) -> None:
    x = rng.integers(-9, 10, length).astype("float32")
    with emulated_gpu():
        ours = [program(Tensor(x, device="cuda")).item() for program in (sum_of_all, variance)]
    np.testing.assert_allclose(ours, [x.sum(), x.var(ddof=1, dtype=np.float64)], rtol=1e-5)
