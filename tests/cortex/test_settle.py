"""The pose that explains all percepts is found from any other, by shape or by colour."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from saccade.cortex.fitting.free_space import lines_of_sight
from saccade.cortex.fitting.settle import Placed, _turned, alike, packed, packed_each, settle
from saccade.cortex.fitting.settle_loops import costs, settled
from saccade.cortex.fitting.surface import MOST, Level, ModelSurface, percepts_of
from saccade.cortex.models.model import NodeSet, Observations
from saccade.world.symmetry.symmetry import rotation_about, rotation_error

Floats = npt.NDArray[np.float64]

REACH = 0.0125
TRUTH = rotation_about((1, 2, 3), 1.1)
SHIFT = np.array([0.02, -0.01, 0.03])


def egg(count: int, seed: int, bump: float, label: bool, even: bool = False) -> Observations:
    """Places of an egg with three different axes: a half turn changes nothing but its bump or its label.
    even: as far from each other as those of a model, on a spiral."""
    random = np.random.default_rng(seed)
    facing = random.normal(size=(count, 3))
    if even:
        turn, height = np.pi * (3 - 5**0.5) * np.arange(count), np.linspace(-1, 1, count)
        facing = np.stack([np.cos(turn), np.sin(turn), height / np.sqrt(1 - 0.99 * height**2)], axis=1)
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    axes = np.array([0.03, 0.045, 0.07])
    places = facing * axes
    places *= (1 + bump * np.exp(-4 * np.square(facing - [0.5, 0.3, 0.8]).sum(axis=1)))[:, None]
    normals = facing / axes
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    side = np.cross(normals, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    poses = np.stack([normals, side, np.cross(normals, side)], axis=1)
    hue = np.where(label & (facing @ [0.7, 0.5, 0.5] > 0.3), 0.6, 0.1)
    hsv = np.stack([hue, np.full(count, 0.8), np.full(count, 0.7)], axis=1)
    return Observations(places, poses, np.ones(count, bool), {"hsv": hsv})


def nodes_of(whole: Observations) -> NodeSet:
    return NodeSet(whole.locations, whole.pose_vectors, whole.fully_defined, whole.features)


def model(bump: float, label: bool, even: bool = False) -> ModelSurface:
    return ModelSurface.of([nodes_of(egg(1500, 1, bump, label, even))], REACH)


def felt(bump: float, label: bool, count: int = 40) -> Observations:
    """Noisy percepts in the body frame: object = TRUTH body + SHIFT."""
    some = egg(count, 2, bump, label)
    random = np.random.default_rng(3)
    places = (some.locations + random.normal(scale=0.002, size=(count, 3)) - SHIFT) @ TRUTH
    hsv = np.clip(some.features["hsv"] + random.normal(scale=0.1, size=(count, 3)), 0, 1)
    return Observations(places, some.pose_vectors @ TRUTH, some.fully_defined, {"hsv": hsv})


def half_turned(axis: int) -> Placed:
    turn = rotation_about(np.eye(3)[axis], np.pi)
    return Placed(turn @ TRUTH, turn @ SHIFT, np.inf)


@pytest.mark.parametrize(("bump", "label", "axis"), [(0.25, False, 0), (0.25, False, 1), (0.0, True, 2)])
def test_a_half_turn_is_turned_back(bump: float, label: bool, axis: int) -> None:
    found = settle(percepts_of(felt(bump, label)), model(bump, label), half_turned(axis).packed[None])
    best = found.poses[0]
    assert np.degrees(rotation_error(best.rotation, TRUTH)) < 8
    assert np.linalg.norm(best.shift - SHIFT) < 0.006
    assert found.margin(0.35) > 5
    assert [each.cost for each in found.poses] == sorted(each.cost for each in found.poses)


def test_a_cost_is_the_sum_of_its_parts() -> None:
    """Distance, normal and colour, also where percepts lie beside the model, face away or have no node."""
    level, percepts = model(0.25, True).fine, percepts_of(felt(0.25, True, 60))
    pose = Placed(TRUTH, SHIFT).packed
    percepts[:10, :3] += 0.006
    percepts[10:20, 3:6] *= -1
    percepts[20:25, :3] += 1.0
    parts = level.parts(percepts, pose)
    np.testing.assert_allclose(parts.sum(axis=1), level.each(percepts, pose), atol=1e-9)
    assert (parts[10:20].argmax(axis=1) == 1).all()
    np.testing.assert_array_equal(parts[20:25], np.tile([MOST, 0, 0], (5, 1)))
    percepts[:, 6:] += 0.5
    assert (level.parts(percepts, pose)[25:].argmax(axis=1) == 2).all()


@pytest.mark.parametrize("grain", ["fine", "coarse"])
def test_no_node_that_is_left_out_costs_less(grain: str) -> None:
    """Cells and groups of nodes that are too far, or face another way, are not priced: of percepts anywhere
    about the model, facing anywhere, the cheapest of all nodes is found all the same."""
    level, random = getattr(model(0.25, True), grain), np.random.default_rng(4)
    some = random.integers(0, len(level.nodes), 400)
    percepts = level.nodes[some].copy()
    reach = float(level.scales[0])
    percepts[:, :3] += random.uniform(-1.2, 1.2, (400, 3)) * reach * random.random((400, 1)) ** 2
    percepts[::2, 3:6] += random.normal(size=(200, 3)) * random.random((200, 1))
    percepts[:, 3:6] /= np.linalg.norm(percepts[:, 3:6], axis=1, keepdims=True)
    told = level.each(percepts, Placed(np.eye(3), np.zeros(3)).packed)
    assert 0.1 < np.mean(told < MOST) < 0.9
    wanted = level.parts(percepts, Placed(np.eye(3), np.zeros(3)).packed).sum(axis=1)
    np.testing.assert_allclose(told, wanted, atol=1e-9)


def test_turns_that_nothing_tells_apart_cost_the_same() -> None:
    found = settle(percepts_of(felt(0.0, False)), model(0.0, False), half_turned(0).packed[None])
    assert found.margin(0.35) < 2


def test_what_one_module_never_felt_another_may_have() -> None:
    """Two modules know half of an egg each: what was felt of all of it fits both halves together alone."""
    whole = egg(1500, 1, 0.25, True)
    upper = whole.locations[:, 2] > 0
    halves = [
        nodes_of(
            Observations(
                whole.locations[kept],
                whole.pose_vectors[kept],
                whole.fully_defined[kept],
                {"hsv": whole.features["hsv"][kept]},
            )
        )
        for kept in (upper, ~upper)
    ]
    percepts, pose = percepts_of(felt(0.25, True)), Placed(TRUTH, SHIFT).packed[None]
    costs_of = [
        ModelSurface.of(known, REACH).fine.told(percepts, pose)[0]
        for known in (halves, *([h] for h in halves))
    ]
    assert costs_of[0] < 0.6 * min(costs_of[1:])
    one, twice = (len(ModelSurface.of([nodes_of(whole)] * many, REACH).fine.nodes) for many in (2, 5))
    assert one == twice


def test_a_pose_that_puts_a_surface_where_nothing_was_costs_more() -> None:
    """Of a plain egg a half turn explains all that was felt; of one with a bump that nobody felt, too, but
    beside the true egg the other's bump would be in sight."""
    surface, percepts = model(0.6, False), percepts_of(felt(0.0, False))
    turned = half_turned(0)
    # along the axis of the view, past the egg, where its half turn has the bump
    bump = surface.fine.nodes[np.argmax(np.linalg.norm(surface.fine.nodes[:, :3], axis=1)), :3]
    place = turned.rotation.T @ (bump - turned.shift)
    across = np.cross(place, [0.3, 0.5, 0.8])
    across /= np.linalg.norm(across)
    sight = lines_of_sight(
        (place - 0.3 * across)[None, None], across[None, None], np.full((1, 1), np.inf), np.ones(1), REACH
    )[0]
    poses = turned.packed[None]
    plain = settle(percepts, surface, poses, search=False)
    seen = settle(percepts, surface, poses, free=sight, search=False)
    more = seen.poses[0].cost - plain.poses[0].cost
    assert more * len(percepts) == pytest.approx(6.0)
    assert surface.shell.crossed(sight, poses).tolist() == [1.0]
    assert surface.shell.crossed(sight, Placed(TRUTH, SHIFT).packed[None]).tolist() == [0.0]


def test_all_turns_that_nothing_tells_apart_are_told() -> None:
    """Of a plain egg its three half turns; of an egg with a label only its own pose."""
    percepts, nothing = percepts_of(felt(0.0, False)), np.zeros((0, 8))
    for label, turns in ((False, 4), (True, 1)):
        surface = model(0.0, label)
        felt_there = percepts_of(felt(0.0, label)) if label else percepts
        found = settle(felt_there, surface, half_turned(0).packed[None])
        held = alike(felt_there, surface, found, 3.0, nothing)
        half = [TRUTH, *(half_turned(axis).rotation for axis in range(3))]
        near = [np.degrees(rotation_error(held, each)).min() < 10 for each in half]
        assert sum(near) == turns
        assert near[0]


def stick(count: int, seed: int) -> Floats:
    """(count, 9) places of a stick of 24 cm without colours, one end of which is thicker."""
    random = np.random.default_rng(seed)
    along, turn = random.uniform(-0.12, 0.12, count), random.uniform(0, 2 * np.pi, count)
    normals = np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=1)
    radius = 0.01 + 0.025 * (along + 0.12)
    places = normals * radius[:, None] + along[:, None] * [0, 0, 1]
    return np.concatenate([places, normals, np.zeros((count, 3))], axis=1)


def test_a_pose_that_is_a_few_degrees_off_is_found_beside_cheaper_ones_at_wrong_places() -> None:
    """A stick that lies 8 cm too far explains two thirds of what was felt, and no turn about its middle
    explains the rest; the right one, ten degrees off, explains what was felt in its middle alone."""
    surface, percepts = ModelSurface.of_points(stick(2500, 1), REACH, False), stick(40, 2)
    percepts[:, :3] = (percepts[:, :3] - SHIFT) @ TRUTH
    percepts[:, 3:6] = percepts[:, 3:6] @ TRUTH
    off = rotation_about((1, 0, 0), np.radians(10))
    slid = [Placed(TRUTH, SHIFT + [0, 0, way]).packed for way in (0.08, -0.08, 0.09)]
    given = np.stack([*slid, Placed(off @ TRUTH, off @ SHIFT).packed])
    assert surface.fine.told(percepts, given)[-1] > 3
    found = settle(percepts, surface, given)
    assert found.poses[0].cost < 0.5
    before = settle(percepts, surface, given[:3], search=False)
    again = settle(percepts, surface, given[3:], before)
    assert again.poses[0].cost < 0.5, "what was found before crowds nothing out"


def test_nothing_felt_leaves_the_pose_as_it_is() -> None:
    nothing = Observations(
        np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros(0, bool), {"hsv": np.zeros((0, 3))}
    )
    given = half_turned(1)
    found = settle(percepts_of(nothing), model(0.25, False), given.packed[None])
    np.testing.assert_array_equal(found.poses[0].packed, given.packed)
    assert found.percepts == 0


def test_compiled_loops_do_what_python_does() -> None:
    level = Level.of(np.random.default_rng(0).normal(size=(40, 9)) * 0.02, 0.02, coloured=True)
    percepts = np.ascontiguousarray(np.random.default_rng(1).normal(size=(6, 9)) * 0.02)
    poses = np.concatenate([np.eye(3).reshape(9), [0.001, 0.0, 0.0]])[None].repeat(2, axis=0)
    poses[1, 9] = 50.0  # far beyond the grid
    arrays = level.arrays
    told = np.empty(2), np.empty(2)
    costs(percepts, 6, poses, 2, *arrays, np.empty(1), 0, np.inf, told[0])
    costs.python(percepts, 6, poses, 2, *arrays, np.empty(1), 0, np.inf, told[1])
    np.testing.assert_array_equal(*told)
    assert told[0][1] == 6 * level.scales[5]
    moved = poses.copy(), poses.copy()
    settled(percepts, 6, moved[0], 2, 2, np.array([0.03]), *arrays)
    settled.python(percepts, 6, moved[1], 2, 2, np.array([0.03]), *arrays)
    np.testing.assert_allclose(*moved, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(moved[0][1], poses[1])


def test_poses_above_a_limit_are_told_apart_from_those_below_it() -> None:
    surface, felt_there = model(0.25, True), percepts_of(felt(0.25, True))
    poses = np.concatenate([half_turned(axis).packed[None] for axis in range(3)])
    turned = np.concatenate([poses, _turned(poses[0], surface, surface.turns)])
    whole = surface.fine.told(felt_there, turned)
    for limit in np.quantile(whole, [0.0, 0.1, 0.5]):
        found = surface.fine.told(felt_there, turned, limit=limit)
        np.testing.assert_array_equal(found[whole <= limit], whole[whole <= limit])
        assert (found[whole > limit] > limit).all()


def test_the_cheapest_of_all_nodes_is_found_through_the_grid() -> None:
    """Lane by lane and cell by cell: what a percept costs by all nodes, one after the other."""
    random = np.random.default_rng(5)
    nodes = random.normal(size=(203, 9)) * np.repeat([0.02, 0.3, 0.2], 3)
    percepts = nodes[:50] + random.normal(size=(50, 9)) * np.repeat([0.004, 0.1, 0.05], 3)
    for each in (nodes, percepts):
        each[:, 3:6] /= np.linalg.norm(each[:, 3:6], axis=1, keepdims=True)
    level = Level.of(nodes, 0.02, coloured=True)
    _, plane, tangent, tilt, colour, most = level.scales
    away = percepts[:, None, :3] - nodes[:, :3]
    off = (away * nodes[:, 3:6]).sum(axis=-1) ** 2
    price = off * plane + ((away**2).sum(axis=-1) - off) * tangent
    price += (1 - (percepts[:, None, 3:6] * nodes[:, 3:6]).sum(axis=-1)) * tilt
    price += ((percepts[:, None, 6:] - nodes[:, 6:]) ** 2).sum(axis=-1) * colour
    expected = np.minimum(price.min(axis=1), most)
    told = level.each(percepts, np.concatenate([np.eye(3).reshape(9), np.zeros(3)]))
    np.testing.assert_allclose(told, expected, rtol=1e-12)
    assert (told < most).sum() > 10


@pytest.mark.parametrize("most", [1, 3, 20])
def test_only_the_cheapest_poses_need_be_added_up(most: int) -> None:
    """These cost what they cost, and no other is told to cost less."""
    random = np.random.default_rng(6)
    surface, percepts = model(0.25, True), percepts_of(felt(0.25, True))
    turns = rotation_about(random.normal(size=(20, 3)), random.uniform(0, 2, 20)) @ TRUTH
    poses = np.hstack([turns.reshape(-1, 9), np.tile(SHIFT, (20, 1))])
    whole, told = surface.fine.told(percepts, poses), surface.fine.told(percepts, poses, most)
    kept = np.argsort(whole, kind="stable")[:most]
    np.testing.assert_array_equal(np.argsort(told, kind="stable")[:most], kept)
    np.testing.assert_array_equal(told[kept], whole[kept])
    assert (told <= whole).all()
    assert (told < whole).any() == (most < 20)


def test_poses_of_many_lists_are_those_of_each() -> None:
    """To the last bit, also of lists without any, and of rows that lie in wider ones."""
    rng = np.random.default_rng(3)
    held = [rng.normal(size=(count, 13)) for count in (5, 0, 1, 200)]
    turns, places = [each[:, 4:].reshape(-1, 3, 3) for each in held], [each[:, 1:4] for each in held]
    anchors = rng.normal(size=(4, 3))
    found = packed_each(turns, anchors, places)
    for number, poses in enumerate(found):
        np.testing.assert_array_equal(poses, packed(turns[number], anchors[number], places[number]))
