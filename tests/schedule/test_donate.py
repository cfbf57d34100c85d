"""Results that are assigned to inputs: written in place where that is safe, copied where it is not, and right
either way."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from saccade.codegen.compile import source_for
from saccade.codegen.moves.analysis import bytes_moved
from saccade.graph import dtypes
from saccade.graph.node import Node, make
from saccade.graph.ops import Op
from saccade.graph.param import Param
from saccade.graph.verify import verify
from saccade.runtime.device import Device
from saccade.runtime.interpreter.interpreter import run_kernel
from saccade.runtime.program import Launch
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.donate import COPIED_BACK
from saccade.schedule.kernel_graph import ARENA, KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor import Tensor, build

SHAPE = (6, 35)
WHOLE = ((0, 6, 1), (0, 35, 1))


def memory(slot: int, shape: tuple[int, ...] = SHAPE) -> Node:
    return make(Op.PARAM, dtypes.float32, (), Param(slot, prod(shape)))


def given(slot: int, shape: tuple[int, ...] = SHAPE) -> Tensor:
    return Tensor._of(build.reshape(memory(slot, shape), shape))


def assigned(value: Tensor, slot: int) -> Node:
    return make(Op.ASSIGN, value.dtype, (value.node, memory(slot, value.shape)))


def update(base: Tensor, part: Tensor, slices: Any) -> Tensor:
    return Tensor._of(make(Op.UPDATE, base.dtype, (base.node, part.node), slices))


def read(node: Node) -> Tensor:
    return Tensor._of(node)


def run(made: KernelGraph, inputs: list[np.ndarray[Any, Any]], device: str | None = None) -> list[Any]:
    """The results, and the inputs as they are afterwards."""
    slots = [x.copy().reshape(-1) for x in inputs]
    slots += [np.full(max(n.size, 1), np.nan, np.float32) for n in made.outputs]
    arena = np.full(made.arena // 4 + 16, np.nan, np.float32)
    if device is not None:
        runtime = Device[device]
        programs = runtime.compile([source_for(item.kernel, device) for item in made.items])
        launches = [Launch(p, item.params) for p, item in zip(programs, made.items, strict=True)]
        runtime.plan(launches, len(slots), made.arena)([s.ctypes.data for s in slots])
        return slots[len(inputs) :] + slots[: len(inputs)]
    for item in made.items:
        verify(item.kernel.sink, "kernel", loops=item.kernel.order)
        places = [arena[offset // 4 :] if slot == ARENA else slots[slot] for slot, offset in item.params]
        run_kernel(item.kernel, [p[:size] for p, (_, size) in zip(places, item.kernel.params, strict=True)])
    return slots[len(inputs) :] + slots[: len(inputs)]


def scheduled(roots: tuple[Node, ...], inputs: int = 2, machine: Machine = CPU) -> KernelGraph:
    for root in roots:
        verify(root, "tensor")
    return schedule(roots, inputs, machine)


x, y = given(0), given(1)
X, Y = (np.random.default_rng(n).standard_normal(SHAPE).astype(np.float32) for n in (0, 1))


def swapped() -> tuple[Node, ...]:
    return assigned(x, 1), assigned(y, 0)


def grown() -> Node:
    return assigned(x + 1, 0)


def replaced(a: np.ndarray[Any, Any], index: Any, value: Any) -> np.ndarray[Any, Any]:
    made = a.copy()
    made[index] = value
    return made


ROWS = ((2, 2, 1), (0, 35, 1))
ODD = ((5, 3, -2), (3, 10, 3))
#: roots; the results, then what the inputs hold; kernels that copy back
CASES: dict[str, tuple[Callable[[], tuple[Node, ...]], Callable[[], list[Any]], int]] = {
    "a map": (lambda: (grown(),), lambda: [X + 1, Y], 0),
    "a constant": (lambda: (assigned(x * 0, 0),), lambda: [X * 0, Y], 0),
    "another input": (lambda: (assigned(y, 0),), lambda: [Y, Y], 0),
    "itself": (lambda: (assigned(x, 0),), lambda: [X, Y], 0),
    "the old contents too": (lambda: ((x * 2).node, grown()), lambda: [X * 2, X + 1, Y], 0),
    "the old contents elsewhere": (
        lambda: (x.flip(0, 1).contiguous().node, grown()),
        lambda: [X[::-1, ::-1], X + 1, Y],
        0,
    ),
    "the sum of the old contents": (lambda: (x.sum(0).node, grown()), lambda: [X.sum(0), X + 1, Y], 0),
    "the new contents": (
        lambda: (assigned(x + 1, 0), (read(grown()) * 3).node),
        lambda: [(X + 1) * 3, X + 1, Y],
        0,
    ),
    "the sum of the new contents": (
        lambda: (grown(), read(grown()).sum(1).node),
        lambda: [(X + 1).sum(1), X + 1, Y],
        0,
    ),
    "the value as a result too": (lambda: ((x + 1).node, grown()), lambda: [X + 1, X + 1, Y], 0),
    "one value in two places": (lambda: (grown(), assigned(x + 1, 1)), lambda: [X + 1, X + 1], 0),
    "swapped": (swapped, lambda: [Y, X], 1),
    "transposed": (
        lambda: (assigned(x.reshape(35, 6).T.contiguous(), 0),),
        lambda: [X.reshape(35, 6).T, Y],
        1,
    ),
    "by its own mean": (lambda: (assigned(x / x.mean(), 0),), lambda: [X / X.mean(), Y], 1),
    "rows by their sums": (
        lambda: (assigned(x / x.sum(1, keepdim=True), 0),),
        lambda: [X / X.sum(1, keepdims=True), Y],
        1,
    ),
    "some rows": (
        lambda: (assigned(update(x, y[:2], ROWS), 0),),
        lambda: [replaced(X, slice(2, 4), Y[:2]), Y],
        0,
    ),
    "every third column backwards": (
        lambda: (assigned(update(x, y[:3, :10], ODD), 0),),
        lambda: [replaced(X, (slice(5, None, -2), slice(3, 33, 3)), Y[:3, :10]), Y],
        0,
    ),
    "some rows from themselves": (
        lambda: (assigned(update(x, x[2:4] * 2, ROWS), 0),),
        lambda: [replaced(X, slice(2, 4), X[2:4] * 2), Y],
        0,
    ),
    "some rows from others": (
        lambda: (assigned(update(x, x[1:3] + 1, ROWS), 0),),
        lambda: [replaced(X, slice(2, 4), X[1:3] + 1), Y],
        0,
    ),
    "some rows of a new value": (
        lambda: (assigned(update(x + 1, y[:2], ROWS), 0),),
        lambda: [replaced(X + 1, slice(2, 4), Y[:2]), Y],
        0,
    ),
    "two parts": (
        lambda: (assigned(update(update(x, y[:2], ROWS), y[2:4], ((1, 2, 1), (0, 35, 1))), 0),),
        lambda: [replaced(replaced(X, slice(2, 4), Y[:2]), slice(1, 3), Y[2:4]), Y],
        0,
    ),
    "a part, and what was there before": (
        lambda: (x.sum(1).node, assigned(update(x, y[:2], ROWS), 0)),
        lambda: [X.sum(1), replaced(X, slice(2, 4), Y[:2]), Y],
        0,
    ),
    "a part, and the whole before and after": (
        lambda: (
            assigned(update(x, y[:2], ROWS), 0),
            (x * read(assigned(update(x, y[:2], ROWS), 0)).flip(0)).node,
        ),
        lambda: [X * replaced(X, slice(2, 4), Y[:2])[::-1], replaced(X, slice(2, 4), Y[:2]), Y],
        1,
    ),
    "two parts, and what was there between them": (
        lambda: (
            update(x, y[:2], ROWS).node,
            assigned(update(update(x, y[:2], ROWS), y[2:4], ((1, 2, 1), (0, 35, 1))), 0),
        ),
        lambda: [
            replaced(X, slice(2, 4), Y[:2]),
            replaced(replaced(X, slice(2, 4), Y[:2]), slice(1, 3), Y[2:4]),
            Y,
        ],
        0,
    ),
    "a part in two places": (
        lambda: (assigned(update(x, y[:2], ROWS), 0), assigned(update(x, y[:2], ROWS), 1)),
        lambda: [replaced(X, slice(2, 4), Y[:2])] * 2,
        0,
    ),
    "a part of what is no input": (
        lambda: (update(x * 2, y[:2], ROWS).node,),
        lambda: [replaced(X * 2, slice(2, 4), Y[:2]), X, Y],
        0,
    ),
    "a part of an input that stays": (
        lambda: (update(x, y[:2], ROWS).node,),
        lambda: [replaced(X, slice(2, 4), Y[:2]), X, Y],
        0,
    ),
    "scattered rows": (
        lambda: (assigned(x.index_copy(0, 4 - 3 * Tensor.arange(2), y[:2]), 0),),
        lambda: [replaced(X, [4, 1], Y[:2]), Y],
        0,
    ),
    "scattered rows of its own": (
        lambda: (assigned(x.index_copy(0, 4 - 3 * Tensor.arange(2), x[:2]), 0),),
        lambda: [replaced(X, [4, 1], X[:2]), Y],
        0,
    ),
}


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu's schedule", "gpu's schedule"])
@pytest.mark.parametrize("name", CASES)
def test_stores_are_right_and_in_place(name: str, machine: Machine) -> None:
    roots, expected, copied = CASES[name]
    made = scheduled(roots(), machine=machine)
    for found, wanted in zip(run(made, [X, Y]), expected(), strict=True):
        np.testing.assert_allclose(found, np.asarray(wanted).reshape(-1), rtol=1e-5, atol=1e-6)
    assert sum(item.kernel.reason == COPIED_BACK for item in made.items) <= copied
    if machine is CPU:
        for found, wanted in zip(run(made, [X, Y], "cpu"), expected(), strict=True):
            np.testing.assert_allclose(found, np.asarray(wanted).reshape(-1), rtol=1e-5, atol=1e-6)


def test_no_memory_beside_the_input() -> None:
    made = scheduled((grown(),))
    assert made.arena == 0
    assert made.outputs == ()
    assert made.written == (0,)
    assert sum(bytes_moved(item.kernel) for item in made.items) == 2 * X.nbytes


@pytest.mark.parametrize("rows", [64, 4096])
def test_a_part_costs_what_it_moves(rows: int) -> None:
    cache, new = given(0, (8, rows, 16)), given(1, (8, 1, 16))
    slices = ((0, 8, 1), (rows // 2, 1, 1), (0, 16, 1))
    for machine in (CPU, GPU):
        made = scheduled((assigned(update(cache, new, slices), 0),), machine=machine)
        assert sum(bytes_moved(item.kernel) for item in made.items) == 2 * 8 * 16 * 4
        assert made.arena == 0


def test_the_step_of_an_optimiser_is_one_pass_in_place() -> None:
    p, g, m, v = (given(n, (37, 33)) for n in range(4))
    first, second = m * 0.9 + g * 0.1, v * 0.99 + g * g * 0.01
    roots = (assigned(first, 2), assigned(second, 3), assigned(p - 0.1 * first / (second.sqrt() + 1e-8), 0))
    made = scheduled(roots, 4)
    assert made.arena == 0
    assert made.written == (0, 2, 3)
    assert sum(bytes_moved(item.kernel) for item in made.items) == 7 * 37 * 33 * 4
    # a multiple of whole vectors, and what is left
    assert len(made.items) == 2


def test_an_update_among_many_readers_waits_for_them() -> None:
    """Kernels are put in an order in which everybody who wants the old contents has them."""
    old = [x.softmax(0).node, x.sum(1).node, x.cumsum(1).node]
    made = scheduled((grown(), *old))
    assert not any(item.kernel.reason == COPIED_BACK for item in made.items)
    results = run(made, [X, Y])
    np.testing.assert_allclose(results[1], X.sum(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(results[2], X.cumsum(1).reshape(-1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(results[3], (X + 1).reshape(-1))


@pytest.mark.parametrize(("sizes", "copied"), [((64, 128, 512), 1), ((16, 16, 32), 0)])
def test_a_large_product_keeps_its_tiles(sizes: tuple[int, int, int], copied: int) -> None:
    """Tiles of registers overlap at their edges, so what is added to its memory is made elsewhere; a small
    product is as fast in plain loops."""
    m, n, k = sizes
    momentum, a, b = given(0, (m, n)), given(1, (k, m)), given(2, (k, n))
    made = scheduled((assigned(momentum * 0.5 + a.T @ b, 0),), 3)
    assert sum(item.kernel.reason == COPIED_BACK for item in made.items) == copied
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-3, 4, s).astype(np.float32) for s in ((m, n), (k, m), (k, n))]
    expected = arrays[0] * np.float32(0.5) + arrays[1].T @ arrays[2]
    np.testing.assert_array_equal(run(made, arrays)[0], expected.reshape(-1))
