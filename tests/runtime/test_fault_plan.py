"""The fault plan of the GPU, at one place of each kind: nothing is wrong, silent, stuck or left behind.

`make faults` is the whole plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..codegen.cuda_emulator import COMPILER as CPP_COMPILER
from .fake_gpu import NEEDS_A_DRIVER
from .fault_plan import FAULTS, NAMED, Outcome, misdeeds, run_plan

pytestmark = [
    *NEEDS_A_DRIVER,
    pytest.mark.skipif(CPP_COMPILER is None, reason="needs a C++ compiler to run kernels on the host"),
]


@pytest.fixture(scope="module")
def outcomes(driver: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    return run_plan(driver, tmp_path_factory.mktemp("cache"), sample=True)


def test_programs_are_right_without_a_fault(outcomes: list[Outcome]) -> None:
    healthy = [outcome for outcome in outcomes if not outcome.fault]
    assert [(o.program, text) for o in healthy for text in misdeeds(o, o)] == []
    assert {name for outcome in healthy for name in outcome.names["memory"]} == set(NAMED)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_and_nothing_else_happens(outcomes: list[Outcome], fault: str) -> None:
    healthy = {outcome.program: outcome for outcome in outcomes if not outcome.fault}
    struck = [outcome for outcome in outcomes if outcome.fault == fault]
    found = [
        f"{outcome.program} at {outcome.number} ({outcome.struck}): {text}"
        for outcome in struck
        for text in misdeeds(outcome, healthy[outcome.program])
    ]
    assert found == []
    raised = sum(bool(outcome.errors) for outcome in struck)
    assert len(struck) >= 10
    assert raised == 0 if fault == "slow kernel" else raised > len(struck) / 4
