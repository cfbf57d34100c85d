"""Training beside torch and JAX as one table: `python -m bench.training`, with `--device cuda` on a GPU.

On the CPU every contender has one thread, they take turns, and a time is the median over rounds of the
least *process* time of a call, which other programs on the machine disturb little; with `--threads 2` it is
the clock's, for a machine that does nothing else. Compile times, by the clock and by the processor, and peak
memory are of a process of its own for each contender (`bench.training_process`): a first one that finds empty
caches, and a second one that finds those. On a GPU times are device times of these processes, and the peak is
compared with what the null device counts. A case whose goal is the rate of a copy is compared with a copy
by as many threads.

    python -m bench.training --threads 2               # every figure of two cores
    python -m bench.training --case sort --rounds 9
    python -m bench.training --only time               # or compile (and memory)
    python -m bench.training --device null             # peaks of the GPU's cases, without one
    python -m bench.training --device cuda --case GPT-2 --keep 20
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bench.training_cases import CPU_CASES, CUDA_CASES, SIZING, Step, TrainingCase
from bench.training_jax import STEPS as IN_JAX
from bench.training_process import Outcome
from saccade.explain import explain

THREADS = ("SACCADE_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: the same for XLA
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
Clock = Callable[[], float]
#: seconds of calls in one round of one contender
ROUND_SECONDS = 0.2
#: seconds after which a process is given up
LIMIT = 900
#: of torch.compile's time to compile, and of what was measured, that ours may take or be off
LEAST_COMPILE_RATIO, MOST_ESTIMATE_ERROR = 3.0, 0.1


@dataclass
class Row:
    """What is known of a case: seconds of a call by contender, and processes with empty and filled caches."""

    case: TrainingCase
    times: dict[str, float] = field(default_factory=dict)
    cold: dict[str, Outcome] = field(default_factory=dict)
    warm: dict[str, Outcome] = field(default_factory=dict)
    keep: int = 0  # bytes that ours may keep between its kernels; 0: as many as it likes
    counted: float = 0.0  # bytes, by the null device
    kernels: int = 0

    @property
    def ratio(self) -> float:
        """The best peer's time over ours; of a copy, its rate is compared."""
        ours = self.times["saccade"]
        if self.case.nbytes:
            copied = min(self.case.nbytes, 1 << 32)
            return (self.case.nbytes / ours) / (copied / self.times["copy"])
        peers = [self.case.peers[0]] if self.case.peers[0] == "numpy" else self.times.keys() - {"saccade"}
        return min(self.times[peer] for peer in peers) / ours

    def cells(self) -> list[str]:
        times = [_ms(self.times.get(name)) for name in ("saccade", "torch", "torch.compile")]
        others = [f"{name} {_ms(t)}" for name, t in self.times.items() if name in ("copy", "numpy", "jax")]
        told = ""
        if "saccade" in self.times and len(self.times) > 1:
            mark = "" if self.ratio >= self.case.goal else " MISSED"
            told = f"{self.ratio:.2f} of {self.case.goal:.2f}{mark}"
        return [self.case.name, told, *times, ", ".join(others), str(self.kernels or ""), *self._processes()]

    def _processes(self) -> list[str]:
        ours, theirs = self.cold.get("saccade"), self.cold.get("torch.compile")
        cold = "" if ours is None else f"{ours.compiling:.1f} s"
        if ours is not None and theirs is not None:
            mark = "" if ours.compiling * LEAST_COMPILE_RATIO <= theirs.compiling else " MISSED"
            cold += f" / {theirs.compiling:.1f} s{mark}"
            if ours.compiling_work:
                cold += f" (processor {ours.compiling_work:.1f} / {theirs.compiling_work:.1f} s)"
        again = self.warm.get("saccade")
        second = "" if again is None else f"{again.compiling:.2f} s"
        return [cold, second, self._memory()]

    def _memory(self) -> str:
        ours, theirs = self.warm.get("saccade"), self.warm.get("torch")
        told = "" if ours is None else _size(ours.peak)
        if ours is not None and theirs is not None:
            told += f" / {_size(theirs.peak)}" + ("" if ours.peak <= theirs.peak else " MORE")
            cold = self.cold.get("saccade", ours)
            if cold.process and theirs.process:
                told += f" (processes, ours cold: {_size(cold.process)} / {_size(theirs.process)})"
        if self.counted:
            told += f"{', ' if told else ''}counted {_size(self.counted)}"
            if ours is not None and abs(self.counted / ours.peak - 1) > MOST_ESTIMATE_ERROR:
                told += f" OFF {self.counted / ours.peak:.2f}"
        return told


HEAD = (
    "case", "ratio", "saccade", "torch", "torch.compile", "beside", "kernels",
    "compiles / torch.compile", "second process", "peak memory / torch",
)  # fmt: skip


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.3f} ms"


def _size(nbytes: float) -> str:
    return f"{nbytes / 1e9:.2f} GB" if nbytes >= 1e9 else f"{nbytes / 1e6:.0f} MB"


def table(rows: Sequence[Row]) -> str:
    """Markdown."""
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


# --- times in turns, on the CPU


def least(step: Step, now: Clock) -> float:
    """The least time of a call in one round, in seconds."""
    found, start = float("inf"), now()
    while found == float("inf") or now() - start < ROUND_SECONDS:
        before = now()
        step()
        found = min(found, now() - before)
    return found


def in_turns(steps: dict[str, Step], rounds: int, now: Clock) -> dict[str, float]:
    """The median over rounds for each contender, in seconds."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for step in steps.values():
        step()
        step()
    for _ in range(rounds):
        for name, step in steps.items():
            times[name].append(least(step, now))
    return {name: statistics.median(found) for name, found in times.items()}


def copy_of(nbytes: int, device: str, threads: int = 1) -> Step:
    """A copy that reads and writes so many bytes together, at most 4 GB; on a CPU each thread has a slice."""
    count = min(nbytes, 1 << 32) // 8
    if device == "cpu":
        whole = np.ones(count, np.float32), np.zeros(count, np.float32)
        if threads == 1:
            return lambda: np.copyto(whole[1], whole[0])
        sources, targets = (np.array_split(array, threads) for array in whole)
        pool = ThreadPoolExecutor(threads)
        return lambda: list(pool.map(np.copyto, targets, sources))
    from saccade import Tensor, jit

    x = Tensor.ones(count, device=device).realize()
    copy = jit(lambda x: x.clone())
    return lambda: copy(x)


def time_in_turns(row: Row, peers: Sequence[str], rounds: int, threads: int) -> None:
    """By the process where it has one thread, else by the clock."""
    case, now = row.case, time.process_time if threads == 1 else time.perf_counter
    steps: dict[str, Step] = {"saccade": case.make("saccade", "cpu")}
    row.kernels = explain(steps["saccade"]).kernels
    steps |= {peer: case.make(peer, "cpu") for peer in case.peers if peer in peers}
    if "jax" in peers and case.name in IN_JAX and find_spec("jax"):
        steps["jax"] = IN_JAX[case.name]()
    if case.nbytes:
        steps["copy"] = copy_of(case.nbytes, "cpu", threads)
    row.times = in_turns(steps, rounds, now)


# --- processes


def process(row: Row, contender: str, device: str, rounds: int, caches: Path) -> Outcome:
    """What a contender told in a process with these caches; RuntimeError with the end of what it printed."""
    own = {"SACCADE_CACHE": str(caches / "saccade"), "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor")}
    if device == "cpu":  # in this process, whose work is counted
        own["TORCHINDUCTOR_COMPILE_THREADS"] = os.environ[THREADS[0]]
    given = (row.case.name, contender, device, str(rounds), str(row.keep))
    command = [sys.executable, "-m", "bench.training_process", *given]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | own, timeout=LIMIT, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{contender} on {device}: {' | '.join(done.stderr.splitlines()[-3:])[:500]}")
    return Outcome(**json.loads(done.stdout.splitlines()[-1]))


def run_processes(row: Row, peers: Sequence[str], device: str, rounds: int) -> None:
    case = row.case
    for contender in ("saccade", *[peer for peer in case.peers if peer in peers and peer != "numpy"]):
        with tempfile.TemporaryDirectory(prefix="saccade-training-") as caches:
            if contender != "torch":  # which compiles nothing
                row.cold[contender] = process(row, contender, device, rounds, Path(caches))
            if contender != "torch.compile":
                row.warm[contender] = process(row, contender, device, rounds, Path(caches))
        if device != "cpu":
            row.times[contender] = (row.warm.get(contender) or row.cold[contender]).run
        print(f"  {contender}: {row.warm.get(contender) or row.cold[contender]}", flush=True)
    if device != "cpu":
        row.kernels = row.warm["saccade"].kernels
        if case.nbytes:
            from bench.gpu_timing import device_ms

            row.times["copy"] = device_ms(copy_of(case.nbytes, device), rounds) / 1e3


def count_memory(row: Row) -> None:
    """By the null device, which plans as for a GPU; and how long that took."""
    with tempfile.TemporaryDirectory(prefix="saccade-training-") as caches:
        start = time.perf_counter()
        row.counted = process(row, "saccade", "null:cuda", 1, Path(caches)).peak
        print(f"  counted in {time.perf_counter() - start:.1f} s: {_size(row.counted)}", flush=True)


# --- the command


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.training", description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "null"))
    parser.add_argument(
        "--case", action="append", default=[], help="a part of the name of a case; repeatable"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1, help="of each contender, on the CPU")
    parser.add_argument("--peers", default="torch,torch.compile,jax,numpy", help="which of them are asked")
    parser.add_argument("--keep", type=float, default=0, help="GB that ours may keep (keep_within)")
    parser.add_argument("--only", choices=("time", "compile"), help="leave out the other, on the CPU")
    return parser.parse_args(arguments)


def works(options: argparse.Namespace) -> list[Callable[[Row], None]]:
    """What is done for each case."""
    peers, rounds, device = options.peers.split(","), options.rounds, options.device
    found: list[Callable[[Row], None]] = []
    if device == "cpu" and options.only != "compile":
        found.append(lambda row: time_in_turns(row, peers, rounds, options.threads))
    if device == "cuda" or (device == "cpu" and options.only != "time"):
        found.append(lambda row: run_processes(row, peers, device, rounds))
    if device != "cpu":
        found.append(count_memory)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    if options.device == "cpu" and any(os.environ.get(n) != str(options.threads) for n in THREADS):
        # libraries read these when they are imported, so it takes another process
        some = os.environ | dict.fromkeys(THREADS, str(options.threads))
        some |= {"XLA_FLAGS": ONE_THREAD} if options.threads == 1 else {}
        os.execve(sys.executable, [sys.executable, "-m", "bench.training", *sys.argv[1:]], some)
    cases = {"cpu": CPU_CASES, "cuda": CUDA_CASES, "null": (*CUDA_CASES, SIZING)}[options.device]
    rows = []
    for case in cases:
        if options.case and not any(part in case.name for part in options.case):
            continue
        print(case.name, flush=True)
        row = Row(case, keep=int(options.keep * 1e9))
        for work in works(options):
            try:
                work(row)
            except Exception as error:  # noqa: BLE001  a failure is a result here
                print(f"  FAILED {type(error).__name__}: {error}".replace("\n", " | ")[:600], flush=True)
        print(f"  {' | '.join(cell for cell in row.cells()[1:] if cell)}", flush=True)
        rows.append(row)
    print(table(rows), flush=True)


if __name__ == "__main__":
    main()
