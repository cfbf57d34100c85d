"""Where nodes come from: the line of the user's program that made each, and whether it is of a gradient.

    with tracking():
        y = x.softmax(1)
    line_of(y.node)            # "model.py:12"

The line is that of the innermost frame outside of this package and the standard library. Only while somebody
tracks is a new node looked up in the call stack. Nodes that a pass makes have the origin of what they replace
(`inherit`); nodes of a gradient have the line of what is differentiated (`differentiating`). Origins are
forgotten with their nodes.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from . import node as nodes
from .node import Node


class Origin(NamedTuple):
    """The user's line, and whether a node was made to compute a gradient."""

    line: str
    backward: bool = False


_UNKNOWN = Origin("")
_PACKAGE = str(Path(__file__).resolve().parents[1])
_LIBRARY = tuple({str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "platstdlib")})
#: installed packages lie inside the standard library's folder, and are not part of it
_INSTALLED = ("site-packages", "dist-packages")
_origins: WeakKeyDictionary[Node, Origin] = WeakKeyDictionary()
#: of graphs that were written down, the origin of each entry
_written: dict[Hashable, list[Origin]] = {}
#: what is being differentiated
_differentiated: Origin | None = None


def origin_of(node: Node) -> Origin:
    """Where a node comes from; without a line where nobody was tracking."""
    return _origins.get(node, _UNKNOWN)


def line_of(node: Node) -> str:
    """The user's line that made a node, as `file.py:12`; empty where nobody was tracking."""
    return origin_of(node).line


def inherit(made: Node, origin: Origin) -> None:
    """Nodes below `made` that have no origin yet have this one."""
    if origin is not _UNKNOWN:
        for node in made.toposort(lambda n: n not in _origins):
            _origins[node] = origin


def carry(node: Node, made: Node) -> None:
    """A node over other sources comes from where the node came from."""
    origin = _origins.get(node)
    if origin is not None:
        _origins.setdefault(made, origin)


def _succeed(node: Node, made: Node) -> None:
    """The same, for one that was just made by whoever substitutes."""
    origin = _origins.get(node)
    if origin is not None:
        _origins[made] = origin


def remember_form(structure: Hashable, order: Sequence[Node]) -> None:
    """A graph is written down as this structure, an entry for each of these nodes."""
    if nodes.observer is not None:
        _written[structure] = [origin_of(node) for node in order]


def recall_form(structure: Hashable, made: Mapping[int, Node]) -> None:
    """The nodes that were made of the entries again come from where their nodes came from."""
    written = _written.get(structure)
    if written is not None:
        for place, node in made.items():
            if written[place] is not _UNKNOWN:
                _origins[node] = written[place]


@contextmanager
def tracking() -> Iterator[None]:
    """Remember the origin of every node that is made inside."""
    before = nodes.observer, nodes.heir
    nodes.observer, nodes.heir = _remember, _succeed
    try:
        yield
    finally:
        nodes.observer, nodes.heir = before
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


def differentiating(node: Node) -> AbstractContextManager[None]:
    """Nodes made inside belong to the gradient of this one."""
    return nullcontext() if nodes.observer is None else _differentiating(node)


@contextmanager
def _differentiating(node: Node) -> Iterator[None]:
    global _differentiated
    before = _differentiated
    _differentiated = Origin(line_of(node), backward=True)
    try:
        yield
    finally:
        _differentiated = before


def _remember(node: Node) -> None:
    of_gradient = _differentiated
    if of_gradient is not None and of_gradient.line:
        _origins[node] = of_gradient
        return
    line = running_line()
    if line:
        _origins[node] = Origin(line, backward=of_gradient is not None)


def running_line() -> str:
    """The user's line that runs now, as `file.py:12`; empty where there is none on the stack."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


@lru_cache(maxsize=4096)
def _is_users(filename: str) -> bool:
    """Whether a file is neither of this package nor of the standard library."""
    if filename.startswith((_PACKAGE, "<frozen ")):
        return False
    return not filename.startswith(_LIBRARY) or any(name in filename for name in _INSTALLED)
