"""Which episodes a run consists of, decided before it starts.

In: a config and the names of its objects. Out: units of episodes. The episodes of a unit follow each other
and share state; units know nothing of each other, so they may run side by side, in any order, on any machine:

| phase | a unit is | what its episodes share |
|---|---|---|
| train, supervised | one object, all its views | the object's model |
| train, unsupervised | everything | all models found so far |
| eval, reset | one episode | nothing |
| eval, swap | one round through all objects | the hypotheses |
| eval, scene | the objects of one scene, one after the other | the scene |

    >>> units = plan_eval(ExperimentConfig(), ["mug", "bowl"])
    >>> len(units), units[0].episodes[0].id
    (6, 'eval-000000')

The rotation, the noise and the start of an episode come from seeds named after the run's seed, the phase and
the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.plan.places import around
from saccade.experiment.plan.rotations import CUBE_VIEWS, Euler, Matrix, from_euler, random_rotation
from saccade.experiment.plan.seeds import draws_of, seed_of
from saccade.world.objects.compositional import levels_of
from saccade.world.protocol import Placement

# Episodes of a phase: all of them are listed before the first begins.
MOST_EPISODES = 1_000_000


@dataclass(frozen=True, eq=False)
class Episode:
    """One object at one rotation, to be explored or recognised.

    id: unique in the run and sortable. epoch: how often the object was shown before in this phase.
    rotation: (3, 3), object vectors into world vectors. seed: of everything else that is random in the
    episode.
    distractors: names of other objects in the scene. beside: the others of a scene that are asked for as
    well, before or after this one, where they stand if this one is in the middle.
    """

    id: str
    phase: str
    index: int
    epoch: int
    object: str
    rotation: Matrix
    seed: int
    distractors: tuple[str, ...] = ()
    beside: tuple[Placement, ...] = ()


@dataclass(frozen=True)
class Unit:
    """Episodes that follow each other and share state."""

    id: str
    phase: str
    episodes: tuple[Episode, ...]


def check_counts(config: ExperimentConfig, names: Sequence[str]) -> None:
    """Refuse phases that could not even be listed, before anything is made or learned for them."""
    if config.train.mode == "unsupervised":
        _check_count("train.epochs", config.train.epochs, len(names))
    if config.eval.mode != "none" and config.eval.rotations == "random":
        _check_count("eval.epochs", config.eval.epochs, len(_recognised(config, names)))


def _check_count(key: str, epochs: int, objects: int) -> None:
    if epochs * objects > MOST_EPISODES:
        raise ConfigError(
            f"{key} = {epochs} with {objects} objects makes {epochs * objects:,} episodes, and a phase has "
            f"at most {MOST_EPISODES:,}: set it to {MOST_EPISODES // objects} or less"
        )


def _episode(
    config: ExperimentConfig,
    phase: str,
    index: int,
    epoch: int,
    name: str,
    rotation: Matrix,
    names: Sequence[str] = (),
) -> Episode:
    others = [other for other in names if other != name]
    chosen: tuple[str, ...] = ()
    if phase == "eval" and config.world.distractors and others and config.eval.mode != "scene":
        draws = draws_of(config.seed, phase, index, "distractors")
        picks = draws.below(len(others), config.world.distractors)
        chosen = tuple(others[pick] for pick in picks)
    seed = seed_of(config.seed, phase, index)
    return Episode(f"{phase}-{index:06d}", phase, index, epoch, name, np.array(rotation), seed, chosen)


def views_of(config: ExperimentConfig) -> tuple[Euler, ...]:
    """Degrees about x, y, z at which objects are learned: sides of a cube, or turns of a picture."""
    count = config.train.rotations
    if config.world.kind == "image":
        return tuple((0.0, 0.0, 360.0 * view / count) for view in range(count))
    return CUBE_VIEWS[:count]


def _random_rotation(config: ExperimentConfig, phase: str, index: int) -> Matrix:
    """The rotation of an episode; a picture stays in its plane."""
    draws = draws_of(config.seed, phase, index, "rotation")
    if config.world.kind == "image":
        return from_euler((0.0, 0.0, 360.0 * float(draws.uniform())))
    return random_rotation(draws)


def waves(unit: Unit, together: int) -> list[tuple[Episode, ...]]:
    """The episodes of a unit in order, at most so many of one epoch at a time."""
    found: list[list[Episode]] = []
    for episode in unit.episodes:
        if not found or len(found[-1]) == together or found[-1][-1].epoch != episode.epoch:
            found.append([])
        found[-1].append(episode)
    return [tuple(wave) for wave in found]


def plan_train(config: ExperimentConfig, names: Sequence[str]) -> list[Unit]:
    """The units of the learning phase."""
    if config.train.mode == "none":
        return []
    if config.train.mode == "unsupervised":
        return [_plan_unsupervised(config, names)]
    views = [from_euler(angles) for angles in views_of(config)]
    units = []
    for position, name in enumerate(names):
        episodes = tuple(
            _episode(config, "train", position * len(views) + view, view, name, rotation)
            for view, rotation in enumerate(views)
        )
        units.append(Unit(f"train-{position:04d}", "train", episodes))
    return units


def _plan_unsupervised(config: ExperimentConfig, names: Sequence[str]) -> Unit:
    """Every object once per epoch, each time at another random rotation; the objects are not named to the
    cortex.
    """
    _check_count("train.epochs", config.train.epochs, len(names))
    episodes: list[Episode] = []
    for epoch in range(config.train.epochs):
        for name in names:
            index = len(episodes)
            rotation = _random_rotation(config, "train", index)
            episodes.append(_episode(config, "train", index, epoch, name, rotation))
    return Unit("train-0000", "train", tuple(episodes))


def _recognised(config: ExperimentConfig, names: Sequence[str]) -> Sequence[str]:
    """The objects that are shown to be recognised: of several levels those of the highest, for which the
    others are learned."""
    levels = config.module.levels
    return [name for name in names if levels_of(name) == levels] if levels > 1 else names


def plan_eval(config: ExperimentConfig, names: Sequence[str]) -> list[Unit]:
    """The units of the recognition phase."""
    if config.eval.mode == "none":
        return []
    names = _recognised(config, names)
    rounds: list[list[Episode]] = []
    for epoch, rotations in enumerate(_eval_rotations(config, len(names))):
        base = epoch * len(names)
        rounds.append(
            [
                _episode(config, "eval", base + position, epoch, name, rotations[position], names)
                for position, name in enumerate(names)
            ]
        )
    limit = config.eval.episodes or sum(map(len, rounds))
    if config.eval.mode == "swap":
        chains = [[episode for episode in members if episode.index < limit] for members in rounds]
        return [Unit(f"eval-{i:04d}", "eval", tuple(chain)) for i, chain in enumerate(chains) if chain]
    if config.eval.mode == "scene":
        size = config.world.distractors + 1
        shown = [[episode for episode in members if episode.index < limit] for members in rounds]
        scenes = [members[i : i + size] for members in shown for i in range(0, len(members), size)]
        return [_scene(config, scene) for scene in scenes]
    flat = [episode for members in rounds for episode in members][:limit]
    return [Unit(f"eval-{episode.index:06d}", "eval", (episode,)) for episode in flat]


def eval_units(config: ExperimentConfig, names: Sequence[str]) -> int:
    """How many units `plan_eval` gives, counted: what does not fit is told before 200,000 rotations are
    drawn."""
    objects = len(_recognised(config, names))
    if config.eval.mode == "none" or not objects:
        return 0
    rounds = config.eval.epochs if config.eval.rotations == "random" else len(_eval_angles(config))
    episodes = min(config.eval.episodes or rounds * objects, rounds * objects)
    together = {"swap": objects, "scene": config.world.distractors + 1}.get(config.eval.mode, 1)
    whole, rest = divmod(episodes, objects)
    return whole * -(-objects // together) + -(-rest // together)


def _scene(config: ExperimentConfig, episodes: Sequence[Episode]) -> Unit:
    """Some episodes whose objects stand in one scene, each of them asked for in turn."""
    first = episodes[0].index
    angle = 2 * np.pi * float(draws_of(config.seed, "eval", first, "scene").uniform())
    places = np.array([(0.0, 0.0, 0.0), *around(len(episodes) - 1, angle)])
    placed = []
    for number, episode in enumerate(episodes):
        beside = [
            Placement(other.object, tuple((places[k] - places[number]).tolist()), other.rotation)
            for k, other in enumerate(episodes)
            if k != number
        ]
        placed.append(replace(episode, beside=tuple(beside)))
    return Unit(f"eval-{first:06d}", "eval", tuple(placed))


def _eval_rotations(config: ExperimentConfig, count: int) -> list[list[Matrix]]:
    """Per round, one rotation for each of `count` objects."""
    if config.eval.rotations == "random":
        _check_count("eval.epochs", config.eval.epochs, count)
        return [
            [_random_rotation(config, "eval", epoch * count + position) for position in range(count)]
            for epoch in range(config.eval.epochs)
        ]
    return [[from_euler(triple)] * count for triple in _eval_angles(config)]


def _eval_angles(config: ExperimentConfig) -> tuple[Euler, ...]:
    """The rotations that all objects are shown at, where these are not random."""
    return config.eval.given if config.eval.rotations == "given" else views_of(config)


def shown_in(units: Sequence[Unit]) -> frozenset[str]:
    """The names of all objects in the scenes of some units."""
    episodes = [episode for unit in units for episode in unit.episodes]
    return frozenset(name for each in episodes for name in (each.object, *each.distractors))
