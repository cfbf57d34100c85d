"""What goes back when the work that uses it is over: borrowed memory, pinned memory, graphs.

device.debts.owe(release)       # called when all that is queued now is over; nobody waits
"""

from __future__ import annotations

from collections.abc import Callable

from ..card import Card
from ..errors import CudaError
from ..streams.event import CudaEvent


class Debts:
    """What goes back when the work that uses it is over: borrowed memory, pinned memory, graphs."""

    def __init__(self, device: Card) -> None:
        self._device = device
        #: the points that have to be reached, None where there was no memory for events
        self._open: list[tuple[list[CudaEvent] | None, Callable[[], object]]] = []

    def owe(self, release: Callable[[], object], address: int = 0) -> None:
        """Call `release` when all that is queued now is over; `address` is that of a buffer that is gone.
        Finalizers call this: nothing is raised."""
        device = self._device
        if device.forked:
            return  # it is the parent's
        with device.lock:
            device.hazards.forget(address, device.main)
            self._open.append((self._now(), release))
        self.pay()

    def _now(self) -> list[CudaEvent] | None:
        try:
            return [queue.record() for queue in self._device.queues]
        except (MemoryError, CudaError):
            return None

    def _over(self, events: list[CudaEvent] | None) -> bool:
        try:
            if events is None:
                return all(queue.idle() for queue in self._device.queues)
            return all(event.done() for event in events)
        except CudaError as error:
            return error.lost  # nothing runs there any more

    def pay(self) -> None:
        """Give back what can be given back; does not wait."""
        self._device.use()
        while self._open:
            events, release = self._open[0]
            if not self._over(events):
                return
            with self._device.lock:
                if not (self._open and self._open[0][1] is release):
                    continue  # another thread did
                del self._open[0]
            release()
