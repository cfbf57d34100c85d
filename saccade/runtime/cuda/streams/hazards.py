"""Who used which memory: what lets several queues share buffers as if there were one queue.

A *use* is a place in a queue: (queue, how many submissions it had). Of every buffer the last use that wrote
it and the last use by each queue that read it are kept. Before work is queued,

    reading a buffer    waits for its last writer
    writing a buffer    waits for its last writer and for all readers since
    reusing its memory  waits for all of them

on the device, by events. A queue remembers how far it has waited for each other queue, and an event serves
every use before it, so a queue that reads ten results of another waits once.

    >>> hazards.reads(queue, [x.address]); hazards.writes(queue, [y.address])

A call that is made again and again with the same memory (`call`) would note the same uses each time. Instead
its queue *claims* the memory once: such a use is over when all is that the queue has by then. The claim
stands until another queue touches the memory (a disturbance of the queue); then the call claims it again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final, Protocol

#: The place of a use that is as late as anything that its queue has.
CLAIMED: Final = sys.maxsize


class Ordered(Protocol):
    """A queue as hazards see it."""

    count: int
    #: how often others touched memory that it had claimed
    disturbances: int

    def follow(self, other: Ordered, count: int) -> None:
        """Hold back later work until `other` has done its first `count` submissions, or all it has."""


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
        self._reads(queue, addresses, queue.count + 1)

    def writes(self, queue: Ordered, addresses: Iterable[int]) -> None:
        """The next submission of `queue` writes these buffers, and may read them."""
        self._writes(queue, addresses, queue.count + 1)

    def claim(self, queue: Ordered, reads: Iterable[int], writes: Iterable[int]) -> None:
        """The next submission of `queue` and any later one may read and write these buffers."""
        self._reads(queue, reads, CLAIMED)
        self._writes(queue, writes, CLAIMED)

    def _reads(self, queue: Ordered, addresses: Iterable[int], count: int) -> None:
        for address in addresses:
            written = self._written.get(address)
            if written is None:  # from before there were several queues
                written = self._written[address] = (self.main, self.main.count)
            if written[0] is not queue:
                self._follow(queue, written)
            readers = self._read.setdefault(address, {})
            readers[queue] = max(readers.get(queue, 0), count)

    def _writes(self, queue: Ordered, addresses: Iterable[int], count: int) -> None:
        for address in addresses:
            for use in self.uses(address, queue):
                self._follow(queue, use)
            before = self._written.get(address)
            readers = self._read.pop(address, {})
            claimed = readers.get(queue, 0) == CLAIMED or before == (queue, CLAIMED)
            self._written[address] = (queue, CLAIMED if claimed else count)

    @staticmethod
    def _follow(queue: Ordered, use: Use) -> None:
        other, count = use
        queue.follow(other, count)
        if count == CLAIMED:
            other.disturbances += 1

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
