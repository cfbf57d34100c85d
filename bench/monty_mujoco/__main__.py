"""The head to head from the command line.

    python -m bench.monty_mujoco randrot_noise_10distinctobj_surf_agent --objects ycb \\
        --monty MONTY/bin/python --epochs 3 --views 6 --contacts 150 --out runs/head --minutes 8

Both sides learn from the same views and are shown the same objects in the same rotations. After --minutes no
further part of Monty's begins; the same command goes on. Needs a Python with tbp.monty 0.55 and mujoco 3.3.7
(4.0 crashes with it; --path names a folder to import it from first) and libegl1 and libgl1-mesa-dri.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from bench.monty_mujoco import ours, score
from bench.monty_mujoco.plan import plan_of
from bench.monty_mujoco.theirs import Monty
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.engine.objects import world_objects
from saccade.experiment.errors import RunError
from saccade.experiment.report.benchmark import check_objects
from saccade.experiment.report.monty_twins import recognising_config
from saccade.world.meshes.mesh import MeshError


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.monty_mujoco")
    parser.add_argument("experiment", help="by Monty's name, without _mujoco")
    parser.add_argument("--objects", type=Path, required=True, help="folder of NAME/textured.obj")
    parser.add_argument("--monty", required=True, help="a Python with tbp.monty and mujoco")
    parser.add_argument("--path", action="append", default=[], help="folder that Python imports from first")
    parser.add_argument("--out", type=Path, default=Path("runs/monty_mujoco"))
    parser.add_argument("--epochs", type=int, default=3, help="rotations of each object")
    parser.add_argument("--views", type=int, default=6, help="to learn from; Monty's own have 14")
    parser.add_argument("--contacts", type=int, default=150, help="of each view; Monty's own have 1,000")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=10, help="our episodes side by side")
    parser.add_argument("--minutes", type=float, default=8.0, help="no part begins later than this")
    parser.add_argument("--as-shipped", action="store_true", help="Monty's frames as Monty draws them")
    parser.add_argument("--set", action="append", default=[], help="changes of our recognition")
    given = parser.parse_args(arguments)
    if shutil.which(given.monty) is None:
        parser.error(
            f"argument --monty: {given.monty} is no program; it is a Python with tbp.monty and mujoco"
        )
    try:
        compare(given)
    except (ConfigError, RunError, MeshError) as error:
        raise SystemExit(f"error {error}") from None


def compare(given: argparse.Namespace) -> None:
    """Run what is missing of both sides, and print the table."""
    limit = time.monotonic() + 60 * given.minutes
    out = given.out.resolve()
    plan = plan_of(
        given.experiment, str(given.objects), given.epochs, given.views, given.contacts, given.seed
    )
    check_objects([plan.twin], given.objects)
    own = ours.run(plan, given.objects, out, given.batch, given.set)
    objects = world_objects(recognising_config(plan.twin, str(given.objects), "", given.seed))
    symmetries = {each.name: each.symmetry for each in objects}
    print(
        f"{plan.theirs}, seed {plan.seed}: {given.views} views of {given.contacts} contacts\n\n{score.HEAD}"
    )
    print(score.Score.of(own, symmetries).line("saccade"), flush=True)
    monty = Monty(given.monty, given.path, given.objects, out, given.as_shipped)
    models = monty.learn(plan, limit)
    theirs = monty.recognise(plan, models, limit) if models else None
    if theirs is None:
        raise SystemExit("time is over and parts of Monty's are missing; the same command goes on")
    print(score.Score.of(theirs, symmetries).line("tbp.monty"))
    learning, _ = monty.seconds(plan)
    print(f"\nMonty learned a view in {learning / len(plan.objects):.1f} s. Worst of ours: ", end="")
    print(f"{score.worst(own, symmetries)}. Worst of Monty's: {score.worst(theirs, symmetries)}.")


if __name__ == "__main__":
    main()
