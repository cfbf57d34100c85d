"""Backends: all agree with the sequential one, dispatch never waits, failures stay where they happen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Event

import numpy as np
import pytest

from saccade.cortex import ops
from saccade.cortex.bank.results import ModuleResult
from saccade.cortex.messages import Percept
from saccade.cortex.modules.backend import BACKENDS, SequentialBackend, ThreadsBackend, make_backend
from saccade.cortex.modules.group import Group, group_input, make_groups
from saccade.cortex.modules.module import EvidenceModule
from saccade.cortex.modules.pending import PendingStep
from saccade.runtime.watch.debug import listening

from .traces import PATCH, Trace, load, settings_of

VOTING = {"lm0": ["lm1", "lm2"], "lm1": ["lm0", "lm2"], "lm2": ["lm0"]}


def modules_of(trace: Trace, dtype: str = "float32", **changes) -> list[EvidenceModule]:
    settings = settings_of(trace.settings, dtype=dtype, **changes)
    return [EvidenceModule(f"lm{i}", (PATCH,), settings, trace.models()) for i in range(3)]


def percepts_at(trace: Trace, t: int, silent: tuple[str, ...] = ()) -> dict[str, list[list[Percept]]]:
    return {f"lm{i}": [[trace.percept(t, f"lm{i}_")]] for i in range(3) if f"lm{i}" not in silent}


def run(
    backend: SequentialBackend, groups: list[Group], trace: Trace, silent=()
) -> list[dict[str, ModuleResult]]:
    steps = len(trace.settings["rows_after_vote"])
    every = []
    for t in range(steps):
        inputs = [
            group_input(group, percepts_at(trace, t, silent if t == 1 else ()), check=t > 2)
            for group in groups
        ]
        every.append(backend.gather(backend.dispatch(groups, inputs)))
    return every


def same(a: ModuleResult, b: ModuleResult) -> None:
    """Bit for bit."""
    assert a.possible == b.possible
    assert a.terminal == b.terminal
    np.testing.assert_array_equal(a.counts, b.counts)
    np.testing.assert_array_equal(a.evidence, b.evidence)
    np.testing.assert_array_equal(a.prediction_error, b.prediction_error)
    for one, other in zip(a.best, b.best, strict=True):
        assert (one is None) == (other is None)
        if one and other:
            assert one.object == other.object
            np.testing.assert_array_equal(one.location, other.location)
            np.testing.assert_array_equal(one.rotation, other.rotation)


@pytest.mark.parametrize("name", [name for name in BACKENDS if name != "sequential"])
@pytest.mark.parametrize("vote", [True, False])
def test_backends_agree(name: str, vote: bool) -> None:
    for ours, theirs in zip(walked("sequential", vote), walked(name, vote), strict=True):
        for module in ours:
            same(ours[module], theirs[module])


@cache  # every other backend is compared with the sequential one
def walked(name: str, vote: bool) -> list[dict[str, ModuleResult]]:
    trace = load("h3_voting")  # whose programs the tests below need too
    groups = make_groups(modules_of(trace))
    assert len(groups) == 1
    return run(make_backend(name, voting=VOTING if vote else None), groups, trace, silent=("lm1",))


@pytest.mark.parametrize("vote", [True, False])
def test_dispatch_never_waits_and_gather_waits_once(vote: bool) -> None:
    trace = load("h3_voting")
    for name in ("stacked", "streams", "group-streams", "threads"):
        groups = make_groups(modules_of(trace))
        backend = make_backend(name, voting=VOTING if vote else None)
        for t in range(3):
            before = ops.waits
            pending = backend.dispatch(groups, [group_input(groups[0], percepts_at(trace, t))])
            assert ops.waits == before, f"{name}: dispatch waited"
            backend.gather(pending)
            assert ops.waits == before + 1, f"{name}: gather waited more than once"


@pytest.mark.parametrize("name", list(BACKENDS))
@pytest.mark.parametrize("vote", [True, False])
def test_a_module_is_gathered_alone_and_concludes_once(name: str, vote: bool) -> None:
    trace = load("h3_voting")
    parts, groups = make_backend(name, voting=VOTING if vote else None), make_groups(modules_of(trace))
    for t, wanted in enumerate(gathered_together(vote)):
        given = group_input(groups[0], percepts_at(trace, t))
        before = ops.waits
        pending = parts.dispatch(groups, [given])
        if name != "sequential":
            assert ops.waits == before
        before = ops.waits
        (first,) = parts.gather(pending, ["lm2"]).values()
        assert ops.waits == before + (name != "sequential")
        every = parts.gather(pending)
        # the modules of a bank are read together, so that nothing is left to wait for
        assert ops.waits - before == {"sequential": 0, "stacked": 1, "group-streams": 1}.get(name, 2)
        assert list(every) == ["lm0", "lm1", "lm2"]
        assert every["lm2"] is first
        assert parts.gather(pending, ["lm0", "lm2"]) == {"lm0": every["lm0"], "lm2": first}
        for module in every:
            np.testing.assert_array_equal(every[module].evidence, wanted[module].evidence)
    assert [module.steps(0) for module in groups[0].modules] == [3, 3, 3]
    with pytest.raises(ValueError, match=r"no modules \['other'\] to gather; .*'lm0', 'lm1', 'lm2'"):
        parts.gather(pending, ["lm0", "other"])


@cache
def gathered_together(vote: bool) -> list[dict[str, ModuleResult]]:
    trace = load("h3_voting")
    backend = make_backend("sequential", voting=VOTING if vote else None)
    groups = make_groups(modules_of(trace))
    return [
        backend.gather(backend.dispatch(groups, [group_input(groups[0], percepts_at(trace, t))]))
        for t in range(3)
    ]


def test_a_step_without_votes_is_one_program_and_checks_only_when_asked() -> None:
    trace = load("h3_voting")
    found, wanted = [], []
    for name, into in (("sequential", wanted), ("stacked", found)):
        groups, backend = make_groups(modules_of(trace)), make_backend(name)
        for t, check in enumerate((False, True, False, False)):
            with listening() as runs:
                given = group_input(groups[0], percepts_at(trace, t), check=check)
                result = backend.gather(backend.dispatch(groups, [given]))["lm0"]
            into.append((len(runs), result.symmetry.tolist(), result.possible_hypotheses.tolist()))
    assert [programs for programs, *_ in found[1:]] == [1, 1, 1]
    # nothing is found before it is asked for; what the check found is reported until the next one, and
    # forgotten with the episode
    assert not np.any(found[0][2])
    assert found[1][1:] == found[2][1:] == found[3][1:] == wanted[1][1:]
    backend.reset(groups)
    result = backend.gather(backend.dispatch(groups, [group_input(groups[0], percepts_at(trace, 0))]))["lm0"]
    assert not result.possible_hypotheses.any()


def test_results_that_were_overwritten_are_not_read() -> None:
    trace = load("h3_voting")
    groups = make_groups(modules_of(trace))
    backend = make_backend("stacked")
    pending = [backend.dispatch(groups, [group_input(groups[0], percepts_at(trace, t))]) for t in (0, 1, 2)]
    backend.gather(pending[2])
    backend.gather(pending[1])
    with pytest.raises(RuntimeError, match="step 1 is gathered after step 3 was dispatched"):
        backend.gather(pending[0])


@pytest.mark.parametrize("name", list(BACKENDS))
@pytest.mark.parametrize("vote", [True, False])
def test_results_stay_what_they_were(name: str, vote: bool) -> None:
    """Later steps take the memory of earlier ones, whenever these are gathered and looked at."""
    trace = load("h3_voting")
    voting = VOTING if vote else None

    def begun(backend: SequentialBackend, groups: list[Group], t: int) -> PendingStep:
        return backend.dispatch(groups, [group_input(groups[0], percepts_at(trace, t % 5))])

    backend, groups = make_backend("sequential", voting=voting), make_groups(modules_of(trace))
    wanted = [backend.gather(begun(backend, groups, t))["lm0"].evidence.copy() for t in range(10)]
    assert len({w.tobytes() for w in wanted}) == 10
    backend, groups = make_backend(name, voting=voting), make_groups(modules_of(trace))
    held = []
    for t in range(0, 10, 2):
        first, second = begun(backend, groups, t), begun(backend, groups, t + 1)
        later = backend.gather(second)["lm0"]
        held += [backend.gather(first)["lm0"], later]
    for result, want in zip(held, wanted, strict=True):
        np.testing.assert_allclose(result.evidence, want, atol=1e-5)


@pytest.mark.parametrize("name", list(BACKENDS))
def test_no_rows_at_all(name: str) -> None:
    trace = load("h3_voting")
    groups = make_groups(modules_of(trace))
    backend = make_backend(name, rows=0)
    for _ in range(3):
        results = backend.gather(backend.dispatch(groups, [groups[0].empty_batch(0)]))
        assert [(r.failure, r.best, r.terminal) for r in results.values()] == [(None, [], [])] * 3


def test_modules_with_other_settings_form_other_groups() -> None:
    trace = load("h3_voting")
    mixed = [
        *modules_of(trace),
        EvidenceModule("other", (PATCH,), settings_of(trace.settings, max_nneighbors=3)),
    ]
    groups = make_groups(mixed)
    assert [group.names for group in groups] == [("lm0", "lm1", "lm2"), ("other",)]


def test_equal_names_are_refused() -> None:
    with pytest.raises(ValueError, match=r"unique.*lm0"):
        make_groups([EvidenceModule("lm0", (PATCH,)), EvidenceModule("lm0", (PATCH,))])


@pytest.mark.parametrize("name", list(BACKENDS))
def test_a_failing_module_does_not_lose_the_others(name: str) -> None:
    trace = load("h3_voting")
    wanted = make_backend("sequential")
    groups = make_groups(modules_of(trace))
    clean = wanted.gather(wanted.dispatch(groups, [group_input(groups[0], percepts_at(trace, 0))]))
    backend = make_backend(name)
    groups = make_groups(modules_of(trace))
    given = group_input(groups[0], percepts_at(trace, 0))
    given.batch.location[0, 1] = np.nan
    got = backend.gather(backend.dispatch(groups, [given]))
    assert isinstance(got["lm1"].failure, ValueError)
    assert got["lm1"].best == [None]
    for other in ("lm0", "lm2"):
        assert got[other].failure is None
        same(got[other], clean[other])


class Broken(EvidenceModule):
    """Another kind of module, one part of which raises."""

    part = ""

    @classmethod
    def bank(cls, modules, rows=1, device=None):
        made = super().bank(modules, rows, device)
        if cls.part != "module":

            def fail(*_: object) -> None:
                raise RuntimeError(f"no {cls.part}")

            setattr(made, cls.part, fail)
        return made

    def conclude(self, outcome, index):
        if self.part == "module":
            raise RuntimeError("no module")
        return super().conclude(outcome, index)


@pytest.mark.parametrize("part", ["advance", "cast_votes", "receive", "conclude", "outcome_of", "module"])
@pytest.mark.parametrize("name", list(BACKENDS))
def test_whatever_raises_in_a_module_the_others_have_results(
    name: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = load("h3_voting")
    monkeypatch.setattr(Broken, "part", part)
    settings = settings_of(trace.settings)
    good = EvidenceModule("good", (PATCH,), settings, trace.models()[:1])
    groups = make_groups([Broken("bad", (PATCH,), settings, trace.models()[:1]), good])
    assert len(groups) == 2
    votes = {"good": ["bad"], "bad": ["good"]} if part in ("cast_votes", "receive") else None
    backend = make_backend(name, voting=votes)
    percept = trace.percept(0, "lm0_")
    inputs = [group_input(group, {group.names[0]: [[percept]]}) for group in groups]
    got = backend.gather(backend.dispatch(groups, inputs))
    assert str(got["bad"].failure) == f"no {part}"
    assert got["bad"].best == [None]
    assert got["good"].failure is None
    assert got["good"].best[0] is not None


class Stuck(EvidenceModule):
    """Another kind of module, which cannot begin a second episode, or go on with fewer rows."""

    part, raises = "", False

    def reset(self, rows=None):
        self.between("reset")
        super().reset(rows)

    def keep(self, rows):
        self.between("keep")
        super().keep(rows)

    def between(self, part: str) -> None:
        if self.raises and part == self.part:
            raise RuntimeError(f"no {part}")


@pytest.mark.parametrize("part", ["reset", "keep"])
@pytest.mark.parametrize("name", list(BACKENDS))
def test_who_fails_between_steps_is_left_out_and_the_others_go_on(
    name: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = load("h3_voting")
    monkeypatch.setattr(Stuck, "part", part)
    settings, models = settings_of(trace.settings), trace.models()[:1]
    percept = trace.percept(0, "lm0_")

    def steps(raises: bool) -> list[dict[str, ModuleResult]]:
        modules = [
            kind(n, (PATCH,), settings, models) for kind, n in ((Stuck, "bad"), (EvidenceModule, "good"))
        ]
        groups, backend = make_groups(modules), make_backend(name, rows=64)
        found = []
        for rows in (64, 64, 1):
            if rows == 1:
                backend.keep(groups, np.array([3]))
            else:
                backend.reset(groups, None if not found else np.arange(64) < 32)
            inputs = [group_input(group, {group.names[0]: [[percept]] * rows}, rows) for group in groups]
            found.append(backend.gather(backend.dispatch(groups, inputs)))
            monkeypatch.setattr(Stuck, "raises", raises)
        monkeypatch.setattr(Stuck, "raises", False)
        return found

    wanted, got = steps(False), steps(True)
    for one, other in zip(wanted, got, strict=True):
        same(one["good"], other["good"])
    failed = [one["bad"].failure for one in got]
    assert failed[0] is None
    assert str(failed[2]) == f"no {part}"
    assert (failed[1] is None) == (part == "keep")
    assert got[2]["bad"].best == [None]


@pytest.mark.parametrize("name", list(BACKENDS))
def test_what_cannot_be_used_in_one_row_does_not_lose_the_others(name: str) -> None:
    """NaN in one row, a stranger's percept in another: the third has what it has alone."""
    trace = load("h3_voting")
    groups = make_groups(modules_of(trace)[:1])
    backend = make_backend(name, rows=3)
    percept, stranger = trace.percept(0, "lm0_"), Percept(location=np.zeros(3), sender="nobody")
    given = group_input(groups[0], {"lm0": [[percept], [stranger], [percept]]}, rows=3)
    assert "nobody" in str(given.failures["lm0"])
    given.batch.location[0, 0] = np.nan
    got = backend.gather(backend.dispatch(groups, [given]))["lm0"]
    assert got.failure is not None
    assert got.best[0] is None
    assert got.best[1] is None
    assert got.best[2] is not None
    del given.failures["lm0"]
    assert "row(s) [0]" in str(backend.gather(backend.dispatch(groups, [given]))["lm0"].failure)


@pytest.mark.parametrize("vote", [True, False])
@pytest.mark.parametrize("name", list(BACKENDS))
def test_a_step_may_be_dispatched_before_the_last_is_gathered(name: str, vote: bool) -> None:
    """From one batch that is filled again and again, also while threads have not yet begun."""
    trace = load("h3_voting")
    clean = run(
        make_backend("sequential", voting=VOTING if vote else None), make_groups(modules_of(trace)), trace
    )
    groups = make_groups(modules_of(trace))
    backend = make_backend(name, voting=VOTING if vote else None)
    staged, go = group_input(groups[0], percepts_at(trace, 0)), Event()
    if isinstance(backend, ThreadsBackend):
        backend._pool = ThreadPoolExecutor(1)
        backend._pool.submit(go.wait)
    pending = []
    for t in (0, 1):
        fresh = group_input(groups[0], percepts_at(trace, t))
        staged.batch.numbers[...], staged.batch.flags[...] = fresh.batch.numbers, fresh.batch.flags
        pending.append(backend.dispatch(groups, [staged]))
    go.set()
    for t, one in enumerate(pending):
        got = backend.gather(one)
        for module in got:
            same(got[module], clean[t][module])


def test_inputs_for_another_number_of_groups_are_refused() -> None:
    groups = make_groups(modules_of(load("h3_voting")))
    with pytest.raises(ValueError, match="1 groups but 0 inputs"):
        make_backend("stacked").dispatch(groups, [])


def test_a_percept_from_a_stranger_fails_its_module_only() -> None:
    trace = load("h3_voting")
    groups = make_groups(modules_of(trace))
    percepts = percepts_at(trace, 0)
    percepts["lm2"] = [[Percept(location=np.zeros(3), sender="nobody")]]
    given = group_input(groups[0], percepts)
    assert "nobody" in str(given.failures["lm2"])
    backend = make_backend("stacked")
    got = backend.gather(backend.dispatch(groups, [given]))
    assert got["lm0"].failure is None
    assert got["lm0"].best[0] is not None
    assert got["lm2"].failure is not None


def test_rows_are_independent_episodes() -> None:
    """Two rows with different percepts give what each gives alone, also when one of them is reset on the
    way.
    """
    trace = load("h3_voting")
    alone = []
    for lm in (0, 1):
        module = EvidenceModule("m", (PATCH,), settings_of(trace.settings), trace.models())
        backend, groups = make_backend("sequential"), make_groups([module])
        for t in range(3):
            given = group_input(groups[0], {"m": [[trace.percept(t, f"lm{lm}_")]]})
            result = backend.gather(backend.dispatch(groups, [given]))["m"]
        alone.append(result)
    module = EvidenceModule("m", (PATCH,), settings_of(trace.settings), trace.models())
    backend, groups = make_backend("stacked", rows=2), make_groups([module])
    junk = trace.percept(4, "lm2_")
    backend.gather(backend.dispatch(groups, [group_input(groups[0], {"m": [[], [junk]]}, rows=2)]))
    backend.reset(groups, np.array([False, True]))
    for t in range(3):
        rows = [[trace.percept(t, "lm0_")], [trace.percept(t, "lm1_")]]
        result = backend.gather(backend.dispatch(groups, [group_input(groups[0], {"m": rows}, rows=2)]))["m"]
    for row in (0, 1):
        np.testing.assert_allclose(result.evidence[row], alone[row].evidence[0], atol=1e-5)
        assert result.best[row].object == alone[row].best[0].object
        assert result.possible[row] == alone[row].possible[0]
