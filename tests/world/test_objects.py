"""The built-in objects: sound meshes of plausible size whose stated symmetry is theirs, and no two alike."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

from saccade.world import (
    ALL,
    DISTINCT,
    SIMILAR,
    MeshWorld,
    Placement,
    Scene,
    builtin_object,
    builtin_objects,
    looking_at,
    viewfinder,
)
from saccade.world.meshes.mesh import check
from saccade.world.objects import COMPOSITIONAL, NESTED
from saccade.world.objects.compositional import as_parts
from saccade.world.objects.shapes import blob, box, curve, polyline, revolve, sweep
from saccade.world.symmetry.symmetry import rotation_about

EYES = np.array([[0.3, 0.2, 0.25], [-0.2, -0.3, 0.3], [0.1, 0.35, -0.3], [-0.35, 0.1, -0.15]])


def views(name, rotations):
    """The object seen from four sides in each rotation: depth and colour, (rotations, 4, P, P)."""
    world = MeshWorld([builtin_object(name)], viewfinder(20, 0.55), len(rotations) * 4)
    scenes = [Scene((Placement(name, rotation=r),)) for r in rotations for _ in EYES]
    rows = len(scenes)
    seen = world.reset(
        np.ones(rows, bool), scenes, looking_at(np.tile(EYES, (len(rotations), 1)), np.zeros((rows, 3)))
    )
    return seen.depth.reshape(len(rotations), -1), seen.rgb.reshape(len(rotations), -1, 3)


def differs(name, rotations):
    """For each rotation, the share of object pixels that look unlike those of the first by 2 mm or a clear
    colour."""
    depth, rgb = views(name, rotations)
    on = (depth < 5) | (depth[:1] < 5)
    unlike = (np.abs(depth - depth[:1]) > 0.002) | (np.abs(rgb - rgb[:1]).max(axis=-1) > 0.15)
    return (unlike & on).sum(axis=1) / on.sum(axis=1)


def test_there_are_enough_and_the_sets_name_them():
    assert len(ALL) >= 20
    assert len(DISTINCT) == len(SIMILAR) == 10
    assert set(DISTINCT) | set(SIMILAR) <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_mesh_is_sound(name):
    mesh = builtin_object(name).mesh
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(mesh, name)
    assert 0.05 <= mesh.extent <= 0.33
    assert 2000 <= len(mesh.faces) <= 13000
    assert mesh.volume > 0
    assert np.allclose(mesh.low + mesh.high, 0)
    assert mesh.colors.min() >= 0
    assert mesh.colors.max() <= 1


@pytest.mark.parametrize("name", [n for n in ALL if not builtin_object(n).symmetry.is_trivial])
def test_stated_symmetry_changes_nothing(name):
    symmetry = builtin_object(name).symmetry
    group = list(symmetry.rotations)
    if symmetry.axis is not None:
        group += [rotation_about(symmetry.axis, a) for a in (0.9, 2.5, 4.4)]
    base = rotation_about((1, 2, -1), 0.8)
    assert differs(name, [base @ g for g in group]).max() < 0.06


@pytest.mark.parametrize("name", [n for n in ALL if builtin_object(n).symmetry.is_trivial])
def test_others_look_unlike_in_any_other_rotation(name):
    turns = [rotation_about(axis, k * np.pi / 2) for axis in np.eye(3) for k in (1, 2, 3)]
    assert differs(name, [np.eye(3), *turns])[1:].min() > 0.08


def test_no_two_objects_are_alike():
    seen = {name: views(name, [np.eye(3)]) for name in ALL}
    for a, b in itertools.combinations(ALL, 2):
        (depth_a, rgb_a), (depth_b, rgb_b) = seen[a], seen[b]
        on = (depth_a < 5) | (depth_b < 5)
        unlike = (np.abs(depth_a - depth_b) > 0.002) | (np.abs(rgb_a - rgb_b).max(axis=-1) > 0.15)
        assert (unlike & on).sum() / on.sum() > 0.3, (a, b)


def test_objects_are_made_once_and_the_same_each_time():
    assert builtin_object("mug") is builtin_object("mug")
    again = builtin_object.__wrapped__("mug")
    assert np.array_equal(again.mesh.vertices, builtin_object("mug").mesh.vertices)
    assert [o.name for o in builtin_objects(("bowl", "mug"))] == ["bowl", "mug"]
    with pytest.raises(ValueError, match="did you mean 'hammer'"):
        builtin_object("hamer")


def test_shapes_have_their_volume():
    assert blob((0.01, 0.02, 0.03), rings=60, segments=90).volume == pytest.approx(
        4 / 3 * np.pi * 6e-6, rel=0.01
    )
    assert box((0.1, 0.05, 0.02), 1e-4).volume == pytest.approx(1e-4, rel=0.01)
    cylinder = revolve([(0, 0), (0.02, 0), (0.02, 0.05), (0, 0.05)], 90)
    assert cylinder.volume == pytest.approx(np.pi * 0.02**2 * 0.05, rel=0.01)
    ring = np.stack(
        [0.05 * np.cos(a := np.linspace(0, 2 * np.pi, 90, endpoint=False)), 0.05 * np.sin(a), 0 * a], 1
    )
    torus = sweep(ring, 0.01, segments=60, closed=True)
    assert torus.volume == pytest.approx(2 * np.pi**2 * 0.05 * 0.01**2, rel=0.01)
    for mesh in (cylinder, torus, box((0.1, 0.05, 0.02))):
        assert mesh.is_watertight()


def test_curves_pass_through_their_points():
    corners = [(0, 0), (1, 0), (1, 1)]
    for made in (curve(corners, 400), polyline(corners, 40)):
        assert np.allclose(made[[0, -1]], [corners[0], corners[-1]])
        assert min(np.linalg.norm(made - (1, 0), axis=1)) < 0.01


@pytest.mark.parametrize("name", dict.fromkeys((*COMPOSITIONAL, *NESTED)))
def test_compositional_objects_are_sound(name):
    thing = builtin_object(name)
    check(thing.mesh, name)
    group = list(thing.symmetry.rotations)
    if thing.symmetry.axis is not None:
        group += [g @ rotation_about(thing.symmetry.axis, 1.3) for g in thing.symmetry.rotations]
    base = rotation_about((1, 2, -1), 0.8)
    assert differs(name, [base, *(base @ g for g in group)]).max() < 0.08


def test_a_whole_looks_like_its_parts_in_place():
    names = ("drum_arrow", "drum", "arrow")
    world = MeshWorld(builtin_objects(names), viewfinder(32, 0.5), 2)
    whole = Placement("drum_arrow", (0.01, 0.02, -0.01), rotation_about((1, 1, 0), 0.6), 1.3)
    scenes = [Scene((whole,)), Scene(as_parts(whole, builtin_object("drum_arrow")))]
    seen = world.reset(
        np.ones(2, bool), scenes, looking_at(np.array([[0.1, 0.1, 0.4]] * 2), np.zeros((2, 3)))
    )
    assert np.allclose(seen.depth[0], seen.depth[1], atol=1e-9)
    assert set(np.unique(seen.object[1])) == {-1, 0, 1}
    assert as_parts(Placement("drum"), builtin_object("drum"))[0].name == "drum"


def test_wholes_differ_from_their_bodies_and_each_other():
    names = tuple(dict.fromkeys((*COMPOSITIONAL, *NESTED)))
    seen = {name: views(name, [np.eye(3)]) for name in names}
    for a, b in itertools.combinations(names, 2):
        unlike = np.abs(seen[a][1] - seen[b][1]).max(axis=-1) > 0.15
        assert unlike.any(), (a, b)
