"""Poses to begin with that come from what was felt alone: point pair features (PPF).

Comes in: percepts (P, 9) and some nodes of a model. Goes out: poses (K, 12) that lay a pair of percepts on a
pair of nodes that is like it.

    pairs = NodePairs.of(surface.fine.nodes)
    pairs.poses(percepts_of(felt), reach=0.0125)

Hypotheses are lost where evidence has misled, and turns of a wrong pose about the middle of a large model
leave its place wrong. Two percepts, with their normals, say where the object is and how it is turned for
every pair of nodes that is as far apart and whose normals lie alike: |d|, the angles of both normals with d
and the angle between them. Pairs far apart on sides that differ have the fewest such pairs, so these are
asked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.reproducible import apply, cross, dot, matmul, norm

Floats = npt.NDArray[np.float64]

#: pairs of percepts that are asked, and pairs of nodes for each, those that are most like it
_PAIRS, _LIKE = 6, 200
#: nodes of a model whose pairs are known
_NODES = 200
#: a pair differs by one where it is longer by so many parts of the reach, or a cosine differs by so much
_LENGTH, _COSINE = 0.4, 0.2
#: sum of squares of such differences at which pairs are no longer alike
_ALIKE = 6.0
_NO_POSE = np.zeros((0, 12))


@dataclass(frozen=True)
class NodePairs:
    """Some nodes (K, 9) of a model, and all pairs of them, the shortest first: ends (2, K * K), the numbers
    of both nodes, and features (K * K, 4), in single precision."""

    nodes: Floats
    ends: npt.NDArray[np.int32]
    features: npt.NDArray[np.float32]

    @staticmethod
    def of(nodes: Floats) -> NodePairs:
        """Of nodes from all over a model."""
        some = nodes[:: -(-len(nodes) // _NODES)]
        ends = np.stack(np.divmod(np.arange(len(some) ** 2, dtype=np.int32), len(some)))
        features = pair_features(some[ends[0]], some[ends[1]]).astype(np.float32)
        order = np.argsort(features[:, 0], kind="stable")
        return NodePairs(some, ends[:, order], features[order])

    def poses(self, percepts: Floats, reach: float) -> Floats:
        """(K, 12) the poses in which one of the pairs of percepts (P, 9) lies on a pair of nodes that is like
        it; of each pair the most alike first."""
        found = [_NO_POSE]
        for first, second in _telling_pairs(percepts):
            one, two = percepts[first : first + 1], percepts[second : second + 1]
            asked = pair_features(one, two)[0]
            farther = asked[0] + np.array([-1.0, 1.0]) * _LENGTH * reach * _ALIKE**0.5
            low, high = np.searchsorted(self.features[:, 0], farther).tolist()
            away = (self.features[low:high] - asked) / (_LENGTH * reach, _COSINE, _COSINE, _COSINE)
            unlike = dot(away, away)
            order = np.argsort(unlike, kind="stable")[:_LIKE]
            start, end = self.ends[:, low + order[unlike[order] < _ALIKE]]
            found.append(_laid(one, two, self.nodes[start], self.nodes[end]))
        return np.concatenate(found)


def pair_features(one: Floats, two: Floats) -> Floats:
    """(K, 4) of pairs of points (K, 9): how far apart, and the cosines between their first normal and the way
    from one to the other, their second and that way, and both normals."""
    way = two[:, :3] - one[:, :3]
    length = norm(way)
    way = way / np.maximum(length, 1e-9)[:, None]
    angles = dot(one[:, 3:6], way), dot(two[:, 3:6], way), dot(one[:, 3:6], two[:, 3:6])
    return np.stack([length, *angles], axis=1)


def _telling_pairs(percepts: Floats) -> list[tuple[int, int]]:
    """Pairs of percepts far apart on sides that differ, each percept in one of them at most."""
    first, second = np.triu_indices(len(percepts), 1)
    features = pair_features(percepts[first], percepts[second])
    worth = features[:, 0] * (1.0 - 0.5 * np.abs(features[:, 3]))
    chosen, taken = list[tuple[int, int]](), set[int]()
    for pair in np.argsort(-worth, kind="stable").tolist():
        ends = int(first[pair]), int(second[pair])
        if len(chosen) == _PAIRS:
            break
        if not taken & {*ends}:
            chosen.append(ends)
            taken |= {*ends}
    return chosen


def _laid(one: Floats, two: Floats, start: Floats, end: Floats) -> Floats:
    """(K, 12) the poses that lay a pair of percepts (1, 9) on pairs of nodes (K, 9): the ways between them on
    each other, the normals as near as they come, the middles in one place."""
    felt, known = _frames(one, two), _frames(start, end)
    turns = matmul(known, felt[0].T)
    middle, place = 0.5 * (one + two)[:, :3], 0.5 * (start + end)[:, :3]
    return np.concatenate([turns.reshape(-1, 9), place - apply(turns, middle[0])], axis=1)


def _frames(one: Floats, two: Floats) -> Floats:
    """(K, 3, 3) right-handed frames of pairs (K, 9) in columns: the way, the mean of the normals made
    orthogonal to it, and what is orthogonal to both."""
    way = two[:, :3] - one[:, :3]
    way = way / np.maximum(norm(way), 1e-9)[:, None]
    facing = one[:, 3:6] + two[:, 3:6]
    facing = facing - dot(facing, way)[:, None] * way
    # opposite normals say nothing together: the first alone does then
    alone = one[:, 3:6] - dot(one[:, 3:6], way)[:, None] * way
    facing = np.where((norm(facing) > 0.2)[:, None], facing, alone)
    facing = facing / np.maximum(norm(facing), 1e-9)[:, None]
    return np.stack([way, facing, cross(way, facing)], axis=2)
