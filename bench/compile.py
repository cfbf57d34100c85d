"""Where compile time goes: `python -m bench.compile PROGRAM`, cold, in this process.

PROGRAM is `resnet18` or one of the timed cases (`softmax`, `gemm`, ...). The first call is profiled, and the
time spent in each function is added up by the folder of the package it belongs to; the folders are the
compiler's stages, so the table reads as time by stage, and the functions below it as what to look at first.
Profiling makes Python code about twice as slow and leaves LLVM's time alone, so the shares of Python stages
are an upper bound. Only the calling thread is profiled: what other threads compile shows up as waiting.

    stage                     seconds   share   calls
    saccade/schedule             0.41     23%   310 211
    llvmlite                     0.62     35%       412
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.case import OURS, Arrays, Program
from bench.cases import CASES
from bench.models import LAYERS, resnet18, resnet18_parameters
from bench.rounds import ROOT


@dataclass
class Stage:
    """What one folder cost: seconds in its own functions, and how often they were called."""

    seconds: float = 0.0
    calls: int = 0


# (file, line, function) -> (primitive calls, calls, own seconds, cumulative seconds, callers), as pstats
# keeps it
Profile = dict[tuple[str, int, str], tuple[int, int, float, float, Any]]


def stage_of(filename: str) -> str:
    """The folder of our package, or the library, that a profiled function belongs to.

    >>> stage_of(str(ROOT / "saccade" / "graph" / "node.py")), stage_of("~"), stage_of("/usr/lib/json.py")
    ('saccade/graph', 'built-in', 'python')
    """
    path = Path(filename)
    if path.is_relative_to(ROOT / "saccade"):
        return path.parent.relative_to(ROOT).as_posix()
    if path.is_relative_to(ROOT / "bench"):
        return "bench"
    if "site-packages" in path.parts:
        return path.parts[path.parts.index("site-packages") + 1]
    return "built-in" if filename.startswith(("~", "<")) else "python"


def by_stage(profile: Profile) -> dict[str, Stage]:
    """Own time by stage; a built-in's time belongs to whoever called it, because that is who can avoid it."""
    stages: dict[str, Stage] = defaultdict(Stage)
    for (filename, _, _), (_, calls, own, _, callers) in profile.items():
        stage = stage_of(filename)
        if stage != "built-in" or not callers:
            stages[stage].seconds += own
            stages[stage].calls += calls
            continue
        for (caller, _, _), (_, caller_calls, caller_own, _) in callers.items():
            stages[stage_of(caller)].seconds += caller_own
            stages[stage_of(caller)].calls += caller_calls
    return dict(stages)


def program_named(name: str) -> tuple[Program, Arrays]:
    if name != "resnet18":
        case = CASES[name]
        return case.programs[OURS], case.make_inputs(quick=False)
    rng = np.random.default_rng(0)
    parameters = resnet18_parameters(rng)
    names, layers = list(parameters), LAYERS[OURS]()

    def forward(image: Any, *values: Any) -> Any:
        return resnet18(layers, dict(zip(names, values, strict=True)), image)

    return forward, (rng.standard_normal((1, 3, 224, 224), dtype=np.float32), *parameters.values())


def profiled(call: Callable[[], object]) -> tuple[Profile, float]:
    profiler = cProfile.Profile()
    start = time.perf_counter()
    profiler.runcall(call)
    elapsed = time.perf_counter() - start
    # The attribute is documented by its use in the standard library and has no type.
    stats: Profile = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    return stats, elapsed


def stage_table(profile: Profile) -> Table:
    table = Table("stage", "seconds", "share", "calls", title="own time by stage", title_justify="left")
    stages = by_stage(profile)
    total = sum(stage.seconds for stage in stages.values()) or 1.0
    for name, stage in sorted(stages.items(), key=lambda item: -item[1].seconds):
        table.add_row(name, f"{stage.seconds:.3f}", f"{stage.seconds / total:.0%}", f"{stage.calls:,}")
    return table


def function_table(profile: Profile, count: int) -> Table:
    table = Table(
        "function", "own", "with callees", "calls", title="functions by own time", title_justify="left"
    )
    ranked = sorted(profile.items(), key=lambda item: -item[1][2])[:count]
    for (filename, line, function), (_, calls, own, cumulative, _) in ranked:
        place = f"{stage_of(filename)}/{Path(filename).name}:{line} " if line else ""
        table.add_row(f"{place}{function}", f"{own:.3f}", f"{cumulative:.3f}", f"{calls:,}")
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.compile", description="Compile time by stage.")
    parser.add_argument("program", nargs="?", default="resnet18", choices=("resnet18", *CASES))
    parser.add_argument("--functions", type=int, default=15, metavar="N", help="how many functions to list")
    options = parser.parse_args(arguments)
    console = Console()
    with tempfile.TemporaryDirectory(prefix="saccade-compile-") as folder:
        # Read when the package is imported, which is below: compilation must be cold.
        os.environ["SACCADE_CACHE"] = folder
        from bench.contenders import CONTENDERS

        prepared = CONTENDERS[OURS].prepare(*program_named(options.program))
        profile, first = profiled(lambda: prepared.wait(prepared.launch()))
        start = time.perf_counter()
        prepared.wait(prepared.launch())
        again = time.perf_counter() - start
    console.print(stage_table(profile))
    console.print(function_table(profile, options.functions))
    console.print(
        f"{options.program}: first call {first:.2f} s under the profiler, the next {again * 1e3:.1f} ms"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
