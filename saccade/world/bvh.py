"""A tree of boxes over the triangles of a mesh, so that a ray or a point meets few of them.

The tree is complete and binary: node i has the children 2i+1 and 2i+2, the last level holds the leaves, and
every level splits its triangles in half along the longest side. No pointers are stored, and the build is
one sort a level.

    tree = build(mesh)
    tree.boxes        # (nodes, 6) low and high corner
    tree.order        # (F,) the faces in leaf order
    tree.starts       # (leaves + 1,) leaf k holds order[starts[k]:starts[k + 1]]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.world.mesh import Mesh

LEAF_SIZE = 4


@dataclass(frozen=True)
class Tree:
    """See the module docstring."""

    boxes: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]

    @property
    def leaves(self) -> int:
        """How many leaves there are, a power of two."""
        return len(self.starts) - 1


def build(mesh: Mesh, leaf_size: int = LEAF_SIZE) -> Tree:
    """The tree of a mesh with at most about `leaf_size` triangles a leaf."""
    triangles = mesh.triangles
    count = len(triangles)
    levels = max(0, (-(-count // leaf_size) - 1).bit_length())
    centres = (triangles[:, 0] + triangles[:, 1] + triangles[:, 2]) / 3
    order = np.arange(count)
    for level in range(levels):
        starts = bounds(count, 2**level)
        sizes = np.diff(starts)
        ordered = centres[order]
        spread = np.maximum.reduceat(ordered, starts[:-1]) - np.minimum.reduceat(ordered, starts[:-1])
        axis = np.repeat(spread.argmax(axis=1), sizes)
        segment = np.repeat(np.arange(2**level), sizes)
        order = order[np.lexsort((ordered[np.arange(count), axis], segment))]
    starts = bounds(count, 2**levels)
    sorted_triangles = triangles[order]
    low = np.minimum.reduceat(sorted_triangles.min(axis=1), starts[:-1])
    high = np.maximum.reduceat(sorted_triangles.max(axis=1), starts[:-1])
    boxes = [np.concatenate([low, high], axis=1)]
    while len(boxes[0]) > 1:
        pairs = boxes[0].reshape(-1, 2, 6)
        boxes.insert(0, np.concatenate([pairs[..., :3].min(axis=1), pairs[..., 3:].max(axis=1)], axis=1))
    return Tree(np.concatenate(boxes), order, starts)


def bounds(count: int, parts: int) -> npt.NDArray[np.int64]:
    """Where `count` things split into `parts` runs begin and end, (parts + 1,). Halving a run twice gives
    its quarters."""
    return np.arange(parts + 1, dtype=np.int64) * count // parts
