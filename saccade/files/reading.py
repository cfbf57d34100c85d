"""How a file becomes a value: bounded before anything is allocated, and with one clear error if it fails.

In: a path, the reader's own error, and what a person can do about a file that cannot be read. Out: what the
body makes of the file, or that error, which names the file, the place in it, what was wrong and the remedy.

    with reading(path, MeshError, "export it again") as place:
        for number, line in enumerate(read_text(path, 1 << 20).splitlines(), 1):
            place.where = f"line {number}"
            values.append(float(line))

    # MeshError: mug.txt, line 3 is broken: could not convert string to float: 'x'; export it again

A reader checks counts against the bytes that are there before it allocates or loops. What it does not check
by itself (a number that does not fit, a text that is no text, nesting without end) ends here too, so that no
file is met by a traceback. A reader's own error passes as it is. The failure stays its `__cause__`.
"""

from __future__ import annotations

import json
import os
import reprlib
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

#: What reading may meet in a file that does not hold what it says, whichever line of a reader meets it first.
FAILURES: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    ValueError,  # with UnicodeDecodeError, JSONDecodeError and TOMLDecodeError
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,  # with OverflowError
    MemoryError,
    RecursionError,
    NotImplementedError,
    struct.error,
    zlib.error,
)
#: Bytes of a JSON file: parsed it may take thirty times as many.
JSON_BYTES = 1 << 24
CHUNK = 1 << 20
#: Characters of a value and of a failure in a message, digits of a number.
MOST_SHOWN, MOST_TOLD, MOST_DIGITS = 60, 300, 40


class TooLarge(ValueError):
    """More than a reader takes."""


class Place:
    """Where in its file a reader is, in words: `line 3`, `array 'x'`."""

    def __init__(self, where: str = "") -> None:
        self.where = where


@contextmanager
def reading(
    path: os.PathLike[str] | str,
    error: type[Exception],
    remedy: str,
    also: tuple[type[Exception], ...] = (),
) -> Iterator[Place]:
    """Turn whatever goes wrong in the body into `error`; `also`: failures that only this reader meets."""
    place = Place()
    try:
        yield place
    except error:
        raise
    except (*FAILURES, *also) as failure:
        where = f"{path}, {place.where}" if place.where else f"{path}"
        raise error(f"{where} {_told(failure)}; {remedy}") from failure


def _told(failure: Exception) -> str:
    """What a failure means for the file, in the words of whoever has it."""
    match failure:
        case OSError():
            return f"cannot be read: {failure.strerror or failure}"
        case MemoryError():
            return "cannot be read: it needs more memory than there is"
        case TooLarge():
            return f"is too large: {failure}"
        case RecursionError():
            return "is broken: it is nested too deeply"
        case UnicodeDecodeError():
            bad = failure.object[failure.start]
            return f"is broken: byte {failure.start} ({bad:#04x}) is no {failure.encoding} text"
        case KeyError():
            return f"is broken: it has no {shown(failure.args[0]) if failure.args else 'such entry'}"
        case zlib.error():
            return f"is broken: its compressed data is damaged ({failure})"
    what = str(failure) or type(failure).__name__
    return f"is broken: {what if len(what) <= MOST_TOLD else what[:MOST_TOLD] + '...'}"


class _Short(reprlib.Repr):
    """Values for messages: short whatever they are, as deep and as long as a file can make them."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MOST_SHOWN

    def repr_int(self, x: int, level: int) -> str:
        # one of thousands of digits has no decimal text at all
        return repr(x) if abs(x) < 10**MOST_DIGITS else f"a number of more than {MOST_DIGITS} digits"


#: A value for a message.
shown = _Short().repr


#: where the shell's pipes are, which somebody has opened; files in memory are under /dev too
OPEN_ALREADY: Final = ("/dev/fd/", "/dev/std", "/proc/")


def read_bytes(path: os.PathLike[str] | str, limit: int) -> bytes:
    """The content of a file of at most `limit` bytes. A device, or a pipe of the shell, is read no further; a
    named pipe is refused, for nobody may ever write to it."""
    if stat.S_ISFIFO(os.stat(path).st_mode) and not os.fspath(path).startswith(OPEN_ALREADY):
        raise ValueError("it is a named pipe, not a file")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        pieces: list[bytes] = []
        got = 0
        while max(size, got) <= limit and (piece := file.read(CHUNK)):
            pieces.append(piece)
            got += len(piece)
    if max(size, got) > limit:
        raise TooLarge(f"it has {max(size, got):,} bytes, and at most {limit:,} are read")
    return b"".join(pieces)


def read_text(
    path: os.PathLike[str] | str, limit: int, encoding: str = "utf-8", errors: str = "strict"
) -> str:
    """The content of a text file of at most `limit` bytes."""
    return read_bytes(path, limit).decode(encoding, errors)


def read_json(path: os.PathLike[str] | str, limit: int = JSON_BYTES) -> Any:
    """What a JSON file holds."""
    return parse_json(read_bytes(path, limit))


def parse_json(data: bytes | str) -> Any:
    """What a JSON text says. Half a surrogate pair is refused: such a text could never be written again."""
    value = json.loads(data)
    escape = b"\\ud" if isinstance(data, bytes) else "\\ud"
    if escape in data.lower():  # type: ignore[operator]  # bytes in bytes, or str in str
        json.dumps(value, ensure_ascii=False).encode()
    return value


def beside(path: Path, name: str) -> Path | None:
    """The file that another one names, None if that is not under the folder that holds the other's own."""
    return within(path.parent.parent, path.parent / name.replace("\\", "/"))


def within(folder: Path, path: Path) -> Path | None:
    """A path if it is under a folder: what somebody else wrote must not reach into the rest of the disk."""
    found = Path(os.path.abspath(path))
    return found if found.is_relative_to(os.path.abspath(folder)) else None
