"""Percept streams for comparing decisions: recorded once from our world, so that every engine gets the same.

Objects are learned as in an experiment; then every episode shows one of them, turned at random, to a sensor
that moves over it without regard to what anybody believes. What the sensor module passes on is written down.

    in   an experiment's config (objects, agent, noise), numbers of episodes and looks
    out  Streams: models and percepts as plain arrays, which `save` and `load` keep in one file
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.messages import PerceptBatch
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.backend import SequentialBackend
from saccade.cortex.sense.percepts import put_sensations
from saccade.cortex.step import Cortex, StepSettings
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import build
from saccade.experiment.engine.engine import CortexEngine
from saccade.experiment.plan.plan import Episode, plan_eval, plan_train
from saccade.experiment.plan.scenes import episode_number, scene_of, starting_poses

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
FEATURES = ("hsv", "principal_curvatures_log")


@dataclass(frozen=True)
class Streams:
    """objects: names. models: per object arrays `positions`, `vectors`, `defined` and the features. The rest
    has axes (episodes E, looks T): where, pose, whether its directions are defined, features, whether
    anything was felt and whether it is news. target: number of the object shown; rotation (E, 3, 3): how."""

    objects: tuple[str, ...]
    models: tuple[Mapping[str, npt.NDArray[Any]], ...]
    location: Floats  # (E, T, 3)
    pose: Floats  # (E, T, 3, 3)
    defined: Bools
    hsv: Floats
    curvatures: Floats
    present: Bools
    informative: Bools
    target: npt.NDArray[np.int64]  # (E,)
    rotation: Floats  # (E, 3, 3)

    def save(self, path: str) -> None:
        plain = {name: value for name, value in self.__dict__.items() if name not in ("models", "objects")}
        parts = {f"model{o}_{k}": v for o, model in enumerate(self.models) for k, v in model.items()}
        np.savez(path, allow_pickle=False, objects=np.array(self.objects), **plain, **parts)

    @property
    def episodes(self) -> int:
        return len(self.target)

    @property
    def looks(self) -> int:
        return int(self.present.shape[1])

    def object_models(self, channel: str) -> list[ObjectModel]:
        return [
            ObjectModel(
                name,
                {
                    channel: NodeSet(
                        model["positions"],
                        model["vectors"],
                        model["defined"],
                        {k: model[k] for k in FEATURES},
                    )
                },
            )
            for name, model in zip(self.objects, self.models, strict=True)
        ]

    def batch(self, episode: int, t: int) -> PerceptBatch:
        """One look as the input of one module with one channel."""
        at = (episode, t)
        batch = PerceptBatch.empty(1, 1, 1, 5)
        batch.location[0, 0, 0], batch.pose_vectors[0, 0, 0] = self.location[at], self.pose[at]
        batch.pose_fully_defined[0, 0, 0] = self.defined[at]
        batch.features[0, 0, 0] = np.concatenate([self.hsv[at], self.curvatures[at]])
        batch.curvature[0, 0, 0] = np.abs(self.curvatures[at]).max()
        batch.present[0, 0, 0] = batch.on_object[0, 0, 0] = self.present[at]
        batch.informative[0, 0, 0] = self.informative[at]
        return batch


def record(config: ExperimentConfig, episodes: int, looks: int) -> Streams:
    """Learn the objects of `config` and watch `episodes` of them for `looks` each; goals are off, because
    they depend on beliefs."""
    config = replace(
        config,
        policy=replace(config.policy, hypothesis_testing=False),
        eval=replace(config.eval, episodes=episodes),
    )
    engine = CortexEngine(config)
    names = [each.name for each in engine.objects]
    units = plan_train(config, names)
    for _ in engine.learn(units, rows=16):
        pass
    engine.finish_learning(units)
    shown = [unit.episodes[0] for unit in plan_eval(config, names)][:episodes]
    models = list(engine.memory.modules[0].values())
    channel = engine.channels[0]
    parts = [_arrays(model.channels[channel]) for model in models]
    felt = _watch(config, engine, shown, looks)
    return Streams(
        objects=tuple(model.name for model in models),
        models=tuple(parts),
        location=felt["location"],
        pose=felt["pose_vectors"],
        defined=felt["pose_fully_defined"],
        hsv=felt["features"][..., :3],
        curvatures=felt["features"][..., 3:],
        present=felt["present"],
        informative=felt["informative"],
        target=np.array([names.index(episode.object) for episode in shown]),
        rotation=np.stack([episode.rotation for episode in shown]),
    )


def _arrays(nodes: NodeSet) -> dict[str, npt.NDArray[Any]]:
    """Rounded to single precision, which is what the reference keeps."""
    kept = {"positions": nodes.positions, "vectors": nodes.pose_vectors, **nodes.features}
    single = {name: np.asarray(value, np.float32).astype(np.float64) for name, value in kept.items()}
    return {**single, "defined": np.asarray(nodes.fully_defined, bool)}


def _watch(
    config: ExperimentConfig, engine: CortexEngine, shown: list[Episode], looks: int
) -> dict[str, npt.NDArray[Any]]:
    """What the first sensor passes on in `looks` looks of every episode, all side by side: (E, T, ...)."""
    rows = len(shown)
    world = build.make_world(config, engine.objects, rows, noisy=True)
    settings = StepSettings(
        config.seed,
        build.sensor_settings(config),
        build.change_thresholds(config),
        build.noise_settings(config),
    )
    cortex: Cortex[Any] = Cortex(
        [], engine.channels, build.recognising_policy(config), SequentialBackend(rows), settings
    )
    state = cortex.start(np.array([episode_number(episode) for episode in shown], np.int64))
    start = starting_poses(world, shown, build.viewing_distance(config)).poses
    seen = world.reset(np.ones(rows, bool), [scene_of(episode) for episode in shown], start)
    layout = build.evidence_settings(config).layout(engine.channels[0])
    batches = []
    for _ in range(looks):
        actions, state, report = cortex.step(state, seen)
        batch = PerceptBatch.empty(rows, 1, 1, layout.width)
        put_sensations(batch, report.felt, report.news, sensor=0, module=0, channel=0, layout=layout)
        batches.append(batch)
        seen = world.step(actions)
    fields = ("location", "pose_vectors", "pose_fully_defined", "features", "present", "informative")
    return {name: np.stack([getattr(b, name)[:, 0, 0] for b in batches], axis=1) for name in fields}
