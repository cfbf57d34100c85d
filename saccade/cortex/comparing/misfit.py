"""Whether two things that lie on each other are one: how far their surfaces are off each other, beside what
noise explains.

In: percepts of a thing, the nodes of a model, and a movement that lays the one on the other. Out: that
movement made exact, the share of both that agrees, and their misfit.

    found = compared(felt, nodes, reach)                 # 0.98 of a knife and a fork lie on each other
    fit = fitted(felt, nodes, found, reach)
    fit.misfit                                           # 2.3; of a knife felt twice 0.3

Nearly all of a fork is within a centimetre of a knife, and all that was felt of a large mug twice may be a
centimetre from the next point of the other time. So distances between points say how densely things were
felt. What tells them apart is the distance of surfaces: how far a point is off the tangent planes of the few
points nearest to it (`misfit_loops.offsets`), whatever their distance along the surface.

Each offset is noisy, and noise is all there is where things are one. So offsets are averaged over patches,
and measured in standard errors: the noise of either sampling is what its points are off its own surface, and
a patch of n and m points has the error sqrt(a^2 / n + b^2 / m). The misfit is the root of the mean square of
that, the larger one of both directions. It is 1 at most between samplings of one surface, and grows with the
difference and with how well it is known: a sensor with 2 mm of noise takes for one what an exact one does
not. What only one of the two has says nothing here; how much of either lies on the other does (`overlap`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.cortex.comparing.misfit_loops import NEAREST, offsets, patches
from saccade.cortex.comparing.overlap import Overlap, shared
from saccade.cortex.fitting.settle import Placed, settle
from saccade.cortex.fitting.surface import ModelSurface, percepts_of
from saccade.cortex.models.model import NodeSet, Observations
from saccade.reproducible import apply, cross, least_squares, matmul, mean, median, norm
from saccade.world.symmetry.symmetry import rotation_about

Floats = npt.NDArray[np.float64]

#: what is no difference, in parts of the reach (0.4 mm of 12.5): poses are not known better
_EXACT = 0.032
#: rounds of ICP that make a movement exact
_ROUNDS = 8
#: offsets count half that are so many times as large as usual; what is usual is this and no less (reach)
_OUTLYING, _USUAL = 3.0, 0.024
#: standard errors that what lies nowhere counts for
_NOWHERE = 3.0
#: movements that bring surfaces so little nearer beside others are left alone
_OPEN = 0.1


@dataclass(frozen=True)
class Fit:
    """How percepts lie on a model, and how far they are off it (1: as far as noise explains)."""

    lies: Overlap
    misfit: float

    @property
    def unexplained(self) -> float:
        """The mean square of offsets in standard errors, where what lies nowhere is as far off as can be."""
        return self.lies.share * self.misfit**2 + (1 - self.lies.share) * _NOWHERE**2


def fitted(percepts: Observations, nodes: NodeSet, begun: Overlap, reach: float) -> Fit:
    """Percepts laid exactly on a model, from `begun` or from what explains them best of that turned about the
    model in all ways, whichever leaves less unexplained."""
    if not len(percepts) or not len(nodes) or not begun.share:
        return Fit(begun, np.inf)
    start = Placed(begun.rotation, begun.translation)
    turned = settle(percepts_of(percepts), ModelSurface.of([nodes], reach), start.packed[None]).poses[0]
    felt, known = _points(percepts), _points(Observations.of(nodes))
    fits: list[Fit] = []
    for pose in (start, turned):
        rotation, translation = _settled(felt, known, pose, reach)
        placed = _moved(felt, rotation, translation)
        misfit = max(_misfit(placed, known, reach), _misfit(known, placed, reach))
        fits.append(Fit(shared(percepts, nodes, rotation, translation, reach), misfit))
    return min(fits, key=lambda fit: fit.unexplained)


def _points(felt: Observations) -> Floats:
    """(n, 6) places and normals."""
    return np.hstack([felt.locations, felt.pose_vectors[:, 0]]).astype(np.float64)


def _moved(points: Floats, rotation: Floats, translation: Floats) -> Floats:
    return np.hstack([apply(rotation, points[:, :3]) + translation, apply(rotation, points[:, 3:])])


def _offsets(points: Floats, others: Floats, reach: float) -> tuple[Floats, Floats]:
    """(n,) how far points are off another surface, NaN where it is out of reach, and (n, 3) across what; off
    their own, each but for itself, where the others are themselves."""
    off, across = np.empty(len(points)), np.empty((len(points), 3))
    own = int(points is others)
    offsets(points, len(points), others, len(others), reach, own, off, across)
    return off, across


def _settled(felt: Floats, known: Floats, begun: Placed, reach: float) -> tuple[Floats, Floats]:
    """The rotation and translation near a pose that take offsets away: robust point-to-plane ICP."""
    rotation, translation = begun.rotation, begun.shift
    felt = _moved(felt, rotation, translation)
    for _ in range(_ROUNDS):
        off, across = _offsets(felt, known, reach)
        near = np.isfinite(off)
        if np.count_nonzero(near) < 6:
            break
        lack, normals, points = -off[near], across[near], felt[near, :3]
        usual = _OUTLYING * (median(np.abs(lack)) + _USUAL * reach)
        weight = 1.0 / np.sqrt(1.0 + (lack / usual) ** 2)
        middle = mean(points, axis=0)
        size = max(float(mean(norm(points - middle))), 1e-6)
        # as in `overlap`: turns in units of the size weigh as much as shifts
        effect = np.hstack([cross((points - middle) / size, normals), normals])
        movement = least_squares(effect * weight[:, None], lack * weight, _OPEN)
        angle = float(norm(movement[:3])) / size
        turn = rotation_about(movement[:3], angle) if angle else np.eye(3)
        shift = middle + movement[3:] - apply(turn, middle)
        rotation, translation = matmul(turn, rotation), apply(turn, translation) + shift
        felt = _moved(felt, turn, shift)
    return rotation, translation


def _misfit(points: Floats, others: Floats, reach: float) -> float:
    """How far patches of points are off another surface, in standard errors; infinity if none is near."""
    off, _ = _offsets(points, others, reach)
    told = np.empty((len(points), 3))
    patches(points, len(points), others, len(others), reach, off, told)
    middle, mine, theirs = told[(told[:, 1] > 0) & (told[:, 2] > 0)].T
    if not len(middle):
        return np.inf
    error = _noise(points, reach) ** 2 / mine + _noise(others, reach) ** 2 / theirs + (_EXACT * reach) ** 2
    return float(np.sqrt(mean(middle * middle / error)))


def _noise(points: Floats, reach: float) -> float:
    """How far a point is off its own surface, as a standard deviation: the mean of the others around it adds
    its own part."""
    off, _ = _offsets(points, points, reach)
    felt = off[np.isfinite(off)]
    return float(np.sqrt(mean(felt * felt) / (1 + 1 / NEAREST))) if len(felt) else 0.0
