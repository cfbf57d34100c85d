"""Values of elements alone: computed again where that is cheap, kept where it is not, and never at the price
of a kernel that goes down columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
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


def nine_sums(q: Tensor) -> Tensor:
    parts = [q[:, i % 4] * q[:, i % 3] + q[:, 3 - i % 4] for i in range(9)]
    return Tensor.stack(parts, 1).reshape(-1, 3, 3)


def test_a_result_in_another_shape_has_the_loops_of_what_is_computed() -> None:
    (item,) = scheduled(nine_sums, (100, 4)).items
    assert [r.src[0].arg for r in item.kernel.order] == [100, 9]
    (item,) = scheduled(lambda x: (x.reshape(100, 32, 2) * 2).reshape(100, 64), (100, 64)).items
    assert item.kernel.order[-1].src[0].arg == 64  # rows do not become shorter
    q = np.random.default_rng(0).standard_normal((100, 4)).astype(np.float32)
    parts = [q[:, i % 4] * q[:, i % 3] + q[:, 3 - i % 4] for i in range(9)]
    np.testing.assert_allclose(nine_sums(Tensor(q)).numpy(), np.stack(parts, 1).reshape(-1, 3, 3), rtol=1e-6)
