"""A process that tells what it does in lines of JSON, and is ended when it says nothing for long.

    process = Watched([sys.executable, "-m", ...], folder / "turn", patience=300)
    while not process.is_over(): ...
    process.said()          # the lines that are whole
    process.end             # "the process ended with -9", "hangs: nothing happened for 300 s"

It is the first of a process group of its own: what it started ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

#: characters of what it wrote to stderr that are told
_TOLD: Final = 2000


class Watched:
    """The lines are what it writes to stdout; they and stderr are kept in files that begin with `path`."""

    def __init__(self, command: Sequence[str], path: Path, patience: float) -> None:
        self._patience = patience
        self._lines, self._errors = path.with_name(path.name + ".out"), path.with_name(path.name + ".err")
        self.began = self._heard = time.perf_counter()
        self._length = 0
        self.end, self.hung = "", False
        with self._lines.open("w") as lines, self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=lines, stderr=errors, env=_environment(),
                start_new_session=True,
            )  # fmt: skip

    def silence(self) -> float:
        """Seconds since it was seen to say something."""
        return time.perf_counter() - self._heard

    def is_over(self) -> bool:
        """Whether the process has ended; one that has said nothing for long is ended."""
        code = self._process.poll()
        if code is not None:
            self.end = f"the process ended with {code}"
            self.stop()  # what it may have left running
            return True
        length = self._lines.stat().st_size
        if length != self._length:
            self._length, self._heard = length, time.perf_counter()
        if self.silence() < self._patience:
            return False
        self.stop()
        self.end, self.hung = f"hangs: nothing happened for {self._patience:.0f} s", True
        return True

    def stop(self) -> None:
        """End the process and all that it has started."""
        if hasattr(os, "killpg"):
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                self.end = self.end or "the process has ended"
        else:
            self._process.kill()
        self._process.wait()

    def said(self) -> list[dict[str, Any]]:
        """The lines so far, without one that it was ended in the middle of."""
        lines = self._lines.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def errors(self) -> str:
        """The end of what it wrote to stderr."""
        return self._errors.read_text(errors="replace")[-_TOLD:].strip()


def queued(process: int) -> float:
    """Seconds that a process has waited for a core, where the system tells (Linux); the longest of its
    threads. On a machine with ten times as much to do as it can, a process that computes looks hung."""
    waits = [0.0]
    for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # the thread has ended, or nothing is told
            waits.append(int(path.read_text().split()[1]) / 1e9)
    return max(waits)


def _environment() -> dict[str, str]:
    """That of this process; the package is the one of this process too."""
    root = str(Path(__file__).resolve().parents[3])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}
