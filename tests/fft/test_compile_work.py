"""Transforms are hundreds of operations: what the compiler does for each of them does not grow with all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, fft
from saccade.codegen.cpu.heuristic import merge_folds
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.ops import Op
from saccade.schedule.softmax.online import loops_of
from saccade.schedule.walk.movement import reductions_at
from tests.codegen.kernels import kernels_of


def test_reductions_below_many_operations_are_not_looked_for() -> None:
    x = Tensor(np.ones((64, 64), "float32")).sum(1)
    for _ in range(100):
        x = x.flip(0) * 2 + x
    places = loops_of(x.shape)
    ((found, _),) = reductions_at(x.node, places)
    assert found.op is Op.REDUCE
    near = [below for below, _ in reductions_at(x.node, places, 20)]
    assert found not in near  # what is left stands for it
    assert near


def test_a_number_for_a_merged_loop_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was looked for at each loop of the kernel, and for each pair of loops."""
    (kernel,) = kernels_of(fft.fft(Tensor(np.ones((64, 107), "complex64"))))
    asked: list[Any] = []
    whole = Kernel.next_axis

    def counted(self: Kernel) -> int:
        asked.append(self)
        return whole(self)

    monkeypatch.setattr(Kernel, "next_axis", counted)
    merge_folds(kernel)
    assert len(asked) <= 8 * sum(n.op is Op.STAGE for n in kernel.nodes)
