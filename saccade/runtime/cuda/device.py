"""A GPU behind the seam of `runtime.device`.

    device = Device["cuda:0"]
    device.queue                         # the current queue of this thread
    with device.stream() as queue:       # another queue is current in this block
        ...

Plans on different queues may use the same buffers: the runtime orders them (`order`), so results are those of
one queue. Nothing of it costs anything while there is one queue only."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from weakref import WeakSet

from cuda.bindings import driver

from ..device import Runnable
from ..program import Launch, Program, Source
from .compiler import architecture, build
from .errors import check
from .memory import CudaAllocator, DeviceBlock
from .plan import CudaPlan, CudaProgram
from .queue import CudaQueue, PinnedArray

_ATTRIBUTE: Final = driver.CUdevice_attribute
_local = threading.local()


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
        self.name = name
        number = int(name.partition(":")[2] or 0)
        _start(name)
        count = check(driver.cuDeviceGetCount(), "counting GPUs")
        if number >= count:
            raise RuntimeError(
                f"there is no {name!r}: this machine has {count} GPU(s), cuda:0 to cuda:{count - 1}"
            )
        self.handle = check(driver.cuDeviceGet(number), "opening the GPU")
        self.context = check(driver.cuDevicePrimaryCtxRetain(self.handle), "creating a context")
        self.use()
        major = self._attribute("COMPUTE_CAPABILITY_MAJOR")
        self.arch = architecture(major, self._attribute("COMPUTE_CAPABILITY_MINOR"))
        self.target = self.arch  # what compiled code depends on
        self.shared_limit = self._attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")
        self.processors = self._attribute("MULTIPROCESSOR_COUNT")
        self.shared = False  # whether there is more than one queue
        self._queues: WeakSet[CudaQueue] = WeakSet()
        self._last: dict[int, CudaQueue] = {}
        self.main = CudaQueue(self)
        self._queues.add(self.main)
        self._keep_memory()
        self._allocator = CudaAllocator(self.main.stream, self.use, self._settle)

    def _attribute(self, name: str) -> int:
        which = getattr(_ATTRIBUTE, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(check(driver.cuDeviceGetAttribute(which, self.handle), "asking the GPU"))

    def _keep_memory(self) -> None:
        """Let the driver's pool keep what is freed instead of giving it back at every synchronisation."""
        pool = check(driver.cuDeviceGetDefaultMemPool(self.handle), "finding the memory pool")
        threshold = driver.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        check(
            driver.cuMemPoolSetAttribute(pool, threshold, driver.cuuint64_t((1 << 64) - 1)),
            "setting the pool",
        )

    def use(self) -> None:
        """Make the context current on this thread."""
        if getattr(_local, "context", None) is not self.context:
            check(driver.cuCtxSetCurrent(self.context), "using the GPU")
            _local.context = self.context

    # --- queues

    @property
    def queue(self) -> CudaQueue:
        queues: dict[str, CudaQueue] = getattr(_local, "queues", {})
        return queues.get(self.name, self.main)

    @contextmanager
    def stream(self, queue: CudaQueue | None = None) -> Iterator[CudaQueue]:
        """Work of this thread goes to `queue` (a new one if none is given) inside the block."""
        queue = self.new_queue() if queue is None else queue
        queues: dict[str, CudaQueue] = _local.__dict__.setdefault("queues", {})
        before = queues.get(self.name)
        queues[self.name] = queue
        try:
            yield queue
        finally:
            if before is None:
                del queues[self.name]
            else:
                queues[self.name] = before

    def new_queue(self) -> CudaQueue:
        queue = CudaQueue(self)
        queue.wait(self.main.record())
        self._queues.add(queue)
        self.shared = True
        return queue

    def order(self, queue: CudaQueue, addresses: Sequence[int]) -> None:
        """Let `queue` wait for other queues that used these buffers last."""
        others = {self._last.get(a, self.main) for a in addresses} - {queue}
        for other in others:
            queue.wait(other.record())
        self._last.update(dict.fromkeys(addresses, queue))

    def _settle(self) -> None:
        """Order the main queue after all others, before memory they may use is reused."""
        if self.shared:
            for queue in list(self._queues):
                if queue is not self.main:
                    self.main.wait(queue.record())

    # --- memory

    def allocate(self, nbytes: int) -> DeviceBlock:
        block = self._allocator.allocate(nbytes)
        if self.shared:
            self._last[block.address] = self.main
        return block

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
        return self._allocator.used

    # --- programs

    def compile(self, sources: Sequence[Source]) -> list[Program]:
        self.use()
        cubins = build(sources, self.arch)
        return [self._load(s, code) for s, code in zip(sources, cubins, strict=True)]

    def _load(self, source: Source, cubin: bytes) -> CudaProgram:
        if not source.block:
            raise TypeError(f"kernel {source.name!r} has no launch shape: render it for a GPU")
        module: Any = check(driver.cuModuleLoadData(cubin), f"loading kernel {source.name!r}")
        function = check(
            driver.cuModuleGetFunction(module, source.name.encode()), f"finding kernel {source.name!r}"
        )
        if source.shared > 48 << 10:
            most = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(
                driver.cuFuncSetAttribute(function, most, source.shared),
                f"giving kernel {source.name!r} {source.shared} bytes of shared memory",
            )
        return CudaProgram(source, module, function)

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        return CudaPlan(self, launches, slots, arena)
