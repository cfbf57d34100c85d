"""Monty's side: its folders, one process for each part, and the rows that it leaves.

OUT/data/mujoco/objects/ycb/NAME/       links to the scans, and the metadata.json that Monty asks for
OUT/LEARNING/view-3/pretrained/         models after views 0 to 3 (each part goes on with the one before)
OUT/EXPERIMENT/epoch-2/eval_stats.csv   rows of an epoch
OUT/.../seconds                         what the part took; there when it is complete
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from bench.monty_mujoco.plan import Plan
from bench.monty_mujoco.score import Row
from saccade.experiment.plan.rotations import Euler, from_euler

PEER = Path(__file__).with_name("peer.py")
#: rows as CSV and nowhere else: its experiments also tell wandb
ROWS_ALONE = (
    "experiment.config.logging.monty_data_logger.handlers="
    "[{_target_:tbp.monty.frameworks.loggers.monty_handlers.BasicCSVStatsHandler}]"
)


class Monty:
    """Runs the parts of a plan with an interpreter that has tbp.monty and mujoco. paths: folders that it is
    to import from first; shipped: frames are drawn as Monty draws them, not as in `frames.py`."""

    def __init__(
        self, python: str, paths: Sequence[str], objects: Path, out: Path, shipped: bool = False
    ) -> None:
        self.python, self.paths, self.out = python, list(paths), out
        self.drawing = ["--as-shipped"] if shipped else []
        self._link(objects.resolve(), out / "data/mujoco/objects/ycb")

    @staticmethod
    def _link(objects: Path, into: Path) -> None:
        into.mkdir(parents=True, exist_ok=True)
        for scan in sorted(each for each in objects.iterdir() if each.is_dir()):
            folder = into / scan.name
            folder.mkdir(exist_ok=True)
            for name in ("textured.obj", "texture_map.png"):
                if not (folder / name).exists():
                    (folder / name).symlink_to(scan / name)
            # scans lie as their files say, in metres: all the defaults
            (folder / "metadata.json").write_text("{}")

    def learn(self, plan: Plan, limit: float) -> Path | None:
        """Learn what is missing, view by view; where the models are, or None when time is over."""
        before = Path()
        for number, view in enumerate(plan.learned):
            folder = self.out / f"{plan.learning}_{plan.contacts}" / f"view-{number}"
            phase = "++experiment.config.train_env_interface_args"
            settings = [
                f"{phase}.object_names={_names(plan.objects)}",
                "experiment.config.n_train_epochs=1",
                f"experiment.config.model_name_or_path={before / 'pretrained' if number else ''}",
                f"experiment.config.monty_config.monty_args.num_exploratory_steps={plan.contacts}",
                f"{phase}.object_init_sampler.rotations={_angles([view])}",
            ]
            if not self._done(plan.learning, folder, settings, limit):
                return None
            before = folder
        return before / "pretrained"

    def recognise(self, plan: Plan, models: Path, limit: float) -> list[Row] | None:
        """Recognise what is missing, epoch by epoch; all rows, or None when time is over."""
        rows = []
        for number, turned in enumerate(plan.shown):
            folder = self.out / plan.theirs / f"epoch-{number}"
            phase = "++experiment.config.eval_env_interface_args"
            sampler = f"{phase}.object_init_sampler"
            settings = [
                f"{phase}.object_names={_names(plan.objects)}",
                "experiment.config.n_eval_epochs=1",
                f"experiment.config.model_name_or_path={models}",
                f"experiment.config.seed={plan.seed + number}",
                f"{sampler}._target_=tbp.monty.frameworks.environments.object_init_samplers.Predefined",
                f"{sampler}.rotations={_angles(turned)}",
                f"{sampler}.change_every_episode=true",
                ROWS_ALONE,
            ]
            if not self._done(plan.theirs, folder, settings, limit):
                return None
            rows += rows_of(folder / "eval_stats.csv", plan.objects, turned)
        return rows

    def seconds(self, plan: Plan) -> tuple[float, float]:
        """What an epoch of learning and one of recognising took, on average, starting included."""
        learned = (self.out / f"{plan.learning}_{plan.contacts}").glob("view-*/seconds")
        shown = (self.out / plan.theirs).glob("epoch-*/seconds")
        return _mean(learned), _mean(shown)

    def _done(self, experiment: str, folder: Path, settings: Sequence[str], limit: float) -> bool:
        """Run a part that is not complete yet; False where the clock says that it may not begin any more."""
        if (folder / "seconds").exists():
            return True
        if time.monotonic() > limit:
            return False
        folder.mkdir(parents=True, exist_ok=True)
        where = {
            "MONTY_DATA": str(self.out / "data"), "MONTY_MODELS": str(self.out), "MONTY_LOGS": str(self.out),
            "WANDB_MODE": "disabled", "MUJOCO_GL": "egl", "PYTHONPATH": os.pathsep.join(self.paths),
        }  # fmt: skip
        name = [
            f"experiment.config.logging.output_dir={folder.parent}",
            f"experiment.config.logging.run_name={folder.name}",
            "experiment.config.logging.python_log_to_stderr=false",
        ]
        command = [self.python, str(PEER), *self.drawing, f"experiment={experiment}", *name, *settings]
        began = time.perf_counter()
        with (folder / "output").open("w") as output:
            ended = subprocess.run(
                command, env={**os.environ, **where}, stdout=output, stderr=output, check=False
            )
        if ended.returncode:
            tail = (folder / "output").read_text()[-2000:]
            raise SystemExit(f"Monty stopped with {ended.returncode} in {folder}:\n{tail}")
        (folder / "seconds").write_text(str(time.perf_counter() - began))
        return True


def _mean(files: Iterable[Path]) -> float:
    """Of the numbers in them."""
    return float(np.mean([float(each.read_text()) for each in files]))


def _names(objects: Sequence[str]) -> str:
    return f"[{','.join(objects)}]"


def _angles(rotations: Sequence[Euler]) -> str:
    return json.dumps([[round(angle, 6) for angle in each] for each in rotations]).replace(" ", "")


def rows_of(path: Path, objects: Sequence[str], turned: Sequence[Euler]) -> list[Row]:
    """The rows of an epoch. Of several modules most have to be right, and the first of these speaks."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    each = len(lines) // len(objects)
    if each * len(objects) != len(lines):
        raise SystemExit(f"{path} has {len(lines)} rows for {len(objects)} objects")
    rows = []
    for number, (name, angles) in enumerate(zip(objects, turned)):
        some = lines[number * each : (number + 1) * each]
        if {line["primary_target_object"] for line in some} != {name}:
            raise SystemExit(f"{path}: episode {number} shows {some[0]['primary_target_object']}, not {name}")
        right = [line for line in some if line["primary_performance"] in ("correct", "correct_mlh")]
        speaks = right[0] if right else some[0]
        found = _numbers(speaks["most_likely_rotation"])
        rows.append(
            Row(
                object=name,
                correct=len(right) * 2 > len(some),
                steps=int(float(speaks["monty_matching_steps"])),
                truth=from_euler(angles),
                found=from_euler(found) if len(found) == 3 else None,
                judged=float(speaks["rotation_error"] or "nan"),
                seconds=max(float(line["time"]) for line in some),
            )
        )
    return rows


def _numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]
