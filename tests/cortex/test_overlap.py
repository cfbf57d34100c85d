"""Two explorations of one thing lie on each other; parts, other colours, shapes and sizes do not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.comparing.overlap import compared, overlap
from saccade.cortex.geometry import euler_to_matrix
from saccade.cortex.models.model import NodeSet, Observations

Floats = npt.NDArray[np.float64]
REACH = 0.0125


def felt(normal: Floats, points: Floats, hue: Floats, noise: float = 0.001) -> Observations:
    """Percepts of a surface with a little noise."""
    first = np.cross(normal, [0.31, 0.42, 0.85])
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    shaken = points + np.random.default_rng(9).normal(0.0, noise, points.shape)
    colour = np.stack([hue, np.full(len(hue), 0.8), np.full(len(hue), 0.7)], axis=1)
    vectors = np.stack([normal, first, np.cross(normal, first)], axis=1)
    return Observations(shaken, vectors, np.ones(len(normal), bool), {"hsv": colour})


def ellipsoid(
    seed: int, axes: tuple[float, float, float] = (0.03, 0.05, 0.08), hue: float = 0.1
) -> Observations:
    """A body that no turn but half ones maps onto itself, with one end of another colour, so none does."""
    direction = np.random.default_rng(seed).normal(size=(700, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    normal = direction / np.array(axes)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    end = (direction[:, 2] > 0.5) | ((direction[:, 0] > 0.5) & (direction[:, 2] > 0))
    return felt(normal, direction * np.array(axes), np.where(end, (hue + 0.4) % 1.0, hue))


def nodes(seen: Observations) -> NodeSet:
    return NodeSet(
        seen.locations.astype(np.float32),
        seen.pose_vectors.astype(np.float32),
        seen.fully_defined,
        {name: value.astype(np.float32) for name, value in seen.features.items()},
    )


def angle(one: Floats, other: Floats) -> float:
    return float(np.degrees(np.arccos(np.clip((np.trace(one @ other.T) - 1) / 2, -1, 1))))


def part(seen: Observations, chosen: npt.NDArray[np.bool_]) -> Observations:
    features = {name: value[chosen] for name, value in seen.features.items()}
    return Observations(
        seen.locations[chosen], seen.pose_vectors[chosen], seen.fully_defined[chosen], features
    )


def test_a_pose_that_is_off_by_some_degrees_and_a_centimetre_is_settled() -> None:
    model, again = nodes(ellipsoid(1)), ellipsoid(2)
    off, away = euler_to_matrix([8.0, -5.0, 6.0]), np.array([0.005, -0.006, 0.004])
    found = overlap(again.in_object_frame(off, np.zeros(3), away), model, REACH)
    assert angle(found.rotation, off.T) < 1.5
    np.testing.assert_allclose(found.translation, -off.T @ away, atol=0.001)
    assert found.share > 0.97
    placed = found.moved(again.in_object_frame(off, np.zeros(3), away))
    assert np.abs(placed.locations - again.locations).max() < 0.004


@pytest.mark.parametrize("angles", [(100.0, 20.0, 250.0), (0.0, 180.0, 0.0), (33.0, 290.0, 71.0)])
def test_how_it_lies_is_found_from_nothing(angles: tuple[float, float, float]) -> None:
    model, again = nodes(ellipsoid(1)), ellipsoid(2)
    turned, centre = euler_to_matrix(angles), np.array([0.4, -0.2, 0.1])
    found = compared(again.in_object_frame(turned, np.zeros(3), centre), model, REACH)
    assert found.share > 0.97
    # half turns about an axis differ in where the other colour is, and in nothing else
    assert angle(found.rotation, turned.T) < 2.0
    np.testing.assert_allclose(found.rotation @ centre + found.translation, 0.0, atol=0.002)


def test_part_of_a_thing_is_not_the_thing() -> None:
    whole = ellipsoid(1)
    half = part(ellipsoid(2), ellipsoid(2).locations[:, 2] > 0)
    assert overlap(half, nodes(whole), REACH).share < 0.7
    assert overlap(whole, nodes(half), REACH).share < 0.7


def test_another_colour_shape_or_size_is_another_thing() -> None:
    model = nodes(ellipsoid(1))
    assert compared(ellipsoid(2, hue=0.6), model, REACH).share < 0.2
    assert compared(ellipsoid(2, axes=(0.05, 0.05, 0.05)), model, REACH).share < 0.6
    assert compared(ellipsoid(2, axes=(0.06, 0.1, 0.16)), model, REACH).share == 0.0


def test_what_faces_the_other_way_does_not_agree() -> None:
    outside = ellipsoid(1)
    inside = Observations(
        outside.locations, -outside.pose_vectors, outside.fully_defined, dict(outside.features)
    )
    assert overlap(inside, nodes(outside), REACH).share < 0.05


def ball(seed: int) -> Observations:
    direction = np.random.default_rng(seed).normal(size=(500, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return felt(direction, 0.04 * direction, np.full(500, 0.3))


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_turn_that_the_surface_leaves_open_is_not_made(seed: int) -> None:
    """Were it left to the noise, these balls would turn by 14, 13 and 6 degrees."""
    shifted = ball(seed + 10).in_object_frame(np.eye(3), np.zeros(3), np.array([0.004, 0.0, 0.0]))
    found = overlap(shifted, nodes(ball(seed)), REACH)
    assert angle(found.rotation, np.eye(3)) < 3.0
    np.testing.assert_allclose(found.translation, [-0.004, 0.0, 0.0], atol=1e-3)


def test_without_colour_shape_alone_counts() -> None:
    def bare(seen: Observations) -> Observations:
        return Observations(seen.locations, seen.pose_vectors, seen.fully_defined, {})

    assert overlap(bare(ellipsoid(2, hue=0.6)), nodes(bare(ellipsoid(1))), REACH).share > 0.97


def test_nothing_felt_lies_on_nothing() -> None:
    nothing = part(ellipsoid(1), np.zeros(700, bool))
    assert overlap(nothing, nodes(ellipsoid(1)), REACH).share == 0.0
    assert compared(nothing, nodes(ellipsoid(1)), REACH).share == 0.0
