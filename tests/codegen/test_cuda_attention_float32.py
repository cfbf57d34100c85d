"""Attention in float32 in one kernel of threads: on the emulator, and compiled where NVRTC is."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from saccade.codegen.cuda.search.moves import THREADS, Attend, Card
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.cuda.templates.attention.match import attention_of
from saccade.codegen.moves.legal import IllegalMove
from saccade.graph import dtypes
from tests.codegen.cuda_emulator import EmulatedDevice, emulated_gpu, needs_compiler
from tests.codegen.test_cuda_attention import (
    CARDS,
    KINDS,
    SHAPES,
    Array,
    causal,
    computed,
    expected,
    kernel_of,
    masked,
    naive,
    padded,
    source,
)


def full(*shape: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal(shape).astype("float32")


@pytest.fixture(name="card")
def card_fixture(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(EmulatedDevice, "arch", "sm_90a", raising=False)
    monkeypatch.setattr(EmulatedDevice, "shared_limit", 227 * 1024, raising=False)
    with emulated_gpu():
        yield


@needs_compiler
@pytest.mark.parametrize(
    "kind",
    ["causal, more keys", "bias", "counts", "turned", "heads side by side", "computed factors"],
)
def test_attention_in_float32_is_that_of_the_cpu(kind: str, card: None) -> None:
    program, arrays = KINDS[kind]
    wide = [a.astype("float32") if a.dtype == np.float16 else a for a in arrays]
    ours, theirs = computed(program, wide), expected(program, wide)
    assert np.linalg.norm(ours - theirs) <= 2e-6 * np.linalg.norm(theirs)


#: columns of a lane: a four and a one, a two, a two and a one; and rows of odd length
@needs_compiler
@pytest.mark.parametrize(("depth", "columns"), [(40, 40), (16, 16), (17, 21)])
def test_lanes_have_columns_in_fours_twos_and_ones(
    depth: int, columns: int, card: None, rng: np.random.Generator
) -> None:
    arrays = [full(37, depth, rng=rng), full(61, depth, rng=rng), full(61, columns, rng=rng)]
    ours, theirs = computed(naive, arrays), expected(naive, arrays)
    assert np.linalg.norm(ours - theirs) <= 2e-6 * np.linalg.norm(theirs)


@needs_compiler
def test_rows_without_keys_are_nan(card: None, rng: np.random.Generator) -> None:
    arrays = [*(full(3, n, 20, rng=rng) for n in (40, 70, 70)), np.array([70, 0, 33], "int32")]
    ours, theirs = computed(padded, arrays), expected(padded, arrays)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


@needs_compiler
def test_large_and_infinite_scores(card: None, rng: np.random.Generator) -> None:
    q, k, v = (full(n, 32, rng=rng) for n in (64, 80, 80))
    bias = np.zeros((64, 80), "float32")
    bias[3, 7], bias[5, :40], bias[9, 11] = np.inf, -np.inf, np.nan
    arrays = [q * 50, k * 50, v, bias]
    ours, theirs = computed(masked, arrays), expected(masked, arrays)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    np.testing.assert_allclose(ours, theirs, atol=2e-3)


@pytest.mark.skipif(find_spec("cuda") is None, reason='needs NVRTC: pip install "saccade[cuda]"')
@pytest.mark.parametrize(("kind", "arch"), [("causal, ragged", "sm_75"), ("turned", "sm_90a")])
def test_attention_in_float32_compiles(kind: str, arch: str) -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    made = source(kind, arch, dtypes.float32)
    assert made.shared <= CARDS[arch][0]
    assert compile_cubin(made, arch)[:4] == b"\x7fELF"


def test_few_rows_and_wide_heads_are_products() -> None:
    assert attention_of(kernel_of(causal, [(2, 300, 64)] * 3, dtypes.float32)) is not None
    for shape in ((2, 1, 64), (2, 300, 160)):
        shapes = [shape, (2, 300, shape[-1]), (2, 300, shape[-1])]
        with pytest.raises(ValueError, match="too many values to unpack"):
            kernel_of(naive, shapes, dtypes.float32)


@pytest.mark.parametrize(
    "move",
    [
        Attend("warps", 128, 32, 2, 2),
        Attend(THREADS, 96, 32, 2, 2),
        Attend(THREADS, 128, 48, 2, 2),
        Attend(THREADS, 128, 32, 1, 2),
        Attend(THREADS, 128, 32, 2, 2, parts=99),
        Attend(THREADS, 128, 64, 4, 2),
    ],
)
def test_tiles_that_the_text_is_not_written_for(move: Attend) -> None:
    kernel = kernel_of(*SHAPES["causal, ragged"], dtypes.float32)
    with pytest.raises(IllegalMove):
        laid_out(kernel, Card(shared=96 * 1024), move)
