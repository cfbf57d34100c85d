"""Interleaved rounds over contenders that live in their own processes.

In: cases, contender names, how long to measure. Out: per case and contender a `Figure`.

    with Stage(Settings(threads=2, quick=True)) as stage:
        stage.open("saccade"), stage.open("numpy")
        figures = measure_case(stage, CASES["softmax"])   ->   {"saccade": Figure(seconds=0.0314, ...), ...}
"""

from __future__ import annotations

import json
import os
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from bench.case import PEERS, Array, Case
from bench.contenders import each
from bench.machine import Machine

ROOT = Path(__file__).resolve().parent.parent
# The share of indices that may differ: equally near neighbours have no order, and rounding makes a few equal.
TIES = 0.01
# A peer this many times slower than the fastest is timed in two rounds: no noise would change its place.
FAR_BEHIND = 4.0


@dataclass(frozen=True)
class Settings:
    """`peer_python` is the interpreter of the peers, for when they live in another environment than ours."""

    threads: int = 2
    quick: bool = False
    peer_python: str = sys.executable
    timeout: float = 600.0

    @property
    def rounds(self) -> int:
        return 2 if self.quick else 7

    @property
    def seconds(self) -> float:
        """How long one contender is timed in one round."""
        return 0.02 if self.quick else 0.25

    def python(self, name: str) -> str:
        return self.peer_python if name in PEERS else sys.executable


@dataclass(frozen=True)
class Figure:
    """One contender's result on one case: a time, or why there is none."""

    seconds: float | None = None
    error: str | None = None
    first: float | None = None
    rounds: tuple[float, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


def environment(threads: int, folder: Path) -> dict[str, str]:
    """The same number of threads for everyone, on the CPU, with caches that belong to `folder`; and bytecode
    is kept: that of the peers was written when they were installed.
    """
    count = str(threads)
    return os.environ | {
        "OMP_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "VECLIB_MAXIMUM_THREADS": count,
        "NUM_CPU_THREADS": count,
        "SACCADE_THREADS": count,
        "JAX_PLATFORMS": "cpu",
        "DEV": "CPU",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONDONTWRITEBYTECODE": "",
        "SACCADE_CACHE": str(folder / "saccade"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "CACHEDB": str(folder / "tinygrad" / "cache.db"),
    }


class ContenderFailed(Exception):
    """A contender raised, crashed or did not answer in time; the message is for the report."""


class Remote:
    """A worker process and the conversation with it."""

    def __init__(self, name: str, settings: Settings, folder: Path) -> None:
        self.name, self.timeout = name, settings.timeout
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [settings.python(name), "-m", "bench.worker", name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
                env=environment(settings.threads, folder),
                text=True,
            )
        self.replies: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            self.replies.put(line)
        self.replies.put("")

    def ask(self, **request: Any) -> dict[str, Any]:
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.replies.get(timeout=self.timeout)
        except queue.Empty:
            self.stop()
            raise ContenderFailed(f"no answer within {self.timeout:.0f} s") from None
        except BrokenPipeError:
            line = ""
        if not line:
            raise ContenderFailed(f"the process ended with code {self.process.wait()}: {self.last_words()}")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise ContenderFailed(reply["error"])
        return reply

    def last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


class Stage:
    """The contenders of one run. A process that died is started again for the next case."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._temporary = tempfile.TemporaryDirectory(prefix="saccade-bench-")
        self.folder = Path(self._temporary.name)
        self.versions: dict[str, str] = {}
        self._remotes: dict[str, Remote] = {}

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._temporary.cleanup()

    def close(self) -> None:
        """End the contenders' processes; asking one of them again starts it anew."""
        for remote in self._remotes.values():
            remote.stop()
        self._remotes.clear()

    def open(self, name: str) -> bool:
        """Start a contender; False when its library is not installed."""
        reply = self.remote(name).ask(do="hello")
        if reply["missing"]:
            self._remotes.pop(name).stop()
            return False
        self.versions[name] = reply["version"]
        return True

    def remote(self, name: str) -> Remote:
        remote = self._remotes.get(name)
        if remote is None or remote.process.poll() is not None:
            remote = self._remotes[name] = Remote(name, self.settings, self.folder)
        return remote

    def machine(self) -> Machine:
        return Machine(**self.remote("numpy").ask(do="machine", quick=self.settings.quick))


def median_of_minimums(rounds: list[float]) -> float:
    """Each entry is already the fastest call of its round; the median forgives a noisy one."""
    return statistics.median(rounds)


def measure_case(
    stage: Stage, case: Case, progress: Callable[[str], None] = lambda message: None
) -> dict[str, Figure]:
    """Check every contender against NumPy, then time the ones that agree, round by round."""
    settings = stage.settings
    figures: dict[str, Figure] = {}
    reference = [
        np.asarray(array) for array in each(case.programs["numpy"](*case.make_inputs(settings.quick)))
    ]
    for name in [name for name in stage.versions if name in case.programs]:
        progress(f"{case.name}: preparing {name}")
        output = stage.folder / "output.npz"
        try:
            first = stage.remote(name).ask(
                do="prepare", case=case.name, quick=settings.quick, output=str(output)
            )["first"]
            compare(reference, output, case.tolerance)
            figures[name] = Figure(first=first)
        except ContenderFailed as failure:
            figures[name] = Figure(error=str(failure))
        output.unlink(missing_ok=True)

    times: dict[str, list[float]] = {name: [] for name, figure in figures.items() if figure.error is None}
    for number in range(settings.rounds):
        progress(f"{case.name}: round {number + 1} of {settings.rounds}")
        # Every other round runs backwards, so nobody always follows the same neighbour.
        for name in list(times)[:: 1 if number % 2 == 0 else -1]:
            if number >= 2 and far_behind(name, times):
                continue
            try:
                times[name].append(stage.remote(name).ask(do="time", seconds=settings.seconds)["best"])
            except ContenderFailed as failure:
                figures[name] = Figure(error=str(failure))
                del times[name]
    for name, rounds in times.items():
        figures[name] = Figure(median_of_minimums(rounds), first=figures[name].first, rounds=tuple(rounds))
    return figures


def far_behind(name: str, times: dict[str, list[float]]) -> bool:
    """Whether more rounds of a peer would only cost time; we ourselves are timed in every round.

    >>> far_behind("numpy", {"saccade": [1.0, 1.1], "numpy": [9.0, 8.0]})
    True
    """
    fastest = min(min(rounds) for rounds in times.values())
    return name in PEERS and min(times[name]) > FAR_BEHIND * fastest


def compare(reference: list[Array], output: Path, tolerance: float) -> None:
    """Raise ContenderFailed unless floats are close to NumPy's and integers equal but for a few ties."""
    with np.load(output) as stored:
        found = [stored[name] for name in stored.files]
    if len(found) != len(reference):
        raise ContenderFailed(f"wrong result: {len(found)} arrays instead of {len(reference)}")
    for number, (wanted, given) in enumerate(zip(reference, found, strict=True)):
        if wanted.shape != given.shape:
            raise ContenderFailed(f"wrong result: array {number} has shape {given.shape}, not {wanted.shape}")
        if wanted.dtype.kind != "f":
            different = float(np.mean(wanted != given))
            if different > TIES:
                raise ContenderFailed(
                    f"wrong result: {different:.0%} of the indices in array {number} differ"
                )
            continue
        # Relative to the largest value: a sum of many terms is as exact as its terms, not as its result.
        scale = max(1e-30, float(np.abs(wanted).max(initial=0.0)))
        worst = float(np.abs(wanted - given).max(initial=0.0)) / scale
        if not worst <= tolerance:
            raise ContenderFailed(f"wrong result: array {number} is off by {worst:.2g} of its largest value")
