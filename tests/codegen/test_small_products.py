"""Many small products on a GPU: a warp has each, and loads its fragments from memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.search.moves import EACH_WARP, Card, Multiply
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.cuda.templates.product import match, tiles
from saccade.codegen.moves.legal import IllegalMove
from saccade.graph import dtypes
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import kernel_of

Program = Callable[..., Tensor]
Shape = tuple[int, ...]


def plain(a: Tensor, b: Tensor) -> Tensor:
    return a @ b


def right_turned(a: Tensor, b: Tensor) -> Tensor:
    return a @ b.mT


def left_turned(a: Tensor, b: Tensor) -> Tensor:
    return a.mT @ b.mT


def of_itself(a: Tensor) -> Tensor:
    return a @ a.mT


def computed(a: Tensor, b: Tensor) -> Tensor:
    return ((a.relu() @ b) * 2 + Tensor.arange(b.shape[-1], device=a.device).cast(a.dtype)).relu()


def in_bytes(a: Tensor, b: Tensor) -> Tensor:
    return a.matmul(b.mT, dtype="int32")


def move_of(program: Program, *shapes: Shape, dtype: Any = dtypes.bfloat16) -> Multiply:
    move = laid_out(kernel_of(program, list(shapes), dtype), Card()).move
    assert isinstance(move, Multiply)
    return move


def test_many_small_ones_are_those_of_warps() -> None:
    assert move_of(of_itself, (5000, 27, 64)).by == EACH_WARP
    assert move_of(plain, (5000, 27, 33), (5000, 33, 24)).by == EACH_WARP
    # no chunk of either factor lies as it is wanted: those of a block share what they turn
    assert move_of(plain, (5000, 27, 33), (5000, 33, 20)).by != EACH_WARP


@pytest.mark.parametrize("shape", [(20, 60, 64), (5000, 96, 64), (600, 40, 1000)])
def test_few_large_or_long_ones_are_not(shape: Shape) -> None:
    assert move_of(of_itself, shape).by != EACH_WARP


def test_a_tile_fits_its_warp() -> None:
    kernel = kernel_of(of_itself, [(5000, 27, 64)], dtypes.bfloat16)
    laid_out(kernel, Card(), Multiply(EACH_WARP, 16, 32, 32, 1, 4))
    for rows, columns, depth in ((24, 32, 32), (32, 28, 32), (32, 32, 64), (128, 128, 32)):
        with pytest.raises(IllegalMove):
            laid_out(kernel, Card(), Multiply(EACH_WARP, rows, columns, depth, 1, 4))


@needs_compiler
@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        (of_itself, [(7, 27, 64)]),
        (of_itself, [(7, 40, 128)]),
        (of_itself, [(7, 27, 33)]),
        (of_itself, [(7, 61, 72)]),
        (right_turned, [(7, 24, 40), (7, 17, 40)]),
        (right_turned, [(5, 64, 64), (5, 64, 64)]),
        (plain, [(5, 64, 64), (5, 64, 64)]),
        (plain, [(33, 8, 8), (33, 8, 8)]),
        (plain, [(6, 27, 27), (6, 27, 27)]),
        (plain, [(6, 33, 65), (6, 65, 37)]),
        (plain, [(6, 30, 66), (6, 66, 38)]),
        (left_turned, [(6, 48, 40), (6, 56, 48)]),
        (left_turned, [(6, 47, 41), (6, 57, 47)]),
        (computed, [(6, 27, 32), (6, 32, 24)]),
        (computed, [(6, 27, 31), (6, 31, 24)]),
    ],
)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_results(
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
    program: Program,
    shapes: list[Shape],
    dtype: str,
) -> None:
    check(program, [rng.integers(-2, 3, shape).astype("float32") for shape in shapes], dtype, monkeypatch)


@needs_compiler
@pytest.mark.parametrize("size", [33, 64])
def test_results_of_bytes(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    arrays = [rng.integers(-9, 10, (40, n, size)).astype("int8") for n in (24, 33)]
    check(in_bytes, arrays, "int8", monkeypatch)


def check(program: Program, arrays: list[Any], dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "ENOUGH_WARPS", 0)
    monkeypatch.setattr(match, "LEAST", 1)
    with emulated_gpu():
        ours = program(*[Tensor(a, device="cuda").cast(dtype).contiguous() for a in arrays])
        made = ours.cast("float32").numpy()
    cpu = program(*[Tensor(a, device="cpu").cast(dtype) for a in arrays]).cast("float32").numpy()
    np.testing.assert_array_equal(made, cpu)
