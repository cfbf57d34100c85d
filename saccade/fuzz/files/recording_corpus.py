"""What pages show, small and whole: a recording (`viz.file`) and the trace of an episode (`viz.traces`).

    packed_records(records())["a.saccade"]      # the records as JSON are damaged, and packed thereafter
    trace_arrays()                              # what `recording.traces` keeps of two steps

The recording is what a computation of one kernel leaves, with a pass that changed a node.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np

from ...viz.file import MAGIC, VERSION

Files = dict[str, bytes]
_LINE = "a.py:3"


def records() -> Files:
    """The JSON of each record, by its place and kind."""
    spans = {
        "name": [0, 1], "row": [0, 1], "start": [100, 900], "duration": [500, 20], "computation": [-1, 0],
        "kernel": [-1, 0], "depth": [0, 0], "names": ["simplify", "add_3"],
        "rows": [["host", "compiler"], ["cpu", "main"]],
    }  # fmt: skip
    events = [
        ["g", 0.1, 0, "cpu", 0, 0], ["a", 0.1, 1, "cpu", 0, 0], ["r", 0.2, 0, [0]], ["e", 0.3], ["f", 0.4, 1],
    ]  # fmt: skip
    ceiling = {"device": "cpu", "copy": 1e10, "products": {"float32": 1e11}}
    totals = {"kernels": [[0, 0, 1, 2e-8, 2e-8]], "count": 2, "first": 100, "last": 920}
    listed: list[tuple[str, object]] = [
        ("H", {"saccade": "0.1.0", "python": "3.11.7", "program": "a.py", "started": "now", "process": 7}),
        ("C", _computation()), ("N", _nodes()), ("P", _steps()), ("K", _kernels()),
        ("T", [{"text": "define void @add_3() { ret void }", "quick": True}]),
        ("S", spans), ("M", events), ("L", ceiling), ("E", {"seconds": 0.5, "totals": totals}),
    ]  # fmt: skip
    return {f"{place} {kind}": json.dumps(value).encode() for place, (kind, value) in enumerate(listed)}


def packed_records(files: Files) -> Files:
    """The file of these records, with lengths and sums that fit."""
    made = [MAGIC + str(VERSION).encode() + b"\n"]
    for name, text in files.items():
        payload = zlib.compress(text, 1)
        made += [struct.pack("<cII", name[-1].encode(), len(payload), zlib.crc32(payload)), payload]
    return {"a.saccade": b"".join(made)}


def trace_arrays() -> dict[str, np.ndarray[Any, Any]]:
    """Two steps of one module and one sensor that know two objects, with hypotheses."""
    shapes: dict[str, tuple[int, ...]] = {
        "sensed": (1, 3), "processed": (), "module_evidence": (1, 2), "module_best": (1,),
        "module_location": (1, 3), "module_rotation": (1, 3, 3), "module_hypotheses": (1,),
        "module_possible": (1,), "module_terminal": (1,), "module_processed": (1,), "goal_location": (3,),
        "goal_normal": (3,), "goal_sender": (), "patch_rgb": (1, 2, 2, 3), "sensor_position": (1, 3),
        "sensor_rotation": (1, 3, 3), "second_object": (1,), "second_location": (1, 3),
        "second_rotation": (1, 3, 3),
    }  # fmt: skip
    made = {name: np.zeros((2, *shape)) for name, shape in shapes.items()}
    for name in ("module_best", "module_terminal", "second_object", "goal_sender"):
        made[name] = made[name].astype(np.int64)
    for name in ("processed", "module_processed"):
        made[name] = np.ones(made[name].shape, bool)
    clouds = {
        "cloud_start": np.array([[0], [2]]), "cloud_location": np.ones((3, 3)), "cloud_evidence": np.ones(3),
        "cloud_object": np.zeros(3, np.int16),
    }  # fmt: skip
    names = {"modules": np.array(["lm0"]), "module_objects": np.array(["mug", "bowl"])}
    return {**made, **clouds, **names, "best_evidence": np.ones(2), "second_evidence": np.zeros(2)}


def _computation() -> object:
    about = {"about": "", "source": "a.py:1", "start": 0.1, "seconds": 0.2}
    whole = {"name": "a computation on cpu", "depth": 0, "steps": 0, "before": [], "after": [], **about}
    one = {"name": "simplify", "depth": 1, "steps": 1, "before": [3], "after": [4], **about}
    passes = [{**each, "nodes_before": 4, "nodes_after": 3} for each in (whole, one)]
    return {
        "passes": passes, "device": "cpu", "nodes": 5, "kernels": 1, "bytes": 60, "flops": 24, "arena": 64,
        "lines": [_LINE], "least": 1e-6,
    }  # fmt: skip


def _nodes() -> object:
    return {
        "op": [0, 1, 1, 2, 3], "dtype": [0] * 5, "shape": [[12], [], [], [12], [3]],
        "src": [[], [], [], [0, 1], [3]], "arg": [0, 1, 2, 3, 3], "line": [0] * 5,
        "ops": ["PARAM", "CONST", "MUL", "REDUCE"], "dtypes": ["float32"],
        "args": ["Param(slot=0)", "2.0", "1.0", ""], "lines": [_LINE],
    }  # fmt: skip


def _steps() -> object:
    return {
        "pass": 1, "rule": [0], "source": [0], "line": [0], "before": [3], "after": [4],
        "rules": ["x * 1 -> x"], "sources": ["simplify.py:45"], "lines": [_LINE],
    }  # fmt: skip


def _kernels() -> object:
    buffer = {
        "number": 0, "dtype": "float32", "size": 12, "bytes": 48, "offset": 0, "line": "", "backward": False,
    }  # fmt: skip
    return {
        "inputs": 1, "arena": 64, "parts": None,
        "kernels": [{
            "name": "add_3", "reason": "asked for", "buffers": ["out0", "in0"], "reads": ["in0"],
            "writes": ["out0", "b0"], "bytes": 60, "flops": 24, "text": "# asked for", "start": 0,
            "moves": ["bind 1 unroll"], "estimate": 4e-6, "source": 0, "lines": [_LINE],
        }],
        "buffers": [
            {**buffer, "name": "in0", "role": "input", "slot": 0, "writers": [], "readers": [0]},
            {**buffer, "name": "b0", "role": "between", "slot": 2, "writers": [0], "readers": [0]},
            {**buffer, "name": "out0", "role": "output", "slot": 1, "writers": [0], "readers": []},
        ],
    }  # fmt: skip
