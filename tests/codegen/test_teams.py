"""Several teams of more than a warp in a block: each has its own rows, and its own shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda import source as sources
from saccade.codegen.cuda.search.moves import Card, Rows
from saccade.codegen.cuda.source import laid_out
from saccade.graph.kernels.kernel import Kernel
from saccade.llm.weights.packed import PackedWeight
from saccade.llm.weights.words import in_words, rounded_normal
from saccade.llm.weights.words import laid_out as in_order

from ..llm.test_words import Q4_K, Codes
from .cuda_emulator import emulated_gpu, needs_compiler
from .test_gpu_search import kernel_of


def test_a_team_may_be_a_few_warps_of_its_block() -> None:
    kernel = kernel_of(lambda w, x: (w * x).sum(1), (16384, 1024), (1, 1024))
    laid = laid_out(kernel, Card(), Rows(64, 4, 4, 2, False, 4))
    assert (laid.source.block, laid.source.grid) == (256, 1024)
    assert laid.source.text.count("team_barrier(64);") == 1, "one for all rows of a team"


def made(rows: int, columns: int, device: str) -> list[np.ndarray[Any, Any]]:
    """Results of a packed product, and what is rounded of their norm."""
    chance = np.random.default_rng(5)
    x, norm = (chance.standard_normal(shape).astype(np.float32) for shape in ((1, columns), (rows,)))
    weight = (in_words if device == "cuda" else in_order)(PackedWeight(Codes(Q4_K, rows, columns, device)))
    result = weight.forward(Tensor(x, device=device)).contiguous()
    words, factor = rounded_normal(result, Tensor(norm, device=device), 1e-5)
    Tensor.realize(result, words, factor)
    return [result.numpy(), factor.numpy()]


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("columns", "in_flight"), [(4608, 2), (2304, 1)])
def test_teams_that_end_a_group_have_the_values_of_the_cpu(
    columns: int, in_flight: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Kernel] = []

    def by_teams(kernel: Kernel, size: int) -> Rows:
        found.append(kernel)
        return Rows(64, size // 4, 1, in_flight, False, 4)

    expected = made(3200, columns, "cpu")
    monkeypatch.setattr(sources, "rows_of_group", by_teams)
    laid_out.cache_clear()
    with emulated_gpu():
        ours = made(3200, columns, "cuda")
    laid_out.cache_clear()
    assert found
    for own, theirs in zip(ours, expected, strict=True):
        np.testing.assert_allclose(own, theirs, rtol=1e-4, atol=1e-4 * np.abs(theirs).max())
