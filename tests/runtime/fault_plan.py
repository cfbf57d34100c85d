"""The fault plan of the GPU: everything that can go wrong, at every place of every program where it can.

    python -m tests.runtime.fault_plan FOLDER replayed looped      # a line of JSON for each outcome

FOLDER holds the stand-in driver (`fake_gpu.build_driver`). A fault strikes the n-th call that takes memory,
the n-th kernel or the n-th call of the driver (`fake_faults.h`), for every n that a program without faults
reaches. Each case is a process of its own, forked before the driver is loaded: whatever a program does first
(loading, pinning, capturing) it does in each of them."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import pickle
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import saccade.runtime.cuda.compiler as compiler
from saccade import Device
from saccade.runtime.cache import shared_cache
from saccade.runtime.compiler_digest import compiler_digest
from saccade.runtime.config import settings
from saccade.runtime.program import Source

from .fault_kernels import code_of, collecting, library_of
from .fault_programs import PROGRAMS, Array, straight

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
    "slow kernel": Fault("hang", "kernel", int(LIMIT * 500)),
    "kernel that hangs and ends": Fault("hang", "kernel", int(LONG * 1000)),
    "kernel that never ends": Fault("hang", "kernel", -1, last=True),
}

LIVE = ("device bytes", "pinned bytes", "contexts", "streams", "events", "graphs", "executions", "modules")


@dataclass
class Outcome:
    """What one fault did to one program."""

    program: str
    fault: str = ""
    number: int = 0
    #: the kernel or the call of the driver that was struck
    struck: str = ""
    #: of each exception: its type, whether the context is lost, its text
    errors: list[tuple[str, bool, str]] = field(default_factory=list)
    #: the same for later calls, by what they did; "" if one succeeded
    later: dict[str, tuple[str, bool, str]] = field(default_factory=dict)
    #: results that are not those of the CPU
    wrong: int = 0
    #: how often a call waited inside the driver
    blocked: int = 0
    #: what the driver gave and did not get back, by kind
    live: dict[str, int] = field(default_factory=dict)
    #: calls that take memory, kernels and calls of one run, by kind
    counts: dict[str, int] = field(default_factory=dict)
    #: what the process wrote to stderr
    stderr: str = ""


class Driver:
    """The stand-in, as the plan sees it."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        self._library.fake_struck.restype = ctypes.c_char_p
        for name in ("fake_count", "fake_live", "fake_blocked"):
            getattr(self._library, name).restype = ctypes.c_long
        self._library.fake_fault.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_long]

    def plan(self, kind: str, number: int = 0, value: int = 0) -> None:
        self._library.fake_fault(kind.encode(), number, value)

    def count(self, kind: str) -> int:
        return int(self._library.fake_count(kind.encode()))

    def live(self) -> dict[str, int]:
        return {thing: int(self._library.fake_live(thing.encode())) for thing in LIVE}

    def struck(self) -> str:
        return str(self._library.fake_struck().decode())

    def struck_device(self) -> int:
        return int(self._library.fake_struck_device())

    def blocked(self) -> int:
        return int(self._library.fake_blocked())


def told(error: BaseException) -> tuple[str, bool, str]:
    return type(error).__name__, bool(getattr(error, "lost", False)), str(error)


class Ended(Exception):
    """The program cannot go on."""


def different(results: list[Array], expected: list[Array]) -> int:
    assert len(results) == len(expected)
    return sum(not np.array_equal(a, b) for a, b in zip(results, expected, strict=True))


def healthy(program: str, expected: list[Array]) -> Outcome:
    """Without a fault: what the program asks of the driver, and what it leaves."""
    driver, outcome = Driver(), Outcome(program)
    for turn in range(3):
        driver.plan("none")
        outcome.wrong += different(PROGRAMS[program]("cuda", straight), expected)
        if turn == 0:
            outcome.counts = {kind: driver.count(kind) for kind in ("memory", "kernel", "call")}
    outcome.live = left(driver)
    outcome.blocked = driver.blocked()
    return outcome


def left(driver: Driver) -> dict[str, int]:
    """What is still there when the program is over and the caches are empty."""
    gc.collect()
    for name in ("cuda:0", "cuda:1"):
        if name in Device._open:
            runtime: Any = Device[name]
            runtime.release_memory()
    return driver.live()


def faulty(program: str, name: str, number: int, expected: list[Array]) -> Outcome:
    """With one fault; then, if the context allows it, healthy again."""
    driver, fault = Driver(), FAULTS[name]
    outcome = Outcome(program, name, number)

    def attempt(work: Callable[[], Any]) -> Any:
        try:
            return work()
        except (MemoryError, RuntimeError) as error:
            outcome.errors.append(told(error))
        outcome.struck = driver.struck()
        if fault.last:
            raise Ended
        if fault.kind == "hang":
            time.sleep(LONG)
        driver.plan("none")
        return work()

    driver.plan(fault.kind, number, fault.value)
    try:
        outcome.wrong += different(PROGRAMS[program]("cuda", attempt), expected)
    except Ended:
        device = f"cuda:{driver.struck_device()}"
        outcome.later = {what: refused(partial(work, device)) for what, work in LATER.items()}
    else:
        outcome.struck = outcome.struck or driver.struck()
        driver.plan("none")
        if not (fault.last and outcome.struck):
            for _ in range(3):
                outcome.wrong += different(PROGRAMS[program]("cuda", straight), expected)
            outcome.live = left(driver)
    outcome.blocked = driver.blocked()
    return outcome


def refused(work: Callable[[], Any]) -> tuple[str, bool, str]:
    try:
        work()
    except (MemoryError, RuntimeError) as error:
        return told(error)
    return "", False, ""


#: What a program may do later, on the GPU that was struck.
LATER: dict[str, Callable[[str], Any]] = {
    "upload": lambda device: PROGRAMS["copied"](device, straight),
    "computation": lambda device: PROGRAMS["mapped"](device, straight),
    "waiting": lambda device: Device[device].queue.synchronize(),
    "event": lambda device: Device[device].queue.record(),
    "stream": lambda device: Device[device].new_queue(),
    "allocation": lambda device: Device[device].allocate(1 << 27),
    "loading": lambda device: Device[device].compile([Source("other", "// other", 1, 1, grid=1, block=32)]),
}


# --- processes


def forked(works: Iterable[Callable[[], Any]], most: int = 4) -> Iterator[tuple[Any, str]]:
    """What the works give, None for one that did not end well, and what they wrote to stderr; in order. Each
    runs in a process of its own, `most` at a time."""
    waiting = list(enumerate(works))[::-1]
    running: dict[int, int] = {}
    ended: dict[int, tuple[Any, str]] = {}
    folder, here = Path(tempfile.mkdtemp()), os.getpid()
    try:
        for wanted in range(len(waiting)):
            while wanted not in ended:
                while waiting and len(running) < most:
                    number, work = waiting.pop()
                    running[_fork(work, folder / str(number))] = number
                process, status = os.wait()
                number = running.pop(process)
                ended[number] = _end(folder / str(number), status)
            yield ended.pop(wanted)
    finally:
        if os.getpid() == here:  # the forks come through here as well
            shutil.rmtree(folder)


def _fork(work: Callable[[], Any], answer: Path) -> int:
    """The number of a process that does some work and ends as Python does."""
    process = os.fork()
    if not process:
        with answer.with_suffix(".errors").open("wb") as errors:
            os.dup2(errors.fileno(), 2)
        answer.write_bytes(pickle.dumps(work()))
        sys.exit()
    return process


def _end(answer: Path, status: int) -> tuple[Any, str]:
    stderr = answer.with_suffix(".errors").read_text()
    if status:
        return None, f"{stderr}\nthe process ended with status {status}"
    return pickle.loads(answer.read_bytes()), stderr


def rehearsed(programs: list[str]) -> tuple[dict[str, list[Array]], list[Source], list[str]]:
    """The results of the programs on the CPU, the kernels of a GPU and the modules that they need. Everything
    that was worked out for them is on disk afterwards."""
    sources: list[Source] = []
    with collecting(sources):
        for name in programs:
            for _ in range(2):
                PROGRAMS[name]("cuda", straight)
    modules = [name for name in sys.modules if name.startswith("saccade.")]
    return {name: PROGRAMS[name]("cpu", straight) for name in programs}, sources, modules


def outcomes(programs: list[str], step: int) -> Iterator[Outcome]:
    """Every program without a fault, and with every fault at one place in `step`."""
    object.__setattr__(settings, "cuda_timeout", LIMIT)
    warnings.filterwarnings("ignore", message="the GPU has been busy")
    compiler.compile_cubin = code_of
    ((made, stderr),) = forked([partial(rehearsed, [*programs, "copied", "mapped"])])
    if made is None:
        raise RuntimeError(stderr)
    expected, sources, modules = made
    os.environ["FAKE_KERNELS"] = str(library_of(sources))
    for module in modules:  # what every process needs, once
        import_module(module)
    shared_cache(), compiler_digest()
    gc.collect()
    gc.freeze()
    plain = [Outcome(program) for program in programs]
    works = [partial(healthy, program, expected[program]) for program in programs]
    for outcome, (found, stderr) in zip(plain, forked(works), strict=True):
        outcome.__dict__ |= {} if found is None else asdict(found)
        outcome.stderr = stderr
        yield outcome
    cases = [
        Outcome(well.program, name, number)
        for well in plain
        for name, fault in FAULTS.items()
        for number in range(step, well.counts.get(fault.counts, 0) + 1, step)
    ]
    works = [partial(faulty, c.program, c.fault, c.number, expected[c.program]) for c in cases]
    for case, (found, stderr) in zip(cases, forked(works), strict=True):
        found = case if found is None else found
        found.stderr = stderr
        yield found


if __name__ == "__main__":
    for found in outcomes(sys.argv[2:] or list(PROGRAMS), int(sys.argv[1])):
        print(json.dumps(asdict(found)), flush=True)
