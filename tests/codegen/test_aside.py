"""What only one side of a choice needs is computed on a GPU where that side is chosen, if it is long."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as reference

from saccade import Tensor
from saccade.codegen.cuda.source import gpu_code
from saccade.codegen.linear.code import Block, Branch, Instruction
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import Kernel
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.kernels import kernels_of


def kernel_of(value: Tensor) -> Kernel:
    (kernel,) = kernels_of(value)
    return kernel


def x() -> Tensor:
    return Tensor(np.linspace(-9, 9, 4096, dtype="float32"))


def in_float64(block: Block) -> int:
    return sum(isinstance(i, Instruction) and i.result is not None and i.result.dtype is dtypes.float64
               for i in block.items)  # fmt: skip


def branches(block: Block) -> list[Branch]:
    return [item for item in block.items if isinstance(item, Branch)]


def test_the_left_of_the_gamma_function_is_set_aside() -> None:
    body = gpu_code(kernel_of(x().lgamma())).body
    assert in_float64(body) == 0
    assert branches(body)
    assert all(in_float64(branch.body) > 20 for branch in branches(body))


def test_short_sides_are_chosen_from() -> None:
    y = x()
    for value in ((y < 0)._choose(y.exp(), y), (y < 0)._choose(y.expm1(), y.log1p())):
        assert not branches(gpu_code(kernel_of(value)).body)


def test_what_others_need_too_stays() -> None:
    y = x()
    long = y.exp().sin().log().cos().exp()
    assert branches(gpu_code(kernel_of((y < 0)._choose(long, y))).body)
    assert not branches(gpu_code(kernel_of((y < 0)._choose(long, y) + long)).body)


@needs_compiler
@pytest.mark.parametrize("part", [slice(None), slice(2500, None), slice(0, 1500)])
def test_they_give_the_same(part: slice) -> None:
    points = np.linspace(-9, 9, 4096, dtype="float32")[part]
    with emulated_gpu():
        made = Tensor(points).lgamma().numpy()
    np.testing.assert_allclose(made, reference.gammaln(points.astype("float64")), rtol=1e-5, atol=1e-5)
