"""How compile time grows with a graph: `python -m bench.growth`, each size in a new process, caches empty.

    chain   x = x + 1, n times, then the sum          norm   x = x / x.sum(), n times, then the sum
    cat     n tensors of three side by side, summed   mlp    n layers x = x + relu(x @ w), then the sum

A figure is the CPU time of all threads from the first Python call to the value, after a tiny program has
loaded the compiler: CPU time, because it says the same on a machine that others use; `--json` has the time on
the wall beside it. The slope is that of a line fitted in logarithms: 1 is linear, 2 quadratic. Peers compute
the same in their way: torch op by op, JAX by one compiled function.

    program    saccade                         torch
    chain      1,000  0.31 s   ...  slope 0.8  1,000  0.01 s ...
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.evidence_scale import exponent
from bench.rounds import ROOT, environment
from saccade.experiment.report.chart_picture import render
from saccade.experiment.report.charts import Lines

#: sizes of each program; the last but one or two is what the product promises within LIMIT seconds
SIZES = {
    "chain": (1_250, 2_500, 5_000, 10_000, 20_000, 40_000),
    "cat": (625, 1_250, 2_500, 5_000, 10_000),
    "norm": (250, 500, 1_000, 2_000, 4_000),
    "mlp": (125, 250, 500, 1_000, 2_000),
}
PROMISED = {"chain": 10_000, "cat": 5_000, "mlp": 1_000}
LIMIT = 5.0

Arrays = list[np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Library:
    """What the programs need of a library beside its operators."""

    tensor: Callable[[Any], Any]
    cat: Callable[[list[Any]], Any]
    relu: Callable[[Any], Any]
    compiled: Callable[[Any], Any] = lambda function: function


@dataclass(frozen=True)
class Point:
    """One size: seconds of CPU and on the wall, or why there are none."""

    size: int
    cpu: float = math.nan
    wall: float = math.nan
    error: str = ""


def inputs_of(program: str, size: int) -> Arrays:
    """The arrays that a program of this size takes."""
    rng = np.random.default_rng(0)
    if program == "cat":
        return [np.full(3, float(i), np.float32) for i in range(size)]
    if program == "mlp":
        weights = [rng.standard_normal((16, 16)).astype(np.float32) / 400 for _ in range(size)]
        return [rng.standard_normal((4, 16)).astype(np.float32), *weights]
    return [np.ones(10, np.float32)]


def function_of(program: str, size: int, library: Library) -> Callable[..., Any]:
    """The program over tensors of a library."""

    def function(x: Any, *others: Any) -> Any:
        if program == "cat":
            return library.cat([x, *others]).sum()
        for n in range(size):
            if program == "chain":
                x = x + 1
            elif program == "norm":
                x = x / x.sum()
            else:
                x = x + library.relu(x @ others[n])
        return x.sum()

    return function


def library_of(contender: str) -> Library:
    if contender == "torch":
        import torch

        return Library(torch.from_numpy, torch.cat, torch.relu)
    if contender == "jax":
        import jax
        import jax.numpy as jnp

        return Library(jnp.asarray, jnp.concatenate, jax.nn.relu, jax.jit)
    from saccade import Tensor

    return Library(Tensor, Tensor.cat, lambda x: x.relu())


def work(program: str, contender: str, size: int) -> Point:
    """One figure, in this process."""
    library = library_of(contender)
    tiny = function_of("chain", 2, library)
    float(library.compiled(tiny)(library.tensor(np.ones(7, np.float32))))
    arrays = inputs_of(program, size)
    cpu, wall = time.process_time(), time.perf_counter()
    tensors = [library.tensor(array) for array in arrays]
    float(library.compiled(function_of(program, size, library))(*tensors))
    return Point(size, time.process_time() - cpu, time.perf_counter() - wall)


def measured(program: str, contender: str, size: int, seconds: float) -> Point:
    """One figure, from a new process that may take so long."""
    command = [sys.executable, "-m", "bench.growth", "--worker", program, contender, str(size)]
    with tempfile.TemporaryDirectory(prefix="saccade-growth-") as folder:
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment(2, Path(folder)),
                capture_output=True,
                text=True,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return Point(size, error=f"over {seconds:.0f} s")
    if done.returncode:
        return Point(size, error=(done.stderr.strip().splitlines() or ["no message"])[-1])
    return Point(**json.loads(done.stdout.splitlines()[-1]))


def curve(program: str, contender: str, sizes: Sequence[int], seconds: float) -> list[Point]:
    """All sizes, up to one that fails: those after it would take longer."""
    points: list[Point] = []
    for size in sizes:
        points.append(measured(program, contender, size, seconds))
        if points[-1].error:
            break
    return points


def slope(points: Sequence[Point]) -> float:
    """Of the line through the logarithms of sizes and times; NaN for fewer than two.

    >>> slope([Point(1, 3.0), Point(2, 6.0)])
    1.0
    """
    good = [point for point in points if not point.error]
    return exponent([p.size for p in good], [p.cpu for p in good]) if len(good) > 1 else math.nan


def chart_of(program: str, points: Sequence[Point]) -> Lines:
    """Doublings of the time over doublings of the size; what is linear goes along the grey line."""
    good = [point for point in points if not point.error]
    doublings = tuple(math.log2(point.size / good[0].size) for point in good)
    times = tuple(math.log2(max(point.cpu / good[0].cpu, 1.0)) for point in good)
    title = f"{program} from {good[0].size:,}: log2 of the time (grey: linear)"
    return Lines(title, "doublings of the size", ((doublings, 1), (times, 0)), places=doublings)


def table_of(curves: dict[tuple[str, str], list[Point]]) -> Table:
    table = Table("program", "contender", "size: CPU seconds", "slope")
    for (program, contender), points in curves.items():
        told = [f"{p.size:,}: {p.error or f'{p.cpu:.2f}'}" for p in points]
        table.add_row(program, contender, "  ".join(told), f"{slope(points):.2f}")
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__.partition("\n")[0])
    parser.add_argument("--program", action="append", choices=SIZES, help="may be repeated; default: all")
    parser.add_argument("--peers", default="torch,jax", help="comma-separated; those that are installed run")
    parser.add_argument("--quick", action="store_true", help="the three smallest sizes")
    parser.add_argument("--seconds", type=float, default=120.0, help="longest that a process may take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures; - for standard output")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw our curves")
    parser.add_argument("--worker", nargs=3, metavar=("PROGRAM", "CONTENDER", "SIZE"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        program, contender, size = options.worker
        print(json.dumps(asdict(work(program, contender, int(size)))))
        return 0
    peers = [name for name in options.peers.split(",") if name and importlib.util.find_spec(name)]
    curves: dict[tuple[str, str], list[Point]] = {}
    for program in options.program or SIZES:
        sizes = SIZES[program][:3] if options.quick else SIZES[program]
        for contender in ("saccade", *peers):
            curves[program, contender] = curve(program, contender, sizes, options.seconds)
    Console(stderr=options.json == Path("-")).print(table_of(curves))
    figures = [
        {"program": p, "contender": c, "slope": slope(points), "points": [asdict(x) for x in points]}
        for (p, c), points in curves.items()
    ]
    text = json.dumps(figures, indent=2)
    if options.json == Path("-"):
        print(text)
    elif options.json:
        options.json.write_text(text + "\n")
    if options.picture:
        ours = [chart_of(p, points) for (p, c), points in curves.items() if c == "saccade"]
        options.picture.write_bytes(render(ours, "svg"))
    late = [
        f"{program} of {p.size:,}: {p.error or f'{p.cpu:.1f} s'}, not within {LIMIT:.0f} s"
        for (program, contender), points in curves.items()
        for p in points
        if contender == "saccade" and p.size == PROMISED.get(program) and not p.cpu <= LIMIT
    ]
    for line in late:
        print(line, file=sys.stderr)
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
