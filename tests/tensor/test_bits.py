"""Bits read as another dtype, against NumPy's view."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor

NAMES = ["uint8", "int16", "uint32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("device", ["cpu", "interpreter"])
def test_every_width(source: str, target: str, device: str) -> None:
    held = np.random.default_rng(5).integers(0, 256, (3, 32), dtype="uint8")
    # NaNs of a signalling kind do not survive every move of a float, and are another subject
    held[:, 1::2] &= 0x3F
    array = held.view(source)
    seen = Tensor(array, device=device).bitcast(target).numpy()
    assert seen.dtype == target
    np.testing.assert_array_equal(seen, array.view(target))


def test_empty_odd_and_scalar() -> None:
    assert Tensor(np.zeros((2, 0), "float32")).bitcast("uint8").shape == (2, 0)
    assert Tensor(np.zeros((0, 4), "uint8")).bitcast("int32").shape == (0, 1)
    with pytest.raises(ValueError, match=r"uint8 of shape \(3,\) as int32: 4 elements make one"):
        Tensor([1, 2, 3], dtype="uint8").bitcast("int32")
    with pytest.raises(ValueError, match="0-dim float32 as uint8"):
        Tensor(1.0).bitcast("uint8")
    with pytest.raises(ValueError, match="bits of a bool"):
        Tensor([True]).bitcast("uint8")


def test_a_transposed_view_is_read_in_its_own_order() -> None:
    array = np.arange(12, dtype="uint16").reshape(3, 4)
    seen = Tensor(array).T.bitcast("uint8").numpy()
    np.testing.assert_array_equal(seen, np.ascontiguousarray(array.T).view("uint8"))
