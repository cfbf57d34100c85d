"""Tensors filled with random numbers in place: their distributions, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor

COUNT = 40_000


def normal_share(x: Any) -> Any:
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


@pytest.mark.parametrize(
    ("fill", "share"),
    [
        (lambda x: x.exponential_(0.5), lambda x: 1 - np.exp(-0.5 * x)),
        (lambda x: x.cauchy_(1.0, 3.0), lambda x: 0.5 + np.arctan((x - 1) / 3) / np.pi),
        (lambda x: x.log_normal_(0.5, 1.5), lambda x: normal_share((np.log(x) - 0.5) / 1.5)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_shares_below(fill: Callable[[Tensor], Tensor], share: Callable[[Any], Any], dtype: str) -> None:
    """The share of numbers below x is that of the distribution, to 1 %."""
    Tensor.manual_seed(5)
    x = Tensor.zeros(COUNT, dtype=dtype)
    assert fill(x) is x
    drawn = np.sort(x.numpy().astype(np.float64))
    assert x.dtype.name == dtype
    assert np.abs(share(drawn) - np.arange(COUNT) / COUNT).max() < 0.01


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_trials_up_to_a_success(dtype: str) -> None:
    Tensor.manual_seed(6)
    drawn = Tensor.zeros(COUNT, dtype=dtype).geometric_(0.3).numpy()
    for trials in range(1, 8):
        assert abs((drawn == trials).mean() - 0.3 * 0.7 ** (trials - 1)) < 0.01
    assert drawn.min() == 1


def test_a_view_is_filled_in_its_base() -> None:
    base = Tensor.zeros(4, 3)
    base[1].exponential_()
    assert (base.numpy() > 0).any(1).tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda x: x.exponential_(0.0), ValueError, "rate above 0"),
        (lambda x: x.geometric_(1.0), ValueError, "between 0 and 1"),
        (lambda x: x.cauchy_(sigma=-1.0), ValueError, "sigma above 0"),
        (lambda x: x.long().exponential_(), TypeError, "exponential_"),
        (lambda x: x.bool().geometric_(0.5), TypeError, "bool"),
    ],
)
def test_what_is_refused(call: Callable[[Tensor], Tensor], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        call(Tensor.zeros(3))
