"""Processes that are forked before there is work for them, and open their GPU meanwhile.

In: how an engine is made, and what each process is likely to do. Out: processes that are `ready`, or the
error of the first that cannot be.

    standby = Standby(make, parts_of(units, 8, rows=231), "cuda:0")     # opens the device eight times
    standby.ready()                 # models are prepared and objects loaded there, and the device is open
    ProcessEngine(engine, 8, "cuda:0", standby).recognise(units, rows)

A driver needs up to a second to open a GPU eight times. In it each process makes tables of an eighth of the
models, in memory that all of them map, and loads the few objects that its episodes show. Then they make their
programs ready, until they are told which units are theirs. What knows the cortex is imported after the fork,
by all at the same time: the sooner the driver begins, the sooner it is done.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Protocol

from saccade.experiment.config.probe import Card
from saccade.experiment.engine.episode import Outcome
from saccade.experiment.plan.plan import Unit, shown_in
from saccade.experiment.processes import divided, ended, forked, live, received, send_all, share_of, take
from saccade.runtime.config import settings
from saccade.runtime.process.mps import MpsService
from saccade.runtime.process.shared import SharedPlace

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from saccade.experiment.processes import Share, Working


class Learned(Protocol):
    """An engine that is made without objects."""

    def tables_of(self, number: int, count: int) -> Any:
        """What is made of this part of the models."""

    def take_tables(self, parts: Sequence[Any]) -> None:
        """Use what was made of all of them."""

    def show(self, names: Collection[str] | None) -> None:
        """Load these objects."""

    def prepare_objects(self) -> None:
        """Make ready what worlds need of them."""

    def open(self) -> Card:
        """Open the device; ValueError says what it lacks."""

    def rehearse(self, units: int, rows: int, number: int, count: int) -> None:
        """Make the programs ready for so many units, as one of so many processes."""

    def recognise(self, units: Sequence[Unit], rows: int) -> Iterator[Outcome]: ...


@dataclass(frozen=True)
class Part:
    """What a process is likely to get: so many units, in so many rows, that show these objects; None where
    that is told later."""

    units: int
    rows: int
    shown: frozenset[str] | None = None


class Made:
    """What a process says when the tables of its part of the models lie in their place."""


@dataclass(frozen=True)
class Ready:
    """What a process says when it has opened the device and loaded objects: the device, and warnings."""

    card: Card
    told: list[Warning]


def parts_of(units: Sequence[Unit], count: int, rows: int) -> list[Part]:
    """The parts of so many processes. Where most objects go to several of them, they are loaded first by
    whoever forks: else several would make the same meshes ready."""
    each = divided(units, count)
    shown = [shown_in(part) for part in each]
    several = sum(map(len, shown)) > len(frozenset().union(*shown)) + count
    return [
        Part(len(part), share_of(rows, number, count), None if several else names)
        for number, (part, names) in enumerate(zip(each, shown, strict=True))
    ]


class Standby:
    """Processes that wait for units with their device open. make: an engine that has no objects yet.
    service: what lets them use a GPU at the same time."""

    def __init__(
        self,
        make: Callable[[], Learned],
        parts: Sequence[Part],
        device: str,
        service: MpsService | None = None,
    ) -> None:
        count = len(parts)
        places = [SharedPlace() for _ in parts]
        given = [
            (make, places, number, service, part, share_of(settings.threads, number, count))
            for number, part in enumerate(parts)
        ]
        self._waiting = forked(_wait, given, device)
        self._told = all(part.shown is not None for part in parts)

    def __len__(self) -> int:
        return len(self._waiting)

    def expect(self, units: Sequence[Unit]) -> None:
        """Tell all which objects are likely to be shown, where they do not know yet: they load them. Nobody
        makes meshes ready here at the same time."""
        if not self._told:
            self._tell([shown_in(part) for part in divided(units, len(self._waiting))])
            self._told = True

    def ready(self) -> Card:
        """Wait until all have opened the device, loaded objects and know the models; what they have to say of
        objects is said here, and what they lack is raised here. How one of them found the device."""
        found, making = list[Ready](), len(self._waiting)
        while len(found) < len(self._waiting) or making:
            for each in connection.wait(list(self._waiting)):
                assert isinstance(each, connection.Connection)
                answer = received(each, self._waiting[each])
                if isinstance(answer, Ready):
                    found.append(answer)
                    continue
                assert isinstance(answer, Made)
                making -= 1
                if not making:
                    self._tell([None] * len(self._waiting))
        for warning in {str(each): each for answer in found for each in answer.told}.values():
            warnings.warn(warning, stacklevel=2)
        return found[0].card

    def _tell(self, messages: Sequence[object]) -> None:
        for connected, message in zip(self._waiting, messages):
            with contextlib.suppress(ConnectionError):  # whatever ended it is told when it is heard
                connected.send(message)

    def asked(self, shares: Sequence[Share]) -> Working:
        """The first processes, each at work on its share; others are sent away."""
        self._tell(shares)
        working = dict(list(self._waiting.items())[: len(shares)])
        self._waiting = dict(list(self._waiting.items())[len(shares) :])
        self.close()
        return working

    def close(self) -> None:
        """Send away all that wait."""
        ended(self._waiting)
        self._waiting = {}


def _wait(
    make: Callable[[], Learned],
    places: Sequence[SharedPlace],
    number: int,
    service: MpsService | None,
    part: Part,
    cores: int,
    device: str,
    connected: Connection,
    inherited: list[Connection],
    parent: int,
) -> None:
    """The life of a process that is told later what to do."""
    live(cores, device, inherited, parent, service)
    count = len(places)

    def shown(engine: Learned, names: Collection[str]) -> None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            engine.show(names)
        engine.prepare_objects()
        connected.send(Ready(engine.open(), [_of(each) for each in told]))

    def outcomes() -> Iterator[Outcome]:
        from saccade.cortex.bank import space

        # half of its part: others measure what is free while this one takes it
        space.limit(None, 2 * count)
        engine = make()
        with ThreadPoolExecutor(1) as beside:
            # objects come after tables: all wait for these, and one thread at a time runs Python
            places[number].put(engine.tables_of(number, count))
            connected.send(Made())
            names = connected.recv() if part.shown is None else part.shown
            likely = beside.submit(shown, engine, names)
            connected.recv()  # all are made
            engine.take_tables([place.get() for place in places])
            for place in places:
                place.close()
            try:
                with contextlib.suppress(MemoryError):  # whether all rows fit is asked later
                    engine.rehearse(part.units, part.rows, number, count)
            finally:
                likely.result()  # what is wrong with objects or the device is told first
        units, rows, share, memory = connected.recv()
        take(share)
        space.limit(*memory)
        yield from engine.recognise(units, rows)

    with contextlib.suppress(EOFError):  # nobody wants anything
        send_all(connected, outcomes)


def _of(caught: warnings.WarningMessage) -> Warning:
    """The warning itself."""
    message = caught.message
    return message if isinstance(message, Warning) else caught.category(message)
