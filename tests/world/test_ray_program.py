"""Rays cast by a tensor program against the loops of the host: the same but for the rounding of products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade.world import (
    Actions,
    DepthNoise,
    MeshWorld,
    Observation,
    Placement,
    Rig,
    Scene,
    WorldObject,
    builtin_objects,
    distant_rig,
    looking_at,
    standing_back,
)
from saccade.world.meshes.mesh import Mesh
from saccade.world.meshes.ray_device import DeviceCaster, Resident
from saccade.world.meshes.raycast import Library
from saccade.world.objects.shapes import blob
from saccade.world.symmetry.symmetry import Symmetry

from ..codegen.cuda_emulator import needs_compiler
from ..cortex.patches import random_rotations


def thing(name: str, mesh: Mesh) -> WorldObject:
    return WorldObject(name, mesh, Symmetry())


def soup(triangles: int, seed: int) -> Mesh:
    """Triangles anywhere in a box, which no solid has, some of them in planes of two axes."""
    rng = np.random.default_rng(seed)
    vertices = rng.uniform(-0.04, 0.04, (3 * triangles, 3))
    vertices[::5, 0] = 0.01
    vertices[1::5, 0] = 0.01
    vertices[2::5, 0] = 0.01
    faces = np.arange(3 * triangles).reshape(-1, 3)
    return Mesh(vertices, faces, rng.uniform(0, 1, (triangles, 3, 3)))


def things() -> list[WorldObject]:
    """A solid, a mesh of one triangle, few and many without an inside: trees of different depths."""
    ball = blob((0.05, 0.04, 0.05), rings=20, segments=30)
    return [
        thing("ball", ball),
        thing("one", soup(1, 1)),
        thing("few", soup(33, 2)),
        thing("many", soup(600, 3)),
        *builtin_objects(("spoon",)),
    ]


def worlds(objects: list[WorldObject], rig: Rig, rows: int, device: str = "cpu") -> list[MeshWorld]:
    return [MeshWorld(objects, rig, rows=rows), MeshWorld(objects, rig, rows=rows, device=device)]


def scenes_of(rows: int, names: list[str], seed: int, most: int = 3) -> list[Scene]:
    """0 to `most` objects in every row, turned and scaled."""
    rng = np.random.default_rng(seed)
    turns = random_rotations(rows * most, seed)
    return [
        Scene(
            tuple(
                Placement(
                    names[rng.integers(len(names))],
                    tuple(rng.uniform(-0.03, 0.03, 3).tolist()),
                    turns[row * most + place],
                    float(rng.uniform(0.5, 1.5)),
                )
                for place in range(row % (most + 1))
            )
        )
        for row in range(rows)
    ]


def assert_same(host: Observation, device: Observation) -> None:
    """Everything of two observations."""
    assert isinstance(device, Resident)
    rows = len(device.agent.position)
    there: dict[str, Any] = {
        name: getattr(device, name).numpy()[:rows]
        for name in ("object", "on_object", "depth", "rgb", "points")
    }
    np.testing.assert_array_equal(there["object"], host.object)
    np.testing.assert_array_equal(there["on_object"], host.on_object)
    for name in ("depth", "rgb", "points"):
        np.testing.assert_allclose(there[name], getattr(host, name), rtol=0, atol=1e-13, err_msg=name)
    np.testing.assert_allclose(device.nearest(), host.nearest(), rtol=0, atol=1e-13)


@pytest.mark.parametrize("resolution", [5, 8])
def test_rays_see_what_the_loops_of_the_host_see(resolution: int) -> None:
    rows, rng = 12, np.random.default_rng(resolution)
    host, device = worlds(things(), distant_rig(2, resolution), rows)
    scenes = scenes_of(rows, list(host.object_names), resolution)
    away = rng.normal(size=(rows, 3))
    eyes = 0.2 * away / np.linalg.norm(away, axis=1, keepdims=True)
    eyes[-3:] = rng.uniform(-0.02, 0.02, (3, 3))  # inside of what stands there
    agent = looking_at(eyes, rng.uniform(-0.03, 0.03, (rows, 3)))
    every = np.ones(rows, bool)
    seen = host.reset(every, scenes, agent)
    assert 0.1 < seen.on_object.mean() < 0.9
    assert {-1, 0, 1} <= set(np.unique(seen.object).tolist())
    assert_same(seen, device.reset(every, scenes, agent))


def test_rays_along_the_axes_of_a_mesh() -> None:
    """One component of their direction is 0, and boxes are flat."""
    host, device = worlds([thing("soup", soup(200, 5))], distant_rig(1, 5), 1)
    scenes, every = [Scene((Placement("soup"),))], np.ones(1, bool)
    for target in ((0.0, 0.0, 0.0), (0.01, 0.0, 0.0)):
        agent = standing_back(1, target=target)
        seen = host.reset(every, scenes, agent)
        assert seen.on_object.any()
        assert_same(seen, device.reset(every, scenes, agent))


def test_steps_exchanged_objects_and_rows_that_leave() -> None:
    rows, names = 20, ["ball", "many"]
    host, device = worlds([each for each in things() if each.name in names], distant_rig(1, 8), rows)
    scenes, every = scenes_of(rows, names, 4, most=1), np.ones(rows, bool)
    for world in (host, device):
        world.reset(every, scenes, standing_back(rows))
    some = np.arange(rows) % 3 == 0
    turned = Actions.relative(rotation=random_rotations(rows, 8))
    back = [Scene((Placement("ball", (0.0, 0.0, 0.05)),))] * rows
    left = np.array([3, 11, 4])
    for world in (host, device):
        world.step(turned)
        world.step(Actions.relative(rotation=turned.motion.rotation.swapaxes(1, 2)))
        world.place(some, back)
    assert_same(host.step(Actions.stay(rows)), device.step(Actions.stay(rows)))
    for world in (host, device):
        world.keep(left)
    seen, there = host.step(Actions.stay(3)), device.step(Actions.stay(3))
    assert_same(seen, there)
    assert len(there.depth) > 3, "programs are for more rows than there are"
    other = distant_rig(1, 6)
    np.testing.assert_array_equal(host.look(other).depth, device.look(other).depth)


def test_a_patch_of_nothing_and_one_of_a_solid_from_inside() -> None:
    host, device = worlds(things()[:1], distant_rig(1, 5), 2)
    scenes, every = [Scene(()), Scene((Placement("ball"),))], np.ones(2, bool)
    agent = looking_at(np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.01]]), np.zeros((2, 3)))
    seen = device.reset(every, scenes, agent)
    assert_same(host.reset(every, scenes, agent), seen)
    assert np.isinf(seen.nearest()).all()


def test_what_is_seen_does_not_depend_on_other_meshes_of_the_library() -> None:
    alone, among = things()[:1], things()
    scenes, every = [Scene((Placement("ball"),))], np.ones(1, bool)
    seen = MeshWorld(alone, distant_rig(1, 5)).reset(every, scenes, standing_back(1))
    for objects in (alone, among):
        there = MeshWorld(objects, distant_rig(1, 5), device="cpu")
        assert_same(seen, there.reset(every, scenes, standing_back(1)))


@pytest.mark.parametrize(
    "noise",
    [DepthNoise(sigma=0.001), DepthNoise(sigma=0.0005, relative=0.01, missing=0.3, quantum=0.002)],
    ids=["sigma", "all"],
)
def test_noise_on_depth_is_that_of_the_host(noise: DepthNoise) -> None:
    """Of seeds of 64 bits, at the third look; rows nobody has change nothing."""
    rows, objects = 20, things()[:1]
    host, device = (
        MeshWorld(objects, distant_rig(2, 8), rows=rows, noise=noise, device=each) for each in (None, "cpu")
    )
    scenes = [Scene((Placement("ball"),), seed=row * 3**30) for row in range(rows)]
    for world in (host, device):
        world.reset(np.ones(rows, bool), scenes, standing_back(rows))
        world.step(Actions.stay(rows))
        world.keep(np.arange(17))
    seen = host.step(Actions.stay(17))
    silent = MeshWorld(objects, distant_rig(2, 8)).reset(np.ones(1, bool), scenes[:1], standing_back(1))
    gap = np.abs(seen.depth - silent.depth)[seen.on_object]
    assert 0.0005 < gap.mean() < 0.005
    assert_same(seen, device.step(Actions.stay(17)))


def test_the_number_of_a_triangle_fits_into_its_key() -> None:
    library = Library.of([each.mesh for each in things()])
    caster = DeviceCaster(library, "cpu")
    assert (1 << caster.bits) > max(len(mesh.faces) for mesh in library.meshes)


@needs_compiler
@pytest.mark.usefixtures("gpu")
def test_the_kernels_of_a_gpu_see_the_same() -> None:
    rows = 4
    host, device = worlds(things()[:3], distant_rig(1, 6), rows, "cuda")
    scenes = scenes_of(rows, list(host.object_names), 1, most=2)
    every, agent = np.ones(rows, bool), standing_back(rows, 0.2)
    seen = host.reset(every, scenes, agent)
    assert seen.on_object.any()
    assert_same(seen, device.reset(every, scenes, agent))
