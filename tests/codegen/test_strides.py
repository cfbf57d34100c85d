"""Every second element, or third or fourth, comes as vectors of neighbours and shuffles."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.moves.moves import Split, step
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import VECTOR
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import coefficient_of
from saccade.runtime.cpu.machine import AVX2, AVX512, NEON, Registers, assuming
from tests.codegen.kernels import run_moved_on_cpu
from tests.schedule.programs import scheduled


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "float16", "int64"])
@pytest.mark.parametrize("stride", [2, 3, 4, 5])
@pytest.mark.parametrize("length", [1, 17, 33, 64, 257])
def test_strided_rows(length: int, stride: int, dtype: str, rng: np.random.Generator) -> None:
    """The last vector ends at the last lane: nothing behind the memory is read."""
    x = (10 * rng.standard_normal((5, length))).astype(dtype)
    one = np.array(1, dtype)
    np.testing.assert_array_equal((Tensor(x)[:, ::stride] + 1).numpy(), x[:, ::stride] + one)
    np.testing.assert_array_equal((Tensor(x)[:, 1::stride] + 1).numpy(), x[:, 1::stride] + one)


@pytest.mark.parametrize("width", [6, 8, 12, 20, 24, 48])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_lanes_that_are_no_power_of_two(width: int, dtype: str, rng: np.random.Generator) -> None:
    x = (10 * rng.standard_normal((3, 2 * 96))).astype(dtype)
    kernel = scheduled(lambda x: x[:, ::2] + 1, x.shape, dtype=getattr(dtypes, dtype)).items[-1].kernel
    kernel = step(kernel, Split(kernel.order[-1].arg.number, width, VECTOR))
    out = np.empty((3, 96), dtype)
    run_moved_on_cpu(kernel, [out, x])
    np.testing.assert_array_equal(out, x[:, ::2] + np.array(1, dtype))


@pytest.mark.parametrize(("registers", "in_vectors"), [(AVX512, True), (AVX2, True), (NEON, False)])
def test_a_pool_with_a_stride_goes_in_vectors(registers: Registers, in_vectors: bool) -> None:
    with assuming(registers):
        kernel = optimise(
            scheduled(lambda x: x.max_pool2d(3, stride=2, padding=1), (4, 8, 56, 56)).items[-1].kernel
        )
    assert any(r.arg.kind == VECTOR for r in kernel.order) is in_vectors


@pytest.mark.parametrize(("size", "stride"), [(3, 2), (5, 2), (3, 1), (4, 3)])
def test_gradients_of_pools_are_read_along_memory(size: int, stride: int) -> None:
    """Windows that overlap are added up one by one: no place is computed with a remainder."""

    def gradient(x: Tensor, g: Tensor) -> Tensor:
        pool = vjp(lambda x: x.max_pool2d(size, stride=stride), x)[1](g)
        return pool[0] if isinstance(pool, tuple) else pool

    places = (57 - size) // stride + 1
    for item in scheduled(gradient, (2, 8, 57, 57), (2, 8, places, places)).items:
        with assuming(AVX512):
            kernel = optimise(item.kernel)
        lanes = [r for r in kernel.order if r.arg.kind == VECTOR]
        loads = [n for n in kernel.nodes if n.op is Op.LOAD and lanes and lanes[0] in n.ranges]
        assert all(coefficient_of(load.src[1], lanes[0]) is not None for load in loads)
