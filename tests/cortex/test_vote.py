"""Voting against the reference, and what the corrected geometry is worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.messages import Percept, batch_of
from saccade.cortex.models.model import NodeSet, ObjectModel
from saccade.cortex.modules.backend import make_backend
from saccade.cortex.modules.group import group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.modules.vote import Ballot, Choice, claims_of, heard_by, routing_of
from saccade.cortex.ops import integers, read, upload
from saccade.cortex.settings import EvidenceSettings

from .test_updater_plain import compare_row
from .traces import PATCH, Ties, Trace, in_precisions, load, names, settings_of


def observed(trace: Trace, lm: int, t: int):
    """The percept of a module at a step, None if it processed nothing."""
    prefix = f"lm{lm}_"
    key = f"{prefix}obs_location"
    assert trace.get(key) is not None, f"{trace.name} stores no {key}; it has {sorted(trace.arrays)[:40]}"
    return trace.percept(t, prefix)


def compare(bank: EvidenceBank, trace: Trace, key: str, ties: Ties) -> None:
    for name in trace.objects:
        got = bank.hypotheses_of(0, 0, name)
        for part, ours in (("evidence", "evidence"), ("locations", "locations"), ("poses", "rotations")):
            expected = trace.get(f"{key}_{name}_{part}")
            if expected is not None:
                ties.close(got[ours], expected, f"{trace.name} {key} {name} {part}")
        flags = trace.get(f"{key}_{name}_possible")
        if flags is not None:
            np.testing.assert_array_equal(got["possible"], flags, err_msg=f"{trace.name} {key} {name}")


@pytest.mark.parametrize(("name", "dtype"), in_precisions(names("h")))
def test_voting(name: str, dtype: str, record_property: object) -> None:
    trace = load(name)
    settings = settings_of(trace.settings, dtype=dtype, vote_geometry="reference")
    matrix = trace.settings["lm_to_lm_vote_matrix"]
    modules = [f"lm{i}" for i in range(len(matrix))]
    banks = [EvidenceBank([trace.models()], [(PATCH,)], settings) for _ in modules]
    senders = {f"lm{i}": [f"lm{j}" for j in row] for i, row in enumerate(matrix)}
    numbers = {name: i for i, name in enumerate(modules)}
    objects = dict.fromkeys(modules, trace.objects)
    room = banks[0].known.objects
    routes = [routing_of([m], senders, numbers, objects, room, None) for m in modules]
    ties = Ties(dtype)
    for t, rows in enumerate(trace.settings["rows_after_vote"]):
        steps = []
        for i, bank in enumerate(banks):
            percept = observed(trace, i, t)
            steps.append(bank.advance(batch_of([percept], bank.channels[0], bank.layouts)))
            compare(bank, trace, f"lm{i}_pre_s{t:02d}", ties)
        ballots = tuple(bank.cast_votes(step) for bank, step in zip(banks, steps, strict=True))
        for i, (bank, step) in enumerate(zip(banks, steps, strict=True)):
            compare_sent(trace, ballots[i], f"s{t:02d}_lm{i}_sent", ties)
            routing, numbered = routes[i]
            here = step.sensor_location[0, 0]
            offsets = np.stack([here - steps[j].sensor_location[0, 0] for j in numbered[:, 0]])[None, :, None]
            bank.receive(ballots, routing, offsets, step)
            outcome = bank.collect(bank.conclude(step))
            compare(bank, trace, f"lm{i}_post_s{t:02d}", ties)
            if "prediction_error" not in rows[i]:
                errors = outcome.update.prediction_error[0, 0, : len(trace.objects)]
                rows[i]["prediction_error"] = {
                    name: None if np.isnan(v) else float(v)
                    for name, v in zip(trace.objects, errors, strict=True)
                }
            compare_row(outcome, trace, rows[i], dtype, f"{name} step {t} module {i}")
    ties.report(record_property)


def compare_sent(trace: Trace, ballot, key: str, ties: Ties) -> None:
    (counts, order, confidence) = read([ballot.choice.counts, ballot.choice.order, ballot.choice.confidence])
    for o, name in enumerate(trace.objects):
        expected = trace.get(f"{key}_{name}_location")
        n = int(counts[0, 0, o])
        assert n == (0 if expected is None else len(expected)), f"{trace.name} {key} {name}"
        if expected is not None:
            sent = order[0, 0, o, :n]
            place = np.stack(read(ballot.location), axis=-1)[0, 0, o, sent]
            turn = np.stack(read(ballot.rotation), axis=-1)[0, 0, o, sent].reshape(-1, 3, 3)
            ties.close(place, expected, key)
            ties.close(turn.transpose(0, 2, 1), trace[f"{key}_{name}_pose_vectors"], key)
            ties.close(confidence[0, 0, o, sent], trace[f"{key}_{name}_confidence"], key)


@pytest.mark.parametrize("name", names("h"))
def test_corrected_votes_land_where_the_receiver_is(name: str) -> None:
    """The claim of the true hypothesis, moved by R d, is the receiver's true location; by R^T d it is not."""
    trace = load(name)
    turn, shift = np.array(trace.settings["true_rotation"]), np.array(trace.settings["true_translation"])
    away = {}
    for geometry in ("corrected", "reference"):
        settings = settings_of(trace.settings, dtype="float64", vote_geometry=geometry)
        gaps = []
        for t in range(len(trace.settings["rows_after_vote"])):
            mine, theirs = (trace[f"s{t:02d}_lm{i}_sensed_pose_rel_body"][0] for i in (0, 1))
            state = _true_ballot((theirs - shift) @ turn, turn.T)
            routing, _ = routing_of(["a"], {"a": ["b"]}, {"b": 0}, {"a": ["o"], "b": ["o"]}, 1, None)
            heard = heard_by(routing, state, _tensor(np.ones((1, 1))) > 0.5)
            offset = _tensor((mine - theirs).reshape(1, 1, 1, 3))
            claims = claims_of(state, heard, integers(1, state.choice.counts), offset, settings)
            got = np.stack(read(claims), axis=-1).reshape(3)
            gaps.append(np.linalg.norm(got - (mine - shift) @ turn))
        away[geometry] = float(np.median(gaps))
    assert away["corrected"] < 1e-9
    assert away["reference"] > 1e-3


def true_hypotheses_before_and_after_votes(trace: Trace, geometry: str) -> list[tuple[float, float]]:
    """For every module and step, the evidence of the best hypothesis within 1 cm and 20 degrees of the truth
    before votes came, and after."""
    settings = settings_of(trace.settings, dtype="float64", vote_geometry=geometry)
    matrix = trace.settings["lm_to_lm_vote_matrix"]
    modules = [EvidenceModule(f"lm{i}", (PATCH,), settings, trace.models()) for i in range(len(matrix))]
    banks = [EvidenceModule.bank([module]) for module in modules]
    names_of = [module.name for module in modules]
    senders = {f"lm{i}": [f"lm{j}" for j in row] for i, row in enumerate(matrix)}
    numbers = {name: i for i, name in enumerate(names_of)}
    objects = dict.fromkeys(names_of, trace.objects)
    room = banks[0].known.objects
    routes = [routing_of([m], senders, numbers, objects, room, None) for m in names_of]
    turn, shift = np.array(trace.settings["true_rotation"]), np.array(trace.settings["true_translation"])
    felt = (np.concatenate([trace[f"lm{i}_obs_location"] for i in range(len(matrix))]) - shift) @ turn
    away = {o: np.linalg.norm(trace[f"obj_{o}_pos"][None] - felt[:, None], axis=2) for o in trace.objects}
    shown = min(trace.objects, key=lambda o: float(np.median(away[o].min(axis=1))))
    found = []
    for t in range(len(trace.settings["rows_after_vote"])):
        steps = [
            bank.advance(batch_of([observed(trace, i, t)], bank.channels[0], bank.layouts))
            for i, bank in enumerate(banks)
        ]
        before = [bank.hypotheses_of(0, 0, shown) for bank in banks]
        ballots = tuple(bank.cast_votes(step) for bank, step in zip(banks, steps, strict=True))
        for i, (bank, step) in enumerate(zip(banks, steps, strict=True)):
            routing, numbered = routes[i]
            here = step.sensor_location[0, 0]
            offsets = np.stack([here - steps[j].sensor_location[0, 0] for j in numbered[:, 0]])[None, :, None]
            bank.receive(ballots, routing, offsets, step)
            bank.collect(bank.conclude(step))
            near = np.linalg.norm(before[i]["locations"] - (here - shift) @ turn, axis=1) < 0.01
            alike = np.trace(before[i]["rotations"] @ turn, axis1=1, axis2=2) > 1 + 2 * np.cos(0.35)
            true = np.flatnonzero(near & alike)
            if len(true):
                best = true[before[i]["evidence"][true].argmax()]
                after = bank.hypotheses_of(0, 0, shown)["evidence"]
                found.append((float(before[i]["evidence"][best]), float(after[best])))
    return found


def test_votes_reach_the_truth_and_lower_it_where_evidence_is_averaged() -> None:
    """In h2 evidence is averaged with votes: (E + w v) / (1 + w). A vote is at most 1 and good evidence above
    it, so the vote that lands on the truth costs it evidence, and the geometry that misses looks better."""
    trace = load(names("h2")[0])
    right = true_hypotheses_before_and_after_votes(trace, "corrected")
    wrong = true_hypotheses_before_and_after_votes(trace, "reference")
    voted = [pair for pair in right if pair[0] != pair[1]]
    missed = [pair for pair in wrong if pair[0] == pair[1]]
    assert len(voted) > 0.8 * len(right), "moved by R d, votes reach the true hypothesis"
    assert len(missed) > 0.5 * len(wrong), "moved by R^T d, most miss it"
    assert all(after < before for before, after in voted if before > 1.0)
    # where evidence adds up the same votes help
    summed = true_hypotheses_before_and_after_votes(load(names("h3")[0]), "corrected")
    assert all(after >= before for before, after in summed)
    assert any(after > before for before, after in summed)


def _tensor(array: np.ndarray):
    return upload(array, "float64", None)


def _true_ballot(location: np.ndarray, rotation: np.ndarray):
    lead = (1, 1, 1, 1)
    one = _tensor(np.ones((1, 1, 1)))
    return Ballot(
        tuple(_tensor(np.full(lead, c)) for c in location),
        tuple(_tensor(np.full(lead, c)) for c in rotation.reshape(9)),
        Choice(_tensor(np.ones(lead)), (_tensor(np.ones(lead)) * 0).cast("int32"), one.cast("int32")),
    )


def voting_run(geometry: str, seed: int) -> list[tuple[bool, float]]:
    """Three modules over a coloured-alike object among four: is each one's object right, and by how many
    degrees is its rotation off after six steps?"""
    rng = np.random.default_rng(seed)
    objects = [solid(rng, 150) for _ in range(4)]
    models = [ObjectModel(f"o{i}", {PATCH: nodes}) for i, nodes in enumerate(objects)]
    turn, shift = random_rotation(rng), rng.normal(size=3)
    settings = EvidenceSettings(vote_geometry=geometry)
    modules = [EvidenceModule(f"m{i}", (PATCH,), settings, models) for i in range(3)]
    groups = make_groups(modules)
    voting = {f"m{i}": [f"m{j}" for j in range(3) if j != i] for i in range(3)}
    backend = make_backend("stacked", voting=voting)
    places = [int(rng.integers(150))] * 3
    for _ in range(6):
        percepts = {}
        for m in range(3):
            away = np.linalg.norm(objects[0].positions - objects[0].positions[places[m]], axis=1)
            places[m] = int(rng.choice(np.flatnonzero((away > 0.005) & (away < 0.03))))
            percepts[f"m{m}"] = [[noisy_percept(objects[0], places[m], turn, shift, rng)]]
        results = backend.gather(backend.dispatch(groups, [group_input(groups[0], percepts)]))
    found = []
    for result in results.values():
        best = result.best[0]
        assert best is not None
        cosine = np.clip((np.trace(best.rotation @ turn) - 1) / 2, -1, 1)
        found.append((best.object == "o0", float(np.degrees(np.arccos(cosine)))))
    return found


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def solid(rng: np.random.Generator, n: int) -> NodeSet:
    """An ellipsoid of one colour; its curvatures differ from place to place."""
    radii = rng.uniform(0.02, 0.06, size=3)
    unit = rng.normal(size=(n, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    normal = unit / radii
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    first = np.cross(normal, rng.normal(size=3))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    vectors = np.stack([normal, first, np.cross(normal, first)], axis=1)
    features = {"hsv": np.full((n, 3), 0.5), "principal_curvatures_log": 3 * normal[:, :2]}
    return NodeSet(unit * radii, vectors, np.ones(n, bool), features)


def noisy_percept(
    nodes: NodeSet, n: int, turn: np.ndarray, shift: np.ndarray, rng: np.random.Generator
) -> Percept:
    tilt = np.linalg.qr(np.eye(3) + 0.035 * rng.normal(size=(3, 3)))
    wobble = tilt[0] * np.sign(np.diag(tilt[1]))
    return Percept(
        location=turn @ nodes.positions[n] + shift + 0.002 * rng.normal(size=3),
        pose_vectors=nodes.pose_vectors[n] @ turn.T @ wobble.T,
        features={
            "hsv": [0.5, 0.5, 0.5],
            "principal_curvatures_log": nodes.features["principal_curvatures_log"][n]
            + 0.1 * rng.normal(size=2),
        },
        sender=PATCH,
    )


def test_corrected_votes_recognise_better_than_the_reference() -> None:
    errors, right = {}, {}
    for geometry in ("corrected", "reference"):
        found = [one for seed in range(5) for one in voting_run(geometry, seed)]
        right[geometry] = np.mean([ok for ok, _ in found])
        errors[geometry] = np.mean([degrees if ok else 180.0 for ok, degrees in found])
    print(f"objects right {right}, mean rotation error in degrees {errors}")
    assert right["corrected"] >= right["reference"]
    assert errors["corrected"] < 0.7 * errors["reference"]


def test_programs_that_keep_no_memory_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large states are not kept by their programs; that is a matter of room alone."""
    kept = voting_run("corrected", 3)
    monkeypatch.setattr("saccade.cortex.bank.shelf.LOOPED_HYPOTHESES", 0)
    assert voting_run("corrected", 3) == kept


def test_votes_are_about_the_place_that_hypotheses_stand_for() -> None:
    """A module of several sensors thinks of the middle of them, so offsets lead from there to there."""
    trace = load("h3_voting")
    nodes = trace.models()[0].channels[PATCH]
    both = ("patch_0", "patch_1")
    model = ObjectModel("a", dict.fromkeys(both, nodes))
    bank = EvidenceBank([[model]], [both], settings_of(trace.settings))
    felt = trace.percept(0, "lm0_")
    there = [replace(felt, location=felt.location + shift, sender=s) for s, shift in zip(both, (0.0, 0.02))]
    step = bank.advance(batch_of(there, both, bank.layouts))
    np.testing.assert_allclose(step.sensor_location[0, 0], felt.location + 0.01)
