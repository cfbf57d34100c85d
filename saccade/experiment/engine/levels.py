"""Levels: modules with sensors recognise parts, one above them recognises what the parts make, and so on.

In: a config with `module.levels` of 2 or more, and objects made of parts. Out: the modules above (their
channels, their settings), which of them learns an object, and what it is taught.

A module above listens to the first sensor and to every module of the level below. There, a part is recognised
and sent up as a feature of the place where it was felt: the number of the part, and how it is turned.
Learning is supervised on all levels: parts are learned first, each by itself; then a whole is explored with
its parts told apart by pixel, and the module of its level is given the part that the sensor is on as the
module below would have sent it.

    level_of("block", table), level_of("block_star", table)      # 1, 2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from saccade.cortex.bank.results import object_number
from saccade.cortex.models.model import Observations
from saccade.cortex.settings import EvidenceSettings
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.learn.explore import Exploration
from saccade.experiment.plan.plan import Episode
from saccade.experiment.plan.scenes import scene_of
from saccade.reproducible import matmul
from saccade.world.meshes.mesh import WorldObject
from saccade.world.objects.compositional import as_parts
from saccade.world.protocol import Placement, Scene

Table = Mapping[str, WorldObject]


def lower_names(config: ExperimentConfig) -> list[str]:
    """The modules that have sensors."""
    return [f"module_{number}" for number in range(config.module.count)]


def module_count(config: ExperimentConfig) -> int:
    """All modules: one per sensor, and one on each level above them."""
    return config.module.count + config.module.levels - 1


def below(config: ExperimentConfig) -> int:
    """Modules that speak of parts: where there are several levels, the one on top is judged."""
    return module_count(config) - 1 if config.module.levels > 1 else 0


def upper_number(config: ExperimentConfig, level: int) -> int:
    """The number of the module of a level above the first."""
    return config.module.count + level - 2


def heard_by(config: ExperimentConfig, level: int) -> list[str]:
    """The modules that the one of a level listens to: all of the level below."""
    return lower_names(config) if level == 2 else [f"module_{upper_number(config, level - 1)}"]


def upper_settings(heard: Sequence[str], settings: EvidenceSettings) -> EvidenceSettings:
    """Those of the modules with sensors, with names of parts as the features that come from the modules
    heard."""
    named = (("object_id", (1.0,)),)
    return replace(settings, channel_tolerances=tuple((name, named) for name in heard))


def level_of(name: str, objects: Table) -> int:
    """1 for an object that is made of no others, and one more than that of its parts."""
    return 1 + max((level_of(part.name, objects) for part in objects[name].parts), default=0)


def is_whole(name: str, config: ExperimentConfig, objects: Table) -> bool:
    """Whether a module above the first level learns it."""
    return config.module.levels > 1 and bool(objects[name].parts)


def scene_with_parts(episode: Episode, objects: Table) -> Scene:
    """The scene of an episode with its whole shown as parts, the body first."""
    scene = scene_of(episode)
    whole, *others = scene.objects
    return Scene((*as_parts(whole, objects[whole.name]), *others), scene.seed)


def taught(explored: Exploration, objects: Table) -> Observations:
    """What a module below would have sent up on each step of an exploration, in the frame of the whole."""
    episode, whole = explored.episode, objects[explored.episode.object]
    placed = as_parts(Placement(whole.name, rotation=episode.rotation), whole)
    on = explored.objects[0]
    # The rows of a sent pose are the axes of the part in the frame of the body, which here is the world.
    axes = np.stack([np.asarray(part.rotation, np.float64).T for part in placed])
    defined = np.array([objects[part.name].symmetry.is_trivial for part in placed])
    numbers = np.array([float(object_number(part.name)) for part in placed])
    observations = Observations(
        # already in the frame of the whole, unlike the axes
        locations=explored.sensors[0].locations,
        pose_vectors=matmul(axes[on], episode.rotation),
        fully_defined=defined[on],
        features={"object_id": numbers[on][:, None]},
    )
    return observations


def parts_of(name: str, objects: Table) -> tuple[str, ...]:
    """The parts, and theirs, that modules below may rightly report while the named whole is shown; of objects
    that are learned as one thing the parts are not there."""
    own = [part.name for part in objects[name].parts] if name in objects else []
    return tuple(dict.fromkeys([*own, *(deeper for each in own for deeper in parts_of(each, objects))]))
