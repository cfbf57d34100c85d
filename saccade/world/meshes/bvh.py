"""A tree of boxes over the triangles of a mesh, so that a ray or a point meets few of them.

The tree is complete and binary: node i has the children 2i+1 and 2i+2, the last level holds the leaves, and
every level splits its triangles in half along the longest side. No pointers are stored, and the build is
one sort a level.

    tree = build(mesh)                # or cached(mesh): what was sorted once is read from the cache on disk
    tree.boxes        # (nodes, 6) low and high corner
    tree.order        # (F,) the faces in leaf order
    tree.starts       # (leaves + 1,) leaf k holds order[starts[k]:starts[k + 1]]
    tree.solid        # whether the mesh is closed and looks outwards, so that it has an inside
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from saccade.runtime.cache.cache import Cache, key_of, shared_cache
from saccade.world.meshes.mesh import Mesh

LEAF_SIZE = 4
# Triangles from which an order is kept: 40,000 take 0.13 s to sort, 5,000 take 10 ms; to find out whether the
# mesh is solid takes half as long.
LEAST_CACHED = 10_000
# Part of the key of what is cached: raise it when the rule changes.
VERSION = "2"


@dataclass(frozen=True)
class Tree:
    """See the module docstring."""

    boxes: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    solid: bool

    @property
    def leaves(self) -> int:
        """How many leaves there are, a power of two."""
        return len(self.starts) - 1


def build(mesh: Mesh, leaf_size: int = LEAF_SIZE) -> Tree:
    """The tree of a mesh with at most about `leaf_size` triangles a leaf."""
    levels = levels_of(len(mesh.faces), leaf_size)
    return with_boxes(mesh, sorted_faces(mesh, levels), levels, is_solid(mesh))


def is_solid(mesh: Mesh) -> bool:
    """Whether a mesh is closed and its faces look outwards."""
    return mesh.is_watertight() and mesh.volume > 0


def cached(mesh: Mesh, cache: Cache | None = None) -> Tree:
    """`build(mesh)`, whose faces are sorted once: afterwards their order, and whether it is solid, come from
    the cache on disk, by the content of the mesh. Small meshes are sorted each time."""
    count = len(mesh.faces)
    if count < LEAST_CACHED:
        return build(mesh)
    cache = cache or shared_cache()
    content = [np.ascontiguousarray(part).tobytes() for part in (mesh.vertices, mesh.faces)]
    key, levels = key_of("tree", VERSION, str(LEAF_SIZE), *content), levels_of(count, LEAF_SIZE)
    known = cache.load(key, partial(unpacked, count=count))
    if known is None:
        known = sorted_faces(mesh, levels), is_solid(mesh)
        cache.put(key, bytes([known[1]]) + known[0].astype("<i4").tobytes())
    order, solid = known
    return with_boxes(mesh, order, levels, solid)


def unpacked(stored: bytes, count: int) -> tuple[npt.NDArray[np.int64], bool]:
    """The order of `count` faces out of the cache, and whether they are solid; ValueError if it has none."""
    if stored[:1] not in (b"\0", b"\1"):
        raise ValueError("it does not say whether the mesh is solid")
    order = np.frombuffer(stored[1:], "<i4").astype(np.int64)
    inside = len(order) == count and ((order >= 0) & (order < count)).all()
    # bincount makes room up to the largest number: only where all are faces
    if not inside or (np.bincount(order, minlength=count) != 1).any():
        raise ValueError(f"no order of {count} faces")
    return order, stored[0] == 1


def levels_of(count: int, leaf_size: int) -> int:
    """How often `count` triangles are halved."""
    return max(0, (-(-count // leaf_size) - 1).bit_length())


def sorted_faces(mesh: Mesh, levels: int) -> npt.NDArray[np.int64]:
    """The faces in leaf order."""
    triangles = mesh.triangles
    count = len(triangles)
    centres = (triangles[:, 0] + triangles[:, 1] + triangles[:, 2]) / 3
    order = np.arange(count)
    for level in range(levels):
        starts = bounds(count, 2**level)
        sizes = np.diff(starts)
        ordered = centres[order]
        spread = np.maximum.reduceat(ordered, starts[:-1]) - np.minimum.reduceat(ordered, starts[:-1])
        axis = np.repeat(spread.argmax(axis=1), sizes)
        # by segment and along the axis within it; numbers of 16 bits are sorted by their digits
        segment = np.repeat(np.arange(2**level, dtype=np.uint16 if level <= 16 else np.int64), sizes)
        along = np.argsort(ordered[np.arange(count), axis], kind="stable")
        order = order[along[np.argsort(segment[along], kind="stable")]]
    return order


def with_boxes(mesh: Mesh, order: npt.NDArray[np.int64], levels: int, solid: bool) -> Tree:
    """The tree of faces in leaf order."""
    starts = bounds(len(order), 2**levels)
    a, b, c = (np.take(mesh.vertices, corner[order], axis=0) for corner in mesh.faces.T)
    low = np.minimum.reduceat(np.minimum(np.minimum(a, b), c), starts[:-1])
    high = np.maximum.reduceat(np.maximum(np.maximum(a, b), c), starts[:-1])
    boxes = [np.concatenate([low, high], axis=1)]
    while len(boxes[0]) > 1:
        left, right = boxes[0][::2], boxes[0][1::2]
        low, high = np.minimum(left[:, :3], right[:, :3]), np.maximum(left[:, 3:], right[:, 3:])
        boxes.insert(0, np.concatenate([low, high], axis=1))
    return Tree(np.concatenate(boxes), order, starts, solid)


def bounds(count: int, parts: int) -> npt.NDArray[np.int64]:
    """Where `count` things split into `parts` runs begin and end, (parts + 1,). Halving a run twice gives
    its quarters."""
    return np.arange(parts + 1, dtype=np.int64) * count // parts
