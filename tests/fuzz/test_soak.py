"""The soak: short turns, stopped and gone on with, and a turn whose process ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.fuzz.soak.soak import Failure, Progress, State, _cases, _taken, open_state, soak, write_state
from saccade.fuzz.soak.soak_turn import ATTACKS

#: what Python runs when it starts: the process ends at the program of seed 1
ENDING = """
import importlib, os, sys
if "saccade.fuzz.soak.soak_turn" in sys.orig_argv:
    fuzz = importlib.import_module("saccade.fuzz.programs.fuzz")
    draw = fuzz.draw
    fuzz.draw = lambda seed: os._exit(9) if seed == 1 else draw(seed)
"""


def test_a_short_soak_and_on_from_where_it_stopped(tmp_path: Path) -> None:
    path = str(tmp_path / "soak.json")
    command = ["check", "soak", "--minutes", "0.02", "--only", "threads", "--only", "programs", "--jobs", "2"]
    result = CliRunner().invoke(cli.app, [*command, "--seed", "5", "--state", path, "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["failures"] == []
    assert set(told["kinds"]) == {"programs", "threads"}
    for progress in told["kinds"].values():
        assert progress["tried"] == progress["next"] - 5 > 0
    assert json.loads(Path(path).read_text()) == told
    result = CliRunner().invoke(cli.app, [*command[:2], "--minutes", "0", "--state", path])
    assert result.exit_code == 0, result.output
    assert "going on from" in result.stdout
    assert "nothing found" in result.stdout
    assert json.loads(Path(path).read_text()) == told


def test_a_process_that_ends_is_a_failure_of_its_case_and_the_rest_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(ENDING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    state, path = State(0), tmp_path / "soak.json"
    state.kinds["programs"] = Progress(next=4, unfinished=[(0, 4)])
    soak(state, path, 0.3, only=["programs"])
    (failure,) = state.failures
    assert (failure.kind, failure.seed) == ("programs", 1)
    assert "the process ended with 9" in failure.case
    assert "soak_turn programs 1 1" in failure.case
    assert state.kinds["programs"].tried == 1
    assert state.kinds["programs"].unfinished == [(2, 4)]
    assert open_state(path, None) == state


def test_of_one_fault_the_smallest_case_is_kept() -> None:
    state = State(0)
    for seed, case in ((1, "some case"), (2, "case"), (3, "another case")):
        state.add(Failure("files", "hung", seed, case))
    state.add(Failure("files", "died", 4, "a case of something else"))
    assert [(f.seed, f.times) for f in state.failures] == [(2, 3), (4, 1)]
    assert "2 failures" in str(state)


def test_turns_are_planned_at_the_pace_of_the_machine() -> None:
    """A thousand programs were planned for a minute: a busy machine took five, all of a short soak."""
    state = State(0)
    seconds = ATTACKS["programs"].seconds
    assert _cases(state, "programs", 100 * seconds) in (99, 100)
    state.progress("programs").tried, state.progress("programs").seconds = 10, 100 * seconds
    assert _cases(state, "programs", 100 * seconds) in (9, 10)
    assert _cases(state, "programs", 0.0) == 1


def test_seeds_that_were_not_finished_come_first() -> None:
    progress = Progress(next=20, unfinished=[(3, 8), (12, 13)])
    assert [_taken(progress, 3) for _ in range(4)] == [(3, 6), (6, 8), (12, 13), (20, 23)]
    assert progress == Progress(next=23)


def test_a_state_that_is_damaged_or_anothers_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "soak.json"
    assert open_state(path, 7) == State(7)
    write_state(State(7), path)
    assert open_state(path, None) == State(7)
    with pytest.raises(ValueError, match="soak with seed 7, not 8"):
        open_state(path, 8)
    head = '{"kinds": {}, "failures": [], "seed": '
    for text in ("", "{}", "[]", '{"seed": 1, "kinds": 3, "failures": []}', "[" * 100_000, head + "1e999}"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"soak\.json is not the state of a soak"):
            open_state(path, None)
        result = CliRunner().invoke(cli.app, ["check", "soak", "--minutes", "0", "--state", str(path)])
        assert result.exit_code == 1
        assert path.read_text() == text


def test_an_attack_that_there_is_not_is_refused_with_those_there_are() -> None:
    result = CliRunner().invoke(cli.app, ["check", "soak", "--only", "everything"])
    assert result.exit_code == 1
    assert all(name in result.stderr for name in ATTACKS)
