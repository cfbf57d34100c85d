"""From a module's result and its bank to what goal generation needs."""

from types import SimpleNamespace

import numpy as np

from saccade.cortex.bank.results import ModuleResult, Pose
from saccade.cortex.goals.goal_source import BankSource, ReadableBank, standing_of
from saccade.cortex.models.model import NodeSet, ObjectModel


def nodes(shift, normal):
    positions = np.arange(6, dtype=float).reshape(2, 3) + shift
    pose = np.tile(np.stack([normal, np.roll(normal, 1), np.roll(normal, 2)]), (2, 1, 1))
    return NodeSet(positions, pose, np.ones(2, bool), {})


class Bank:
    """Two modules; the second knows a cup and a mug."""

    def __init__(self):
        cup = ObjectModel("cup", {"patch_0": nodes(0, np.array([1.0, 0, 0]))})
        channels = {"patch_1": nodes(1, np.array([0, 1.0, 0])), "patch_0": nodes(2, np.array([0, 0, 1.0]))}
        self.memories = [[], [cup, ObjectModel("mug", channels)]]

    def hypotheses_of(self, row, module, name):
        value = {"cup": 1.0, "mug": 2.0}[name] + 10 * row + 100 * module
        many = np.float32(value)
        return {
            "evidence": np.full(3, many),
            "locations": np.full((3, 3), many),
            "rotations": np.zeros((3, 3, 3)),
        }


def test_the_source_reads_the_right_module_object_and_channel():
    bank = Bank()
    assert isinstance(bank, ReadableBank)
    source = BankSource(bank, 1, "patch_0")
    evidence, locations, rotations = source.hypotheses(row=4, number=1)
    assert evidence.tolist() == [142.0] * 3
    assert (locations.shape, rotations.shape, locations.dtype) == ((3, 3), (3, 3, 3), np.float64)
    positions, normals = source.points(1)
    np.testing.assert_array_equal(positions[0], [2, 3, 4])
    np.testing.assert_array_equal(normals[0], [0, 0, 1])
    # A model without that channel offers the nodes it has.
    np.testing.assert_array_equal(BankSource(bank, 1, "patch_7").points(0)[1][0], [1, 0, 0])


def test_colours_that_look_alike_are_near_whatever_their_numbers():
    hsv = np.array([[0.99, 0.8, 0.8], [0.01, 0.8, 0.8], [0.5, 0.0, 0.9], [0.1, 0.0, 0.9], [0.5, 0.8, 0.8]])
    coloured = NodeSet(np.zeros((5, 3)), np.tile(np.eye(3), (5, 1, 1)), np.ones(5, bool), {"hsv": hsv})
    bank = Bank()
    bank.memories[1].append(ObjectModel("can", {"patch_0": coloured}))
    source = BankSource(bank, 1, "patch_0")
    place = source.colours(2)
    assert np.linalg.norm(place[0] - place[1]) < 0.06  # reds on both sides of the circle's seam
    assert np.linalg.norm(place[2] - place[3]) < 1e-6  # greys have no hue
    assert np.linalg.norm(place[0] - place[4]) > 0.6
    assert source.colours(0).shape == (2, 0)


def test_standing_numbers_objects_and_averages_evidence():
    turn = np.diag([1.0, -1.0, -1.0])
    best = [None, Pose("mug", 3, 6.0, np.zeros(3), turn), Pose("cup", 0, 9.0, np.zeros(3), np.eye(3))]
    result = ModuleResult(
        module="lm",
        objects=("cup", "mug"),
        best=best,
        evidence=np.array([[-np.inf, -np.inf], [2.0, 6.0], [9.0, 1.0]]),
        counts=np.array([[0, 0], [4, 5], [6, 7]]),
        possible=[[], ["mug"], ["cup"]],
        prediction_error=np.zeros((3, 2)),
        terminal=[None] * 3,
        symmetry=np.zeros(3, int),
        possible_hypotheses=np.zeros((3, 2), int),
        outputs=[None] * 3,
        processed=np.array([False, True, True]),
    )
    module = SimpleNamespace(name="lm", steps=lambda row: [0, 8, 4][row])
    standing = standing_of(module, result, np.ones((3, 3)))
    assert standing.best_object.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(standing.best_rotation[1], turn)
    np.testing.assert_allclose(standing.confidence, [0.0, 0.75, 1.0])
    assert standing.ready.tolist() == [False, True, True]
