"""Our learning module and Monty's, given the same messages, believe the same."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bench import monty_walks as walks

pytest.importorskip("tbp.monty", reason="tbp.monty is not installed: pip install 'saccade[monty]'")

from tbp.monty.frameworks.models.evidence_matching.burst_sampling import BurstSamplingHypothesesUpdater
from tbp.monty.frameworks.models.evidence_matching.learning_module import EvidenceGraphLM

from saccade.monty import BurstHypothesesUpdater, HypothesesUpdater, LearningModule


def same(ours: Any, theirs: Any) -> None:
    """Everything a module believes, to 1e-6."""
    assert ours.possible_matches == theirs.possible_matches
    assert ours.terminal_state == theirs.terminal_state
    a, b = ours._get_current_mlh(), theirs._get_current_mlh()
    assert (a["graph_id"], a["mlh_id"]) == (b["graph_id"], b["mlh_id"])
    np.testing.assert_allclose(a["location"], b["location"], atol=1e-6)
    np.testing.assert_allclose(a["rotation"].as_matrix(), b["rotation"].as_matrix(), atol=1e-6)
    assert a["evidence"] == pytest.approx(b["evidence"], abs=1e-6)
    assert list(ours._hypotheses) == list(theirs._hypotheses)
    for name, own in theirs._hypotheses.items():
        found = ours._hypotheses[name]
        np.testing.assert_allclose(found.evidence, own.evidence, atol=1e-6)
        np.testing.assert_allclose(found.locations, own.locations, atol=1e-6)
        np.testing.assert_allclose(found.poses, own.poses, atol=1e-6)
        np.testing.assert_array_equal(found.possible, own.possible)


def walked(ours: Any, theirs: Any, walk: Any, moved_only: tuple[int, ...] = ()) -> None:
    for t, (mine, yours) in enumerate(
        zip(walks.steps(walk, moved_only), walks.steps(walk, moved_only), strict=True)
    ):
        for lm, given in ((ours, mine), (theirs, yours)):
            lm.matching_step(None, given)
            lm.add_lm_processing_to_buffer_stats(lm_processed=t not in moved_only)
            if t > 3 and t not in moved_only:
                lm.update_terminal_condition()
        same(ours, theirs)
        assert ours.symmetry_evidence == theirs.symmetry_evidence
        output, expected = ours.get_output(), theirs.get_output()
        assert output.pass_message == expected.pass_message
        assert output.confidence == pytest.approx(expected.confidence, abs=1e-6)


CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "threshold": {"evidence_threshold_config": "80%", "past_weight": 0.8, "present_weight": 0.2},
    "burst": {"hypotheses_updater_class": BurstSamplingHypothesesUpdater},
}


@pytest.mark.parametrize("case", CASES)
def test_the_fast_module_believes_what_montys_does(case: str) -> None:
    walk = walks.work()
    made = [kind(**walks.arguments(**CASES[case])) for kind in (LearningModule, EvidenceGraphLM)]
    ours, theirs = (walks.learn(lm, walk) for lm in made)
    for episode in range(2):
        for lm in (ours, theirs):
            lm.reset_stm()
            lm.init_from_ltm()
        walked(ours, theirs, walk, moved_only=(5,) if episode else ())


@pytest.mark.parametrize("case", ["plain", "burst"])
def test_the_updaters_believe_what_montys_do(case: str) -> None:
    mine = {"plain": HypothesesUpdater, "burst": BurstHypothesesUpdater}[case]
    other = CASES[case]
    walk = walks.work()
    ours = walks.learn(EvidenceGraphLM(**walks.arguments(hypotheses_updater_class=mine)), walk)
    theirs = walks.learn(EvidenceGraphLM(**walks.arguments(**other)), walk)
    walked(ours, theirs, walk, moved_only=(6,))


def by_pickle(module: Any) -> Any:
    return pickle.loads(pickle.dumps(module))


@pytest.mark.parametrize("copied", [by_pickle, copy.deepcopy])
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (LearningModule, {}),
        (EvidenceGraphLM, {"hypotheses_updater_class": HypothesesUpdater}),
    ],
)
def test_modules_are_kept_with_a_config(
    kind: type, changes: dict[str, Any], copied: Callable[[Any], Any]
) -> None:
    """Monty saves its config after every epoch, and hydra has put modules into it. One that is read again
    knows what it knew, and begins its next episode."""
    walk = walks.work(objects=2, nodes=40, steps=4)
    fresh = copied(kind(**walks.arguments(**changes)))
    used = walks.learn(kind(**walks.arguments(**changes)), walk)
    theirs = walks.learn(EvidenceGraphLM(**walks.arguments()), walk)
    for t in range(2):
        used.matching_step(None, [walks.message(walk, t)])
    again = copied(used)
    for ours in (walks.learn(fresh, walk), again):
        for lm in (ours, theirs):
            lm.reset_stm()
            lm.init_from_ltm()
        walked(ours, theirs, walk)
