"""A GPU behind the seam of `runtime.device`.

    device = Device["cuda:0"]
    device.queue                         # the current queue of this thread
    before = device.select(device.new_queue())       # another one is current; `runtime.stream` is for people

Plans on different queues may use the same buffers: `hazards` orders them, so results are those of one queue.
Nothing of it costs anything while there is one queue only."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final, TypeVar

from cuda.bindings import driver

from ..cache.cache import Cache
from ..call import Call, Inbox
from ..config import settings
from ..device import Queue, Runnable
from ..memory.blocks import describe
from ..process.forking import fork_lock
from ..program import Launch, Program, Source
from .call import CudaCall, CudaInbox
from .compiler import architecture, build, forget
from .errors import CudaError, check, witnesses
from .memory.debts import Debts
from .memory.pinned import PinnedArray, PinnedWords
from .memory.pool import DeviceBlock
from .plan import CudaPlan, CudaProgram
from .streams.backlog import describe_plans
from .streams.context import Plan
from .streams.event import CudaEvent
from .streams.hazards import Hazards
from .streams.queue import CudaQueue

#: How long one origin of device times serves.
_ORIGIN_SECONDS: Final = 60.0
_ATTRIBUTE: Final = driver.CUdevice_attribute
T = TypeVar("T")


class _Local(threading.local):
    """What is current in a thread: a context, and of each device a queue."""

    context: Any = None

    def __init__(self) -> None:
        self.queues: dict[str, CudaQueue] = {}


_local: Final = _Local()
#: the devices of this process
_open: Final[list[CudaDevice]] = []
if hasattr(os, "register_at_fork"):
    # so that a child asks for the context, and is told that it has none
    os.register_at_fork(after_in_child=lambda: setattr(_local, "context", None))


def _start(name: str) -> None:
    """Load the driver, or say that there is none."""
    try:
        result = driver.cuInit(0)
    except (RuntimeError, OSError) as error:  # the bindings look for the driver's library on the first call
        raise RuntimeError(f"device {name!r} needs an NVIDIA driver, and none was found: {error}") from None
    check(result, "starting CUDA")


class CudaDevice:
    """One GPU: its primary context, shared with whatever else in the process uses the CUDA runtime."""

    host_memory = False

    def __init__(self, name: str) -> None:
        self.name, self._process = name, os.getpid()
        number = int(name.partition(":")[2] or 0)
        _start(name)
        count = check(driver.cuDeviceGetCount(), "counting GPUs")
        if number >= count:
            raise RuntimeError(
                f"there is no {name!r}: this machine has {count} GPU(s), cuda:0 to cuda:{count - 1}"
            )
        self.number, self.count = number, count
        self.handle = check(driver.cuDeviceGet(number), "opening the GPU")
        self.context = check(driver.cuDevicePrimaryCtxRetain(self.handle), "creating a context")
        try:
            self._prepare()
        except BaseException:
            driver.cuDevicePrimaryCtxRelease(self.handle)
            raise

    def _prepare(self) -> None:
        """All that needs the context."""
        self.use()
        major = self._attribute("COMPUTE_CAPABILITY_MAJOR")
        self.arch = architecture(major, self._attribute("COMPUTE_CAPABILITY_MINOR"))
        self.target = self.arch  # what compiled code depends on
        self.overlaps = major >= 9 and settings.cuda_overlap
        #: the kind of card, for what was measured on it
        self.card = f"{self._name()} {self.arch}"
        self.shared_limit = self._attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")
        self.processors = self._attribute("MULTIPROCESSOR_COUNT")
        self.lock = fork_lock()  # held while something is queued
        self._pool = check(driver.cuDeviceGetDefaultMemPool(self.handle), "finding the memory pool")
        self._keep_memory()
        self.hazards = Hazards()
        self.hazards.main = self.main = CudaQueue(self, "main")
        self.queues = [self.main]
        self.debts = Debts(self)
        self.pinned_words = PinnedWords(self)
        #: graphs that nobody calls any more, and what they use
        self.worn: list[tuple[Any, ...]] = []
        #: modules whose kernels nobody has any more
        self.unused: list[Any] = []
        self._origin: tuple[CudaEvent, float] | None = None
        witnesses[int(self.context)] = lambda: describe_plans(self.suspects())
        _open.append(self)

    @property
    def about(self) -> str:
        self.use()
        _, total = check(driver.cuMemGetInfo(), "asking the GPU")
        return f"{self._name()}, {describe(int(total))}, {self.arch}"

    @property
    def free_bytes(self) -> int:
        """What the driver says is left."""
        self.use()
        free, _ = check(driver.cuMemGetInfo(), "asking the GPU")
        return int(free)

    def _name(self) -> str:
        name: bytes = check(driver.cuDeviceGetName(128, self.handle), "asking the GPU")
        return name.partition(b"\0")[0].decode()

    def _attribute(self, name: str) -> int:
        which = getattr(_ATTRIBUTE, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(check(driver.cuDeviceGetAttribute(which, self.handle), "asking the GPU"))

    def _keep_memory(self) -> None:
        """Let the driver's pool keep what is freed instead of giving it back at every synchronisation."""
        threshold = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        check(
            driver.cuMemPoolSetAttribute(self._pool, threshold, driver.cuuint64_t((1 << 64) - 1)),
            "setting the pool",
        )

    @property
    def forked(self) -> bool:
        """Whether this process is a fork of the one that has the context."""
        return self._process != os.getpid()

    def use(self) -> None:
        """Make the context current on this thread."""
        if _local.context is not self.context:
            if self.forked:
                raise CudaError(
                    f"device {self.name!r} was opened before this process was forked, and CUDA does not "
                    "survive that: start processes that use a GPU with multiprocessing's method 'spawn', or "
                    "fork before the GPU is used",
                    lost=True,
                )
            check(driver.cuCtxSetCurrent(self.context), "using the GPU")
            _local.context = self.context

    # --- queues

    @property
    def queue(self) -> CudaQueue:
        if not self.hazards.active:
            return self.main
        return _local.queues.get(self.name, self.main)

    def select(self, queue: Queue | None) -> Queue | None:
        """Make a queue current in this thread, None for the main one; what was selected before."""
        if not (queue is None or (isinstance(queue, CudaQueue) and queue.device is self)):
            raise ValueError(f"{queue!r} is no queue of device {self.name!r}")
        before = _local.queues.pop(self.name, None)
        if queue is not None:
            _local.queues[self.name] = queue
        return before

    def new_queue(self) -> CudaQueue:
        with self.lock:
            queue = CudaQueue(self, f"stream {len(self.queues)}")
            self.hazards.active = True
            try:
                queue.follow(self.main, self.main.count + 1)
            except BaseException:
                driver.cuStreamDestroy(queue.stream)
                raise
            self.queues.append(queue)
            return queue

    def suspects(self) -> list[Plan]:
        """The plans that may be running."""
        return [plan for queue in list(self.queues) for plan in queue.suspects()]

    def kernels(self) -> str:
        """The kernels that may be running, for messages: on any GPU, because queues wait for those of others.
        If one of them is lost, what waits for it waits for ever: CudaError."""
        found: list[Plan] = []
        for device in sorted(_open, key=lambda device: device is self):  # which is in use afterwards
            device.use()
            busy = [queue for queue in list(device.queues) if not queue.idle()]
            found += [plan for queue in busy for plan in queue.suspects()]
        return describe_plans(found)

    def origin(self) -> tuple[CudaEvent, float]:
        """An event, and when it happened by `time.perf_counter`: places device times on the host's clock.
        A fresh one now and then, because the distance of two events is told in single precision."""
        if self._origin is None or perf_counter() - self._origin[1] > _ORIGIN_SECONDS:
            event = self.main.record(timing=True)
            event.wait()
            self._origin = (event, perf_counter())
        return self._origin

    def settle(self) -> None:
        """Wait until all queues are empty."""
        for queue in list(self.queues):
            queue.synchronize()

    # --- memory

    def allocate(self, nbytes: int) -> DeviceBlock:
        """For work of the current queue; others may use it too."""
        return (self.queue if self.hazards.active else self.main).memory.allocate(nbytes)

    def release_memory(self) -> None:
        """Give the memory that is kept for later back to the driver, and wait until it has it."""
        with self.lock:
            for queue in self.queues:
                queue.memory.clear()
            self.settle()
            self._unload()
            for queue in self.queues:
                queue.sent.tidy()
        self.debts.pay()
        check(driver.cuMemPoolTrimTo(self._pool, 0), "giving memory back")

    def make_room(self) -> None:
        """Give back what can be given back, tensors in reference cycles among it."""
        gc.collect()
        self.release_memory()

    def with_room(self, work: Callable[[], T]) -> T:
        """What `work` gives; if there is no memory for it, once more after `make_room`."""
        try:
            return work()
        except MemoryError:
            pass  # and its frames are gone, with what they held
        self.make_room()
        return work()

    def pinned(self, nbytes: int) -> PinnedArray:
        """Host memory for copies at full speed that overlap with kernels."""
        return PinnedArray(self, nbytes)

    def is_pinned(self, address: int) -> bool:
        which = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        status, kind = driver.cuPointerGetAttribute(which, address)
        return status == driver.CUresult.CUDA_SUCCESS and int(kind) == int(
            driver.CUmemorytype.CU_MEMORYTYPE_HOST
        )

    def memory_in_use(self) -> int:
        return sum(q.memory.held - q.memory.cached for q in list(self.queues))

    # --- programs

    def compile(self, sources: Sequence[Source], store: Cache | None = None) -> list[Program]:
        """`store` keeps the compiled code in place of the shared cache."""
        self.use()
        cubins = build(sources, self.arch, store)
        return [self._loaded(source, code, store) for source, code in zip(sources, cubins, strict=True)]

    def begin(self, source: Source) -> Callable[[], Program]:
        (cubin,) = build([source], self.arch)
        return lambda: self._loaded(source, cubin, None)

    def _loaded(self, source: Source, cubin: bytes, store: Cache | None) -> CudaProgram:
        """The program of a cubin; one from the cache that the driver refuses is compiled once more."""
        try:
            return self._load(source, cubin)
        except CudaError as error:
            if error.lost:
                raise
            forget(source, self.arch, str(error), store)
            return self._load(source, build([source], self.arch, store)[0])

    def _load(self, source: Source, cubin: bytes) -> CudaProgram:
        if not source.block:
            raise TypeError(f"kernel {source.name!r} has no launch shape: render it for a GPU")
        with self.lock:
            self.settle()  # loading waits for running kernels inside the driver, where no watchdog sees it
            self._unload()
        loading = f"loading kernel {source.name!r}"
        module: Any = self.with_room(lambda: check(driver.cuModuleLoadData(cubin), loading))
        try:
            return self._functions(source, module)
        except BaseException:
            driver.cuModuleUnload(module)
            raise

    def _functions(self, source: Source, module: Any) -> CudaProgram:
        """The functions of a kernel in its module, ready to be launched."""
        function = check(
            driver.cuModuleGetFunction(module, source.name.encode()), f"finding kernel {source.name!r}"
        )
        if source.shared > 48 << 10:
            most = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(
                driver.cuFuncSetAttribute(function, most, source.shared),
                f"giving kernel {source.name!r} {source.shared} bytes of shared memory",
            )
        others: dict[str, Any] = {
            suffix: check(
                driver.cuModuleGetFunction(module, f"{source.name}_{suffix}".encode()),
                f"finding the function {suffix!r} of kernel {source.name!r}",
            )
            for suffix, grid in (("join", source.join_grid), ("first", source.first_grid))
            if grid
        }
        return CudaProgram(source, module, function, others.get("join"), others.get("first"), self.unused)

    def _unload(self) -> None:
        """Give graphs and modules back that nobody has any more; nothing runs now."""
        while self.worn:
            driver.cuGraphExecDestroy(self.worn.pop()[0])
        while self.unused:
            driver.cuModuleUnload(self.unused.pop())

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        return CudaPlan(self, launches, slots, arena)

    # --- calls of one plan on the same memory, again and again

    def inbox(self, address: int, nbytes: int) -> CudaInbox:
        return CudaInbox(self, address, nbytes)

    def call(
        self,
        plan: Runnable,
        addresses: Sequence[int],
        inboxes: Sequence[Inbox],
        result: tuple[int, int] | None,
    ) -> Call | None:
        """On the queue that is current now."""
        mine = [inbox for inbox in inboxes if isinstance(inbox, CudaInbox)]
        if settings.cuda_check or not isinstance(plan, CudaPlan) or len(mine) != len(inboxes):
            return None
        self.use()
        return CudaCall(plan, self.queue, addresses, mine, result)
