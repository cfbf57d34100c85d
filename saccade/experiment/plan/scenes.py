"""Episodes as scenes of a world: what stands where, and where the agent begins.

In: episodes and a world that knows their objects. Out: scenes, and start poses from which the object is in
good view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.experiment.plan.places import around
from saccade.experiment.plan.plan import Episode
from saccade.experiment.plan.rotations import Matrix, random_rotation
from saccade.experiment.plan.seeds import draws_of
from saccade.reproducible import apply, matmul
from saccade.world.agents import good_view, standing_back
from saccade.world.protocol import Placement, Pose, Scene, World

# Metres of the first look from the object.
FIRST_LOOK = 0.6


@dataclass(frozen=True)
class Starts:
    """poses (R,) of the agents; found (R,) whether the object is in view from there."""

    poses: Pose
    found: npt.NDArray[np.bool_]


def episode_number(episode: Episode) -> int:
    """A number below 2**32 that names the episode within its run, for random numbers that belong to it."""
    return episode.index + (2**31 if episode.phase == "eval" else 0)


def scene_of(episode: Episode) -> Scene:
    """The object in the middle; beside it the others of its scene, or distractors in a circle around it,
    begun at a random place, each turned at random."""
    placed = [Placement(episode.object, rotation=episode.rotation), *episode.beside]
    draws = draws_of(episode.seed, "distractors")
    places = around(len(episode.distractors), 2 * np.pi * float(draws.uniform()))
    placed += [
        Placement(name, where, random_rotation(draws)) for name, where in zip(episode.distractors, places)
    ]
    return Scene(tuple(placed), episode.seed)


Scenery = Callable[[Episode], Scene]


def starting_poses(
    world: World, episodes: Sequence[Episode], distance: float, scene: Scenery = scene_of
) -> Starts:
    """For one episode per row, the pose from which its object is seen well, `distance` metres away."""
    everywhere = np.ones(world.rows, bool)
    world.place(everywhere, [scene(episode) for episode in episodes])
    return starting_poses_from(world, np.eye(3), distance)


def starting_poses_from(world: World, view: Matrix, distance: float) -> Starts:
    """Where the agents see what stands in the world as if it had been turned by `view` (3, 3) in front of
    them: the objects stay, the agents go around them.
    """
    front = standing_back(world.rows, FIRST_LOOK)
    agent = Pose(apply(view.T, front.position), matmul(view.T, front.rotation))
    return Starts(*good_view(world, agent, distance))
