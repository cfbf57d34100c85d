"""The process around one contender: `python -m bench.worker NAME`.

It reads one JSON request a line from standard input and answers each with one JSON line, on the descriptor
that was standard output when it started; what the libraries print goes to standard error. Requests:

    {"do": "hello"}                                        -> {"missing": false, "version": "2.4.6"}
    {"do": "prepare", "case": "sum", "quick": false, "output": "/tmp/out.npz"}  -> {"first": 0.012}
    {"do": "time", "seconds": 0.3}                         -> {"best": 0.0016, "calls": 180}
    {"do": "machine", "quick": false}                      -> {"read": 4.2e10, "copy": 2.1e10, "flops": 7e10}

Anything that goes wrong is answered as {"error": "ValueError: ..."}; a crash is for the reader of the pipe to
notice.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from bench.case import Case
from bench.cases import CASES
from bench.contenders import CONTENDERS, Prepared, thread_count
from bench.machine import measure

Reply = dict[str, Any]


class Worker:
    """One contender and the case it is prepared for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.contender = CONTENDERS[name]
        self.prepared: Prepared | None = None
        self.case: Case | None = None

    def answer(self, request: dict[str, Any]) -> Reply:
        match request["do"]:
            case "hello":
                if self.contender.missing():
                    return {"missing": True}
                return {"missing": False, "version": self.contender.version()}
            case "prepare":
                return self.prepare(CASES[request["case"]], request["quick"], Path(request["output"]))
            case "time":
                return self.time(request["seconds"])
            case "machine":
                return dataclasses.asdict(measure(thread_count(), request["quick"]))
            case other:
                raise ValueError(f"unknown request {other!r}: use hello, prepare, time or machine")

    def prepare(self, case: Case, quick: bool, output: Path) -> Reply:
        """Compile, run, and leave the result in `output` for comparison with NumPy's."""
        self.prepared, self.case = None, case
        gc.collect()
        prepared = self.contender.prepare(case.programs[self.name], case.make_inputs(quick))
        start = time.perf_counter()
        result = prepared.launch()
        prepared.wait(result)
        first = time.perf_counter() - start
        np.savez(output, *prepared.read(result))
        # The second call is where a tracing jit captures, the third where it replays.
        for _ in range(2):
            prepared.wait(prepared.launch())
        self.prepared = prepared
        return {"first": first}

    def time(self, seconds: float) -> Reply:
        """The fastest of about `seconds` of calls, after one that only counts when it is longer."""
        if self.prepared is None or self.case is None:
            raise RuntimeError("nothing is prepared: send a prepare request first")
        launch, wait, batch = self.prepared.launch, self.prepared.wait, self.case.batch

        def one() -> float:
            start = time.perf_counter()
            result = launch()
            for _ in range(batch - 1):
                result = launch()
            wait(result)
            return (time.perf_counter() - start) / batch

        times = [one()]
        if times[0] * batch < seconds:
            times.clear()
            end = time.perf_counter() + seconds
            while len(times) < 2 or time.perf_counter() < end:
                times.append(one())
        return {"best": min(times), "calls": len(times) * batch}


def use_first_cores(count: int) -> None:
    """Some libraries take every core they may run on, whatever their settings say."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def main(name: str) -> None:
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    # Tools that were installed beside a library, such as the compiler that tinygrad calls.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    use_first_cores(thread_count())
    worker = Worker(name)
    for line in sys.stdin:
        try:
            reply = worker.answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - any failure of a contender is a row of the report
            traceback.print_exc()
            message = str(error).strip().splitlines()
            reply = {"error": f"{type(error).__name__}: {message[0] if message else ''}"}
        replies.write(json.dumps(reply) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
