"""The fault plan of the GPU: nothing is wrong, silent, stuck or left behind. A few places of each kind, and
among the slow tests all of them (`make faults`)."""

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


def found_in(outcomes: list[Outcome]) -> list[str]:
    """What is wrong with them."""
    healthy = {outcome.program: outcome for outcome in outcomes if not outcome.fault}
    return [
        f"{outcome.program}, {outcome.fault} at {outcome.number} ({outcome.struck}): {text}"
        for outcome in outcomes
        for text in misdeeds(outcome, healthy[outcome.program])
    ]


@pytest.fixture(scope="module")
def outcomes(driver: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    return run_plan(driver, tmp_path_factory.mktemp("cache"), sample=True)


def test_programs_are_right_without_a_fault(outcomes: list[Outcome]) -> None:
    healthy = [outcome for outcome in outcomes if not outcome.fault]
    assert found_in(healthy) == []
    assert {name for outcome in healthy for name in outcome.names["memory"]} == set(NAMED)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_and_nothing_else_happens(outcomes: list[Outcome], fault: str) -> None:
    struck = [outcome for outcome in outcomes if outcome.fault == fault]
    healthy = [outcome for outcome in outcomes if not outcome.fault]
    assert found_in([*healthy, *struck]) == []
    raised = sum(bool(outcome.errors) for outcome in struck)
    assert len(struck) >= 3
    assert raised == 0 if fault == "slow kernel" else raised > len(struck) / 4


@pytest.mark.slow
def test_every_fault_at_every_place(driver: Path, tmp_path: Path) -> None:
    outcomes = run_plan(driver, tmp_path / "cache")
    assert {outcome.fault for outcome in outcomes} == {"", *FAULTS}
    assert found_in(outcomes) == []
