"""Trees of boxes: every face in one leaf, boxes around what is in them, sorted once for the same content."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from saccade.runtime.cache.cache import Cache, key_of
from saccade.world.meshes import bvh
from saccade.world.meshes.mesh import Mesh
from saccade.world.objects.shapes import blob, box


def same(a: bvh.Tree, b: bvh.Tree) -> bool:
    names = "boxes", "order", "starts", "solid"
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


@pytest.fixture(name="mesh")
def mesh_fixture(monkeypatch: pytest.MonkeyPatch) -> Mesh:
    """One that is large enough to be kept."""
    monkeypatch.setattr(bvh, "LEAST_CACHED", 50)
    found = blob((0.05, 0.08, 0.03), rings=8, segments=13)
    assert len(found.faces) >= 50
    return found


def test_leaves_hold_every_face_once_and_boxes_what_is_in_them(mesh: Mesh) -> None:
    tree = bvh.build(mesh)
    assert sorted(tree.order) == list(range(len(mesh.faces)))
    for leaf, (first, last) in enumerate(zip(tree.starts[:-1], tree.starts[1:], strict=True)):
        corners = mesh.triangles[tree.order[first:last]].reshape(-1, 3)
        node = leaf + tree.leaves - 1
        while True:
            assert (tree.boxes[node, :3] <= corners.min(axis=0)).all()
            assert (corners.max(axis=0) <= tree.boxes[node, 3:]).all()
            if node == 0:
                break
            node = (node - 1) // 2


def test_faces_are_sorted_once_for_the_same_content(
    mesh: Mesh, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = bvh.build(mesh)
    assert wanted.solid
    assert same(bvh.cached(mesh, Cache(tmp_path, 1 << 20)), wanted)
    sorting, sorted_ones = bvh.sorted_faces, []
    monkeypatch.setattr(bvh, "sorted_faces", lambda *given: sorted_ones.append(given) or sorting(*given))
    assert same(bvh.cached(mesh, Cache(tmp_path, 1 << 20)), wanted)
    assert not sorted_ones
    other = mesh.scaled((1.0, 1.01, 1.0))
    assert same(bvh.cached(other, Cache(tmp_path, 1 << 20)), bvh.build(other))
    assert len(sorted_ones) == 2  # kept, and built
    for hollow in (Mesh(mesh.vertices, mesh.faces[1:], mesh.colors[1:]), mesh.scaled((1.0, 1.0, -1.0))):
        for _ in range(2):
            assert not bvh.cached(hollow, Cache(tmp_path, 1 << 20)).solid


def test_small_meshes_are_not_kept(tmp_path) -> None:
    cache, brick = Cache(tmp_path, 1 << 20), box((0.04, 0.07, 0.12))
    assert same(bvh.cached(brick, cache), bvh.build(brick))
    assert cache.misses == 0


@pytest.mark.parametrize("damage", ["empty", "short", "twice", "odd", "untold"])
def test_a_kept_order_that_is_none_is_found_again(mesh: Mesh, damage: str, tmp_path) -> None:
    cache, wanted = Cache(tmp_path, 1 << 20), bvh.build(mesh)
    order = wanted.order.astype("<i4")
    if damage == "twice":
        order[1] = order[0]
    short, odd, untold = order[:-1].tobytes(), order.tobytes()[:-1], order.tobytes()
    stored = {"empty": b"", "short": b"\1" + short, "odd": b"\1" + odd, "untold": b"\7" + untold}
    parts = [np.ascontiguousarray(part).tobytes() for part in (mesh.vertices, mesh.faces)]
    key = key_of("tree", bvh.VERSION, str(bvh.LEAF_SIZE), *parts)
    cache.put(key, stored.get(damage, b"\1" + order.tobytes()))
    assert same(bvh.cached(mesh, cache), wanted)
    assert same(bvh.cached(mesh, Cache(tmp_path, 1 << 20)), wanted)


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, -1], [0, 1, 2**31 - 1]])
def test_what_is_no_order_of_faces_is_refused_without_much_memory(order: list[int]) -> None:
    """The largest number made room for two thousand million counts, 16 GB."""
    stored = b"\1" + np.array(order, "<i4").tobytes()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="no order of 3 faces"):
            bvh.unpacked(stored, 3)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
