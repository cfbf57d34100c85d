"""What acting costs: motor policies, and goals where hypotheses differ, by the host and by a device.

    python -m bench.acting                                       # small: the programs on the CPU
    python -m bench.acting --device cuda --rows 231 2048

Policies: one action of all rows from what one sensor of each felt of built-in objects. Goals: the place that
tells the best two objects of each row apart, in banks of super-ellipsoids with coloured nodes; half of the
rows ask about two poses of one object. Milliseconds, the fastest of several; seconds of the first call on the
device.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.evidence_data import CHANNEL, make_workload
from bench.evidence_ours import EvidenceCase, models_of, percept_of
from bench.looks import fastest
from saccade.cortex.geometry import uniform_rotations
from saccade.cortex.goals.goal_device import comparison_of
from saccade.cortex.goals.goal_source import BankSource
from saccade.cortex.goals.goals import EMPTY_PLACES, GoalBatch, GoalSettings
from saccade.cortex.goals.questions import Questions
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.motor import GoalDriven, MotorInput, Policy, RandomWalk, SpiralScan, SurfaceFollow
from saccade.cortex.motor_programs.policy import DevicePolicy
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense import sense
from saccade.tensor import Tensor
from saccade.world.agents import looking_at, surface_rig
from saccade.world.meshes.mesh_world import MeshWorld
from saccade.world.objects import DISTINCT, builtin_objects
from saccade.world.protocol import Placement, Scene

POLICIES: dict[str, Policy[Any]] = {
    "walk": RandomWalk(),
    "spiral": SpiralScan(),
    "follow": SurfaceFollow(),
    "jump and follow": GoalDriven(SurfaceFollow(), distance=0.03),
}


def looked(rows: int) -> MotorInput:
    """What rows feel that hover over objects; a third of them has a goal."""
    rng, turns, things = np.random.default_rng(rows), uniform_rotations(), builtin_objects(DISTINCT[:4])
    scenes = [
        Scene((Placement(things[row % 4].name, rotation=turns[rng.integers(len(turns))]),))
        for row in range(rows)
    ]
    away = rng.normal(size=(rows, 3))
    eyes = 0.08 * away / np.linalg.norm(away, axis=1, keepdims=True)
    world = MeshWorld(things, surface_rig(1, 8), rows=rows)
    seen = world.reset(np.ones(rows, bool), scenes, looking_at(eyes, 0.01 * rng.normal(size=(rows, 3))))
    felt = sense(seen.points, seen.rgb, seen.on_object, seen.sensor.position, seen.sensor.rotation)
    goal = GoalBatch(
        felt.location[:, 0], felt.normal[:, 0], np.ones(rows), np.arange(rows) % 3 == 0, np.zeros(rows, int)
    )
    return MotorInput(felt, seen.agent, seen.sensor, goal)


def act(policy: Policy[Any], seen: MotorInput) -> Callable[[], None]:
    """One more step of the policy, which sees the same again."""
    state: list[Any] = [policy.start(seen.rows), 0]
    rows = np.arange(seen.rows)

    def step() -> None:
        state[1] += 1
        actions, state[0] = policy.act(state[0], seen, RowKey(0, rows, np.full(seen.rows, state[1])))
        _ = actions.motion.position  # on the host

    return step


def compare(name: str, rows: int, host: Callable[[], Any], device: Callable[[], Any], times: int) -> str:
    """One line of the table."""
    began = time.perf_counter()
    device()
    first = time.perf_counter() - began
    here, there = fastest(host, times), fastest(device, times)
    return f"{name:16s} {rows:6d} {here:10.2f} {there:10.2f} {first:9.2f}"


def goals(rows: int, objects: int, device: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """One question of every row, by the host and by the device."""
    case = EvidenceCase(objects=objects, device=device)
    work = make_workload(objects, case.nodes, 4, 0)
    module = EvidenceModule("lm", (CHANNEL,), case.settings, models_of(work))
    bank: Any = EvidenceModule.bank([module], rows=rows, device=device)
    group = make_groups([module])[0]
    for t in range(3):
        percepts = [[percept_of(work, t, case)]] * rows
        bank.collect(bank.launch(group_input(group, {"lm": percepts}, rows=rows).batch))
    rng, number = np.random.default_rng(0), np.arange(rows)
    rival = np.where(number % 2 == 0, 0, 1 + number % (objects - 1))
    sensed = np.tile(work.location[2], (rows, 1))
    empty = sensed[:, None] + 0.1 * rng.normal(size=(rows, EMPTY_PLACES, 3))
    asked = Questions(number, np.zeros(rows, int), rival, sensed, empty, number % 3)
    source = BankSource(bank, 0, CHANNEL)
    host = partial(source.telling_places, asked, GoalSettings())
    comparison = comparison_of(source, GoalSettings(), device)
    shares, size = bank.shares
    numbers = np.zeros((shares * size, 6 + 3 * EMPTY_PLACES))
    numbers[:, :2] = objects  # of nobody: a model without points
    parts = asked.top, asked.rival, asked.vain, sensed, empty.reshape(rows, -1)
    numbers[:rows] = np.column_stack(parts)
    places = np.arange(shares * size)[:, None] % size * bank.known.objects
    places = places + np.minimum(numbers[:, :2], objects - 1).astype(np.int64)
    sent = Tensor(places.reshape(shares, -1), device=device), Tensor(numbers, device=device)

    def there() -> Any:
        return bank.compared(*sent, comparison).numpy()[:rows]

    wanted, got = host(), there()
    far = np.abs(wanted.location - got[:, 1:4])[wanted.found].max(initial=0.0)
    print(f"{'':16s} {rows:6d} found {int(wanted.found.sum())} and {int(got[:, 0].sum())}, {far:.1e} m apart")
    return host, there


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rows", type=int, nargs="+", default=[8])
    parser.add_argument("--objects", type=int, default=8, help="that banks know")
    parser.add_argument("--times", type=int, default=10)
    given = parser.parse_args()
    print(f"{'':16s}   rows    host ms  device ms   first s")
    for rows in given.rows:
        seen = looked(rows)
        for name, policy in POLICIES.items():
            there = DevicePolicy(policy, given.device)
            print(compare(name, rows, act(policy, seen), act(there, seen), given.times), flush=True)
        questions = goals(rows, given.objects, given.device)
        print(compare("goals", rows, *questions, given.times), flush=True)


if __name__ == "__main__":
    main()
