"""Which objects a config means, and what they are like.

In: the `objects` section of a config. Out: world objects in order, their names, or a description for people.

    object_names(preset("distinct_surface"))        # ["mug", "bowl", ...]
"""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

import numpy as np

from saccade.experiment.config import ConfigError, ExperimentConfig, ObjectsConfig, unknown
from saccade.world.mesh import WorldObject


class Description(TypedDict):
    name: str
    size: list[float]
    triangles: int
    symmetry: str


def world_objects(config: ExperimentConfig) -> list[WorldObject]:
    """The objects of a config; an empty folder, a broken mesh or an unknown name is an error that says so."""
    section = config.objects
    if section.folder:
        table = {each.name: each for each in _from_folder(Path(section.folder), section.scale)}
        return [table[name] for name in _chosen(section, tuple(table), tuple(table))]
    from saccade.world.objects import ALL, builtin_objects

    return builtin_objects(_chosen(section, _builtin_names(section.set), ALL))


def _chosen(section: ObjectsConfig, default: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """The names a config asks for, out of those there are."""
    for name in section.names:
        if name not in known:
            raise unknown("object", name, known)
    names = section.names or default
    return names[: section.limit] if section.limit else names


def _builtin_names(kind: str) -> tuple[str, ...]:
    from saccade.world import objects

    if kind == "all":
        return objects.ALL
    if kind == "similar":
        return objects.SIMILAR
    if kind == "distinct":
        return objects.DISTINCT
    compositional: tuple[str, ...] | None = getattr(objects, "COMPOSITIONAL", None)
    if compositional is None:
        raise ConfigError("this installation has no compositional objects; choose objects.set = distinct")
    return compositional


def _from_folder(folder: Path, scale: float) -> list[WorldObject]:
    from saccade.world.formats import load_folder

    return list(load_folder(folder, scale=scale))


def object_names(config: ExperimentConfig) -> list[str]:
    return [each.name for each in world_objects(config)]


def describe_objects(config: ExperimentConfig) -> list[Description]:
    """Name, edges of the bounding box in metres, triangles and symmetry of each object."""
    result: list[Description] = []
    for each in world_objects(config):
        symmetry = each.symmetry
        told = "none" if symmetry.is_trivial else f"{len(symmetry.rotations)} rotations"
        if symmetry.axis is not None:
            told = "any turn about " + "xyz"[int(np.argmax(np.abs(symmetry.axis)))]
        size = [float(edge) for edge in each.mesh.high - each.mesh.low]
        result.append(Description(name=each.name, size=size, triangles=len(each.mesh.faces), symmetry=told))
    return result
