"""Golden surfaces and laws of the patch fit: sign, order, norm, equivariance, bad pixels."""

import numpy as np
import pytest

from saccade.cortex.sense.surface import fit_surfaces, principal, same_surface

from . import patches

METHODS = ("quadratic", "weighted", "total")


def fit(field, position, rotation, method="quadratic", size=16):
    points = patches.look(field, np.asarray(position, float), rotation, size)
    valid = np.isfinite(points).all(-1)
    origin = points[size // 2, size // 2]
    return fit_surfaces(points[None], valid[None], origin[None], rotation[None], normal_method=method)


@pytest.mark.parametrize("method", METHODS)
def test_plane(method):
    found = fit(patches.plane(), [0.3, -0.2, 0.05], np.eye(3), method)
    np.testing.assert_allclose(found.normal[0], [0, 0, 1], atol=1e-9)
    np.testing.assert_allclose(found.curvatures[0], [0, 0], atol=1e-6)
    assert found.has_curvature[0]


@pytest.mark.parametrize("method", METHODS)
def test_tilted_plane(method):
    camera = patches.facing(np.array([0.5, 0.3, 0.8]))
    found = fit(patches.plane(), 0.06 * camera[:, 2], camera, method)
    np.testing.assert_allclose(found.normal[0], [0, 0, 1], atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("radius", [0.03, 0.1])
def test_ball_is_convex_and_convex_is_negative(method, radius):
    direction = np.array([0.2, 0.5, 0.7])
    camera = patches.facing(direction)
    found = fit(patches.sphere(radius), (radius + 0.05) * camera[:, 2], camera, method)
    np.testing.assert_allclose(found.normal[0], camera[:, 2], atol=2e-3)
    np.testing.assert_allclose(found.curvatures[0], [-1 / radius] * 2, rtol=0.02)
    # Any direction is principal here: the choice is the sensor's right-hand axis.
    assert found.curvatures[0, 0] >= found.curvatures[0, 1]


def test_inside_of_a_bowl_is_positive():
    found = fit(patches.bowl(0.08), [0, 0, 0], np.eye(3))
    np.testing.assert_allclose(found.normal[0], [0, 0, 1], atol=1e-3)
    np.testing.assert_allclose(found.curvatures[0], [1 / 0.08] * 2, rtol=0.02)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("roll", [0.0, 0.4, 1.2])
def test_rod_has_the_flat_direction_first(method, roll):
    camera = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    found = fit(patches.cylinder(0.03), [0, 0, 0.08], camera, method)
    np.testing.assert_allclose(found.curvatures[0], [0, -1 / 0.03], atol=0.7)
    assert abs(found.first[0] @ [0, 1, 0]) > 0.9999
    assert abs(found.second[0] @ [1, 0, 0]) > 0.9999
    assert found.first[0] @ camera[:, 0] >= -1e-9


def test_saddle_has_both_signs_in_order():
    found = fit(patches.saddle(30.0, 12.0), [0, 0, 0.06], np.eye(3))
    np.testing.assert_allclose(found.curvatures[0], [30, -12], rtol=0.02)
    assert abs(found.first[0, 0]) > 0.9999


def jet(gradient, hessian):
    """Height field coefficients (a, b, c, d, e, f) at a point of an implicit surface, by implicit
    differentiation."""
    gz = gradient[2]
    d, e = -gradient[0] / gz, -gradient[1] / gz
    uu = -(hessian[0, 0] + 2 * d * hessian[0, 2] + d * d * hessian[2, 2]) / gz
    vv = -(hessian[1, 1] + 2 * e * hessian[1, 2] + e * e * hessian[2, 2]) / gz
    uv = -(hessian[0, 1] + e * hessian[0, 2] + d * hessian[1, 2] + d * e * hessian[2, 2]) / gz
    return np.array([uu / 2, vv / 2, uv, d, e, 0.0])


def test_principal_is_exact_in_a_tilted_frame():
    """A quadric F = x.A.x - 1 with known curvatures at its pole, written as a height over tilted planes."""
    radius, along = 0.05, 0.2
    # Near (0, 0, radius): an ellipsoid with curvatures -radius / along^2 and -1 / radius.
    shape = np.diag([1 / along**2, 1 / radius**2, 1 / radius**2])
    pole = np.array([0, 0, radius])
    expected = np.array([-radius / along**2, -1 / radius])
    for turn in patches.random_rotations(200, seed=6):
        frame = turn.T
        gradient, hessian = frame @ (2 * shape @ pole), frame @ (2 * shape) @ frame.T
        if gradient[2] < 0.4 * np.linalg.norm(gradient):
            continue  # too steep to be a height over this plane, or seen from inside
        k, normal, first = principal(jet(gradient, hessian)[None], np.eye(3)[None])
        np.testing.assert_allclose(k[0], expected, rtol=1e-9)
        np.testing.assert_allclose(normal[0], frame @ [0, 0, 1], atol=1e-9)
        np.testing.assert_allclose(np.abs(first[0] @ (frame @ [1, 0, 0])), 1, atol=1e-9)


def test_curvatures_do_not_depend_on_the_viewing_angle():
    """The exact second fundamental form: a view 40 degrees off the normal sees the same rod."""
    straight = fit(patches.cylinder(0.04), [0, 0, 0.09], np.eye(3))
    camera = patches.facing(np.array([0.0, np.sin(0.7), np.cos(0.7)]))
    aside = fit(patches.cylinder(0.04), np.array([0, 0, 0.04]) + 0.05 * camera[:, 2], camera)
    np.testing.assert_allclose(aside.normal[0], straight.normal[0], atol=5e-3)
    np.testing.assert_allclose(aside.curvatures[0], straight.curvatures[0], atol=0.5)


@pytest.mark.parametrize("method", METHODS)
def test_turning_sensor_and_surface_together_turns_the_pose(method):
    size, count = 16, 20
    field = patches.saddle(25.0, 8.0)
    camera = patches.facing(np.array([0.2, -0.1, 1.0]))
    points = patches.look(field, np.array([0.01, 0.0, 0.05]), camera, size)
    valid = np.isfinite(points).all(-1)
    turns = patches.random_rotations(count, seed=1)
    shifts = np.random.default_rng(2).normal(size=(count, 3))
    turned = np.einsum("bij,xyj->bxyi", turns, points) + shifts[:, None, None]
    base = fit_surfaces(points[None], valid[None], points[None, 8, 8], camera[None], normal_method=method)
    moved = fit_surfaces(
        turned, np.repeat(valid[None], count, 0), turned[:, 8, 8], turns @ camera, normal_method=method
    )
    for name in ("normal", "first", "second"):
        expected = np.einsum("bij,j->bi", turns, getattr(base, name)[0])
        np.testing.assert_allclose(getattr(moved, name), expected, atol=1e-7)
    np.testing.assert_allclose(moved.curvatures, np.repeat(base.curvatures, count, 0), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_pose_is_orthonormal_and_right_handed(method):
    rng = np.random.default_rng(0)
    cameras = patches.random_rotations(50, seed=3)
    heights = rng.normal(size=(50, 16, 16)) * 1e-3
    grid = patches.rays(16, 0.3) * 0.05
    local = grid + heights[..., None] * np.array([0, 0, 1.0])
    points = np.einsum("bij,bxyj->bxyi", cameras, local)
    found = fit_surfaces(points, np.ones((50, 16, 16), bool), points[:, 8, 8], cameras, normal_method=method)
    frame = np.stack([found.normal, found.first, found.second], axis=1)
    np.testing.assert_allclose(
        frame @ frame.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (50, 3, 3)), atol=1e-9
    )
    np.testing.assert_allclose(np.linalg.det(frame), 1.0)
    assert (np.sum(found.normal * cameras[:, :, 2], axis=1) > 0).all()
    assert (found.curvatures[:, 0] >= found.curvatures[:, 1]).all()


def test_batch_order_and_size_change_nothing():
    rng = np.random.default_rng(4)
    count = 300
    points = np.broadcast_to(patches.rays(16, 0.3) * 0.05, (count, 16, 16, 3)).copy()
    points[..., 2] += rng.normal(size=(count, 16, 16)) * 1e-3
    valid = rng.random((count, 16, 16)) < 0.8
    valid[:, 8, 8] = True
    axes = np.broadcast_to(np.eye(3), (count, 3, 3))
    whole = fit_surfaces(points, valid, points[:, 8, 8], axes)
    order = rng.permutation(count)[:37]
    some = fit_surfaces(points[order], valid[order], points[order, 8, 8], axes[order])
    for name in ("normal", "first", "curvatures", "has_curvature"):
        np.testing.assert_allclose(getattr(some, name), getattr(whole, name)[order], rtol=1e-9, atol=1e-9)


def test_values_at_invalid_pixels_are_never_used():
    points = patches.look(patches.sphere(0.05), np.array([0, 0, 0.1]), np.eye(3))
    valid = np.ones((16, 16), bool)
    valid[:, :4] = False
    spoiled = points.copy()
    spoiled[:, :4] = np.nan
    results = [
        fit_surfaces(p[None], valid[None], points[None, 8, 8], np.eye(3)[None]) for p in (points, spoiled)
    ]
    np.testing.assert_array_equal(results[0].curvatures, results[1].curvatures)
    np.testing.assert_allclose(results[0].curvatures[0], [-20, -20], rtol=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_too_few_or_collinear_points_have_no_pose(method):
    points = np.broadcast_to(patches.rays(16, 0.3) * 0.05, (4, 16, 16, 3)).copy()
    valid = np.zeros((4, 16, 16), bool)
    valid[1, 8, 8] = True
    valid[2, 8, :] = True  # one line of pixels
    valid[3, 8, 7:10] = valid[3, 7, 8] = True  # a plane, but no quadratic
    found = fit_surfaces(points, valid, points[:, 8, 8], np.eye(3)[None].repeat(4, 0), normal_method=method)
    assert found.has_normal.tolist() == [False, False, False, True]
    assert not found.has_curvature.any()
    np.testing.assert_array_equal(found.curvatures, 0)
    np.testing.assert_allclose(found.normal, np.broadcast_to([0, 0, 1.0], (4, 3)), atol=1e-9)


def test_empty_batch():
    found = fit_surfaces(
        np.zeros((0, 8, 8, 3)), np.zeros((0, 8, 8), bool), np.zeros((0, 3)), np.zeros((0, 3, 3))
    )
    assert found.normal.shape == (0, 3)
    assert found.curvatures.shape == (0, 2)


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match=r"\(1, 8, 9, 3\)"):
        fit_surfaces(np.zeros((1, 8, 9, 3)), np.zeros((1, 8, 9), bool), np.zeros((1, 3)), np.eye(3)[None])


def union(*fields):
    """What is inside any of these solids."""
    return lambda points: np.min([field(points) for field in fields], axis=0)


def test_a_surface_behind_the_outline_is_another_one():
    """A ball before a wall: the wall in the corners of the patch is left out, the ball's every pixel kept."""
    ball = patches.sphere(0.006, np.array([0.0, 0.0, 0.05]))
    points = patches.look(union(ball, patches.plane()), np.array([0.0, 0.0, 0.1]), np.eye(3))[None]
    valid = np.isfinite(points).all(-1)
    on_ball = points[..., 2] > 0.03
    assert 0 < on_ball.sum() < valid.sum()
    own = same_surface(points, valid, np.eye(3)[None])
    assert not own[~on_ball].any()
    # at the very outline a ball is steeper than what counts as one surface
    assert own[on_ball].mean() > 0.9
    whole = fit_surfaces(points, valid, points[:, 8, 8], np.eye(3)[None])
    alone = fit_surfaces(points, own, points[:, 8, 8], np.eye(3)[None])
    off, off_alone = (np.abs(found.curvatures[0] * 0.006 + 1).max() for found in (whole, alone))
    assert off_alone < 0.5 * off


def test_one_surface_is_one_however_it_is_tilted_and_whatever_holes_hold():
    camera = patches.facing(np.array([0.9, 0.0, 0.35]))
    points = patches.look(patches.plane(), 0.06 * camera[:, 2], camera)
    valid = np.isfinite(points).all(-1)
    assert valid.all()
    assert same_surface(points[None], valid[None], camera[None]).all()
    holed, seen = points.copy(), valid.copy()
    holed[3, 4], seen[3, 4] = [np.nan, np.inf, 1e300], False
    found = same_surface(holed[None], seen[None], camera[None])[0]
    np.testing.assert_array_equal(found, seen)


def test_what_is_not_joined_to_the_centre_does_not_belong_to_it():
    valid = np.ones((1, 9, 9), bool)
    valid[:, :, 6] = False
    grid = np.stack([*np.meshgrid(np.arange(9.0), np.arange(9.0)), np.zeros((9, 9))], axis=-1)[None]
    found = same_surface(grid, valid, np.eye(3)[None])[0]
    assert found[:, :6].all()
    assert not found[:, 6:].any()
    valid[:, 4, 4] = False
    assert not same_surface(grid, valid, np.eye(3)[None]).any()
