"""Memory that is given: the argument of a PARAM. Apart from `kernel`, which only a compiler needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .node import Node


@dataclass(frozen=True)
class Rows:
    """An array in memory without gaps that is shorter than its `shape`: by axis, the number that each call
    gives. It is seen in that shape, of which what lies beyond a count is not there."""

    shape: tuple[int, ...]
    counts: tuple[Node, ...]


@dataclass(frozen=True)
class Param:
    """Memory a kernel or a traced function is given: its slot and its size in elements. Of a `partial` one
    there may be fewer, as a mask around it says: the others must not be read. With `rows`, its elements lie
    as these say, and its size is that of their shape."""

    slot: int
    size: int
    device: str | None = None
    partial: bool = field(default=False, repr=False)
    rows: Rows | None = field(default=None, repr=False)
