"""The whole step on a device: rays, sensing, modules, goals and policy; what the host waits for and reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade.cortex.goals.goals import GoalSettings
from saccade.cortex.modules import row_blocks
from saccade.cortex.motor import GoalDriven, RandomWalk
from saccade.cortex.motor_programs.policy import DevicePolicy
from saccade.cortex.step import Cortex, StepReport
from saccade.world.arriving import Arriving
from saccade.world.meshes.resident_poses import ArrivingPose

from .test_resident_step import Run, assert_alike

POLICY: GoalDriven[Any] = GoalDriven(RandomWalk(amount=0.03), distance=0.3)
NOBODY_READS = property(lambda self: pytest.fail("poses or depths were read"))
GOALS = GoalSettings(min_steps=1, elapsed_steps=2, wait_growth=1, min_gap=0.001)


def looking_around(resident: bool, **how: Any) -> Run:
    """Rows that jump to where their hypotheses differ."""
    run = Run(resident, **how)
    old = run.cortex
    settings = replace(old.settings, goals=GOALS, resident_goals=resident)
    policy: Any = DevicePolicy(POLICY, "cpu") if resident else POLICY
    run.cortex = Cortex(old.modules, old.sensors, policy, old.backend, settings)
    run.state = run.cortex.start(np.arange(run.world.rows))
    return run


def assert_goals(one: StepReport, other: StepReport) -> None:
    assert_alike(one, other)
    np.testing.assert_array_equal(one.goal.active, other.goal.active)
    np.testing.assert_array_equal(one.goal.sender, other.goal.sender)
    np.testing.assert_allclose(one.goal.confidence, other.goal.confidence, atol=1e-6)
    np.testing.assert_allclose(one.goal.location, other.goal.location, atol=1e-6)
    np.testing.assert_allclose(one.goal.normal, other.goal.normal, atol=1e-6)


def test_a_step_waits_once_goals_and_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poses are read by nobody; beliefs and goals are those of the host."""
    host = looking_around(resident=False)
    wanted = [host.step(check=True, begin=[1] if number == 4 else []) for number in range(9)]
    there, found = looking_around(resident=True), list[StepReport]()
    agents = []
    with monkeypatch.context() as patched:
        patched.setattr(Arriving, "read", NOBODY_READS)
        for _ in range(4):
            found.append(there.step(check=True))
            agents.append(there.seen.agent)
    for number in range(4, 9):
        found.append(there.step(check=True, begin=[1] if number == 4 else []))
        agents.append(there.seen.agent)
    for one, other in zip(wanted, found, strict=True):
        assert_goals(one, other)
    assert sum(int(report.goal.active.sum()) for report in wanted) >= 4
    assert all(isinstance(agent, ArrivingPose) for agent in agents)
    np.testing.assert_allclose(there.seen.agent.position, host.seen.agent.position, atol=1e-6)
    assert set(there.waits) == {1}


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [{"rows": 5}, {"rows": 4, "sensors": 2, "votes": True}, {"rows": 4, "levels": True}],
    ids=["one", "votes", "levels"],
)
def test_goals_of_rows_in_blocks(how: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows begin anew, and some go on alone, in fewer blocks; the goal of either module is acted upon."""
    monkeypatch.setattr(row_blocks, "block_rows", lambda rows, places, gpu: 2)
    host, there = looking_around(resident=False, **how), looking_around(resident=True, **how)
    seat = there.cortex.backend.seats(there.cortex.groups)[0]
    senders = set[int]()
    for number in range(12):
        begin, keep = [1] if number in (4, 8) else [], [3, 0] if number == 6 else []
        one = host.step(check=True, begin=begin, keep=keep)
        with monkeypatch.context() as patched:
            if not begin:
                patched.setattr(Arriving, "read", NOBODY_READS)
            other = there.step(check=True, begin=begin, keep=keep)
        assert_goals(one, other)
        senders |= set(one.goal.sender[one.goal.active].tolist())
    assert isinstance(seat.bank, row_blocks.RowBlocks)
    assert len(seat.bank.blocks) == 1
    assert senders == set(range(len(there.cortex.modules)))
    assert set(there.waits) == {1}
