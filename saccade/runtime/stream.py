"""Streams: several queues of one device, whose work may overlap.

    left, right = saccade.stream(device="cuda"), saccade.stream(device="cuda")
    with left:
        a = first(x)               # queued on `left`
    with right:
        b = second(x)              # queued on `right`, perhaps at the same time
    c = (a + b).realize()          # queued on the main queue; waits for both, on the device

Tensors are lazy: work belongs to the stream that is current where a tensor is *realised* or a jit function is
called. Buffers that several streams use need no care: whoever reads a buffer waits for the stream that wrote
it, and memory is used again only after every stream that reads it. Events are for order beyond that, such as
with other libraries.

On a device with one queue (the CPU, whose work is finished when the call returns) all streams are that queue,
so programs written with streams run everywhere."""

from __future__ import annotations

from threading import local
from typing import Self

from .device import Device, DeviceRuntime, Event, Queue
from .process.forking import fork_lock

#: Queues by number and those that nobody has now, by device.
_numbered: dict[str, list[Queue]] = {}
_unused: dict[str, list[Queue]] = {}
_lock = fork_lock()


class _Before(local):
    """What was current in this thread when a stream was entered, and entered again."""

    def __init__(self) -> None:
        self.stack: list[Queue | None] = []


class Stream:
    """A queue of a device that can be made current; as often as one likes, also inside itself."""

    def __init__(self, device: DeviceRuntime, queue: Queue) -> None:
        self._device = device
        self.queue = queue
        self._before = _Before()

    def __repr__(self) -> str:
        return f"Stream({self.device!r}, {self.queue!r})"

    @property
    def device(self) -> str:
        return self._device.name

    def __enter__(self) -> Self:
        self._before.stack.append(self._device.select(self.queue))
        return self

    def __exit__(self, *raised: object) -> None:
        self._device.select(self._before.stack.pop())

    def record(self) -> Event:
        """The point after everything queued on this stream so far."""
        return self.queue.record()

    def wait(self, what: Event | Stream) -> None:
        """Hold back later work of this stream until an event, or all that another stream has now; no thread
        waits."""
        self.queue.wait(what.record() if isinstance(what, Stream) else what)

    def done(self) -> bool:
        """Whether everything queued so far has finished; does not wait."""
        return self.record().done()

    def synchronize(self) -> None:
        """Block the calling thread until the stream is empty; errors of its work appear here."""
        self.queue.synchronize()


def stream(number: int | None = None, *, device: str | None = None) -> Stream:
    """A stream of a device. With a number it is the same queue each time, 0 the one that is used without a
    stream; without one it is a queue nobody else uses."""
    runtime = Device[device]
    if number is None:
        return _Own(runtime, _take(runtime))
    if number < 0:
        raise ValueError(f"streams are numbered from 0, not {number}")
    with _lock:
        queues = _numbered.setdefault(runtime.name, [runtime.main])
        while len(queues) <= number:
            queues.append(runtime.new_queue())
        return Stream(runtime, queues[number])


class _Own(Stream):
    """A stream that gives its queue to the next one who asks: what is still queued then runs first."""

    def __del__(self) -> None:
        _unused.setdefault(self.device, []).append(self.queue)


def _take(runtime: DeviceRuntime) -> Queue:
    try:
        return _unused.setdefault(runtime.name, []).pop()
    except IndexError:
        return runtime.new_queue()
