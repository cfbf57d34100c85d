"""What every device has whose memory is this process's own: the CPU, the interpreter, the null device.

Its queue is the calling thread: work is finished when `submit` returns, so events have always happened and
copies are plain copies.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from .device import Event, Memory, Queue, Runnable
from .memory.blocks import allocate
from .program import Program, Source


class HostEvent:
    """A point in a queue that is always empty."""

    def done(self) -> bool:
        return True

    def wait(self) -> None:
        """Nothing to wait for."""


class HostQueue:
    """Work done at once."""

    label = "main"

    def submit(self, plan: Runnable, addresses: Sequence[int]) -> None:
        plan(addresses)

    def copy_in(self, destination: int, source: int, nbytes: int) -> None:
        ctypes.memmove(destination, source, nbytes)

    def write(self, destination: int, words: bytes) -> None:
        ctypes.memmove(destination, words, len(words))

    def copy_out(self, destination: int, source: int, nbytes: int) -> None:
        ctypes.memmove(destination, source, nbytes)

    def record(self) -> Event:
        return HostEvent()

    def wait(self, event: Event) -> None:
        event.wait()

    def synchronize(self) -> None:
        """Nothing is pending."""


class HostDevice(ABC):
    """Memory and queue; a device adds `compile` and `plan`."""

    host_memory = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.queue = HostQueue()

    @abstractmethod
    def compile(self, sources: Sequence[Source]) -> list[Program]:
        """See `DeviceRuntime`."""

    def begin(self, source: Source) -> Callable[[], Program]:
        (program,) = self.compile([source])
        return lambda: program

    @property
    def main(self) -> HostQueue:
        return self.queue

    def select(self, queue: Queue | None) -> Queue | None:
        """There is only one."""
        return None

    def new_queue(self) -> HostQueue:
        return self.queue

    def allocate(self, nbytes: int) -> Memory:
        return allocate(nbytes)
