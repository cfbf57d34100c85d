"""Traces: every kernel once, on its device's rows, in the order of the host's clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, trace
from saccade.runtime.watch.debug import listening
from saccade.runtime.watch.timeline import Span, Timeline


def spans_of(path: Path) -> list[dict[str, Any]]:
    events = json.loads(path.read_text())["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    rows = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    return [{**e, "pid": processes[e["pid"]], "tid": rows[e["tid"]]} for e in events if e["ph"] == "X"]


def test_kernels_and_their_rates_are_in_the_file(tmp_path: Path) -> None:
    f = jit(lambda x: (x.softmax(1).contiguous() * 2).sum(0))
    x = Tensor(np.ones((64, 300), np.float32), device="cpu")
    f(x)
    with listening() as runs:
        f(x)
    before = perf_counter()
    with trace(tmp_path / "trace.json") as timeline:
        f(x)
        f(x)
    after = perf_counter()
    kernels = [span for span in spans_of(tmp_path / "trace.json") if span["pid"] == "cpu"]
    (run,) = runs
    names = [run.recipe.sources[step.source].name for step in run.recipe.steps]
    assert [span["name"] for span in kernels] == names * 2
    assert all(span["dur"] > 0 and span["args"]["bytes"] > 0 and span["args"]["GB/s"] > 0 for span in kernels)
    for first, second in pairwise(kernels):
        assert first["ts"] + first["dur"] <= second["ts"] + 1e-2  # one queue, one after the other
    for span in timeline.spans:
        assert before <= span.start <= span.start + span.seconds <= after
    host = [span for span in timeline.spans if span.device == "host"]
    assert [span.name for span in host] == [f"{len(names)} kernels on cpu"] * 2


def test_a_trace_and_a_listener_hear_the_same() -> None:
    x = Tensor(np.ones(100, np.float32))
    with trace() as timeline, listening() as runs:
        (x * 3).realize()
    (run,) = runs
    assert [span.seconds for span in timeline.spans] == list(run.seconds)


def test_one_trace_at_a_time_and_none_after_it() -> None:
    x = Tensor(np.ones(100, np.float32))
    with trace() as timeline:
        (x + 1).realize()
        with pytest.raises(RuntimeError, match="one at a time"), trace():
            pass
    count = len(timeline.spans)
    (x + 1).realize()
    assert len(timeline.spans) == count > 0


def test_a_long_trace_says_what_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from saccade.runtime.watch import timeline as module

    monkeypatch.setattr(module, "MOST_SPANS", 2)
    timeline = Timeline()
    for n in range(5):
        timeline.add(Span("cpu", "main", "kernel", float(n), 1.0))
    told = json.loads(timeline.to_json())
    assert len([e for e in told["traceEvents"] if e["ph"] == "X"]) == 2
    assert told["otherData"]["spans left out"] == 3


def test_a_trace_that_cannot_be_written_says_so_before_anything_runs(tmp_path: Path) -> None:
    ran = []
    with pytest.raises(IsADirectoryError, match=str(tmp_path)), trace(tmp_path):
        ran.append(1)
    assert not ran
    with trace(tmp_path / "another.json"):
        pass


def test_a_process_can_be_traced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "process.json"
    code = "from saccade import Tensor; print((Tensor([1.0]) + 1).item())"
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"SACCADE_TRACE": str(path)}, check=True)
    assert any(span["name"].startswith("map") for span in spans_of(path))
