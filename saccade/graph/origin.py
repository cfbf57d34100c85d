"""Where nodes come from: the line of the user's program that made each.

    with tracking():
        y = x.softmax(1)
    line_of(y.node)            # "model.py:12"

Only while somebody tracks is a new node looked up in the call stack. Nodes that a pass makes have the line of
what they replace (`inherit`). Lines are forgotten with their nodes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from . import node as nodes
from .node import Node

_PACKAGE = str(Path(__file__).resolve().parents[1])
_lines: WeakKeyDictionary[Node, str] = WeakKeyDictionary()
#: of graphs that were written down, the line of each entry
_written: dict[Any, list[str]] = {}


def line_of(node: Node) -> str:
    """The user's line that made a node, as `file.py:12`; empty where nobody was tracking."""
    return _lines.get(node, "")


def inherit(made: Node, line: str) -> None:
    """Nodes below `made` that have no line yet come from this one."""
    if line:
        for node in made.toposort(lambda n: n not in _lines):
            _lines[node] = line


def remember_form(form: Any, numbers: Mapping[Node, int]) -> None:
    """A graph is written down as `form`, its nodes under these numbers, in order."""
    if nodes.observer is not None:
        _written[form] = [line_of(node) for node in numbers]


def recall_form(form: Any, made: Sequence[Node]) -> None:
    """The nodes that were made of a form again, in order, come from where its nodes came from."""
    for node, line in zip(made, _written.get(form, ()), strict=False):
        if line:
            _lines[node] = line


@contextmanager
def tracking() -> Iterator[None]:
    """Remember the line of every node that is made inside."""
    before = nodes.observer
    nodes.observer = _remember
    try:
        yield
    finally:
        nodes.observer = before
        _written.clear()


@contextmanager
def not_tracking() -> Iterator[None]:
    """Nodes made inside are the compiler's own."""
    before = nodes.observer
    nodes.observer = None
    try:
        yield
    finally:
        nodes.observer = before


def _remember(node: Node) -> None:
    frame = sys._getframe(2)
    while frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None:
            return
        frame = frame.f_back
    _lines[node] = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
