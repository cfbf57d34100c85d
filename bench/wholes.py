"""Whether wholes tell objects apart, without names and with noise: `python -m bench.wholes`.

    python -m bench.wholes --objects 10 --seed 5 --json

Every built-in object is felt twice, standing as chance has it, as in two first meetings of the preset
`unsupervised_noise`. Each second meeting is compared with every first (`saccade.cortex.comparing.overlap`).
`same` are the shares of objects compared with themselves, the lowest first, `other` those of objects compared
with others, the highest first: any threshold between the two tells them apart. `degrees` is how far the pose
that was found is off, up to the object's symmetry.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from saccade.cortex.comparing.overlap import compared
from saccade.cortex.models.model import NodeSet, Observations, build_nodes
from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import build
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.engine.objects import object_names
from saccade.experiment.learn.explore import look_around, observations_of
from saccade.experiment.plan.plan import Episode, plan_train, views_of
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.plan.scenes import scene_of, starting_poses
from saccade.world.symmetry.symmetry import rotation_error

SHOWN = 8


def felt_twice(config: ExperimentConfig) -> tuple[Sequence[Episode], list[NodeSet]]:
    """Two meetings with each object, side by side, and what was felt in each."""
    engine = make_engine(config)
    (unit,) = plan_train(config, object_names(config))
    episodes, rows = unit.episodes, len(unit.episodes)
    world, distance = (
        build.make_world(config, engine.objects, rows, noisy=True),
        build.viewing_distance(config),
    )
    starts = starting_poses(world, episodes, distance)
    world.reset(np.ones(rows, bool), [scene_of(episode) for episode in episodes], starts.poses)
    felt, _ = look_around(
        world,
        build.exploring_policy(config),
        episodes,
        [range(config.train.rotations * config.train.steps)] * rows,
        config.seed,
        build.sensor_settings(config),
        build.noise_settings(config),
        [from_euler(angles) for angles in views_of(config)],
        distance,
    )
    grid, features = build.grid_settings(config), config.sensor.features
    return episodes, [build_nodes(observations_of(felt, row, 0, features), grid) for row in range(rows)]


def measure(objects: int, seed: int, settings: Sequence[str] = ()) -> dict[str, Any]:
    """The shares of all pairs; `settings` change the preset."""
    own = ["objects.set=all", f"objects.limit={objects}", "train.epochs=2", f"seed={seed}"]
    config = override(preset("unsupervised_noise"), [*own, *settings])
    symmetries = make_engine(config).symmetries
    began = time.perf_counter()
    episodes, wholes = felt_twice(config)
    exploring = time.perf_counter() - began
    half = len(episodes) // 2
    same: list[tuple[float, str, float]] = []
    other: list[tuple[float, str, str]] = []
    began = time.perf_counter()
    for again, whole in zip(episodes[half:], wholes[half:]):
        for first, nodes in zip(episodes[:half], wholes[:half]):
            found = compared(Observations.of(whole), nodes, config.module.match_distance)
            if first.object != again.object:
                other.append((round(found.share, 2), again.object, first.object))
                continue
            turned = found.rotation.T @ first.rotation
            error = rotation_error(turned, again.rotation, symmetries[again.object])
            same.append((round(found.share, 2), again.object, round(float(np.degrees(error)), 1)))
    comparing = time.perf_counter() - began
    return {
        "objects": half,
        "same": sorted(same)[:SHOWN],
        "other": sorted(other, reverse=True)[:SHOWN],
        "degrees_median": float(np.median([degrees for *_, degrees in same])),
        "degrees_mean": round(float(np.mean([degrees for *_, degrees in same])), 1),
        "seconds_exploring": round(exploring, 1),
        "seconds_a_comparison": round(comparing / (len(same) + len(other)), 3),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.wholes", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--objects", type=int, default=0, help="the first so many of the built-in ones; 0: all"
    )
    parser.add_argument("--seed", type=int, default=5, help="of rotations and noise")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(arguments)
    found = measure(options.objects, options.seed)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:22} {value}")


if __name__ == "__main__":
    main()
