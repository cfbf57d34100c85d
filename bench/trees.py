"""Is this tree slower than one before it? `python -m bench.trees BEFORE`: ResNet-18 forward, both in turns.

`BEFORE` is a checkout of the tree before, made by `git worktree add FOLDER COMMIT`. In every round each tree
runs two new processes: one with an empty cache, one that finds what the first left.

    cold      the first forward pass less a later one, empty cache: build, schedule, compile
    second    the same in the second process, which compiles nothing
    command   the whole second process, interpreter and imports included, until its results are there
    replay    a later forward pass

Out: a table of medians over the rounds with their ratios, now over before: below 1 is faster now. The run
exits with 1 if a ratio is over `--limit`.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.rounds import ROOT, environment

FIGURES = ("cold", "second", "command", "replay")
TREES = ("before", "now")
Times = dict[tuple[str, str], list[float]]  # (tree, figure): seconds, one a round


def process(tree: Path, cache: Path, threads: int, device: str) -> tuple[float, float, float]:
    """One new process of a tree: seconds of compiling, of the whole process, of a later forward pass."""
    variables = environment(threads, cache) | {"SACCADE_DEVICE": device, "PYTHONPATH": str(tree)}
    if device != "cpu":
        variables.pop("CUDA_VISIBLE_DEVICES")
    command = [sys.executable, "-m", "bench.fresh", "resnet18", "saccade"]
    start = time.monotonic()
    done = subprocess.run(command, cwd=tree, env=variables, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        words = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()
        raise SystemExit(f"{tree}: {words[-1]}")
    reply = json.loads(done.stdout.strip().splitlines()[-1])
    return reply["first"] - reply["run"], reply["at"] - start, reply["run"]


def measure(before: Path, rounds: int, threads: int, device: str, console: Console) -> Times:
    """Every other round begins with the other tree, so that neither always finds the warmer machine."""
    folders = {"before": before, "now": ROOT}
    for folder in folders.values():
        # whoever comes first would write the byte code that the other process only reads
        compileall.compile_dir(str(folder / "saccade"), quiet=2)
        compileall.compile_dir(str(folder / "bench"), quiet=2)
    times: Times = {(tree, figure): [] for tree in TREES for figure in FIGURES}
    for number in range(rounds):
        for tree in TREES if number % 2 == 0 else reversed(TREES):
            console.log(f"round {number + 1} of {rounds}: {tree}")
            with tempfile.TemporaryDirectory(prefix="saccade-trees-") as cache:
                cold, _, first_replay = process(folders[tree], Path(cache), threads, device)
                second, command, replay = process(folders[tree], Path(cache), threads, device)
            for figure, seconds in zip(
                FIGURES, (cold, second, command, min(first_replay, replay)), strict=True
            ):
                times[tree, figure].append(seconds)
    return times


def ratios(times: Times) -> dict[str, float]:
    """Medians of this tree over those of the tree before."""
    return {f: statistics.median(times["now", f]) / statistics.median(times["before", f]) for f in FIGURES}


def table_of(times: Times) -> Table:
    table = Table("ResNet-18, batch 1", "before, ms", "now, ms", "now / before", "spread of before")
    for figure, ratio in ratios(times).items():
        before, now = (times[tree, figure] for tree in TREES)
        spread = (max(before) - min(before)) / statistics.median(before)
        cells = (f"{statistics.median(values) * 1000:.2f}" for values in (before, now))
        table.add_row(figure, *cells, f"{ratio:.2f}", f"{spread:.0%}")
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.trees", description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path, help="folder of a checkout of the tree before")
    parser.add_argument("--device", default=os.environ.get("SACCADE_DEVICE", "cpu"), help="cpu or cuda")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--limit", type=float, default=None, help="exit with 1 if a ratio is over it, say 1.08"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every round's seconds")
    options = parser.parse_args(arguments)
    if not (options.before / "bench" / "fresh.py").is_file():
        parser.error(f"{options.before} is no checkout with bench/fresh.py: git worktree add FOLDER COMMIT")
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: at least 1")
    times = measure(
        options.before.resolve(), options.rounds, options.threads, options.device, Console(stderr=True)
    )
    Console().print(table_of(times))
    if options.json:
        figures = {f"{tree} {figure}": seconds for (tree, figure), seconds in times.items()}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return int(options.limit is not None and max(ratios(times).values()) > options.limit)


if __name__ == "__main__":
    sys.exit(main())
