"""The part of the fault plan that a real card survives: what ends by itself.

    python -m tests.runtime.fault_card                     # all of it, each case in a process of its own
    python -m tests.runtime.fault_card refuse [program]    # only the allocator; prints what went wrong

An illegal address, a kernel that spins for 5 s with a full launch queue behind it and memory that is not
there are cases of `test_cuda_failures`. Here is the allocator that is told to refuse: the calls of the driver
that take memory are wrapped, and the n-th from now on, or it alone, finds none. Every program is run once for
every n that it reaches, all of them in one process, so what fails leaves everything usable."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cuda.bindings import driver

from saccade import Device

from .fault_programs import PROGRAMS, Array, straight

TAKES_MEMORY = (
    "cuMemAllocAsync", "cuMemHostAlloc", "cuModuleLoadData", "cuStreamCreate", "cuEventCreate",
    "cuGraphInstantiate",
)  # fmt: skip
#: those of them that give nothing but a status
LAUNCHES = ("cuGraphLaunch", "cuLaunchKernel", "cuLaunchKernelEx")
ON_ONE_GPU = [name for name in PROGRAMS if name != "between"]


class Allocator:
    """Stands before the driver's calls that take memory."""

    def __init__(self) -> None:
        self.taken, self._number, self._once = 0, 0, False
        missing = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
        for name in TAKES_MEMORY:
            setattr(driver, name, self._before(getattr(driver, name), (missing, None)))
        for name in LAUNCHES:
            setattr(driver, name, self._before(getattr(driver, name), (missing,)))

    def _before(
        self, call: Callable[..., tuple[Any, ...]], refusal: tuple[Any, ...]
    ) -> Callable[..., tuple[Any, ...]]:
        def answer(*arguments: Any) -> tuple[Any, ...]:
            self.taken += 1
            if self._number and (
                self.taken == self._number or (self.taken > self._number and not self._once)
            ):
                return refusal
            return call(*arguments)

        return answer

    def refuse(self, number: int, once: bool = False) -> None:
        """The `number`-th call from now on; 0 for none."""
        self.taken, self._number, self._once = 0, number, once


def misdeeds(program: str, allocator: Allocator, expected: list[Array], once: bool) -> list[str]:
    """What went wrong with a program, refused at each of its calls that take memory."""
    found, number, device = [], 0, "cuda:0"
    runtime: Any = Device[device]
    while True:
        number += 1
        failed: list[BaseException] = []

        def attempt(work: Callable[[], Any], failed: list[BaseException] = failed) -> Any:
            try:
                return work()
            except MemoryError as error:
                failed.append(error.with_traceback(None))
            allocator.refuse(0)
            return work()

        allocator.refuse(number, once)
        results = PROGRAMS[program](device, attempt)
        reached = bool(failed) or allocator.taken >= number
        allocator.refuse(0)
        if not all(np.array_equal(a, b) for a, b in zip(results, expected, strict=True)):
            found.append(f"{program}: wrong results after {number}: {failed}")
        if not reached:
            break
    del results
    gc.collect()
    runtime.release_memory()
    return found


def refuse(programs: list[str]) -> None:
    expected = {name: PROGRAMS[name]("cpu", straight) for name in programs}
    allocator = Allocator()
    runtime: Any = Device["cuda"]
    held, found = [], []
    for _ in range(2):
        for name in programs:
            for once in (False, True):
                found += misdeeds(name, allocator, expected[name], once)
        held.append(runtime.memory_in_use())
    if held[1] != held[0]:
        found.append(f"{held[1]} bytes in use after the second time, {held[0]} after the first")
    print(*found, sep="\n", end="")


if __name__ == "__main__":
    if sys.argv[1:2] == ["refuse"]:
        refuse(sys.argv[2:] or ON_ONE_GPU)
    else:
        sys.exit(pytest.main(["-v", "-rA", str(Path(__file__).with_name("test_cuda_failures.py"))]))
