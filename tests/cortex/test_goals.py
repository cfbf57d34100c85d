"""Hypothesis-testing goals: where two hypotheses differ most, when to ask, and whose goal wins."""

from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.goals.goal_places import MOST, HypothesisSource
from saccade.cortex.goals.goals import (
    EMPTY_PLACES,
    GoalBatch,
    GoalMemory,
    GoalSettings,
    Standing,
    possible_matches,
    propose,
    select_goals,
    top_two,
)
from saccade.cortex.goals.questions import Questions
from saccade.cortex.row_random import RowKey
from saccade.cortex.rows import where_rows
from saccade.world.symmetry.symmetry import rotation_about

from . import patches
from .goal_reference import most_different_point, rival_pose, telling_places


def ball(radius=0.04, count=400):
    i = np.arange(count) + 0.5
    polar, around = np.arccos(1 - 2 * i / count), np.pi * (1 + 5**0.5) * i
    normals = np.stack([np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)], 1)
    return radius * normals, normals


def with_handle():
    """A ball with a spike along +x: the tip is 7 cm out."""
    positions, normals = ball()
    spike = np.stack([np.linspace(0.042, 0.07, 15), np.zeros(15), np.zeros(15)], 1)
    return np.concatenate([positions, spike]), np.concatenate([normals, np.tile([1.0, 0, 0], (15, 1))])


class Memory(HypothesisSource):
    """Object 0 is a cup without handle, object 1 one with; hypotheses are given per object."""

    def __init__(self, hypotheses):
        self._hypotheses = hypotheses
        self._points = [ball(), with_handle()]
        self._colours = [np.zeros((len(positions), 0)) for positions, _ in self._points]
        self.asked = []

    @property
    def objects(self):
        return len(self._points)

    def hypotheses(self, row, number):
        self.asked.append((row, number))
        return self._hypotheses[number]

    def points(self, number):
        return self._points[number]

    def colours(self, number):
        return self._colours[number]


def single(location, rotation, evidence=5.0):
    return np.array([evidence]), np.asarray(location, float)[None], np.asarray(rotation, float)[None]


def standing(per_object, sensed=(0.0, 0.0, 0.0), counts=None, **changes):
    per = np.atleast_2d(np.asarray(per_object, float))
    rows = len(per)
    base = Standing(
        per_object=per,
        best_object=np.argmax(np.where(np.isfinite(per), per, -1e9), axis=1),
        best_rotation=np.tile(np.eye(3), (rows, 1, 1)),
        counts=np.full(per.shape, 7) if counts is None else np.atleast_2d(counts),
        sensed=np.tile(np.asarray(sensed, float), (rows, 1)),
        ready=np.ones(rows, bool),
        confidence=np.full(rows, 0.6),
    )
    return replace(base, **changes)


def aged(since=11, rows=1, **changes):
    return replace(GoalMemory.start(rows), since=np.full(rows, since), **changes)


def key(rows=1, step=0):
    return RowKey(0, np.arange(rows), np.full(rows, step))


SETTINGS = GoalSettings(min_steps=5, elapsed_steps=1)


class Cluttered(Memory):
    """Objects of random points, some without colours, and random hypotheses of them, in two rows."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        super().__init__([])
        sizes = [1, 57, 600, 1203]
        self._points = [
            (0.05 * random.normal(size=(size, 3)), patches.random_rotations(size, seed)[:, 0])
            for size in sizes
        ]
        self._colours = [random.uniform(size=(size, 0 if size == 57 else 3)) for size in sizes]
        self._hypotheses = {
            (row, number): (
                # equals among them, of which the first counts
                random.integers(0, 20, 30 + number).astype(float),
                0.02 * random.normal(size=(30 + number, 3)),
                patches.random_rotations(30 + number, seed + row),
            )
            for row in range(2)
            for number in range(len(sizes))
        }

    def hypotheses(self, row, number):
        return self._hypotheses[row, number]


@pytest.mark.parametrize("places", [0, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_program_finds_what_array_expressions_find(places, seed):
    """To the last bit: equal places, normals and refusals, for every pair of models and two poses of one."""
    source, random = Cluttered(seed), np.random.default_rng(seed)
    pairs = [(row, top, rival) for row in range(2) for top in range(4) for rival in range(4)]
    row, top, rival = (np.array(column) for column in zip(*pairs))
    sensed = 0.02 * random.normal(size=(len(pairs), 3))
    empty = sensed[:, None] + 0.05 * random.normal(size=(len(pairs), 4, 3))
    settings = GoalSettings(same_place=0.02, pose_difference=2.0, location_difference=0.03)
    asked = Questions(row, top, rival, sensed, empty, np.full(len(pairs), places))
    wanted, found = telling_places(source, asked, settings), source.telling_places(asked, settings)
    assert wanted.found.any()
    assert places == 0 or not wanted.found.all()
    np.testing.assert_array_equal(found.found, wanted.found)
    np.testing.assert_array_equal(found.location[wanted.found], wanted.location[wanted.found])
    np.testing.assert_array_equal(found.normal[wanted.found], wanted.normal[wanted.found])


def test_many_questions_are_answered_in_several_launches():
    """As each alone; none is answered for none."""
    source, random, count = Cluttered(0), np.random.default_rng(0), MOST + 3
    row, top, rival = random.integers(2, size=count), *random.integers(4, size=(2, count))
    sensed, empty = 0.02 * random.normal(size=(count, 3)), np.zeros((count, 1, 3))
    asked = Questions(row, top, rival, sensed, empty, np.zeros(count, np.int64))
    together = source.telling_places(asked, SETTINGS)
    for one in (0, MOST - 1, MOST, count - 1):
        here = slice(one, one + 1)
        parts = (row, top, rival, sensed, empty, np.zeros(count, np.int64))
        alone = source.telling_places(Questions(*(part[here] for part in parts)), SETTINGS)
        np.testing.assert_array_equal(alone.found, together.found[here])
        np.testing.assert_array_equal(alone.location, together.location[here])
    none = source.telling_places(Questions(*(part[:0] for part in parts)), SETTINGS)
    assert len(none.found) == 0


@pytest.mark.parametrize("best", [0, 1])
def test_the_handle_is_found_whichever_object_is_the_better(best):
    """Body frame: the object is turned by T and its centre is at c; the sensor touches the far side."""
    turn = patches.random_rotations(1, seed=8)[0]
    centre = np.array([0.3, -0.1, 0.2])
    touched = np.array([-0.04, 0, 0])  # object frame
    sensed = centre + turn @ touched
    source = Memory([single(touched, turn.T), single(touched, turn.T)])
    evidence = [10.0, 9.9] if best == 0 else [9.9, 10.0]
    goals, _ = propose(aged(), standing([evidence], sensed), source, SETTINGS, key())
    assert goals.active[0]
    np.testing.assert_allclose(goals.location[0], centre + turn @ [0.07, 0, 0], atol=1e-6)
    np.testing.assert_allclose(goals.normal[0], turn @ [1.0, 0, 0], atol=1e-6)
    assert goals.confidence[0] == pytest.approx(0.6)


def test_two_poses_of_one_object_differ_at_the_handle():
    half_turn = np.diag([-1.0, -1.0, 1.0])
    touched = np.array([0, 0, 0.04])
    evidence = np.array([9.0, 8.9, 8.5])
    locations = np.array([touched, touched, half_turn @ touched])
    rotations = np.stack([np.eye(3), np.eye(3), half_turn])
    source = Memory([single(touched, np.eye(3)), (evidence, locations, rotations)])
    # Object 1 is far ahead, so its pose is in question. The runner-up pose equals the best; the third is its
    # rival.
    goals, _ = propose(aged(), standing([[2.0, 9.0]], touched), source, SETTINGS, key())
    assert goals.active[0]
    assert abs(goals.location[0, 0]) == pytest.approx(0.07, abs=1e-6)
    assert (0, 0) not in source.asked


def test_rival_pose_skips_what_says_the_same():
    turn = patches.random_rotations(1, seed=1)[0]
    rotations = np.stack([np.eye(3)] * 3 + [turn])
    locations = np.array([[0, 0, 0.04], [0, 0, 0.041], [0, 0, 0.09], [0, 0, 0.04]])
    evidence = np.array([9.0, 8.9, 8.0, 7.0])
    assert rival_pose(evidence, locations, rotations, GoalSettings()) == 2  # elsewhere by 5 cm
    assert rival_pose(evidence[[0, 1, 3]], locations[[0, 1, 3]], rotations[[0, 1, 3]], GoalSettings()) == 2
    assert rival_pose(evidence[:2], locations[:2], rotations[:2], GoalSettings()) is None


def test_most_different_point_does_not_depend_on_the_body_frame():
    (a, _), (b, _) = with_handle(), ball()
    rotation = patches.random_rotations(3, seed=2)
    own, foreign = (np.array([0.01, 0, 0.02]), rotation[0]), (np.array([0, 0.03, 0.01]), rotation[1])
    index, gap = most_different_point(a, own, b, foreign)
    turned_own, turned_foreign = (own[0], rotation[0] @ rotation[2]), (foreign[0], rotation[1] @ rotation[2])
    again, gap_again = most_different_point(a, turned_own, b, turned_foreign)
    assert (index, gap) == (again, pytest.approx(gap_again))


def asks(memory, beliefs, settings=SETTINGS, counts=2):
    turn = np.diag([-1.0, -1.0, 1.0])
    pair = np.array([5.0, 4.9]), np.array([[0.0, 0, 0.04], [0.0, 0, 0.04]]), np.stack([np.eye(3), turn])
    source = Memory([pair, pair])
    goals, after = propose(memory, beliefs, source, settings, key(len(memory.since)))
    return goals.active.tolist(), after


def test_conditions():
    close = [[10.0, 9.9]]
    waits = GoalSettings(min_steps=5, elapsed_steps=1000)
    assert asks(aged(4), standing(close))[0] == [False]  # too soon
    assert asks(aged(), standing(close))[0] == [True]  # waited long enough
    assert asks(aged(), standing(close), waits)[0] == [False]
    assert asks(aged(), standing(close, ready=np.array([False])))[0] == [False]
    assert asks(aged(), standing([[-np.inf, -np.inf]]))[0] == [False]
    assert asks(aged(), standing([[-np.inf, 10.0]]), waits)[0] == [True]  # only its pose can be tested
    assert asks(aged(), standing([[-np.inf, 10.0]], counts=[[0, 1]]), waits)[0] == [False]
    assert asks(aged(), standing([[1.0, 10.0]]), waits)[0] == [True]  # one possible object left
    tested = aged(top=np.array([0]), second=np.array([1]))
    assert asks(tested, standing(close), waits)[0] == [False]
    swapped = aged(top=np.array([1]), second=np.array([0]))
    assert asks(swapped, standing(close), waits)[0] == [True]
    turned = replace(tested, rotation=np.diag([1.0, -1.0, -1.0])[None])
    assert asks(turned, standing(close), waits)[0] == [True]


def test_waiting_grows_and_the_count_starts_again():
    settings = GoalSettings(min_steps=3, elapsed_steps=4, wait_growth=2)
    memory = GoalMemory.start(1)
    made = []
    for step in range(60):
        active, memory = asks(memory, standing([[10.0, 9.9]], sensed=(0, 0, 0.001 * step)), settings)
        made += [step] if active[0] else []
    assert np.diff([-1, *made]).tolist()[:3] == [5, 9, 17]
    assert memory.tried[0] == len(made)


def test_a_goal_is_reached_when_the_next_input_comes_from_there():
    active, memory = asks(aged(rows=2), standing([[10.0, 9.9]] * 2))
    assert active == [True, True]
    sensed = memory.target + np.array([[0.01, 0, 0], [0.02, 0, 0]])
    _, memory = asks(memory, replace(standing([[10.0, 9.9]] * 2), sensed=sensed))
    assert memory.reached.tolist() == [1, 0]
    assert not memory.open.any()
    fresh = where_rows(np.array([True, False]), GoalMemory.start(2), memory)
    assert fresh.reached.tolist() == [0, 0]
    assert fresh.tried.tolist() == [0, 1]


def test_a_vain_goal_is_remembered_and_the_next_one_tests_somebody_else():
    """Three poses of the cup with a handle; two are refuted by looking where they put it."""
    turns = [rotation_about([0.0, 0, 1], angle) for angle in (0.0, 2.0, 4.0)]
    touched = np.array([0, 0, 0.04])
    evidence, locations = np.array([9.0, 8.9, 8.8]), np.tile(touched, (3, 1))
    source = Memory([single(touched, np.eye(3)), (evidence, locations, np.stack(turns))])
    beliefs, memory = standing([[2.0, 9.0]], touched), aged()
    places, unsettled = [], []
    for _ in range(3):
        goals, memory = propose(memory, beliefs, source, SETTINGS, key())
        places += [goals.location[0]] if goals.active[0] else []
        unsettled.append(bool(memory.unsettled[0]))
        # the jump shows nothing: no input on the next step
        _, memory = propose(memory, replace(beliefs, ready=np.array([False])), source, SETTINGS, key())
    tips = [turn.T @ [0.07, 0, 0] for turn in turns]
    # with two of three refuted, nothing is left to tell the third from
    assert len(places) == 2
    assert {int(np.argmin(np.linalg.norm(tips - place, axis=1))) for place in places} < {0, 1, 2}
    assert np.linalg.norm(places[0] - places[1]) > 0.05
    assert memory.vain.tolist() == [2]
    assert unsettled == [False, True, False]


def test_patience_with_vain_goals_is_limited():
    """Every pose says the tip is elsewhere, and there is always another: the episode must be able to end."""
    touched = np.array([0, 0, 0.04])
    turns = np.stack([rotation_about([0.0, 0, 1], angle) for angle in np.linspace(0, 6, 60)])
    poses = np.linspace(9, 8.5, 60), np.tile(touched, (60, 1)), turns
    source, beliefs, memory = Memory([poses, poses]), standing([[2.0, 9.0]], touched), aged()
    for _ in range(2 * EMPTY_PLACES):
        _, memory = propose(memory, beliefs, source, SETTINGS, key())
        _, memory = propose(memory, replace(beliefs, ready=np.array([False])), source, SETTINGS, key())
    assert EMPTY_PLACES < memory.vain[0] < EMPTY_PLACES + 6  # from there on one in six steps
    assert not memory.unsettled[0]


def test_something_in_front_of_the_goal_does_not_make_it_empty():
    active, memory = asks(aged(), standing([[10.0, 9.9]]))
    assert active == [True]
    before, behind = memory.target + 0.02 * memory.facing, memory.target - 0.02 * memory.facing
    assert asks(memory, replace(standing([[10.0, 9.9]]), sensed=before))[1].vain.tolist() == [0]
    assert asks(memory, replace(standing([[10.0, 9.9]]), sensed=behind))[1].vain.tolist() == [1]
    # nor does a sensor that was not brought before it
    aside = replace(standing([[10.0, 9.9]]), sensed=behind, aimed=False)
    assert asks(memory, aside)[1].vain.tolist() == [0]


def test_a_label_tells_the_turns_of_a_ball_apart():
    """Without the handle, colour is all there is: the goal is on the label of one of the two poses."""
    half_turn = np.diag([-1.0, -1.0, 1.0])
    touched = np.array([0, 0, 0.04])
    pair = np.array([9.0, 8.9]), np.tile(touched, (2, 1)), np.stack([np.eye(3), half_turn])
    source = Memory([pair, pair])
    source._points = [ball(), ball()]
    plain = [np.zeros((400, 3)), np.zeros((400, 3))]
    source._colours = plain
    beliefs = standing([[2.0, 9.0]], touched)
    assert not propose(aged(), beliefs, source, SETTINGS, key())[0].active[0]
    label = np.where(ball()[0][:, :1] > 0.03, 1.0, 0.0) * [[0, 0, 1.0]]
    source._colours = [label, label]
    goals, _ = propose(aged(), beliefs, source, SETTINGS, key())
    assert goals.active[0]
    assert abs(goals.location[0, 0]) > 0.03


def test_identical_models_make_no_goal():
    source = Memory([single([0, 0, 0.04], np.eye(3))] * 2)
    source._points = [ball(), ball()]
    source._colours = [np.zeros((400, 0))] * 2
    goals, memory = propose(aged(), standing([[10.0, 9.9]]), source, SETTINGS, key())
    assert not goals.active[0]
    assert memory.tried[0] == 0


def test_rows_do_not_mix():
    values = np.array([[10.0, 9.9], [1.0, 10.0], [10.0, 9.0], [-np.inf, 3.0]])
    together, _ = asks(aged(rows=4), standing(values))
    for row in range(4):
        turn = np.diag([-1.0, -1.0, 1.0])
        pair = np.array([5.0, 4.9]), np.array([[0.0, 0, 0.04], [0.0, 0, 0.04]]), np.stack([np.eye(3), turn])
        one = RowKey(0, np.array([row]), np.zeros(1, int))
        goals, _ = propose(aged(), standing(values[row : row + 1]), Memory([pair, pair]), SETTINGS, one)
        assert goals.active[0] == together[row]


def test_possible_matches_and_top_two():
    per = np.array([[10.0, 8.5, 7.9, -np.inf], [1.0, 1.05, 1.02, 1.0], [-2.0, -1.0, -3.0, -np.inf]])
    assert possible_matches(per, 20.0).tolist() == [
        [True, True, False, False],
        [True, True, True, True],
        [False, False, False, False],
    ]
    assert possible_matches(per, 20.0, 0.5)[0].tolist() == [True, False, False, False]
    assert possible_matches(np.array([[3.0, -np.inf]]), 20.0).tolist() == [[True, False]]
    assert possible_matches(np.array([[-0.05, -np.inf]]), 20.0).tolist() == [[False, False]]
    top, second = top_two(per, np.array([0, 1, 1]))
    assert (top.tolist(), second.tolist()) == ([0, 1, 1], [1, 2, 0])
    top, second = top_two(np.array([[-np.inf, 4.0], [-np.inf, -np.inf]]), np.array([1, 0]))
    assert (top.tolist(), second.tolist()) == ([1, -1], [-1, -1])


def test_the_most_confident_goal_wins():
    def batch(confidence, active, x):
        rows = len(confidence)
        place = np.tile([x, 0.0, 0.0], (rows, 1))
        number = np.full(rows, int(x))
        return GoalBatch(place, place, np.array(confidence, float), np.array(active), number)

    chosen = select_goals(
        [
            batch([0.5, 0.9, 0.5, 0.1], [1 > 0] * 3 + [False], 0),
            batch([0.7, 0.8, 0.5, 0.3], [True, True, True, False], 1),
        ]
    )
    assert chosen.sender[:3].tolist() == [1, 0, 0]
    assert chosen.active.tolist() == [True, True, True, False]
    np.testing.assert_array_equal(chosen.location[:3, 0], [1, 0, 0])
    with pytest.raises(ValueError, match="at least one module"):
        select_goals([])
