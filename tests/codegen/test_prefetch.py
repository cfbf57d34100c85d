"""What kernels over rows fetch ahead: the next row, each line once, and nothing where there are no rows."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import shaped
from saccade.codegen.cpu.prefetch import LINE, LINES_AHEAD, rows_to_fetch, streams_to_fetch
from saccade.graph.kernels.kernel import Kernel, range_size
from saccade.graph.node import index_const
from saccade.graph.rules.symbolic import simplify
from tests.codegen.kernels import kernels_of


def moved(result: Tensor) -> Kernel:
    (kernel,) = kernels_of(result)
    return shaped(kernel)


def ones(*shape: int, dtype: str = "float32") -> Tensor:
    return Tensor(np.ones(shape, dtype))


@pytest.mark.parametrize(("rows", "length", "dtype"), [(64, 1024, "float32"), (50, 512, "float64")])
def test_the_next_row(rows: int, length: int, dtype: str) -> None:
    x = ones(rows, length, dtype=dtype)
    kernel = moved(x / x.sum(1, keepdim=True))
    ahead = rows_to_fetch(kernel)
    assert ahead
    outer, last = kernel.order[:2]
    per_line = LINE // np.dtype(dtype).itemsize
    fetched = []
    for _, index in ahead:
        for step in range(range_size(last)):
            place = simplify(index.substitute({outer: index_const(7), last: index_const(step)}))
            fetched.append(int(place.arg))
    assert sorted(fetched) == list(range(8 * length, 9 * length, per_line))


def test_only_rows() -> None:
    x = ones(64, 1024)
    assert not rows_to_fetch(moved(x + 1))
    assert not rows_to_fetch(moved(x.sum(0)))
    assert not rows_to_fetch(moved(x @ ones(1024, 64)))
    assert not rows_to_fetch(moved(x[:, ::2] / x[:, ::2].sum(1, keepdim=True))), "rows with gaps"
    assert not rows_to_fetch(moved(x[:, :16] / x[:, :16].sum(1, keepdim=True))), "too short to matter"


def test_results_up_to_the_last_row() -> None:
    x = np.random.default_rng(0).standard_normal((33, 1000)).astype(np.float32)
    np.testing.assert_allclose(Tensor(x).softmax(1).numpy().sum(1), 1, rtol=1e-5)


def test_streams_between_long_loops() -> None:
    """A loop of unknown length for every element: what the elements bring along is fetched ahead."""
    count, scale = Tensor(np.full(5000, 3, np.int32)), ones(5000)
    listed = Tensor.arange(64, dtype="int32") < count.unsqueeze(-1)
    values = ones(64).reshape(1, 64) * scale.unsqueeze(-1)
    kernel = moved(values.where(listed, 0.0).sum(1))
    ahead = streams_to_fetch(kernel)
    (r,) = kernel.order
    places = {simplify(index.substitute({r: index_const(0)})).arg for _, index in ahead}
    assert len(ahead) == 2
    assert places == {LINES_AHEAD * LINE // 4}
    assert not streams_to_fetch(moved(ones(5000) + 1))
