"""A matrix times two or three columns: lanes along the sum, results side by side in registers."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cpu.products import dots
from saccade.codegen.moves.moves import Bind, Pack
from saccade.graph.kernels.kernel import UNROLL, VECTOR, range_size
from saccade.graph.node import own_ranges
from saccade.graph.ops import Op
from saccade.runtime.cpu.machine import AVX512, Registers, assuming
from tests.schedule.programs import scheduled


@pytest.fixture(autouse=True)
def registers_of_16_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dots, "host_registers", lambda: Registers(16, 32))


def test_two_rows_are_unrolled_and_what_lies_across_is_copied() -> None:
    along = optimise(scheduled(lambda a, b: a @ b.transpose(0, 1), (2, 512), (256, 512)).items[0].kernel)
    across = optimise(scheduled(lambda a, b: a @ b, (256, 512), (512, 2)).items[0].kernel)
    for kernel in (along, across):
        assert any(isinstance(move, Bind) and move.kind == UNROLL for move in kernel.moves)
    assert not any(isinstance(move, Pack) for move in along.moves)
    assert any(isinstance(move, Pack) for move in across.moves)


@pytest.mark.parametrize("few", [2, 3, 4, 5])
def test_results(few: int, rng: np.random.Generator) -> None:
    matrix = rng.integers(-4, 5, (130, 257)).astype(np.float32)
    columns = rng.integers(-4, 5, (257, few)).astype(np.float32)
    rows = np.ascontiguousarray(columns.T)
    np.testing.assert_array_equal((Tensor(matrix) @ Tensor(columns)).numpy(), matrix @ columns)
    np.testing.assert_array_equal((Tensor(rows) @ Tensor(matrix).transpose(0, 1)).numpy(), rows @ matrix.T)
    batched = np.stack([matrix, matrix + 1])
    np.testing.assert_array_equal((Tensor(batched) @ Tensor(columns)).numpy(), batched @ columns)


@pytest.mark.parametrize("few", [2, 3, 4, 7])
def test_sums_of_several_rows_fit_the_registers(few: int) -> None:
    kernel = scheduled(lambda a, b: a @ b, (333, 777), (777, few)).items[0].kernel
    with pytest.MonkeyPatch.context() as patch, assuming(AVX512):
        patch.setattr(dots, "host_registers", lambda: AVX512)
        moved = optimise(kernel)
    folds = [n for n in moved.nodes if n.op is Op.FOLD]
    for fold in folds:
        results = prod(range_size(r) for r in fold.ranges if r.arg.kind == UNROLL)
        lanes = prod(range_size(r) for r in own_ranges(fold) if r.arg.kind == VECTOR)
        assert results >= 2 * few
        assert results * max(lanes * 4 // AVX512.bytes, 1) < AVX512.count
        assert lanes & (lanes - 1) == 0


@pytest.mark.parametrize("few", [8, 12, 15])
def test_half_a_register_of_results_is_lanes(few: int, rng: np.random.Generator) -> None:
    """Dot products of that many columns load more than they multiply, where registers are wide."""
    kernel = scheduled(lambda a, b: a @ b, (333, 777), (777, few)).items[0].kernel
    with pytest.MonkeyPatch.context() as patch, assuming(AVX512):
        patch.setattr(dots, "host_registers", lambda: AVX512)
        moved = optimise(kernel)
    (fold,) = [n for n in moved.nodes if n.op is Op.FOLD]
    assert any(r.arg.kind == VECTOR for r in fold.ranges)
    assert all(r.arg.kind != VECTOR for r in own_ranges(fold))
    a, b = rng.integers(-4, 5, (333, 77)), rng.integers(-4, 5, (77, few))
    made = Tensor(a.astype(np.float32)) @ Tensor(b.astype(np.float32))
    np.testing.assert_array_equal(made.numpy(), a @ b)


@pytest.mark.parametrize("device", ["cpu", "interpreter"])
def test_results_that_are_scattered_are_made_one_by_one(device: str, rng: np.random.Generator) -> None:
    """Keys of two heads, a product, go to places of a cache that may not exist."""
    weight, x = (rng.integers(-4, 5, (n, 256)).astype(np.float32) for n in (128, 32))
    cache, places = Tensor(np.zeros((2, 40, 64), np.float32), device=device).realize(), np.arange(3, 35)
    keys = Tensor(x, device=device).linear(Tensor(weight, device=device)).unflatten(-1, (2, 64))
    at = Tensor(places.astype(np.int32), device=device)[None, :, None].expand(2, 32, 64)
    cache.scatter_(1, at, keys.transpose(0, 1))
    expected = np.zeros((2, 40, 64), np.float32)
    expected[:, places] = (x @ weight.T).reshape(32, 2, 64).transpose(1, 0, 2)
    np.testing.assert_array_equal(cache.numpy(), expected)
