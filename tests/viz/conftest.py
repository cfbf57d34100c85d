"""Recordings and runs that the tests of this folder look at, made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade import Tensor


def train_a_little() -> None:
    """A product, a map, a softmax; something to simplify; something that is freed."""
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((32, 64), dtype=np.float32))
    w = Tensor(rng.standard_normal((64, 16), dtype=np.float32))
    for _ in range(3):
        hidden = (x @ w).relu() * 1
        hidden.softmax(1).sum(0).numpy()
        (w - w.mean() * 0.01).realize()


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of `train_a_little`, with ceilings that were never measured."""
    path = tmp_path_factory.mktemp("viz") / "train.saccade"
    with saccade.record(path, "train.py --fast") as recorder:
        train_a_little()
        recorder.writer.write(("L", {"device": "cpu", "copy": 1e10, "products": {"float32": 1e11}}))
    return path


def run_experiment(path: Path, preset: str, *settings: str) -> Path:
    """A small experiment with traces, in this folder."""
    from typer.testing import CliRunner

    from saccade.cli.app import app

    small = [
        "eval.epochs=1",
        "train.rotations=2",
        "train.steps=60",
        "eval.max_steps=15",
        "eval.min_steps=5",
        "recording.hypotheses=300",
        "recording.plots=false",
    ]
    asked = ["run", preset, "--traces", "--batch", "2", "--out", str(path), "--quiet"]
    told = CliRunner().invoke(
        app, [*asked, *(part for each in (*small, *settings) for part in ("--set", each))]
    )
    assert told.exit_code == 0, told.output
    return path


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two objects with traces."""
    return run_experiment(tmp_path_factory.mktemp("viz") / "small", "default", "objects.names=mug,bowl")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of a file; they are skipped where there is none."""
    from .browser import browsing, skip_without_browser

    skip_without_browser()
    with browsing() as found:
        yield found
