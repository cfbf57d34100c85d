"""Ctrl-C and SIGTERM at any moment: one line, and the exit code a shell expects (130, 143).

In: signals. Out: while a command works, `Stopped` is raised, so that it can clean up and tell how to go on;
before and after, as while modules are imported, the process says one line and ends at once.

    end_at_once()                 # first thing in a process
    with raising():               # where something may have to be told
        ...

Nothing is imported here that Python has not loaded by itself, so that the first lines of a process are
covered: `signal` and its enumerations take longer than the rest together.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import os
import sys
import time
from _thread import start_new_thread

TYPE_CHECKING = False  # as type checkers read it
if TYPE_CHECKING:
    from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """A person or the system asked for an end; `code` is the exit code that says so."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.code = 128 + number


#: the first signal that came: Ctrl-C after SIGTERM, or an interrupt that is handed on, is still that end
_first: list[int] = []


def exit_code(error: KeyboardInterrupt) -> int:
    """130 for Ctrl-C, 143 for SIGTERM."""
    return error.code if isinstance(error, Stopped) else 128 + signal.SIGINT


def dealt_with() -> None:
    """The last interrupt stopped no more than it should, and the command goes on: the next one is new."""
    _first.clear()


def _end(number: int, frame: FrameType | None) -> None:
    # straight to the descriptor: the signal may have come while a stream was being written to
    try:
        os.write(2, f"error stopped{_way_on()}\n".encode())
    finally:
        os._exit(128 + number)


def _way_on() -> str:
    """How to go on with the run that was to be continued."""
    named = [each for each in sys.argv[2:] if not each.startswith("-")]
    return f"; go on with: saccade resume {named[0]}" if sys.argv[1:2] == ["resume"] and named else ""


def _raise(number: int, frame: FrameType | None) -> None:
    _first.append(number)
    raise Stopped(_first[0])


def _hand_on(lost: sys.UnraisableHookArgs) -> None:
    """An interrupt that was raised where nothing can be raised, in a finaliser, comes again."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        start_new_thread(_send, (_first[0] if _first else signal.SIGINT,))
    else:
        sys.__unraisablehook__(lost)


def _send(number: int) -> None:
    """Until it is raised: a signal that comes just before a call that waits, as `sleep`, does not end it."""
    before = len(_first)
    while len(_first) == before:
        os.kill(os.getpid(), number)
        time.sleep(0.05)


def end_at_once() -> None:
    """From now on signals end the process. One that is ignored, as of a job in the background, stays so."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)


def ignore() -> None:
    """From now on signals come too late: everything is done and told."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


class raising:
    """Signals raise `Stopped` inside the block, in a process that `end_at_once` was called in."""

    def __enter__(self) -> None:
        self._chosen = [number for number in SIGNALS if signal.getsignal(number) is _end]
        for number in self._chosen:
            signal.signal(number, _raise)
        sys.unraisablehook = _hand_on

    def __exit__(self, *error: object) -> None:
        sys.unraisablehook = sys.__unraisablehook__
        for number in self._chosen:
            signal.signal(number, _end)
