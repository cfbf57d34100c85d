"""Figures that need a new process each time: import, the first result, and what ResNet-18 costs to compile.

A *cold* process finds empty cache folders; a *warm* one finds those that a cold process of the same contender
left. Times of `import` and `tiny` count from before the interpreter starts. Those of ResNet-18 leave out
importing, making weights and running the network: they are the first forward pass less a later one.

    measure_startup(STARTUPS["import"], ["saccade", "numpy"], settings)   ->   {"saccade":
    Figure(seconds=0.21, ...), ...}
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import OURS, Target
from bench.rounds import ROOT, ContenderFailed, Figure, Settings, environment, median_of_minimums


@dataclass(frozen=True)
class Startup:
    """`job` is what `bench.fresh` does; `contenders` are those for which it makes sense."""

    name: str
    title: str
    job: str
    warm: bool
    target: Target
    contenders: tuple[str, ...]
    rounds: int = 5


LIBRARIES = ("saccade", "numpy", "torch", "jax", "tinygrad")
COMPILERS = ("saccade", "torch.compile", "jax", "tinygrad")

STARTUPS: dict[str, Startup] = {
    startup.name: startup
    for startup in (
        Startup("import", "import, new process", "import", True, Target(seconds=0.25), LIBRARIES),
        Startup(
            "tiny_cold",
            "first tiny result, cold",
            "tiny",
            False,
            Target(seconds=0.6),
            (*LIBRARIES, "torch.compile"),
            3,
        ),
        Startup(
            "tiny_warm",
            "first tiny result, warm",
            "tiny",
            True,
            Target(seconds=0.35),
            (*LIBRARIES, "torch.compile"),
            3,
        ),
        Startup(
            "resnet18_cold",
            "ResNet-18, build to compiled, cold",
            "resnet18",
            False,
            Target(ratio=4.0, seconds=3.0, against=("tinygrad",)),
            COMPILERS,
            2,
        ),
        Startup(
            "resnet18_warm",
            "ResNet-18, the same, second process",
            "resnet18",
            True,
            Target(seconds=0.5),
            COMPILERS,
            2,
        ),
    )
}


def measure_startup(
    startup: Startup,
    names: Sequence[str],
    settings: Settings,
    progress: Callable[[str], None] = lambda message: None,
) -> dict[str, Figure]:
    """Interleaved like the other cases: every round starts one process of each contender.

    A quick run leaves out the peers that no target names: some of them compile for half a minute.
    """
    rounds = 1 if settings.quick else startup.rounds
    contenders = startup.contenders
    if settings.quick:
        contenders = (OURS, "numpy") if startup.target.ratio is None else (OURS, *startup.target.against)
    times: dict[str, list[float]] = {
        name: [] for name in contenders if name in names and name in startup.contenders
    }
    details: dict[str, dict[str, Any]] = {name: {} for name in times}
    errors: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="saccade-startup-") as root:
        for number in range(rounds):
            for name in [name for name in times if name not in errors]:
                progress(f"{startup.name}: {name}, process {number + 1} of {rounds}")
                folder = Path(root) / name if startup.warm else Path(root) / f"{name}-{number}"
                try:
                    if startup.warm and number == 0:
                        spawn(startup.job, name, settings, folder)
                    before = files_in(folder)
                    reply = spawn(startup.job, name, settings, folder)
                except ContenderFailed as failure:
                    errors[name] = str(failure)
                    continue
                times[name].append(
                    reply["elapsed"] if startup.job != "resnet18" else reply["first"] - reply["run"]
                )
                # A compiler that keeps what it compiled leaves new files exactly when it compiled something.
                details[name] = reply | {"cache_files_before": before, "cache_files_after": files_in(folder)}
    return {
        name: Figure(error=errors[name])
        if name in errors
        else Figure(median_of_minimums(times[name]), rounds=tuple(times[name]), details=details[name])
        for name in times
    }


def files_in(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*") if path.is_file())


def spawn(job: str, name: str, settings: Settings, folder: Path) -> dict[str, float]:
    """Run one fresh process and return what it reported, with the seconds from before its start."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [settings.python(name), "-m", "bench.fresh", job, name]
    start = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(settings.threads, folder),
            capture_output=True,
            text=True,
            timeout=settings.timeout,
        )
    except subprocess.TimeoutExpired:
        raise ContenderFailed(f"no answer within {settings.timeout:.0f} s") from None
    if done.returncode != 0:
        words = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()
        raise ContenderFailed(words[-1])
    reply: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return reply | {"elapsed": reply["at"] - start}
