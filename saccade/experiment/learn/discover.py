"""Learning without names: meet an object, recognise it or learn it as new, and in either case look at more of
it.

In: a wave of episodes and what is known so far. Out: outcomes, and what is known after each.

    for outcome, memory in Discoverer(config, objects, channels, symmetries, rows).meet(wave, memory): ...

The cortex is never told which object it sees. It tries to recognise it; then the agent explores on, going
around the object and remembering where it was. All that was felt is then laid on the model that was
recognised: if most of either lies on the other, and their surfaces are no farther apart than noise explains
(`train.overlap`, `train.misfit`), that is what it is. If not, or if nothing was recognised, the whole is
compared with every model. What was felt is added to the model it is of, where it lies; if there is none, it
becomes a new model in the frame of the world as it stands.

A meeting changes what is known, and so the next one; but a decision rests on the whole, and recognising only
says where to begin. So the meetings of a wave recognise and explore side by side, with what was known before
the wave, and are decided one after the other (`train.together`; 1: each knows all before it).

Only the judgement afterwards knows the truth: it remembers which object each model was first made from. Right
is to take a meeting for one with a model made from the same object, or to make a new one when there is none.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.comparing.misfit import fitted
from saccade.cortex.comparing.overlap import Overlap, compared, overlap
from saccade.cortex.models.model import NodeSet, ObjectModel, Observations, build_nodes
from saccade.cortex.sense import Sensation
from saccade.experiment.config.settings import ExperimentConfig
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
from saccade.experiment.recognise.slot import Ended
from saccade.experiment.recognise.thought import Thought
from saccade.reproducible import apply, degrees, matmul
from saccade.world.protocol import Observation, World
from saccade.world.protocol import Pose as Standing
from saccade.world.scene_rows import NOWHERE
from saccade.world.symmetry.symmetry import Symmetry, rotation_error

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


@dataclasses.dataclass(frozen=True)
class Encounter:
    """What a meeting brought before anything was learned from it: how recognising ended, with the pose that
    was believed, all that was felt in a row of the world, and the seconds it took, in all and in the world.
    """

    episode: Episode
    recognised: Outcome | None
    verdict: Verdict
    pose: Pose
    felt: Sequence[Sensation]
    row: int
    seconds: float
    seconds_world: float


class Discoverer:
    """Meets objects in a world of some rows."""

    def __init__(
        self,
        config: ExperimentConfig,
        objects: Sequence[Thing],
        channels: Sequence[str],
        symmetries: Mapping[str, Symmetry],
        rows: int = 1,
    ) -> None:
        self.config, self.channels, self.symmetries = config, tuple(channels), symmetries
        self.world: World = build.make_world(config, objects, rows, noisy=True)
        self.distance = build.viewing_distance(config)

    def meet(self, wave: Sequence[Episode], memory: Memory) -> Iterator[tuple[Outcome, Memory]]:
        """Recognise and explore the objects of a wave side by side, all with the same memory; then say of one
        after the other what it is, and learn it, with what was learned of those before it."""
        for each in self._encounters(wave, memory):
            began = time.perf_counter()
            known = self._known(memory, each.verdict, each.pose, each.felt, each.row)
            name, pose = known or (f"object_{len(memory.modules[0])}", Pose.as_it_stands())
            before, memory = memory, self._learned(memory, name, pose, each)
            outcome = self._judged(each.episode, before, memory, each.verdict.ending, name, pose, each)
            yield _timed(outcome, each.seconds + time.perf_counter() - began, each.seconds_world), memory

    def _encounters(self, wave: Sequence[Episode], memory: Memory) -> list[Encounter]:
        began = time.perf_counter()
        rows = self.world.rows
        felt: list[Sensation] = []
        recognised: dict[str, Outcome] = {}
        ended: Mapping[str, Ended] = {}
        if memory.modules[0]:
            mind = ListeningMind(self.config, memory, self.channels, rows)
            # what was felt is learned by row, and the same rows are explored
            recogniser = Recogniser(
                self.world, mind, self.config, self.symmetries, self.distance, narrows=False
            )
            units = [Unit(each.id, each.phase, (each,)) for each in wave]
            recognised = {outcome.row.id: outcome for outcome in recogniser.run(units)}
            felt, ended = mind.felt, recogniser.ended
        self._stand(wave, ended)
        more, spent_world = self._explore(wave, [_looks(ended.get(each.id)) for each in wave])
        felt = [*felt, *more]
        seconds = (time.perf_counter() - began) / len(wave)
        found = []
        for row, each in enumerate(wave):
            verdict, pose = _believed(ended.get(each.id))
            found.append(
                Encounter(
                    each, recognised.get(each.id), verdict, pose, felt, row, seconds, spent_world / len(wave)
                )
            )
        return found

    def _known(
        self, memory: Memory, verdict: Verdict, pose: Pose, felt: Sequence[Sensation], row: int = 0
    ) -> tuple[str, Pose] | None:
        """Which model all that was felt is of, and how it lies: the one that was recognised, in that pose or
        in another that fits better; if none fits, that of the others that fits best; None if it is new.
        """
        module, reach, train = max(verdict.module, 0), self.config.module.match_distance, self.config.train
        channel = self.channels[module]
        seen = observations_of(felt, row, module, self.config.sensor.features)
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

    def _stand(self, wave: Sequence[Episode], ended: Mapping[str, Ended]) -> None:
        """Put the agents of a wave where they recognised, or where they would begin to; other rows have
        nothing."""
        rows = self.world.rows
        filled = [*wave, *[wave[-1]] * (rows - len(wave))]
        start = starting_poses(self.world, filled, self.distance).poses
        position, rotation = start.position.copy(), start.rotation.copy()
        for row, each in enumerate(wave):
            if each.id in ended:
                position[row], rotation[row] = ended[each.id].position, ended[each.id].rotation
        scenes = [*map(scene_of, wave), *[NOWHERE] * (rows - len(wave))]
        self.world.reset(np.ones(rows, bool), scenes, Standing(position, rotation))

    def _explore(self, wave: Sequence[Episode], looks: Sequence[int]) -> tuple[list[Sensation], float]:
        """Look at more of the objects from where the agents are on, up to the number of steps of all views;
        and the seconds that the world took."""
        config, idle = self.config, self.world.rows - len(wave)
        most = config.train.rotations * config.train.steps
        return look_around(
            self.world,
            build.exploring_policy(config),
            [*wave, *[wave[-1]] * idle],
            [*[range(each, most) for each in looks], *[range(0)] * idle],
            config.seed,
            build.sensor_settings(config),
            build.noise_settings(config),
            [from_euler(angles) for angles in views_of(config)],
            self.distance,
        )

    def _learned(self, memory: Memory, name: str, pose: Pose, met: Encounter) -> Memory:
        """Memory with what was felt added to the model of that name, in every module."""
        grid = build.grid_settings(self.config)
        models: list[dict[str, ObjectModel]] = []
        for sensor, (channel, known) in enumerate(zip(self.channels, memory.modules, strict=True)):
            new = observations_of(met.felt, met.row, sensor, self.config.sensor.features)
            if not len(new):
                models.append({})
                continue
            placed: Observations = new.in_object_frame(pose.rotation, pose.anchor, pose.location)
            old = known[name].channels.get(channel) if name in known else None
            models.append({name: ObjectModel(name, {channel: build_nodes(placed, grid, old)})})
        origin = memory.origins.get(name) or Origin(
            met.episode.object, tuple(map(float, met.episode.rotation.ravel()))
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
        met: Encounter,
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
        recognised = met.recognised
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
        if recognised is None:
            return Outcome(row)
        return Outcome(row, recognised.trace, recognised.failures)


def _looks(ended: Ended | None) -> int:
    return 0 if ended is None else ended.looks


def _believed(ended: Ended | None) -> tuple[Verdict, Pose]:
    """The verdict on a meeting, and how the object lies by it."""
    if ended is None:
        return Verdict("no_match", -1, None), Pose.as_it_stands()
    report = ended.verdict.report
    pose = Pose.as_it_stands() if report is None else Pose(report.rotation, ended.anchor, report.location)
    return ended.verdict, pose


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
