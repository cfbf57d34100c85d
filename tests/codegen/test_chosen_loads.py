"""Two loads of one memory that rows choose between are one, and padding by reflection is what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, where
from saccade.codegen.moves.chosen_loads import with_chosen_loads
from saccade.codegen.moves.sections import sections_of
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.ops import Op
from saccade.nn import functional as F
from tests.codegen.kernels import kernels_of


def loads(kernel: Kernel) -> int:
    return sum(n.op is Op.LOAD for n in kernel.nodes)


def test_rows_that_come_from_three_places_are_one_load() -> None:
    x = Tensor(np.zeros((2, 3, 50, 60), "float32"))
    made = kernels_of(F.pad(x, (4, 4, 4, 4), mode="reflect"))
    kernels = [section.kernel for kernel in made for section in sections_of(kernel)]
    assert max(map(loads, kernels)) == 3
    assert [loads(with_chosen_loads(k)) for k in kernels] == [1] * len(kernels)


def test_lanes_that_choose_for_themselves_keep_their_loads() -> None:
    x, y = (Tensor(np.zeros((50, 60), "float32")) for _ in range(2))
    columns, rows = Tensor.arange(60) < 7, (Tensor.arange(50) < 7).unsqueeze(1)
    for result in (where(columns, x, x.flip(0)), where(rows, x, y), where(rows, x, x.flip(1))):
        (kernel,) = kernels_of(result)
        assert with_chosen_loads(kernel) is kernel


def test_a_choice_of_rows() -> None:
    x = np.random.default_rng(0).standard_normal((50, 61)).astype("float32")
    kept = np.arange(50) % 3 == 0
    made = where(Tensor(kept).unsqueeze(1), Tensor(x), Tensor(x).flip(0))
    np.testing.assert_array_equal(made.numpy(), np.where(kept[:, None], x, x[::-1]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize(
    ("size", "pads"), [((50, 61), (4, 3, 2, 5)), ((9, 7), (6, 6, 8, 8)), ((33, 177), (1, 0, 0, 1))]
)
def test_reflected_padding(size: tuple[int, int], pads: tuple[int, int, int, int], dtype: str) -> None:
    x = np.random.default_rng(1).integers(0, 99, (2, 3, *size)).astype(dtype)
    left, right, top, bottom = pads
    for mode, theirs in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")):
        wanted = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), mode=theirs)
        np.testing.assert_array_equal(F.pad(Tensor(x), pads, mode=mode).numpy(), wanted)
