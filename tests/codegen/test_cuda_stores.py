"""Writes in place by the kernels a GPU runs, on the host: results, addresses, and what is computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.codegen.cuda.search.moves import Flat
from saccade.codegen.cuda.source import gpu_code, shapes_of
from saccade.codegen.linear.code import Instruction
from saccade.codegen.linear.gpu.code import THREAD
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import is_update
from saccade.graph.node import index_const
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import simplify
from saccade.runtime.watch.debug import listening
from saccade.tensor.jit.trace import buffer_of

from .cuda_emulator import needs_compiler
from .kernels import kernels_of

pytestmark = [needs_compiler, pytest.mark.usefixtures("gpu_by_default")]


def random(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(len(shape)).random(shape, np.float32))


def address(tensor: Tensor) -> int:
    return buffer_of(tensor.realize().node).address


WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a map": lambda x, a, b: x * 2 + 1,
    "a product added to it": lambda x, a, b: x + a @ b,
    "its rows by their sums": lambda x, a, b: x / x.sum(1)[:, None],
    "its columns reversed": lambda x, a, b: x[:, ::-1] if isinstance(x, np.ndarray) else x.flip(1),
}


@pytest.mark.parametrize("shape", [(33, 47), pytest.param((64, 128), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", WRITES)
def test_assigned_to_itself(name: str, shape: tuple[int, int]) -> None:
    x, a, b = random(*shape), random(shape[0], 40), random(40, shape[1])
    expected = WRITES[name](*(t.numpy().copy() for t in (x, a, b)))
    place = address(x)
    x.assign(WRITES[name](x, a, b))
    np.testing.assert_allclose(x.numpy(), expected, rtol=2e-5)
    assert address(x) == place


def test_a_step_of_an_optimiser() -> None:
    rng = np.random.default_rng(0)
    shapes = [(33, 7), (5,)]
    state = [[Tensor(rng.random(s, np.float32)) for s in shapes] for _ in range(4)]
    expected = [[t.numpy().copy() for t in group] for group in state]

    @jit
    def adam(weights: list[Tensor], means: list[Tensor], squares: list[Tensor], slopes: list[Tensor]) -> None:
        for w, m, v, g in zip(weights, means, squares, slopes, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.99 * v + 0.01 * g * g)
            w -= 0.1 * m / (v.sqrt() + 1e-8)

    places = [[address(t) for t in group] for group in state]
    for _ in range(3):
        with listening() as runs:
            adam(*state)
        for w, m, v, g in zip(*expected, strict=True):
            m[:] = 0.9 * m + 0.1 * g
            v[:] = 0.99 * v + 0.01 * g * g
            w -= 0.1 * m / (np.sqrt(v) + 1e-8)
    assert [[address(t) for t in group] for group in state] == places
    assert len(runs[-1].recipe.steps) == 1  # one launch for all of it, and no copies
    for group, wanted in zip(state, expected, strict=True):
        for found, array in zip(group, wanted, strict=True):
            np.testing.assert_allclose(found.numpy(), array, rtol=1e-5)


def test_a_cache_at_an_offset_that_changes() -> None:
    @jit
    def step(cache: Tensor, new: Tensor, t: int) -> Tensor:
        cache[:, t : t + 1] = new
        return cache.sum(1)

    cache, expected = Tensor(np.zeros((2, 32, 8), np.float32)), np.zeros((2, 32, 8), np.float32)
    place = address(cache)
    for t in range(6):
        new = np.full((2, 1, 8), t + 1.0, np.float32)
        expected[:, t : t + 1] = new
        np.testing.assert_array_equal(step(cache, Tensor(new), t).numpy(), expected.sum(1))
    np.testing.assert_array_equal(cache.numpy(), expected)
    assert (address(cache), step.traces) == (place, 3)


def test_old_contents_are_kept_for_who_waits() -> None:
    x = random(40)
    array = x.numpy().copy()
    waiting = x.flip(0) * 2
    x += 1
    x[3:7] = x[2:6] * 10
    expected = array + 1
    expected[3:7] = expected[2:6] * 10
    np.testing.assert_allclose(x.numpy(), expected)
    np.testing.assert_allclose(waiting.numpy(), array[::-1] * 2)


@pytest.mark.parametrize("columns", [64, 77])
def test_columns_with_places_of_their_own_are_read_side_by_side(columns: int) -> None:
    """Neighbouring threads have neighbouring columns, and each reads its places once."""
    values, places = random(4096, columns), Tensor(np.zeros((4096, columns), np.int64))
    found = kernels_of(Tensor(np.zeros((4096, columns), np.float32)).scatter_add(0, places, values))
    (kernel,) = [k for k in found if any(map(is_update, k.sink.src))]
    (shape,) = shapes_of(kernel)
    assert isinstance(shape.move, Flat)
    thread = next(r for r in shape.kernel.order if r.arg.kind == THREAD)
    for load in (n for n in shape.kernel.nodes if n.op is Op.LOAD):
        first, second = (simplify(load.src[1].at({thread: index_const(at)})) for at in (0, 1))
        assert simplify(second - first) == index_const(shape.move.width)
    reads = [i.result for i in gpu_code(kernel).body.items if isinstance(i, Instruction) and i.kind == "load"]
    elements = sum(value.width for value in reads if value is not None and value.dtype is dtypes.int64)
    assert elements == shape.move.width * shape.move.repeat


def test_columns_with_places_of_their_own_give_the_same() -> None:
    rng = np.random.default_rng(3)
    values, places = rng.random((300, 64), np.float32), rng.integers(-3, 300, (300, 64))
    places[places < 0] += 300
    wanted = np.zeros_like(values)
    np.add.at(wanted, (places, np.arange(64)), values)
    made = Tensor(np.zeros_like(values)).scatter_add(0, Tensor(places), Tensor(values))
    np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5)
