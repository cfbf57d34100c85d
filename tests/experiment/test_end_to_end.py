"""The real thing, small: a sensor moves over objects, learns them, recognises them; runs are continued."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saccade.experiment.config import ExperimentConfig, override
from saccade.experiment.engine import make_engine
from saccade.experiment.objects import object_names
from saccade.experiment.progress import Silent
from saccade.experiment.record import RunFolder
from saccade.experiment.resume import reopen
from saccade.experiment.run import execute

# One set of shapes for all tests, so that programs are compiled once.
SMALL = [
    "objects.names=mug,hammer", "world.agent=surface", "train.rotations=4", "train.steps=60",
    "module.updater=plain", "module.node_spacing=0.008", "module.neighbours=4",
    "eval.epochs=1", "eval.min_steps=10", "eval.max_steps=25",
]  # fmt: skip


def run(path: Path, *settings: str) -> tuple[dict[str, Any], list[str]]:
    config = override(ExperimentConfig(), [*SMALL, *settings])
    with RunFolder.create(path, config) as folder:
        summary = execute(folder, make_engine(config), object_names(config), Silent())
    return summary, [repr(row.results()) for row in RunFolder.open(path).rows()]


def test_learned_objects_are_recognised_and_the_run_can_be_continued(tmp_path: Path) -> None:
    summary, rows = run(tmp_path / "run")
    assert summary["results"]["eval"]["correct"] == 100.0
    assert summary["results"]["train"]["episodes"] == 8
    table = tmp_path / "run" / "episodes.csv"
    # As after a kill: the last row torn, the summary not written.
    table.write_bytes(table.read_bytes()[:-20])
    (tmp_path / "run" / "summary.json").unlink()
    with reopen(tmp_path / "run") as folder:
        again = execute(folder, make_engine(folder.config), object_names(folder.config), Silent())
    assert again["results"] == summary["results"]
    assert [repr(row.results()) for row in RunFolder.open(tmp_path / "run").rows()] == rows


@pytest.mark.slow
def test_side_by_side_is_as_alone(tmp_path: Path) -> None:
    _, rows = run(tmp_path / "alone", "module.updater=burst")
    _, beside = run(tmp_path / "beside", "module.updater=burst", "batch=2")
    assert beside == rows


@pytest.mark.slow
def test_objects_without_names_are_found(tmp_path: Path) -> None:
    unnamed = ["train.mode=unsupervised", "eval.mode=none", "train.epochs=2", "train.steps=120"]
    summary, _ = run(tmp_path / "run", *unnamed)
    first = RunFolder.open(tmp_path / "run").rows()[0]
    assert (first.detected, first.new_object, first.correct) == ("object_0", True, True)
    assert summary["results"]["train"]["first_epoch"]["episodes"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["distant", "surface"])
def test_several_modules(tmp_path: Path, agent: str) -> None:
    summary, _ = run(tmp_path / "run", "module.count=2", f"world.agent={agent}", "eval.modules_to_match=2")
    assert summary["results"]["eval"]["episodes"] == 2
