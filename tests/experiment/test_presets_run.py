"""Presets start and finish, cut down to a few steps; by default one of each sort, all of them with

SACCADE_PRESETS=all python -m pytest tests/experiment/test_presets_run.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset, presets
from saccade.experiment.engine.engine import make_engine
from saccade.experiment.engine.objects import object_names
from saccade.experiment.progress import Silent
from saccade.experiment.record.record import RunFolder
from saccade.experiment.run import execute

SORTS = (
    "unsupervised_noise",
    "swap_surface",
    "distinct_distant_noise_5_modules",
    "compositional",
    "compositional_monolithic",
    "pictures",
)
CUT = [
    "objects.limit=2", "train.rotations=2", "train.steps=25", "train.epochs=1", "module.max_nodes=100",
    "eval.min_steps=3", "eval.max_steps=6", "eval.episodes=2", "batch=2",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", presets() if os.environ.get("SACCADE_PRESETS") == "all" else SORTS)
def test_a_preset_starts_and_finishes(name: str, tmp_path: Path) -> None:
    # The first objects made of parts come after the five parts.
    settings = [*CUT, *(["objects.limit=6"] if name == "compositional" else [])]
    config = override(preset(name), settings)
    with RunFolder.create(tmp_path / "run", config) as folder:
        summary = execute(folder, make_engine(config), object_names(config), Silent())
    assert summary["complete"]
    phase = "train" if config.eval.mode == "none" else "eval"
    assert summary["results"][phase]["episodes"] == 2
