"""Streams as queues, events as points in them.

    queue.submit(plan, addresses)          # returns at once
    event = queue.record()
    other.wait(event)                      # later work of `other` runs after it; no thread waits
    queue.synchronize()                    # this thread waits; errors of the work appear here

A thread that waits asks the driver now and then instead of blocking in it, so that a kernel that does not end
is reported (after 30 s) and given up on (after SACCADE_CUDA_TIMEOUT seconds, 600 if unset)."""

from __future__ import annotations

import ctypes
import os
import time
import warnings
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from cuda.bindings import driver

from ..device import Event, Runnable
from .errors import CudaError, check, explain

if TYPE_CHECKING:
    from .device import CudaDevice
    from .plan import CudaPlan

#: Copies are staged through pinned memory in pieces of this size.
STAGE_BYTES: Final = 4 << 20
_REPORT_SECONDS: Final = 30.0
_NOT_READY: Final = driver.CUresult.CUDA_ERROR_NOT_READY
_SUCCESS: Final = driver.CUresult.CUDA_SUCCESS


class CudaEvent:
    """A point in a stream; with `timing`, one whose time the device notes."""

    def __init__(self, device: CudaDevice, timing: bool = False) -> None:
        self.device = device
        flags = driver.CUevent_flags
        kind = flags.CU_EVENT_DEFAULT if timing else flags.CU_EVENT_DISABLE_TIMING
        device.use()
        self.handle = check(driver.cuEventCreate(kind), "creating an event")
        self.recent = ""

    def done(self) -> bool:
        (status,) = driver.cuEventQuery(self.handle)
        if status == _SUCCESS:
            return True
        if status == _NOT_READY:
            return False
        raise explain(status, "running kernels", self.recent)

    def wait(self) -> None:
        wait_until(self.done, lambda: self.recent)

    def seconds_since(self, earlier: CudaEvent) -> float:
        """Device time between two timing events that have happened."""
        return float(check(driver.cuEventElapsedTime(earlier.handle, self.handle), "reading events")) * 1e-3

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            driver.cuEventDestroy(self.handle)


def wait_until(done: Any, recent: Any) -> None:
    """Return when `done()`, asking often at first; see the module for what happens when it never is."""
    limit = float(os.environ.get("SACCADE_CUDA_TIMEOUT") or 600)
    start = time.perf_counter()
    report = _REPORT_SECONDS
    while not done():
        waited = time.perf_counter() - start
        if waited > limit:
            raise CudaError(f"gave up after {waited:.0f} s on work that does not end: {recent()}; "
                            f"SACCADE_CUDA_TIMEOUT sets the limit", lost=True)  # fmt: skip
        if waited > report:
            warnings.warn(f"the GPU has been busy for {waited:.0f} s with: {recent()}", stacklevel=3)
            report *= 2
        if waited > 2e-4:
            time.sleep(min(1e-3, waited / 20))


class CudaQueue:
    """A stream of one device."""

    def __init__(self, device: CudaDevice) -> None:
        self.device = device
        device.use()
        flags = driver.CUstream_flags.CU_STREAM_NON_BLOCKING
        self.stream = check(driver.cuStreamCreate(flags), "creating a stream")
        self.recent: deque[str] = deque(maxlen=4)
        self._staging: list[tuple[int, CudaEvent | None]] = []

    def __repr__(self) -> str:
        return f"CudaQueue({self.device.name!r}, stream={int(self.stream):#x})"

    def submit(self, plan: Runnable, addresses: Sequence[int]) -> None:
        self._order(*addresses)
        cast("CudaPlan", plan).run(self, addresses)

    def _order(self, *addresses: int) -> None:
        """Let this queue wait for others that used these buffers last."""
        if self.device.shared:
            self.device.order(self, addresses)

    def names(self) -> str:
        """The kernels queued last, for messages."""
        return ", ".join(self.recent) or "none"

    # --- copies

    def copy_in(self, destination: int, source: int, nbytes: int) -> None:
        """Device from host memory. What is not pinned goes through pinned pieces, two of them in turn."""
        if nbytes == 0:
            return
        self.device.use()
        self._order(destination)
        if self.device.is_pinned(source):
            check(driver.cuMemcpyHtoDAsync(destination, source, nbytes, self.stream), "copying to the GPU")
            return
        for number, start in enumerate(range(0, nbytes, STAGE_BYTES)):
            size = min(STAGE_BYTES, nbytes - start)
            place = self._stage(number % 2)
            ctypes.memmove(place, source + start, size)
            check(
                driver.cuMemcpyHtoDAsync(destination + start, place, size, self.stream), "copying to the GPU"
            )
            self._staging[number % 2] = (place, self.record())

    def copy_out(self, destination: int, source: int, nbytes: int) -> None:
        """Host from device memory; into memory that is not pinned, it has happened on return."""
        if nbytes == 0:
            return
        self.device.use()
        self._order(source)
        result = driver.cuMemcpyDtoHAsync(destination, source, nbytes, self.stream)
        check(result, "copying from the GPU", self.names())

    def copy(self, destination: int, source: int, nbytes: int) -> None:
        """Device from device memory, of this device or another."""
        self.device.use()
        self._order(destination, source)
        check(driver.cuMemcpyAsync(destination, source, nbytes, self.stream), "copying on the GPU")

    def _stage(self, number: int) -> int:
        """A pinned piece whose last copy has happened."""
        while len(self._staging) < 2:
            flags = driver.CU_MEMHOSTALLOC_PORTABLE
            self._staging.append(
                (int(check(driver.cuMemHostAlloc(STAGE_BYTES, flags), "pinning memory")), None)
            )
        place, event = self._staging[number]
        if event is not None:
            event.wait()
        return place

    # --- events

    def record(self, timing: bool = False) -> CudaEvent:
        event = CudaEvent(self.device, timing)
        event.recent = self.names()
        check(driver.cuEventRecord(event.handle, self.stream), "recording an event")
        return event

    def wait(self, event: Event) -> None:
        if isinstance(event, CudaEvent):
            self.device.use()
            check(driver.cuStreamWaitEvent(self.stream, event.handle, 0), "waiting for an event")
        else:
            event.wait()

    def idle(self) -> bool:
        (status,) = driver.cuStreamQuery(self.stream)
        if status == _SUCCESS:
            return True
        if status == _NOT_READY:
            return False
        raise explain(status, "running kernels", self.names())

    def synchronize(self) -> None:
        self.device.use()
        wait_until(self.idle, self.names)


class PinnedArray:
    """Host memory the GPU copies from and to directly; `np.asarray` of it is a view."""

    def __init__(self, device: CudaDevice, nbytes: int) -> None:
        device.use()
        self.nbytes = nbytes
        self.address = int(
            check(driver.cuMemHostAlloc(max(nbytes, 1), driver.CU_MEMHOSTALLOC_PORTABLE), "pinning memory")
        )

    @property
    def __array_interface__(self) -> dict[str, object]:
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.address, False), "version": 3}

    def array(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
        """A view as an array of this shape."""
        count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        view: np.ndarray[Any, Any] = np.asarray(self)[:count].view(dtype).reshape(shape)
        return view

    def __del__(self) -> None:
        if hasattr(self, "address"):
            driver.cuMemFreeHost(self.address)
