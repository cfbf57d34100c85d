"""What queues and the memory behind them ask of their device and of the plans they are given.

`CudaDevice` and `CudaPlan` are above this folder: it knows them by these."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence, Sized
from typing import Any, Protocol, TypeVar, runtime_checkable

from ...program import Program, Source
from .event import CudaEvent
from .hazards import Hazards

T = TypeVar("T")


@runtime_checkable
class Plan(Protocol):
    """Kernels that a queue is given."""

    @property
    def inputs(self) -> int:
        """How many of the first slots are read."""

    def sources(self) -> list[Source]: ...

    def run(self, queue: Any, addresses: Sequence[int]) -> None:
        """Queue all launches with these buffers in slots 0, 1, ..."""

    def writes(self, addresses: Sequence[int]) -> list[int]:
        """Of the buffers in slots 0, 1, ..., those that are written."""


class Creditor(Protocol):
    """Takes what goes back when the work that uses it is over."""

    def owe(self, release: Callable[[], object], address: int = 0) -> None: ...


class Context(Protocol):
    """A device and its context."""

    name: str
    context: Any
    hazards: Hazards

    @property
    def lock(self) -> threading.RLock:
        """Held while something is queued."""

    @property
    def debts(self) -> Creditor: ...

    @property
    def queues(self) -> Sized: ...

    def use(self) -> None:
        """Make the context current on this thread."""

    def kernels(self) -> str:
        """The kernels that may be running, for messages."""

    def settle(self) -> None:
        """Wait until all queues are empty."""

    def make_room(self) -> None:
        """Give back what can be given back."""

    def with_room(self, work: Callable[[], T]) -> T:
        """What `work` gives; if there is no memory for it, once more after `make_room`."""

    def is_pinned(self, address: int) -> bool: ...

    def origin(self) -> tuple[CudaEvent, float]:
        """An event, and when it happened by the host's clock."""

    def compile(self, sources: Sequence[Source]) -> list[Program]: ...
