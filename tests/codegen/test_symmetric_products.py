"""x.T @ x on a GPU: tiles above the diagonal are those below it, turned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.search.moves import Card, Multiply
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.cuda.templates.product import source
from saccade.codegen.cuda.templates.product.tiles import ThreadTile
from saccade.graph import dtypes
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import kernel_of

Program = Callable[..., Tensor]


def gram(x: Tensor) -> Tensor:
    return x.mT @ x


def of_rows(x: Tensor) -> Tensor:
    return x @ x.mT


def weighed(x: Tensor) -> Tensor:
    """What happens to a sum is not symmetric."""
    scale = Tensor.arange(x.shape[-1], dtype="float32", device=x.device)
    return (x.mT @ x) * scale + scale.unsqueeze(1).square()


def distances(x: Tensor) -> Tensor:
    length = x.square().sum(-1)
    return length.unsqueeze(-1) - 2 * (x @ x.mT) + length.unsqueeze(-2)


def two(x: Tensor) -> Tensor:
    return x[:, : x.shape[1] // 2].mT @ x[:, x.shape[1] // 2 :]


def tiles_of(program: Program, shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Rows and columns of tiles of 2,048 x 2,048 results, and blocks."""
    made = laid_out(kernel_of(program, [shape], dtypes.float32), Card())
    assert isinstance(made.move, Multiply)
    return 2048 // made.move.rows, 2048 // made.move.columns, made.source.grid


def test_half_of_the_tiles_are_left_out() -> None:
    rows, columns, blocks = tiles_of(gram, (512, 2048))
    assert rows == columns
    assert blocks == rows * (rows + 1) // 2


def test_other_factors_have_all_tiles() -> None:
    rows, columns, blocks = tiles_of(two, (512, 4096))
    assert blocks == rows * columns


@needs_compiler
@pytest.mark.parametrize(
    ("program", "shape"),
    [
        (gram, (300, 200)),
        (gram, (301, 129)),
        (gram, (3, 70, 133)),
        (gram, (9001, 65)),
        (of_rows, (260, 96)),
        (of_rows, (197, 131)),
        (weighed, (500, 129)),
        (weighed, (400, 132)),
        (distances, (300, 64)),
        (two, (300, 400)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results(rng: np.random.Generator, program: Program, shape: tuple[int, ...], dtype: str) -> None:
    x = rng.integers(-3, 4, shape).astype(dtype)
    with emulated_gpu():
        ours = program(Tensor(x, device="cuda")).numpy()
    np.testing.assert_array_equal(ours, program(Tensor(x, device="cpu")).numpy())


@needs_compiler
@pytest.mark.parametrize(
    "tile", [ThreadTile(n, n, depth, 2, 0.0, 0.0) for n, depth in ((32, 32), (64, 16), (64, 32), (128, 16))]
)
@pytest.mark.parametrize("columns", [260, 261])
def test_every_square_tile(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, tile: ThreadTile, columns: int
) -> None:
    """With slices of a sum of 32 x 32, and without them."""
    monkeypatch.setattr(source, "thread_tile", lambda *_: (tile, 0.0))
    x = rng.integers(-3, 4, (160, columns)).astype("float32")
    with emulated_gpu():
        ours = gram(Tensor(x, device="cuda")).numpy()
    np.testing.assert_array_equal(ours, x.T @ x)
