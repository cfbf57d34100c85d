"""Values side by side that are stored: on a CPU each large part is written to its place by itself."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import source_for
from saccade.codegen.moves.sections import sections_of
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from tests.schedule.programs import inputs

COUNT, WIDE = 4, 40_000


def plan(width: int, machine: Machine, *, stored: bool) -> KernelGraph:
    """Columns (8, width) side by side, which a last kernel reads the other way round."""
    columns = inputs(*[(8, width)] * COUNT)
    beside = Tensor.cat([x.unsqueeze(1) for x in columns], 1)
    read = (beside.contiguous() if stored else beside).permute(2, 0, 1).exp()
    return schedule((read.node,), COUNT, machine)


@pytest.mark.parametrize(
    ("width", "machine", "stored", "kernels"),
    [
        (WIDE, CPU, True, COUNT + 1),
        (WIDE, CPU, False, 1),  # nobody asked for memory: a part of its reader
        (3, CPU, True, 1),  # a launch costs more than to choose, and than to read the other way round
        (WIDE, GPU, True, 2),
    ],
)
def test_stored_parts_are_copied_where_that_is_cheaper(
    width: int, machine: Machine, stored: bool, kernels: int
) -> None:
    assert len(plan(width, machine, stored=stored).items) == kernels


def test_a_kernel_of_a_stored_part_reads_that_part_alone() -> None:
    *parts, _ = plan(WIDE, CPU, stored=True).items
    assert [len(part.reads) for part in parts] == [1] * COUNT


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_stored_parts_are_what_numpy_puts_side_by_side(axis: int) -> None:
    rng = np.random.default_rng(axis)
    shapes = [tuple(n + k if a == axis else n for a, n in enumerate((5, 7, 1001))) for k in range(3)]
    arrays = [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]
    beside = Tensor.cat([Tensor(array) * 2 for array in arrays], axis).contiguous()
    wanted = np.concatenate([array * 2 for array in arrays], axis)
    assert np.array_equal((beside.permute(2, 0, 1) + 1).numpy(), wanted.transpose(2, 0, 1) + 1)


@pytest.mark.parametrize(("axis", "kernels"), [(-1, 1), (0, COUNT)])
def test_parts_that_lie_close_together_are_one_kernel(axis: int, kernels: int) -> None:
    columns = inputs(*[(8, WIDE)] * COUNT)
    assert len(schedule((Tensor.stack(columns, axis).node,), COUNT, CPU).items) == kernels


@pytest.mark.parametrize(
    ("widths", "kernels"),
    [
        ((150, 50, 3), 1),
        ((3, 1), 2),  # a call for each part would take longer than the part
        ((20_000, 20_000), 2),  # gaps between long parts do not matter
        ((20,) * 10, 2),  # too many streams for one
    ],
)
def test_parts_of_rows_are_written_row_by_row(widths: tuple[int, ...], kernels: int) -> None:
    beside = Tensor.cat(inputs(*[(40_000, width) for width in widths]), 1)
    items = schedule((beside.node,), len(widths), CPU).items
    assert len(items) == kernels
    if kernels == 1:
        (kernel,) = (item.kernel for item in items)
        assert kernel.outputs == (0,)
        assert [section.kernel.order[-1].src[0].arg for section in sections_of(kernel)] == [*widths]


@pytest.mark.parametrize("dtype", ["float32", "int8", "float16"])
def test_rows_of_parts_arrive(dtype: str, rng: np.random.Generator) -> None:
    """Loops around rows, parts that are computed, and one that is too narrow for a loop of its own."""
    a, b, c = (rng.integers(0, 2, (3, 130, width)).astype(dtype) for width in (301, 70, 1))
    parts = Tensor(a), Tensor(b).flip(1), Tensor(c)
    np.testing.assert_array_equal(Tensor.cat(parts, 2).numpy(), np.concatenate([a, b[:, ::-1], c], 2))


def test_threads_share_out_rows() -> None:
    (item,) = schedule((Tensor.cat(inputs((400, 150), (400, 90)), 1).node,), 2, CPU).items
    assert source_for(item.kernel, "cpu").tasks == 400
