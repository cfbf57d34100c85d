"""The thread that makes texts for all who ask, several at once.

    engine = Engine(slots, queue=8)
    ticket = engine.submit(generation, deliver)     # deliver(piece) is called from the thread of the engine
    engine.cancel(ticket)                           # nobody waits for it any more
    engine.call(function).result()                  # something else with the model, between two steps

Requests wait in the order in which they came until a slot is free; `QueueFull` if too many do.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from ..generation.slots import Slots
from ..generation.text import Generation, Piece
from .metrics import Metrics

#: Hears of each token, or of why there is no more.
Deliver = Callable[[Piece | Exception], None]


class QueueFull(Exception):
    """So many requests wait that another one is not taken."""


@dataclass(eq=False)
class Ticket:
    """A text that somebody waits for."""

    generation: Generation
    deliver: Deliver
    asked: float = field(default_factory=time.perf_counter)
    cancelled: bool = False


class Engine:
    """Slots, a queue, and the thread that serves them."""

    def __init__(self, slots: Slots, queue: int = 64, metrics: Metrics | None = None) -> None:
        self.slots, self.queue = slots, queue
        self.metrics = Metrics() if metrics is None else metrics
        self._waiting: deque[Ticket] = deque()
        self._active: dict[int, Ticket] = {}
        self._calls: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="saccade-engine", daemon=True)
        self._thread.start()

    def submit(self, generation: Generation, deliver: Deliver) -> Ticket:
        """Have a text made. ValueError if its prompt does not fit; QueueFull if too many wait."""
        self.slots.check(generation.prompt)
        ticket = Ticket(generation, deliver)
        with self._changed:
            if self._closed:
                raise QueueFull("the server is being stopped")
            room = len(self.slots.slots) - len(self._active)
            if len(self._waiting) >= self.queue + room:
                raise QueueFull(f"the queue of {self.queue} requests is full")
            self._waiting.append(ticket)
            self._count()
            self._changed.notify()
        return ticket

    def call(self, function: Callable[[], Any]) -> Future[Any]:
        """Have a function run in the thread that uses the model; one of them between two steps."""
        made: Future[Any] = Future()
        with self._changed:
            if self._closed:
                raise QueueFull("the server is being stopped")
            self._calls.append((function, made))
            self._changed.notify()
        return made

    def cancel(self, ticket: Ticket) -> None:
        """Nobody waits for a text any more; one that is finished does not mind."""
        with self._changed:
            ticket.cancelled = True
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            self._count()
            self._changed.notify()

    def close(self) -> None:
        """Stop; who still waits hears an error."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while self._admitted():
            self._run_call()
            if not self._active:
                continue
            try:
                made = self.slots.step()
            except Exception as error:  # noqa: BLE001 - no text's own, and those who wait have to hear of it
                self._fail(error)
                continue
            for generation, piece in made:
                self._deliver(self._active[id(generation)], piece)
        self._fail(RuntimeError("the server is being stopped"))

    def _run_call(self) -> None:
        """The function that has waited longest, if any does."""
        with self._changed:
            if not self._calls:
                return
            function, made = self._calls.popleft()
        if made.set_running_or_notify_cancel():
            try:
                made.set_result(function())
            except Exception as error:  # noqa: BLE001 - it is told to who waits for it
                made.set_exception(error)

    def _admitted(self) -> bool:
        """Wait for something to do, and give free slots to who waits; False when it is over."""
        with self._changed:
            while not self._closed:
                for ticket in [each for each in self._active.values() if each.cancelled]:
                    self._leave(ticket)
                    self.metrics.cancelled += 1
                while self._waiting and self.slots.free:
                    self._enter(self._waiting.popleft())
                self._count()
                if self._active or self._calls:
                    return True
                self._changed.wait()
        return False

    def _enter(self, ticket: Ticket) -> None:
        self.slots.add(ticket.generation)
        self._active[id(ticket.generation)] = ticket
        self.metrics.prompt_tokens += len(ticket.generation.prompt)
        self.metrics.reused_tokens += ticket.generation.reused

    def _leave(self, ticket: Ticket) -> None:
        self.slots.remove(ticket.generation)
        self._active.pop(id(ticket.generation), None)

    def _deliver(self, ticket: Ticket, piece: Piece | Exception) -> None:
        if isinstance(piece, Exception):
            self.metrics.failed += 1
            with self._changed:
                self._leave(ticket)
            ticket.deliver(piece)
            return
        self.metrics.made_tokens += 1
        if ticket.generation.made == 1:
            self.metrics.first_token.add(time.perf_counter() - ticket.asked)
        if piece.finish is not None:
            self.metrics.whole_text.add(time.perf_counter() - ticket.asked)
            with self._changed:
                self._leave(ticket)
        if not ticket.cancelled:
            ticket.deliver(piece)

    def _fail(self, error: Exception) -> None:
        """Tell all who wait for a text in the making, or for anything at the end."""
        with self._changed:
            failed = list(self._active.values()) + (list(self._waiting) if self._closed else [])
            self.metrics.failed += 0 if self._closed else len(failed)
            for ticket in failed:
                self._leave(ticket)
            if self._closed:
                self._waiting.clear()
                for _, made in self._calls:
                    made.set_exception(QueueFull(str(error)))
                self._calls.clear()
            self._count()
        for ticket in failed:
            ticket.deliver(error)

    def _count(self) -> None:
        self.metrics.waiting, self.metrics.active = len(self._waiting), len(self._active)
