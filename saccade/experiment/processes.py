"""Recognition by several processes of one machine, with the same results as in one.

In: an engine, and how many processes may share its work. Out: an `Engine`. Half of a step is Python, which
one thread does while the others wait; rows do not know of each other, so each process takes some of the
units, some of the rows, some of the cores and some of the memory. A process is forked when recognition
begins: it has objects, models and code at once, and sends back nothing but outcomes. Those that share a GPU
each open it, so nobody may have opened it before: then all stays in this process.

    engine = ProcessEngine(make_engine(config), processes_for(config.device))
    for outcome in engine.recognise(units, rows=12): ...        # 2 processes, 6 rows each

Learning stays in this process. A run that begins with models knows early that it will share a GPU: its
processes are forked first, and wait (`experiment.standby`).
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from multiprocessing import connection, get_context
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from saccade.experiment.config.probe import card_of
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.engine.delegate import Delegate
from saccade.experiment.engine.episode import Engine, Outcome
from saccade.experiment.errors import RunError
from saccade.experiment.plan.plan import Unit
from saccade.extend.loggers import StepNews
from saccade.reproducible import threads
from saccade.runtime.config import settings
from saccade.runtime.cpu.pool import shared_pool
from saccade.runtime.device import Device
from saccade.runtime.process.mps import MpsService

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from typing import TypeAlias

    #: connections, and the processes behind them
    Working: TypeAlias = dict[Connection, Any]
    #: units, rows, threads, and bytes of memory for how many processes
    Share: TypeAlias = tuple[Sequence[Unit], int, int, tuple[int | None, int]]

#: Units that a process must have to pay for itself: it traces its programs anew, which takes about a second,
#: as an episode or two of the default experiment do.
LEAST_UNITS: Final = 6
#: The same on a GPU, where a process opens the device and loads its kernels besides, and an episode is short.
LEAST_GPU_UNITS: Final = 24
#: Cores for each process that shares a GPU: loops of the host run in all of them. Of many rows each takes so
#: many, with two cores at least: 2,048 rows on an H200 ran at 50 episodes a second by four processes with
#: four cores each, at 70 by eight with two; 231 took 13.6 s by four and 12 by six or eight.
GPU_CORES: Final = 4
GPU_ROWS: Final = 28


def processes_for(device: str, wanted: int | None = None, rows: int = 0) -> int:
    """As many as are `wanted`, by default one a thread on the CPU and one for some of them on a GPU, more for
    many rows, where forked processes can compute: under Linux, on a device that survives it."""
    name = Device.canonical(device)
    can = sys.platform == "linux" and (name == "cpu" or (_is_gpu(name) and Device.forkable))
    if wanted is not None and wanted > 1 and not can:
        raise ConfigError(
            f"--processes {wanted} is for the CPU or a GPU that nobody has opened yet, under Linux, and this "
            f"is {device} under {sys.platform}: leave it out, and rows share the device"
        )
    if not can:
        return 1
    if wanted or not _is_gpu(name):
        return wanted or settings.threads
    return max(1, settings.threads // GPU_CORES, min(settings.threads // 2, rows // GPU_ROWS))


def _free(device: str) -> int | None:
    """Bytes that are free on a device, which is not opened here if it is a GPU."""
    from saccade.cortex.bank.space import free_bytes  # `experiment.standby` says why here

    return card_of(device).free if _is_gpu(device) else free_bytes(device)


def _is_gpu(name: str) -> bool:
    return name.partition(":")[0] == "cuda"


@runtime_checkable
class Preparing(Protocol):
    """An engine that can make something once for all processes."""

    def prepare(self) -> None: ...


@runtime_checkable
class Rehearsing(Protocol):
    """An engine that can make its programs before there is anything to do."""

    def rehearse(self, units: int, rows: int, number: int, count: int) -> None: ...


@runtime_checkable
class Checking(Protocol):
    """An engine that can tell beforehand what would go wrong."""

    def check_parts(self) -> None: ...

    def check_rows(
        self, units: int, rows: int, free: int | None, sharers: int = 1, learned: Sequence[Unit] = ()
    ) -> None: ...


class Waits(Protocol):
    """Processes that wait for work."""

    def __len__(self) -> int: ...

    def asked(self, shares: Sequence[Share]) -> Working: ...

    def close(self) -> None: ...


class ProcessEngine(Delegate):
    """An engine whose units of recognition are spread over forked processes that use one device. standby:
    those that wait for it, with the models that this engine is given."""

    def __init__(
        self, local: Engine, processes: int, device: str = "cpu", standby: Waits | None = None
    ) -> None:
        if processes < 1:
            raise ValueError(f"{processes} processes can do nothing: use 1 or more")
        super().__init__(local)
        self.processes, self.device, self.standby = processes, device, standby
        #: who is told of every step of recognition; nobody can be from another process
        self.tell: Callable[[StepNews], None] | None = None

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]:
        count = self._count(len(units), rows)
        if self.tell is not None and hasattr(self.local, "tell"):
            self.local.tell, count = self.tell, 1
        waiting, self.standby = self.standby, None
        if count < 2:
            if waiting is not None:
                waiting.close()
            return self.local.recognise(units, rows)
        device = Device.canonical(self.device)
        free = _free(device)
        budget = None if free is None else free // count
        # rows and threads that do not divide evenly go to the first processes
        shares = [
            (each, share_of(rows, number, count), share_of(settings.threads, number, count), (budget, count))
            for number, each in enumerate(divided(units, count))
        ]
        if waiting is not None and len(waiting) >= count:
            return _outcomes(partial(waiting.asked, shares))
        if isinstance(self.local, Preparing):
            self.local.prepare()
        given = [(self.local, number, *share) for number, share in enumerate(shares)]
        return _outcomes(partial(forked, _work, given, device))

    def _count(self, units: int, rows: int) -> int:
        """The processes that so many units are worth."""
        gpu = self.processes > 1 and _is_gpu(Device.canonical(self.device))
        if gpu and not Device.forkable:
            return 1
        return max(1, min(self.processes, units // (LEAST_GPU_UNITS if gpu else LEAST_UNITS), rows))

    def check(self, units: int, rows: int, learned: Sequence[Unit]) -> None:
        """An error if something cannot be made that the recognition of so many units needs, with what is
        known now and what is learned before; MemoryError tells how many rows of it fit."""
        if isinstance(self.local, Checking):
            self.local.check_parts()
            count = self._count(units, rows)
            if units:
                free = _free(Device.canonical(self.device))
                share = None if free is None else free // count
                self.local.check_rows(-(-units // count), share_of(rows, 0, count), share, count, learned)

    def finish_learning(self, units: Sequence[Unit]) -> None:
        self._dismiss()
        super().finish_learning(units)

    def discover(self, unit: Unit, first: int) -> Iterator[Outcome]:
        self._dismiss()
        return super().discover(unit, first)

    def _dismiss(self) -> None:
        """There will be other models than those that are waited with."""
        if self.standby is not None:
            self.standby.close()
            self.standby = None


def divided(units: Sequence[Unit], count: int) -> list[Sequence[Unit]]:
    """What each of so many processes gets. Where an object comes up less often than there are processes,
    those of one object go to one, which then has few objects to load; else neighbours, which are often of one
    object, go to several, for some objects take longer than others."""
    objects = sorted({unit.episodes[0].object for unit in units})
    if len(units) >= count * len(objects):
        return [units[number::count] for number in range(count)]
    # neighbours in the alphabet are alike, and may all take long
    places = {name: (place % count, place) for place, name in enumerate(objects)}
    ordered = sorted(units, key=lambda unit: places[unit.episodes[0].object])
    ends = [len(units) * number // count for number in range(count + 1)]
    return [ordered[low:high] for low, high in pairwise(ends)]


def forked(work: Callable[..., None], given: Sequence[tuple[Any, ...]], device: str) -> Working:
    """A process for each of the given arguments of `work`, with the connection to it."""
    context: Any = get_context("fork")  # the base of contexts has no Process for mypy
    working: Working = {}
    try:
        for arguments in given:
            mine, other = context.Pipe()
            every = (*arguments, device, other, [*working, mine], os.getpid())
            process = context.Process(target=work, args=every, daemon=True)
            with warnings.catch_warnings():  # of forks beside threads: the runtime is made for them
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            other.close()
            working[mine] = process
    except BaseException:
        ended(working)
        raise
    return working


def ended(working: Working) -> None:
    """Nobody wants to hear more of these."""
    for connected, process in working.items():
        connected.close()
        process.terminate()
        process.join()


def _outcomes(begin: Callable[[], Working]) -> Iterator[Outcome]:
    """What processes send until all have ended; they begin when somebody wants the first."""
    working = begin()
    count = len(working)
    try:
        while working:
            for ready in connection.wait(list(working)):
                assert isinstance(ready, connection.Connection)
                outcome = received(ready, working[ready])
                assert outcome is None or isinstance(outcome, Outcome)
                if outcome is None:
                    # who has told all ends while others work, and while results are written: a driver takes
                    # a while to give back what was taken. Whoever is left is waited for at the exit
                    working.pop(ready)
                    ready.close()
                else:
                    yield _shared(outcome, count)
    finally:
        ended(working)


def _shared(outcome: Outcome, count: int) -> Outcome:
    """An episode's seconds are its share of those that all took together: others worked meanwhile."""
    row = outcome.row
    seconds = {
        name: value / count for name, value in dataclasses.asdict(row).items() if name.startswith("seconds")
    }
    return dataclasses.replace(outcome, row=dataclasses.replace(row, **seconds))


def share_of(whole: int, number: int, count: int) -> int:
    """What one of `count` gets of a whole, at least 1.

    >>> [share_of(5, number, 3) for number in range(3)], share_of(1, 2, 3)
    ([2, 2, 1], 1)
    """
    return max(1, whole // count + (number < whole % count))


def _work(
    engine: Engine,
    number: int,
    units: Sequence[Unit],
    rows: int,
    cores: int,
    memory: tuple[int | None, int],
    device: str,
    sender: Connection,
    inherited: list[Connection],
    parent: int,
) -> None:
    """The life of a process: outcomes, then None; or an exception."""
    live(cores, device, inherited, parent)
    from saccade.cortex.bank import space

    space.limit(*memory)

    def outcomes() -> Iterator[Outcome]:
        if _is_gpu(device) and isinstance(engine, Rehearsing):
            with contextlib.suppress(MemoryError):  # told by those who need it
                engine.rehearse(len(units), rows, number, memory[1])
        yield from engine.recognise(units, rows)

    send_all(sender, outcomes)


def live(
    cores: int, device: str, inherited: list[Connection], parent: int, service: MpsService | None = None
) -> None:
    """Begin as a process of a run, which uses a `service` for its GPU if there is one."""
    _die_with(parent)
    if service is not None:
        service.join()
    if _is_gpu(device):
        # first, so that the driver begins at once: it needs a second, and Python no lock in it
        with contextlib.suppress(ImportError):  # whoever opens it says what is missing
            import_module("saccade.runtime.cuda.device")
    Thread(target=_open, args=(device,), daemon=True).start()
    for each in inherited:  # else the pipe would stay open when the parent is gone
        each.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    take(cores)


def take(cores: int) -> None:
    shared_pool().resize(cores)
    threads.limit(cores)


def send_all(sender: Connection, outcomes: Callable[[], Iterator[Outcome]]) -> None:
    """All outcomes, then None; or an exception."""
    with contextlib.suppress(ConnectionError):  # the parent is gone
        try:
            for outcome in outcomes():
                sender.send(outcome)
            sender.send(None)
        except (ConnectionError, EOFError):
            raise
        except Exception as error:  # noqa: BLE001  raised again by the parent
            sender.send(_portable(error))


def _open(device: str) -> None:
    """Open a device while tables are made for it; if it cannot be, whoever needs it is told why."""
    with contextlib.suppress(RuntimeError, ValueError):
        Device[device]


def _die_with(parent: int) -> None:
    """A run that is killed leaves nobody who holds its folder: the kernel kills this process with its parent
    (prctl, PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))
    if os.getppid() != parent:  # it was gone before
        os._exit(1)


def _portable(error: Exception) -> Exception:
    """An exception that can be sent; where it cannot, one that tells of it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001  whatever its constructor wants
        return RuntimeError("".join(traceback.format_exception(error)))
    return error


def received(receiver: Connection, process: Any) -> object:
    """What a process has sent; what it has raised is raised here."""
    try:
        found = receiver.recv()
    except (EOFError, OSError):
        process.join()
        raise RunError(
            f"a process of this run ended with code {process.exitcode}: it was killed, perhaps for want of "
            "memory. What it had finished is recorded; go on with `saccade resume`, with a smaller --batch "
            "or --processes 1"
        ) from None
    if isinstance(found, Exception):
        raise found
    return found
