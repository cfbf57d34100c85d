"""Objects found in a viewfinder on the device, and on the host."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.world import MeshWorld, Placement, Scene, builtin_objects, distant_rig, good_view, viewfinder
from saccade.world.agents import Sighted, inside, looking_at, sighting
from saccade.world.meshes.sight_program import layers

from ..cortex.patches import random_rotations

NAMES = ("mug", "banana", "spoon")


@pytest.mark.parametrize("side", [1, 7, 16])
def test_layers_are_those_that_are_peeled_off_on_the_host(side: int) -> None:
    rng = np.random.default_rng(side)
    masks = rng.random((12, side, side)) < np.linspace(0.3, 0.999, 12)[:, None, None]
    masks[0], masks[1] = True, False
    np.testing.assert_array_equal(jit(layers)(Tensor(masks)).numpy(), inside(masks))


@pytest.mark.parametrize("target", [0, 1, None])
def test_good_views_are_those_of_the_host(target: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """With rows of no object, of one that is out of sight, and of two; and no pixels are read."""
    rows, turns = 7, random_rotations(14, 3)
    scenes = [
        Scene(
            (
                Placement(NAMES[row % 3], rotation=turns[row]),
                Placement(NAMES[(row + 1) % 3], (0.08, 0.02, -0.03), turns[7 + row]),
            )[: row % 3]
        )
        for row in range(rows)
    ]
    rng = np.random.default_rng(0)
    eyes = np.array([0.0, 0.0, 0.4]) + 0.03 * rng.normal(size=(rows, 3))
    aims = 0.03 * rng.normal(size=(rows, 3))
    aims[4] = 5.0
    agent, every, finder = looking_at(eyes, aims), np.ones(rows, bool), viewfinder(resolution=24)
    found = []
    for device in (None, "cpu"):
        world = MeshWorld(builtin_objects(NAMES), distant_rig(1, 4), rows=rows, device=device)
        world.place(every, scenes)
        assert isinstance(world, Sighted)
        sight = world.sight(finder, agent, target)
        wanted = sighting(world.look(finder, agent), target)
        if device is None:
            assert sight is None
        else:
            assert sight is not None
            np.testing.assert_array_equal(sight.found, wanted.found)
            seen = wanted.found
            np.testing.assert_allclose(sight.aim[seen], wanted.aim[seen], rtol=0, atol=1e-13)
            np.testing.assert_allclose(sight.nearest, wanted.nearest, rtol=0, atol=1e-13)
            monkeypatch.setattr(MeshWorld, "look", None)
        found.append(good_view(world, agent, 0.05, target, finder))
    (host, here), (there, also) = found
    np.testing.assert_array_equal(here, also)
    assert here.any()
    assert not here.all()
    np.testing.assert_allclose(host.position, there.position, rtol=0, atol=1e-12)
    np.testing.assert_allclose(host.rotation, there.rotation, rtol=0, atol=1e-12)


def test_a_view_through_several_sensors_is_looked_at_on_the_host() -> None:
    world = MeshWorld(builtin_objects(("mug",)), distant_rig(1, 4), rows=1, device="cpu")
    world.place(np.ones(1, bool), [Scene((Placement("mug"),))])
    assert world.sight(distant_rig(2, 4), looking_at(np.array([[0, 0, 0.3]]), np.zeros((1, 3))), 0) is None
