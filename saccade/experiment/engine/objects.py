"""Which objects a config means, and what they are like.

In: the `objects` section of a config. Out: world objects in order, their names, or a description for people.

    object_names(preset("distinct_surface"))        # ["mug", "bowl", ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import TypedDict

from saccade.experiment.config.sections import ConfigError, unknown
from saccade.experiment.config.settings import ExperimentConfig, ObjectsConfig
from saccade.world.images import Picture, load_pictures
from saccade.world.meshes.mesh import MeshError, WorldObject, WrongUnits
from saccade.world.symmetry.symmetry import Symmetry

# Cosine of the angle (5 degrees) within which an axis is called by the name of one of the mesh's.
ALONG = 0.996
# Seconds after which somebody who waits is told how long it will take.
PATIENCE = 2.0


class Description(TypedDict):
    name: str
    size: list[float]
    triangles: int
    symmetry: str
    shape: str | None


Thing = WorldObject | Picture


def world_objects(config: ExperimentConfig, shown: Collection[str] | None = None) -> list[Thing]:
    """The objects of a config, or those of them that are shown, if meshes of single things are all there is
    to load; an empty folder, a broken mesh or an unknown name is an error that says so."""
    if config.world.kind == "image":
        return list(_pictures(config.objects))
    found = _meshes(config, shown if are_single(config) else None)
    return list(_with_parts(found, config.module.levels) if config.module.levels > 1 else found)


def are_single(config: ExperimentConfig) -> bool:
    """Whether meshes of single things are all there is to load."""
    return config.world.kind == "mesh" and config.module.levels == 1


def _with_parts(objects: list[WorldObject], levels: int) -> list[WorldObject]:
    """The parts that objects are made of, level by level, then the objects; an error where none has so many
    levels, or one more."""
    from saccade.world.objects import builtin_object
    from saccade.world.objects.compositional import levels_of

    names = [each.name for each in objects]
    deep = [name for name in names if levels_of(name) > levels]
    if deep:
        raise ConfigError(
            f"module.levels = {levels} is too few for {', '.join(deep)}: "
            f"set it to {max(map(levels_of, deep))}"
        )
    if not any(levels_of(name) == levels for name in names):
        sets = {2: "compositional", 3: "nested"}
        remedy = f"use objects.set = {sets[levels]}" if levels in sets else f"there are {max(sets)} at most"
        raise ConfigError(
            f"module.levels = {levels} needs objects that are made of parts in so many levels; "
            f"{', '.join(names)} are not: {remedy}"
        )
    known, whole = set(names), list(objects)
    while missing := [
        builtin_object(name)
        for name in dict.fromkeys(part.name for each in whole for part in each.parts)
        if name not in known
    ]:
        known.update(each.name for each in missing)
        whole = [*missing, *whole]
    return whole


def chosen_names(config: ExperimentConfig) -> tuple[str, ...]:
    """The names of the objects that a config chooses; none is loaded."""
    section = config.objects
    if config.world.kind == "image":
        return tuple(each.name for each in _pictures(section))
    if section.folder:
        from saccade.world.formats.formats import mesh_paths

        known = tuple(mesh_paths(section.folder))
        return _chosen(section, known, known)
    from saccade.world.objects import ALL, COMPOSITIONAL, NESTED

    known = tuple(dict.fromkeys((*ALL, *COMPOSITIONAL, *NESTED)))
    return _chosen(section, _builtin_names(section.set), known)


def _pictures(section: ObjectsConfig) -> list[Picture]:
    if section.images:
        table = {each.name: each for each in load_pictures(section.images, section.width)}
        return [table[name] for name in _chosen(section, tuple(table), tuple(table))]
    from saccade.world.objects.pictures import PICTURES, builtin_pictures

    return builtin_pictures(_chosen(section, PICTURES, PICTURES), section.width)


def _meshes(config: ExperimentConfig, shown: Collection[str] | None) -> list[WorldObject]:
    section = config.objects
    wanted = [name for name in chosen_names(config) if shown is None or name in shown]
    if section.folder:
        from saccade.world.formats.formats import mesh_paths

        known = mesh_paths(section.folder)
        return _from_folder({name: known[name] for name in wanted}, section.scale)
    from saccade.world.objects import builtin_objects

    return builtin_objects(wanted)


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
    return objects.NESTED if kind == "nested" else objects.COMPOSITIONAL


def _from_folder(paths: dict[str, Path], scale: float) -> list[WorldObject]:
    from saccade.world.formats.prepared import prepared

    try:
        return prepared(paths, scale, Waiting())
    except WrongUnits as error:
        right = f"{scale * error.scale:.4g}"
        remedy = f"in an experiment that is --set objects.scale={right}, in a benchmark --scale {right}"
        raise MeshError(f"{error}; {remedy}") from None


class Waiting:
    """Tells a person at a terminal how many meshes are ready, if that takes longer than `PATIENCE`."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._begun > PATIENCE:
            end = "\n" if done == total else ""
            print(f"\rmaking meshes ready: {done} of {total}", end=end, file=sys.stderr, flush=True)


def object_names(config: ExperimentConfig) -> list[str]:
    return [each.name for each in world_objects(config)]


def describe_objects(config: ExperimentConfig) -> list[Description]:
    """Name, edges of the bounding box in metres, triangles and symmetry of each object, and that of its shape
    alone where it is known."""
    result: list[Description] = []
    for each in world_objects(config):
        shape = None
        if isinstance(each, Picture):
            size, triangles = [each.width, each.height], 0
        else:
            size = [float(edge) for edge in each.mesh.high - each.mesh.low]
            triangles = len(each.mesh.faces)
            shape = None if each.shape is None else in_words(each.shape)
        told = in_words(each.symmetry)
        result.append(Description(name=each.name, size=size, triangles=triangles, symmetry=told, shape=shape))
    return result


def in_words(symmetry: Symmetry) -> str:
    """A symmetry for people.

    >>> in_words(Symmetry()), in_words(Symmetry(axis=(0, 1, 0))), in_words(Symmetry(axis=(0.6, 0, -0.8)))
    ('none', 'any turn about y', 'any turn about (0.6, 0, -0.8)')
    """
    if symmetry.every:
        return "any rotation"
    if symmetry.axis is None:
        return "none" if symmetry.is_trivial else f"{len(symmetry.rotations)} rotations"
    along = [abs(part) > ALONG for part in symmetry.axis]
    axis = (
        "xyz"[along.index(True)] if any(along) else f"({', '.join(f'{part:.2g}' for part in symmetry.axis)})"
    )
    return f"any turn about {axis}" + (", either end up" if len(symmetry.rotations) > 1 else "")
