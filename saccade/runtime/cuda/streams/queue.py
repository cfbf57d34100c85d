"""Streams as queues, events as points in them.

    queue.submit(plan, addresses)          # returns at once
    event = queue.record()
    other.wait(event)                      # later work of `other` runs after it; no thread waits
    queue.synchronize()                    # this thread waits; errors of the work appear here

A thread that waits asks the driver now and then instead of blocking in it, so that a kernel that does not end
is reported (after 30 s, or half the limit) and given up on (after SACCADE_CUDA_TIMEOUT seconds). So does one
that queues more than the driver takes (`backlog`).

Work that fails leaves the queue as if it had been queued: its uses of buffers stay noted, and some of it may
run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, cast

from cuda.bindings import driver

from ...device import Event, PeerQueue, Runnable
from ...watch.debug import watching
from ..errors import check, explain
from ..memory.pinned import PIECE_BYTES, STAGING_BYTES, Pieces, Ring, pin
from ..memory.pool import CudaAllocator
from .backlog import Backlog
from .context import Context, Plan
from .event import CudaEvent, Stamped
from .hazards import CLAIMED, Ordered, Use
from .table import TableWriter

_NOT_READY: Final = driver.CUresult.CUDA_ERROR_NOT_READY
_SUCCESS: Final = driver.CUresult.CUDA_SUCCESS


class CudaQueue:
    """A stream of one device, and the memory that is allocated for its work."""

    def __init__(self, device: Context, label: str) -> None:
        self.device, self.label = device, label
        device.use()
        flags = driver.CUstream_flags.CU_STREAM_NON_BLOCKING
        self.stream = check(driver.cuStreamCreate(flags), "creating a stream")
        self.backlog = Backlog(self.record, lambda: len(device.queues))
        #: submissions so far; how many of other queues' this one waits for; the last event, and its count
        self.count = 0
        self.disturbances = 0
        self._followed: dict[Ordered, int] = {}
        self._mark: tuple[CudaEvent, int] | None = None
        #: what copies go through to the device and from it
        self.sent, self._brought, self._staging = Ring(self), Pieces(self), 0
        self._writer: TableWriter | None = None
        self.memory = CudaAllocator(
            self.stream, device.use, self, device.hazards, self._follow_all, device.make_room
        )

    def __repr__(self) -> str:
        return f"CudaQueue({self.device.name!r}, {self.label!r})"

    def submit(self, plan: Runnable, addresses: Sequence[int]) -> None:
        device = self.device
        if TYPE_CHECKING:
            assert isinstance(plan, Plan)
        with device.lock:
            try:
                if device.hazards.active:
                    device.hazards.reads(self, addresses[: plan.inputs])
                    device.hazards.writes(self, plan.writes(addresses))
                plan.run(self, addresses)
            finally:
                self.count += 1

    def suspects(self) -> list[Plan]:
        """The plans that may be running, for messages."""
        (status,) = driver.cuStreamQuery(self.stream)
        return [] if status == _SUCCESS else self.backlog.suspects()

    # --- the order of queues

    def follow(self, other: Ordered, count: int) -> None:
        """Hold back later work until `other` has done its first `count` submissions."""
        if self._followed.get(other, 0) >= (other.count if count == CLAIMED else count):
            return
        event, reached = cast("CudaQueue", other).mark()
        check(driver.cuStreamWaitEvent(self.stream, event.handle, 0), "ordering queues")
        self._followed[other] = reached

    def mark(self) -> tuple[CudaEvent, int]:
        """An event after everything queued so far, and the number of submissions that is."""
        if self._mark is None or self._mark[1] != self.count:
            # a wait holds on to what was recorded when it was queued, so one event serves again and again
            event = self._mark[0] if self._mark else CudaEvent(self.device)
            check(driver.cuEventRecord(event.handle, self.stream), "recording an event")
            self._mark = (event, self.count)
        return self._mark

    def _follow_all(self, uses: tuple[Use, ...]) -> None:
        with self.device.lock:
            for other, count in uses:
                self.follow(other, count)

    # --- copies

    def copy_in(self, destination: int, source: int, nbytes: int) -> None:
        """Device from host memory. What is not pinned goes through a ring of pinned memory: this waits for
        earlier copies only where it is full."""
        if nbytes and self.device.is_pinned(source):
            self._queue_copy_in(destination, source, nbytes)
            return
        with self.sent.lock:
            for start in range(0, nbytes, PIECE_BYTES):
                size = min(PIECE_BYTES, nbytes - start)
                with self.sent.piece(size) as place:
                    ctypes.memmove(place, source + start, size)
                    self._queue_copy_in(destination + start, place, size, of=destination)

    def write(self, destination: int, words: bytes) -> None:
        """A few words, as the arguments of a kernel that writes them: nothing is staged, and nobody waits."""
        writer = self._writer
        if writer is None:
            writer = self._writer = TableWriter(self.device)
        with self.using((), (destination,), "words to the GPU", len(words)):
            values = memoryview(words).cast("Q").tolist()
            self.device.with_room(lambda: writer(self.stream, destination, values))

    def _queue_copy_in(self, destination: int, source: int, nbytes: int, of: int | None = None) -> None:
        """`of` is the buffer that `destination` lies in."""
        with self.using((), (destination if of is None else of,), "copy to the GPU", nbytes):
            result = driver.cuMemcpyHtoDAsync(destination, source, nbytes, self.stream)
            check(result, "copying to the GPU")

    def copy_out(self, destination: int, source: int, nbytes: int) -> None:
        """Host from device memory; into memory that is not pinned, it has happened on return: the driver
        would wait inside the copy, where no watchdog sees it, so that goes through pinned pieces too."""
        if nbytes and self.device.is_pinned(destination):
            self._queue_copy_out(destination, source, nbytes)
            return
        brought = self._brought
        with brought.lock:
            coming: list[tuple[int, int, int]] = []
            for number, start in enumerate(range(0, nbytes, PIECE_BYTES)):
                size = min(PIECE_BYTES, nbytes - start)
                with brought.piece(number % 2) as place:
                    self._queue_copy_out(place, source + start, size, of=source)
                coming.append((destination + start, number % 2, size))
                if len(coming) == 2:
                    self._unpack(*coming.pop(0))
            for piece in coming:
                self._unpack(*piece)

    def _queue_copy_out(self, destination: int, source: int, nbytes: int, of: int | None = None) -> None:
        with self.using((source if of is None else of,), (), "copy from the GPU", nbytes):
            result = driver.cuMemcpyDtoHAsync(destination, source, nbytes, self.stream)
            check(result, "copying from the GPU")

    def _unpack(self, destination: int, number: int, size: int) -> None:
        ctypes.memmove(destination, self._brought.wait(number), size)

    def staging(self) -> int:
        """The address of the pinned memory that copies go through."""
        if not self._staging:
            with self.device.lock:
                self._staging = self._staging or pin(self.device, STAGING_BYTES)
        return self._staging

    def copy(self, destination: int, source: int, nbytes: int) -> None:
        """Device from device memory of the same device."""
        with self.using((source,), (destination,), "copy", nbytes):
            result = driver.cuMemcpyAsync(destination, source, nbytes, self.stream)
            check(result, "copying on the GPU")

    def copy_from_peer(self, destination: int, source: int, nbytes: int, other: PeerQueue) -> None:
        """From the memory of another GPU, after what `other` has queued; `other` goes on after the copy."""
        if not isinstance(other, CudaQueue):
            raise TypeError(f"{other!r} is no queue of a GPU")
        with other.using((source,), ()):  # after whoever wrote it
            written = other.record()
        self.wait(written)
        with self.using((), (destination,), f"copy from {other.device.name}", nbytes):
            result = driver.cuMemcpyPeerAsync(
                destination, self.device.context, source, other.device.context, nbytes, self.stream
            )
            check(result, f"copying from {other.device.name} to {self.device.name}")
        other.wait(self.record())

    @contextmanager
    def using(
        self, reads: Sequence[int], writes: Sequence[int], name: str = "", nbytes: int = 0
    ) -> Iterator[None]:
        """Something that is queued inside the block and reads and writes these buffers; with a name, it is
        seen in a trace."""
        device = self.device
        device.use()
        with device.lock:
            try:
                if device.hazards.active:
                    device.hazards.reads(self, reads)
                    device.hazards.writes(self, writes)
                self.backlog.enter()
                timeline = watching.timeline if name else None
                if timeline is None:
                    yield
                else:
                    origin, before = device.origin(), self.record(timing=True)
                    yield
                    stamps = Stamped(origin, [before, self.record(timing=True)])
                    timeline.expect(stamps, [(device.name, self.label, name, {"bytes": nbytes})])
            finally:
                self.count += 1

    # --- events

    def record(self, timing: bool = False) -> CudaEvent:
        event = CudaEvent(self.device, timing)
        check(driver.cuEventRecord(event.handle, self.stream), "recording an event")
        return event

    def wait(self, event: Event) -> None:
        if isinstance(event, CudaEvent):
            self.device.use()
            check(driver.cuStreamWaitEvent(self.stream, event.handle, 0), "waiting for an event")
        else:
            event.wait()

    def idle(self, kernels: Callable[[], str] | None = None) -> bool:
        """Whether everything queued has finished; `kernels` names what an error is blamed on."""
        recent = self.backlog.recent
        known = len(recent)
        (status,) = driver.cuStreamQuery(self.stream)
        if status == _SUCCESS:
            del recent[:known]  # nobody will ask for them
            self.backlog.drop_done()
            return True
        if status == _NOT_READY:
            return False
        raise explain(status, "running kernels", kernels() if kernels else "")

    def synchronize(self) -> None:
        self.device.use()
        if not self.idle():
            self.record().wait()  # other threads may queue more and more: wait for what is there now
