"""What a sensor cannot tell apart is a symmetry, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.runtime.cache import Cache
from saccade.runtime.cache_folder import MARKER
from saccade.world import find_symmetry as finding
from saccade.world.find_symmetry import cached_symmetry, find_symmetry
from saccade.world.objects import builtin_object
from saccade.world.objects.shapes import box, painted, revolve
from saccade.world.symmetry import rotation_about, rotation_error

# An odd rotation, so that no axis of a mesh is one of the frame's.
TURN = rotation_about((1, 2, 3), 0.8)


def can():
    return revolve([(0, 0), (0.03, 0), (0.03, 0.1), (0, 0.1)], 64)


def errors(mesh, rotations):
    """Degrees by which rotations of the mesh are off, up to the symmetry that is found."""
    symmetry = find_symmetry(mesh)
    return [float(np.degrees(rotation_error(each, np.eye(3), symmetry))) for each in rotations]


def test_half_turns_of_a_brick_wherever_it_stands():
    brick = box((0.04, 0.07, 0.12)).moved((0.1, 0, -0.2), TURN)
    axes = [TURN @ axis for axis in np.eye(3)]
    assert len(find_symmetry(brick).rotations) == 4
    assert errors(brick, [rotation_about(axis, np.pi) for axis in axes]) == pytest.approx([0] * 3, abs=2)
    assert errors(brick, [rotation_about(axes[0], np.pi / 2)])[0] == pytest.approx(90, abs=2)


def test_a_plain_can_turns_freely_and_stands_on_either_end():
    symmetry = find_symmetry(can().moved(rotation=TURN))
    assert symmetry.axis is not None
    assert len(symmetry.rotations) == 2
    assert abs(np.dot(symmetry.axis, TURN @ [0, 1, 0])) == pytest.approx(1, abs=1e-3)


def test_a_print_takes_the_symmetry_away_if_its_colour_can_be_told():
    plain = can()
    middles = plain.triangles.mean(axis=1)
    front = middles[:, 0] > 0.02
    assert find_symmetry(painted(plain, (front, (0.9, 0.1, 0.1)))).axis is None
    assert find_symmetry(painted(plain, (front, (0.65, 0.62, 0.6)))).axis is not None


def test_sides_of_a_box_are_equal_if_no_more_can_be_told():
    assert len(find_symmetry(box((0.05, 0.052, 0.1))).rotations) == 8
    assert len(find_symmetry(box((0.05, 0.06, 0.1))).rotations) == 4
    assert len(find_symmetry(box((0.05, 0.06, 0.1)), distance=0.006).rotations) == 8


def test_a_cube_has_all_of_its_24():
    assert len(find_symmetry(box((0.05, 0.05, 0.05), 0.001)).rotations) == 24


@pytest.mark.parametrize("name", ["bowl", "can", "cereal_box", "die", "rolling_pin", "toy_brick", "vase"])
def test_built_in_objects_have_the_symmetry_they_claim(name):
    thing = builtin_object(name)
    found = find_symmetry(thing.mesh)
    assert (found.axis is None) == (thing.symmetry.axis is None)
    assert len(found.rotations) == len(thing.symmetry.rotations)
    if found.axis is not None:
        assert abs(np.dot(found.axis, thing.symmetry.axis)) == pytest.approx(1, abs=1e-3)


def test_what_can_be_told_must_be_something():
    with pytest.raises(ValueError, match="distance = 0"):
        find_symmetry(can(), distance=0)


@pytest.mark.parametrize("mesh", [can(), box((0.04, 0.07, 0.12)), builtin_object("mug").mesh])
def test_a_symmetry_is_found_once_for_the_same_content(mesh, tmp_path, monkeypatch):
    first = cached_symmetry(mesh, Cache(tmp_path, 1 << 20))
    searched = []
    monkeypatch.setattr(finding, "find_symmetry", lambda each: searched.append(each) or find_symmetry(each))
    again = cached_symmetry(mesh, Cache(tmp_path, 1 << 20))
    assert not searched
    assert first.axis == again.axis == find_symmetry(mesh).axis
    assert np.array_equal(first.rotations, again.rotations)
    cached_symmetry(mesh.scaled(1.01), Cache(tmp_path, 1 << 20))
    assert len(searched) == 1


def test_an_entry_that_is_no_symmetry_is_made_again(tmp_path):
    mesh, cache = box((0.04, 0.07, 0.12)), Cache(tmp_path, 1 << 20)
    first = cached_symmetry(mesh, cache)
    (kept,) = (path for path in tmp_path.iterdir() if path.name != MARKER)
    for nonsense in (b"[]", b"{}", b"\xff", b'{"axis": 3, "rotations": []}'):
        cache.put(kept.name, nonsense)
        assert np.array_equal(first.rotations, cached_symmetry(mesh, cache).rotations)
    assert cache.discarded == 4
