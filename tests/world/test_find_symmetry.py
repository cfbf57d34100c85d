"""What a sensor cannot tell apart is a symmetry, and nothing else is."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from saccade.world.meshes.mesh import Mesh, MeshWarning, WorldObject
from saccade.world.objects import builtin_object
from saccade.world.objects.shapes import box, painted, revolve
from saccade.world.symmetry import find as finding
from saccade.world.symmetry.find import (
    EXACT,
    SCANNED,
    SHAPE,
    Finder,
    Sample,
    find_symmetry,
    judged,
    symmetry_of,
    told_symmetry,
)
from saccade.world.symmetry.symmetry import rotation_about, rotation_error

# An odd rotation, so that no axis of a mesh is one of the frame's.
TURN = rotation_about((1, 2, 3), 0.8)


def can():
    return revolve([(0, 0), (0.03, 0), (0.03, 0.1), (0, 0.1)], 64)


def errors(mesh, rotations):
    """Degrees by which rotations of the mesh are off, up to the symmetry that is found."""
    symmetry = find_symmetry(mesh)
    return [float(np.degrees(rotation_error(each, np.eye(3), symmetry))) for each in rotations]


def test_half_turns_of_a_brick_wherever_it_stands():
    brick = box((0.04, 0.07, 0.12)).moved((0.1, 0, -0.2), TURN)
    axes = [TURN @ axis for axis in np.eye(3)]
    assert len(find_symmetry(brick).rotations) == 4
    assert errors(brick, [rotation_about(axis, np.pi) for axis in axes]) == pytest.approx([0] * 3, abs=2)
    assert errors(brick, [rotation_about(axes[0], np.pi / 2)])[0] == pytest.approx(90, abs=2)


def test_a_plain_can_turns_freely_and_stands_on_either_end():
    symmetry = find_symmetry(can().moved(rotation=TURN))
    assert symmetry.axis is not None
    assert len(symmetry.rotations) == 2
    assert abs(np.dot(symmetry.axis, TURN @ [0, 1, 0])) == pytest.approx(1, abs=1e-3)


def test_a_print_takes_the_symmetry_away_if_its_colour_can_be_told():
    plain = can()
    middles = plain.triangles.mean(axis=1)
    front = middles[:, 0] > 0.02
    assert find_symmetry(painted(plain, (front, (0.9, 0.1, 0.1)))).axis is None
    assert find_symmetry(painted(plain, (front, (0.65, 0.62, 0.6)))).axis is not None


def test_sides_of_a_box_are_equal_if_no_more_can_be_told():
    assert len(find_symmetry(box((0.05, 0.052, 0.1))).rotations) == 8
    assert len(find_symmetry(box((0.05, 0.06, 0.1))).rotations) == 4
    assert len(find_symmetry(box((0.05, 0.06, 0.1)), distance=0.006).rotations) == 8


def test_a_cube_has_all_of_its_24():
    assert len(find_symmetry(box((0.05, 0.05, 0.05), 0.001)).rotations) == 24


def ball(radius=0.04, stretch=(1, 1, 1), bumps=0.0):
    """A ball of flat faces, stretched along the axes and with bumps of so much of its radius."""
    angles = np.linspace(0, np.pi, 17)
    mesh = revolve([(radius * max(np.sin(a), 0), -radius * np.cos(a)) for a in angles], 32)
    noise = 1 + bumps * np.random.default_rng(0).standard_normal((len(mesh.vertices), 1))
    return Mesh(mesh.vertices * stretch * noise, mesh.faces, mesh.colors)


def solid(corners, size=0.04):
    """The convex hull of some corners, all on its outside."""
    hull = ConvexHull(np.asarray(corners, float))
    made = Mesh.of(np.asarray(corners, float) * size, hull.simplices)
    out = (made.face_normals() * made.triangles.mean(axis=1)).sum(axis=1) > 0
    return Mesh.of(made.vertices, np.where(out[:, None], made.faces, made.faces[:, ::-1]))


GOLDEN = (1 + np.sqrt(5)) / 2
CUBE = list(itertools.product((-1, 1), repeat=3))
CYCLIC = [np.roll((0, a, b * GOLDEN), k) for a in (-1, 1) for b in (-1, 1) for k in range(3)]
DUAL = [np.roll((0, a / GOLDEN, b * GOLDEN), k) for a in (-1, 1) for b in (-1, 1) for k in range(3)]


@pytest.mark.parametrize(
    ("corners", "count"),
    [
        ([c for c in CUBE if np.prod(c) > 0], 12),
        ([sign * axis for axis in np.eye(3) for sign in (-1.5, 1.5)], 24),
        (CYCLIC, 60),
        ([*CUBE, *DUAL], 60),
    ],
    ids=["tetrahedron", "octahedron", "icosahedron", "dodecahedron"],
)
def test_regular_solids_wherever_they_stand(corners, count):
    assert len(find_symmetry(solid(corners).moved(rotation=TURN)).rotations) == count


@pytest.mark.parametrize(
    "mesh",
    [ball(), ball(0.01), ball(stretch=(1, 1.01, 1.03)), ball(bumps=0.01), ball().moved((1, 0, 0), TURN)],
    ids=["ball", "bead", "stretched", "bumps", "moved"],
)
def test_what_is_nearly_a_ball_is_one(mesh):
    symmetry = find_symmetry(mesh)
    assert symmetry.every
    assert rotation_error(TURN, np.eye(3), symmetry) == 0


def test_a_ball_with_a_mark_turns_about_it():
    marked = ball()
    marked = painted(marked, (marked.triangles.mean(axis=1)[:, 1] > 0.035, (1, 0, 0)))
    symmetry = find_symmetry(marked.moved(rotation=TURN))
    assert not symmetry.every
    assert symmetry.is_trivial or abs(np.dot(symmetry.axis, TURN @ [0, 1, 0])) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("size", "rounded", "turn"),
    [
        ((0.03, 0.031, 0.032), 0.05, TURN),
        ((0.02, 0.021, 0.022), 0.2, np.eye(3)),
        ((0.02, 0.021, 0.022), 0.05, TURN),
        ((0.01, 0.011, 0.012), 0.05, np.eye(3)),
        ((0.1, 0.101, 0.102), 0.05, TURN),
    ],
)
def test_what_is_nearly_a_cube_is_one(size, rounded, turn):
    assert len(find_symmetry(box(size, rounded * size[0]).moved(rotation=turn)).rotations) == 24


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_what_is_found_is_a_group_of_rotations_that_are_kept(seed):
    """Also of bodies between a ball and a cube, whose rotations do not add up to a group."""
    random = np.random.default_rng(seed)
    sides = 0.03 * (1 + 0.15 * random.random(3))
    body = box(tuple(sides), float(random.uniform(0.05, 0.4)) * min(sides))
    axis, angle = random.normal(size=3), random.uniform(0, 3)
    body = body.moved(rotation=rotation_about(axis, angle))
    symmetry, finder = find_symmetry(body), Finder(Sample.of(body), EXACT)
    found = np.asarray(symmetry.rotations)
    products = np.einsum("aij,bjk->abik", found, found).reshape(-1, 3, 3)
    nearest = np.abs(products[:, None] - found).max(axis=(2, 3)).min(axis=1)
    assert symmetry.axis is not None or nearest.max() < 1e-9
    assert all(map(finder.keeps, found))


def test_a_mesh_that_cannot_be_judged_has_no_symmetry_and_is_named():
    flat = Mesh.of([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], [[0, 1, 2]])
    with pytest.warns(MeshWarning, match="the symmetry of mesh 'wire' cannot be judged .*no area"):
        assert judged(WorldObject("wire", flat)).symmetry.is_trivial
    with pytest.raises(ValueError, match="no area"):
        find_symmetry(flat)


@pytest.mark.parametrize("name", ["bowl", "can", "cereal_box", "die", "rolling_pin", "toy_brick", "vase"])
def test_built_in_objects_have_the_symmetry_they_claim(name):
    thing = builtin_object(name)
    found = find_symmetry(thing.mesh)
    assert (found.axis is None) == (thing.symmetry.axis is None)
    assert len(found.rotations) == len(thing.symmetry.rotations)
    if found.axis is not None:
        assert abs(np.dot(found.axis, thing.symmetry.axis)) == pytest.approx(1, abs=1e-3)


def test_a_scan_with_a_highlight_turns_freely_by_its_own_rule_and_a_print_does_not():
    """Brightness that differs by 0.15 all around is a highlight; a label of another colour is not."""
    plain = can()
    angle = np.arctan2(plain.vertices[:, 2], plain.vertices[:, 0])[plain.faces]
    shaded = (0.5 + 0.075 * np.cos(angle))[..., None].repeat(3, axis=-1)
    labelled = np.where((angle > 0)[..., None], [0.9, 0.1, 0.1], [0.1, 0.1, 0.9])
    highlight, label = (Mesh(plain.vertices, plain.faces, colors) for colors in (shaded, labelled))
    assert Finder(Sample.of(highlight), EXACT).find().axis is None
    assert Finder(Sample.of(highlight), SCANNED).find().axis is not None
    assert Finder(Sample.of(label), SCANNED).find().axis is None
    assert Finder(Sample.of(label), SHAPE).find().axis is not None


def test_what_can_be_told_must_be_something():
    with pytest.raises(ValueError, match="distance = 0"):
        find_symmetry(can(), distance=0)


@pytest.mark.parametrize("mesh", [can(), box((0.04, 0.07, 0.12)), builtin_object("mug").mesh])
def test_a_symmetry_comes_back_out_of_json(mesh):
    found = find_symmetry(mesh)
    again = symmetry_of(json.loads(json.dumps(told_symmetry(found))))
    assert again.axis == found.axis
    assert again.every == found.every
    assert np.array_equal(again.rotations, found.rotations)


def test_the_loop_counts_what_numpy_counts(rng):
    """Places without one like them, by brute force over all pairs, for rotations that keep much or little."""
    finder = Finder(Sample.of(builtin_object("mug").mesh), SCANNED)
    some, kept = finder.tried.first(200), finder.few
    turns = np.stack([np.eye(3), rotation_about((0, 1, 0), 0.1), rotation_about(rng.normal(size=3), 2.0)])
    for rotation, share in zip(turns, finder.shares(turns, some, kept), strict=True):
        apart = (some.position @ rotation.T)[:, None] - kept.surface.position
        alike = (apart**2).sum(axis=2) <= kept.reach**2
        alike &= np.einsum("ai,bi->ab", some.normal @ rotation.T, kept.surface.normal) >= finding.FACING
        alike &= np.abs(some.colour[:, None] - kept.surface.colour).max(axis=2) <= finder.colour
        assert share == pytest.approx(alike.any(axis=1).mean(), abs=0.006)  # a place on the edge of reach
    assert finder.shares(turns, some, kept, 0.9)[0] == finder.shares(turns, some, kept)[0]
    assert finder.shares(turns, some, kept, 0.9)[2] < 0.9
