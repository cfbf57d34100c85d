"""The CPU behind the seam of `runtime.device`: all cores of this machine.

Kernels run on the thread pool without the GIL; plans submitted by several Python threads take turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..call import Call, HostCall, Inbox, view_of_memory
from ..device import DeviceRuntime, Runnable
from ..host import HostDevice
from ..plan import Plan
from ..program import Launch, Program, Source
from .build import build
from .machine import describe_host


class CpuDevice(HostDevice):
    """LLVM compiles, the pool runs."""

    @property
    def about(self) -> str:
        return describe_host()

    def compile(self, sources: Sequence[Source]) -> list[Program]:
        return list(build(sources))

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        return Plan(launches, slots, arena)

    def inbox(self, address: int, nbytes: int) -> None:
        """The host writes the memory itself."""

    def call(
        self,
        plan: Runnable,
        addresses: Sequence[int],
        inboxes: Sequence[Inbox],
        result: tuple[int, int] | None,
    ) -> Call | None:
        if not isinstance(plan, Plan):
            return None
        return HostCall(plan.call(addresses), None if result is None else view_of_memory(*result))


def open_device(name: str) -> DeviceRuntime:
    return CpuDevice(name)
