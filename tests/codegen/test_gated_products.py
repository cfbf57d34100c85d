"""silu(gate @ x) * (up @ x) of packed matrices: one loop, and no more on its way than there is room for."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.schemes import rows as row_schemes
from saccade.codegen.cuda.source import gpu_code
from saccade.codegen.linear.code import Instruction, Loop
from saccade.explain import explain
from saccade.llm.weights.packed import PackedWeight
from saccade.llm.weights.words import in_words, laid_out

from ..llm.test_words import Q4_K, Q6_K, Codes
from .cuda_emulator import emulated_gpu, needs_compiler


class Half(Codes):
    """Rows of a matrix from `first` on."""

    def __init__(self, kind: int, first: int, rows: int, columns: int, device: str) -> None:
        super().__init__(kind, first + rows, columns, device)
        self.shape, self._raw = (rows, columns), self._raw[first:].contiguous()


def gated(kind: int, rows: int, columns: int, device: str) -> Tensor:
    x = Tensor(np.random.default_rng(1).standard_normal((1, columns)).astype(np.float32), device=device)
    stored = laid_out if device == "cpu" else in_words
    halves = [PackedWeight(Half(kind, first, rows, columns, device)) for first in (0, rows)]
    gate, up = (stored(half).forward(x) for half in halves)
    return gate.silu() * up


@pytest.mark.parametrize(("rows", "columns"), [(8192, 4096), (9600, 3072)])
def test_both_matrices_share_what_a_thread_has_on_its_way(rows: int, columns: int) -> None:
    computations = explain(lambda: gated(Q4_K, rows, columns, "null:cuda").realize()).computations
    kernel = computations[-1].graph.items[-1].kernel
    code = gpu_code(kernel)
    (loop,) = (item for item in code.body.items if isinstance(item, Loop))
    loads = [i for i in loop.body.items if isinstance(i, Instruction) and i.kind == "load"]
    vectors = [i for i in loads if i.arg[0].slot in code.settled and i.result and i.result.width == 4]
    assert len(vectors) == row_schemes.IN_FLIGHT


@needs_compiler
@pytest.mark.parametrize("kind", [Q4_K, Q6_K])
def test_a_gpu_computes_the_same(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_schemes, "BUSY_WARPS", 4)  # several rows for each of a few warps
    wanted = gated(kind, 64, 4096, "cpu").numpy()
    with emulated_gpu():
        made = gated(kind, 64, 4096, "cuda").numpy()
    np.testing.assert_allclose(made, wanted, rtol=2e-4, atol=2e-4 * np.abs(wanted).max())
