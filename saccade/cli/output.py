"""Standard output of the command line, which may be a closed pipe or a full device.

What cannot be written there has an error of its own, `OutputError`, so that it is told from files that cannot
be written, and is one line instead of a traceback.
"""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False  # as type checkers read it
if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer

#: what a shell reports of a process that a closed pipe ended, and what else goes wrong with output
PIPE_CLOSED, FAILED = 141, 1


class OutputError(OSError):
    """Standard output cannot be written."""

    def __str__(self) -> str:
        return f"cannot write the output: {self.strerror}"


class Output(io.FileIO):
    """Standard output, whose errors say so; a reader that left is a `BrokenPipeError` as ever, and is
    remembered: click makes exit code 1 of it."""

    reader_left = False

    def write(self, data: ReadableBuffer) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            Output.reader_left = True
            raise
        except OSError as error:
            raise OutputError(error.errno, error.strerror) from None


def stream(given: TextIO | None, kind: type[io.FileIO]) -> TextIO:
    """A stream in the place of the one that the process was given; nobody reads one that is closed. A
    terminal without a degree sign gets a question mark."""
    number = os.open(os.devnull, os.O_WRONLY) if given is None else given.fileno()
    raw = kind(number, "w", closefd=given is None)
    encoding = "utf-8" if given is None else given.encoding
    direct = raw.isatty() or kind is not Output
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "replace", line_buffering=direct)


def without_output(error: OutputError) -> int:
    """Tell that the output cannot be written, in a process that may be short of everything; the exit code."""
    from contextlib import suppress

    with suppress(OSError):  # standard error may be as full
        os.write(2, f"error {error}\n".encode())
    drop_output()
    return FAILED


def drop_output() -> None:
    """What is still in the buffer of standard output goes nowhere, at exit too."""
    empty = os.open(os.devnull, os.O_WRONLY)
    os.dup2(empty, sys.stdout.fileno())
    os.close(empty)
