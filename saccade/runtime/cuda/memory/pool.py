"""Device memory: the driver's stream-ordered pool, with the blocks freed last kept by size class.

    >>> block = queue.memory.allocate(1000)
    >>> del block                          # reusable at once by work that is queued later

Every queue has blocks of its own. A block is given back while kernels that use it may still run: that is
safe, because whoever gets it next queues work behind them. A block that other queues used as well (`hazards`
knows) is kept together with these uses, and its queue waits for them, on the device, before the block is used
again.

Taking and giving back are single operations on lists, which need no lock: they happen at every call of a jit
function, and a block may be given back by the garbage collector in the middle of anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import ref

from cuda.bindings import driver

from ...memory.blocks import describe, size_class
from ...process.forking import fork_lock
from ..errors import check
from ..streams.hazards import Hazards, Ordered, Use

#: Smallest block: the alignment of every address the driver gives.
_LEAST = 512
#: From this size on there are 32 classes an octave: an eighth of a state of gigabytes is too much to waste.
_LARGE = 1 << 20
#: A block that may be used again, after these uses of it by other queues.
_Free = tuple[int, tuple[Use, ...]]
#: A size class of a queue: its size, its free blocks, and whom to ask about other queues.
_Home = tuple[int, list[_Free], Hazards, Ordered]
#: A block of so many bytes is asked of the driver when those that are kept have gone back to it: what made a
#: model is in nobody's way when it is trained. Each size goes back once: those that come again are kept.
_TRIMMING = 1 << 26


class DeviceBlock:
    """Memory of a GPU; goes back to its allocator with the last reference. Only an allocator makes one."""

    __slots__ = ("__weakref__", "_home", "address")

    address: int
    _home: _Home

    @property
    def nbytes(self) -> int:
        return self._home[0]

    def __del__(self) -> None:
        _, free, hazards, owner = self._home
        address = self.address
        free.append((address, hazards.forget(address, owner) if hazards.active else ()))


_new = object.__new__


def rounded(nbytes: int) -> int:
    """The bytes that a block for so many has: at most an eighth more, of a large one a thirty-second."""
    if nbytes <= _LARGE:
        return max(_LEAST, size_class(nbytes))
    step = 1 << ((nbytes - 1).bit_length() - 6)
    return -(-nbytes // step) * step


class CudaAllocator:
    """Blocks of one queue, `owner`. The callables: make the device's context current; wait for other queues;
    give back what can be given back."""

    def __init__(
        self,
        stream: Any,
        use: Callable[[], None],
        owner: Ordered,
        hazards: Hazards,
        follow: Callable[[tuple[Use, ...]], None],
        make_room: Callable[[], None],
    ) -> None:
        self._stream, self._use, self._sharing = stream, use, (hazards, owner)
        self._follow, self._make_room = follow, make_room
        self._classes: dict[int, _Home] = {}  # by bytes asked for
        self._free: dict[int, list[_Free]] = {}  # by the size of the class
        self._trimmed: set[int] = set()  # sizes that went back for a large block
        self._lock = fork_lock()
        self._arena: ref[DeviceBlock] | None = None
        #: bytes that the driver gave
        self.held = 0
        #: and the most there were
        self.peak = 0

    @property
    def cached(self) -> int:
        """Bytes that are kept for the next request."""
        return sum(size * len(free) for size, free in list(self._free.items()))

    def allocate(self, nbytes: int) -> DeviceBlock:
        home = self._classes.get(nbytes)
        if home is None:
            home = self._class(nbytes)
        try:
            address, uses = home[1].pop()
        except IndexError:
            address, uses = self._fresh(home[0], nbytes), ()
        if uses:
            try:
                self._follow(uses)
            except BaseException:
                home[1].append((address, uses))
                raise
        block = _new(DeviceBlock)
        block.address, block._home = address, home
        return block

    def arena(self, nbytes: int) -> DeviceBlock:
        """Memory for what the kernels of a plan leave for each other. Plans of a queue run one after the
        other, so all that have one have the same. Where one needs more, a larger block takes its place: who
        has the one before may go on with it, and does better to ask again."""
        block = None if self._arena is None else self._arena()
        if block is None or block.nbytes < nbytes:
            block = self.allocate(nbytes)
            self._arena = ref(block)
        return block

    def _class(self, nbytes: int) -> _Home:
        if nbytes < 0:
            raise ValueError(f"cannot allocate {nbytes} bytes")
        size = rounded(nbytes)
        with self._lock:
            found = (size, self._free.setdefault(size, []), *self._sharing)
            if len(self._classes) > 4096:
                self._classes.clear()
            self._classes[nbytes] = found
        return found

    def _fresh(self, size: int, nbytes: int) -> int:
        self._use()
        if size >= _TRIMMING:
            self._trim()
        status, address = driver.cuMemAllocAsync(size, self._stream)
        if status == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            self._make_room()
            status, address = driver.cuMemAllocAsync(size, self._stream)
        if status == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise MemoryError(
                f"cannot allocate {nbytes} bytes ({describe(nbytes)}) on the GPU{_room()}, tensors of this "
                f"process take {describe(self.held)}: "
                f"use smaller tensors or a narrower dtype, or drop references to tensors no longer needed"
            )
        check((status,), f"allocating {nbytes} bytes")
        with self._lock:
            self.held += size
            self.peak = max(self.peak, self.held)
        return int(address)

    def clear(self) -> None:
        """Give all free memory back to the driver."""
        self._use()
        self._give_back(list(self._free))

    def _trim(self) -> None:
        """Give back free blocks of sizes that have not been given back so before."""
        sizes = [size for size, free in list(self._free.items()) if free and size not in self._trimmed]
        self._trimmed.update(sizes)
        self._give_back(sizes)

    def _give_back(self, sizes: Iterable[int]) -> None:
        for size in sizes:
            free = self._free[size]
            while free:
                try:
                    address, uses = free.pop()
                except IndexError:  # another thread took the last one
                    break
                try:
                    if uses:
                        self._follow(uses)
                    check(driver.cuMemFreeAsync(address, self._stream), "freeing memory")
                except BaseException:
                    free.append((address, uses))
                    raise
                with self._lock:
                    self.held -= size


def _room() -> str:
    """What the driver says is left, for messages."""
    status, free, total = driver.cuMemGetInfo()
    if status != driver.CUresult.CUDA_SUCCESS:
        return ""
    return f", which has {describe(int(free))} free of {describe(int(total))}"
