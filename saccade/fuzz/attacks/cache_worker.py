"""A process that runs small programs from the cache on disk and compares them with NumPy, again and again.

    worker = Worker(folder)             # another process, whose cache is in that folder
    worker.ask("plain")                 # -> Answer(wrong=[], discarded=2)
    worker.ask("threads")               # several threads at once; "fork": with a forked child

Each time the process forgets what it has compiled and opens its cache anew. The programs take the same inputs
and many give results of the same shape: the code of one in the place of another's runs, and is wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from ... import Tensor
from ...runtime.cache import searched
from ...runtime.cache.cache import key_of, shared_cache
from ...tensor.programs import lengths, realize
from ..raised import with_frames

#: On arrays of NumPy and on tensors alike; small whole numbers in float32, so that results are exact.
PROGRAMS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "product": lambda x, y: x * y,
    "shifted": lambda x, y: x * 2 + y - 3,
    "shifted more": lambda x, y: x * 2 + y - 4,
    "total of rows": lambda x, y: (x + y).sum(1),
    "total of products": lambda x, y: (x * y).sum(1),
    "matrix product": lambda x, y: x @ y.T,
    "scaled by totals": lambda x, y: x * (x + y).sum(0) - (x * y).sum(1).reshape(-1, 1),
    "running": lambda x, y: (x - y).cumsum(0),
}
#: seconds after which a process is taken to hang
PATIENCE: Final = 60.0
_THREADS: Final = 3


@dataclass
class Answer:
    """What was wrong with the programs' results, and how many entries the cache dropped."""

    wrong: list[str] = field(default_factory=list)
    discarded: int = 0


class Worker:
    """The process, seen from the one that asks."""

    def __init__(self, folder: Path, log: Path) -> None:
        self.log = log
        root = str(Path(__file__).resolve().parents[3])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        own = {"SACCADE_CACHE": str(folder), "SACCADE_DEVICE": "cpu", "PYTHONPATH": os.pathsep.join(paths)}
        with log.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", __name__], env=os.environ | own, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._told = self.process.stdin
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._ear = threading.Thread(target=self._listen, args=[self.process.stdout], daemon=True)
        self._ear.start()

    def _listen(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self._lines.put(line)
        self._lines.put("")

    def tell(self, how: str) -> None:
        try:
            self._told.write(f"{how}\n")
            self._told.flush()
        except BrokenPipeError:  # it is gone: `answer` says so
            return

    def answer(self) -> Answer:
        """To what was told last. A process that ended or hangs has an answer too."""
        try:
            line = self._lines.get(timeout=PATIENCE)
        except Empty:
            self.kill()
            return Answer([f"the process did not answer within {PATIENCE:.0f} s"])
        if line:
            return Answer(**json.loads(line))
        ended = self.process.wait()
        self._lines.put("")  # and so it is with the next answer
        return Answer([f"the process ended with {ended}: {self.log.read_text()[-2000:]}"])

    def ask(self, how: str) -> Answer:
        self.tell(how)
        return self.answer()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._ear.join(timeout=1.0)  # a child of the process may have its end of the pipe still
        with contextlib.suppress(BrokenPipeError):  # what was told last and never heard
            self._told.close()


# --- in the process itself


def run_all() -> list[str]:
    """Run every program; what was wrong."""
    random = np.random.default_rng(7)
    x, y = (random.integers(-5, 6, (6, 8)).astype(np.float32) for _ in range(2))
    wrong = []
    for name, function in PROGRAMS.items():
        try:
            got: NDArray[Any] = function(Tensor(x), Tensor(y)).numpy()
        except Exception as error:  # noqa: BLE001  whatever is raised is what was looked for
            wrong.append(f"{name} raised {with_frames(error)}")
            continue
        if not np.array_equal(got, function(x, y)):
            wrong.append(f"{name} is wrong: {got.ravel()[:4]}... is not {function(x, y).ravel()[:4]}...")
    return wrong


def run_in_threads() -> list[str]:
    wrong: list[str] = []
    threads = [threading.Thread(target=lambda: wrong.extend(run_all())) for _ in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def run_forked() -> list[str]:
    """In this process and in a child of it, at the same time."""
    child = os.fork()
    if child == 0:
        wrong = ["the child raised"]
        try:
            wrong = run_all()
            print(*wrong, sep="\n", file=sys.stderr, flush=True)
        finally:
            os._exit(min(len(wrong), 100))
    wrong = run_all()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [*wrong, f"the forked child failed with {status}"] if status else wrong


def write_on() -> list[str]:
    """Write entries until somebody ends the process."""
    print(json.dumps(asdict(Answer())), flush=True)
    number = 0
    while True:
        number += 1
        shared_cache().put(key_of("written on", str(number % 4)), os.urandom(1 << 20))


WAYS: Final[dict[str, Callable[[], list[str]]]] = {
    "plain": run_all,
    "threads": run_in_threads,
    "write": write_on,
    **({"fork": run_forked} if hasattr(os, "fork") else {}),
}


def forget() -> None:
    """Forget what was compiled, and open the cache anew."""
    shared_cache.cache_clear()
    searched.generation.cache_clear()
    realize._executables.clear()
    lengths._kinds.clear()


def main() -> None:
    for line in sys.stdin:
        forget()
        wrong = WAYS[line.strip()]()
        print(json.dumps(asdict(Answer(wrong, shared_cache().discarded))), flush=True)


if __name__ == "__main__":
    main()
