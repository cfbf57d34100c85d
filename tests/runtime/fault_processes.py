"""The processes of the fault plan: each case in one of its own, on the stand-in driver.

    python -m tests.runtime.fault_processes all replayed       # a line of JSON for each outcome

They are forked before the driver is loaded: whatever a program does first (opening the device, loading,
pinning, capturing) it does in each of them."""

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
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

import saccade.runtime.cuda.compiler as compiler
from saccade import Device, Tensor
from saccade.runtime.cache.cache import shared_cache
from saccade.runtime.cache.compiler_digest import compiler_digest
from saccade.runtime.config import settings
from saccade.runtime.cuda.device import CudaDevice
from saccade.runtime.program import Source

from .fault_kernels import code_of, collecting, library_of
from .fault_plan import FAULTS, LIMIT, LONG, Outcome, Told
from .fault_programs import PROGRAMS, Array, numbers, straight

LIVE = ("device bytes", "pinned bytes", "contexts", "streams", "events", "graphs", "executions", "modules")
#: Processes at a time: those that wait for a kernel need no processor.
_AT_ONCE = 4


class Driver:
    """The stand-in, as the plan sees it; see fake_faults.h."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        for name in ("fake_struck", "fake_names"):
            getattr(self._library, name).restype = ctypes.c_char_p
        for name in ("fake_live", "fake_blocked"):
            getattr(self._library, name).restype = ctypes.c_long
        self._library.fake_fault.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_long]

    def plan(self, kind: str, number: int = 0, value: int = 0) -> None:
        self._library.fake_fault(kind.encode(), number, value)

    def names(self) -> dict[str, list[str]]:
        kinds = ("memory", "kernel", "call")
        return {kind: self._library.fake_names(kind.encode()).decode().split() for kind in kinds}

    def live(self) -> dict[str, int]:
        return {thing: int(self._library.fake_live(thing.encode())) for thing in LIVE}

    def struck(self) -> str:
        return str(self._library.fake_struck().decode())

    def struck_device(self) -> str:
        return f"cuda:{self._library.fake_struck_device()}"

    def blocked(self) -> int:
        return int(self._library.fake_blocked())


# --- one case


class Ended(Exception):
    """The program cannot go on."""


def healthy(program: str, expected: list[Array]) -> Outcome:
    """Without a fault: what the program asks of the driver, and what it leaves."""
    driver, outcome = Driver(), Outcome(program)
    for turn in range(3):
        driver.plan("none")
        outcome.wrong += different(PROGRAMS[program]("cuda", straight), expected)
        if turn == 0:
            outcome.names = driver.names()
    outcome.live = left(driver)
    outcome.blocked = driver.blocked()
    return outcome


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
        device = driver.struck_device()
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


#: What a program may do later, on the GPU that was struck.
LATER: dict[str, Callable[[str], Any]] = {
    "upload": lambda device: Tensor(numbers(9), device=device).realize(),
    "computation": lambda device: PROGRAMS["mapped"](device, straight),
    "waiting": lambda device: cast(CudaDevice, Device[device]).settle(),
    "event": lambda device: Device[device].queue.record(),
    "stream": lambda device: Device[device].new_queue(),
    "allocation": lambda device: Device[device].allocate(1 << 27),
    "loading": lambda device: Device[device].compile([Source("other", "// other", 1, 1, grid=1, block=32)]),
}


def refused(work: Callable[[], Any]) -> Told:
    try:
        work()
    except (MemoryError, RuntimeError) as error:
        return told(error)
    return "", False, ""


def told(error: BaseException) -> Told:
    return type(error).__name__, bool(getattr(error, "lost", False)), str(error)


def different(results: list[Array], expected: list[Array]) -> int:
    return sum(not np.array_equal(a, b) for a, b in zip(results, expected, strict=True))


def left(driver: Driver) -> dict[str, int]:
    """What is still there when the program is over and the caches are empty."""
    gc.collect()
    for name in ("cuda:0", "cuda:1"):
        if name in Device._open:
            runtime: Any = Device[name]
            runtime.release_memory()
    return driver.live()


# --- processes


def forked(works: Iterable[Callable[[], Any]]) -> Iterator[tuple[Any, str]]:
    """What the works give, None for one that did not end well, and what they wrote to stderr; in order. Each
    runs in a process of its own."""
    waiting = list(enumerate(works))[::-1]
    running: dict[int, int] = {}
    ended: dict[int, tuple[Any, str]] = {}
    folder = Path(tempfile.mkdtemp())
    for wanted in range(len(waiting)):
        while wanted not in ended:
            while waiting and len(running) < _AT_ONCE:
                number, work = waiting.pop()
                running[_fork(work, folder / str(number))] = number
            process, status = os.wait()
            number = running.pop(process)
            ended[number] = _end(folder / str(number), status)
        yield ended.pop(wanted)
    shutil.rmtree(folder)


def _fork(work: Callable[[], Any], answer: Path) -> int:
    """The number of a process that does some work."""
    process = os.fork()
    if not process:
        with answer.with_suffix(".errors").open("wb") as errors:
            os.dup2(errors.fileno(), 2)
        status = 1
        try:
            answer.write_bytes(pickle.dumps(work()))
            status = 0
        finally:
            if status:
                traceback.print_exc()
            sys.stderr.flush()
            os._exit(status)  # what Python does at its end takes longer than most cases
    return process


def _end(answer: Path, status: int) -> tuple[Any, str]:
    stderr = answer.with_suffix(".errors").read_text()
    if status:
        return None, f"{stderr}\nthe process ended with status {status}"
    return pickle.loads(answer.read_bytes()), stderr


# --- all cases


def rehearsed(programs: list[str]) -> tuple[dict[str, list[Array]], list[Source], list[str]]:
    """The results of the programs by the oracle, the kernels of a GPU and the modules that they need.
    Everything that was worked out for them is on disk afterwards."""
    sources: list[Source] = []
    with collecting(sources):
        for name in programs:
            for _ in range(2):
                PROGRAMS[name]("cuda", straight)
    modules = [name for name in sys.modules if name.startswith("saccade.")]
    return {name: PROGRAMS[name]("interpreter", straight) for name in programs}, sources, modules


def outcomes(programs: list[str], sample: bool) -> Iterator[Outcome]:
    """Every program without a fault, and with every fault at every place, or at one of each kind."""
    object.__setattr__(settings, "cuda_timeout", LIMIT)
    warnings.filterwarnings("ignore", message="the GPU has been busy")
    compiler.compile_cubin = code_of
    ((made, stderr),) = forked([partial(rehearsed, [*dict.fromkeys([*programs, "mapped"])])])
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
    healthily = [partial(healthy, program, expected[program]) for program in programs]
    for number, (found, stderr) in enumerate(forked(healthily)):
        plain[number] = found or plain[number]
        plain[number].stderr = stderr
        yield plain[number]
    cases = list(sampled(plain) if sample else every_case(plain))
    works = [partial(faulty, c.program, c.fault, c.number, expected[c.program]) for c in cases]
    for case, (found, stderr) in zip(cases, forked(works), strict=True):
        outcome: Outcome = found or case
        outcome.stderr = stderr
        yield outcome


def every_case(plain: Iterable[Outcome]) -> Iterator[Outcome]:
    for well in plain:
        for name, fault in FAULTS.items():
            places = well.names.get(fault.counts, [])
            yield from (Outcome(well.program, name, n, struck) for n, struck in enumerate(places, start=1))


def sampled(plain: Iterable[Outcome]) -> Iterator[Outcome]:
    """A few seconds of the plan: memory is refused at each call of the driver that takes some, and in each
    program; the device is lost at each call; each kernel of a program is struck by one of the faults of
    kernels, which take turns."""
    cases = list(every_case(plain))
    of_kernels = [name for name, fault in FAULTS.items() if fault.counts == "kernel"]
    kernels = list(dict.fromkeys((case.program, case.struck) for case in cases if case.fault in of_kernels))
    last: dict[tuple[str, ...], Outcome] = {}
    for case in cases:
        if case.fault not in of_kernels:
            last[case.fault, case.struck] = case
            if FAULTS[case.fault].counts == "memory":
                last[case.fault, case.program] = case
        elif case.fault == of_kernels[kernels.index((case.program, case.struck)) % len(of_kernels)]:
            last[case.fault, case.program, case.struck] = case
    yield from {id(case): case for case in last.values()}.values()


if __name__ == "__main__":
    for found in outcomes(sys.argv[2:] or list(PROGRAMS), sys.argv[1] == "sample"):
        print(json.dumps(asdict(found)), flush=True)
