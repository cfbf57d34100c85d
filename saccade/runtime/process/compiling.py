"""Sources compiled in the background while the next ones are still being written.

    with Compiling("cpu") as compiling:
        for kernel in kernels:
            compiling.add(source_for(kernel, "cpu"))
        programs = compiling.programs()

Writing a source is Python, compiling it is not, so both go on at the same time, for GPUs too. A single source
is compiled by the caller. An exception, Ctrl-C among them, drops what has not begun.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..config import settings
from ..device import Device
from ..program import Program, Source

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


class Compiling:
    """Programs in the making, in the order their sources came."""

    def __init__(self, device: str) -> None:
        self._runtime = Device[device]
        self._concurrent = settings.threads > 1
        self._waiting: list[Source] = []
        self._futures: list[Future[Callable[[], Program]]] = []
        self._threads: ThreadPoolExecutor | None = None

    def add(self, source: Source) -> None:
        """Begin to compile a source, or wait for a second one."""
        self._waiting.append(source)
        if not self._concurrent or (self._threads is None and len(self._waiting) == 1):
            return
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # 10 ms that a single kernel is spared

            self._threads = ThreadPoolExecutor(settings.threads)
        for waiting in self._waiting:
            self._futures.append(self._threads.submit(self._runtime.begin, waiting))
        self._waiting.clear()

    def programs(self) -> list[Program]:
        """All of them, finished; or CompileError."""
        made = [future.result()() for future in self._futures]
        return made + self._runtime.compile(self._waiting) if self._waiting else made

    def __enter__(self) -> Compiling:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
