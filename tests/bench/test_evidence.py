"""The hypothesis benchmark: what it compares, how it talks to peers, how it judges growth."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from bench import decisions, evidence
from bench.decisions import angle, summary
from bench.decisions_data import Streams
from bench.evidence import bench_evidence, compared
from bench.evidence_data import make_workload
from bench.evidence_ours import EvidenceCase, away
from bench.evidence_peer import reached_share
from bench.evidence_scale import exponent
from bench.peer_process import PeerError, PeerProcess
from bench.voting import steps_to_find
from saccade import Tensor
from saccade.runtime.device import Device

ECHO = """
import json, sys
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    print(json.dumps({"error": "no"} if line.strip() == "fail" else {"said": line.strip()}), flush=True)
"""


def test_a_peer_answers_line_by_line_and_its_errors_are_raised() -> None:
    with PeerProcess([sys.executable, "-c", ECHO]) as peer:
        assert peer.ask("step") == {"said": "step"}
        with pytest.raises(PeerError, match="no"):
            peer.ask("fail")
        assert peer.ask("again") == {"said": "again"}


def test_a_peer_that_cannot_start_says_why() -> None:
    with (
        pytest.raises(PeerError, match="No module named 'nowhere'"),
        PeerProcess([sys.executable, "-c", "import nowhere"]),
    ):
        pass


def test_evidence_agrees_but_for_a_few_on_a_threshold() -> None:
    ours = [np.zeros(4000), np.array([1.0, 2.0])]
    same = compared(ours, [np.zeros(4000), np.array([1.0, 2.00005])])
    assert same["evidence_agrees"]
    assert same["evidence_gap"] == pytest.approx(5e-5)
    assert not compared(ours, [np.ones(4000), ours[1]])["evidence_agrees"]
    assert not compared(ours, [np.zeros(3999), ours[1]])["evidence_agrees"]


@pytest.mark.parametrize("device", ["cpu", "auto", None])
def test_time_in_kernels_is_not_the_hosts_own(device: str | None) -> None:
    name = Device.canonical(device)
    x = Tensor(np.ones((700, 700), np.float32), device=name)
    (x @ x).numpy()
    with away(device) as absence:
        assert absence.seconds == 0
        (x @ x).numpy()
    assert absence.seconds > 0, "the command line leaves the choice of a device to us"


def test_hypotheses_without_a_node_in_reach_lose_exactly_one() -> None:
    before = [np.array([1.0, 2.0]), np.array([0.0, 0.0])]
    assert reached_share(before, [np.array([0.0, 3.0]), np.array([-1.0, -0.5])]) == 0.5
    assert reached_share(before, [np.zeros(3), np.zeros(2)]) is None


def test_a_missing_peer_leaves_our_figures() -> None:
    case = EvidenceCase(objects=2, nodes=20, hypotheses=40, neighbours=3, steps=4)
    report = bench_evidence(case, "monty", sys.executable)
    assert report["peer_error"]
    assert report["ratio"] is None
    assert report["ms_per_step"] > 0
    assert 0 < report["in_range"] <= 1
    assert report["compilations"] <= 3


def test_a_peer_that_was_asked_for_and_is_missing_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    size = ["--objects", "2", "--nodes", "20", "--hypotheses", "40", "--neighbours", "3", "--steps", "4"]
    assert evidence.main([*size, "--json"]) == 0
    capsys.readouterr()
    assert evidence.main([*size, "--peer", "monty", "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["ms_per_step"] > 0
    assert "--peer-python" in printed.err
    assert decisions.main(["--peer-python", sys.executable]) == 1
    assert "--peer-python" in capsys.readouterr().err


def test_bursts_know_their_share_in_reach_too() -> None:
    case = EvidenceCase(objects=2, nodes=60, hypotheses=120, neighbours=3, steps=8, updater="burst")
    report = bench_evidence(case)
    assert 0 < report["in_range"] <= 1
    assert report["compilations"] <= 3


def test_cases_without_anything_are_refused() -> None:
    with pytest.raises(ValueError, match="--objects must be at least 1, got 0"):
        EvidenceCase(objects=0)


def test_walks_are_the_same_for_the_same_seed() -> None:
    first, again = make_workload(2, 300, 5, seed=3), make_workload(2, 300, 5, seed=3)
    np.testing.assert_array_equal(first.location, again.location)
    steps = np.linalg.norm(np.diff(first.location, axis=0), axis=1)
    assert (steps < 0.04).all()
    assert len(make_workload(1, 2, 4).location) == 4, "a sparse model can be walked too"


def test_the_exponent_of_growth() -> None:
    assert exponent([10, 20, 40, 80], [1.0, 2.0, 4.0, 8.0]) == 1.0
    assert exponent([1, 2, 4], [1.0, 4.0, 16.0]) == 2.0


def test_steps_until_a_module_stays_right() -> None:
    found = np.array([[[False, True]], [[True, False]], [[True, False]], [[True, False]]])
    assert steps_to_find(found) == (2 + 4) / 2


def test_decisions_are_compared_by_ending_and_object() -> None:
    empty = {"positions": np.zeros((5, 3))}
    nothing = np.zeros((2, 1))
    streams = Streams(
        ("mug", "bowl"), (empty, empty), nothing, nothing, nothing > 0, nothing, nothing, nothing > 0,
        nothing > 0, np.array([0, 1]), np.zeros((2, 3, 3)),
    )  # fmt: skip

    def said(ending: str, name: str, steps: int) -> dict[str, object]:
        turn = np.eye(3).tolist()
        return {
            "ending": ending,
            "object": name,
            "steps": steps,
            "rotation": turn,
            "evidence": 1.0,
            "seconds": 2.0,
            "cpu_seconds": 3.0,
        }

    report = summary(
        streams,
        [
            (said("match", "mug", 21), said("match", "mug", 21)),
            (said("match", "mug", 30), said("time_out", "bowl", 60)),
        ],
    )
    assert report["agree"] == report["agree_object"] == 0.5
    assert report["same_steps"] == 1.0
    assert (report["correct"], report["peer_correct"]) == (0.5, 1.0)
    assert [one["shown"] for one in report["disagreements"]] == ["bowl"]
    assert angle(np.eye(3), [[0, -1, 0], [1, 0, 0], [0, 0, 1]]) == pytest.approx(90.0)
