"""Host memory: 64-byte aligned blocks that go back to a cache when nobody refers to them.

    >>> block = allocate(1000)      # a Block of at least 1000 bytes
    >>> block.address % 64
    0
    >>> del block                   # kept for the next request of its size class

Fresh memory costs a page fault every 4 KiB at first touch, several times the price of writing it; a program
that allocates the same sizes again and again should pay it once. Sizes are rounded up to one of eight classes
an octave, so a cached block wastes at most an eighth. The cache holds at most `Allocator.cap` bytes.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import numpy as np

ALIGNMENT = 64
#: Sizes asked for whose class is remembered.
_MOST_CLASSES = 4096


def size_class(nbytes: int) -> int:
    """The size a request is rounded up to: multiples of an eighth of the power of two below it."""
    if nbytes <= 8 * ALIGNMENT:
        return max(ALIGNMENT, -(-nbytes // ALIGNMENT) * ALIGNMENT)
    step = 1 << ((nbytes - 1).bit_length() - 4)
    return -(-nbytes // step) * step


#: memory and the first aligned address in it, which NumPy takes a microsecond to tell
Piece = tuple[np.ndarray[Any, Any], int]


class Block:
    """Aligned memory; a NumPy view made with `np.asarray(block)` keeps it alive."""

    __slots__ = ("__weakref__", "_allocator", "_memory", "address", "nbytes")

    def __init__(self, memory: Piece, nbytes: int, allocator: Allocator | None) -> None:
        """allocator: who keeps the memory for others; None: it goes back to the system."""
        self.address = memory[1]
        self.nbytes = nbytes
        self._memory = memory
        self._allocator = allocator  # last: from here on there is something to give back

    @property
    def __array_interface__(self) -> dict[str, object]:
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.address, False), "version": 3}

    def __del__(self) -> None:
        # a signal may end the process before it is whole
        allocator = getattr(self, "_allocator", None)
        if allocator is not None:
            allocator.release(self._memory, self.nbytes)


class Meter(Protocol):
    """Who counts memory that is only planned."""

    def take(self, nbytes: int) -> None: ...

    def give(self, nbytes: int) -> None: ...


class Absent:
    """Memory that is counted and not there: it has an address of its own and no contents."""

    __slots__ = ("__weakref__", "_meter", "address", "nbytes")

    _addresses = count(ALIGNMENT, ALIGNMENT)

    def __init__(self, nbytes: int, meter: Meter) -> None:
        self.address = next(self._addresses)
        self.nbytes = nbytes
        self._meter = meter
        meter.take(nbytes)

    def __del__(self) -> None:
        if hasattr(self, "_meter"):
            self._meter.give(self.nbytes)

    @staticmethod
    def refusal(what: str) -> str:
        return (
            f"cannot read {what}: the null device plans and counts, and computes no values; "
            f"make the tensors on another device, such as device='cpu'"
        )


class Allocator:
    """Blocks by size class. A free list is a stack: the block freed last is the warmest.

    Taking and giving back are single operations on lists, which need no lock: they happen at every call of a
    jit function, and the garbage collector may give a block back in the middle of anything."""

    def __init__(self, cap: int = 1 << 29) -> None:
        self.cap = cap
        #: bytes in the cache, about: threads may count at the same time; it is put right when it matters
        self.cached = 0
        #: by bytes asked for: the size of the class, and its free memory
        self._classes: dict[int, tuple[int, list[Piece]]] = {}
        self._free: dict[int, list[Piece]] = {}

    def allocate(self, nbytes: int) -> Block:
        """At least `nbytes` of memory, not cleared."""
        found = self._classes.get(nbytes)
        if found is None:
            found = self._class(nbytes)
        size, free = found
        try:
            memory = free.pop()
        except IndexError:
            return Block(self._fresh(size, nbytes), size, self)
        self.cached -= size
        return Block(memory, size, self)

    def allocate_once(self, nbytes: int) -> Block:
        """The same, fresh, and given back to the system when nobody refers to it: for what is large and
        seldom asked for again."""
        size, _ = self._class(nbytes)
        return Block(self._fresh(size, nbytes), size, None)

    def _class(self, nbytes: int) -> tuple[int, list[Piece]]:
        if nbytes < 0:
            raise ValueError(f"cannot allocate {nbytes} bytes")
        size = size_class(nbytes)
        if size > 1 << 30 and size > machine_memory():
            raise _refused(nbytes)
        if len(self._classes) >= _MOST_CLASSES:
            self._classes.clear()
        found = self._classes[nbytes] = (size, self._free.setdefault(size, []))
        return found

    def _fresh(self, size: int, nbytes: int) -> Piece:
        self._count()
        for attempt in (1, 2):
            try:
                memory = np.empty(size + ALIGNMENT, np.uint8)
                start: int = memory.ctypes.data
                return memory, start + -start % ALIGNMENT
            except (
                MemoryError,
                ValueError,
                OverflowError,
            ):  # NumPy refuses sizes beyond the address space by ValueError
                if attempt == 1:
                    self.clear()
        raise _refused(nbytes)

    def release(self, memory: Piece, size: int) -> None:
        """Keep `memory` for the next request of its class, or let it go when the cache is full."""
        if self.cached + size > self.cap:
            self._count()
        if self.cached + size <= self.cap:
            self._free[size].append(memory)
            self.cached += size

    def _count(self) -> None:
        self.cached = sum(size * len(free) for size, free in list(self._free.items()))

    def clear(self) -> None:
        """Give all cached memory back to the system."""
        for free in list(self._free.values()):
            free.clear()
        self.cached = 0


def _refused(nbytes: int) -> MemoryError:
    return MemoryError(
        f"cannot allocate {nbytes} bytes ({describe(nbytes)}): use smaller tensors or a narrower dtype, "
        f"process the data in parts, or drop references to tensors that are no longer needed"
    )


@cache
def machine_memory() -> int:
    """Bytes of memory and swap: a system that promises more would kill the process when it writes to them."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not told on this platform: it has to refuse by itself
        return sys.maxsize
    try:
        swap = next(
            line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("SwapTotal")
        )
    except (OSError, StopIteration):
        return total
    return total + int(swap.split()[1]) * 1024


def describe(nbytes: int) -> str:
    """`describe(3 << 30) == "3.0 GiB"`."""
    size = float(nbytes)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            return f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} PiB"


_allocator = Allocator()
allocate = _allocator.allocate
allocate_once = _allocator.allocate_once
clear = _allocator.clear
