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
