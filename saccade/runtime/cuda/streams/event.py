"""Events: points in a stream, and how a thread waits for one.

    event = queue.record()
    event.wait()

Who waits asks the driver now and then instead of blocking in it, so that a kernel that does not end is
reported and given up on."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Final, Protocol

from cuda.bindings import driver

from ...config import settings
from ..errors import CudaError, check, explain

_NOT_READY: Final = driver.CUresult.CUDA_ERROR_NOT_READY
_SUCCESS: Final = driver.CUresult.CUDA_SUCCESS
_REPORT_SECONDS: Final = 30.0
#: How long a thread waits before it sleeps.
AWAKE_SECONDS: Final = 2e-3
#: Sleeping for no time takes 50 us on Linux, which gives it the slack of a timer; yielding does not.
let_others_in: Final[Callable[[], None]] = getattr(os, "sched_yield", partial(time.sleep, 0))


class Busy(Protocol):
    """A device as its events see it."""

    def use(self) -> None:
        """Make the context current on this thread."""

    def kernels(self) -> str:
        """The kernels that may be running, for messages."""


class CudaEvent:
    """A point in a stream; with `timing`, one whose time the device notes."""

    def __init__(self, device: Busy, timing: bool = False) -> None:
        self.device = device
        flags = driver.CUevent_flags
        kind = flags.CU_EVENT_DEFAULT if timing else flags.CU_EVENT_DISABLE_TIMING
        device.use()
        self.handle = check(driver.cuEventCreate(kind), "creating an event")

    def done(self) -> bool:
        (status,) = driver.cuEventQuery(self.handle)
        if status == _SUCCESS:
            return True
        if status == _NOT_READY:
            return False
        raise explain(status, "running kernels")

    def wait(self) -> None:
        self.device.use()
        wait_until(self.done, self.device.kernels)

    def seconds_since(self, earlier: CudaEvent) -> float:
        """Device time between two timing events that have happened."""
        return float(check(driver.cuEventElapsedTime(earlier.handle, self.handle), "reading events")) * 1e-3

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            driver.cuEventDestroy(self.handle)


class Stamped:
    """Work between timing events, on the clock of the host; see `runtime.timeline`."""

    def __init__(self, origin: tuple[CudaEvent, float], events: list[CudaEvent]) -> None:
        self._origin, self._events = origin, events

    def done(self) -> bool:
        return self._events[-1].done()

    def times(self) -> list[tuple[float, float]]:
        self._events[-1].wait()
        origin, at = self._origin
        # events tell milliseconds in single precision: the distance to the first of them is exact
        first = self._events[0]
        start = at + first.seconds_since(origin)
        ends = [start + event.seconds_since(first) for event in self._events]
        return [(begin, end - begin) for begin, end in pairwise(ends)]


def wait_until(done: Callable[[], bool], kernels: Callable[[], str]) -> None:
    """Return when `done()`, asking often at first. What takes long is reported, with `kernels()`, and given
    up on after SACCADE_CUDA_TIMEOUT seconds."""
    if done():
        return
    limit = float(settings.cuda_timeout)
    start = time.perf_counter()
    report = min(_REPORT_SECONDS, limit / 2)
    while not done():
        waited = time.perf_counter() - start
        if waited > limit:
            if done():  # it ended while this thread had no core to ask on
                return
            raise CudaError(
                f"gave up after {limit:g} s on work that does not end. Kernels queued last: {kernels()}. "
                f"Until it ends the GPU does nothing else: wait longer (SACCADE_CUDA_TIMEOUT sets the limit "
                f"in seconds) or start a new process; SACCADE_CUDA_CHECK=1 waits for each kernel and names "
                f"the one that does not end",
                lost=True,
            )
        if waited > report:
            warnings.warn(
                f"the GPU has been busy for {waited:.0f} s. Kernels queued last: {kernels()}",
                RuntimeWarning,
                stacklevel=3,
            )
            report *= 2
        if waited > AWAKE_SECONDS:
            time.sleep(min(1e-3, waited / 20))
        elif waited > 2e-4:
            let_others_in()
