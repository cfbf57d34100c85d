"""Rows that are read over and over are read along rows: no lane asks where a row ends."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import shaped
from saccade.graph.kernels.kernel import VECTOR
from saccade.graph.ops import Op
from tests.codegen.kernels import kernels_of


@pytest.mark.parametrize("times", [(2,), (3, 2), (1, 4), (2, 1, 3)])
def test_repeated_rows(times: tuple[int, ...], rng: np.random.Generator) -> None:
    a = rng.standard_normal((7, 33) if len(times) > 1 else (231,), dtype=np.float32)
    made = Tensor(a).repeat(*times)
    (kernel,) = kernels_of(made)
    wraps = [n for n in shaped(kernel).nodes if n.op is Op.MOD]
    assert not any(r.arg.kind == VECTOR for n in wraps for r in n.ranges)
    np.testing.assert_array_equal(made.numpy(), np.tile(a, times))


def test_rows_that_are_shorter_than_a_vector_stay_whole() -> None:
    (kernel,) = kernels_of(Tensor(np.ones((50, 3), "float32")).repeat(1, 40))
    assert any(n.op is Op.MOD for n in shaped(kernel).nodes)


@pytest.mark.parametrize(("stride", "size"), [(2, 14), (2, 28), (2, 20)])
def test_neighbours_that_take_turns_are_straight_code(
    stride: int, size: int, rng: np.random.Generator
) -> None:
    """A transposed convolution in groups: lanes are results of one turn, and no lane asks whose it is."""
    x = rng.integers(-3, 4, (2, 3, size, size)).astype("float32")
    w = rng.integers(-3, 4, (3, 1, 2 * stride, 2 * stride)).astype("float32")
    made = Tensor(x).conv_transpose2d(Tensor(w), stride=stride, padding=1, groups=3)
    moved = [shaped(kernel) for kernel in kernels_of(made) if any(n.op is Op.FOLD for n in kernel.nodes)]
    turns = [n for kernel in moved for n in kernel.nodes if n.op is Op.MOD]
    assert any(r.arg.kind == VECTOR for kernel in moved for r in kernel.order)
    assert not any(r.arg.kind == VECTOR for n in turns for r in n.ranges)
    wanted = np.zeros((2, 3, (size + 1) * stride, (size + 1) * stride), "float32")
    for i, j in np.ndindex(size, size):
        rows, columns = slice(i * stride, (i + 2) * stride), slice(j * stride, (j + 2) * stride)
        wanted[:, :, rows, columns] += x[:, :, i, j, None, None] * w[:, 0]
    np.testing.assert_array_equal(made.numpy(), wanted[:, :, 1:-1, 1:-1])
