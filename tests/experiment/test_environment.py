"""A run keeps what it was computed with, and nothing is mixed without a word."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from saccade.experiment import resume
from saccade.experiment.config.config import override
from saccade.experiment.config.environment import DECIDING, TOLD, environment_of, source_digest
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.errors import RunError
from saccade.experiment.progress import Silent
from saccade.experiment.ray_backend import check_alike
from saccade.experiment.record import record
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.compare import compare
from saccade.experiment.report.report import comparison_tables
from saccade.experiment.resume import reopen
from saccade.experiment.run import execute

SMALL = ["train.rotations=2", "eval.epochs=2", "recording.plots=false"]


def begin(path: Path, fake: ModuleType, episodes: int) -> None:
    """A run that was stopped after so many episodes of learning."""
    config = override(ExperimentConfig(), SMALL)
    with RunFolder.create(path, config) as folder:
        execute(folder, fake.FakeEngine(config), fake.NAMES, Silent())
    table = (path / "episodes.csv").read_text().splitlines(keepends=True)
    (path / "episodes.csv").write_text("".join(table[: 1 + episodes]))
    (path / "summary.json").unlink()


def elsewhere(monkeypatch: pytest.MonkeyPatch, **other: str) -> None:
    """As if this process were another: some names of its environment have other values."""
    for module in (record, resume):
        monkeypatch.setattr(module, "environment_of", lambda device: {**environment_of(device), **other})


def test_a_run_keeps_what_it_was_computed_with(tmp_path: Path, fake: ModuleType) -> None:
    begin(tmp_path / "run", fake, 4)
    (kept,) = json.loads((tmp_path / "run" / "run.json").read_text())["environments"]
    assert set(kept) == {*DECIDING, *TOLD, "began", "after_episodes"}
    assert kept["numpy"] == np.__version__
    assert kept["python"] == platform.python_version()
    assert kept["device"] == environment_of("auto")["device"]
    assert all(kept[name] for name in DECIDING)


def test_another_numpy_goes_on_and_is_told(
    tmp_path: Path, fake: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(tmp_path / "run", fake, 4)
    elsewhere(monkeypatch, numpy="1.26.4", python="3.13.0")
    notes: list[str] = []
    with reopen(tmp_path / "run", note=notes.append) as folder:
        execute(folder, fake.FakeEngine(folder.config), fake.NAMES, Silent())
    assert f"numpy {np.__version__} there, 1.26.4 here" in notes[0]
    first, second = RunFolder.open(tmp_path / "run").environments
    assert (first["numpy"], second["numpy"], second["after_episodes"]) == (np.__version__, "1.26.4", "4")


@pytest.mark.parametrize("name", ["saccade", "source", "llvmlite", "cpu", "device", "searched"])
def test_what_may_change_results_is_refused_until_it_is_asked_for(
    tmp_path: Path, fake: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    begin(tmp_path / "run", fake, 6)
    before = (tmp_path / "run" / "run.json").read_bytes()
    elsewhere(monkeypatch, **{name: "another"})
    with pytest.raises(RunError, match=f"{name} .* there, another here.*--mixed"):
        reopen(tmp_path / "run")
    assert (tmp_path / "run" / "run.json").read_bytes() == before
    reopen(tmp_path / "run", mixed=True).close()
    assert [each["after_episodes"] for each in RunFolder.open(tmp_path / "run").environments] == ["0", "6"]
    # what was agreed to once is not asked for again
    reopen(tmp_path / "run").close()


def test_runs_of_before_are_continued(tmp_path: Path, fake: ModuleType) -> None:
    begin(tmp_path / "run", fake, 4)
    path = tmp_path / "run" / "run.json"
    head = json.loads(path.read_text())
    del head["environments"]
    path.write_text(json.dumps(head))
    reopen(tmp_path / "run").close()
    assert len(RunFolder.open(tmp_path / "run").environments) == 1


def test_runs_are_compared_with_what_they_were_computed_with(
    tmp_path: Path, fake: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(tmp_path / "a", fake, 12)
    begin(tmp_path / "b", fake, 12)
    folders = [RunFolder.open(tmp_path / name) for name in "ab"]
    assert (compare(folders).environments, compare(folders).mixed) == ({}, ())
    elsewhere(monkeypatch, cpu="znver4", numpy="1.26.4")
    reopen(tmp_path / "b", mixed=True).close()
    found = compare(folders)
    assert set(found.environments) == {"cpu", "numpy"}
    assert found.environments["numpy"][1] == f"{np.__version__}, then 1.26.4"
    assert found.mixed == ("cpu",)
    assert any(table.title == "computed with" for table in comparison_tables(found))
    # one run that changed on its way is as good as two that differ
    assert compare(folders[1:]).mixed == ("cpu",)


def test_a_worker_that_computes_with_something_else_refuses() -> None:
    here: Any = environment_of("cpu")
    check_alike({**here, "numpy": "1.26.4"}, "cpu")
    with pytest.raises(ValueError, match=r"llvmlite 0\.1 there, .* here.*of one kind"):
        check_alike({**here, "llvmlite": "0.1"}, "cpu")


def test_the_code_has_a_name_of_its_own(tmp_path: Path) -> None:
    for name, text in (("a", "x = 1\n"), ("b", "x = 1\n"), ("c", "x = 2\n")):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "code.py").write_text(text)
    first, same, other = (source_digest(tmp_path / name) for name in "abc")
    assert first == same != other
