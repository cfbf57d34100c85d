"""The null device: plans everything, counts operations, bytes and memory, and runs nothing.

    >>> with counting() as report:
    ...     x = Tensor.rand(60000, 60000, device="null").realize()      # 14 GB that nobody allocates
    ...     y = (x @ x).realize()
    >>> report.kernels[-1].operations, report.peak_bytes
    (432000000000000, 28800000000)
    >>> print(report)                                                   # a line for each kernel

Programs are scheduled as for the CPU, and on "null:cuda" as for a GPU. Reading a value from the device is an
error: there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from .device import DeviceRuntime, Runnable
from .host import HostDevice, HostQueue
from .memory.blocks import Absent
from .process.forking import fork_lock
from .program import Launch, Program, Source
from .watch.debug import Run, listening, size_text

NAME: Final = "null"


class Ledger:
    """How many bytes would be allocated now, and the most there were since somebody asked to start over."""

    def __init__(self) -> None:
        self.live = self.peak = 0
        self._lock = fork_lock()  # the collector may free a block while one is being counted

    def take(self, nbytes: int) -> None:
        with self._lock:
            self.live += nbytes
            self.peak = max(self.peak, self.live)

    def give(self, nbytes: int) -> None:
        with self._lock:
            self.live -= nbytes

    def start_over(self) -> None:
        with self._lock:
            self.peak = self.live


ledger: Final = Ledger()


@dataclass(frozen=True)
class KernelCount:
    """One kernel of one computation: the least it has to compute and to move, and why it is one."""

    name: str
    operations: int
    nbytes: int
    reason: str


@dataclass
class Report:
    """What was planned inside a `counting` block, launch by launch."""

    kernels: list[KernelCount] = field(default_factory=list)
    #: the most bytes that tensors and intermediates would have occupied at one time, also those from before
    peak_bytes: int = 0

    @property
    def operations(self) -> int:
        """Floating-point operations."""
        return sum(kernel.operations for kernel in self.kernels)

    @property
    def nbytes(self) -> int:
        """Bytes moved to and from memory."""
        return sum(kernel.nbytes for kernel in self.kernels)

    def __str__(self) -> str:
        lines = [
            f"{size_text(k.operations):>8}FLOP {size_text(k.nbytes):>8}B  {k.name}  {k.reason}".rstrip()
            for k in self.kernels
        ]
        total = f"{size_text(self.operations):>8}FLOP {size_text(self.nbytes):>8}B  in all"
        return "\n".join([*lines, f"{total}, {size_text(self.peak_bytes)}B of memory at most"])


@contextmanager
def counting() -> Iterator[Report]:
    """A report of what is realised on the null device inside the block; complete when the block ends."""
    report = Report()
    ledger.start_over()
    with listening() as runs:
        try:
            yield report
        finally:
            planned = [run for run in runs if run.device.partition(":")[0] == NAME]
            report.kernels += [kernel for run in planned for kernel in _kernels(run)]
            report.peak_bytes = ledger.peak


def _kernels(run: Run) -> list[KernelCount]:
    return [
        KernelCount(
            run.recipe.sources[step.source].name, step.notes.operations, step.notes.nbytes, step.notes.reason
        )
        for step in run.recipe.steps
    ]


# --- the device


@dataclass(frozen=True)
class Planned:
    """A kernel nobody will run."""

    source: Source


class NullPlan:
    """Launches that only take up the memory of their intermediates."""

    def __init__(self, launches: Sequence[Launch], slots: int, arena: int) -> None:
        self.launches, self.slots = tuple(launches), slots
        #: with what one kernel has for itself while it runs
        self.arena = arena + max([launch.program.source.workspace for launch in launches], default=0)

    def __call__(self, addresses: Sequence[int]) -> None:
        if len(addresses) != self.slots:
            raise ValueError(f"a plan with {self.slots} slots was given {len(addresses)} buffers")
        ledger.take(self.arena)
        ledger.give(self.arena)

    def profile(self, addresses: Sequence[int]) -> list[float]:
        """Like calling it; no launch takes any time."""
        self(addresses)
        return [0.0] * len(self.launches)


class NullQueue(HostQueue):
    """Copies go nowhere."""

    def copy_in(self, destination: int, source: int, nbytes: int) -> None:
        """The contents are forgotten."""

    def write(self, destination: int, words: bytes) -> None:
        """They are forgotten too."""

    def copy_out(self, destination: int, source: int, nbytes: int) -> None:
        raise RuntimeError(Absent.refusal(f"{nbytes} bytes"))


class NullDevice(HostDevice):
    """Counts what is allocated."""

    about = "plans and counts, runs nothing and holds no values"
    host_memory = False

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.queue = NullQueue()

    def allocate(self, nbytes: int) -> Absent:
        return Absent(nbytes, ledger)

    def compile(self, sources: Sequence[Source]) -> list[Program]:
        return [Planned(source) for source in sources]

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        return NullPlan(launches, slots, arena)


def open_device(name: str) -> DeviceRuntime:
    return NullDevice(name)
