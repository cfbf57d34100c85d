"""Weights in lanes: products with rounded activations equal those of NumPy, alone and beside other tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.products.lane_dots import lanes_for_dots
from saccade.llm.weights.lanes import LAYOUTS, LaneWeight, in_lanes
from saccade.llm.weights.quants import FORMATS
from saccade.runtime.cpu.machine import host_registers
from saccade.schedule.kernel_graph import INPUT
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

Array = np.ndarray[Any, Any]
ROWS, BLOCKS = 48, 3
#: where blocks have numbers of 16 bits, if elsewhere than at 0
HALVES = {3: (0, 2), 7: (0, 2), 12: (0, 2), 13: (0, 2), 14: (208,), 39: ()}
MXFP4 = 39


class Packed:
    """A weight as files have it."""

    def __init__(self, kind: int, rows: int = ROWS, blocks: int = BLOCKS) -> None:
        random = np.random.default_rng(kind)
        self.bytes = random.integers(0, 256, (rows, blocks, FORMATS[kind].bytes), np.uint8)
        if kind == MXFP4:
            self.bytes[..., 0] = random.integers(120, 136, (rows, blocks))  # exponents
        for at in HALVES.get(kind, (0,)):
            halves = random.normal(0, 0.1, (rows, blocks, 1)).astype(np.float16)
            self.bytes[..., at : at + 2] = halves.view(np.uint8)
        self.kind, self.shape = kind, (rows, blocks * FORMATS[kind].items)

    def raw(self) -> Tensor:
        return Tensor(self.bytes)

    def dequantised(self) -> Tensor:
        return FORMATS[self.kind].dequantised(self.raw()).reshape(*self.shape)


def rounded(x: Array) -> Array:
    blocks = x.reshape(len(x), -1, 32)
    step = np.abs(blocks).max(-1, keepdims=True) / np.float32(127)
    return (np.round(blocks / np.where(step == 0, np.float32(1), step)) * step.astype(float)).reshape(x.shape)


def lanes(kind: int, **sizes: int) -> LaneWeight:
    made = in_lanes(Packed(kind, **sizes))
    assert made is not None
    return made


@pytest.mark.parametrize("kind", LAYOUTS)
def test_rows_are_those_of_the_file(kind: int) -> None:
    ids = np.array([[0, 47, 15], [16, 31, 0]])
    expected = Packed(kind).dequantised().numpy()[ids]
    np.testing.assert_array_equal(lanes(kind).rows(Tensor(ids)).numpy(), expected)


def test_scales_of_mxfp4_are_any_power_of_two() -> None:
    packed = Packed(MXFP4, rows=256, blocks=1)
    packed.bytes[:, 0, 0] = np.arange(256)
    made = in_lanes(packed)
    assert made is not None
    np.testing.assert_array_equal(made.rows(Tensor.arange(256)).numpy(), packed.dequantised().numpy())


@pytest.mark.parametrize("kind", LAYOUTS)
@pytest.mark.parametrize("tokens", [1, 2, 8, 11])
def test_products_are_those_of_numpy(kind: int, tokens: int) -> None:
    x = np.random.default_rng(tokens).normal(size=(tokens, BLOCKS * FORMATS[kind].items)).astype(np.float32)
    x[0, :32] = 0  # a block without a step
    expected = rounded(x) @ Packed(kind).dequantised().numpy().astype(float).T
    found = lanes(kind).forward(Tensor(x)).numpy()
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("kind", LAYOUTS)
def test_fine_products_are_nearly_exact(kind: int) -> None:
    x = np.random.default_rng(0).normal(size=(2, BLOCKS * FORMATS[kind].items)).astype(np.float32)
    expected = x @ Packed(kind).dequantised().numpy().astype(float).T
    coarse, fine = (made(Tensor(x)).numpy() for made in (lanes(kind).forward, lanes(kind).finely))
    assert np.abs(fine - expected).max() < 0.01 * np.abs(coarse - expected).max()


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_token_does_not_depend_on_those_beside_it(kind: int) -> None:
    weight = lanes(kind)
    x = np.random.default_rng(0).normal(size=(9, BLOCKS * FORMATS[kind].items)).astype(np.float32)
    together = weight.forward(Tensor(x)).numpy()
    for number, row in enumerate(x):
        np.testing.assert_array_equal(weight.forward(Tensor(row[None])).numpy()[0], together[number])


@pytest.mark.parametrize("kind", LAYOUTS)
def test_there_are_as_many_bytes_as_in_the_file(kind: int) -> None:
    """Of formats with blocks of 256 a few more: numbers of six bits become bytes. So do those of 8 that are
    the exponents of numbers of 16."""
    made, packed = lanes(kind), Packed(kind)
    tensors = [made.codes, *([] if made.upper is None else [made.upper]), *made.scales, *made.offsets]
    size = sum(each.numpy().nbytes for each in tensors)
    more = 1.06 if kind == MXFP4 else 1.03 if FORMATS[kind].items > 32 else 1
    assert packed.bytes.nbytes <= size <= packed.bytes.nbytes * more


def test_other_formats_and_shapes_stay_as_they_are() -> None:
    assert in_lanes(Packed(1)) is None
    assert in_lanes(Packed(8, rows=40)) is None
    assert in_lanes(Packed(8, rows=0)) is None


@pytest.mark.skipif(not host_registers().dots, reason="this processor has no dot instructions")
@pytest.mark.parametrize("kind", LAYOUTS)
def test_the_sums_of_a_prompt_are_no_kernel_of_their_own(kind: int) -> None:
    """In Q8_0 they were: the integers of 128 tokens went through memory, 4 times as slow."""
    x = Tensor(np.ones((128, 768), np.float32))
    made = lanes(kind, rows=1536, blocks=768 // FORMATS[kind].items).forward(x)
    graph = schedule(*graph_of(canonical([made.node])[0]))
    codes = max(graph.of_role(INPUT), key=lambda buffer: buffer.size)
    assert codes.readers == [graph.items[-1]]  # and the kernels before it round x
    # halves need sums of 16; scales that are packed in six bits are unpacked once for all rows
    packed = kind in (12, 13)
    assert len(graph.items) <= 5 + LAYOUTS[kind].halves + 2 * packed
    # what is made of codes and scales is in no tile, which would keep rows out of the lanes
    product = graph.items[-1].kernel
    assert lanes_for_dots(product) is not product


def test_a_product_in_lanes_may_be_scattered() -> None:
    weight, x = lanes(8), Tensor(np.random.default_rng(3).normal(size=(1, 96)).astype(np.float32))
    places = np.random.default_rng(4).permutation(ROWS)
    plain = weight.forward(x).numpy()[0]
    found = Tensor.zeros(ROWS).scatter(0, Tensor(places), weight.forward(x)[0]).numpy()
    np.testing.assert_allclose(found[places], plain, rtol=1e-6)
