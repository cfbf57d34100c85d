"""A plan: launches of programs over a table of buffer slots, prepared once and run by one native call.

    launches = [Launch(scale, ((0, 0), (ARENA, 0))),      # reads slot 0, writes the arena
                Launch(total, ((ARENA, 0), (1, 0)))]      # reads the arena, writes slot 1
    plan = Plan(launches, slots=2, arena=4096)
    plan([x.address, y.address])

A parameter of a launch is (slot, byte offset). Slots are numbered from 0 and bound by the caller at each run;
ARENA is the slot of the memory for intermediates, where the memory plan has given every value its offset.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NoReturn

from .cpu.build import CpuProgram
from .cpu.machine import PIECES_PER_THREAD
from .cpu.pool import Arena, Pool, shared_pool
from .cpu.pool_source import LAUNCH_FIELDS
from .memory.blocks import Block
from .program import ARENA as ARENA
from .program import Launch as Launch

_MOST_CHUNKS: Final = 1 << 31


class _LaunchTable(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in LAUNCH_FIELDS]


class Plan:
    """Launches, ready to run on a pool."""

    largest_kept = 1 << 14

    def __init__(
        self, launches: Sequence[Launch], slots: int, arena: int = 0, pool: Pool | None = None
    ) -> None:
        self.launches = tuple(launches)
        self.slots = slots
        self.arena_bytes = arena
        self._pool = shared_pool() if pool is None else pool
        self._arena: Arena | None = None
        self._pack = struct.Struct(f"={slots + 1}q").pack
        self._table = (ctypes.c_int64 * (slots + 1))()
        self._keep: list[object] = []  # what the launch table points at
        self._launches = (_LaunchTable * len(self.launches))(*map(self._lower, self.launches))
        self._launches_address = ctypes.addressof(self._launches)
        self._count = len(self.launches)
        self._table_address = ctypes.addressof(self._table)
        self._call, self._behind_call = self._pool.function(self._launches_address, self._count, slots + 1)

    def _lower(self, launch: Launch) -> _LaunchTable:
        program, source = launch.program, launch.program.source
        if not isinstance(program, CpuProgram):
            raise TypeError(
                f"kernel {source.name!r} was compiled for another device: compile it with Device['cpu']"
            )
        refs = (ctypes.c_int64 * (2 * len(launch.params)))()
        for i, (slot, offset) in enumerate(launch.params):
            if slot != ARENA and not 0 <= slot < self.slots:
                raise ValueError(f"kernel {source.name!r} uses slot {slot}, but the plan has {self.slots}")
            if slot == ARENA and not 0 <= offset <= self.arena_bytes:
                raise ValueError(
                    f"kernel {source.name!r} uses byte {offset} of an arena of {self.arena_bytes}"
                )
            refs[2 * i], refs[2 * i + 1] = (self.slots if slot == ARENA else slot), offset
        params = (ctypes.c_int64 * max(1, len(launch.params)))()
        self._keep += [refs, params]
        grain = source.grain or max(1, source.tasks // (PIECES_PER_THREAD * self._pool.threads))
        grain = max(grain, -(-source.tasks // _MOST_CHUNKS))
        return _LaunchTable(
            function=program.address,
            tasks=source.tasks,
            grain=grain,
            chunks=-(-source.tasks // grain),
            count=len(launch.params),
            refs=ctypes.addressof(refs),
            params=ctypes.addressof(params),
            scratch=source.scratch,
        )

    def bind(self, slot: int, address: int) -> None:
        """Put a buffer into a slot for the next `run`s, for a caller that changes few of many."""
        if not 0 <= slot < self.slots:
            raise IndexError(f"slot {slot} of a plan with {self.slots}")
        self._table[slot] = address

    def run(self) -> None:
        """Run all launches on the buffers bound; returns when they are done."""
        block = self._arena_block()
        self._table[self.slots] = _address(block)
        self._run(self._table_address, None)

    def __call__(self, addresses: Sequence[int]) -> None:
        """Run with these buffers in slots 0, 1, ...; threads may share a plan this way."""
        block = self._arena_block() if self.arena_bytes else None  # ours until the end, whoever asks for more
        failed = self._call([*addresses, 0 if block is None else block.address])
        if failed:
            self._fail(failed, addresses)

    def again(self, addresses: Sequence[int]) -> bool:
        """Like calling it: there is one queue."""
        self(addresses)
        return True

    def call(self, addresses: Sequence[int]) -> Callable[[], None]:
        """A function that runs with these buffers, again and again."""
        block, call = self._arena_block(), self._call
        words = [*addresses, _address(block)]
        if len(addresses) != self.slots:
            raise self._wrong_count(addresses)

        def run(_keep: Block | None = block) -> None:
            failed = call(words)
            if failed:
                self._fail(failed, addresses)

        return run

    def profile(self, addresses: Sequence[int]) -> list[float]:
        """Like calling it, and the seconds each launch took."""
        stamps = (ctypes.c_int64 * (len(self.launches) + 1))()
        block = self._arena_block()
        self._run(self._table_of(addresses, block), ctypes.addressof(stamps))
        return [(end - start) * 1e-9 for start, end in pairwise(stamps)]

    def _table_of(self, addresses: Sequence[int], block: Block | None) -> bytes:
        """A table for this call alone: no lock is needed, and none can be left held in a forked child."""
        if len(addresses) != self.slots:
            raise self._wrong_count(addresses)
        return self._pack(*addresses, _address(block))

    def _wrong_count(self, addresses: Sequence[int]) -> ValueError:
        return ValueError(f"a plan with {self.slots} slots was given {len(addresses)} buffers")

    def _arena_block(self) -> Block | None:
        """The memory for intermediates, of which another plan may have asked for more."""
        arena = self._arena
        if arena is None:
            if not self.arena_bytes:
                return None
            arena = self._arena = self._pool.arena(self.arena_bytes)
        return arena.block

    def _run(self, table: int | bytes, times: int | None) -> None:
        failed = self._pool.run(self._launches_address, len(self.launches), table, times)
        if failed:
            self._fail(failed, ())

    def _fail(self, failed: int, addresses: Sequence[int]) -> NoReturn:
        """A call did not return 0 (`Pool.function`)."""
        if failed < 0:
            raise self._wrong_count(addresses)
        source = self.launches[failed - 1].program.source
        raise MemoryError(
            f"no memory for the tiles of kernel {source.name!r}: {source.scratch} bytes for each of "
            f"{self._pool.threads} threads; set SACCADE_THREADS lower or free memory"
        )


def _address(block: Block | None) -> int:
    return 0 if block is None else block.address
