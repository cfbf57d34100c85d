"""The burst updater against the reference: what is added, removed and kept, ages, slopes and bursts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.knowledge import SPARE_STEPS
from saccade.cortex.bank.state import arrangement
from saccade.cortex.geometry import listed_rotations, uniform_rotations
from saccade.cortex.hypotheses import updater_burst
from saccade.cortex.hypotheses.hypotheses import Hypotheses, empty, kept_order
from saccade.cortex.hypotheses.updater_burst import Tracker, nodes_to_sample
from saccade.cortex.messages import Percept, batch_of
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.ops import read
from saccade.cortex.settings import BurstSettings, EvidenceSettings
from saccade.tensor import Tensor
from saccade.tensor.jit.jit import jit

from .test_updater_plain import compare_row
from .traces import PATCH, TOLERANCE, Ties, Trace, in_precisions, load, names, settings_of


def matched_order(got: dict[str, np.ndarray], trace: Trace, key: str, first: int) -> np.ndarray:
    """Our places of the reference's added hypotheses, where an unstable sort left their order open."""
    location, turn = trace[f"{key}_added_locations"], trace[f"{key}_added_poses"]
    theirs = np.concatenate([location, turn.reshape(len(turn), 9)], axis=1)
    mine = np.concatenate([got["locations"], got["rotations"].reshape(-1, 9)], axis=1)[first:]
    assert len(mine) == len(theirs)
    if not len(mine):
        return np.arange(first)
    gap = np.abs(mine[None] - theirs[:, None]).max(axis=-1)
    order = gap.argmin(axis=1)
    assert gap.min(axis=1).max() < 1e-5
    assert len(set(order.tolist())) == len(order), "every added hypothesis must be found once"
    return np.concatenate([np.arange(first), first + order])


def recorded() -> list[Any]:
    """Each file with rotations that are computed of what they came from, and the first with stored ones too;
    with the slow tests all of them."""
    runs = []
    for file in in_precisions(names("f")):
        name, dtype = file.values
        for stored in (False, True):
            rare = file.marks or (stored and name != names("f")[0])
            marks = [pytest.mark.slow] if rare else []
            how = "stored" if stored else "computed"
            runs.append(pytest.param(name, dtype, stored, marks=marks, id=f"{name}-{dtype}-{how}"))
    return runs


@pytest.mark.parametrize(("name", "dtype", "stored"), recorded())
def test_burst_updater(
    name: str, dtype: str, stored: bool, record_property: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = load(name)
    settings = settings_of(trace.settings, dtype=dtype)
    monkeypatch.setattr(arrangement, "rotations_are_stored", lambda device: stored)
    bank = EvidenceBank([trace.models()], [(PATCH,)], settings)
    ties = Ties(dtype)
    permutation: dict[str, np.ndarray] = {}
    tied_before = False
    for t, row in enumerate(trace.settings["rows"]):
        what = f"{name} step {t}"
        pending = bank.launch(batch_of([trace.percept(t)], bank.channels[0], bank.layouts))
        outcome = bank.collect(pending)
        removed, left = read([outcome.burst.removed, bank.tracker.burst_left])
        slope, has = read(updater_burst.slopes(bank.tracker))
        (ages,) = read([bank.tracker.ages])
        assert int(left[0, 0]) == row["burst_steps_after"], what
        if np.isfinite(float(row["max_slope"])):
            assert float(outcome.burst.max_slope[0, 0]) == pytest.approx(
                row["max_slope"], abs=TOLERANCE[dtype]
            ), what
        else:
            assert np.isneginf(outcome.burst.max_slope[0, 0]), what
        tied = any(row["ties_in_selected_nodes"].values())
        for o, obj in enumerate(trace.objects):
            key = f"s{t:02d}_{obj}"
            got = bank.hypotheses_of(0, 0, obj)
            count, kept = len(got["evidence"]), int(outcome.burst.kept[0, 0, o])
            assert count == row["counts"][obj], what
            gone = np.flatnonzero(removed[0, 0, o])
            before = permutation.get(obj)
            if before is not None and not np.array_equal(before, np.arange(len(before))):
                assert len(gone) == len(trace[f"{key}_removed_ids"]) == 0, (
                    "reordered hypotheses are never removed here"
                )
            np.testing.assert_array_equal(gone, trace[f"{key}_removed_ids"], err_msg=what)
            np.testing.assert_array_equal(np.arange(kept, count), trace[f"{key}_added_ids"], err_msg=what)
            order = np.arange(count)
            if row["ties_in_selected_nodes"].get(obj):
                order = matched_order(got, trace, key, kept)
            if before is not None and len(before) <= kept:
                order[: len(before)] = before
            permutation[obj] = order
            if kept < count:
                ties.close(
                    got["locations"][order][kept:], trace[f"{key}_added_locations"], f"{what} added locations"
                )
                ties.close(
                    got["rotations"][order][kept:], trace[f"{key}_added_poses"], f"{what} added rotations"
                )
            if trace.get(f"{key}_locations") is not None:
                ties.close(got["locations"][order], trace[f"{key}_locations"], f"{what} locations")
            ties.close(got["evidence"][order], trace[f"{key}_evidence"], f"{what} evidence")
            np.testing.assert_array_equal(got["possible"], trace[f"{key}_possible"], err_msg=what)
            np.testing.assert_array_equal(ages[0, 0, o, :count], trace[f"{key}_ages"], err_msg=what)
            values = np.where(has[0, 0, o, :count], slope[0, 0, o, :count], np.nan)
            ties.close(values[order], trace[f"{key}_slopes"], f"{what} slopes")
        tied_before |= tied
        if not tied_before:
            compare_row(outcome, trace, row, dtype, what)
    ties.report(record_property)
    assert bank.compilations <= 3


def test_number_of_sampled_nodes_rounds_halves_to_even() -> None:
    assert nodes_to_sample(5, 1, 0.5) == 2
    assert nodes_to_sample(7, 1, 0.5) == 4
    assert nodes_to_sample(100, 8, 2.0) == 25
    assert nodes_to_sample(100, 2, 50.0) == 100
    assert nodes_to_sample(3, 8, 0.4) == 0


def test_counts_change_for_500_steps_with_one_compilation() -> None:
    """Two objects shown in turns without a signal: bursts, deletions, empty lists; nothing compiles anew."""
    rng = np.random.default_rng(0)
    models = []
    for name in ("a", "b"):
        positions = rng.uniform(-0.04, 0.04, size=(30, 3))
        vectors = np.stack([np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(30)])
        features = {"hsv": rng.random((30, 3)), "principal_curvatures_log": rng.normal(size=(30, 2))}
        models.append(ObjectModel(name, {PATCH: NodeSet(positions, vectors, np.ones(30, bool), features)}))
    bank = EvidenceBank([models], [(PATCH,)], EvidenceSettings(updater=BurstSettings()))
    seen = set()
    for t in range(500):
        shown, n = models[t // 20 % 2].channels[PATCH], int(rng.integers(30))
        percept = Percept(
            location=shown.positions[n],
            pose_vectors=shown.pose_vectors[n],
            features={name: values[n] for name, values in shown.features.items()},
            sender=PATCH,
        )
        outcome = bank.collect(bank.launch(batch_of([percept], bank.channels[0], bank.layouts)))
        seen.add(tuple(outcome.beliefs.counts[0, 0].tolist()))
    assert len(seen) >= 15
    assert any(0 in counts for counts in seen)
    assert bank.compilations == 1
    assert bank.growths == []


@pytest.mark.parametrize(("poses", "ways"), [(((0, 0, 0), (30, 40, 50), (0, 90, 0)), 3), ("uniform", 256)])
def test_bursts_of_given_rotations(poses: object, ways: int) -> None:
    """Each chosen node gets every given rotation, whatever pose is sensed."""
    trace = load("f1_burst_updater")
    settings = settings_of(trace.settings, dtype="float64", initial_possible_poses=poses)
    bank = EvidenceBank([trace.models()], [(PATCH,)], settings)
    bank.collect(bank.launch(batch_of([trace.percept(0)], bank.channels[0], bank.layouts)))
    matrices = uniform_rotations() if poses == "uniform" else listed_rotations(poses)
    for model in trace.models():
        nodes = nodes_to_sample(len(model.channels[PATCH]), ways, settings.updater.sampling_multiplier)
        got = bank.hypotheses_of(0, 0, model.name)
        assert len(got["evidence"]) == nodes * ways
        np.testing.assert_allclose(got["rotations"], np.repeat(matrices, nodes, axis=0), atol=1e-12)
        np.testing.assert_array_equal(got["evidence"], np.tile(got["evidence"][:nodes], ways))


@pytest.mark.parametrize("count", [40, 200])
def test_of_nodes_that_fit_alike_the_last_are_taken(count: int) -> None:
    """The best nodes, the best of them last, in the order of a stable sort; by selection and by sorting."""
    rng = np.random.default_rng(1)
    positions = rng.uniform(-0.04, 0.04, size=(count, 3))
    hues = rng.integers(0, 5, count) * 0.02  # five groups of nodes that fit alike
    features = {"hsv": np.stack([hues, np.ones(count), np.ones(count)], axis=1)}
    features["principal_curvatures_log"] = np.zeros((count, 2))
    nodes = NodeSet(positions, np.stack([np.eye(3)] * count), np.ones(count, bool), features)
    bank = EvidenceBank(
        [[ObjectModel("a", {PATCH: nodes})]], [(PATCH,)], EvidenceSettings(updater=BurstSettings(0.6))
    )
    felt = {"hsv": [0.0, 1.0, 1.0], "principal_curvatures_log": [0.0, 0.0]}
    percept = Percept(np.zeros(3), features=felt, sender=PATCH)
    bank.collect(bank.launch(batch_of([percept], bank.channels[0], bank.layouts)))
    best = np.argsort(-hues, kind="stable")[-nodes_to_sample(count, 2, 0.6) :]
    assert 0 < (hues[best] > 0).sum() < (hues > 0).sum(), "some of the nodes that fit less are taken"
    got = bank.hypotheses_of(0, 0, "a")["locations"]
    np.testing.assert_allclose(got, positions[np.tile(best, 2)], atol=1e-6)


def test_the_burst_updater_tests_all_hypotheses() -> None:
    with pytest.raises(ValueError, match="evidence_threshold is 'mean': the burst updater"):
        EvidenceSettings(evidence_threshold="mean", updater=BurstSettings())


def test_every_channel_rounds_for_itself_and_none_is_left_out() -> None:
    """A tenth of 16 nodes is 2 hypotheses: five channels bring 10, though a tenth of all 80 nodes is 8."""
    rng = np.random.default_rng(0)
    names = tuple(f"patch_{c}" for c in range(5))
    features = {"hsv": rng.random((16, 3)), "principal_curvatures_log": rng.random((16, 2))}
    nodes = NodeSet(rng.random((16, 3)), np.stack([np.eye(3)] * 16), np.ones(16, bool), features)
    updater = BurstSettings(
        0.1,
        deletion_trigger_slope=-np.inf,
        sampling_burst_duration=6 - SPARE_STEPS,
        burst_trigger_slope=np.inf,
    )
    model = ObjectModel("a", dict.fromkeys(names, nodes))
    bank = EvidenceBank([[model]], [names], EvidenceSettings(updater=updater))
    felt = {"hsv": [0.5] * 3, "principal_curvatures_log": [0.0, 0.0]}
    percepts = [Percept(np.zeros(3), features=felt, sender=name) for name in names]
    assert bank.hypotheses.shape[3] == 48, "room for 8 more after four steps, and the fifth brings 10"
    for step in range(1, 7):
        outcome = bank.collect(bank.launch(batch_of(percepts, names, bank.layouts)))
        assert outcome.beliefs.counts.tolist() == [[[10 * step]]]


@pytest.mark.parametrize("behind", [0, 1])
def test_bursts_of_steps_that_are_read_late(behind: int) -> None:
    """A step is dispatched while the last is on its way: the same hypotheses come, and none is left out."""
    trace = load("f1_burst_updater")
    settings = settings_of(trace.settings, dtype="float64")
    steps = len(trace.settings["rows"])
    bank = EvidenceBank([trace.models()], [(PATCH,)], settings)
    counts, pending = [], []
    for t in range(steps):
        pending.append(bank.launch(batch_of([trace.percept(t)], bank.channels[0], bank.layouts)))
        if len(pending) > behind:
            counts.append(bank.collect(pending.pop(0)).beliefs.counts[0, 0].tolist())
    counts += [bank.collect(one).beliefs.counts[0, 0].tolist() for one in pending]
    for t in range(steps):
        held = {name: trace.get(f"s{t:02d}_{name}_evidence") for name in trace.objects}
        expected = [None if evidence is None else len(evidence) for evidence in held.values()]
        found, beyond = counts[t][: len(expected)], counts[t][len(expected) :]
        assert all(a == b for a, b in zip(found, expected, strict=True) if b is not None), f"step {t}"
        assert not any(beyond), "room for objects that nobody knows"


def test_ages_are_counted_as_far_as_anybody_asks() -> None:
    """In one byte: what is as old as that stays so, and settings that would ask for more are refused."""
    there, burst = np.array([0, 1, 254, 255]), BurstSettings()
    tracker = updater_burst.empty(1, 1, 1, 4, burst, "float64", None)
    tracker = tracker._replace(ages=Tensor(there.astype(np.uint8).reshape(1, 1, 1, 4)))
    held = empty(1, 1, 1, 4, "float64", "float64", None)._replace(counts=Tensor(np.full((1, 1, 1), 4, "i4")))
    order, kept = Tensor(np.arange(4, dtype="i4").reshape(1, 1, 1, 4)), held.counts
    active = Tensor(np.ones((1, 1, 1), bool))
    followed = updater_burst._followed(tracker, held.evidence, order, kept, held, active, held.counts)
    assert followed.ages.numpy().ravel().tolist() == [1, 2, 255, 255]
    for name in ("window_size", "min_age"):
        with pytest.raises(ValueError, match=f"{name} must be at most 255"):
            BurstSettings(**{name: 256})


@pytest.mark.parametrize("voted", [False, True])
@pytest.mark.parametrize("window", [2, 3, 10])
def test_slopes_are_of_the_last_values(window: int, voted: bool) -> None:
    """Of the values that steps pushed, whatever votes made of them since, and whoever went or was idle."""
    rng = np.random.default_rng(window)
    settings = BurstSettings(window_size=window)
    objects, size = 3, 8
    tracker = updater_burst.empty(1, 1, objects, size, settings, "float64", None, voted)
    held = empty(1, 1, objects, size, "float64", "float64", None)

    @jit  # as in a bank: else each step has the history of all before it to compute
    def follow(
        tracker: Tracker, before: Tensor, keep: Tensor, held: Hypotheses, active: Tensor, used: Tensor
    ) -> tuple[Tracker, tuple[Tensor, Tensor]]:
        order, kept = kept_order(keep)
        followed = updater_burst._followed(tracker, before, order, kept, held, active, used)
        return followed, updater_burst.slopes(followed)

    told: list[list[list[float]]] = [[] for _ in range(objects)]  # of each object and hypothesis
    used_then: list[list[float]] = [[] for _ in range(objects)]  # channels, of each object and step
    for _ in range(14):
        before = held.evidence.numpy().copy()
        if voted:
            before = np.where(before != 0, before + rng.normal(size=before.shape), before)
        active, keep = rng.random(objects) < 0.8, np.zeros((1, 1, objects, size), bool)
        used = np.where(active, rng.integers(1, 3, objects), 0).astype(np.int32)
        evidence, counts = before.copy(), np.zeros((1, 1, objects), np.int32)
        for o in range(objects):
            stays = rng.random(len(told[o])) < 0.8 if active[o] else np.ones(len(told[o]), bool)
            keep[0, 0, o, : len(stays)] = stays
            if active[o]:
                told[o] = [values for values, there in zip(told[o], stays, strict=True) if there]
                told[o] += [[]] * int(rng.integers(0, size - len(told[o]) + 1) // 2)
                told[o] = [[*values, float(rng.normal())] for values in told[o]]
                used_then[o].append(float(used[o]))
                evidence[0, 0, o] = 0
                evidence[0, 0, o, : len(told[o])] = [values[-1] for values in told[o]]
            counts[0, 0, o] = len(told[o])
        held = held._replace(evidence=Tensor(evidence), counts=Tensor(counts))
        acting, reached = (Tensor(given.reshape(1, 1, objects)) for given in (active, used))
        tracker, found = follow(tracker, Tensor(before), Tensor(keep), held, acting, reached)
        slope, has = read(found)
        for o in range(objects):
            for h, values in enumerate(told[o]):
                last = values[-window:]
                assert has[0, 0, o, h] == (len(values) > 1)
                if len(values) > 1:
                    share = np.maximum(used_then[o][-len(last) + 1 :], 1)
                    assert slope[0, 0, o, h] == pytest.approx(np.mean(np.diff(last) / share), abs=1e-12)


def test_evidence_that_changes_between_steps_is_told_before() -> None:
    trace = load("f1_burst_updater")
    bank = EvidenceBank([trace.models()], [(PATCH,)], settings_of(trace.settings, dtype="float64"))
    with pytest.raises(ValueError, match="call expect_votes"):
        bank.write(0, 0, trace.objects[0], evidence=np.ones(1))
