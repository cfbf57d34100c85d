"""Who used which memory: what lets several queues share buffers as if there were one queue.

A *use* is a place in a queue: (queue, how many submissions it had). Of every buffer the last use that wrote
it and the last use by each queue that read it are kept. Before work is queued,

    reading a buffer    waits for its last writer
    writing a buffer    waits for its last writer and for all readers since
    reusing its memory  waits for all of them

on the device, by events. A queue remembers how far it has waited for each other queue, and an event serves
every use before it, so a queue that reads ten results of another waits once.

    >>> hazards.reads(queue, [x.address]); hazards.writes(queue, [y.address])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Ordered(Protocol):
    """A queue as hazards see it."""

    count: int

    def follow(self, other: Ordered, count: int) -> None:
        """Hold back later work until `other` has done its first `count` submissions."""


#: a place in a queue
Use = tuple[Ordered, int]


class Hazards:
    """The uses of the buffers of one device. The caller holds the device's lock."""

    def __init__(self) -> None:
        #: whether there is more than one queue: until then nothing is noted
        self.active = False
        self.main: Ordered  # the queue that was there before there were several
        self._written: dict[int, Use] = {}
        self._read: dict[int, dict[Ordered, int]] = {}

    def reads(self, queue: Ordered, addresses: Iterable[int]) -> None:
        """The next submission of `queue` reads these buffers."""
        count = queue.count + 1
        for address in addresses:
            written = self._written.get(address)
            if written is None:  # from before there were several queues
                written = self._written[address] = (self.main, self.main.count)
            if written[0] is not queue:
                queue.follow(*written)
            self._read.setdefault(address, {})[queue] = count

    def writes(self, queue: Ordered, addresses: Iterable[int]) -> None:
        """The next submission of `queue` writes these buffers, and may read them."""
        for address in addresses:
            for other, count in self.uses(address, queue):
                queue.follow(other, count)
            self._read.pop(address, None)
            self._written[address] = (queue, queue.count + 1)

    def uses(self, address: int, but: Ordered) -> tuple[Use, ...]:
        """The uses of a buffer by other queues that are not known to be over."""
        found = []
        written = self._written.get(address)
        if written is not None and written[0] is not but:
            found.append(written)
        readers = self._read.get(address)
        if readers:
            found += [(other, count) for other, count in list(readers.items()) if other is not but]
        return tuple(found)

    def forget(self, address: int, owner: Ordered) -> tuple[Use, ...]:
        """The buffer is gone: what `owner` has to wait for before the memory is used again."""
        found = self.uses(address, owner)
        self._written.pop(address, None)
        self._read.pop(address, None)
        return found
