"""The pose in which everything that was felt fits an object's model best.

Comes in: all percepts of an episode in the body frame, the model of the object that was recognised, and poses
to begin with (the module's strongest hypotheses). Goes out: poses that differ, the best first, with what each
of them costs.

    surface = ModelSurface.of([nodes], reach=0.0125)
    found = settle(percepts_of(felt), surface, packed(rotations, anchor, locations))
    found.poses[0].rotation, found.poses[0].shift       # object = rotation @ body + shift
    found.margin()                                      # how much more the best other pose costs

Evidence grows step by step, and a hypothesis that was made late has not met what was felt before it. A half
turn of a box explains most steps as well as the truth, and may be the only one left. Here every candidate has
to explain all of it at once: the given poses and these turned about the middle of the model, by parts of a
circle about its own axes and by a net over all rotations. ICP moves them onto a coarse model, the promising
ones onto the whole, and the sum of the truncated squared residuals decides (`settle_loops`): distances from
the surface, normals and colours, each in units of what is usual. Some of the percepts are enough to move a
pose; all of them decide.

All claims of a step are settled together, stage by stage, by a `Fitter`: loops in threads of the host, or
tensor programs where the run has a device of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import overload

import numpy as np
import numpy.typing as npt

from saccade.cortex.fitting.fitter import Fitter, HostFitter
from saccade.cortex.fitting.flat import Indices, Poses, Shared, first_of_each, ranked
from saccade.cortex.fitting.pose_loops import cheapest_of_each, less_the_anchors, turned
from saccade.cortex.fitting.surface import MOST, ModelSurface
from saccade.cortex.goals.questions import cosine_between
from saccade.reproducible import apply, cosine_of
from saccade.reproducible.threads import in_threads, pieces

Floats = npt.NDArray[np.float64]

#: rounds of ICP on the coarse model and on the whole, and percepts that are enough for each
_ROUGH_ROUNDS, _FINE_ROUNDS, _ENOUGH, _PLENTY = 6, 8, 60, 120
#: given poses that are compared and turned, poses that are settled on the coarse model and on the whole, and
#: those told
_GIVEN, _TURNED, _HOPEFUL, _PROMISING, _TOLD = 64, 2, 64, 16, 8
#: poses that are priced by one thread, at least
_PIECE = 256
_NO_POSE, _NOTHING_FREE = np.zeros((0, 12)), np.zeros((0, 8))
_HOST = HostFitter()


@dataclass(frozen=True)
class Placed:
    """object = rotation (3, 3) @ body + shift (3,), and what all percepts cost then, on average."""

    rotation: Floats
    shift: Floats
    cost: float = np.inf

    @staticmethod
    def of(pose: Floats, cost: float) -> Placed:
        """The pose of 12 numbers."""
        return Placed(pose[:9].reshape(3, 3), pose[9:], cost)

    @property
    def packed(self) -> Floats:
        """(12,) the rotation, row after row, and the shift."""
        return np.concatenate([self.rotation.reshape(9), self.shift])


def packed(rotations: Floats, anchor: Floats, locations: Floats) -> Floats:
    """(K, 12) the poses of hypotheses (K, 3, 3), (K, 3): body point `anchor`, (3,) or (K, 3), lies at their
    location."""
    turns = np.asarray(rotations, np.float64)
    return np.concatenate([turns.reshape(-1, 9), locations - apply(turns, anchor)], axis=1)


def packed_each(rotations: Sequence[Floats], anchors: Floats, locations: Sequence[Floats]) -> list[Floats]:
    """(K, 12) each: as `packed`, of hypotheses (K, 3, 3) and (K, 3) of many lists, each of which has an
    anchor (N, 3). One pass over hundreds of thousands of poses, in the memory that they stay in."""
    bounds = np.cumsum([0, *map(len, locations)])
    poses = np.empty((int(bounds[-1]), 12))
    np.concatenate([each.reshape(-1, 9) for each in rotations], out=poses[:, :9])
    np.concatenate(locations, out=poses[:, 9:])
    less_the_anchors(poses, bounds, len(locations), np.ascontiguousarray(anchors, np.float64))
    return [poses[begin:end] for begin, end in pairwise(bounds.tolist())]


class Ranked(Sequence[Placed]):
    """Poses (K, 12) and what they cost (K,), as a sequence: thousands are found in a step, and few are looked
    at one by one. cosines (K,): of the angles by which they are turned against the first."""

    def __init__(self, packed: Floats, costs: Floats, cosines: Floats | None = None) -> None:
        self.packed, self.costs = packed, costs
        self.cosines = _cosines(packed, packed[:1]) if cosines is None else cosines

    @staticmethod
    def of(poses: Sequence[Placed]) -> Ranked:
        """The same as any sequence of poses."""
        if isinstance(poses, Ranked):
            return poses
        packed = np.array([each.packed for each in poses]).reshape(-1, 12)
        return Ranked(packed, np.array([each.cost for each in poses], np.float64))

    def __len__(self) -> int:
        return len(self.costs)

    @overload
    def __getitem__(self, which: int) -> Placed: ...

    @overload
    def __getitem__(self, which: slice) -> Ranked: ...

    def __getitem__(self, which: int | slice) -> Placed | Ranked:
        if isinstance(which, slice):
            return Ranked(self.packed[which], self.costs[which])
        return Placed.of(self.packed[which], float(self.costs[which]))


@dataclass(frozen=True)
class Settled:
    """Poses that differ, the best first; `percepts` is how many there were to explain."""

    poses: Sequence[Placed]
    percepts: int

    @cached_property
    def ranked(self) -> Ranked:
        """The poses as arrays."""
        return Ranked.of(self.poses)

    @property
    def packed(self) -> Floats:
        """(K, 12) all of them."""
        return self.ranked.packed

    def _turned(self, angle: float) -> Indices:
        """Which poses are turned by more than `angle` radians against the first."""
        return np.flatnonzero(self.ranked.cosines < cosine_of(angle))

    def margin(self, angle: float) -> float:
        """What all percepts together cost more in the best pose that is turned by more than `angle` radians
        against the first; infinity if none is."""
        turned, costs = self._turned(angle), self.ranked.costs
        return (float(costs[turned[0]]) - float(costs[0])) * self.percepts if len(turned) else np.inf

    def rivals(self, angle: float) -> list[Placed]:
        """All poses that are turned by more than `angle` radians against the first, the best first."""
        return [self.ranked[int(each)] for each in self._turned(angle)]

    def within(self, margin: float) -> Floats:
        """(K, 3, 3) the rotations of the poses in which all percepts together cost at most so much more than
        in the first."""
        least = self.poses[0].cost
        return np.array(
            [each.rotation for each in self.poses if (each.cost - least) * self.percepts <= margin]
        )


@dataclass(frozen=True)
class Claim:
    """What was felt, percepts (P, 9), is to be explained by a surface from some poses to begin with, given
    (K, 12), the most likely first. `before`: what was found from part of the percepts; its poses are settled
    again. `free` (Q, 8): lines of sight that met nothing; a pose that puts a surface into one pays for it as
    for a percept that fits nowhere. Without `search` no turns of given poses are tried, which is quick."""

    percepts: Floats
    surface: ModelSurface
    given: Floats
    before: Settled | None = None
    free: Floats | None = None
    search: bool = True


def settle(
    percepts: Floats,
    surface: ModelSurface,
    given: Floats,
    before: Settled | None = None,
    free: Floats | None = None,
    search: bool = True,
) -> Settled:
    """The poses that explain best what was felt: `settle_all` of one claim."""
    return settle_all([Claim(percepts, surface, given, before, free, search)])[0]


def settle_all(claims: Sequence[Claim], fitter: Fitter = _HOST) -> list[Settled]:
    """The poses that explain best what was felt, of each of the claims."""
    found = iter(_settled([each for each in claims if _is_open(each)], fitter))
    return [next(found) if _is_open(each) else _as_given(each) for each in claims]


def _is_open(claim: Claim) -> bool:
    """Whether something was felt and some pose is given."""
    return bool(len(claim.percepts) and len(claim.given))


def _as_given(claim: Claim) -> Settled:
    """Nothing says more than the poses to begin with."""
    return Settled(Ranked(claim.given, np.full(len(claim.given), np.inf)), len(claim.percepts))


def _settled(claims: Sequence[Claim], fitter: Fitter) -> list[Settled]:
    """The same where something was felt and some pose is given."""
    if not claims:
        return []
    surfaces = [each.surface for each in claims]
    felt = Shared.among([each.percepts for each in claims])
    free = Shared.among([_NOTHING_FREE if each.free is None else each.free for each in claims])
    tried = Poses.each([each.given for each in claims])
    # most hypotheses are one of a few poses, a little off
    tried = tried[tried.distinct(_GIVEN)]
    few = felt.some(_ENOUGH)
    best = _cheapest(tried, fitter.costs("fine", surfaces, few, tried, _TURNED), _TURNED)
    known = Poses.each([_NO_POSE if each.before is None else each.before.packed for each in claims])
    # what was found before is turned, and beside it the best of the poses that are given now
    turned = Poses.joined(known[first_of_each(known.claim, 1)], best)
    others = _searched(claims, surfaces, few, tried, turned, fitter)
    begun = Poses.joined(best, known, others)
    placed, cost = fitter.laid(surfaces, felt.some(_PLENTY), felt, free, best, begun, _FINE_ROUNDS)
    order = ranked(placed.claim, cost)
    order = order[placed[order].distinct(_TOLD)]
    claim, values, cost = placed.claim[order], placed.values[order], cost[order]
    bounds = np.searchsorted(claim, np.arange(len(claims) + 1))
    cosines = _cosines(values, values[bounds[claim]])
    return [
        Settled(Ranked(values[low:high], cost[low:high], cosines[low:high]), len(each.percepts))
        for each, low, high in zip(claims, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]


def _cosines(poses: Floats, others: Floats) -> Floats:
    """(K,) of the angles between the rotations of poses (K, 12) and of others."""
    return cosine_between(poses[:, :9].reshape(-1, 3, 3), others[:, :9].reshape(-1, 3, 3))


def _cheapest(poses: Poses, cost: Floats, most: int) -> Poses:
    """At most so many of the poses of each claim, those that cost (N,) least, the best first."""
    bounds = poses.bounds
    claims = len(bounds) - 1
    kept, count = np.empty((claims, most), np.int64), np.empty(claims, np.int64)
    costs, flat = np.ascontiguousarray(cost), kept.reshape(-1)
    in_threads(
        lambda low, high: cheapest_of_each(costs, bounds, low, high, most, flat, count), *pieces(claims)
    )
    return poses[kept[np.arange(most) < count[:, None]]]


def _searched(
    claims: Sequence[Claim],
    surfaces: Sequence[ModelSurface],
    few: Shared,
    tried: Poses,
    best: Poses,
    fitter: Fitter,
) -> Poses:
    """The poses tried, and the turns of the best, of claims that search in which some of the percepts fit a
    coarse model best."""
    searching = np.array([each.search for each in claims])
    tried, best = (each[np.flatnonzero(searching[each.claim])] for each in (tried, best))
    if not len(best.claim):
        return best
    # what is long and a few degrees off fits nowhere on the whole model, and comes to fit on the coarse one
    turned = Poses.joined(tried, _turns_of(best, surfaces, [each.turns for each in surfaces]))
    hopeful = _cheapest(turned, fitter.costs("coarse", surfaces, few, turned, _HOPEFUL), _HOPEFUL)
    rough, cost = fitter.roughly(surfaces, few, hopeful, _ROUGH_ROUNDS)
    rough = rough[ranked(rough.claim, cost)]
    promising = rough[rough.distinct(_PROMISING)]
    # ICP does not turn what is round; small turns of it differ by colour alone
    likeliest = best[first_of_each(best.claim, 1)]
    small = _turns_of(likeliest, surfaces, [each.small_turns for each in surfaces])
    small = small[ranked(small.claim, fitter.costs("fine", surfaces, few, small))]
    return Poses.joined(promising, small[small.distinct(_TOLD)])


def _turns_of(poses: Poses, surfaces: Sequence[ModelSurface], turns: Sequence[Floats]) -> Poses:
    """The poses turned about the middle of their models in the ways (K, 3, 3) of their claims."""
    ways = np.array([len(turns[claim]) for claim in poses.claim.tolist()])
    ends, found = np.cumsum(ways), np.empty((int(np.cumsum(ways)[-1]), 12))
    values = np.ascontiguousarray(poses.values)

    def turn(first: int, last: int) -> None:
        for pose in range(first, last):
            claim = int(poses.claim[pose])
            into = found[ends[pose] - ways[pose] : ends[pose]]
            turned(values, pose, pose + 1, turns[claim], len(into), surfaces[claim].middle, into)

    in_threads(turn, *pieces(len(values)))
    return Poses(np.repeat(poses.claim, ways), found)


def alike(percepts: Floats, surface: ModelSurface, found: Settled, margin: float, free: Floats) -> Floats:
    """(K, 3, 3) the rotations in which all percepts (P, 9), and lines of sight free (Q, 8), cost at most
    `margin` more than in the best pose found: that one turned about the middle of the model in all ways, by
    small turns about its axes and by a net whose poses that do are turned further by small amounts."""
    first = found.poses[0]
    limit = first.cost + margin / max(found.percepts, 1)

    def kept(poses: Floats) -> Floats:
        def part(low: int, high: int) -> Floats:
            some = poses[low:high]
            # nearly all of them are given up after a few percepts
            cost = surface.fine.told(percepts, some, limit=limit)
            some, cost = some[cost <= limit], cost[cost <= limit]
            crossed = surface.shell.crossed(free, some)
            return some[cost + MOST * crossed / max(len(percepts), 1) <= limit]

        return np.concatenate([_NO_POSE, *in_threads(part, *pieces(len(poses), _PIECE))])

    net = kept(_turned(first.packed, surface, surface.turns))
    fine = kept(_turned(first.packed, surface, surface.small_turns))
    near = kept(np.concatenate([_NO_POSE, *(_turned(pose, surface, surface.near_turns) for pose in net)]))
    others = [each.packed[None] for each in found.poses if each.cost <= limit]
    every = np.concatenate([*others, fine, net, near])
    return every[:, :9].reshape(-1, 3, 3)


def _turned(pose: Floats, surface: ModelSurface, turns: Floats) -> Floats:
    """A pose (12,) turned about the middle of the model in some ways (K, 3, 3): (K, 12)."""
    found = np.empty((len(turns), 12))
    turned(pose, 0, 1, turns, len(turns), surface.middle, found)
    return found
