"""Decisions against the reference: possible matches, best hypothesis, unique pose, and sequences of end
checks.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from saccade.cortex.bank.results import top_two
from saccade.cortex.hypotheses import hypotheses
from saccade.cortex.hypotheses.decide import (
    best_hypotheses,
    decide,
    pose_is_unique,
    possible_hypotheses,
    possible_matches,
)
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.ops import read, upload

from .test_evidence import rotation, tensor, vector
from .test_updater_plain import compare_row, compare_state, step
from .traces import PATCH, TOLERANCE, Ties, load, names, settings_of

DTYPES = ("float64", "float32")


def state_of(trace, c: int, objects: list[str], dtype: str) -> hypotheses.Hypotheses:
    """Stored hypotheses of several objects, padded with values that must not matter."""
    parts = [
        [trace[f"c{c}_{name}_{part}"] for name in objects] for part in ("evidence", "locations", "poses")
    ]
    size = max(max(len(e) for e in parts[0]), 1) + 3

    def padded(arrays: list[np.ndarray]) -> np.ndarray:
        out = np.full((1, 1, len(arrays), size, *arrays[0].shape[1:]), 99.0)
        for o, array in enumerate(arrays):
            out[0, 0, o, : len(array)] = array
        return out

    counts = np.array([[[len(e) for e in parts[0]]]])
    return hypotheses.Hypotheses(
        evidence=tensor(padded(parts[0]), dtype),
        location=vector(padded(parts[1]), dtype),
        rotation=rotation(padded(parts[2]), dtype),
        possible=upload(np.zeros((1, 1, len(objects), size)), "bool", None),
        counts=upload(counts, "int32", None),
    )


@pytest.mark.parametrize("name", [n for n in names("i") if "match_logic" in n])
@pytest.mark.parametrize("dtype", DTYPES)
def test_match_logic(name: str, dtype: str) -> None:
    trace = load(name)
    for c, case in enumerate(trace.settings["cases"]):
        settings = settings_of({**trace.settings["base"], **case["settings"]}, dtype=dtype)
        objects = case["objects"]
        state = state_of(trace, c, objects, dtype)
        best = best_hypotheses(state)
        x = settings.x_percent_threshold
        scales = [possible_matches(best.per_object, x, scale) for scale in (1.0, 0.75)]
        ids = possible_hypotheses(state.evidence, hypotheses.valid(state), settings)
        turned = tuple(part.unsqueeze(-1) for part in best.rotation)
        unique = pose_is_unique(ids, state.location, state.rotation, turned, settings)
        told = [*scales, ids, unique, best.per_object, best.object, best.id, best.evidence]
        told[0].realize(*told[1:])  # one program for all
        full, less, found, alike, per_object, chosen, number, value = read(told)
        what = f"case {c}"
        assert [n for n, p in zip(objects, full[0, 0], strict=True) if p] == case["possible_matches"], what
        assert [n for n, p in zip(objects, less[0, 0], strict=True) if p] == case[
            "possible_matches_scale_0_75"
        ], what
        if case["mlh_graph"] is not None:
            assert (objects[int(chosen[0, 0])], int(number[0, 0])) == (case["mlh_graph"], case["mlh_id"]), (
                what
            )
            assert value[0, 0] == pytest.approx(case["mlh_evidence"], abs=TOLERANCE[dtype])
            first, second = top_two(per_object[0, 0].astype(np.float64), int(chosen[0, 0]))
            assert [objects[first], None if second is None else objects[second]] == case["top_two"], what
        for o, name in enumerate(objects):
            assert np.flatnonzero(found[0, 0, o]).tolist() == case["possible_hypothesis_ids"].get(name, []), (
                what
            )
            expected = case["pose_unique_vs_mlh_rotation"].get(name)
            if expected is not None:
                assert bool(alike[0, 0, o]) == expected, f"{what} {name}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [n for n in names("i") if "terminal" in n])
def test_terminal_sequence(name: str, dtype: str, record_property: object) -> None:
    trace = load(name)
    settings = settings_of(trace.settings, dtype=dtype)
    module = EvidenceModule("lm", (PATCH,), settings, trace.models())
    bank = EvidenceModule.bank([module], rows=1)
    ties = Ties(dtype)
    for t, row in enumerate(trace.settings["rows"]):
        what = f"{name} step {t}"
        outcome = step(bank, [trace.percept(t)], check=t >= trace.settings["terminal_check_from_step"])
        compare_row(outcome, trace, row, dtype, what)
        compare_state(bank, trace, f"s{t:02d}", ties)
        result = module.conclude(outcome, 0)
        assert result.terminal[0] == row["terminal_state"], what
        assert int(result.symmetry[0]) == row["symmetry_evidence"], what
        flagged = dict(zip(result.objects, result.possible_hypotheses[0].tolist(), strict=True))
        expected = row["possible_hypotheses"]
        assert (
            flagged == expected
            if dtype == "float64"
            else all(abs(flagged[n] - expected[n]) <= 1 for n in expected)
        ), what
        detected = result.best[0] if result.terminal[0] == "match" else None
        assert (detected.object if detected else None) == row["detected_object"], what
        if detected:
            got = np.concatenate([detected.location, detected.euler_degrees, [1.0]])  # 1: the scale
            np.testing.assert_allclose(got, row["detected_pose"], atol=1e-6 if dtype == "float64" else 0.02)
        output, want = module.output(result, 0), row["output"]
        assert result.outputs[0] is None or want["pass_message"], what
        assert (result.outputs[0] is not None) == want["pass_message"], what
        assert output.confidence == pytest.approx(want["confidence"], abs=TOLERANCE[dtype]), what
        assert output.pose_fully_defined == want["pose_fully_defined"], what
        assert output.features["object_id"][0] == want["object_id"], what
        if dtype == "float64":
            np.testing.assert_allclose(output.pose_vectors, want["pose_vectors"], atol=1e-6)
    ties.report(record_property)


def test_modules_without_any_hypotheses_have_no_match() -> None:
    settings = settings_of({}, dtype="float64")
    state = hypotheses.empty(2, 3, 4, 5, "float64", "float64", None)
    zero = upload(np.zeros((2, 3)), "int32", None)
    everyone = upload(np.ones((2, 3)), "bool", None)
    _, beliefs = decide(state, zero, everyone, everyone, settings)
    possible, unique, value = read([beliefs.possible, beliefs.unique, beliefs.best.evidence])
    assert not possible.any()
    assert not unique.any()
    assert np.isneginf(value).all()


def settled(processed: bool, flagged: bool, counter: int) -> tuple[bool, int]:
    """Whether a module whose possible hypotheses stay the same is symmetric after a check; its counter."""
    settings = settings_of({}, dtype="float64", required_symmetry_evidence=5)
    state = hypotheses.empty(1, 1, 1, 4, "float64", "float64", None)
    state = state._replace(
        evidence=upload(np.full((1, 1, 1, 4), 9.0), "float64", None),
        possible=upload(np.full((1, 1, 1, 4), flagged), "bool", None),
        counts=upload(np.full((1, 1, 1), 4), "int32", None),
    )
    now, yes = upload([[processed]], "bool", None), upload([[True]], "bool", None)
    _, beliefs = decide(state, upload([[counter]], "int32", None), yes, now, settings)
    symmetric, found = read([beliefs.symmetric, beliefs.symmetry])
    return bool(symmetric[0, 0]), int(found[0, 0])


def test_only_steps_with_a_percept_speak_for_a_symmetry() -> None:
    assert settled(processed=True, flagged=True, counter=4) == (True, 5)
    assert settled(processed=False, flagged=True, counter=4) == (False, 4)
    assert settled(processed=False, flagged=True, counter=5) == (True, 5)


def test_a_symmetry_needs_a_check_before_to_compare_with() -> None:
    assert settled(processed=True, flagged=False, counter=7) == (False, 7)


@pytest.mark.parametrize(("voted", "expected"), [(False, "no_match"), (True, None)])
def test_votes_bring_a_module_back_that_had_no_match(voted: bool, expected: str | None) -> None:
    module = EvidenceModule("m", (PATCH,))

    def conclude(matches: float) -> str | None:
        marked = SimpleNamespace(lists=([[True]], [[True]]))
        step = SimpleNamespace(marked=marked, checks=False, voted=voted)
        return module.conclude(SimpleNamespace(step=step, matches=[matches]), 0).terminal[0]

    assert conclude(0.0) == "no_match"
    assert conclude(2.0) == expected
