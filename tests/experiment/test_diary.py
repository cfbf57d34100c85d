"""What was felt, step by step; what is on a device is read when somebody asks for it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from saccade.cortex import ops
from saccade.cortex.sense import Sensation
from saccade.cortex.sense.sense_program import COLUMNS, unpacked
from saccade.experiment.recognise.trace import ROOM, Diary
from saccade.tensor import Tensor
from saccade.world.arriving import Arriving

TANGENT, REACH = np.array([0.1, 0.2]), 0.01


def test_sights_on_a_device_are_read_once_when_asked_for() -> None:
    """Through growth, rows that leave and steps that are forgotten, they are those of the host."""
    rng = np.random.default_rng(0)
    rows, host, there = 6, Diary(), Diary()

    def step(diary: Diary, felt: Sensation, values: npt.NDArray[np.float64]) -> None:
        sights = values[:rows] if diary is host else Arriving(Tensor(values), rows)
        diary.add(felt, sights, TANGENT, REACH)

    for number in range(ROOM + 40):
        felt = unpacked(rng.random((rows, 2, COLUMNS)))
        values = rng.random((6, 2, 7))  # in as much room as before, when rows have left
        for diary in (host, there):
            step(diary, felt, values)
        if number % 30 == 20:
            kept = rng.permutation(rows)[: rows - 1]
            rows -= 1
            for diary in (host, there):
                diary.keep(kept)
                diary.forget(diary.now - 12)
        if number % 25 == 24:
            waits = ops.waits
            for row in range(rows):
                asked = row, there.now - 12, 2
                np.testing.assert_array_equal(host.free(*asked), there.free(*asked))
                np.testing.assert_array_equal(host.of(*asked), there.of(*asked))
            assert len(host.free(0, there.now - 12, 2)) > 0
            assert ops.waits == waits + 1
