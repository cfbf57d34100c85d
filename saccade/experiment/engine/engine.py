"""The engine that really senses: worlds, sensor modules, learning modules and policies, put together from a
config.

In: units of episodes. Out: outcomes; and models, in memory and on disk.

    engine = make_engine(config)
    for unit, outcomes in engine.learn(plan_train(config, names), rows=32): ...
    engine.finish_learning(units)
    for outcome in engine.recognise(plan_eval(config, names), rows=8): ...
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from saccade.cortex.fitting.surface import ModelSurface
from saccade.cortex.hypotheses.neighbours import VoxelTable
from saccade.cortex.hypotheses.tables import make_voxels
from saccade.cortex.models.model import NodeSet, ObjectModel, Observations, build_nodes
from saccade.cortex.modules.block_sizes import stepped_rows
from saccade.cortex.motor_programs.policy import DevicePolicy
from saccade.cortex.sense.sense_program import DeviceSense
from saccade.experiment.config.probe import Card, device_of
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine import beforehand, build, levels
from saccade.experiment.engine.episode import EpisodeRow, Outcome
from saccade.experiment.engine.memory import Memory, load_memory, save_memory
from saccade.experiment.engine.objects import Thing, world_objects
from saccade.experiment.learn.discover import Discoverer
from saccade.experiment.learn.explore import Exploration, explore
from saccade.experiment.plan.plan import Episode, Unit, shown_in, waves
from saccade.experiment.plan.scenes import scene_of
from saccade.experiment.recognise.judge import format_angles
from saccade.experiment.recognise.mind import CortexMind
from saccade.experiment.recognise.profile import profiler
from saccade.experiment.recognise.recognise import Recogniser
from saccade.experiment.recognise.settling import Settler, settles, surfaces_of
from saccade.extend.loggers import StepNews
from saccade.reproducible import native
from saccade.reproducible.threads import in_threads
from saccade.world.meshes.mesh import WorldObject
from saccade.world.protocol import Scene, World

#: voxel tables by module, object and channel, and surfaces by object
TablesOfModels = tuple[dict[tuple[int, str, str], dict[float, VoxelTable]], dict[str, ModelSurface]]

Part = TypeVar("Part")

#: whose compiled loops recognition runs
_LOOPS = "saccade.cortex"
# Exploring side by side costs little more than exploring alone, and changes nothing but the time.
EXPLORING_ROWS = 32


def make_engine(config: ExperimentConfig) -> CortexEngine:
    """The engine of a config."""
    return CortexEngine(config)


def rows_for(units: int, rows: int) -> int:
    """The rows that so many units are given where there may be so many, or a few more."""
    return stepped_rows(min(units, rows))


def from_another(parts: Sequence[Part], number: int, count: int) -> list[Part]:
    """All parts, from another one on for each of so many processes.

    >>> [from_another("abc", number, 2) for number in range(2)]
    [['a', 'b', 'c'], ['b', 'c', 'a']]
    """
    first = len(parts) * number // count
    return [*parts[first:], *parts[:first]]


class CortexEngine:
    """Implements `Engine`. shown: the names of the objects that are, by default those of the config."""

    def __init__(self, config: ExperimentConfig, shown: Collection[str] | None = None) -> None:
        self.config, self.objects = config, list[Thing]()
        self.show(shown)
        self.channels = build.make_rig(config).names
        self.memory = Memory.empty(levels.module_count(config))
        self._parts: dict[str, Memory] = {}
        self._ready: World | None = None
        self._surfaces: tuple[Memory, dict[str, ModelSurface]] | None = None  # and what they are made of
        self._rehearsed: tuple[Memory, CortexMind, Settler | None] | None = None
        #: who is told of every step of recognition
        self.tell: Callable[[StepNews], None] | None = None

    def show(self, names: Collection[str] | None) -> None:
        """Load these objects, None for all of the config; those that are there stay."""
        if names and {each.name for each in self.objects}.issuperset(names):
            return
        self.objects = [] if names is not None and not names else world_objects(self.config, names)
        self.table = {each.name: each for each in self.objects if isinstance(each, WorldObject)}
        self.symmetries = {each.name: each.symmetry for each in self.objects}

    # --- learning named objects

    def learn(self, units: Sequence[Unit], rows: int) -> Iterator[tuple[Unit, list[Outcome]]]:
        if not units:
            return
        config = self.config
        episodes = [episode for unit in units for episode in unit.episodes]
        world = build.make_world(
            config, self.objects, min(max(rows, EXPLORING_ROWS), len(episodes)), noisy=False
        )
        found = explore(
            world,
            build.exploring_policy(config),
            episodes,
            config.train.steps,
            config.seed,
            config.sensor.features,
            build.sensor_settings(config),
            build.viewing_distance(config),
            self._scene,
        )
        with ThreadPoolExecutor(1) as beside:
            # exploring is one thread's work; what recognises afterwards is compiled by another meanwhile
            if config.eval.mode != "none":
                beside.submit(native.make_ready, _LOOPS, alone=True)
            for unit in units:
                explored = [next(found) for _ in unit.episodes]
                began = time.perf_counter()
                models = self._models_of(unit.episodes[0].object, explored)
                seconds = (time.perf_counter() - began) / len(explored)
                self._parts[unit.id] = Memory.of(
                    [{} if model is None else {model.name: model} for model in models]
                )
                nodes = next(model.node_count for model in models if model is not None)
                learned = sum(model is not None for model in models)
                yield unit, [_explored_outcome(each, nodes, seconds, learned) for each in explored]

    def _scene(self, episode: Episode) -> Scene:
        """What is shown while learning: a whole as its parts, which the module above is told."""
        if levels.is_whole(episode.object, self.config, self.table):
            return levels.scene_with_parts(episode, self.table)
        return scene_of(episode)

    def _models_of(self, name: str, explored: Sequence[Exploration]) -> list[ObjectModel | None]:
        """What each module learns: those with sensors all that their own sensor felt in all views, if it is
        not made of parts; the one of its level, the parts and what the first sensor felt, if it is."""
        felt = [
            Observations.joined([each.sensors[s] for each in explored]) for s in range(len(self.channels))
        ]
        for channel, observations in zip(self.channels, felt):
            if not len(observations):
                raise ValueError(
                    f"no view of {name!r} shows a surface that {channel} can read; check the object's "
                    "size, sensor.patch and world.distance"
                )
        if levels.is_whole(name, self.config, self.table):
            level = levels.level_of(name, self.table)
            parts = Observations.joined([levels.taught(each, self.table) for each in explored])
            channels = {self.channels[0]: felt[0]} | dict.fromkeys(levels.heard_by(self.config, level), parts)
            learned: list[ObjectModel | None] = [None] * levels.module_count(self.config)
            learned[levels.upper_number(self.config, level)] = self._model(name, channels)
            return learned
        own = [self._model(name, {channel: seen}) for channel, seen in zip(self.channels, felt)]
        return [*own, *[None] * (self.config.module.levels - 1)]

    def _model(self, name: str, channels: Mapping[str, Observations]) -> ObjectModel:
        grid = build.grid_settings(self.config)
        return ObjectModel(name, {channel: build_nodes(seen, grid) for channel, seen in channels.items()})

    def finish_learning(self, units: Sequence[Unit]) -> None:
        self.memory = Memory.empty(levels.module_count(self.config))
        for unit in units:
            self.memory = self.memory.extended(self._parts[unit.id])

    # --- recognising

    def prepare(self) -> None:
        """Lay out the meshes that worlds share and, at the same time, surfaces of models for a GPU; and make
        loops ready: processes that are forked now have all of it, too."""
        with ThreadPoolExecutor(1) as beside:
            laid = beside.submit(self.prepare_objects)
            self.prepare_models()
            native.make_ready(_LOOPS)
            laid.result()

    def prepare_objects(self) -> None:
        """Lay out the meshes that worlds share."""
        if self.config.world.kind == "mesh":
            self._ready = build.make_world(self.config, self.objects, 1, noisy=True)

    def prepare_models(self) -> None:
        """Make the tables of models that banks and settlers of a GPU need."""
        self.take_tables([self.tables_of(0, 1)])

    def tables_of(self, number: int, count: int) -> TablesOfModels:
        """The tables of one of so many parts of the models; none where a processor needs them, if at all, for
        few models."""
        config, names = self.config, self._model_names[number::count]
        if not device_of(config).startswith("cuda") or "evidence" not in config.module.each_kind:
            return {}, {}
        known = {key: nodes for key, nodes in self._nodes.items() if key[1] in names}
        make_voxels(known.values(), build.evidence_settings(config))
        surfaces = dict[str, ModelSurface]()
        if settles(config):
            surfaces = surfaces_of(self.memory, names, config.module.match_distance)
            in_threads(lambda each: (each.fine.voxels, each.coarse.voxels), surfaces.values())
        return {key: nodes.voxels for key, nodes in known.items()}, surfaces

    def take_tables(self, parts: Sequence[TablesOfModels]) -> None:
        """Use the tables of all parts."""
        known = self._nodes
        for voxels, _ in parts:
            for key, made in voxels.items():
                known[key].voxels.update(made)
        every = {name: surface for _, surfaces in parts for name, surface in surfaces.items()}
        if every:
            self._surfaces = self.memory, {name: every[name] for name in self._model_names if name in every}

    @property
    def _model_names(self) -> list[str]:
        return list(dict.fromkeys(name for models in self.memory.modules for name in models))

    @property
    def _nodes(self) -> dict[tuple[int, str, str], NodeSet]:
        """What modules know, by number of the module, object and channel."""
        return {
            (number, name, channel): nodes
            for number, models in enumerate(self.memory.modules)
            for name, model in models.items()
            for channel, nodes in model.channels.items()
        }

    def open(self) -> Card:
        """Open the device; ValueError says what it lacks."""
        return build.opened_card(self.config)

    def check_parts(self) -> None:
        """An error if a part of one's own or a logger cannot be made."""
        beforehand.check_parts(self.config, self.objects)

    def check_rows(
        self, units: int, rows: int, free: int | None, sharers: int = 1, learned: Sequence[Unit] = ()
    ) -> None:
        """MemoryError if so many bytes cannot hold what the rows of so many units need, with the number of
        rows that fit; sharers: processes of which each has as many; learned: what is learned before, of which
        the largest models count that it may bring."""
        memory = self.memory.extended(beforehand.largest_memory(self.config, learned, self.table))
        try:
            beforehand.check_rows(self.config, memory, rows_for(units, rows), free, sharers)
        except MemoryError as error:
            if not learned:
                raise
            raise MemoryError(f"with models as large as they may be learned {error}") from None

    def rehearse(self, units: int, rows: int, number: int = 0, count: int = 1) -> None:
        """Make all that the recognition of so many units needs and that does not depend on them, programs
        among it. Of `count` processes that do so at the same time each begins with other programs: it finds
        the rest made."""
        mind, settler = self._thinking(rows_for(units, rows))
        parts = mind.rehearsals()
        sense, sensors = mind.cortex.settings.sense, len(self.channels)
        if isinstance(sense, DeviceSense) and build.stays_on_device(self.config, mind.rows):
            added, news = build.noise_settings(self.config), build.change_thresholds(self.config)
            parts.append(partial(sense.rehearse, mind.rows, sensors, self.config.sensor.pixels, added, news))
        policy = mind.cortex.policy
        if isinstance(policy, DevicePolicy):
            parts.append(partial(policy.rehearse, mind.rows, sensors))
        if settler is not None:
            parts += settler.fitter.rehearsals(mind.rows)
        parts.append(partial(native.make_ready, _LOOPS))
        for part in from_another(parts, number, count):
            part()
        self._rehearsed = self.memory, mind, settler

    def _thinking(self, rows: int) -> tuple[CortexMind, Settler | None]:
        """A mind of so many rows, and who settles its poses: those that have rehearsed, or others."""
        known, self._rehearsed = self._rehearsed, None
        if known is not None and known[0] is self.memory and known[1].rows == rows:
            return known[1], known[2]
        del known  # before there is another
        surfaces = self._surfaces[1] if self._surfaces and self._surfaces[0] is self.memory else None
        mind = CortexMind(self.config, self.memory, self.channels, rows)
        return mind, Settler.of(self.config, self.memory, surfaces)

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        if not units:
            return
        config = self.config
        self.show(shown_in(units))
        count = rows_for(len(units), rows)
        world = build.make_world(config, self.objects, count, noisy=True, resident=True)
        mind, settler = self._thinking(count)
        distance = build.viewing_distance(config)
        parts = {name: levels.parts_of(name, self.table) for name in self.table}
        memory = self.memory
        recogniser = Recogniser(
            world,
            mind,
            config,
            self.symmetries,
            distance,
            parts,
            memory.origins,
            memory.known,
            {each.name: each.shape for each in self.table.values() if each.shape is not None},
            settler,
            self.tell,
            profiler(mind),
        )
        yield from recogniser.run(units)

    # --- learning without names

    def discover(self, unit: Unit, first: int) -> Iterator[Outcome]:
        left = dataclasses.replace(unit, episodes=unit.episodes[first:])
        side_by_side = waves(left, self.config.train.together)
        rows = max(map(len, side_by_side), default=1)
        discoverer = Discoverer(self.config, self.objects, self.channels, self.symmetries, rows)
        for wave in side_by_side:
            for outcome, memory in discoverer.meet(wave, self.memory):
                self.memory = memory
                yield outcome

    # --- what is learned

    @property
    def known(self) -> frozenset[str]:
        return self.memory.known

    def save_unit(self, unit: Unit, path: Path) -> None:
        save_memory(self._parts[unit.id], path)

    def load_unit(self, unit: Unit, path: Path) -> None:
        self._parts[unit.id] = load_memory(path)

    def save_memory(self, path: Path) -> None:
        save_memory(self.memory, path)

    def load_memory(self, path: Path) -> None:
        memory = load_memory(path)
        wanted = levels.module_count(self.config)
        if len(memory.modules) != wanted:
            raise ValueError(
                f"{path} holds the models of {len(memory.modules)} modules, the config has {wanted} "
                f"(module.count = {self.config.module.count}, module.levels = {self.config.module.levels}); "
                "set them as they were or learn again"
            )
        self._check_features(memory, path)
        self.memory = memory

    def _check_features(self, memory: Memory, path: Path) -> None:
        """Models can be compared with what the sensors of this config report."""
        for model in (model for models in memory.modules for model in models.values()):
            for channel in (channel for channel in model.channels if channel in self.channels):
                stored = model.channels[channel].features
                missing = [name for name in self.config.sensor.features if name not in stored]
                if missing:
                    raise ValueError(
                        f"the model of {model.name!r} at {path} was learned without {', '.join(missing)}; "
                        f"set sensor.features={','.join(stored)}, or learn again"
                    )


def _explored_outcome(explored: Exploration, nodes: int, seconds: float, modules: int) -> Outcome:
    episode = explored.episode
    thinking = explored.seconds_modules + seconds
    row = EpisodeRow(
        id=episode.id,
        phase=episode.phase,
        index=episode.index,
        epoch=episode.epoch,
        object=episode.object,
        steps=explored.steps,
        target_rotation=format_angles(episode.rotation),
        modules=modules,
        nodes=nodes,
        seed=episode.seed,
    )
    return Outcome(
        dataclasses.replace(
            row,
            seconds=explored.seconds_world + thinking,
            seconds_world=explored.seconds_world,
            seconds_modules=thinking,
        )
    )
