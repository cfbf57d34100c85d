"""Hypotheses in padded buffers: compaction keeps the marked ones, in order."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.cortex.hypotheses.hypotheses import kept_order


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_kept_entries_move_up_in_order(share: float) -> None:
    keep = np.random.default_rng(1).random((2, 3, 37)) < share
    order, number = (value.numpy() for value in kept_order(Tensor(keep)))
    for row in np.ndindex(2, 3):
        kept = np.flatnonzero(keep[row])
        assert number[row] == len(kept)
        assert order[row][: len(kept)].tolist() == kept.tolist()
        assert not order[row][len(kept) :].any()
