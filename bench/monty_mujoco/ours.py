"""Our side: runs of saccade with the same views to learn from and the same episodes.

OUT/ours/models_...     a run folder that learns, and
OUT/ours/EXPERIMENT     one that recognises; both go on where they were stopped
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.monty_mujoco.plan import Plan
from bench.monty_mujoco.score import Row
from saccade.experiment.config.config import dumps, override
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.plan.rotations import from_euler
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report.monty_twins import learning_config, recognising_config


def run(plan: Plan, folder: Path, out: Path, batch: int, settings: Sequence[str]) -> list[Row]:
    """Learn and recognise what is missing; the rows. settings: changes of the recognition, KEY=VALUE."""
    models, runs = out / "ours" / plan.twin.learned, out / "ours" / plan.twin.name
    taught = [f"train.rotations={len(plan.learned)}", f"train.steps={plan.contacts}"]
    shown = [f"eval.epochs={len(plan.shown)}", *settings]
    _complete(models, override(learning_config(plan.twin, str(folder)), taught), batch)
    config = recognising_config(plan.twin, str(folder), str(models), plan.seed)
    _complete(runs, override(config, shown), batch)
    with RunFolder.open(runs) as opened:
        return rows_of(plan, opened.rows())


def _complete(path: Path, config: ExperimentConfig, batch: int) -> None:
    """Run or finish the run at a path, as a user would."""
    if (path / "summary.json").exists():
        return
    if path.exists():
        command = ["resume", str(path)]
    else:
        file = path.with_suffix(".toml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dumps(config), encoding="utf-8")
        command = ["run", "--config", str(file), "--out", str(path), "--batch", str(batch)]
    whole = [sys.executable, "-m", "saccade", *command, "--quiet"]
    subprocess.run(whole, check=True, stdout=subprocess.DEVNULL)


def rows_of(plan: Plan, rows: Iterable[EpisodeRow]) -> list[Row]:
    """Rows of a run as the scorer reads them."""
    told = []
    for row in rows:
        angles = [float(each) for each in row.detected_rotation.split()]
        truth = plan.shown[row.epoch][plan.objects.index(row.object)]
        found = from_euler(angles) if angles else None
        told.append(
            Row(
                row.object,
                row.correct,
                row.steps,
                from_euler(truth),
                found,
                row.rotation_error_reference,
                row.seconds,
            )
        )
    return told
