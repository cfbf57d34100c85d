"""GPU memory shared with other libraries by DLPack, each on its own streams.

    capsule = lend(buffer, shape, stream)       # `stream` is the consumer's: it waits for our work
    buffer, array = borrow(tensor)              # our current queue waits for the producer's work

Memory that comes back is used again only after what the consumer has queued on its stream by then. Memory we
borrowed goes back when the work that reads it is over: its owner knows nothing of our queues. All waiting is
done by the device; no thread is held up."""

from __future__ import annotations

import sys
from typing import Any

from cuda.bindings import driver

from ...device import Device
from ...memory.buffer import Buffer
from ...memory.dlpack import CUDA, Borrowed, pack, unpack
from ..device import CudaDevice
from ..errors import CudaError, check
from ..streams.event import CudaEvent

#: DLPack's numbers for streams that have no handle
_NO_WAITING, _AMBIGUOUS, _LEGACY = -1, 0, 1


def lend(buffer: Buffer, shape: tuple[int, ...], stream: int | None) -> Any:
    """A capsule of our memory for a consumer that uses it on `stream` (None: the legacy default stream)."""
    device = _device(buffer.device)
    if stream == _AMBIGUOUS:
        raise ValueError("stream 0 is ambiguous in DLPack: use 1 for the legacy default stream, or a handle")
    consumer = None if stream == _NO_WAITING else driver.CUstream(_LEGACY if stream is None else stream)
    address, queue = buffer.address, device.queue
    event = None
    if consumer is not None:
        with queue.using((address,), ()):  # after whoever wrote it
            event = queue.record()
            check(driver.cuStreamWaitEvent(consumer, event.handle, 0), "letting another library wait")
    lent = _Return(device, consumer, event, buffer)
    return pack(address, shape, buffer.dtype, (CUDA, device.number), lent.come_back)


class _Return:
    """Keeps the memory while it is lent out, and the event that says when the consumer is done: on the way
    back nothing can be refused."""

    def __init__(self, device: CudaDevice, consumer: Any, event: CudaEvent | None, buffer: Buffer) -> None:
        self._device, self._consumer, self._event = device, consumer, event
        self._buffer: Buffer | None = buffer

    def come_back(self) -> None:
        event, device = self._event, self._device
        if event is not None and not sys.is_finalizing() and not device.forked:
            try:
                device.use()
                check(driver.cuEventRecord(event.handle, self._consumer), "waiting for another library")
                with device.lock:
                    for queue in device.queues:
                        queue.wait(event)
            except CudaError as error:
                if not error.lost:  # nothing uses the memory of a context that is lost
                    raise
        self._buffer = None


def borrow(source: Any) -> tuple[Buffer, Borrowed]:
    """A buffer on the memory of another library's GPU array, and how its elements lie there."""
    kind, number = source.__dlpack_device__()
    if kind != CUDA:
        raise BufferError(
            f"cannot borrow memory of DLPack device {kind}: copy it to the GPU or the CPU first"
        )
    device = _device(f"cuda:{number}")
    queue = device.queue
    device.use()
    array = unpack(source.__dlpack__(stream=int(queue.stream)))
    with queue.using((), (array.address,)):
        pass  # what the producer does on our queue counts as work of it
    size = 1
    for length in array.shape:
        size *= length
    memory = _BorrowedMemory(device, array)
    return Buffer.on(memory, size, array.dtype, device.name), array


class _BorrowedMemory:
    """Somebody else's memory, as a block of ours."""

    def __init__(self, device: CudaDevice, array: Borrowed) -> None:
        self.address, self._device, self._array = array.address, device, array

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self._device.debts.owe(self._array.release, self.address)


def _device(name: str) -> CudaDevice:
    found = Device[name]
    if not isinstance(found, CudaDevice):
        raise BufferError(f"cannot share memory of device {name!r} by DLPack: use .cpu() first")
    return found
