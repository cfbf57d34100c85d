"""Figures that are counts, not times: kernels per program, cache entries a second process adds, rules proved,
programs fuzzed.

    count_kernels(settings)   ->   [Count("kernels: softmax", found="1", wanted="1", passed=True), ...]

Each runs in its own process, so that a failure of the compiler is a failed row.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import Arrays, Program
from bench.cases.elementwise import CHAIN, chain
from bench.cases.products import CONV, conv_bias_relu
from bench.cases.reductions import LAYER_NORM, SOFTMAX, layer_norm, softmax
from bench.rounds import ROOT, ContenderFailed, Figure, Settings, environment
from bench.startup import spawn


@dataclass(frozen=True)
class Count:
    name: str
    title: str
    found: str
    wanted: str
    passed: bool


def conv_bias_inputs() -> Arrays:
    images, weight = CONV.make_inputs(quick=True)
    return images, weight, weight[:, 0, 0, 0].copy()


# Small inputs would be fused by any cost model, so the counts are taken at the sizes of the timed cases where
# that is cheap.
FUSED: dict[str, tuple[Program, Callable[[], Arrays]]] = {
    "softmax": (softmax, lambda: SOFTMAX.make_inputs(quick=False)),
    "layer_norm": (layer_norm, lambda: LAYER_NORM.make_inputs(quick=False)),
    "conv_bias_relu": (conv_bias_relu, conv_bias_inputs),
    "chain": (chain, lambda: CHAIN.make_inputs(quick=False)),
}


def kernels_of(name: str) -> int:
    """How many kernels our compiler makes of one of the FUSED programs."""
    from saccade import Device, Tensor

    launched: list[int] = []
    runtime = Device[None]
    plan = runtime.plan

    def counting(launches: Sequence[Any], *rest: Any) -> Any:
        launched.append(len(launches))
        return plan(launches, *rest)

    # Every computation passes here on its way to the device, so nothing it launches is missed.
    setattr(runtime, "plan", counting)  # noqa: B010
    program, inputs = FUSED[name]
    tensors = [Tensor(array) for array in inputs()]
    launched.clear()
    program(*tensors).numpy()
    return sum(launched)


def count_kernels(settings: Settings) -> list[Count]:
    counts = []
    for name in FUSED:
        title = f"kernels: {name.replace('_', ' ')}"
        with tempfile.TemporaryDirectory(prefix="saccade-kernels-") as folder:
            try:
                found = int(spawn("kernels", name, settings, Path(folder))["kernels"])
                counts.append(Count(f"kernels_{name}", title, str(found), "1", found == 1))
            except ContenderFailed as failure:
                counts.append(Count(f"kernels_{name}", title, str(failure), "1", False))
    return counts


def count_new_programs(warm: Figure) -> Count:
    """What the second process of ResNet-18 compiled, seen by what it added to the cache on disk."""
    title = "ResNet-18, compiled by the second process"
    if warm.error is not None:
        return Count("resnet18_reuse", title, warm.error, "0", False)
    before, after = warm.details["cache_files_before"], warm.details["cache_files_after"]
    found = f"{after - before} new, {before} reused" if before else "nothing was cached"
    return Count("resnet18_reuse", title, found, "0 new", before > 0 and after == before)


def run_check(name: str, title: str, wanted: str, arguments: tuple[str, ...], settings: Settings) -> Count:
    """A `saccade` command that exits with 0 when everything holds; its last line says what it found."""
    with tempfile.TemporaryDirectory(prefix="saccade-check-") as folder:
        done = subprocess.run(
            [sys.executable, "-m", "saccade", *arguments],
            cwd=ROOT,
            env=environment(settings.threads, Path(folder)) | {"NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    lines = [line.strip(" │") for line in (done.stdout + done.stderr).splitlines()]
    # The last line may be the border of a box.
    words = [line for line in lines if any(character.isalnum() for character in line)]
    found = words[-1] if words else f"exit code {done.returncode}"
    return Count(name, title, found, wanted, done.returncode == 0)


def check_rules(settings: Settings) -> list[Count]:
    return [run_check("rules", "integer rules proved", "all", ("check", "rules"), settings)]


def check_fuzz(settings: Settings) -> list[Count]:
    programs = "100" if settings.quick else "2000"
    arguments = ("check", "fuzz", "--programs", programs)
    return [
        run_check(
            "fuzz", "random programs, CPU against interpreter", f"{programs} agree", arguments, settings
        )
    ]


STRUCTURES: dict[str, Callable[[Settings], list[Count]]] = {
    "kernels": count_kernels,
    "rules": check_rules,
    "fuzz": check_fuzz,
}
