"""Attention in one kernel, by warps and by warpgroups: on the emulator, and compiled where NVRTC is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen import compile as compiling
from saccade.codegen.cuda.source import cuda_source, laid_out
from saccade.codegen.cuda.templates.attention import source as attention_source
from saccade.codegen.cuda.templates.attention.match import attention_of
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import Kernel
from saccade.runtime.config import settings
from saccade.runtime.program import Source
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from saccade.tensor.tensor import where
from tests.codegen.cuda_emulator import EmulatedDevice, emulated_gpu, needs_compiler
from tests.schedule.programs import inputs

RNG = np.random.default_rng(11)
Array = np.ndarray[Any, Any]
Program = Callable[..., Tensor]


def half(*shape: int, rng: np.random.Generator = RNG) -> Array:
    return rng.standard_normal(shape).astype("float16")


def naive(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ((q @ k.mT) * 0.125).softmax(-1) @ v


def causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q.scaled_dot_product_attention(k, v, is_causal=True)


def masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return q.scaled_dot_product_attention(k, v, mask)


def padded(q: Tensor, k: Tensor, v: Tensor, counts: Tensor) -> Tensor:
    there = Tensor.arange(k.shape[-2], dtype="int32", device=q.device) < counts.reshape(-1, 1, 1)
    return where(there, (q @ k.mT) * 0.1, float("-inf")).softmax(-1) @ v


KINDS: dict[str, tuple[Program, list[Array]]] = {
    "whole tiles": (naive, [half(2, 128, 64), half(2, 256, 64), half(2, 256, 64)]),
    "odd sizes": (naive, [half(2, 100, 20), half(2, 201, 20), half(2, 201, 30)]),
    "wide": (naive, [half(70, 256), half(130, 256), half(130, 192)]),
    "causal": (causal, [half(2, 200, 64), half(2, 200, 64), half(2, 200, 64)]),
    "causal, more keys": (causal, [half(150, 96), half(333, 96), half(333, 96)]),
    "bias": (masked, [half(2, 2, 70, 64), half(2, 2, 130, 64), half(2, 2, 130, 64), half(2, 1, 70, 130)]),
    "bool": (masked, [half(2, 70, 64), half(2, 131, 64), half(2, 131, 64), RNG.random((70, 131)) < 0.7]),
    "counts": (
        padded, [half(3, 40, 64), half(3, 200, 64), half(3, 200, 64), np.array([200, 77, 1], "int32")]
    ),
    "turned": (
        lambda q, k, v: ((q.mT @ k) * 0.1).softmax(-1) @ v.mT,
        [half(2, 64, 80), half(2, 64, 136), half(2, 64, 136)],
    ),
    "one head of keys": (
        lambda q, k, v: q.scaled_dot_product_attention(k, v),
        [half(2, 3, 50, 64), half(2, 1, 80, 64), half(2, 1, 80, 64)],
    ),
    "heads side by side": (
        lambda q, k, v: causal(q, k, v).transpose(1, 2).reshape(2, 50, 192),
        [half(2, 3, 50, 64), half(2, 3, 80, 64), half(2, 3, 80, 64)],
    ),
    "computed factors": (
        lambda q, k, v: naive(q * 2, k + v, v.relu()), [half(2, 40, 64), half(2, 80, 64), half(2, 80, 64)]
    ),
    "one query": (naive, [half(3, 1, 64), half(3, 1000, 64), half(3, 1000, 64)]),
    "one query, few keys": (naive, [half(3, 1, 64), half(3, 40, 64), half(3, 40, 64)]),
    "few queries of a bias": (
        masked, [half(2, 5, 64), half(2, 901, 64), half(2, 901, 64), half(5, 901)]
    ),
    "parts beyond the counts": (
        padded, [half(3, 1, 64), half(3, 1000, 64), half(3, 1000, 64), np.array([1000, 77, 1], "int32")]
    ),
    "counted heads of one query": (
        lambda q, k, v, counts: padded(q.reshape(3, 4, 32), k, v, counts),
        [half(3, 4, 1, 32), half(3, 700, 32), half(3, 700, 32), np.array([700, 77, 1], "int32")],
    ),
    "causal, last rows": (causal, [half(2, 20, 64), half(2, 1100, 64), half(2, 1100, 64)]),
    "parts of warpgroups": (padded, [
        half(2, 40, 64), half(2, 2000, 64), half(2, 2000, 64), np.array([2000, 130], "int32")
    ]),
    "scores bent": (
        lambda q, k, v: ((q @ k.mT) * 0.1).tanh().softmax(-1) @ v, [half(64, 64), half(80, 64), half(80, 64)]
    ),
}  # fmt: skip


@pytest.fixture(name="cards", params=["warps", "warpgroups"])
def cards_fixture(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    hopper = request.param == "warpgroups"
    monkeypatch.setattr(compiling, "settings", replace(settings, wgmma=hopper))
    monkeypatch.setattr(EmulatedDevice, "arch", "sm_90a" if hopper else "sm_80", raising=False)
    limit = 227 * 1024 if hopper else 96 * 1024
    monkeypatch.setattr(EmulatedDevice, "shared_limit", limit, raising=False)
    with emulated_gpu():
        yield request.param


def expected(program: Program, arrays: list[Array]) -> Array:
    wide = [a.astype("float32") if a.dtype == np.float16 else a for a in arrays]
    return program(*[Tensor(a, device="cpu") for a in wide]).numpy()


def computed(program: Program, arrays: list[Array]) -> Array:
    return program(*[Tensor(a, device="cuda") for a in arrays]).numpy().astype(np.float32)


@needs_compiler
@pytest.mark.parametrize("kind", KINDS)
def test_attention_is_that_of_the_cpu_in_float32(kind: str, cards: str) -> None:
    program, arrays = KINDS[kind]
    ours, theirs = computed(program, arrays), expected(program, arrays)
    assert np.linalg.norm(ours - theirs) <= 2e-3 * np.linalg.norm(theirs)


@pytest.fixture(name="in_bulk")
def in_bulk_fixture(cards: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The copy engine brings keys and values, however few scores there are: for each kernel, does it?"""
    found: list[int] = []

    def in_bulk(*given: Any) -> bool:
        found.append(int(real(*given)))
        return bool(found[-1])

    real = attention_source._in_bulk
    monkeypatch.setattr(attention_source, "BULK_SCORES", 1)
    monkeypatch.setattr(attention_source, "parts_of", lambda *sizes: 1)
    monkeypatch.setattr(attention_source, "_in_bulk", in_bulk)
    laid_out.cache_clear()
    yield found
    laid_out.cache_clear()


@needs_compiler
def test_a_program_is_compiled_for_each_emulated_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ran on one card with this name was run again on the next, so warpgroups were never emulated."""
    texts: list[str] = []

    def compiled(device: EmulatedDevice, sources: list[Source]) -> Any:
        texts.extend(source.text for source in sources)
        return real(device, sources)

    real = EmulatedDevice.compile
    monkeypatch.setattr(EmulatedDevice, "compile", compiled)
    monkeypatch.setattr(EmulatedDevice, "shared_limit", 227 * 1024, raising=False)
    arrays = [half(2, 128, 64), half(2, 128, 64), half(2, 128, 64)]
    for arch in ("sm_80", "sm_90a"):
        monkeypatch.setattr(EmulatedDevice, "arch", arch, raising=False)
        with emulated_gpu():
            computed(naive, arrays)
    assert ["registers_more" in text for text in texts] == [False, True]


#: what the copy engine brings, and what it does not
MATRICES: dict[str, tuple[Program, list[Array], bool]] = {
    "whole tiles": (naive, [half(2, 256, 64), half(2, 384, 64), half(2, 384, 64)], True),
    "causal": (causal, [half(2, 232, 64), half(2, 232, 64), half(2, 232, 64)], True),
    "columns in part": (causal, [half(160, 96), half(350, 96), half(350, 96)], True),
    "bias": (
        masked, [half(2, 2, 72, 64), half(2, 2, 136, 64), half(2, 2, 136, 64), half(2, 1, 72, 136)], True
    ),
    "rows of odd length": (naive, [half(2, 100, 21), half(2, 205, 21), half(2, 205, 30)], False),
}  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("cards", ["warpgroups"], indirect=True)
@pytest.mark.parametrize("kind", MATRICES)
def test_the_copy_engine_brings_matrices_of_keys_and_values(
    kind: str, cards: str, in_bulk: list[int]
) -> None:
    program, arrays, taken = MATRICES[kind]
    ours, theirs = computed(program, arrays), expected(program, arrays)
    assert np.linalg.norm(ours - theirs) <= 2e-3 * np.linalg.norm(theirs)
    assert any(in_bulk) == taken


@needs_compiler
def test_a_row_without_keys_is_nan_as_the_expression_says(cards: str, rng: np.random.Generator) -> None:
    mask = rng.random((70, 131)) < 0.7
    mask[[0, 33, 69]] = False
    arrays = [*(half(n, 64, rng=rng) for n in (70, 131, 131)), mask]
    ours, theirs = computed(masked, arrays), expected(masked, arrays)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    np.testing.assert_allclose(ours, theirs, atol=5e-3)


@needs_compiler
def test_large_and_infinite_scores(cards: str, rng: np.random.Generator) -> None:
    q, k, v = (half(n, 64, rng=rng) for n in (64, 80, 80))
    bias = np.zeros((64, 80), "float16")
    bias[3, 7], bias[5, :40], bias[9, 11] = np.inf, -np.inf, np.nan
    arrays = [q * 20, k * 20, v, bias]
    ours, theirs = computed(masked, arrays), expected(masked, arrays)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    np.testing.assert_allclose(ours, theirs, atol=2e-2)


def kernel_of(program: Program, shapes: list[tuple[int, ...]], dtype: Any = dtypes.bfloat16) -> Kernel:
    made = program(*inputs(*shapes, dtype=dtype))
    (item,) = schedule((made.node,), len(shapes), GPU).items
    return item.kernel


SHAPES: dict[str, tuple[Program, list[tuple[int, ...]]]] = {
    "whole tiles": (naive, [(2, 256, 128)] * 3),
    "causal, ragged": (causal, [(2, 300, 96)] * 3),
    "bias, wide": (masked, [(2, 256, 256)] * 3 + [(256, 256)]),
    "turned": (lambda q, k, v: (q.mT @ k).softmax(-1) @ v.mT, [(2, 64, 256)] * 3),
}  # fmt: skip
CARDS = {"sm_75": (64 * 1024, False), "sm_80": (163 * 1024, False), "sm_90a": (227 * 1024, True)}


def source(kind: str, arch: str, dtype: Any = dtypes.bfloat16) -> Source:
    return cuda_source(kernel_of(*SHAPES[kind], dtype), *CARDS[arch])


#: each kind for each card; the type is in few lines of the text, so older cards take them in turns
COMPILED = [
    (kind, arch, dtype)
    for number, kind in enumerate(SHAPES)
    for arch in CARDS
    for turn, dtype in enumerate((dtypes.bfloat16, dtypes.float16))
    if arch == "sm_90a" or turn == number % 2
]


@pytest.mark.skipif(find_spec("cuda") is None, reason='needs NVRTC: pip install "saccade[cuda]"')
@pytest.mark.parametrize(("kind", "arch", "dtype"), COMPILED)
def test_attention_compiles(kind: str, arch: str, dtype: Any) -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    assert compile_cubin(source(kind, arch, dtype), arch)[:4] == b"\x7fELF"


@pytest.mark.parametrize("arch", CARDS)
@pytest.mark.parametrize("kind", SHAPES)
def test_attention_fits_the_card(kind: str, arch: str) -> None:
    made = source(kind, arch)
    assert made.shared <= CARDS[arch][0]
    assert made.block % 32 == 0
    assert ("wgmma" in made.text) == CARDS[arch][1]


def test_a_positive_scale_is_applied_last() -> None:
    shapes = [(64, 32)] * 3
    found = attention_of(kernel_of(lambda q, k, v: (q @ k.mT * 0.25).softmax(-1) @ v, shapes))
    assert found is not None
    assert (found.scale, found.score) == (0.25, found.scores.fold)
    found = attention_of(kernel_of(lambda q, k, v: (q @ k.mT * -0.25).softmax(-1) @ v, shapes))
    assert found is not None
    assert found.scale == 1.0


def test_a_count_that_grows_along_the_rows_ends_the_keys() -> None:
    shapes = [(2, 64, 32)] * 3
    found = attention_of(kernel_of(causal, shapes))
    assert found is not None
    assert found.count is not None
    assert found.count_only

    def backwards(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        rows, keys = Tensor.arange(64).reshape(64, 1), Tensor.arange(64)
        return where(keys < 64 - rows, q @ k.mT, float("-inf")).softmax(-1) @ v

    found = attention_of(kernel_of(backwards, shapes))
    assert found is not None
    assert found.count is None


def test_keys_of_parts_are_asked_for_before_the_kernel_waits() -> None:
    def text(program: Program, *shapes: tuple[int, ...]) -> str:
        made = cuda_source(kernel_of(program, list(shapes)), *CARDS["sm_90a"]).text
        return made.split("__global__")[1]

    shapes = [(8, 4, 128), (8, 1024, 128), (8, 1024, 128)]
    plain = text(naive, *shapes)
    assert 0 < plain.index("prefetch.global.L2") < plain.index("follow();")
    assert "prefetch.global.L2" not in text(lambda q, k, v: naive(q, k + v, v), *shapes)
