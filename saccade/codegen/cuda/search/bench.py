"""A kernel on a GPU, tried: its buffers, the result every candidate has to give, and how long it takes.

    bench = GpuBench(kernel, "cuda:0")
    bench.expect(program)                 # the heuristic's: what it gives is what is wanted
    bench.check(other)                    # WrongResult, or nothing
    bench.seconds(other)                  # by device events, launched many times as one captured graph

Launches in a row would find in the cache what the last one left there, which a kernel of this size in a
program would not: those that are too large for it take turns with several sets of buffers."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.kernels.kernel import Kernel, combines
from ....graph.ops import Op
from ....runtime.cache.cache import Cache
from ....runtime.device import Device, DeviceRuntime, Runnable
from ....runtime.memory.buffer import Buffer
from ....runtime.program import Launch, Program, Source
from ...search.trial import WrongResult, agree, looseness, numbers, place_words, small_integers, tolerance

#: bytes of a card's cache, generously: sets of buffers come to this much
_CACHE_BYTES: Final = 128 << 20
#: buffers this small stay in the cache from one kernel of a program to the next
_WARM_BYTES: Final = 6 << 20
_MOST_SETS: Final = 16
#: random numbers that buffers repeat; no power of two, so that rows differ
_BLOCK: Final = (1 << 20) - 3
#: seconds of work in a captured graph, launches of it, and how often it is replayed
_GRAPH_SECONDS: Final = 4e-4
_LAUNCHES: Final = (3, 48)
_REPLAYS: Final = 4


class GpuBench:
    """Buffers of a kernel on a device, and what it has to compute."""

    def __init__(self, kernel: Kernel, device: str) -> None:
        self.kernel, self.device = kernel, device
        self.runtime: DeviceRuntime = Device[device]
        self.store = Cache(None, 1 << 26)
        #: a driver's device, which has a clock and whose memory is its own
        self.driven = hasattr(self.runtime, "card")
        loaded = {n.src[0].arg.slot for n in kernel.nodes if n.op is Op.LOAD and n.src[0].op is Op.PARAM}
        updates = any(map(combines, kernel.sink.src))
        self.in_place = updates or bool(loaded & set(kernel.outputs))
        nbytes = sum(size * dtype.itemsize for dtype, size in kernel.params)
        sets = -(-_CACHE_BYTES // max(nbytes, 1)) if nbytes > _WARM_BYTES else 1
        self.sets = 1 if self.in_place or not self.driven else min(sets, _MOST_SETS)
        self._fill()
        self.expected: list[Buffer] = []
        self.looseness = looseness(kernel)
        self.comparisons: dict[int, tuple[Runnable, Runnable]] = {}

    def _fill(self) -> None:
        random, small = np.random.default_rng(0), small_integers(self.kernel)
        first: list[Buffer] = []
        blocks = [numbers(dtype, min(size, _BLOCK), random, small) for dtype, size in self.kernel.params]
        place_words(self.kernel, blocks)
        for (dtype, size), block in zip(self.kernel.params, blocks, strict=True):
            buffer = Buffer(size, dtype, self.device)
            for start in range(0, size, _BLOCK):
                part = min(_BLOCK, size - start) * dtype.itemsize
                place = buffer.address + start * dtype.itemsize
                self.runtime.queue.copy_in(place, block.ctypes.data, part)
            first.append(buffer)
        self.before = {slot: self._copy(first[slot]) for slot in self.kernel.outputs}
        self.runtime.queue.synchronize()
        self.buffers = [first, *([self._copy(b) for b in first] for _ in range(self.sets - 1))]
        self.addresses = [buffer.address for each in self.buffers for buffer in each]

    def _copy(self, buffer: Buffer) -> Buffer:
        made = Buffer(buffer.size, buffer.dtype, self.device)
        self._overwrite(made, buffer)
        return made

    def _overwrite(self, to: Buffer, source: Buffer) -> None:
        if self.driven:
            queue: Any = self.runtime.queue  # only queues with memory of their own copy within it
            queue.copy(to.address, source.address, to.nbytes)
        else:
            to.copy_from(source.numpy())

    # --- programs

    def compiled(self, sources: list[Source]) -> list[Program | Exception]:
        """A program for each source, or why there is none; compiled several at a time."""
        if self.driven:
            self._compile_ahead(sources)
        made: list[Program | Exception] = []
        for source in sources:
            try:
                made += self._load(source)
            except RuntimeError as error:  # CompileError, or the driver's
                made.append(error)
        return made

    def _compile_ahead(self, sources: list[Source]) -> None:
        """Fill the store, so that loading finds what it needs; what fails here fails again there."""
        from concurrent.futures import ThreadPoolExecutor

        from ....runtime.config import settings
        from ....runtime.cuda.compiler import build

        runtime: Any = self.runtime
        with ThreadPoolExecutor(max(1, min(settings.threads, len(sources)))) as threads:
            for future in [threads.submit(build, [source], runtime.arch, self.store) for source in sources]:
                future.exception()

    def _load(self, source: Source) -> list[Program]:
        if not self.driven:
            return self.runtime.compile([source])
        runtime: Any = self.runtime
        programs: list[Program] = runtime.compile([source], self.store)
        return programs

    # --- results

    def expect(self, program: Program) -> None:
        """What this program computes is what all others have to."""
        self._run(program)
        outputs = [self.buffers[0][slot] for slot in self.kernel.outputs]
        self.expected = [self._copy(b) for b in outputs]
        self.runtime.queue.synchronize()

    def check(self, program: Program) -> None:
        """Raise WrongResult unless a program computes what is expected."""
        self._run(program)
        for slot, wanted in zip(self.kernel.outputs, self.expected, strict=True):
            found, dtype = self.buffers[0][slot], self.kernel.params[slot][0]
            if not self._equal(slot, found, wanted, dtype):
                raise WrongResult(f"output {slot} of kernel {program.source.name!r} is another")

    def _run(self, program: Program) -> None:
        for slot, buffer in self.before.items():
            self._overwrite(self.buffers[0][slot], buffer)
        self._plan(program, 1)(self.addresses)
        self.runtime.queue.synchronize()

    def _equal(self, slot: int, found: Buffer, wanted: Buffer, dtype: DType) -> bool:
        if not self.driven:
            return agree(found.numpy(), wanted.numpy(), dtype, self.looseness)
        from .compare import compare_sources

        if slot not in self.comparisons:
            sources = compare_sources(dtype, found.size, tolerance(dtype, self.looseness))
            first, second = (self._load(source)[0] for source in sources)
            slots = tuple((n, 0) for n in range(3))
            plan = self.runtime.plan
            self.comparisons[slot] = (
                plan([Launch(first, slots[1:])], 3),
                plan([Launch(second, slots)], 3),
            )
        result = Buffer(2, dtypes.uint32, self.device)
        result.copy_from(np.zeros(2, np.uint32))
        for compare in self.comparisons[slot]:
            compare([found.address, wanted.address, result.address])
        return int(result.numpy()[1]) == 0

    # --- time

    def seconds(self, program: Program, most: float = float("inf")) -> float | None:
        """How long one launch takes, at best; None if the first took longer than `most`."""
        once = self._plan(program, 1)
        first = min(self._time(once) for _ in range(2))
        if first > most:
            return None
        if self.in_place or not self.driven:
            return min([first, *(self._time(once) for _ in range(_REPLAYS))])
        launches = round(min(max(_GRAPH_SECONDS / max(first, 1e-7), _LAUNCHES[0]), _LAUNCHES[1]))
        launches = -(-launches // self.sets) * self.sets
        plan = self._plan(program, launches)
        for _ in range(2):  # the second call captures the graph
            plan(self.addresses)
        return min(self._time(plan) for _ in range(_REPLAYS)) / launches

    def _plan(self, program: Program, launches: int) -> Runnable:
        """The program so many times, on the sets of buffers in turn."""
        params = len(self.kernel.params)
        made = [
            Launch(program, tuple((number % self.sets * params + slot, 0) for slot in range(params)))
            for number in range(launches)
        ]
        return self.runtime.plan(made, params * self.sets)

    def _time(self, plan: Runnable) -> float:
        if self.in_place:
            for slot, buffer in self.before.items():
                self._overwrite(self.buffers[0][slot], buffer)
        if not self.driven:
            start = time.perf_counter()
            plan(self.addresses)
            return time.perf_counter() - start
        queue: Any = self.runtime.queue
        before = queue.record(timing=True)
        plan(self.addresses)
        after = queue.record(timing=True)
        after.wait()
        return float(after.seconds_since(before))
