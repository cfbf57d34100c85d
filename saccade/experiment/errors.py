"""What can go wrong with the folder of a run, in the words of the person who meets it.

It imports nothing heavy: every command catches these errors, also those that never touch a run.
"""

from __future__ import annotations

import errno
from pathlib import Path


class RunError(RuntimeError):
    """A run folder that cannot be made, read or continued; the message says why and what to do."""


class FolderTaken(RunError):
    """The folder of a new run holds something already, perhaps since a moment ago."""

    def __init__(self, path: Path) -> None:
        is_run = (path / "run.json").exists()
        remedy = f"continue it with `saccade resume {path}`, or choose" if is_run else "choose"
        super().__init__(
            f"{path} already holds {'a run' if is_run else 'files'}; {remedy} another folder with --out"
        )


def explain(error: OSError, what: str, path: Path, begun: bool = True) -> RunError:
    """The system's error in the words of the person who meets it; `begun`: there is a run to continue."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        remedy = (
            f"everything recorded so far is whole: make room, then continue with `saccade resume {path}`"
            if begun
            else "nothing was written: make room, or choose another folder with --out"
        )
        return RunError(f"no space left while writing {what} at {path}; {remedy}")
    denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    remedy = "; copy the run to where you may write" if denied else ""
    if not begun:
        remedy = "; choose another folder with --out"
    return RunError(f"cannot write {what} at {path}: {error.strerror or error}{remedy}")
