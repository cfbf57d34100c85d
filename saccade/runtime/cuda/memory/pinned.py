"""Pinned memory of the host, and what copies from and to other memory of the host go through.

    with ring.piece(nbytes) as place: ...      # on the way in: fill it and queue the copy
    with pieces.piece(0) as place: ...         # on the way out: queue the copy; two pieces in turn
    pieces.wait(0)

A copy that is queued happens behind all that was queued before it, and its piece is not free before that. So
what is sent goes through a `Ring`, whose pieces are as long as what is in them and as many as fit: whoever
sends a little, again and again, does not wait behind a kernel that takes long. The copies of a queue happen
in the order in which they are queued, so the oldest piece is free first. The ring does not grow, for pinning
memory waits for the device.

What is brought is waited for anyway, so `Pieces` are two: one is filled while the other is read."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from ...memory.blocks import describe
from ...process.forking import fork_lock
from ..errors import check
from ..streams.context import Context
from ..streams.event import CudaEvent

#: The most that one piece holds: longer copies take several.
PIECE_BYTES: Final = 4 << 20
RING_BYTES: Final = 2 * PIECE_BYTES
#: What a queue pins when something is first copied: the ring, and behind it the pieces.
STAGING_BYTES: Final = RING_BYTES + 2 * PIECE_BYTES
#: Pieces of the ring begin at multiples of it, so that none shares a cache line with another.
_ALIGNMENT: Final = 128
#: Pinned memory that small pieces are cut from: 2 MiB.
_PINNED_WORDS: Final = 1 << 18


def pin(device: Context, nbytes: int) -> int:
    """The address of new pinned memory. The driver may wait for all work inside, where no watchdog sees it,
    so that is waited for first."""
    device.settle()
    result = driver.cuMemHostAlloc(nbytes, driver.CU_MEMHOSTALLOC_PORTABLE)
    return int(check(result, f"pinning {nbytes} bytes ({describe(nbytes)}) of the host's memory"))


class PinnedArray:
    """Host memory the GPU copies from and to directly; `np.asarray` of it is a view. It goes back when the
    work that was queued by then is over: the driver would wait for that too, where no watchdog sees it."""

    def __init__(self, device: Context, nbytes: int) -> None:
        self.nbytes, self._device = nbytes, device
        self.address = pin(device, max(nbytes, 1))

    @property
    def __array_interface__(self) -> dict[str, object]:
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.address, False), "version": 3}

    def array(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
        """A view as an array of this shape."""
        count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        view: np.ndarray[Any, Any] = np.asarray(self)[:count].view(dtype).reshape(shape)
        return view

    def __del__(self) -> None:
        if hasattr(self, "address") and not sys.is_finalizing():
            self._device.debts.owe(partial(driver.cuMemFreeHost, self.address))


class Copying(Protocol):
    """A queue as these pieces see it."""

    def staging(self) -> int:
        """The address of its pinned memory."""

    def record(self) -> CudaEvent: ...

    def idle(self) -> bool: ...

    def synchronize(self) -> None: ...


class _Piece:
    """Bytes of the ring that a copy may still read: until `copied`, or as long as the queue is busy."""

    __slots__ = ("copied", "end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.copied: CudaEvent | None = None


class Ring:
    """Pieces for what a queue sends, one behind the other and round again. `lock` is for whoever sends."""

    def __init__(self, queue: Copying) -> None:
        self.lock = fork_lock()
        #: how often there was no room, and a copy was waited for
        self.waits = 0
        self._queue = queue
        self._sent: deque[_Piece] = deque()  # the oldest first

    @contextmanager
    def piece(self, nbytes: int) -> Iterator[int]:
        """The address of free memory, from which a copy is queued inside the block. It may be queued although
        the block fails: then the piece is free when the queue is empty."""
        memory = self._queue.staging()
        size = -(-nbytes // _ALIGNMENT) * _ALIGNMENT
        self._drop_copied()
        while (start := self._gap(size)) is None:
            self._wait_for_oldest()
        piece = _Piece(start, start + size)
        self._sent.append(piece)
        yield memory + start
        piece.copied = self._queue.record()

    def _gap(self, size: int) -> int | None:
        """Where so many bytes in a row are free."""
        if not self._sent:
            return 0
        begin, end = self._sent[0].start, self._sent[-1].end
        if end <= begin:  # the last piece is behind the others, and before the first
            return end if end + size <= begin else None
        if end + size <= RING_BYTES:
            return end
        return 0 if size <= begin else None

    def _drop_copied(self) -> None:
        sent = self._sent
        while sent:
            copied = sent[0].copied
            if not (self._queue.idle() if copied is None else copied.done()):
                return
            sent.popleft()

    def _wait_for_oldest(self) -> None:
        self.waits += 1
        _tell(f"{self._queue!r} waits for the first of {len(self._sent)} copies to the GPU: its ring is full")
        copied = self._sent[0].copied
        if copied is None:
            self._queue.synchronize()
        else:
            copied.wait()
        self._sent.popleft()

    def tidy(self) -> None:
        """Give back the events of copies that have happened, unless somebody is sending."""
        if self.lock.acquire(blocking=False):  # who sends may be waiting for a lock of our caller's
            try:
                while self._sent and (copied := self._sent[0].copied) is not None and copied.done():
                    self._sent.popleft()
            finally:
                self.lock.release()


class Pieces:
    """Two pieces for what a queue brings. `lock` is for whoever asks for it."""

    def __init__(self, queue: Copying) -> None:
        self.lock = fork_lock()
        self._queue = queue
        #: what waits for the copies that the pieces are in
        self._waits: list[Callable[[], None] | None] = [None, None]

    @contextmanager
    def piece(self, number: int) -> Iterator[int]:
        """The address of piece 0 or 1, to which a copy is queued inside the block; as in `Ring.piece`."""
        place = self.wait(number)
        self._waits[number] = self._queue.synchronize
        yield place
        self._waits[number] = self._queue.record().wait

    def wait(self, number: int) -> int:
        """The address of a piece whose copy has happened."""
        wait = self._waits[number]
        if wait is not None:
            wait()
            self._waits[number] = None
        return self._queue.staging() + RING_BYTES + number * PIECE_BYTES


class PinnedWords:
    """Small pieces of pinned memory, cut from larger ones: pinning waits for the device, cutting does not. A
    piece is a view, and the memory goes when all its views are gone."""

    def __init__(self, device: Context) -> None:
        self._device = device
        self._rest: NDArray[np.uint64] = np.empty(0, np.uint64)

    def take(self, words: int) -> NDArray[np.uint64]:
        """Zeros, a cache line of their own."""
        size = -(-words // 16) * 16
        with self._device.lock:
            if size > len(self._rest):
                whole = max(size, _PINNED_WORDS)
                self._rest = PinnedArray(self._device, 8 * whole).array((whole,), np.uint64)
            piece, self._rest = self._rest[:words], self._rest[size:]
        piece[:] = 0
        return piece


def _tell(message: str) -> None:
    import logging  # 5 ms that a process is spared where nobody waits

    logging.getLogger(__name__).debug(message)
