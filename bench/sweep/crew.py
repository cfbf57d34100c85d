"""Workers and what they are asked: each answer within a limit, a worker that died or hangs replaced.

with Crew(jobs=4, device="cuda", threads=1, limit=60) as crew:
    for key, reply in crew.all({"do": "warm"}, keys):
        ...
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

Reply = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent.parent


class Worker:
    """A process, started when it is first asked."""

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self.command, self.limit = list(command), limit
        self.process: subprocess.Popen[str] | None = None
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)

    def ask(self, request: Reply) -> Reply:
        """The answer, or an error that says how the worker ended."""
        process = self.process or self._start()
        try:
            print(json.dumps(request), file=process.stdin, flush=True)
            line = self.lines.get(timeout=self.limit)
        except queue.Empty:
            self.stop()
            return {"error": f"no answer within {self.limit:.0f} s"}
        except BrokenPipeError:
            line = ""
        if line:
            reply: Reply = json.loads(line)
            return reply
        code = process.wait()
        self.stop()
        return {"error": f"crashed with code {code}: {self._last_words()}"}

    def _start(self) -> subprocess.Popen[str]:
        process = self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        self.lines: queue.Queue[str] = queue.Queue()
        assert process.stdout is not None
        threading.Thread(target=_listen, args=(process.stdout, self.lines), daemon=True).start()
        return process

    def _last_words(self) -> str:
        self.said.seek(0)
        lines = self.said.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "it said nothing"

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def _listen(stream: IO[str], lines: queue.Queue[str]) -> None:
    for line in stream:
        lines.put(line)
    lines.put("")


class Crew:
    """So many workers that take cases from one list."""

    def __init__(self, jobs: int, device: str, threads: int, limit: float) -> None:
        command = [sys.executable, "-m", "bench.sweep.worker", device, str(threads)]
        self.workers = [Worker(command, limit) for _ in range(jobs)]

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.stop()

    def all(self, request: Reply, keys: Sequence[str]) -> Iterator[tuple[str, Reply]]:
        """The answers to one request for each case, as they come."""
        todo: queue.SimpleQueue[str] = queue.SimpleQueue()
        for key in keys:
            todo.put(key)
        done: queue.SimpleQueue[tuple[str, Reply]] = queue.SimpleQueue()
        for worker in self.workers:
            threading.Thread(target=_serve, args=(worker.ask, request, todo, done), daemon=True).start()
        for _ in keys:
            yield done.get()


def _serve(
    ask: Callable[[Reply], Reply],
    request: Reply,
    todo: queue.SimpleQueue[str],
    done: queue.SimpleQueue[tuple[str, Reply]],
) -> None:
    while True:
        try:
            key = todo.get_nowait()
        except queue.Empty:
            return
        done.put((key, ask(request | {"case": key})))
