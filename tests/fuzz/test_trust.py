"""`bench.gpu_trust` counts what happened: outcomes of tests, and programs of a process that ended."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from bench.gpu_trust import FAULTS, TOGETHER, Asked, Runner, Suite, Trust, main, open_trust, table
from saccade.fuzz.soak.soak import Failure, State

from .test_soak import ENDING

TESTS = """
import os, pytest

def test_right():
    print("noise")

def test_wrong():
    assert 1 == 2

@pytest.mark.skip(reason="no card")
def test_skipped(): ...

def test_ending():
    os._exit(7)

def test_behind(): ...
"""


def test_every_test_has_its_outcome_and_one_that_ends_the_process_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    file = tmp_path / "test_some.py"
    file.write_text(TESTS)
    names = [f"{file}::test_{each}" for each in ("right", "wrong", "skipped", "ending", "behind")]
    trust, tests = Trust({}, State(0)), Suite(tmp_path, names)
    while not tests.is_over():
        time.sleep(0.05)
    tests.enter_into(trust)
    outcomes = {name.partition("::test_")[2]: test["outcome"] for name, test in trust.tests.items()}
    assert outcomes == {"right": "passed", "wrong": "failed", "skipped": "skipped", "ending": "ended"}
    told = {name.partition("::test_")[2]: test["told"] for name, test in trust.tests.items()}
    assert "assert 1 == 2" in told["wrong"]
    assert told["skipped"] == "Skipped: no card"
    assert "the process ended with 7" in told["ending"]


def test_faults_have_the_card_alone_and_tests_share_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(suite: Suite, folder: Path, names: list[str]) -> None:
        suite.names = names

    monkeypatch.setattr(Suite, "__init__", started)
    names = [*(f"{FAULTS}::{n}" for n in range(2)), *(f"tests/a.py::{n}" for n in range(TOGETHER + 1))]
    trust = Trust({}, State(0), collected=[*names, "tests/b.py::0"])
    runner = Runner(trust, {}, ["faults", "tests"], 8, tmp_path)

    def run() -> list[int]:
        while (made := runner._next()) is not None:
            runner.running.append(made)
        return [len(made.names) for made in runner.running if isinstance(made, Suite)]

    assert run() == [2]
    runner.running.clear()
    trust.tests |= {name: {"outcome": "passed"} for name in names[:2]}
    assert run() == [TOGETHER, 1, 1]


def test_programs_are_counted_as_they_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The process ends at program 1: it is found, not counted as done, and the goal is reached without it."""
    (tmp_path / "sitecustomize.py").write_text(ENDING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for name in ("SACCADE_THREADS", "SACCADE_CACHE"):  # it sets them
        monkeypatch.setenv(name, os.environ.get(name, "2"))
    monkeypatch.setattr("bench.gpu_trust.sources", lambda commit: {"commit": commit})
    path = tmp_path / "trust.json"
    arguments = ["programs:2", "--seed", "0", "--jobs", "1", "--state", str(path)]
    monkeypatch.setattr("sys.argv", ["gpu_trust", *arguments, "--commit", "abc"])
    assert main() == 1
    printed = capsys.readouterr().out
    assert "commit: abc" in printed
    assert "| programs | 2 | 2 | 0 | 0 | 1 | 0 | 0 | 0 to 2 |" in printed
    known = json.loads(path.read_text())
    assert (known["soak"]["kinds"]["programs"]["tried"], known["soak"]["failures"][0]["seed"]) == (2, 1)
    assert open_trust(path, known["tree"], 0).soak.failures[0].how == "ended"
    with pytest.raises(SystemExit, match="other sources"):
        open_trust(path, known["tree"] | {"commit": "abd"}, 0)


def test_a_row_tells_failures_by_how_often_they_were_found() -> None:
    trust = Trust({}, State(5), collected=["tests/a.py::x", "tests/a.py::y"])
    trust.tests["tests/a.py::x"] = {"outcome": "skipped", "seconds": 0.0, "told": "no card"}
    trust.soak.progress("cuda").tried = 12
    trust.soak.add(Failure("cuda", "device: output", 6, "a case", "wrong"))
    trust.soak.add(Failure("cuda", "device: output", 7, "case", "wrong"))
    trust.soak.add(Failure("cuda", "hangs", 8, "case", "hung"))
    rows = table(trust, {"cuda": Asked(20, 5)}, ["tests", "cuda"]).splitlines()
    assert rows[2] == "| tests | 2 | 0 | 0 | 0 | 0 | 0 | 1 |  |"
    assert rows[3] == "| cuda | 20 | 12 | 2 | 0 | 0 | 1 | 0 | 5 to 5 |"
