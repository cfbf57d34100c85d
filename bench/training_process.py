"""One contender of one training case in a process of its own: first call, later calls, peak memory, as JSON.

    python -m bench.training_process "MLP 784-512-512-10, batch 512, Adam" torch.compile cpu 5 0

The first call less a later one is what it took to compile, by the clock and by the processor (all threads,
and compilers that were started and waited for). On a CPU the peak is resident memory beyond what
the process had with its library imported. Ours loads its compiler when there is something to compile, so
the peak of the whole process is told too: with a cold cache it is the one to compare. On a GPU it is what
the library's allocator had of the card at most, and on the null device what would be allocated. Times on a
GPU are device times.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.training_cases import Step, case_named

#: calls before memory is read: the second traces nothing any more, and the third replays
CALLS = 3


@dataclass(frozen=True)
class Outcome:
    """Seconds of the first call and of a later one, bytes at the peak, how many kernels it was, seconds of
    the processor of the first call and of a later one, and bytes of the whole process at its peak."""

    first: float
    run: float
    peak: float
    kernels: int = 0
    first_work: float = 0.0
    run_work: float = 0.0
    process: float = 0.0

    @property
    def compiling(self) -> float:
        return max(self.first - self.run, 0.0)

    @property
    def compiling_work(self) -> float:
        return max(self.first_work - self.run_work, 0.0)


def measured(case_name: str, contender: str, device: str, rounds: int, keep: int = 0) -> Outcome:
    """With `keep`, ours may keep so many bytes between its kernels."""
    case = case_named(case_name)
    __import__("saccade.nn" if contender == "saccade" else "torch")
    start_over(device, contender)
    before = resident() if device == "cpu" else 0.0
    step = case.make(contender, device)
    if keep and contender == "saccade":
        from saccade import keep_within

        step = keep_within(keep)(step)
    wait(device, contender)
    (first, first_work), *calls = [seconds_of(step, device, contender) for _ in range(CALLS)]
    later = [clock for clock, _ in calls]
    peak = peak_bytes(device, contender) - before
    if device.startswith("cuda"):
        later = [device_seconds(step, contender, rounds)]
    kernels = 0
    if contender == "saccade" and not device.startswith("null"):
        from saccade.explain import explain

        kernels = explain(step).kernels
    run_work = statistics.median(work for _, work in calls)
    process = memory_line("VmHWM")
    return Outcome(first, statistics.median(later), peak, kernels, first_work, run_work, process)


def seconds_of(step: Step, device: str, contender: str) -> tuple[float, float]:
    """Of one call, by the clock and by the processor."""
    start, before = time.perf_counter(), worked()
    step()
    wait(device, contender)
    return time.perf_counter() - start, worked() - before


def worked() -> float:
    """Seconds of the processor so far: our threads, and processes that have been waited for."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


def wait(device: str, contender: str) -> None:
    """Until a GPU has done what was queued."""
    if not device.startswith("cuda"):
        return
    if contender == "saccade":
        from saccade.runtime.device import Device

        Device[device].queue.synchronize()
    else:
        import torch

        torch.cuda.synchronize()


def device_seconds(step: Step, contender: str, rounds: int) -> float:
    from bench.gpu_timing import device_ms, torch_ms

    return (device_ms if contender == "saccade" else torch_ms)(step, rounds) / 1e3


# --- memory


def start_over(device: str, contender: str) -> None:
    """Forget the peak so far."""
    if device.startswith("null"):
        from saccade.runtime.null import ledger

        ledger.start_over()
    elif device == "cpu":
        marks = Path("/proc/self/clear_refs")
        if marks.exists():
            marks.write_text("5")


def peak_bytes(device: str, contender: str) -> float:
    if device.startswith("null"):
        from saccade.runtime.null import ledger

        return float(ledger.peak)
    if device == "cpu":
        # ru_maxrss counts what the parent had when it started this process
        return memory_line("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
    if contender == "saccade":
        from saccade.runtime.device import Device

        runtime: Any = Device[device]
        return float(runtime.main.memory.peak)
    import torch

    return float(torch.cuda.max_memory_allocated())


def resident() -> float:
    return memory_line("VmRSS") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def memory_line(name: str) -> float:
    """Bytes that Linux tells under this name of this process; 0 elsewhere."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((float(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0.0)


def main(arguments: Sequence[str] | None = None) -> None:
    case, contender, device, rounds, keep = sys.argv[1:] if arguments is None else arguments
    print(json.dumps(asdict(measured(case, contender, device, int(rounds), int(keep)))), flush=True)


if __name__ == "__main__":
    main()
