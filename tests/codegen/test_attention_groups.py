"""Attention of one token and what groups of its results become: one kernel, whose parts are joined once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen import compile as compiling
from saccade.codegen.cuda.search.moves import Attend, Card
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.cuda.templates.attention.groups import attention_of_groups
from saccade.codegen.cuda.templates.attention.match import attention_of
from saccade.codegen.moves.epilogue import ended_of
from saccade.explain import explain
from saccade.graph.kernels.kernel import Kernel, range_size
from saccade.runtime.config import settings

from .cuda_emulator import EmulatedDevice, emulated_gpu, needs_compiler
from .test_cuda_attention import Array, half, naive, padded

CARD = Card(shared=227 * 1024, wgmma=True)


def in_groups(made: Tensor, size: int = 32) -> Tensor:
    """Each number as a share of the largest of its group."""
    groups = made.contiguous().reshape(-1, size).float()
    return (groups / (groups.abs().amax(-1, keepdim=True) + 1.0)).T.contiguous()


def kernels(*shapes: tuple[int, ...], size: int = 32, dtype: str = "float16") -> list[Kernel]:
    given = [Tensor.empty(*shape, dtype=dtype, device="null:cuda").realize() for shape in shapes]
    (computation,) = explain(lambda: in_groups(naive(*given), size).realize()).computations
    return [item.kernel for item in computation.graph.items]


def test_the_loops_of_attention_are_found_again() -> None:
    (kernel,) = kernels((8, 4, 128), (8, 300, 128), (8, 300, 128))
    assert attention_of(kernel) is None
    ended = ended_of(kernel)
    assert ended is not None
    found = attention_of_groups(ended)
    assert found is not None
    scores, output = found[1].scores, found[1].output
    assert [[range_size(r) for r in loops] for loops in (scores.z, scores.m, output.n)] == [[8], [4], [128]]


def test_who_joins_the_parts_goes_on_with_the_groups() -> None:
    (kernel,) = kernels((8, 4, 128), (8, 300, 128), (8, 300, 128))
    laid = laid_out(kernel, CARD)
    assert isinstance(laid.move, Attend)
    assert laid.move.parts > 1
    assert (laid.source.join_grid, laid.source.join_block) == (16, 256)
    assert laid.source.params == len(kernel.params)


@pytest.mark.parametrize(
    ("shapes", "size"),
    [
        (((8, 4, 128), (8, 300, 128), (8, 300, 128)), 16),  # a warp has 32 results
        (((8, 16, 32), (8, 300, 32), (8, 300, 32)), 32),  # rows that are no whole panel
        (((256, 4, 128), (256, 300, 128), (256, 300, 128)), 32),  # heads enough for all processors
    ],
)
def test_other_attention_keeps_its_kernel(shapes: tuple[tuple[int, ...], ...], size: int) -> None:
    assert sum(attention_of(kernel) is not None for kernel in kernels(*shapes, size=size)) == 1


def test_attention_of_float32_keeps_its_kernel() -> None:
    shapes = ((2, 32, 128), (2, 300, 128), (2, 300, 128))
    assert sum(attention_of(kernel) is not None for kernel in kernels(*shapes, dtype="float32")) == 1


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("hopper", [False, True])
@pytest.mark.parametrize("keys", [40, 300])
def test_groups_have_the_values_of_the_cpu(keys: int, hopper: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "settings", replace(settings, wgmma=hopper))
    monkeypatch.setattr(EmulatedDevice, "arch", "sm_90a" if hopper else "sm_80", raising=False)
    monkeypatch.setattr(EmulatedDevice, "shared_limit", (227 if hopper else 96) * 1024, raising=False)
    counts = np.minimum(np.arange(8, dtype="int32") * 40 + 1, keys)
    arrays: list[Array] = [half(8, 4, 128), half(8, keys, 128), half(8, keys, 128), counts]
    wide = [a.astype("float32") if a.dtype == np.float16 else a for a in arrays]
    expected = in_groups(padded(*(Tensor(a, device="cpu") for a in wide))).numpy()
    with emulated_gpu():
        ours = in_groups(padded(*(Tensor(a, device="cuda") for a in arrays))).numpy()
    assert np.linalg.norm(ours - expected) <= 3e-3 * np.linalg.norm(expected)
