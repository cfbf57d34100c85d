"""Ctrl-C while NVRTC compiles.

While NVRTC parses, SIGINT has a handler of NVRTC's, which ends the process with status 4 instead of raising
KeyboardInterrupt. NVRTC cannot be told to leave it alone, and blocking the signal does not help, because any
thread of the process may receive it. So a thread looks every millisecond whether the handler is still the one
from before, and puts it back; NVRTC restores the same one when it is done.

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

_PERIOD: Final = 1e-3
#: more than the `struct sigaction` of any Linux
_ROOM: Final = 256


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Keep the handler of SIGINT as it is inside the block, whoever changes it."""
    if sys.platform != "linux":
        yield
        return
    sigaction = ctypes.CDLL(None).sigaction
    before = _current(sigaction)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_PERIOD):
            if _handler(_current(sigaction)) != _handler(before):
                sigaction(signal.SIGINT, before, None)

    watcher = threading.Thread(target=watch, name="saccade interrupts", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _current(sigaction: Any) -> Any:
    """What the process does on SIGINT, as the system tells it."""
    found = ctypes.create_string_buffer(_ROOM)
    sigaction(signal.SIGINT, None, found)
    return found


def _handler(action: Any) -> int:
    """The handler is the first word."""
    return int.from_bytes(action.raw[: ctypes.sizeof(ctypes.c_void_p)], sys.byteorder)
