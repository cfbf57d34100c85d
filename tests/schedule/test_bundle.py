"""Small maps that share nothing: which become sections of one kernel, and what its sections are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.codegen.moves.analysis import floating_operations
from saccade.codegen.moves.sections import sections_of
from saccade.graph.kernels.kernel import Kernel, range_size
from saccade.graph.node import Shape
from saccade.runtime.interpreter.interpreter import run_kernel
from saccade.schedule.cost import GPU
from saccade.schedule.joining import bundle
from saccade.schedule.schedule import schedule
from tests.schedule.programs import inputs, scheduled

SHAPES: list[Shape] = [(256,), (64, 64), (64,), (30, 7), (1,)]


def on_gpu(build: Callable[..., Any], *shapes: Shape) -> list[Kernel]:
    made = build(*inputs(*shapes))
    items = schedule(tuple(t.node for t in made), len(shapes), GPU).items
    return [item.kernel for item in items]


def adamw(
    parameter: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, rate: float = 1e-3, decay: float = 0.01
) -> tuple[Tensor, Tensor, Tensor]:
    mean = mean * 0.9 + gradient * 0.1
    square = square * 0.999 + gradient * gradient * 0.001
    return parameter * (1 - rate * decay) - rate * mean / (square.sqrt() + 1e-8), mean, square


def optimiser_step(*state: Tensor) -> list[Tensor]:
    """AdamW for parameters, gradients, means and squares, one after the other for each parameter."""
    return [made for n in range(0, len(state), 4) for made in adamw(*state[n : n + 4])]


def test_the_step_of_an_optimiser_is_one_kernel() -> None:
    (kernel,) = on_gpu(optimiser_step, *[shape for shape in SHAPES for _ in range(4)])
    sections = sections_of(kernel)
    assert [range_size(s.kernel.order[0]) for s in sections] == [int(np.prod(shape)) for shape in SHAPES]
    assert all(len(s.kernel.params) == 7 for s in sections)  # four that are read, three that are written


def test_on_a_cpu_it_is_one_too_and_nothing_is_read_twice() -> None:
    """All but that of a single number, whose memory could be one that all elements read."""
    items = scheduled(optimiser_step, *[shape for shape in SHAPES for _ in range(4)]).items
    assert [len(item.kernel.params) for item in items] == [7 * (len(SHAPES) - 1), 7]


def test_on_a_cpu_only_results_that_are_made_alike_are_put_together() -> None:
    def kernels(build: Callable[..., Any]) -> list[int]:
        return [len(item.kernel.sink.src) for item in scheduled(build, (300,), (70,)).items]

    assert kernels(lambda a, b: (a.exp() + 1, b.exp() + 1)) == [2]
    assert kernels(lambda a, b: (a.exp() + 1, b.exp() + 2)) == [1, 1]
    # what is between kernels is made when it is needed: both would be there at once
    assert len(kernels(lambda a, b: (a.exp().contiguous().flip(0), b.exp().contiguous().flip(0)))) == 4


@pytest.mark.parametrize("sizes", [(70_001, 5, 33), (1 << 16, 1 << 16, 48)])
def test_sections_on_a_cpu_share_the_threads(sizes: tuple[int, ...]) -> None:
    arrays = [np.random.default_rng(n).standard_normal(n).astype(np.float32) for n in sizes]
    tensors = [Tensor(array.copy()) for array in arrays]

    @jit
    def moved(given: list[Tensor]) -> None:
        for x in given:
            x.assign(x * 0.5 + 1)

    for _ in range(3):
        moved(tensors)
        arrays = [array * 0.5 + 1 for array in arrays]
    for tensor, array in zip(tensors, arrays, strict=True):
        np.testing.assert_allclose(tensor.numpy(), array, rtol=1e-6)


def test_sections_that_call_the_same_functions_define_them_once() -> None:
    """Sines far from zero, and powers of integers, which are functions of their own in a kernel's text."""
    floats = [np.linspace(-1e6, 1e6, n, dtype=np.float32) for n in (300, 70)]
    whole = [np.arange(n) % 5 for n in (300, 70)]
    sines = jit(lambda a, b: (a.sin(), b.sin()))(*map(Tensor, floats))
    powers = jit(lambda a, b: (a**a, b**b))(*map(Tensor, whole))
    for array, sine in zip(floats, sines, strict=True):
        np.testing.assert_allclose(sine.numpy(), np.sin(array.astype(np.float64)), atol=2e-7)
    for array, power in zip(whole, powers, strict=True):
        np.testing.assert_array_equal(power.numpy(), array**array)


def test_sections_compute_what_the_whole_does() -> None:
    (kernel,) = on_gpu(lambda a, b, c: (a * 2 + 1, b - 3, c.relu()), (5, 3), (4,), (7,))
    random = np.random.default_rng(0)
    whole = [random.standard_normal(size).astype(np.float32) for _, size in kernel.params]
    apart = [array.copy() for array in whole]
    run_kernel(kernel, whole)
    for section in sections_of(kernel):
        run_kernel(section.kernel, [apart[slot] for slot in section.slots])
    for one, other in zip(whole, apart, strict=True):
        np.testing.assert_array_equal(one, other)


def test_operations_are_counted_where_they_happen() -> None:
    (kernel,) = on_gpu(lambda a, b: (a * 2, b + 3 - b * b), (100,), (10,))
    assert floating_operations(kernel) == 100 + 3 * 10


def test_equal_sections_are_one_kernel() -> None:
    (kernel,) = on_gpu(lambda a, b, c: (a * 2, b * 2, c * 2), (6,), (6,), (9,))
    assert len({section.kernel for section in sections_of(kernel)}) == 2


@pytest.mark.parametrize(
    ("build", "shapes", "kernels"),
    [
        (lambda a, b: (a * 2, b.T + 1), [(5, 3), (4, 2)], 2),  # turned
        (lambda a, b, c: (a * 2, b + c), [(5, 3), (4, 2), (2,)], 2),  # broadcast
        (lambda a, b: (a * 2, b.sum(0)), [(5, 3), (4, 2)], 2),  # reduced
        (lambda a, b: ((a * 2).contiguous().flip(0) + 1, b + 1), [(5,), (4,)], 2),  # one after the other
    ],
)
def test_others_stay_apart(build: Callable[..., Any], shapes: list[Shape], kernels: int) -> None:
    assert len(on_gpu(build, *shapes)) == kernels


def test_large_maps_and_too_many_buffers_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def many(*given: Tensor) -> list[Tensor]:
        return [x * 2 for x in given]

    shapes: list[Shape] = [(n,) for n in range(1, 13)]
    assert len(on_gpu(many, *shapes)) == 1
    monkeypatch.setattr(bundle, "MOST_PARAMS", 10)
    assert len(on_gpu(many, *shapes)) == 3
    monkeypatch.setattr(bundle, "LARGE", 6)
    assert len(on_gpu(many, *shapes)) == 2 + 6


def test_a_number_for_all_parameters_is_computed_once() -> None:
    """Every thread would raise it to its power for itself."""
    shapes: list[Shape] = [(5,), (6,), (7,), (8,), ()]
    kernels = on_gpu(lambda *given: [x * 0.9 ** given[-1] for x in given[:-1]], *shapes)
    assert [len(kernel.order) for kernel in kernels] == [0, 1]


def test_a_step_with_assigned_state_is_the_plain_step() -> None:
    """What a training loop does: state in lists, changed in place by a jit function."""

    @jit
    def step(state: list[list[Tensor]], gradients: list[Tensor]) -> None:
        for (parameter, mean, square), gradient in zip(state, gradients, strict=True):
            made = adamw(parameter, gradient, mean, square)
            for held, new in zip((parameter, mean, square), made, strict=True):
                held.assign(new)

    random = np.random.default_rng(1)
    arrays = [[random.random(shape).astype(np.float32) for _ in range(3)] for shape in SHAPES]
    gradients = [Tensor(random.standard_normal(shape).astype(np.float32)) for shape in SHAPES]
    state = [[Tensor(a) for a in three] for three in arrays]
    for _ in range(3):
        step(state, gradients)
    assert step.traces == 1
    for three, held, gradient in zip(arrays, state, gradients, strict=True):
        plain = tuple(Tensor(a) for a in three)
        for _ in range(3):
            plain = adamw(plain[0], gradient, *plain[1:])
        for one, other in zip(held, plain, strict=True):
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6)


def test_short_sums_of_one_memory_are_sections_of_threads() -> None:
    """As queries and keys of a product in two parts are."""

    def build(parts: Tensor) -> list[Tensor]:
        return [parts[..., :32].sum(0).contiguous(), parts[..., 32:].sum(0).exp().contiguous()]

    (kernel,) = on_gpu(build, (2, 4, 40))
    assert [range_size(s.kernel.order[0]) for s in sections_of(kernel)] == [4 * 32, 4 * 8]
