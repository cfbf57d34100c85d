"""Learning without names: meet an object, recognise it or learn it as new, and in either case look at more of
it.

In: an episode and what is known so far. Out: the outcome, and what is known afterwards.

    outcome, memory = Discoverer(config, objects, channels, symmetries).meet(episode, memory)

The cortex is never told which object it sees. It tries to recognise it; then the agent explores on, going
around the object and remembering where it was. All that was felt is then laid on the model that was
recognised: if most of either lies on the other, and their surfaces are no farther apart than noise explains
(`train.overlap`, `train.misfit`), that is what it is. If not, or if nothing was recognised, the whole is
compared with every model. What was felt is added to the model it is of, where it lies; if there is none, it
becomes a new model in the frame of the world as it stands.

Only the judgement afterwards knows the truth: it remembers which object each model was first made from. Right
is to take a meeting for one with a model made from the same object, or to make a new one when there is none.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.misfit import fitted
from saccade.cortex.fitting.overlap import Overlap, compared, overlap
from saccade.cortex.models.model import NodeSet, ObjectModel, Observations, build_nodes
from saccade.cortex.sense import Sensation
from saccade.experiment.config.config import ExperimentConfig
from saccade.experiment.engine import build
from saccade.experiment.engine.episode import EpisodeRow, Outcome
from saccade.experiment.engine.memory import Memory, Origin
from saccade.experiment.engine.objects import Thing
from saccade.experiment.learn.explore import look_around, observations_of
from saccade.experiment.plan.plan import Episode, Unit, views_of
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.plan.scenes import scene_of, starting_poses
from saccade.experiment.recognise.judge import Verdict, format_angles
from saccade.experiment.recognise.mind import CortexMind
from saccade.experiment.recognise.recognise import Recogniser
from saccade.experiment.recognise.thought import Thought
from saccade.reproducible import apply, degrees, matmul
from saccade.world.protocol import Observation, World
from saccade.world.symmetry import Symmetry, rotation_error

#: lays percepts on a model, from where they are or from scratch
Lays = Callable[[Observations, NodeSet, float], Overlap]


class ListeningMind(CortexMind):
    """Keeps what was felt, for learning."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.felt: list[Sensation] = []

    def think(self, seen: Observation, check: npt.NDArray[np.bool_]) -> Thought:
        thought = super().think(seen, check)
        assert self.report is not None
        self.felt.append(self.report.felt)
        return thought


@dataclasses.dataclass(frozen=True)
class Pose:
    """Where a model lies: rotation (3, 3) turns world vectors into its own; world point `anchor` is at
    `location`.
    """

    rotation: npt.NDArray[np.float64]
    anchor: npt.NDArray[np.float64]
    location: npt.NDArray[np.float64]

    @staticmethod
    def as_it_stands() -> Pose:
        return Pose(np.eye(3), np.zeros(3), np.zeros(3))

    def moved(self, by: Overlap) -> Pose:
        rotation, location = matmul(by.rotation, self.rotation), apply(by.rotation, self.location)
        return Pose(rotation, self.anchor, location + by.translation)


class Discoverer:
    """Meets one object after the other in a world of one row."""

    def __init__(
        self,
        config: ExperimentConfig,
        objects: Sequence[Thing],
        channels: Sequence[str],
        symmetries: Mapping[str, Symmetry],
    ) -> None:
        self.config, self.channels, self.symmetries = config, tuple(channels), symmetries
        self.world: World = build.make_world(config, objects, 1, noisy=True)
        self.distance = build.viewing_distance(config)

    def meet(self, episode: Episode, memory: Memory) -> tuple[Outcome, Memory]:
        began = time.perf_counter()
        felt: list[Sensation] = []
        verdict, pose, recognised = Verdict("no_match", -1, None), Pose.as_it_stands(), None
        if memory.modules[0]:
            mind = ListeningMind(self.config, memory, self.channels, 1)
            recogniser = Recogniser(self.world, mind, self.config, self.symmetries, self.distance)
            unit = Unit(episode.id, episode.phase, (episode,))
            # Only the first outcome is asked for, so the agent stays where it recognised the object.
            recognised = next(recogniser.run([unit]))
            verdict, thought = recogniser.last
            felt = mind.felt
            if verdict.report is not None:
                report = verdict.report
                pose = Pose(report.rotation, thought.sensed[0, verdict.module], report.location)
        else:
            self._look_at(episode)
        more, spent_world = self._explore(episode, len(felt))
        felt = [*felt, *more]
        known = self._known(memory, verdict, pose, felt)
        name, pose = known or (f"object_{len(memory.modules[0])}", Pose.as_it_stands())
        after = self._learned(memory, name, pose, felt, episode)
        outcome = self._judged(episode, memory, after, verdict.ending, name, pose, recognised)
        return _timed(outcome, time.perf_counter() - began, spent_world), after

    def _known(
        self, memory: Memory, verdict: Verdict, pose: Pose, felt: Sequence[Sensation]
    ) -> tuple[str, Pose] | None:
        """Which model all that was felt is of, and how it lies: the one that was recognised, in that pose or
        in another that fits better; if none fits, that of the others that fits best; None if it is new.
        """
        module, reach, train = max(verdict.module, 0), self.config.module.match_distance, self.config.train
        channel = self.channels[module]
        seen = observations_of(felt, 0, module, self.config.sensor.features)
        if not len(seen):
            return None
        whole = Observations.of(build_nodes(seen, build.grid_settings(self.config)))
        models = {name: model.channels[channel] for name, model in memory.modules[module].items()}
        fits: list[tuple[float, str, Pose]] = []

        def fit(name: str, placed: Observations, laid: Lays, stands: Pose) -> None:
            found = fitted(placed, models[name], laid(placed, models[name], reach), reach)
            if found.lies.share >= train.overlap and found.misfit <= train.misfit:
                fits.append((found.unexplained, name, stands.moved(found.lies)))

        likely: list[str] = []
        if verdict.report is not None:
            likely = [verdict.report.object]
            fit(
                likely[0],
                whole.in_object_frame(pose.rotation, pose.anchor, pose.location),
                overlap,
                pose,
            )
        for names in (likely, [name for name in models if name not in likely]):
            for name in names:
                fit(name, whole, compared, Pose.as_it_stands())
            if fits:
                _, name, lies = min(fits, key=lambda each: each[0])
                return name, lies
        return None

    def _look_at(self, episode: Episode) -> None:
        start = starting_poses(self.world, [episode], self.distance).poses
        self.world.reset(np.ones(1, bool), [scene_of(episode)], start)

    def _explore(self, episode: Episode, looks: int) -> tuple[list[Sensation], float]:
        """Look at more of the object from where the agent is on, up to the number of steps of all views; and
        the seconds that the world took."""
        config = self.config
        return look_around(
            self.world,
            build.exploring_policy(config),
            [episode],
            range(looks, config.train.rotations * config.train.steps),
            config.seed,
            build.sensor_settings(config),
            build.noise_settings(config),
            [from_euler(angles) for angles in views_of(config)],
            self.distance,
        )

    def _learned(
        self, memory: Memory, name: str, pose: Pose, felt: Sequence[Sensation], episode: Episode
    ) -> Memory:
        """Memory with what was felt added to the model of that name, in every module."""
        grid = build.grid_settings(self.config)
        models: list[dict[str, ObjectModel]] = []
        for sensor, (channel, known) in enumerate(zip(self.channels, memory.modules, strict=True)):
            new = observations_of(felt, 0, sensor, self.config.sensor.features)
            if not len(new):
                models.append({})
                continue
            placed: Observations = new.in_object_frame(pose.rotation, pose.anchor, pose.location)
            old = known[name].channels.get(channel) if name in known else None
            models.append({name: ObjectModel(name, {channel: build_nodes(placed, grid, old)})})
        origin = memory.origins.get(name) or Origin(
            episode.object, tuple(map(float, episode.rotation.ravel()))
        )
        return memory.extended(Memory(tuple(models), {name: origin}))

    def _judged(
        self,
        episode: Episode,
        before: Memory,
        after: Memory,
        ending: str,
        name: str,
        pose: Pose,
        recognised: Outcome | None,
    ) -> Outcome:
        known = any(origin.object == episode.object for origin in before.origins.values())
        fresh = name not in before.modules[0]
        origin = before.origins.get(name)
        correct = not known if fresh else origin is not None and origin.object == episode.object
        error = math.nan
        if origin is not None and correct:
            # The model lies as its object did when it was first met.
            turned = matmul(pose.rotation.T, np.array(origin.rotation).reshape(3, 3))
            symmetry = self.symmetries.get(episode.object, Symmetry())
            error = round(float(degrees(rotation_error(turned, episode.rotation, symmetry))), 2)
        base = recognised.row if recognised is not None else _first_row(episode, len(before.modules))
        row = dataclasses.replace(
            base,
            detected=name,
            ending=ending,
            correct=correct,
            rotation_error=error,
            rotation_error_shape=math.nan,
            rotation_error_reference=math.nan,
            location_error=math.nan,
            new_object=fresh,
            modules_correct=len(before.modules) if correct else 0,
            nodes=sum(model.node_count for model in after.modules[0].values() if model.name == name),
        )
        return Outcome(row, recognised.trace if recognised is not None else {})


def _timed(outcome: Outcome, seconds: float, exploring: float) -> Outcome:
    """The outcome of a meeting that took so long in all, some of it the world while it was explored."""
    world = outcome.row.seconds_world + exploring
    row = dataclasses.replace(
        outcome.row, seconds=seconds, seconds_world=world, seconds_modules=max(seconds - world, 0.0)
    )
    return dataclasses.replace(outcome, row=row)


def _first_row(episode: Episode, modules: int) -> EpisodeRow:
    """The row of an episode that met an empty memory."""
    return EpisodeRow(
        id=episode.id,
        phase=episode.phase,
        index=episode.index,
        epoch=episode.epoch,
        object=episode.object,
        target_rotation=format_angles(episode.rotation),
        modules=modules,
        seed=episode.seed,
    )
