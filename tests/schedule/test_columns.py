"""Values of elements alone: computed again where that is cheap, kept where it is not, and never at the price
of a kernel that goes down columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from saccade import Tensor
from saccade.graph.ops import Op
from saccade.schedule.kernel_graph import KernelGraph
from tests.schedule.programs import scheduled


def tiles(made: KernelGraph) -> int:
    return sum(n.op is Op.STAGE for item in made.items for n in item.kernel.nodes)


def second_difference(x: Tensor) -> Tensor:
    return x[2:] - 2 * x[1:-1] + x[:-2]


def exp_and_difference(x: Tensor) -> Tensor:
    made = (x[1:] - x[:-1]).exp()
    return made[1:] - made[:-1]


def share(values: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    def of(x: Tensor) -> Tensor:
        made = values(x)
        return made / made.sum(1, keepdim=True)

    return of


@pytest.mark.parametrize("program", [lambda x: second_difference(second_difference(x)), exp_and_difference])
def test_differences_along_rows_are_computed_again_row_by_row(program: Callable[..., Any]) -> None:
    made = scheduled(program, (1000, 333))
    assert len(made.items) == 1
    assert tiles(made) == 0
    (item,) = made.items
    assert [r.src[0].arg for r in item.kernel.order][-1] == 333  # the loop along a row is the innermost


def test_a_row_of_functions_is_made_once_and_one_of_sums_again() -> None:
    assert tiles(scheduled(share(lambda x: x.sigmoid()), (512, 512))) == 1
    assert tiles(scheduled(share(lambda x: x * x + 1), (512, 512))) == 0


def test_a_row_that_leaves_the_first_cache_is_kept() -> None:
    assert tiles(scheduled(share(lambda x: x * x + 1), (20, 30000))) == 1
    assert tiles(scheduled(share(lambda x: x * x + 1), (4000, 20))) == 0
