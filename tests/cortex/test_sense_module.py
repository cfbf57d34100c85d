"""The sensor module: where a sensation is taken, when it is usable, colours, and its laws over batches."""

import colorsys
from dataclasses import fields

import numpy as np
import pytest

from saccade.cortex.sense import SensorSettings, hsv_from_rgb, sense, signed_log

from . import patches


def view(field, position, camera, size=16, colour=(0.9, 0.2, 0.1), **options):
    points = patches.look(field, np.asarray(position, float), camera, size, options.pop("field_of_view", 0.2))
    on = np.isfinite(points).all(-1)
    rgb = np.broadcast_to(np.asarray(colour, float), points.shape)
    lead = (None, None)
    return sense(points[lead], rgb[lead], on[lead], np.asarray(position)[lead], camera[lead], **options)


def test_a_rod_seen_straight():
    felt = view(patches.cylinder(0.03), [0, 0.01, 0.08], np.eye(3))
    np.testing.assert_allclose(felt.location[0, 0], [0, 0.01, 0.03], atol=1e-6)
    np.testing.assert_allclose(felt.normal[0, 0], [0, 0, 1], atol=1e-3)
    assert felt.pose_fully_defined[0, 0]
    np.testing.assert_allclose(felt.curvatures_log[0, 0], [0, -np.log(1 / 0.03 + 1)], atol=0.3)
    np.testing.assert_allclose(felt.hsv[0, 0], colorsys.rgb_to_hsv(0.9, 0.2, 0.1))
    assert felt.usable[0, 0]
    assert felt.coverage[0, 0] == 1
    assert felt.confidence[0, 0] == pytest.approx(1)
    assert felt.depth[0, 0] == pytest.approx(0.05)


def test_directions_of_a_large_ball_are_not_defined_and_the_threshold_decides():
    flat = view(patches.cylinder(0.2), [0, 0, 0.25], np.eye(3))
    assert not flat.pose_fully_defined[0, 0]
    strict = SensorSettings(pose_threshold=4.0)
    assert view(patches.cylinder(0.2), [0, 0, 0.25], np.eye(3), settings=strict).pose_fully_defined[0, 0]
    assert not view(patches.sphere(0.03), [0, 0, 0.08], np.eye(3)).pose_fully_defined[0, 0]


def test_centre_off_the_object_gives_the_nearest_point_but_nothing_usable():
    """A ball low in the picture: the centre ray passes above it."""
    felt = view(patches.sphere(0.03), [0.0, 0.034, 0.09], np.eye(3), field_of_view=0.4)
    assert not felt.on_object[0, 0]
    assert not felt.usable[0, 0]
    assert felt.confidence[0, 0] == 0
    assert 0 < felt.coverage[0, 0] < 0.5
    location = felt.location[0, 0]
    assert np.linalg.norm(location) == pytest.approx(0.03, abs=1e-6)
    assert location[1] > 0.02  # its upper rim, not its middle
    assert felt.inward[0, 0, 1] < -0.001  # from there the rest lies below
    assert felt.normal[0, 0] @ np.array([0, 0, 1.0]) > 0


def test_off_centre_a_pixel_inside_is_preferred_to_one_on_the_outline():
    points = np.broadcast_to(patches.rays(16, 0.2) * 0.05, (1, 1, 16, 16, 3))
    on = np.zeros((1, 1, 16, 16), bool)
    on[0, 0, 6:13, 10:] = True
    felt = sense(points, points, on, np.zeros((1, 1, 3)), np.eye(3)[None, None])
    np.testing.assert_array_equal(felt.location[0, 0], points[0, 0, 8, 11])
    on[0, 0, :, 10:] = False
    on[0, 0, 6:13, 10] = True  # nothing but outline
    felt = sense(points, points, on, np.zeros((1, 1, 3)), np.eye(3)[None, None])
    np.testing.assert_array_equal(felt.location[0, 0], points[0, 0, 8, 10])


def test_nothing_in_view():
    felt = view(patches.sphere(0.03), [0.3, 0.0, 0.2], np.eye(3))
    assert not felt.usable[0, 0]
    assert felt.coverage[0, 0] == 0
    np.testing.assert_array_equal(felt.location[0, 0], [0.3, 0.0, 0.2])
    for field in fields(felt):
        assert np.isfinite(getattr(felt, field.name)).all()


def test_nan_depth_counts_as_off_the_object():
    points = patches.look(patches.sphere(0.05), np.array([0, 0, 0.1]), np.eye(3))
    on = np.ones((1, 1, 16, 16), bool)
    broken = points.copy()
    broken[8, 8] = np.nan
    args = (np.zeros((1, 1, 16, 16, 3)), on, np.array([[[0, 0, 0.1]]]), np.eye(3)[None, None])
    felt = sense(broken[None, None], *args)
    assert not felt.on_object[0, 0]
    assert felt.coverage[0, 0] == 255 / 256
    assert np.isfinite(felt.location).all()
    broken = points.copy()
    broken[0, :] = np.inf
    felt = sense(broken[None, None], *args)
    assert felt.usable[0, 0]
    np.testing.assert_allclose(felt.curvatures[0, 0], [-20, -20], rtol=0.02)


def test_too_few_pixels_are_not_usable():
    points = patches.look(patches.sphere(0.05), np.array([0, 0, 0.1]), np.eye(3))
    on = np.zeros((1, 1, 16, 16), bool)
    on[0, 0, 7:10, 7:10] = True
    felt = sense(points[None, None], points[None, None], on, np.zeros((1, 1, 3)), np.eye(3)[None, None])
    assert felt.on_object[0, 0]
    assert not felt.usable[0, 0]


def test_rows_and_sensors_do_not_mix():
    rng = np.random.default_rng(0)
    rows, sensors, size = 5, 3, 12
    points = np.broadcast_to(patches.rays(size, 0.3) * 0.05, (rows, sensors, size, size, 3)).copy()
    points[..., 2] += rng.normal(size=points.shape[:-1]) * 1e-3
    rgb = rng.random(points.shape)
    on = rng.random(points.shape[:-1]) < 0.7
    position = rng.normal(size=(rows, sensors, 3))
    rotation = np.broadcast_to(np.eye(3), (rows, sensors, 3, 3))
    whole = sense(points, rgb, on, position, rotation)
    order = np.array([3, 1, 4])
    some = sense(points[order], rgb[order], on[order], position[order], rotation[order])
    one = sense(points[2:3, 1:2], rgb[2:3, 1:2], on[2:3, 1:2], position[2:3, 1:2], rotation[2:3, 1:2])
    for field in fields(whole):
        value = getattr(whole, field.name)
        np.testing.assert_allclose(getattr(some, field.name), value[order], atol=1e-9)
        np.testing.assert_allclose(getattr(one, field.name), value[2:3, 1:2], atol=1e-9)


def test_turning_everything_turns_location_and_pose_and_nothing_else():
    base = view(patches.saddle(30, 5), [0.002, 0.0, 0.05], patches.facing(np.array([0.1, 0.2, 1.0])))
    turn = patches.random_rotations(1, seed=5)[0]
    field = patches.saddle(30, 5)
    camera = turn @ patches.facing(np.array([0.1, 0.2, 1.0]))
    moved = view(lambda p: field(p @ turn), turn @ np.array([0.002, 0.0, 0.05]), camera)
    np.testing.assert_allclose(moved.location[0, 0], turn @ base.location[0, 0], atol=1e-7)
    np.testing.assert_allclose(moved.pose_vectors[0, 0], base.pose_vectors[0, 0] @ turn.T, atol=1e-4)
    np.testing.assert_allclose(moved.curvatures, base.curvatures, atol=1e-2)
    np.testing.assert_allclose(moved.depth, base.depth, atol=1e-8)


def test_hsv_agrees_with_the_standard_library():
    colours = np.concatenate(
        [np.random.default_rng(1).random((200, 3)), np.eye(3), [[0, 0, 0], [0.5] * 3, [1] * 3]]
    )
    expected = [colorsys.rgb_to_hsv(*colour) for colour in colours]
    np.testing.assert_allclose(hsv_from_rgb(colours), expected, atol=1e-12)


def test_eight_bit_colours():
    felt = view(patches.plane(), [0, 0, 0.05], np.eye(3))
    points = np.broadcast_to(patches.rays(16, 0.2) * 0.05, (1, 1, 16, 16, 3))
    byte = np.full((1, 1, 16, 16, 4), 255, np.uint8)
    byte[..., 1:3] = 0
    on = np.ones((1, 1, 16, 16), bool)
    red = sense(points, byte, on, np.zeros((1, 1, 3)), np.eye(3)[None, None])
    np.testing.assert_allclose(red.hsv[0, 0], [0, 1, 1])
    assert felt.hsv[0, 0, 2] == pytest.approx(0.9)


def test_signed_log_keeps_sign_and_order():
    k = np.linspace(-400, 400, 101)
    out = signed_log(k)
    assert (np.diff(out) > 0).all()
    np.testing.assert_allclose(out, -signed_log(-k))
    assert out[-1] == pytest.approx(np.log(401))


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match="rows, sensors, P, P"):
        sense(
            np.zeros((1, 1, 8, 7, 3)),
            np.zeros((1, 1, 8, 7, 3)),
            np.zeros((1, 1, 8, 7), bool),
            *(np.zeros(3),) * 2,
        )


def test_a_patch_is_felt_alike_to_the_last_bit_alone_and_among_others():
    """With a surface behind the outline of another, so that a part of each patch is left out."""
    ball = patches.sphere(0.012, np.array([0.004, 0.0, 0.05]))

    def scene(points):
        return np.minimum(ball(points), patches.plane()(points))

    places = [np.array([0.002 * k, 0.001 * k, 0.1]) for k in range(7)]
    points = np.stack([patches.look(scene, place, np.eye(3)) for place in places])[:, None]
    rest = (np.full(points.shape, 0.5), np.isfinite(points).all(-1), np.stack(places)[:, None])
    turns = np.broadcast_to(np.eye(3), (7, 1, 3, 3))
    together = sense(points, *rest, turns)
    for row in range(7):
        alone = sense(*(value[row : row + 1] for value in (points, *rest, turns)))
        for item in fields(together):
            np.testing.assert_array_equal(getattr(alone, item.name)[0], getattr(together, item.name)[row])
