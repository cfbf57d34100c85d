"""The field world against the exact one, and our Tensor against NumPy.

The stated error, on 200k grid points an object: at least 98 % of pixels agree whether they see the object;
where they do, depth is within 0.1 mm for half of them and within half a grid step for 97 %; colour agrees
for 95 %.
"""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.runtime.cache.cache import Cache
from saccade.world import (
    Actions,
    DepthNoise,
    FieldWorld,
    MeshWorld,
    Placement,
    Scene,
    builtin_objects,
    distant_rig,
    looking_at,
    surface_rig,
    viewfinder,
)
from saccade.world.agents import yaw_pitch
from saccade.world.fields.arrays import NumpyArrays, TensorArrays
from saccade.world.meshes.ray_device import Resident
from saccade.world.meshes.resident_poses import ACTION, ArrivingPose, ResidentActions, laid_out
from saccade.world.symmetry.symmetry import rotation_about

NAMES = ("mug", "bowl", "hammer", "cereal_box", "scissors")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return Cache(tmp_path_factory.mktemp("fields"), 1 << 30)


def both(cache, rig, scenes, agent, points=200_000, names=NAMES):
    rows = len(scenes)
    things = builtin_objects(names)
    exact = MeshWorld(things, rig, rows).reset(np.ones(rows, bool), scenes, agent)
    traced = FieldWorld(things, rig, rows, points=points, cache=cache).reset(
        np.ones(rows, bool), scenes, agent
    )
    return exact, traced


def around(rows, distance=0.35):
    rng = np.random.default_rng(4)
    eyes = rng.normal(size=(rows, 3))
    return looking_at(distance * eyes / np.linalg.norm(eyes, axis=1, keepdims=True), np.zeros((rows, 3)))


def test_agrees_with_the_exact_world(cache):
    scenes = [Scene((Placement(n, rotation=rotation_about((1, 2, 3), i)),)) for i, n in enumerate(NAMES * 2)]
    exact, traced = both(cache, viewfinder(28, 0.6), scenes, around(len(scenes)))
    union = exact.on_object | traced.on_object
    assert (exact.on_object == traced.on_object)[union].mean() > 0.98
    shared = exact.on_object & traced.on_object
    error = np.abs(exact.depth - traced.depth)[shared]
    assert np.median(error) < 1e-4
    assert np.quantile(error, 0.97) < 0.001
    unlike = np.abs(exact.rgb - traced.rgb).max(axis=-1)[shared]
    assert (unlike < 0.05).mean() > 0.95
    assert np.abs(exact.points - traced.points)[shared].max(axis=-1).mean() < 0.001


def test_scaled_shifted_and_several(cache):
    scene = Scene((
        Placement("mug", (0.05, 0.02, -0.03), rotation_about((0, 1, 0), 1.0), 0.7),
        Placement("hammer", (-0.05, 0, 0.05), rotation_about((1, 0, 0), 0.5)),
    ))  # fmt: skip
    exact, traced = both(cache, viewfinder(48, 0.7), [scene, Scene(())], around(2))
    assert set(np.unique(exact.object[0])) == {-1, 0, 1}
    assert (exact.object == traced.object).mean() > 0.99
    assert not traced.on_object[1].any()
    assert (traced.depth[1] == 10.0).all()


def test_close_up_patches(cache):
    """What a surface agent sees: normals from the traced patch lie within a few degrees of the exact ones."""
    eye = np.array([[0.0, 0.0, 0.035 + 0.0225]])
    exact, traced = both(
        cache, surface_rig(), [Scene((Placement("cereal_box"),))], looking_at(eye, np.zeros((1, 3)))
    )
    assert exact.on_object.all()
    assert traced.on_object.all()
    normals = []
    for seen in (exact, traced):
        p = seen.points[0, 0].reshape(-1, 3).astype(np.float64)
        normals.append(np.linalg.svd(p - p.mean(axis=0))[2][2])
    assert abs(normals[0] @ normals[1]) > np.cos(np.radians(1))


def test_noise_is_that_of_the_exact_world(cache):
    things, scenes, agent = (
        builtin_objects(("cereal_box",)),
        [Scene((Placement("cereal_box"),), seed=5)],
        around(1),
    )
    rig, noise = viewfinder(16, 0.2), DepthNoise(sigma=0.003)
    quiet = FieldWorld(things, rig, points=50_000, cache=cache).reset(np.ones(1, bool), scenes, agent)
    noisy = FieldWorld(things, rig, noise=noise, points=50_000, cache=cache).reset(
        np.ones(1, bool), scenes, agent
    )
    exact = MeshWorld(things, rig).reset(np.ones(1, bool), scenes, agent)
    exact_noisy = MeshWorld(things, rig, noise=noise).reset(np.ones(1, bool), scenes, agent)
    both_see = quiet.on_object & exact.on_object
    assert np.allclose(
        (noisy.depth - quiet.depth)[both_see], (exact_noisy.depth - exact.depth)[both_see], atol=1e-6
    )
    with pytest.raises(ValueError, match="MeshWorld"):
        FieldWorld(things, rig, noise=DepthNoise(missing=0.1), points=5_000, cache=cache)


def test_our_tensors_give_what_numpy_gives(cache):
    things = builtin_objects(("mug", "hammer"))
    scenes = [Scene((Placement("mug"),)), Scene((Placement("hammer"), Placement("mug", (0.05, 0, 0))))]
    agent = around(2, 0.3)
    results = []
    for arrays in (NumpyArrays(), TensorArrays()):
        world = FieldWorld(things, viewfinder(6, 0.4), 2, points=20_000, cache=cache, arrays=arrays)
        seen = world.reset(np.ones(2, bool), scenes, agent)
        results.append(
            [arrays.fetch(v) for v in (seen.depth, seen.rgb, seen.points, seen.on_object, seen.object)]
        )
    assert results[0][3].any()
    for host, device in zip(*results):
        assert host.shape == device.shape
        assert np.allclose(host, device, atol=1e-5)


@pytest.mark.parametrize("fetched", [True, False])
def test_kept_rows_see_what_they_saw_without_other_programs(cache, fetched):
    things, kept = builtin_objects(("mug", "hammer")), np.array([2, 0])
    scenes = [Scene((Placement(name),), seed=i) for i, name in enumerate(("mug", "hammer", "mug"))]
    arrays, noise = TensorArrays(), DepthNoise(sigma=0.001)
    world = FieldWorld(
        things, viewfinder(6, 0.4), 3, noise, arrays=arrays, points=20_000, cache=cache, fetched=fetched
    )
    world.reset(np.ones(3, bool), scenes, around(3, 0.3))
    among = world.step(Actions.stay(3))
    world.reset(np.ones(3, bool), scenes, around(3, 0.3))
    made = world._tracer.march.traces
    world.keep(kept)
    alone = world.step(Actions.stay(2))
    assert world._tracer.march.traces == made
    for name in ("depth", "rgb", "points", "on_object", "object"):
        before, after = getattr(among, name), getattr(alone, name)
        if not fetched:
            before, after = arrays.fetch(before), arrays.fetch(after)
        assert np.array_equal(after, before[kept]), name


def test_what_stays_on_the_device_is_what_is_fetched(cache):
    """Also where a policy that acts there put the sensors, and when rows leave: nothing is compiled then."""
    things, rig, noise = builtin_objects(("mug", "hammer")), distant_rig(2, 6), DepthNoise(sigma=0.001)
    scenes = [Scene((Placement(name),), seed=i) for i, name in enumerate(("mug", "hammer", "mug"))]
    here, there = (
        FieldWorld(things, rig, 3, noise, arrays=TensorArrays(), points=20_000, cache=cache, **how)
        for how in ({"fetched": True}, {"resident": True})
    )

    def assert_alike(host, device):
        rows = here.rows
        assert isinstance(device, Resident)
        for name in ("depth", "rgb", "points", "on_object", "object"):
            assert np.allclose(getattr(device, name).numpy()[:rows], getattr(host, name), atol=1e-5), name
        assert np.allclose(device.nearest(), host.nearest(), atol=1e-5)
        assert np.allclose(device.sensor.position, host.sensor.position, atol=1e-12)
        assert host.on_object.any()

    begin = np.ones(3, bool), scenes, around(3, 0.3)
    assert_alike(here.reset(*begin), there.reset(*begin))
    moves = Actions.relative(rotation=yaw_pitch(np.array([0.02, -0.01, 0.0]), np.array([0.0, 0.03, 0.01])))
    after = Tensor(laid_out(moves.moved(here.agent)))
    unread = Tensor(np.zeros((3, ACTION)))
    assert_alike(here.step(moves), there.step(ResidentActions(unread, after, 3)))
    assert isinstance(there.agent, ArrivingPose)
    made, kept = there._tracer.march.traces, np.array([2, 0])
    here.keep(kept)
    there.keep(kept)
    assert_alike(here.step(Actions.stay(2)), there.step(Actions.stay(2)))
    assert there._tracer.march.traces == made
    with pytest.raises(ValueError, match="TensorArrays"):
        FieldWorld(things, rig, points=5_000, cache=cache, resident=True)
