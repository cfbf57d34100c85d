"""Surfaces that lie on each other are one thing where noise explains how far they are apart, however densely
they were felt."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.comparing.misfit import fitted
from saccade.cortex.comparing.misfit_loops import offsets, patches
from saccade.cortex.comparing.overlap import NOTHING, overlap
from saccade.cortex.geometry import euler_to_matrix
from saccade.cortex.models.model import NodeSet, Observations

Floats = npt.NDArray[np.float64]
REACH = 0.0125


def handle(seed: int, count: int = 500, noise: float = 0.0005, bent: float = 0.0) -> Observations:
    """A flat bar, 160 x 24 x 6 mm with an elliptic cross-section that is wider at one end, felt at random;
    `bent`: metres that its ends are out of line."""
    draw = np.random.default_rng(seed)
    along, angle = draw.uniform(-1.0, 1.0, count), draw.uniform(0.0, 2 * np.pi, count)
    wide = 0.012 * (1 + 0.4 * along)
    across, up = wide * np.cos(angle), 0.003 * np.sin(angle)
    normal = np.stack([np.zeros(count), np.cos(angle) / wide, np.sin(angle) / 0.003], axis=1)
    # normals of the bent bar: its slope is 2 bent along / 0.08
    normal[:, 0] = -normal[:, 2] * 2 * bent * along / 0.08
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    first = np.cross(normal, [0.31, 0.42, 0.85])
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    points = np.stack([0.08 * along, across, up + bent * along**2], axis=1)
    points += draw.normal(0.0, noise, points.shape)
    vectors = np.stack([normal, first, np.cross(normal, first)], axis=1)
    return Observations(points, vectors, np.ones(count, bool), {})


def nodes(seen: Observations) -> NodeSet:
    places, vectors = seen.locations.astype(np.float32), seen.pose_vectors.astype(np.float32)
    return NodeSet(places, vectors, seen.fully_defined, {})


def misfit(again: Observations, first: Observations) -> float:
    model = nodes(first)
    return fitted(again, model, overlap(again, model, REACH), REACH).misfit


def test_a_bent_handle_lies_on_a_straight_one_and_is_another() -> None:
    straight, bent = nodes(handle(1)), handle(2, bent=0.005)
    fit = fitted(bent, straight, overlap(bent, straight, REACH), REACH)
    assert fit.lies.share > 0.97
    assert fit.misfit > 1.5
    assert misfit(handle(2), handle(1)) < 0.9


@pytest.mark.parametrize("count", [80, 1200])
def test_how_densely_a_thing_was_felt_does_not_make_it_another(count: int) -> None:
    assert misfit(handle(2, count), handle(1)) < 0.9
    assert misfit(handle(1), handle(2, count)) < 0.9


def test_what_noise_explains_is_no_difference() -> None:
    assert misfit(handle(2, noise=0.002), handle(1, noise=0.002)) < 1.1
    # with that noise a bend is hardly seen that is plain without
    slight = [misfit(handle(2, noise=noise, bent=0.0025), handle(1, noise=noise)) for noise in (2e-3, 1e-4)]
    assert slight[0] < 1.2 < slight[1]


def test_a_pose_that_is_a_little_off_is_made_exact() -> None:
    turned, away = euler_to_matrix([2.0, -3.0, 2.0]), np.array([0.002, -0.001, 0.002])
    off = handle(2).in_object_frame(turned, np.zeros(3), away)
    fit = fitted(off, nodes(handle(1)), overlap(off, nodes(handle(1)), REACH), REACH)
    assert fit.misfit < 0.9
    cosine = (np.trace(fit.lies.rotation @ turned) - 1) / 2
    assert np.degrees(np.arccos(np.clip(cosine, -1, 1))) < 1.0


def test_what_lies_nowhere_fits_nowhere() -> None:
    assert fitted(handle(1), nodes(handle(1)), NOTHING, REACH).misfit == np.inf


def test_points_of_a_sphere_are_not_off_it_and_loops_say_what_their_python_says() -> None:
    direction = np.random.default_rng(3).normal(size=(60, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    ball = np.hstack([0.02 * direction, direction])
    told = []
    for loop, average in ((offsets, patches), (offsets.python, patches.python)):
        off, across, means = np.empty(60), np.empty((60, 3)), np.empty((60, 3))
        with np.errstate(invalid="ignore"):
            loop(ball.reshape(-1), 60, ball.reshape(-1), 60, 0.01, 1, off, across.reshape(-1))
        average(ball.reshape(-1), 60, ball.reshape(-1), 60, 0.01, off, means.reshape(-1))
        told.append((off, across, means))
    for one, other in zip(*told):
        np.testing.assert_array_equal(one, other)
    near = told[0][0][np.isfinite(told[0][0])]
    assert len(near) > 40
    np.testing.assert_allclose(near, 0.0, atol=1e-15)
