"""Packed weights in words for a GPU: the same numbers, and products by dots of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.schemes import rows as row_schemes
from saccade.codegen.cuda.search.moves import Card, Multiply
from saccade.codegen.cuda.source import gpu_code
from saccade.codegen.cuda.source import laid_out as cuda_layout
from saccade.codegen.linear.code import Instruction, Loop
from saccade.explain import explain
from saccade.llm.weights.packed import PackedWeight
from saccade.llm.weights.quants import FORMATS
from saccade.llm.weights.words import (
    FEW_WORDS,
    Linear,
    WordWeight,
    in_words,
    laid_out,
    rounded,
    rounded_normal,
    side_by_side,
)
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler

Q4_K, Q6_K = 12, 14
HOPPER = Card(shared=232448, wgmma=True)


class Codes:
    """A matrix at random in a format of blocks of 256."""

    def __init__(self, kind: int, rows: int, columns: int, device: str = "cpu") -> None:
        chance, form = np.random.default_rng(kind), FORMATS[kind]
        raw = chance.integers(0, 256, (rows, columns // 256, form.bytes), dtype=np.uint8)
        heads = chance.uniform(3e-4, 1e-3, (*raw.shape[:2], 2)).astype(np.float16)
        at, count = (0, 2) if kind == Q4_K else (208, 1)
        raw[..., at : at + 2 * count] = heads[..., :count].view(np.uint8)
        self.kind, self.shape, self._raw = kind, (rows, columns), Tensor(raw, device=device)

    def raw(self) -> Tensor:
        return self._raw

    def dequantised(self) -> Tensor:
        return FORMATS[self.kind].dequantised(self._raw).reshape(*self.shape)


@pytest.mark.parametrize("kind", [Q4_K, Q6_K])
def test_the_numbers_are_those_of_the_file(kind: int) -> None:
    codes = Codes(kind, 6, 512)
    np.testing.assert_array_equal(laid_out(PackedWeight(codes)).values().numpy(), codes.dequantised().numpy())


@pytest.mark.parametrize("kind", [Q4_K, Q6_K])
def test_a_product_is_finer_than_bfloat16(kind: int) -> None:
    codes = Codes(kind, 24, 512)
    x = np.random.default_rng(1).standard_normal((FEW_WORDS, 512)).astype(np.float32)
    x[:, 5] *= 30  # which its 31 neighbours share a step with
    x[0, 64:96] = 0
    exact = x.astype(np.float64) @ codes.dequantised().numpy().astype(np.float64).T
    made = laid_out(PackedWeight(codes)).forward(Tensor(x, device="cpu")).numpy()
    assert np.linalg.norm(made - exact) < 5e-5 * np.linalg.norm(exact)


@pytest.mark.parametrize("kind", [Q4_K, Q6_K])
def test_many_tokens_are_multiplied_in_bfloat16(kind: int) -> None:
    codes = Codes(kind, 24, 512)
    x = np.random.default_rng(1).standard_normal((12, 512)).astype(np.float32)
    exact = x.astype(np.float64) @ codes.dequantised().numpy().astype(np.float64).T
    made = laid_out(PackedWeight(codes)).forward(Tensor(x, device="cpu")).numpy()
    assert np.linalg.norm(made - exact) < 5e-3 * np.linalg.norm(exact)


def test_weights_of_many_tokens_are_unpacked_on_the_way_into_a_tile() -> None:
    weight = in_words(PackedWeight(Codes(Q4_K, 2048, 1024, "null:cuda")))
    x = Tensor.empty(32, 1024, dtype="bfloat16", device="null:cuda").realize()
    (computation,) = explain(lambda: weight.forward(x).realize()).computations
    largest = max([buffer.nbytes for buffer in computation.graph.of_role("between")], default=0)
    assert largest < 2048 * 1024  # nothing of the size of the matrix is stored


def test_weights_of_one_format_lie_side_by_side() -> None:
    first, second = (laid_out(PackedWeight(Codes(Q4_K, rows, 512))) for rows in (24, 8))
    (whole,) = side_by_side([first, second])
    assert isinstance(whole, WordWeight)
    values = np.concatenate([first.values().numpy(), second.values().numpy()])
    np.testing.assert_array_equal(whole.values().numpy(), values)
    np.testing.assert_array_equal(whole.rows(24, 32).values().numpy(), second.values().numpy())


def test_weights_of_several_formats_stay_apart() -> None:
    weights: list[Linear] = [laid_out(PackedWeight(Codes(kind, 8, 512))) for kind in (Q4_K, Q6_K)]
    assert side_by_side(weights) == weights
    packed: list[Linear] = [PackedWeight(Codes(Q4_K, 8, 512))] * 2
    assert side_by_side(packed) == packed


def test_only_gpus_and_formats_with_blocks_of_256_have_words() -> None:
    packed = PackedWeight(Codes(Q4_K, 4, 256))
    assert in_words(packed) is packed
    assert isinstance(in_words(PackedWeight(Codes(Q4_K, 4, 256, "null:cuda"))), WordWeight)


def test_rounding_is_one_kernel_and_a_product_one_with_dots() -> None:
    weight = in_words(PackedWeight(Codes(Q4_K, 64, 1024, "null:cuda")))
    x = Tensor.empty(1, 1024, device="null:cuda").realize()
    (computation,) = explain(lambda: weight.forward(x).realize()).computations
    rounding, product = (item.kernel for item in computation.graph.items)
    items = gpu_code(product).body.items
    kinds = [item.kind for item in items if isinstance(item, Instruction)]
    assert kinds.count("dot") == 16  # of the 32 numbers of a lane, by an upper and a lower byte: 4 in each
    assert not any(isinstance(i, Instruction) and i.kind == "dot" for i in gpu_code(rounding).body.items)


def test_step_and_totals_of_a_block_are_one_load() -> None:
    """They lie side by side in the words of the activations; a lane has several blocks."""
    weight = in_words(PackedWeight(Codes(Q4_K, 64, 4096, "null:cuda")))
    x = Tensor.empty(1, 4096, device="null:cuda").realize()
    (computation,) = explain(lambda: weight.forward(x).realize()).computations
    product = computation.graph.items[-1].kernel
    (given,) = (slot for slot, (_, size) in enumerate(product.params) if size == 5 * 4096 // 8)
    items = [i for i in gpu_code(product).body.items if isinstance(i, Instruction) and i.kind == "load"]
    widths = [i.result.width for i in items if i.result is not None and i.arg[0].slot == given]
    assert set(widths) == {4}


@pytest.mark.parametrize(
    ("tokens", "by"), [(FEW_WORDS + 1, "unpackers"), (9, "unpackers"), (64, "unpackers"), (65, "warps")]
)
def test_few_tokens_are_multiplied_where_weights_are_unpacked(tokens: int, by: str) -> None:
    weight = in_words(PackedWeight(Codes(Q4_K, 2048, 1024, "null:cuda")))
    x = Tensor.empty(tokens, 1024, dtype="bfloat16", device="null:cuda").realize()
    (computation,) = explain(lambda: weight.forward(x).realize()).computations
    moves = [cuda_layout(item.kernel, HOPPER).move for item in computation.graph.items]
    assert by in [move.by for move in moves if isinstance(move, Multiply)]


@pytest.mark.parametrize("tokens", [1, 3, 8])
def test_a_product_of_few_normal_tokens_has_a_team_for_each_result(tokens: int) -> None:
    """The norm of a token is a sum of its own, which all results of the token share."""
    weight = in_words(PackedWeight(Codes(Q4_K, 1024, 4096, "null:cuda")))
    assert isinstance(weight, WordWeight)
    x, by = (Tensor.empty(*shape, device="null:cuda").realize() for shape in ((tokens, 4096), (4096,)))
    (computation,) = explain(lambda: weight.product(*rounded_normal(x, by, 1e-5)).realize()).computations
    sources = [cuda_layout(item.kernel, HOPPER).source for item in computation.graph.items]
    (product,) = (source for source in sources if "dot_bytes<" in source.text.split("__global__")[1])
    assert product.grid * product.block >= tokens * 1024 * 32 // 4


def test_codes_near_their_numbers_are_as_good_in_bfloat16() -> None:
    for kind in (Q4_K, Q6_K):
        weight = laid_out(PackedWeight(Codes(kind, 8, 512)))
        exact, near = weight.values().numpy(), weight._near_values().numpy()
        assert np.abs(near - exact).max() < 2.0**-16 * np.abs(weight._scales()[0].numpy()).max()
        assert (in_bfloat16(near) == in_bfloat16(exact)).mean() > 0.99


def test_rounded_scales_are_about_as_good_in_bfloat16() -> None:
    for kind in (Q4_K, Q6_K):
        weight = laid_out(PackedWeight(Codes(kind, 8, 512)))
        exact = weight.values().numpy()
        near, rough = (in_bfloat16(weight._near_values(rounded=each).numpy()) for each in (False, True))
        assert (
            np.linalg.norm(rough - exact) < 1.5 * np.linalg.norm(near - exact) < 3e-3 * np.linalg.norm(exact)
        )


@pytest.mark.parametrize("kind", [Q4_K, Q6_K])
def test_a_gpu_unpacks_two_numbers_at_a_time(kind: int) -> None:
    """With nothing that rounds a number alone; it starts before the kernel in front has ended."""
    weight = in_words(PackedWeight(Codes(kind, 512, 1024, "null:cuda")))
    x = Tensor.empty(32, 1024, dtype="bfloat16", device="null:cuda").realize()
    (computation,) = explain(lambda: weight.forward(x).realize()).computations
    sources = [cuda_layout(item.kernel, HOPPER).source for item in computation.graph.items]
    (product,) = (source for source in sources if "pairs_B" in source.text)
    body = product.text.split("__global__")[1]
    assert "scaled_bytes<2>(" in body
    assert body.count("f32_to_bf16(") <= 2 * 64 // 16
    assert "follow();" in body
    assert len(product.settled) == (3 if kind == Q4_K else 4)


def in_bfloat16(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    made: np.ndarray[Any, Any] = Tensor(numbers, device="cpu").cast("bfloat16").float().numpy()
    return made


def test_scales_of_a_batch_come_row_by_row_to_shared_memory() -> None:
    """The other loads of a block of two on a processor are words of codes alone."""
    weight = in_words(PackedWeight(Codes(Q4_K, 4096, 4096, "null:cuda")))
    x = Tensor.empty(32, 4096, dtype="bfloat16", device="null:cuda").realize()
    (computation,) = explain(lambda: weight.forward(x).realize()).computations
    sources = [cuda_layout(item.kernel, HOPPER).source for item in computation.graph.items]
    (product,) = (source for source in sources if "pairs_B" in source.text)
    body = product.text.split("__global__")[1]
    assert body.count("row_of_B0(given_m)") == 2, "steps of two blocks"
    assert body.count("_once") == body.count("load_many_once<4>(") == 2
    assert 2 * (product.shared + 1024) <= HOPPER.shared + 1024


@pytest.mark.slow
@needs_compiler
def test_rows_of_several_steps_wait_in_their_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rows for each warp, as of a large matrix, and not a whole number of steps."""
    monkeypatch.setattr(row_schemes, "BUSY_WARPS", 1)
    cuda_layout.cache_clear()
    x = np.random.default_rng(3).standard_normal((1, 2304)).astype(np.float32)
    weight, given = (
        in_words(PackedWeight(Codes(Q4_K, 64, 2304, "null:cuda"))),
        Tensor.empty(1, 2304, device="null:cuda"),
    )
    (computation,) = explain(lambda: weight.forward(given).realize()).computations
    items = gpu_code(computation.graph.items[-1].kernel).body.items
    (loop,) = (item for item in items if isinstance(item, Loop))
    assert any(isinstance(item, Instruction) and item.kind == "follow" for item in loop.body.items)
    expected = laid_out(PackedWeight(Codes(Q4_K, 64, 2304))).forward(Tensor(x, device="cpu")).numpy()
    with emulated_gpu():
        weight = in_words(PackedWeight(Codes(Q4_K, 64, 2304, "cuda")))
        made = weight.forward(Tensor(x, device="cuda")).numpy()
    cuda_layout.cache_clear()
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(
    ("kind", "tokens", "rows", "columns"),
    [(Q4_K, 20, 256, 256), (Q4_K, 12, 256, 1024), (Q4_K, 40, 320, 1024), (Q6_K, 9, 300, 512)],
)
def test_a_gpu_unpacks_in_registers(kind: int, tokens: int, rows: int, columns: int) -> None:
    x = np.random.default_rng(2).standard_normal((tokens, columns)).astype(np.float32)
    expected = laid_out(PackedWeight(Codes(kind, rows, columns))).forward(Tensor(x, device="cpu")).numpy()
    with emulated_gpu():
        weight = in_words(PackedWeight(Codes(kind, rows, columns, "cuda")))
        made = weight.forward(Tensor(x, device="cuda")).numpy()
    np.testing.assert_allclose(made, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("kind", [Q4_K, Q6_K])
def test_a_gpu_computes_the_same(kind: int) -> None:
    x = np.random.default_rng(2).standard_normal((1, 1024)).astype(np.float32)
    expected = laid_out(PackedWeight(Codes(kind, 20, 1024))).forward(Tensor(x, device="cpu")).numpy()
    words = rounded(Tensor(x, device="cpu")).numpy()
    with emulated_gpu():
        weight = in_words(PackedWeight(Codes(kind, 20, 1024, "cuda")))
        assert isinstance(weight, WordWeight)
        np.testing.assert_array_equal(rounded(Tensor(x, device="cuda")).numpy()[:, :4], words[:, :4])
        made = weight.forward(Tensor(x, device="cuda")).numpy()
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_a_norm_is_divided_by_its_root_behind_the_product() -> None:
    codes, chance = Codes(Q4_K, 24, 512), np.random.default_rng(4)
    x, weight = (chance.standard_normal(shape).astype(np.float32) for shape in ((2, 512), (512,)))
    x[0, 32:64] = 0
    weight_of = laid_out(PackedWeight(codes))
    given, by = (Tensor(each, device="cpu") for each in (x, weight))
    words, factor = rounded_normal(given, by, 1e-5)
    exact = weight_of.product(rounded(given.rms_norm(512, by, 1e-5))).numpy()
    np.testing.assert_allclose(
        weight_of.product(words, factor).numpy(), exact, atol=1e-4 * np.abs(exact).max()
    )


@pytest.mark.slow
@needs_compiler
def test_a_gpu_has_the_norms_of_several_tokens() -> None:
    chance = np.random.default_rng(4)
    x, by = (chance.standard_normal(shape).astype(np.float32) for shape in ((3, 512), (512,)))
    made = []
    for device in ("cpu", "cuda"):
        with emulated_gpu():
            weight = laid_out(PackedWeight(Codes(Q4_K, 24, 512, device)))
            words = rounded_normal(Tensor(x, device=device), Tensor(by, device=device), 1e-5)
            made.append(weight.product(*words).numpy())
    np.testing.assert_allclose(made[1], made[0], rtol=1e-5, atol=1e-5 * np.abs(made[0]).max())
