"""Values side by side that are stored: on a CPU each large part is written to its place by itself."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
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
        (3, CPU, True, 2),  # a launch costs more than to choose
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
