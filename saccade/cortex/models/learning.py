"""Learning: what a module felt in an episode becomes a model, or part of one.

A short-term memory keeps the percepts of an episode. At its end they are placed in the frame of an object:

* *supervised*: the label and the object's pose are given;
* *unsupervised*: if the module recognised an object, by the pose it found (the model is extended); if not,
the percepts
  become a new object in the frame in which they were felt.

    memory = ShortTermMemory(module)
    memory.note(percepts)                          # every step
    learn_supervised(module, memory, "mug", rotation, translation)
    learn_unsupervised(module, memory, result)     # -> name of the object that was extended or found

Models that were learned apart, or twice under two names, become one with `merged`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.results import MATCH, ModuleResult
from saccade.cortex.messages import Percept
from saccade.cortex.models.model import GridSettings, ObjectModel, Observations, build_nodes
from saccade.cortex.modules.module import EvidenceModule
from saccade.reproducible import mean

Floats = npt.NDArray[np.float64]


class ShortTermMemory:
    """The percepts of one episode, per channel, in the order they came; locations that only moved are left
    out.
    """

    def __init__(self, channels: Iterable[str]) -> None:
        self._percepts: dict[str, list[Percept]] = {channel: [] for channel in channels}
        self.last_location: Floats | None = None

    def note(self, percepts: Iterable[Percept]) -> None:
        """Keep what was felt on the object; remembers where the sensors are, as the hypotheses do."""
        present = list(percepts)
        for percept in present:
            if percept.sender not in self._percepts:
                raise ValueError(f"percept from {percept.sender!r}, the memory has {list(self._percepts)}")
            if percept.on_object and not percept.moved_only:
                self._percepts[percept.sender].append(percept)
        if present:
            self.last_location = mean([percept.location for percept in present], axis=0)

    def clear(self) -> None:
        for kept in self._percepts.values():
            kept.clear()
        self.last_location = None

    def __len__(self) -> int:
        return sum(len(kept) for kept in self._percepts.values())

    def observations(self) -> Mapping[str, Observations]:
        """Per channel that felt anything: its percepts as arrays, body frame. Features felt every time are
        kept.
        """
        return {channel: _arrays(kept) for channel, kept in self._percepts.items() if kept}


def _arrays(percepts: list[Percept]) -> Observations:
    shared = [name for name in percepts[0].features if all(name in percept.features for percept in percepts)]
    return Observations(
        locations=np.stack([percept.location for percept in percepts]),
        pose_vectors=np.stack([percept.pose_vectors for percept in percepts]),
        fully_defined=np.array([percept.pose_fully_defined for percept in percepts]),
        features={
            name: np.stack([np.asarray(percept.features[name]) for percept in percepts]) for name in shared
        },
    )


def extended(
    model: ObjectModel | None, name: str, felt: Mapping[str, Observations], grid: GridSettings
) -> ObjectModel:
    """The model with percepts of its own frame averaged in; without a model, a new one."""
    channels = {} if model is None else dict(model.channels)
    for channel, observations in felt.items():
        channels[channel] = build_nodes(observations, grid, channels.get(channel))
    return ObjectModel(name, channels)


def merged(
    model: ObjectModel,
    other: ObjectModel,
    grid: GridSettings,
    rotation: npt.ArrayLike = ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    location: npt.ArrayLike = (0, 0, 0),
) -> ObjectModel:
    """What two models know of one object, under the first one's name: as if one had felt everything.

    `rotation` (3, 3) turns vectors of the other's frame into the first one's, where its origin is at
    `location`.
    """
    turn, place = np.asarray(rotation, np.float64), np.asarray(location, np.float64)
    known = {
        channel: Observations.of(nodes).in_object_frame(turn, np.zeros(3), place)
        for channel, nodes in other.channels.items()
    }
    return extended(model, model.name, known, grid)


def learn_supervised(
    module: EvidenceModule,
    memory: ShortTermMemory,
    name: str,
    rotation: Floats,
    translation: Floats,
    grid: GridSettings | None = None,
) -> ObjectModel:
    """Add an episode to the model called `name` (new or known). The object stands at body = rotation @
    object + translation.
    """
    placed = {
        channel: seen.in_object_frame(np.asarray(rotation).T, np.asarray(translation), np.zeros(3))
        for channel, seen in memory.observations().items()
    }
    return _store(module, name, placed, grid)


def learn_unsupervised(
    module: EvidenceModule,
    memory: ShortTermMemory,
    result: ModuleResult | None,
    row: int = 0,
    grid: GridSettings | None = None,
) -> str:
    """Extend the recognised object, or remember a new one; returns its name.

    Recognised means that the module ended in a match: then its best hypothesis says where the sensors are
    on the object.
    """
    felt = memory.observations()
    best = result.best[row] if result is not None and result.terminal[row] == MATCH else None
    if best is None:
        number = len(module.memory)
        while f"object_{number}" in module.memory:
            number += 1
        return _store(module, f"object_{number}", felt, grid).name
    here = np.zeros(3) if memory.last_location is None else memory.last_location
    placed = {
        channel: seen.in_object_frame(best.rotation, here, best.location) for channel, seen in felt.items()
    }
    return _store(module, best.object, placed, grid).name


def _store(
    module: EvidenceModule, name: str, placed: Mapping[str, Observations], grid: GridSettings | None
) -> ObjectModel:
    if not placed:
        raise ValueError(f"nothing was felt on the object, so module {module.name!r} cannot learn {name!r}")
    known = module.memory.get(name)
    model = extended(known, name, placed, GridSettings() if grid is None else grid)
    if known is None:
        module.remember(model)
    else:
        module.replace_model(model)
    return model
