"""A small recording (`viz.file`): its records as JSON, which are damaged, and the file that holds them.

    packed_records(records())["a.saccade"]

What a computation of one kernel leaves, with a pass that changed a node.
"""

from __future__ import annotations

import json
import struct
import zlib

from ..viz.file import MAGIC, VERSION

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
