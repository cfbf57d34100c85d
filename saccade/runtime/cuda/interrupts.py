"""Ctrl-C while NVRTC compiles.

While NVRTC parses, SIGINT has a handler of NVRTC's, which ends the process with status 4 instead of raising
KeyboardInterrupt. NVRTC cannot be told to leave it alone, and blocking the signal does not help, because any
thread of the process may receive it. So a thread looks every millisecond whether the handler is still the one
from before, and puts it back; NVRTC restores the same one when it is done. Threads that compile at once share
one watcher: what is there when the first of them begins is what is kept.

    with handlers_kept():
        nvrtc.nvrtcCompileProgram(...)
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ..process.forking import fork_lock

_PERIOD: Final = 1e-3
#: more than the `struct sigaction` of any Linux
_ROOM: Final = 256


class _Watch:
    """Puts the handler back while anybody compiles."""

    def __init__(self) -> None:
        self._lock = fork_lock()
        self._inside = 0
        self._over = threading.Event()
        self._watcher: threading.Thread | None = None

    def enter(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._over = threading.Event()
                sigaction = ctypes.CDLL(None).sigaction
                arguments = (sigaction, _current(sigaction), self._over)
                self._watcher = threading.Thread(
                    target=_watch, args=arguments, name="saccade interrupts", daemon=True
                )
                self._watcher.start()

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._watcher is not None:
                self._over.set()
                self._watcher.join()
                self._watcher = None


_watching = _Watch()


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Keep the handler of SIGINT as it is inside the block, whoever changes it."""
    if sys.platform != "linux":
        yield
        return
    _watching.enter()
    try:
        yield
    finally:
        _watching.leave()


def _watch(sigaction: Any, before: Any, over: threading.Event) -> None:
    while not over.wait(_PERIOD):
        if _handler(_current(sigaction)) != _handler(before):
            sigaction(signal.SIGINT, before, None)


def _current(sigaction: Any) -> Any:
    """What the process does on SIGINT, as the system tells it."""
    found = ctypes.create_string_buffer(_ROOM)
    sigaction(signal.SIGINT, None, found)
    return found


def _handler(action: Any) -> int:
    """The handler is the first word."""
    return int.from_bytes(action.raw[: ctypes.sizeof(ctypes.c_void_p)], sys.byteorder)
