"""A peer in a process and an environment of its own, asked line by line.

    with PeerProcess([python, "-m", "bench.evidence_peer", ...]) as peer:
        peer.ask("step")        # {"seconds": 0.41, ...}

The peer prints one JSON object when it is ready and one for every line it gets. A peer that ends or answers
with an error raises PeerError with what it said last.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any


class PeerError(RuntimeError):
    """The peer could not be run; the message says why."""


def check_importable(python: str, module: str) -> None:
    """Say at once what an interpreter lacks, before anything is measured for its sake."""
    found = subprocess.run([python, "-c", f"import {module}"], capture_output=True, text=True, check=False)
    if found.returncode:
        said = found.stderr.strip().splitlines()
        raise PeerError(said[-1] if said else f"it ended with status {found.returncode}")


def remedy(peer: str, python: str, error: PeerError) -> str:
    """What to tell whoever asked for a peer that is not there."""
    return (
        f"error: the peer {peer} cannot be run by {python}: {error}; name an interpreter whose environment "
        "holds it with --peer-python"
    )


class PeerProcess:
    """Start it, wait until it is ready, ask, and end it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed in __exit__
        self._process = subprocess.Popen(
            command,
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
            bufsize=1,
        )

    def __enter__(self) -> PeerProcess:
        self._answer()
        return self

    def ask(self, line: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._complaints.seek(0)
            said = self._complaints.read().strip().splitlines()
            raise PeerError(said[-1] if said else f"it ended with status {self._process.returncode}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.kill()
        self._process.wait()
        self._complaints.close()
