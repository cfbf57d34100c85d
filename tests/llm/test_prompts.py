"""Weights that stay packed, and many tokens: unpacked once, whatever the product reads how often."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.llm.weights.packed import FEW_TOKENS, PackedWeight
from saccade.llm.weights.quants import FORMATS
from saccade.schedule.kernel_graph import INPUT
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of

PACKED = [kind for kind, form in FORMATS.items() if form.unpack is not None]


class Zeros:
    """A weight as files have it."""

    def __init__(self, kind: int, rows: int, columns: int) -> None:
        form = FORMATS[kind]
        self.kind, self.shape = kind, (rows, columns)
        self.bytes = Tensor(np.zeros((rows, columns // form.items, form.bytes), np.uint8), device="cpu")

    def raw(self) -> Tensor:
        return self.bytes

    def dequantised(self) -> Tensor:
        return FORMATS[self.kind].dequantised(self.raw()).reshape(*self.shape)


@pytest.mark.parametrize("kind", PACKED)
def test_the_product_of_a_prompt_reads_no_packed_bytes(kind: int) -> None:
    """In Q4_K it did: each panel was unpacked element by element, 4 times as slow."""
    x = Tensor(np.ones((16 * FEW_TOKENS, 512), np.float32), device="cpu")
    made = PackedWeight(Zeros(kind, 512, 512)).forward(x)
    graph = schedule(*graph_of(canonical([made.node])[0]))
    (packed,) = (each for each in graph.of_role(INPUT) if each.dtype.name == "uint8")
    assert graph.items[-1] not in packed.readers
