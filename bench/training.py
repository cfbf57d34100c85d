"""Training beside torch: `python -m bench.training`, and on a GPU `python -m bench.training --device cuda`.

On the CPU every contender has one thread, they take turns, and a figure is the median over rounds of the
least *process* time of a call, which other programs on the machine disturb little. On a GPU it is the median
of device times. A case whose goal is the rate of a copy is compared with a copy in the same run.

    python -m bench.training --case sort --rounds 9
    python -m bench.training --memory          # peak resident memory of each contender instead
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.training_cases import CPU_CASES, CUDA_CASES, Step, TrainingCase
from saccade.explain import explain

THREADS = ("SACCADE_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: seconds of calls in one round of one contender
ROUND_SECONDS = 0.2


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.training", description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument(
        "--case", action="append", default=[], help="a part of the name of a case; repeatable"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true", help="peak memory instead of times")
    parser.add_argument("--peak", nargs=2, metavar=("CASE", "CONTENDER"), help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def least(step: Step) -> float:
    """The least process time of a call in one round, in seconds."""
    found, start = float("inf"), time.process_time()
    while found == float("inf") or time.process_time() - start < ROUND_SECONDS:
        before = time.process_time()
        step()
        found = min(found, time.process_time() - before)
    return found


def in_turns(steps: dict[str, Step], rounds: int) -> dict[str, float]:
    """The median over rounds for each contender, in seconds."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for step in steps.values():
        step()
        step()
    for _ in range(rounds):
        for name, step in steps.items():
            times[name].append(least(step))
    return {name: statistics.median(found) for name, found in times.items()}


def on_gpu(steps: dict[str, Step], rounds: int) -> dict[str, float]:
    from bench.gpu_timing import device_ms, torch_ms

    return {
        name: (device_ms if name in ("saccade", "copy") else torch_ms)(step, rounds) / 1e3
        for name, step in steps.items()
    }


def copy_of(nbytes: int, device: str) -> Step:
    """A copy that reads and writes so many bytes together, at most 4 GB."""
    count = min(nbytes, 1 << 32) // 8
    if device == "cpu":
        source, target = np.ones(count, np.float32), np.zeros(count, np.float32)
        return lambda: np.copyto(target, source)
    from saccade import Tensor, jit

    x = Tensor.ones(count, device=device).realize()
    copy = jit(lambda x: x.clone())
    return lambda: copy(x)


def gigabytes(device: str, name: str) -> float:
    """What a contender holds of the GPU's memory, at most since it was asked to start over."""
    if name == "saccade":
        from saccade.runtime.device import Device

        runtime: Any = Device[device]
        return float(runtime.main.memory.held) / 1e9
    import torch

    return float(torch.cuda.max_memory_allocated()) / 1e9


def measure(case: TrainingCase, device: str, rounds: int) -> str:
    """A line of the table."""
    first = time.perf_counter()
    ours = case.make("saccade", device)
    ours()
    first = time.perf_counter() - first
    held = f"  {gigabytes(device, 'saccade'):.2f} GB" if device != "cpu" else ""
    kernels = explain(ours).kernels
    steps = {"saccade": ours, **{peer: case.make(peer, device) for peer in case.peers}}
    if case.nbytes:
        steps["copy"] = copy_of(case.nbytes, device)
    times = (in_turns if device == "cpu" else on_gpu)(steps, rounds)
    if case.nbytes:
        rate = case.nbytes / times["saccade"]
        ratio = rate / (min(case.nbytes, 1 << 32) / times["copy"])
    else:
        # three of NumPy is asked for where NumPy is the first peer; else the best of torch
        names = [case.peers[0]] if case.peers[0] == "numpy" else case.peers
        ratio = min(times[name] for name in names) / times["saccade"]
    told = "  ".join(f"{name} {seconds * 1e3:.3f} ms" for name, seconds in times.items())
    if device != "cpu":
        held += f" (torch {gigabytes(device, 'torch'):.2f} GB)"
    mark = "ok" if ratio >= case.goal else "MISSED"
    return (
        f"{ratio:5.2f} of {case.goal:4.2f} {mark:6s} {case.name}: {told}; {kernels} kernels, "
        f"first call {first:.1f} s{held}"
    )


# --- memory


def peak(case: TrainingCase, contender: str) -> float:
    """MB that a contender needs beyond what it has before the case, in this process."""
    if contender != "numpy":
        __import__("torch" if contender != "saccade" else "saccade.nn")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    step = case.make(contender, "cpu")
    for _ in range(3):
        step()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def memory_line(case: TrainingCase) -> str:
    found = {}
    for contender in ("saccade", case.peers[-1]):
        for _ in range(2):  # the second time programs are in the cache, and compiling needs no memory
            command = [sys.executable, "-m", "bench.training", "--peak", case.name, contender]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found[contender] = float(out.split()[-1])
    ours, theirs = found.values()
    mark = "ok" if ours <= theirs else "MORE"
    return f"{mark:6s} {case.name}: {ours:.0f} MB, {case.peers[-1]} {theirs:.0f} MB"


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    if options.device == "cpu" and any(name not in os.environ for name in THREADS):
        # libraries read these when they are imported, so it takes another process
        one = os.environ | {name: os.environ.get(name, "1") for name in THREADS}
        os.execve(sys.executable, [sys.executable, "-m", "bench.training", *sys.argv[1:]], one)
    cases = CPU_CASES if options.device == "cpu" else CUDA_CASES
    if options.peak:
        name, contender = options.peak
        print(peak(next(case for case in cases if case.name == name), contender))
        return
    for case in cases:
        if options.case and not any(part in case.name for part in options.case):
            continue
        try:
            line = memory_line(case) if options.memory else measure(case, options.device, options.rounds)
        except Exception as error:  # noqa: BLE001  a failure is a result here
            line = f"FAILED {case.name}: {type(error).__name__}: {error}".replace("\n", " | ")[:600]
        print(line, flush=True)


if __name__ == "__main__":
    main()
