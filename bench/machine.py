"""What this machine allows: the floor under every time.

Bandwidths and the arithmetic rate are measured at the start of the run, with the threads the contenders get,
by the simplest code that reaches them: NumPy's copy, max and dot over arrays far larger than the caches, one
slice per thread, and its BLAS on matrices that fit them. A floor is therefore "as fast as this machine was
seen to go today", not a data sheet.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from bench.case import Work


@dataclass(frozen=True)
class Machine:
    """Bytes per second when reading and when copying (read plus written), and float32 FLOP per second."""

    read: float
    copy: float
    flops: float

    def floor(self, work: Work) -> float:
        """The least time in seconds: memory or arithmetic, whichever is slower.

        Bytes that are read and bytes that are written go at the speed of a copy as far as they pair up; the
        rest is read.

        >>> Machine(read=4e9, copy=2e9, flops=1e9).floor(Work(reads=8 * 10**9, writes=0, flops=10**9))
        2.0
        """
        paired = min(work.reads, work.writes)
        memory = 2 * paired / self.copy + (max(work.reads, work.writes) - paired) / self.read
        return max(memory, work.flops / self.flops)


def fastest(call: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(threads: int, quick: bool) -> Machine:
    size, rounds = (1 << 22, 3) if quick else (1 << 24, 10)
    source, target = np.ones(size, np.float32), np.zeros(size, np.float32)
    slices = [slice(size * i // threads, size * (i + 1) // threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:

        def on_all(work: Callable[[slice], object]) -> Callable[[], object]:
            return lambda: list(pool.map(work, slices))

        copy_time = fastest(on_all(lambda part: np.copyto(target[part], source[part])), rounds)
        read_time = min(
            fastest(on_all(lambda part: source[part].max()), rounds),
            fastest(on_all(lambda part: source[part] @ source[part]), rounds),
        )
    side = 512
    a = np.ones((side, side), np.float32)
    product_time = fastest(lambda: a @ a, 3 * rounds)
    copy = 2 * source.nbytes / copy_time
    # NumPy's reductions are not always fast enough to show what reading alone can do; it is never slower than
    # copying.
    return Machine(read=max(copy, source.nbytes / read_time), copy=copy, flops=2 * side**3 / product_time)
