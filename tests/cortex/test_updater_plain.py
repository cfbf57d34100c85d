"""The plain updater, initial hypotheses and decisions against the reference, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.outcome import Outcome
from saccade.cortex.geometry import uniform_rotations
from saccade.cortex.messages import Percept, batch_of
from saccade.cortex.models.model import ObjectModel

from .traces import PATCH, TOLERANCE, Ties, Trace, in_precisions, load, names, nodes_of, settings_of


def bank_of(
    trace: Trace, dtype: str, channels: tuple[str, ...] = (PATCH,), search: str = "voxels"
) -> EvidenceBank:
    settings = settings_of(trace.settings, dtype=dtype, neighbour_search=search)
    return EvidenceBank([trace.models(channels)], [channels], settings)


def step(bank: EvidenceBank, percepts: list[Percept], check: bool = False) -> Outcome:
    batch = batch_of(percepts, bank.channels[0], bank.layouts)
    return bank.collect(bank.launch(batch, np.full((1, 1), check)))


def compare_state(bank: EvidenceBank, trace: Trace, key: str, ties: Ties) -> None:
    for name in trace.objects:
        got = bank.hypotheses_of(0, 0, name)
        for part, ours in (("evidence", "evidence"), ("locations", "locations"), ("poses", "rotations")):
            expected = trace.get(f"{key}_{name}_{part}")
            if expected is not None:
                ties.close(got[ours], expected, f"{trace.name} {key} {name} {part}")
        flags = trace.get(f"{key}_{name}_possible")
        if flags is not None:
            ties.close(got["possible"].astype(float), flags.astype(float), f"{trace.name} {key} {name} flags")


def compare_row(outcome: Outcome, trace: Trace, row: dict, dtype: str, what: str) -> None:
    """Names, ids and matches exact; numbers within the tolerance. `dtype` float32 may pick another of two
    equals.
    """
    best = outcome.beliefs.best
    objects = trace.objects
    assert [n for o, n in enumerate(objects) if outcome.beliefs.possible[0, 0, o]] == row[
        "possible_matches"
    ], what
    assert objects[int(best.object[0, 0])] == row["mlh_graph"], what
    assert float(best.evidence[0, 0]) == pytest.approx(row["mlh_evidence"], abs=TOLERANCE[dtype]), what
    if dtype == "float64":
        assert int(best.id[0, 0]) == row["mlh_id"], what
        location = np.array([c[0, 0] for c in best.location])
        rotation = np.array([c[0, 0] for c in best.rotation]).reshape(3, 3)
        np.testing.assert_allclose(location, row["mlh_location"], atol=1e-6, err_msg=what)
        np.testing.assert_allclose(rotation, row["mlh_rotation"], atol=1e-6, err_msg=what)
        for o, name in enumerate(objects):
            got, expected = float(outcome.update.prediction_error[0, 0, o]), row["prediction_error"][name]
            if expected is None:
                assert np.isnan(got), f"{what}: prediction error of {name} is {got}, expected none"
            else:
                assert got == pytest.approx(expected, abs=1e-6), f"{what} {name}"


@pytest.mark.parametrize("name", names("g_"))
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_initial_hypotheses(name: str, dtype: str) -> None:
    trace = load(name)
    np.testing.assert_allclose(uniform_rotations(), trace["uniform_pose_matrices"], atol=1e-9)
    for c, case in enumerate(trace.settings["cases"]):
        settings = settings_of(case, dtype=dtype)
        model = ObjectModel("o", {PATCH: nodes_of(trace[f"c{c}_node_pos"], trace[f"c{c}_node_x"])})
        bank = EvidenceBank([[model]], [(PATCH,)], settings)
        features = {"hsv": trace[f"c{c}_sensed_hsv"], "principal_curvatures_log": trace[f"c{c}_sensed_pcl"]}
        percept = Percept(
            location=np.zeros(3),
            pose_vectors=trace[f"c{c}_sensed_pose_vectors"],
            features=features,
            pose_fully_defined=case["sensed_pose_fully_defined"],
            sender=PATCH,
        )
        step(bank, [percept])
        got = bank.hypotheses_of(0, 0, "o")
        assert len(got["evidence"]) == case["H"]
        for ours, theirs in (("evidence", "evidence"), ("locations", "locations"), ("rotations", "poses")):
            expected = trace[f"c{c}_out_{theirs}"]
            np.testing.assert_allclose(
                got[ours], expected, atol=TOLERANCE[dtype], rtol=0, err_msg=f"case {c} {ours}"
            )
        assert not got["possible"].any()


@pytest.mark.parametrize("search", ["voxels", "brute"])
@pytest.mark.parametrize(("name", "dtype"), in_precisions([n for n in names("e") if "two_channels" not in n]))
def test_plain_updater(name: str, dtype: str, search: str, record_property: object) -> None:
    trace = load(name)
    bank, ties = bank_of(trace, dtype, search=search), Ties(dtype)
    for t, row in enumerate(trace.settings["rows"]):
        outcome = step(bank, [trace.percept(t)])
        compare_row(outcome, trace, row, dtype, f"{name} step {t}")
        compare_state(bank, trace, f"s{t:02d}", ties)
        expected = trace["out_thresholds"][t]
        np.testing.assert_allclose(outcome.update.threshold[0, 0], expected, atol=TOLERANCE[dtype], rtol=0)
    ties.report(record_property)


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [n for n in names("e") if "two_channels" in n])
def test_a_channel_that_joins_later(name: str, dtype: str, record_property: object) -> None:
    trace = load(name)
    channels = ("patch_0", "patch_1")
    bank, ties = bank_of(trace, dtype, channels), Ties(dtype)
    for t, row in enumerate(trace.settings["rows"]):
        percepts = [trace.percept(t, "p0_", "patch_0")]
        if t >= trace.settings["channel1_from_step"]:
            percepts.append(trace.percept(t, "p1_", "patch_1"))
        outcome = step(bank, percepts)
        compare_row(outcome, trace, row, dtype, f"{name} step {t}")
        compare_state(bank, trace, f"s{t:02d}", ties)
    ties.report(record_property)
