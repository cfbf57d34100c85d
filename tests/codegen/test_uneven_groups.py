"""Loops that factors follow in groups which begin before them: transposed convolutions with padding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.templates.product.match import contraction_of
from saccade.schedule.cost import GPU
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.schedule.programs import scheduled

Program = Callable[..., Tensor]
Shape = tuple[int, ...]


def by(step: int, inside: int, extra: int = 0) -> Program:
    return lambda x, w: x.conv_transpose(w, stride=step, padding=inside, output_padding=extra)


def residual(x: Tensor, w: Tensor) -> Tensor:
    """What is added has the places of the results."""
    made = x.conv_transpose(w, stride=2, padding=1)
    return made.relu() + Tensor.arange(made.shape[-1], dtype="float32", device=x.device)


def sizes_of(program: Program, *shapes: Shape) -> tuple[int, ...]:
    """Batches, both sides and the sum of a program's product."""
    found = [contraction_of(item.kernel) for item in scheduled(program, *shapes, machine=GPU).items]
    (c,) = [c for c in found if c is not None]
    sides = sorted((c.size(c.m), c.size(c.n)))
    return (c.size(c.z), *sides, c.size(c.k))


@pytest.mark.parametrize(("step", "inside", "taps"), [(2, 1, 4), (4, 2, 8), (3, 1, 3), (2, 0, 2)])
def test_places_of_a_group_are_rows_of_one_product(step: int, inside: int, taps: int) -> None:
    """Not a product of 17 rows for each place."""
    batches, few, many, total = sizes_of(by(step, inside), (17, 32, 200), (32, 48, taps))
    assert (batches, few, total) == (1, 48 * step, 32 * -(-taps // step))
    assert many >= 17 * 200


@needs_compiler
@pytest.mark.parametrize(
    ("program", "x", "w"),
    [
        (by(2, 1), (9, 32, 100), (32, 40, 4)),
        (by(2, 1), (9, 33, 77), (33, 33, 4)),
        (by(2, 1, 1), (9, 32, 75), (32, 40, 3)),
        (by(3, 1), (5, 32, 100), (32, 40, 5)),
        (by(8, 4), (3, 32, 100), (32, 24, 16)),
        (by(2, 1), (3, 32, 14, 13), (32, 24, 4, 4)),
        (residual, (9, 32, 100), (32, 40, 4)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_results(rng: np.random.Generator, program: Program, x: Shape, w: Shape, dtype: str) -> None:
    arrays = [rng.integers(-3, 4, shape).astype(dtype) for shape in (x, w)]
    with emulated_gpu():
        ours = program(*(Tensor(a, device="cuda") for a in arrays)).numpy()
    expected = program(*(Tensor(a.astype("float32"), device="cpu") for a in arrays)).numpy()
    np.testing.assert_array_equal(ours, expected.astype(ours.dtype))
