"""Where nodes come from: the line of the user's program that made each.

    with tracking():
        y = x.softmax(1)
    line_of(y.node)            # "model.py:12"

Only while somebody tracks is a new node looked up in the call stack. Nodes that a pass makes have the line of
what they replace (`inherit`). Lines are forgotten with their nodes.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

from . import node as nodes
from .node import Node

_PACKAGE = str(Path(__file__).resolve().parents[1])
_lines: WeakKeyDictionary[Node, str] = WeakKeyDictionary()
#: of graphs that were written down, the line of each entry
_written: dict[Hashable, list[str]] = {}


def line_of(node: Node) -> str:
    """The user's line that made a node, as `file.py:12`; empty where nobody was tracking."""
    return _lines.get(node, "")


def inherit(made: Node, line: str) -> None:
    """Nodes below `made` that have no line yet come from this one."""
    if line:
        for node in made.toposort(lambda n: n not in _lines):
            _lines[node] = line


def carry(node: Node, made: Node) -> None:
    """A node over other sources comes from where the node came from."""
    line = _lines.get(node)
    if line is not None:
        _lines.setdefault(made, line)


def remember_form(structure: Hashable, order: Sequence[Node]) -> None:
    """A graph is written down as this structure, an entry for each of these nodes."""
    if nodes.observer is not None:
        _written[structure] = [line_of(node) for node in order]


def recall_form(structure: Hashable, made: Mapping[int, Node]) -> None:
    """The nodes that were made of the entries again come from where their nodes came from."""
    written = _written.get(structure)
    if written is not None:
        for place, node in made.items():
            if written[place]:
                _lines[node] = written[place]


@contextmanager
def tracking(backward: bool = False) -> Iterator[None]:
    """Remember the line of every node that is made inside; with `backward`, whether a gradient made it."""
    before, told = nodes.observer, _walk.told
    nodes.observer, _walk.told = _remember, backward
    try:
        yield
    finally:
        nodes.observer, _walk.told = before, told
        _written.clear()


class _Walk:
    """Is a gradient being made, and does anybody want to know?"""

    told = False
    suffix = ""


_walk = _Walk()
_BACKWARD = " (backward)"


@contextmanager
def making_gradients() -> Iterator[None]:
    """Nodes made inside are a gradient's."""
    before = _walk.suffix
    _walk.suffix = _BACKWARD if _walk.told else ""
    try:
        yield
    finally:
        _walk.suffix = before


def is_backward(line: str) -> bool:
    """Was it a gradient that was made there?"""
    return line.endswith(_BACKWARD)


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
    _lines[node] = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}{_walk.suffix}"
