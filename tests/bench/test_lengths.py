"""The benchmark of programs for every length: both programs of a pair compute the same, and are timed."""

from __future__ import annotations

import pytest

from bench.lengths import PROGRAMS, measure


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_pair_is_compared_and_timed(dtype: str) -> None:
    assert min(measure(PROGRAMS["softmax inner"], 20, 3, dtype, least=0.0)) > 0
