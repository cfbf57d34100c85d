"""A plan on a GPU: kernels launched one by one the first time, as one captured graph after that.

    plan = CudaPlan(device, launches, slots=2, arena=4096)
    plan.run(queue, [x.address, y.address])          # launches; the second call captures, later ones replay

A graph is captured once and never changed: its kernels find their buffers in a table of addresses on the
device. A program that is called again and again mostly sees a few sets of addresses in turn, so a few graphs
are kept, each with the table it was used with last, and a replay with addresses of one of them is one call of
the driver. For other addresses one small kernel, whose arguments they are, writes a table first. Arguments
are copied by the launch, so replays may overlap in any way the queue allows.

A kernel for a GPU is `extern "C" __global__ void name(const u64 *table, u64 a0, u64 o0, u64 a1, u64 o1,
...)`, a pair for each buffer and one more for the workspace of a kernel that has one. A buffer is at `(table
? table[a] : a) + o`: launched alone, a kernel is given addresses; in a graph, slots of the table. A kernel
with a second function, `name_join`, launches it behind itself with the same arguments, and one with
`name_first` launches that in front.

From Hopper on, blocks of a kernel are started as places become free while the kernel before it ends, and wait
for its last one in their first line (`follow`, in kernels that `codegen.cuda.renderer` says it of): the start
costs no time between kernels then.

A kernel of many buffers spends a third of its registers on looking them up. For calls that are made again and
again on the same memory (`call`) it is compiled once more, with `FIXED_ADDRESSES`: a buffer is at `a`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Final

from cuda.bindings import driver

from ..config import settings
from ..program import ARENA, Launch, Source
from .capture import bury, captured, is_capturing
from .card import Card
from .errors import check, named
from .memory.pool import DeviceBlock
from .streams.backlog import BATCH, describe_sources
from .streams.event import CudaEvent, Stamped, wait_until
from .streams.queue import CudaQueue
from .streams.table import TableWriter

#: Plans of fewer launches are never captured: launching them costs no more than writing the table.
_LEAST_CAPTURED: Final = 3
#: Graphs kept for one queue.
_MOST_GRAPHS: Final = 4
#: Buffers from which a kernel is compiled once more for memory that stays where it is.
_MANY_BUFFERS: Final = 8
_FIXED: Final = "#define FIXED_ADDRESSES\n"
#: in the text of kernels that may begin before the one in front of them has ended
_FOLLOWS: Final = "follow();"
_KNOWS_FIXED: Final = "#ifdef FIXED_ADDRESSES"
_OUT_OF_MEMORY: Final = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY


@dataclass(frozen=True, eq=False)
class CudaProgram:
    """A kernel loaded on a GPU, with the functions behind and in front of it where it has them. The module
    that nobody has any more goes to `unused`, to be unloaded when nothing runs."""

    source: Source
    module: Any
    function: Any
    joins: Any
    begins: Any
    unused: list[Any]

    def __del__(self) -> None:
        self.unused.append(self.module)


def _overlapping(grid: int, block: int, shared: int, stream: Any) -> Any:
    """A launch that may begin while the kernel before it on the stream ends."""
    follows = driver.CUlaunchAttribute()
    follows.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    follows.value.programmaticStreamSerializationAllowed = 1
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = grid, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = block, 1, 1
    config.sharedMemBytes, config.hStream = shared, stream
    config.attrs, config.numAttrs = [follows], 1
    return config


class _Launch:
    """The arguments of one kernel: a table or 0, then (address or slot, offset) for each buffer."""

    def __init__(self, device: Card, launch: Launch, slots: int, arena: int) -> None:
        program = launch.program
        if not isinstance(program, CudaProgram):
            raise TypeError(
                f"kernel {program.source.name!r} was compiled for another device: compile it for the GPU"
            )
        self.program = program  # whose module is unloaded when nobody has it
        self.source, self.function = program.source, program.function
        self.joins, self.begins = program.joins, program.begins
        #: how many the driver sees
        self.launches = 1 + bool(self.source.join_grid) + bool(self.source.first_grid)
        self.fixed = self.source.text.startswith(_FIXED)
        self.overlaps = device.overlaps and _FOLLOWS in self.source.text
        self._make_room = device.make_room
        #: how the kernel was launched last, by function: most are always launched on the same stream
        self._configs: dict[Any, tuple[Any, Any]] = {}
        params = list(launch.params)
        for slot, offset in params:
            if slot != ARENA and not 0 <= slot < slots:
                raise ValueError(f"kernel {self.source.name!r} uses slot {slot}, but the plan has {slots}")
            if slot == ARENA and not 0 <= offset <= arena:
                raise ValueError(f"kernel {self.source.name!r} uses byte {offset} of an arena of {arena}")
        if self.source.workspace:
            params.append((ARENA, _aligned(arena)))
        self.slots = [slots if slot == ARENA else slot for slot, _ in params]
        #: slots that it reads before it waits: it begins early if nothing that may still run writes there
        self.settled = frozenset(params[number][0] for number in self.source.settled)
        self.values = (ctypes.c_uint64 * (1 + 2 * len(params)))()
        for position, (_, offset) in enumerate(params):
            self.values[2 * position + 2] = offset
        self.pointers = _pointers(self.values, 8)

    def launch(
        self, stream: Any, table: int, addresses: Sequence[int], settled: frozenset[int] = frozenset()
    ) -> None:
        """With a table, the kernel looks its addresses up when it runs. `settled`: slots of buffers that
        nothing writes while it may run, early as it begins."""
        source, values = self.source, self.values
        if source.grid == 0:
            return
        early = self.overlaps and self.settled <= settled
        values[0] = table
        for position, slot in enumerate(self.slots):
            values[2 * position + 1] = slot if table else addresses[slot]
            if self.fixed:
                values[2 * position + 1] += values[2 * position + 2]
        if source.first_grid:
            self._start(self.begins, source.first_grid, source.first_block, 0, stream, early)
        self._start(self.function, source.grid, source.block, source.shared, stream, early)
        if source.join_grid:
            self._start(self.joins, source.join_grid, source.join_block, 0, stream, early)

    def _start(self, function: Any, grid: int, block: int, shared: int, stream: Any, early: bool) -> None:
        arguments = ctypes.addressof(self.pointers)
        for last in (False, True):
            if early:
                known = self._configs.get(function)
                if known is None or known[0] is not stream:
                    known = self._configs[function] = (stream, _overlapping(grid, block, shared, stream))
                (status,) = driver.cuLaunchKernelEx(known[1], function, arguments, 0)
            else:
                (status,) = driver.cuLaunchKernel(
                    function, grid, 1, 1, block, 1, 1, shared, stream, arguments, 0
                )
            if not status:
                return
            if last or status != _OUT_OF_MEMORY or is_capturing(stream):
                break
            self._make_room()  # code is loaded when it is first launched
        check((status,), f"launching kernel {self.source.name!r} with {grid} blocks of {block} threads")


def _pointers(values: Any, itemsize: int) -> Any:
    """Kernel arguments are passed as an array of pointers to them."""
    start = ctypes.addressof(values)
    return (ctypes.c_void_p * len(values))(*[start + itemsize * i for i in range(len(values))])


def _aligned(nbytes: int) -> int:
    return -(-nbytes // 512) * 512


class _Table:
    """Addresses on the device, for the graphs of one queue."""

    def __init__(self, queue: CudaQueue, size: int) -> None:
        self.memory = queue.memory.allocate(8 * size)
        self._write = TableWriter(queue.device)
        self.launches = TableWriter.launches(size)

    def write(self, stream: Any, addresses: list[int]) -> None:
        """Queue the kernel that writes the table."""
        self._write(stream, self.memory.address, addresses)


class _Replays:
    """The captured graphs of a plan on one queue, by the addresses in their tables."""

    __slots__ = ("graphs", "next", "ready")

    def __init__(self) -> None:
        self.ready: dict[tuple[int, ...], Any] = {}
        #: a graph, its table, and the addresses in it: None if they are not known
        self.graphs: list[tuple[Any, _Table, tuple[int, ...] | None]] = []
        self.next = 0

    def forget(self) -> None:
        """All tables are to be written anew."""
        self.ready.clear()
        self.graphs[:] = [(execution, table, None) for execution, table, _ in self.graphs]


class CudaPlan:
    """Launches, ready to run on any queue of the device. The caller of `run` holds the device's lock."""

    #: how many of the first slots are read, and which of them are written too
    inputs = 0
    written: tuple[int, ...] = ()
    largest_kept = 1 << 20

    def __init__(self, device: Card, launches: Sequence[Launch], slots: int, arena: int = 0) -> None:
        self.device, self.slots = device, slots
        self.launches = tuple(launches)
        self._kernels = [_Launch(device, launch, slots, arena) for launch in self.launches]
        self._arena_size = arena
        workspace = max((k.source.workspace for k in self._kernels), default=0)
        self.arena_bytes = _aligned(arena) + workspace if workspace else arena
        self._arenas: dict[CudaQueue, DeviceBlock] = {}
        self._replays: dict[CudaQueue, _Replays] = {}
        #: what `again` needs, at hand: the graphs of the main queue among it
        self._lock, self._use = device.lock, device.use
        self._hazards, self._main, self._backlog = device.hazards, device.main, device.main.backlog
        self._ready: dict[tuple[int, ...], Any] = {}
        self._runs = 0

    def __del__(self) -> None:
        for replays in getattr(self, "_replays", {}).values():
            # what is destroyed now may still run
            self.device.worn += replays.graphs

    @cached_property
    def names(self) -> str:
        return named(dict.fromkeys(k.source.name for k in self._kernels))

    def writes(self, addresses: Sequence[int]) -> list[int]:
        """Of the buffers in slots 0, 1, ..., those that are written."""
        return [*(addresses[slot] for slot in self.written), *addresses[self.inputs :]]

    @cached_property
    def _settled(self) -> frozenset[int]:
        """Slots that kernels read before they wait, and no kernel writes: a graph begins when all before it
        has ended, so that nobody writes there while it runs."""
        early = frozenset[int]().union(*(kernel.settled for kernel in self._kernels))
        return (early & frozenset(range(self.inputs))) - frozenset(self.written)

    def _is_apart(self, addresses: Sequence[int]) -> bool:
        """Is nothing that is written in such a slot as well?"""
        settled = {addresses[slot] for slot in self._settled}
        return not settled or not settled & set(self.writes(addresses))

    def sources(self) -> list[Source]:
        return [k.source for k in self._kernels]

    def __call__(self, addresses: Sequence[int]) -> None:
        self.device.queue.submit(self, addresses)

    def run(self, queue: CudaQueue, addresses: Sequence[int]) -> None:
        """Queue all launches with these buffers in slots 0, 1, ..."""
        self.device.use()
        replays = self._replays.get(queue)
        execution = None if replays is None else replays.ready.get(tuple(addresses))
        if execution is None:
            execution = self._first(queue, replays, addresses)
            if execution is None:
                return
        queue.backlog.enter(self)
        (status,) = driver.cuGraphLaunch(execution, queue.stream)
        if status:
            self.launch_again(status, execution, queue)

    def launch_again(self, status: Any, execution: Any, queue: CudaQueue) -> None:
        """The driver refused a graph of this plan: launch it once more if memory was missing, else raise."""
        if status == _OUT_OF_MEMORY:  # a graph is uploaded when it is first launched
            self.device.make_room()
            (status,) = driver.cuGraphLaunch(execution, queue.stream)
        check((status,), f"launching the graph of kernels {self.names}")

    def again(self, addresses: Sequence[int]) -> bool:
        """`CudaQueue.submit` and `run` in one, for a device with one queue; False if it has several, and
        nothing was queued."""
        lock, queue = self._lock, self._main
        lock.acquire()  # half the price of `with`
        try:
            if self._hazards.active:
                return False
            queue.count += 1
            execution = self._ready.get(tuple(addresses))
            if execution is None:
                self.run(queue, addresses)
            else:
                self._use()
                backlog = self._backlog
                if len(backlog.recent) >= BATCH:  # `enter` without the call
                    backlog.close_batch()
                backlog.recent.append(self)
                (status,) = driver.cuGraphLaunch(execution, queue.stream)
                if status:
                    self.launch_again(status, execution, queue)
        finally:
            lock.release()
        return True

    def _first(self, queue: CudaQueue, replays: _Replays | None, addresses: Sequence[int]) -> Any:
        """A graph to launch for addresses that are new, or None if the kernels were launched one by one."""
        if len(addresses) != self.slots:
            raise ValueError(f"a plan with {self.slots} slots was given {len(addresses)} buffers")
        if settings.cuda_check:
            self._launch_checked(queue, [*addresses, self._arena(queue)])
            return None
        few = replays is None and (self._runs == 0 or len(self._kernels) < _LEAST_CAPTURED)
        if few or not self._is_apart(addresses):
            self._runs = 1
            self._launch(queue, [*addresses, self._arena(queue)])
            return None
        if replays is None:
            replays = self._replays[queue] = _Replays()
            if queue is self._main:
                self._ready = replays.ready
        return self._prepare(replays, queue, tuple(addresses))

    def _prepare(self, replays: _Replays, queue: CudaQueue, addresses: tuple[int, ...]) -> Any:
        """A graph whose table has these addresses: a new one, or the one that was not changed longest."""
        arena, graphs = self._arena(queue), replays.graphs
        number = next((n for n, (_, _, known) in enumerate(graphs) if known is None), len(graphs))
        if number == _MOST_GRAPHS:
            number, replays.next = replays.next, (replays.next + 1) % _MOST_GRAPHS
        elif number == len(graphs):
            graphs.append((*self._capture(queue), None))
        execution, table, before = graphs[number]
        if before is not None:
            graphs[number] = (execution, table, None)
            del replays.ready[before]
        queue.backlog.enter(self, table.launches)
        self.device.with_room(lambda: table.write(queue.stream, [*addresses, arena]))
        graphs[number] = (execution, table, addresses)
        replays.ready[addresses] = execution
        return execution

    def _launch(self, queue: CudaQueue, addresses: list[int]) -> None:
        for kernel in self._kernels:
            queue.backlog.enter(self, kernel.launches)
            kernel.launch(queue.stream, 0, addresses)

    def _launch_checked(self, queue: CudaQueue, addresses: list[int]) -> None:
        """Wait for each kernel, so that an error is the error of the last one launched."""
        for kernel in self._kernels:
            queue.backlog.enter(self, kernel.launches)
            kernel.launch(queue.stream, 0, addresses)
            told = partial(describe_sources, [kernel.source])
            wait_until(partial(queue.idle, told), told)

    def _arena(self, queue: CudaQueue) -> int:
        """The address of the memory for intermediates. Where the queue has a larger one by now, graphs that
        know the one before are told when they are used again."""
        if not self.arena_bytes:
            return 0
        block = queue.memory.arena(self.arena_bytes)
        if self._arenas.get(queue) is not block:
            self._arenas[queue] = block
            replays = self._replays.get(queue)
            if replays is not None:
                replays.forget()
        return block.address

    def intermediates(self, queue: CudaQueue) -> DeviceBlock | None:
        """The memory that launches which are made now use for them, for whoever makes them again later."""
        return self._arenas.get(queue)

    def _capture(self, queue: CudaQueue) -> tuple[Any, _Table]:
        bury(self.device)
        table = _Table(queue, self.slots + 1)

        def enqueue(stream: Any) -> None:
            for kernel in self._kernels:
                kernel.launch(stream, table.memory.address, [], self._settled)

        return self.device.with_room(lambda: captured(enqueue, self.names)), table

    def bound(
        self, queue: CudaQueue, addresses: Sequence[int], sent: Sequence[int] = ()
    ) -> Callable[[Any], None]:
        """What queues the launches, for memory that stays where it is, on a stream whose work will run on
        `queue`. `sent`: addresses that the graph writes in front of the launches."""
        bound, kernels = [*addresses, self._arena(queue)], self._fixed
        written = {*self.writes(addresses), *sent}
        settled = frozenset(slot for slot in self._settled if addresses[slot] not in written)

        def enqueue(stream: Any) -> None:
            for kernel in kernels:
                kernel.launch(stream, 0, bound, settled)

        return enqueue

    @cached_property
    def _fixed(self) -> list[_Launch]:
        """The kernels for memory that stays where it is, those of many buffers compiled for it."""
        sources = self.sources()
        many = [n for n, s in enumerate(sources) if s.params >= _MANY_BUFFERS and _KNOWS_FIXED in s.text]
        texts = [replace(sources[n], text=_FIXED + sources[n].text) for n in many]
        made = list(self._kernels)
        for n, program in zip(many, self.device.compile(texts), strict=True):
            launch = Launch(program, self.launches[n].params)
            made[n] = _Launch(self.device, launch, self.slots, self._arena_size)
        return made

    def profile(self, addresses: Sequence[int]) -> list[float]:
        """Like calling it, and the seconds each launch took on the device."""
        events = self.stamped(self.device.queue, addresses)
        events[-1].wait()
        return [after.seconds_since(before) for before, after in pairwise(events)]

    @property
    def captures(self) -> bool:
        """Whether calls are replayed as one captured graph, unless somebody wants the times of launches."""
        return len(self._kernels) >= _LEAST_CAPTURED

    def stamp(self, addresses: Sequence[int]) -> Stamped:
        """Like calling it; the times of the launches are known when they are over."""
        return Stamped(self.device.origin(), self.stamped(self.device.queue, addresses))

    def stamped(self, queue: CudaQueue, addresses: Sequence[int]) -> list[CudaEvent]:
        """Queue all launches one by one, with an event before the first and after each."""
        device = self.device
        device.use()
        with device.lock:
            if device.hazards.active:
                device.hazards.reads(queue, addresses[: self.inputs])
                device.hazards.writes(queue, self.writes(addresses))
            queue.count += 1
            bound = [*addresses, self._arena(queue)]
            events = [queue.record(timing=True)]
            for kernel in self._kernels:
                queue.backlog.enter(self, kernel.launches)
                kernel.launch(queue.stream, 0, bound)
                events.append(queue.record(timing=True))
        return events
