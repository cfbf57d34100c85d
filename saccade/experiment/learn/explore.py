"""Exploration: move over objects that stand at known rotations and keep every percept, in the object's own
frame.

In: a world, a policy, and episodes. Out: per episode and sensor, the `Observations` a model is built from.
Episodes of equal length run side by side, as many as the world has rows; what one finds does not depend on
the others.

    found = explore(world, policy, episodes, steps=400, settings=...)
    found["train-000000"].sensors[0].locations       # (n, 3) object frame

Where nobody says how an object stands, `look_around` keeps what was felt as it was felt, and the agent goes
around the object instead of being shown its sides.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from saccade.cortex.models.model import Observations
from saccade.cortex.motor import MotorInput, Policy
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense import NoiseSettings, Sensation, SensorSettings, add_noise, sense
from saccade.cortex.sense.percepts import features_of
from saccade.experiment.plan.plan import Episode
from saccade.experiment.plan.rotations import Matrix
from saccade.experiment.plan.scenes import (
    Scenery,
    Starts,
    episode_number,
    scene_of,
    starting_poses,
    starting_poses_from,
)
from saccade.world.protocol import Actions, Observation, World

View = TypeVar("View")


@dataclass(frozen=True)
class Exploration:
    """What one episode found: observations per sensor, and for each of them which object of the scene it was
    of; steps on the object, and its share of the time."""

    episode: Episode
    sensors: tuple[Observations, ...]
    objects: tuple[npt.NDArray[np.int64], ...]
    steps: int
    seconds_world: float
    seconds_modules: float


def feel(seen: Observation, settings: SensorSettings) -> Sensation:
    """What the sensor modules make of a look."""
    return sense(seen.points, seen.rgb, seen.on_object, seen.sensor.position, seen.sensor.rotation, settings)


def explore(
    world: World,
    policy: Policy[object],
    episodes: Sequence[Episode],
    steps: int,
    run_seed: int,
    features: Sequence[str],
    settings: SensorSettings,
    distance: float,
    scene: Scenery = scene_of,
) -> Iterator[Exploration]:
    """Explore `episodes`, a world full at a time, and yield each in order; `scene` says what they show."""
    for start in range(0, len(episodes), world.rows):
        wave = episodes[start : start + world.rows]
        yield from _explore_wave(world, policy, wave, steps, run_seed, features, settings, distance, scene)


def look_around(
    world: World,
    policy: Policy[object],
    episodes: Sequence[Episode],
    steps: Sequence[range],
    run_seed: int,
    settings: SensorSettings,
    noise: NoiseSettings | None,
    views: Sequence[Matrix],
    distance: float,
) -> tuple[list[Sensation], float]:
    """Look at what stands in the world, beginning where the agents are, then from the sides that the other
    `views` would show, each for an equal share of a row's `steps`. One episode a row; what was felt, in
    order, nothing in rows whose steps are over, and the seconds that the world took.
    """
    numbers = np.array([episode_number(episode) for episode in episodes])
    state = policy.start(world.rows)
    began = time.perf_counter()
    seen = world.step(Actions.stay(world.rows))
    spent = time.perf_counter() - began
    sides = [sides_in_turn(each, range(len(views))) for each in steps]
    begun, counts = np.array([each.start for each in steps]), np.array([len(each) for each in steps])
    found = []
    for turn in range(int(counts.max())):
        now = begun + turn
        going = [each.get(int(step), 0) for each, step in zip(sides, now)]
        for view in sorted({*going} - {0}):
            began = time.perf_counter()
            side = starting_poses_from(world, views[view], distance)
            goes = side.found & (np.array(going) == view)
            state = policy.interrupt(state, goes)
            seen = world.step(Actions.jump(side.poses).where(goes, Actions.stay(world.rows)))
            spent += time.perf_counter() - began
        key = RowKey(run_seed, numbers, now)
        felt = feel(seen, settings)
        if noise is not None:
            felt = add_noise(felt, noise, key)
        found.append(replace(felt, usable=felt.usable & (turn < counts)[:, None]))
        actions, state = policy.act(state, MotorInput(felt, seen.agent, seen.sensor), key)
        began = time.perf_counter()
        seen = world.step(actions)
        spent += time.perf_counter() - began
    return found, spent


def sides_in_turn(steps: range, views: Sequence[View]) -> dict[int, View]:
    """The steps at which to go on from another side, and which; the first of the `views` is where one is.

    >>> sides_in_turn(range(20, 100), ["front", "left", "back", "right"])
    {40: 'left', 60: 'back', 80: 'right'}
    """
    share = len(steps) / len(views)
    return {steps.start + round(share * turn): view for turn, view in enumerate(views) if turn}


def _explore_wave(
    world: World,
    policy: Policy[object],
    wave: Sequence[Episode],
    steps: int,
    run_seed: int,
    features: Sequence[str],
    settings: SensorSettings,
    distance: float,
    scene: Scenery,
) -> list[Exploration]:
    rows = world.rows
    # A wave that does not fill the world repeats its last episode in the rows left over; they are not read.
    filled = [*wave, *[wave[-1]] * (rows - len(wave))]
    numbers = np.array([episode_number(episode) for episode in filled])
    began = time.perf_counter()
    starts: Starts = starting_poses(world, filled, distance, scene)
    seen = world.reset(np.ones(rows, bool), [scene(episode) for episode in filled], starts.poses)
    spent_world, spent_modules = time.perf_counter() - began, 0.0
    state = policy.start(rows)
    felt_steps: list[Sensation] = []
    objects: list[npt.NDArray[np.integer]] = []
    middle = world.rig.resolution // 2
    for step in range(steps):
        began = time.perf_counter()
        felt = feel(seen, settings)
        felt_steps.append(felt)
        objects.append(seen.object[:, :, middle, middle])
        key = RowKey(run_seed, numbers, np.full(rows, step))
        actions, state = policy.act(state, MotorInput(felt, seen.agent, seen.sensor), key)
        spent_modules += time.perf_counter() - began
        began = time.perf_counter()
        seen = world.step(actions)
        spent_world += time.perf_counter() - began
    usable = np.stack([felt.usable for felt in felt_steps], axis=-1)  # (R, S, steps)
    which = np.stack(objects, axis=-1).astype(np.int64)
    return [
        Exploration(
            episode,
            _in_object_frame(felt_steps, row, episode, features),
            tuple(which[row, sensor][usable[row, sensor]] for sensor in range(usable.shape[1])),
            int(sum(felt.usable[row].any() for felt in felt_steps)),
            spent_world / len(wave),
            spent_modules / len(wave),
        )
        for row, episode in enumerate(wave)
    ]


def _in_object_frame(
    felt_steps: Sequence[Sensation], row: int, episode: Episode, features: Sequence[str]
) -> tuple[Observations, ...]:
    """The usable percepts of one row, per sensor, turned back by the object's known rotation."""
    origin = np.zeros(3)
    sensors = felt_steps[0].usable.shape[1]
    # World vectors into object vectors: the inverse of the rotation the object stands at.
    return tuple(
        observations_of(felt_steps, row, sensor, features).in_object_frame(episode.rotation.T, origin, origin)
        for sensor in range(sensors)
    )


def observations_of(
    felt_steps: Sequence[Sensation], row: int, sensor: int, features: Sequence[str]
) -> Observations:
    """What one sensor of one row felt over some steps, where it could be used; world frame."""
    kept = [felt for felt in felt_steps if felt.usable[row, sensor]]
    named = [features_of(felt, sensor) for felt in kept]
    return Observations(
        locations=np.array([felt.location[row, sensor] for felt in kept], np.float64).reshape(-1, 3),
        pose_vectors=np.array([felt.pose_vectors[row, sensor] for felt in kept], np.float64).reshape(
            -1, 3, 3
        ),
        fully_defined=np.array([felt.pose_fully_defined[row, sensor] for felt in kept], bool),
        features={
            name: np.array([values[name][row] for values in named], np.float64).reshape(len(kept), -1)
            if kept
            else np.zeros((0, len(features_of(felt_steps[0], sensor)[name][row])))
            for name in features
        },
    )
