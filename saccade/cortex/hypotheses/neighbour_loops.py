"""The loops of making voxel tables, compiled: which voxels each node reaches, lists with the nearest first.

Voxel (i, j, k) is number (i * shape[1] + j) * shape[2] + k. A node may reach `wide` voxels along each axis,
the first of them `first` (N, 3); gaps (N, 3, wide): squares of the way there, infinity outside the grid;
centres: the same to their middles. limit[0]: the square of what is reached.
"""

from __future__ import annotations

from saccade.reproducible.native import I64, F64s, I32s, I64s, native


@native
def count_reached(
    gaps: F64s, first: I64s, number: I64, wide: I64, shape: I64s, limit: F64s, counts: I32s
) -> None:
    """counts (voxels): how many of the nodes reach each."""
    for n in range(number):
        x, y, z = 3 * n * wide, (3 * n + 1) * wide, (3 * n + 2) * wide
        for i in range(wide):
            for j in range(wide):
                near = gaps[x + i] + gaps[y + j]
                if near < limit[0]:
                    at = ((first[3 * n] + i) * shape[1] + first[3 * n + 1] + j) * shape[2] + first[3 * n + 2]
                    for k in range(wide):
                        if near + gaps[z + k] < limit[0]:
                            counts[at + k] += 1


@native
def list_reached(
    gaps: F64s, centres: F64s, first: I64s, number: I64, wide: I64, shape: I64s, limit: F64s, ends: I64s,
    nodes: I32s, away: F64s,
) -> None:  # fmt: skip
    """nodes and away (entries): the nodes that reach each voxel, in their order, and squares of their way to
    its middle. ends (voxels): where lists begin, and afterwards where they end."""
    for n in range(number):
        x, y, z = 3 * n * wide, (3 * n + 1) * wide, (3 * n + 2) * wide
        for i in range(wide):
            for j in range(wide):
                near = gaps[x + i] + gaps[y + j]
                if near < limit[0]:
                    at = ((first[3 * n] + i) * shape[1] + first[3 * n + 1] + j) * shape[2] + first[3 * n + 2]
                    for k in range(wide):
                        if near + gaps[z + k] < limit[0]:
                            entry = ends[at + k]
                            nodes[entry] = n
                            away[entry] = centres[x + i] + centres[y + j] + centres[z + k]
                            ends[at + k] = entry + 1


@native
def sort_lists(counts: I32s, voxels: I64, nodes: I32s, away: F64s) -> None:
    """The lists of so many entries one after the other, each by `away`, equals in the order of their nodes:
    a shell sort, for they are of a few hundred."""
    begin = 0
    for v in range(voxels):
        count = counts[v]
        step = count
        while step > 1:
            step = max((step * 5 - 1) // 11, 1)
            for p in range(begin + step, begin + count):
                node, key = nodes[p], away[p]
                q = p - step
                while q >= begin:
                    if away[q] < key or (away[q] == key and nodes[q] < node):
                        break
                    nodes[q + step], away[q + step] = nodes[q], away[q]
                    q -= step
                nodes[q + step], away[q + step] = node, key
        begin += count
