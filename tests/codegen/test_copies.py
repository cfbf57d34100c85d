"""Rows that are copied as they lie are copied by the machine's own memcpy, and arrive."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import shaped, source_for
from saccade.codegen.cpu.copies import LEAST_BYTES, copied_rows
from tests.codegen.kernels import kernels_of


def is_copied(result: Tensor) -> bool:
    (kernel,) = kernels_of(result)
    copied = copied_rows(shaped(kernel)) is not None
    assert copied == ("llvm.memcpy" in source_for(kernel, "cpu").text)
    return copied


def ones(*shape: int, dtype: str = "float32") -> Tensor:
    return Tensor(np.ones(shape, dtype))


def test_rows_of_a_matrix() -> None:
    wide = LEAST_BYTES // 4
    x = ones(100, 4 * wide)
    assert is_copied(x[:, :wide].contiguous())
    assert is_copied(ones(8, 30, 2, wide).permute(1, 0, 2, 3).contiguous())
    assert not is_copied(x[:, : wide - 1].contiguous()), "too short"
    assert not is_copied(x[:10, :wide].contiguous()), "too few"
    assert not is_copied(x[:, ::2].contiguous()), "apart"
    assert not is_copied(x[:, :wide].flip(1).contiguous()), "backwards"
    assert not is_copied(x[:, :wide] + 1), "computed"
    assert not is_copied(x[:, :wide].cast("float64")), "in another type"


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool", "float16"])
def test_rows_arrive(dtype: str, rng: np.random.Generator) -> None:
    a = rng.integers(0, 2, (130, 3, 1031)).astype(dtype)
    np.testing.assert_array_equal(Tensor(a)[:, 1:, 5:1030].contiguous().numpy(), a[:, 1:, 5:1030])
    np.testing.assert_array_equal(Tensor(a).permute(1, 0, 2).contiguous().numpy(), a.transpose(1, 0, 2))
    beside = Tensor.cat([Tensor(a), Tensor(a[:, :, :600])], 2).numpy()
    np.testing.assert_array_equal(beside, np.concatenate([a, a[:, :, :600]], 2))
