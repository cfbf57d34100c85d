"""Python processes that have imported the package already: each is forked from one that does nothing else.

    python = ForkedPython({"LD_LIBRARY_PATH": "/drivers", "SACCADE_CACHE": "off"})
    python.run("print(Tensor([1.0]).sum().item())")      # (0, "1.0\n", "")
    python.close()

A new process takes 0.9 s to import what all of them need. No driver is loaded and no thread runs when it
forks, so a program finds what it would find in a new process. What is read when the package is imported (the
settings) is that of the environment given at first.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from ..patience import HANG

ROOT = Path(__file__).parents[2]
#: imported once, for all
PACKAGES = ("saccade.graph", "saccade.schedule", "saccade.codegen", "saccade.runtime", "saccade.tensor")


class ForkedPython:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.runtime.forked_python"],
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str) -> tuple[int, str, str]:
        """The exit code of a program, and what it wrote to stdout and stderr."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            self._process.stdin.write(json.dumps([program, folder]) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            return code, *((Path(folder) / name).read_text() for name in ("out", "err"))

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def serve() -> str:
    """Fork for each line of stdin, and say how that ended; in a fork, the program that it is to run."""
    for name in PACKAGES:
        for module in walk_packages(import_module(name).__path__, f"{name}."):
            import_module(module.name)
    for line in sys.stdin:
        program, folder = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.alarm(HANG)
            for number, name in ((1, "out"), (2, "err")):
                os.dup2(os.open(Path(folder) / name, os.O_WRONLY | os.O_CREAT), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            return str(program)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return ""


if __name__ == "__main__":
    exec(compile(serve(), "<program>", "exec"), {"__name__": "__main__"})
