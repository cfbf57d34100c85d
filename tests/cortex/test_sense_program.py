"""The sensor module as a tensor program against the one of the host."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from saccade import Tensor
from saccade.cortex import ops
from saccade.cortex.row_random import RowKey
from saccade.cortex.sense import NoiseSettings, Sensation, SensorSettings, add_noise, sense
from saccade.cortex.sense.sense_program import DeviceSense, Feeling, _program
from saccade.world import MeshWorld, Observation, Placement, Scene, builtin_objects, distant_rig, looking_at

from ..codegen.cuda_emulator import needs_compiler
from . import patches


def looks(rows: int, size: int, seed: int = 0) -> Observation:
    """Curved things from all sides: most patches whole, some cut by an outline, some empty."""
    rng = np.random.default_rng(seed)
    names = ("mug", "spoon", "banana")
    turns = patches.random_rotations(rows, seed)
    world = MeshWorld(builtin_objects(names), distant_rig(2, size), rows=rows)
    away = rng.normal(size=(rows, 3))
    eyes = 0.3 * away / np.linalg.norm(away, axis=1, keepdims=True)
    scenes = [Scene((Placement(names[row % 3], rotation=turns[row]),)) for row in range(rows)]
    return world.reset(np.ones(rows, bool), scenes, looking_at(eyes, rng.normal(size=(rows, 3)) * 0.03))


def both(
    seen: Observation, settings: SensorSettings | None = None, dtype: str = "float64", device: str = "cpu"
) -> tuple[Sensation, Sensation]:
    points, rgb = seen.points.astype(dtype), seen.rgb.astype(dtype)
    given = (seen.sensor.position, seen.sensor.rotation, settings)
    tensors = [Tensor(np.ascontiguousarray(each), device=device) for each in (points, rgb, seen.on_object)]
    return sense(points, rgb, seen.on_object, *given), DeviceSense(device)(*tensors, *given)


def assert_alike(host: Sensation, device: Sensation) -> None:
    """Flags are equal, numbers to rounding. Directions are those of the largest and the least curvature: the
    nearer these are, the more they turn by rounding; where they are equal, anything is right."""
    for field in fields(Sensation):
        one, other = getattr(host, field.name), getattr(device, field.name)
        assert (one.shape, one.dtype) == (other.shape, other.dtype), field.name
        if one.dtype == bool:
            np.testing.assert_array_equal(one, other, err_msg=field.name)
        elif field.name != "pose_vectors":
            np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9, err_msg=field.name)
    np.testing.assert_allclose(host.normal, device.normal, atol=1e-11)
    spread = host.curvatures[..., 0] - host.curvatures[..., 1]
    gap = np.abs(host.pose_vectors - device.pose_vectors).max(axis=(2, 3))
    assert (gap * np.maximum(spread, 1e-6) < 1e-8).all()
    vectors = device.pose_vectors[device.usable]
    np.testing.assert_allclose(
        vectors @ vectors.swapaxes(1, 2), np.broadcast_to(np.eye(3), vectors.shape), atol=1e-9
    )
    np.testing.assert_allclose(np.linalg.det(vectors), 1.0, atol=1e-9)


@pytest.mark.parametrize("size", [16, 9])
def test_patches_of_a_world_feel_the_same(size: int) -> None:
    seen = looks(24, size)
    host, device = both(seen)
    if size == 16:
        assert 0.2 < host.usable.mean() < 0.95
        assert (host.coverage == 0).any()
        assert ((host.coverage > 0) & ~host.on_object).any()
        assert host.pose_fully_defined.any()
    assert_alike(host, device)


def test_other_settings_and_single_precision() -> None:
    seen = looks(24, 16, seed=3)
    chosen = SensorSettings(normal_method="weighted", pose_threshold=3.0, min_pixels=200)
    assert_alike(*both(seen, chosen))
    assert_alike(*both(seen, dtype="float32"))


def test_what_is_not_finite_is_off_the_object() -> None:
    seen = looks(24, 16, seed=1)
    rng = np.random.default_rng(0)
    points = seen.points.copy()
    points[rng.random(seen.depth.shape) < 0.1] = np.nan
    points[0, 0, 8, 8] = np.inf
    other = Observation(seen.depth, seen.rgb, points, seen.on_object, seen.object, seen.sensor, seen.agent)
    host, device = both(other)
    assert not host.on_object[0, 0]
    assert_alike(host, device)


def test_a_step_behind_the_surface_in_the_middle_is_another_surface() -> None:
    """Two planes at different depths, and a frame around the one in front."""
    size = 16
    rays = patches.rays(size, 0.2)
    depth = np.where(np.arange(size)[:, None] + np.zeros(size) < 11, 0.05, 0.09)
    depth[3:5, 2:] = 0.08
    points = (rays * depth[..., None])[None, None]
    on = np.ones((1, 1, size, size), bool)
    eye, turn = np.zeros((1, 1, 3)), np.eye(3)[None, None]
    rgb = np.full(points.shape, 0.5)
    host = sense(points, rgb, on, eye, turn)
    device = DeviceSense("cpu")(Tensor(points), Tensor(rgb), Tensor(on), eye, turn)
    assert 0.3 < host.confidence[0, 0] < 0.8
    assert device.confidence[0, 0] == pytest.approx(host.confidence[0, 0], abs=1e-12)
    np.testing.assert_allclose(host.normal, device.normal, atol=1e-10)


def test_more_patches_than_rows_are_left_out_and_one_wait_is_enough() -> None:
    seen = looks(24, 16)
    tensors = [Tensor(np.ascontiguousarray(each)) for each in (seen.points, seen.rgb, seen.on_object)]
    before = ops.waits
    part = DeviceSense("cpu")(*tensors, seen.sensor.position[:3], seen.sensor.rotation[:3])
    assert ops.waits == before + 1
    assert part.location.shape == (3, 2, 3)
    whole = sense(seen.points, seen.rgb, seen.on_object, seen.sensor.position, seen.sensor.rotation)
    np.testing.assert_allclose(part.location, whole.location[:3], atol=1e-12)


def test_a_rehearsed_program_is_not_compiled_again() -> None:
    seen, feel = looks(24, 16), DeviceSense("cpu")
    feel.rehearse(24, 2, 16)
    compiled = _program(Feeling(SensorSettings())).compilations
    tensors = [Tensor(np.ascontiguousarray(each)) for each in (seen.points, seen.rgb, seen.on_object)]
    feel(*tensors, seen.sensor.position, seen.sensor.rotation)
    assert compiled == _program(Feeling(SensorSettings())).compilations > 0


def test_noise_is_that_of_the_host() -> None:
    """Of three episodes at different steps, of a seed of more than 32 bits; rows nobody has get any."""
    seen, rows = looks(24, 16), 20
    amounts = NoiseSettings(0.003, 5.0, 0.3, 0.2, 0.3)
    key = RowKey(7 + (5 << 40), np.arange(rows) % 3 * 1000, np.arange(rows) * 17)
    arrays = (seen.points, seen.rgb, seen.on_object)
    poses = (seen.sensor.position[:rows], seen.sensor.rotation[:rows])
    plain = sense(*(each[:rows] for each in arrays), *poses)
    host = add_noise(plain, amounts, key)
    tensors = [Tensor(np.ascontiguousarray(each)) for each in arrays]
    device = DeviceSense("cpu").noisy(*tensors, *poses, SensorSettings(), amounts, key)
    assert_alike(host, device)
    assert (host.pose_fully_defined != plain.pose_fully_defined).any()
    assert np.abs(device.location - plain.location)[plain.usable].max() > 0.003
    on_host = DeviceSense("cpu").noisy(*(each[:rows] for each in arrays), *poses, None, amounts, key)
    np.testing.assert_array_equal(on_host.hsv, host.hsv)


def test_arrays_are_sensed_on_the_host_and_what_the_program_cannot_do_is_said() -> None:
    seen = looks(24, 16)
    given = (seen.sensor.position, seen.sensor.rotation)
    felt = DeviceSense("cpu")(seen.points, seen.rgb, seen.on_object, *given)
    np.testing.assert_array_equal(
        felt.pose_vectors, sense(seen.points, seen.rgb, seen.on_object, *given).pose_vectors
    )
    with pytest.raises(ValueError, match="'total' is computed on the host"):
        both(seen, SensorSettings(normal_method="total"))


@needs_compiler
@pytest.mark.usefixtures("gpu")
def test_the_kernels_of_a_gpu_feel_the_same() -> None:
    seen, amounts = looks(3, 16), NoiseSettings(flag_flip=0.5)
    key = RowKey(3, np.arange(3), np.full(3, 9))
    arrays, poses = (seen.points, seen.rgb, seen.on_object), (seen.sensor.position, seen.sensor.rotation)
    tensors = [Tensor(np.ascontiguousarray(each), device="cuda") for each in arrays]
    device = DeviceSense("cuda").noisy(*tensors, *poses, None, amounts, key)
    assert_alike(add_noise(sense(*arrays, *poses), amounts, key), device)
