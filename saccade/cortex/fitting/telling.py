"""What tells two poses apart: where to look, and whether any look can.

Comes in: models in poses (`ModelSurface`, `Placed`). Goes out: next best views, and whether the motion from
one pose to the other is a symmetry of the model.

    places = telling((surface, best), (surface, rival), most=3)     # [(place, normal)], body frame
    is_own_symmetry(surface, best, rival)                           # no look can tell

Both lay the nodes of one as percepts on the other. Nodes lie a few millimetres apart, and what was learned
has holes, so some nodes are strangers to the rest of their own model, too. A motion after which there are no
more of them maps the model onto itself as well as the model knows itself: its shape and its colours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.pose_loops import as_percepts, mean_around, most_telling
from saccade.cortex.fitting.settle import Placed
from saccade.cortex.fitting.surface import PLACE, ModelSurface

Floats = npt.NDArray[np.float64]
Laid = tuple[ModelSurface, Placed]
Place = tuple[Floats, Floats]

#: how many more of the nodes may be strangers in the other pose than on their own model. Ten scans: turns of
#: bowl, die and golf ball 0.013 more at most, half turns of brick, mug, bottle and can 0.034 more at least
OWN = 0.02


def telling(one: Laid, two: Laid, most: int = 1, seen: Sequence[Floats] = ()) -> list[Place]:
    """At most so many places where two models in their poses, or two poses of one, differ most in place or
    colour: nodes that cost most as percepts of the other, together with those around them, as places (3,) and
    normals (3,) in the body frame. `seen`: places (3,) that are left out, with what is near them."""
    percepts, worth = [], []
    for (surface, own), (foreign, other) in ((one, two), (two, one)):
        laid = _as_percepts(surface, own)
        percepts.append(laid)
        worth.append(_around(surface, foreign.fine.each(laid, other.packed)))
    places, value = np.concatenate(percepts), np.concatenate(worth)
    near, found = (PLACE * _reach(one[0])) ** 2, np.empty(most, np.int64)
    avoided = np.array(seen, np.float64).reshape(-1, 3)
    most_telling(places, len(places), avoided, len(avoided), near, most, value, found)
    return [(places[number, :3], places[number, 3:6]) for number in found.tolist() if number >= 0]


def is_own_symmetry(surface: ModelSurface, one: Placed, two: Placed) -> bool:
    """Whether the motion between two poses maps a model onto itself as well as it knows itself."""
    return are_alike((surface, one), (surface, two))


def are_alike(one: Laid, two: Laid) -> bool:
    """Whether two models in their poses, or two poses of one, lie on each other as well as they know
    themselves. Most that are asked about do not, and are left as soon as there are too many strangers."""
    scale = float(one[0].fine.scales[5])
    number = sum(len(surface.some) for surface, _ in (one, two))
    left = _most(number, max(surface.fine.own_strangers for surface, _ in (one, two)) + OWN)
    for (surface, own), (foreign, other) in ((one, two), (two, one)):
        laid = _as_percepts(surface, own)
        left -= foreign.fine.count_strangers(laid, other.packed, scale, left)
        if left < 0:
            return False
    return True


def _most(number: int, share: float) -> int:
    """The most of a number that are a share of at most so much."""
    most = int(share * number) + 1
    while most / number > share:
        most -= 1
    return most


def _reach(surface: ModelSurface) -> float:
    return float(surface.fine.scales[0])


def _as_percepts(surface: ModelSurface, pose: Placed) -> Floats:
    """(K, 9) nodes of a model in a pose as percepts, in the body frame."""
    nodes, laid = surface.some, np.empty(surface.some.shape)
    as_percepts(nodes, len(nodes), pose.packed, laid)
    return laid


def _around(surface: ModelSurface, costs: Floats) -> Floats:
    """(K,) the mean of the costs (K,) of what is near each place: one node that fits nowhere is often a fault
    of the model, many are a handle."""
    averaged = np.empty(len(costs))
    mean_around(*surface.near, len(costs), costs, np.empty(len(costs)), averaged)
    return averaged
