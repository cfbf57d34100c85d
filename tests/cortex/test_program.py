"""Structures of tensors through compiled functions, and many small results as one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from saccade.cortex.ops import read
from saccade.cortex.program import Program, Report
from saccade.tensor import Tensor


class Found(NamedTuple):
    evidence: Tensor  # (R, M, O)
    best: tuple[Tensor, Tensor]  # (R, M) each
    flag: Tensor  # (R, M, O)


def test_a_report_brings_back_every_value_with_its_dtype() -> None:
    def look(evidence: Tensor) -> tuple[Tensor, Report]:
        place = evidence.argmax(-1).cast("int32")
        found = Found(evidence, (place, evidence.amax(-1).cast("float64") / 3), evidence > 0)
        return evidence * 2, Report.of((found, ()))

    program = Program(look)
    rng = np.random.default_rng(0)
    for _ in range(2):
        given = rng.normal(size=(2, 3, 5)).astype(np.float32)
        given[0, 0, 0] = -np.inf
        doubled, report = program(Tensor(given))
        values = read([doubled, report.values])
        found, nothing = report.unpack(values[1])
        assert isinstance(found, Found)
        assert nothing == ()
        np.testing.assert_array_equal(values[0], given * 2)
        np.testing.assert_array_equal(found.evidence, given)
        np.testing.assert_array_equal(found.best[0], given.argmax(-1))
        np.testing.assert_array_equal(found.best[1], given.max(-1).astype(np.float64) / 3)
        np.testing.assert_array_equal(found.flag, given > 0)
        kinds = [found.evidence.dtype, found.best[0].dtype, found.best[1].dtype, found.flag.dtype]
        assert kinds == [np.float32, np.int32, np.float64, np.bool_]
    assert program.compilations == 1
