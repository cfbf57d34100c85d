"""Experiments that are killed lose nothing; what would be lost is found."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from saccade.fuzz.attacks import kills
from saccade.fuzz.attacks.kills import KINDS, Kill, Lost, Victim, attack, forked, rows_of, waited

from ..patience import HANG

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def test_a_few_kills_of_runs_that_train() -> None:
    """The kind that compiles least; the others are among the slow tests."""
    told: list[int] = []
    report = attack(1, 3, kinds=["training"], progress=lambda seed, _: told.append(seed))
    assert not report.failures, report.failures[0]
    assert report.kills.total() == 3
    assert sorted(set(told)) == list(range(1, 1 + report.experiments))
    assert len(told) == report.experiments + report.kills.total()  # before each, and after each kill
    assert "nothing lost, nothing doubled" in str(report)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Victim:
    """An experiment that ran undisturbed."""
    folder = tmp_path_factory.mktemp("kills")
    victim = Victim(folder, seed=2, most=3, kinds=["training"])
    victim._end_of(victim._start(victim.whole), 0)
    return victim


def doubled(run: Path) -> None:
    rows = run / "episodes.csv"
    rows.write_text(rows.read_text() + rows.read_text().splitlines(keepends=True)[1])


def lost(run: Path) -> None:
    rows = run / "episodes.csv"
    rows.write_text("".join(rows.read_text().splitlines(keepends=True)[:-1]))


def changed(run: Path) -> None:
    model = next(path for path in sorted((run / "models").rglob("*")) if path.is_file())
    model.write_bytes(model.read_bytes()[:-1])


def all_checks(victim: Victim, wanted: dict[str, str]) -> None:
    victim._check_rows(wanted)
    victim._check_whole(wanted)


@pytest.mark.parametrize(
    ("damage", "told"),
    [(doubled, "twice"), (lost, "rows are left"), (changed, "is not that of the undisturbed run")],
)
def test_what_a_kill_would_do_is_found(whole: Victim, damage: Callable[[Path], None], told: str) -> None:
    wanted = rows_of(whole.whole)
    shutil.rmtree(whole.killed, ignore_errors=True)
    shutil.copytree(whole.whole, whole.killed)
    whole.kills = [Kill("SIGKILL", 0.1, len(wanted))]
    all_checks(whole, wanted)
    damage(whole.killed)
    with pytest.raises(Lost, match=told):
        all_checks(whole, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_kills_of_every_kind_of_run(kind: str) -> None:
    report = attack(100, 10, kinds=[kind])
    assert not report.failures, report.failures[0]
    assert report.kills.total() == 10


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_comes_at_once_is_answered(tmp_path: Path, number: signal.Signals) -> None:
    for _ in range(5):
        process = forked(["resume", str(tmp_path / "run")], tmp_path / "stderr")
        os.kill(process, number)
        assert waited(process) == 128 + number
        assert (tmp_path / "stderr").read_text().startswith("error stopped")


def test_a_process_is_lost_that_sleeps_and_not_one_that_waits_for_a_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def sleeping(seconds: float) -> int:
        process = os.fork()
        if process == 0:
            time.sleep(seconds)
            os._exit(3)
        return process

    monkeypatch.setattr(kills, "_PATIENCE", 0.05)
    with pytest.raises(Lost, match="did not end"):
        waited(sleeping(HANG))
    began = time.perf_counter()
    monkeypatch.setattr(kills, "queued", lambda process: time.perf_counter() - began)
    assert waited(sleeping(0.2)) == 3
