"""What kernels over rows fetch ahead: the next row, each line once, and nothing where there are no rows."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import shaped
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cpu.prefetch import LINE, LINES_AHEAD, rows_to_fetch, streams_to_fetch
from saccade.codegen.linear.code import Block, Instruction
from saccade.codegen.linear.lower import Lowering
from saccade.graph.kernels.kernel import Kernel, range_size
from saccade.graph.node import index_const
from saccade.graph.rules.symbolic import simplify
from saccade.runtime.cpu.machine import AVX512, NEON, Registers, assuming
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


def fetched(result: Tensor, registers: Registers = NEON) -> set[str]:
    """The memories that a kernel asks for ahead of its first reduction."""
    with assuming(registers):
        kernel = optimise(kernels_of(result)[0])
        return _fetched(Lowering(kernel).code("k").body)


def _fetched(block: Block) -> set[str]:
    found: set[str] = set()
    for item in block.items:
        if not isinstance(item, Instruction):
            found |= _fetched(item.body)
        elif item.kind == "prefetch":
            found.add(item.arg[0].name)
    return found


def test_rows_that_begin_inside_of_lines_are_fetched_along_a_reduction() -> None:
    x, v = ones(1001, 777), ones(777)
    assert fetched(x.sum(1)) == fetched(x.abs().amax(1)) == {"p1"}
    assert fetched(x @ v) == {"p1"}, "the vector is there after the first row"
    assert not fetched(x.sum(1), AVX512)
    assert not fetched(ones(1001, 768).sum(1)), "one stream of whole lines"
    assert not fetched(ones(10, 777).sum(1)), "it is in the cache"
    assert not fetched(x.argmax(1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize(("rows", "length"), [(301, 777), (1, 100_003), (2001, 65)])
def test_reductions_along_rows_up_to_the_last(rows: int, length: int, dtype: str) -> None:
    x = np.random.default_rng(rows).integers(-4, 5, (rows, length)).astype(dtype)
    np.testing.assert_array_equal(Tensor(x).sum(1).numpy(), x.sum(1))
    np.testing.assert_array_equal(Tensor(x).amin(1).numpy(), x.min(1))
    np.testing.assert_array_equal((Tensor(x) @ Tensor(x[0])).numpy(), x @ x[0])


def test_steps_that_go_along_their_results_fetch_the_next_rows() -> None:
    assert fetched(ones(9, 1000, 333).sum(1)) == {"p1"}
    assert not fetched(ones(9, 1000, 333).sum(1), AVX512)


def test_maps_that_jump_fetch_the_next_short_rows() -> None:
    x = ones(3, 600, 512)
    heads = x.reshape(3, 600, 8, 64).permute(0, 2, 1, 3)
    assert fetched(heads.contiguous()) == {"p1"}
    assert not fetched(heads.contiguous(), AVX512)
    assert not fetched(x + 1), "one stream"
    assert not fetched(x.reshape(3, 600, 2, 256).permute(0, 2, 1, 3)[:, :, :8].contiguous()), "long rows"
    assert not fetched(ones(16, 512).reshape(16, 8, 64).permute(1, 0, 2).contiguous()), "it is in the cache"


def test_maps_that_go_backwards_fetch_the_row_they_read_next() -> None:
    x = ones(600, 777)
    assert fetched(x.flip(0).contiguous()) == {"p1"}
    assert not fetched(x.flip(0).contiguous(), AVX512)
    assert not fetched(x.flip(1).contiguous()), "rows forwards"
    np.testing.assert_array_equal((x.cumsum(0).flip(0) + 1).numpy()[:, 0], np.arange(601.0, 1, -1))


def test_maps_that_turn_what_they_read_fetch_both_where_rows_are_far_apart() -> None:
    assert fetched(ones(1001, 777).mT.contiguous(), AVX512) == {"p0", "p1"}
    assert not fetched(ones(1001, 777).mT.contiguous()), "NEON takes lanes out of registers"
    assert not fetched(ones(5, 33, 57).mT.contiguous(), AVX512), "rows are short"
    x = np.random.default_rng(0).normal(size=(1001, 777)).astype(np.float32)
    np.testing.assert_array_equal((Tensor(x).mT * 2 + Tensor(x[0, 0])).numpy(), x.T * 2 + x[0, 0])


def test_columns_of_a_matrix_are_fetched_along_a_product() -> None:
    few, matrix = ones(8, 256), ones(256, 1024)
    assert fetched(few @ matrix, AVX512) == {"p2"}
    assert not fetched(few @ matrix, NEON), "rows go by from their beginning to their end"
    assert not fetched(few[:, :64] @ ones(64, 64), AVX512), "it is in the cache"
    assert not fetched(ones(4096, 64).sum(0), AVX512), "rows are read whole"
