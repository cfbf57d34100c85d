"""GPU memory shared with other libraries by DLPack, each on its own streams.

    capsule = lend(buffer, shape, stream)       # `stream` is the consumer's: it waits for our work
    buffer, array = borrow(tensor)              # our current queue waits for the producer's work

Memory that comes back is used again only after what the consumer has queued on its stream by then. Memory we
borrowed goes back when the work that reads it is over: its owner knows nothing of our queues. All waiting is
done by the device; no thread is held up."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver

from ..buffer import Buffer
from ..device import Device
from ..dlpack import CUDA, Borrowed, pack, unpack
from .errors import check

if TYPE_CHECKING:
    from .device import CudaDevice
    from .queue import CudaEvent

#: DLPack's numbers for streams that have no handle
_NO_WAITING, _AMBIGUOUS, _LEGACY = -1, 0, 1


def lend(buffer: Buffer, shape: tuple[int, ...], stream: int | None) -> Any:
    """A capsule of our memory for a consumer that uses it on `stream` (None: the legacy default stream)."""
    device = _device(buffer.device)
    if stream == _AMBIGUOUS:
        raise ValueError("stream 0 is ambiguous in DLPack: use 1 for the legacy default stream, or a handle")
    consumer = None if stream == _NO_WAITING else driver.CUstream(_LEGACY if stream is None else stream)
    address = buffer.address
    if consumer is not None:
        queue = device.queue
        with queue.using((address,), ()):  # after whoever wrote it
            event = queue.record()
            check(driver.cuStreamWaitEvent(consumer, event.handle, 0), "letting another library wait")
    return pack(
        address, shape, buffer.dtype, (CUDA, device.number), _Return(device, consumer, buffer).come_back
    )


class _Return:
    """Keeps the memory while it is lent out."""

    def __init__(self, device: CudaDevice, consumer: Any, buffer: Buffer) -> None:
        self._device, self._consumer = device, consumer
        self._buffer: Buffer | None = buffer

    def come_back(self) -> None:
        if not sys.is_finalizing() and self._consumer is not None:
            device = self._device
            device.use()
            event = device.main.record_on(self._consumer)
            with device.lock:
                for queue in device.queues:
                    queue.wait(event)
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


class Debts:
    """Borrowed memory that waits for the work that reads it, to be given back."""

    def __init__(self, device: CudaDevice) -> None:
        self._device = device
        self._open: list[tuple[list[CudaEvent], Callable[[], None]]] = []

    def owe(self, release: Callable[[], None], address: int) -> None:
        device = self._device
        device.use()
        with device.lock:
            device.hazards.forget(address, device.main)
            self._open.append(([queue.record() for queue in device.queues], release))
        self.pay()

    def pay(self) -> None:
        """Give back what can be given back; does not wait."""
        while self._open:
            events, release = self._open[0]
            if not all(event.done() for event in events):
                return
            with self._device.lock:
                if not (self._open and self._open[0][1] is release):
                    continue  # another thread did
                del self._open[0]
            release()


def _device(name: str) -> CudaDevice:
    from .device import CudaDevice

    found = Device[name]
    if not isinstance(found, CudaDevice):
        raise BufferError(f"cannot share memory of device {name!r} by DLPack: use .cpu() first")
    return found
