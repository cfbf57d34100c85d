"""The fault plan of the GPU: everything that can go wrong, at every place of every program where it can.

    python -m tests.runtime.fault_plan                     # all of it: some minutes
    python -m tests.runtime.fault_plan replayed looped     # of some programs

A fault strikes the n-th call that takes memory, the n-th kernel or the n-th call of the driver, for every n
that a program without faults reaches; `run` has the processes, `fake_faults.h` the driver's part. What may
come of it is `misdeeds`: nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .fake_gpu import HERE, build_driver

#: Seconds after which work of the GPU is given up, and a kernel that takes longer.
LIMIT, LONG = 0.1, 0.25


@dataclass(frozen=True)
class Fault:
    """What is done to the driver, and what n counts."""

    kind: str
    counts: str
    value: int = 0
    #: the context is lost, or busy for ever: the program is not tried again
    last: bool = False


FAULTS: dict[str, Fault] = {
    "no memory": Fault("refuse", "memory"),
    "no memory once": Fault("refuse once", "memory"),
    "illegal address": Fault("fault", "kernel", 700, last=True),
    "launch failed": Fault("fault", "kernel", 719, last=True),
    "device lost": Fault("lost", "call", 999, last=True),
    "slow kernel": Fault("hang", "kernel", int(300 * LIMIT)),
    "kernel that hangs and ends": Fault("hang", "kernel", int(1000 * LONG)),
    "kernel that never ends": Fault("hang", "kernel", -1, last=True),
}

#: What a message names if this call of the driver found no memory; a capture is of kernels.
NAMED = {
    "cuDevicePrimaryCtxRetain": ("context",),
    "cuStreamCreate": ("stream", "kernels"),
    "cuEventCreate": ("event",),
    "cuMemHostAlloc": ("bytes",),
    "cuMemAllocAsync": ("bytes",),
    "cuModuleLoadData": ("kernel",),
    "cuLaunchKernel": ("kernel",),
    "cuLaunchKernelEx": ("kernel",),
    "cuGraphInstantiateWithFlags": ("kernels",),
    "cuGraphLaunch": ("kernels",),
}
#: Those that are not tried again: giving memory back would not help, or is not possible yet.
NOT_AGAIN = ("cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuEventCreate", "cuMemHostAlloc")
#: Kernels of the runtime's own, which are part of a plan.
OWN_KERNELS = ("write_table", "carry")
#: What may be done behind a kernel that never ends: it waits for nothing.
NEVER_WAITS = ("upload", "event", "stream", "allocation")

#: an exception: its type, whether the context is lost, its text; the type is "" where there was none
Told = tuple[str, bool, str]


@dataclass
class Outcome:
    """What one fault did to one program."""

    program: str
    fault: str = ""
    number: int = 0
    #: the kernel or the call of the driver that was struck
    struck: str = ""
    errors: list[Told] = field(default_factory=list)
    #: what came of later calls, by what they did
    later: dict[str, Told] = field(default_factory=dict)
    #: results that are not those of the oracle
    wrong: int = 0
    #: how often a call waited inside the driver
    blocked: int = 0
    #: what the driver gave and did not get back, by kind
    live: dict[str, int] = field(default_factory=dict)
    #: without a fault: calls that take memory, kernels, and calls of the first run, by kind
    names: dict[str, list[str]] = field(default_factory=dict)
    #: what the process wrote to stderr
    stderr: str = ""


def misdeeds(outcome: Outcome, well: Outcome) -> Iterator[str]:
    """What is wrong with an outcome, beside that of the same program without a fault."""
    if outcome.stderr:
        yield f"wrote to stderr: {outcome.stderr[-2000:]}"
    if outcome.wrong:
        yield f"{outcome.wrong} wrong results"
    if outcome.blocked:
        yield f"waited {outcome.blocked} times inside the driver"
    if outcome.live:
        kept = {kind: (count, well.live[kind]) for kind, count in outcome.live.items()}
        yield from (f"left {n} {kind} and not {m}" for kind, (n, m) in kept.items() if n != m)
    if len(outcome.errors) > 1:
        yield f"failed again: {outcome.errors[1]}"
    for told in outcome.errors[:1]:
        yield from (
            _misdeeds_of_memory(outcome, told) if "memory" in outcome.fault else _of_kernels(outcome, told)
        )


def _misdeeds_of_memory(outcome: Outcome, told: Told) -> Iterator[str]:
    kind, _, text = told
    if kind != "MemoryError":
        yield f"raised {kind}: {text}"
    if not any(word in text for word in NAMED[outcome.struck]):
        yield f"{outcome.struck} was struck, and the message is: {text}"
    if outcome.fault == "no memory once" and outcome.struck not in NOT_AGAIN:
        yield f"{outcome.struck} was not tried again: {text}"


def _of_kernels(outcome: Outcome, told: Told) -> Iterator[str]:
    """Of faults of kernels and of the card: CudaError that names the kernel, now and later."""
    if outcome.fault == "slow kernel":
        yield f"did not wait: {told}"
    of_a_kernel = FAULTS[outcome.fault].counts == "kernel" and outcome.struck not in OWN_KERNELS
    hangs = FAULTS[outcome.fault].kind == "hang"
    for what, (kind, lost, text) in {"the fault": told, **outcome.later}.items():
        if not kind and hangs and what in NEVER_WAITS:
            continue
        if kind != "CudaError" or not lost:
            yield f"{what} gave {kind or 'no exception'} {text}"
        elif of_a_kernel and outcome.struck not in text:
            yield f"{what} does not name {outcome.struck}: {text}"
        elif not hangs and what != "the fault" and "What happened first" not in text:
            yield f"{what} does not say what happened first: {text}"


# --- the whole plan


def run_plan(driver: Path, cache: Path, programs: Sequence[str] = (), sample: bool = False) -> list[Outcome]:
    """The outcomes of all faults, or of one of each kind, on the stand-in in the folder `driver`."""
    environment = {
        "PYTHONPATH": str(HERE.parents[1]),
        "LD_LIBRARY_PATH": str(driver),
        "SACCADE_CACHE": str(cache),
        "SACCADE_DEVICE": "cpu",
    }
    command = [
        sys.executable,
        "-m",
        "tests.runtime.fault_processes",
        "sample" if sample else "all",
        *programs,
    ]
    result = subprocess.run(
        command, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return [Outcome(**json.loads(line)) for line in result.stdout.splitlines()]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        build_driver(Path(folder))
        outcomes = run_plan(Path(folder), Path(folder, "cache"), sys.argv[1:])
    healthy = {outcome.program: outcome for outcome in outcomes if not outcome.fault}
    cases, raised, found = Counter[str](), Counter[str](), 0
    for outcome in outcomes:
        cases[outcome.fault or "none"] += 1
        raised[outcome.fault or "none"] += bool(outcome.errors)
        for misdeed in misdeeds(outcome, healthy[outcome.program]):
            found += 1
            print(f"{outcome.program}, {outcome.fault} at {outcome.number} ({outcome.struck}): {misdeed}")
    for fault, count in cases.items():
        print(f"{count:6,} cases of {fault:28} {raised[fault]:6,} exceptions")
    print(f"{cases.total():6,} cases, {found} faults found")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
