"""Pictures and photos as worlds: the right pixel, at the right depth, from every side."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.world import (
    Actions,
    ImageWorld,
    Photo,
    Picture,
    Placement,
    Scene,
    forward,
    looking_at,
    standing_back,
    viewfinder,
    yaw_pitch,
)
from saccade.world.formats.png import write_png
from saccade.world.symmetry.symmetry import rotation_about

LETTER = np.zeros((8, 8, 3))
LETTER[:4, :4] = (1, 0, 0)
LETTER[:4, 4:] = (0, 1, 0)
LETTER[4:, :4] = (0, 0, 1)


def one(image, rig, agent, placement=None):
    world = ImageWorld([image], rig)
    return world, world.reset(np.ones(1, bool), [Scene((placement or Placement(image.name),))], agent)


def test_a_flat_picture_stands_upright():
    _, seen = one(Picture("letter", LETTER, 0.1), viewfinder(8, 2 * np.arctan(0.5)), standing_back(1, 0.1))
    assert np.allclose(seen.rgb[0, 0], LETTER)
    assert np.allclose(seen.depth, 0.1)
    assert np.allclose(seen.points[..., 2], 0)


def test_a_flat_picture_can_be_moved_turned_and_looked_past():
    placement = Placement("letter", (0.02, 0.01, -0.1), rotation_about((0, 1, 0), 0.5), 2.0)
    frame = rotation_about((0, 1, 0), 0.5)
    centre = np.array(placement.position)
    agent = looking_at((centre + frame @ np.array([0, 0, 0.2]))[None], centre[None])
    _, seen = one(Picture("letter", LETTER, 0.1), viewfinder(16, 2 * np.arctan(1.0)), agent, placement)
    local = (seen.points - centre) @ frame
    assert np.allclose(local[seen.on_object][:, 2], 0)
    assert np.abs(local[seen.on_object][:, :2]).max() < 0.1
    assert seen.on_object.mean() == pytest.approx(0.25)
    assert (seen.depth[~seen.on_object] == 10).all()


def test_paper_counts_as_nothing():
    paper = LETTER.sum(axis=-1) == 0
    _, seen = one(
        Picture("letter", LETTER, 0.1, paper), viewfinder(8, 2 * np.arctan(0.5)), standing_back(1, 0.1)
    )
    assert np.array_equal(~seen.on_object[0, 0], paper)
    assert (seen.object[0, 0][paper] == -1).all()


def photo_of_a_slope(side=64, fov=1.0):
    """A photo of the plane z = -1 + x / 2, taken from the origin."""
    u = (2 * np.arange(side) + 1) / side - 1
    x = np.broadcast_to(np.tan(fov / 2) * u, (side, side))
    # a ray (x, y, -1) t meets -t = -1 + x t / 2
    return Photo("slope", np.stack([x * 0 + 0.5, x * 0, x * 0 + 1], -1), 1 / (1 + x / 2), fov)


def test_points_of_a_photo_do_not_depend_on_where_the_patch_looks():
    world, seen = one(photo_of_a_slope(400), viewfinder(16, 0.2), standing_back(1, 0.0001))
    for yaw in (0.0, 0.2, -0.3):
        seen = world.step(Actions.relative(rotation=yaw_pitch(np.array([yaw]), np.array([0.05]))))
        p = seen.points[seen.on_object]
        assert len(p) > 100
        assert np.abs(p[:, 2] - (-1 + p[:, 0] / 2)).max() < 0.01


def test_a_photo_has_one_point_of_view():
    world, _ = one(photo_of_a_slope(), viewfinder(4, 0.2), standing_back(1, 0.0001))
    with pytest.raises(ValueError, match="turn it, do not move it"):
        world.step(Actions.relative(translation=forward(np.array([0.1]))))


def test_unknown_depth_is_off_the_object(tmp_path):
    colors, steps = np.full((6, 6, 3), 0.5), np.full((6, 6, 1), 800, np.uint16)
    steps[:3] = 0
    write_png(tmp_path / "c.png", colors)
    write_png(tmp_path / "d.png", steps)
    photo = Photo.from_files("p", tmp_path / "c.png", tmp_path / "d.png", field_of_view=0.8)
    _, seen = one(photo, viewfinder(6, 0.8), standing_back(1, 0.0001))
    assert not seen.on_object[0, 0, :3].any()
    assert seen.on_object[0, 0, 3:].all()
    assert np.allclose(seen.depth[0, 0, 3:], 0.8)
    write_png(tmp_path / "d.png", steps[:4])
    with pytest.raises(ValueError, match="one size"):
        Photo.from_files("p", tmp_path / "c.png", tmp_path / "d.png", field_of_view=0.8)


def test_one_picture_a_row():
    world = ImageWorld([Picture("letter", LETTER, 0.1)], viewfinder(4, 1.0))
    with pytest.raises(ValueError, match="shows one a row"):
        world.place(np.ones(1, bool), [Scene((Placement("letter"), Placement("letter")))])
