"""The ray caster against arithmetic that needs no tree: every ray against every triangle, and spheres in
closed form."""

from __future__ import annotations

import os
import signal
import warnings

import numpy as np
import pytest

from saccade.world import (  # fmt: skip
    DISTINCT,
    Actions,
    MeshWorld,
    Placement,
    Pose,
    Scene,
    builtin_objects,
    distant_rig,
    looking_at,
    standing_back,
    viewfinder,
)
from saccade.world.meshes import raycast  # fmt: skip
from saccade.world.meshes.mesh import Mesh
from saccade.world.meshes.raycast import Instances, Library, cast, nearest_hit
from saccade.world.objects.shapes import blob, box

from ..patience import HANG


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


def brute_force(mesh: Mesh, origin, direction):
    """Nearest hit of a ray by solving a 3x3 system for every triangle."""
    t = mesh.triangles
    matrix = np.stack(
        [t[:, 1] - t[:, 0], t[:, 2] - t[:, 0], np.broadcast_to(-direction, t[:, 0].shape)], axis=2
    )
    fine = np.abs(np.linalg.det(matrix)) > 1e-18
    u, v, s = np.linalg.solve(matrix[fine], (origin - t[fine, 0])[..., None])[..., 0].T
    hit = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (s > 0)
    return s[hit].min() if hit.any() else np.inf


@pytest.mark.parametrize("name", ["mug", "scissors", "teapot"])
def test_depth_equals_brute_force(name):
    rng = np.random.default_rng(3)
    thing = builtin_objects((name,))[0]
    placed = Placement(name, (0.01, -0.02, 0.03), random_rotation(rng), 1.2)
    world = MeshWorld([thing], viewfinder(12, 0.7))
    seen = world.reset(
        np.ones(1, bool), [Scene((placed,))], looking_at(np.array([[0.2, 0.15, 0.3]]), np.zeros((1, 3)))
    )
    moved = thing.mesh.scaled(placed.scale).moved(placed.position, placed.rotation)
    eye, back = seen.sensor.position[0, 0], seen.sensor.rotation[0, 0]
    tangent = np.tan(0.35)
    for i in range(12):
        for j in range(12):
            x, y = tangent * ((2 * j + 1) / 12 - 1), tangent * (1 - (2 * i + 1) / 12)
            depth = brute_force(moved, eye, back @ np.array([x, y, -1.0]))
            assert seen.on_object[0, 0, i, j] == np.isfinite(depth)
            if np.isfinite(depth):
                assert seen.depth[0, 0, i, j] == pytest.approx(depth, abs=1e-12)


def test_worlds_of_the_same_meshes_share_what_is_made_of_them():
    ball, other = (blob((0.05, 0.05, radius), rings=8, segments=12) for radius in (0.05, 0.04))
    library = Library.of([ball, other])
    assert Library.of([ball, other]) is library
    assert Library.of([other, ball]) is not library
    boxes = library.boxes.copy()
    del library
    np.testing.assert_array_equal(Library.of([ball, other]).boxes, boxes)


def test_points_lie_on_the_sphere_and_depth_is_along_the_axis():
    ball = blob((0.05, 0.05, 0.05), rings=80, segments=120)
    library = Library.of([ball])
    instances = Instances(np.array([0, 1]), np.array([0]), np.r_[np.eye(3).ravel(), 0, 0, 0][None])
    position, rotation = np.array([[[0, 0, 0.3]]]), np.eye(3)[None, None]
    views = cast(library, instances, position, rotation, np.array([0.2]), 32, 10.0)
    hit = views.instance >= 0
    assert 0.3 < hit.mean() < 0.95
    radius = np.linalg.norm(views.points[hit], axis=1)
    assert radius.max() <= 0.05 + 1e-12
    assert radius.min() > 0.05 * 0.997
    assert np.allclose(0.3 - views.points[..., 2][hit], views.depth[hit], atol=1e-12)
    assert (views.depth[~hit] == 10.0).all()
    assert (views.rgb[~hit] == 0).all()


def test_inside_a_solid_there_is_nothing_to_see_and_inside_an_open_mesh_there_is():
    """A sensor that an imprecise movement put into an object must not take the inside of its surface for a
    surface."""
    ball = blob((0.05, 0.05, 0.05), rings=20, segments=30)
    below = ball.triangles[:, :, 2].max(axis=1) < 0.04
    bowl = Mesh(ball.vertices, ball.faces[below], ball.colors[below])
    assert ball.is_watertight()
    assert not bowl.is_watertight()
    for mesh, share in ((ball, 0.0), (bowl, 1.0)):
        instances = Instances(np.array([0, 1]), np.array([0]), np.r_[np.eye(3).ravel(), 0, 0, 0][None])
        inside, along = np.zeros((1, 1, 3)), np.eye(3)[None, None]
        views = cast(Library.of([mesh]), instances, inside, along, np.array([0.2]), 8, 10.0)
        assert (views.instance >= 0).mean() == share
        assert (views.depth == 10.0).all() == (share == 0)
        outside = cast(
            Library.of([mesh]), instances, np.array([[[0, 0, 0.3]]]), along, np.array([0.02]), 8, 10.0
        )
        assert (outside.instance >= 0).all()


def test_compiled_tree_walk_equals_the_interpreted_one():
    mesh = box((0.1, 0.06, 0.04), 0.004, pieces=4)
    library = Library.of([mesh])
    rng = np.random.default_rng(0)
    for _ in range(25):
        origin = rng.normal(size=3)
        origin *= 0.3 / np.linalg.norm(origin)
        ray = np.concatenate([origin, rng.normal(size=3) * 0.03 - origin])
        results = []
        for run in (nearest_hit, nearest_hit.python):
            hit, triangle = np.array([10.0, 0, 0, 0]), np.array([-1])
            begin = [int(v) for v in library.index[0, :4]]
            run(library.boxes.ravel(), library.corners.ravel(), library.starts, *begin, ray, hit, triangle)
            results.append((hit, triangle))
        assert np.array_equal(results[0][0], results[1][0])
        assert np.array_equal(results[0][1], results[1][1])


def test_view_turns_with_the_world():
    """Turning and shifting object and agent together changes no depth and no colour, and moves the points
    along."""
    rng = np.random.default_rng(5)
    world = MeshWorld(builtin_objects(("hammer",)), distant_rig(3))
    eye = looking_at(np.array([[0.05, 0.1, 0.35]]), np.array([[0.0, 0.05, 0.0]]))
    first = world.reset(np.ones(1, bool), [Scene((Placement("hammer"),))], eye)
    frame = Pose(np.array([0.3, -0.2, 0.5]), random_rotation(rng))
    placed = Placement("hammer", tuple(frame.position), frame.rotation)
    second = world.reset(np.ones(1, bool), [Scene((placed,))], frame @ eye)
    assert first.on_object.any()
    assert np.allclose(first.depth, second.depth, atol=1e-9)
    assert np.allclose(first.rgb, second.rgb, atol=1e-6)
    assert np.allclose(frame.apply(first.points[first.on_object]), second.points[second.on_object], atol=1e-9)


def test_nearer_object_hides_the_farther_one():
    world = MeshWorld(builtin_objects(("die", "bowl")), viewfinder(24, 0.8))
    scene = Scene((Placement("bowl", (0, 0, -0.2)), Placement("die", (0, 0, 0.05))))
    both = world.reset(np.ones(1, bool), [scene], looking_at(np.array([[0, 0, 0.35]]), np.zeros((1, 3))))
    assert set(np.unique(both.object)) == {-1, 0, 1}
    alone = world.reset(np.ones(1, bool), [Scene(scene.objects[1:])], both.agent)
    shown = both.object == 1
    assert np.array_equal(shown, alone.on_object)
    assert np.array_equal(both.depth[shown], alone.depth[shown])


def test_rows_do_not_see_each_other():
    """A row among many sees exactly what it sees alone, also when threads share the work."""
    rng = np.random.default_rng(2)
    rows = 130
    things = builtin_objects(DISTINCT)
    scenes = [
        Scene((Placement(DISTINCT[r % 10], rotation=random_rotation(rng)),), seed=r) for r in range(rows)
    ]
    eyes = rng.normal(size=(rows, 3))
    agents = looking_at(0.3 * eyes / np.linalg.norm(eyes, axis=1, keepdims=True), np.zeros((rows, 3)))
    many = MeshWorld(things, distant_rig(), rows).reset(np.ones(rows, bool), scenes, agents)
    single = MeshWorld(things, distant_rig())
    for row in (0, 1, 64, 129):
        here = Pose(agents.position[row : row + 1], agents.rotation[row : row + 1])
        alone = single.reset(np.ones(1, bool), [scenes[row]], here)
        assert np.array_equal(alone.depth[0], many.depth[row])
        assert np.array_equal(alone.rgb[0], many.rgb[row])


def test_mujoco_sees_the_same(tmp_path):
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed: pip install mujoco")
    thing = builtin_objects(("teapot",))[0]
    vertices = " ".join(f"{v:.9g}" for v in thing.mesh.vertices.ravel())
    faces = " ".join(str(int(f)) for f in thing.mesh.faces.ravel())
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" inertia="shell" vertex="{vertices}" face="{faces}"/></asset>'
        '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    world = MeshWorld([thing], viewfinder(24, 0.6))
    seen = world.reset(
        np.ones(1, bool),
        [Scene((Placement("teapot"),))],
        looking_at(np.array([[0.2, 0.2, 0.3]]), np.zeros((1, 3))),
    )
    eye, turn = seen.sensor.position[0, 0], seen.sensor.rotation[0, 0]
    steps = (2 * np.arange(24) + 1) / 24 - 1
    x, y = np.meshgrid(np.tan(0.3) * steps, -np.tan(0.3) * steps)
    rays = np.stack([x, y, -np.ones_like(x)], -1).reshape(-1, 3) @ turn.T
    length = np.linalg.norm(rays, axis=1)
    which = np.zeros(1, np.int32)
    there = np.array([
        mujoco.mj_ray(model, data, eye, ray / n, None, 1, -1, which) / n for ray, n in zip(rays, length)
    ])  # fmt: skip
    mine = seen.depth.ravel()
    hit = seen.on_object.ravel()
    assert ((there >= 0) == hit).mean() > 0.995
    agree = hit & (there >= 0)
    assert np.median(np.abs(there - mine)[agree]) < 1e-6
    assert (np.abs(there - mine)[agree] < 1e-5).mean() > 0.99


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent's are not there, and waiting for them would be for ever."""
    monkeypatch.setattr(raycast, "RAYS_PER_THREAD", 64)
    world = MeshWorld(builtin_objects(["die"]), distant_rig(), rows=4)
    world.reset(np.ones(4, bool), [Scene((Placement("die"),))] * 4, standing_back(4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons doubt forks of threaded processes
        child = os.fork()
    if child == 0:
        signal.alarm(HANG)
        world.step(Actions.stay(4))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
