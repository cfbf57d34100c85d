"""Packed products with one vector in one launch: more rows for a warp, with the same results."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.schemes import rows as row_schemes
from saccade.codegen.cuda.schemes import waves
from saccade.codegen.cuda.search.moves import Card, Rows
from saccade.codegen.cuda.source import laid_out as cuda_layout
from saccade.codegen.moves.sections import sections_of
from saccade.explain import explain
from saccade.graph.kernels.kernel import Kernel
from saccade.llm.weights.packed import PackedWeight
from saccade.llm.weights.words import WordWeight, in_words, laid_out, rounded
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.llm.test_words import Q4_K, Q6_K, Codes

CARD = Card(shared=232448, wgmma=True)


def weight_of(kind: int, rows: int, device: str, columns: int = 1024) -> WordWeight:
    weight = in_words(PackedWeight(Codes(kind, rows, columns, device)))
    assert isinstance(weight, WordWeight)
    return weight


def products(*rows: int) -> Kernel:
    """The kernel of packed products with one vector, which are sections of a launch."""
    weights = [weight_of(Q4_K, each, "null:cuda") for each in rows]
    x = Tensor.empty(1, 1024, device="null:cuda").realize()

    def run() -> None:
        words = rounded(x)
        Tensor.realize(*(weight.product(words).contiguous() for weight in weights))

    (computation,) = explain(run).computations
    return next(item.kernel for item in computation.graph.items if len(sections_of(item.kernel)) == len(rows))


@pytest.mark.parametrize(
    ("rows", "blocks"),
    [
        ((4096, 1024, 1024), 256 + 256 + 256),  # four rows for a warp of the first, one for the others
        ((4096, 256, 256), 512 + 64 + 64),  # with four rows there would be too few warps
        ((16384, 1024), 1024 + 256),  # four rows as it is alone
    ],
)
def test_rows_of_a_warp_follow_from_the_warps_of_the_launch(rows: tuple[int, ...], blocks: int) -> None:
    source = cuda_layout(products(*rows), CARD).source
    assert (source.grid, source.block) == (blocks, 128)


def test_a_product_alone_keeps_its_warps() -> None:
    weight, x = weight_of(Q4_K, 4096, "null:cuda"), Tensor.empty(1, 1024, device="null:cuda").realize()
    (computation,) = explain(lambda: weight.forward(x).realize()).computations
    move = cuda_layout(computation.graph.items[-1].kernel, CARD).move
    assert isinstance(move, Rows)
    assert move.each == 2


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("kind", [Q4_K, Q6_K])
def test_more_rows_of_a_warp_are_the_same_sums(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(2).standard_normal((1, 1024)).astype(np.float32)
    expected = laid_out(PackedWeight(Codes(kind, 48, 1024))).forward(Tensor(x, device="cpu")).numpy()
    made = []
    for busy in (2048, 16):
        monkeypatch.setattr(row_schemes, "BUSY_WARPS", busy)
        monkeypatch.setattr(waves, "BUSY_WARPS", busy)
        cuda_layout.cache_clear()
        with emulated_gpu():
            weights = [weight_of(kind, rows, "cuda") for rows in (48, 24)]
            words = rounded(Tensor(x, device="cuda"))
            both = [weight.product(words).contiguous() for weight in weights]
            Tensor.realize(*both)
            made.append([each.numpy() for each in both])
    cuda_layout.cache_clear()
    for few, many in zip(*made, strict=True):
        np.testing.assert_allclose(few, many, rtol=1e-6, atol=1e-6 * np.abs(few).max())
    np.testing.assert_allclose(made[1][0], expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
