"""Work that a fork waits for.

    compiling = Gate()
    with compiling: ...          # a fork, by any thread of the process, begins before this or after it

A forked child has one thread, the one that forked. A lock that another held then is never released there. Our
own locks (`fork_lock`) are free in the child; those inside a library, such as LLVM's, are not ours to renew.
So nobody is inside the library while the process forks. (What `subprocess` starts is not forked in this way.)

What a signal handler raises inside of this would go nowhere: Ctrl-C and SIGTERM wait until it is over."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import weakref
from _thread import start_new_thread
from functools import cached_property
from types import TracebackType
from typing import Final

#: Seconds that a fork waits; a child that may hang is better than a parent that does.
_PATIENCE: Final = 10.0
#: Seconds after which the callbacks of a fork are over.
_MOMENT: Final = 0.02
_HELD: Final = (signal.SIGINT, signal.SIGTERM)
_gates: Final[weakref.WeakSet[Gate]] = weakref.WeakSet()
_locks: Final[weakref.WeakSet[threading.RLock]] = weakref.WeakSet()


def fork_lock() -> threading.RLock:
    """A lock that is free in a forked child, whoever held it when the process forked."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


class Gate:
    """Any number of threads may be inside, and none of them while the process forks."""

    def __init__(self) -> None:
        self._reset()
        _gates.add(self)

    def _reset(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._inside = 0
        self._forks = 0

    def __enter__(self) -> None:
        with self._changed:
            while self._forks:
                self._changed.wait()
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def close(self) -> None:
        """Before a fork: wait until nobody is inside, and let nobody in."""
        with self._changed:
            self._forks += 1
            self._changed.wait_for(lambda: not self._inside, _PATIENCE)

    def open(self) -> None:
        with self._changed:
            self._forks -= 1
            self._changed.notify_all()


def _let_in() -> None:
    """Signals that came meanwhile are answered. What their handlers raise here is raised again outside."""
    held = [number for number in _HELD if number not in _before.mask]
    waiting = signal.sigpending()
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)
    except BaseException as error:  # noqa: BLE001  whatever a handler raises
        # of several the first is answered first; one that came this moment is told by what it raised
        new = signal.SIGINT if isinstance(error, KeyboardInterrupt) else signal.SIGTERM
        start_new_thread(_send, (next((number for number in held if number in waiting), new),))


def _send(number: int) -> None:
    """A signal once more, when the fork is over: it ends a sleep, too."""
    time.sleep(_MOMENT)
    os.kill(os.getpid(), number)


class _Before(threading.local):
    """The signals that a thread which forks had blocked itself."""

    mask: set[int | signal.Signals] = set()  # noqa: RUF012  replaced, never changed


_before: Final = _Before()


def _close() -> None:
    _before.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    for gate in list(_gates):
        gate.close()


def _open() -> None:
    for gate in list(_gates):
        gate.open()
    _let_in()


def _renew() -> None:
    for gate in list(_gates):
        gate._reset()
    for lock in list(_locks):
        lock._at_fork_reinit()  # type: ignore[attr-defined] # not in the stubs; `threading` uses it
    if sys.version_info < (3, 12):
        _renew_cached_properties()
    _let_in()


def _renew_cached_properties() -> None:
    """Before Python 3.12 a cached property has a lock, for all objects together."""
    ours = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "saccade"]
    classes = {each for module in ours for each in vars(module).values() if isinstance(each, type)}
    for each in classes:
        for value in vars(each).values():
            if isinstance(value, cached_property):
                value.lock = threading.RLock()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close, after_in_parent=_open, after_in_child=_renew)
