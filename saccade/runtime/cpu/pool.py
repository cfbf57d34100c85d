"""The threads that run kernels: one pool per process, started when first needed, gone with the process.

    >>> pool = shared_pool()
    >>> pool.run(launches, count, slots)        # one native call, without the GIL, for a whole plan

The work is done by native code (`pool_source` tells how); here it is compiled, loaded and given its settings.
A forked child has the parent's memory but not its threads, so it starts over with an empty pool.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Final

from ..config import MOST_THREADS, settings
from ..memory.blocks import Block, allocate_once
from ..program import Source
from .build import CpuProgram, build
from .builtin import Call, builtin
from .pool_source import pool_source

#: bytes of the smallest arena: from 4 MB on NumPy asks for huge pages, which take 2 MB at the first byte
ROOM: Final = 15 << 18

_Run = Callable[[int, int, int, "int | bytes", "int | None"], int]


class Arena:
    """Memory for intermediates that plans share. `block` is replaced by a larger one where a plan needs more:
    who runs on it holds it until the end."""

    __slots__ = ("__weakref__", "block")

    def __init__(self, block: Block) -> None:
        self.block = block


class Pool:
    """`threads` threads, the caller of `run` among them."""

    def __init__(self, threads: int, spin_us: int = settings.spin_us) -> None:
        if not 1 <= threads <= MOST_THREADS:
            raise ValueError(f"a pool cannot have {threads} threads: use 1 to {MOST_THREADS}")
        self.threads = threads
        self._spin_us = spin_us
        self._arena: weakref.ref[Arena] | None = None
        self._lock = threading.Lock()
        self._home = ctypes.c_void_p()  # where builtin functions find the handle
        self._create()
        _pools.add(self)

    def _create(self) -> None:
        create, self._run, self._destroy = _functions()
        handle = create(self.threads - 1, self._spin_us * 1000)
        if not handle:
            raise MemoryError(f"no memory for a pool of {self.threads} threads: set SACCADE_THREADS lower")
        self._handle: int = handle
        self._home.value = handle

    def function(self, launches: int, count: int, words: int) -> tuple[Callable[[list[int]], int], object]:
        """A function that runs these launches on the addresses of their slots, a list of so many: what `run`
        returns, or -1 for a list of another length; and what has to live as long."""
        if sys.platform == "win32":
            pack = struct.Struct(f"={words}q").pack
            return lambda a: self.run(launches, count, pack(*a)) if len(a) == words else -1, None
        call = Call(ctypes.addressof(self._home), launches, count, words)
        return builtin(_program().image.address("plan_call"), call), call

    def run(self, launches: int, count: int, slots: int | bytes, times: int | None = None) -> int:
        """Run `count` launches (addresses of `plan`'s tables; `slots` may be the table itself); 0, or one
        more than the launch that lacked memory.

        `times`, where given, is room for count + 1 stamps in nanoseconds: before each launch, and at the
        end."""
        return self._run(self._handle, launches, count, slots, times)

    def arena(self, nbytes: int) -> Arena:
        """Memory for intermediates. Plans take turns on a pool, so all of them may use the same block: the
        largest asked for yet, kept while a plan refers to it. Small ones have room to grow, so that plans for
        lengths that double do not take one after the other: pages that nobody writes to take no memory."""
        with self._lock:
            arena = self._arena() if self._arena is not None else None
            if arena is None:
                arena = Arena(allocate_once(max(nbytes, ROOM)))
                self._arena = weakref.ref(arena)
            elif arena.block.nbytes < nbytes:
                arena.block = allocate_once(nbytes)
            return arena

    def resize(self, threads: int) -> None:
        """Go on with so many threads, as where another process takes some of the cores. No plan may run."""
        self.close()
        self.threads = threads
        self._create()

    def close(self) -> None:
        """End the threads. The process's own pool is never closed: sleeping threads end with the process."""
        handle, self._handle = self._handle, 0
        if handle:
            self._destroy(handle)

    def _after_fork(self) -> None:
        # the parent's pool may have been locked, and its threads are not here: leave it and start over
        self._lock = threading.Lock()
        if self._handle:
            self._create()


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()


def _restart_pools() -> None:
    for pool in list(_pools):
        pool._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart_pools)


@cache
def _functions() -> tuple[Callable[[int, int], int], _Run, Callable[[int], None]]:
    if sys.platform == "win32":
        from . import serial

        return serial.create, serial.run, serial.destroy
    program = _program()
    word, pointer = ctypes.c_int64, ctypes.c_void_p
    create = ctypes.CFUNCTYPE(pointer, word, word)(program.image.address("pool_create"))
    run = ctypes.CFUNCTYPE(word, pointer, pointer, word, pointer, pointer)(program.address)
    destroy = ctypes.CFUNCTYPE(None, pointer)(program.image.address("pool_destroy"))
    return create, run, destroy


#: Programs of the pool: two threads that need it first may make one each, and functions are only addresses.
_kept: list[CpuProgram] = []


@cache
def _program() -> CpuProgram:
    program: CpuProgram = build([Source("pool_run", pool_source(), tasks=0, params=0, quick=True)])[0]
    _kept.append(program)
    return program


@cache
def shared_pool() -> Pool:
    """The process's pool, of `settings.threads` threads."""
    return Pool(settings.threads)
