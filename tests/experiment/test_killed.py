"""kill -9 of the real thing at random moments, through the command line: nothing is lost, nothing doubled.

By default one moment in each of the three ways to run. The full check is twenty in each:

    SACCADE_KILLS=20 python -m pytest tests/experiment/test_killed.py
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.experiment.errors import RunError
from saccade.experiment.record.record import RunFolder

KILLS = int(os.environ.get("SACCADE_KILLS", "1"))
SMALL = [
    "objects.names=mug,hammer", "world.agent=surface", "train.rotations=3", "train.steps=40",
    "module.updater=plain", "module.node_spacing=0.008", "module.neighbours=4", "noise.location=0.001",
    "eval.epochs=4", "eval.min_steps=10", "eval.max_steps=20", "recording.plots=false",
]  # fmt: skip


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "saccade", *arguments, "--quiet", "--json"]


def finished(arguments: list[str]) -> dict[str, Any]:
    done = subprocess.run(
        arguments, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def killed_after(arguments: list[str], seconds: float) -> bool:
    """Whether the process was still at it when it was killed."""
    process = subprocess.Popen(
        arguments, cwd=Path(__file__).parents[2], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    return process.wait() == -signal.SIGKILL


def rows_of(path: Path) -> list[str]:
    try:
        return [repr(row.results()) for row in RunFolder.open(path).rows()]
    except RunError:  # killed before the folder was there
        assert not path.exists()
        return []


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [["eval.mode=none", "train.rotations=6"], ["batch=1"], ["batch=4"]],
    ids=["train", "eval", "batched"],
)
def test_a_killed_run_ends_like_one_left_alone(tmp_path: Path, settings: list[str]) -> None:
    chosen = [part for each in [*SMALL, *settings] for part in ("--set", each)]
    path = tmp_path / "killed"
    start, go_on = command("run", "default", "--out", str(path), *chosen), command("resume", str(path))
    finished(command("run", "default", "--out", str(tmp_path / "warm"), *chosen))
    began = time.perf_counter()
    whole = finished(command("run", "default", "--out", str(tmp_path / "whole"), *chosen))
    seconds = time.perf_counter() - began
    wanted = rows_of(tmp_path / "whole")
    random = np.random.default_rng(len(settings))
    recorded: list[str] = []
    landed = 0
    while landed < KILLS:
        # Any moment of what is left, beginning with the start of the process.
        share = 1.0 - len(recorded) / len(wanted)
        moment = float(random.uniform(0.0, seconds * (0.4 + 0.6 * share)))
        if not killed_after(go_on if path.exists() else start, moment):
            assert rows_of(path) == wanted
            path.rename(tmp_path / f"over-{landed}-{random.integers(1 << 30)}")
            recorded = []
            continue
        landed += 1
        rows = rows_of(path)
        assert len(set(rows)) == len(rows)
        assert set(recorded) <= set(rows), "a kill lost what was recorded"
        recorded = rows
    again = finished(go_on if path.exists() else start)
    assert again["results"] == whole["results"]
    assert rows_of(path) == wanted
