"""The process that reads damaged files: one line in for each, one line out, within the memory it is given.

    {"kind": "ply", "folder": "/tmp/x"}  ->  {"outcome": "refused", "told": "MeshError: /tmp/x/a.ply is ..."}

It is a process of its own because what it reads may hang it, fill the memory or kill it; `files` then starts
another. The outcomes: result, refused (by the reader's own error) or failed (by anything else: another
exception, a warning of NumPy, more memory than allowed, an error that does not name the file).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Final, TextIO

from ..raised import with_frames
from .file_kinds import Kind, all_kinds

RESULT, REFUSED, FAILED = "result", "refused", "failed"
#: Characters of an error, and of where it came from, that are passed on.
MOST_TOLD: Final = 4000


def outcome_of(kind: Kind, folder: Path) -> tuple[str, str]:
    """What becomes of a folder, and what is told about it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            kind.read(folder)
    except kind.errors as error:
        told = f"{type(error).__name__}: {error}"
        if _is_memory(error):
            return FAILED, f"it took more memory than allowed; {told}"
        if kind.named and not _names_a_file(str(error), folder):
            return FAILED, f"the error does not name the file; {told}"
        return REFUSED, told
    except Exception as error:  # noqa: BLE001  a fuzzer reports every kind of failure
        return FAILED, with_frames(error)
    return RESULT, ""


def _is_memory(error: BaseException | None) -> bool:
    """Whether there was no memory: an error that says so is clear, and the bound was too late."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _names_a_file(told: str, folder: Path) -> bool:
    """Whether a message names a file of the folder, or of what was unpacked from it."""
    return str(folder) in told or tempfile.gettempdir() in told


def limit_memory(more: int) -> None:
    """Allow the process so many bytes beside those it has; nothing where the system cannot."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        return
    allowed = pages * os.sysconf("SC_PAGE_SIZE") + more
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))


def warm_up(names: list[str]) -> None:
    """Read a whole file of each kind: what is imported and compiled for that is not counted."""
    for name in names:
        kind = all_kinds()[name]
        for whole in kind.whole:
            with tempfile.TemporaryDirectory() as folder:
                write(Path(folder), kind.mended(whole))
                outcome, told = outcome_of(kind, Path(folder))
                if outcome != RESULT:
                    raise AssertionError(f"a whole file of kind {name} is not read: {told}")


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def serve(requests: TextIO, replies: TextIO, memory: int, names: list[str]) -> None:
    """Answer one request after the other."""
    warm_up(names)
    limit_memory(memory)
    replies.write("ready\n")
    replies.flush()
    for line in requests:
        request = json.loads(line)
        outcome, told = outcome_of(all_kinds()[request["kind"]], Path(request["folder"]))
        replies.write(json.dumps({"outcome": outcome, "told": told[:MOST_TOLD]}) + "\n")
        replies.flush()


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not come between the answers
    serve(sys.stdin, answers, int(sys.argv[1]), sys.argv[2:])
