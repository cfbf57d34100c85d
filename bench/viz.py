"""What the page and recordings cost, as a table: `python -m bench.viz`.

    python -m bench.viz                     # all of it, some five minutes on two cores
    python -m bench.viz --only page         # the page alone (needs chromium and playwright)
    python -m bench.viz --only recording    # recording alone

The page is measured in chromium without a GPU by what its own tests use (`tests/viz/measure.py`). Recording
is measured in processes that compile everything (no cache on disk), plain and recorded in turn; a figure is
the least processor time of a round. The share of time that the host gave to other machines is told: where it
is high, no figure means much.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

SMALL_RUN = [
    "run", "default", "--batch", "2", "--quiet", "--set", "objects.names=mug,bowl", "--set", "eval.epochs=1",
    "--set", "train.rotations=2", "--set", "train.steps=60", "--set", "eval.max_steps=40",
]  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A figure with what it may be at most; None where it is only told."""

    what: str
    value: float
    unit: str
    most: float | None = None

    def told(self) -> str:
        places = 0 if abs(self.value) >= 10 else 1
        limit = "" if self.most is None else f"{self.most:g} {self.unit}"
        verdict = "" if self.most is None else "yes" if self.value <= self.most else "**no**"
        return f"| {self.what} | {self.value:.{places}f} {self.unit} | {limit} | {verdict} |"


# --- the page


def page_lines() -> Iterator[Line]:
    from tests.viz.browser import browsing
    from tests.viz.measure import graph, scrub, timeline

    with browsing() as browser, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nodes = graph(browser, folder, 10_000)
        yield Line("10,000 nodes before and after a pass: first picture", nodes.opened, "ms", 2000)
        yield Line("- of which layout and drawing", nodes.drawing, "ms")
        yield Line("- processor time of the page's thread", nodes.busy, "ms")
        events = timeline(browser, folder, 100_000)
        yield Line("100,000 events: first picture", events.first, "ms", 1000)
        yield Line("- all of them", events.all, "ms", 1000)
        yield Line("- zooming and moving: slowest frame to draw", events.slowest, "ms", 50)
        yield Line("- the same: processor time of a key, at most", events.busy, "ms", 50)
        yield Line("- the same: longest pause between frames", events.pause, "ms", 50)
        yield Line("- the same: frames in a second", events.rate, "1/s")
        steps = scrub(browser, folder, 154_000)
        yield Line("154,000 hypotheses, scrubbed: longest pause between frames", steps.pause, "ms", 200)
        yield Line("- 95 of 100 pauses are below", steps.usual, "ms", 200)
        yield Line("- frames in a second", steps.rate, "1/s")
        yield Line("- a step: processor time of the page's thread, at most", steps.busy, "ms", 200)
        yield Line("- a step: processor time of all threads that draw, mean", steps.drawing, "ms")


# --- recording


def resnet18(recorded: Path | None) -> float:
    """Processor seconds of the first call, which compiles."""
    import numpy as np

    import saccade
    from bench.models import LAYERS, resnet18, resnet18_parameters
    from saccade import Tensor

    rng = np.random.default_rng(0)
    parameters = {name: Tensor(array) for name, array in resnet18_parameters(rng).items()}
    image = Tensor(rng.standard_normal((1, 3, 224, 224), dtype=np.float32))
    (Tensor([1.0]) + 1).numpy()  # what every process does once
    began = time.process_time()
    with saccade.record(recorded) if recorded else nullcontext():
        resnet18(LAYERS["saccade"](), parameters, image).numpy()
    return time.process_time() - began


def recognition(recorded: Path | None, *more: str) -> float:
    """Processor seconds of a recognition run of two objects: learning them, then an episode each."""
    from typer.testing import CliRunner

    import saccade
    from saccade.cli.app import app

    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        with saccade.record(recorded) if recorded else nullcontext():
            told = CliRunner().invoke(app, [*SMALL_RUN, *more, "--out", f"{folder}/run"])
        took = time.process_time() - began
    if told.exit_code:
        raise SystemExit(told.output)
    return took


def in_child(job: str) -> float:
    """The processor seconds of a job in a new process without caches."""
    environment = {**os.environ, "SACCADE_CACHE": "off"}
    command = [sys.executable, "-m", "bench.viz", "--job", job]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the job {job} failed:\n{done.stderr[-2000:]}")
    return float(json.loads(done.stdout.splitlines()[-1]))


def job(name: str) -> float:
    what, _, how = name.partition(" ")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recorded.saccade" if how == "recorded" else None
        if what == "resnet18":
            return resnet18(path)
        traced = ["--traces", "--set", "recording.hypotheses=300"] if how == "traced" else []
        return recognition(path, *traced)


def recording_lines(rounds: int) -> Iterator[Line]:
    for name, what, most, ways in (
        ("resnet18", "ResNet-18 compiled from nothing", 30, ["recorded"]),
        ("recognition", "a recognition run from nothing", 20, ["recorded", "traced"]),
    ):
        seconds: dict[str, list[float]] = {way: [] for way in ["plain", *ways]}
        for _ in range(rounds):
            for way, found in seconds.items():
                found.append(in_child(f"{name} {way}"))
        plain = min(seconds["plain"])
        yield Line(f"{what}: processor time", plain, "s")
        for way in ways:
            yield Line(f"- {way}: more", 100 * (min(seconds[way]) / plain - 1), "%", most)


# --- the table


def taken_by_others() -> tuple[int, int]:
    """Ticks that the machine's host gave to other machines, and all ticks; zeros where that is not told."""
    try:
        ticks = [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return 0, 0
    return ticks[7], sum(ticks)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=["page", "recording"])
    parser.add_argument("--rounds", type=int, default=3, help="processes for each figure of recording")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.job:
        print(json.dumps(job(asked.job)))
        return
    stolen, ticks = taken_by_others()
    print(f"{platform.machine()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}\n")
    print("| what | measured | at most | holds |\n|---|---|---|---|")
    lines = []
    for part, found in (("page", page_lines), ("recording", lambda: recording_lines(asked.rounds))):
        for line in found() if asked.only in (None, part) else ():
            print(line.told(), flush=True)
            lines.append(line)
    now, all_ticks = taken_by_others()
    share = 100 * (now - stolen) / max(1, all_ticks - ticks)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    print(f"\nOther machines took {share:.0f}% of the processors meanwhile; load at the end {load}.")
    if any(line.most is not None and line.value > line.most for line in lines):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
