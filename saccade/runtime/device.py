"""The seam between compiled programs and machines.

A device allocates memory, compiles sources to programs, and has a queue that plans are submitted to.
Submitting never waits for the result: the CPU happens to be finished when `submit` returns, a GPU is not.
Only reading a value waits.

    >>> Device["cpu"].name
    'cpu'
    >>> Device.canonical("CUDA")
    'cuda:0'
    >>> Device.canonical("auto")        # cuda:0 where a GPU can be used
    'cpu'
    >>> Device["tpu"]
    ValueError: unknown device 'tpu': use one of auto, cpu, interpreter, null, cuda

A new device is a class with these methods and one line in `_FACTORIES`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Final, NamedTuple, Protocol, runtime_checkable

from .config import settings
from .process.forking import fork_lock
from .program import Launch, Program, Source


class Memory(Protocol):
    """An allocation; it is given back when the object goes away, after the work already queued on it."""

    @property
    def address(self) -> int: ...


class Event(Protocol):
    """A point in a queue."""

    def done(self) -> bool:
        """Whether everything queued before it has finished; does not wait."""

    def wait(self) -> None:
        """Block the calling thread until it has."""


class Runnable(Protocol):
    """Launches over a table of slots, prepared once and run many times; what `DeviceRuntime.plan` returns."""

    def __call__(self, addresses: Sequence[int]) -> None:
        """Queue all launches with slots 0, 1, ... at these addresses. Safe from several threads."""


@runtime_checkable
class Replaying(Protocol):
    """A plan whose results may be handed out again when nobody has them, up to `largest_kept` bytes of each:
    of what takes the device longer to fill than Python to make, the memory goes back to the allocator."""

    largest_kept: int

    def again(self, addresses: Sequence[int]) -> bool:
        """Like calling it, by the shortest way to the only queue; False if the device has several, and
        nothing was queued."""


class Queue(Protocol):
    """Work in order. Everything here returns without waiting for the device."""

    def submit(self, plan: Runnable, addresses: Sequence[int]) -> None:
        """Run a plan after everything queued so far."""

    def copy_in(self, destination: int, source: int, nbytes: int) -> None:
        """Device memory from host memory, which must stay untouched until the copy has happened."""

    def write(self, destination: int, words: bytes) -> None:
        """Device memory from a few words of 64 bits, which are taken at once."""

    def copy_out(self, destination: int, source: int, nbytes: int) -> None:
        """Host memory from device memory."""

    def record(self) -> Event:
        """The point after everything queued so far."""

    def wait(self, event: Event) -> None:
        """Hold back later work of this queue until `event`, perhaps of another queue, is reached."""

    def synchronize(self) -> None:
        """Block the calling thread until the queue is empty; errors of its work appear here at the latest."""


@runtime_checkable
class PeerQueue(Protocol):
    """A queue that copies from another device of its kind without going through the host."""

    def copy_from_peer(self, destination: int, source: int, nbytes: int, other: PeerQueue) -> None:
        """From memory of the device of `other`, after what that has queued; it goes on after the copy."""


class DeviceRuntime(Protocol):
    """One device. Found by name in `Device`; there is one instance per name."""

    @property
    def name(self) -> str: ...

    @property
    def host_memory(self) -> bool:
        """Whether its memory is ordinary memory of this process."""

    @property
    def queue(self) -> Queue:
        """The queue that is current in this thread."""

    @property
    def main(self) -> Queue:
        """The queue that is current where no other was selected."""

    def select(self, queue: Queue | None) -> Queue | None:
        """Make a queue of `new_queue` current in this thread, None for the main one; returns what was
        selected before. See `stream`."""

    def new_queue(self) -> Queue:
        """Another queue, ordered after what the main queue has now; a device may have only one."""

    def allocate(self, nbytes: int) -> Memory:
        """Memory, not cleared; MemoryError names the size."""

    def compile(self, sources: Sequence[Source]) -> list[Program]:
        """Programs for sources, from the cache where possible, compiled in parallel; or CompileError."""

    def begin(self, source: Source) -> Callable[[], Program]:
        """What takes long of compiling a source, in any thread; who calls the result gets the program."""

    def plan(self, launches: Sequence[Launch], slots: int, arena: int = 0) -> Runnable:
        """Prepare launches over `slots` slots bound at each run and `arena` bytes of its own; see `plan`."""


class DeviceStatus(NamedTuple):
    """A line of the device list: usable, or what is missing."""

    name: str
    missing: str | None
    #: which machine it is
    about: str = ""

    @property
    def usable(self) -> bool:
        return self.missing is None


#: Kind of device to (module with `open_device(name)`, packages it needs, how to get them).
_FACTORIES: Final[dict[str, tuple[str, tuple[str, ...], str]]] = {
    "cpu": ("saccade.runtime.cpu.device", ("llvmlite",), "pip install llvmlite"),
    "interpreter": ("saccade.runtime.interpreter.interpreter", (), ""),
    "null": ("saccade.runtime.null", (), ""),
    "cuda": ("saccade.runtime.cuda", ("cuda.bindings",), 'pip install "saccade[cuda]"'),
}
#: The name of the fastest device that works.
AUTO: Final = "auto"
#: Kinds a machine may have several of; their names carry a number.
_NUMBERED: Final = frozenset({"cuda"})
#: Kinds that may be asked to plan as for another: "null:cuda" plans for a GPU that need not be there.
_PLANNED_FOR: Final = {"null": ("cuda",)}


class Devices:
    """The registry: devices by name, opened on first use."""

    def __init__(self) -> None:
        self._open: dict[str, DeviceRuntime] = {}
        self._default: str | None = None
        self._lock = fork_lock()

    def canonical(self, name: str | None) -> str:
        """The one spelling of a device's name; None is the default device and "auto" the fastest that works.
        Unknown names raise."""
        if name is None:
            return self.default
        if name in self._open:
            return name
        if not isinstance(name, str):
            raise TypeError(f"a device is named by text such as 'cpu' or 'cuda:0', not by {name!r}")
        if name.strip().lower() == AUTO:
            return self._fastest()
        kind, _, number = name.strip().lower().partition(":")
        if kind not in _FACTORIES:
            raise ValueError(f"unknown device {name!r}: use one of {', '.join((AUTO, *_FACTORIES))}")
        if kind in _NUMBERED:
            if number and not number.isdecimal():
                raise ValueError(f"cannot read the number in device {name!r}: write it as {kind}:0")
            return f"{kind}:{int(number or 0)}"
        if number in _PLANNED_FOR.get(kind, ()):
            return f"{kind}:{number}"
        if number not in ("", "0"):
            raise ValueError(f"there is only one {kind} device: write {kind!r} instead of {name!r}")
        return kind

    def usable(self, name: str | None) -> str:
        """The one spelling of the name of a device that computes values here; ValueError says why not."""
        canonical = self.canonical(name)
        if canonical.partition(":")[0] == "null":
            raise ValueError(
                "the null device plans and counts, and computes no values: use another, such as cpu"
            )
        try:
            return self[canonical].name
        except RuntimeError as error:
            raise ValueError(str(error)) from None

    def __getitem__(self, name: str | None) -> DeviceRuntime:
        """The device of that name, opened if need be; RuntimeError says what it lacks."""
        found = self._open.get(name) if name is not None else None
        if found is not None:
            return found
        canonical = self.canonical(name)
        with self._lock:
            if canonical not in self._open:
                self._open[canonical] = _open_device(canonical)
            return self._open[canonical]

    @property
    def forkable(self) -> bool:
        """Whether processes that are forked from this one can use every device: CUDA does not survive a fork
        after its first use."""
        return not any(name.partition(":")[0] == "cuda" for name in self._open)

    @property
    def default(self) -> str:
        """The name of the device that tensors are made on when none is given (SACCADE_DEVICE, else auto)."""
        if self._default is None:
            self._default = self.canonical(settings.device)
        return self._default

    @default.setter
    def default(self, name: str) -> None:
        self._default = self[name].name

    @property
    def default_may_open(self) -> bool:
        """Whether asking for the default device may open a GPU to see if it works."""
        return self._default is None and self.forkable and _has_gpu_driver()

    def assume_default(self, name: str) -> None:
        """What another process found to be the default device, which is not opened here."""
        self._default = self.canonical(name)

    def _fastest(self) -> str:
        """A GPU that works, else the CPU."""
        if _has_gpu_driver() and self._missing("cuda:0") is None:
            return "cuda:0"
        return "cpu"

    def list(self) -> list[DeviceStatus]:
        """Every device saccade knows, and what is missing where one cannot be used."""
        found = []
        for kind in _FACTORIES:
            name = self.canonical(kind)
            found.append(self._status(name))
            if kind in _NUMBERED and found[-1].usable:
                found += [self._status(f"{kind}:{n}") for n in range(1, getattr(self[name], "count", 1))]
        return found

    def _status(self, name: str) -> DeviceStatus:
        missing = self._missing(name)
        return DeviceStatus(name, missing, "" if missing else str(getattr(self[name], "about", "")))

    def _missing(self, name: str) -> str | None:
        try:
            self[name]
        except (RuntimeError, ImportError, OSError) as error:
            return str(error)
        return None


def _has_gpu_driver() -> bool:
    """Whether it is worth the time to look for a GPU."""
    import ctypes

    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def _open_device(name: str) -> DeviceRuntime:
    kind = name.partition(":")[0]
    module, packages, remedy = _FACTORIES[kind]
    for package in packages:
        if not _installed(package):
            raise RuntimeError(f"device {name!r} needs the package {package}: {remedy}{_in_the_way(package)}")
    if not _installed(module):
        raise RuntimeError(f"device {name!r} is not part of this installation: reinstall saccade")
    device: DeviceRuntime = import_module(module).open_device(name)
    return device


def _in_the_way(package: str) -> str:
    """Says where the parent of a missing package was found: another of its name may hide it."""
    parent = sys.modules.get(package.partition(".")[0])
    found = [] if parent is None else list(getattr(parent, "__path__", []))
    return f" (a package {parent.__name__!r} was found in {', '.join(found)})" if parent and found else ""


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False


Device: Final = Devices()
