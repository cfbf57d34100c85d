"""Lines of sight meet the cells that a model fills, and no others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.fitting.free_space import CLEAR, SLACK, Shell, crossings, lines_of_sight
from saccade.world.symmetry.symmetry import rotation_about

EDGE, REACH = 0.005, 0.0125
STILL = np.concatenate([np.eye(3).reshape(9), np.zeros(3)])


def plate() -> Shell:
    """A square of 10 cm in the plane z = 0, seen from above."""
    across = np.arange(-0.05, 0.05, EDGE / 2)
    x, y = np.meshgrid(across, across)
    places = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    return Shell.of(np.concatenate([places, np.tile([0.0, 0.0, 1.0], (x.size, 1))], axis=1), EDGE)


def sight(x: float, free: float = np.inf, tangent: float = 1.0) -> npt.NDArray[np.float64]:
    """Down from 30 cm above the plate at (x, 0)."""
    eye, down = np.array([[[x, 0.001, 0.3]]]), np.array([[[0.0, 0.0, -1.0]]])
    return lines_of_sight(eye, down, np.full((1, 1), free), np.full(1, tangent), REACH)[0]


def test_a_line_that_went_through_is_told_and_one_beside_is_not() -> None:
    sights = np.concatenate([sight(0.0), sight(0.04), sight(0.06)])
    assert plate().crossed(sights, STILL[None]).tolist() == [2.0]
    aside = STILL.copy()
    aside[9] = 0.03  # the plate is 3 cm to the other side
    along = np.concatenate([rotation_about((1, 0, 0), np.pi / 2).reshape(9), [0.0, 0.3, 0.02]])
    assert plate().crossed(sights, np.stack([aside, along])).tolist() == [1.0, 0.0]


def test_a_line_that_begins_behind_the_surface_says_nothing() -> None:
    """A sensor within a solid sees nothing of it: surfaces are seen from outside."""
    upside_down = np.concatenate([rotation_about((1, 0, 0), np.pi).reshape(9), np.zeros(3)])
    poses = np.stack([STILL, upside_down])
    assert plate().crossed(sight(0.0), poses).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("seen", "crossed"), [(0.3, 0), (0.3 + SLACK * REACH / 2, 0), (0.33, 1)])
def test_what_was_met_and_a_little_before_it_is_not_free(seen: float, crossed: int) -> None:
    assert plate().crossed(sight(0.0, seen), STILL[None]).tolist() == [crossed]


def test_near_the_sensor_the_patch_is_narrower_than_a_pose_may_be_off() -> None:
    narrow = CLEAR * REACH / 0.31  # wide enough only behind the plate
    assert plate().crossed(sight(0.0, tangent=narrow), STILL[None]).tolist() == [0]
    assert plate().crossed(sight(0.0, tangent=2 * narrow), STILL[None]).tolist() == [1]


def test_the_compiled_loop_does_what_python_does() -> None:
    random = np.random.default_rng(0)
    shell = Shell.of(random.normal(size=(60, 6)) * 0.02, EDGE)
    ahead = random.normal(size=(8, 3))
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    sights = np.concatenate([-0.1 * ahead, ahead, np.zeros((8, 1)), np.full((8, 1), 0.3)], axis=1)
    sights[0, 3:6] = [0.0, 0.0, 1.0]  # along an axis of the grid
    poses = np.stack([STILL, np.concatenate([rotation_about((1, 2, 3), 1.0).reshape(9), [0.01, 0, 0]])])
    told = np.empty(2), np.empty(2)
    points = shell.points.ravel(), len(shell.points)
    arguments = sights.ravel(), 8, poses.ravel(), 2, *points, shell.filled, shell.grid, shell.extent
    crossings(*arguments, told[0])
    crossings.python(*arguments, told[1])
    np.testing.assert_array_equal(*told)
    assert told[0].sum() > 0
