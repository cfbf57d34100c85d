"""A device with its queues, as plans, calls and debts see it: `CudaDevice` is above them."""

from __future__ import annotations

from typing import Any, Protocol

from .memory.pinned import PinnedWords
from .memory.pool import DeviceBlock
from .streams.context import Context
from .streams.queue import CudaQueue


class Card(Context, Protocol):
    """A GPU of this process."""

    main: CudaQueue
    queues: list[CudaQueue]
    pinned_words: PinnedWords
    #: whether kernels may begin while those before them end
    overlaps: bool
    #: graphs that nobody calls any more, and what they use
    worn: list[tuple[Any, ...]]

    @property
    def queue(self) -> CudaQueue:
        """The current queue of this thread."""

    @property
    def forked(self) -> bool:
        """Whether this process is a fork of the one that has the context."""

    def allocate(self, nbytes: int) -> DeviceBlock: ...
