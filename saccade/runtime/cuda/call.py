"""Calls on a GPU: one captured graph that also takes what the host sends and brings what the host reads.

    inbox = CudaInbox(device, address, nbytes)
    call = CudaCall(plan, queue, addresses, [inbox], (result, size))
    inbox.ready(); inbox.array[:] = ...; call.run(); call.read()

For a few kilobytes, queueing a copy costs the host more than the copy costs the device, and so does asking
the driver whether it is over. So kernels of the graph do it: the first reads what the host wrote to pinned
memory, the last writes the result to pinned memory. Each then counts up a word there, which the host reads
like any other: no call of the driver but the launch.

    carry(to, from, words, state, signal)       copy; the last block to finish counts `signal` up
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from ..program import Source
from .capture import bury, captured
from .card import Card
from .errors import check
from .memory.pool import DeviceBlock
from .plan import CudaPlan
from .streams.backlog import BATCH
from .streams.event import AWAKE_SECONDS, let_others_in, wait_until
from .streams.queue import CudaQueue

Bytes = NDArray[np.uint8]

#: Threads of a block of `carry`, and how many blocks there are at most.
_BLOCK: Final = 512
_MOST_BLOCKS: Final = 64
#: Looks at a signal before other threads are let in: a few us.
_LOOKS: Final = 100

CARRY: Final = """
typedef unsigned long long u64;
extern "C" __global__ void carry(u64 *to, const volatile u64 *from, u64 words, u64 *state,
                                 volatile u64 *signal) {
  u64 count = signal ? state[1] + 1 : 0;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += (u64)gridDim.x * blockDim.x)
    to[i] = from[i];
  if (!signal) return;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x) return;
  if (gridDim.x > 1) {
    if (atomicAdd(&state[0], 1ull) != gridDim.x - 1) return;
    state[0] = 0;
    __threadfence_system();
  }
  state[1] = count;
  *signal = count;
}
"""


class _Carrier:
    """One copy that a graph makes at each launch between pinned memory (`array`) and the device, and the word
    behind it that says how often it was made."""

    def __init__(self, device: Card, nbytes: int) -> None:
        self.words = -(-nbytes // 8)
        whole = device.pinned_words.take(self.words + 1)
        self._host: int = whole.ctypes.data
        self.array: Bytes = whole.view(np.uint8)[8 : 8 + nbytes]
        self.signal = whole.data
        self._state: DeviceBlock = device.allocate(16)
        self.addresses = (self._state.address,)
        zero = np.zeros(2, np.uint64)
        device.queue.copy_in(self._state.address, zero.ctypes.data, zero.nbytes)
        self._function = device_carry_kernel(device)

    def enqueue(self, stream: Any, address: int, outwards: bool, signal: bool = True) -> None:
        """Queue the copy: from the device memory at `address` if `outwards`, else to it."""
        host = self._host
        there, here = (host + 8, address) if outwards else (address, host + 8)
        values = (ctypes.c_uint64 * 5)(there, here, self.words, self._state.address, host if signal else 0)
        start = ctypes.addressof(values)
        pointers = (ctypes.c_void_p * 5)(*[start + 8 * i for i in range(5)])
        blocks = min(max(1, -(-self.words // (2 * _BLOCK))), _MOST_BLOCKS)
        result = driver.cuLaunchKernel(
            self._function, blocks, 1, 1, _BLOCK, 1, 1, 0, stream, ctypes.addressof(pointers), 0
        )
        check(result, "queueing a copy between the host and the GPU")


def device_carry_kernel(device: Card) -> Any:
    """The kernel that copies, loaded once for each device."""
    found: Any = _kernels.get(device.name)
    if found is None:
        (found,) = device.compile([Source("carry", CARRY, 1, 0, grid=1, block=_BLOCK)])
        _kernels[device.name] = found
    return found.function


_kernels: dict[str, Any] = {}


class CudaInbox:
    """Pinned memory that calls take their input from. It was taken when its own signal says so, or when the
    result of the call is there: then nothing has to be said in between."""

    def __init__(self, device: Card, address: int, nbytes: int) -> None:
        self.carrier = _Carrier(device, nbytes)
        self.array = self.carrier.array
        self.address = address
        self.signals = 0
        #: the signal that says so, its value, and the queue of the call
        self.taken: tuple[memoryview, int, CudaQueue] = (self.carrier.signal, 0, device.queue)

    def ready(self) -> None:
        signal, wanted, queue = self.taken
        if signal[0] < wanted:
            _wait(signal, wanted, queue)


class CudaCall:
    """The graph of a plan on one queue, with addresses, inboxes and the result's place built in."""

    def __init__(
        self,
        plan: CudaPlan,
        queue: CudaQueue,
        addresses: Sequence[int],
        inboxes: Sequence[CudaInbox],
        result: tuple[int, int] | None,
    ) -> None:
        device = plan.device
        self._plan, self._queue, self._inboxes = plan, queue, tuple(inboxes)
        self._lock, self._hazards, self._use = device.lock, device.hazards, device.use
        self._stream, self._backlog = queue.stream, queue.backlog
        self._outbox = None if result is None else _Carrier(device, result[1])
        self._runs = 0
        carriers = [inbox.carrier for inbox in self._inboxes] + ([self._outbox] if self._outbox else [])
        own = [address for carrier in carriers for address in carrier.addresses]
        self._reads = tuple(addresses[: plan.inputs])
        self._writes = (*plan.writes(addresses), *own, *(inbox.address for inbox in self._inboxes))
        self._claimed = -1
        launches = plan.bound(queue, addresses, [inbox.address for inbox in self._inboxes])
        self._intermediates = plan.intermediates(queue)  # its address is part of the graph

        def enqueue(stream: Any) -> None:
            for inbox in self._inboxes:
                inbox.carrier.enqueue(stream, inbox.address, outwards=False, signal=result is None)
            launches(stream)
            if self._outbox is not None and result is not None:
                self._outbox.enqueue(stream, result[0], outwards=True)

        bury(device)
        self._device = device
        self._execution = device.with_room(lambda: captured(enqueue, plan.names))

    def run(self) -> None:
        queue = self._queue
        with self._lock:
            if self._hazards.active and self._claimed != queue.disturbances:
                self._hazards.claim(queue, self._reads, self._writes)
                self._claimed = queue.disturbances
            self._use()
            queue.count += 1
            if len(self._backlog.recent) >= BATCH:  # `enter` without the call
                self._backlog.close_batch()
            self._backlog.recent.append(self._plan)
            (status,) = driver.cuGraphLaunch(self._execution, self._stream)
            if status:
                self._plan.launch_again(status, self._execution, queue)
        self._runs += 1
        for inbox in self._inboxes:
            if self._outbox is not None:
                inbox.taken = (self._outbox.signal, self._runs, queue)
            else:
                inbox.signals += 1
                inbox.taken = (inbox.carrier.signal, inbox.signals, queue)

    def read(self) -> Bytes:
        outbox = self._outbox
        assert outbox is not None, "the call was made without a result"
        if outbox.signal[0] < self._runs:
            _wait(outbox.signal, self._runs, self._queue)
        return outbox.array

    def __del__(self) -> None:
        if hasattr(self, "_execution"):
            # what is destroyed now may still run; and a graph may be in the middle of its capture
            self._device.worn.append((self._execution, self._outbox, self._inboxes))


def _wait(signal: memoryview, wanted: int, queue: CudaQueue) -> None:
    """Return when the word has come so far. Watching it costs nothing but this thread's time, so that goes on
    for a while; what takes longer is waited for as everything else is, errors included."""
    start = time.perf_counter()
    while time.perf_counter() - start < AWAKE_SECONDS:
        for _ in range(_LOOKS):
            if signal[0] >= wanted:
                return
        let_others_in()
    queue.device.use()

    def arrived() -> bool:
        queue.idle()  # raises the error of a kernel that failed
        return bool(signal[0] >= wanted)

    wait_until(arrived, queue.device.kernels)
