"""Episodes as scenes of a world: what stands where, and where the agent begins.

In: episodes and a world that knows their objects. Out: scenes, and start poses from which the object is in
good view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.experiment.plan.plan import Episode
from saccade.experiment.plan.rotations import Matrix, random_rotation
from saccade.experiment.plan.seeds import draws_of
from saccade.reproducible import apply, cos_sin, matmul, sin
from saccade.world.agents import good_view, standing_back
from saccade.world.protocol import Placement, Pose, Scene, World

# Metres between the middles of the things in a scene, at least, and of the first look from the object.
DISTANCE, FIRST_LOOK = 0.3, 0.6


@dataclass(frozen=True)
class Starts:
    """poses (R,) of the agents; found (R,) whether the object is in view from there."""

    poses: Pose
    found: npt.NDArray[np.bool_]


def episode_number(episode: Episode) -> int:
    """A number below 2**32 that names the episode within its run, for random numbers that belong to it."""
    return episode.index + (2**31 if episode.phase == "eval" else 0)


def scene_of(episode: Episode) -> Scene:
    """The object in the middle, distractors in a circle around it: equally far from each other, begun at a
    random place, each turned at random."""
    placed = [Placement(episode.object, rotation=episode.rotation)]
    draws = draws_of(episode.seed, "distractors")
    first, count = 2 * np.pi * float(draws.uniform()), len(episode.distractors)
    # so wide that neighbours are as far from each other as from the object
    radius = DISTANCE if count < 2 else max(DISTANCE, DISTANCE / 2 / float(sin(np.pi / count)))
    for number, name in enumerate(episode.distractors):
        cosine, sine = cos_sin(first + 2 * np.pi * number / count)
        where = (float(radius * cosine), 0.0, float(radius * sine))
        placed.append(Placement(name, where, random_rotation(draws)))
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
