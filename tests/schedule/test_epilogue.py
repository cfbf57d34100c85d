"""Groups of a product's rows and what they become: one launch, the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cuda.search.moves import Card, Rows
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.moves.epilogue import ended_of
from saccade.codegen.moves.legal import IllegalMove
from saccade.explain import explain
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.ops import Op
from saccade.llm.weights.packed import PackedWeight
from saccade.llm.weights.words import in_words, rounded
from saccade.schedule.joining.epilogue import _is_inside
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.llm.test_words import Codes


def codes(rows: int, columns: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).integers(-100, 100, (rows, columns), dtype=np.int8)


def numbers(columns: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).standard_normal(columns).astype(np.float32)


def product(matrix: Tensor, x: Tensor) -> Tensor:
    """Bytes times floats: sums of rows, which no matrix unit takes."""
    return (matrix.float() * x).sum(-1).contiguous()


def shares(made: Tensor, size: int) -> Tensor:
    """Each number as a share of the largest of its group."""
    groups = made.unflatten(-1, (-1, size))
    made = groups / (groups.abs().amax(-1, keepdim=True) + 1.0)
    return made.T.contiguous()


def kernels(rows: int, columns: int, size: int, both: bool = False) -> list[Kernel]:
    matrix = Tensor.empty(rows, columns, dtype="int8", device="null:cuda").realize()
    x = Tensor.empty(columns, device="null:cuda").realize()

    def run() -> None:
        made = product(matrix, x)
        Tensor.realize(shares(made, size), *([made] if both else []))

    (computation,) = explain(run).computations
    return [item.kernel for item in computation.graph.items]


@pytest.mark.parametrize("both", [False, True])
def test_a_group_of_rows_is_the_work_of_one_block(both: bool) -> None:
    (kernel,) = kernels(4096, 512, 32, both)
    assert len(kernel.sink.src) == 1 + both
    made = laid_out(kernel, Card())
    assert isinstance(made.move, Rows)
    assert (made.move.team, made.move.teams * made.move.each) == (32, 32)
    assert (made.source.grid, made.source.workspace) == (128, 0)


def test_too_few_groups_would_leave_processors_idle() -> None:
    assert [ended_of(k) for k in kernels(1024, 512, 32)] == [None, None]


def test_a_group_that_is_no_group_of_neighbours_stays_apart() -> None:
    matrix = Tensor.empty(4096, 512, dtype="int8", device="null:cuda").realize()
    x = Tensor.empty(512, device="null:cuda").realize()
    (computation,) = explain(
        lambda: shares(product(matrix, x).reshape(32, 128).T.flatten(), 32).realize()
    ).computations
    assert not any(ended_of(item.kernel) for item in computation.graph.items)


def test_a_block_has_the_rows_of_a_group() -> None:
    (kernel,) = kernels(4096, 512, 32)
    made = laid_out(kernel, Card(), Rows(32, 8, 1, 2, False, 4))
    assert made.source.block == 256
    with pytest.raises(IllegalMove, match="32 rows"):
        laid_out(kernel, Card(), Rows(32, 4, 1, 2, False, 4))


def test_what_a_group_reads_is_in_the_group() -> None:
    """32 numbers are rounded to 20 words: threads without a word of their own read in the group, too."""
    weight = in_words(PackedWeight(Codes(12, 4096, 1024, "null:cuda")))
    x = Tensor.empty(1, 1024, device="null:cuda").realize()
    (computation,) = explain(lambda: rounded(weight.forward(x).contiguous()).realize()).computations
    found = [ended_of(item.kernel) for item in computation.graph.items]
    (ended,) = (each for each in found if each is not None)
    loads = [n for n in ended.last.nodes if n.op is Op.LOAD and n.src[0].arg.slot == ended.slot]
    assert loads
    assert all(_is_inside(load, ended.last.order[0], 32) for load in loads)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("rows", "columns", "size"), [(3200, 64, 32), (1600, 64, 16)])
def test_a_gpu_makes_the_same_of_a_group(rows: int, columns: int, size: int) -> None:
    made = []
    for device in ("cpu", "cuda"):
        with emulated_gpu():
            matrix, x = Tensor(codes(rows, columns), device=device), Tensor(numbers(columns), device=device)
            sums = product(matrix, x)
            of_groups = shares(sums, size)
            Tensor.realize(sums, of_groups)
            made.append((sums.numpy(), of_groups.numpy()))
    for ours, other in zip(*made, strict=True):
        np.testing.assert_allclose(ours, other, rtol=2e-5, atol=2e-4)
